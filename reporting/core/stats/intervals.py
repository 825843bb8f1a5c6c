"""Intervals and p-values: proportions in closed form, and from bootstrap resamples (methods 5.3, 8.5)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.core.stats.solvers import root
from reporting.core.stats.special import expit, logit, ndtr, ndtri, stdtr, stdtrit

ZERO = 1e-12
"""A resample difference below this is zero: it counts in both tails."""


class Interval(NamedTuple):
    """Two limits."""

    low: float
    high: float


def quantile(level: float, df: float | None) -> float:
    """The quantile that leaves (1 - level) / 2 above it: of the normal, or of Student's t."""
    above = (1 + level) / 2
    return float(ndtri(above) if df is None else stdtrit(df, above))


def level_of(critical: float, df: float | None = None) -> float:
    """Return the two-sided level of an interval that reaches so many standard errors: 2 Phi(c) - 1.

    Of Student's t where ``df`` is given.
    """
    return 2 * float(ndtr(critical) if df is None else stdtr(df, critical)) - 1


def times_of_t(df: float | None, level: float) -> float:
    """Return how many times as far Student's t reaches as the normal; 1 where ``df`` is None."""
    return quantile(level, df) / quantile(level, None)


def wilson(errors: int, n: int, level: float) -> Interval:
    """Wilson score interval of a proportion errors / n, n > 0; in [0, 1]."""
    z = float(ndtri((1 + level) / 2))
    centre, shrink = (errors + z * z / 2) / n, 1 + z * z / n
    half = z * math.sqrt(errors * (n - errors) / n + z * z / 4) / n
    return Interval(max(0.0, (centre - half) / shrink), min(1.0, (centre + half) / shrink))


def order_statistics(replicates: int, level: float) -> tuple[int, int]:
    """Ranks (1-based) of the percentile limits: r = floor((M + 1)(1 - level) / 2) and M + 1 - r.

    r = 0 means that M is too small for limits at this level. Methods, decision (iv).
    """
    # The guard keeps (M + 1)(1 - .9) / 2 = 0.9999999... from losing a rank.
    r = math.floor((replicates + 1) * (1 - level) / 2 + 1e-9)
    return r, replicates + 1 - r


def upper_rank(replicates: int, level: float) -> int:
    """Rank (1-based) of the order statistic that holds a share ``level`` below it: ceil((M + 1) level).

    Above M where M is too small for one.
    """
    # The guard is that of ``order_statistics``.
    return math.ceil((replicates + 1) * level - 1e-9)


def upper_quantile(distances: FloatArray, level: float) -> float | None:
    """Return the order statistic ceil((M + 1) level) of M distances, undefined ones being farthest."""
    rank = upper_rank(len(distances), level)
    if rank > len(distances):
        return None
    # NaN sorts behind everything.
    quantile = float(np.partition(distances, rank - 1)[rank - 1])
    return quantile if math.isfinite(quantile) else None


def percentile(replicates: FloatArray, level: float) -> Interval | None:
    """Percentile interval: order statistics of the resamples (shape (M,)); None where M is too small."""
    r, upper = order_statistics(len(replicates), level)
    if r < 1:
        return None
    limits = np.partition(replicates, (r - 1, upper - 1))
    return Interval(float(limits[r - 1]), float(limits[upper - 1]))


def percentile_p(differences: FloatArray) -> float:
    """Two-sided +1 p-value: min(1, 2 min((1 + #{D* <= 0}), (1 + #{D* >= 0})) / (M + 1))."""
    below = int((differences <= ZERO).sum())
    above = int((differences >= -ZERO).sum())
    return min(1.0, 2 * (1 + min(below, above)) / (len(differences) + 1))


