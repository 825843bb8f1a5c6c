"""What every printed form of a table shares: its head in one line, and why cells are undefined."""

from __future__ import annotations

from reporting.errors import listed
from reporting.report.blocks import UNDEFINED, Cell, Column, Table


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
