"""Table -> the strings of a LaTeX table: column specification, head lines, rows, notes, type size.

Columns of numbers become ``S`` columns of siunitx: aligned on the decimal, with exactly the digits printed.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reporting.document.blocks import Cell, Column, Table
from reporting.render.tables import (
    RowGroup,
    Span,
    head,
    printed_columns,
    row_groups,
    spans,
    undefined_notes,
)
from reporting.render.tex import BOLD, Tex, escape, widest_word, width

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

BENEATH = 0.87
"""The size of the second line of a cell against that of its first."""


@dataclass(frozen=True)
class TexTable:
    """The strings of a table template."""

    name: Tex
    caption: str
    columns: Tex
    size: str
    heads: list[list[Tex]]
    """The lines of the head; those of shared heads come first, above ``rules``."""
    shared: int
    """How many lines the shared heads take."""
    rules: Tex
    rows: list[list[Tex]]
    """The lines of the table: titles of rows, rows, and second lines of cells."""
    gaps: list[bool]
    """Whether space follows a line: its cells have many lines, or it ends a group of rows."""
    kept: list[bool]
    """Whether the next line stays on the page of this one."""
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
    filled = sum(depths) + len(table.row_groups) + ROW_GAP * (sum(gaps) + len(table.row_groups))
    if breaks := filled > LONGEST_FLOAT:
        layout = lay_out(extents, breaks=True)
    columns = [
        (part.specification, part.cells) if wrap is None else _wrapped(cells, wrap)
        for part, cells, wrap in zip(parts, texts, layout.wrap, strict=True)
    ]
    shared, rules = _shared_heads(spans([table.columns[i] for i in shown]), extents)
    rows = [list(row) for row in zip(*(cells for _, cells in columns), strict=True)]
    lines = list(_body(row_groups(table), shown, rows, gaps))
    return TexTable(
        name=Tex(table.name),
        caption=table.caption,
        columns=Tex("".join(specification for specification, _ in columns)),
        size=layout.size,
        heads=[*shared, *_head_rows(parts)],
        shared=len(shared),
        rules=rules,
        rows=[line.cells for line in lines],
        gaps=[line.gap for line in lines],
        kept=[line.kept for line in lines],
        notes=[*_sense_notes([table.columns[i] for i in shown]), *table.notes, *undefined_notes(table)],
        breaks=breaks,
        narrow=layout.narrow,
        bold=any(cell.bold for row in table.rows for cell in row),
    )


@dataclass(frozen=True)
class _BodyLine:
    cells: list[Tex]
    gap: bool = False
    kept: bool = False


def _body(
    groups: Sequence[RowGroup], shown: Sequence[int], rows: Sequence[list[Tex]], gaps: Sequence[bool]
) -> Iterator[_BodyLine]:
    """Yield every line of the table; a title spans it, a second line follows its row."""
    for group in groups:
        if group.title:
            title = rf"\multicolumn{{{len(shown)}}}{{@{{}}l}}{{\textit{{{escape(group.title)}}}}}"
            yield _BodyLine([Tex(title)], kept=True)
        for at, row in enumerate(group.rows, start=group.first):
            # Braces keep a second line from being read as a number.
            beneath = [
                Tex(rf"{{\scriptsize {escape(row[i].beneath)}}}" if row[i].beneath else "") for i in shown
            ]
            ends = group is not groups[-1] and at == group.first + len(group.rows) - 1
            gap = gaps[at] or ends
            yield _BodyLine(rows[at], gap and not any(beneath), kept=any(beneath))
            if any(beneath):
                yield _BodyLine(beneath, gap)


def _shared_heads(over: Sequence[Span], extents: Sequence[Extent]) -> tuple[list[list[Tex]], Tex]:
    """Return the lines of the heads that neighbours share, and the rules below them."""
    if not over:
        return [], Tex("")
    broken = [_within(span.title, _room(span, extents)) for span in over]
    depth = max(map(len, broken))
    padded = [[""] * (depth - len(lines)) + lines for lines in broken]
    lines = [
        [_spanning(lines[i], span) for lines, span in zip(padded, over, strict=True)] for i in range(depth)
    ]
    ends = [(span.first + 1, span.first + span.width) for span in over if span.title]
    return lines, Tex("".join(rf"\cmidrule(lr){{{first}-{last}}}" for first, last in ends))


def _room(span: Span, extents: Sequence[Extent]) -> float:
    under = extents[span.first : span.first + span.width]
    return max(HEAD_LINE, sum(each.natural for each in under) + GAP * (span.width - 1))


def _within(title: str, room: float) -> list[str]:
    """Break a shared head into lines that its columns hold."""
    lines: list[str] = []
    for word in title.split():
        if lines and width(f"{lines[-1]} {word}") <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines or [""]


def _spanning(line: str, span: Span) -> Tex:
    if not line:
        return Tex(" & ".join([""] * span.width))
    return Tex(rf"\multicolumn{{{span.width}}}{{c}}{{{escape(line, longest=1000)}}}")


def _part(column: Column, cells: Sequence[Cell]) -> _Part:
    heads = _lines(column)
    headed = max(width(line) for line in heads)
    natural = max(headed, *(_natural(cell) for cell in cells), 0.0)
    beneath = max((BENEATH * width(cell.beneath) for cell in cells), default=0.0)
    if column.kind == "text" or natural > max(headed, WIDEST_NUMBER):
        return _text(heads, cells, max(natural, beneath))
    natural = max(natural, beneath)
    numbers = number_column(cells) if column.kind == "number" else None
    if numbers is not None:
        wide = max(headed, numbers.width, beneath)
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
    """Return the words of a head, each with what joins it to the one before; long words come in pieces.

    What is in parentheses, such as a unit, is one word where it fits a line.
    """
    words: list[tuple[str, str]] = []
    chunks = re.split(r"\s+(?![^(]*\))", text)
    for word in (word for c in chunks for word in ([c] if width(c) <= HEAD_LINE else c.split())):
        words += [(piece, "" if i else " ") for i, piece in enumerate(_pieces(word, BREAKS))]
    return words or [("", "")]


BREAKS = ("=/", "_-", "")
"""Behind these characters a long word is broken, the first before the next; at last anywhere."""


def _pieces(word: str, breaks: Sequence[str]) -> list[str]:
    if width(word) <= HEAD_LINE or len(word) < 2:
        return [word]
    if breaks[0]:
        parts = re.findall(rf"[^{breaks[0]}]*[{breaks[0]}]|[^{breaks[0]}]+", word)
        return [piece for part in parts for piece in _pieces(part, breaks[1:])]
    pieces, left = [""], HEAD_LINE
    for character in word:
        if pieces[-1] and width(character) > left:
            pieces.append("")
            left = HEAD_LINE
        pieces[-1] += character
        left -= width(character)
    return pieces


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
    own = sum(max(1, math.ceil(width(line) / wrap)) for line in lines) if wrap else len(lines)
    return own + bool(cell.beneath)


def _gaps(keys: Sequence[str], depths: Sequence[int]) -> list[bool]:
    airy = any(depth > 1 for depth in depths)
    ends = [airy or this != following for this, following in itertools.pairwise(keys)]
    grouped = airy or not all(ends)
    return [grouped and end for end in ends] + [False] * bool(keys)


def _sense_notes(columns: Sequence[Column]) -> list[str]:
    senses = dict.fromkeys(column.sense for column in columns if column.sense)
    return ["; ".join(f"{ARROWS[sense]} {sense}" for sense in senses) + "."] if senses else []


GROUPED = 5
"""From so many digits on siunitx would set thin spaces between decimals too."""


@dataclass(frozen=True)
class PrintedNumber:
    """One number in its parts, as printed: ``< -1234.50 (3/4)``."""

    comparator: str
    sign: str
    integer: str
    decimals: str
    exponent: str
    counts: str


@dataclass(frozen=True)
class NumberColumn:
    """An ``S`` column: its specification, its cells, and its width in em."""

    specification: Tex
    cells: list[Tex]
    width: float


def number_column(cells: Sequence[Cell]) -> NumberColumn | None:
    """Set a column on its decimal point; None where siunitx would print other texts than the cells'."""
    read = [read_number(cell.text) for cell in cells]
    aligned = [number for number in read if number is not None and not number.exponent]
    bare = {number.integer == "" for number in aligned if number.integer in ("", "0")}
    if not aligned or len(bare) > 1:
        return None
    extent = _extent(aligned)
    widest = max((number.counts for number in aligned), key=len)
    after = [_after(c.mark, n.counts if n else "", widest) for c, n in zip(cells, read, strict=True)]
    bold = any(cell.bold for cell in cells)
    mark = max((cell.mark for cell in cells), key=len)
    reserved = _after(mark, widest, widest)
    signs = ("<" if extent.comparator else "") + ("-" if extent.sign else "")
    options = [
        f"table-format={signs}{len(extent.integer)}.{len(extent.decimals)}",
        *(["print-zero-integer=false"] if True in bare else []),
        *(["group-digits=integer"] if len(extent.decimals) >= GROUPED else []),
        *([f"table-space-text-post={reserved}"] if reserved else []),
        *(["detect-weight"] if bold else []),
    ]
    set_ = [
        _number_cell(cell, number, behind) for cell, number, behind in zip(cells, read, after, strict=True)
    ]
    wide = max(_width(extent, bold) + width(f" {widest}" if widest else ""), *(width(c.text) for c in cells))
    return NumberColumn(Tex(f"S[{','.join(options)}]"), set_, wide + 0.7 * width(mark))


