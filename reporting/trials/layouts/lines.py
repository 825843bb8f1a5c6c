"""Lines of text cut into fields, as the formats of the field write them; compressed files are read too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl
from polars.exceptions import PolarsError

from reporting.errors import DataError, listed, quoted
from reporting.trials.files import first_line
from reporting.trials.layouts.numbers import is_number
from reporting.trials.layouts.raw import said_by, told
from reporting.trials.spec import InMemory, Source

Shape = tuple[str, ...]
"""What the fields of a line are called; "" is not kept."""

BLANKS = " \t\r\n\f\v"
FIELD = f"[^{BLANKS}]+"
SHOWN = 3


@dataclass(frozen=True, eq=False)
class Lines:
    """The lines of a file that are not blank: ``at`` (from 1) and ``fields``, a list of texts; lazy."""

    source: Source
    shape: Shape
    rows: pl.LazyFrame

    def columns(self) -> pl.LazyFrame:
        """Return a text column for every field that has a name, and one for all that the path says."""
        said = said_by(self.source)
        twice = [quoted(name) for name in said if name in self.shape]
        if twice:
            raise DataError(f"{told(self.source)}: {listed(twice)} is in the file, and its path says it too")
        return self.rows.select(
            *(_field(self.shape, name).alias(name) for name in self.shape if name),
            *(pl.lit(text).alias(name) for name, text in said.items()),
        )

    def faults(self, score: str | None = None) -> list[str]:
        """Read all lines; tell those of another number of fields, and scores that are not numbers."""
        rules = {f"have not {_told(self.shape)}": pl.col("fields").list.len() != len(self.shape)}
        if score:
            text = _field(self.shape, score)
            rules["hold a score that is not a number"] = text.is_not_null() & ~is_number(text)
        first = [pl.col("at").filter(bad).min().alias(what) for what, bad in rules.items()]
        numbers = [bad.sum().alias(f"n {what}") for what, bad in rules.items()]
        found = _collected(self.source, self.rows.select(pl.len(), *first, *numbers)).row(0, named=True)
        if not found["len"]:
            return [f"{told(self.source)}: it holds no lines"]
        return [
            f"{told(self.source)}: {found[f'n {what}']} of {found['len']} lines {what}; first line"
            f" {found[what]}, {quoted(self._line(found[what]))}"
            for what in rules
            if found[what] is not None
        ]

    def _line(self, at: int) -> str:
        fields = _collected(self.source, self.rows.filter(pl.col("at") == at))["fields"][0]
        return " ".join(fields)


def cut(source: Source, shapes: Sequence[Shape]) -> Lines:
    """Cut lines at blanks; the first one decides which of the shapes the file has."""
    rows = _lines(source, pl.col("line").str.extract_all(FIELD))
    found = {len(shape): shape for shape in reversed(shapes)}
    n = len(first_fields(source, rows))
    if n and n not in found:
        raise DataError(
            f"{told(source)}: its first line has {n} fields; expected are {' or '.join(map(_told, shapes))}"
        )
    return Lines(source, found.get(n, shapes[0]), rows)


def cut_at_tabs(source: Source) -> Lines:
    """Cut lines at tabs; the first one says what the fields are called."""
    rows = _lines(source, pl.col("line").str.strip_suffix("\r").str.split("\t"))
    names = tuple(first_fields(source, rows))
    twice = sorted({quoted(name) for name in names if names.count(name) > 1})
    if twice:
        raise DataError(f"{told(source)}: column {listed(twice)} stands more than once in the header")
    header = _collected(source, rows.select(pl.col("at").min())).item()
    return Lines(source, names, rows.filter(pl.col("at") > (header or 0)))


def first_fields(source: Source, rows: pl.LazyFrame) -> list[str]:
    """Return the fields of the first line; none in an empty file."""
    head = _collected(source, rows.head(1))["fields"]
    return list(head[0]) if len(head) else []


def _lines(source: Source, fields: pl.Expr) -> pl.LazyFrame:
    if isinstance(source, InMemory):
        raise DataError(f"{source.name}: this layout is one of text files, not of tables in memory")
    lines = pl.scan_lines(source.path, name="line", row_index_name="at", row_index_offset=1, glob=False)
    lines = lines.with_columns(pl.col("line").str.strip_prefix("\ufeff"))  # a byte order mark
    return lines.filter(pl.col("line").str.strip_chars(BLANKS) != "").select("at", fields.alias("fields"))


def _field(shape: Shape, name: str) -> pl.Expr:
    return pl.col("fields").list.get(shape.index(name), null_on_oob=True)


def _told(shape: Shape) -> str:
    return f"{len(shape)} fields ({' '.join(name or '...' for name in shape)})"


def _collected(source: Source, query: pl.LazyFrame) -> pl.DataFrame:
    try:
        return query.collect(engine="streaming")
    except (PolarsError, OSError) as error:
        raise DataError(f"{told(source)}: cannot be read: {first_line(error)}") from None
