"""Noise on the counts of a bundle: its variance, and what it adds to numbers.

A class of a set has B bins. Every model and run (M of them) counts the same trials into bins of its own, and
every count has independent discrete Laplace noise with P(X = x) = (1 - a) / (1 + a) a^|x|, a = exp(-epsilon).
All numbers of trials are brought to the mean N of the M noisy totals: what a total is off is spread over its
bins. Ghosh, Roughgarden, Sundararajan 2012, doi:10.1137/09076828X.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import polars as pl

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.records import dataclass
from reporting.core.stats.confusion import Share
from reporting.core.stats.placements import placement_values
from reporting.inputs.bundle import Bundle


@dataclass(frozen=True, eq=False)
class BinNoise:
    """The noise on the counts of a set of trials, and what it adds to the variance of rates and areas."""

    variance: float
    """Of each count."""
    keys: Mapping[tuple[str, str], FloatArray]
    """The lowest score of every bin (shape (B,)), by model and run."""

    @property
    def n_bins(self) -> int:
        """How many counts a class has."""
        return len(next(iter(self.keys.values())))

    @property
    def of_trials(self) -> float:
        """The variance of the number of trials of a class."""
        return self.variance * self.n_bins / len(self.keys)

    def of_rate(
        self, whose: tuple[str, str], threshold: float, share: Share, rate: float, whole: float
    ) -> float:
        """Return what it adds to the variance of a share, k of ``whole`` trials, at a threshold.

        To first order: a count weighs (1 - rate) / whole where it is in k, -rate / whole in the rest.
        """
        rejected = int(np.searchsorted(self.keys[whose], threshold))
        accepted = self.n_bins - rejected
        variance = 0.0
        for cells in ((rejected, 0, self.n_bins, 0), (0, accepted, 0, self.n_bins)):
            part, of_whole = share.counts(*cells)
            weights = np.zeros(self.n_bins)
            weights[:of_whole] = -rate / whole
            weights[:part] = (1 - rate) / whole
            variance += added_variance(weights, self.variance, len(self.keys))
        return variance

    def of_area(
        self,
        whose: tuple[str, str],
        score: FloatArray,
        n_target: IntArray,
        n_nontarget: IntArray,
        area: float,
    ) -> float:
        """Return what it adds to the variance of an AUC: a count weighs (placement - AUC) / class size."""
        counts = np.zeros((2, self.n_bins), dtype=np.int64)
        counts[:, np.searchsorted(self.keys[whose], score)] = n_target, n_nontarget
        placed = zip(placement_values(*counts), counts.sum(axis=1), strict=True)
        return sum(
            added_variance((placement - area) / n, self.variance, len(self.keys)) for placement, n in placed
        )


def noise_in(bundle: Bundle) -> BinNoise | None:
    """Return the noise on the counts of a bundle, added up over its files; None without any."""
    if bundle.about.noise is None:
        return None
    noises = [part.about.noise for part in bundle.parts or (bundle,)]
    keys = bundle.rows.group_by("model", "run").agg(pl.col("key").unique().sort())
    return BinNoise(
        sum(noise_variance(noise.epsilon) for noise in noises if noise),
        {(model, run): np.array(key) for model, run, key in keys.iter_rows()},
    )


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
