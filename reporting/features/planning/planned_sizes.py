"""Sizes of a study: what dependent trials are worth, and the smallest size that is enough."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable

from reporting.core.stats.planning import LARGEST, SLACK
from reporting.core.stats.special import nctdtr, ndtr, ndtri, stdtrit


def fewest(enough: Callable[[int], bool], least: int = 1) -> int | None:
    """The smallest whole number from ``least`` on that is enough; None if none up to ``LARGEST`` is.

    What is enough must stay so for every larger number.
    """
    high = least
    while not enough(high):
        high = 2 * high + 1
        if high > LARGEST:
            return None
    low = max(least, (high + 1) // 2) if high > least else least
    return low + bisect_left(range(low, high), True, key=enough)


def of_other_class(n_target: float, ratio: float) -> int:
    """Non-targets that go with a number of targets, at ``ratio`` of them a target; rounded up."""
    return max(1, math.ceil(ratio * n_target - SLACK))


def cluster_effect(size: float, correlation: float) -> float:
    """Design effect of clusters of one size: 1 + (m - 1) r, r the correlation within them. Kish 1965."""
    return 1 + (size - 1) * correlation


def crossed_effect(clusters: float, per_pair: float, correlation: float) -> float:
    """Design effect of all pairs of S clusters, with K trials a pair: 1 + 2 r (K - 1 + K (S - 2)).

    r is the correlation of two trials that share one cluster; two trials of one pair share both, and have
    2 r, as where the effects of clusters add up. r is at most 1/2.
    """
    return 1 + 2 * correlation * (per_pair * (clusters - 1) - 1)


def pairs_of(clusters: int, per_pair: int) -> int:
    """Trials of all pairs of S clusters: K S (S - 1) / 2."""
    return per_pair * clusters * (clusters - 1) // 2


def worth(n: float, effect: float, df: float | None, tail: float) -> float:
    """Independent trials that n dependent ones are worth to an interval: n / effect (z / t)^2.

    ``effect`` is the design effect; z and t leave ``tail`` above them, t with ``df`` degrees of freedom
    (None: normal). Korn, Graubard 1998; ``EffectiveRate`` has the same.
    """
    z = float(ndtri(1 - tail))
    return n / effect * (1.0 if df is None else (z / float(stdtrit(df, 1 - tail))) ** 2)


def power_of_bound(distance: float, se: float, level: float, df: float | None = None) -> float:
    """Power of a one-sided test at ``level`` whose bound is a true ``distance`` away: Phi(distance / SE - z).

    Of non-inferiority the distance is the margin less the true worsening. With ``df`` that of Student's test,
    by the noncentral t. 1 - level at a distance of 0; NaN unless SE is above 0.
    """
    if not 0 < se < math.inf:
        return math.nan
    if df is None:
        return float(ndtr(distance / se - float(ndtri(level))))
    return float(1 - nctdtr(df, distance / se, float(stdtrit(df, level))))
