"""Typed tables of contents: how a room lists what it offers, and the grammar of its names.

A name is ``word [ "(" key "=" value ("," key "=" value)* ")" ]``. Its canonical form has the
parameters in declared order, those equal to their default left out (but for ``best(measure=f1)``), and
numbers as the shortest text that reads back the same.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any, Generic, Self, TypeVar

from reporting.base.extensions import versions
from reporting.base.records import dataclass, field
from reporting.errors import ConfigError, UnknownNameError, did_you_mean, listed, quoted

WORD = re.compile(r"[a-z][a-z0-9_]*")
_BETWEEN = re.compile(r"(?<=\w)[\s_-]+(?=\w)")


@dataclass(frozen=True)
class Parameter:
    """One parameter of a name: its default, its value, and what it may be.

    A number lies in the closed range [low, high]; a parameter with ``words`` takes one of them (and
    numbers too where it is ``numeric``; only whole ones where it is ``whole``); one with ``read`` takes
    a name of another room.
    """

    name: str
    default: Value
    value: Value
    low: float = -math.inf
    high: float = math.inf
    words: tuple[str, ...] = ()
    numeric: bool = True
    read: Callable[[str], Named] | None = None
    whole: bool = False
    is_spelt_out: bool = False
    """Whether the name holds it even at its default, because it means little without."""

    def set_to(self, value: Value) -> Parameter:
        """Return the parameter at ``value``, or at what a text of the config means; ConfigError otherwise."""
        if isinstance(value, str):
            value = self._of_text(value.strip())
        if isinstance(self.default, bool) != isinstance(value, bool):
            raise self._unfit(value)
        if isinstance(value, (int, float)) and not self.low <= value <= self.high:
            low, high = show_value(self.low), show_value(self.high)
            raise ConfigError(f"{self.name}={show_value(value)} is outside [{low}, {high}]")
        if self.whole and isinstance(value, float) and not value.is_integer():
            raise self._unfit(value)
        if isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        return dataclasses.replace(self, value=value)

    def _of_text(self, text: str) -> Value:
        if text in self.words:
            return text
        if self.read is not None:
            return self.read(text)
        if text in ("true", "false") and isinstance(self.default, bool):
            return text == "true"
        try:
            value = float(text) if self.numeric and is_plain(text) else math.nan
        except ValueError:
            value = math.nan
        if math.isnan(value):
            raise self._unfit(text)
        return value

    def _unfit(self, value: Value) -> ConfigError:
        return ConfigError(f"{self.name}={show_value(value)}: {self._expected(value)}")

    def _expected(self, value: Value) -> str:
        if isinstance(self.default, bool):
            return "expected true or false"
        words = sorted(self.words, key=float) if self._words_are_numbers else self.words
        kinds = [*words, *(["a whole number" if self.whole else "a number"] if self.numeric else [])]
        guessed = isinstance(value, str) and not self._words_are_numbers
        guess = did_you_mean(str(value), words) if guessed else ""
        return f"expected {' or '.join(kinds)}{guess}"

    @property
    def _words_are_numbers(self) -> bool:
        return bool(self.words) and all(word.isdecimal() for word in self.words)


def is_plain(text: str) -> bool:
    """Return whether a number is written as everybody reads it: ASCII digits without underscores."""
    return text.isascii() and "_" not in text


def parameter(
    name: str, default: float | bool, low: float = -math.inf, high: float = math.inf, *, whole: bool = False
) -> Parameter:
    """Declare a number in a range (or a whole one), or a switch, with its default."""
    return Parameter(name, default, default, low, high, whole=whole)


def word(name: str, *words: str) -> Parameter:
    """Declare a parameter that is one of some words; the first is the default."""
    return Parameter(name, words[0], words[0], words=words, numeric=False)


def word_or_number(name: str, default: str, low: float, high: float) -> Parameter:
    """Declare a parameter that is its default word, or a number in a range."""
    return Parameter(name, default, default, low, high, words=(default,))


def named(
    name: str, default: Named, read: Callable[[str], Named], *, is_spelt_out: bool = False
) -> Parameter:
    """Declare a parameter that is a name of another room, read by ``read``."""
    return Parameter(name, default, default, numeric=False, read=read, is_spelt_out=is_spelt_out)


@dataclass(frozen=True, kw_only=True)
class Named:
    """A value with a name that round-trips: ``str(value)`` read by its room gives the value back."""

    key: str
    parameters: tuple[Parameter, ...] = ()
    together: Callable[..., str] | None = field(default=None, compare=False)
    """Returns why the parameters have no meaning together; an empty text where they have a meaning."""

    def __str__(self) -> str:
        kept = (p for p in self.parameters if p.value != p.default or p.is_spelt_out)
        given = [f"{p.name}={show_value(p.value)}" for p in kept]
        return f"{self.key}({','.join(given)})" if given else self.key

    def __repr__(self) -> str:
        return str(self)

    @property
    def arguments(self) -> dict[str, Value]:
        """The parameters as keyword arguments of the formula."""
        return {p.name: p.value for p in self.parameters}

    def at(self, **values: Value) -> Self:
        """Return the value with some parameters set; ConfigError for an unknown one."""
        names = [p.name for p in self.parameters]
        for name in values:
            if name not in names:
                allowed = f"allowed: {listed(names)}" if names else "it takes no parameters"
                raise UnknownNameError(
                    f"{self.key!r} has no parameter {name!r}; {allowed}{did_you_mean(name, names)}"
                )
        moved = (p.set_to(values[p.name]) if p.name in values else p for p in self.parameters)
        changed = dataclasses.replace(self, parameters=tuple(moved))
        if changed.together and (why := changed.together(**changed.arguments)):
            raise ConfigError(f"{changed.key!r}: {why}")
        return changed


Value = float | bool | str | Named

T = TypeVar("T", bound=Named)


class Contents(Mapping[str, T], Generic[T]):
    """The named values a room offers, in the order in which a catalogue prints them.

    ``added`` returns those of other packages, when a name is first looked up that the room itself does not
    have; they may not have names that are ``taken``, either.
    """

    def __init__(
        self,
        kind: str,
        values: Iterable[T],
        added: Callable[[], Iterable[T]] = tuple,
        taken: Iterable[str] = (),
    ) -> None:
        self.kind = kind
        self._added, self._taken = added, frozenset(map(joined, taken))
        self._own = self._with({}, values)

    def _with(self, known: Mapping[str, T], values: Iterable[T]) -> dict[str, T]:
        """Return named values and more of them; ConfigError where one has a name that is known."""
        every = dict(known)
        names = {*map(joined, known), *self._taken}
        for value in values:
            if joined(value.key) in names:
                packages = listed(f"{name} {version}" for name, version in versions())
                way = f"; rename the one of the package that adds it ({packages}), or uninstall it"
                raise ConfigError(
                    f"two {self.kind}s have the name {quoted(value.key)}{way if packages else ''}"
                )
            every[value.key] = value
            names.add(joined(value.key))
        return every

    @property
    def own(self) -> Mapping[str, T]:
        """The room's own values, without those of other packages."""
        return self._own

    @cached_property
    def _values(self) -> dict[str, T]:
        return self._with(self._own, self._added())

    def __getitem__(self, key: str) -> T:
        # Packages that add values may ask for the program's own while they are being loaded.
        return self._own[key] if key in self._own else self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def find(self, key: str) -> T:
        """Return the value of a name, a synonym or a title; ConfigError with the nearest one otherwise."""
        keys = self.called(key)
        if len(keys) > 1:
            raise UnknownNameError(f"{quoted(key)} may be {' or '.join(keys)}; write the one you mean")
        if not keys:
            article = "an" if self.kind[0] in "aeiou" else "a"
            guess = did_you_mean(self.meant(key), self)
            raise UnknownNameError(
                f"{quoted(key)} is not {article} {self.kind}{guess} (allowed: {listed(self)})"
            )
        return self._values[keys[0]]

    def called(self, word: str) -> list[str]:
        """Return every key that a word denotes: that key alone, else those with this synonym or title."""
        wanted = joined(word)
        keys = [key for key in self if joined(key) == wanted]
        return keys or [
            key
            for key, value in self.items()
            if wanted in map(joined, (getattr(value, "name", value.key), *_synonyms(value)))
        ]

    def meant(self, word: str) -> str:
        """Return the key that a word most likely denotes, or the word."""
        wanted = joined(word)
        # A synonym may have a remark in parentheses: ``prbe (ROCR)`` is ``prbe``.
        near = (
            key
            for key, value in self.items()
            if wanted in {joined(synonym.partition(" (")[0]) for synonym in _synonyms(value)}
        )
        return next(iter([*self.called(word), *near]), word)

    def read(self, text: str) -> T:
        """Read a name with its parameters, such as ``mindcf(p_target=0.01,c_miss=10)``."""
        if self.called(text):
            return self.find(text)
        key, values = parse_call(text, self)
        return self.find(key).at(**values)


