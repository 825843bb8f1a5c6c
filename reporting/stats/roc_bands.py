"""Confidence bands of ROC curves, in FPR (FAR) and TPR (1 - FRR): six kinds (methods 11).

Curves come as misses and false alarms with cuts along the last axis, from accept all to reject all; their
replicates as rows of such counts, or as TPR over a grid of FPR (``tpr_at``). ``vertical_band`` and
``threshold_boxes`` hold at one FPR or threshold at a time; the others hold the whole curve at once. That two
bands overlap is no test: two curves are compared by a band of their paired difference, from replicates that
both models share (``vertical_band`` or ``sup_t_band`` with ``DIFFERENCE``).
"""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from reporting.stats.intervals import order_statistics
from reporting.stats.rates import ratio
from reporting.stats.staircase import FloatArray

SLACK = 1e-12
"""A FPR of the grid this near to one of the curve is the same."""

RATE, DIFFERENCE = (0.0, 1.0), (-1.0, 1.0)
"""What a TPR, and the difference of two, are clipped to."""

SUP_T_RANGE = (0.01, 0.99)
"""FPR where the sup-t band stands: nearer to the ends the spread of replicates says too little."""


class Band(NamedTuple):
    """Lower and upper limit of the curve at every FPR of a grid (each of shape (G,))."""

    fpr: FloatArray
    low: FloatArray
    high: FloatArray


class Boxes(NamedTuple):
    """Limits of FPR and of TPR at every threshold (each of shape (T,))."""

    fpr_low: FloatArray
    fpr_high: FloatArray
    tpr_low: FloatArray
    tpr_high: FloatArray


def tpr_at(misses: Any, false_alarms: Any, fpr: Any, end: Literal["upper", "lower"] = "upper") -> FloatArray:
    """TPR at a grid of FPR (shape (G,)) on the staircase polyline (shape (..., K)), shape (..., G).

    In [0, 1]; on a vertical run its upper or its lower end; a FPR outside [0, 1] counts as the nearest end.
    NaN with an empty class.
    """
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    wanted = np.clip(np.asarray(fpr, dtype=np.float64), 0.0, 1.0)
    rows = misses.reshape(-1, misses.shape[-1]), false_alarms.reshape(-1, misses.shape[-1])
    found = [_row_at(m, a, wanted, end) for m, a in zip(*rows, strict=True)]
    return np.reshape(found, (*misses.shape[:-1], len(wanted)))


def _row_at(misses: Any, false_alarms: Any, fpr: FloatArray, end: str) -> FloatArray:
    if misses[-1] == 0 or false_alarms[0] == 0:
        return np.full(len(fpr), np.nan)
    x, y = _points(misses, false_alarms)
    if end == "upper":
        before = np.searchsorted(x, fpr + SLACK, side="right") - 1
        after = np.minimum(before + 1, len(x) - 1)
    else:
        after = np.searchsorted(x, fpr - SLACK, side="left")
        before = np.maximum(after - 1, 0)
    near, far = (before, after) if end == "upper" else (after, before)
    run = x[far] - x[near]
    share = np.divide(fpr - x[near], run, out=np.zeros(len(fpr)), where=run != 0)
    return np.asarray(y[near] + np.clip(share, 0.0, 1.0) * (y[far] - y[near]))


def _points(misses: Any, false_alarms: Any) -> tuple[FloatArray, FloatArray]:
    """FPR and TPR from (0, 0) to (1, 1)."""
    n_target = misses[..., -1:]
    return (
        ratio(false_alarms, false_alarms[..., :1])[..., ::-1],
        ratio(n_target - misses, n_target)[..., ::-1],
    )


def vertical_band(
    fpr: FloatArray, replicates: FloatArray, level: float, bounds: tuple[float, float] = RATE
) -> Band | None:
    """Pointwise band at fixed FPR: percentile limits of replicates (shape (M, G)).

    Vertical averaging. It holds at one FPR at a time: as a band it covers a whole curve in about one sample
    of twenty. None where M is too small. Pass differences of two curves with ``bounds=DIFFERENCE``.
    Methods 11.1.
    """
    limits = _percentile_limits(replicates, level)
    return limits and Band(fpr, *(np.clip(limit, *bounds) for limit in limits))


