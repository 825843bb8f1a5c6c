"""Table -> the strings of a LaTeX table: column specification, head lines, rows, notes, type size.

Widths are estimated in characters, because a table that is too wide must be known before TeX sees it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from reporting.render.tabular import head, printed_columns, undefined_notes
from reporting.render.tex import Tex, escape, printed_length
from reporting.report.blocks import Cell, Column, Table

LONGEST_FLOAT = 34
"""More lines than this do not fit a page; the table then breaks across pages."""

ARROWS = {"": "", "lower is better": "↓", "higher is better": "↑"}

SIZES = (("small", 90), ("footnotesize", 100), ("scriptsize", 114))
"""Type sizes with the characters that fill a line of a single-column page."""

GAP = 2.4
"""The space between two columns, in characters."""


@dataclass(frozen=True)
class TexTable:
    """The strings of a table template."""

    name: Tex
    caption: str
    columns: Tex
    size: str
    heads: list[list[Tex]]
    rows: list[list[Tex]]
    notes: list[str]
    breaks: bool


def tex_table(table: Table) -> TexTable:
    """Lay a table out for one text column."""
    shown = printed_columns(table)
    columns = [table.columns[i] for i in shown]
    cells = [[row[i] for i in shown] for row in table.rows]
    heads = [_lines(column) for column in columns]
    layout = _layout(columns, [_widest(h, [row[i] for row in cells]) for i, h in enumerate(heads)])
    return TexTable(
        name=Tex(table.name),
        caption=table.caption,
        columns=layout.columns,
        size=layout.size,
        heads=_head_rows(columns, heads, layout),
        rows=[[_cell(cell, width) for cell, width in zip(row, layout.wrap, strict=True)] for row in cells],
        notes=[*_sense_notes(columns), *table.notes, *undefined_notes(table)],
        breaks=sum(_depth(row, layout.wrap) for row in cells) > LONGEST_FLOAT,
    )


def _lines(column: Column) -> list[str]:
    """Break a head into short lines; its sense is an arrow, explained in a note."""
    lines: list[str] = []
    for word in head(column).split(" "):
        if lines and len(lines[-1]) + len(word) < HEAD_LINE:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    arrow = ARROWS[column.sense]
    return [*lines[:-1], f"{lines[-1]}\u202f{arrow}" if arrow else lines[-1]]


HEAD_LINE = 12


def _widest(lines: Sequence[str], cells: Sequence[Cell]) -> int:
    return max(printed_length(text) for text in (*lines, *(cell.text for cell in cells)))


@dataclass(frozen=True)
class _Layout:
    size: str
    columns: Tex
    wrap: list[int | None]
    """The characters per line of a wrapped column, else None."""


def _layout(columns: Sequence[Column], widths: Sequence[int]) -> _Layout:
    """Take the largest type in which the table fits, wrapping wide text columns rather than shrinking."""
    layouts = [_at_size(size, line, columns, widths) for size, line in SIZES]
    fitting = (layout for layout in layouts if all(w is None or w >= LEAST_WRAP for w in layout.wrap))
    return next(fitting, layouts[-1])


def _at_size(size: str, line: int, columns: Sequence[Column], widths: Sequence[int]) -> _Layout:
    texts = [i for i, column in enumerate(columns) if column.kind == "text"]
    fixed = sum(widths) - sum(widths[i] for i in texts) + GAP * (len(columns) - 1)
    wrap: list[int | None] = [None] * len(columns)
    for i, share in zip(texts, _shared([widths[i] for i in texts], line - fixed), strict=True):
        wrap[i] = max(share, 2) if share < widths[i] else None
    return _Layout(size, Tex("".join(_column(c, w, line) for c, w in zip(columns, wrap, strict=True))), wrap)


LEAST_WRAP = 9
"""A text column of fewer characters is no longer read."""


def _shared(widths: Sequence[int], room: float) -> list[int]:
    """Give narrow columns what they need and share the rest of the room evenly among the wide ones."""
    shares = dict.fromkeys(range(len(widths)), 0)
    left, waiting = room, sorted(shares, key=lambda i: widths[i])
    while waiting:
        fair = math.floor(left / len(waiting))
        i = waiting.pop(0)
        shares[i] = min(widths[i], max(fair, LEAST_WRAP))
        left -= shares[i]
    return list(shares.values())


def _column(column: Column, wrap: int | None, line: int) -> str:
    if wrap is not None:
        return rf">{{\raggedright\arraybackslash}}p{{{wrap / line:.3f}\linewidth}}"
    return "l" if column.kind == "text" else "r"


def _head_rows(columns: Sequence[Column], heads: Sequence[Sequence[str]], layout: _Layout) -> list[list[Tex]]:
    """Return the head line by line, set at the bottom."""
    depth = max(len(lines) for lines in heads)
    padded = [["", *[""] * (depth - len(lines) - 1), *lines][-depth:] for lines in heads]
    return [[escape(lines[i]) for lines in padded] for i in range(depth)]


def _cell(cell: Cell, wrap: int | None) -> Tex:
    text = escape(cell.text) if wrap is None else escape(cell.text, longest=wrap - 1)
    return Tex(rf"\textbf{{{text}}}") if cell.bold else text


def _depth(row: Sequence[Cell], wrap: Sequence[int | None]) -> int:
    """Return how many lines a row fills."""
    return max(
        math.ceil(printed_length(cell.text) / width) if width else 1
        for cell, width in zip(row, wrap, strict=True)
    )


def _sense_notes(columns: Sequence[Column]) -> list[str]:
    senses = dict.fromkeys(column.sense for column in columns if column.sense)
    return ["; ".join(f"{ARROWS[sense]} {sense}" for sense in senses) + "."] if senses else []
