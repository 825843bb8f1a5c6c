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

ARROWS = {"": "", "lower is better": "↓", "higher is better": "↑", "0 is best": "→0", "1 is best": "→1"}

SIZES = (("small", 88), ("footnotesize", 98), ("scriptsize", 111))
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
    widths = [_width(c, heads[i], [row[i] for row in cells]) for i, c in enumerate(columns)]
    layout = _layout(columns, widths)
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


@dataclass(frozen=True)
class _Width:
    """Characters of a column: set in one line, and at the least when its text may wrap."""

    natural: int
    least: int


def _width(column: Column, lines: Sequence[str], cells: Sequence[Cell]) -> _Width:
    texts = [*lines, *(cell.text for cell in cells)]
    natural = max(printed_length(text) for text in texts)
    if column.kind != "text":
        return _Width(natural, natural)
    word = max((printed_length(word) for text in texts for word in text.split()), default=0)
    return _Width(natural, min(natural, max(LEAST_WRAP, min(word + 1, LONGEST_WORD))))


LEAST_WRAP = 9
"""A text column of fewer characters is no longer read."""

LONGEST_WORD = 20
"""Longer words may be broken."""


@dataclass(frozen=True)
class _Layout:
    size: str
    columns: Tex
    wrap: list[int | None]
    """The characters per line of a wrapped column, else None."""
    fits: bool


def _layout(columns: Sequence[Column], widths: Sequence[_Width]) -> _Layout:
    """Take the largest type in which the table fits, wrapping wide text columns rather than shrinking."""
    layouts = [_at_size(size, line, columns, widths) for size, line in SIZES]
    return next((layout for layout in layouts if layout.fits), layouts[-1])


def _at_size(size: str, line: int, columns: Sequence[Column], widths: Sequence[_Width]) -> _Layout:
    room = line - GAP * (len(columns) - 1)
    shares = _shared(widths, room)
    wrap = [s if s < w.natural else None for s, w in zip(shares, widths, strict=True)]
    specification = "".join(_column(c, w, line) for c, w in zip(columns, wrap, strict=True))
    return _Layout(size, Tex(specification), wrap, fits=sum(shares) <= room)


def _shared(widths: Sequence[_Width], room: float) -> list[int]:
    """Give narrow columns what they need and share the rest of the room evenly among the wide ones."""
    fixed = sum(w.natural for w in widths if w.least == w.natural)
    shares = [w.natural for w in widths]
    waiting = sorted(
        (i for i, w in enumerate(widths) if w.least < w.natural), key=lambda i: widths[i].natural
    )
    left = room - fixed
    while waiting:
        fair = math.floor(left / len(waiting))
        i = waiting.pop(0)
        shares[i] = min(widths[i].natural, max(fair, widths[i].least))
        left -= shares[i]
    return shares


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
    text = escape(cell.text) if wrap is None else escape(cell.text, longest=wrap)
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
