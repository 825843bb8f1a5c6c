"""Which cut a criterion chooses in many resamples of one small table, all in the same array operations.

``selection`` chooses on one staircase and is the oracle of every function here: both choose the same cut,
or cuts between which no trial lies.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from reporting.stats.selection import TIE_TOLERANCE
from reporting.stats.staircase import BoolArray, FloatArray, IntArray, Ties

Rate = Literal["far", "frr"]

NEAR = 4 * TIE_TOLERANCE
"""Costs of two cuts that tie at a weight within the tolerance differ by less: at most by 2 tolerances."""
BEYOND = 9.0
"""The rates of no cut: above any."""
AT_ONCE = 2**19
"""Costs held at once: 4 MiB, within reach of fast memory."""


@dataclass(frozen=True, eq=False)
class Resamples:
    """Counts of R resamples of a table in n cells, ascending in score.

    ``counts`` has shape (R, 2, n), non-targets first.
    """

    counts: IntArray

    @cached_property
    def misses(self) -> IntArray:
        """Misses at cuts 0..n, shape (R, n + 1)."""
        return _cumulated(self.counts[:, 1])

    @cached_property
    def false_alarms(self) -> IntArray:
        """False alarms at cuts 0..n, shape (R, n + 1)."""
        rejected = _cumulated(self.counts[:, 0])
        return rejected[:, -1:] - rejected

    @cached_property
    def below(self) -> IntArray:
        """The last cell below each cut that holds a trial, -1 where there is none: shape (R, n + 1)."""
        held = np.where(self._is_held, np.arange(self.counts.shape[2]), -1)
        return np.pad(np.maximum.accumulate(held, axis=1), ((0, 0), (1, 0)), constant_values=-1)

    @cached_property
    def above(self) -> IntArray:
        """The first cell above each cut that holds a trial, n where there is none: shape (R, n + 1)."""
        n = self.counts.shape[2]
        held = np.where(self._is_held, np.arange(n), n)[:, ::-1]
        return np.pad(np.minimum.accumulate(held, axis=1)[:, ::-1], ((0, 0), (0, 1)), constant_values=n)

    @cached_property
    def _is_held(self) -> BoolArray:
        return np.asarray(self.counts.sum(axis=1) > 0)

    @property
    def n_target(self) -> IntArray:
        """Targets of every resample, shape (R, 1)."""
        return self.misses[:, -1:]

    @property
    def n_nontarget(self) -> IntArray:
        """Non-targets of every resample, shape (R, 1)."""
        return self.false_alarms[:, :1]

    @cached_property
    def convex(self) -> IntArray:
        """The cuts that may be vertices of the hull, ascending, filled up with n + 1: shape (R, C)."""
        n = self.counts.shape[2]
        target = np.pad(self.counts[:, 1] > 0, ((0, 0), (0, 1)))
        may = np.take_along_axis(target, self.above, axis=1)
        may[:, 1:] &= self.counts[:, 0] > 0
        may[:, [0, n]] = True
        row, cut = np.nonzero(may)
        place = np.arange(len(row)) - np.searchsorted(row, np.arange(len(may)))[row]
        cuts = np.full((len(may), int(place.max(initial=0)) + 1), n + 1)
        cuts[row, place] = cut
        return cuts


def _cumulated(counts: IntArray) -> IntArray:
    summed = np.zeros((counts.shape[0], counts.shape[1] + 1), dtype=np.int64)
    np.cumsum(counts, axis=1, out=summed[:, 1:])
    return summed


def weighted_errors(resamples: Resamples, ties: Ties, alpha: FloatArray) -> tuple[IntArray, BoolArray]:
    """Choose the cuts minimising alpha FAR + (1 - alpha) FRR for every alpha (shape (P,)).

    Returns cuts of shape (R, P), and the resamples (shape (R,)) in which weights so nearly tie that only
    ``selection.weighted_error`` decides. Ties as there. Both classes must be there. Source: Bengio,
    Mariethoz, Keller, eq. (10).
    """
    cuts = resamples.convex
    is_cut = cuts < resamples.misses.shape[1]
    at = np.minimum(cuts, resamples.misses.shape[1] - 1)
    misses, alarms = (
        np.take_along_axis(each, at, axis=1) for each in (resamples.misses, resamples.false_alarms)
    )
    rates = np.stack([alarms / resamples.n_nontarget, misses / resamples.n_target], axis=-1)
    rates[~is_cut] = BEYOND
    weights = np.stack([alpha, 1 - alpha], axis=-1)
    chosen = np.empty((len(cuts), len(alpha)), dtype=np.int64)
    unsettled = np.zeros(len(cuts), dtype=bool)
    step = max(1, AT_ONCE // (len(alpha) * cuts.shape[1]))
    for start in range(0, len(cuts), step):
        rows = slice(start, start + step)
        cost = weights @ rates[rows].transpose(0, 2, 1)  # (rows, P, C)
        place = cost.argmin(axis=2)
        near = cost <= np.take_along_axis(cost, place[..., None], axis=2) + NEAR
        row, weight = np.nonzero(near.sum(axis=2) > 1)
        if len(row):
            tied, row = near[row, weight], row + start
            place[row - start, weight], unclear = _broken(
                tied, misses[row], alarms[row], resamples, row, alpha[weight], ties
            )
            unsettled[row[unclear]] = True
        chosen[rows] = place
    return np.take_along_axis(cuts, chosen, axis=1), unsettled


def _broken(
    tied: BoolArray,
    misses: IntArray,
    alarms: IntArray,
    resamples: Resamples,
    row: IntArray,
    alpha: FloatArray,
    ties: Ties,
) -> tuple[IntArray, BoolArray]:
    """Break T ties among C cuts (``tied``, ``misses``, ``alarms``: shape (T, C)) as integers.

    Returns the places, and the ties (shape (T,)) that are none within the tolerance.
    """
    line = np.arange(len(tied))
    first, last = tied.argmax(axis=1), tied.shape[1] - 1 - tied[:, ::-1].argmax(axis=1)
    rise = (misses[line, last] - misses[line, first])[:, None]
    fall = (alarms[line, first] - alarms[line, last])[:, None]
    up = rise[:, 0].astype(np.float64) * resamples.n_nontarget[row, 0]
    down = fall[:, 0].astype(np.float64) * resamples.n_target[row, 0]
    straight = (misses - misses[line, first][:, None]) * fall == (
        alarms[line, first][:, None] - alarms
    ) * rise
    unclear = (np.abs(up / (up + down) - alpha) > TIE_TOLERANCE) | (tied & ~straight).any(axis=1)
    balance = np.abs(rise * alarms - fall * misses)
    keys = {"high": (alarms, misses), "low": (misses, alarms), "balanced": (balance, alarms, misses)}[ties]
    # A weight of 0 or 1 leaves cuts that differ in one error only: the one with fewer is on the hull.
    flat = (rise[:, 0] == 0) | (fall[:, 0] == 0)
    left = tied.copy()
    for key in keys:
        left &= key == np.where(left, key, np.iinfo(np.int64).max).min(axis=1, keepdims=True)
    place = np.where(flat, np.where(rise[:, 0] == 0, last, first), left.argmax(axis=1))
    return place, unclear & ~flat


def equal_errors(resamples: Resamples) -> IntArray:
    """Choose the cuts minimising (|FAR - FRR|, FAR + FRR, FAR) as integers: shape (R, 1) (eq. 8).

    FAR - FRR falls from cut to cut, so that the least gap is next to its change of sign. Both classes must
    be there.
    """
    far, frr = resamples.false_alarms * resamples.n_target, resamples.misses * resamples.n_nontarget
    after = (far > frr).sum(axis=1, keepdims=True)
    far, frr = (
        np.take_along_axis(each, np.concatenate((after - 1, after), axis=1), axis=1) for each in (far, frr)
    )
    gap, total = np.abs(far - frr), far + frr
    earlier = (gap[:, 0] < gap[:, 1]) | ((gap[:, 0] == gap[:, 1]) & (total[:, 0] < total[:, 1]))
    return np.asarray(after - earlier[:, None])


def nearest_rates(resamples: Resamples, rate: Rate, target: FloatArray, at_most: bool) -> IntArray:
    """Choose the cuts whose rate is nearest to every target (shape (P,)): shape (R, P) (eqs. 12, 13).

    ``at_most``: the nearest of those not above it. Of two equally near the lower; then the cut with fewer
    errors of the other kind. A target is compared with a tolerance of 1e-12 of its size. The class must be
    there.
    """
    # FAR is read from the last cut on, so that both rates rise.
    errors = resamples.false_alarms[:, ::-1] if rate == "far" else resamples.misses
    value = errors / errors[:, -1:]
    chosen = np.empty((len(value), len(target)), dtype=np.int64)
    for number, aim in enumerate(target):
        slack = TIE_TOLERANCE * abs(aim)
        last = (value <= aim + slack).sum(axis=1) - 1 if at_most else _nearest(value, aim)
        level = np.take_along_axis(errors, last[:, None], axis=1)
        chosen[:, number] = (errors <= level).sum(axis=1) - 1
    return resamples.misses.shape[1] - 1 - chosen if rate == "far" else chosen


def _nearest(value: FloatArray, aim: float) -> IntArray:
    """Return the place of the nearest of ascending values (shape (R, n)), the first of which is 0."""
    above = np.maximum((value < aim).sum(axis=1), 1)[:, None]
    low, high = (np.take_along_axis(value, at, axis=1)[:, 0] for at in (above - 1, above))
    middle = low / 2 + high / 2
    up = (aim > middle) & (np.abs(aim - middle) > TIE_TOLERANCE * np.maximum(np.abs(low), np.abs(high)))
    return np.asarray(above[:, 0] - 1 + up)
