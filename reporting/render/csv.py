"""Tables as CSV: the printed texts, quoted, and harmless in a spreadsheet."""

from __future__ import annotations

import csv
import io

from reporting.render.tabular import head, printed_columns
from reporting.report.blocks import Table

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