def read_number(text: str) -> PrintedNumber | None:
    """Take a printed number apart; None where the text is no number."""
    match = _NUMBER.fullmatch(text)
    return PrintedNumber(**{name: part or "" for name, part in match.groupdict().items()}) if match else None


_NUMBER = re.compile(
    r"(?:(?P<comparator>[<>]) )?(?P<sign>−)?(?P<integer>[0-9]{1,3}(?:[\u202f,][0-9]{3})+|[0-9]*)"
    r"(?:\.(?P<decimals>[0-9]+))?(?<=[0-9])(?:e(?P<exponent>[+−]?[0-9]+))?"
    r"(?: (?P<counts>\([0-9\u202f,]+/[0-9\u202f,]+\)))?"
)


def _extent(numbers: Sequence[PrintedNumber]) -> PrintedNumber:
    """Return the number that fills the column: the longest of every part."""
    return PrintedNumber(
        comparator=max(number.comparator for number in numbers),
        sign=max(number.sign for number in numbers),
        integer=max((_digits(number.integer) for number in numbers), key=len),
        decimals=max((number.decimals for number in numbers), key=len),
        exponent="",
        counts="",
    )


def _number_cell(cell: Cell, number: PrintedNumber | None, after: str) -> Tex:
    if number is None or number.exponent:
        return _beside(cell, number)
    weight = r"\bfseries " if cell.bold else ""
    return Tex(f"{weight}{_plain(number)}{after}")


