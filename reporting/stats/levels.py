"""Which cut brings a measure nearest to a target: one candidate cut per level the measure takes.

The rule, for any measure V and target x: (|V - x|, the better V, FAR + FRR, FAR). For FAR it is the papers'
(|x - FAR|, FAR, FRR) and for FRR (|x - FRR|, FRR, FAR). Methods 7.2, 7.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from reporting.stats.selection import TIE_TOLERANCE, Choice, integer_rates, undominated
from reporting.stats.staircase import FloatArray, IntArray, Staircase

How = Literal["nearest", "at_most", "at_least"]
"""The level nearest to the target, or the nearest of those not above, or not below it."""
Better = Literal["lower", "higher"]


@dataclass(frozen=True, eq=False)
class Levels:
    """The values a measure takes, ascending (shape (L,)), and the cuts at each.

    ``members[start[i] : start[i + 1]]`` are the cuts at level i, the preferred one first. Cuts that another
    one beats in one error at equal others may be left out of a level.
    """

    value: FloatArray
    members: IntArray
    start: IntArray

    @property
    def cut(self) -> IntArray:
        """The preferred cut of every level (shape (L,))."""
        return self.members[self.start[:-1]]

    @property
    def middle(self) -> FloatArray:
        """The midpoints between neighbouring levels (shape (L - 1,))."""
        return self.value[:-1] / 2 + self.value[1:] / 2

    def at(self, level: int) -> IntArray:
        """Return the cuts at one level."""
        return self.members[self.start[level] : self.start[level + 1]]


def far_levels(staircase: Staircase) -> Levels:
    """Return the levels of FAR, each with its cut of smallest FRR; non-targets must be there."""
    alarms = staircase.false_alarms
    cut = np.flatnonzero(np.concatenate(([True], alarms[1:] != alarms[:-1])))[::-1]
    return Levels(alarms[cut] / staircase.n_nontarget, cut, np.arange(len(cut) + 1))


def frr_levels(staircase: Staircase) -> Levels:
    """Return the levels of FRR, each with its cut of smallest FAR; targets must be there."""
    misses = staircase.misses
    cut = np.flatnonzero(np.concatenate((misses[1:] != misses[:-1], [True])))
    return Levels(misses[cut] / staircase.n_target, cut, np.arange(len(cut) + 1))


def levels_of(staircase: Staircase, value: Any) -> Levels:
    """Return the levels of any measure, given at all cuts (shape (H + 1,)); undefined cuts are left out.

    Values nearer than 1e-12 of their size are one level. At least one must be defined.
    """
    value = np.asarray(value, dtype=np.float64)
    cuts = np.flatnonzero(np.isfinite(value))
    cuts = cuts[np.argsort(value[cuts], kind="stable")]
    ordered = value[cuts]
    new = np.concatenate(([True], np.diff(ordered) > TIE_TOLERANCE * np.abs(ordered[1:])))
    far, frr = integer_rates(staircase, cuts)
    within = np.lexsort((far, far + frr, np.cumsum(new)))
    start = np.flatnonzero(new)
    return Levels(ordered[start], cuts[within], np.append(start, len(cuts)))


def choose_level(
    staircase: Staircase, levels: Levels, target: Any, how: How = "nearest", better: Better = "lower"
) -> Choice:
    """Choose the cut at the level nearest to one target, or to each of an array.

    ``at_most`` and ``at_least`` look only at levels on that side, as long as there is one. Of two levels
    equally near the better one is taken. A target is compared with a tolerance of 1e-12 of its size.
    """
    shape = np.shape(target)
    target = np.ravel(np.asarray(target, dtype=np.float64))
    slack, last = TIE_TOLERANCE * np.abs(target), len(levels.value) - 1
    other = np.full(len(target), -1)
    if how == "nearest":
        at, other = _nearest(levels, target, better)
    elif how == "at_most":
        at = np.maximum(np.searchsorted(levels.value, target + slack, side="right") - 1, 0)
    else:
        at = np.minimum(np.searchsorted(levels.value, target - slack, side="left"), last)
    return Choice(levels.cut[at].reshape(shape), _tied(staircase, levels, at, other).reshape(shape))


def _nearest(levels: Levels, target: FloatArray, better: Better) -> tuple[IntArray, IntArray]:
    """The nearest level of each target, and the other one where two are equally near (else -1)."""
    value, none = levels.value, np.full(len(target), -1)
    if len(value) == 1:
        return np.zeros(len(target), dtype=np.int64), none
    above = np.clip(np.searchsorted(value, target), 1, len(value) - 1)
    below = above - 1
    middle = value[below] / 2 + value[above] / 2
    size = np.maximum(np.abs(value[below]), np.abs(value[above]))
    level = np.abs(target - middle) <= TIE_TOLERANCE * size
    up = np.where(level, better == "higher", target > middle)
    return np.where(up, above, below), np.where(level, np.where(up, below, above), none)


def _tied(staircase: Staircase, levels: Levels, at: IntArray, other: IntArray) -> IntArray:
    tied = np.ones(len(at), dtype=np.int64)
    several = (levels.start[at + 1] - levels.start[at] > 1) | (other >= 0)
    for i in np.flatnonzero(several):
        cuts = levels.at(at[i])
        if other[i] >= 0:
            cuts = np.concatenate((cuts, levels.at(other[i])))
        tied[i] = undominated(staircase, cuts)
    return tied
