"""Cuts of one set of scores: ties grouped, errors cumulated, thresholds placed, hull found.

One decision convention holds everywhere: accept when ``score >= threshold``. Cut k of H distinct
scores rejects the k lowest: k = 0 accepts all, k = H rejects all, even a score of +inf.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
RankArray = npt.NDArray[np.uint32]
BoolArray = npt.NDArray[np.bool_]

Ties = Literal["balanced", "high", "low"]
ThresholdAt = Literal["midpoint", "upper", "lower"]


@dataclass(frozen=True, eq=False)
class Staircase:
    """Errors at every cut, from accept all to reject all, and the cuts on the lower-left hull."""

    misses: IntArray
    false_alarms: IntArray
    hull: IntArray

    @cached_property
    def breakpoints(self) -> tuple[IntArray, FloatArray]:
        """The hull vertices that can minimise a weighted error, and the alphas between them.

        Vertices run from the last cut without a miss to the first without a false alarm (L + 1 of them);
        alpha_e(j) = dFN N0 / (dFN N0 + dFP N1), shape (L,), strictly increasing in (0, 1). Methods 7.4.
        """
        misses, false_alarms = self.misses[self.hull], self.false_alarms[self.hull]
        first = int(np.searchsorted(misses, 0, side="right")) - 1
        last = int(np.searchsorted(-false_alarms, 0))
        inner = slice(first, last + 1)
        rise = np.diff(misses[inner]).astype(np.float64) * self.n_nontarget
        fall = -np.diff(false_alarms[inner]).astype(np.float64) * self.n_target
        return self.hull[inner], rise / (rise + fall)

    @property
    def n_target(self) -> int:
        """Number of targets."""
        return int(self.misses[-1])

    @property
    def n_nontarget(self) -> int:
        """Number of non-targets."""
        return int(self.false_alarms[0])


def group_ties(score: FloatArray, label: BoolArray) -> tuple[FloatArray, IntArray, IntArray, RankArray]:
    """Group equal scores.

    Returns the distinct scores in ascending order (shape (H,)), targets and non-targets at each, and
    the rank of every trial among the distinct scores (shape (N,), 0-based). -0.0 equals 0.0. Exact,
    and independent of row order. Scores must not be NaN.
    """
    score = score + 0.0  # turns -0.0 into 0.0, so that the printed score never depends on row order
    order = np.argsort(score)
    ordered = score[order]
    first = np.empty(len(score), dtype=bool)
    first[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    starts = np.flatnonzero(first)
    rank = np.empty(len(score), dtype=np.uint32)
    if len(starts) == len(score):
        rank[order] = np.arange(len(score), dtype=np.uint32)
        n_target = label[order].astype(np.int64)
        return ordered, n_target, 1 - n_target, rank
    rank[order] = np.cumsum(first, dtype=np.uint32) - np.uint32(1)
    size = np.diff(starts, append=len(score))
    targets_before = np.concatenate(([0], np.cumsum(label[order], dtype=np.int64)))
    n_target = np.diff(targets_before[np.append(starts, len(score))])
    return ordered[starts], n_target, size - n_target, rank


def cumulate(n_target: IntArray, n_nontarget: IntArray) -> tuple[IntArray, IntArray]:
    """Return misses and false alarms at cuts 0..H (shape (H + 1,)) from counts per distinct score."""
    misses = np.concatenate(([0], np.cumsum(n_target, dtype=np.int64)))
    rejected = np.concatenate(([0], np.cumsum(n_nontarget, dtype=np.int64)))
    return misses, rejected[-1] - rejected


def threshold_of(distinct: FloatArray, cut: Any, at: ThresholdAt = "midpoint") -> FloatArray:
    """Return the threshold of cuts (any shape), such that it reproduces their counts exactly.

    -inf for cut 0 and +inf (reject all) for cut H; between them the midpoint of the neighbouring
    scores u, v, or v itself where no midpoint lies in (u, v] or it is not finite; the largest finite
    number below v = +inf. ``upper`` places it at v, ``lower`` just above u. Methods 1.4.
    """
    return threshold_between(distinct, distinct, cut, at)


def threshold_between(
    highest: FloatArray, lowest: FloatArray, cut: Any, at: ThresholdAt = "midpoint"
) -> FloatArray:
    """Return the threshold of cuts between cells of scores, each known by its highest and lowest score.

    As ``threshold_of``, which has a cell for every distinct score.
    """
    cut = np.asarray(cut, dtype=np.int64)
    inner = (cut > 0) & (cut < len(lowest))
    below = highest[np.where(inner, cut - 1, 0)] if len(lowest) else np.zeros(cut.shape)
    above = lowest[np.where(inner, cut, 0)] if len(lowest) else np.zeros(cut.shape)
    ends = np.where(cut <= 0, -np.inf, np.inf)
    return np.where(inner, threshold_beside(below, above, at), ends)


def threshold_beside(below: FloatArray, above: FloatArray, at: ThresholdAt) -> FloatArray:
    """Return thresholds between neighbouring scores, as ``threshold_of`` places them."""
    if at == "midpoint":
        # The else-branch of np.where is also evaluated: infinite neighbours give a harmless NaN there.
        with np.errstate(invalid="ignore"):
            middle = below / 2 + above / 2
        usable = (below < middle) & (middle <= above) & np.isfinite(middle)
        placed = np.where(usable, middle, above)
    elif at == "lower":
        placed = np.nextafter(below, np.inf)
    else:
        placed = above
    return np.where(np.isposinf(above), np.finfo(np.float64).max, placed)


def cut_at(distinct: FloatArray, threshold: Any) -> IntArray:
    """Return the cut that a threshold makes on these scores: how many distinct scores it rejects."""
    threshold = np.asarray(threshold, dtype=np.float64)
    cut = np.searchsorted(distinct, threshold, side="left")
    return np.where(np.isposinf(threshold), len(distinct), cut).astype(np.int64)


def corners(misses: IntArray, false_alarms: IntArray) -> BoolArray:
    """Mark the cuts that remain when straight horizontal and vertical runs lose their inner points.

    Such runs stay straight on any warped axes (DET); diagonal runs are kept. Methods 3.2.
    """
    keep = np.ones(len(misses), dtype=bool)
    for count in (misses, false_alarms):
        keep[1:-1] &= ~((count[:-2] == count[1:-1]) & (count[1:-1] == count[2:]))
    return keep