def threshold_boxes(fpr: FloatArray, tpr: FloatArray, level: float) -> Boxes | None:
    """Pointwise limits at fixed thresholds: percentiles of replicates of FPR and of TPR (shape (M, T)).

    Threshold averaging: axis-aligned, each rate on its own, about the binomial intervals of both. None where
    M is too small. Methods 11.2.
    """
    across, up = _percentile_limits(fpr, level), _percentile_limits(tpr, level)
    return Boxes(*across, *up) if across and up else None


def _percentile_limits(replicates: FloatArray, level: float) -> tuple[FloatArray, FloatArray] | None:
    """``intervals.percentile`` of every column."""
    r, upper = order_statistics(len(replicates), level)
    if r < 1:
        return None
    ordered = np.partition(replicates, (r - 1, upper - 1), axis=0)
    return ordered[r - 1], ordered[upper - 1]


def ks_distance(n: int, level: float) -> float:
    """The exact quantile of sup |F_n - F|, the Kolmogorov-Smirnov distance of n > 0 independent scores.

    In (0, 1); about 1.358 / sqrt(n) at 95 %. Methods 11.3.
    """
    # Loaded only here: the asymptotic ``kolmogi`` of scipy.special is too wide for few scores.
    from scipy.stats import kstwo

    return float(kstwo.ppf(level, n))


def sjr_band(misses: Any, false_alarms: Any, fpr: FloatArray, level: float) -> Band:
    """Simultaneous joint regions: the curve displaced by the Kolmogorov-Smirnov distances of both classes.

    U(x) = ROC(x + d0) + d1 and L(x) = ROC(x - d0) - d1, each d at the level sqrt(level) of its class. It
    covers with at least ``level`` for any scores, needs no replicates, and is wide. Both classes need
    trials. Campbell 1994; methods 11.3.
    """
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    d1, d0 = (ks_distance(int(n), math.sqrt(level)) for n in (misses[-1], false_alarms[0]))
    return _displaced(misses, false_alarms, fpr, d0, d1)


def _displaced(misses: Any, false_alarms: Any, fpr: FloatArray, across: float, up: float) -> Band:
    """The region between the curve moved to upper left and the curve moved to lower right."""
    high = tpr_at(misses, false_alarms, fpr + across, "upper") + up
    low = tpr_at(misses, false_alarms, fpr - across, "lower") - up
    return Band(fpr, np.clip(low, *RATE), np.clip(high, *RATE))


def working_hotelling_band(
    fpr: FloatArray, a: float, b: float, covariance: tuple[float, float, float], level: float
) -> Band:
    """Phi(a + b z -+ q sqrt(v_a + 2 z v_ab + z^2 v_b)) of a binormal curve, z = Phi^-1(FPR), b > 0.

    ``covariance`` holds v_a, v_b, v_ab; q^2 = -2 ln(1 - level) is the quantile of chi-squared with 2 degrees
    of freedom. At FPR 0 and 1 the band takes its limits there, [0, 0] and [1, 1], or [0, 1] where a slope of
    0 is within reach of the estimate.
    Ma, Hall 1993; methods 11.4.
    """
    v_a, v_b, v_ab = covariance
    q = math.sqrt(-2 * math.log1p(-level))
    z = ndtri(fpr)
    ends = ~np.isfinite(z)
    inner = np.where(ends, 0.0, z)
    half = q * np.sqrt(np.maximum(v_a + 2 * inner * v_ab + inner * inner * v_b, 0.0))
    low, high = ndtr(a + b * inner - half), ndtr(a + b * inner + half)
    open_slope = q * math.sqrt(v_b) >= b
    low = np.where(ends, (z > 0) & (not open_slope), low)
    high = np.where(ends, (z > 0) | open_slope, high)
    return Band(fpr, np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64))


