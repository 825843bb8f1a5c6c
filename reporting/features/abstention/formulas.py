"""Two thresholds between which a decision is left to review, and errors among the most confident decisions.

A trial is accepted where its score is at least the upper threshold, rejected where it is below the lower one,
and reviewed between them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.records import dataclass
from reporting.core.stats.rates import ratio
from reporting.core.stats.special import logit, psi
from reporting.features.abstention.keys import ReviewCosts


class TwoCuts(NamedTuple):
    """With ``cut`` k, the k lowest of H distinct scores are below it: 0 <= lower <= upper <= H."""

    lower: int
    upper: int


def cheapest_cuts(
    misses: IntArray,
    false_alarms: IntArray,
    costs: ReviewCosts,
    capacity: float = 1.0,
    prevalence: float | None = None,
) -> TwoCuts:
    """Return the two thresholds of the least mean cost that reviews at most ``capacity`` (a share of trials).

    ``misses`` and ``false_alarms`` are those at thresholds 0..H (shape (H + 1,)). The mean cost of a trial is
    pi (c_fn FRR + c_r R_1) + (1 - pi) (c_fp FAR + c_r R_0): FRR of targets below the lower one, FAR of
    non-targets from the upper one on, R_y the share of class y between, pi the share of targets, that of the
    trials unless ``prevalence`` is given. It is exact over all pairs: the cost is a sum of what the lower one
    and what the upper one brings, as whole numbers, and the least of the first among the lower ones within
    capacity is found for every upper one. Of equally cheap pairs the one with the fewest reviews wins, of
    these the lowest. Both classes must have trials. Chow 1970; Herbei, Wegkamp 2006.
    """
    n_target, n_nontarget = int(misses[-1]), int(false_alarms[0])
    target, nontarget = Fraction(1), Fraction(1)
    if prevalence is not None:
        share = Fraction(repr(prevalence))
        target, nontarget = share * n_nontarget, (1 - share) * n_target
    most = n_target + n_nontarget
    false_positive, false_negative, review = (Fraction(repr(float(cost))) for cost in astuple(costs))
    missed, alarmed, seen_target, seen_nontarget = _whole(
        (false_negative * target, false_positive * nontarget, review * target, review * nontarget), most
    )
    a_target, a_nontarget = _whole((target, nontarget), most)
    rejected = n_nontarget - false_alarms
    below = a_target * misses + a_nontarget * rejected
    reviewed = seen_target * misses + seen_nontarget * rejected
    first, second = missed * misses - reviewed, alarmed * false_alarms + reviewed
    room = math.floor(Fraction(repr(float(capacity))) * int(below[-1]))
    lower = _last_least(first, np.searchsorted(below, below - room))
    total = first[lower] + second
    best = np.flatnonzero(total == total.min())
    upper = int(best[np.argmin(below[best] - below[lower[best]])])
    return TwoCuts(int(lower[upper]), upper)


LARGEST = 2**60
"""Sums of weights stay below this, so that they are exact as 64-bit integers."""


def _whole(weights: Sequence[Fraction], most: int) -> list[int]:
    """Return weights as whole numbers in the same ratio; rounded where ``most`` of one would not fit."""
    scale = Fraction(math.lcm(*(weight.denominator for weight in weights)))
    shared = math.gcd(*(int(weight * scale) for weight in weights))
    scale /= max(1, shared)
    heaviest = max(weights) * scale * most * 2
    if heaviest > LARGEST:
        scale *= LARGEST / heaviest
    return [round(weight * scale) for weight in weights]


def _last_least(values: IntArray, start: IntArray) -> IntArray:
    """Return for every i the last of the indices start_i..i at which ``values`` are least (shape (n,) each).

    By doubling: a range is covered by two whose length is a power of two.
    """
    end = np.arange(len(values))
    width = end - start + 1
    level, least, table = np.frexp(width.astype(np.float64))[1] - 1, end.copy(), end

    def later(first: IntArray, second: IntArray) -> IntArray:
        return np.where(values[second] <= values[first], second, first)

    for power in range(int(level.max()) + 1):
        half = 2**power // 2
        if half:
            table = later(table[:-half], table[half:])
        at = np.flatnonzero(level == power)
        least[at] = later(table[start[at]], table[at + 1 - 2**power])
    return least


class ChowRatios(NamedTuple):
    """Natural-log likelihood ratios: below ``lower`` rejected, from ``upper`` on accepted."""

    lower: float
    upper: float


def chow_ratios(costs: ReviewCosts, share: float) -> ChowRatios:
    """Return where known likelihood ratios are reviewed; ``share`` is that of targets.

    With the posterior p of the target, rejecting costs p c_fn, accepting (1 - p) c_fp and a review c_r, which
    is cheapest for c_r / c_fn <= p < 1 - c_r / c_fp. Where that is empty, both are the threshold of Bayes,
    p = c_fp / (c_fp + c_fn). Chow 1970, eq. 3.
    """
    false_positive, false_negative, review = astuple(costs)
    lower, upper = review / false_negative, 1 - review / false_positive
    if lower >= upper:
        lower = upper = false_positive / (false_positive + false_negative)
    return ChowRatios(float(logit(lower) - logit(share)), float(logit(upper) - logit(share)))


@dataclass(frozen=True, eq=False)
class Decided:
    """What two thresholds do with trials: counts of any one shape, such as (M,) in resamples.

    ``prevalence`` is the share of targets; None: that of the trials.
    """

    misses: Any
    """Targets that are rejected."""
    false_alarms: Any
    """Non-targets that are accepted."""
    reviewed_targets: Any
    reviewed_nontargets: Any
    n_target: Any
    n_nontarget: Any
    prevalence: float | None = None

    @classmethod
    def between(
        cls,
        at_lower: tuple[Any, Any],
        at_upper: tuple[Any, Any],
        sizes: tuple[Any, Any],
        prevalence: float | None,
    ) -> Decided:
        """Return it from misses and false alarms at either threshold, and the targets and non-targets."""
        reviewed = at_upper[0] - at_lower[0], at_lower[1] - at_upper[1]
        return cls(at_lower[0], at_upper[1], *reviewed, *sizes, prevalence)

    @property
    def share(self) -> Any:
        """The share of targets."""
        if self.prevalence is not None:
            return self.prevalence
        return ratio(self.n_target, self.n_target + self.n_nontarget)

    def mean(self, of_targets: Any, of_nontargets: Any) -> FloatArray:
        """Return pi a / N1 + (1 - pi) b / N0, of sums over targets and over non-targets."""
        share = self.share
        return np.asarray(
            share * ratio(of_targets, self.n_target) + (1 - share) * ratio(of_nontargets, self.n_nontarget)
        )

    @property
    def reviewed(self) -> FloatArray:
        """The share of trials that are reviewed."""
        return self.mean(self.reviewed_targets, self.reviewed_nontargets)

    @property
    def rejected(self) -> FloatArray:
        """The share of trials that are rejected."""
        others = self.n_nontarget - self.false_alarms - self.reviewed_nontargets
        return self.mean(self.misses, others)

    @property
    def accepted(self) -> FloatArray:
        """The share of trials that are accepted."""
        return self.mean(self.n_target - self.misses - self.reviewed_targets, self.false_alarms)

    @property
    def error(self) -> FloatArray:
        """Wrong decisions over decisions; NaN where none is left. Geifman, El-Yaniv 2017, eq. 2."""
        decided = self.mean(
            self.n_target - self.reviewed_targets, self.n_nontarget - self.reviewed_nontargets
        )
        return ratio(self.mean(self.misses, self.false_alarms), decided)

    @property
    def frr(self) -> FloatArray:
        """Rejected targets over decided ones; NaN without any."""
        return ratio(self.misses, self.n_target - self.reviewed_targets)

    @property
    def far(self) -> FloatArray:
        """Accepted non-targets over decided ones; NaN without any."""
        return ratio(self.false_alarms, self.n_nontarget - self.reviewed_nontargets)

    def cost(self, costs: ReviewCosts) -> FloatArray:
        """Return the mean cost of a trial (``cheapest_cuts``)."""
        of_targets = costs.false_negative * self.misses + costs.review * self.reviewed_targets
        of_nontargets = costs.false_positive * self.false_alarms + costs.review * self.reviewed_nontargets
        return self.mean(of_targets, of_nontargets)


COVERAGES: FloatArray = np.arange(1, 101) / 100
"""The shares of trials that are kept at the points of a risk-coverage curve."""


def risk_at(errors: FloatArray, trials: FloatArray, coverage: FloatArray = COVERAGES) -> FloatArray:
    """Return the error among the most confident trials at each coverage (shape (M, G)).

    ``errors`` and ``trials`` count groups of equal confidence, the most confident first (shape (M, C)). Where
    a group is kept in part, errors are those expected of a random order within it. NaN without trials.
    Geifman, El-Yaniv 2017, eq. 3; with quality for confidence the error-versus-discard curve of Grother and
    Tabassi 2007 (ISO/IEC 29794-1), whose discarded share is 1 - coverage.
    """
    kept, wrong = (np.pad(np.cumsum(each, axis=1), ((0, 0), (1, 0))) for each in (trials, errors))
    total = kept[:, -1:]
    # One search for all rows: each begins where that before it has ended.
    ends = np.cumsum(total + 1, axis=0) - total - 1
    at = coverage * total
    expected = np.interp((at + ends).ravel(), (kept + ends).ravel(), wrong.ravel()).reshape(at.shape)
    return ratio(expected, at)


SMALLEST = np.finfo(np.float64).tiny
"""The divisor of an empty group's errors, of which there are none."""


