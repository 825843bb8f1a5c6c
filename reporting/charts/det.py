"""The DET: miss rate over false acceptance rate, both on probit axes of equal scale."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import ndtri

from reporting.charts.axes import places
from reporting.charts.captions import models
from reporting.charts.picture import CurvePicture, Stroke, Words, plain_figure, sketched
from reporting.charts.rates import (
    RatePlane,
    beside_curves,
    chosen_points,
    curves,
    dots,
    fitted_band,
    fitted_rates,
    points_in_numbers,
    rates_picture,
)
from reporting.fits.fit import Fit
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
OBSERVED = "trials"


def _caption(view: View) -> str:
    errors, marks = f"{view.terms.false_rejection} over {view.terms.false_acceptance}", dots(view)
    if marks:
        has_rings = any(point.oracle for point in chosen_points(view))
        rings = ", rings: the same chosen on test (a posteriori)" if has_rings else ""
        marks = f" {marks}{rings}. A point without errors of one kind lies on the frame."
    return f"{errors} at every threshold, probit axes.{marks}{beside_curves(view)}"


DET = CurvePicture(
    cases=lambda view: list(filter(None, [curves(view)])),
    draw=lambda view, rates: sketched(view, rates_picture(view, probit_plane(view), rates)),
    caption=lambda view, rates: _caption(view),
    shows=lambda view, rates: f"Detection error trade-off curves of {models(view)} on test",
    number=lambda view, rates: points_in_numbers(view),
    # The cautions say already that no model has both classes.
    missing=lambda view: "",
)


def probit_plane(view: View) -> RatePlane:
    """Return the axes of the DET, on which equal rates are equally far."""
    drawn, *others = (_look_through(view, *edges) for edges in windows(view))
    left, right = drawn.x_axis.low, drawn.x_axis.high
    middle = left + 0.8 * (right - left)
    ends = [(window.x_axis.low, window.x_axis.high) for window in (drawn, *others)]
    least, most = min(end for end, _ in ends), max(end for _, end in ends)
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
    """Return the custom of the field, but no finer than one error among the non-targets."""
    low, high = PRESETS.get(view.study.vocabulary, USUAL)
    finest = 100 / (view.most_nontargets or 1000)
    return next((edge for edge in LOW_EDGES if edge <= max(low, finest)), low), high


def _equal_error(far: FloatArray, frr: FloatArray) -> float:
    """Return the larger rate at the corner nearest to FAR = FRR: close enough to place a window."""
    nearest = int(np.argmin(np.abs(far - frr)))
    return float(max(far[nearest], frr[nearest]))


def fits_of(view: View, model: str) -> list[Fit]:
    """Return the fits that give a model a curve on test; those that draw the same curve as another once."""
    of_curve: dict[bytes, Fit] = {}
    for fit in view.study.fits:
        rates = fitted_rates(view, fit).get(model)
        if rates is not None:
            of_curve.setdefault(np.concatenate(rates).tobytes(), fit)
    return list(of_curve.values())


def fitted_figure(view: View, model: str, name: str, words: Words) -> Figure:
    """Draw the DET of a model's trials, and every fit to them; the band is that of the first fit.

    Where fits are right they are straight lines on these axes.
    """
    plane = probit_plane(view)
    fits = fits_of(view, model)
    lines = [Stroke(OBSERVED, 0, *plane.place(*curves(view)[model]))]
    lines += [
        Stroke(fit.printed, style, *plane.place(*fitted_rates(view, fit)[model]))
        for style, fit in enumerate(fits, start=1)
    ]
    others = [replace(plane.guide, style=0)]
    band = fitted_band(view, fits[0], model)
    if band is not None:
        x, low, high = plane.x_of(band[0]), plane.y_of(band[1]), plane.y_of(band[2])
        inside = (x >= plane.x_axis.low) & (x <= plane.x_axis.high)
        limits = (np.clip(y[inside], plane.y_axis.low, plane.y_axis.high) for y in (low, high))
        others.append(Series(fits[0].printed, "band", 1, places(x[inside]), *map(places, limits)))
    return plain_figure(name, (plane.x_axis, plane.y_axis), words, lines, others=others)
