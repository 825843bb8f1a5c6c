"""Tests of two or more models on the same decisions, from counts: McNemar, null z, Cochran's Q (methods 9).

And two tests that treat the systems as independent samples, to reproduce numbers of papers. A system's
counts are (misses, false alarms, targets, non-targets), as ``Discordant.first`` gives them.
"""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import bdtr, chdtrc

from reporting.stats.intervals import normal_p
from reporting.stats.paired import Discordant, difference
from reporting.stats.rates import far, frr, ratio
from reporting.stats.staircase import IntArray

Counted = tuple[Any, Any, Any, Any]
"""Misses, false alarms, targets and non-targets of one system."""

Trials = Literal["nontarget", "target", "all"]


class Outcome(NamedTuple):
    """A test statistic and its two-sided p-value."""

    statistic: float
    p: float


class ChiSquare(NamedTuple):
    """A statistic, its p-value by the chi-square law, and the degrees of freedom of that law."""

    statistic: float
    p: float
    df: int


def discordant_errors(d: Discordant, trials: Trials) -> tuple[int, int]:
    """Return the errors that only the first and only the second model makes, on one class or on all trials.

    Accepting alone is an error on a non-target, and right on a target.
    """
    pairs = {
        "nontarget": (int(d.nontarget_10), int(d.nontarget_01)),
        "target": (int(d.target_01), int(d.target_10)),
    }
    if trials != "all":
        return pairs[trials]
    return pairs["nontarget"][0] + pairs["target"][0], pairs["nontarget"][1] + pairs["target"][1]


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
    sides = (
        (w_far, d.nontarget_10 + d.nontarget_01, d.n_nontarget),
        (w_frr, d.target_10 + d.target_01, d.n_target),
    )
    used = [(w, m, n) for w, m, n in sides if w != 0]
    if any(n == 0 for _, _, n in used):
        return Outcome(math.nan, math.nan)
    return _normal(float(difference(d, w_far, w_frr)), sum((w / n) ** 2 * float(m) for w, m, n in used))


def independent_z(first: Counted, second: Counted, w_far: float, w_frr: float) -> Outcome:
    """Test V = w_far FAR + w_frr FRR of two systems as if each had trials of its own; methods 9.1.

    z = D / sqrt(sum over both of w_far^2 FAR (1 - FAR) / N0 + w_frr^2 FRR (1 - FRR) / N1). On the same
    trials it loses power (methods 8.5): ``null_z`` and ``paired.exact_p`` are for those. z is 0 and p is 1
    where nothing differs; NaN where a class with weight is empty, or where the systems differ without spread.
    """
    (value, variance), (other, more) = (_linear(counted, w_far, w_frr) for counted in (first, second))
    return _normal(value - other, variance + more)


def proportion_z(first: Counted, second: Counted) -> Outcome:
    """Test the classification error of two systems as if independent samples, over both classes together.

    z = (e1 - e2) / sqrt(e (1 - e) (1 / n1 + 1 / n2)), e = (misses + false alarms) / trials, pooled under the
    root. The test of the EPC paper for person authentication (footnote 2), for reproduction: it answers
    neither for HTER nor for paired trials. Methods 9.4, erratum E16. z is 0 and p is 1 where nothing
    differs; NaN without trials.
    """
    errors = [float(misses + false_alarms) for misses, false_alarms, _, _ in (first, second)]
    n = [float(n_target + n_nontarget) for _, _, n_target, n_nontarget in (first, second)]
    if min(n) == 0:
        return Outcome(math.nan, math.nan)
    pooled = sum(errors) / sum(n)
    return _normal(errors[0] / n[0] - errors[1] / n[1], pooled * (1 - pooled) * (1 / n[0] + 1 / n[1]))


def cochran_q(error: Any, count: IntArray | None = None) -> ChiSquare:
    """Test whether K models err equally often on the same trials: Cochran's Q, K - 1 df; methods 9.3.

    ``error`` (shape (R, K), 0 or 1) tells which models err on a trial, or on each of ``count`` trials (shape
    (R,)). Q = (K - 1) (K sum C^2 - (sum C)^2) / sum R (K - R), C the errors of each model and R those on each
    trial. Of two models Q is the square of ``null_z`` on one rate. Where all models always agree Q is 0 and
    p is 1; NaN with fewer than two models.
    """
    of = np.asarray(error, dtype=np.int64)
    k = of.shape[1]
    if k < 2:
        return ChiSquare(math.nan, math.nan, max(k - 1, 0))
    times = np.ones(len(of), dtype=np.int64) if count is None else np.asarray(count, dtype=np.int64)
    # Python integers: the squares of large counts would overflow.
    by_model = [int(total) for total in (of * times[:, None]).sum(axis=0)]
    by_trial = of.sum(axis=1)
    spread = int((times * by_trial * (k - by_trial)).sum())
    between = k * sum(c * c for c in by_model) - sum(by_model) ** 2
    q = (k - 1) * between / spread if spread else 0.0
    return ChiSquare(q, float(chdtrc(k - 1, q)), k - 1)


def _linear(counted: Counted, w_far: float, w_frr: float) -> tuple[float, float]:
    """V of one system and its plug-in variance; a class without weight may be empty."""
    *_, n_target, n_nontarget = counted
    value = variance = 0.0
    for w, rate, n in ((w_far, far(*counted), n_nontarget), (w_frr, frr(*counted), n_target)):
        if w != 0:
            value += w * float(rate)
            variance += w * w * float(ratio(rate * (1 - rate), n))
    return value, variance


def _normal(estimate: float, variance: float) -> Outcome:
    """z and its normal p; 0 and 1 where there is no difference at all."""
    if estimate == 0:
        return Outcome(0.0, 1.0)
    if not variance > 0:
        return Outcome(math.nan, math.nan)
    se = math.sqrt(variance)
    return Outcome(estimate / se, normal_p(estimate, se))
