"""Measures over the sweep of all thresholds, from counts.

Every function takes misses and false alarms with thresholds along the last axis, from accept all to
reject all, and any number of leading axes (bootstrap resamples). An empty class gives NaN.
Thresholds inside straight runs may be left out; results do not change (methods 3.2).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray
from reporting.core.stats.choice import TIE_TOLERANCE
from reporting.core.stats.rates import cost_unit, ratio
from reporting.core.stats.solvers import first_where
from reporting.core.stats.special import betainc, ndtr, ndtri
from reporting.core.stats.staircase import hull_cuts


def auc(misses: Any, false_alarms: Any) -> FloatArray:
    """AUC = [#(target above non-target) + half the ties] / (N1 N0), in [0, 1], higher is better.

    Computed as 1 - area under (FAR, FRR) with an integer numerator; methods 3.3.
    """
    misses, false_alarms = _exact(misses, false_alarms)
    pairs = 2 * misses[..., -1] * false_alarms[..., 0]
    fall = false_alarms[..., :-1] - false_alarms[..., 1:]
    twice_area = (fall * (misses[..., :-1] + misses[..., 1:])).sum(axis=-1)
    return ratio(pairs - twice_area, pairs)


def eer_interp(misses: Any, false_alarms: Any) -> FloatArray:
    """Equal error rate on the staircase polyline, in [0, 1], lower is better; methods 4.3."""
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    rows = _Rows(misses.reshape(-1, misses.shape[-1]), false_alarms.reshape(-1, misses.shape[-1]))
    after = rows.first_past_crossing()
    return rows.crossing(np.maximum(after - 1, 0), after).reshape(misses.shape[:-1])


NEAR, FARTHER = 64, 256
"""Thresholds on either side of the crossing that are searched first, and the factor of widening."""
AT_ONCE = 512
"""Thresholds up to which all are searched from the start."""
BELOW = 1e-13
"""By how much of its own cost a threshold must be below an edge."""


def eer_rocch(misses: Any, false_alarms: Any) -> FloatArray:
    """Equal error rate on the convex hull, in [0, 1/2], lower is better; methods 4.3.

    Equals max over priors of the minimum Bayes error. The hull edge that crosses FAR = FRR is found
    by tightening the edge between one threshold on either side of the crossing: the one farthest below
    the edge replaces the end on its own side, until none is below. No hull is built; thresholds near the
    crossing are searched first, so that a pass over all thresholds mostly confirms the edge.
    """
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    rows = _Rows(misses.reshape(-1, misses.shape[-1]), false_alarms.reshape(-1, misses.shape[-1]))
    after, last = rows.first_past_crossing(), misses.shape[-1] - 1
    middle, before, reach = after, np.maximum(after - 1, 0), 0
    while reach < last:
        reach = reach * FARTHER or (NEAR if last > AT_ONCE else AT_ONCE)
        width = min(2 * reach + 1, last + 1)
        start = np.clip(middle - reach, 0, last + 1 - width)
        before, after = rows.tightened(before, after, start, width)
    return rows.crossing(before, after).reshape(misses.shape[:-1])


class _Rows:
    """Misses and false alarms of R resamples (shape (R, K)), and lines between their thresholds."""

    def __init__(self, misses: Any, false_alarms: Any) -> None:
        self.misses, self.false_alarms = misses, false_alarms
        self.n_target, self.n_nontarget = misses[:, -1], false_alarms[:, 0]
        self.defined = (self.n_target > 0) & (self.n_nontarget > 0)

    def far(self, cut: IntArray, rows: Any = slice(None)) -> FloatArray:
        return ratio(self._at(self.false_alarms, cut, rows), self.n_nontarget[rows])

    def frr(self, cut: IntArray, rows: Any = slice(None)) -> FloatArray:
        return ratio(self._at(self.misses, cut, rows), self.n_target[rows])

    def _at(self, counts: Any, cut: IntArray, rows: Any) -> Any:
        return counts[np.arange(len(counts))[rows], cut]

    def first_past_crossing(self) -> IntArray:
        """The first threshold with FAR < FRR, by bisection: FAR falls and FRR rises along a row."""
        last = np.full(len(self.misses), self.misses.shape[1] - 1)
        return first_where(lambda cut: self.far(cut) < self.frr(cut), np.zeros_like(last), last)

    def tightened(
        self, before: IntArray, after: IntArray, start: IntArray, width: int
    ) -> tuple[IntArray, IntArray]:
        """Return the ends of the hull edge over ``width`` thresholds of each row, from its own start."""
        before, after = before.copy(), after.copy()
        active = np.flatnonzero(self.defined & (before < after))
        while len(active):
            lowest, better = self._lowest(before[active], after[active], active, start[active], width)
            active, target = active[better], lowest[better]
            left = self.far(target, active) >= self.frr(target, active)
            before[active[left]] = target[left]
            after[active[~left]] = target[~left]
        return before, after

    def _lowest(
        self, before: IntArray, after: IntArray, rows: IntArray, start: IntArray, width: int
    ) -> tuple[IntArray, BoolArray]:
        """The threshold of each row farthest below the line through two, and whether it is below at all."""
        rise = (self.frr(after, rows) - self.frr(before, rows)) / self.n_nontarget[rows]
        fall = (self.far(before, rows) - self.far(after, rows)) / self.n_target[rows]
        alarms, misses = (_slices(counts, rows, start, width) for counts in (self.false_alarms, self.misses))
        cost = rise[:, None] * alarms
        cost += fall[:, None] * misses
        lowest = np.argmin(cost, axis=1)
        at = np.arange(len(rows))
        line = rise * self._at(self.false_alarms, before, rows) + fall * self._at(self.misses, before, rows)
        return lowest + start, cost[at, lowest] < line - BELOW * np.abs(line)

    def crossing(self, before: IntArray, after: IntArray) -> FloatArray:
        """FAR where the segment between two thresholds crosses FAR = FRR (methods 4.3)."""
        x1, x2 = self.far(before), self.far(after)
        gap1, gap2 = x1 - self.frr(before), x2 - self.frr(after)
        return ratio(x1 * -gap2 + gap1 * x2, gap1 - gap2)


def _slices(counts: Any, rows: IntArray, start: IntArray, width: int) -> Any:
    """Return ``width`` neighbouring thresholds of each row, from its own start."""
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
    """min over thresholds of C_miss pi FRR + C_FA (1 - pi) FAR, lower is better; methods 4.4.

    ``normalised`` divides by ``cost_unit``; with ``norm=trivial`` the result is then in [0, 1].
    """
    least = least_cost(misses, false_alarms, c_fa * (1 - p_target), c_miss * p_target)
    return np.asarray(least / cost_unit(p_target, c_miss, c_fa, normalised, norm))


def least_cost(misses: Any, false_alarms: Any, w_far: float, w_frr: float) -> FloatArray:
    """Return the minimum of w_far FAR + w_frr FRR over all thresholds."""
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    cost = ratio(w_far, false_alarms[..., :1]) * false_alarms
    cost += ratio(w_frr, misses[..., -1:]) * misses
    return np.asarray(cost.min(axis=-1))


Reader = Callable[[Any, Any], FloatArray]
"""What reads a measure off misses and false alarms at all thresholds, with any leading axes.

``..._held`` and ``held_at_best`` return one that makes no choice: threshold, hull or map of the counts given
are held. Read off resamples, it has the spread of the measure without the optimism of choosing anew.
"""


def held_at_best(
    formula: Callable[..., FloatArray], sign: int, misses: Any, false_alarms: Any, **parameters: Any
) -> Reader:
    """Return what reads a measure at the threshold where it is best: highest with sign 1, lowest with -1.

    ``formula`` takes misses, false alarms, targets and non-targets, and parameters.
    """
    values = formula(misses, false_alarms, misses[-1], false_alarms[0], **parameters)
    return partial(_at_cut, formula, parameters, int(np.nanargmax(sign * values)))


def _at_cut(
    formula: Callable[..., FloatArray], parameters: Any, cut: int, misses: Any, false_alarms: Any
) -> FloatArray:
    at = misses[..., cut], false_alarms[..., cut], misses[..., -1], false_alarms[..., 0]
    return np.asarray(formula(*at, **parameters))


LARGEST_INTEGER = 2**63 - 1


def error_area(misses: Any, false_alarms: Any) -> FloatArray:
    """1 - AUC = P(target score < non-target score) + P(equal) / 2, in [0, 1], lower is better; methods 3.3.

    Counted as the AUC of the other class, with an integer numerator: no digits are lost near 0.
    """
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    return auc(false_alarms[..., :1] - false_alarms, misses[..., -1:] - misses)


def gini(misses: Any, false_alarms: Any) -> FloatArray:
    """Gini coefficient 2 AUC - 1 (Somers' D), in [-1, 1], higher is better."""
    return np.asarray(2 * auc(misses, false_alarms) - 1)


def pauc(
    misses: Any, false_alarms: Any, far_min: float = 0.0, far_max: float = 1.0, mcclish: bool = False
) -> FloatArray:
    """Partial AUC: the integral of TPR over FAR in [far_min, far_max] on the line through all thresholds.

    In [0, far_max - far_min], higher is better. ``mcclish`` rescales it so that chance is 1/2 and the
    best is 1; below chance on the range it is under 1/2 and has no lower bound of its own. NaN unless
    far_min < far_max. Methods 3.5; McClish 1989.
    """
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    if not far_min < far_max:
        return np.full(misses.shape[:-1], np.nan)
    n_target, n_nontarget = (n.astype(np.float64) for n in (misses[..., -1], false_alarms[..., 0]))
    low, high = far_min * n_nontarget, far_max * n_nontarget
    kept = (high - low) * n_target - _area_of_misses(misses, false_alarms, low, high)
    area = ratio(kept, n_target * n_nontarget)
    chance, best = (far_max**2 - far_min**2) / 2, far_max - far_min
    return mcclish_area(area, chance, best) if mcclish else area


def _area_of_misses(misses: Any, false_alarms: Any, low: FloatArray, high: FloatArray) -> FloatArray:
    """Area under the misses over a range of false alarms; whole segments add half counts, exactly."""
    false_alarms = false_alarms.astype(np.float64)
    right, left = false_alarms[..., :-1], false_alarms[..., 1:]
    stop = np.clip(right, low[..., None], high[..., None])
    start = np.clip(left, low[..., None], high[..., None])
    along = 2 * right - start - stop
    width = 2 * (right - left)
    np.divide(along, width, out=along, where=width > 0)  # share of the segment up to the middle of its part
    along *= misses[..., 1:] - misses[..., :-1]
    along += misses[..., :-1]
    along *= stop - start
    return np.asarray(along.sum(axis=-1))


def mcclish_area(area: Any, chance: Any, best: Any) -> FloatArray:
    """Return a partial area rescaled so that chance is 1/2 and the best 1; NaN where the range is empty."""
    room = np.where(np.asarray(best) > chance, np.asarray(best) - chance, np.nan)
    return np.asarray((1 + (area - chance) / room) / 2)


def pauc_tpr(
    misses: Any, false_alarms: Any, tpr_min: float = 0.0, tpr_max: float = 1.0, mcclish: bool = False
) -> FloatArray:
    """Partial AUC over a range of sensitivities: the integral of 1 - FAR over TPR in [tpr_min, tpr_max].

    In [0, tpr_max - tpr_min], higher is better: ``pauc`` with the classes swapped. Methods 3.5.
    """
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    return pauc(false_alarms[..., ::-1], misses[..., ::-1], 1 - tpr_max, 1 - tpr_min, mcclish)


def auch(misses: Any, false_alarms: Any) -> FloatArray:
    """Area under the convex hull of the ROC curve, in [1/2, 1], higher is better; never below the AUC.

    Source: Provost, Fawcett 2001, doi:10.1023/A:1007601015854.
    """
    return by_row(lambda m, a: float(auc(*hull_points(m, a))), misses, false_alarms)


def auch_held(misses: IntArray, false_alarms: IntArray) -> Reader:
    """Return what reads the area under the polyline through the vertices of this hull."""
    return partial(_area_through, _vertices(misses, false_alarms))


def _area_through(vertices: IntArray, misses: Any, false_alarms: Any) -> FloatArray:
    return auc(np.asarray(misses)[..., vertices], np.asarray(false_alarms)[..., vertices])


def by_row(formula: Callable[[IntArray, IntArray], float], misses: Any, false_alarms: Any) -> FloatArray:
    """Apply a formula of one row of thresholds to every row with both classes; NaN for the others."""
    misses, false_alarms = (np.asarray(counts).astype(np.int64) for counts in (misses, false_alarms))
    cuts = misses.shape[-1]
    rows = zip(misses.reshape(-1, cuts), false_alarms.reshape(-1, cuts), strict=True)
    values = [formula(m, a) if m[-1] > 0 and a[0] > 0 else np.nan for m, a in rows]
    return np.asarray(values, dtype=np.float64).reshape(misses.shape[:-1])


def hull_points(misses: IntArray, false_alarms: IntArray) -> tuple[IntArray, IntArray]:
    """Return misses and false alarms at the vertices of the lower-left hull of one row of thresholds."""
    vertices = _vertices(misses, false_alarms)
    return misses[vertices], false_alarms[vertices]


def _vertices(misses: IntArray, false_alarms: IntArray) -> IntArray:
    n_target, n_nontarget = np.diff(misses), -np.diff(false_alarms)
    there = np.flatnonzero(n_target + n_nontarget)
    return np.append(0, there + 1)[hull_cuts(n_target[there], n_nontarget[there])]


def eer_discrete(misses: Any, false_alarms: Any) -> FloatArray:
    """Equal error rate at a threshold: (FAR + FRR) / 2 where |FAR - FRR| is smallest, lower is better.

    In [0, 1]. Ties take the smallest FAR + FRR. Compared as integers, exactly; methods 4.3.
    """
    fa_part, miss_part, pairs = _crossed(misses, false_alarms)
    gap, total = abs(fa_part - miss_part), fa_part + miss_part
    best = gap == gap.min(axis=-1, keepdims=True)
    return ratio(np.where(best, total, 2 * pairs).min(axis=-1), 2 * pairs[..., 0])


def ks(misses: Any, false_alarms: Any) -> FloatArray:
    """Kolmogorov-Smirnov distance max (TPR - FAR), in [0, 1], higher is better; methods 5.1.

    The largest Youden index of all thresholds; an integer numerator.
    """
    fa_part, miss_part, pairs = _crossed(misses, false_alarms)
    return ratio((pairs - fa_part - miss_part).max(axis=-1), pairs[..., 0])


def _crossed(misses: Any, false_alarms: Any) -> tuple[Any, Any, Any]:
    """FAR and FRR as integers over the same whole: FP N1 and FN N0 of N1 N0 (last axis of length 1)."""
    misses, false_alarms = _exact(misses, false_alarms)
    n_target, n_nontarget = misses[..., -1:], false_alarms[..., :1]
    return false_alarms * n_target, misses * n_nontarget, n_target * n_nontarget


def _exact(misses: Any, false_alarms: Any) -> tuple[Any, Any]:
    """Counts as integers that hold twice N1 N0: Python's own beyond a billion trials a class."""
    misses, false_alarms = (np.asarray(counts, dtype=np.int64) for counts in (misses, false_alarms))
    largest = 2 * int(misses[..., -1].max(initial=0)) * int(false_alarms[..., 0].max(initial=0))
    if largest > LARGEST_INTEGER:
        return misses.astype(object), false_alarms.astype(object)
    return misses, false_alarms


def min_corner(misses: Any, false_alarms: Any) -> FloatArray:
    """Distance of the threshold closest to (FAR, FRR) = (0, 0), in [0, 1], lower is better; methods 5.1.

    It has no reading as a cost.
    """
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    far, frr = ratio(false_alarms, false_alarms[..., :1]), ratio(misses, misses[..., -1:])
    return np.asarray(np.hypot(far, frr).min(axis=-1))


def dprime(misses: Any, false_alarms: Any) -> FloatArray:
    """Equal-variance d' = -2 probit(EER) of the EER on the convex hull, at least 0, higher is better.

    Undefined where the EER is 0: d' would be infinite. Methods 3.4.
    """
    return dprime_of_eer(eer_rocch(misses, false_alarms))


def dprime_of_eer(eer: Any) -> FloatArray:
    """d' = -2 probit(EER) of two normal classes; NaN where the EER is 0."""
    return np.asarray(np.where(np.asarray(eer) > 0, 0.0 - 2 * ndtri(eer), np.nan))


def eer_of_dprime(dprime: Any) -> FloatArray:
    """EER = Phi(-d' / 2); 0 where d' is NaN: it was infinite."""
    return np.asarray(np.where(np.isnan(dprime), 0.0, ndtr(-np.asarray(dprime) / 2)))


def det_slope(score: Any, n_target: Any, n_nontarget: Any) -> FloatArray:
    """Steepness of the DET line of two normal classes: sd of the non-targets over sd of the targets.

    ``score`` has shape (H,), the counts (..., H). At least 0; the line itself falls. Undefined where a class
    is empty, where the targets do not vary, and where a trial has an infinite score. Methods 3.4;
    methods, erratum E25.
    """
    score = np.asarray(score, dtype=np.float64)
    finite = np.isfinite(score)
    largest = np.abs(score[finite]).max(initial=0.0) or 1.0
    unit = np.where(finite, score, 0.0) / largest
    spreads = (_spread(unit, finite, np.asarray(counts)) for counts in (n_nontarget, n_target))
    return ratio(*spreads)


def _spread(score: FloatArray, finite: Any, counts: Any) -> FloatArray:
    """Standard deviation (ddof 0) of scores with counts; NaN where a trial's score is not finite."""
    size = counts.sum(axis=-1)
    mean = ratio((score * counts).sum(axis=-1), size)
    variance = ratio(((score - mean[..., None]) ** 2 * counts).sum(axis=-1), size)
    constant = ((counts > 0) & finite).sum(axis=-1) == 1
    inside = (counts * ~finite).sum(axis=-1) == 0
    return np.asarray(np.where(inside, np.where(constant, 0.0, np.sqrt(variance)), np.nan))


def h_measure(misses: Any, false_alarms: Any, severity_ratio: float | str = "sample") -> FloatArray:
    """H = 1 - (expected minimum loss) / (that of the best constant decision), in [0, 1], higher is better.

    The loss at cost c is c FP + (1 - c) FN at the best threshold, and c follows a beta distribution: with a
    severity ratio r (cost of a false alarm over cost of a miss) Beta(2, 1 + 1/r), whose mode is
    r / (1 + r). ``sample`` is r = N1 / N0; ``hand2014`` is Beta(1 + N1/N, 1 + N0/N), with the same mode.
    Exact: between two edges of the hull one vertex is best, and its loss is an incomplete beta integral.
    Thresholds along the last axis; an empty class gives NaN. Sources: Hand 2009,
    doi:10.1007/s10994-009-5119-5; Hand, Anagnostopoulos 2014, doi:10.1016/j.patrec.2013.12.011.
    """
    return by_row(lambda m, a: float(h_held(m, a, severity_ratio)(m, a)), misses, false_alarms)


def h_held(misses: IntArray, false_alarms: IntArray, severity_ratio: float | str = "sample") -> Reader:
    """Return what reads H with the vertex of this hull that is best for each cost, and this beta law."""
    vertices = _vertices(misses, false_alarms)
    shape = _beta_shape(int(misses[-1]), int(false_alarms[0]), severity_ratio)
    won, lost = np.diff(misses[vertices]), -np.diff(false_alarms[vertices])
    edges = np.asarray(won / (won + lost))  # costs at which the next vertex becomes the best
    return partial(_h_through, vertices, *_loss_weights(edges, shape), shape)


def _h_through(
    vertices: IntArray,
    fa_weight: FloatArray,
    miss_weight: FloatArray,
    shape: tuple[float, float],
    misses: Any,
    false_alarms: Any,
) -> FloatArray:
    loss = (false_alarms[..., vertices] * fa_weight + misses[..., vertices] * miss_weight).sum(axis=-1)
    n_target, n_nontarget = misses[..., -1], false_alarms[..., 0]
    share = np.asarray(ratio(n_target, n_target + n_nontarget))[..., None]
    of_fa, of_miss = _loss_weights(share, shape)
    return np.asarray(1 - loss / (n_nontarget * of_fa[..., 0] + n_target * of_miss[..., 1]))


def _beta_shape(n_target: int, n_nontarget: int, severity_ratio: float | str) -> tuple[float, float]:
    if severity_ratio == "hand2014":
        return 1 + n_target / (n_target + n_nontarget), 1 + n_nontarget / (n_target + n_nontarget)
    odds = n_target / n_nontarget if severity_ratio == "sample" else float(severity_ratio)
    return 2.0, 1 + 1 / odds


def _loss_weights(edges: FloatArray, shape: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
    """E[c] and E[1 - c] over the costs between neighbouring edges (..., E), from 0 and to 1: (..., E + 1)."""
    first, second = shape
    ends = np.concatenate((np.zeros_like(edges[..., :1]), edges, np.ones_like(edges[..., :1])), axis=-1)
    fa_weight = np.diff(betainc(first + 1, second, ends)) * first / (first + second)
    miss_weight = np.diff(betainc(first, second + 1, ends)) * second / (first + second)
    return fa_weight, miss_weight


def frr_at_far(misses: Any, false_alarms: Any, far: float = 0.01, how: str = "at_most") -> FloatArray:
    """FRR at a fixed FAR, in [0, 1], lower is better; methods 5.2."""
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    frr, tar = ratio(misses, misses[..., -1:]), -ratio(false_alarms, false_alarms[..., :1])
    return read_at(tar, frr, -far, how)


def far_at_frr(misses: Any, false_alarms: Any, frr: float = 0.01, how: str = "at_most") -> FloatArray:
    """FAR at a fixed FRR, in [0, 1], lower is better: ``frr_at_far`` with the classes swapped."""
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    return frr_at_far(false_alarms[..., ::-1], misses[..., ::-1], far=frr, how=how)


def sensitivity_at(
    misses: Any, false_alarms: Any, specificity: float = 0.9, how: str = "at_most"
) -> FloatArray:
    """Sensitivity (TPR) at a fixed specificity, in [0, 1], higher is better; methods 5.1.

    ``at_most`` reads at the lowest specificity that is not below the bound. The bound is compared with the
    specificity itself: 1 - 0.9 is not 0.1 in floats.
    """
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    n_target, n_nontarget = misses[..., -1:], false_alarms[..., :1]
    given = ratio(n_nontarget - false_alarms, n_nontarget)
    return read_at(given, ratio(n_target - misses, n_target), specificity, how)


def specificity_at(
    misses: Any, false_alarms: Any, sensitivity: float = 0.9, how: str = "at_most"
) -> FloatArray:
    """Specificity (TNR) at a fixed sensitivity, in [0, 1], higher is better: the above, classes swapped."""
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    return sensitivity_at(false_alarms[..., ::-1], misses[..., ::-1], specificity=sensitivity, how=how)


def read_at(given: FloatArray, wanted: FloatArray, at: Any, how: str) -> FloatArray:
    """Return ``wanted`` where ``given``, which rises along the last axis, reaches ``at``.

    Along that axis ``wanted`` gets worse: of all places with one value of ``given`` the first is taken.
    ``at`` is one number, or one for every row; it must not lie above the last ``given``. A row of NaN
    in ``given`` gives NaN.
    """
    at = np.asarray(at, dtype=np.float64)[..., None]
    place = np.minimum((given < at).sum(axis=-1, keepdims=True), given.shape[-1] - 1)
    short = np.maximum(place - 1, 0)
    over, under = _pick(given, place) - at, at - _pick(given, short)
    if how == "nearest":
        closer = (place > 0) & (under < over - TIE_TOLERANCE)
        first = (given < _pick(given, short)).sum(axis=-1, keepdims=True)
        place = np.where(closer, np.minimum(first, short), place)
    value = _pick(wanted, place)
    if how == "interp":
        back = np.where(place > 0, ratio(over, over + under), 0.0)
        value = value + (_pick(wanted, short) - value) * back
    return np.asarray(np.where(np.isnan(given[..., :1]), np.nan, value)[..., 0])


def _pick(values: FloatArray, place: Any) -> Any:
    return np.take_along_axis(values, place, axis=-1)
