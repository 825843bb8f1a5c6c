"""Table -> the strings of a LaTeX table: column specification, heads, rows, notes, type size.

Columns of numbers become ``S`` columns of siunitx: aligned on the decimal, with exactly the digits printed.
TeX breaks texts into lines; estimated here is whether a table fits a column of a paper, or a page.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from reporting.base.records import dataclass, replace
from reporting.document.blocks import Cell, Table
from reporting.document.numbers import unbroken
from reporting.render.layout import ARROWS, Head, Layout, Span, broken, lay_out
from reporting.render.tex import BOLD, Tex, escape, widest_word, width

LONGEST_FLOAT = 34
"""More lines than this do not fit a page; the table then breaks across pages."""

ROW_GAP = 0.4
"""The space between groups of rows, in lines."""

HEAD_LINE = 6.4
"""A line of a head is filled so far, in em; longer words are broken."""

TWO_LINES = (2, (HEAD_LINE, 7.2, 8.0, 8.8, 9.6, 10.8, 12.0))
THREE_LINES = (3, (HEAD_LINE, 7.2, 8.0, 8.8, 9.6, 10.8))
HEAD_ROOMS = ((TWO_LINES, THREE_LINES), (THREE_LINES,), ())
"""The most lines of a head with the rooms that are tried for them, in em: the first that fits."""

WIDEST_NUMBER = 12.0
"""A column of numbers that is wider, in em, holds sentences."""

SLACK = 1.03
"""Estimated widths are not exact: so much more keeps a line from breaking."""

CHARACTER = 0.55
"""The width of a character of running text, in em."""

BENEATH, MARK = 0.87, 0.7
"""The size of the second line of a cell, and of a mark, against that of a cell."""

LONGEST_PIECE = 6
"""A word of a head that is wider than its line is broken into pieces of at most so many characters."""


@dataclass(frozen=True)
class TexLine:
    """A line of a table: the title of rows, a row, or the second lines of its cells."""

    cells: list[Tex]
    gap: bool = False
    """Whether space follows: its cells have many lines, or it ends a group of rows."""
    kept: bool = False
    """Whether the next line stays on its page."""


@dataclass(frozen=True)
class TexTable:
    """The strings of a table template."""

    name: Tex
    caption: str
    columns: Tex
    size: str
    heads: list[list[Tex]]
    """One line, below that of the heads which columns share and its ``rules``."""
    rules: Tex
    lines: list[TexLine]
    notes: list[str]
    breaks: bool
    narrow: bool
    """True where it fits a column of a paper in two columns."""
    bold: bool
    broken: bool
    """Whether a head has several lines."""


@dataclass(frozen=True)
class Extent:
    """What a column needs, in em: set in one line, and at the least when its text may wrap."""

    natural: float
    least: float


@dataclass(frozen=True)
class _Part:
    """One column before it is known whether it wraps; its texts are set for the layout that is chosen."""

    title: str
    specification: str
    head: Callable[[], Tex]
    cells: Callable[[], list[Tex]]
    extent: Extent


def tex_table(table: Table) -> TexTable:
    """Set a table for a page, or for one column of a paper in two columns where it fits."""
    table = _in_one_line(table)
    layout = lay_out(table)
    texts = [[row[i] for row in layout.rows] for i in range(len(layout.heads))]
    parts = _parts(layout.heads, texts)
    extents = [part.extent for part in parts]
    fit = fitted(extents)
    depths = [_depth(row, fit.wrap) for row in layout.rows]
    gaps = _gaps([row[0].text for row in layout.rows], depths)
    titles = len(table.row_groups)
    if breaks := sum(depths) + titles + ROW_GAP * (sum(gaps) + titles) > LONGEST_FLOAT:
        fit = fitted(extents, breaks=True)
    columns = [
        part if wrap is None else _wrapped(part, cells, wrap)
        for part, cells, wrap in zip(parts, texts, fit.wrap, strict=True)
    ]
    over = [[_span(span, extents) for span in layout.spans]] if layout.spans else []
    heads = [*over, [column.head() for column in columns]]
    ends = [(span.first + 1, span.first + span.width) for span in layout.spans if span.title]
    senses = ["; ".join(layout.senses) + "."] if layout.senses else []
    return TexTable(
        name=Tex(table.name),
        caption=layout.caption,
        columns=Tex("".join(column.specification for column in columns)),
        size=fit.size,
        heads=heads,
        rules=Tex("".join(rf"\cmidrule(lr){{{first}-{last}}}" for first, last in ends)),
        lines=list(_lines(layout, [column.cells() for column in columns], gaps)),
        notes=[*senses, *layout.notes],
        breaks=breaks,
        narrow=fit.narrow,
        bold=any(cell.bold for row in layout.rows for cell in row),
        broken=any(r"\reporthead" in text for line in heads for text in line),
    )


def _in_one_line(table: Table) -> Table:
    """Return the table with its intervals in columns of their own, where a page has the room for them."""
    columns, places = [], []
    for place, column in enumerate(table.columns):
        columns.append(column)
        places.append((place, False))
        beneath = [row[place].beneath for row in table.rows if row[place].beneath]
        if beneath and all(text.startswith("[") for text in beneath):
            title = column.beneath or "CI"
            columns.append(replace(column, title=title, kind="interval", unit="", sense="", beneath=""))
            places.append((place, True))
    if len(columns) == len(table.columns):
        return table
    rows = tuple(
        tuple(
            Cell(row[at].beneath)
            if interval
            else replace(row[at], beneath="" if (at, True) in places else row[at].beneath)
            for at, interval in places
        )
        for row in table.rows
    )
    apart = replace(table, columns=tuple(columns), rows=rows)
    stacked, fit = (_fit(each) for each in (table, apart))
    return table if stacked.narrow or fit.size == WIDE[-1][0] or any(fit.wrap) else apart


def _fit(table: Table) -> TableFit:
    layout = lay_out(table)
    texts = [[row[i] for row in layout.rows] for i in range(len(layout.heads))]
    return fitted([part.extent for part in _parts(layout.heads, texts)])


def _lines(layout: Layout, columns: Sequence[Sequence[Tex]], gaps: Sequence[bool]) -> Iterator[TexLine]:
    """Yield every line of the table; a title spans it, a second line follows its row."""
    rows = zip(zip(*columns, strict=True), gaps, strict=True)
    for group in layout.groups:
        if group.title:
            title = rf"\multicolumn{{{len(layout.heads)}}}{{@{{}}l}}{{\textit{{{escape(group.title)}}}}}"
            yield TexLine([Tex(title)], kept=True)
        for at, (cells, (texts, gap)) in enumerate(zip(group.rows, rows, strict=False), start=1):
            gap = gap or (at == len(group.rows) and group is not layout.groups[-1])
            # Braces keep a second line from being read as a number.
            beneath = [Tex(rf"{{\scriptsize {escape(c.beneath)}}}" if c.beneath else "") for c in cells]
            yield TexLine(list(texts), gap and not any(beneath), kept=any(beneath))
            if any(beneath):
                yield TexLine(beneath, gap)


def _parts(heads: Sequence[Head], texts: Sequence[Sequence[Cell]]) -> list[_Part]:
    """Set every column; long heads are wider where the table fits as well as with narrow ones."""
    *wider, narrow = (
        [_part(head, cells, rooms) for head, cells in zip(heads, texts, strict=True)] for rooms in HEAD_ROOMS
    )
    fit = fitted([part.extent for part in narrow])
    return next((parts for parts in wider if fitted([part.extent for part in parts]) == fit), narrow)


def _part(head: Head, cells: Sequence[Cell], wider: Sequence[tuple[int, Sequence[float]]]) -> _Part:
    arrow = ARROWS[head.column.sense]
    title = f"{head.text}\u202f{arrow}" if arrow else head.text
    tried = ((most, room) for most, rooms in wider for room in rooms)
    last = wider[-1][1][-1] if wider else HEAD_LINE
    room = next((room for most, room in tried if len(_head_lines(title, room)) <= most), last)
    headed = min(room, max(map(width, _head_lines(title, room))))
    texts = (width(cell.text) * (BOLD if cell.bold else 1.0) + MARK * width(cell.mark) for cell in cells)
    natural = max(headed, *texts, 0.0)
    beneath = max((BENEATH * width(cell.beneath) for cell in cells), default=0.0)
    wide = max(natural, beneath)
    if head.column.kind == "text" or natural > max(headed, WIDEST_NUMBER):
        word = max(map(widest_word, (*_words(title, room), *(cell.text for cell in cells))))
        extent = Extent(wide, min(wide, max(LEAST_WRAP, SLACK * min(word, LONGEST_WORD))))
        return _Part(
            title, "l", partial(_head, title, "raggedright", room), partial(_set_cells, cells), extent
        )
    numbers = number_column(cells) if head.column.kind == "number" else None
    if numbers is None:
        right = partial(_head, title, "raggedleft", room)
        return _Part(title, "r", right, partial(_set_cells, cells), Extent(wide, wide))
    wide = max(headed, numbers.width, beneath)
    return _Part(
        title,
        numbers.specification,
        # Braces keep a head from being read as a number.
        lambda: Tex(f"{{{_head(title, 'centering', room)}}}"),
        numbers.cells,
        Extent(wide, wide),
    )


def _wrapped(part: _Part, cells: Sequence[Cell], wide: float) -> _Part:
    """Set a column of texts that wrap; a word of theirs that is longer than the column may break."""
    return replace(
        part,
        specification=rf">{{\raggedright\arraybackslash}}p{{{wide:.1f}em}}",
        head=partial(_head, part.title, "raggedright", wide / SLACK),
        cells=partial(_set_cells, cells, max(1, math.floor(wide / CHARACTER))),
    )


def _span(span: Span, extents: Sequence[Extent]) -> Tex:
    """Set a shared head within the room of its columns."""
    under = extents[span.first : span.first + span.width]
    room = max(HEAD_LINE, sum(each.natural for each in under) + GAP * (span.width - 1))
    text = _head(span.title, "centering", room)
    return Tex(rf"\multicolumn{{{span.width}}}{{c}}{{{text}}}" if text else "")


def _head(title: str, side: str, room: float) -> Tex:
    """Set a head, in several lines where it is wider than its room."""
    lines = _head_lines(title, room)
    # Lines are broken here, so that a column is as wide as estimated; TeX breaks words that are too long.
    text = r"\\".join(escape(line, 1000 if width(line) <= room else LONGEST_PIECE) for line in lines)
    if width(title) > room:
        text = rf"\reporthead{{{SLACK * room:.1f}em}}{{\{side}}}{{{text}}}"
    return Tex(text)


def _head_lines(title: str, room: float) -> list[str]:
    return broken(_words(title, room), room, width)


def _words(title: str, room: float) -> list[str]:
    """Return the words of a head; what is in parentheses, such as a unit, is one where it fits a line."""

    def whole(match: re.Match[str]) -> str:
        return match[0].replace(" ", "\u00a0") if width(match[0]) <= room else match[0]

    return re.sub(r"\([^()]*\)", whole, unbroken(title)).split(" ")


def _set_cells(cells: Sequence[Cell], longest: int = 1000) -> list[Tex]:
    return [_cell(cell, longest) for cell in cells]


def _cell(cell: Cell, longest: int) -> Tex:
    number = read_number(cell.text)
    exact = number is not None and number.exponent
    text = rf"\num{{{cell.text.replace('−', '-')}}}" if exact else escape(cell.text, longest)
    text = f"{text}{raised(cell.mark)}"
    return Tex(rf"\textbf{{{text}}}" if cell.bold else text)


def _depth(row: Sequence[Cell], wrap: Sequence[float | None]) -> int:
    """Return how many lines a row fills."""
    lines = (
        (max(1, math.ceil(width(cell.text) / wide)) if wide else 1) + bool(cell.beneath)
        for cell, wide in zip(row, wrap, strict=True)
    )
    return max(lines)


def _gaps(keys: Sequence[str], depths: Sequence[int]) -> list[bool]:
    airy = any(depth > 1 for depth in depths)
    ends = [airy or this != following for this, following in itertools.pairwise(keys)]
    grouped = airy or not all(ends)
    return [grouped and end for end in ends] + [False] * bool(keys)


GROUPED = 5
"""From so many digits on siunitx would set thin spaces between decimals too."""


class PrintedNumber(NamedTuple):
    """One number in its parts, as printed: ``< -1234.50 (3/4)``."""

    comparator: str
    sign: str
    integer: str
    decimals: str
    exponent: str
    counts: str

    @property
    def plain(self) -> str:
        """The number as siunitx reads it."""
        point = "." if self.decimals else ""
        return f"{self.comparator}{self.sign.replace('−', '-')}{_digits(self.integer)}{point}{self.decimals}"


@dataclass(frozen=True)
class NumberColumn:
    """An ``S`` column: its specification, its cells, and its width in em."""

    specification: Tex
    cells: Callable[[], list[Tex]]
    width: float


def number_column(cells: Sequence[Cell]) -> NumberColumn | None:
    """Set a column on its decimal point; None where siunitx would print other texts than the cells'."""
    read = [read_number(cell.text) for cell in cells]
    aligned = [number for number in read if number is not None and not number.exponent]
    bare = {number.integer == "" for number in aligned if number.integer in ("", "0")}
    if not aligned or len(bare) > 1:
        return None
    widest = PrintedNumber(*(max(parts, key=_length) for parts in zip(*aligned, strict=True)))
    mark, bold = max((cell.mark for cell in cells), key=len), any(cell.bold for cell in cells)
    reserved = _after(mark, widest.counts, widest.counts)
    signs = ("<" if widest.comparator else "") + ("-" if widest.sign else "")
    options = [
        f"table-format={signs}{_length(widest.integer)}.{len(widest.decimals)}",
        *(["print-zero-integer=false"] if True in bare else []),
        *(["group-digits=integer"] if len(widest.decimals) >= GROUPED else []),
        *([f"table-space-text-post={reserved}"] if reserved else []),
        *(["detect-weight"] if bold else []),
    ]
    digits = f"{widest.comparator}{widest.sign}{widest.integer}.{widest.decimals}"
    wide = width(digits) * (BOLD if bold else 1.0) + (width(f" {widest.counts}") if widest.counts else 0.0)
    return NumberColumn(
        Tex(f"S[{','.join(options)}]"),
        lambda: [_number_cell(*each, widest.counts) for each in zip(cells, read, strict=True)],
        max(wide, *(width(cell.text) for cell in cells)) + MARK * width(mark),
    )


