"""Measures over the sweep of all cuts, from counts.

Every function takes misses and false alarms with cuts along the last axis, from accept all to
reject all, and any number of leading axes (bootstrap replicates). An empty class gives NaN.
Cuts inside straight runs may be left out; results do not change (methods, truth-state runs).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from reporting.stats.rates import ratio
from reporting.stats.staircase import BoolArray, FloatArray, IntArray


def auc(misses: Any, false_alarms: Any) -> FloatArray:
    """AUC = [#(target above non-target) + half the ties] / (N1 N0), in [0, 1], higher is better.

    Computed as 1 - area under (FAR, FRR) with an integer numerator; methods 3.3.
    """
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    pairs = 2 * misses[..., -1].astype(np.int64) * false_alarms[..., 0]
    fall = (false_alarms[..., :-1] - false_alarms[..., 1:]).astype(np.int64)
    twice_area = (fall * (misses[..., :-1] + misses[..., 1:])).sum(axis=-1)
    return ratio(pairs - twice_area, pairs)


def eer_interp(misses: Any, false_alarms: Any) -> FloatArray:
    """Equal error rate on the staircase polyline, in [0, 1], lower is better; methods 4.3."""
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    rows = _Rows(misses.reshape(-1, misses.shape[-1]), false_alarms.reshape(-1, misses.shape[-1]))
    after = rows.first_past_crossing()
    return rows.crossing(np.maximum(after - 1, 0), after).reshape(misses.shape[:-1])


NEAR, FARTHER = 512, 16
"""Cuts on either side of the crossing that are searched first, and the factor by which the search widens."""


def eer_rocch(misses: Any, false_alarms: Any) -> FloatArray:
    """Equal error rate on the convex hull, in [0, 1/2], lower is better; methods 4.3.

    Equals max over priors of the minimum Bayes error. The hull edge that crosses FAR = FRR is found
    by tightening the edge between one cut on either side of the crossing: the cut farthest below the
    edge replaces the end on its own side, until none is below. No hull is built; cuts near the
    crossing are searched first, so that a pass over all cuts mostly confirms the edge.
    """
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    rows = _Rows(misses.reshape(-1, misses.shape[-1]), false_alarms.reshape(-1, misses.shape[-1]))
    middle, last = rows.first_past_crossing(), misses.shape[-1] - 1
    before, after = np.maximum(middle - 1, 0), middle
    reach = 0
    while reach < last:
        reach = reach * FARTHER or NEAR
        within = np.maximum(middle - reach, 0), np.minimum(middle + reach, last)
        before, after = rows.tightened(before, after, within)
    return rows.crossing(before, after).reshape(misses.shape[:-1])


class _Rows:
    """Misses and false alarms of R replicates (shape (R, K)), and lines between their cuts."""

    def __init__(self, misses: Any, false_alarms: Any) -> None:
        self.misses, self.false_alarms = misses, false_alarms
        self.n_target, self.n_nontarget = misses[:, -1], false_alarms[:, 0]
        self.defined = (self.n_target > 0) & (self.n_nontarget > 0)

    def far(self, cut: IntArray, rows: Any = slice(None)) -> FloatArray:
        """FAR at one cut a row."""
        return ratio(self._at(self.false_alarms, cut, rows), self.n_nontarget[rows])

    def frr(self, cut: IntArray, rows: Any = slice(None)) -> FloatArray:
        """FRR at one cut a row."""
        return ratio(self._at(self.misses, cut, rows), self.n_target[rows])

    def _at(self, counts: Any, cut: IntArray, rows: Any) -> Any:
        return counts[np.arange(len(counts))[rows], cut]

    def first_past_crossing(self) -> IntArray:
        """The first cut with FAR < FRR, by bisection: FAR falls and FRR rises along a row."""
        low = np.zeros(len(self.misses), dtype=np.int64)
        high = np.full(len(self.misses), self.misses.shape[1] - 1)
        while (low < high).any():
            middle = (low + high) // 2
            past = self.far(middle) < self.frr(middle)
            high = np.where(past, middle, high)
            low = np.where(past, low, np.minimum(middle + 1, high))
        return low

    def tightened(
        self, before: IntArray, after: IntArray, within: tuple[IntArray, IntArray]
    ) -> tuple[IntArray, IntArray]:
        """Return the ends of the hull edge over the cuts of each row's closed range ``within``."""
        before, after = before.copy(), after.copy()
        active = np.flatnonzero(self.defined & (before < after))
        while len(active):
            lowest, better = self._lowest(before[active], after[active], active, within)
            active, target = active[better], lowest[better]
            left = self.far(target, active) >= self.frr(target, active)
            before[active[left]] = target[left]
            after[active[~left]] = target[~left]
        return before, after

    def _lowest(
        self, before: IntArray, after: IntArray, rows: IntArray, within: tuple[IntArray, IntArray]
    ) -> tuple[IntArray, BoolArray]:
        """The cut of each row farthest below the line through two cuts, and whether it is below at all."""
        rise = (self.frr(after, rows) - self.frr(before, rows)) / self.n_nontarget[rows]
        fall = (self.far(before, rows) - self.far(after, rows)) / self.n_target[rows]
        # All ranges are cut to the widest common width; a cut outside its own range is as good.
        width = int((within[1] - within[0])[rows].max()) + 1
        start = np.minimum(within[0][rows], self.misses.shape[1] - width)
        alarms, misses = (_slices(counts, rows, start, width) for counts in (self.false_alarms, self.misses))
        cost = rise[:, None] * alarms
        cost += fall[:, None] * misses
        lowest = np.argmin(cost, axis=1)
        at = np.arange(len(rows))
        line = rise * self._at(self.false_alarms, before, rows) + fall * self._at(self.misses, before, rows)
        return lowest + start, cost[at, lowest] < line - 1e-13 * np.abs(line)

    def crossing(self, before: IntArray, after: IntArray) -> FloatArray:
        """FAR where the segment between two cuts crosses FAR = FRR (methods 4.3)."""
        x1, x2 = self.far(before), self.far(after)
        gap1, gap2 = x1 - self.frr(before), x2 - self.frr(after)
        return ratio(x1 * -gap2 + gap1 * x2, gap1 - gap2)


def _slices(counts: Any, rows: IntArray, start: IntArray, width: int) -> Any:
    """Return ``width`` neighbouring cuts of each row, from its own start."""
    if width == counts.shape[1]:
        return counts if len(rows) == len(counts) else counts[rows]
    return counts[rows[:, None], start[:, None] + np.arange(width)]


def mindcf(
    misses: Any,
    false_alarms: Any,
    p_target: float = 0.5,
    c_miss: float = 1.0,
    c_fa: float = 1.0,
    normalised: bool = True,
    norm: str = "trivial",
) -> FloatArray:
    """min over cuts of C_miss pi FRR + C_FA (1 - pi) FAR, lower is better; methods 4.4.

    ``normalised`` divides by ``cost_unit``; with ``norm=trivial`` the result is then in [0, 1].
    """
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    miss_weight, fa_weight = c_miss * p_target, c_fa * (1 - p_target)
    cost = ratio(fa_weight, false_alarms[..., :1]) * false_alarms
    cost += ratio(miss_weight, misses[..., -1:]) * misses
    return np.asarray(cost.min(axis=-1) / cost_unit(p_target, c_miss, c_fa, normalised, norm))


def cost_unit(p_target: float, c_miss: float, c_fa: float, normalised: bool, norm: str) -> float:
    """Return what a detection cost is divided by; methods 4.4.

    1 where it is not normalised; min(C_miss pi, C_FA (1 - pi)), the cost of deciding without scores, for
    ``norm=trivial``; C_miss pi, the cost of rejecting all, for ``norm=miss`` (NIST from 2012 on).
    """
    if not normalised:
        return 1.0
    miss_weight, fa_weight = c_miss * p_target, c_fa * (1 - p_target)
    return miss_weight if norm == "miss" else min(miss_weight, fa_weight)
