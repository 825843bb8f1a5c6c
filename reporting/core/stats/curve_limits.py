"""Limits of a curve from its bootstrap resamples: at every point alone, and for the whole curve."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.core.stats.effective_size import wilson_limits
from reporting.core.stats.intervals import quantile, times_of_t
from reporting.core.stats.multiplicity import reach_along
from reporting.core.stats.roc_bands import RATE, UNBOUNDED, least_errors

LeastLimits = Callable[[float, FloatArray], tuple[FloatArray, FloatArray]]
"""Lower and upper limits so many SE away, from that number and SE (shape (G,))."""
Range = tuple[float, float] | Callable[[float], tuple[FloatArray, FloatArray]]
"""The least and the greatest value that a curve may have: everywhere, or at every point, so many SE away
where the range itself is estimated."""


class LimitsOfCurve(NamedTuple):
    """Pointwise limits, and those of a simultaneous band, at every point (each of shape (G,))."""

    low: FloatArray
    high: FloatArray
    band_low: FloatArray
    band_high: FloatArray


def curve_limits(
    estimate: FloatArray,
    replicates: FloatArray,
    floor: FloatArray,
    level: float,
    bounds: Range,
    df: float | None = None,
    at_least: LeastLimits | None = None,
    *,
    inflation: float = 1.0,
    one_sided: bool = False,
) -> LimitsOfCurve | None:
    """Return estimate -+ z SE, and estimate -+ c SE with one c for the whole curve, clipped to ``bounds``.

    SE, at least ``floor`` (shape (G,)), and c, at least z, are those of ``reach_along`` from the resamples
    (shape (M, G)). Of clusters, with ``inflation``, Student's t with ``df`` replaces z, in c too. Limits of
    ``at_least``, for z and for c, replace these where they are wider. Where few trials can move the curve to
    one side alone (``one_sided``), they say how far, and ``floor`` enters c only. None where resamples are
    too few or undefined.
    """
    if not np.isfinite(replicates).all():
        return None
    times, z = times_of_t(df, level), quantile(level, None)
    reach = reach_along(replicates - estimate, floor, level, inflation)
    if reach is None:
        return None
    limits = []
    se = reach.shown if one_sided else reach.se
    for c in (times * z, times * max(reach.c, z)):
        low, high = estimate - c * se, estimate + c * se
        least_low, least_high = at_least(c, reach.se) if at_least else (low, high)
        ends = bounds(c) if callable(bounds) else bounds
        limits += [
            np.clip(limit, *ends) for limit in (np.minimum(low, least_low), np.maximum(high, least_high))
        ]
    return LimitsOfCurve(*limits)


def frequency_limits(
    curve: FloatArray,
    replicates: FloatArray,
    bias: FloatArray,
    n: int,
    level: float,
    df: float | None = None,
    inflation: float = 1.0,
) -> LimitsOfCurve | None:
    """Return the limits of a smooth curve of frequencies, of n trials, that was not kept within [0, 1].

    Those of ``curve_limits``, or Wilson's of p (1 - p) / SE^2 trials, n at the most, whichever are wider:
    near 0 and 1 a frequency is skewed, and SE comes out too small with it. p is the frequency with two trials
    of either class more. Where the curve lies too high by ``bias``, the lower limit is as much lower, where
    too low, the upper one higher.
    """
    frequency = np.clip(curve, 0.0, 1.0)
    p = (n * frequency + 2) / (n + 4)

    def wilson(c: float, se: FloatArray) -> tuple[FloatArray, FloatArray]:
        return wilson_limits(frequency, np.minimum(n, p * (1 - p) / se**2), c)

    floor, given = least_errors(frequency, n), (level, UNBOUNDED, df, wilson)
    limits = curve_limits(curve, replicates, floor, *given, inflation=inflation)
    if limits is None:
        return None
    lower, higher = np.maximum(bias, 0.0), np.maximum(-bias, 0.0)
    moved = limits.low - lower, limits.high + higher, limits.band_low - lower, limits.band_high + higher
    return LimitsOfCurve(*(np.clip(limit, *RATE) for limit in moved))
