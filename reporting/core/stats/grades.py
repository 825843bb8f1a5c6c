"""Means of the scores themselves, such as grades from 0 to 5, partial credit, or seconds."""

from __future__ import annotations

from typing import Any

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.core.stats.likelihood import total_cost
from reporting.core.stats.rates import ratio
from reporting.core.stats.skewness import MeanCosts

MOST = 1e100


def mean_score(score: FloatArray, n_target: Any, n_nontarget: Any) -> FloatArray:
    """Mean score of all trials: sum of score times trials / trials.

    ``score`` has shape (H,), the trials of each class at each of them (..., H). Undefined without trials, and
    where the score of one is not finite, or so large (``MOST``) that its square is not.
    """
    trials = np.asarray(n_target, dtype=np.float64) + np.asarray(n_nontarget, dtype=np.float64)
    kept = np.where(np.abs(score) <= MOST, score, np.inf)
    mean = ratio(total_cost(trials, kept), trials.sum(axis=-1))
    return np.where(np.isfinite(mean), mean, np.nan)


def score_costs(score: FloatArray) -> MeanCosts:
    """Return the numbers of which ``mean_score`` is the mean."""
    return MeanCosts(score, score, None)
