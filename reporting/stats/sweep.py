"""Measures over the sweep of all cuts, from counts.

Every function takes misses and false alarms with cuts along the last axis, from accept all to
reject all, and any number of leading axes (bootstrap replicates). An empty class gives NaN.
Cuts inside straight runs may be left out; results do not change (methods, truth-state runs).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from reporting.stats.rates import ratio
from reporting.stats.staircase import FloatArray


def auc(misses: Any, false_alarms: Any) -> FloatArray:
    """AUC = [#(target above non-target) + half the ties] / (N1 N0), in [0, 1], higher is better.

    Computed as 1 - area under (FAR, FRR) with an integer numerator; methods 3.3.
    """
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    pairs = 2 * misses[..., -1] * false_alarms[..., 0]
    fall = false_alarms[..., :-1] - false_alarms[..., 1:]
    twice_area = (fall * (misses[..., :-1] + misses[..., 1:])).sum(axis=-1)
    return ratio(pairs - twice_area, pairs)


def _far_frr(misses: Any, false_alarms: Any) -> tuple[FloatArray, FloatArray]:
    return ratio(false_alarms, false_alarms[..., :1]), ratio(misses, misses[..., -1:])


def _crossing(far: FloatArray, frr: FloatArray, before: Any, after: Any) -> FloatArray:
    """FAR where the segment between two points crosses FAR = FRR (methods 4.3)."""
    x1, x2 = (np.take_along_axis(far, i[..., None], -1)[..., 0] for i in (before, after))
    y1, y2 = (np.take_along_axis(frr, i[..., None], -1)[..., 0] for i in (before, after))
    gap1, gap2 = x1 - y1, x2 - y2
    return ratio(x1 * -gap2 + gap1 * x2, gap1 - gap2)


def eer_interp(misses: Any, false_alarms: Any) -> FloatArray:
    """Equal error rate on the staircase polyline, in [0, 1], lower is better; methods 4.3."""
    far, frr = _far_frr(np.asarray(misses), np.asarray(false_alarms))
    after = np.argmax(far < frr, axis=-1)
    return _crossing(far, frr, np.maximum(after - 1, 0), after)


def eer_rocch(misses: Any, false_alarms: Any) -> FloatArray:
    """Equal error rate on the convex hull, in [0, 1/2], lower is better; methods 4.3.

    Equals max over priors of the minimum Bayes error. The hull edge that crosses FAR = FRR is found
    by tightening the edge between one cut on either side of the crossing: the cut farthest below the
    edge replaces the end on its own side, until none is below. No hull is built, so a whole block of
    replicates costs a few passes.
    """
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    lead = misses.shape[:-1]
    far, frr = _far_frr(misses.reshape(-1, misses.shape[-1]), false_alarms.reshape(-1, misses.shape[-1]))
    before = np.zeros(len(far), dtype=np.int64)
    after = np.full(len(far), far.shape[1] - 1)
    active = np.flatnonzero(~np.isnan(far[:, 0]) & ~np.isnan(frr[:, 0]))
    while len(active):
        start, stop = int(before[active].min()), int(after[active].max()) + 1
        x, y = far[active, start:stop], frr[active, start:stop]
        ends = np.stack([before[active], after[active]]) - start
        rows = np.arange(len(active))
        (x1, x2), (y1, y2) = x[rows, ends], y[rows, ends]
        cost = (y2 - y1)[:, None] * x + (x1 - x2)[:, None] * y
        lowest = np.argmin(cost, axis=1)
        on_edge = cost[rows, ends[0]]
        better = cost[rows, lowest] < on_edge - 1e-13 * np.abs(on_edge)
        moved, target = active[better], lowest[better] + start
        left = far[moved, target] >= frr[moved, target]
        before[moved[left]] = target[left]
        after[moved[~left]] = target[~left]
        active = moved
    return _crossing(far, frr, before, after).reshape(lead)


def mindcf(
    misses: Any,
    false_alarms: Any,
    p_target: float = 0.5,
    c_miss: float = 1.0,
    c_fa: float = 1.0,
    normalised: bool = True,
) -> FloatArray:
    """min over cuts of C_miss pi FRR + C_FA (1 - pi) FAR, lower is better; methods 4.4.

    ``normalised`` divides by min(C_miss pi, C_FA (1 - pi)), the cost of deciding without scores;
    the result is then in [0, 1].
    """
    far, frr = _far_frr(np.asarray(misses), np.asarray(false_alarms))
    miss_weight, fa_weight = c_miss * p_target, c_fa * (1 - p_target)
    lowest = (fa_weight * far + miss_weight * frr).min(axis=-1)
    return np.asarray(lowest / min(miss_weight, fa_weight) if normalised else lowest)
