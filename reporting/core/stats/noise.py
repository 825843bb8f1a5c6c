"""Discrete Laplace noise on counts of bins: its variance, what it adds, and counts made whole again.

A class of a set has B bins. Every model and run (M of them) counts the same trials into bins of its own, and
every count has independent noise with P(X = x) = (1 - a) / (1 + a) a^|x|, a = exp(-epsilon). All numbers of
trials are brought to the mean N of the M noisy totals: what a total is off is spread over its bins.
Ghosh, Roughgarden, Sundararajan 2012, doi:10.1137/09076828X; Hay et al. 2010, doi:10.14778/1920841.1920970.
"""

from __future__ import annotations

import math

import numpy as np

from reporting.base.arrays import FloatArray, IntArray


def noise_variance(epsilon: float) -> float:
    """Variance of the noise on one count: 2 a / (1 - a)^2, a = exp(-epsilon), epsilon > 0."""
    return 2 * math.exp(-epsilon) / math.expm1(-epsilon) ** 2


def added_variance(weights: FloatArray, variance: float, tables: int) -> float:
    """Variance that noise adds to a sum of ``weights`` (shape (B,)) times the counts of a class.

    v (sum w^2 - (1 - 1 / M) (sum w)^2 / B) with M ``tables`` of one class and ``variance`` v of a count: the
    mean of a table's noise is that of all M.
    """
    weights = np.asarray(weights, dtype=np.float64)
    shared = (1 - 1 / tables) * float(weights.sum()) ** 2 / len(weights)
    return variance * max(0.0, float((weights**2).sum()) - shared)


def possible_counts(noisy: IntArray) -> IntArray:
    """Return possible numbers of trials near noisy counts of a class (shape (M, B)), lowest first.

    Each row has the same total, the mean of the noisy ones. Sums from the highest bin down are projected on
    the sequences that never fall and stay between 0 and that total (least squares), then rounded.
    """
    # Whoever reads noisy counts, or looks at their config, does without it.
    from scipy.optimize import isotonic_regression

    totals = noisy.sum(axis=1)
    total = max(0, round(float(totals.mean())))
    level = noisy + (total - totals)[:, None] / noisy.shape[1]
    beyond = np.cumsum(level[:, ::-1], axis=1)[:, :-1]
    fitted = [np.clip(isotonic_regression(row).x, 0, total) for row in beyond]
    ends = np.zeros((len(noisy), 1)), np.full((len(noisy), 1), float(total))
    whole = np.rint(np.hstack([ends[0], fitted, ends[1]])).astype(np.int64)
    return np.asarray(np.diff(whole, axis=1)[:, ::-1])
