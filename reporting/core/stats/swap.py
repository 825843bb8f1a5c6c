"""The swap test: two models exchange their scores unit by unit, and each chooses its thresholds again.

Where two models do not differ, either could have given any of the two scores of a unit (a trial, or all
trials of a cluster, in both sets). D0 is the difference after each unit was exchanged with chance 1/2, in the
development and test sets alike. Exact for exchangeable scores, whatever criterion chooses the thresholds.
Scores need a common scale: their mid-ranks among all scores of their model (Venkatraman and Begg 1996).

The interval holds the differences delta that the same test does not reject. Where the models differ by delta,
what is exchangeable is not a unit's difference d_u but d_u - delta n_u, n_u its share of the trials. Units
that change sides carry delta with them: D0 of an exchange becomes D0 - delta Z, where Z in [-1, 1] is the
share of the trials that stayed less that of those that changed sides. At delta = 0 this is the swap test,
at delta = D the exchanges are centred.
"""

from __future__ import annotations

import itertools
import math
from functools import cached_property
from typing import Literal, Self

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.records import dataclass, replace
from reporting.core.stats.intervals import ZERO, Interval, normal, normal_p, upper_rank
from reporting.core.stats.multiplicity import SLACK, p_of_largest
from reporting.core.stats.staircase import threshold_beside

SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")


Held = tuple[FloatArray, IntArray]
"""Distinct scores in ascending order, and the trials at each."""


def places(dev: Held, test: Held) -> tuple[IntArray, IntArray]:
    """Return the places of one model's development and test scores on the scale that two models share.

    8 times their mid-ranks among both; but scores of test between two development scores stay on the side of
    the middle on which they lie, so that the threshold between those two decides them as before.
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
    return p_of_largest(abs(difference), np.abs(swapped))


@dataclass(frozen=True, eq=False)
class Swaps:
    """A difference D between two models, and what exchanges of them say of every other difference delta."""

    difference: float
    swapped: FloatArray
    """D0 of every exchange (shape (M,))."""
    carried: FloatArray
    """Z of every exchange (shape (M,))."""
    least: float = 0.0
    """Above 0, the standard error of a normal difference than which this one is at least as uncertain."""

    @classmethod
    def of(cls, difference: float, swapped: FloatArray, imbalance: FloatArray) -> Self:
        """Return the summary of exchanges whose D0 are ``swapped`` (shape (M,)).

        ``imbalance`` (shape (M, B)) holds Z by blocks of the trials: the classes of both sets. Z is the mean
        over those blocks by which D0 - D Z spreads least: a difference in false alarms alone moves with the
        non-targets alone, one that thresholds make with those of development. Without a difference it is the
        mean over all blocks. Where centred exchanges have no spread all Z count as 0: limits then reach as
        far as those of plain exchanges.
        """
        every = range(imbalance.shape[1])
        means = [
            imbalance[:, blocks].mean(axis=1)
            for size in reversed(every)
            for blocks in itertools.combinations(every, size + 1)
        ]
        spreads = [float(np.mean((swapped - difference * z) ** 2)) for z in means]
        known = bool(means) and min(spreads) > ZERO**2
        z = means[int(np.argmin(spreads))] if known else np.zeros(len(swapped))
        return cls(difference, swapped, z)

    @property
    def reversed(self) -> Self:
        """The same of the two models in the other order."""
        return replace(self, difference=0.0 - self.difference, swapped=0.0 - self.swapped)

    @property
    def centred(self) -> FloatArray:
        """What every exchange gives where the models differ by D: D0 - D Z (shape (M,))."""
        return self.swapped - self.difference * self.carried

    @property
    def se(self) -> float:
        """The root mean square of centred exchanges."""
        return math.sqrt(float(np.mean(self.centred**2)))

    @cached_property
    def ranges(self) -> tuple[FloatArray, FloatArray]:
        """The lowest and the highest delta that each exchange does not speak against, of shape (M,).

        Those with |D0 - delta Z| >= |D - delta|: from the lower to the higher of (D - D0) / (1 - Z) and
        (D + D0) / (1 + Z), D among them. Where Z = 0 they are D -+ |D0|; an exchange of all units, or of
        none, speaks against no delta.
        """
        d, d0, z = self.difference, self.swapped, self.carried
        ends = _root(d - d0, 1 - z, d), _root(d + d0, 1 + z, d)
        unmoved = np.isnan(ends).any(axis=0)
        return np.where(unmoved, -np.inf, np.fmin(*ends)), np.where(unmoved, np.inf, np.fmax(*ends))

    @property
    def p(self) -> float:
        """Two-sided p-value of no difference: ``swap_p``, or that of ``least`` where it is larger."""
        p = swap_p(self.difference, self.swapped)
        return max(p, normal_p(self.difference, self.least)) if self.least > 0 else p

    def interval(self, level: float) -> Interval | None:
        """Return the delta of which p is above 1 - level: 0 is left out exactly where ``p`` is at most that.

        Limits are the order statistics floor((M + 1)(1 - level)) of ``ranges``, of the lowest from below and
        of the highest from above, and no nearer than those of ``least``. None where M is too small.
        """
        m = len(self.swapped)
        beyond = m + 1 - upper_rank(m, level)
        if beyond < 1:
            return None
        lowest, highest = self.ranges
        low = float(np.partition(lowest, beyond - 1)[beyond - 1])
        high = float(np.partition(highest, m - beyond)[m - beyond])
        if self.least > 0:
            wide = normal(self.difference, self.least, level)
            low, high = min(low, wide.low), max(high, wide.high)
        return Interval(low, high)


def _root(difference: FloatArray, share: FloatArray, scale: float) -> FloatArray:
    """difference / share; 0 where the difference is 0 but for its last bits, NaN where both are."""
    tied = np.abs(difference) <= SLACK * abs(scale)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(tied & (share > 0), 0.0, np.where(tied, np.nan, difference / share))
