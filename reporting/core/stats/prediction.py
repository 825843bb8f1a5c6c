"""Errors to expect of a population whose threshold other trials chose, and thresholds with a guarantee."""

from __future__ import annotations

import math
from bisect import bisect_left

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
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
    # 0 errors are few enough, n are too many.
    return bisect_left(range(1, n), True, key=lambda c: bool(betainc(c + 1, n - c, rate) < confidence))


def trials_for_guarantee(rate: float, confidence: float) -> int:
    """Return the least n with 1 - (1 - rate)^n >= confidence; 0 < rate < 1, 0 < confidence < 1."""
    return max(1, math.ceil(math.log1p(-confidence) / math.log1p(-rate) - 1e-9))


def trials_for_precision(precision: float, confidence: float) -> int:
    """Return how many trials must be accepted before one of them may be a non-target.

    The least m with P(Binomial(m, 1 - precision) <= 1) <= 1 - confidence; both lie in (0, 1).
    """

    def enough(m: int) -> bool:
        return bool(betainc(2, m - 1, 1 - precision) >= confidence)

    return 2 + bisect_left(range(2, 2**60), True, key=enough)


def precise_cut(accepted: IntArray, false_alarms: IntArray, precision: float, confidence: float) -> IntArray:
    """Return the lowest threshold down to which precision is shown, shape (R,), by tests in a fixed sequence.

    ``accepted`` trials and the ``false_alarms`` among them are those of thresholds 0..n of each row (shape
    (R, n + 1)); n, which accepts none, where nothing is shown. False alarms of m accepted trials are
    Binomial(m, 1 - precision): "precision is too low" is rejected where P(Binomial <= false alarms) is
    at most 1 - confidence. Tests go from the strictest threshold that accepts ``trials_for_precision`` down
    to the first that does not reject, each at the whole level: an error needs the first true hypothesis to be
    rejected. That holds for independent trials where a higher threshold has no lower precision.
    Angelopoulos et al. 2021, arXiv:2110.01052.
    """
    last, right = accepted.shape[1] - 1, accepted - false_alarms
    p = 1 - betainc(false_alarms + 1.0, np.maximum(right, 1.0), 1 - precision)
    shown = (right > 0) & (p <= 1 - confidence)
    tested = accepted >= trials_for_precision(precision, confidence)
    refused = np.where(tested & ~shown, np.arange(last + 1), -1).max(axis=1)
    lowest = np.minimum(refused + 1, last)
    return np.asarray(np.where(tested[np.arange(len(lowest)), lowest], lowest, last))
