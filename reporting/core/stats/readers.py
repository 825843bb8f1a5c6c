"""Means over readers drawn from many, of cases drawn from many: Obuchowski and Rockette's analysis.

Every reader has seen the same cases. What two readers' values share is the noise of these cases: c, the mean
covariance of two readers' values over samples of cases that keep the readers. What else readers differ by,
each one's own noise on the cases included, is S^2, the variance between their values.

The noise of a reader's value is linear in what goes with it: its resamples, or for an area its placements,
whose variance is DeLong's in closed form. So c follows from variances of sums (``Variance``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Self

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray
from reporting.core.stats.placements import area_se

Variance = Callable[[FloatArray], FloatArray]
"""From the noise that goes with a value to its variance over samples of cases, shape (P,)."""


def of_replicates(inflation: float) -> Variance:
    """Return the variance of resamples (shape (M, P)), whose spread lacks the factor ``inflation``."""
    return lambda drawn: np.asarray(inflation**2 * np.var(drawn, axis=0, ddof=1))


def of_placements(label: BoolArray, factor: float) -> Variance:
    """Return DeLong's variance of an area times a factor, from placements (shape (N,)); see ``area_se``."""
    return lambda placements: np.array([(factor * area_se(placements, label)) ** 2])


class ReaderSpread(NamedTuple):
    """Standard errors over cases and readers with their degrees of freedom, shape (P,)."""

    se: FloatArray
    df: FloatArray


def reader_spread(
    values: Sequence[FloatArray], noise: Sequence[FloatArray], variance: Variance
) -> ReaderSpread:
    """Return the spread of the mean of R readers' values: those of a model, or differences of two models.

    ``values`` have shape (P,), and ``noise`` goes with each.

        SE^2 = S^2 / R + max(c, 0),    df = SE^4 (R - 1) / (S^2 / R)^2:

    R - 1 where cases add nothing, infinite where readers agree. Of differences SE^2 is
    (2 / R) (MS(TR) + R max(Cov2 - Cov3, 0)). NaN with an undefined resample. Obuchowski and Rockette 1995;
    df is ddf_H of Hillis, Statistics in Medicine 26 (2007). Methods 8.11.
    """
    between, r = _between(values), len(values)
    return _spread(between + np.maximum(_shared(noise, variance), 0.0), (between, r - 1))


def spread_of_others(
    values: tuple[Sequence[FloatArray], Sequence[FloatArray]],
    noise: tuple[Sequence[FloatArray], Sequence[FloatArray]],
    variance: Variance,
) -> ReaderSpread:
    """Return the spread of the difference of two means whose readers are not the same.

    SE^2 = S1^2 / R1 + S2^2 / R2 + max(c1 + c2 - 2 c12, 0), c12 the covariance of a reader of the first with
    one of the second; df as Satterthwaite has it. A model without readers is one reader that does not vary.
    """
    first, second = ((_between(of_model), len(of_model) - 1) for of_model in values)
    means = [np.mean(of_model, axis=0) for of_model in noise]
    one, other, apart = (variance(mean) for mean in (*means, means[0] - means[1]))
    shared = _shared(noise[0], variance) + _shared(noise[1], variance) - (one + other - apart)
    return _spread(first[0] + second[0] + np.maximum(shared, 0.0), first, second)


def reader_deviations(drawn: Sequence[FloatArray]) -> FloatArray:
    """Return what R readers' values differ from their mean by, shape (R, ...), over sqrt(R (R - 1)).

    Scaled down so that they hold the variance between readers alone: S^2 less the mean of a reader's
    variance, plus c; 0 where that is negative. ``drawn`` have shape (M, ...).
    """
    r = len(drawn)
    values = np.stack([of_reader.mean(axis=0) for of_reader in drawn])
    observed = np.var(values, axis=0, ddof=1)
    own = np.mean([np.var(of_reader, axis=0, ddof=1) for of_reader in drawn], axis=0)
    true = np.maximum(observed - own + _shared(drawn, of_replicates(1.0)), 0.0)
    share = np.divide(true, observed, out=np.zeros_like(observed), where=observed > 0)
    return np.asarray((values - values.mean(axis=0)) * np.sqrt(share / (r * (r - 1))))


class ReaderVariances(NamedTuple):
    """Variances of a difference of two models as one reader sees it, over samples of some cases.

    ``between``: of readers' true differences; ``own``: the noise of a reader's own; ``shared``: the noise
    that the cases bring to all readers alike. The latter two fall as 1 / cases.
    """

    between: float
    own: float
    shared: float

    @classmethod
    def estimated(cls, values: Sequence[FloatArray], noise: Sequence[FloatArray], variance: Variance) -> Self:
        """Return those of R readers' differences (shape (1,)), with what goes with them as noise.

        As in ``reader_spread``. ``between`` is what readers vary by beyond their own noise, or 0.
        """
        shared = max(float(_shared(noise, variance)[0]), 0.0)
        own = max(float(np.mean([variance(of_reader) for of_reader in noise])) - shared, 0.0)
        return cls(max(float(np.var(values, axis=0, ddof=1)[0]) - own, 0.0), own, shared)

    def spread(self, readers: int, times: float) -> tuple[float, float]:
        """Return the standard error of a mean over readers with its df, at ``times`` the cases.

        SE^2 = (between + own / times) / R + shared / times; df as in ``reader_spread``.
        """
        of_readers = np.array((self.between + self.own / times) / readers)
        spread = _spread(of_readers + self.shared / times, (of_readers, readers - 1))
        return float(spread.se), float(spread.df)


def _between(values: Sequence[FloatArray]) -> FloatArray:
    """S^2 / R; 0 for one reader."""
    return np.asarray(np.var(values, axis=0, ddof=min(1, len(values) - 1)) / len(values))


def _shared(noise: Sequence[FloatArray], variance: Variance) -> FloatArray:
    """The mean covariance c of two readers' values; the variance of a single one's."""
    r = len(noise)
    own = np.sum([variance(of_reader) for of_reader in noise], axis=0)
    if r == 1:
        return np.asarray(own)
    return np.asarray((r * r * variance(np.mean(noise, axis=0)) - own) / (r * (r - 1)))


def _spread(variance: FloatArray, *parts: tuple[FloatArray, int]) -> ReaderSpread:
    """Add the degrees of freedom of parts of a variance, each with its own."""
    unsure = sum(between**2 / max(df, 1) for between, df in parts)
    df = np.divide(variance**2, unsure, out=np.full_like(variance, np.inf), where=unsure > 0)
    return ReaderSpread(np.sqrt(variance), df)
