"""What the data say of one number: p-values of lying beyond a bound, and the limits dual to them.

``p_below(b)`` tests "the number is at least b" and is small where it lies below; it is at most a tail exactly
where ``upper(tail)`` is below b. ``p_above`` and ``lower`` are the other side.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from reporting.codes import CiMethod
from reporting.gates.gate import Side
from reporting.significance.margins import LEAST_TAIL, Score, least_tail
from reporting.stats.betting import (
    Capital,
    Stream,
    log_e,
    log_e_above,
    lower_limit,
    stake,
    upper_limit,
)
from reporting.stats.intervals import ZERO
from reporting.stats.special import betainc, betaincinv, ndtri
from reporting.stats.staircase import FloatArray


class Evidence(Protocol):
    """An estimate with its standard error, tests and limits; a limit is NaN where the data allow none."""

    @property
    def estimate(self) -> float:
        """The number itself."""

    @property
    def se(self) -> float:
        """Its standard error, for planning; 0 where there is none."""

    @property
    def method(self) -> CiMethod:
        """How limits are made."""

    def p_below(self, bound: float) -> float:
        """One-sided p of "at least the bound"."""

    def p_above(self, bound: float) -> float:
        """One-sided p of "at most the bound"."""

    def upper(self, tail: float) -> float:
        """The limit above which the number lies with at most this chance."""

    def lower(self, tail: float) -> float:
        """The limit below which the number lies with at most this chance."""


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


@dataclass(frozen=True, eq=False)
class Percentile:
    """Bootstrap replicates V* (shape (M,)): percentile limits and their +1 p-values."""

    estimate: float
    values: FloatArray
    method: CiMethod = "percentile"

    @property
    def se(self) -> float:
        """The spread of the replicates."""
        return float(np.std(self.values, ddof=1))

    def p_below(self, bound: float) -> float:
        """(1 + #{V* >= bound}) / (M + 1)."""
        return (1 + int((self.values >= bound - ZERO).sum())) / (len(self.values) + 1)

    def p_above(self, bound: float) -> float:
        """(1 + #{V* <= bound}) / (M + 1)."""
        return (1 + int((self.values <= bound + ZERO).sum())) / (len(self.values) + 1)

    def upper(self, tail: float) -> float:
        """The order statistic floor((M + 1) tail) from above."""
        rank = self._rank(tail)
        m = len(self.values)
        return math.nan if rank < 1 else float(np.partition(self.values, m - rank)[m - rank])

    def lower(self, tail: float) -> float:
        """The order statistic floor((M + 1) tail) from below."""
        rank = self._rank(tail)
        return math.nan if rank < 1 else float(np.partition(self.values, rank - 1)[rank - 1])

    def _rank(self, tail: float) -> int:
        # The guard is that of ``intervals.order_statistics``.
        return math.floor((len(self.values) + 1) * tail + 1e-9)


@dataclass(frozen=True, eq=False)
class Exchanged:
    """A difference by exchanges of its models, exact at a bound of 0, and by score limits at other bounds.

    Exchanges of few trials that are decided differently cannot move far: alone they would exclude any margin.
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

    def p_below(self, bound: float) -> float:
        """The larger p; beyond 0 at most that at 0."""
        p = max(self.exchanges.p_below(bound), self.score.p_below(bound))
        return min(p, self.p_below(0.0)) if bound > 0 else p

    def p_above(self, bound: float) -> float:
        """The larger p; beyond 0 at most that at 0."""
        p = max(self.exchanges.p_above(bound), self.score.p_above(bound))
        return min(p, self.p_above(0.0)) if bound < 0 else p

    def upper(self, tail: float) -> float:
        """The higher limit; at most 0 exactly where 0 is excluded."""
        limit = max(self.exchanges.upper(tail), self.score.upper(tail))
        return min(limit, 0.0) if self.p_below(0.0) <= tail else max(limit, 0.0)

    def lower(self, tail: float) -> float:
        """The lower limit; at least 0 exactly where 0 is excluded."""
        limit = min(self.exchanges.lower(tail), self.score.lower(tail))
        return max(limit, 0.0) if self.p_above(0.0) <= tail else min(limit, 0.0)


@dataclass(frozen=True, eq=False)
class AtEveryLevel:
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

    def p_below(self, bound: float) -> float:
        """The smallest tail whose limit is not above the bound."""
        return least_tail(self.upper, bound)

    def p_above(self, bound: float) -> float:
        """The smallest tail whose limit is not below the bound."""
        return least_tail(lambda tail: 0.0 - self.lower(tail), 0.0 - bound)

    def upper(self, tail: float) -> float:
        """The upper limit that leaves the tail above it; where that is more than half, a lower one."""
        return self._beyond(tail, 1)

    def lower(self, tail: float) -> float:
        """The lower limit that leaves the tail below it; where that is more than half, an upper one."""
        return self._beyond(tail, 0)

    def _beyond(self, tail: float, side: int) -> float:
        level = 1 - 2 * max(min(tail, 1 - tail), LEAST_TAIL)
        if level < LEAST_TAIL:
            return self.estimate
        return self.limits(level)[side if tail < 0.5 else 1 - side]


@dataclass(frozen=True)
class State:
    """What earlier looks have left: the capital against either side, the looks, and the trials they used."""

    e_pass: float = 1.0
    e_fail: float = 1.0
    looks: int = 0
    trials_used: int = 0


Night = tuple[Stream, ...]
"""The new trials of one look, by class."""


@dataclass(frozen=True)
class Looks:
    """All looks so far: the new trials of each, and ``estimate`` and ``se`` of all of them.

    Limits are a confidence sequence. They leave out the numbers against which the capital of all looks has
    reached 1 / tail, and so the bound where the verdict says so; where the number is the same at each look,
    they hold it at all of them together with the confidence stated.
    """

    state: State
    nights: tuple[Night, ...]
    n_new: int
    """Trials of this look that no earlier one has used."""
    ceiling: float
    estimate: float
    se: float
    method: CiMethod = "betting"

    @property
    def e_pass(self) -> float:
        """The capital against "not on the good side"."""
        return self.state.e_pass

    @property
    def e_fail(self) -> float:
        """The capital against "not on the bad side"."""
        return self.state.e_fail

    @property
    def trials_used(self) -> int:
        """Trials of all looks."""
        return self.state.trials_used

    def upper(self, tail: float) -> float:
        """The limit above the number; NaN before any look."""
        return upper_limit(self.nights, -math.log(tail), self.ceiling) if self.nights else math.nan

    def lower(self, tail: float) -> float:
        """The limit below the number; NaN before any look."""
        return lower_limit(self.nights, -math.log(tail), self.ceiling) if self.nights else math.nan

    def times_more(self, bound: float, tail: float, owned: float) -> float:
        """How many times the trials of all looks it takes: with each log E grows by (D - b)^2 / (2 SE^2)."""
        if not (self.se > 0 and math.isfinite(self.estimate)):
            return math.nan
        growth = ((self.estimate - bound) / self.se) ** 2 / 2
        lacking = max(-math.log(tail) - math.log(max(owned, stake(self.state.looks + 1))), 0.1)
        return lacking / growth if growth > 0 else math.inf


def look(
    before: State,
    earlier: Sequence[Night],
    streams: Sequence[Stream],
    side: Side,
    bound: float,
    ceiling: float,
) -> Looks:
    """Add tonight's new trials to the capital; without any, nothing changes and no look is counted.

    ``ceiling`` is the capital that decides the gate on its own among all gates of a report: more is not
    carried on, so that a verdict does not outlive what the next looks find.
    """
    kept, nights = tuple(streams), tuple(earlier)
    n_new = sum(int(stream.n) for stream in kept)
    if not n_new:
        return Looks(before, nights, 0, ceiling, *_of_all(nights))
    against_low, against_high = float(log_e(kept, bound)), float(log_e_above(kept, bound))
    gained_pass, gained_fail = (against_high, against_low) if side == "below" else (against_low, against_high)
    passing = Capital(before.e_pass, before.looks).after(gained_pass, ceiling)
    failing = Capital(before.e_fail, before.looks).after(gained_fail, ceiling)
    after = State(passing.value, failing.value, passing.looks, before.trials_used + n_new)
    nights = (*nights, kept)
    return Looks(after, nights, n_new, ceiling, *_of_all(nights))


def _of_all(nights: Sequence[Night]) -> tuple[float, float]:
    """The weighted sum of the means of x over both classes of all looks, and its standard error."""
    estimate, variance = 0.0, 0.0
    for of_class in zip(*nights, strict=True):
        weight = of_class[0].weight
        if weight > 0:
            plus, minus, n = (sum(int(getattr(s, name)) for s in of_class) for name in ("plus", "minus", "n"))
            mean = (plus - minus) / n if n else math.nan
            estimate += weight * mean
            variance += weight**2 * ((plus + minus) / n - mean**2) / n if n else math.nan
    return (estimate, math.sqrt(max(variance, 0.0))) if nights else (math.nan, math.nan)
