"""Limits of precision along recall: at every recall alone, and for the whole precision-recall curve.

Curves come as misses and false alarms with thresholds along the last axis, from accept all to reject all. At
a recall the curve has the fewest false alarms that reach it, and between two thresholds these grow in
proportion to the targets won (Davis, Goadrich 2006). Limits are taken on the log odds of precision, and half
a trial is added to the accepted of either class: they stay inside (0, 1), and are there where no false alarm
is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.base.records import dataclass
from reporting.core.stats.rates import ratio
from reporting.core.stats.roc_bands import tpr_at

RECALLS = np.arange(1, 100) / 100
"""Where limits are computed: at a recall of 1 the lowest target decides, of which resamples know nothing."""
HALF = 0.5


def far_at_recall(misses: Any, false_alarms: Any, recall: FloatArray) -> FloatArray:
    """Return the least FAR at recalls (shape (G,)) on curves of shape (..., K), shape (..., G).

    The curve of the other class: with hits for false alarms, and rejected non-targets for misses.
    """
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    hits, rejected = misses[..., -1:] - misses, false_alarms[..., :1] - false_alarms
    return tpr_at(rejected, hits, recall, end="lower")


def precision_of(far: FloatArray, recall: FloatArray, share: Any) -> FloatArray:
    """Return s r / (s r + (1 - s) FAR), with s the share of targets: what of the accepted are targets."""
    hits = share * recall
    return np.asarray(ratio(hits, hits + (1 - np.asarray(share)) * far))


def log_odds(far: FloatArray, recall: FloatArray, n_target: Any, n_nontarget: Any, share: Any) -> FloatArray:
    """Return the log odds of precision with half a trial more accepted in either class, always finite."""
    hits = (recall * n_target + HALF) / (np.add(n_target, 2 * HALF))
    alarms = (far * n_nontarget + HALF) / (np.add(n_nontarget, 2 * HALF))
    return np.asarray(np.log(hits) - np.log(alarms) + np.log(share) - np.log1p(-np.asarray(share)))


def least_spread(far: FloatArray, recall: FloatArray, n_target: int, n_nontarget: int) -> FloatArray:
    """Return the least standard error of these log odds that is believed (shape (G,)).

    sqrt((1 - r) / (hits + 1/2) + (1 - FAR) / (alarms + 1/2)), the variances of both log rates: at a fixed
    recall the targets move the threshold, and with it the log FAR, by at least as much on a concave ROC.
    """
    hits, alarms = recall * n_target + HALF, far * n_nontarget + HALF
    return np.asarray(np.sqrt((1 - recall) / hits + (1 - far) / alarms))


@dataclass(frozen=True)
class PrecisionReader:
    """Reads the log odds of precision at ``RECALLS`` off resamples of errors at all thresholds.

    ``shift`` is what they miss on the trials themselves, where resamples see bins of scores.
    """

    prevalence: float | None
    shift: FloatArray | float = 0.0

    def __call__(self, misses: Any, false_alarms: Any) -> FloatArray:
        """Return shape (..., G) from misses and false alarms of shape (..., K)."""
        far = far_at_recall(misses, false_alarms, RECALLS)
        n_target, n_nontarget = np.asarray(misses)[..., -1:], np.asarray(false_alarms)[..., :1]
        share = ratio(n_target, n_target + n_nontarget) if self.prevalence is None else self.prevalence
        return log_odds(far, RECALLS, n_target, n_nontarget, share) + self.shift
