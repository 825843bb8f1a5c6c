"""Which cut maximises alpha precision + (1 - alpha) recall, exactly, for every alpha at once.

Only vertices of the ROC hull can. Along a hull edge the precision TP / (TP + FP) is convex, because the
share of targets falls from edge to edge as more is accepted, and the recall is linear: the sum is largest
at an end of the edge. Off the hull both are smaller at equal recall. So the upper-right hull of (recall,
precision) is found among the few vertices, in whole numbers without limit of size. Methods 7.2, 7.4.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from reporting.stats.selection import TIE_TOLERANCE, Choice, near_edges
from reporting.stats.staircase import FloatArray, IntArray, Staircase

Point = tuple[int, int, int]
"""A cut with its true positives and its acceptances."""


def precision_recall_breakpoints(staircase: Staircase) -> tuple[IntArray, FloatArray]:
    """Return the cuts that can maximise alpha P + (1 - alpha) R, ascending, and the alphas between them.

    alpha_e(j) = dR / (dR + dP) between neighbouring vertices, shape (L,), strictly increasing in (0, 1):
    the first cut (all targets accepted) is best for small alpha, the last for large. Both classes must
    be there.
    """
    hull = _upper_hull(_candidates(staircase))
    edges = [_edge(one, other, staircase.n_target) for one, other in pairwise(hull)]
    cuts = np.array([cut for cut, _, _ in hull], dtype=np.int64)
    return cuts, np.array([float(edge) for edge in edges], dtype=np.float64)


def precision_recall(staircase: Staircase, alpha: Any) -> Choice:
    """Choose the cut maximising alpha precision + (1 - alpha) recall, for one alpha or an array (eq. 11).

    Ties: the larger precision for alpha < 1/2, else the larger recall; then the lower threshold. Rejecting
    all has no precision and is never chosen. Source: Bengio, Mariethoz, Keller, eq. (11); methods 7.2.
    """
    shape = np.shape(alpha)
    alpha = np.ravel(np.asarray(alpha, dtype=np.float64))
    points = _candidates(staircase)
    vertices, edges = precision_recall_breakpoints(staircase)
    cut = vertices[np.searchsorted(edges, alpha, side="right")]
    tied = np.ones(len(alpha), dtype=np.int64)
    for at, edge in near_edges(alpha, edges, TIE_TOLERANCE):
        cut[at] = vertices[edge + 1 if alpha[at] < 0.5 else edge]
        tied[at] = _on_edge(points, int(vertices[edge]), int(vertices[edge + 1]))
    return Choice(cut.reshape(shape), tied.reshape(shape))


def _candidates(staircase: Staircase) -> list[Point]:
    """Hull vertices from the last cut without a miss to the first without a false alarm that accepts."""
    cuts = staircase.hull
    accepted_targets = staircase.n_target - staircase.misses[cuts]
    accepted = accepted_targets + staircase.false_alarms[cuts]
    first = int(np.flatnonzero(staircase.misses[cuts] == 0)[-1])
    keep = (np.arange(len(cuts)) >= first) & (accepted > 0)
    found = (cuts[keep].tolist(), accepted_targets[keep].tolist(), accepted[keep].tolist())
    return list(zip(*found, strict=True))


def _upper_hull(points: list[Point]) -> list[Point]:
    """Drop the points on or below a line between two others; recall falls and precision rises along them."""
    hull: list[Point] = []
    for point in points:
        while len(hull) > 1 and _turn(hull[-2], hull[-1], point) <= 0:
            hull.pop()
        hull.append(point)
    return hull


def _turn(a: Point, b: Point, c: Point) -> int:
    """Positive where ``b`` is beyond the line from ``a`` to ``c``, 0 where it is on it."""
    (_, ta, na), (_, tb, nb), (_, tc, nc) = a, b, c
    # dR(ab) / dP(ab) < dR(bc) / dP(bc), with dP(ab) = (tb na - ta nb) / (na nb).
    return (tb - tc) * (tb * na - ta * nb) * nc - (ta - tb) * (tc * nb - tb * nc) * na


def _edge(a: Point, b: Point, n_target: int) -> Fraction:
    recall = Fraction(a[1] - b[1], n_target)
    return recall / (recall + Fraction(b[1], b[2]) - Fraction(a[1], a[2]))


def _on_edge(points: list[Point], low: int, high: int) -> int:
    between = [point for point in points if low <= point[0] <= high]
    return sum(
        point in (between[0], between[-1]) or _turn(between[0], point, between[-1]) == 0 for point in between
    )
