"""Which cut a criterion chooses on one staircase, plainly: the oracle of choices on many rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray
from reporting.core.stats.choice import TIE_TOLERANCE, Better, Choice, How
from reporting.core.stats.staircase import Staircase, Ties


def weighted_error(staircase: Staircase, ties: Ties, alpha: Any) -> Choice:
    """Choose the cut minimising alpha FAR + (1 - alpha) FRR, for one alpha or an array (eq. 10).

    Ties: ``balanced`` takes the smallest |alpha FAR - (1 - alpha) FRR|, then FAR, then FRR;
    ``high`` the smallest FAR, ``low`` the smallest FRR. Source: Bengio, Mariethoz, Keller, eq. (10).
    """
    shape = np.shape(alpha)
    alpha = np.ravel(np.asarray(alpha, dtype=np.float64))
    vertices, edges = staircase.breakpoints
    cut = vertices[np.searchsorted(edges, alpha, side="right")]
    tied = np.ones(len(alpha), dtype=np.int64)
    for at, edge in near_edges(alpha, edges, TIE_TOLERANCE):
        cut[at], tied[at] = _break_tie(staircase, int(vertices[edge]), int(vertices[edge + 1]), ties)
    return Choice(cut.reshape(shape), tied.reshape(shape))


def near_edges(alpha: Any, edges: Any, tolerance: float) -> list[tuple[int, int]]:
    """Return the pairs (position in alpha, breakpoint) where alpha equals an ascending breakpoint."""
    if len(edges) == 0:
        return []
    right = np.clip(np.searchsorted(edges, alpha), 0, len(edges) - 1)
    left = np.maximum(right - 1, 0)
    near = np.where(np.abs(edges[left] - alpha) < np.abs(edges[right] - alpha), left, right)
    return [(int(i), int(near[i])) for i in np.flatnonzero(np.abs(edges[near] - alpha) <= tolerance)]


def _break_tie(staircase: Staircase, low: int, high: int, ties: Ties) -> tuple[int, int]:
    """Scan the cuts on the hull edge between two vertices; Python integers cannot overflow."""
    misses = [int(m) for m in staircase.misses[low : high + 1]]
    alarms = [int(a) for a in staircase.false_alarms[low : high + 1]]
    rise, fall = misses[-1] - misses[0], alarms[0] - alarms[-1]
    # alpha_e : 1 - alpha_e = rise N0 : fall N1, hence alpha FAR : (1 - alpha) FRR = rise FP : fall FN.
    on_edge = [
        k for k in range(len(misses)) if (misses[k] - misses[0]) * fall == (alarms[0] - alarms[k]) * rise
    ]

    def key(k: int) -> tuple[int, ...]:
        if ties == "high":
            return alarms[k], misses[k]
        if ties == "low":
            return misses[k], alarms[k]
        return abs(rise * alarms[k] - fall * misses[k]), alarms[k], misses[k]

    return low + min(on_edge, key=key), len(on_edge)


def equal_error(staircase: Staircase, ties: Ties) -> Choice:
    """Choose the cut minimising (|FAR - FRR|, FAR + FRR, FAR), compared as integers (eq. 8)."""
    far, frr = integer_rates(staircase)
    best = least(np.arange(len(far)), np.abs(far - frr))
    tied = undominated(staircase, best)
    best = least(best, (far + frr)[best], far[best])
    return Choice(np.asarray(best[0], dtype=np.int64), np.asarray(tied, dtype=np.int64))


def integer_rates(staircase: Staircase, cuts: Any = slice(None)) -> tuple[IntArray, IntArray]:
    """Return FAR and FRR of cuts, both times N1 N0."""
    far = staircase.false_alarms[cuts] * staircase.n_target
    return far, staircase.misses[cuts] * staircase.n_nontarget


def least(cuts: IntArray, *keys: Any) -> IntArray:
    """Return the cuts at which the keys (each of the shape of ``cuts``) are smallest, in turn."""
    at = np.arange(len(cuts))
    for key in keys:
        at = at[key[at] == key[at].min()]
    return cuts[at]


def undominated(staircase: Staircase, cuts: IntArray) -> int:
    """Count the cuts that no other of them beats in one error at no more of the other."""
    cuts = np.sort(cuts)
    same_misses = np.diff(staircase.misses[cuts]) == 0  # the later one has fewer false alarms
    same_alarms = np.diff(staircase.false_alarms[cuts]) == 0  # the earlier one has fewer misses
    beaten = np.concatenate((same_misses, [False])) | np.concatenate(([False], same_alarms))
    return int((~beaten).sum())


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


def best(staircase: Staircase, ties: Ties, value: Any, better: Better) -> Choice:
    """Choose the cut with the best value (shape (H + 1,)).

    Ties: ``balanced`` takes the smallest |FAR - FRR|, then FAR, then FRR; ``high`` the smallest FAR, ``low``
    the smallest FRR. So the best HTER is that of methods 7.2.
    """
    cuts, (value,) = _defined(value)
    cost = _sign(better) * value
    optimal = cuts[_near_least(cost, np.abs(cost))]
    far, frr = integer_rates(staircase, optimal)
    balance = (np.abs(far - frr),) if ties == "balanced" else ()
    then = (frr, far) if ties == "low" else (far, frr)
    return _choice(staircase, optimal, least(optimal, *balance, *then))


def break_even(staircase: Staircase, first: Any, second: Any, better: tuple[Better, Better]) -> Choice:
    """Choose the cut at which two values (each of shape (H + 1,)) differ least (eq. 8).

    Ties: the better sum of the two, then the smallest FAR + FRR, then FAR. Precision and recall are both 0
    above the highest target; that break-even is worse than any other and so taken last.
    """
    cuts, (first, second) = _defined(first, second)
    optimal = _near_least(np.abs(first - second), np.abs(first) + np.abs(second))
    tied = cuts[optimal]
    first, second = first[optimal], second[optimal]
    total = _sign(better[0]) * first + _sign(better[1]) * second
    tied_too = tied[_near_least(total, np.abs(first) + np.abs(second))]
    far, frr = integer_rates(staircase, tied_too)
    return _choice(staircase, tied, least(tied_too, far + frr, far))


def weighted(
    staircase: Staircase, ties: Ties, first: Any, second: Any, better: tuple[Better, Better], alpha: Any
) -> Choice:
    """Choose the cut with the best alpha V1 + (1 - alpha) V2, for one alpha or an array.

    What is better when higher enters with a minus. Ties: ``balanced`` takes the smallest
    |alpha V1 - (1 - alpha) V2|, then FAR, then FRR; ``high`` the smallest FAR, ``low`` the smallest
    FRR. One pass over the cuts for each alpha; memory stays that of a few columns.
    """
    cuts, (first, second) = _defined(first, second)
    signs = _sign(better[0]), _sign(better[1])
    chosen = [
        _weighted_at(staircase, ties, cuts, first * a, second * (1 - a), signs) for a in np.ravel(alpha)
    ]
    cut = np.array([int(choice.cut) for choice in chosen], dtype=np.int64)
    tied = np.array([int(choice.tied) for choice in chosen], dtype=np.int64)
    return Choice(cut.reshape(np.shape(alpha)), tied.reshape(np.shape(alpha)))


def _weighted_at(
    staircase: Staircase,
    ties: Ties,
    cuts: IntArray,
    first: FloatArray,
    second: FloatArray,
    signs: tuple[int, int],
) -> Choice:
    optimal = _near_least(signs[0] * first + signs[1] * second, np.abs(first) + np.abs(second))
    tied, first, second = cuts[optimal], first[optimal], second[optimal]
    far, frr = integer_rates(staircase, tied)
    if ties == "balanced":
        level = _near_least(np.abs(first - second), np.abs(first) + np.abs(second))
        chosen = least(tied[level], far[level], frr[level])
    else:
        chosen = least(tied, *((far, frr) if ties == "high" else (frr, far)))
    return _choice(staircase, tied, chosen)


def _sign(better: Better) -> int:
    """What turns a value into a cost."""
    return 1 if better == "lower" else -1


def _defined(*values: Any) -> tuple[IntArray, list[FloatArray]]:
    """The cuts at which all values are finite, and the values there."""
    arrays = [np.asarray(value, dtype=np.float64) for value in values]
    cuts = np.flatnonzero(np.isfinite(arrays).all(axis=0))
    return cuts, [array[cuts] for array in arrays]


def _near_least(cost: FloatArray, size: FloatArray) -> BoolArray:
    """Mark the costs within the tie tolerance of the least; ``size`` is that of what they are made of."""
    least_cost = int(np.argmin(cost))
    return np.asarray(cost - cost[least_cost] <= TIE_TOLERANCE * np.maximum(size, size[least_cost]))


def _choice(staircase: Staircase, tied: IntArray, chosen: IntArray) -> Choice:
    # Cuts that agree in both errors are one cut, so one is left.
    return Choice(
        np.asarray(chosen[0], dtype=np.int64), np.asarray(undominated(staircase, tied), dtype=np.int64)
    )
