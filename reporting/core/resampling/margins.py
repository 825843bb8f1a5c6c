"""How far a number, or the difference of two models, may be from a bound: limits at every tail, and p."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.base.codes import CiMethod
from reporting.base.records import dataclass, replace
from reporting.core.measures.measure import Measure
from reporting.core.resampling.paired import PairedDifference, formula_of
from reporting.core.stats.intervals import ZERO, Interval
from reporting.core.stats.paired import Discordant, influences, score_reach
from reporting.core.stats.solvers import root
from reporting.core.stats.special import ndtr, ndtri, stdtr, stdtrit

LEAST_TAIL = 1e-12
"""The least p-value that is looked for."""


def least_tail(upper: Callable[[float], float], bound: float) -> float:
    """Return the smallest tail whose upper limit is not above the bound; 1 where none is."""
    if not upper(1.0) < bound:
        return 1.0
    if upper(LEAST_TAIL) <= bound:
        return LEAST_TAIL
    return math.exp(root(lambda log: upper(math.exp(log)) - bound, math.log(LEAST_TAIL), 0.0, 1e-12))


def step_of(
    measure: Measure, totals: tuple[int, int], observed: Discordant | None, moved: tuple[float, float]
) -> float | None:
    """Return how far one more disagreement moves a difference at most; None where none does, or unknown.

    ``totals`` are targets and non-targets, ``moved`` the weight that moves with it, of non-targets and of
    targets. Of w_far FAR + w_frr FRR that is w moved / N of a class, of areas under the ROC moved / N of the
    trials whose ranks change, and of other measures of counts their largest influence of those ``observed``.
    """
    weights = measure.linear()
    if measure.of_area is not None:
        weights = (abs(measure.of_area[1]),) * 2
    if weights is not None:
        of_classes = zip(weights, moved, reversed(totals), strict=True)
        return max((w * by_one / n for w, by_one, n in of_classes if w > 0 and n), default=None)
    if observed is None or measure.over != "threshold":
        return None
    of = [abs(float(influence)) for _, influence in influences(formula_of(measure), observed)]
    of_targets, of_nontargets = max(of[1], of[2]), max(of[5], of[6])
    steps = [
        by_one * influence
        for by_one, influence, n in zip(moved, (of_nontargets, of_targets), reversed(totals), strict=True)
        if n
    ]
    return max(steps, default=0.0) or None if all(map(math.isfinite, steps)) else None


def of_identical(difference: PairedDifference, step: float | None, level: float) -> PairedDifference:
    """Return the difference of identical decisions with the limits that these trials allow all the same.

    ``step``: how far one unit of disagreement moves the measure; None: not known, and there are no limits.
    """
    if step is None or "identical_decisions" not in difference.flags:
        return difference
    return difference.limited(partial(_none_seen, step), level, "score")


def _none_seen(step: float, level: float) -> Interval:
    """The limits of a difference of 0 without any disagreement, each of which moves it by ``step``."""
    reach = score_reach(0.0, 0.0, step, (1 - level) / 2)
    return Interval(-reach, reach)


class OneSided(ABC):
    """A number with one-sided tests of every bound, and the limits dual to them; NaN where there is none.

    ``p_below(b)`` tests "the number is at least b" and is small where it lies below; it is at most a tail
    exactly where ``upper(tail)`` is below b. The other side is that of the number's negative.
    """

    @abstractmethod
    def p_below(self, bound: float) -> float:
        """Return the one-sided p of "at least the bound"."""

    @abstractmethod
    def upper(self, tail: float) -> float:
        """Return the limit above which the number lies with at most this chance."""

    @property
    @abstractmethod
    def negative(self) -> OneSided:
        """The same of the negative of the number."""

    def p_above(self, bound: float) -> float:
        """Return the one-sided p of "at most the bound"."""
        return self.negative.p_below(0.0 - bound)

    def lower(self, tail: float) -> float:
        """Return the limit below which the number lies with at most this chance."""
        return 0.0 - self.negative.upper(tail)


@dataclass(frozen=True)
class Normal(OneSided):
    """An estimate with a standard error above 0; Student's t where ``df`` is given."""

    estimate: float
    se: float
    df: float | None = None
    method: CiMethod = "normal"

    @classmethod
    def of(cls, difference: PairedDifference) -> Normal:
        """Return what a difference with a standard error above 0 implies."""
        by_df: CiMethod = "normal" if difference.df is None else "t"
        return cls(difference.difference, difference.se, difference.df, by_df)

    @property
    def negative(self) -> Normal:
        """The same of the negative of the number."""
        return replace(self, estimate=0.0 - self.estimate)

    def p_below(self, bound: float) -> float:
        """Phi((estimate - bound) / se)."""
        z = (self.estimate - bound) / self.se
        return float(ndtr(z) if self.df is None else stdtr(self.df, z))

    def upper(self, tail: float) -> float:
        """estimate + z se."""
        return self.estimate - float(ndtri(tail) if self.df is None else stdtrit(self.df, tail)) * self.se


