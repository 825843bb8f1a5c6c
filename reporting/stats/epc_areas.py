"""Areas under Expected Performance Curves, exactly and without a grid of alphas (methods 7.5, 7.7).

A curve is given by the steps of its criterion on dev and by the measure on test at each step's cut: what
the step's threshold, carried over to test, does there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from reporting.stats.staircase import FloatArray
from reporting.stats.steps import Steps


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
