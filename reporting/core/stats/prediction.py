"""What dev errors promise for test: the band of counts to expect, and thresholds with a guarantee."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.core.stats.special import betainc, betaincinv, ndtri, stdtr

OUTSIDE = 1e-14
"""Probability that a sum may omit at either end."""


def predicted_errors(errors: Any, n: Any, n_new: int, level: float = 0.95) -> tuple[IntArray, IntArray]:
    """Return the limits of the errors of ``n_new`` trials after ``errors`` of ``n`` on the development set.

    Equal-tailed quantiles, inclusive, of BetaBinomial(n_new; k + 1/2, n - k + 1/2): k of n non-targets
    accepted (or targets rejected) at a threshold chosen there. Free of the distribution of the scores, as
    long as scores are continuous and both sets are alike. Any shapes that broadcast; n > 0. Methods 7.8.
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
    """Return the smallest x with P(X <= x) >= q for X ~ BetaBinomial(n; a, b); q inside (0, 1)."""
    first, chance = _beta_binomial(n, a, b)
    total = np.cumsum(chance)
    return np.asarray(first + np.searchsorted(total, q * total[-1], side="left"), dtype=np.int64)


class Tails(NamedTuple):
    """Probabilities of at most, and of at least, as many errors as were seen."""

    at_most: float
    at_least: float

    def __or__(self, other: Tails) -> Tails:
        """Return the larger of two probabilities on either side."""
        return Tails(max(self.at_most, other.at_most), max(self.at_least, other.at_least))

    @property
    def p(self) -> float:
        """The two-sided p-value."""
        return min(1.0, 2 * min(self))

    def student(self, df: float) -> Tails:
        """Return the tails of Student's t at the same quantiles: those of a variance with ``df`` only."""
        return Tails(*(float(stdtr(df, float(ndtri(tail)))) for tail in self))


def drift_tails(
    errors_dev: float, n_dev: float, errors: float, n: float, design_effect: float = 1.0
) -> Tails:
    """Return how probable as few, or as many, errors of n are after ``errors_dev`` of ``n_dev`` there.

    P(X >= x), X ~ BetaBinomial(n; k + 1, n_dev - k), and P(X <= x), X ~ BetaBinomial(n; k, n_dev - k + 1):
    with k such errors at a threshold, the (k + 1)-th largest of n_dev non-targets lies below it and the
    k-th above, and so many of n further ones exceed those if both sets come from one population, whatever the
    distribution of the scores. It is Fisher's exact test of 2 x 2 counts. ``design_effect`` is how many
    trials count as one: all counts are divided by it (Rao and Scott 1981), those of test rounded towards
    what was expected. n_dev, n > 0. Methods 7.8.
    """
    effect = max(1.0, design_effect)
    k, m = errors_dev / effect, n_dev / effect
    # More than a thousandfold of the development trials add next to nothing.
    whole = max(1, math.floor(min(n / effect, 1000 * m)))
    seen = errors * whole / n
    return Tails(
        _at_most(math.ceil(seen - ROUNDING), whole, k, m - k + 1) if k > 0 else 1.0,
        _at_least(math.floor(seen + ROUNDING), whole, k + 1, m - k) if m > k else 1.0,
    )


ROUNDING = 1e-9


def _at_most(x: int, n: int, a: float, b: float) -> float:
    first, chance = _beta_binomial(n, a, b)
    return float(chance[: max(0, x + 1 - first)].sum() / chance.sum())


def _at_least(x: int, n: int, a: float, b: float) -> float:
    first, chance = _beta_binomial(n, a, b)
    return float(chance[max(0, x - first) :].sum() / chance.sum())


def _beta_binomial(n: int, a: float, b: float) -> tuple[int, FloatArray]:
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
