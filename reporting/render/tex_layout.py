"""The widths of a table's columns in TeX: the type in which it fits, and which columns wrap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

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
