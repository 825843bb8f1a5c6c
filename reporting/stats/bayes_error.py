"""The Bayes error rate along the prior: of log likelihood ratios as they are, and the least possible.

tau is the log odds of the effective prior, tau = logit(p_target c_miss / (p_target c_miss +
(1 - p_target) c_fa)); a likelihood ratio is accepted when its logarithm is at least -tau (methods 4.4).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from reporting.stats.rates import ratio
from reporting.stats.staircase import FloatArray, IntArray, Staircase, cumulate, cut_at


def bayes_error(p_miss: Any, p_fa: Any, prior_log_odds: Any) -> FloatArray:
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
    return bayes_error(p_miss, p_fa, prior_log_odds)


def min_bayes_error(staircase: Staircase, prior_log_odds: FloatArray) -> FloatArray:
    """Return the least Bayes error that any threshold attains, for every tau (shape (T,)).

    The minimum over the vertices of the hull, in [0, 1/2], lower is better; NaN with an empty class.
    Methods 4.4.
    """
    p_miss = ratio(staircase.misses[staircase.hull], staircase.n_target)
    p_fa = ratio(staircase.false_alarms[staircase.hull], staircase.n_nontarget)
    return np.asarray(bayes_error(p_miss, p_fa, prior_log_odds[:, None]).min(axis=1))


def trivial_bayes_error(prior_log_odds: Any) -> FloatArray:
    """Return the Bayes error of deciding without scores: min(sigma(tau), sigma(-tau)), in [0, 1/2].

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
