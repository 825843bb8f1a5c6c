"""Which cut a criterion chooses, exactly: integer comparisons, and the tie rules of methods 7.2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from reporting.stats.staircase import IntArray, Staircase, Ties

TIE_TOLERANCE = 1e-12


@dataclass(frozen=True, eq=False)
class Choice:
    """Chosen cuts, and how many cuts attained the optimum (more than 1: the tie rule decided).

    A cut that has one error more than another such cut, and the other error the same, is not counted:
    no rule would take it.
    """

    cut: IntArray
    tied: IntArray


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
