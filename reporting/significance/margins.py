"""How far apart two models may be: limits of a paired difference at every tail, and the p of every margin."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from reporting.codes import CiMethod
from reporting.measures.measure import Measure
from reporting.significance.paired import PairedDifference, formula_of
from reporting.stats.intervals import Interval
from reporting.stats.paired import Discordant, influences, score_reach
from reporting.stats.solvers import root
from reporting.stats.special import ndtr, ndtri, stdtr, stdtrit

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
    """Return how far one more disagreement moves a difference, at most; None where that is not known.

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
    return max(steps) if steps and all(map(math.isfinite, steps)) else None


def of_identical(difference: PairedDifference, step: float | None, level: float) -> PairedDifference:
    """Return the difference of identical decisions with the limits that these trials allow all the same.

    ``step``: how far one unit of disagreement moves the measure; None: not known, and there are no limits.
    """
    if step is None or "identical_decisions" not in difference.flags:
        return difference
    reach = score_reach(0.0, 0.0, step, (1 - level) / 2)
    return difference.limited(Interval(-reach, reach), "score")


@dataclass(frozen=True)
class Normal:
    """An estimate with a standard error above 0; Student's t where ``df`` is given."""

    estimate: float
    se: float
    df: float | None = None
    method: CiMethod = "normal"

    @classmethod
    def of(cls, difference: PairedDifference) -> Normal:
        """Return what a difference with a standard error above 0 says."""
        by_df: CiMethod = "normal" if difference.df is None else "t"
        return cls(difference.difference, difference.se, difference.df, by_df)

    def p_below(self, bound: float) -> float:
        """Phi((estimate - bound) / se)."""
        z = (self.estimate - bound) / self.se
        return float(ndtr(z) if self.df is None else stdtr(self.df, z))

    def p_above(self, bound: float) -> float:
        """Phi((bound - estimate) / se)."""
        z = (bound - self.estimate) / self.se
        return float(ndtr(z) if self.df is None else stdtr(self.df, z))

    def upper(self, tail: float) -> float:
        """estimate + z se."""
        return self.estimate + self._reach(tail)

    def lower(self, tail: float) -> float:
        """estimate - z se."""
        return self.estimate - self._reach(tail)

    def _reach(self, tail: float) -> float:
        return -float(ndtri(tail) if self.df is None else stdtrit(self.df, tail)) * self.se


@dataclass(frozen=True)
class Score:
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

    def p_below(self, bound: float) -> float:
        """The smallest tail whose limit is not above the bound; at a bound of 0 that of its own test."""
        return self._p(bound - self.estimate, bound, self.estimate, 0)

    def p_above(self, bound: float) -> float:
        """The smallest tail whose limit is not below the bound; at a bound of 0 that of its own test."""
        return self._p(self.estimate - bound, 0.0 - bound, 0.0 - self.estimate, 1)

    def upper(self, tail: float) -> float:
        """The limit above the difference; below 0 only where the test of no difference agrees."""
        return self._limit(tail, self.estimate, 0)

    def lower(self, tail: float) -> float:
        """The limit below the difference; above 0 only where the test of no difference agrees."""
        return 0.0 - self._limit(tail, 0.0 - self.estimate, 1)

    def _p(self, distance: float, bound: float, towards: float, side: int) -> float:
        p = least_tail(lambda tail: self._reach(tail, towards), distance)
        if self.at_zero is None:
            return p
        of_none = self.at_zero[side]
        return of_none if bound == 0 else min(p, of_none) if bound > 0 else max(p, of_none)

    def _limit(self, tail: float, estimate: float, side: int) -> float:
        limit = estimate + self._reach(tail, estimate)
        if self.at_zero is None:
            return limit
        return min(limit, 0.0) if self.at_zero[side] <= tail else max(limit, 0.0)

    def _reach(self, tail: float, towards: float) -> float:
        return score_reach(towards, self.variance, self.step, tail, self.df)


def tested_at_zero(score: Score, p: float) -> Score:
    """Return a difference whose p at a bound of 0 is the two-sided ``p`` of another test, by half."""
    below, above = (p / 2 if sign * score.estimate <= 0 else 1 - p / 2 for sign in (1, -1))
    return replace(score, at_zero=(below, above))
