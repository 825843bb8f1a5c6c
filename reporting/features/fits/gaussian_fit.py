"""Two normal distributions fitted to the scores of targets and of non-targets, by their moments.

Maximum likelihood with ``ddof`` 0, unbiased variances with 1. Unlike an ordinal fit it depends on the scale
of the scores: a monotone map that is not affine changes the curve. Every number of a fit may be an array:
resamples or simulations. Methods 12.1, 12.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.core.stats.special import ndtr

BLOCK = 2**20
"""Counts of resamples that are worked on at a time."""


@dataclass(frozen=True, eq=False)
class Gaussians:
    """Means and standard deviations of both classes and how many trials they are from; NaN if undefined.

    Means are doubles: next to an offset of the scores, a is known to about 1e-16 offset / sd_target.
    """

    mean_target: Any
    sd_target: Any
    mean_nontarget: Any
    sd_nontarget: Any
    n_target: Any
    n_nontarget: Any
    ddof: int = 0

    @property
    def a(self) -> FloatArray:
        """(mean_target - mean_nontarget) / sd_target."""
        with np.errstate(over="ignore"):
            return np.asarray((self.mean_target - self.mean_nontarget) / self.sd_target)

    @property
    def b(self) -> FloatArray:
        """sd_nontarget / sd_target."""
        with np.errstate(over="ignore"):
            return np.asarray(self.sd_nontarget / self.sd_target)

    @property
    def variances(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Large-sample v_a, v_b and v_ab, the variances of a and b and their covariance.

        1 / N1 + b^2 / N0 + a^2 / (2 N1), b^2 (1 / N0 + 1 / N1) / 2 and a b / (2 N1); methods 12.2.
        """
        a, b = self.a, self.b
        of_target, of_nontarget = (
            1 / np.asarray(n, dtype=np.float64) for n in (self.n_target, self.n_nontarget)
        )
        with np.errstate(over="ignore", invalid="ignore"):
            return (
                of_target + b**2 * of_nontarget + a**2 * of_target / 2,
                b**2 * (of_nontarget + of_target) / 2,
                a * b * of_target / 2,
            )

    @property
    def covariance(self) -> FloatArray:
        """``variances`` as matrices of (a, b), shape (..., 2, 2)."""
        v_a, v_b, v_ab = self.variances
        return np.stack([np.stack([v_a, v_ab], axis=-1), np.stack([v_ab, v_b], axis=-1)], axis=-2)

    def rates(self, threshold: Any) -> tuple[FloatArray, FloatArray]:
        """FAR and FRR of the fitted classes, accepting scores >= threshold; -inf and inf are legal."""
        t = np.asarray(threshold, dtype=np.float64)
        with np.errstate(over="ignore"):
            far = ndtr((self.mean_nontarget - t) / self.sd_nontarget)
            return np.asarray(far), np.asarray(ndtr((t - self.mean_target) / self.sd_target))


def fit_gaussians(score: FloatArray, n_target: Any, n_nontarget: Any, ddof: int = 0) -> Gaussians | None:
    """Fit distinct scores, shape (H,), with counts of either class, shape (..., H).

    Undefined where a class has fewer than two distinct scores, where any trial has an infinite one, and
    where a variance is 0 in double precision: None for single counts, NaN among resamples.
    """
    score = np.asarray(score, dtype=np.float64)
    target, nontarget = np.asarray(n_target), np.asarray(n_nontarget)
    mean_1, sd_1 = _moments(score, target, ddof)
    mean_0, sd_0 = _moments(score, nontarget, ddof)
    # One undefined class leaves the whole fit undefined.
    there = np.isfinite(mean_1) & np.isfinite(sd_1) & np.isfinite(mean_0) & np.isfinite(sd_0)
    if there.ndim == 0 and not there:
        return None
    mean_1, sd_1, mean_0, sd_0 = (np.where(there, part, np.nan)[()] for part in (mean_1, sd_1, mean_0, sd_0))
    return Gaussians(mean_1, sd_1, mean_0, sd_0, target.sum(axis=-1), nontarget.sum(axis=-1), ddof)


def draw_gaussians(fit: Gaussians, rng: np.random.Generator, draws: int) -> Gaussians:
    """Draw fits of new samples of the same sizes from the fitted classes, shape (draws, ...).

    The parametric bootstrap without samples: of N normal scores the mean is normal with variance sd^2 / N
    and, independently, the sum of squares about it is sd^2 chi-squared with N - 1 degrees of freedom. That
    is the exact law of refitting simulated rows. The variance divides by N - ddof, as in the fit. NaN where
    the fit is.
    """
    mean_1, sd_1 = _drawn(fit.mean_target, fit.sd_target, fit.n_target, fit.ddof, rng, draws)
    mean_0, sd_0 = _drawn(fit.mean_nontarget, fit.sd_nontarget, fit.n_nontarget, fit.ddof, rng, draws)
    return Gaussians(mean_1, sd_1, mean_0, sd_0, fit.n_target, fit.n_nontarget, fit.ddof)


def _drawn(
    mean: Any, sd: Any, n: Any, ddof: int, rng: np.random.Generator, draws: int
) -> tuple[FloatArray, FloatArray]:
    mean, sd, n = np.broadcast_arrays(mean, sd, n)
    shape = (draws, *mean.shape)
    moved = mean + sd / np.sqrt(np.maximum(n, 1)) * rng.standard_normal(shape)
    squares = rng.chisquare(np.maximum(n - 1, 1), shape)  # sizes below 2 have no fit, and stay NaN
    return moved, np.asarray(sd * np.sqrt(squares / np.maximum(n - ddof, 1)))


def _moments(score: FloatArray, counts: IntArray, ddof: int) -> tuple[FloatArray, FloatArray]:
    """Mean and standard deviation of one class by replicate; NaN where undefined.

    Scores are first put about the middle of the class's own range and divided by half of it: no digits are
    lost to a common offset or to the other class, and nothing leaves the range of doubles.
    """
    rows = counts.reshape(-1, counts.shape[-1])
    used = np.flatnonzero((rows > 0).any(axis=0) & np.isfinite(score))
    mean, sd = np.full((2, len(rows)), np.nan)
    if len(used) > 1:
        low, high = score[used].min(), score[used].max()
        middle, half = low / 2 + high / 2, high / 2 - low / 2
        unit = (score[used] - middle) / (half if half > 0 else 1.0)
        step = max(1, BLOCK // len(used))
        for at in range(0, len(rows), step):
            part = slice(at, at + step)
            weight = rows[part][:, used]
            outside = (rows[part].sum(axis=-1) != weight.sum(axis=-1)) | ((weight > 0).sum(axis=-1) < 2)
            mean[part], sd[part] = _scaled_moments(unit, weight, outside, ddof)
        mean, sd = middle + half * mean, half * sd
    sd = np.where(sd > 0, sd, np.nan)
    return mean.reshape(counts.shape[:-1]), sd.reshape(counts.shape[:-1])


def _scaled_moments(
    unit: FloatArray, weight: IntArray, undefined: Any, ddof: int
) -> tuple[FloatArray, FloatArray]:
    n = np.where(undefined, np.nan, weight.sum(axis=-1))
    mean = (weight * unit).sum(axis=-1) / n
    # Twice: the second mean takes out what rounding left in the first.
    mean = mean + (weight * (unit - mean[:, None])).sum(axis=-1) / n
    squares = (weight * (unit - mean[:, None]) ** 2).sum(axis=-1)
    return mean, np.sqrt(squares / (n - ddof))
