"""Costs of log likelihood ratios along the prior: Bayes errors and cross-entropies."""

from __future__ import annotations

from typing import Any

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.records import dataclass
from reporting.core.counts.cuts import Cuts
from reporting.core.curves.scores import Scaled
from reporting.core.stats.likelihood import empirical_cross_entropy, minece
from reporting.core.stats.rates import ratio
from reporting.core.stats.special import entr, expit
from reporting.core.stats.staircase import Staircase, cumulate, cut_at

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


def weighed_by_prior(p_miss: Any, p_fa: Any, prior_log_odds: Any) -> FloatArray:
    """Weigh two error rates: sigma(tau) FRR + sigma(-tau) FAR, in [0, 1], lower is better.

    Arguments broadcast; NaN where a rate is NaN. Methods 4.4.
    """
    return np.asarray(expit(prior_log_odds) * p_miss + expit(np.negative(prior_log_odds)) * p_fa)


def actual_bayes_error(
    llr: FloatArray, n_target: IntArray, n_nontarget: IntArray, prior_log_odds: FloatArray
) -> FloatArray:
    """Return the Bayes error of decisions at the threshold -tau, for every tau (shape (T,)).

    ``llr`` are natural-log likelihood ratios in any order, repeats and infinities allowed (shape (H,)),
    with the targets and non-targets at each. In [0, 1], lower is better; NaN with an empty class.
    Methods 4.5.
    """
    order = np.argsort(llr, kind="stable")
    misses, false_alarms = cumulate(n_target[order], n_nontarget[order])
    cut = cut_at(llr[order], -prior_log_odds)
    p_miss, p_fa = ratio(misses[cut], misses[-1]), ratio(false_alarms[cut], false_alarms[0])
    return weighed_by_prior(p_miss, p_fa, prior_log_odds)


def min_bayes_error(staircase: Staircase, prior_log_odds: FloatArray) -> FloatArray:
    """Return the least Bayes error that any threshold attains, for every tau (shape (T,)).

    The minimum over the vertices of the hull, in [0, 1/2], lower is better; NaN with an empty class.
    Methods 4.4.
    """
    p_miss = ratio(staircase.misses[staircase.hull], staircase.n_target)
    p_fa = ratio(staircase.false_alarms[staircase.hull], staircase.n_nontarget)
    return np.asarray(weighed_by_prior(p_miss, p_fa, prior_log_odds[:, None]).min(axis=1))


def trivial_bayes_error(prior_log_odds: Any) -> FloatArray:
    """Return the Bayes error of the best constant decision: min(sigma(tau), sigma(-tau)), in [0, 1/2].

    Its area over all tau is 2 ln 2. Methods 4.5.
    """
    return np.asarray(expit(-np.abs(prior_log_odds)))


def hull_breakpoints(staircase: Staircase) -> FloatArray:
    """Return the finite tau at which the best vertex of the hull changes, ascending.

    Vertices a, b (b rejects more) cost the same where tau = log(dFAR / dFRR): minus the optimal log
    likelihood ratio of the scores between them. Edges of one class alone change at +-inf and are left
    out, as are all with an empty class. Methods 4.2, 4.5.
    """
    targets = np.diff(staircase.misses[staircase.hull])
    nontargets = -np.diff(staircase.false_alarms[staircase.hull])
    mixed = (targets > 0) & (nontargets > 0)
    fall = ratio(nontargets[mixed], staircase.n_nontarget)
    rise = ratio(targets[mixed], staircase.n_target)
    return np.asarray(np.log(fall / rise)[::-1])
