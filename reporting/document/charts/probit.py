"""Both error rates on probit scales: the window, its ticks, and what a DET marks."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.core.measures.sweep import RULE_OF_30
from reporting.core.stats.special import ndtr, ndtri
from reporting.document.blocks import Axis, Series, Window
from reporting.document.charts.beyond import plain
from reporting.document.charts.rates import RatePlane, chosen_points, curves
from reporting.document.words.view import DatasetView

PRESETS = (0.001, 40.0), (0.1, 50.0)
"""Windows in percent that are customs of fields, which a page offers next to its own."""
ALL = 99.9
HIGH_EDGES = (2.0, 5.0, 10.0, 20.0, 40.0, 60.0, 80.0, 90.0, 95.0, 98.0, 99.0, ALL)
"""Where the axes may end."""
ROOM = 8.0
"""The axes reach so far above the largest rate of equal errors, but not for that beyond ``USUAL_END``."""
USUAL_END = 40.0
BELOW_ONE = 0.7
"""The axes begin below one error, at this share of it, so that a curve is seen to reach it."""
SPAN = 4.0
"""The upper end of an axis is at least so many times its lower end, or the lower end moves."""
LOW_TICKS = (0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1)
TICKS = (*LOW_TICKS, 0.2, 0.5, 1, 2, 5, 10, 20, 40, 60, 80, 90, 95, 98, 99, 99.5, ALL)
SMALLEST = 1e-9
"""A rate of 0 has no place on a probit axis; it is drawn here, far outside every window."""
MARK = 0.04
"""The length of a mark at 30 errors, as a share of the frame."""


def probit_plane(view: DatasetView) -> RatePlane:
    """Return the axes of the DET, on which equal rates are equally far."""
    drawn, *others = (_look_through(view, *ranges) for ranges in windows(view))
    ends = [(axis.low, axis.high) for window in (drawn, *others) for axis in (window.x_axis, window.y_axis)]
    least, most = min(end for end, _ in ends), max(end for _, end in ends)
    low = max(drawn.x_axis.low, drawn.y_axis.low)
    middle = low + 0.8 * (drawn.x_axis.high - low)
    return RatePlane(
        name="det",
        x_axis=drawn.x_axis,
        y_axis=drawn.y_axis,
        x_of=probit,
        y_of=probit,
        guide=Series(
            view.terms.legend("equal_rates"), "guide", 0, (least, middle, most), (least, middle, most)
        ),
        rings=True,
        windows=(drawn, *others),
        marks=list(_marks(view, drawn)),
        numbers=(_percent_at, _percent_at),
    )


def _marks(view: DatasetView, window: Window) -> Iterator[Series]:
    """Short lines from either axis at 30 errors."""
    axes = window.x_axis, window.y_axis
    for along, trials in enumerate((view.most_nontargets, view.most_targets)):
        at = _place(100 * RULE_OF_30 / trials) if trials > RULE_OF_30 else math.inf
        if axes[along].low < at < axes[along].high:
            across = axes[1 - along]
            length = MARK * (across.high - across.low)
            up, here = (across.low, across.low + length, across.low + length), (at,) * 3
            x, y = (up, here) if along else (here, up)
            yield Series(f"{RULE_OF_30} errors", "guide", 0, x, y)


def _look_through(view: DatasetView, x: Range, y: Range) -> Window:
    def axis(title: str, low: float, high: float) -> Axis:
        ticks = tuple((_place(t), f"{t:.5g}") for t in TICKS if low <= t <= high)
        return Axis(view.terms.title(title), _place(low), _place(high), ticks)

    label = f"{x[0]:.2g} to {x[1]:.5g}%" if x == y else f"as far as the {view.terms.trials} reach"
    return Window(label, axis("far", *x), axis("frr", *y))


def _place(percent: float) -> float:
    return float(ndtri(percent / 100))


def windows(view: DatasetView) -> list[tuple[Range, Range]]:
    """The drawn window, the customs of the fields, and nearly all there is to see, each once, in percent."""
    finest = 100 / max(view.most_nontargets, view.most_targets, 2)
    least = next((edge for edge in reversed(LOW_TICKS) if edge <= finest), LOW_TICKS[0])
    squares = [*PRESETS, (least, ALL)]
    return list(dict.fromkeys([window(view), *((square, square) for square in squares)]))


def probit(rate: FloatArray) -> FloatArray:
    """Return the normal quantile of a rate, finite also at 0 and 1."""
    return np.asarray(ndtri(np.clip(rate, SMALLEST, 1 - SMALLEST)), dtype=np.float64)


def _percent_at(place: float) -> str:
    """Return the rate at a place; one of 0 or 1 has no place of its own."""
    rate = float(ndtr(place))
    ends = 0.0 if rate < 2 * SMALLEST else 1.0 if rate > 1 - 2 * SMALLEST else rate
    return plain(100 * ends)


def window(view: DatasetView) -> tuple[Range, Range]:
    """Return the drawn ranges of FAR and FRR in percent.

    Each begins just below one error, or where the first curve comes into sight, and holds the chosen points.
    Both end at the same rate, well above that of equal errors.
    """
    points = [(100 * point.far, 100 * point.frr) for point in chosen_points(view)]
    rates = [(100 * far, 100 * frr) for far, frr in curves(view).values()]
    # The larger rate at the corner nearest to FAR = FRR: close enough to place a window.
    equal = [float(np.maximum(far, frr)[np.argmin(np.abs(far - frr))]) for far, frr in rates]
    inside = [rate for point in points for rate in point if 0 < rate < 100]
    most = max([*equal, *inside, min(USUAL_END, ROOM * max(equal, default=USUAL_END))])
    high = next((edge for edge in HIGH_EDGES if edge >= most), ALL)
    lows = []
    for along, trials in enumerate((view.most_nontargets, view.most_targets)):
        in_sight = [curve[along][curve[1 - along] <= high].min(initial=100.0) for curve in rates]
        needed = min([*in_sight, *(point[along] for point in points if point[along] > 0)], default=1.0)
        finest = 100 / trials if trials else 1.0
        lows.append(min(BELOW_ONE * max(needed, finest), high / SPAN))
    return (lows[0], high), (lows[1], high)


Range = tuple[float, float]
