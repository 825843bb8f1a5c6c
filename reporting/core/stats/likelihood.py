"""Costs of log likelihood ratios: how much information scores carry, and what their decisions cost.

``score`` holds natural-log likelihood ratios (shape (H,)); the functions of scores take them in any
order, repeats and infinities allowed, with the trials of each class at each of them (shape (..., H)).
The functions over the sweep take misses and false alarms at all thresholds along the last axis. Leading
axes are bootstrap resamples. An empty class gives NaN.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.core.stats.calibration import pav, regroup
from reporting.core.stats.rates import cost_unit, ratio
from reporting.core.stats.skewness import MeanCosts
from reporting.core.stats.special import expit, logit, rel_entr
from reporting.core.stats.staircase import cumulate
from reporting.core.stats.sweep import Reader, by_row


def cllr(score: Any, n_target: Any, n_nontarget: Any) -> FloatArray:
    """Cllr = [mean over targets of log2(1 + 1/LR) + mean over non-targets of log2(1 + LR)] / 2, in bits.

    In [0, inf], lower is better; 1 is what scores without information cost. +inf where a target has
    LLR -inf or a non-target +inf. Brümmer, du Preez 2006; methods 4.6.
    """
    return empirical_cross_entropy(score, n_target, n_nontarget)


def empirical_cross_entropy(score: Any, n_target: Any, n_nontarget: Any, p_target: float = 0.5) -> FloatArray:
    """ECE(pi) = pi mean log2(1 + 1/(LR O)) + (1 - pi) mean log2(1 + LR O), O = pi / (1 - pi), in bits.

    The means run over targets and over non-targets. In [0, inf], lower is better; scores without
    information cost the entropy of pi, and ECE(1/2) = Cllr. Infinite as Cllr is. Ramos,
    Gonzalez-Rodriguez 2013; methods 4.8.
    """
    costs = entropy_costs(score, p_target)
    missed, alarmed = class_mean(n_target, costs.missed), class_mean(n_nontarget, costs.alarmed)
    return np.asarray((p_target * missed + (1 - p_target) * alarmed) / math.log(2))


def entropy_costs(score: Any, p_target: float = 0.5) -> MeanCosts:
    """Return the costs in nats of which ECE is the sum of means, weighed by the prior in bits."""
    posterior = np.asarray(score, dtype=np.float64) + logit(p_target)
    weights = p_target / math.log(2), (1 - p_target) / math.log(2)
    return MeanCosts(np.logaddexp(0.0, -posterior), np.logaddexp(0.0, posterior), weights)


def class_mean(counts: Any, cost: FloatArray) -> FloatArray:
    """Return the mean cost per trial, NaN without trials; shapes as in ``total_cost``."""
    return ratio(total_cost(counts, cost), np.asarray(counts).sum(axis=-1))


def total_cost(counts: Any, cost: FloatArray) -> FloatArray:
    """Return the sum of cost (shape (H,)) times counts (shape (..., H)); infinite only where a trial's is."""
    counts, infinite = np.asarray(counts), ~np.isfinite(cost)
    # The product is laid out row by row, so that a resample's sum does not depend on its neighbours.
    total = np.multiply(counts, np.where(infinite, 0.0, cost), order="C").sum(axis=-1)
    if not infinite.any():
        return np.asarray(total)
    return np.where((counts[..., infinite] > 0).any(axis=-1), np.inf, total)


def error_rates(score: Any, n_target: Any, n_nontarget: Any, threshold: float) -> tuple[Any, Any]:
    """Return FRR and FAR at a threshold: a score that equals it is accepted, +inf rejects all."""
    rejected = (np.asarray(score) < threshold) | (threshold == np.inf)
    n_target, n_nontarget = np.asarray(n_target), np.asarray(n_nontarget)
    p_miss = ratio((n_target * rejected).sum(axis=-1), n_target.sum(axis=-1))
    return p_miss, ratio((n_nontarget * ~rejected).sum(axis=-1), n_nontarget.sum(axis=-1))


def bayes_error(score: Any, n_target: Any, n_nontarget: Any, prior_log_odds: float = 0.0) -> FloatArray:
    """BER(tau) = sigma(tau) FRR + sigma(-tau) FAR of decisions at the threshold -tau.

    In [0, 1], lower is better; above min(sigma(tau), sigma(-tau)) the scores do harm. Methods 4.4.
    """
    p_miss, p_fa = error_rates(score, n_target, n_nontarget, -prior_log_odds)
    return np.asarray(expit(prior_log_odds) * p_miss + expit(-prior_log_odds) * p_fa)


