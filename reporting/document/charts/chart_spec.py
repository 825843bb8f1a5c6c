"""What every picture is before it is drawn, for screens and for paper alike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.records import dataclass
from reporting.document.blocks import Axis, Label, Series, SeriesKind, Spec, TooltipSeries, Window
from reporting.document.charts.axes import PAGE_PIXELS, cut_off, places, reduce
from reporting.document.charts.beyond import Number, apart, arrow, plain, sides

SIDE, LOW = 400, 280
"""Pixels across a frame, and up one whose axes are of different kinds."""

EQUAL = 1e-9
CURVES_LAYER, NAMES_LAYER = "curves", "names"
"""What the ``usermeta`` of a spec calls the layer of the models' lines, and those of names."""

Vertices = tuple[FloatArray, ...]
"""x and y of a polyline in drawn units; of a band x, its lower and its upper y. All finite."""


@dataclass(frozen=True, eq=False)
class Mark:
    """A line, a band or points with all their vertices; ``style`` as in ``document/blocks``.

    Lines and bands are drawn with as many vertices as pixels can show, and of points those within the frame:
    the others are arrows (``ChartSpec.arrows``). A ``whole`` line keeps its vertices beyond the frame.
    """

    label: str
    kind: SeriesKind
    style: int
    vertices: Vertices
    whole: bool = False

    @classmethod
    def line(cls, label: str, style: int, x: FloatArray, y: FloatArray) -> Mark:
        """Return a named line."""
        return cls(label, "line", style, (x, y))

    @classmethod
    def points(cls, label: str, style: int, x: FloatArray, y: FloatArray) -> Mark:
        """Return points of one name."""
        return cls(label, "points", style, (x, y))

    def series(self, windows: Sequence[Window], pixels: int) -> Series:
        """Return the series that looks the same through any of these windows."""
        kept: Sequence[FloatArray]
        if self.kind in ("points", "rings"):
            seen = np.any([~self._sides(each).any(axis=0) for each in windows], axis=0)
            kept = [values[seen] for values in self.vertices]
        else:
            kept = self._line(windows, pixels)
        return Series(self.label, self.kind, self.style, *map(places, kept))

    def _sides(self, window: Window) -> IntArray:
        """Return on which sides of a window each point lies, across and up: shape (2, N)."""
        x, y = self.vertices
        return np.stack((sides(x, window.x_axis), sides(y, window.y_axis)))

    def outside(self, window: Window) -> list[tuple[float, float]]:
        """Return the points beyond a window; of a line that never enters it the vertex that is nearest."""
        if self.kind not in ("points", "rings", "line") or not len(self.vertices[0]):
            return []
        x, y = self.vertices
        across, up = self._sides(window)
        if self.kind != "line":
            beyond = np.flatnonzero((across != 0) | (up != 0))
        elif (up == up[0]).all() and up[0]:
            beyond = np.argmin(np.abs(y - window.y_axis.low), keepdims=True)
        else:
            return []
        return list(zip(x[beyond].tolist(), y[beyond].tolist(), strict=True))

    def _line(self, windows: Sequence[Window], pixels: int) -> Sequence[FloatArray]:
        """Return the vertices that show, and where the strokes between them leave the frame."""
        x, *ys = self.vertices
        shown = [reduce(x, tuple(ys), each.x_axis, each.y_axis, pixels) for each in windows]
        columns = [values[np.unique(np.concatenate(shown))] for values in self.vertices]
        if self.whole:
            return columns
        x_axis, y_axis = (
            Axis("", min(axis.low for axis in axes), max(axis.high for axis in axes), ())
            for axes in zip(*((each.x_axis, each.y_axis) for each in windows), strict=True)
        )
        return cut_off(columns, (x_axis, *[y_axis] * len(ys)))


@dataclass(frozen=True)
class Shades:
    """A curve whose colour runs along it, on screens only: ``shade`` in [0, 1] of each of its segments.

    ``ticks`` are the texts of equally spaced shades from 0 to 1, for the legend called ``title``.
    """

    title: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    shade: tuple[float, ...]
    ticks: tuple[str, ...]


@dataclass(frozen=True)
class BarRows:
    """Bars in named rows under the guides: rectangles on screens (``bar``), series on paper.

    ``looks`` are what differs from usual axes.
    """

    cells: Sequence[Spec]
    printed: Sequence[Series]
    looks: tuple[Spec, Spec]


def bar(low: float, high: float, middle: float, half: float, fill: str) -> Spec:
    """Return a rectangle between two places of the x axis, so far up and down from the middle of its row."""
    ends = {"x": low, "x2": high, "y": middle - half, "y2": middle + half}
    return {name: round(end, 6) for name, end in ends.items()} | {"fill": fill}


@dataclass(frozen=True)
class ChartSpec:
    """A picture in drawn units; colours come with styles, and pixels when it is rendered."""

    name: str
    x_axis: Axis
    y_axis: Axis
    marks: Sequence[Mark | Series]
    """What is drawn, the lower first of each kind; a ``Series`` is drawn as it is."""
    shades: Shades | None = None
    tooltips: tuple[Sequence[str], Sequence[TooltipSeries]] = ((), ())
    """The titles of the tooltips, and the places that have some."""
    windows: Sequence[Window] = ()
    """Other ranges to look through on a page, in which the curves are as exact."""
    on_dev: Sequence[Mark] = ()
    bands: tuple[str, Sequence[Mark]] = ("", ())
    """What bands are, and those that are drawn on request."""
    bars: BarRows | None = None
    is_named: bool = True
    """Whether lines have their names next to them."""
    height: int | None = None
    """Pixels of the frame, where it is not the usual one."""
    left: int | None = None
    """Pixels left of the frame."""
    numbers: tuple[Number, Number] = (plain, plain)
    """How places along the axes are printed, where they are no numbers of their ticks."""
    beyond: Sequence[Label] = ()
    """Arrows for what else lies beyond the axes."""

    @property
    def high(self) -> int:
        """Pixels up the frame: a square where both axes span as much, such as rates, and else lower."""
        spans = [axis.high - axis.low for axis in (self.x_axis, self.y_axis)]
        return self.height or (SIDE if abs(spans[0] - spans[1]) <= EQUAL * spans[0] else LOW)

    def series(self, pixels: int, marks: Sequence[Mark | Series] | None = None) -> tuple[Series, ...]:
        """Return the marks, or these, for so many pixels; those of a page are exact in every window."""
        windows = [Window("", self.x_axis, self.y_axis)]
        windows += self.windows if pixels == PAGE_PIXELS else ()
        every = self.marks if marks is None else marks
        drawn = (each if isinstance(each, Series) else each.series(windows, pixels) for each in every)
        return tuple(each for each in drawn if each.x or each.kind not in ("points", "rings"))

    def arrows(self, window: Window | None = None) -> tuple[Label, ...]:
        """Return the arrows of what lies beyond the drawn ranges, or beyond a window."""
        through = window or Window("", self.x_axis, self.y_axis)
        axes = through.x_axis, through.y_axis
        outside = (
            arrow(place, axes, self.numbers, each.style, each.label)
            for each in self.marks
            if isinstance(each, Mark)
            for place in each.outside(through)
        )
        return *apart(outside, axes), *self.beyond
