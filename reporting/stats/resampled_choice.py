"""Which cut a criterion chooses in many resamples of one small table, all in the same array operations.

``selection`` chooses on one staircase and is the oracle of every function here: both choose the same cut,
or cuts between which no trial lies.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from reporting.stats.selection import TIE_TOLERANCE, Better
from reporting.stats.staircase import BoolArray, FloatArray, IntArray, Ties

Rate = Literal["far", "frr"]


class Corners(NamedTuple):
    """Cuts that may be vertices of a hull, of one resample after the other, ascending in each: shape (C,)."""

    row: IntArray
    """Which resample the cut is of."""
    cut: IntArray
    misses: IntArray
    false_alarms: IntArray


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
    def corners(self) -> Corners:
        """The cuts with a non-target just below and a target just above, and both ends."""
        n = self.counts.shape[2]
        target = np.pad(self.counts[:, 1] > 0, ((0, 0), (0, 1)))
        may = np.take_along_axis(target, self.above, axis=1)
        may[:, 1:] &= self.counts[:, 0] > 0
        may[:, [0, n]] = True
        row, cut = np.nonzero(may)
        return Corners(row, cut, self.misses[row, cut], self.false_alarms[row, cut])

    @cached_property
    def vertices(self) -> IntArray:
        """Which corners are vertices of the hull of their resample: shape (V,), ascending."""
        row, _, misses, false_alarms = self.corners
        vertex = np.arange(len(row))
        while True:
            rise, fall = np.diff(misses[vertex]), -np.diff(false_alarms[vertex])
            # No vertex lies on or above the line between its neighbours, whether these are vertices or not.
            kept = rise[:-1] * fall[1:] < rise[1:] * fall[:-1]
            kept |= row[vertex[2:]] != row[vertex[:-2]]
            if kept.all():
                return vertex
            vertex = vertex[np.concatenate(([True], kept, [True]))]


def _cumulated(counts: IntArray) -> IntArray:
    summed = np.zeros((counts.shape[0], counts.shape[1] + 1), dtype=np.int64)
    np.cumsum(counts, axis=1, out=summed[:, 1:])
    return summed


def weighted_errors(resamples: Resamples, ties: Ties, alpha: FloatArray) -> tuple[IntArray, BoolArray]:
    """Choose the cuts minimising alpha FAR + (1 - alpha) FRR for every alpha (shape (P,)).

    Returns cuts of shape (R, P), and the resamples (shape (R,)) in which a weight so nearly ties three cuts
    that only ``selection.weighted_error`` decides. Ties as there. Both classes must be there. Source: Bengio,
    Mariethoz, Keller, eq. (10).
    """
    corners, vertices = resamples.corners, resamples.vertices
    (n, _, _), row = resamples.counts.shape, corners.row[vertices]
    rise = np.diff(corners.misses[vertices]) * resamples.n_nontarget[row[1:], 0].astype(np.float64)
    fall = -np.diff(corners.false_alarms[vertices]) * resamples.n_target[row[1:], 0].astype(np.float64)
    # Edges along which one error alone changes, at the ends of a hull, are none that a weight passes.
    edges = np.flatnonzero((row[1:] == row[:-1]) & (rise > 0) & (fall > 0))
    even = rise[edges] / (rise[edges] + fall[edges])
    order, width = np.argsort(alpha), len(alpha) + 1
    place = row[edges] * width + np.searchsorted(alpha[order], even)
    passed = np.cumsum(np.bincount(place, minlength=n * width).reshape(n, width)[:, :-1], axis=1)
    first = np.searchsorted(row, np.arange(n))
    first += rise[first] == 0
    chosen = np.empty(passed.shape, dtype=np.int64)
    chosen[:, order] = vertices[first[:, None] + passed]
    tied, at = _tied(even, alpha, order)
    edge = edges[tied]
    chosen[row[edge], at] = _broken(corners, vertices[edge], vertices[edge + 1], ties)
    places, times = np.unique(row[edge] * width + at, return_counts=True)
    return corners.cut[chosen], np.isin(np.arange(n), places[times > 1] // width)


def _tied(even: FloatArray, alpha: FloatArray, order: IntArray) -> tuple[IntArray, IntArray]:
    """Return the pairs of an edge and a weight which makes its ends cost the same, to the tolerance."""
    near = [np.searchsorted(alpha[order], even + side * TIE_TOLERANCE) for side in (-2, 2)]
    times = near[1] - near[0]
    edge = np.repeat(np.arange(len(even)), times)
    at = order[np.arange(len(edge)) - np.repeat(np.cumsum(times) - times - near[0], times)]
    close = np.abs(even[edge] - alpha[at]) <= TIE_TOLERANCE
    return edge[close], at[close]


def _broken(corners: Corners, first: IntArray, last: IntArray, ties: Ties) -> IntArray:
    """Break T ties as integers, each between the corners from ``first`` to ``last``; return the corners."""
    if not len(first):
        return first
    many = last - first + 1
    start = np.cumsum(many) - many
    at = np.arange(int(many.sum())) - np.repeat(start - first, many)
    misses, alarms = corners.misses[at], corners.false_alarms[at]
    rise = np.repeat(corners.misses[last] - corners.misses[first], many)
    fall = np.repeat(corners.false_alarms[first] - corners.false_alarms[last], many)
    balance = np.abs(rise * alarms - fall * misses)
    begin = np.repeat(start, many)
    left = (misses - misses[begin]) * fall == (alarms[begin] - alarms) * rise
    keys = {"high": (alarms, misses), "low": (misses, alarms), "balanced": (balance, alarms, misses)}[ties]
    for key in (*keys, at):
        key = np.where(left, key, np.iinfo(np.int64).max)
        left = key == np.repeat(np.minimum.reduceat(key, start), many)
    return np.asarray(at[left])


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


def best_cuts(resamples: Resamples, ties: Ties, value: FloatArray, better: Better) -> IntArray:
    """Choose the cut with the best value (shape (R, n + 1), undefined ones NaN): shape (R, 1).

    Ties as in ``selection.best``. Both classes must be there.
    """
    cost = np.where(np.isfinite(value), value if better == "lower" else -value, np.inf)
    least = cost.min(axis=1, keepdims=True)
    size = np.maximum(np.abs(np.where(np.isfinite(cost), cost, 0.0)), np.abs(least))
    left = cost - least <= TIE_TOLERANCE * size
    far, frr = resamples.false_alarms * resamples.n_target, resamples.misses * resamples.n_nontarget
    balance = (np.abs(far - frr),) if ties == "balanced" else ()
    for key in (*balance, *((frr, far) if ties == "low" else (far, frr))):
        key = np.where(left, key, np.iinfo(np.int64).max)
        left = key == key.min(axis=1, keepdims=True)
    return np.asarray(left.argmax(axis=1)[:, None])
