"""What scores of two normal classes are worth in theory: targets N(m, s^2), non-targets N(-m, s^2), m, s > 0.

The scores are taken as natural-log likelihood ratios. They are calibrated, their own log likelihood
ratios, where s^2 = 2 m; in general a score x is worth 2 m x / s^2. Every function is undefined (NaN) where
m or s is not above 0. Methods 4.9 and 12.1, with b = 1.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import logit, ndtr, ndtri

from reporting.base.arrays import FloatArray
from reporting.core.stats import rates
from reporting.features.likelihood_ratios.formulas import weighed_by_prior

FARTHEST = 12.0
"""No normal mass of a double's size lies more standard deviations out."""
STEP = 0.02
"""The quadrature's step, in standard deviations, and at most ..."""
SCORE_STEP = 0.5
"""... this much score: the trapezoid's error is about exp(-2 pi^2 / step) for softplus."""


def calibrated_spread(mean: float) -> float:
    """sqrt(2 m): the standard deviation with which the scores are their own log likelihood ratios."""
    return math.sqrt(2 * mean) if mean > 0 else math.nan


def optimal_llr(score: Any, mean: float, spread: float) -> FloatArray:
    """Return 2 m x / s^2, the log likelihood ratio of a score x; the shape of ``score``."""
    m, s = _known(mean, spread)
    return np.asarray(2 * m / s**2 * np.asarray(score, dtype=np.float64))


def error_rates(threshold: Any, mean: float, spread: float) -> tuple[FloatArray, FloatArray]:
    """Return FRR = Phi((t - m) / s) and FAR = Phi(-(t + m) / s) at thresholds t, infinite ones allowed."""
    m, s = _known(mean, spread)
    t = np.asarray(threshold, dtype=np.float64)
    return np.asarray(ndtr((t - m) / s)), np.asarray(ndtr(-(t + m) / s))


def frr_at_far(far: Any, mean: float, spread: float) -> FloatArray:
    """Phi(-2 m / s - Phi^-1(FAR)): the ROC, and on probit axes a line of slope -1; methods 3.4."""
    return np.asarray(ndtr(-dprime(mean, spread) - ndtri(np.asarray(far, dtype=np.float64))))


def eer(mean: float, spread: float) -> float:
    """Phi(-m / s), in (0, 1/2), lower is better; at threshold 0."""
    return float(error_rates(0.0, mean, spread)[0])


def dprime(mean: float, spread: float) -> float:
    """2 m / s = -2 Phi^-1(EER), higher is better."""
    m, s = _known(mean, spread)
    return 2 * m / s


def auc(mean: float, spread: float) -> float:
    """Phi(sqrt(2) m / s), in (1/2, 1), higher is better."""
    return float(ndtr(dprime(mean, spread) / math.sqrt(2)))


def error_area(mean: float, spread: float) -> float:
    """1 - AUC = Phi(-sqrt(2) m / s), in (0, 1/2), lower is better; methods, erratum E19."""
    return float(ndtr(-dprime(mean, spread) / math.sqrt(2)))


def cllr(mean: float, spread: float) -> float:
    """E log2(1 + exp(-X)) of X ~ N(m, s^2): both classes cost the same, in bits, lower is better.

    By the trapezoid rule, which converges geometrically here. Methods 4.6.
    """
    m, s = _known(mean, spread)
    if math.isnan(s):
        return math.nan
    steps = 2 * math.ceil(FARTHEST / min(STEP, SCORE_STEP / s))
    z = np.linspace(-FARTHEST, FARTHEST, steps + 1)
    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    expected = (density * np.logaddexp(0.0, -(m + s * z))).sum() * (2 * FARTHEST / steps)
    return float(expected / math.log(2))


def mincllr(mean: float, spread: float) -> float:
    """Cllr of the log likelihood ratios themselves, N(+-2 m^2 / s^2, 4 m^2 / s^2); at most ``cllr``."""
    separation = dprime(mean, spread)
    return cllr(separation**2 / 2, separation)


def dcf(
    mean: float,
    spread: float,
    p_target: float = 0.5,
    c_miss: float = 1.0,
    c_fa: float = 1.0,
    normalised: bool = True,
    threshold: float | None = None,
) -> float:
    """C_miss pi FRR + C_FA (1 - pi) FAR, lower is better, normalised by deciding without scores.

    At a threshold, by default at that of Bayes, log[C_FA (1 - pi) / (C_miss pi)]. Methods 4.4.
    """
    if threshold is None:
        threshold = -prior_log_odds(p_target, c_miss, c_fa)
    p_miss, p_fa = error_rates(threshold, mean, spread)
    far_weight, frr_weight = rates.cost_weights(p_target, c_miss, c_fa, normalised, "trivial")
    return float(far_weight * p_fa + frr_weight * p_miss)


def mindcf(
    mean: float,
    spread: float,
    p_target: float = 0.5,
    c_miss: float = 1.0,
    c_fa: float = 1.0,
    normalised: bool = True,
) -> float:
    """Return the least cost of any threshold: where the log likelihood ratio is that of Bayes."""
    best = float(_best_threshold(prior_log_odds(p_target, c_miss, c_fa), mean, spread))
    return dcf(mean, spread, p_target, c_miss, c_fa, normalised, best)


def prior_log_odds(p_target: float = 0.5, c_miss: float = 1.0, c_fa: float = 1.0) -> float:
    """Return tau = log[C_miss pi / (C_FA (1 - pi))], the log odds of the effective prior; methods 4.4."""
    return float(logit(p_target) + math.log(c_miss / c_fa))


def bayes_error(log_odds: Any, mean: float, spread: float) -> FloatArray:
    """sigma(tau) FRR(-tau) + sigma(-tau) FAR(-tau), for every tau; its area is 2 ln 2 Cllr. Methods 4.5."""
    tau = np.asarray(log_odds, dtype=np.float64)
    return weighed_by_prior(*error_rates(-tau, mean, spread), tau)


def min_bayes_error(log_odds: Any, mean: float, spread: float) -> FloatArray:
    """Return the least Bayes error of any threshold, for every tau; its area is 2 ln 2 minCllr."""
    tau = np.asarray(log_odds, dtype=np.float64)
    return weighed_by_prior(*error_rates(_best_threshold(tau, mean, spread), mean, spread), tau)


def _best_threshold(log_odds: Any, mean: float, spread: float) -> FloatArray:
    """The score whose log likelihood ratio is -tau."""
    m, s = _known(mean, spread)
    return np.asarray(-np.asarray(log_odds, dtype=np.float64) * s**2 / (2 * m))


def _known(mean: float, spread: float) -> tuple[float, float]:
    return (float(mean), float(spread)) if mean > 0 and spread > 0 else (math.nan, math.nan)
