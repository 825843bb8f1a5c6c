"""The layout of a table, computed once: its heads, groups of rows and notes, and where intervals are drawn.

A format decides only how it looks. Where intervals are not drawn, their columns are left out, and the number
next to a drawing has the head of both.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise, takewhile

from reporting.base.records import dataclass
from reporting.document.blocks import UNDEFINED, Cell, Column, IntervalMark, Sense, Table
from reporting.document.charts.beyond import plain
from reporting.errors import listed

ARROWS: dict[Sense, str] = {
    "": "",
    "lower is better": "↓",
    "higher is better": "↑",
    "0 is best": "→ 0",
    "1 is best": "→ 1",
}
"""The sense of a column where there is no room for words."""


@dataclass(frozen=True)
class Head:
    """The head of a column in one line, with its unit, and the head above it that neighbours share."""

    column: Column
    text: str
    group: str
    beneath: str
    """The head, in a data file, of the second lines of its cells; nothing where it has none."""

    @property
    def ends(self) -> tuple[str, ...]:
        """The printed ends of a drawn column's axis."""
        return tuple(map(plain, self.column.axis or ()))


@dataclass(frozen=True)
class Span:
    """A head over neighbouring columns; its title is empty over a column that shares none."""

    title: str
    first: int
    width: int


@dataclass(frozen=True)
class RowGroup:
    """Rows under a title of their own; it is empty for rows above the first title."""

    title: str
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Layout:
    """What is printed of a table; every row has a cell per head."""

    caption: str
    heads: tuple[Head, ...]
    spans: tuple[Span, ...]
    """The line of shared heads, which covers every column; nothing where no head is shared."""
    groups: tuple[RowGroup, ...]
    """All rows: one group without title where there are none."""
    notes: tuple[str, ...]

    @property
    def rows(self) -> list[tuple[Cell, ...]]:
        """The rows of all groups."""
        return [row for group in self.groups for row in group.rows]

    @property
    def senses(self) -> list[str]:
        """What the arrows mean that its heads can have, each once."""
        senses = dict.fromkeys(head.column.sense for head in self.heads if head.column.sense)
        return [f"{ARROWS[sense]} {sense}" for sense in senses]


def lay_out(table: Table, *, drawn: bool = False) -> Layout:
    """Return the layout of a table; ``drawn``: whether intervals are drawn in its rows."""
    texts = [with_unit(column) for column in table.columns] if drawn else heads_of_numbers(table)
    shown = [i for i, column in enumerate(table.columns) if drawn or column.kind != "drawn"]
    heads = [
        Head(column, texts[i], "" if texts[i] == column.group else column.group, _beneath(table, i))
        for i, column in enumerate(table.columns)
        if i in shown
    ]
    return Layout(
        caption=table.caption,
        heads=tuple(heads),
        spans=tuple(_spans(heads)),
        groups=tuple(_row_groups(table, shown)),
        notes=(*table.notes, *(table.drawn_notes if drawn else ()), *_undefined_notes(table)),
    )


def heads_of_numbers(table: Table) -> list[str]:
    """Return the heads of columns, each in one line; a number alone next to its drawing has the head of both.

    A number with a unit of its own keeps its head.
    """
    drawn = {column.group for column in table.columns if column.kind == "drawn" and column.group}
    printed = Counter(column.group for column in table.columns if column.kind != "drawn")
    return [
        column.group
        if column.group in drawn and printed[column.group] == 1 and not column.unit
        else with_unit(column)
        for column in table.columns
    ]


def with_unit(column: Column) -> str:
    """Return title and unit in one line."""
    return f"{column.title} ({column.unit})" if column.unit else column.title


def behind(group: str, text: str) -> str:
    """Return a head in one line with the head that it shares with its neighbours."""
    return ": ".join(dict.fromkeys(part for part in (group, text) if part))


def broken(words: Iterable[str], room: float, width: Callable[[str], float] = len) -> list[str]:
    """Return the words of a head in lines that fit the room; a longer word has a line of its own."""
    lines: list[str] = []
    for word in words:
        if lines and width(f"{lines[-1]} {word}") <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


CHIP = "---- "
"""What the sample of a model's line takes before its name."""
WRAPS = 36
"""Texts wrap rather than make the type smaller, beyond this many characters."""
HEAD_LINE = 13
DRAWN = 18
"""A line of a head, and a drawn column, in characters."""


def characters(layout: Layout) -> list[int]:
    """Return the characters that each column takes: its numbers keep their line, its texts may wrap."""
    return [_widest(head, [row[i] for row in layout.rows]) for i, head in enumerate(layout.heads)]


