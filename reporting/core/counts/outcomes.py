"""Outcomes (the papers' table T): trials of one model or a pair, counted by what dev thresholds do to them.

A trial's bin is the number of a model's thresholds at or below its score, so a trial is accepted at
threshold j exactly when its bin exceeds j. Everything at fixed thresholds follows from these counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from reporting.base.arrays import BoolArray, FloatArray, IntArray, RankArray
from reporting.base.records import dataclass
from reporting.core.counts.cuts import Cuts
from reporting.core.stats.staircase import cut_at


@dataclass(frozen=True, eq=False)
class Bins:
    """One model's trials by bin, in as few bytes as bins need.

    ``cut[j]`` is the number of distinct scores below threshold j, ascending, distinct.
    """

    cut: IntArray
    of_trial: npt.NDArray[Any]

    @property
    def n_bins(self) -> int:
        """Number of bins: one more than there are thresholds."""
        return len(self.cut) + 1

    def index(self, cuts: Cuts, thresholds: FloatArray) -> IntArray:
        """Return which of the bins' thresholds makes the same decisions as each given one."""
        return np.searchsorted(self.cut, cut_at(cuts.score, thresholds)).astype(np.int64)


def bin_trials(cuts: Cuts, rank: RankArray, thresholds: FloatArray) -> Bins:
    """Bin every trial by the thresholds; those that decide alike on these trials share a bin edge."""
    cut = np.unique(cut_at(cuts.score, thresholds))
    # A trial of rank r is rejected by the threshold above c distinct scores exactly when r < c.
    bins = np.arange(len(cut) + 1, dtype=np.min_scalar_type(len(cut)))
    bin_of_rank = np.repeat(bins, np.diff(cut, prepend=0, append=len(cuts.score)))
    return Bins(cut, bin_of_rank[rank])


def pair_outcomes(label: BoolArray, a: Bins, b: Bins) -> IntArray:
    """Count trials by label and both bins: shape (2, bins of a, bins of b), non-targets first."""
    code = (label.astype(np.int64) * a.n_bins + a.of_trial) * b.n_bins + b.of_trial
    counts = np.bincount(code, minlength=2 * a.n_bins * b.n_bins)
    return counts.astype(np.int64).reshape(2, a.n_bins, b.n_bins)


def outcomes(label: BoolArray, bins: Bins) -> IntArray:
    """Count trials of one model by label and bin: shape (2, bins), non-targets first."""
    code = label.astype(np.int64) * bins.n_bins + bins.of_trial
    return np.bincount(code, minlength=2 * bins.n_bins).astype(np.int64).reshape(2, bins.n_bins)
