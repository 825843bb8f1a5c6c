"""Limits of a curve from its bootstrap replicates: at every point by itself, and for the whole curve."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from reporting.stats.intervals import quantile
from reporting.stats.roc_bands import upper_quantile
from reporting.stats.staircase import FloatArray


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
    bounds: tuple[float, float],
    df: int | None = None,
) -> LimitsOfCurve | None:
    """Return estimate -+ z SE, and estimate -+ c SE with one c for the whole curve, clipped to ``bounds``.

    SE is the spread of the replicates (shape (M, G)), at least ``floor`` (shape (G,)): where few trials
    decide, replicates have none. c is the order statistic ceil((M + 1) level) of max over the points of
    |replicate - estimate| / SE, at least z. With ``df``, clusters less one, SE has the factor
    sqrt((df + 1) / df), and t replaces z, in c too. None where replicates are too few or undefined.
    """
    if len(replicates) < 2 or not np.isfinite(replicates).all():
        return None
    spread = replicates.std(axis=0, ddof=1)
    if df is not None:
        spread = spread * math.sqrt((df + 1) / df)
    se = np.maximum(spread, floor)
    distance = np.abs(replicates - estimate)
    farthest = np.divide(distance, se, out=np.zeros_like(distance), where=se > 0).max(axis=1, initial=0.0)
    simultaneous = upper_quantile(farthest, level)
    if simultaneous is None:
        return None
    pointwise = quantile(level, df)
    simultaneous = max(simultaneous * pointwise / quantile(level, None), pointwise)
    limits = (estimate + sign * c * se for c in (pointwise, simultaneous) for sign in (-1, 1))
    return LimitsOfCurve(*(np.clip(limit, *bounds) for limit in limits))
