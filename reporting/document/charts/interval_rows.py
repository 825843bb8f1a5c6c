"""Rows of intervals with marks: rectangles on screens, lines, bands and dots on paper."""

from __future__ import annotations

from collections.abc import Sequence

from reporting.document.blocks import Series, colour
from reporting.document.charts.chart_spec import BarRows, bar
from reporting.document.charts.labels import HIGH

THIN, THICK, MARK = 0.04, 0.17, 0.34
"""Half the height in rows of simultaneous limits, of limits of one model alone, and of a value's mark."""
ROW, AXIS_ROWS = 20, 0.4
"""Pixels of a row, and the rows' share above and below all."""
HIGHEST, SMALL = 430, 11.5
"""Pixels of all rows at most, and the letters of names where rows are lower than a line of captions."""
LETTER, LEAST_LEFT = 7, 56
"""Pixels of a letter of a name, and the fewest that names take left of the rows."""
LAYERS = 3
"""On paper: how many bands of light ink lie over each other."""

Bar = tuple[int, float, float, float, float]
"""A style, the ends along the axis, the middle of the row, and half the height."""


def bar_rows(bars: Sequence[Bar], height: float) -> BarRows:
    """Return bars in rows of so many in all, whose names are as small as their rows."""
    small = {"labelFontSize": SMALL} if HIGHEST / height < HIGH else {}
    names_only = {"grid": False, "ticks": False, "domain": False, "labelLimit": 0, "labelOverlap": False}
    cells = [bar(low, high, middle, half, colour(style)) for style, low, high, middle, half in bars]
    printed = [series for each in bars for series in _on_paper(*each)]
    return BarRows(cells, printed, ({}, names_only | small))


def pixels(height: float) -> int:
    """Return the pixels of so many rows."""
    return round(min(ROW * height, HIGHEST))


def left_of(labels: Sequence[str]) -> int:
    """Return the pixels that names take left of the rows."""
    return max(LEAST_LEFT, LETTER * max(map(len, labels)))


def _on_paper(style: int, low: float, high: float, middle: float, half: float) -> list[Series]:
    """A bar on paper: a thin line, bands of light ink over each other, or a dot."""
    x, lower, upper = (round(low, 6), round(high, 6)), round(middle - half, 6), round(middle + half, 6)
    if half == THIN:
        return [Series("", "smooth", style, x, (round(middle, 6),) * 2)]
    if half == MARK:
        return [Series("", "points", style, (round((low + high) / 2, 6),), (round(middle, 6),))]
    return [Series("", "band", style, x, (lower, lower), (upper, upper))] * LAYERS
