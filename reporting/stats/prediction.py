"""What dev errors promise for test: the band of counts to expect, and thresholds with a guarantee."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import betainc, betaincinv

from reporting.stats.staircase import FloatArray, IntArray

OUTSIDE = 1e-14
"""Probability that may be left out of a sum at either end."""


def predicted_errors(errors: Any, n: Any, n_new: int, level: float = 0.95) -> tuple[IntArray, IntArray]:
    """Return the limits of the errors to expect among ``n_new`` trials after ``errors`` of ``n`` on dev.

    Equal-tailed quantiles, inclusive, of BetaBinomial(n_new; k + 1/2, n - k + 1/2): k of n non-targets
    accepted (or targets rejected) at a threshold chosen there. Free of the distribution of the scores, as
    long as they are continuous and dev and test alike. Any shapes that broadcast; n > 0. Methods 7.8.
    """
    errors, n = np.broadcast_arrays(np.asarray(errors, dtype=np.int64), np.asarray(n, dtype=np.int64))
    distinct, inverse = np.unique(np.stack([errors.ravel(), n.ravel()]), axis=1, return_inverse=True)
    tail = (1 - level) / 2
    limits = np.array(
        [
            beta_binomial_quantiles(np.array([tail, 1 - tail]), n_new, k + 0.5, m - k + 0.5)
            for k, m in distinct.T.tolist()
        ],
        dtype=np.int64,
    ).reshape(-1, 2)[inverse.ravel()]
    return limits[:, 0].reshape(errors.shape), limits[:, 1].reshape(errors.shape)


def beta_binomial_quantiles(q: FloatArray, n: int, a: float, b: float) -> IntArray:
    """Return the smallest x with P(X <= x) >= q for X ~ BetaBinomial(n; a, b); q inside (0, 1).

    The probabilities are summed where they matter, from the ratio of neighbours
    p(x + 1) / p(x) = (n - x)(a + x) / ((x + 1)(n - x - 1 + b)).
    """
    first, last = _support(n, a, b)
    x = np.arange(first, last, dtype=np.float64)
    ratio = np.log((n - x) * (a + x)) - np.log((x + 1) * (n - x - 1 + b))
    log_p = np.concatenate(([0.0], np.cumsum(ratio)))
    total = np.cumsum(np.exp(log_p - log_p.max()))
    return np.asarray(first + np.searchsorted(total, q * total[-1], side="left"), dtype=np.int64)


def _support(n: int, a: float, b: float) -> tuple[int, int]:
    """Counts outside of which there is next to no probability."""
    low, high = float(betaincinv(a, b, OUTSIDE)), 1 - float(betaincinv(b, a, OUTSIDE))
    below = n * low - 8 * math.sqrt(n * low) - 40
    above = n * high + 8 * math.sqrt(n * high) + 60
    return max(0, math.floor(below)), min(n, math.ceil(above))


def guaranteed_errors(n: int, rate: float, confidence: float) -> int:
    """Return how many of ``n`` dev errors a threshold may make if its true rate is to be at most ``rate``.

    The largest c with P(Binomial(n, rate) <= c) <= 1 - confidence; -1 where even no error is too many.
    Above the (c + 1)-th largest of n non-targets the true false acceptance rate is Beta(c + 1, n - c) if
    scores are continuous, less if they tie: at most ``rate`` with at least that confidence, whatever the
    distribution of the scores. Trials must be independent. Likewise for targets below.
    """
    if n < trials_for_guarantee(rate, confidence):
        return -1
    low, high = 0, n  # 0 errors are few enough, n are too many
    while high - low > 1:
        middle = (low + high) // 2
        kept = betainc(middle + 1, n - middle, rate) >= confidence
        low, high = (middle, high) if kept else (low, middle)
    return low


def trials_for_guarantee(rate: float, confidence: float) -> int:
    """Return the least n with 1 - (1 - rate)^n >= confidence; 0 < rate < 1, 0 < confidence < 1."""
    return max(1, math.ceil(math.log1p(-confidence) / math.log1p(-rate) - 1e-9))
