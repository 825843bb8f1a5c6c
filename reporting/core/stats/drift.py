"""How probable the errors of a set are after those of the development set."""

from __future__ import annotations

import math
from typing import NamedTuple

from reporting.core.stats.prediction import beta_binomial
from reporting.core.stats.special import ndtri, stdtr


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
    first, chance = beta_binomial(n, a, b)
    return float(chance[: max(0, x + 1 - first)].sum() / chance.sum())


def _at_least(x: int, n: int, a: float, b: float) -> float:
    first, chance = beta_binomial(n, a, b)
    return float(chance[max(0, x - first) :].sum() / chance.sum())
