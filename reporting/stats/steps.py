"""A criterion along its parameter, exactly: which cut holds on which interval of alpha (methods 7.4).

No grid is involved: a curve of 101 points is a drawing of these steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from reporting.stats.envelope import precision_recall_breakpoints
from reporting.stats.levels import How, Levels, far_levels, frr_levels, levels_of
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
