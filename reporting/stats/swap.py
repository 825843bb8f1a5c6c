"""The swap test: two models exchange their scores unit by unit, and each chooses its thresholds again.

Where two models do not differ, either could have given any of the two scores of a unit (a trial, or all
trials of a cluster, on dev and on test). D0 is the difference after each unit was exchanged with chance 1/2,
on dev and on test alike. Exact for exchangeable scores, whatever criterion chooses the thresholds.
Scores need a common scale: their mid-ranks among all scores of their model (Venkatraman and Begg 1996).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from reporting.stats.intervals import ZERO, Interval, upper_rank
from reporting.stats.multiplicity import BestSet
from reporting.stats.staircase import FloatArray, IntArray, threshold_beside

SLACK = 1e-9
"""Differences this near, relatively, are equal: their last bits must not decide whether a tie counts."""
SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")


Held = tuple[FloatArray, IntArray]
"""Distinct scores in ascending order, and the trials at each."""


def places(dev: Held, test: Held) -> tuple[IntArray, IntArray]:
    """Return the places of one model's scores of dev and of test on the scale that two models share.

    8 times their mid-ranks among both; but scores of test between two of dev stay on the side of the middle
    on which they lie, so that the threshold between those two decides them as before.
    """
    every = [(score, np.concatenate(([0], np.cumsum(held)))) for score, held in (dev, test)]

    def ranked(score: FloatArray) -> IntArray:
        sides = ((below[np.searchsorted(known, score, side)]) for known, below in every for side in SIDES)
        return np.asarray(4 * (sum(sides) + 1), dtype=np.int64)

    of_dev, of_test = ranked(dev[0]), ranked(test[0])
    above = np.searchsorted(dev[0], test[0])
    inner = np.flatnonzero((above > 0) & (above < len(dev[0])))
    inner = inner[dev[0][above[inner]] != test[0][inner]]
    low, high = above[inner] - 1, above[inner]
    middle = (of_dev[low] + of_dev[high]) // 2
    upper = test[0][inner] >= threshold_beside(dev[0][low], dev[0][high], "midpoint")
    of_test[inner] = np.where(
        upper, np.maximum(of_test[inner], middle), np.minimum(of_test[inner], middle - 1)
    )
    return of_dev, of_test


def swap_p(difference: float, swapped: FloatArray) -> float:
    """Two-sided p-value (1 + #{|D0| >= |D|}) / (M + 1) of D among the D0 of exchanges (shape (M,))."""
    return (1 + int((np.abs(swapped) >= abs(difference) * (1 - SLACK)).sum())) / (len(swapped) + 1)


def swap_interval(difference: float, swapped: FloatArray, level: float) -> Interval | None:
    """Return D -+ q, q the order statistic ceil((M + 1) level) of |D0|: it leaves 0 out where p <= 1 - level.

    Of D0 of exchanges (shape (M,)); None where M is too small.
    """
    rank = upper_rank(len(swapped), level)
    if rank > len(swapped):
        return None
    half = float(np.partition(np.abs(swapped), rank - 1)[rank - 1])
    # A limit that is 0 but for its last bits is 0: the exchange behind it counts as a tie in the p-value.
    low, high = (
        0.0 if abs(limit) <= SLACK * abs(difference) else limit
        for limit in (difference - half, difference + half)
    )
    return Interval(low, high)


def best_by_swaps(loss: FloatArray, swapped: Mapping[tuple[int, int], FloatArray], level: float) -> BestSet:
    """Return the models (shape (K,)) not shown to be worse than another; the lower a loss the better.

    ``swapped`` holds the D0 of loss_i - loss_j by every pair (i, j). p_k is K - 1 times the least one-sided
    p of k being worse than another, half the two-sided one, and k leaves where it is at most 1 - level
    (Bonferroni): each truly best model stays with probability ``level``. The limits of the distance behind
    the best are those of ``multiplicity.best_set``, with the quantiles of |D0| at (1 - level) / (K - 1).
    """
    n, rivals = len(loss), len(loss) - 1
    p, gap = np.ones(n), loss[:, None] - loss
    reach = np.zeros((n, n))
    for (i, j), exchanged in swapped.items():
        limits = swap_interval(gap[i, j], exchanged, 1 - 2 * (1 - level) / rivals)
        reach[i, j] = reach[j, i] = np.inf if limits is None else limits.high - gap[i, j]
        worse = i if gap[i, j] > 0 else j
        p[worse] = min(p[worse], rivals * swap_p(gap[i, j], exchanged) / 2)
    member = p > 1 - level + ZERO
    above = np.where(member & ~np.eye(n, dtype=bool), gap + reach, 0.0)
    low = (gap - reach).max(axis=1, initial=0.0)
    behind = loss - loss.min()
    return BestSet(member, p, behind, np.where(member, 0.0, low), above.max(axis=1, initial=0.0))
