"""Scores seen as numbers: on a scale with a meaning, and how they are distributed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.core.counts.cuts import Cuts
from reporting.core.stats.likelihood import (
    actual_bayes_error,
    empirical_cross_entropy,
    hull_breakpoints,
    min_bayes_error,
    minece,
    trivial_bayes_error,
)
from reporting.core.stats.probability import ReliabilityBins, per_bin, reliability_bins
from reporting.core.stats.rates import net_benefit_of_rates, ratio
from reporting.core.stats.special import entr, expit
from reporting.core.stats.staircase import cumulate, cut_at

BINS = 60


class Scaled(NamedTuple):
    """The distinct scores of one set of trials on a scale with a meaning, and the trials at each.

    ``value`` holds log likelihood ratios or probabilities (shape (H,)), in the order of the scores; a
    map fitted on the development set may have made several of them equal.
    """

    value: FloatArray
    n_target: IntArray
    n_nontarget: IntArray


@dataclass(frozen=True, eq=False)
class Histogram:
    """Trials by score: bin b holds ``low <= score < high`` (shape (B,)), the last one its ``high`` too.

    Infinite scores are counted in the bin at their end.
    """

    low: FloatArray
    high: FloatArray
    n_target: IntArray
    n_nontarget: IntArray


def histogram(cuts: Cuts, bins: int = BINS) -> Histogram:
    """Count targets and non-targets in equally wide bins between the least and the greatest finite score.

    Fewer bins where floats lie too close together; one bin without width where all finite scores are
    equal, none where there is no finite score.
    """
    edges = _edges(cuts.score, bins)
    if not len(edges):
        nothing, none = np.zeros(0), np.zeros(0, dtype=np.int64)
        return Histogram(nothing, nothing, none, none)
    first = np.searchsorted(cuts.score, edges, side="left")
    first[0], first[-1] = 0, len(cuts.score)
    counts = [np.diff(np.concatenate(([0], np.cumsum(n)))[first]) for n in (cuts.n_target, cuts.n_nontarget)]
    return Histogram(edges[:-1], edges[1:], *counts)


def _edges(score: FloatArray, bins: int) -> FloatArray:
    finite = score[np.isfinite(score)]
    if not len(finite):
        return np.zeros(0)
    low, high = finite[0], finite[-1]
    if low == high:
        return np.array([low, high])
    share = np.arange(bins + 1) / bins
    # Two products, because the span of two huge scores overflows.
    return np.unique(np.clip(low * (1 - share) + high * share, low, high))


RISK_BINS = 50


def risk_distribution(probability: Scaled, bins: int = RISK_BINS) -> Histogram:
    """Count the trials of each class in equal parts of [0, 1]; a bin takes its lower edge, the last 1 too."""
    edges = np.arange(bins + 1) / bins
    at = np.clip(np.searchsorted(edges, probability.value, side="right") - 1, 0, bins - 1)
    counts = (per_bin(of_class, at, bins) for of_class in (probability.n_target, probability.n_nontarget))
    return Histogram(edges[:-1], edges[1:], *counts)


RELIABILITY_BINS = 10


def reliability_curve(
    probability: Scaled, bins: int = RELIABILITY_BINS, level: float = 0.95
) -> ReliabilityBins:
    """Return the bins of [0, 1] that hold a trial, with Wilson limits of the observed share of targets."""
    value, n_target, n_nontarget = probability
    return reliability_bins(value, n_target, n_nontarget, bins, level)


THRESHOLD_PROBABILITIES = np.arange(1, 100) / 100
"""Where decision curves are computed."""


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


REACH = 10
"""Prior log odds run from -REACH to REACH."""

STEPS = 20
"""Steps a unit: the grid is k / STEPS, each in one division."""


@dataclass(frozen=True, eq=False)
class CostCurve:
    """Error rates by prior log odds, ascending (shape (T,)); ``actual`` is NaN where no decision follows."""

    prior_log_odds: FloatArray
    actual: FloatArray
    minimum: FloatArray
    trivial: FloatArray


def cost_curve(cuts: Cuts, llr: Scaled | None) -> CostCurve:
    """Return the Bayes error of likelihood ratios, and the least that any threshold on the scores attains.

    On the grid -10..10 by .05 and at the priors within it where the best threshold changes, so that the
    minimum is exact between any two rows: one vertex of the hull. ``minimum`` is that of the scores
    themselves, whatever map has made them likelihood ratios. Methods 4.5.
    """
    grid = np.arange(-REACH * STEPS, REACH * STEPS + 1) / STEPS
    changes = hull_breakpoints(cuts.staircase)
    tau = np.unique(np.concatenate((grid, changes[np.abs(changes) < REACH])))
    actual = np.full(len(tau), np.nan) if llr is None else actual_bayes_error(*llr, tau)
    return CostCurve(tau, actual, min_bayes_error(cuts.staircase, tau), trivial_bayes_error(tau))


DECADES = 3
"""Log10 prior odds of the cross-entropy run from -DECADES to DECADES, by 1 / STEPS."""


@dataclass(frozen=True, eq=False)
class EntropyCurve:
    """Cross-entropies in bits by log10 prior odds, ascending (shape (T,)).

    ``actual`` is NaN without likelihood ratios, with an empty class, and where it is infinite.
    """

    prior_log10_odds: FloatArray
    actual: FloatArray
    minimum: FloatArray
    neutral: FloatArray


def entropy_curve(cuts: Cuts, llr: Scaled | None) -> EntropyCurve:
    """Return the empirical cross-entropy of likelihood ratios, the least of their order, and that of LR = 1.

    ``minimum`` is that of the scores themselves, whatever map has made them likelihood ratios. Ramos,
    Gonzalez-Rodriguez 2013; methods 4.8.
    """
    log10_odds = np.arange(-DECADES * STEPS, DECADES * STEPS + 1) / STEPS
    prior = expit(log10_odds * np.log(10))
    # The vertices of the hull separate the blocks of isotonic regression: other thresholds add nothing.
    stairs = cuts.staircase
    errors = stairs.misses[stairs.hull], stairs.false_alarms[stairs.hull]
    minimum = np.array([float(minece(*errors, p)) for p in prior])
    actual = np.full(len(prior), np.nan)
    if llr is not None:
        actual = np.array([float(empirical_cross_entropy(*llr, p)) for p in prior])
    neutral = (entr(prior) + entr(1 - prior)) / np.log(2)
    return EntropyCurve(log10_odds, np.where(np.isinf(actual), np.nan, actual), minimum, neutral)
