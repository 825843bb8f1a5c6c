"""Numbers that gates hold against bounds: exact, by comparison, and by an interval at every level."""

from __future__ import annotations

import math
from collections.abc import Callable

from reporting.base.codes import CiMethod
from reporting.base.records import dataclass, replace
from reporting.core.engine.intervals import interval
from reporting.core.engine.sample import Sample
from reporting.core.resampling.margins import LEAST_TAIL, OneSided, Percentile, least_tail
from reporting.core.resampling.paired import PairedDifference
from reporting.core.stats.special import betainc, betaincinv, ndtri
from reporting.features.gates.evidence import Evidence


def bounded(of: Sample) -> Binomial | Percentile | AtEveryLevel | None:
    """Return a sample with its limits at every tail, those of its interval; None without one.

    Shares of independent trials at a threshold of one run have exact limits instead.
    """
    own, value = interval(of), float(of.point[0])
    exact = of.system.alone and of.drawn.ranks.weight is None and own.method in ("wilson", "clopper_pearson")
    if exact and of.operations and of.measure.counted is not None:
        ((model, operation),) = of.operations
        errors = int(operation.test.misses[0]), int(operation.test.false_alarms[0])
        k, n = of.measure.counted.counts(*errors, *model.test.totals)
        return Binomial(int(k), int(n or 0))
    if own.values is not None:
        return Percentile(value, own.values)

    def limits(level: float) -> tuple[float, float]:
        at_level = interval(of, level=level)
        if at_level.low is None or at_level.high is None:
            return math.nan, math.nan
        return at_level.low, at_level.high

    return AtEveryLevel(value, limits, own.method) if own.method else None


@dataclass(frozen=True, eq=False)
class Compared(OneSided):
    """A comparison of two models, at a bound of 0: its own p, by half, and its limits.

    A limit lies beyond 0 exactly where p is at most its tail.
    """

    difference: PairedDifference

    @property
    def estimate(self) -> float:
        """The difference."""
        return self.difference.difference

    @property
    def se(self) -> float:
        """Its standard error."""
        return self.difference.se

    @property
    def method(self) -> CiMethod:
        """That of its limits."""
        return self.difference.ci_method or "normal"

    @property
    def negative(self) -> Compared:
        """The same of the models in the other order."""
        return Compared(self.difference.reversed())

    def p_below(self, bound: float) -> float:
        """Half the two-sided p where the difference is not above 0, else 1 minus that half."""
        half = (1.0 if self.difference.p_value is None else self.difference.p_value) / 2
        return half if self.estimate <= 0 else 1 - half

    def upper(self, tail: float) -> float:
        """The upper limit that leaves the tail above it, tail < 1/2; NaN where resamples are too few."""
        limits = self.difference.limits_at and self.difference.limits_at(1 - 2 * tail)
        if not limits:
            return math.nan
        return min(limits.high, 0.0) if self.p_below(0.0) <= tail else max(limits.high, 0.0)


@dataclass(frozen=True)
class Binomial:
    """``k`` of ``n`` independent trials: exact tests and the Clopper-Pearson limits dual to them."""

    k: int
    n: int
    method: CiMethod = "clopper_pearson"

    @property
    def estimate(self) -> float:
        """k / n."""
        return self.k / self.n

    @property
    def se(self) -> float:
        """Of a rate with half an error more of either kind, so that it is never 0."""
        rate = (self.k + 0.5) / (self.n + 1)
        return math.sqrt(rate * (1 - rate) / self.n)

    def p_below(self, bound: float) -> float:
        """P(K <= k) at the bound."""
        if self.k == self.n:
            return 1.0
        return float(betainc(self.n - self.k, self.k + 1, 1 - min(max(bound, 0.0), 1.0)))

    def p_above(self, bound: float) -> float:
        """P(K >= k) at the bound."""
        return 1.0 if self.k == 0 else float(betainc(self.k, self.n - self.k + 1, min(max(bound, 0.0), 1.0)))

    def upper(self, tail: float) -> float:
        """1 where all trials are errors."""
        return 1.0 if self.k == self.n else float(betaincinv(self.k + 1, self.n - self.k, 1 - tail))

    def lower(self, tail: float) -> float:
        """0 without errors."""
        return 0.0 if self.k == 0 else float(betaincinv(self.k, self.n - self.k + 1, tail))


class ByLimits(OneSided):
    """Numbers whose p follows from their limits."""

    def p_below(self, bound: float) -> float:
        """The smallest tail whose limit is not above the bound; one too small for resamples has no limit."""

        def upper(tail: float) -> float:
            limit = self.upper(tail)
            return bound + math.copysign(1.0, 0.5 - tail) if math.isnan(limit) else limit

        return least_tail(upper, bound)


@dataclass(frozen=True, eq=False)
class AtEveryLevel(ByLimits):
    """A number with its interval at every level, as the report makes it; the wider the higher the level."""

    estimate: float
    limits: Callable[[float], tuple[float, float]]
    """At a level between 0 and 1."""
    method: CiMethod

    @property
    def se(self) -> float:
        """The standard error of a normal interval as wide at 95%."""
        low, high = self.limits(0.95)
        return (high - low) / 2 / float(ndtri(0.975))

    @property
    def negative(self) -> AtEveryLevel:
        """The same of the negative of the number."""

        def limits(level: float) -> tuple[float, float]:
            low, high = self.limits(level)
            return 0.0 - high, 0.0 - low

        return replace(self, estimate=0.0 - self.estimate, limits=limits)

    def upper(self, tail: float) -> float:
        """The upper limit that leaves the tail above it; where that is more than half, a lower one."""
        level = 1 - 2 * max(min(tail, 1 - tail), LEAST_TAIL)
        if level < LEAST_TAIL:
            return self.estimate
        return self.limits(level)[1 if tail < 0.5 else 0]


@dataclass(frozen=True, eq=False)
class Apart(ByLimits):
    """The difference of two numbers of unrelated trials: their own limits, squared and added.

    Newcombe 1998, Statistics in Medicine 17, 873-890, method 10.
    """

    first: Evidence
    second: Evidence
    method: CiMethod = "two_runs"

    @property
    def estimate(self) -> float:
        """The difference."""
        return self.first.estimate - self.second.estimate

    @property
    def se(self) -> float:
        """The root of the sum of both variances."""
        return math.hypot(self.first.se, self.second.se)

    @property
    def negative(self) -> Apart:
        """The second less the first."""
        return replace(self, first=self.second, second=self.first)

    def upper(self, tail: float) -> float:
        """The difference, and the root of squares of how far the first may be above, and the second below."""
        if tail >= 0.5:
            return self.estimate
        above = self.first.upper(tail) - self.first.estimate
        below = self.second.estimate - self.second.lower(tail)
        return self.estimate + math.hypot(above, below)
