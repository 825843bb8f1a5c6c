"""A criterion along its parameter, exactly: which threshold holds on which interval of alpha (methods 7.4).

No grid is involved: a curve of 101 points is a drawing of these steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.records import dataclass
from reporting.core.stats.choice import TIE_TOLERANCE, Choice, How, Staircases, levels_of
from reporting.core.stats.staircase import Staircase, Ties


@dataclass(frozen=True, eq=False)
class Steps:
    """Threshold ``cut[j]`` (shape (S,)) is chosen between ``edges[j]`` and ``edges[j + 1]`` (shape (S + 1,)).

    The edges ascend from 0 to 1; at an inner edge itself two thresholds tie and the tie rule decides.
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
    hull = _upper_hull(next(_candidates(Staircases.of(staircase))))
    return Steps(_unit(_edges(hull)), np.array([cut for cut, _, _ in hull], dtype=np.int64))


def target_far_steps(staircase: Staircase, how: How = "nearest") -> Steps:
    """Return the steps of FAR at a target alpha (eq. 12): cells between the midpoints of FAR levels."""
    alarms = staircase.false_alarms
    cut = np.flatnonzero(np.concatenate(([True], alarms[1:] != alarms[:-1])))[::-1]
    return _cells(alarms[cut] / staircase.n_nontarget, cut, how)


def target_frr_steps(staircase: Staircase, how: How = "nearest") -> Steps:
    """Return the steps of FRR at a target alpha (eq. 13): cells between the midpoints of FRR levels."""
    misses = staircase.misses
    cut = np.flatnonzero(np.concatenate((misses[1:] != misses[:-1], [True])))
    return _cells(misses[cut] / staircase.n_target, cut, how)


def target_steps(staircase: Staircase, value: Any, how: How = "nearest") -> Steps:
    """Return the steps of any measure (``value``, shape (H + 1,)) at a target in [0, 1]."""
    levels = levels_of(Staircases.of(staircase), value)
    return _cells(levels.value, levels.cut, how)


def _cells(value: FloatArray, cut: IntArray, how: How) -> Steps:
    middle = value[:-1] / 2 + value[1:] / 2
    edges = middle if how == "nearest" else value[1:] if how == "at_most" else value[:-1]
    inside = (edges > 0) & (edges < 1)
    # Levels wholly outside [0, 1] have no cell there.
    first = int((edges <= 0).sum())
    return Steps(_unit(edges[inside]), cut[first : first + int(inside.sum()) + 1])


def _unit(edges: FloatArray) -> FloatArray:
    return np.concatenate(([0.0], edges, [1.0]))


Point = tuple[int, int, int]
"""A threshold with its true positives and its acceptances."""


def precision_recall(rows: Staircases, ties: Ties, alpha: Any) -> Choice:
    """Choose the thresholds maximising alpha precision + (1 - alpha) recall, one alpha or an array (eq. 11).

    Ties, whatever ``ties``: the larger precision for alpha < 1/2, else the larger recall; then the lower
    threshold. Rejecting all has no precision and is never chosen. Source: Bengio, Mariethoz, Keller,
    eq. (11); methods 7.2.
    """
    alpha = np.ravel(np.asarray(alpha, dtype=np.float64))
    cut = np.empty((len(rows.misses), len(alpha)), dtype=np.int64)
    tied = np.ones(cut.shape, dtype=np.int64)
    for row, points in enumerate(_candidates(rows)):
        hull = _upper_hull(points)
        vertices, edges = np.array([point[0] for point in hull]), _edges(hull)
        cut[row] = vertices[np.searchsorted(edges, alpha, side="right")]
        for at, edge in _near_edges(alpha, edges):
            low, high = hull[edge], hull[edge + 1]
            cut[row, at] = high[0] if alpha[at] < 0.5 else low[0]
            between = [point for point in points if low[0] < point[0] < high[0]]
            tied[row, at] = 2 + sum(_turn(low, point, high) == 0 for point in between)
    return Choice(cut, tied)


def _near_edges(alpha: FloatArray, edges: FloatArray) -> list[tuple[int, int]]:
    """Return the pairs (position in alpha, breakpoint) where alpha equals an ascending breakpoint."""
    if len(edges) == 0:
        return []
    right = np.clip(np.searchsorted(edges, alpha), 0, len(edges) - 1)
    left = np.maximum(right - 1, 0)
    near = np.where(np.abs(edges[left] - alpha) < np.abs(edges[right] - alpha), left, right)
    return [(int(i), int(near[i])) for i in np.flatnonzero(np.abs(edges[near] - alpha) <= TIE_TOLERANCE)]


def _candidates(rows: Staircases) -> Iterator[list[Point]]:
    """Yield the hull vertices of each row that accept a trial, from the last threshold without a miss on."""
    whose, cuts = np.divmod(rows.hull, rows.n + 1)
    misses, false_alarms = (errors.tolist() for errors in rows.errors(rows.hull))
    ends = np.searchsorted(whose, np.arange(len(rows.misses) + 1)).tolist()
    for start, end in pairwise(ends):
        while start + 1 < end and not misses[start + 1]:
            start += 1
        n_target = misses[end - 1]
        yield [
            (cut, n_target - missed, n_target - missed + passed)
            for cut, missed, passed in zip(
                cuts[start:end].tolist(), misses[start:end], false_alarms[start:end], strict=True
            )
            if missed < n_target or passed
        ]


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


def _edges(hull: list[Point]) -> FloatArray:
    """Return alpha = dR / (dR + dP) between neighbouring vertices, strictly increasing in (0, 1)."""
    n_target, edges = hull[0][1], []
    for (_, ta, na), (_, tb, nb) in pairwise(hull):
        recall = Fraction(ta - tb, n_target)
        edges.append(float(recall / (recall + Fraction(tb, nb) - Fraction(ta, na))))
    return np.array(edges, dtype=np.float64)


def area(steps: Steps, value: Any, low: float = 0.0, high: float = 1.0) -> FloatArray:
    """Integrate over alpha in [low, high] a measure that does not itself depend on alpha.

    The sum of width times value, ``value`` of shape (..., S) with the steps along the last axis; 0 <= low
    <= high <= 1. Undefined (NaN) where the value is at a step of positive width. Divided by high - low
    it is the average value over the range. Of thresholds by a target FAR or FRR and of HTER it is
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


def _sum(weight: FloatArray, value: Any) -> FloatArray:
    """Sum weight times value over the steps; a step of no width may be undefined."""
    value = np.asarray(value, dtype=np.float64)
    return np.asarray(np.where(weight > 0, weight * value, 0.0).sum(axis=-1))
