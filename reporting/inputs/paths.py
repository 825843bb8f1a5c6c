"""What paths say: patterns with stars and ``{placeholders}``, and folders such as ``model=A``.

A path is matched one step at a time, so nothing in a pattern but ``**`` reaches over a ``/``. Files of this
machine and objects of a store are walked alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote

from reporting.base.records import dataclass, field
from reporting.errors import ConfigError, listed, quoted
from reporting.inputs.formats.catalogue import READABLE, format_of, is_half_written

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""What is in the name of a folder whose rows have no value in the column."""
ANY_DEPTH = "**"
LOGS = {"_delta_log": "Delta", ".hoodie": "Hudi"}
"""Folders by which a table is known whose files are not all in force."""

PathValues = Mapping[str, str]
"""What a path gives of its rows: columns of the table, and one text each."""


@dataclass(frozen=True)
class PathNaming:
    """What a config gives with a source that helps to read it."""

    columns: Mapping[str, str] = field(default_factory=dict)
    """What the table calls our columns."""
    splits: tuple[str, ...] = ("dev", "test")
    """Its names of the two sets; of two readings of a path, the one with such a split is taken."""
    any_kind: bool = False
    """Whether files of any name are read, as formats of a field are; else tables alone."""

    def column(self, name: str) -> str:
        """Return the table's column that a placeholder means: one of that name, or else its role's."""
        return name if name in self.columns.values() else self.columns.get(name, name)

    def kind_fault(self, name: str, shown: str) -> str:
        """Say why a file of this name is not read, as ``shown``; an empty text where it is."""
        if is_half_written(name):
            return f"{shown} {UNFINISHED}"
        if self.any_kind or format_of(name):
            return ""
        return f"{shown} is not a kind of file that is read (read: {READABLE})"


UNFINISHED = "looks like an unfinished download; wait for it or remove it"


class Tree(Protocol):
    """Folders and what is in them, by the names of the way down."""

    def names(self, below: tuple[str, ...]) -> Iterable[str]:
        """Return what is in a folder; nothing where it is none. OSError where it cannot be looked into."""

    def has(self, below: tuple[str, ...]) -> bool:
        """Return whether there is something of this name."""

    def folder(self, below: tuple[str, ...]) -> object:
        """Return which folder it is, however one gets there; None where it is none."""


@dataclass(frozen=True)
class LocalTree:
    """What is below a folder of this machine."""

    start: Path

    def names(self, below: tuple[str, ...]) -> list[str]:
        """Return the names in a folder."""
        path = self.start.joinpath(*below)
        return [each.name for each in path.iterdir()] if path.is_dir() else []

    def has(self, below: tuple[str, ...]) -> bool:
        """Return whether there is a file, a folder, or a broken link."""
        path = self.start.joinpath(*below)
        return path.exists() or path.is_symlink()

    def folder(self, below: tuple[str, ...]) -> Path | None:
        """Return the folder without links."""
        path = self.start.joinpath(*below)
        return path.resolve() if path.is_dir() else None


@dataclass(frozen=True, eq=False)
class PathMatch:
    """A path that matches: its steps below the fixed part of the pattern, and what those say."""

    below: tuple[str, ...] = ()
    path_values: PathValues = field(default_factory=dict)

    def further(self, name: str, values: PathValues) -> Iterator[PathMatch]:
        """Go one step down, but where one placeholder would mean two texts."""
        if all(self.path_values.get(column, text) == text for column, text in values.items()):
            yield PathMatch((*self.below, name), {**self.path_values, **values})

    @property
    def every_value(self) -> tuple[tuple[str, str], ...]:
        """The values of folders and those of placeholders, which may repeat a folder's, in its letters.

        ConfigError where the two say different things.
        """
        every = partitions(self.below)
        for column, text in self.path_values.items():
            if every.get(column, text) not in (text, unquote(text)):
                raise _two_things(self.below, column, every[column], text)
            every.setdefault(column, text)
        return tuple(every.items())


def split_pattern(pattern: str, folder: Path, naming: PathNaming) -> tuple[Path, list[Step]]:
    """Split a pattern into its fixed part and the steps below."""
    texts = [text for text in pattern.split("/") if text not in ("", ".")]
    steps = [Step(text, _pieces(text, pattern, naming), naming) for text in texts]
    start = Path("/") if pattern.startswith("/") else folder
    fixed = next((at for at, step in enumerate(steps) if not step.is_fixed), len(steps) - 1)
    for step in steps[:fixed]:
        start /= step.literal
    return start, steps[fixed:]


def is_pattern(text: str) -> bool:
    """Return whether a text has stars, brackets or braces."""
    return any(letter in text for letter in "*?[{}")


def walk(tree: Tree, steps: list[Step]) -> list[PathMatch]:
    """Find all that match the steps of a pattern, folders too, each once; OSError as the tree raises it.

    ConfigError where a name can be read in two ways.
    """
    matches = _below(tree, PathMatch(), steps, (tree.folder(()),))
    return list({match.below: match for match in matches}.values())


def _below(tree: Tree, match: PathMatch, steps: list[Step], above: tuple[object, ...]) -> Iterator[PathMatch]:
    if not steps:
        yield match
        return
    step, *rest = steps
    if step.text == ANY_DEPTH:
        yield from _below(tree, match, rest or [Step("*", ("*",), step.naming)], above)
        for name in tree.names(match.below):
            folder = None if is_hidden(name) else tree.folder((*match.below, name))
            if folder is not None and folder not in above:  # else a link leads up again
                for further in match.further(name, {}):
                    yield from _below(tree, further, steps, (*above, folder))
    elif step.is_fixed:
        for further in match.further(step.literal, {}):
            if tree.has(further.below):
                yield from _below(tree, further, rest, above)
    else:
        for name in tree.names(match.below):
            values = step.read(name)
            for further in () if values is None else match.further(name, values):
                yield from _below(tree, further, rest, above)


