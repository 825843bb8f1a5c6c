"""Pictures whose lines are not models: one line, band or set of points a name, in a style of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reporting.charts.curve import cut_off, near, places
from reporting.charts.decimate import PAGE_PIXELS, PRINT_PIXELS, reduce
from reporting.charts.draw import Sketch, Words, figure
from reporting.report.blocks import Axis, Figure, Series
from reporting.stats.staircase import FloatArray


@dataclass(frozen=True, eq=False)
class Stroke:
    """A named line in drawn units; ``style`` as in ``report/blocks``, 0 the neutral dark."""

    label: str
    style: int
    x: FloatArray
    y: FloatArray


def plain_figure(
    name: str,
    axes: tuple[Axis, Axis],
    words: Words,
    lines: Sequence[Stroke],
    points: Sequence[Stroke] = (),
    others: Sequence[Series] = (),
) -> Figure:
    """Draw named lines and points; ``others`` (guides, bands, rings) lie below and are drawn as they are."""
    page, printed = (
        (
            *others,
            *(_series(line, "line", axes, pixels) for line in lines),
            *(_series(dots, "points", axes, None) for dots in points),
        )
        for pixels in (PAGE_PIXELS, PRINT_PIXELS)
    )
    return figure(name, words, Sketch(page, printed, *axes, faded=frozenset()))


def _series(stroke: Stroke, kind: str, axes: tuple[Axis, Axis], pixels: int | None) -> Series:
    x, y = stroke.x, stroke.y
    if pixels is not None:
        kept = reduce(x, (y,), *axes, pixels)
        x, y = x[kept], y[kept]
    if kind != "line":
        within = [near(values, axis, 1.0) for values, axis in zip((x, y), axes, strict=True)]
        return Series(stroke.label, "points", stroke.style, *map(places, within))
    return Series(stroke.label, "line", stroke.style, *map(places, cut_off((x, y), axes)))
