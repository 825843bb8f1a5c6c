"""Stated probabilities against observed frequencies, bin by bin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reporting.stats.intervals import wilson
from reporting.stats.rates import ratio
from reporting.stats.staircase import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Bins:
    """The bins that hold a trial, ascending (all of shape (B,)); ``low`` belongs to a bin, ``high`` does not.

    ``stated`` is the mean probability of the bin's trials, ``observed`` the share of targets among
    them, ``ci_low`` and ``ci_high`` its Wilson limits.
    """

    low: FloatArray
    high: FloatArray
    stated: FloatArray
    observed: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    n_target: IntArray
    n_nontarget: IntArray


def reliability_bins(
    probability: FloatArray, n_target: IntArray, n_nontarget: IntArray, bins: int, level: float
) -> Bins:
    """Count targets in ``bins`` equal parts of [0, 1]; a perfect forecaster has observed = stated.

    Takes distinct probabilities in ascending order with the trials of each class at each (shape
    (H,)). 1 belongs to the last bin; empty bins are left out.
    """
    edges = np.arange(bins + 1) / bins
    at = np.clip(np.searchsorted(edges, probability, side="right") - 1, 0, bins - 1)
    size = n_target + n_nontarget
    total = _per_bin(size, at, bins)
    targets = _per_bin(n_target, at, bins)
    held = np.flatnonzero(total)
    stated = np.bincount(at, weights=probability * size, minlength=bins)
    limits = [wilson(int(targets[b]), int(total[b]), level) for b in held]
    return Bins(
        edges[held],
        edges[held + 1],
        ratio(stated[held], total[held]),
        ratio(targets[held], total[held]),
        np.array([limit.low for limit in limits], dtype=np.float64),
        np.array([limit.high for limit in limits], dtype=np.float64),
        targets[held],
        (total - targets)[held],
    )


def _per_bin(count: IntArray, at: IntArray, bins: int) -> IntArray:
    """Sums of integers: bincount's own weights would be floats."""
    found = np.zeros(bins, dtype=np.int64)
    np.add.at(found, at, count)
    return found
