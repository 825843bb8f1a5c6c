"""Thresholds of one set of scores: ties grouped, errors cumulated, thresholds placed, hull found.

One decision convention holds everywhere: accept when ``score >= threshold``. Threshold k of H distinct
scores rejects the k lowest: k = 0 accepts all, k = H rejects all, even a score of +inf.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray, RankArray
from reporting.base.records import dataclass
from reporting.core.stats.solvers import rising_blocks

Ties = Literal["balanced", "high", "low"]
ThresholdAt = Literal["midpoint", "upper", "lower"]


@dataclass(frozen=True, eq=False)
class Staircase:
    """Errors at every threshold, from accept all to reject all, and the thresholds on the lower-left hull."""

    misses: IntArray
    false_alarms: IntArray
    hull: IntArray

    @cached_property
    def breakpoints(self) -> tuple[IntArray, FloatArray]:
        """The hull vertices that can minimise a weighted error, and the alphas between them.

        Vertices run from the last threshold without a miss to the first without a false alarm (L + 1);
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


def cumulate(n_target: IntArray, n_nontarget: IntArray, dtype: Any = np.int64) -> tuple[IntArray, IntArray]:
    """Return misses and false alarms at thresholds 0..H (shape (..., H + 1)) from counts per score."""
    *rows, n = np.shape(n_target)
    misses, rejected = np.zeros((2, *rows, n + 1), dtype=dtype)
    for counts, sums in ((n_target, misses), (n_nontarget, rejected)):
        np.cumsum(counts, axis=-1, dtype=dtype, out=sums[..., 1:])
    return misses, rejected[..., -1:] - rejected


def threshold_of(distinct: FloatArray, cut: Any, at: ThresholdAt = "midpoint") -> FloatArray:
    """Return the threshold at each ``cut`` (any shape), such that it reproduces its counts exactly.

    -inf for 0 and +inf (reject all) for H distinct scores; between them the midpoint of the neighbouring
    scores u, v, or v itself where no midpoint lies in (u, v] or it is not finite. ``upper`` places it at v,
    ``lower`` just above u. Where that were +inf it is the largest finite number. Methods 1.4.
    """
    cut = np.asarray(cut, dtype=np.int64)
    inner = (cut > 0) & (cut < len(distinct))
    scores = distinct if len(distinct) else np.zeros(1)
    below, above = scores[np.where(inner, cut - 1, 0)], scores[np.where(inner, cut, 0)]
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
        with np.errstate(over="ignore"):  # above the largest number: bounded below
            placed = np.nextafter(below, np.inf)
    else:
        placed = above
    return np.minimum(placed, np.finfo(np.float64).max)


def cut_at(distinct: FloatArray | IntArray, threshold: Any) -> IntArray:
    """Return how many distinct scores a threshold rejects."""
    threshold = np.asarray(threshold, dtype=np.float64)
    cut = np.searchsorted(distinct, threshold, side="left")
    return np.where(np.isposinf(threshold), len(distinct), cut).astype(np.int64)


def corners(misses: IntArray, false_alarms: IntArray) -> BoolArray:
    """Mark the thresholds that remain when straight horizontal and vertical runs lose their inner points.

    Such runs stay straight on any warped axes (DET); diagonal runs are kept. Methods 3.2.
    """
    keep = np.ones(len(misses), dtype=bool)
    for count in (misses, false_alarms):
        keep[1:-1] &= ~((count[:-2] == count[1:-1]) & (count[1:-1] == count[2:]))
    return keep


def hull_cuts(n_target: IntArray, n_nontarget: IntArray) -> IntArray:
    """Return the thresholds that are vertices of the hull of (FAR, FRR), ascending; both ends included.

    ``n_target`` and ``n_nontarget`` count trials at each distinct score (shape (H,), ascending).
    Vertices are the block ends of the isotonic regression of the share of targets (methods 4.1).
    With an empty class only the two ends remain.
    """
    # Thresholds that can be vertices: a non-target just below, a target just above, and the two ends.
    inner = np.flatnonzero((n_nontarget[:-1] > 0) & (n_target[1:] > 0)) + 1
    last = [len(n_target)] if len(n_target) else []
    candidates = np.concatenate(([0], inner, last)).astype(np.int64)
    if candidates[-1] == 0:
        return candidates[:1]
    targets = np.add.reduceat(n_target, candidates[:-1])
    nontargets = np.add.reduceat(n_nontarget, candidates[:-1])
    if len(targets) <= FEW:
        return candidates[_chain(targets.tolist(), nontargets.tolist())]
    size = targets + nontargets
    blocks = rising_blocks(targets / size, size.astype(np.float64))
    vertices = _merge(candidates[blocks], n_target, n_nontarget)
    return vertices.astype(np.int64)


FEW = 200
"""So many blocks are pooled as soon without SciPy's solvers, which a small table then need not import."""


def _chain(targets: Sequence[int], nontargets: Sequence[int]) -> list[int]:
    """Return the ends of blocks, from 0, pooled while their shares of targets do not increase."""
    ends, pooled = [0], [(0, 0)]
    for end, (p, n) in enumerate(zip(targets, nontargets, strict=True), start=1):
        while len(ends) > 1 and pooled[-1][0] * n >= p * pooled[-1][1]:
            ends.pop()
            q, m = pooled.pop()
            p, n = p + q, n + m
        ends.append(end)
        pooled.append((p, n))
    return ends