def actdcf(
    score: Any,
    n_target: Any,
    n_nontarget: Any,
    p_target: float = 0.5,
    c_miss: float = 1.0,
    c_fa: float = 1.0,
    normalised: bool = True,
    norm: str = "trivial",
) -> FloatArray:
    """C_miss pi FRR + C_FA (1 - pi) FAR of decisions at t = log[C_FA (1 - pi) / (C_miss pi)].

    In [0, inf), lower is better; a score at t is accepted. ``normalised`` divides by the cost of
    the cost of the best constant decision (``norm=trivial``) or by C_miss pi (``norm=miss``). Methods 4.4.
    """
    miss_weight, fa_weight = c_miss * p_target, c_fa * (1 - p_target)
    p_miss, p_fa = error_rates(score, n_target, n_nontarget, math.log(fa_weight / miss_weight))
    unit = cost_unit(p_target, c_miss, c_fa, normalised, norm)
    return np.asarray((miss_weight * p_miss + fa_weight * p_fa) / unit)


def mincllr(misses: Any, false_alarms: Any, laplace: bool = False) -> FloatArray:
    """Cllr of the best likelihood ratios that keep the order of the scores, in bits, lower is better.

    In [0, 1]: 0 for perfect separation, 1 for equal scores. ``laplace`` tempers the ends with one
    target and one non-target more on either side; the value may then exceed 1. Methods 4.7.
    """
    return minece(misses, false_alarms, 0.5, laplace)


def minece(misses: Any, false_alarms: Any, p_target: float = 0.5, laplace: bool = False) -> FloatArray:
    """ECE(pi) of the best likelihood ratios that keep the order of the scores, in bits; methods 4.7, 4.8.

    In [0, H2(pi)], lower is better; the ratios of the PAV blocks are best at every prior.
    """
    return by_row(partial(_least_entropy, p_target=p_target, laplace=laplace), misses, false_alarms)


def minece_held(
    misses: IntArray, false_alarms: IntArray, p_target: float = 0.5, laplace: bool = False
) -> Reader:
    """Return what reads ECE(pi) under the likelihood ratios that are best on these counts; methods 4.7."""
    n_target, n_nontarget = np.diff(misses), -np.diff(false_alarms)
    held = n_target + n_nontarget > 0
    blocks = pav(n_target[held], n_nontarget[held], laplace)
    place = np.searchsorted(blocks.start, np.cumsum(held) - 1, side="right") - 1
    return partial(_entropy_under, blocks.llr[place], p_target)


def _entropy_under(llr: FloatArray, p_target: float, misses: Any, false_alarms: Any) -> FloatArray:
    return empirical_cross_entropy(llr, np.diff(misses), -np.diff(false_alarms), p_target)


def _least_entropy(misses: IntArray, false_alarms: IntArray, p_target: float, laplace: bool) -> float:
    """Of one row: every resample has a hull of its own."""
    n_target, n_nontarget = np.diff(misses), -np.diff(false_alarms)
    n1, n0 = int(misses[-1]), int(false_alarms[0])
    held = n_target + n_nontarget > 0
    blocks = pav(n_target[held], n_nontarget[held], laplace)
    if laplace:
        counted = blocks.llr, blocks.n_target, blocks.n_nontarget
        return float(empirical_cross_entropy(*counted, p_target))
    miss, alarm = p_target * blocks.n_target / n1, (1 - p_target) * blocks.n_nontarget / n0
    # x log((x + y) / x) is 0 at x = 0: pure blocks cost nothing, without an infinite ratio in between.
    entropy = rel_entr(miss, miss + alarm) + rel_entr(alarm, miss + alarm)
    return float((0.0 - entropy.sum()) / math.log(2))


def calibration_loss(score: Any, n_target: Any, n_nontarget: Any) -> FloatArray:
    """Cllr - minCllr: the bits lost because the scores are not the best likelihood ratios of their order.

    In [0, inf], lower is better. Methods 4.7.
    """
    score, n_target, n_nontarget = regroup(score, n_target, n_nontarget)
    least = mincllr(*cumulate(n_target, n_nontarget))
    # The difference of the two is 0 to the last bits, of either sign, where the scores are the best already.
    return np.maximum(cllr(score, n_target, n_nontarget) - least, 0.0)
