"""Tables as CSV: the printed texts, quoted, and harmless in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from reporting.document.blocks import Table
from reporting.render.layout import behind, lay_out, with_unit

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
GROUP_HEAD = "group"
"""The head of the column that holds the titles of rows."""


def table_csv(table: Table) -> bytes:
    """Return head and rows as UTF-8 CSV; printed numbers carry a true minus and so are no formulas.

    Titles of rows become a first column, second lines of cells a column behind theirs.
    """
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    for line in _lines(table):
        writer.writerow([f"'{cell}" if cell.startswith(FORMULA_STARTS) else cell for cell in line])
    return text.getvalue().encode()


def _lines(table: Table) -> Iterator[list[str]]:
    layout, grouped = lay_out(table), bool(table.row_groups)
    lines = [1 + bool(head.beneath) for head in layout.heads]
    # Heads are those of the columns, whatever a drawing adds to them.
    heads = [(behind(head.column.group, with_unit(head.column)), head.beneath) for head in layout.heads]
    yield [GROUP_HEAD] * grouped + [text for head, n in zip(heads, lines, strict=True) for text in head[:n]]
    for group in layout.groups:
        for row in group.rows:
            cells = [(cell.text, cell.beneath)[:n] for cell, n in zip(row, lines, strict=True)]
            yield [group.title] * grouped + [text for cell in cells for text in cell]
