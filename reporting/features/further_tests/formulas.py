"""Tests of two models' errors, and Wald's test of several areas."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray
from reporting.core.stats.intervals import ZERO, normal_p
from reporting.core.stats.paired import Discordant, classes_that_count, difference, null_variance
from reporting.core.stats.placements import covariance
from reporting.core.stats.planning import SLACK, detectable
from reporting.core.stats.special import bdtr, chdtrc

Counted = tuple[Any, Any, Any, Any]
"""Misses, false alarms, targets and non-targets of one system."""


class Outcome(NamedTuple):
    """A test statistic and its two-sided p-value."""

    statistic: float
    p: float


class ChiSquare(NamedTuple):
    """A statistic, the degrees of freedom of its chi-square law, and its p-value."""

    statistic: float
    df: int
    p: float


UNDEFINED = ChiSquare(math.nan, 0, math.nan)


def mcnemar(first_only: int, second_only: int, *, mid: bool) -> Outcome:
    """Compare two models by the errors that only one makes: exact two-sided p, or mid-p; methods 9.3.

    With k the smaller count and F the law Bin(first_only + second_only, 1/2): p = min(1, 2 F(k)), mid-p
    = 2 F(k) - P(k) = F(k) + F(k - 1), which is 1 where the counts are equal. The statistic is k.
    On both classes together it tests accuracy, not HTER. Without discordant trials p is 1.
    """
    k, n = min(first_only, second_only), first_only + second_only
    counted = k - 1 if mid else k
    other = float(bdtr(counted, n, 0.5)) if counted >= 0 else 0.0
    return Outcome(k, min(1.0, float(bdtr(k, n, 0.5)) + other))


def null_z(d: Discordant, w_far: float, w_frr: float) -> Outcome:
    """Test V = w_far FAR + w_frr FRR of two models on the same trials by its variance under no difference.

    z = D / sqrt(w_far^2 m0 / N0^2 + w_frr^2 m1 / N1^2), m the discordant trials of a class and D = V(first) -
    V(second). Bengio and Mariethoz 2004; methods 9.1. The normal limit of ``paired.exact_p``. Without
    discordant trials z is 0 and p is 1; NaN where a class with weight is empty.
    """
    if any(n == 0 for *_, n in classes_that_count(d, w_far, w_frr)):
        return Outcome(math.nan, math.nan)
    return normal_z(float(difference(d, w_far, w_frr)), float(null_variance(d, w_far, w_frr)))


def proportion_z(first: Counted, second: Counted) -> Outcome:
    """Test the classification error of two systems as if independent samples, over both classes together.

    z = (e1 - e2) / sqrt(e (1 - e) (1 / n1 + 1 / n2)), e = (misses + false alarms) / trials, pooled under the
    root. The test of the EPC paper for person authentication (footnote 2), for reproduction: it answers
    neither for HTER nor for paired trials. Methods 9.4; methods, erratum E16. z is 0 and p is 1 where nothing
    differs; NaN without trials.
    """
    errors = [float(misses + false_alarms) for misses, false_alarms, _, _ in (first, second)]
    n = [float(n_target + n_nontarget) for _, _, n_target, n_nontarget in (first, second)]
    if min(n) == 0:
        return Outcome(math.nan, math.nan)
    pooled = sum(errors) / sum(n)
    return normal_z(errors[0] / n[0] - errors[1] / n[1], pooled * (1 - pooled) * (1 / n[0] + 1 / n[1]))


def cochran_q(error: Any, count: IntArray | None = None) -> ChiSquare:
    """Test whether K models err equally often on the same trials: Cochran's Q, K - 1 df; methods 9.3.

    ``error`` (shape (R, K), 0 or 1) marks which models err on a trial, or on each of ``count`` trials (shape
    (R,)). Q = (K - 1) (K sum C^2 - (sum C)^2) / sum R (K - R), C the errors of each model and R those on each
    trial. Of two models Q is the square of ``null_z`` on one rate. Where all models always agree Q is 0 and
    p is 1; NaN with fewer than two models.
    """
    of = np.asarray(error, dtype=np.int64)
    k = of.shape[1]
    if k < 2:
        return UNDEFINED
    times = np.ones(len(of), dtype=np.int64) if count is None else np.asarray(count, dtype=np.int64)
    # Python integers: the squares of large counts would overflow.
    by_model = [int(total) for total in (of * times[:, None]).sum(axis=0)]
    by_trial = of.sum(axis=1)
    spread = int((times * by_trial * (k - by_trial)).sum())
    between = k * sum(c * c for c in by_model) - sum(by_model) ** 2
    q = (k - 1) * between / spread if spread else 0.0
    return ChiSquare(q, k - 1, float(chdtrc(k - 1, q)))


def normal_z(estimate: float, variance: float) -> Outcome:
    """Return z and its normal p; 0 and 1 where there is no difference at all."""
    if estimate == 0:
        return Outcome(0.0, 1.0)
    if not variance > 0:
        return Outcome(math.nan, math.nan)
    se = math.sqrt(variance)
    return Outcome(estimate / se, normal_p(estimate, se))


SPREADLESS = 1e-14
"""A standard error below this is rounding. Trading one pair among 10^6 trials a class makes one of 10^-12."""

SINGULAR = 1e-12
"""An eigenvalue of a correlation matrix below this, per row, is rounding."""

ALONG = 1e-6
"""A z value beyond this has no place in a direction of zero variance."""


def equal_areas(placements: FloatArray, label: BoolArray) -> ChiSquare:
    """Test that all K areas are equal: ``contrast_test`` of each model after the first against the first.

    K - 1 degrees of freedom, fewer where models rank all trials alike. One model alone has p = 1.
    """
    k = len(placements)
    return contrast_test(placements, label, np.hstack([-np.ones((k - 1, 1)), np.eye(k - 1)]))


def contrast_test(placements: FloatArray, label: BoolArray, contrasts: Any) -> ChiSquare:
    """Test L A = 0 for the K areas A and contrasts L (shape (Q, K)): ``wald`` of L A with L S L^T.

    L may have redundant rows, and models may be identical. Undefined where a class has fewer than two
    trials, and where a constant contrast differs from 0, as of a perfect model and a constant one.
    """
    # Placements are contrasted, not the covariance matrix: there nearly identical models would cancel.
    # The sums have a fixed order: the bits of a matrix product depend on threads.
    lines = np.asarray(contrasts, dtype=np.float64)
    rows = [sum((w * row for w, row in zip(line, placements, strict=True)), 0.0) for line in lines]
    contrasted = np.asarray(rows, dtype=np.float64).reshape(len(lines), placements.shape[1])
    values = np.asarray([row[label].sum() for row in contrasted]) / max(int(label.sum()), 1)
    return wald(values, covariance(contrasted, label).reshape(len(values), len(values)))


def wald(estimates: Any, variances: Any) -> ChiSquare:
    """Test that estimates d (shape (Q,)) with covariance V (shape (Q, Q)) are all 0: chi2 = d V^- d.

    V^- is a generalised inverse and the degrees of freedom are the rank of V: directions of zero variance
    are dropped where d has none either, and leave the test undefined where it has. Rank 0 has p = 1.
    """
    d, v = np.asarray(estimates, dtype=np.float64), np.asarray(variances, dtype=np.float64)
    if not (np.isfinite(d).all() and np.isfinite(v).all()):
        return UNDEFINED
    se = np.sqrt(np.maximum(np.diagonal(v), 0.0))
    kept = se > SPREADLESS
    if (np.abs(d[~kept]) > ZERO).any():
        return UNDEFINED
    z, se = d[kept] / se[kept], se[kept]
    # Of the correlations and not of V: contrasts may differ in scale by many orders.
    spread, direction = np.linalg.eigh(v[np.ix_(kept, kept)] / np.outer(se, se))
    along = (direction * z[:, None]).sum(axis=0)
    lost = spread <= SINGULAR * len(z)
    if (np.abs(along[lost]) > ALONG).any():
        return UNDEFINED
    df, statistic = int((~lost).sum()), float((along[~lost] ** 2 / spread[~lost]).sum())
    return ChiSquare(statistic, df, float(chdtrc(df, statistic)) if df else 1.0)


def times_needed(
    difference: float, se: float, level: float, wanted: float = 0.8, df: float | None = None
) -> float:
    """How many times the present units find a true difference with the wanted power: (``detectable`` / D)^2.

    Below 1 where fewer would do; infinite at D = 0, NaN where ``detectable`` is. At a power of 1/2 the
    interval of D just excludes 0, if D stays what it is.
    """
    within = detectable(se, level, wanted, df=df)
    if difference == 0:
        return math.nan if math.isnan(within) else math.inf
    return (within / difference) ** 2


def needed(n: int, times: float) -> int | None:
    """The number of trials of a class, or of clusters, that is at least ``times`` n; None unless finite."""
    return math.ceil(n * times - SLACK) if math.isfinite(times) else None
