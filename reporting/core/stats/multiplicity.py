"""Many comparisons from joint resamples: adjusted p-values, simultaneous bands, the best models.

Resamples have shape (M, J): a row is one draw of the trials, which all J members share, so that what the
members have in common counts in their maximum. T = |D| / SE and T* = |D* - D| / SE, where SE is the spread
(ddof 1) of a member's resamples. A member that never varies has no T and stays out of every maximum; so does
one whose estimate, or a resample, is undefined. Methods 10.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray
from reporting.core.stats.intervals import ZERO, level_of, times_of_t, upper_quantile, upper_rank
from reporting.core.stats.special import ndtr, ndtri

SLACK = 1e-9
"""Statistics this near, relatively, are equal: their last bits must not decide whether a tie counts."""


def bonferroni(level: float, members: int) -> float:
    """Return the level of each of so many limits at which all hold together, however they depend.

    The p-value at which each excludes its hypothesis is then (1 - level) / members.
    """
    return 1 - (1 - level) / members


def sidak(level: float, members: int) -> float:
    """Return the level of each at which limits of independent numbers hold together: level^(1 / members).

    Of normal estimates also however they depend. Šidák 1967.
    """
    return float(level ** (1 / members))


class BandLevel(NamedTuple):
    """The level of each limit at which all along a curve hold together, by the degrees of freedom it has."""

    c: float
    """How many normal standard errors limits reach (``critical_value``); NaN where nothing varies."""
    level: float
    """The level at which all hold."""

    def at(self, df: float | None) -> float:
        """Return the level at which Student's t reaches c t / z, t and z being quantiles of ``level``.

        At least that of two independent numbers: FAR alone counts at one end of a curve, FRR at the other.
        """
        least = sidak(self.level, 2)
        return least if math.isnan(self.c) else max(least, level_of(self.c * times_of_t(df, self.level), df))


class Simultaneous(NamedTuple):
    """Joint limits of all members (each of shape (J,)), and c, how many SE they lie from the estimate."""

    low: FloatArray
    high: FloatArray
    c: float


class BestSet(NamedTuple):
    """Whether each model is in contention, its one-sided p, its distance behind the best (shape (K,)).

    ``behind`` is how much worse a model is than the best in this sample, never below 0; ``low`` and ``high``
    are its limits.
    """

    member: BoolArray
    p: FloatArray
    behind: FloatArray
    low: FloatArray
    high: FloatArray


def step_down(estimate: FloatArray, replicates: FloatArray) -> FloatArray:
    """Adjust two-sided p-values for the family, each member for those whose T is not larger; shape (J,).

    From the largest T down, a p-value is at least the one before. Never above the single-step p-value,
    and holds the error of the family all the same; it has no intervals. Westfall, Young 1993; methods 10.
    """
    se = _errors(estimate, replicates)
    t = _statistics(estimate, se)
    order = np.argsort(t, kind="stable")[: int((se > 0).sum())]  # NaN sorts behind everything
    farthest = np.zeros(len(replicates))
    p = np.full(len(t), np.nan)
    for j in order:
        np.maximum(farthest, _distance(estimate[j], replicates[:, j], se[j]), out=farthest)
        p[j] = (1 + int((farthest >= t[j] * (1 - SLACK)).sum())) / (len(farthest) + 1)
    p[order] = np.maximum.accumulate(p[order][::-1])[::-1]
    return _settled(p, estimate, se)


def sup_t(estimate: FloatArray, replicates: FloatArray, level: float) -> Simultaneous | None:
    """Simultaneous band V -+ c SE over all J points of a curve.

    c is the order statistic ceil((M + 1) level) of max over j of T*_j, hence at least that of every single
    point. Zero width where SE is 0, NaN where undefined; c is NaN where every SE is 0. None where M is
    too small. Methods 10.
    """
    return _band(estimate, _errors(estimate, replicates), replicates, level)


def simultaneous(estimate: FloatArray, replicates: FloatArray, level: float) -> Simultaneous | None:
    """Intervals D -+ c SE of a family of differences, c as in ``sup_t``; None where M is too small.

    They exclude 0 exactly where the p-value of ``single_step`` is at most 1 - level. [0, 0] for identical
    models; NaN for others whose difference never varies: there is no p-value either. Methods 10.
    """
    se = _errors(estimate, replicates)
    return _band(estimate, np.where((se == 0) & (np.abs(estimate) >= ZERO), np.nan, se), replicates, level)


class Reach(NamedTuple):
    """Standard errors along a curve (shape (G,)), and how many of them its simultaneous limits lie away."""

    se: FloatArray
    c: float
    shown: FloatArray
    """The standard errors that resamples show, however small."""


def reach_along(
    away: FloatArray, floor: FloatArray | float, level: float, inflation: float = 1.0
) -> Reach | None:
    """Return how far the limits of a curve lie, by how far its resamples do (shape (M, G)).

    SE is the spread of the resamples, at least ``floor``: where few trials decide, they have none. c is the
    order statistic ceil((M + 1) level) of max over the points of |V* - V| / SE. Resamples of
    clusters lie ``inflation`` times nearer than they ought to. None where resamples are too few or
    undefined. Methods 8.8, 10, 11.6.
    """
    if len(away) < 2:
        return None
    shown = inflation * away.std(axis=0, ddof=1)
    se = np.maximum(shown, floor)
    c = upper_quantile(inflation * largest_distances(np.zeros(len(se)), away, se), level)
    return None if c is None else Reach(se, c, shown)


def critical_value(deviations: Iterable[FloatArray], level: float, *, independent: int = 0) -> float:
    """Return c, at most which all |T*_j| are with probability ``level``: T*_j = deviation / SE.

    ``deviations`` are tables (shape (M, J)) of how far resamples of members lie from their means; a member
    that never varies has no T. ``independent`` is how many more members there are, standard normal and
    independent of all others. NaN where M is too small. Methods 10.
    """
    farthest: FloatArray = np.zeros(0)
    for table in deviations:
        none = np.zeros(table.shape[1])
        largest = largest_distances(none, table, _errors(none, table))
        farthest = np.maximum(farthest, largest) if len(farthest) else largest
    return quantile_of_largest(farthest, level, independent=independent)


def quantile_of_largest(farthest: FloatArray, level: float, *, independent: int = 0) -> float:
    """Return the smallest of M statistics t (shape (M,)) that all are at most with probability ``level``.

    The r-th smallest, with r / (M + 1) (2 Phi(t) - 1)^independent >= level; of no statistics, and where all
    are 0, that of the independent ones alone. NaN where M is too small.
    """
    if not farthest.any():
        return float(ndtri((1 + sidak(level, independent)) / 2)) if independent else math.nan
    ordered = np.sort(farthest)
    reached = np.arange(1, len(ordered) + 1) / (len(ordered) + 1) * (2 * ndtr(ordered) - 1) ** independent
    at = np.flatnonzero(reached >= level - 1e-12)  # the guard of upper_rank
    return float(ordered[at[0]]) if len(at) else math.nan


def best_set(values: FloatArray, replicates: FloatArray, level: float, lower_is_better: bool) -> BestSet:
    """Return the models (shape (K,)) in contention for the best; resamples (M, K) are theirs.

    For a lower-is-better V, p_k = (1 + #{T*_k >= T_k}) / (M + 1) of T_k = max over j of (V_k - V_j) / SE_kj
    and T*_k = max over j of ((V*_k - V_k) - (V*_j - V_j)) / SE_kj; j = k gives 0. Model k leaves where p_k is
    at most 1 - level, so that the model best in this sample, p = 1, always stays. Each truly best model stays
    with probability ``level``: nothing but its own test can drop it, so that no further adjustment is due.
    Models that never differ stay or leave together. One that is worse than others, but from each of them by
    the same in every resample, stays with p NaN; an undefined one is no member, with p NaN. With too few
    resamples for the level all stay. Gupta 1965; Hsu 1981.

    With c_k the critical value of T_k, the largest T*_k at which p_k would exceed 1 - level, the distance of
    model k behind the truly best has the limits

    - low_k = max(0, max over j of V_k - V_j - c_k SE_kj), above 0 exactly where k is no member: all
      V_k - V_j of one k exceed theirs together with probability ``level``;
    - high_k = max(0, max over members i other than k of V_k - V_i + c_i SE_ki): those of all k hold together
      with probability ``level``, because the best is a member whenever it is at most c SE behind each other.

    Hsu 1984, constrained: the limits are at least 0, and both are 0 for a model that is the only member.
    Limits are NaN where undefined, or with too few resamples for the level.
    """
    sign = 1.0 if lower_is_better else -1.0
    loss = sign * values
    losses = np.multiply(replicates.T, sign, order="C")
    defined = np.isfinite(loss) & np.isfinite(losses).all(axis=1)
    most = math.floor((len(replicates) + 1) * (1 - level) + 1e-9)  # largest count of M + 1 that p allows
    member, p = defined.copy(), np.full(len(loss), np.nan)
    models = np.flatnonzero(defined)
    rivals = {k: _rivals(k, models, loss, losses) for k in models.tolist()}
    for k, against in rivals.items():
        count = against.not_worse()
        if count is not None:
            member[k], p[k] = count > most, count / (len(replicates) + 1)
    behind, low, high = (np.full(len(loss), np.nan) for _ in range(3))
    for at, (k, against) in enumerate(rivals.items()):
        behind[k] = against.gap.max(initial=0.0)
        if most > 0:
            low[k] = against.farther_than(most)
            beyond = [
                -other.gap[at] + other.reach(most, at) for i, other in rivals.items() if member[i] and i != k
            ]
            high[k] = max(0.0, *beyond) if beyond else 0.0
    return BestSet(member, p, behind, low, high)


class _Rivals(NamedTuple):
    """One model against all: gaps and their spread (shape (J,), itself among them), and T* (shape (M,))."""

    gap: FloatArray
    se: FloatArray
    farthest: FloatArray

    @property
    def t(self) -> float:
        return float(
            np.divide(self.gap, self.se, out=np.zeros(len(self.gap)), where=self.se > 0).max(initial=0.0)
        )

    def not_worse(self) -> int | None:
        """1 + #{T* >= T}; None where it is worse only than models from which its distance never varies."""
        if self.t == 0 and bool((self.gap[~(self.se > 0)] > 0).any()):
            return None
        return 1 + int((self.farthest >= self.t * (1 - SLACK)).sum())

    def critical(self, most: int) -> float:
        """The largest T that p, which may count ``most``, does not rule out."""
        return float(np.partition(self.farthest, -most)[-most])

    def reach(self, most: int, at: int) -> float:
        """How far the limit lies from the gap to one rival."""
        return self.critical(most) * float(self.se[at]) if self.se[at] > 0 else 0.0

    def farther_than(self, most: int) -> float:
        """The lower limit of the distance behind the best, 0 where T does not exceed its critical value."""
        reach = self.critical(most) * self.se
        left = (self.se > 0) & (self.gap * (1 - SLACK) > reach)
        return float((self.gap - reach)[left].max(initial=0.0))


def _rivals(k: int, models: IntArray, loss: FloatArray, losses: FloatArray) -> _Rivals:
    gap, se = loss[k] - loss[models], np.zeros(len(models))
    gap[np.abs(gap) < ZERO] = 0.0
    farthest = np.zeros(losses.shape[1])
    for at, j in enumerate(models):
        drawn = losses[k] - losses[j]
        se[at] = _spread(drawn)
        if se[at] > 0:
            np.subtract(drawn, gap[at], out=drawn)
            np.divide(drawn, se[at], out=drawn)
            np.maximum(farthest, drawn, out=farthest)
    return _Rivals(gap, se, farthest)


def _spread(column: FloatArray) -> float:
    """Standard deviation (ddof 1); exactly 0 where values differ by rounding only, NaN where undefined."""
    if len(column) < 2:
        return math.nan
    low, high = float(column.min()), float(column.max())
    if not math.isfinite(high - low):
        return math.nan
    if high - low <= ZERO * max(1.0, abs(low), abs(high)):
        return 0.0
    return float(column.std(ddof=1))


def _errors(estimate: FloatArray, replicates: FloatArray) -> FloatArray:
    """SE of every member, shape (J,)."""
    # By column, here and below: a copy of a large table of resamples would be the price of one expression.
    spread = np.array([_spread(replicates[:, j]) for j in range(replicates.shape[1])], dtype=np.float64)
    return np.where(np.isfinite(estimate), spread, np.nan)


def _statistics(estimate: FloatArray, se: FloatArray) -> FloatArray:
    """T of every member, NaN where it has none."""
    size = np.where(np.abs(estimate) < ZERO, 0.0, np.abs(estimate))
    t: FloatArray = np.divide(size, se, out=np.full(len(se), np.nan), where=se > 0)
    return t


def _distance(estimate: float, column: FloatArray, se: float) -> FloatArray:
    """T* of one member, shape (M,)."""
    distance = column - estimate
    np.abs(distance, out=distance)
    return np.divide(distance, se, out=distance)


def largest_distances(estimate: FloatArray, replicates: FloatArray, se: FloatArray) -> FloatArray:
    """The largest T* of every resample, shape (M,)."""
    farthest = np.zeros(len(replicates))
    for j in np.flatnonzero(se > 0):
        np.maximum(farthest, _distance(estimate[j], replicates[:, j], se[j]), out=farthest)
    return farthest


def _settled(p: FloatArray, estimate: FloatArray, se: FloatArray) -> FloatArray:
    """The p-values, and those of members that have no T."""
    return np.where(se > 0, p, np.where((se == 0) & (np.abs(estimate) < ZERO), 1.0, np.nan))


def _band(estimate: FloatArray, se: FloatArray, replicates: FloatArray, level: float) -> Simultaneous | None:
    rank = upper_rank(len(replicates), level)
    if rank > len(replicates):
        return None
    c = math.nan
    if (se > 0).any():
        c = float(np.partition(largest_distances(estimate, replicates, se), rank - 1)[rank - 1])
    half = np.where(se > 0, c * se, se)
    # A limit that is 0 but for its last bits is 0: the resample behind it counts as a tie in the p-value.
    low, high = (
        np.where(np.abs(limit) <= SLACK * np.abs(estimate), 0.0, limit)
        for limit in (estimate - half, estimate + half)
    )
    return Simultaneous(low, high, c)


class BestAlong(NamedTuple):
    """Whether each model is in contention and its one-sided p-value, all of shape (A, K).

    ``member`` and ``p`` hold at each point alone, ``member_joint`` and ``p_joint`` at all jointly.
    """

    member: BoolArray
    p: FloatArray
    member_joint: BoolArray
    p_joint: FloatArray


def best_along(
    losses: FloatArray,
    replicates: Iterable[FloatArray],
    level: float,
    factor: float = 1.0,
    factor_joint: float = 1.0,
) -> BestAlong:
    """Return the models in contention along A points; the lower a loss the better.

    ``losses`` has shape (A, K); ``replicates`` yields (K, M) point by point, of draws that all points share.
    With d* the resamples of L_k - L_j less their mean, T_kj = (L_k - L_j) / (factor SD(d*)), T_k the
    largest of them and 0, T*_kj = d* / SD(d*): p_k = (1 + #{max over j of T*_kj >= T_k}) / (M + 1), as
    ``multiplicity.best_set`` has it. p_joint_k counts max |T*_ij| over all pairs and all points instead,
    with ``factor_joint``: every model that is the best at some point stays there, at all points together,
    with probability ``level``. Of two models that is the simultaneous band of their difference. p_joint >= p.
    Factors are what clusters add to the reach of an interval. A model leaves where its p is at most
    1 - level. One that is worse only by what never varies stays with p NaN; an undefined one is no member,
    with p NaN.
    Gupta 1965; Hsu 1981; methods 10.
    """
    n_points, n_models = losses.shape
    t, beyond = np.zeros((n_points, n_models)), np.zeros((n_points, n_models), dtype=np.int64)
    unclear = np.ones((n_points, n_models), dtype=bool)
    defined = np.zeros((n_points, n_models), dtype=bool)
    farthest: FloatArray = np.zeros(0)
    for at, (loss, drawn) in enumerate(zip(losses, replicates, strict=True)):
        if not len(farthest):
            farthest = np.zeros(drawn.shape[1])
        defined[at] = np.isfinite(loss) & np.isfinite(drawn).all(axis=1)
        t[at], beyond[at], unclear[at] = _at_point(loss, drawn, defined[at], factor, farthest)
    farthest = np.sort(farthest)
    beyond_joint = len(farthest) - np.searchsorted(farthest, t * factor / factor_joint * (1 - SLACK))
    most = math.floor((len(farthest) + 1) * (1 - level) + 1e-9)  # as many of M + 1 as p may count
    members, p_values = [], []
    for count in (1 + beyond, 1 + beyond_joint):
        members.append(defined & (unclear | (count > most)))
        p_values.append(np.where(defined & ~unclear, count / (len(farthest) + 1), np.nan))
    return BestAlong(members[0], p_values[0], members[1], p_values[1])


def _at_point(
    loss: FloatArray, drawn: FloatArray, defined: BoolArray, factor: float, farthest: FloatArray
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """T, how many resamples lie as far, and whether there is no answer, of every model (shape (K,)).

    ``farthest`` (shape (M,)) takes the largest distances of any pair.
    """
    taking, value = drawn[defined], loss[defined]
    centred = taking - taking.mean(axis=1, keepdims=True)
    own, least = np.zeros_like(centred), np.zeros_like(centred)
    largest, constant = np.zeros(len(value)), np.zeros(len(value), dtype=bool)
    near = ZERO * max(1.0, 2 * float(np.abs(taking).max(initial=0.0)))
    for k in range(len(value) - 1):
        for start in range(k + 1, len(value), ROWS):
            others = slice(start, start + ROWS)
            gap: FloatArray = value[k] - value[others]
            gap[np.abs(gap) < ZERO] = 0.0
            away = centred[k] - centred[others]
            se = np.sqrt(np.einsum("jm,jm->j", away, away) / max(away.shape[1] - 1, 1))
            for j in np.flatnonzero(se <= near).tolist():
                if _is_constant(taking[k] - taking[start + j]):
                    constant[k] |= gap[j] > 0
                    constant[start + j] |= gap[j] < 0
                    away[j], se[j], gap[j] = 0.0, 1.0, 0.0
            away /= se[:, None]
            distance = gap / (factor * se)
            largest[k] = max(largest[k], float(distance.max()))
            np.maximum(largest[others], -distance, out=largest[others])
            np.maximum(own[k], away.max(axis=0), out=own[k])
            np.minimum(least[others], away, out=least[others])
    np.maximum(own, -least, out=own)
    np.maximum(farthest, own.max(axis=0, initial=0.0), out=farthest)
    t, beyond, unclear = (
        np.zeros(len(loss)),
        np.full(len(loss), len(farthest)),
        np.zeros(len(loss), dtype=bool),
    )
    t[defined], unclear[defined] = largest, constant & (largest == 0)
    beyond[defined] = (own >= largest[:, None] * (1 - SLACK)).sum(axis=1)
    return t, beyond, unclear


ROWS = 32
"""So many differences are taken in the same array operations: they stay in the cache."""


def _is_constant(difference: FloatArray) -> bool:
    """Return whether resamples (shape (M,)) of a difference are all equal."""
    widest = float(np.ptp(difference)) if len(difference) > 1 else 0.0
    return widest <= ZERO * max(1.0, abs(float(difference.max(initial=-np.inf))))