def area_under_risk(errors: FloatArray, trials: FloatArray) -> FloatArray:
    """Return the mean error among the k most confident trials, over k = 1..N (shape (M,)); lower is better.

    As ``risk_at`` has them. A group of g trials with e errors, behind K trials with E, adds the sum over
    j = 1..g of (E + j e / g) / (K + j) = e + (E - K e / g) (H(K + g) - H(K)), H the harmonic numbers. This is
    the AURC of Geifman, Uziel and El-Yaniv (2019), its expected value under a random order of ties; over the
    trials of one class it is the area under the error-versus-discard curve. Counts need not be whole.
    """
    kept, wrong = np.cumsum(trials, axis=1), np.cumsum(errors, axis=1)
    before, wrong_before = kept - trials, wrong - errors
    harmonic = psi(kept + 1) - psi(before + 1)  # 0 of an empty group
    added = errors + (wrong_before - before * ratio(errors, np.maximum(trials, SMALLEST))) * harmonic
    return ratio(added.sum(axis=1), kept[:, -1])


@dataclass(frozen=True)
class ConfidenceReader:
    """Reads risk-coverage curves and their areas off resamples of cells of trials.

    Cell 2 r holds the trials that are rejected, 2 r + 1 those that are accepted, with the r-th highest
    confidence. ``shift`` is added to the areas (shape (3,)).
    """

    prevalence: float | None
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __call__(self, misses: Any, false_alarms: Any) -> FloatArray:
        """Return curves and areas (shape (M, 3, G + 1)), the area last: of all trials, targets, non-targets.

        ``misses`` and ``false_alarms`` are those at thresholds around the cells (shape (M, 2 C + 1)).
        """
        targets, nontargets = np.diff(misses, axis=1), -np.diff(false_alarms, axis=1)
        return self.of_cells(targets, nontargets)

    def of_cells(self, targets: Any, nontargets: Any) -> FloatArray:
        """Return the same from the trials of each class in every cell (shape (M, 2 C))."""
        missed, alarmed = targets[:, 0::2], nontargets[:, 1::2]
        of_targets, of_nontargets = missed + targets[:, 1::2], alarmed + nontargets[:, 0::2]
        target, nontarget = self._weights(of_targets, of_nontargets)
        counted = (
            (target * missed + nontarget * alarmed, target * of_targets + nontarget * of_nontargets),
            (missed, of_targets),
            (alarmed, of_nontargets),
        )
        return np.stack(
            [
                np.column_stack((risk_at(*each), area_under_risk(*each) + shift))
                for each, shift in zip(counted, self.shift, strict=True)
            ],
            axis=1,
        )

    def _weights(self, of_targets: Any, of_nontargets: Any) -> tuple[Any, Any]:
        """How much each target and each non-target weighs: the trials, in the declared shares."""
        if self.prevalence is None:
            return 1.0, 1.0
        n_target, n_nontarget = (each.sum(axis=1, keepdims=True) for each in (of_targets, of_nontargets))
        n = n_target + n_nontarget
        return ratio(self.prevalence * n, n_target), ratio((1 - self.prevalence) * n, n_nontarget)


def effective_sizes(
    shares: FloatArray, replicates: FloatArray, sizes: FloatArray, inflation: float
) -> FloatArray:
    """Return how many independent trials the shares along a curve of clusters are worth (shape (G,)).

    Independent trials would be worth ``sizes`` (shape (G,)). With the ``inflation`` of clusters, these are
    divided by one design effect: the mean over the curve of n SE^2 / (p (1 - p)), at least 1, weighted by the
    errors n p, because a point with few errors shows none of its own.
    """
    variance = replicates.var(axis=0, ddof=1) * inflation**2
    binomial = shares * (1 - shares) / sizes
    effect = np.divide(variance, binomial, out=np.ones_like(sizes), where=binomial > 0)
    errors = shares * sizes
    if not errors.any():
        return sizes
    return np.asarray(sizes / np.average(np.maximum(effect, 1.0), weights=errors))
