"""Bands of ROC curves, in FPR (FAR) and TPR (1 - FRR): those that hold for a whole curve (methods 11)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.core.stats.intervals import quantile, times_of_t, upper_quantile
from reporting.core.stats.multiplicity import reach_along, sidak
from reporting.core.stats.roc_bands import RATE, tpr_at

SUP_T_RANGE = (0.01, 0.99)
"""FPR of the simultaneous band: nearer to the ends the spread of resamples shows too little."""


class Band(NamedTuple):
    """Lower and upper limit of the curve at every FPR of a grid (each of shape (G,))."""

    fpr: FloatArray
    low: FloatArray
    high: FloatArray


def ks_distance(n: int, level: float) -> float:
    """The exact quantile of sup |F_n - F|, the Kolmogorov-Smirnov distance of n > 0 independent scores.

    In (0, 1); about 1.358 / sqrt(n) at 95%. Methods 11.3.
    """
    # Loaded only here: the asymptotic ``kolmogi`` of scipy.special is too wide for few scores.
    from scipy.stats import kstwo

    return float(kstwo.ppf(level, n))


def sjr_band(misses: Any, false_alarms: Any, fpr: FloatArray, level: float) -> Band:
    """Simultaneous joint regions: the curve displaced by the Kolmogorov-Smirnov distances of both classes.

    U(x) = ROC(x + d0) + d1 and L(x) = ROC(x - d0) - d1, each d at the level sqrt(level) of its class. It
    covers with at least ``level`` for any scores, needs no resamples, and is wide. Both classes need
    trials. Campbell 1994; methods 11.3.
    """
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    d1, d0 = (ks_distance(int(n), sidak(level, 2)) for n in (misses[-1], false_alarms[0]))
    return _displaced(misses, false_alarms, fpr, d0, d1)


def _displaced(misses: Any, false_alarms: Any, fpr: FloatArray, across: float, up: float) -> Band:
    """The region between the curve moved to upper left and the curve moved to lower right."""
    high = tpr_at(misses, false_alarms, fpr + across, "upper") + up
    low = tpr_at(misses, false_alarms, fpr - across, "lower") - up
    return Band(fpr, np.clip(low, *RATE), np.clip(high, *RATE))


def fwb_band(
    misses: Any, false_alarms: Any, distances: FloatArray, fpr: FloatArray, level: float
) -> Band | None:
    """Fixed-width band: the curve displaced so far that it holds ``level`` of the resample curves whole.

    ``distances`` are those of ``fwb_distances`` (shape (M,)); lambda is their order statistic
    ceil((M + 1) level). None where M is too small, or too many resamples have lost a class.
    Macskassy, Provost 2004; methods 11.5.
    """
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    width = upper_quantile(distances, level)
    if width is None:
        return None
    across, up = width / math.sqrt(false_alarms[0]), width / math.sqrt(misses[-1])
    return _displaced(misses, false_alarms, fpr, across, up)


def sup_t_band(
    fpr: FloatArray,
    estimate: FloatArray,
    replicates: FloatArray,
    floor: FloatArray | float,
    level: float,
    bounds: tuple[float, float] = RATE,
    *,
    off: float = 0.0,
    centred: bool = False,
    pointwise: bool = False,
    df: float | None = None,
    inflation: float = 1.0,
) -> Band | None:
    """Simultaneous vertical band TPR -+ c SE(x) over the FPR of the grid in [.01, .99], or a pointwise one.

    SE, at least ``floor`` (of a TPR ``least_errors``), and c are those of ``reach_along`` from the resamples
    (shape (M, G)); ``pointwise`` c is the normal quantile, and limits hold at one FPR. Of clusters, with
    ``inflation``, c grows as Student's t with ``df`` over the normal quantile. Limits of a curve are read
    ``off`` to either side: half a non-target's step 1 / (2 N0), by which the FPR itself is uncertain. Pass
    paired differences of two curves with ``bounds=DIFFERENCE`` and ``centred``: distances are then from the
    mean of the resamples, as these repeat the steps of both curves. Where such a band leaves 0, the curves
    differ. None where M is too small, or resamples are undefined. Methods 11.6.
    """
    inside = (fpr >= SUP_T_RANGE[0]) & (fpr <= SUP_T_RANGE[1])
    fpr, estimate, replicates = fpr[inside], estimate[inside], replicates[:, inside]
    if len(replicates) < 2 or not len(fpr):
        return None
    least = floor[inside] if isinstance(floor, np.ndarray) else floor
    middle = replicates.mean(axis=0) if centred else estimate
    reach = reach_along(replicates - middle, least, level, inflation)
    if reach is None:
        return None
    c = quantile(level, None) if pointwise else reach.c
    half = times_of_t(df, level) * c * reach.se
    low, high = np.interp(fpr - off, fpr, estimate - half), np.interp(fpr + off, fpr, estimate + half)
    return Band(fpr, np.clip(low, *bounds), np.clip(high, *bounds))