def read_number(text: str) -> PrintedNumber | None:
    """Take a printed number apart; None where the text is no number."""
    match = _NUMBER.fullmatch(text)
    return PrintedNumber(**match.groupdict("")) if match else None


_NUMBER = re.compile(
    r"(?:(?P<comparator>[<>]) )?(?P<sign>−)?(?P<integer>[0-9]{1,3}(?:[\u202f,][0-9]{3})+|[0-9]*)"
    r"(?:\.(?P<decimals>[0-9]+))?(?<=[0-9])(?:e(?P<exponent>[+−]?[0-9]+))?"
    r"(?: (?P<counts>\([0-9\u202f,]+/[0-9\u202f,]+\)))?"
)


def _digits(integer: str) -> str:
    return integer.replace("\u202f", "").replace(",", "")


def _length(part: str) -> int:
    """Return the length of a part of a number without what separates thousands."""
    return len(_digits(part))


def _number_cell(cell: Cell, number: PrintedNumber | None, widest: str) -> Tex:
    if number is not None and not number.exponent:
        after = _after(cell.mark, number.counts, widest)
        weight = r"\bfseries " if cell.bold else ""
        return Tex(f"{weight}{number.plain}{after}")
    # Braces keep what has no decimal point to align on from siunitx.
    text: str = escape(cell.text)
    if number is not None:
        counts = f" {escape(number.counts)}" if number.counts else ""
        text = rf"\num{{{number.plain}e{number.exponent.replace('−', '-')}}}{counts}"
    strong = rf"\textbf{{{text}}}" if cell.bold else text
    return Tex(f"{{{strong}{raised(cell.mark)}}}" if text else "")


