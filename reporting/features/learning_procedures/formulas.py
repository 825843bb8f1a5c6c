"""t intervals over the folds of cross-validations, whose training sets overlap."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.core.stats.intervals import normal, normal_p


class FoldMean(NamedTuple):
    """The mean of J estimates, its standard error, limits by Student's t, and p of the mean 0."""

    value: float
    sd: float
    """The standard deviation S of the estimates."""
    se: float
    df: float
    low: float
    high: float
    p_value: float


def resampled_t(values: FloatArray, ratio: float, level: float) -> FoldMean | None:
    """Return the mean of J >= 2 estimates (shape (J,)) with SE = S sqrt(1 / J + ratio) and J - 1 df.

    ``ratio`` is test trials per training trial: the corrected resampled t of Nadeau and Bengio, Machine
    Learning 52 (2003), eq. 8 and section 4.1; of k folds repeated r times J = k r, Bouckaert and Frank 2004.
    With ratio 0 the naive t, which takes training sets as independent. None where all estimates are equal.
    """
    j, sd = len(values), float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    if j < 2 or sd <= ROUNDING * max(1.0, float(np.abs(values).max())):
        return None
    mean, se = float(np.mean(values)), sd * math.sqrt(1 / j + ratio)
    limits = normal(mean, se, level, j - 1)
    return FoldMean(mean, sd, se, j - 1, limits.low, limits.high, normal_p(mean, se, j - 1))


ROUNDING = 1e-12
"""Estimates that differ by less, relative to the largest, are equal."""
