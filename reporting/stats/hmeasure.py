"""The H-measure: expected loss under a distribution over costs that does not depend on the scores."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy.special import betainc

from reporting.stats.areas import by_row, hull_points
from reporting.stats.staircase import FloatArray, IntArray


def h_measure(misses: Any, false_alarms: Any, severity_ratio: float | str = "sample") -> FloatArray:
    """H = 1 - (expected minimum loss) / (the same without scores), in [0, 1], higher is better.

    The loss at cost c is c FP + (1 - c) FN at the best cut, and c follows a beta distribution: with a
    severity ratio r (cost of a false alarm over cost of a miss) Beta(2, 1 + 1/r), whose mode is
    r / (1 + r). ``sample`` is r = N1 / N0; ``hand2014`` is Beta(1 + N1/N, 1 + N0/N), with the same mode.
    Exact: between two edges of the hull one vertex is best, and its loss is an incomplete beta integral.
    Cuts along the last axis; an empty class gives NaN. Sources: Hand 2009, doi:10.1007/s10994-009-5119-5;
    Hand, Anagnostopoulos 2014, doi:10.1016/j.patrec.2013.12.011.
    """
    return by_row(partial(_h_of_row, severity_ratio=severity_ratio), misses, false_alarms)


def _h_of_row(misses: IntArray, false_alarms: IntArray, severity_ratio: float | str) -> float:
    misses, false_alarms = hull_points(misses, false_alarms)
    n_target, n_nontarget = int(misses[-1]), int(false_alarms[0])
    shape = _beta_shape(n_target, n_nontarget, severity_ratio)
    won, lost = np.diff(misses), -np.diff(false_alarms)
    loss = _expected_loss(misses, false_alarms, won / (won + lost), shape)
    share = np.array([n_target / (n_target + n_nontarget)])
    trivial = _expected_loss(np.array([0, n_target]), np.array([n_nontarget, 0]), share, shape)
    return 1 - loss / trivial


def _beta_shape(n_target: int, n_nontarget: int, severity_ratio: float | str) -> tuple[float, float]:
    if severity_ratio == "hand2014":
        return 1 + n_target / (n_target + n_nontarget), 1 + n_nontarget / (n_target + n_nontarget)
    odds = n_target / n_nontarget if severity_ratio == "sample" else float(severity_ratio)
    return 2.0, 1 + 1 / odds


def _expected_loss(
    misses: IntArray, false_alarms: IntArray, edges: FloatArray, shape: tuple[float, float]
) -> float:
    """E[c FP + (1 - c) FN] when cut j is used for costs between ``edges[j - 1]`` and ``edges[j]``."""
    first, second = shape
    ends = np.concatenate(([0.0], edges, [1.0]))
    fa_weight = np.diff(betainc(first + 1, second, ends)) * first / (first + second)
    miss_weight = np.diff(betainc(first, second + 1, ends)) * second / (first + second)
    return float((false_alarms * fa_weight + misses * miss_weight).sum())
