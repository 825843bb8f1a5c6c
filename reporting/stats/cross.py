"""Thresholds without a dev set: for every fold, what a criterion chooses on the trials outside it.

Trials are sorted once; a fold is taken out by lowering the counts at its scores. Source: methods 7.10.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

from reporting.stats.hull import hull_cuts
from reporting.stats.staircase import (
    BoolArray,
    FloatArray,
    IntArray,
    RankArray,
    Staircase,
    ThresholdAt,
    cumulate,
    threshold_of,
)


def cross_thresholds(
    score: FloatArray,
    n_target: IntArray,
    n_nontarget: IntArray,
    rank: RankArray,
    label: BoolArray,
    fold: IntArray | RankArray,
    choose: Callable[[Staircase], IntArray],
    at: ThresholdAt = "midpoint",
    weight: IntArray | None = None,
) -> FloatArray:
    """Return the thresholds of every fold 0..F - 1 (shape (F, P)), chosen on the trials outside it.

    ``score``, ``n_target`` and ``n_nontarget`` (shape (H,)) are the distinct scores and the trials at each;
    ``rank`` and ``label`` (shape (N,)) tell where each trial is among them. ``fold`` has shape (N,), or
    (N, 2) for pair trials, which then touch both folds. ``weight`` (shape (N,)) is what a trial adds to the
    counts, where that is not 1. Thresholds lie between the scores that remain. A row is NaN where nothing
    of a class remains: there is nothing to choose on.
    """
    added = np.ones(len(rank), dtype=np.int64) if weight is None else weight
    rows: list[FloatArray | None] = []
    for members in _members(fold):
        left = [
            counts - _bincount(rank[chosen], added[chosen], len(score))
            for counts, chosen in (
                (n_target, members[label[members]]),
                (n_nontarget, members[~label[members]]),
            )
        ]
        rows.append(_thresholds(score, left[0], left[1], choose, at))
    width = next((len(row) for row in rows if row is not None), 1)
    return np.array([np.full(width, np.nan) if row is None else row for row in rows]).reshape(-1, width)


def _members(fold: IntArray | RankArray) -> Iterator[IntArray]:
    """Yield the trials that touch each fold."""
    columns = fold.reshape(len(fold), -1).astype(np.int64)
    trial = np.broadcast_to(np.arange(len(fold))[:, None], columns.shape)
    twice = (columns == columns[:, :1]) & (np.arange(columns.shape[1]) > 0)  # both sides are one fold
    of_trial, of_fold = trial[~twice], columns[~twice]
    order = np.argsort(of_fold, kind="stable")
    ends = np.searchsorted(of_fold[order], np.arange(int(columns.max(initial=-1)) + 2))
    for first, last in pairwise(ends):
        yield of_trial[order[first:last]]


def _bincount(rank: RankArray, weight: IntArray, size: int) -> IntArray:
    """Sum whole weights by rank, without going through floats."""
    total = np.zeros(size, dtype=np.int64)
    np.add.at(total, rank, weight)
    return total


def _thresholds(
    score: FloatArray,
    n_target: IntArray,
    n_nontarget: IntArray,
    choose: Callable[[Staircase], IntArray],
    at: ThresholdAt,
) -> FloatArray | None:
    keep = (n_target > 0) | (n_nontarget > 0)
    targets, nontargets = n_target[keep], n_nontarget[keep]
    if not targets.any() or not nontargets.any():
        return None
    staircase = Staircase(*cumulate(targets, nontargets), hull_cuts(targets, nontargets))
    return threshold_of(score[keep], np.atleast_1d(choose(staircase)), at)