def centred(replicates: FloatArray, level: float) -> Interval | None:
    """Symmetric interval m -+ h around the mean m of the resamples (shape (M,)).

    h is the order statistic ceil((M + 1) level) of |D* - m|, dual to ``centred_p``; None where M is too
    small. The papers' interval "centred at the empirical mean"; methods 8.5; methods, erratum E14.
    """
    rank = upper_rank(len(replicates), level)
    if rank > len(replicates):
        return None
    middle = float(replicates.mean())
    half = float(np.partition(np.abs(replicates - middle), rank - 1)[rank - 1])
    return Interval(middle - half, middle + half)


def centred_p(differences: FloatArray) -> float:
    """Two-sided +1 p-value (1 + #{|D* - m| >= |m|}) / (M + 1), m the mean of D*; methods 8.5."""
    middle = float(differences.mean())
    beyond = int((np.abs(differences - middle) >= abs(middle) - ZERO).sum())
    return (1 + beyond) / (len(differences) + 1)


def basic(estimate: float, replicates: FloatArray, level: float) -> Interval | None:
    """Basic interval: the percentile limits (``percentile``) mirrored at the estimate, 2 D - Q.

    None where M is too small. May leave the range of the measure. Methods 8.5.
    """
    limits = percentile(replicates, level)
    return limits and Interval(2 * estimate - limits.high, 2 * estimate - limits.low)


def basic_p(estimate: float, differences: FloatArray) -> float:
    """Two-sided +1 p-value (1 + #{|D* - D| >= |D|}) / (M + 1), D the estimate: the "shift" p; methods 8.5.

    It puts both tails together, so that it may disagree about 0 with the equal-tailed ``basic``.
    """
    beyond = int((np.abs(differences - estimate) >= abs(estimate) - ZERO).sum())
    return (1 + beyond) / (len(differences) + 1)


def acceleration(influence: Any, count: Any = 1) -> float:
    """Acceleration a = sum c psi^3 / (6 (sum c psi^2)^(3/2)) of a statistic D; NaN if all psi are 0.

    ``influence`` holds psi = dD / dc (shape (R,)) of every trial, or of every pattern of trials with
    ``count`` trials c each; of dependent trials psi is the sum over their cluster. Swapping two models
    negates it. Efron 1987; methods 8.4.
    """
    psi = np.asarray(influence, dtype=np.float64)
    c = np.broadcast_to(np.asarray(count, dtype=np.float64), psi.shape)
    spread = float((c * psi**2).sum())
    return float((c * psi**3).sum()) / (6 * spread**1.5) if spread > 0 else math.nan


def bias_correction(estimate: float, replicates: FloatArray) -> float:
    """z0 = Phi^-1((#{D* < D} + half #{D* = D}) / M); infinite where D is beyond all resamples."""
    return float(ndtri(_share_below(estimate, replicates)))


def bca(estimate: float, replicates: FloatArray, a: float, level: float) -> Interval | None:
    """BCa interval of an estimate from its resamples (shape (M,)) and its ``acceleration``.

    The percentile limits at the levels Phi(z0 + (z0 + z) / (1 - a (z0 + z))), as order statistics
    floor((M + 1) beta) from either end: ``percentile`` where z0 = a = 0, and swapped ends where the models
    are swapped. None where M is too small, the estimate is beyond all resamples, or a is undefined or so
    large that the levels fold back. Efron 1987; methods 8.5.
    """
    z0, z = bias_correction(estimate, replicates), float(ndtri((1 + level) / 2))
    low, high = _adjusted(-z, z0, a), _adjusted(z, z0, a)
    if not math.isfinite(low + high):
        return None
    m = len(replicates)
    # The guard is that of ``order_statistics``.
    down = math.floor((m + 1) * float(ndtr(low)) + 1e-9)
    up = math.floor((m + 1) * float(ndtr(-high)) + 1e-9)
    if down < 1 or up < 1:
        return None
    limits = np.partition(replicates, (down - 1, m - up))
    return Interval(float(limits[down - 1]), float(limits[m - up]))


