"""Limits of mean costs of few independent trials, which are skewed: Student's t with Hall's correction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.core.stats.intervals import Interval, quantile

LEAST_TRIALS = 3
"""Of a class: fewer have no third moment."""


class MeanCosts(NamedTuple):
    """What a target and a non-target cost at every distinct score (shape (H,)), and the weights of means."""

    missed: FloatArray
    alarmed: FloatArray
    weights: tuple[float, float] | None
    """Of the mean over targets and of that over non-targets; None: of the one mean over all trials."""


class Costs(NamedTuple):
    """What trials of a class cost (shape (H,)), how many there are of each, and the weight of their mean."""

    weight: float
    cost: FloatArray
    trials: FloatArray


def skewed_t(classes: Sequence[Costs], level: float) -> Interval | None:
    """Return the limits of V = sum w mean(cost) over classes of independent trials; None without any.

    V - h(q) s and V - h(-q) s, with s^2 = sum w^2 S^2 / n, g = sum w^3 M3 / n^2 / s^3 (M3 the unbiased third
    moment), q the t quantile with the trials of the smallest class less 1, and
    h(x) = 3 / g (cbrt(1 + g (x - g / 6)) - 1), which takes t + g t^2 / 3 + g^2 t^3 / 27 + g / 6 back to t.
    None with fewer than ``LEAST_TRIALS`` of a class, or where costs do not vary. Hall 1992, Journal of the
    Royal Statistical Society B 54, 221-228.
    """
    value, variance, third, least, varies = 0.0, 0.0, 0.0, math.inf, False
    for weight, cost, trials in classes:
        n = float(trials.sum())
        if n < LEAST_TRIALS:
            return None
        cost = np.where(trials > 0, cost, 0.0)  # of a score that no trial has, it may be infinite
        mean = float((trials * cost).sum()) / n
        off = cost - mean
        value += weight * mean
        variance += weight**2 * float((trials * off**2).sum()) / (n - 1) / n
        third += weight**3 * float((trials * off**3).sum()) / ((n - 1) * (n - 2)) / n
        least = min(least, n)
        varies |= bool(np.ptp(cost[trials > 0]) > 0)
    if not varies:  # the variance may be that of rounding
        return None
    se = math.sqrt(variance)
    g, q = third / se**3, quantile(level, least - 1)

    def back(x: float) -> float:
        return 3 / g * (float(np.cbrt(1 + g * (x - g / 6))) - 1) if abs(g) > 1e-9 else x

    # At levels next to 0 both limits lie beyond the value, on the side of its bias.
    return Interval(min(value, value - back(q) * se), max(value, value - back(-q) * se))