def raised(mark: str) -> str:
    """Set a mark behind a value as an exponent."""
    return rf"\textsuperscript{{{escape(mark)}}}" if mark else ""


def _after(mark: str, counts: str, widest: str) -> str:
    """Set what follows a number: its mark, and its counts flush right."""
    if not mark and not counts:
        return ""
    digits = sum(c.isdigit() for c in widest) - sum(c.isdigit() for c in counts)
    spaces = sum(c in ",\u202f" for c in widest) - sum(c in ",\u202f" for c in counts)
    missing = "0" * digits + r"\," * spaces
    room = rf"\phantom{{{missing}}}" if counts and missing else ""
    # Counts are no claim: they stay light next to a bold rate.
    behind = rf"\mdseries\ {room}{escape(counts)}" if counts else ""
    return f"{{{raised(mark)}{behind}}}"


GAP = 1.0
"""The space between two columns, in em: twice the ``\\tabcolsep`` of the templates."""

NARROW = (("small", 23.6), ("footnotesize", 25.8))
"""Type sizes with what a column of 219 pt holds, in em; no common paper in two columns has narrower ones."""

WIDE = (("small", 46.8), ("footnotesize", 50.6), ("scriptsize", 55.0))
"""Type sizes with what a page of 472 pt holds, in em."""

