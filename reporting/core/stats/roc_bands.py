"""Confidence bands of ROC curves, in FPR (FAR) and TPR (1 - FRR): six kinds (methods 11).

Curves come as misses and false alarms with thresholds along the last axis, from accept all to reject all;
resamples as rows of such counts, or as what ``curve_readers`` reads off these. ``vertical_band`` and
``threshold_boxes`` hold at one FPR or threshold at a time, the others for the whole curve. That two bands
overlap is no test: curves are compared by a band of their paired difference (``DIFFERENCE``).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.core.stats.rates import ratio
from reporting.core.stats.staircase import cumulate, truth_runs

Kind = Literal["fixed_width", "sup_t", "vertical", "threshold", "sjr", "none"]
"""The bands that need no model of the scores; ``none`` asks for none."""

Reader = Callable[[Any, Any], FloatArray]

SLACK = 1e-12
"""A FPR of the grid this near to one of the curve is the same."""

RATE, DIFFERENCE, UNBOUNDED = (0.0, 1.0), (-1.0, 1.0), (-math.inf, math.inf)
"""What a TPR, and the difference of two, are clipped to."""


MOST_CUTS, MOST_THRESHOLDS = 1024, 100
"""At how many thresholds a resample's distance is measured, and how many thresholds get limits."""


def tpr_at(misses: Any, false_alarms: Any, fpr: Any, end: Literal["upper", "lower"] = "upper") -> FloatArray:
    """TPR at a grid of FPR (shape (G,)) on the staircase polyline (shape (..., K)), shape (..., G).

    In [0, 1]; on a vertical run its upper or its lower end; a FPR outside [0, 1] counts as the nearest end.
    NaN with an empty class. The cost grows with G log K.
    """
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    k = misses.shape[-1]
    m, a = misses.reshape(-1, k), false_alarms.reshape(-1, k)
    n_target, n_nontarget = m[:, -1:], a[:, :1]
    wanted, slack = np.clip(np.asarray(fpr, dtype=np.float64), 0.0, 1.0) * n_nontarget, SLACK * n_nontarget
    if end == "upper":
        near = _above(a, np.floor(wanted + slack))
        far = np.maximum(near - 1, 0)
    else:
        near = _above(a, np.ceil(wanted - slack) - 1) - 1
        far = np.minimum(near + 1, k - 1)
    (a_near, a_far), (m_near, m_far) = ([np.take_along_axis(c, at, 1) for at in (near, far)] for c in (a, m))
    share = np.divide(wanted - a_near, a_far - a_near, out=np.zeros(wanted.shape), where=a_far != a_near)
    tpr = ratio(n_target - m_near + np.clip(share, 0.0, 1.0) * (m_near - m_far), n_target)
    return np.where(n_nontarget == 0, np.nan, tpr).reshape(*misses.shape[:-1], wanted.shape[1])


def _above(falling: Any, bound: FloatArray) -> IntArray:
    """How many numbers of each falling row (shape (R, K)) exceed each bound (shape (R, G)), by bisection."""
    n, numbers, bound = falling.shape[1], falling.ravel(), bound.astype(falling.dtype)
    before = np.arange(len(falling))[:, None] * n - 1
    rank = np.zeros(bound.shape, dtype=np.int64)
    for power in reversed(range(n.bit_length())):
        tried = rank + (1 << power)
        exceeds = numbers[before + np.minimum(tried, n)] > bound
        rank = np.where(exceeds & (tried <= n), tried, rank)
    return rank


def fwb_distances(
    misses: Any, false_alarms: Any, replicate_misses: Any, replicate_alarms: Any, cuts: IntArray | None = None
) -> FloatArray:
    """The smallest lambda whose fixed-width band holds a resample curve whole: shapes (M, K) to (M,).

    The band is the curve displaced by -+lambda (-1 / sqrt(N0), 1 / sqrt(N1)), N0 and N1 of the curve itself.
    Along that direction every monotone curve is met exactly once, and every piecewise linear one departs
    farthest at a vertex: hence exact, without bisection. With ``cuts`` (shape (G,)) it is measured only
    there: too small, by at most half the resample's way between two of them (as ``spread_cuts`` counts it)
    and by 1 to 2% at a thousand of them. NaN for a resample with an empty class.
    """
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    scale = math.sqrt(false_alarms[0]), math.sqrt(misses[-1])
    at, height = _rotated(*points(misses, false_alarms), scale)
    again = np.asarray(replicate_misses), np.asarray(replicate_alarms)
    own_at, own_height = _rotated(*points(*again, cuts), scale)
    here = np.abs(np.interp(own_at, at, height) - own_height).max(axis=-1)
    if cuts is not None:
        return np.asarray(here / 2)
    there = [np.abs(np.interp(at, *row) - height).max() for row in zip(own_at, own_height, strict=True)]
    return np.asarray(np.maximum(here, there) / 2)


