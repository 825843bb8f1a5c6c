"""Means over classes, the top label, and calibration of probabilities of several classes.

Arrays have the classes along their last axis (K). A class without trials enters no mean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray
from reporting.core.stats.effective_size import wilson_limits
from reporting.core.stats.rates import ratio
from reporting.core.stats.special import gammaincinv, ndtr

BINS = 10
SUM_TOLERANCE = 0.02 + 1e-9
"""How far the probabilities of a trial may be from 1 in all, for rounding."""


def top_label(score: FloatArray) -> IntArray:
    """Return the class of the highest score (shape (N,)) of (N, K); of equal ones the first."""
    return np.asarray(score.argmax(axis=1))


def tied(score: FloatArray) -> BoolArray:
    """Return which trials have two or more highest scores (shape (N,))."""
    return np.asarray((score == score.max(axis=1, keepdims=True)).sum(axis=1) > 1)


def macro(values: FloatArray, n: Any) -> FloatArray:
    """Return the mean over classes with trials (``n`` > 0), each weighing the same; NaN where one is."""
    return weighted(values, np.asarray(n) > 0)


def weighted(values: FloatArray, n: Any) -> FloatArray:
    """Return the mean over classes by their trials, sum n_c v_c / sum n_c; NaN where one with trials is."""
    n = np.asarray(n)
    return ratio(np.where(n > 0, values * n, 0.0).sum(axis=-1), n.sum(axis=-1))


def areas(counts: IntArray, targets: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return AUC and average precision (shape (M,)) of counts in ascending cells (shape (M, 2, n)).

    Counts have non-targets first; ``targets`` are the places of all cells that may hold targets. These
    alone count: AUC = sum t (2 F - f) / (2 N1 N0) and AP = sum t TP / (TP + FP) / N1, of t targets and f
    non-targets in a cell, and F up to it. As ``auc`` and ``ap_step`` of ``core/stats`` in a third of the
    time; NaN where a class is empty.
    """
    below = np.cumsum(counts[:, 0], axis=1, dtype=np.int64)
    n_nontarget = below[:, -1].astype(np.float64)
    t = counts[:, 1, targets].astype(np.float64)
    f, below = counts[:, 0, targets], below[:, targets].astype(np.float64)
    above = np.cumsum(t[:, ::-1], axis=1)[:, ::-1]  # targets in a cell and above it
    n_target = above[:, 0]
    is_defined = (n_target > 0) & (n_nontarget > 0)
    pairs = np.where(is_defined, 2 * n_target * n_nontarget, np.nan)
    auc = np.einsum("mj,mj->m", t, 2 * below - f) / pairs
    accepted = above + n_nontarget[:, None] - below + f
    precision = np.divide(above, accepted, out=np.zeros_like(above), where=accepted > 0)
    return auc, np.einsum("mj,mj->m", t, precision) / np.where(is_defined, n_target, np.nan)


def limits_of_mean(point: FloatArray, limits: FloatArray, drawn: FloatArray) -> tuple[float, float]:
    """Return limits of the mean of K values (shape (K,)) by their own ``limits`` (shape (K, 2)).

    V -+ sqrt(sum_ij R_ij d_i d_j) / K, d the distance of each value to its limit on that side, R the
    correlation of resamples ``drawn`` (shape (K, M)), 0 of values that none moves. Zou 2008,
    doi:10.1093/aje/kwn104.
    """
    off = np.nan_to_num(drawn - np.nanmean(drawn, axis=1, keepdims=True))
    size = np.sqrt((off**2).sum(axis=1, keepdims=True))
    unit = np.divide(off, size, out=np.zeros_like(off), where=size > 0)
    alike = unit @ unit.T
    np.fill_diagonal(alike, 1.0)
    down, up = (np.sqrt(max(0.0, float(d @ alike @ d))) / len(point) for d in np.abs(limits.T - point))
    return float(point.mean() - down), float(point.mean() + up)


def are_probabilities(score: FloatArray) -> bool:
    """Return whether the scores of every trial lie in [0, 1] and sum to 1, within ``SUM_TOLERANCE``."""
    within = bool(((score >= 0) & (score <= 1)).all())
    return within and bool((np.abs(score.sum(axis=1) - 1) <= SUM_TOLERANCE).all())


class CalibrationBins(NamedTuple):
    """Trials in equal bins of [0, 1] (shape (B,)): how many, their mean probability, and how often it holds.

    NaN where a bin is empty. A bin takes its lower limit, the last one 1 too.
    """

    trials: FloatArray
    probability: FloatArray
    frequency: FloatArray

    @property
    def error(self) -> float:
        """The expected calibration error, sum of (trials / all) |mean probability - frequency|.

        Naeini, Cooper, Hauskrecht 2015; of a class against the rest, Kull and others 2019; of the top label,
        Guo and others 2017.
        """
        gaps = np.nan_to_num(self.trials * np.abs(self.probability - self.frequency))
        return float(ratio(gaps.sum(), self.trials.sum()))