@lru_cache(maxsize=4096)
def joined(name: str) -> str:
    """Return a name as it is looked up: in small letters, without spaces, hyphens and underscores in it."""
    return _BETWEEN.sub("", name.strip().casefold())


def _synonyms(value: Named) -> tuple[str, ...]:
    return tuple(getattr(value, "synonyms", ()))


def parse_call(text: str, known: Contents[Any] | None = None) -> tuple[str, dict[str, str]]:
    """Split ``name(key=value,...)`` into the name and its values as texts; ConfigError names the fault.

    A value may be a call itself: commas inside its parentheses belong to it. Empty parentheses are none.
    ``known`` are the names whose parameters a message may list.
    """
    text = text.strip()
    key, bracket, rest = text.partition("(")
    key = key.strip()
    if not _balanced(text) or (bracket and not rest.endswith(")")):
        raise ConfigError(f"{text!r} has an unbalanced parenthesis; {QUOTING}")
    values: dict[str, str] = {}
    for pair in _split(rest[:-1]) if rest[:-1].strip() else ():
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not equals or not WORD.fullmatch(name):
            hint = "" if known is None else _parameters_of(known.meant(key), known, pair.strip())
            raise ConfigError(f"{text!r}: {pair.strip()!r} is not of the form key=value{hint}")
        if name in values:
            raise ConfigError(f"{text!r}: {name!r} is given twice")
        values[name] = value
    return key, values


def _balanced(text: str) -> bool:
    depth = 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            return False
    return depth == 0


def _parameters_of(key: str, known: Mapping[str, Named], given: str) -> str:
    if key not in known:
        return ""
    names = [p.name for p in known[key].parameters]
    if not names:
        return f"; {key!r} takes no parameters"
    return f"; parameters of {key!r}: {listed(names)}, as in {key}({names[0]}={given})"


def _split(inside: str) -> list[str]:
    parts, depth = [""], 0
    for letter in inside:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


QUOTING = 'quote a name with parameters in YAML lists: "dcf(p_target=0.01, c_miss=10)"'


def split_wrapper(text: str, wrapper: str) -> str | None:
    """Return what is inside ``wrapper(...)``, or None where the text is something else.

    ConfigError where the same wrapper is inside once more.
    """
    match = re.fullmatch(rf"\s*{wrapper}\s*\((.*)\)\s*", text)
    inside = match.group(1).strip() if match else None
    if inside is not None and re.match(rf"{wrapper}\s*\(", inside):
        raise ConfigError(f"{text.strip()!r}: {wrapper} is given twice")
    return inside


def show_value(value: Value) -> str:
    """Print a parameter as the shortest text that reads back the same."""
    if isinstance(value, (str, Named)):
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text
