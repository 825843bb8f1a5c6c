"""The Expected Performance Curve: a measure on test after a criterion on dev, for every alpha."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reporting.counts.cuts import Cuts
from reporting.criteria.criterion import Criterion
from reporting.stats.staircase import FloatArray, IntArray, ThresholdAt, Ties, cut_at, threshold_of


@dataclass(frozen=True, eq=False)
class Operation:
    """Thresholds chosen on dev and what they do: arrays of shape (P,), P = 1 for a single criterion.

    ``name`` says which thresholds these are. ``dev_cut`` and ``test_cut`` are the cuts the threshold
    makes in each split, ``oracle_cut`` is the cut the criterion would have chosen on test (None there
    where a class is empty), and ``tied`` is how many dev cuts attained the optimum.
    """

    name: str
    threshold: FloatArray
    dev_cut: IntArray
    test_cut: IntArray
    oracle_cut: IntArray | None
    tied: IntArray


def alpha_grid(n: int) -> FloatArray:
    """Return alpha = k / (n - 1), k = 0..n-1, each in one division."""
    return np.arange(n) / (n - 1)


def operate(
    dev: Cuts, test: Cuts, criterion: Criterion, ties: Ties, at: ThresholdAt, alpha: FloatArray | None = None
) -> Operation:
    """Choose thresholds on dev by the criterion and apply them to test (Algorithm 1 of the papers).

    With ``alpha`` (shape (P,)) the criterion's swept parameter runs over it.
    Source: Bengio, Mariethoz, Keller, section 4; methods 7.1.
    """
    swept = {} if alpha is None else {criterion.swept: alpha}
    name = str(criterion) if alpha is None else f"{criterion.key} along {len(alpha)} alphas"
    chosen = criterion.choose(dev.staircase, ties, **swept)
    cut, tied = np.atleast_1d(chosen.cut), np.atleast_1d(chosen.tied)
    threshold = threshold_of(dev.score, cut, at)
    best = np.atleast_1d(criterion.choose(test.staircase, ties, **swept).cut) if all(test.totals) else None
    return Operation(name, threshold, cut, cut_at(test.score, threshold), best, tied)