def bca_p(estimate: float, differences: FloatArray, a: float) -> float:
    """Two-sided p-value dual to ``bca``; NaN where z0 or a is undefined.

    Each tail's share G of resamples beyond 0 (zeros count half) becomes Phi(y / (1 + a y) - z0) with
    y = Phi^-1(G) - z0, G counted with the +1 of Monte Carlo p-values; p is twice the smaller, at most 1.
    Beyond the pole 1 + a y = 0 a tail is empty, and p is the least attainable, 2 / (M + 1). Methods 8.5.
    """
    z0, m = bias_correction(estimate, differences), len(differences)
    if not (math.isfinite(z0) and math.isfinite(a)):
        return math.nan
    below = _share_below(0.0, differences) * m
    tails = _tail((1 + below) / (m + 1), z0, a), _tail((1 + m - below) / (m + 1), -z0, -a)
    return min(1.0, 2 * min(tails)) or 2 / (m + 1)


def normal(estimate: float, se: float, level: float, df: float | None = None) -> Interval:
    """estimate -+ z se; Student's t with df degrees of freedom, where given."""
    half = quantile(level, df) * se
    return Interval(estimate - half, estimate + half)


def normal_p(estimate: float, se: float, df: float | None = None) -> float:
    """Two-sided p of z = estimate / se, se > 0, or of Student's t with df degrees of freedom."""
    z = -abs(estimate) / se
    return float(2 * (ndtr(z) if df is None else stdtr(df, z)))


def normal_p_error(estimate: float, se: float, replicates: int) -> float:
    """Monte Carlo standard error of ``normal_p`` where se is the spread of M resamples.

    The relative error of such an se is 1 / sqrt(2 M); the p-value moves by 2 phi(z) |z| times that.
    """
    z = abs(estimate) / se
    density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    return 2 * density * z / math.sqrt(2 * replicates)


def logit_interval(estimate: float, se: float, level: float, df: float | None = None) -> Interval:
    """Interval of a number in (0, 1), symmetric on the logit scale; Student's t where ``df`` is given."""
    middle, half = float(logit(estimate)), quantile(level, df) * se / (estimate * (1 - estimate))
    return Interval(float(expit(middle - half)), float(expit(middle + half)))


MOST_AWAY = 700.0
"""The exponential of more is beyond all numbers: the limit is infinite."""


def within(
    estimate: float, se: float, bounds: tuple[float, float], level: float, df: float | None = None
) -> Interval:
    """Interval of a number V between bounds a < V < b, symmetric on a scale that has none.

    The logit of (V - a) / (b - a); log(V - a), or log(b - V), where the other bound is infinite; V where both
    are. Student's t where ``df`` is given. A limit is infinite where V is so near its bound that SE shows
    nothing of the other side.
    """
    a, b = bounds
    if math.isinf(a) and math.isinf(b):
        return normal(estimate, se, level, df)
    if math.isfinite(a) and math.isfinite(b):
        low, high = logit_interval((estimate - a) / (b - a), se / (b - a), level, df)
        return Interval(a + (b - a) * low, a + (b - a) * high)
    if math.isinf(a):
        low, high = within(-estimate, se, (-b, -a), level, df)
        return Interval(-high, -low)
    away = quantile(level, df) * se / (estimate - a)
    high = (estimate - a) * math.exp(away) if away < MOST_AWAY else math.inf
    return Interval(a + (estimate - a) * math.exp(-away), a + high)


def studentized(
    estimate: float, se: float, differences: FloatArray, errors: FloatArray, level: float
) -> Interval | None:
    """Symmetric interval D -+ q SE, q the ``level`` order statistic of |t*|, t* = (D* - D) / SE*.

    Dual to p = (1 + #{|t*| >= |D / SE|}) / (M + 1). A resample with SE* = 0 and D* other than D is
    infinitely far; None where q is then infinite, or where M is too small. The equal-tailed form of
    methods 8.5 is not used: where few trials are discordant SE* shrinks together with D*, and a 95%
    interval of two models without a difference excludes 0 in up to 15% of tables.
    """
    q = upper_quantile(_studentized_distances(estimate, differences, errors), level)
    return None if q is None else Interval(estimate - q * se, estimate + q * se)


