"""The permutation test of equal ROC curves on the same trials (Venkatraman and Begg 1996).

It asks whether the curves are the same at every operating point, so that it also sees curves that cross
and have one area. It sees no scale: only the order of the trials by either model counts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from reporting.stats.staircase import BoolArray, IntArray, RankArray


class EqualCurves(NamedTuple):
    """The distance of two ROC curves, and its p among the exchanges of the two models."""

    statistic: float
    p: float


def equal_curves(
    first: RankArray,
    second: RankArray,
    label: BoolArray,
    replicates: int,
    rng: np.random.Generator,
    unit: RankArray | None = None,
) -> EqualCurves:
    """Test that two models have one ROC curve, from the ranks of their scores (shape (N,), ties equal).

    The statistic is sum_k |errors of the first - errors of the second| where each rejects its k lowest
    trials, k = 1..N - 1: errors are counted alike in both classes, so that it weighs them as the trials
    do. Even and at least 0. A replicate exchanges the two ranks of a trial, or of all trials of a ``unit``
    (integers below the number of units), with probability 1/2, and ranks the trials anew, ties broken at
    random; p = (1 + #{E* >= E}) / (M + 1). Tied scores are first put in one random order, alike for both
    models: p then varies with the draw. Models that rank all trials alike have p = 1, and swapping two
    models changes nothing. NaN where a class is empty. The null hypothesis exchanges models trial by trial.
    """
    if not 0 < int(label.sum()) < len(label):
        return EqualCurves(float("nan"), float("nan"))
    unit = np.arange(len(label), dtype=np.uint32) if unit is None else unit
    # Averaging p over ways to break ties halves the power where scores have few values.
    key = rng.random(len(label))
    order, other = np.lexsort((key, first)), np.lexsort((key, second))
    observed = _distance(label[order], label[other])
    beyond = sum(_exchanged(order, other, label, unit, rng) >= observed for _ in range(replicates))
    return EqualCurves(float(observed), (1 + beyond) / (replicates + 1))


def _distance(first: BoolArray, second: BoolArray) -> int:
    """Sum over all cuts of the absolute difference of errors, from the labels in either order.

    A target below the cut is an error, and a non-target there is one less: with t targets among the k
    lowest the errors are N0 + 2 t - k.
    """
    return 2 * int(np.abs(np.cumsum(first.astype(np.int64) - second)).sum())


def _exchanged(
    order: IntArray, other: IntArray, label: BoolArray, unit: RankArray, rng: np.random.Generator
) -> int:
    """The distance after a random exchange of the ranks of units.

    Every rank k has two trials, one from each model: ``order[k]`` and ``other[k]``. Each model keeps or
    receives none, one or both of them, and with both their order is random: no sorting is needed.
    """
    exchanged = rng.integers(0, 2, int(unit.max()) + 1, dtype=bool)[unit]
    # Compared by trial and not by model, so that swapping the models draws the same.
    earlier = (order < other) ^ rng.integers(0, 2, len(label), dtype=bool)
    trials = np.stack((np.where(earlier, order, other), np.where(earlier, other, order)), axis=1)
    kept, received = ~exchanged[order], exchanged[other]
    mine = np.stack((np.where(earlier, kept, received), np.where(earlier, received, kept)), axis=1)
    labels = label[trials]
    return _distance(labels[mine], labels[~mine])
