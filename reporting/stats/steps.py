"""A criterion along its parameter, exactly: which cut holds on which interval of alpha (methods 7.4).

No grid is involved: a curve of 101 points is a drawing of these steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from reporting.stats.selection import (
    TIE_TOLERANCE,
    Choice,
    How,
    Levels,
    far_levels,
    frr_levels,
    levels_of,
    near_edges,
)
from reporting.stats.staircase import FloatArray, IntArray, Staircase


@dataclass(frozen=True, eq=False)
class Steps:
    """Cut ``cut[j]`` (shape (S,)) is chosen between ``edges[j]`` and ``edges[j + 1]`` (shape (S + 1,)).

    The edges ascend from 0 to 1; at an inner edge itself two cuts tie and the tie rule decides.
    """

    edges: FloatArray
    cut: IntArray

    @property
    def low(self) -> FloatArray:
        """Where each step begins (shape (S,))."""
        return self.edges[:-1]

    @property
    def high(self) -> FloatArray:
        """Where each step ends (shape (S,))."""
        return self.edges[1:]


def weighted_error_steps(staircase: Staircase) -> Steps:
    """Return the steps of min alpha FAR + (1 - alpha) FRR (eq. 10): the hull vertices. Methods 7.4."""
    vertices, edges = staircase.breakpoints
    return Steps(_unit(edges), vertices)


def precision_recall_steps(staircase: Staircase) -> Steps:
    """Return the steps of max alpha precision + (1 - alpha) recall (eq. 11). Methods 7.4."""
    vertices, edges = precision_recall_breakpoints(staircase)
    return Steps(_unit(edges), vertices)


def target_far_steps(staircase: Staircase, how: How = "nearest") -> Steps:
    """Return the steps of FAR at a target alpha (eq. 12): cells between the midpoints of FAR levels."""
    return _cells(far_levels(staircase), how)


def target_frr_steps(staircase: Staircase, how: How = "nearest") -> Steps:
    """Return the steps of FRR at a target alpha (eq. 13): cells between the midpoints of FRR levels."""
    return _cells(frr_levels(staircase), how)


def target_steps(staircase: Staircase, value: Any, how: How = "nearest") -> Steps:
    """Return the steps of any measure (``value``, shape (H + 1,)) at a target in [0, 1]."""
    return _cells(levels_of(staircase, value), how)


def _cells(levels: Levels, how: How) -> Steps:
    value, cut = levels.value, levels.cut
    edges = levels.middle if how == "nearest" else value[1:] if how == "at_most" else value[:-1]
    inside = (edges > 0) & (edges < 1)
    # Levels wholly outside [0, 1] have no cell there.
    first = int((edges <= 0).sum())
    return Steps(_unit(edges[inside]), cut[first : first + int(inside.sum()) + 1])


def _unit(edges: FloatArray) -> FloatArray:
    return np.concatenate(([0.0], edges, [1.0]))


Point = tuple[int, int, int]
"""A cut with its true positives and its acceptances."""


def precision_recall_breakpoints(staircase: Staircase) -> tuple[IntArray, FloatArray]:
    """Return the cuts that can maximise alpha P + (1 - alpha) R, ascending, and the alphas between them.

    alpha_e(j) = dR / (dR + dP) between neighbouring vertices, shape (L,), strictly increasing in (0, 1):
    the first cut (all targets accepted) is best for small alpha, the last for large. Both classes must
    be there.
    """
    hull = _upper_hull(_candidates(staircase))
    edges = [_edge(vertex, following, staircase.n_target) for vertex, following in pairwise(hull)]
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
        between = [point for point in points if int(vertices[edge]) <= point[0] <= int(vertices[edge + 1])]
        tied[at] = sum(
            point in (between[0], between[-1]) or _turn(between[0], point, between[-1]) == 0
            for point in between
        )
    return Choice(cut.reshape(shape), tied.reshape(shape))


def _candidates(staircase: Staircase) -> list[Point]:
    """Hull vertices from the last cut without a miss to the first without a false alarm that accepts."""
    cuts = staircase.hull
    accepted_targets = staircase.n_target - staircase.misses[cuts]
    accepted = accepted_targets + staircase.false_alarms[cuts]
    first = int(np.flatnonzero(staircase.misses[cuts] == 0)[-1])
    keep = (np.arange(len(cuts)) >= first) & (accepted > 0)
    columns = (cuts[keep].tolist(), accepted_targets[keep].tolist(), accepted[keep].tolist())
    return list(zip(*columns, strict=True))


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


def area(steps: Steps, value: Any, low: float = 0.0, high: float = 1.0) -> FloatArray:
    """Integrate over alpha in [low, high] a measure that does not itself depend on alpha.

    The sum of width times value, ``value`` of shape (..., S) with the steps along the last axis; 0 <= low
    <= high <= 1. Undefined (NaN) where the value is at a step of positive width. Divided by high - low
    (``mean``) it is the average value over the range. Of thresholds by a target FAR or FRR and of HTER it is
    E of eq. (15) and (16), with ``low`` and ``high`` the declared bounds of the target.
    """
    width = np.diff(np.clip(steps.edges, low, high))
    return _sum(width, value)


def weighted_error_area(steps: Steps, far: Any, frr: Any, low: float = 0.0, high: float = 1.0) -> FloatArray:
    """Integrate alpha FAR + (1 - alpha) FRR over alpha in [low, high], with the curve's own alpha.

    Linear on every step, hence exact by the trapezoid; ``far`` and ``frr`` of shape (..., S). Over [0, 1]
    and thresholds of the weighted error itself it is half a balanced Brier score: methods 7.5.
    """
    edges = np.clip(steps.edges, low, high)
    middle = (edges[1:] + edges[:-1]) / 2
    width = np.diff(edges)
    return _sum(width * middle, far) + _sum(width * (1 - middle), frr)


def mean(total: Any, low: float = 0.0, high: float = 1.0) -> FloatArray:
    """Return the average over [low, high] of what has this area there; low < high."""
    return np.asarray(np.asarray(total, dtype=np.float64) / (high - low))


def both_ways(e_one: Any, e_other: Any) -> FloatArray:
    """G = (E_V1 + E_V2) / 2: the mean of the areas along the one target and the other (eq. 18)."""
    return np.asarray((np.asarray(e_one, dtype=np.float64) + np.asarray(e_other, dtype=np.float64)) / 2)


def area_equivalent(g: Any) -> FloatArray:
    """2 G - 1/2, lower is better: on the scale of 1 - AUC, which it tends to where dev is test.

    For G of FAR and FRR over [0, 1] only: a perfect system has G = 1/4, chance 1/2. Methods 7.7.
    """
    return np.asarray(2 * np.asarray(g, dtype=np.float64) - 0.5)


def _sum(weight: FloatArray, value: Any) -> FloatArray:
    """Sum weight times value over the steps; a step of no width may be undefined."""
    value = np.asarray(value, dtype=np.float64)
    return np.asarray(np.where(weight > 0, weight * value, 0.0).sum(axis=-1))
