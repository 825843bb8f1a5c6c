"""Rates along threshold probabilities, and how little limits of net benefit may claim to know."""

from __future__ import annotations

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.records import dataclass
from reporting.core.curves.scores import THRESHOLD_PROBABILITIES, Histogram, Scaled
from reporting.core.stats.effective_size import wilson_limits
from reporting.core.stats.intervals import wilson
from reporting.core.stats.rates import net_benefit_of_rates, ratio
from reporting.core.stats.roc_bands import least_errors
from reporting.core.stats.staircase import cumulate, cut_at


@dataclass(frozen=True, eq=False)
class BenefitRates:
    """The rates (each of shape (G,)) of one model at ``probability``, and of how many trials they are.

    ``share`` is the share of targets, that of the trials unless it is ``declared``.
    """

    p_miss: FloatArray
    p_fa: FloatArray
    n_target: int
    n_nontarget: int
    share: float
    declared: bool
    probability: FloatArray

    @property
    def least_spread(self) -> FloatArray:
        """The least standard error of the net benefit that is believed (shape (G,)), the share being known.

        That of two rates by Agresti and Coull (``least_errors``): with few false alarms resamples differ
        little, and one more may weigh much.
        """
        hits = least_errors(1 - self.p_miss, self.n_target)
        alarms = least_errors(self.p_fa, self.n_nontarget)
        return _spread(hits, alarms, self.share, self.probability)

    def limits(self, z: float, *, standardised: bool, effect: float = 1.0) -> tuple[FloatArray, FloatArray]:
        """Return limits z standard errors away, each trial being worth 1 / ``effect`` independent ones.

        B -+ sqrt(sum of (B moved - B)^2), where the rates and the share are moved to Wilson's limits, one
        of them at a time: the share of few targets is skewed, which no standard error reflects. Zou, Donner
        2008, doi:10.1002/sim.3095.
        """
        observed = self._parts
        value = self._benefit(observed, standardised)
        down, up = np.zeros_like(value), np.zeros_like(value)
        for at, n in enumerate(self._sizes):
            moved = [
                self._benefit((*observed[:at], end, *observed[at + 1 :]), standardised) - value
                for end in wilson_limits(observed[at], n / effect, z)
            ]
            down += np.minimum(*moved) ** 2
            up += np.maximum(*moved) ** 2
        return value - np.sqrt(down), value + np.sqrt(up)

    def range(self, z: float, *, standardised: bool, effect: float = 1.0) -> tuple[FloatArray, FloatArray]:
        """Return the least net benefit that is possible, all being wrong, and the greatest, all being right.

        -(1 - pi) t / (1 - t) and pi; over pi when standardised. A share pi that is estimated is anywhere
        within Wilson's limits z standard errors away.
        """
        ends = (np.asarray(self.share),) * 2
        if not self.declared:
            ends = wilson_limits(self.share, (self.n_target + self.n_nontarget) / effect, z)
        least = -(1 - ends[0]) * self.probability / (1 - self.probability)
        unit = ends if standardised else (1.0, 1.0)
        return least / unit[0], np.broadcast_to(ends[1] / unit[1], least.shape)

    def design_effect(self, replicates: FloatArray, inflation: float) -> float:
        """Return the design effect of clusters: its median over the points, at least 1.

        At each point the variance of the net benefits of resamples (shape (M, G)) divided by that of as many
        independent trials; ``inflation`` is what their spread lacks.
        """
        odds = self.probability / (1 - self.probability)
        slopes: tuple[FloatArray | float, ...] = (
            self.share,
            (1 - self.share) * odds,
            1 - self.p_miss + odds * self.p_fa,
        )
        independent = np.zeros_like(odds)
        for rate, n, slope in zip(self._parts, self._sizes, slopes, strict=False):
            independent += slope**2 * rate * (1 - rate) / n
        varied = independent > 0
        if not varied.any():
            return 1.0
        variance = replicates.var(axis=0, ddof=1) * inflation**2
        return max(1.0, float(np.median(variance[varied] / independent[varied])))

    @property
    def _parts(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return self.p_miss, self.p_fa, np.asarray(self.share)

    @property
    def _sizes(self) -> tuple[int, ...]:
        """Numbers of trials that the parts are estimated from; a declared share is not estimated."""
        of_rates = self.n_target, self.n_nontarget
        return of_rates if self.declared else (*of_rates, sum(of_rates))

    def _benefit(self, parts: tuple[FloatArray, ...], standardised: bool) -> FloatArray:
        p_miss, p_fa, share = parts
        benefit = net_benefit_of_rates(p_miss, p_fa, share, self.probability)
        return benefit / share if standardised else benefit


def least_paired_spread(
    targets: FloatArray,
    nontargets: FloatArray,
    n_target: int,
    n_nontarget: int,
    share: float,
    probability: FloatArray,
) -> FloatArray:
    """Return the same of the difference of two models that decide these shares of each class differently.

    Of each class sqrt(q / (n + 4)), with q = (n times its share + 2) / (n + 4).
    """
    differ = ((targets, n_target), (nontargets, n_nontarget))
    hits, alarms = (np.sqrt((n * of_class + 2) / (n + 4) / (n + 4)) for of_class, n in differ)
    return _spread(hits, alarms, share, probability)


def _spread(hits: FloatArray, alarms: FloatArray, share: float, probability: FloatArray) -> FloatArray:
    odds = probability / (1 - probability)
    return np.asarray(np.hypot(share * hits, (1 - share) * odds * alarms))


RISK_BINS = 50


def risk_distribution(probability: Scaled, bins: int = RISK_BINS) -> Histogram:
    """Count the trials of each class in equal parts of [0, 1]; a bin takes its lower edge, the last 1 too."""
    edges = np.arange(bins + 1) / bins
    at = np.clip(np.searchsorted(edges, probability.value, side="right") - 1, 0, bins - 1)
    counts = (per_bin(of_class, at, bins) for of_class in (probability.n_target, probability.n_nontarget))
    return Histogram(edges[:-1], edges[1:], *counts)


@dataclass(frozen=True, eq=False)
class DecisionCurve:
    """Net benefit by threshold probability .01, .02, ... .99 (shape (99,)); NaN with an empty class."""

    probability: FloatArray
    net_benefit: FloatArray
    treat_all: FloatArray


def decision_curve(probability: Scaled, prevalence: float | None = None) -> DecisionCurve:
    """Return the net benefit of acting where the stated probability is at least the threshold.

    ``prevalence`` is the declared share of targets; None: that of these trials.
    """
    order = np.argsort(probability.value, kind="stable")
    misses, false_alarms = cumulate(probability.n_target[order], probability.n_nontarget[order])
    share = ratio(misses[-1], misses[-1] + false_alarms[0]) if prevalence is None else prevalence
    at = THRESHOLD_PROBABILITIES
    cut = cut_at(probability.value[order], at)
    p_miss, p_fa = ratio(misses[cut], misses[-1]), ratio(false_alarms[cut], false_alarms[0])
    return DecisionCurve(
        at, net_benefit_of_rates(p_miss, p_fa, share, at), net_benefit_of_rates(0.0, 1.0, share, at)
    )


@dataclass(frozen=True, eq=False)
class ReliabilityBins:
    """The bins that hold a trial, ascending (all of shape (B,)); ``low`` belongs to a bin, ``high`` does not.

    ``stated`` is the mean probability of the bin's trials, ``observed`` the share of targets among
    them, ``ci_low`` and ``ci_high`` its Wilson limits.
    """

    low: FloatArray
    high: FloatArray
    stated: FloatArray
    observed: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    n_target: IntArray
    n_nontarget: IntArray


def reliability_bins(
    probability: FloatArray, n_target: IntArray, n_nontarget: IntArray, bins: int, level: float | None
) -> ReliabilityBins:
    """Count targets in ``bins`` equal parts of [0, 1]; a perfect forecaster has observed = stated.

    Takes distinct probabilities in ascending order with the trials of each class at each (shape
    (H,)). 1 belongs to the last bin; empty bins are left out. ``level`` None: there are no limits (NaN), as
    of sums of weights, which are no numbers of trials.
    """
    edges = np.arange(bins + 1) / bins
    at = np.clip(np.searchsorted(edges, probability, side="right") - 1, 0, bins - 1)
    size = n_target + n_nontarget
    total = per_bin(size, at, bins)
    targets = per_bin(n_target, at, bins)
    held = np.flatnonzero(total)
    stated = np.bincount(at, weights=probability * size, minlength=bins)
    unknown = np.nan, np.nan
    limits = [unknown if level is None else wilson(int(targets[b]), int(total[b]), level) for b in held]
    low, high = np.array(limits, dtype=np.float64).reshape(-1, 2).T
    return ReliabilityBins(
        edges[held],
        edges[held + 1],
        ratio(stated[held], total[held]),
        ratio(targets[held], total[held]),
        low,
        high,
        targets[held],
        (total - targets)[held],
    )


def per_bin(count: IntArray, at: IntArray, bins: int) -> IntArray:
    """Return the sum of integers in every bin: bincount's own weights would be floats."""
    total = np.zeros(bins, dtype=np.int64)
    np.add.at(total, at, count)
    return total
