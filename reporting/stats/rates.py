"""Error rates at a threshold, from counts. Undefined (an empty class) is NaN here and null in frames."""

from __future__ import annotations

from typing import Any

import numpy as np

from reporting.stats.staircase import FloatArray


def ratio(part: Any, whole: Any) -> FloatArray:
    """Return ``part / whole`` in float64, NaN where ``whole`` is 0."""
    part, whole = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(whole == 0, np.nan, part / whole)


def far(misses: Any, false_alarms: Any, n_target: Any, n_nontarget: Any) -> FloatArray:
    """FAR = false alarms / non-targets, in [0, 1], lower is better."""
    return ratio(false_alarms, n_nontarget)


def frr(misses: Any, false_alarms: Any, n_target: Any, n_nontarget: Any) -> FloatArray:
    """FRR = misses / targets, in [0, 1], lower is better."""
    return ratio(misses, n_target)


def weighted_error(
    misses: Any, false_alarms: Any, n_target: Any, n_nontarget: Any, alpha: Any = 0.5
) -> FloatArray:
    """alpha FAR + (1 - alpha) FRR, in [0, 1], lower is better.

    Undefined where a class that has weight is empty; at alpha 0 and 1 only one class has.
    """
    alpha = np.asarray(alpha, dtype=np.float64)
    far_part = np.where(alpha == 0, 0.0, alpha * ratio(false_alarms, n_nontarget))
    frr_part = np.where(alpha == 1, 0.0, (1 - alpha) * ratio(misses, n_target))
    return np.asarray(far_part + frr_part)


def failure_to_acquire(score: FloatArray, n_target: Any, n_nontarget: Any) -> FloatArray:
    """Share of all trials whose score is -inf: rejected whatever the threshold; in [0, 1], lower is better.

    ``score`` has shape (H,), the trials at each of them (..., H). Undefined without trials.
    """
    trials = np.asarray(n_target, dtype=np.float64) + np.asarray(n_nontarget, dtype=np.float64)
    return ratio((trials * np.isneginf(score)).sum(axis=-1), trials.sum(axis=-1))


def hter(misses: Any, false_alarms: Any, n_target: Any, n_nontarget: Any) -> FloatArray:
    """(FAR + FRR) / 2, in [0, 1], lower is better; undefined with an empty class."""
    return weighted_error(misses, false_alarms, n_target, n_nontarget, 0.5)