LEAST_WRAP = 4.5
"""A text column of fewer em is no longer read."""

LONGEST_WORD = 9.0
"""Longer words may be broken."""


@dataclass(frozen=True)
class TableFit:
    """The type size of a table, and the width of every column that wraps, else None, in em."""

    size: str
    narrow: bool
    """True where the table fits a column of a paper in two columns."""
    wrap: list[float | None]


def fitted(extents: Sequence[Extent], breaks: bool = False) -> TableFit:
    """Take the largest type in which the table fits; texts wrap rather than shrink to the smallest type."""
    gaps = GAP * (len(extents) - 1)
    needed = sum(extent.natural for extent in extents) + gaps
    whole = [(*each, True) for each in NARROW if not breaks] + [(*each, False) for each in WIDE[:2]]
    for size, room, narrow in whole:
        if needed <= room:
            return TableFit(size, narrow, [None] * len(extents))
    tried = [(size, _shared(extents, room - gaps), room - gaps) for size, room in WIDE]
    size, shares, _ = next((each for each in tried if sum(each[1]) <= each[2]), tried[-1])
    wrap = [share if share < each.natural else None for share, each in zip(shares, extents, strict=True)]
    return TableFit(size, False, wrap)


def _shared(extents: Sequence[Extent], room: float) -> list[float]:
    """Give narrow columns what they need and share the rest of the room evenly among the wide ones."""
    shares = [each.natural for each in extents]
    left = room - sum(each.natural for each in extents if each.least == each.natural)
    waiting = sorted(
        (i for i, each in enumerate(extents) if each.least < each.natural), key=lambda i: extents[i].natural
    )
    while waiting:
        fair = math.floor(10 * left / len(waiting)) / 10
        i = waiting.pop(0)
        shares[i] = min(extents[i].natural, max(fair, extents[i].least))
        left -= shares[i]
    return shares
