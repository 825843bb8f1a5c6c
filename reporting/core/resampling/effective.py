"""How often trials of a part do something, and how many independent trials would show as much of that.

Few errors show little of how errors hang together, and none nothing: by them alone, clusters would count as
independent trials. So a design effect is also read off the scores: were they normal, their correlation within
clusters gives that of errors as rare as these. Up to ``FEW`` errors the larger effect holds; of more, that of
the scores counts the less the more there are. tests/research/studies/rates.md has how often such
intervals cover.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.records import dataclass
from reporting.core.resampling.units import Ends, Units
from reporting.core.stats.cluster_sizes import ClusterSizes, decisive
from reporting.core.stats.crossed_units import dyadic_se, over_pools, pool_sizes, two_way_sum
from reporting.core.stats.effective_size import VERY_FEW, EffectiveRate, correlation_beyond

Marks = npt.NDArray[Any]
FEW = 10
PLUS = 1.0
"""Errors and right decisions added before it is asked how rare errors are: none are not infinitely rare."""


@dataclass(frozen=True, eq=False)
class CountedTrials:
    """The trials that a rate is a share of: ``counts`` (shape (N,)) is what each weighs, 0 of others."""

    units: Units
    counts: FloatArray

    @classmethod
    def among(cls, members: Marks, units: Units, weight: IntArray | None) -> CountedTrials:
        """Return the trials that are members (0 or 1, shape (N,))."""
        return cls(units, np.asarray(members if weight is None else members * weight, dtype=np.float64))

    def rate(self, marked: Marks, correlation: float) -> EffectiveRate:
        """Return the share of ``marked`` (0 to 1, shape (N,)), ``correlation`` that of scores.

        Its size is (sum w)^2 / sum w^2, the trials where they weigh the same, over the design effect: that of
        the errors by clusters or pairs of them (methods 8.4, 8.8), at least 1, and that of the scores. In
        strata of a sampling design it may be below 1 where errors are more than ``FEW`` (methods 8.13).
        """
        if not self.total:
            return EffectiveRate(math.nan, 0.0)
        rate = float((self.counts * marked).sum()) / self.total
        nominal = self.total**2 / self._alone(self.counts)
        moved = self._by_atom(self.counts * (marked - rate) / self.total)
        crossed = None
        if self.units.pools is not None:
            a, b = self._ends
            assert b is not None
            crossed = over_pools(moved[self._held], a, b, self._by_atom(self.counts)[self._held])
        variance = self._variance(moved) if crossed is None else crossed.variance
        binomial = rate * (1 - rate) / nominal
        effect, errors = variance / binomial if binomial > 0 else 1.0, min(rate, 1 - rate) * nominal
        if self.units.strata is None or errors <= FEW:
            effect = max(1.0, effect)
        if not self.units.clustered:
            by_trial = None if self.units.strata is None else self.units.strata.moved(moved)
            return EffectiveRate(rate, nominal / effect, moved=by_trial)
        rare = (rate * nominal + PLUS) / (nominal + 2 * PLUS)
        more = self._partners * correlation_beyond(rare, correlation) + 1 - effect
        effect += max(0.0, more) * min(1.0, FEW / max(errors, 1.0))
        sizes, few = self._sizes, round(errors, 9) <= VERY_FEW
        df = sizes.degrees_of_freedom if crossed is None else float(crossed.df)
        if sizes.number < 2:
            return EffectiveRate(rate, 0.0, df, few, clusters=sizes)
        by_cluster = None
        if crossed is not None:
            by_cluster = self._by_member(moved, crossed.variance)
        elif self.units.strata is not None:
            by_cluster = self.units.strata.moved(moved)
        elif self._ends.second is None:
            by_cluster = math.sqrt(sizes.factor) * moved
        return EffectiveRate(rate, nominal / effect, df, few, clusters=sizes, moved=by_cluster)

    def correlation(self, score: FloatArray) -> float:
        """Return the correlation of the scores (shape (N,)) of two trials that depend on one another."""
        if not (self.units.clustered and self._partners > 0):
            return 0.0
        off = score - float((self.counts * score).sum()) / self.total
        spread = float((self.counts * off**2).sum()) / self.total
        off = self.counts * off
        variance = self._variance(self._by_atom(off))
        products = (variance - self._alone(off)) / (self._partners * self._alone(self.counts))
        return products / spread if spread > 0 else 0.0

    def moved_by_one(self, surplus: Marks) -> float:
        """Return the weight that moves with one more trial on which two models disagree.

        ``surplus`` (-1 to 1, shape (N,)) is what the first decides less what the second does. The weight is
        that of the trials that move together, as if one more unit were seen that does so as a whole: with
        m = sum of units (sum w)^2 / sum w, (sum of units (sum w s)^2 + m^2) / (sum w |s| + m).
        """
        moved = self.counts * surplus
        whole = self._together(self._by_atom(self.counts)) / self.total if self.total else 0.0
        together = max(self._together(self._by_atom(moved)), self._alone(moved)) + whole**2
        return together / (float(np.abs(moved).sum()) + whole) if whole else 0.0

    @cached_property
    def total(self) -> float:
        """The sum of all weights."""
        return float(self.counts.sum())

    @cached_property
    def _partners(self) -> float:
        """How many other trials one trial depends on."""
        alone = self._alone(self.counts)
        return (self._together(self._by_atom(self.counts)) - alone) / alone if alone else 0.0

    @cached_property
    def _held(self) -> npt.NDArray[np.bool_]:
        return self._by_atom(self.counts) > 0

    @cached_property
    def _ends(self) -> Ends:
        ends = self.units.ends
        return Ends(np.flatnonzero(self._held)) if ends is None else ends.of(self._held)

    @cached_property
    def _sizes(self) -> ClusterSizes:
        """How the trials are spread over their clusters; members of pairs count alike, and single trials.

        Of two crossed pools those of the one with fewer effective members; their number is the smaller one.
        """
        if self.units.pools is not None:
            a, b = self._ends
            assert b is not None
            of_pools = pool_sizes(a, b, self._by_atom(self.counts)[self._held])
            return decisive(of_pools)._replace(number=self._ends.fewest)
        if self._ends.second is not None or not self.units.clustered:
            return ClusterSizes.equal(self._ends.fewest)
        sizes, strata = ClusterSizes.of(self._by_atom(self.counts)), self.units.strata
        return sizes if strata is None else sizes.in_strata(strata.number(self._by_atom(self.counts)))

    def _by_atom(self, values: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(self.units.of_trial, values, self.units.n_own), dtype=np.float64)

    def _variance(self, sums: FloatArray) -> float:
        """The variance of what adds up to 0, from its sums by atom; NaN with a single cluster.

        Sums over the clusters themselves lack a share of it on average (``dyadic_se`` of all pairs);
        those within strata lack none.
        """
        if self.units.strata is not None:
            return self.units.strata.variance(sums)
        g, lacking = self._sizes.number, self._sizes.lacking
        if self._ends.second is not None:
            if self.units.pools is not None or g < 4:
                return self._together(sums)
            lacking = (g - 2) * (g - 3) / (g * (g - 1))
        return self._together(sums) / lacking if lacking else math.nan

    def _by_member(self, sums: FloatArray, variance: float) -> FloatArray:
        """What the members of both pools move, one pool after the other; squares sum to the variance."""
        assert self.units.ends is not None
        assert self.units.ends.second is not None
        sides = zip(self.units.ends, self.units.pool.sizes, strict=True)
        moved = np.concatenate([np.bincount(end, sums, n) for end, n in sides if end is not None])
        squares = float((moved**2).sum())
        return moved * math.sqrt(variance / squares) if squares > 0 else moved

    def _together(self, sums: FloatArray) -> float:
        """Sum the products of all two trials that depend on one another, each with itself among them."""
        sums, ends = sums[self._held], self._ends
        if ends.second is None:
            return float((sums**2).sum())
        if self.units.pools is not None:
            return two_way_sum(sums, ends.first, ends.second)
        return dyadic_se(sums, ends.first, ends.second) ** 2

    @staticmethod
    def _alone(values: FloatArray) -> float:
        return float((values**2).sum())
