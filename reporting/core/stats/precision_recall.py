"""Precision and recall over the sweep of all thresholds: average precision under its four names, and its kin.

Every function takes misses and false alarms with thresholds along the last axis, from accept all to reject
all, and any number of leading axes (bootstrap resamples). An empty class gives NaN. Thresholds may repeat
(scores without weight in a resample).

Where ``prevalence`` is a number pi, precision is pi TPR / (pi TPR + (1 - pi) FAR) instead of the sample's
own: false alarms are counted in units of the mass of a target. Methods 6.1 to 6.4.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.core.stats.rates import ratio
from reporting.core.stats.sweep import read_at

Prevalence = float | str


def ap_step(misses: Any, false_alarms: Any, prevalence: Prevalence = "sample") -> FloatArray:
    """Average precision: the sum of precision times the gain in recall over all thresholds, in [0, 1].

    Higher is better. The definition of scikit-learn; methods 6.4.
    """
    tp, fp = _masses(misses, false_alarms, prevalence)
    gained, accepted = tp[..., :-1] - tp[..., 1:], (tp + fp)[..., :-1]
    return _over_targets(_divided(gained * tp[..., :-1], accepted), tp)


def ap_trapezoid(misses: Any, false_alarms: Any, prevalence: Prevalence = "sample") -> FloatArray:
    """Area under straight lines between the points (recall, precision), from (0, 1), in [0, 1].

    Higher is better. Precision does not run straight between two points: too high over tied groups and at
    its first point, too low where targets follow on non-targets. Offered for comparison. Methods 6.4.
    """
    tp, fp = _masses(misses, false_alarms, prevalence)
    accepted = tp + fp
    precision = _divided(tp, accepted)
    precision[accepted == 0] = 1.0
    gained = tp[..., :-1] - tp[..., 1:]
    return _over_targets(gained * (precision[..., :-1] + precision[..., 1:]) / 2, tp)


def ap_dg(misses: Any, false_alarms: Any, prevalence: Prevalence = "sample") -> FloatArray:
    """Area under the continuous precision-recall curve, in [0, 1], higher is better.

    Between two thresholds false alarms grow in proportion to the targets won, so that tied trials come in
    random order; constant scores give the prevalence. Methods 6.4; Davis, Goadrich 2006.
    """
    tp, fp = _masses(misses, false_alarms, prevalence)
    accepted = tp + fp
    gained, added = tp[..., :-1] - tp[..., 1:], accepted[..., :-1] - accepted[..., 1:]
    before, start = tp[..., 1:], accepted[..., 1:]
    bend = _divided(before * added - start * gained, added)
    bend *= np.log1p(_divided(added, start))
    bend += gained
    bend *= _divided(gained, added)
    return _over_targets(bend, tp)


ELEVEN = 11


def ap_11pt(misses: Any, false_alarms: Any, prevalence: Prevalence = "sample") -> FloatArray:
    """Mean over recalls 0, 0.1, ..., 1 of the best precision at that recall or more, in [0, 1].

    Higher is better. Recalls are compared as integers; methods 6.3.
    """
    tp, fp = _masses(misses, false_alarms, prevalence)
    best = np.maximum.accumulate(_divided(tp, tp + fp), axis=-1)
    total = np.zeros(tp.shape[:-1])
    for tenth in range(ELEVEN):
        last = (10 * tp >= tenth * tp[..., :1]).sum(axis=-1, keepdims=True) - 1
        total += np.take_along_axis(best, last, axis=-1)[..., 0]
    return np.asarray(total / ELEVEN)


def break_even(misses: Any, false_alarms: Any, prevalence: Prevalence = "sample") -> FloatArray:
    """Precision where it equals recall: where as much is accepted as there are targets, in [0, 1].

    Higher is better; R-precision. Inside a group of tied scores the continuous curve is read. Methods 6.2.
    """
    tp, fp = _masses(misses, false_alarms, prevalence)
    return ratio(read_at(-(tp + fp), tp, -tp[..., 0], "interp"), tp[..., 0])


def max_f1(misses: Any, false_alarms: Any, prevalence: Prevalence = "sample") -> FloatArray:
    """Largest F1 = 2 TP / (2 TP + FP + FN) of all thresholds, in [0, 1], higher is better; methods 6.1."""
    tp, fp = _masses(misses, false_alarms, prevalence)
    return np.asarray(ratio(2 * tp, tp + fp + tp[..., :1]).max(axis=-1))


def max_mcc(misses: Any, false_alarms: Any) -> FloatArray:
    """Largest Matthews correlation of all thresholds, in [0, 1], higher is better; 0 where all is accepted.

    MCC = (N TP - A N1) / sqrt(A (N - A) N1 N0), with A accepted of N. Methods 6.0.
    """
    tp, fp = _masses(misses, false_alarms, "sample")
    accepted, n_target, n = tp + fp, tp[..., :1], (tp + fp)[..., :1]
    spread = np.sqrt(accepted) * np.sqrt(n - accepted) * np.sqrt(n_target) * np.sqrt(n - n_target)
    return np.asarray(_divided(n * tp - accepted * n_target, spread).max(axis=-1))


def recall_at(
    misses: Any, false_alarms: Any, precision: float = 0.9, prevalence: Prevalence = "sample"
) -> FloatArray:
    """Largest recall of the thresholds whose precision is not below a bound, in (0, 1], higher is better.

    Undefined where no threshold has that precision.
    """
    tp, fp = _masses(misses, false_alarms, prevalence)
    enough = ratio(tp, tp + fp) >= precision
    best = np.where(enough, tp, -1.0).max(axis=-1)
    return np.where(best >= 0, ratio(best, tp[..., 0]), np.nan)


def precision_at(misses: Any, false_alarms: Any, k: float = 10.0) -> FloatArray:
    """Share of targets among the k highest scores, in [0, 1], higher is better.

    Ties at the k-th place: the expected value over all orders of the tied trials. Undefined with fewer
    than k trials.
    """
    return np.asarray(_targets_among(misses, false_alarms, k) / k)


def precision_at_share(misses: Any, false_alarms: Any, share: float = 0.1) -> FloatArray:
    """Share of targets among the highest ``share`` of all trials, in [0, 1], higher is better.

    Ties as in ``precision_at``; part of a trial counts in part.
    """
    size = share * _trials(misses, false_alarms)
    return ratio(_targets_among(misses, false_alarms, size), size)


def lift_at(misses: Any, false_alarms: Any, share: float = 0.1) -> FloatArray:
    """``precision_at_share`` over the prevalence: how many times better than chance, higher is better."""
    targets = _targets_among(misses, false_alarms, share * _trials(misses, false_alarms))
    return ratio(targets, share * np.asarray(misses)[..., -1])


def _trials(misses: Any, false_alarms: Any) -> FloatArray:
    return np.asarray(misses)[..., -1] + np.asarray(false_alarms, dtype=np.float64)[..., 0]


def _targets_among(misses: Any, false_alarms: Any, k: Any) -> FloatArray:
    """Expected targets among the k highest scores (k broadcasts over rows); NaN beyond all trials.

    A class may be empty: without targets there are none among them.
    """
    misses, fp = np.asarray(misses), np.asarray(false_alarms, dtype=np.float64)
    tp = (misses[..., -1:] - misses).astype(np.float64)
    k = np.asarray(k, dtype=np.float64)
    targets = read_at(-(tp + fp), tp, -k, "interp")
    return np.where(k <= _trials(misses, false_alarms), targets, np.nan)


def prg_area(misses: Any, false_alarms: Any, prevalence: Prevalence = "sample") -> FloatArray:
    """Area under the precision-recall-gain curve over recall gains in [0, 1], higher is better.

    Precision gain 1 - FAR / TPR, recall gain 1 - (pi / (1 - pi)) FRR / TPR; straight between thresholds. At
    most 1, chance is 0, and worse than chance is negative. Source: Flach, Kull 2015.
    """
    tp, fp = _masses(misses, false_alarms, "sample")
    n_target, n_nontarget = tp[..., :1], fp[..., :1]
    odds = ratio(n_target, n_nontarget) if isinstance(prevalence, str) else prevalence / (1 - prevalence)
    high, low = tp[..., :-1], tp[..., 1:]
    start = np.clip(n_target * odds / (1 + odds), low, high)  # no recall gain below this many targets
    inside = _divided(start - low, high - low)
    alarms = fp[..., 1:] + (fp[..., :-1] - fp[..., 1:]) * inside
    width = _divided(odds * n_target * (high - start), start * high)
    height = _divided(alarms, start) + _divided(fp[..., :-1], high)
    area = (width * (1 - height * ratio(n_target, n_nontarget) / 2)).sum(axis=-1)
    return np.where(np.isnan(fp[..., 0]), np.nan, area)


def _masses(misses: Any, false_alarms: Any, prevalence: Prevalence) -> tuple[FloatArray, FloatArray]:
    """True positives, and false alarms in units of a target's mass, at all thresholds.

    False alarms are NaN throughout a row with an empty class, so that all that is made of them is.
    """
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    n_target, n_nontarget = misses[..., -1:], false_alarms[..., :1]
    if isinstance(prevalence, str):
        mass = np.where((n_target > 0) & (n_nontarget > 0), 1.0, np.nan)
    else:
        mass = ratio((1 - prevalence) * n_target, prevalence * n_nontarget)
        mass = np.where(n_target > 0, mass, np.nan)
    return (n_target - misses).astype(np.float64), mass * false_alarms


def _divided(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Return ``part / whole``, and 0 where ``whole`` is 0: nothing accepted adds nothing."""
    return np.divide(
        part, whole, out=np.zeros(np.broadcast_shapes(part.shape, whole.shape)), where=whole != 0
    )


def _over_targets(parts: FloatArray, tp: FloatArray) -> FloatArray:
    return ratio(parts.sum(axis=-1), tp[..., 0])
