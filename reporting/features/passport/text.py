"""The passport on the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from reporting.document.blocks import Cell, Prose, Table
from reporting.document.frames.results import Results
from reporting.document.lines import table as lines_of
from reporting.document.lines import wrapped
from reporting.document.words.view import DatasetView, views
from reporting.features.passport.section import blocks, broken_promises

WIDTH = 100


def passport_text(results: Results) -> str:
    """Return the section of every dataset, with its cautions."""
    return "\n".join(line for view in views(results) if view.whole for line in _of_view(view)).strip("\n")


def _of_view(view: DatasetView) -> Iterator[str]:
    if view.label:
        yield from (view.label, "")
    for block in blocks(view):
        if isinstance(block, Prose):
            yield from (*wrapped(block.text, WIDTH), "")
        elif isinstance(block, Table):
            yield from (*_table(block), "")
    for caution in broken_promises(view):
        yield from (*wrapped(f"{caution.title} {caution.text}", WIDTH), "")


def _table(block: Table) -> Iterator[str]:
    """Yield a table in columns, the first to the left, the others to the right; second lines follow."""
    head = [f"{column.title} ({column.unit})" if column.unit else column.title for column in block.columns]
    cells = [[_cell(cell) for cell in row] for row in block.rows]
    yield from wrapped(block.caption, WIDTH)
    yield from lines_of([head, *cells], [WIDTH] * len(head), range(1, len(head)))
    for note in block.notes:
        yield from wrapped(note, WIDTH)


def _cell(cell: Cell) -> str:
    beneath = f"({cell.beneath})" if cell.beneath and not cell.beneath.startswith("[") else cell.beneath
    return f"{cell.text} {beneath}".rstrip()
