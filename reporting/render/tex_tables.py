"""Table -> the strings of a LaTeX table: column specification, head lines, rows, notes, type size."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from reporting.render.tabular import head, printed_columns, undefined_notes
from reporting.render.tex import Tex, escape
from reporting.render.tex_layout import LEAST_WRAP, LONGEST_WORD, Extent, lay_out
from reporting.render.tex_numbers import number_column, raised, read_number
from reporting.render.tex_width import BOLD, widest_word, width
from reporting.report.blocks import Cell, Column, Table

LONGEST_FLOAT = 34
"""More lines than this do not fit a page; the table then breaks across pages."""

ROW_GAP = 0.4
"""The space between groups of rows, in lines."""

ARROWS = {"": "", "lower is better": "↓", "higher is better": "↑", "0 is best": "→0", "1 is best": "→1"}

HEAD_LINE = 6.4
"""A line of a head is filled so far, in em; longer words are broken."""

WIDEST_NUMBER = 12.0
"""A column of numbers that is wider, in em, holds sentences."""

SLACK = 1.03
"""Estimated widths are not exact: so much more keeps a line from breaking."""

CHARACTER = 0.55
"""The width of a character of running text, in em."""


@dataclass(frozen=True)
class TexTable:
    """The strings of a table template."""

    name: Tex
    caption: str
    columns: Tex
    size: str
    heads: list[list[Tex]]
    rows: list[list[Tex]]
    gaps: list[bool]
    """Whether space follows a row: its cells have many lines, or it ends a group of equal first cells."""
    notes: list[str]
    breaks: bool
    narrow: bool
    """True where it fits a column of a paper in two columns."""
    bold: bool


@dataclass(frozen=True)
class _Part:
    """One column before it is known whether it wraps."""

    specification: str
    heads: list[str]
    cells: list[Tex]
    extent: Extent
    numbers: bool = False


def tex_table(table: Table) -> TexTable:
    """Lay a table out for a page, or for one column of a paper in two columns where it fits."""
    shown = printed_columns(table)
    texts = [[row[i] for row in table.rows] for i in shown]
    parts = [_part(table.columns[i], cells) for i, cells in zip(shown, texts, strict=True)]
    extents = [part.extent for part in parts]
    layout = lay_out(extents)
    depths = _depths(texts, layout.wrap)
    gaps = _gaps([cell.text for cell in texts[0]], depths)
    if breaks := sum(depths) + ROW_GAP * sum(gaps) > LONGEST_FLOAT:
        layout = lay_out(extents, breaks=True)
    columns = [
        (part.specification, part.cells) if wrap is None else _wrapped(cells, wrap)
        for part, cells, wrap in zip(parts, texts, layout.wrap, strict=True)
    ]
    return TexTable(
        name=Tex(table.name),
        caption=table.caption,
        columns=Tex("".join(specification for specification, _ in columns)),
        size=layout.size,
        heads=_head_rows(parts),
        rows=[list(row) for row in zip(*(cells for _, cells in columns), strict=True)],
        gaps=gaps,
        notes=[*_sense_notes([table.columns[i] for i in shown]), *table.notes, *undefined_notes(table)],
        breaks=breaks,
        narrow=layout.narrow,
        bold=any(cell.bold for row in table.rows for cell in row),
    )


def _part(column: Column, cells: Sequence[Cell]) -> _Part:
    heads = _lines(column)
    headed = max(width(line) for line in heads)
    natural = max(headed, *(_natural(cell) for cell in cells), 0.0)
    if column.kind == "text" or natural > max(headed, WIDEST_NUMBER):
        return _text(heads, cells, natural)
    numbers = number_column(cells) if column.kind == "number" else None
    if numbers is not None:
        wide = max(headed, numbers.width)
        return _Part(numbers.specification, heads, numbers.cells, Extent(wide, wide), numbers=True)
    return _Part("r", heads, [_cell(cell) for cell in cells], Extent(natural, natural))


def _text(heads: list[str], cells: Sequence[Cell], natural: float) -> _Part:
    """Set texts flush left; cells of several lines, as the results of pairs, are centred."""
    word = max((widest_word(text) for text in (*heads, *(cell.text for cell in cells))), default=0.0)
    extent = Extent(natural, min(natural, max(LEAST_WRAP, SLACK * min(word, LONGEST_WORD))))
    if any("\n" in cell.text for cell in cells):
        natural = SLACK * natural
        centred = rf">{{\centering\arraybackslash}}p{{{natural:.1f}em}}"
        return _Part(centred, heads, [_cell(cell) for cell in cells], Extent(natural, extent.least))
    return _Part("l", heads, [_cell(cell) for cell in cells], extent)


def _wrapped(cells: Sequence[Cell], wrap: float) -> tuple[str, list[Tex]]:
    longest = max(1, math.floor(wrap / CHARACTER))
    return rf">{{\raggedright\arraybackslash}}p{{{wrap:.1f}em}}", [_cell(cell, longest) for cell in cells]


def _natural(cell: Cell) -> float:
    wide = max(width(line) for line in cell.text.split("\n"))
    return wide * (BOLD if cell.bold else 1.0) + 0.7 * width(cell.mark)


def _cell(cell: Cell, longest: int = 1000) -> Tex:
    number = read_number(cell.text)
    if number is not None and number.exponent:
        text = rf"\num{{{cell.text.replace('−', '-')}}}"
    else:
        text = r"\newline ".join(escape(line, longest) for line in cell.text.split("\n"))
    text += raised(cell.mark)
    return Tex(rf"\textbf{{{text}}}") if cell.bold else Tex(text)


def _lines(column: Column) -> list[str]:
    """Break a head into short lines; its sense is an arrow, explained in a note."""
    lines: list[str] = []
    for word, glue in _words(head(column)):
        if lines and width(lines[-1] + glue + word) <= HEAD_LINE:
            lines[-1] += glue + word
        else:
            lines.append(word)
    arrow = ARROWS[column.sense]
    return [*lines[:-1], f"{lines[-1]}\u202f{arrow}" if arrow else lines[-1]]


def _words(text: str) -> list[tuple[str, str]]:
    """Return the words of a head, each with what joins it to the one before; long words come in pieces."""
    found: list[tuple[str, str]] = []
    for word in re.split(r"\s+", text):
        found += [(piece, "" if i else " ") for i, piece in enumerate(_pieces(word, BREAKS))]
    return found or [("", "")]


BREAKS = ("=/", "_-", "")
"""Behind these characters a long word is broken, the first before the next; at last anywhere."""


def _pieces(word: str, breaks: Sequence[str]) -> list[str]:
    if width(word) <= HEAD_LINE or len(word) < 2:
        return [word]
    if breaks[0]:
        parts = re.findall(rf"[^{breaks[0]}]*[{breaks[0]}]|[^{breaks[0]}]+", word)
        return [piece for part in parts for piece in _pieces(part, breaks[1:])]
    cut = next(i for i in range(len(word) - 1, 0, -1) if i == 1 or width(word[:i]) <= HEAD_LINE)
    return [word[:cut], *_pieces(word[cut:], breaks)]


def _head_rows(parts: Sequence[_Part]) -> list[list[Tex]]:
    """Return the head line by line, set at the bottom; braces keep it from being read as a number."""
    depth = max(len(part.heads) for part in parts)
    padded = [["" for _ in range(depth - len(part.heads))] + part.heads for part in parts]
    return [[_head(lines[i], part) for lines, part in zip(padded, parts, strict=True)] for i in range(depth)]


def _head(line: str, part: _Part) -> Tex:
    text = escape(line, longest=1000)
    if not line:
        return Tex("")
    if part.numbers:
        return Tex(f"{{{text}}}")
    return Tex(rf"\multicolumn{{1}}{{c}}{{{text}}}") if r"\centering" in part.specification else text


def _depths(columns: Sequence[Sequence[Cell]], wrap: Sequence[float | None]) -> list[int]:
    """Return how many lines every row fills."""
    return [
        max(_depth(cell, wide) for cell, wide in zip(row, wrap, strict=True))
        for row in zip(*columns, strict=True)
    ]


def _depth(cell: Cell, wrap: float | None) -> int:
    lines = cell.text.split("\n")
    return sum(max(1, math.ceil(width(line) / wrap)) for line in lines) if wrap else len(lines)


def _gaps(keys: Sequence[str], depths: Sequence[int]) -> list[bool]:
    airy = any(depth > 1 for depth in depths)
    ends = [airy or this != following for this, following in itertools.pairwise(keys)]
    grouped = airy or not all(ends)
    return [grouped and end for end in ends] + [False] * bool(keys)


def _sense_notes(columns: Sequence[Column]) -> list[str]:
    senses = dict.fromkeys(column.sense for column in columns if column.sense)
    return ["; ".join(f"{ARROWS[sense]} {sense}" for sense in senses) + "."] if senses else []
