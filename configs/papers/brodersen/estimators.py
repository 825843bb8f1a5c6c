"""How well average precision is estimated: five ways to do it, on simulated rows of scores.

A row is one simulation: scores of its targets, shape (..., N1), and of its non-targets, shape (..., N0).
Average precision by counts is that of ``precision_recall``; here the counts of all rows are made at once.
Source: Brodersen, Ong, Stephan, Buhmann 2010; methods 6.4, 12.6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.core.stats.precision_recall import ap_dg, ap_step, ap_trapezoid
from reporting.core.stats.rates import ratio
from reporting.features.fits.binormal import average_precision
from reporting.features.fits.gaussian_fit import Gaussians

EMPIRICAL = {"step": ap_step, "trapezoid": ap_trapezoid, "davis_goadrich": ap_dg}
"""Average precision by counts, by name."""

ESTIMATORS = (*EMPIRICAL, "open_trapezoid", "binormal", "alpha_binormal", "alpha_binormal_ddof1")
"""The names of all estimates."""


@dataclass(frozen=True)
class Law:
    """Normal scores of one spread: targets about ``mean``, non-targets about ``-mean``; ``n`` in a row."""

    n: int = 100
    mean: float = 1.0
    sd: float = 2.0

    @property
    def curve(self) -> tuple[float, float]:
        """a and b of the binormal curve."""
        return 2 * self.mean / self.sd, 1.0

    def average_precision(self, alpha: float) -> float:
        """The true average precision where the share of targets is ``alpha``."""
        return float(average_precision(*self.curve, alpha))

    def n_target(self, alpha: float) -> int:
        """How many of a row are targets: alpha n, rounded half to even."""
        return round(alpha * self.n)

    def rows(
        self, n_target: int, simulations: int, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Draw scores of targets and of non-targets, one row a simulation."""
        noise = self.sd * rng.standard_normal((simulations, self.n))
        return noise[:, :n_target] + self.mean, noise[:, n_target:] - self.mean


def error_counts(target: Any, nontarget: Any) -> tuple[IntArray, IntArray]:
    """Return misses and false alarms at N + 1 cuts of every row, from accept all to reject all.

    Shapes (..., N1) and (..., N0) make (..., N + 1). Tied trials share one cut, which is then repeated; no
    area gains from a cut that is.
    """
    target, nontarget = np.asarray(target, dtype=np.float64), np.asarray(nontarget, dtype=np.float64)
    n_target = target.shape[-1]
    pooled = np.concatenate((target, nontarget), axis=-1)
    order = np.argsort(pooled, axis=-1)
    zero = np.zeros((*pooled.shape[:-1], 1), dtype=np.int64)
    misses = np.concatenate((zero, np.cumsum(order < n_target, axis=-1)), axis=-1)
    place = np.arange(pooled.shape[-1] + 1)
    ascending = np.take_along_axis(pooled, order, axis=-1)
    tied = np.concatenate((zero, ascending[..., 1:] == ascending[..., :-1], zero), axis=-1)
    if tied.any():
        cut = np.maximum.accumulate(np.where(tied == 1, 0, place), axis=-1)
        misses, place = np.take_along_axis(misses, cut, axis=-1), cut
    return misses, nontarget.shape[-1] - (place - misses)


def ap_open_trapezoid(misses: Any, false_alarms: Any) -> FloatArray:
    """Area under straight lines between the points (recall, precision) that the data have, in [0, 1].

    Higher is better. Unlike ``ap_trapezoid`` it begins at the first accepted trial: what lies to its left is
    counted as nothing. So the authors' own program sums it. NaN with an empty class; cuts may repeat.
    """
    misses, false_alarms = np.asarray(misses), np.asarray(false_alarms)
    hits = (misses[..., -1:] - misses).astype(np.float64)
    precision = np.nan_to_num(ratio(hits, hits + false_alarms))
    before = hits[..., 1:] + false_alarms[..., 1:] > 0
    width = np.where(before, hits[..., :-1] - hits[..., 1:], 0.0)
    area = (width * (precision[..., :-1] + precision[..., 1:]) / 2).sum(axis=-1)
    return np.where(false_alarms[..., 0] > 0, ratio(area, hits[..., 0]), np.nan)


