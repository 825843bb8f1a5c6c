"""The DET: miss rate over false acceptance rate, both on probit axes of equal scale."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from reporting.charts.draw import Words
from reporting.charts.rates import Drawing, chosen_points, curves, rates_drawn
from reporting.report.blocks import Axis, Figure, Series, Window
from reporting.stats.staircase import FloatArray
from reporting.wording.view import View

PRESETS = {"biometrics": (0.001, 40.0)}
"""Windows in percent by vocabulary, where the field has another custom than 0.1 to 50."""
USUAL = (0.1, 50.0)
LOW_EDGES = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001)
HIGH_EDGES = (50.0, 70.0, 90.0, 99.0, 99.9)
NARROW_EDGES = (2.0, 5.0, 10.0, 20.0)
"""Upper ends where all systems are so strong that the usual window would be nearly empty."""
TICKS = (*reversed(LOW_EDGES), 0.2, 0.5, 1, 2, 5, 10, 20, 40, 60, 80, 90, 95, 98, 99, 99.5, 99.9)
SMALLEST = 1e-9
"""A rate of 0 has no place on a probit axis; it is drawn here, far outside every window."""


def det_figure(view: View, words: Words) -> Figure:
    """Draw the DET curves of all models on test, with their chosen points."""
    return rates_drawn(view, det_drawing(view), words)


def det_drawing(view: View) -> Drawing:
    """Return the axes of the DET, on which equal rates are equally far."""
    drawn, *others = (_look_through(view, *edges) for edges in windows(view))
    left, right = drawn.x_axis.low, drawn.x_axis.high
    middle = left + 0.8 * (right - left)
    ends = [(window.x_axis.low, window.x_axis.high) for window in (drawn, *others)]
    least, most = min(end for end, _ in ends), max(end for _, end in ends)
    return Drawing(
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
    )


def _look_through(view: View, low: float, high: float) -> Window:
    left, right = (float(ndtri(edge / 100)) for edge in (low, high))
    ticks = tuple((float(ndtri(t / 100)), f"{t:.5g}") for t in TICKS if low <= t <= high)
    return Window(
        f"{low:.5g} to {high:.5g} %",
        Axis(view.terms.title("far"), left, right, ticks),
        Axis(view.terms.title("frr"), left, right, ticks),
    )


def windows(view: View) -> list[tuple[float, float]]:
    """The drawn window, the customs of the fields, and nearly all there is to see, each once, in percent."""
    finest = 100 / (view.most_nontargets or 1000)
    least = next((edge for edge in LOW_EDGES if edge <= finest), LOW_EDGES[-1])
    return list(dict.fromkeys([window(view), USUAL, *PRESETS.values(), (least, HIGH_EDGES[-1])]))


def probit(rate: FloatArray) -> FloatArray:
    """Return the normal quantile of a rate, finite also at 0 and 1."""
    return np.asarray(ndtri(np.clip(rate, SMALLEST, 1 - SMALLEST)), dtype=np.float64)


def window(view: View) -> tuple[float, float]:
    """Return the drawn range in percent, the same on both axes.

    0.1 to 50, or what else the field expects, wider where a curve's equal-error point or a chosen point would
    lie outside. Below that the window moves down rather than grow: its upper end then stays well
    above all those points, but not at 50.
    """
    needed = [rate for point in chosen_points(view) for rate in (point.far, point.frr)]
    needed += [_equal_error(far, frr) for far, frr in curves(view).values()]
    inside = [100 * rate for rate in needed if 0 < rate < 1]
    least, most = min(inside, default=1.0), max(inside, default=1.0)
    left, right = _usual(view)
    if least >= left:
        return left, next((edge for edge in (right, *HIGH_EDGES) if edge >= most), HIGH_EDGES[-1])
    low = next((edge for edge in LOW_EDGES if edge <= least / 2), LOW_EDGES[-1])
    room = max(most, min(30 * most, HIGH_EDGES[0]))
    return low, next((edge for edge in NARROW_EDGES + HIGH_EDGES if edge >= room), HIGH_EDGES[-1])


def _usual(view: View) -> tuple[float, float]:
    """The custom of the field, but no finer than one error among the non-targets."""
    low, high = PRESETS.get(view.study.vocabulary, USUAL)
    finest = 100 / (view.most_nontargets or 1000)
    return next((edge for edge in LOW_EDGES if edge <= max(low, finest)), low), high


def _equal_error(far: FloatArray, frr: FloatArray) -> float:
    """The larger rate at the corner nearest to FAR = FRR: close enough to place a window."""
    nearest = int(np.argmin(np.abs(far - frr)))
    return float(max(far[nearest], frr[nearest]))
