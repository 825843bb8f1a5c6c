"""Two normal distributions fitted to the scores of targets and of non-targets, by their moments.

Maximum likelihood with ``ddof`` 0, unbiased variances with 1. Unlike an ordinal fit it depends on the scale
of the scores: a monotone map that is not affine changes the curve. Every number of a fit may be an array:
resamples or simulations. Methods 12.1, 12.2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.records import dataclass
from reporting.core.stats.special import ndtr


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
    """Fit distinct scores with counts of either class, each of shape (H,).

    None where a class has fewer than two distinct scores, where any trial has an infinite one, and where a
    variance is 0 in double precision.
    """
    score = np.asarray(score, dtype=np.float64)
    target, nontarget = np.asarray(n_target), np.asarray(n_nontarget)
    of_target, of_nontarget = _moments(score, target, ddof), _moments(score, nontarget, ddof)
    if of_target is None or of_nontarget is None:
        return None
    return Gaussians(*of_target, *of_nontarget, target.sum(), nontarget.sum(), ddof)


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


def _moments(score: FloatArray, counts: IntArray, ddof: int) -> tuple[float, float] | None:
    """Mean and standard deviation of one class; None where undefined.

    Scores are first put about the middle of the class's own range and divided by half of it: no digits are
    lost to a common offset or to the other class, and nothing leaves the range of doubles.
    """
    held = counts > 0
    if held.sum() < 2 or not np.isfinite(score[held]).all():
        return None
    own, weight = score[held], counts[held]
    low, high = own.min(), own.max()
    middle, half = low / 2 + high / 2, high / 2 - low / 2
    unit = (own - middle) / (half if half > 0 else 1.0)
    n = weight.sum()
    mean = (weight * unit).sum() / n
    # Twice: the second mean takes out what rounding left in the first.
    mean += (weight * (unit - mean)).sum() / n
    sd = half * np.sqrt((weight * (unit - mean) ** 2).sum() / (n - ddof))
    return (float(middle + half * mean), float(sd)) if sd > 0 else None
