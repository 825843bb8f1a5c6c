"""What paths say: patterns with stars and ``{placeholders}``, folders such as ``model=A``, kinds of tables.

A path is matched one step at a time, so nothing in a pattern but ``**`` reaches over a ``/``. Unlike the
globs of the standard library these report a folder that may not be looked into, instead of passing it by.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Literal
from urllib.parse import unquote

from reporting.errors import ConfigError, listed, quoted

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""What is in the name of a folder whose rows have no value in the column."""
ANY_DEPTH = "**"
LOGS = {"_delta_log": "Delta", ".hoodie": "Hudi"}
"""Folders by which a table is known whose files are not all in force."""


def lake_scheme(folder: Path) -> str:
    """Return which kind of table with a log a folder is: delta, iceberg, or "" for none that is read."""
    if (folder / "_delta_log").is_dir():
        return "delta"
    return "iceberg" if any((folder / "metadata").glob("*.metadata.json")) else ""


Kind = Literal["parquet", "ipc", "csv", "tsv", "ndjson"]
ENDS: Mapping[str, Kind] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "ipc",
    ".ipc": "ipc",
    ".feather": "ipc",
    ".csv": "csv",
    ".tsv": "tsv",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
}
TEXT: tuple[Kind, ...] = ("csv", "tsv", "ndjson")
PACKED = (".gz", ".zst")
"""What may follow the ends of text."""
HALF_WRITTEN = (".part", ".partial", ".filepart", ".crdownload", ".tmp")
"""What programs add to the name of a file until it is whole."""
READABLE = f"{', '.join(ENDS)}; those of text also with {' or '.join(PACKED)}"

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


@dataclass(frozen=True)
class PathMatch:
    """A path that matches: where it is, its steps below the fixed part of the pattern, what those say."""

    path: Path
    below: tuple[str, ...]
    path_values: PathValues


def matching(pattern: str, folder: Path, naming: PathNaming) -> Iterator[PathMatch]:
    """Find all that match a pattern, folders too, in no order; OSError where a folder cannot be looked into.

    ConfigError where braces do not pair, or a name can be read in two ways.
    """
    start, steps = split_pattern(pattern, folder, naming)
    if start.is_dir():
        yield from _below(PathMatch(start, (), {}), steps, (start.resolve(),))


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


def _below(match: PathMatch, steps: list[Step], above: tuple[Path, ...]) -> Iterator[PathMatch]:
    if not steps:
        yield match
    elif steps[0].text == ANY_DEPTH:
        yield from _at_any_depth(match, steps[1:] or [Step("*", ("*",), steps[0].naming)], above)
    elif steps[0].is_fixed:
        further = _further(match, steps[0].literal, {})
        if further and (further.path.exists() or further.path.is_symlink()):
            yield from _below(further, steps[1:], above)
    elif match.path.is_dir():
        for name in _names(match.path):
            values = steps[0].read(name)
            further = None if values is None else _further(match, name, values)
            if further:
                yield from _below(further, steps[1:], above)


def _at_any_depth(match: PathMatch, steps: list[Step], above: tuple[Path, ...]) -> Iterator[PathMatch]:
    yield from _below(match, steps, above)
    for name in _names(match.path) if match.path.is_dir() else ():
        path = match.path / name
        if is_hidden(name) or not path.is_dir() or path.resolve() in above:
            continue
        further = _further(match, name, {})
        if further:
            yield from _at_any_depth(further, steps, (*above, path.resolve()))


def _names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def _further(match: PathMatch, name: str, values: PathValues) -> PathMatch | None:
    """Go one step down; None where one placeholder would mean two texts."""
    if any(match.path_values.get(column, text) != text for column, text in values.items()):
        return None
    return PathMatch(match.path / name, (*match.below, name), {**match.path_values, **values})


def is_hidden(name: str) -> bool:
    """Return whether a name is hidden, or that of what programs put next to data, such as ``_SUCCESS``."""
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def all_path_values(below: tuple[str, ...], values: PathValues) -> dict[str, str]:
    """Join the values of folders with those of placeholders, which may repeat a folder's, in its letters.

    ConfigError where the two say different things.
    """
    every = partitions(below)
    for column, text in values.items():
        if every.get(column, text) not in (text, unquote(text)):
            raise _two_things(below, column, every[column], text)
        every.setdefault(column, text)
    return every


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
    """Split a step into pieces; ConfigError where a brace is alone."""
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


def kind_of(name: str) -> Kind | None:
    """Return the kind of table that a file of this name holds; None: it is none that is read."""
    lower = name.lower()
    bare = next((lower.removesuffix(end) for end in PACKED if lower.endswith(end)), lower)
    kind = next((kind for end, kind in ENDS.items() if bare.endswith(end)), None)
    return kind if bare == lower or kind in TEXT else None


def is_half_written(name: str) -> bool:
    """Return whether the name is that of a table that is still being written."""
    lower = name.lower()
    return any(lower.endswith(end) and kind_of(lower.removesuffix(end)) for end in HALF_WRITTEN)
