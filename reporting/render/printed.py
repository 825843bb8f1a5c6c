"""Tables in print outside our own formats: plain texts, without drawn columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from reporting.document.blocks import Cell, Column, Report, Table
from reporting.render.render_input import all_legible, tables
from reporting.render.tables import head, printed_columns, row_groups, spans, undefined_notes

__all__ = ["PrintedTable", "TitledRows", "head", "printed", "printed_tables"]


class TitledRows(NamedTuple):
    """Rows under a title of their own, which may be empty."""

    title: str
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class PrintedTable:
    """What is printed of a table; ``shared_heads`` are titles over so many neighbouring columns."""

    caption: str
    columns: tuple[Column, ...]
    shared_heads: tuple[tuple[str, int], ...]
    groups: tuple[TitledRows, ...]
    notes: tuple[str, ...]


def printed(table: Table) -> PrintedTable:
    """Return what is printed of a table whose texts are legible."""
    kept = printed_columns(table)
    columns = tuple(table.columns[i] for i in kept)
    groups = (
        TitledRows(group.title, tuple(tuple(row[i] for i in kept) for row in group.rows))
        for group in row_groups(table)
    )
    heads = tuple((span.title, span.width) for span in spans(columns))
    return PrintedTable(table.caption, columns, heads, tuple(groups), (*table.notes, *undefined_notes(table)))


def printed_tables(report: Report) -> Mapping[str, PrintedTable]:
    """Return what is printed of every table of a report, by name."""
    return {table.name: printed(table) for table in tables(all_legible(report))}
