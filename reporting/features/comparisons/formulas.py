"""The models in contention for the best, from joint resamples and from swapped scores."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray
from reporting.core.stats.intervals import ZERO, Interval
from reporting.core.stats.multiplicity import (
    SLACK,
    Simultaneous,
    band_of,
    distance_of,
    p_of_largest,
    spread_of,
    standard_errors,
)
from reporting.core.stats.swap import Swaps


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
        se[at] = spread_of(drawn)
        if se[at] > 0:
            np.subtract(drawn, gap[at], out=drawn)
            np.divide(drawn, se[at], out=drawn)
            np.maximum(farthest, drawn, out=farthest)
    return _Rivals(gap, se, farthest)


def best_by_swaps(loss: FloatArray, swaps: Mapping[tuple[int, int], Swaps], level: float) -> BestSet:
    """Return the models (shape (K,)) in contention by pairs; the lower a loss the better.

    ``swaps`` holds those of loss_i - loss_j by every pair (i, j). p_k is K - 1 times the least one-sided
    p of k being worse than another, half the two-sided one, and k leaves where it is at most 1 - level
    (Bonferroni): each truly best model stays with probability ``level``. The limits of the distance behind
    the best are those of ``best_set``, with intervals of pairs at 1 - 2 (1 - level) / (K - 1).
    """
    n, rivals = len(loss), len(loss) - 1
    p, lowest, highest = np.ones(n), np.zeros((n, n)), np.zeros((n, n))
    for (i, j), pair in swaps.items():
        limits = pair.interval(1 - 2 * (1 - level) / rivals) or Interval(-np.inf, np.inf)
        lowest[i, j], highest[i, j] = limits
        lowest[j, i], highest[j, i] = -limits.high, -limits.low
        worse = i if pair.difference > 0 else j
        p[worse] = min(p[worse], rivals * pair.p / 2)
    member = p > 1 - level + ZERO
    above = np.where(member & ~np.eye(n, dtype=bool), highest, 0.0)
    behind = loss - loss.min()
    low = np.where(member, 0.0, lowest.max(axis=1, initial=0.0))
    return BestSet(member, p, behind, low, above.max(axis=1, initial=0.0))


def bonferroni(level: float, members: int) -> float:
    """Return the level of each of so many limits at which all hold together, however they depend.

    The p-value at which each excludes its hypothesis is then (1 - level) / members.
    """
    return 1 - (1 - level) / members


def step_down(estimate: FloatArray, replicates: FloatArray) -> FloatArray:
    """Adjust two-sided p-values for the family, each member for those whose T is not larger; shape (J,).

    From the largest T down, a p-value is at least the one before. Never above the single-step p-value,
    and holds the error of the family all the same; it has no intervals. Westfall, Young 1993; methods 10.
    """
    se = standard_errors(estimate, replicates)
    size = np.where(np.abs(estimate) < ZERO, 0.0, np.abs(estimate))
    t: FloatArray = np.divide(size, se, out=np.full(len(se), np.nan), where=se > 0)
    order = np.argsort(t, kind="stable")[: int((se > 0).sum())]  # NaN sorts behind everything
    farthest = np.zeros(len(replicates))
    p = np.full(len(t), np.nan)
    for j in order:
        np.maximum(farthest, distance_of(estimate[j], replicates[:, j], se[j]), out=farthest)
        p[j] = p_of_largest(t[j], farthest)
    p[order] = np.maximum.accumulate(p[order][::-1])[::-1]
    # Members that have no T: those of identical models, and those that never vary.
    return np.where(se > 0, p, np.where((se == 0) & (size == 0), 1.0, np.nan))


def simultaneous(estimate: FloatArray, replicates: FloatArray, level: float) -> Simultaneous | None:
    """Intervals D -+ c SE of a family of differences, c as in ``sup_t``; None where M is too small.

    They exclude 0 exactly where the p-value of ``single_step`` is at most 1 - level. [0, 0] for identical
    models; NaN for others whose difference never varies: there is no p-value either. Methods 10.
    """
    se = standard_errors(estimate, replicates)
    return band_of(estimate, np.where((se == 0) & (np.abs(estimate) >= ZERO), np.nan, se), replicates, level)
