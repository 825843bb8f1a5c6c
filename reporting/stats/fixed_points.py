"""One error rate where the other is fixed: read at a cut, or between two cuts, of the judged split itself.

Misses and false alarms hold cuts along the last axis, from accept all to reject all, and any number of
leading axes (bootstrap replicates). An empty class gives NaN. ``how`` says where to read:

- ``at_most``: the cut that keeps to the bound and loses least by it;
- ``nearest``: the cut whose own rate is closest to the bound; of two equally close, the one that keeps to it;
- ``interp``: on the line through the cuts, at the bound itself, where the line is best.

Bounds are compared with rates as floats: the decimal 0.01 equals the rate 3/300. Methods 5.1 and 5.2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from reporting.stats.rates import ratio
from reporting.stats.selection import TIE_TOLERANCE
from reporting.stats.staircase import FloatArray


def frr_at_far(misses: Any, false_alarms: Any, far: float = 0.01, how: str = "at_most") -> FloatArray:
    """FRR at a fixed FAR, in [0, 1], lower is better; methods 5.2."""
    frr, tar = ratio(misses, np.asarray(misses)[..., -1:]), -_far(false_alarms)
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


def _far(false_alarms: Any) -> FloatArray:
    false_alarms = np.asarray(false_alarms)
    return ratio(false_alarms, false_alarms[..., :1])


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
