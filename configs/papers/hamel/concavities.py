"""Where a ROC curve lies below its convex hull, and whether scores in there rank worse than random.

Under an edge of the hull the curve falls short of deciding at random between the two ends of the edge: within
that range of scores, and not below the diagonal of the whole plane. Every sample has such places by chance.
So the ranges are found on one sample and tested on another, where they are fixed: the trials inside are then
two independent samples, and a random ranking of them has AUC 1/2. Methods 4.1, 9.5; methods, erratum E31.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.special import comb, ndtr

from reporting.base.arrays import FloatArray, IntArray
from reporting.core.stats.placements import covariance, trial_placements
from reporting.core.stats.staircase import Staircase

EXACT_PAIRS = 2000
"""Up to so many pairs of a target and a non-target p is exact."""


class Concavity(NamedTuple):
    """The range of scores between two cuts on the hull, and what lies between edge and curve.

    ``targets`` and ``nontargets`` count the trials inside, ``auc`` ranks them (in [0, 1/2]); ``area`` is that
    between edge and curve, (1/2 - auc) targets nontargets / (N1 N0).
    """

    low: int
    high: int
    targets: int
    nontargets: int
    auc: float
    area: float


class InsideTest(NamedTuple):
    """AUC of the trials inside a range, its DeLong error, and p of being no worse than random (one-sided)."""

    targets: int
    nontargets: int
    auc: float
    se: float
    p: float
    exact: bool


def concavities(staircase: Staircase) -> list[Concavity]:
    """Return the edges of the hull that the curve does not follow, the largest area first, then the lowest.

    Their areas sum to AUC of the hull less AUC. Compared as integers. Empty with an empty class.
    """
    if not staircase.n_target or not staircase.n_nontarget:
        return []
    found = []
    for low, high in zip(staircase.hull[:-1].tolist(), staircase.hull[1:].tolist(), strict=True):
        misses, alarms = staircase.misses[low : high + 1], staircase.false_alarms[low : high + 1]
        targets, nontargets = int(misses[-1] - misses[0]), int(alarms[0] - alarms[-1])
        short = targets * nontargets - _twice_wins(np.diff(misses), -np.diff(alarms))
        if short > 0:
            found.append((short, low, high, targets, nontargets))
    found.sort(key=lambda one: (-one[0], one[1]))
    whole = 2 * staircase.n_target * staircase.n_nontarget
    return [
        Concavity(low, high, targets, nontargets, 0.5 - short / (2 * targets * nontargets), short / whole)
        for short, low, high, targets, nontargets in found
    ]


def _twice_wins(n_target: IntArray, n_nontarget: IntArray) -> int:
    """Twice the Mann-Whitney count: pairs whose target is above, and half of those that tie."""
    below = 2 * (np.cumsum(n_nontarget) - n_nontarget) + n_nontarget
    return sum(a * b for a, b in zip(n_target.tolist(), below.tolist(), strict=True))


def inside_test(n_target: Any, n_nontarget: Any) -> InsideTest:
    """Test that trials inside a range, counted by ascending score (shape (H,)), rank no worse than random.

    p = P(AUC <= observed), exact under exchangeable labels given the ties for at most ``EXACT_PAIRS`` pairs,
    else the lower normal tail of (AUC - 1/2) / SE with DeLong's SE. Small p: worse than random. NaN with an
    empty class; SE is NaN with a class of one.
    """
    n1, n0 = (np.asarray(n, dtype=np.int64) for n in (n_target, n_nontarget))
    targets, nontargets = int(n1.sum()), int(n0.sum())
    pairs = targets * nontargets
    if not pairs:
        return InsideTest(targets, nontargets, math.nan, math.nan, math.nan, False)
    wins = _twice_wins(n1, n0)
    auc, se = wins / (2 * pairs), _delong(n1, n0)
    if pairs <= EXACT_PAIRS:
        return InsideTest(targets, nontargets, auc, se, exact_lower_p(n1, n0), True)
    return InsideTest(targets, nontargets, auc, se, _normal_p(auc - 0.5, se), False)


def _delong(n_target: IntArray, n_nontarget: IntArray) -> float:
    rank = np.repeat(np.arange(len(n_target)), n_target), np.repeat(np.arange(len(n_target)), n_nontarget)
    label = np.repeat([True, False], [len(one) for one in rank])
    of_trials = trial_placements(n_target, n_nontarget, np.concatenate(rank).astype(np.uint32), label)
    return float(np.sqrt(covariance(of_trials[None], label)[0, 0]))


def _normal_p(distance: float, se: float) -> float:
    """A perfect or a perfectly wrong ranking has no spread, and nothing is in doubt."""
    if se > 0 or math.isnan(se):
        return float(ndtr(distance / se))
    return float(distance >= 0)


def exact_lower_p(n_target: IntArray, n_nontarget: IntArray) -> float:
    """P(U <= observed) of the Mann-Whitney count where every choice of the targets is equally likely.

    Ties count half and are those of the pooled scores. The choices are counted score by score: the state is
    how many are targets so far, and twice the count. Source: Mann, Whitney 1947; ties as Klotz 1966.
    """
    targets, nontargets = int(n_target.sum()), int(n_nontarget.sum())
    if targets > nontargets:
        return exact_lower_p(n_nontarget[::-1], n_target[::-1])
    # ways[i, u]: share of the choices with i targets and twice the count u, scaled by 2^-(trials so far).
    ways = np.zeros((targets + 1, 2 * targets * nontargets + 1))
    ways[0, 0] = 1.0
    before = 0
    for size in (n_target + n_nontarget).tolist():
        ways = _with_group(ways, before, size, nontargets)
        before += size
    chances = ways[targets] / ways[targets].sum()
    return min(1.0, float(chances[: _twice_wins(n_target, n_nontarget) + 1].sum()))


def _with_group(ways: FloatArray, before: int, size: int, nontargets: int) -> FloatArray:
    """Let any part of a group of equal scores be targets; ``before`` trials lie below it."""
    grown = np.zeros_like(ways)
    for chosen in range(size + 1):
        share = float(comb(size, chosen)) * 0.5**size
        for i in range(min(before, len(ways) - 1 - chosen) + 1):
            beaten = before - i
            if beaten + size - chosen > nontargets:
                continue
            up = chosen * (2 * beaten + size - chosen)
            grown[i + chosen, up:] += share * ways[i, : ways.shape[1] - up]
    return grown
