"""The reliability diagram: observed frequency of targets against stated probability."""

from __future__ import annotations

from reporting.curves.scores import Scaled
from reporting.stats.probability import Bins, reliability_bins

BINS = 10


def reliability_curve(probability: Scaled, bins: int = BINS, level: float = 0.95) -> Bins:
    """Return the bins of [0, 1] that hold a trial, with Wilson limits of the observed share of targets."""
    value, n_target, n_nontarget = probability
    return reliability_bins(value, n_target, n_nontarget, bins, level)