def _beside(cell: Cell, number: PrintedNumber | None) -> Tex:
    """Set what has no decimal point to align on in braces, which siunitx leaves alone."""
    text: str = escape(cell.text)
    if number is not None:
        counts = f" {escape(number.counts)}" if number.counts else ""
        text = rf"\num{{{_plain(number)}e{number.exponent.replace('−', '-')}}}{counts}"
    set_ = rf"\textbf{{{text}}}" if cell.bold else text
    return Tex(f"{{{set_}{raised(cell.mark)}}}" if text else "")


def _plain(number: PrintedNumber) -> str:
    point = "." if number.decimals else ""
    sign = number.sign.replace("−", "-")
    return f"{number.comparator}{sign}{_digits(number.integer)}{point}{number.decimals}"


def _digits(integer: str) -> str:
    return integer.replace("\u202f", "").replace(",", "")


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


def _width(extent: PrintedNumber, bold: bool) -> float:
    groups = (len(extent.integer) - 1) // 3 if len(extent.integer) >= GROUPED else 0
    digits = 0.5 * (len(extent.integer) + len(extent.decimals)) + 0.17 * groups
    point = 0.278 if extent.decimals else 0.0
    ahead = (1.06 if extent.comparator else 0.0) + (0.78 if extent.sign else 0.0)
    return (digits + point) * (BOLD if bold else 1.0) + ahead


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
class Extent:
    """What a column needs, in em: set in one line, and at the least when its text may wrap."""

    natural: float
    least: float


@dataclass(frozen=True)
class Layout:
    """The type size of a table, and the width of every column that wraps, else None, in em."""

    size: str
    narrow: bool
    """True where the table fits a column of a paper in two columns."""
    wrap: list[float | None]


def lay_out(extents: Sequence[Extent], breaks: bool = False) -> Layout:
    """Take the largest type in which the table fits; texts wrap rather than shrink to the smallest type."""
    gaps = GAP * (len(extents) - 1)
    needed = sum(extent.natural for extent in extents) + gaps
    whole = [(*each, True) for each in NARROW if not breaks] + [(*each, False) for each in WIDE[:2]]
    for size, room, narrow in whole:
        if needed <= room:
            return Layout(size, narrow, [None] * len(extents))
    tried = [(size, _shared(extents, room - gaps), room - gaps) for size, room in WIDE]
    size, shares, _ = next((each for each in tried if sum(each[1]) <= each[2]), tried[-1])
    wrap = [share if share < each.natural else None for share, each in zip(shares, extents, strict=True)]
    return Layout(size, False, wrap)


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
