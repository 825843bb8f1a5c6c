"""Precision and its kin on a binormal curve (a, b) in a population with a share alpha of targets.

A threshold is given by its TPR, or by z = (t - mu1) / sd1: TPR = Phi(-z), FAR = Phi(-(z + a) / b).
Parameters are numbers or arrays that broadcast. Undefined is NaN: where the curve is (``stats/binormal.py``)
and for alpha outside [0, 1]. At alpha 0 and 1 the limits are taken: precision 0 and 1. Methods 12.5;
Brodersen, Ong, Stephan, Buhmann 2010.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, log_ndtr, logit, ndtr, ndtri

from reporting.stats.binormal import defined, false_acceptance
from reporting.stats.rates import ratio
from reporting.stats.staircase import FloatArray

NODES = 801
"""Nodes of the average precision over z in [-10, 10], as long as b is not small."""
REACH = 10.0
"""Beyond this z there is less than 1e-22 of the targets."""
STEEP = 0.25
"""Below this b precision turns within a fraction of a unit of z, and the nodes move closer together."""
CLOSEST = 64
"""How many times more nodes there are at most."""
BLOCK = 2**20
"""Precisions that are held at a time."""
GOLDEN = (np.sqrt(5) - 1) / 2


def precision_at(hits: Any, a: Any, b: Any, alpha: Any) -> FloatArray:
    """Precision where TPR = ``hits``, in [0, 1], higher is better; its limit at TPR 0."""
    return precision_at_z(-ndtri(hits), a, b, alpha)


def precision_at_z(z: Any, a: Any, b: Any, alpha: Any) -> FloatArray:
    """alpha TPR / (alpha TPR + (1 - alpha) FAR) at the threshold mu1 + sd1 z, in [0, 1], higher is better.

    Taken as expit(logit alpha + log TPR - log FAR), so that no tail is too far. At z = inf, and where both
    logarithms leave the doubles, it is ``precision_limit``.
    """
    a, b = defined(a, b)
    z, alpha = np.asarray(z, dtype=np.float64), np.asarray(alpha, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        hits, alarms = log_ndtr(-z), log_ndtr(-(z + a) / b)
        inner = expit(logit(alpha) + hits - alarms)
    beyond = np.isneginf(hits) & (np.isneginf(alarms) | np.isposinf(z))
    value = np.where(beyond, precision_limit(a, b, alpha), inner)
    return _at_ends(value, a + z, alpha)


def precision_limit(a: Any, b: Any, alpha: Any) -> FloatArray:
    """Precision as the threshold rises without end: 1 for b < 1, 0 for b > 1; methods 12.5.

    For b = 1 it is 1 where a > 0, 0 where a < 0 and alpha where a = 0, a curve on the diagonal.
    """
    a, b = defined(a, b)
    alpha = np.asarray(alpha, dtype=np.float64)
    lead = np.where(b == 1, np.sign(a), np.sign(1 - b))
    return _at_ends(np.where(lead > 0, 1.0, np.where(lead < 0, 0.0, alpha)), a, alpha)


def _at_ends(value: FloatArray, known: FloatArray, alpha: FloatArray) -> FloatArray:
    """The limits at alpha 0 and 1; NaN where alpha is no share, and where ``known`` is NaN."""
    value = np.where((alpha == 0) | (alpha == 1), alpha, value)
    return np.asarray(np.where((alpha >= 0) & (alpha <= 1) & ~np.isnan(known), value, np.nan))


def average_precision(a: Any, b: Any, alpha: Any, nodes: int = NODES) -> FloatArray:
    """Area under precision against recall, the integral of phi(z) PPV(z), in [0, 1], higher is better.

    Trapezoids over z in [-10, 10], which converge exponentially; below b = .25 their number grows as 1 / b.
    Chance (a = 0, b = 1) gives alpha. Methods 12.5.
    """
    a, b, alpha = (np.asarray(x, dtype=np.float64) for x in (a, b, alpha))
    a, b, alpha = np.broadcast_arrays(*defined(a, b), alpha)
    flat = a.ravel(), b.ravel(), alpha.ravel()
    finer = np.ceil(np.clip(np.nan_to_num(STEEP / flat[1], nan=1.0), 1, CLOSEST)).astype(np.int64)
    value = np.full(a.size, np.nan)
    for factor in np.unique(finer):
        rows = np.flatnonzero(finer == factor)
        z = np.linspace(-REACH, REACH, int(factor) * (nodes - 1) + 1)
        step = max(1, BLOCK // len(z))
        for at in range(0, len(rows), step):
            part = rows[at : at + step]
            value[part] = _integral(z, *(x[part, None] for x in flat))
    return value.reshape(a.shape)


def _integral(z: FloatArray, a: FloatArray, b: FloatArray, alpha: FloatArray) -> FloatArray:
    weight = np.exp(-z * z / 2) * (2 * REACH / (len(z) - 1) / np.sqrt(2 * np.pi))
    return np.asarray(np.minimum((precision_at_z(z, a, b, alpha) * weight).sum(axis=-1), 1.0))


def f1_at(hits: Any, a: Any, b: Any, alpha: Any) -> FloatArray:
    """F1 = 2 alpha TPR / (alpha (1 + TPR) + (1 - alpha) FAR) where TPR = ``hits``, in [0, 1].

    Higher is better. 0/0, without targets and without alarms, is undefined.
    """
    alpha = np.asarray(alpha, dtype=np.float64)
    return _f1(np.asarray(hits, dtype=np.float64), false_acceptance(hits, a, b), alpha)


def _f1(hits: FloatArray, far: FloatArray, alpha: FloatArray) -> FloatArray:
    alpha = np.where((alpha >= 0) & (alpha <= 1), alpha, np.nan)
    return ratio(2 * alpha * hits, alpha * (1 + hits) + (1 - alpha) * far)


class BestF1(NamedTuple):
    """The largest F1 of a curve, and the TPR at which it is reached."""

    f1: FloatArray
    hits: FloatArray


def best_f1(a: Any, b: Any, alpha: Any) -> BestF1:
    """Return the largest F1 on the curve and its TPR, in [0, 1], higher is better; NaN for alpha = 0.

    The best of a grid even in z and in Phi^-1(FAR), then golden sections between its neighbours: the value
    is exact to rounding, the TPR to about 1e-8, where F1 no longer changes.
    """
    a, b, alpha = (np.asarray(x, dtype=np.float64) for x in (a, b, alpha))
    a, b, alpha = np.broadcast_arrays(*defined(a, b), alpha)
    flat = a.ravel(), b.ravel(), np.where(alpha > 0, alpha, np.nan).ravel()
    found = np.full((2, a.size), np.nan)
    step = BLOCK // NODES
    for at in range(0, a.size, step):
        found[:, at : at + step] = _peak(*(x[at : at + step, None] for x in flat))
    return BestF1(*found.reshape(2, *a.shape))


def _peak(a: FloatArray, b: FloatArray, alpha: FloatArray) -> tuple[FloatArray, FloatArray]:
    def value(z: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            return _f1(ndtr(-z), ndtr(-(z + a) / b), alpha)

    even = np.linspace(-REACH, REACH, NODES // 2)
    both = np.concatenate(np.broadcast_arrays(even, np.clip(-a - b * even, -REACH, REACH)), axis=-1)
    grid = np.sort(both, axis=-1)
    best = np.nan_to_num(value(grid), nan=-1.0).argmax(axis=-1)[:, None]
    low, high = (
        np.take_along_axis(grid, np.clip(best + move, 0, grid.shape[-1] - 1), axis=-1) for move in (-1, 1)
    )
    middle = np.take_along_axis(grid, best, axis=-1)
    for _ in range(50):
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        rising = value(left) < value(right)
        low, high = np.where(rising, left, low), np.where(rising, high, right)
    z = (low + high) / 2
    z = np.where(value(z) >= value(middle), z, middle)
    f1 = value(z)
    return f1[:, 0], np.where(np.isnan(f1), np.nan, ndtr(-z))[:, 0]


def mass_of(
    far: Any, frr: Any, alpha: Any, n: float = 1.0
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Misses, false alarms, targets and non-targets of a population of mass ``n``, for any measure of counts.

    alpha FRR, (1 - alpha) FAR, alpha and 1 - alpha, times n: what ``stats/confusion.py`` takes.
    """
    far, frr, alpha = (np.asarray(x, dtype=np.float64) for x in (far, frr, alpha))
    alpha = np.where((alpha >= 0) & (alpha <= 1), alpha, np.nan)
    return n * alpha * frr, n * (1 - alpha) * far, n * alpha, n * (1 - alpha)
