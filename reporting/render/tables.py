"""What every printed form of a table shares, and tables as CSV.

Its head in one line, why cells are undefined, and in pixels where dot, whisker and zero line of a drawn
interval stand. CSV holds the printed texts, quoted, and harmless in a spreadsheet.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from reporting.errors import listed
from reporting.report.blocks import UNDEFINED, Cell, Column, Drawn, Table
from reporting.report.numbers import significant


def printed_columns(table: Table) -> list[int]:
    """Return the positions of the columns that print; drawn intervals have their numbers beside them."""
    return [i for i, column in enumerate(table.columns) if column.kind != "drawn"]


def head(column: Column) -> str:
    """Return title and unit in one line."""
    return f"{column.title} ({column.unit})" if column.unit else column.title


def undefined_notes(table: Table) -> list[str]:
    """Return one note per reason that a cell of the table is undefined, with the cells concerned."""
    where: dict[str, list[str]] = {}
    for row in table.rows:
        for column, cell in zip(table.columns, row, strict=True):
            if cell.reason and column.kind != "drawn":
                where.setdefault(cell.reason, []).append(f"{_row_name(table, row)} ({column.title})")
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
class IntervalMark:
    """Positions along the row as text; an empty one is not drawn."""

    dot: str
    low: str
    high: str
    low_end: str
    high_end: str
    """The ends carry a cap only where the limit lies inside the axis."""
    zero: str


def mark(column: Column, drawn: Drawn | None) -> IntervalMark | None:
    """Place an interval on the axis of its column."""
    if drawn is None or column.axis is None:
        return None
    axis = column.axis
    whiskers = drawn.low is not None and drawn.high is not None
    low = drawn.low if drawn.low is not None else drawn.value
    high = drawn.high if drawn.high is not None else drawn.value
    return IntervalMark(
        dot=_inside(drawn.value, axis),
        low=_pixel(_clamped(low, axis), axis) if whiskers else "",
        high=_pixel(_clamped(high, axis), axis) if whiskers else "",
        low_end=_inside(low, axis) if whiskers else "",
        high_end=_inside(high, axis) if whiskers else "",
        zero=_inside(0.0, axis) if column.zero_line else "",
    )


def axis_ends(column: Column) -> tuple[str, str] | None:
    """Return the printed ends of a drawn column's axis."""
    if column.axis is None:
        return None
    return _short(column.axis[0]), _short(column.axis[1])


def _inside(value: float, axis: tuple[float, float]) -> str:
    return _pixel(value, axis) if axis[0] <= value <= axis[1] else ""


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
    """Return head and rows as UTF-8 CSV; printed numbers carry a true minus and so are no formulas."""
    shown = printed_columns(table)
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow([_harmless(head(table.columns[i])) for i in shown])
    writer.writerows([_harmless(row[i].text) for i in shown] for row in table.rows)
    return text.getvalue().encode()


def _harmless(text: str) -> str:
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text
