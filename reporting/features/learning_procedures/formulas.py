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
    """Return the mean of J >= 2 estimates (shape (J,)) with SE = S sqrt(1 / J + ratio).

    ``ratio`` is test trials per training trial: the corrected resampled t of Nadeau and Bengio, Machine
    Learning 52 (2003), eq. 8 and section 4.1; of k folds repeated r times J = k r, Bouckaert and Frank 2004.
    They take J - 1 df, but repeats on the same trials show the variance little better than one partition
    (Bouckaert 2003 finds some 10 of 10 x 10 folds): df are those of one, 1 / ratio = k - 1, or ``LEAST_DF``.
    With ratio 0 the naive t, which takes training sets as independent. None where all estimates are equal.
    """
    j, sd = len(values), float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    if j < 2 or sd <= ROUNDING * max(1.0, float(np.abs(values).max())):
        return None
    mean, se = float(np.mean(values)), sd * math.sqrt(1 / j + ratio)
    df = min(j - 1, max(LEAST_DF, round(1 / ratio))) if ratio else j - 1
    limits = normal(mean, se, level, df)
    return FoldMean(mean, sd, se, df, limits.low, limits.high, normal_p(mean, se, df))


LEAST_DF = 4
"""Degrees of freedom of repeats of fewer than five folds, which share few training trials."""
ROUNDING = 1e-12
"""Estimates that differ by less, relative to the largest, are equal."""
