"""Resampled errors of one model at its thresholds, whichever bootstrap drew them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reporting.measures.measure import Measure
from reporting.stats.staircase import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Replicates:
    """``misses`` and ``false_alarms`` have shape (M, T), the class sizes (M, 1).

    ``redrawn`` tells that some replicate had lost a class and was drawn again.
    """

    misses: IntArray
    false_alarms: IntArray
    n_target: IntArray
    n_nontarget: IntArray
    redrawn: bool

    def columns(self, at: IntArray) -> Replicates:
        """Return the thresholds of these indices (shape (P,)), in their order."""
        return replace(self, misses=self.misses[:, at], false_alarms=self.false_alarms[:, at])

    def values(self, measure: Measure, **swept: FloatArray) -> FloatArray:
        """Return the measure at every threshold in every replicate, (M, T); a swept parameter has (T,)."""
        sizes = self.n_target, self.n_nontarget
        return np.asarray(
            measure.formula(self.misses, self.false_alarms, *sizes, **(measure.arguments | swept))
        )


def joined(parts: Sequence[Replicates], redrawn: bool) -> Replicates:
    """Return replicates that were drawn in parts, in their order."""
    return Replicates(
        np.concatenate([part.misses for part in parts]),
        np.concatenate([part.false_alarms for part in parts]),
        np.concatenate([part.n_target for part in parts]),
        np.concatenate([part.n_nontarget for part in parts]),
        redrawn,
    )


def cumulate_cells(counts: IntArray) -> tuple[IntArray, IntArray]:
    """Return misses and false alarms (shape (M, n + 1)) at the cuts around n ascending cells.

    ``counts`` has shape (M, 2, n), non-targets first.
    """
    rejected = np.zeros((*counts.shape[:2], counts.shape[2] + 1), dtype=counts.dtype)
    np.cumsum(counts, axis=2, out=rejected[:, :, 1:])
    return rejected[:, 1], rejected[:, 0, -1:] - rejected[:, 0]


def errors_between(counts: IntArray, redrawn: bool) -> Replicates:
    """Return the errors at the thresholds that separate n bins; ``counts`` as in ``cumulate_cells``."""
    misses, false_alarms = cumulate_cells(counts)
    return Replicates(misses[:, 1:-1], false_alarms[:, 1:-1], misses[:, -1:], false_alarms[:, :1], redrawn)