def _widest(head: Head, cells: Sequence[Cell]) -> int:
    if head.column.kind == "drawn":
        return DRAWN
    heads = [line for text in (head.text, head.column.sense) for line in broken(text.split(), HEAD_LINE)]
    chips = ("" if cell.style is None else CHIP for cell in cells)
    texts = [f"{chip}{cell.text}{cell.mark}" for chip, cell in zip(chips, cells, strict=True)]
    widest = max(map(len, (*heads, *texts, *(cell.beneath for cell in cells))), default=0)
    return min(widest, WRAPS) if head.column.kind == "text" else widest


def _beneath(table: Table, i: int) -> str:
    column, texts = table.columns[i], [row[i].beneath for row in table.rows if row[i].beneath]
    if not texts:
        return ""
    intervals = all(re.fullmatch(r"\[.+, .+\]", text) for text in texts)
    called = column.beneath or ("CI" if intervals else "second line")
    return f"{behind(column.group, with_unit(column))}: {called}"


def _spans(heads: Sequence[Head]) -> list[Span]:
    if not any(head.group for head in heads):
        return []
    spans: list[Span] = []
    for i, head in enumerate(heads):
        if spans and head.group and head.group == spans[-1].title:
            spans[-1] = Span(head.group, spans[-1].first, spans[-1].width + 1)
        else:
            spans.append(Span(head.group, i, 1))
    return spans


def _row_groups(table: Table, shown: Sequence[int]) -> Iterator[RowGroup]:
    starts = dict(sorted(table.row_groups))
    edges = sorted({0, *starts, len(table.rows)})
    for start, end in pairwise(edges if len(edges) > 1 else (0, 0)):
        rows = (tuple(row[i] for i in shown) for row in table.rows[start:end])
        yield RowGroup(starts.get(start, ""), tuple(rows))


def _undefined_notes(table: Table) -> list[str]:
    """Return one note per reason that a cell of the table is undefined, with the cells concerned."""
    where: dict[str, dict[str, None]] = {}
    for row in table.rows:
        for column, cell in zip(table.columns, row, strict=True):
            if cell.reason and column.kind != "drawn":
                # The leading texts are the keys of the row.
                keys = takewhile(lambda pair: pair[0].kind == "text", zip(table.columns, row, strict=True))
                name = ", ".join(key.text for _, key in keys)
                called = f"{name} ({behind(column.group, column.title)})"
                where.setdefault(cell.reason, {})[called] = None
    return [f"{UNDEFINED} {reason}: {listed(cells, most=8)}" for reason, cells in where.items()]


WIDTH = 176
MARGIN = 6
ARROW = 7.0
"""The width of a drawing, its margins, and the length and height of an arrow, in pixels."""


@dataclass(frozen=True)
class PlacedMark:
    """Positions along the row as text; an empty one is not drawn."""

    dot: str
    low: str
    high: str
    low_end: str
    high_end: str
    """The ends carry a cap only where the limit lies inside the axis."""
    zero: str
    arrow: str = ""
    """The corners of an arrow at the end of the axis beyond which the value lies."""
    outer_low: str = ""
    outer_high: str = ""
    """The ends of the thinner line of an interval that holds for all rows together."""


def mark(column: Column, drawn: IntervalMark | None) -> PlacedMark | None:
    """Place an interval on the axis of its column."""
    if drawn is None or column.axis is None:
        return None
    first, last = column.axis

    def end(value: float | None) -> str:
        if value is None:
            return ""
        share = (min(max(value, first), last) - first) / (last - first) if last > first else 0.5
        return f"{MARGIN + share * (WIDTH - 2 * MARGIN):.1f}"

    def inside(value: float | None) -> str:
        return end(value) if value is not None and first <= value <= last else ""

    tip, back = (MARGIN - 3, ARROW) if drawn.value < first else (WIDTH - MARGIN + 3, -ARROW)
    arrow = f"{tip:g},14 {tip + back:g},{14 - ARROW / 2:g} {tip + back:g},{14 + ARROW / 2:g}"
    whole = drawn.low is not None and drawn.high is not None
    low, high = (drawn.low, drawn.high) if whole else (None, None)
    return PlacedMark(
        dot=inside(drawn.value),
        low=end(low),
        high=end(high),
        low_end=inside(low),
        high_end=inside(high),
        zero=inside(0.0) if column.zero_line else "",
        arrow="" if first <= drawn.value <= last else arrow,
        outer_low=end(drawn.outer_low),
        outer_high=end(drawn.outer_high),
    )
