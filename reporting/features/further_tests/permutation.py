"""Permutation tests of two models on the same trials: the models are swapped unit by unit.

Where two models do not differ, what they say of a unit (a trial, or all trials of a cluster) may be
exchanged. Decisions can be exchanged directly. Scores need a common scale first: their mid-ranks
(Venkatraman and Begg 1996; of the area, Bandos, Rockette and Gur 2005). Methods 9.2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray, RankArray
from reporting.base.records import dataclass
from reporting.core.stats.intervals import ZERO
from reporting.core.stats.rates import ratio
from reporting.features.further_tests.formulas import Outcome

LARGEST_CHUNK = 2**22
"""Numbers in memory together (resamples times units or scores)."""

Values = IntArray | FloatArray


@dataclass(frozen=True, eq=False)
class Swappable:
    """A statistic of two models by which units are swapped: marks (shape (R, units)) to values (shape (R,)).

    The statistic is ``of`` / ``scale``; integers are compared exactly. ``width`` is how many numbers a
    replicate holds in memory.
    """

    n_units: int
    width: int
    of: Callable[[BoolArray], Values]
    scale: int = 1


def permutation_test(statistic: Swappable, replicates: int, rng: np.random.Generator) -> Outcome:
    """Return p = (1 + #{|T*| >= |T|}) / (M + 1), every unit swapped with chance 1/2; methods 8.5.

    Draws, and so p, depend on the generator alone, never on how many resamples are in memory together.
    Without any unit p is 1. NaN where the statistic is.
    """
    observed = statistic.of(np.zeros((1, statistic.n_units), dtype=bool))
    if np.isnan(observed[0]):
        return Outcome(np.nan, np.nan)
    size = max(1, LARGEST_CHUNK // max(1, statistic.width))
    drawn = [
        statistic.of(draw_swaps(rng, statistic.n_units, min(size, replicates - start)))
        for start in range(0, replicates, size)
    ]
    distance, limit = np.abs(np.concatenate([observed, *drawn])), abs(observed[0])
    if not np.issubdtype(distance.dtype, np.integer):
        # Sums of rounded numbers that are equal on paper are equal.
        limit = limit - ZERO * distance.max()
    # The observed value is among the counted: that is the + 1.
    p = int((distance >= limit).sum()) / (replicates + 1)
    return Outcome(float(observed[0] / statistic.scale), p)


def draw_swaps(rng: np.random.Generator, n_units: int, size: int) -> BoolArray:
    """Draw which units are swapped (shape (size, units)), each with chance 1/2, from whole 64-bit words."""
    words = rng.integers(0, 2**64, size=(size, -(-n_units // 64)), dtype=np.uint64)
    bits = np.unpackbits(words.astype("<u8").view(np.uint8), axis=1, bitorder="little")
    return bits[:, :n_units].astype(bool)


def midranks(score: Any) -> IntArray:
    """Return twice the mid-rank of every score (shape (N,)) among all: integers 2..2N, ties shared."""
    _, at, size = np.unique(np.asarray(score), return_inverse=True, return_counts=True)
    below = np.cumsum(size) - size
    return np.asarray((2 * below + size + 1)[at], dtype=np.int64)


def rate_difference(
    first: BoolArray, second: BoolArray, label: BoolArray, unit: IntArray, w_far: float, w_frr: float
) -> Swappable:
    """V(first) - V(second) of V = w_far FAR + w_frr FRR, from accepted trials (shape (N,)), swapped by unit.

    ``unit`` codes units from 0. With a unit for each trial it is the test of ``paired.exact_p``, up to
    Monte Carlo error. Units that never move the difference are left out. NaN where a class with weight
    is empty.
    """
    accepted = first.astype(np.int64) - second.astype(np.int64)
    sides = [(w_far, ~label, 1), (w_frr, label, -1)]
    sides = [side for side in sides if side[0] != 0]
    surplus = np.array([sign * np.bincount(unit, weights=accepted * of) for _, of, sign in sides])
    surplus = surplus[:, surplus.any(axis=0)]
    steps = [float(ratio(w, of.sum())) for w, of, _ in sides]

    def of(swapped: BoolArray) -> FloatArray:
        # Sums of integers are exact in float64, so that the order in which threads add cannot matter.
        counts = surplus.sum(axis=1) - 2 * (swapped.astype(np.float64) @ surplus.T)
        return np.asarray(sum(step * counts[:, k] for k, step in enumerate(steps)))

    return Swappable(surplus.shape[1], surplus.shape[1], of)


def area_difference(first: Any, second: Any, label: BoolArray, unit: IntArray) -> Swappable:
    """AUC(first) - AUC(second) from scores (shape (N,)), swapped by unit on the scale of mid-ranks.

    Every replicate places its own targets among its own non-targets anew (ties half); targets score
    high. ``unit`` codes units from 0. Both classes must have trials. Bandos, Rockette and Gur 2005.
    """
    values = np.concatenate([midranks(first), midranks(second)])
    n, target = len(label), np.flatnonzero(np.tile(label, 2))
    nontarget = np.flatnonzero(~np.tile(label, 2))
    nontarget = nontarget[np.argsort(values[nontarget], kind="stable")]
    low = np.searchsorted(values[nontarget], values[target], side="left")
    high = np.searchsorted(values[nontarget], values[target], side="right")

    def in_first(swapped: BoolArray, which: IntArray) -> BoolArray:
        """Return which of the 2N values are of the first model; resamples run along columns."""
        return np.asarray(swapped.T[unit[which % n]] == (which >= n)[:, None])

    def of(swapped: BoolArray) -> IntArray:
        before = np.zeros((len(nontarget) + 1, len(swapped)), dtype=np.int64)
        np.cumsum(in_first(swapped, nontarget), axis=0, out=before[1:])
        # Twice the non-targets of the first model below a target, ties half; the second has the rest.
        placed = before[low] + before[high]
        placed -= ~in_first(swapped, target) * (low + high)[:, None]
        return np.asarray(placed.sum(axis=0))

    return Swappable(int(unit.max()) + 1, 2 * n, of, scale=2 * int(label.sum()) * int((~label).sum()))


def equal_curves(
    first: RankArray,
    second: RankArray,
    label: BoolArray,
    replicates: int,
    rng: np.random.Generator,
    unit: RankArray | None = None,
) -> Outcome:
    """Test that two models share a ROC curve, from the ranks of their scores (shape (N,), ties equal).

    The statistic is sum_k |errors of the first - errors of the second| where each rejects its k lowest
    trials, k = 1..N - 1: errors are counted alike in both classes, so that it weighs them as the trials
    do. Even and at least 0. A replicate exchanges the two ranks of a trial, or of all trials of a ``unit``
    (integers below the number of units), with probability 1/2, and ranks the trials anew, ties broken at
    random; p = (1 + #{E* >= E}) / (M + 1). Tied scores are first put in one random order, alike for both
    models: p then varies with the draw. Models that rank all trials alike have p = 1, and swapping two
    models changes nothing. NaN where a class is empty. The null hypothesis exchanges models trial by trial.
    """
    if not 0 < int(label.sum()) < len(label):
        return Outcome(np.nan, np.nan)
    unit = np.arange(len(label), dtype=np.uint32) if unit is None else unit
    # Averaging p over ways to break ties halves the power where scores have few values.
    key = rng.random(len(label))
    order, other = np.lexsort((key, first)), np.lexsort((key, second))
    observed = _distance(label[order], label[other])
    beyond = sum(_exchanged(order, other, label, unit, rng) >= observed for _ in range(replicates))
    return Outcome(float(observed), (1 + beyond) / (replicates + 1))


def _distance(first: BoolArray, second: BoolArray) -> int:
    """Sum over all thresholds of the absolute difference of errors, from the labels in either order.

    A target below the threshold is an error, and a non-target there is one less: with t targets among the k
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
