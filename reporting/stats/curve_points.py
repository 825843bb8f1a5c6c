"""Points of replicate curves: FPR and TPR at cuts of the sweep."""

from __future__ import annotations

from typing import Any

import numpy as np

from reporting.stats.rates import ratio
from reporting.stats.staircase import FloatArray, IntArray


def points(misses: Any, false_alarms: Any, cuts: IntArray | None = None) -> tuple[FloatArray, FloatArray]:
    """FPR and TPR at some cuts, or from (0, 0) to (1, 1) at all of them."""
    at: Any = slice(None, None, -1) if cuts is None else cuts[::-1]
    n_target, n_nontarget = misses[..., -1:], false_alarms[..., :1]
    return ratio(false_alarms[..., at], n_nontarget), ratio(n_target - misses[..., at], n_target)


def stacked_points(misses: Any, false_alarms: Any, cuts: IntArray) -> FloatArray:
    """The points at some cuts as one array: shape (M, 2, T)."""
    return np.stack(points(misses, false_alarms, cuts), axis=1)