def _rotated(x: FloatArray, y: FloatArray, scale: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
    """Coordinates along the curve, unmoved by the displacement, and along the displacement (2 lambda)."""
    across, up = scale
    return x * across + y * up, y * up - x * across


def least_errors(tpr: FloatArray, n_target: int | FloatArray, added: float = 4.0) -> FloatArray:
    """Return the least standard error of a TPR that is believed: sqrt(p (1 - p) / (N1 + a)).

    p = (N1 TPR + a / 2) / (N1 + a), with ``added`` trials a, half of them right: near 0 and 1 resamples have
    no spread, and show nothing. Four are the square of 2, the normal quantile. Agresti, Coull 1998.
    """
    p = (n_target * tpr + added / 2) / (n_target + added)
    return np.asarray(np.sqrt(p * (1 - p) / (n_target + added)))


def fpr_grid(n_nontarget: int) -> FloatArray:
    """FPR that look even on linear and on warped axes: hundredths, and ten a decade down to half an error."""
    decades = math.log10(2 * max(n_nontarget, 50))
    return np.unique(np.concatenate((np.arange(101) / 100, 10.0 ** (-np.arange(1, 10 * decades) / 10))))


def spread_cuts(misses: Any, false_alarms: Any, most: int) -> IntArray:
    """At most ``most`` thresholds of a curve, both ends among them, about evenly far apart along it.

    The way between two is rejected non-targets / sqrt(N0) + targets / sqrt(N1); long ways are shortened, so
    that none are wasted on them. Both classes need trials.
    """
    if len(misses) <= most:
        return np.arange(len(misses))
    steps = np.diff(misses) / math.sqrt(misses[-1]) - np.diff(false_alarms) / math.sqrt(false_alarms[0])
    way = np.concatenate(([0.0], np.cumsum(np.minimum(steps, steps.sum() / most))))
    return np.unique(np.searchsorted(way, np.linspace(0, way[-1], most)))


def curve_readers(
    kind: Kind, n_target: IntArray, n_nontarget: IntArray, *, compared: bool = False
) -> dict[str, Reader]:
    """What to read off resamples of a model, its misses and false alarms at its runs' thresholds, by name.

    ``distance`` (shape (M,)) for fixed_width; ``tpr`` (shape (M, G)) over ``fpr_grid`` for sup_t, vertical
    and where models are ``compared``. Counts are those at distinct scores. Nothing where a class is empty.
    """
    if not n_target.any() or not n_nontarget.any():
        return {}
    _, misses, false_alarms = _on_runs(n_target, n_nontarget)
    readers: dict[str, Reader] = {}
    if kind == "fixed_width":
        cuts = spread_cuts(misses, false_alarms, MOST_CUTS) if len(misses) > MOST_CUTS else None
        readers["distance"] = partial(fwb_distances, misses, false_alarms, cuts=cuts)
    if kind in ("sup_t", "vertical") or (compared and kind != "none"):
        readers["tpr"] = partial(tpr_at, fpr=fpr_grid(int(false_alarms[0])))
    return readers


def threshold_cuts(n_target: IntArray, n_nontarget: IntArray) -> IntArray:
    """The thresholds that get limits: between runs, and at most ``MOST_THRESHOLDS``."""
    at, misses, false_alarms = _on_runs(n_target, n_nontarget)
    return at[spread_cuts(misses, false_alarms, MOST_THRESHOLDS)]


def _on_runs(n_target: IntArray, n_nontarget: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """The thresholds between truth-state runs, with both ends, and the errors there: the ROC is the same."""
    at = np.append(np.flatnonzero(np.diff(truth_runs(n_target, n_nontarget), prepend=-1)), len(n_target))
    misses, false_alarms = cumulate(n_target, n_nontarget)
    return at, misses[at], false_alarms[at]


def points(misses: Any, false_alarms: Any, cuts: IntArray | None = None) -> tuple[FloatArray, FloatArray]:
    """FPR and TPR at some thresholds, or from (0, 0) to (1, 1) at all of them."""
    at: Any = slice(None, None, -1) if cuts is None else cuts[::-1]
    n_target, n_nontarget = misses[..., -1:], false_alarms[..., :1]
    return ratio(false_alarms[..., at], n_nontarget), ratio(n_target - misses[..., at], n_target)
