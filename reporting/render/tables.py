"""What every printed form of a table shares, and tables as CSV.

Its head in one line, why cells are undefined, and in pixels where dot, whisker and zero line of a drawn
interval are. CSV holds the printed texts, quoted, and harmless in a spreadsheet.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from reporting.document.blocks import UNDEFINED, Cell, Column, IntervalMark, Table
from reporting.document.numbers import significant
from reporting.errors import listed


def printed_columns(table: Table) -> list[int]:
    """Return the positions of the columns that print; drawn intervals have their numbers next to them."""
    return [i for i, column in enumerate(table.columns) if column.kind != "drawn"]


def head(column: Column) -> str:
    """Return title and unit in one line."""
    return f"{column.title} ({column.unit})" if column.unit else column.title


def whole_head(column: Column) -> str:
    """Return the head of a column that is alone: behind the head that it shares with its neighbours."""
    return ": ".join(part for part in (column.group, head(column)) if part)


@dataclass(frozen=True)
class Span:
    """A head over neighbouring columns; its title is empty over columns that share none."""

    title: str
    first: int
    width: int


def spans(columns: Sequence[Column]) -> list[Span]:
    """Return the line of shared heads, which covers every column; nothing where no head is shared."""
    if not any(column.group for column in columns):
        return []
    shared: list[Span] = []
    for i, column in enumerate(columns):
        if shared and column.group and column.group == shared[-1].title:
            shared[-1] = Span(column.group, shared[-1].first, shared[-1].width + 1)
        else:
            shared.append(Span(column.group, i, 1))
    return shared


@dataclass(frozen=True)
class RowGroup:
    """Rows under a title of their own; it is empty for rows above the first title."""

    title: str
    first: int
    rows: tuple[tuple[Cell, ...], ...]


def row_groups(table: Table) -> list[RowGroup]:
    """Return the rows of a table in their groups: one without title where there are none."""
    starts = dict(sorted(table.row_groups))
    edges = sorted({0, *starts, len(table.rows)})
    groups = [RowGroup(starts.get(start, ""), start, table.rows[start:end]) for start, end in pairwise(edges)]
    return groups or [RowGroup("", 0, ())]


def undefined_notes(table: Table) -> list[str]:
    """Return one note per reason that a cell of the table is undefined, with the cells concerned."""
    where: dict[str, list[str]] = {}
    for row in table.rows:
        for column, cell in zip(table.columns, row, strict=True):
            if cell.reason and column.kind != "drawn":
                called = ": ".join(filter(None, (column.group, column.title)))
                where.setdefault(cell.reason, []).append(f"{_row_name(table, row)} ({called})")
    return [f"{UNDEFINED} {reason}: {listed(cells, most=8)}" for reason, cells in where.items()]


def _row_name(table: Table, row: tuple[Cell, ...]) -> str:
    """Join the leading text cells, which are the keys of the row."""
    keys = []
    for column, cell in zip(table.columns, row, strict=True):
        if column.kind != "text":
            break
        keys.append(cell.text)
    return ", ".join(keys)


WIDTH = 176
MARGIN = 6


@dataclass(frozen=True)
class PlacedMark:
    """Positions along the row as text; an empty one is not drawn."""

    dot: str
    low: str
    high: str
    low_end: str
    high_end: str
    """The ends carry a cap only where the limit lies inside the axis."""
    zero: str
    arrow: str = ""
    """The corners of an arrow at the end of the axis beyond which the value lies."""
    outer_low: str = ""
    outer_high: str = ""
    """The ends of the thinner line of an interval that holds for all rows together."""


def mark(column: Column, drawn: IntervalMark | None) -> PlacedMark | None:
    """Place an interval on the axis of its column."""
    if drawn is None or column.axis is None:
        return None
    axis = column.axis
    whiskers = drawn.low is not None and drawn.high is not None
    low = drawn.low if drawn.low is not None else drawn.value
    high = drawn.high if drawn.high is not None else drawn.value
    return PlacedMark(
        dot=_inside(drawn.value, axis),
        low=_pixel(_clamped(low, axis), axis) if whiskers else "",
        high=_pixel(_clamped(high, axis), axis) if whiskers else "",
        low_end=_inside(low, axis) if whiskers else "",
        high_end=_inside(high, axis) if whiskers else "",
        zero=_inside(0.0, axis) if column.zero_line else "",
        arrow=_arrow(drawn.value, axis),
        outer_low=_end(drawn.outer_low, axis),
        outer_high=_end(drawn.outer_high, axis),
    )


def axis_ends(column: Column) -> tuple[str, str] | None:
    """Return the printed ends of a drawn column's axis."""
    if column.axis is None:
        return None
    return _short(column.axis[0]), _short(column.axis[1])


def _inside(value: float, axis: tuple[float, float]) -> str:
    return _pixel(value, axis) if axis[0] <= value <= axis[1] else ""


ARROW = 7.0
"""The length of an arrow, and its height, in pixels."""


def _arrow(value: float, axis: tuple[float, float]) -> str:
    if axis[0] <= value <= axis[1]:
        return ""
    tip, back = (MARGIN - 3, ARROW) if value < axis[0] else (WIDTH - MARGIN + 3, -ARROW)
    return f"{tip:g},14 {tip + back:g},{14 - ARROW / 2:g} {tip + back:g},{14 + ARROW / 2:g}"


def _end(value: float | None, axis: tuple[float, float]) -> str:
    return "" if value is None else _pixel(_clamped(value, axis), axis)


def _clamped(value: float, axis: tuple[float, float]) -> float:
    return min(max(value, axis[0]), axis[1])


def _pixel(value: float, axis: tuple[float, float]) -> str:
    low, high = axis
    share = (value - low) / (high - low) if high > low else 0.5
    return f"{MARGIN + share * (WIDTH - 2 * MARGIN):.1f}"


def _short(value: float) -> str:
    text = significant(value, 3)
    return text.rstrip("0").rstrip(".") if "." in text else text


FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def table_csv(table: Table) -> bytes:
    """Return head and rows as UTF-8 CSV; printed numbers carry a true minus and so are no formulas.

    Titles of rows become a first column, second lines of cells a column behind theirs.
    """
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    for line in _lines(table):
        writer.writerow([f"'{cell}" if cell.startswith(FORMULA_STARTS) else cell for cell in line])
    return text.getvalue().encode()


GROUP_HEAD = "group"
"""The head of the column that holds the titles of rows in a data file."""


def beneath_head(table: Table, i: int) -> str:
    """Return the head, in a data file, of the second lines of a column; nothing where it has none."""
    texts = [row[i].beneath for row in table.rows if row[i].beneath]
    if not texts:
        return ""
    intervals = all(_INTERVAL.fullmatch(text) for text in texts)
    called = table.columns[i].beneath or ("CI" if intervals else "second line")
    return f"{whole_head(table.columns[i])}: {called}"


_INTERVAL = re.compile(r"\[.+, .+\]")


def _lines(table: Table) -> Iterator[list[str]]:
    shown = [(i, beneath_head(table, i)) for i in printed_columns(table)]
    grouped = bool(table.row_groups)
    heads = [(whole_head(table.columns[i]), beneath) for i, beneath in shown]
    yield [
        *([GROUP_HEAD] if grouped else []),
        *(each for pair in heads for each in (pair if pair[1] else pair[:1])),
    ]
    for group in row_groups(table):
        for row in group.rows:
            cells = [(row[i].text, row[i].beneath)[: 2 if beneath else 1] for i, beneath in shown]
            yield [*([group.title] if grouped else []), *(text for texts in cells for text in texts)]