def is_hidden(name: str) -> bool:
    """Return whether a name is hidden, or that of what programs put next to data, such as ``_SUCCESS``."""
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def partitions(below: tuple[str, ...]) -> dict[str, str]:
    """Return what folders named ``column=value`` say of the rows in them; no value is an empty text.

    ConfigError where two of them say different things.
    """
    values: dict[str, str] = {}
    for name in below[:-1]:
        key, equals, value = name.partition("=")
        if not (key and equals):
            continue
        column, text = _decoded(key, below), "" if value == NO_VALUE else _decoded(value, below)
        if values.get(column, text) != text:
            raise _two_things(below, column, values[column], text)
        values[column] = text
    return values


def _two_things(below: tuple[str, ...], column: str, value: str, other: str) -> ConfigError:
    return ConfigError(
        f"{'/'.join(below)!r} gives column {quoted(column)} two values: {quoted(value)} and {quoted(other)}"
    )


def _decoded(text: str, below: tuple[str, ...]) -> str:
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        raise ConfigError(f"{'/'.join(below)!r}: {text!r} is not UTF-8 in percent signs") from None


@dataclass(frozen=True)
class Placeholder:
    """Matches one or more characters of a step, the value of a column."""

    column: str


Piece = str | Placeholder
"""Of a step: literal text as a regular expression, ``*``, or a placeholder."""


@dataclass(frozen=True)
class Step:
    """One step of a pattern, between two ``/``."""

    text: str
    pieces: tuple[Piece, ...]
    naming: PathNaming

    @property
    def is_fixed(self) -> bool:
        """Return whether exactly one name matches."""
        return not re.search(r"[*?\[]", self.text) and not self.columns

    @property
    def literal(self) -> str:
        """The one name that matches a fixed step."""
        return self.text.replace("{{", "{").replace("}}", "}")

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of its placeholders, each once."""
        return tuple(dict.fromkeys(piece.column for piece in self.pieces if isinstance(piece, Placeholder)))

    def read(self, name: str) -> PathValues | None:
        """Return what a name gives by the placeholders; None where it does not match."""
        if name.startswith(".") and not self.text.startswith("."):
            return None
        first, last = (self._reading(name, lazy, known=False) for lazy in (False, True))
        if first != last:
            known = [self._reading(name, lazy, known=True) for lazy in (False, True)]
            if known[0] is None or known[0] != known[1]:
                raise self._ambiguous(name, first or {}, last or {})
            first = known[0]
        return first

    def _reading(self, name: str, lazy: bool, known: bool) -> PathValues | None:
        """Read a name with the first placeholders as long, or as short, as they can be.

        Where both give the same, there is no other reading.
        """
        match = self._expressions[lazy, known].fullmatch(name)
        return dict(zip(self.columns, match.groups(), strict=True)) if match else None

    @cached_property
    def _expressions(self) -> Mapping[tuple[bool, bool], re.Pattern[str]]:
        both = (False, True)
        try:
            return {
                (lazy, known): re.compile(self._expression(lazy, known), re.DOTALL)
                for lazy, known in product(both, both)
            }
        except re.error:  # a range of characters that runs backwards
            raise ConfigError(f"{self.text!r} has brackets that cannot be read") from None

    def _expression(self, lazy: bool, known: bool) -> str:
        """Write the step as a regular expression with a group a column; ``known`` asks for known splits."""
        shortest, groups, text = "?" * lazy, dict[str, int](), ""
        splits = "|".join(map(re.escape, self.naming.splits))
        for piece in self.pieces:
            if isinstance(piece, str):
                text += f".*{shortest}" if piece == "*" else piece
            elif piece.column in groups:
                text += f"(?:\\{groups[piece.column]})"
            else:
                groups[piece.column] = len(groups) + 1
                is_split = known and piece.column == self.naming.column("split")
                text += f"({splits})" if is_split else f"(.+{shortest})"
        return text

    def _ambiguous(self, name: str, first: PathValues, last: PathValues) -> ConfigError:
        reading, other = (
            listed(f"{key} {quoted(text)}" for key, text in values.items()) for values in (first, last)
        )
        return ConfigError(
            f"{name!r} can be read in two ways by {self.text!r}: {reading}; or {other};"
            " part the values by a folder, or by text that no value holds"
        )


def _pieces(text: str, pattern: str, naming: PathNaming) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    for piece in re.findall(r"\{\{|\}\}|\{[^{}]+\}|\[!?(?:\][^\]]*|[^\]]+)\]|.", text, re.DOTALL):
        if piece in ("{", "}"):
            raise ConfigError(
                f"{pattern!r} has a {piece!r} that is not part of a {{column}};"
                f" a brace of the path itself is written twice: {piece * 2}"
            )
        pieces.append(_piece(piece, naming))
    return tuple(pieces)


def _piece(text: str, naming: PathNaming) -> Piece:
    if text in ("{{", "}}"):
        return re.escape(text[0])
    if text.startswith("{"):
        return Placeholder(naming.column(text[1:-1]))
    if text.startswith("[") and len(text) > 1:
        inside = re.sub(r"([\\\[\]&~|^])", r"\\\1", text[1:-1].removeprefix("!"))
        return f"[{'^' if text[1] == '!' else ''}{inside}]"
    return {"*": "*", "?": "."}.get(text, re.escape(text))
