"""How good probabilities of the target are: their error, and how far they are from observed frequencies.

``probability`` is in [0, 1] (shape (H,), any order, repeats allowed), ``log_odds`` its logit, with the trials
of each class at each value (shape (..., H)); leading axes are bootstrap resamples. The share of targets is
that of the trials, or the declared ``prevalence``: then each class weighs what it has in such a population,
and an empty class leaves all undefined. Without trials all are NaN.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.core.stats.calibration import fit_intercept, fit_logistic, regroup
from reporting.core.stats.likelihood import total_cost
from reporting.core.stats.rates import ratio
from reporting.core.stats.skewness import MeanCosts


def _at_prevalence(formula: Callable[..., FloatArray]) -> Callable[..., FloatArray]:
    """Let a formula take ``prevalence``: ``sample``, or a share for which the classes are weighed."""

    @functools.wraps(formula)
    def called(
        stated: Any, n_target: Any, n_nontarget: Any, *, prevalence: Any = "sample", **parameters: Any
    ) -> FloatArray:
        if prevalence != "sample":
            n_target, n_nontarget = _weighed(n_target, n_nontarget, float(prevalence))
        return formula(stated, n_target, n_nontarget, **parameters)

    return called


def _weighed(n_target: Any, n_nontarget: Any, prevalence: float) -> tuple[FloatArray, FloatArray]:
    """Weigh the classes to a share of targets, the number of trials kept; NaN with an empty class."""
    targets, nontargets = (np.asarray(counts, dtype=np.float64) for counts in (n_target, n_nontarget))
    n1, n0 = targets.sum(axis=-1, keepdims=True), nontargets.sum(axis=-1, keepdims=True)
    n = n1 + n0
    return targets * ratio(prevalence * n, n1), nontargets * ratio((1 - prevalence) * n, n0)


@_at_prevalence
def brier(probability: Any, n_target: Any, n_nontarget: Any) -> FloatArray:
    """Mean of (p - y)^2, y = 1 for a target and 0 otherwise; in [0, 1], lower is better. Brier 1950."""
    costs = brier_costs(probability)
    return _mean(n_target, costs.missed, n_nontarget, costs.alarmed)


def brier_costs(probability: Any, prevalence: Any = "sample") -> MeanCosts:
    """Return the costs of which the Brier score is the mean."""
    p = np.asarray(probability, dtype=np.float64)
    return MeanCosts((1 - p) ** 2, p**2, _class_weights(prevalence))


def _class_weights(prevalence: Any) -> tuple[float, float] | None:
    return None if prevalence == "sample" else (float(prevalence), 1 - float(prevalence))


@_at_prevalence
def rmse(probability: Any, n_target: Any, n_nontarget: Any) -> FloatArray:
    """Square root of the mean of (p - y)^2; in [0, 1], lower is better."""
    return np.asarray(np.sqrt(brier(probability, n_target, n_nontarget)))


@_at_prevalence
def brier_skill(probability: Any, n_target: Any, n_nontarget: Any) -> FloatArray:
    """1 - Brier / (share (1 - share)): the part of the error of stating the share of targets that is saved.

    In (-inf, 1], higher is better; 0 is the value of the constant share. Undefined with an empty class.
    """
    n1, n0 = np.asarray(n_target).sum(axis=-1), np.asarray(n_nontarget).sum(axis=-1)
    share = ratio(n1, n1 + n0)
    return np.asarray(1 - ratio(brier(probability, n_target, n_nontarget), share * (1 - share)))


@_at_prevalence
def log_loss(log_odds: Any, n_target: Any, n_nontarget: Any) -> FloatArray:
    """Mean of -ln p over targets and -ln(1 - p) over non-targets, in nats; in [0, inf], lower is better.

    -ln p = ln(1 + exp(-logit p)). +inf where a target has p = 0 or a non-target p = 1.
    """
    costs = log_costs(log_odds)
    return _mean(n_target, costs.missed, n_nontarget, costs.alarmed)


def log_costs(log_odds: Any, prevalence: Any = "sample") -> MeanCosts:
    """Return the costs of which the log loss is the mean."""
    odds = np.asarray(log_odds, dtype=np.float64)
    return MeanCosts(np.logaddexp(0.0, -odds), np.logaddexp(0.0, odds), _class_weights(prevalence))


def _mean(n_target: Any, missed: FloatArray, n_nontarget: Any, alarmed: FloatArray) -> FloatArray:
    trials = np.asarray(n_target).sum(axis=-1) + np.asarray(n_nontarget).sum(axis=-1)
    return ratio(total_cost(n_target, missed) + total_cost(n_nontarget, alarmed), trials)


@_at_prevalence
def oe_ratio(probability: Any, n_target: Any, n_nontarget: Any) -> FloatArray:
    """O:E = targets observed / targets expected (the sum of p); in [0, inf), 1 is ideal.

    Above 1 the probabilities are too low on the whole. Undefined where all are 0.
    """
    trials = np.asarray(n_target) + np.asarray(n_nontarget)
    expected = total_cost(trials, np.asarray(probability, dtype=np.float64))
    return ratio(np.asarray(n_target).sum(axis=-1), expected)


@_at_prevalence
def calibration_intercept(log_odds: Any, n_target: Any, n_nontarget: Any) -> FloatArray:
    """Calibration in the large: a of P(target) = expit(logit p + a), in log odds; 0 is ideal.

    Above 0 the probabilities are too low on the whole. Undefined with an empty class among 0 < p < 1, and
    where a target has p = 0 or a non-target p = 1. Cox 1958; Van Calster et al. 2019.
    """
    return _by_row(log_odds, n_target, n_nontarget, fit_intercept)


@_at_prevalence
def calibration_slope(log_odds: Any, n_target: Any, n_nontarget: Any) -> FloatArray:
    """b of P(target) = expit(a + b logit p), both fitted by maximum likelihood; 1 is ideal.

    Below 1 the probabilities are too extreme, above 1 too timid. Undefined where ``fit_logistic`` has no
    fit: with an empty class, where a target has p = 0 or a non-target p = 1, or where a threshold separates
    the classes. Cox 1958; Van Calster et al. 2019.
    """

    def slope(*counted: FloatArray) -> float | None:
        fit = fit_logistic(*counted)
        return None if fit is None else fit.slope

    return _by_row(log_odds, n_target, n_nontarget, slope)


def _by_row(log_odds: Any, n_target: Any, n_nontarget: Any, fit: Callable[..., float | None]) -> FloatArray:
    odds = np.asarray(log_odds, dtype=np.float64)
    n_target, n_nontarget = (np.asarray(counts, dtype=np.float64) for counts in (n_target, n_nontarget))
    shape = n_target.shape[:-1]
    rows = (math.prod(shape), len(odds))
    pairs = zip(n_target.reshape(rows), n_nontarget.reshape(rows), strict=True)
    values = [fit(odds, targets, nontargets) for targets, nontargets in pairs]
    return np.array([math.nan if value is None else value for value in values]).reshape(shape)


@_at_prevalence
def calibration_error(probability: Any, n_target: Any, n_nontarget: Any, bins: Any = 10) -> FloatArray:
    """Sum over equal bins of [0, 1] of (trials in the bin / trials) |mean p - share of targets|.

    In [0, 1], lower is better; it depends on the bins, and noise alone makes it positive. A bin takes
    its lower limit, the last one 1 too. Naeini, Cooper, Hauskrecht 2015 ("expected calibration error").
    """
    p, n_target, n_nontarget = regroup(probability, n_target, n_nontarget)
    trials = np.asarray(n_target) + np.asarray(n_nontarget)
    width = int(bins)
    at = np.searchsorted(np.arange(1, width) / width, p, side="right")
    first = np.flatnonzero(np.diff(at, prepend=-1))
    gap = np.multiply(trials, p, order="C") - n_target
    per_bin = np.add.reduceat(gap, first, axis=-1) if len(p) else gap
    return ratio(np.abs(per_bin).sum(axis=-1), trials.sum(axis=-1))
