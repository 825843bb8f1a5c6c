"""Areas and equal errors over the sweep of all cuts, and the slope of the DET curve.

Every function over cuts takes misses and false alarms with cuts along the last axis, from accept all to
reject all, and any number of leading axes (bootstrap replicates). An empty class gives NaN. Cuts may
repeat (scores without weight in a replicate).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import ndtri

from reporting.stats import sweep
from reporting.stats.hull import hull_cuts
from reporting.stats.rates import ratio
from reporting.stats.staircase import FloatArray, IntArray

LARGEST_INTEGER = 2**63 - 1


def error_area(misses: Any, false_alarms: Any) -> FloatArray:
    """1 - AUC = P(target score < non-target score) + P(equal) / 2, in [0, 1], lower is better; methods 3.3.

    Counted as the AUC of the other class, with an integer numerator: no digits are lost near 0.
    """
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    return sweep.auc(false_alarms[..., :1] - false_alarms, misses[..., -1:] - misses)


def gini(misses: Any, false_alarms: Any) -> FloatArray:
    """Gini coefficient 2 AUC - 1 (Somers' D), in [-1, 1], higher is better."""
    return np.asarray(2 * sweep.auc(misses, false_alarms) - 1)


def pauc(
    misses: Any, false_alarms: Any, far_min: float = 0.0, far_max: float = 1.0, mcclish: bool = False
) -> FloatArray:
    """Partial AUC: the integral of TPR over FAR in [far_min, far_max] on the line through all cuts.

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
    return by_row(lambda m, a: float(sweep.auc(*hull_points(m, a))), misses, false_alarms)


def by_row(formula: Callable[[IntArray, IntArray], float], misses: Any, false_alarms: Any) -> FloatArray:
    """Apply a formula of one row of cuts to every row with both classes; NaN for the others."""
    misses, false_alarms = (np.asarray(counts).astype(np.int64) for counts in (misses, false_alarms))
    cuts = misses.shape[-1]
    rows = zip(misses.reshape(-1, cuts), false_alarms.reshape(-1, cuts), strict=True)
    values = [formula(m, a) if m[-1] > 0 and a[0] > 0 else np.nan for m, a in rows]
    return np.asarray(values, dtype=np.float64).reshape(misses.shape[:-1])


def hull_points(misses: IntArray, false_alarms: IntArray) -> tuple[IntArray, IntArray]:
    """Return misses and false alarms at the vertices of the lower-left hull of one row of cuts."""
    n_target, n_nontarget = np.diff(misses), -np.diff(false_alarms)
    there = np.flatnonzero(n_target + n_nontarget)
    vertex = np.append(0, there + 1)[hull_cuts(n_target[there], n_nontarget[there])]
    return misses[vertex], false_alarms[vertex]


def eer_discrete(misses: Any, false_alarms: Any) -> FloatArray:
    """Equal error rate at a cut: (FAR + FRR) / 2 where |FAR - FRR| is smallest, lower is better.

    In [0, 1]. Ties take the smallest FAR + FRR. Compared as integers, exactly; methods 4.3.
    """
    fa_part, miss_part, pairs = _crossed(misses, false_alarms)
    gap, total = abs(fa_part - miss_part), fa_part + miss_part
    best = gap == gap.min(axis=-1, keepdims=True)
    return ratio(np.where(best, total, 2 * pairs).min(axis=-1), 2 * pairs[..., 0])


def ks(misses: Any, false_alarms: Any) -> FloatArray:
    """Kolmogorov-Smirnov distance max (TPR - FAR), in [0, 1], higher is better; methods 5.1.

    The largest Youden index of all cuts; an integer numerator.
    """
    fa_part, miss_part, pairs = _crossed(misses, false_alarms)
    return ratio((pairs - fa_part - miss_part).max(axis=-1), pairs[..., 0])


def _crossed(misses: Any, false_alarms: Any) -> tuple[Any, Any, Any]:
    """FAR and FRR as integers over the same whole: FP N1 and FN N0 of N1 N0 (last axis of length 1)."""
    misses, false_alarms = (np.asarray(counts).astype(np.int64) for counts in (misses, false_alarms))
    n_target, n_nontarget = misses[..., -1:], false_alarms[..., :1]
    largest = 2 * int(n_target.max(initial=0)) * int(n_nontarget.max(initial=0))
    if largest > LARGEST_INTEGER:  # beyond a billion trials a class: Python's own integers
        misses, false_alarms = misses.astype(object), false_alarms.astype(object)
        n_target, n_nontarget = n_target.astype(object), n_nontarget.astype(object)
    return false_alarms * n_target, misses * n_nontarget, n_target * n_nontarget


def min_corner(misses: Any, false_alarms: Any) -> FloatArray:
    """Distance of the cut closest to (FAR, FRR) = (0, 0), in [0, 1], lower is better; methods 5.1.

    It has no reading as a cost.
    """
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    far, frr = ratio(false_alarms, false_alarms[..., :1]), ratio(misses, misses[..., -1:])
    return np.asarray(np.hypot(far, frr).min(axis=-1))


def dprime(misses: Any, false_alarms: Any) -> FloatArray:
    """Equal-variance d' = -2 probit(EER) of the EER on the convex hull, at least 0, higher is better.

    Undefined where the EER is 0: d' would be infinite. Methods 3.4.
    """
    eer = sweep.eer_rocch(misses, false_alarms)
    return np.asarray(np.where(eer > 0, 0.0 - 2 * ndtri(eer), np.nan))


def det_slope(score: Any, n_target: Any, n_nontarget: Any) -> FloatArray:
    """Steepness of the DET line of two normal classes: sd of the non-targets over sd of the targets.

    ``score`` has shape (H,), the counts (..., H). At least 0; the line itself falls. Undefined where a class
    is empty, where the targets do not vary, and where a trial has an infinite score. Methods 3.4 and E25.
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