def studentized_p(estimate: float, se: float, differences: FloatArray, errors: FloatArray) -> float:
    """Two-sided +1 p-value (1 + #{|t*| >= |D / SE|}) / (M + 1), t* = (D* - D) / SE*; se > 0."""
    t = _studentized_distances(estimate, differences, errors)
    return float((1 + (t >= abs(estimate) / se * (1 - ZERO)).sum()) / (len(differences) + 1))


def _studentized_distances(estimate: float, differences: FloatArray, errors: FloatArray) -> FloatArray:
    """|D* - D| / SE*; infinite where SE* is 0 or undefined and D* is not D."""
    distance = np.abs(differences - estimate)
    distance = np.where(distance < ZERO, 0.0, distance)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(distance == 0, 0.0, distance / errors)
    return np.where(np.isnan(t), np.inf, t)


def _share_below(value: float, replicates: FloatArray) -> float:
    """Share of resamples below a value, those equal to it counted half."""
    equal = np.abs(replicates - value) < ZERO
    below = (replicates < value) & ~equal
    return float((below.sum() + equal.sum() / 2) / len(replicates))


def _adjusted(z: float, z0: float, a: float) -> float:
    """z0 + (z0 + z) / (1 - a (z0 + z)); NaN past the pole, where the levels would fold back."""
    moved = z0 + z
    unit = 1 - a * moved
    return z0 + moved / unit if unit > 0 else math.nan


def _tail(share: float, z0: float, a: float) -> float:
    """The inverse of ``_adjusted`` at a share of resamples, as a probability."""
    if share >= 1:
        return 1.0
    y = float(ndtri(share)) - z0
    unit = 1 + a * y
    if unit <= 0:
        return 0.0 if y < 0 else 1.0
    return float(ndtr(y / unit - z0))


ROOT = 1e-12
"""An area this near to 0 or 1 is where the search for the other limit begins."""


def newcombe_auc(
    auc: float, n_target: int, n_nontarget: int, level: float, observed: float = 0.0
) -> Interval:
    """Interval of an AUC in [0, 1] from independent trials: all areas A with |AUC - A| <= z SE(A).

    SE(A)^2 = A (1 - A) [1 + N* (1 - A) / (2 - A) + N* A / (1 + A)] / (N1 N0), N* = (N1 + N0) / 2 - 1: that of
    Hanley and McNeil with both class sizes at their mean, at A instead of the estimate. It needs no scores,
    and has width at AUC 0 and 1, where the DeLong standard error is 0. Newcombe 2006 (25, 559-573), method 5.

    ``observed`` is the variance that placements show. Where it exceeds SE(AUC)^2, every SE(A)^2 is multiplied
    by their ratio: scores of the smaller class that vary more than those of the other have it.
    """
    z = float(ndtri((1 + level) / 2))

    n = (n_target + n_nontarget) / 2 - 1

    def variance(area: float) -> float:
        shape = 1 + n * (1 - area) / (2 - area) + n * area / (1 + area)
        return area * (1 - area) * shape / (n_target * n_nontarget)

    larger = max(1.0, observed / variance(auc)) if 0 < auc < 1 else 1.0

    def excess(area: float) -> float:
        return (area - auc) ** 2 - z * z * larger * variance(area)

    # At the estimate the excess is not above 0, at 0 and 1 not below. An estimate of 0 or 1 is itself a root
    # of it, and not the one that is sought.
    low = 0.0 if auc <= 0 else root(excess, 0.0, min(auc, 1 - ROOT))
    high = 1.0 if auc >= 1 else root(excess, max(auc, ROOT), 1.0)
    return Interval(low, high)
