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


def effective_sizes(
    shares: FloatArray, replicates: FloatArray, sizes: FloatArray, df: int | None
) -> FloatArray:
    """Return how many independent trials the shares along a curve are worth (shape (G,)).

    Independent trials are worth ``sizes`` (shape (G,)). Of clusters, ``df`` + 1 in number, these are divided
    by one design effect: the mean over the curve of n SE^2 / (p (1 - p)), at least 1, weighted by the errors
    n p, because a point with few errors shows none of its own.
    """
    if df is None:
        return sizes
    variance = replicates.var(axis=0, ddof=1) * (df + 1) / df
    binomial = shares * (1 - shares) / sizes
    effect = np.divide(variance, binomial, out=np.ones_like(sizes), where=binomial > 0)
    errors = shares * sizes
    if not errors.any():
        return sizes
    return np.asarray(sizes / np.average(np.maximum(effect, 1.0), weights=errors))
