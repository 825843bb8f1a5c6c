"""Typed tables of contents: how a room lists what it offers, and the grammar of its names.

A name is ``word [ "(" key "=" value ("," key "=" value)* ")" ]``. Its canonical form has the
parameters in declared order, those equal to their default left out, and numbers as the shortest
text that reads back the same.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

from reporting.errors import ConfigError, did_you_mean, listed

Value = float | bool

WORD = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True)
class Parameter:
    """One parameter of a name: its default, its value, and the closed range it may take."""

    name: str
    default: Value
    value: Value
    low: float = -math.inf
    high: float = math.inf

    def set_to(self, value: Value) -> Parameter:
        """Return the parameter at ``value``; ConfigError for a wrong type or outside the range."""
        if isinstance(self.default, bool) != isinstance(value, bool):
            kind = "true or false" if isinstance(self.default, bool) else "a number"
            raise ConfigError(f"{self.name}={show_value(value)}: {kind} is expected")
        if not self.low <= value <= self.high:
            raise ConfigError(
                f"{self.name}={show_value(value)} is outside"
                f" [{show_value(self.low)}, {show_value(self.high)}]"
            )
        return dataclasses.replace(self, value=value if isinstance(value, bool) else float(value))


def parameter(name: str, default: Value, low: float = -math.inf, high: float = math.inf) -> Parameter:
    """Declare a parameter with its default and range."""
    return Parameter(name, default, default, low, high)


@dataclass(frozen=True, kw_only=True)
class Named:
    """A value with a name that round-trips: ``str(value)`` read by its room gives the value back."""

    key: str
    parameters: tuple[Parameter, ...] = ()

    def __str__(self) -> str:
        said = [f"{p.name}={show_value(p.value)}" for p in self.parameters if p.value != p.default]
        return f"{self.key}({','.join(said)})" if said else self.key

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
                raise ConfigError(
                    f"{self.key!r} has no parameter {name!r}; {allowed}{did_you_mean(name, names)}"
                )
        moved = (p.set_to(values[p.name]) if p.name in values else p for p in self.parameters)
        return dataclasses.replace(self, parameters=tuple(moved))


T = TypeVar("T", bound=Named)


class Contents(Mapping[str, T], Generic[T]):
    """The named values a room offers, in the order in which a catalogue prints them."""

    def __init__(self, kind: str, values: Iterable[T]) -> None:
        self.kind = kind
        self._values = {value.key: value for value in values}

    def __getitem__(self, key: str) -> T:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def find(self, key: str) -> T:
        """Return the value called ``key``; ConfigError with the allowed names and a nearest guess."""
        if key not in self._values:
            article = "an" if self.kind[0] in "aeiou" else "a"
            guess = did_you_mean(key, self)
            raise ConfigError(f"{key!r} is not {article} {self.kind}{guess} (allowed: {listed(self)})")
        return self._values[key]

    def read(self, text: str) -> T:
        """Read a name with its parameters, such as ``mindcf(p_target=0.01,c_miss=10)``."""
        key, values = parse_call(text)
        return self.find(key).at(**values)


def parse_call(text: str) -> tuple[str, dict[str, Value]]:
    """Split ``name(key=value,...)`` into the name and its values; ConfigError says what is wrong."""
    text = text.strip()
    key, bracket, rest = text.partition("(")
    key = key.strip()
    if not bracket:
        if text.endswith(")"):
            raise ConfigError(f"{text!r} has an unbalanced parenthesis; {QUOTING}")
        return key, {}
    if not rest.endswith(")"):
        raise ConfigError(f"{text!r} has an unbalanced parenthesis; {QUOTING}")
    values: dict[str, Value] = {}
    for pair in rest[:-1].split(","):
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not equals or not WORD.fullmatch(name):
            raise ConfigError(f"{text!r}: {pair.strip()!r} is not of the form key=value")
        if name in values:
            raise ConfigError(f"{text!r}: {name!r} is given twice")
        values[name] = _read_value(value, text)
    return key, values


QUOTING = 'quote a name with parameters in YAML lists: "dcf(p_target=0.01, c_miss=10)"'


def split_wrapper(text: str, wrapper: str) -> str | None:
    """Return what stands inside ``wrapper(...)``, or None where the text is something else."""
    found = re.fullmatch(rf"\s*{wrapper}\s*\((.*)\)\s*", text)
    return found.group(1).strip() if found else None


def show_value(value: Value) -> str:
    """Print a parameter as the shortest text that reads back the same."""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text


def _read_value(text: str, whole: str) -> Value:
    if text in ("true", "false"):
        return text == "true"
    try:
        value = float(text)
    except ValueError:
        raise ConfigError(f"{whole!r}: {text!r} is not a number, true or false") from None
    if math.isnan(value):
        raise ConfigError(f"{whole!r}: {text!r} is not a number, true or false")
    return value