@dataclass(frozen=True)
class Score(OneSided):
    """A difference of decisions, its variance taken at the bound and not at the estimate (``score_reach``).

    A difference beyond the one seen takes more units on which the models disagree, each of which moves it by
    ``step`` at most. ``variance`` is that under no difference, 0 where the models never disagree.
    """

    estimate: float
    variance: float
    step: float
    df: float | None = None
    """Of Student's t; None: normal."""
    at_zero: tuple[float, float] | None = None
    """One-sided p of "at least 0" and "at most 0" by the test of no difference, where there is another."""
    method: CiMethod = "score"

    @property
    def se(self) -> float:
        """The root of the variance."""
        return math.sqrt(self.variance)

    @property
    def negative(self) -> Score:
        """The same of the negative of the number."""
        at_zero = self.at_zero and (self.at_zero[1], self.at_zero[0])
        return replace(self, estimate=0.0 - self.estimate, at_zero=at_zero)

    def p_below(self, bound: float) -> float:
        """The smallest tail whose limit is not above the bound; at a bound of 0 that of its own test."""
        p = least_tail(self._reach, bound - self.estimate)
        if self.at_zero is None:
            return p
        of_none, _ = self.at_zero
        return of_none if bound == 0 else min(p, of_none) if bound > 0 else max(p, of_none)

    def upper(self, tail: float) -> float:
        """The limit above the difference; below 0 only where the test of no difference agrees."""
        limit = self.estimate + self._reach(tail)
        if self.at_zero is None:
            return limit
        return min(limit, 0.0) if self.at_zero[0] <= tail else max(limit, 0.0)

    def _reach(self, tail: float) -> float:
        return score_reach(self.estimate, self.variance, self.step, tail, self.df)


def tested_at_zero(score: Score, p: float) -> Score:
    """Return a difference whose p at a bound of 0 is the two-sided ``p`` of another test, by half."""
    below, above = (p / 2 if sign * score.estimate <= 0 else 1 - p / 2 for sign in (1, -1))
    return replace(score, at_zero=(below, above))


@dataclass(frozen=True, eq=False)
class Percentile(OneSided):
    """Bootstrap resamples V* (shape (M,)): percentile limits and their +1 p-values."""

    estimate: float
    values: FloatArray
    method: CiMethod = "percentile"

    @property
    def se(self) -> float:
        """The spread of the resamples."""
        return float(np.std(self.values, ddof=1))

    @property
    def negative(self) -> Percentile:
        """The same of the negative of the number."""
        return replace(self, estimate=0.0 - self.estimate, values=0.0 - self.values)

    def p_below(self, bound: float) -> float:
        """(1 + #{V* >= bound}) / (M + 1)."""
        return (1 + int((self.values >= bound - ZERO).sum())) / (len(self.values) + 1)

    def upper(self, tail: float) -> float:
        """The order statistic floor((M + 1) tail) from above."""
        m = len(self.values)
        rank = math.floor((m + 1) * tail + 1e-9)  # the guard is that of ``intervals.order_statistics``
        return math.nan if rank < 1 else float(np.partition(self.values, m - rank)[m - rank])


@dataclass(frozen=True, eq=False)
class Exchanged(OneSided):
    """A difference by exchanges of its models, exact at a bound of 0, and by score limits at other bounds.

    Exchanges of few trials on which the models disagree cannot move far: alone they would exclude any margin.
    So of the two p-values at a bound the larger counts, and what excludes 0 excludes what lies beyond it.
    """

    exchanges: Percentile
    score: Score

    @property
    def estimate(self) -> float:
        """The difference."""
        return self.exchanges.estimate

    @property
    def se(self) -> float:
        """The root mean square of the exchanges."""
        return self.score.se

    @property
    def method(self) -> CiMethod:
        """That of the exchanges."""
        return self.exchanges.method

    @property
    def negative(self) -> Exchanged:
        """The same of the negative of the number."""
        return Exchanged(self.exchanges.negative, self.score.negative)

    def p_below(self, bound: float) -> float:
        """The larger p; beyond 0 at most that at 0."""
        p = max(self.exchanges.p_below(bound), self.score.p_below(bound))
        return min(p, self.p_below(0.0)) if bound > 0 else p

    def upper(self, tail: float) -> float:
        """The higher limit; at most 0 exactly where 0 is excluded."""
        limit = max(self.exchanges.upper(tail), self.score.upper(tail))
        return min(limit, 0.0) if self.p_below(0.0) <= tail else max(limit, 0.0)