def estimates(target: Any, nontarget: Any) -> dict[str, FloatArray]:
    """Return average precision of every row, shape (...), by each of ``ESTIMATORS``; NaN where undefined.

    ``binormal`` fits both classes and takes them to be equally frequent; ``alpha_binormal`` takes the share
    of targets of the row. ``alpha_binormal_ddof1`` has variances over N - 1 instead of N.
    """
    counts = error_counts(target, nontarget)
    found = {name: estimate(*counts) for name, estimate in EMPIRICAL.items()}
    found["open_trapezoid"] = ap_open_trapezoid(*counts)
    n_target, n_nontarget = np.shape(target)[-1], np.shape(nontarget)[-1]
    share = n_target / (n_target + n_nontarget)
    for name, alpha, ddof in (
        ("binormal", 0.5, 0),
        ("alpha_binormal", share, 0),
        ("alpha_binormal_ddof1", share, 1),
    ):
        found[name] = _fitted(target, nontarget, alpha, ddof)
    return found


def fit_rows(target: Any, nontarget: Any, ddof: int = 0) -> Gaussians:
    """Fit two normal classes to every row of scores, (..., N1) and (..., N0); NaN where one is undefined."""
    target, nontarget = np.asarray(target, dtype=np.float64), np.asarray(nontarget, dtype=np.float64)
    moments = np.array([*_row_moments(target, ddof), *_row_moments(nontarget, ddof)])
    mean_1, sd_1, mean_0, sd_0 = np.where(np.isfinite(moments).all(axis=0), moments, np.nan)
    return Gaussians(mean_1, sd_1, mean_0, sd_0, target.shape[-1], nontarget.shape[-1], ddof)


def _row_moments(score: FloatArray, ddof: int) -> tuple[FloatArray, FloatArray]:
    """Mean and standard deviation along the last axis, of scores put within [-1, 1] about their middle."""
    if score.shape[-1] < 2:
        return np.full(score.shape[:-1], np.nan), np.full(score.shape[:-1], np.nan)
    low, high = score.min(axis=-1, keepdims=True), score.max(axis=-1, keepdims=True)
    middle, half = low / 2 + high / 2, high / 2 - low / 2
    unit = (score - middle) / np.where(half > 0, half, 1.0)
    mean = unit.mean(axis=-1, keepdims=True)
    mean = mean + (unit - mean).mean(axis=-1, keepdims=True)
    variance = ((unit - mean) ** 2).sum(axis=-1, keepdims=True) / (score.shape[-1] - ddof)
    sd = (half * np.sqrt(variance))[..., 0]
    return (middle + half * mean)[..., 0], np.where(sd > 0, sd, np.nan)


def _fitted(target: Any, nontarget: Any, alpha: float, ddof: int) -> FloatArray:
    fit = fit_rows(target, nontarget, ddof)
    return np.asarray(average_precision(fit.a, fit.b, alpha))


@dataclass(frozen=True)
class Performance:
    """How estimates lie about the truth; NaN where no row, or for ``_se`` only one, has an estimate."""

    mean: float
    bias: float
    bias_se: float
    rmse: float
    rmse_se: float
    undefined: int


def performance(estimate: FloatArray, truth: float) -> Performance:
    """Return mean, bias = mean - truth and rmse = sqrt(mean (estimate - truth)^2) of the defined estimates.

    The standard error of the bias is sd / sqrt(R); that of the rmse follows from the squares by the delta
    method, sd(squares) / (2 rmse sqrt(R)).
    """
    there = estimate[np.isfinite(estimate)]
    undefined = int(estimate.size - there.size)
    if there.size == 0:
        return Performance(np.nan, np.nan, np.nan, np.nan, np.nan, undefined)
    error = there - truth
    rmse = float(np.sqrt(np.mean(error**2)))
    squares = _standard_error(error**2)
    rmse_se = squares / (2 * rmse) if rmse > 0 else squares
    return Performance(
        float(there.mean()), float(error.mean()), _standard_error(error), rmse, rmse_se, undefined
    )


def _standard_error(values: FloatArray) -> float:
    return float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else np.nan