def _merge(vertices: IntArray, n_target: IntArray, n_nontarget: IntArray) -> IntArray:
    """Drop vertices between blocks whose shares of targets do not increase, compared as integers."""
    while len(vertices) > 2:
        targets = np.add.reduceat(n_target, vertices[:-1])
        size = targets + np.add.reduceat(n_nontarget, vertices[:-1])
        flat = targets[:-1] * size[1:] >= targets[1:] * size[:-1]
        if not flat.any():
            break
        # Neighbouring faults are mended one at a time: dropping both could skip a true vertex.
        drop = flat & ~np.concatenate(([False], flat[:-1]))
        vertices = vertices[np.concatenate(([True], ~drop, [True]))]
    return vertices


def truth_runs(n_target: IntArray, n_nontarget: IntArray) -> IntArray:
    """Return the run of every distinct score (shape (H,)), numbered from 0 in ascending order."""
    state = (n_target > 0) + 2 * (n_nontarget > 0)  # 1 targets only, 2 non-targets only, 3 both
    joins = (state[1:] == state[:-1]) & (state[1:] != 3)
    return np.concatenate(([0], np.cumsum(~joins)))[: len(n_target)].astype(np.int64)


MOST_BINS = 4096
FINEST = 0.25
"""Standard errors of FAR or FRR that a bin need not be narrower than."""


def bin_step(n_target: int, n_nontarget: int, most: int = MOST_BINS) -> float:
    """Return the width of bins in standard errors of FAR or FRR: a quarter, or more to make at most ``most``.

    asin(sqrt(rate)) runs from 0 to pi / 2 with the standard error 1 / (2 sqrt(N)) everywhere, so bins of s
    standard errors make at most pi (sqrt(N1) + sqrt(N0)) / s.
    """
    return max(FINEST, math.pi * (math.sqrt(n_target) + math.sqrt(n_nontarget)) / (most - 2))


class FixedRate(NamedTuple):
    """A rate of errors at which a threshold is chosen or a measure is read."""

    rate: float
    of_targets: bool

    def cut(self, staircase: Staircase) -> int:
        """Return the threshold of the smallest other rate among those at which this one is in its bound."""
        if self.of_targets:
            return int(np.searchsorted(staircase.misses, self.rate * staircase.n_target, side="right")) - 1
        return int(np.count_nonzero(staircase.false_alarms > self.rate * staircase.n_nontarget))


NEAR, FINE = 5.0, 0.1
"""How far around a fixed rate bins are narrow, and how narrow, in standard errors of FAR and FRR."""


class NarrowBins(NamedTuple):
    """Where bins are narrow: from ``reach`` standard errors before the first to as many past the last."""

    first: int
    last: int
    reach: float = NEAR
    step: float = FINE

    @classmethod
    def at(cls, fixed: FixedRate, staircase: Staircase, step: float = FINE) -> NarrowBins:
        """Return the window of a fixed rate."""
        cut = fixed.cut(staircase)
        return cls(cut, cut, step=step)

    @classmethod
    def at_all(
        cls, rates: Iterable[FixedRate | None], staircase: Staircase, step: float = FINE
    ) -> list[NarrowBins]:
        """Return the windows of the rates that are fixed."""
        return [cls.at(rate, staircase, step) for rate in rates if rate]


def bin_starts(staircase: Staircase, windows: Iterable[NarrowBins] = (), most: int = MOST_BINS) -> IntArray:
    """Return the thresholds at which bins begin, the first being 0.

    A bin ends where asin(sqrt(rate)) of either class has moved by ``bin_step`` standard errors, and by the
    step of a window within it: resamples differ in the threshold that they choose.
    """
    step, windows = bin_step(staircase.n_target, staircase.n_nontarget, most), list(windows)
    starts = [np.zeros(1, dtype=np.int64)]
    rejected = staircase.n_nontarget - staircase.false_alarms
    for errors, n in ((staircase.misses, staircase.n_target), (rejected, staircase.n_nontarget)):
        if n:
            end = math.pi * math.sqrt(n)
            starts.append(_passing(errors, n, step, (0.0, end)))
            for window in windows:
                low, high = (2 * math.sqrt(n) * math.asin(math.sqrt(errors[c] / n)) for c in window[:2])
                within = max(0.0, low - window.reach), min(end, high + window.reach)
                starts.append(_passing(errors, n, window.step, within))
    cuts: IntArray = np.unique(np.concatenate(starts))
    return cuts[cuts < len(staircase.misses) - 1]


def bins_of(starts: IntArray, n: int) -> IntArray:
    """Return the bin of each of n distinct scores, of bins that begin at some thresholds."""
    return np.repeat(np.arange(len(starts)), np.diff(starts, append=n))


def _passing(errors: IntArray, n: int, step: float, within: tuple[float, float]) -> IntArray:
    """Return the first thresholds from which 2 sqrt(n) asin(sqrt(errors / n)) is at multiples of a step."""
    multiples = np.arange(math.ceil(within[0] / step), math.floor(within[1] / step) + 1) * step
    least = n * np.sin(np.minimum(multiples / (2 * math.sqrt(n)), math.pi / 2)) ** 2
    cuts = np.searchsorted(errors, least)
    return np.asarray(cuts[cuts > 0], dtype=np.int64)


MOST_DRAWN = 2**15
"""Thresholds of a thinned curve, not counting the vertices of its hull."""
DRAWN_WHOLE = 2**17
"""Distinct scores up to which a curve has all its corners."""


def curve_cuts(staircase: Staircase) -> IntArray:
    """Return the thresholds that show a curve: its corners, or of many scores the hull and starts of bins."""
    if len(staircase.misses) - 1 <= DRAWN_WHOLE:
        return np.flatnonzero(corners(staircase.misses, staircase.false_alarms)).astype(np.int64)
    shown = np.zeros(len(staircase.misses), dtype=bool)
    shown[bin_starts(staircase, most=MOST_DRAWN)] = True
    shown[staircase.hull] = True
    return np.flatnonzero(shown).astype(np.int64)
