"""Errors to expect of a population whose threshold other trials chose, and thresholds with a guarantee."""

from __future__ import annotations

import math

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.core.stats.special import betainc, betaincinv

OUTSIDE = 1e-14
"""Probability that a sum may omit at either end."""


def beta_binomial(n: int, a: float, b: float) -> tuple[int, FloatArray]:
    """Return the first count that matters, and what the probabilities from there on are proportional to.

    From the ratio of neighbours p(x + 1) / p(x) = (n - x)(a + x) / ((x + 1)(n - x - 1 + b)).
    """
    # Counts outside of which there is next to no probability.
    low, high = float(betaincinv(a, b, OUTSIDE)), 1 - float(betaincinv(b, a, OUTSIDE))
    below = n * low - 8 * math.sqrt(n * low) - 40
    above = n * high + 8 * math.sqrt(n * high) + 60
    first, last = max(0, math.floor(below)), min(n, math.ceil(above))
    x = np.arange(first, last, dtype=np.float64)
    ratio = np.log((n - x) * (a + x)) - np.log((x + 1) * (n - x - 1 + b))
    log_p = np.concatenate(([0.0], np.cumsum(ratio)))
    return first, np.exp(log_p - log_p.max())


def guaranteed_errors(n: int, rate: float, confidence: float) -> int:
    """Return how many of ``n`` dev errors a threshold may make for its true rate to be at most ``rate``.

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