def calibration_bins(probability: FloatArray, holds: BoolArray, weight: IntArray | None) -> CalibrationBins:
    """Return the bins of probabilities (shape (N,)) that ``holds`` shows to be right or wrong."""
    w = np.ones(len(holds)) if weight is None else weight.astype(np.float64)
    # A mean of decimals may miss its bin's limit by rounding: the table's own order decides no digit.
    order = np.argsort(probability, kind="stable")
    at = _bin_of(probability)[order]
    trials = np.bincount(at, w[order], BINS).astype(np.float64)
    sums = (np.bincount(at, (w * of)[order], BINS) for of in (probability, holds))
    return CalibrationBins(trials, *(ratio(each, trials) for each in sums))


def _bin_of(probability: FloatArray) -> IntArray:
    return np.minimum(np.searchsorted(np.arange(1, BINS) / BINS, probability, side="right"), BINS - 1)


class Forecasts(NamedTuple):
    """Probabilities that ``holds`` shows to be right or wrong (shape (N,)), and their share in a mean."""

    probability: FloatArray
    holds: BoolArray
    share: float = 1.0


def limits_of_errors(
    every: Sequence[Forecasts], unit: IntArray, weight: IntArray | None, reach: float, *, clustered: bool
) -> tuple[float, float]:
    """Return limits of a mean of calibration errors E = sum_k c_k sum_b |d_kb| that hold at least as often.

    d is the mean over all trials of probability less outcome, 0 of those in other bins. With the true signs
    s, sum s d is about normal and at most V, the estimate: V + z SE(sum s d) is an upper limit, with what
    skewness adds (Johnson 1978, (2 z^2 + 1) / 6 times the third moment over SE^2). V exceeds E by at most
    sum c |d* - d|, half-normal numbers whose sum is about gamma: its quantile below V is a lower one.
    ``reach`` is z, with what clusters add, and ``unit`` the unit of each trial, whose sums make standard
    errors. The sizes of different k count as wholly dependent, those of bins too where ``clustered``.
    """
    w = np.ones(len(unit)) if weight is None else weight.astype(np.float64)
    total, n_units = float(w.sum()), int(unit.max()) + 1
    of_unit, signed = np.bincount(unit, w, n_units), np.zeros(n_units)
    value = half_normal = spread = 0.0
    for probability, holds, share in every:
        gap, at = w * (probability - holds), _bin_of(probability)
        d = np.bincount(at, gap, BINS) / total
        value += share * float(np.abs(d).sum())
        # A bin without any error has either sign; the one by which skewness adds to the limit is taken.
        sign = np.where(np.where(d == 0, np.bincount(at, gap**3, BINS), d) < 0, -1.0, 1.0)
        signed += share * (np.bincount(unit, sign[at] * gap, n_units) - np.abs(d).sum() * of_unit)
        variance = _variances(calibration_bins(probability, holds, weight), gap, at, unit, w, reach)
        half_normal += share * float(np.sqrt(variance).sum())
        spread += share * float(np.sqrt(variance).sum() if clustered else np.sqrt(variance.sum()))
    mean, deviation = HALF_NORMAL[0] * half_normal, HALF_NORMAL[1] * spread
    above = 0.0
    if deviation:
        above = deviation**2 / mean * float(gammaincinv((mean / deviation) ** 2, float(ndtr(reach))))
    square, cube = float((signed**2).sum()), float((signed**3).sum())
    skewed = (2 * reach**2 + 1) / 6 * max(0.0, cube) / square if square else 0.0
    away = (reach * math.sqrt(square) + skewed) / total
    # Where all outcomes agree, as many trials may hide a share of others: as of a rate without errors.
    unseen = 1 - float(ndtr(-reach) ** ((w**2).sum() / total**2))
    high = value + max(away, unseen)
    return max(0.0, value - above), min(1.0, high)


def _variances(
    bins: CalibrationBins, gap: FloatArray, at: IntArray, unit: IntArray, w: FloatArray, reach: float
) -> FloatArray:
    """Return the variance of the d of every bin (shape (B,)), from the sums of gaps of each unit.

    It is at least that of outcomes at the frequency nearest to the stated probability that Wilson's limits
    allow: outcomes of a bin may all agree.
    """
    of_unit, d = np.bincount(unit, w), np.bincount(at, gap, BINS) / w.sum()
    cells, back = np.unique(unit * BINS + at, return_inverse=True)
    own, place, units = np.bincount(back, gap), cells % BINS, cells // BINS
    squares = np.bincount(place, own**2, BINS) - 2 * d * np.bincount(place, own * of_unit[units], BINS)
    of_trials = np.bincount(at, w**2, BINS)
    limits = wilson_limits(bins.frequency, ratio(bins.trials**2, of_trials), reach)
    nearest = np.clip(bins.probability, *limits)
    least = np.nan_to_num(of_trials * nearest * (1 - nearest))
    return np.asarray(np.maximum(squares + d**2 * (of_unit**2).sum(), least) / w.sum() ** 2)


HALF_NORMAL = math.sqrt(2 / math.pi), math.sqrt(1 - 2 / math.pi)
"""Mean and standard deviation of |z|, z standard normal."""


def together(runs: Sequence[CalibrationBins]) -> CalibrationBins:
    """Return the bins of several runs as those of all their trials."""
    trials = np.sum([of.trials for of in runs], axis=0)
    sums = (
        np.nansum([of.trials * each for of, each in zip(runs, values, strict=True)], axis=0)
        for values in ([of.probability for of in runs], [of.frequency for of in runs])
    )
    return CalibrationBins(trials, *(ratio(each, trials) for each in sums))