def fwb_distances(misses: Any, false_alarms: Any, replicate_misses: Any, replicate_alarms: Any) -> FloatArray:
    """The smallest lambda whose fixed-width band holds a replicate curve whole: shapes (M, K) to (M,).

    The band is the curve displaced by -+lambda (-1 / sqrt(N0), 1 / sqrt(N1)), N0 and N1 of the curve itself.
    Along that direction every monotone curve is met exactly once, and every piecewise linear one departs
    farthest at a vertex: hence exact, without bisection. NaN for a replicate with an empty class.
    """
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    scale = math.sqrt(false_alarms[0]), math.sqrt(misses[-1])
    at, height = _rotated(*_points(misses, false_alarms), scale)
    points = _points(np.asarray(replicate_misses), np.asarray(replicate_alarms))
    distances = np.full(len(points[0]), np.nan)
    for row, (x, y) in enumerate(zip(*points, strict=True)):
        if np.isnan(x[0]) or np.isnan(y[0]):
            continue
        own_at, own_height = _rotated(x, y, scale)
        here = np.abs(np.interp(own_at, at, height) - own_height).max()
        there = np.abs(np.interp(at, own_at, own_height) - height).max()
        distances[row] = max(here, there) / 2
    return distances


def _rotated(x: FloatArray, y: FloatArray, scale: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
    """Coordinates along the curve, unmoved by the displacement, and along the displacement (2 lambda)."""
    across, up = scale
    return x * across + y * up, y * up - x * across


def fwb_band(
    misses: Any, false_alarms: Any, distances: FloatArray, fpr: FloatArray, level: float
) -> Band | None:
    """Fixed-width band: the curve displaced so far that it holds ``level`` of the replicate curves whole.

    ``distances`` are those of ``fwb_distances`` (shape (M,)); lambda is their order statistic
    ceil((M + 1) level). None where M is too small, or too many replicates have lost a class.
    Macskassy, Provost 2004; methods 11.5.
    """
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    width = _upper_quantile(distances, level)
    if width is None:
        return None
    across, up = width / math.sqrt(false_alarms[0]), width / math.sqrt(misses[-1])
    return _displaced(misses, false_alarms, fpr, across, up)


def sup_t_band(
    fpr: FloatArray,
    estimate: FloatArray,
    replicates: FloatArray,
    n_target: int,
    level: float,
    bounds: tuple[float, float] = RATE,
) -> Band | None:
    """Simultaneous vertical band TPR -+ c SE(x) over the FPR of the grid in [.01, .99].

    SE is the spread of the replicates (shape (M, G)), at least half a target's step 1 / (2 N1); c is the
    order statistic ceil((M + 1) level) of max over x of |TPR* - TPR| / SE. Pass the paired differences of
    two curves with ``bounds=DIFFERENCE``: where the band leaves 0, the curves differ. None where M is
    too small, or replicates are undefined. Methods 11.6.
    """
    inside = (fpr >= SUP_T_RANGE[0]) & (fpr <= SUP_T_RANGE[1])
    fpr, estimate, replicates = fpr[inside], estimate[inside], replicates[:, inside]
    if len(replicates) < 2 or not len(fpr):
        return None
    se = np.maximum(replicates.std(axis=0, ddof=1), 0.5 / n_target)
    c = _upper_quantile((np.abs(replicates - estimate) / se).max(axis=1), level)
    if c is None:
        return None
    return Band(fpr, np.clip(estimate - c * se, *bounds), np.clip(estimate + c * se, *bounds))


def _upper_quantile(distances: FloatArray, level: float) -> float | None:
    """Order statistic ceil((M + 1) level), undefined distances being farthest."""
    rank = math.ceil((len(distances) + 1) * level - 1e-9)
    if rank > len(distances):
        return None
    # NaN sorts behind everything.
    found = float(np.partition(distances, rank - 1)[rank - 1])
    return found if math.isfinite(found) else None
