"""Rates of dependent trials: how many independent ones they are worth, and the limits that follow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.core.stats.cluster_sizes import ClusterSizes
from reporting.core.stats.intervals import Interval, quantile
from reporting.core.stats.multiplicity import BandLevel
from reporting.core.stats.special import betaincinv, ndtri, owens_t

VERY_FEW = 3
"""Errors, or right decisions, of which Wilson's interval covers too seldom."""


class EffectiveRate(NamedTuple):
    """A rate, the number of independent trials that it is worth, and degrees of freedom.

    ``df`` is None where trials are independent; ``few``: whether at most VERY_FEW are errors, or right;
    ``noise``: the variance that noise on the counts adds to the rate; ``clusters``: how its trials are spread
    over them; ``moved``: what each cluster moves the rate (shape (G,)), squares that sum to its variance.
    """

    rate: float
    size: float
    df: float | None = None
    few: bool = False
    noise: float = 0.0
    clusters: ClusterSizes | None = None
    moved: FloatArray | None = None

    def limits(self, level: float | BandLevel) -> Interval:
        """Wilson's interval with Student's t; that of Korn and Graubard at 0 and 1, and of few errors.

        The latter is Clopper and Pearson's with k = rate n errors in n = size (z / t)^2 trials: of few
        errors Wilson's covers too seldom. Korn, Graubard 1998, Survey Methodology 24, 193-201. [0, 1] where
        nothing is known. Noise widens Wilson's interval, which without errors holds the exact one, too. Of a
        band the level is that of ``df``.
        """
        if isinstance(level, BandLevel):
            level = level.at(self.df)
        if self.noise:
            exact = self._replace(noise=0.0).limits(level)
            noisy = wilson_limits(self.rate, self.size, quantile(level, self.df), self.noise)
            return Interval(min(exact.low, float(noisy[0])), max(exact.high, float(noisy[1])))
        if not self.size > 0:
            return Interval(0.0, 1.0)
        t, tail = quantile(level, self.df), (1 - level) / 2
        if 0 < self.rate < 1 and not self.few:
            return Interval(*map(float, wilson_limits(self.rate, self.size, t)))
        # At levels next to 0, where a gate looks for its p, t may be 0.
        n = self.size * (quantile(level, None) / t) ** 2 if t > 0 else self.size
        errors, right = self.rate * n, (1 - self.rate) * n
        return Interval(
            float(betaincinv(errors, right + 1, tail)) if errors > 0 else 0.0,
            float(betaincinv(errors + 1, right, 1 - tail)) if right > 0 else 1.0,
        )


def wilson_limits(rate: Any, n: Any, z: float, noise: Any = 0.0) -> tuple[FloatArray, FloatArray]:
    """Wilson's limits of rates (any shape) in n trials, a fraction where these are effective; in [0, 1].

    All p with (rate - p)^2 <= z^2 (p (1 - p) / n + noise), ``noise`` a variance that a rate has besides.
    """
    whole = 1 + z * z / n
    variance = rate * (1 - rate) / n + (z / (2 * n)) ** 2 + noise * whole
    middle, half = rate + z * z / (2 * n), z * np.sqrt(variance)
    return np.maximum((middle - half) / whole, 0.0), np.minimum((middle + half) / whole, 1.0)


def square_and_add(
    terms: Sequence[tuple[float, EffectiveRate]],
    level: float | BandLevel,
    *,
    exact: bool = False,
    about: float | None = None,
    wider: float = 1.0,
) -> Interval:
    """Interval of V = sum w p over ``(w, p)``, whose rates are of different trials.

    V -+ sqrt(sum_ij R_ij d_i d_j), d = |w (p - limit)|, each limit that of its rate, for w < 0 the opposite
    one. R is the correlation of w p by cluster, and 0 of independent trials: rates of one class that exclude
    each other are taken as independent. Very few errors show no negative one. ``exact``: every rate has the
    limits of few errors, and R is that of as many as there are; ``about``: V, where it is not that sum;
    ``wider`` multiplies distances. Zou, Donner 2008, doi:10.1002/sim.3095; with correlation Zou 2008,
    doi:10.1093/aje/kwn104.
    """
    value, down, up, least = 0.0, 0.0, 0.0, 0.0
    earlier: list[tuple[float, EffectiveRate, float, float]] = []
    for weight, rate in terms:
        if weight:
            limits = (rate._replace(few=True) if exact else rate).limits(level)
            low, high = limits if weight > 0 else reversed(limits)
            below, above = weight * (rate.rate - low), weight * (high - rate.rate)
            value += weight * rate.rate
            down += below**2
            up += above**2
            least += min(weight, 0.0)
            for other_weight, other, other_below, other_above in earlier:
                alike = 2 * correlation_of(rate, other, math.copysign(1.0, weight * other_weight))
                down += alike * below * other_below
                up += alike * above * other_above
            earlier.append((weight, rate, below, above))
    low, high = (wider * math.sqrt(max(0.0, square)) for square in (down, up))
    centre = value if about is None else about
    return Interval(max(least, centre - low), centre + high)


def correlation_of(rate: EffectiveRate, other: EffectiveRate, sign: float) -> float:
    """Return the correlation of two weighted rates by cluster, ``sign`` that of the weights' product."""
    if rate.moved is None or other.moved is None:
        return 0.0
    # Clusters that move neither would change the last bits of sums, and groups have not all of them.
    held = (rate.moved != 0) | (other.moved != 0)
    first, second = rate.moved[held], other.moved[held]
    size = math.sqrt(float((first**2).sum()) * float((second**2).sum()))
    r = sign * float((first * second).sum()) / size if size > 0 else 0.0
    return max(r, 0.0) if rate.few or other.few else r


MOST_ALIKE = 0.999


def correlation_beyond(rate: float, correlation: float) -> float:
    """Correlation of "beyond a threshold that a share ``rate`` passes", of two normal scores correlated so.

    (P(both) - p^2) / (p (1 - p)), P(both) = p - 2 T(h, sqrt((1 - r) / (1 + r))), h = Phi^-1(p), T Owen's
    function; 0 < p < 1. It falls with p; 0 where r is not above 0. Owen 1956, doi:10.1214/aoms/1177728074.
    """
    r = min(correlation, MOST_ALIKE)
    if r <= 0:
        return 0.0
    both = rate - 2 * float(owens_t(float(ndtri(rate)), math.sqrt((1 - r) / (1 + r))))
    return (both - rate * rate) / (rate * (1 - rate))
