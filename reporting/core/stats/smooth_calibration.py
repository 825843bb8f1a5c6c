"""The smooth calibration curve: the frequency of targets as a function of the stated probability, by loess.

Local quadratic regression of the outcome on the probability (Cleveland, Devlin 1988; Austin, Steyerberg
2014): at a vertex v every trial weighs (1 - (d / h)^3)^3, d its distance and h that of the trial at three
quarters of all (``SPAN``). Vertices are the ends of the range, and the medians that halve the trials until a
cell holds 15% of them at the most (Cleveland, Grosse 1991); between vertices the curve is the cubic with
their values and slopes. This is what ``loess(y ~ p)`` of R computes with its defaults, so that indices made
of it agree with those of published code. There are nine vertices as a rule, so that the cost grows with the
number of trials, not with its square: a million need no other smoother.

Where R has no answer, ties of probabilities among the nearest trials, windows are widened to two distinct
values, and a window of two has a straight line. Frequencies are kept within [0, 1].

Probabilities come as distinct values (shape (H,), any order, repeats allowed) with the trials of each class
at each (shape (..., H)); leading axes are bootstrap resamples, each with vertices and windows of its own. A
trial counts as a row of its own, whatever the number of rows that are merged.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray
from reporting.base.records import dataclass, replace
from reporting.core.stats.calibration import fit_logistic, regroup
from reporting.core.stats.rates import ratio
from reporting.core.stats.solvers import first_where
from reporting.core.stats.special import expit, logit

SPAN = 0.75
"""The share of the trials in every window."""
CELL = 0.2
"""A cell between vertices holds at most this share of a window's trials."""
MARGIN = 0.005
"""The outermost vertices lie so far outside the probabilities, in ranges of these."""
WIDENED = 1.25
"""A window with less than two distinct probabilities reaches so many times as far as the second of them."""
NEAR_END = 1e-12
"""Probabilities are kept so far from 0 and 1 where their log odds must be finite."""
FLAT = 1e-12
"""A quadratic term with less than this share of the greatest possible spread is none."""


@dataclass(frozen=True, eq=False)
class ProbabilityTable:
    """R sets of trials over the same ascending probabilities (shape (B,)): all fields have shape (R, B).

    ``trials`` counts rows; ``target`` and ``weight`` are what targets and all trials weigh, the same numbers
    unless a share of targets is declared.
    """

    probability: FloatArray
    trials: IntArray
    target: FloatArray
    weight: FloatArray

    @cached_property
    def before(self) -> IntArray:
        """Trials before every probability, and at last all of them (shape (R, B + 1))."""
        return np.pad(np.cumsum(self.trials, axis=1), ((0, 0), (1, 0)))

    @property
    def total(self) -> IntArray:
        """Trials of every set (shape (R,))."""
        return self.before[:, -1]

    @cached_property
    def curve(self) -> SmoothCurve:
        """The curve of every set."""
        return fit(self)

    @cached_property
    def _in_one_row(self) -> tuple[IntArray, IntArray]:
        """Trials up to every probability, the sets one behind the other, and those before each set."""
        sets_before = np.cumsum(self.total) - self.total
        return (self.before[:, 1:] + sets_before[:, None]).ravel(), sets_before

    def ranked(self, rank: IntArray) -> FloatArray:
        """Return the probabilities of the trials of these ranks (shape (R, ...), counted from 1)."""
        return np.asarray(self.probability[self.place(rank)])

    def place(self, rank: IntArray) -> IntArray:
        """Return which of the B probabilities the trials of these ranks have."""
        up_to, sets_before = self._in_one_row
        per_set = (slice(None), *[None] * (rank.ndim - 1))
        at = np.searchsorted(up_to, rank + sets_before[per_set])
        return np.asarray(at - len(self.probability) * np.arange(len(sets_before))[per_set])

    def trials_before(self, place: IntArray) -> IntArray:
        """Return how many trials come before these of the B probabilities (shape (R, ...))."""
        return np.take_along_axis(self.before, place, axis=1)


def table_of(
    probability: Any, n_target: Any, n_nontarget: Any, prevalence: float | None = None
) -> ProbabilityTable:
    """Return the sets of trials that have both classes; ``prevalence`` weighs these to a share of targets."""
    p, targets, nontargets = regroup(probability, n_target, n_nontarget)
    targets, nontargets = (np.asarray(n, dtype=np.int64).reshape(-1, len(p)) for n in (targets, nontargets))
    trials = targets + nontargets
    if prevalence is None:
        return ProbabilityTable(p, trials, targets.astype(np.float64), trials.astype(np.float64))
    n1, n = targets.sum(axis=1, keepdims=True), trials.sum(axis=1, keepdims=True)
    target = targets * (prevalence * ratio(n, n1))
    return ProbabilityTable(p, trials, target, target + nontargets * ((1 - prevalence) * ratio(n, n - n1)))


@dataclass(frozen=True, eq=False)
class SmoothCurve:
    """R curves by their vertices, ascending (shape (R, V)), with the value and the slope at each.

    Curves of fewer vertices repeat their last.
    """

    vertex: FloatArray
    value: FloatArray
    slope: FloatArray

    def at(self, probability: FloatArray) -> FloatArray:
        """Return the frequencies at probabilities (shape (G,)), shape (R, G); beyond its ends as at them."""
        return np.clip(self.unbounded(probability), 0.0, 1.0)

    def unbounded(self, probability: FloatArray) -> FloatArray:
        """Return the same before it is kept within [0, 1], where it is linear in the outcomes."""
        p, count = np.asarray(probability, dtype=np.float64), self.vertex.shape[1]
        frequency = np.empty((len(self.vertex), len(p)))
        for row, vertex in enumerate(self.vertex):
            right = np.clip(np.searchsorted(vertex, p, side="left"), 1, count - 1)
            left = right - 1
            width = vertex[right] - vertex[left]
            share = np.clip((p - vertex[left]) / np.where(width > 0, width, 1.0), 0.0, 1.0)
            rest, (value, slope) = 1 - share, (self.value[row], self.slope[row])
            frequency[row] = (
                rest * rest * (1 + 2 * share) * value[left]
                + share * share * (3 - 2 * share) * value[right]
                + share * rest * width * (rest * slope[left] - share * slope[right])
            )
        return frequency


def fit(table: ProbabilityTable) -> SmoothCurve:
    """Fit the curve to every set of trials of a table, none of which may be empty."""
    vertex = _vertices(table)
    return SmoothCurve(vertex, *local_fits(table, vertex))


def smoothing_bias(table: ProbabilityTable, probability: FloatArray) -> FloatArray:
    """Return how far the curve of one set of trials lies too high because it is smooth (shape (G,)).

    Were the frequencies those of P = expit(a + b logit p), fitted to the trials, the smoothing of P less P
    itself: a fitted line costs little variance, and 0 of calibrated probabilities stays about 0. All 0 where
    the line has no fit, as of separated classes. Trials with p = 0 or 1 do not take part in it. The start of
    Hjort and Glad 1995, doi:10.1214/aos/1176324627, who subtract it.
    """
    target, nontarget = table.target[0], table.weight[0] - table.target[0]
    inside = (table.probability > 0) & (table.probability < 1)
    line = fit_logistic(logit(table.probability[inside]), target[inside], nontarget[inside])
    if line is None:
        return np.zeros(len(probability))

    def recalibrated(p: FloatArray) -> FloatArray:
        return np.asarray(expit(line.intercept + line.slope * logit(np.clip(p, NEAR_END, 1 - NEAR_END))))

    as_fitted = replace(table, target=table.weight * recalibrated(table.probability))
    return np.asarray(as_fitted.curve.unbounded(probability)[0] - recalibrated(probability))


def local_fits(table: ProbabilityTable, vertex: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return value and slope of the local fits at vertices (shape (R, V)) of every set of trials."""
    value, slope = np.empty(vertex.shape), np.empty(vertex.shape)
    window = _windows(table, vertex)
    for at in range(vertex.shape[1]):
        if at and (vertex[:, at] == vertex[:, at - 1]).all():
            value[:, at], slope[:, at] = value[:, at - 1], slope[:, at - 1]
        else:
            value[:, at], slope[:, at] = _local(table, vertex[:, at], window[:, at])
    return value, slope


class _Cells(NamedTuple):
    """Trials between vertices: the first and the last, and the vertices around them (shape (R, C) each)."""

    first: IntArray
    last: IntArray
    left: FloatArray
    right: FloatArray


def _vertices(table: ProbabilityTable) -> FloatArray:
    """The ends of the range and the bounds between cells: shape (R, V), ascending, the last repeated."""
    n = table.total[:, None]
    low, high = table.ranked(np.ones_like(n)), table.ranked(n)
    beyond = MARGIN * np.maximum(high - low, np.maximum(np.abs(low), np.abs(high)) * 1e-3 + 1e-30)
    low, high = low - beyond, high + beyond
    vertices, cells = [low, high], _Cells(np.ones_like(n), n, low, high)
    while True:
        cut, middle, whole = _halves(table, cells)
        whole |= cells.last - cells.first + 1 <= np.floor(SPAN * CELL * n)
        if whole.all():
            break
        vertices.append(np.where(whole, high, cut))
        # A cell that stays whole is followed by one without trials, which no further round sees.
        middle, cut = np.where(whole, cells.last, middle), np.where(whole, cells.right, cut)
        first = np.concatenate((cells.first, middle + 1), axis=1)
        last = np.concatenate((middle, cells.last), axis=1)
        left, right = np.concatenate((cells.left, cut), axis=1), np.concatenate((cut, cells.right), axis=1)
        used = (first <= last).any(axis=0)
        cells = _Cells(first[:, used], last[:, used], left[:, used], right[:, used])
    vertex = np.sort(np.concatenate(vertices, axis=1), axis=1)
    return vertex[:, np.append(True, (np.diff(vertex, axis=1) > 0).any(axis=0))]


def _halves(table: ProbabilityTable, cells: _Cells) -> tuple[FloatArray, IntArray, BoolArray]:
    """Where cells are halved, the last trial up to there, and which cells stay whole.

    The vertex is a probability, which belongs to the lower half: that of the trial nearest the median whose
    next has another one, of two as near the upper. A cell of one probability is halved there, and no cell
    where there is a vertex already.
    """
    n, (first, last, left, right) = table.total[:, None], cells
    median = np.clip((first + last) // 2, 1, n)
    place = table.place(median)
    below, up_to = table.trials_before(place), table.trials_before(place + 1)
    up, down = up_to - median, median - below
    has_up, has_down = up_to < last, (below >= first) & (median + down < last)
    middle = np.where(has_up & ((up <= down) | ~has_down), up_to, np.where(has_down, below, median))
    cut = table.ranked(np.clip(middle, 1, n))
    return cut, middle, (cut == left) | (cut == right) | (first >= last)


def _windows(table: ProbabilityTable, vertex: FloatArray) -> FloatArray:
    """The distance of the farthest of the nearest trials from every vertex, shape (R, V).

    At least so far that two distinct probabilities lie within, where there are two.
    """
    n = table.total[:, None]
    q = np.maximum(np.floor(SPAN * n + 1e-5).astype(np.int64), 1)
    # The nearest q trials have neighbouring ranks: bisect for the first that is as near as the last.
    low = first_where(
        lambda start: table.ranked(start + q - 1) - vertex >= vertex - table.ranked(start),
        np.ones(vertex.shape, dtype=np.int64),
        np.broadcast_to(n - q + 1, vertex.shape),
    )
    ends = [
        np.maximum(*(np.abs(table.ranked(at) - vertex) for at in (start, start + q - 1)))
        for start in (low, np.maximum(low - 1, 1))
    ]
    window, least = np.minimum(*ends), _second_nearest(table, vertex)
    return np.asarray(np.where(window > least, window, WIDENED * least))


def _second_nearest(table: ProbabilityTable, vertex: FloatArray) -> FloatArray:
    """The distance from every vertex of the second nearest probability that has trials, or else the first."""
    n = table.total[:, None]
    at = np.searchsorted(table.probability, vertex.ravel(), side="left").reshape(vertex.shape)
    distances = []

    def keep(rank: IntArray) -> IntArray:
        """Note how far the trials of these ranks are, where there are such; return their probabilities."""
        there, place = (rank >= 1) & (rank <= n), table.place(np.clip(rank, 1, n))
        distances.append(np.where(there, np.abs(table.probability[place] - vertex), np.inf))
        return place

    below = table.trials_before(at)
    keep(table.trials_before(keep(below)))
    keep(table.trials_before(keep(below + 1) + 1) + 1)
    first, second, *_ = np.sort(np.stack(distances), axis=0)
    return np.asarray(np.where(np.isfinite(second), second, first))


def _local(table: ProbabilityTable, vertex: FloatArray, window: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Value and slope at one vertex of every set of trials (shape (R,))."""
    scale = np.where(window > 0, window, 1.0)
    z = (table.probability - vertex[:, None]) / scale[:, None]
    far = np.minimum(np.abs(z), 1.0)
    kernel = 1 - far * far * far
    kernel *= kernel * kernel
    weight, target = kernel * table.weight, kernel * table.target
    whole = weight.sum(axis=1)

    def mean_of(weights: FloatArray, values: FloatArray) -> FloatArray:
        return np.asarray(np.einsum("rb,rb->r", weights, values) / whole)

    # Orthogonal polynomials about the mean, 1, t and s = t^2 - a t - b, so that little cancels.
    middle, level = mean_of(weight, z), target.sum(axis=1) / whole
    t = z - middle[:, None]
    weight_t = weight * t
    b = mean_of(weight_t, t)
    steep = b > FLAT
    a = np.where(steep, mean_of(weight_t, t * t) / np.where(steep, b, 1.0), 0.0)
    s = t * t - a[:, None] * t - b[:, None]
    spread = mean_of(weight * s, s)
    bent = steep & (spread > FLAT * np.maximum(b * b, FLAT))
    residual = target - level[:, None] * weight
    slope = np.where(steep, mean_of(residual, t) / np.where(steep, b, 1.0), 0.0)
    bend = np.where(bent, mean_of(residual, s) / np.where(bent, spread, 1.0), 0.0)
    # At the vertex t is -middle.
    value = level - slope * middle + bend * (middle * middle + a * middle - b)
    return value, (slope - bend * (2 * middle + a)) / scale


@dataclass(frozen=True, eq=False)
class CalibrationGaps:
    """How far the curve is from the probabilities, |frequency - p|, and what trials weigh: shape (R, B) each.

    NaN where a class is empty. ``shape`` is that of the sets of trials.
    """

    size: FloatArray
    weight: FloatArray
    shape: tuple[int, ...]


def calibration_gaps(
    probability: Any, n_target: Any, n_nontarget: Any, *, prevalence: Any = "sample"
) -> CalibrationGaps:
    """Return the gaps at every probability; ``prevalence`` is ``sample``, or the share of targets meant."""
    shape, width = np.shape(n_target)[:-1], np.shape(n_target)[-1]
    targets, nontargets = (
        np.asarray(counts, dtype=np.int64).reshape(math.prod(shape), width)
        for counts in (n_target, n_nontarget)
    )
    both = np.asarray(targets.any(axis=1) & nontargets.any(axis=1))
    if not both.any():
        undefined = np.full((len(both), 1), np.nan)
        return CalibrationGaps(undefined, undefined, shape)
    share = None if prevalence == "sample" else float(prevalence)
    found = gaps_of(table_of(probability, targets[both], nontargets[both], share))
    size, weight = (np.full((len(both), found.size.shape[1]), np.nan) for _ in range(2))
    size[both], weight[both] = found.size, found.weight
    return CalibrationGaps(size, weight, shape)


def gaps_of(table: ProbabilityTable) -> CalibrationGaps:
    """Return the gaps of sets of trials that all have both classes."""
    size = np.abs(table.curve.at(table.probability) - table.probability)
    return CalibrationGaps(size, table.weight, (len(size),))


@dataclass(frozen=True)
class GapIndex:
    """An index of calibration, read off the gaps: several of them need the curve only once."""

    read: Callable[[CalibrationGaps], FloatArray]

    def __call__(
        self, probability: Any, n_target: Any, n_nontarget: Any, *, prevalence: Any = "sample"
    ) -> FloatArray:
        """Return the index of every set of trials (shape (...)); NaN with an empty class."""
        return self.of(calibration_gaps(probability, n_target, n_nontarget, prevalence=prevalence))

    def of(self, gaps: CalibrationGaps) -> FloatArray:
        """Return the index of gaps that are known."""
        return np.asarray(self.read(gaps).reshape(gaps.shape))


def mean_gap(gaps: CalibrationGaps) -> FloatArray:
    """ICI, the mean of |frequency - p| over trials; in [0, 1], lower is better. Austin, Steyerberg 2019."""
    return ratio((gaps.weight * gaps.size).sum(axis=1), gaps.weight.sum(axis=1))


def squared_gap(gaps: CalibrationGaps) -> FloatArray:
    """ECI, 100 times the mean of (frequency - p)^2; in [0, 100], lower is better. Van Hoorde et al. 2015."""
    return 100 * ratio((gaps.weight * gaps.size**2).sum(axis=1), gaps.weight.sum(axis=1))


def largest_gap(gaps: CalibrationGaps) -> FloatArray:
    """Emax, the largest |frequency - p|; in [0, 1], lower is better. Harrell 2015, section 10.9."""
    return np.asarray(np.where(gaps.weight == 0, 0.0, gaps.size).max(axis=1, initial=0.0))


@dataclass(frozen=True)
class QuantileGap:
    """E50 and E90: |frequency - p| that a share of the trials does not exceed. Austin, Steyerberg 2019.

    Between the trials of ranks 1 + (n - 1) share, rounded down and up, in proportion (type 7 of Hyndman, Fan
    1996).
    """

    share: float

    def __call__(self, gaps: CalibrationGaps) -> FloatArray:
        """Return the quantile of every set of trials."""
        order = np.argsort(gaps.size, axis=1, kind="stable")
        size, up_to = (np.take_along_axis(each, order, axis=1) for each in (gaps.size, gaps.weight))
        up_to = np.cumsum(up_to, axis=1)
        rank = 1 + (up_to[:, -1] - 1) * self.share
        lower = np.floor(rank)
        ends = [
            np.take_along_axis(size, _first_reaching(up_to, at)[:, None], axis=1)[:, 0]
            for at in (lower, lower + 1)
        ]
        return np.asarray(ends[0] + (rank - lower) * (ends[1] - ends[0]))


def _first_reaching(up_to: FloatArray, rank: FloatArray) -> IntArray:
    """The first column of every rising row (shape (R, B)) that reaches the row's rank, or the last."""
    # Weights of a declared share of targets are no whole numbers, and add up but for rounding.
    short = up_to < (rank * (1 - 1e-12))[:, None]
    return np.asarray(np.minimum(short.sum(axis=1), up_to.shape[1] - 1))


ici = GapIndex(mean_gap)
e50 = GapIndex(QuantileGap(0.5))
e90 = GapIndex(QuantileGap(0.9))
emax = GapIndex(largest_gap)
eci = GapIndex(squared_gap)
GAP_INDICES = ici, e50, e90, emax, eci


@dataclass(frozen=True, eq=False)
class SmoothReader(ABC):
    """Reads something off the curves of resamples of cells of trials.

    ``probability`` is that of the cells, ascending (shape (B,)). Readers of the same cells may share a table.
    """

    probability: FloatArray
    prevalence: float | None

    def __call__(self, misses: Any, false_alarms: Any) -> FloatArray:
        """Read resamples by their errors at thresholds around the cells (shape (M, B + 1))."""
        n_target, n_nontarget = np.diff(misses, axis=1), -np.diff(false_alarms, axis=1)
        return self.of(table_of(self.probability, n_target, n_nontarget, self.prevalence))

    @abstractmethod
    def of(self, table: ProbabilityTable) -> FloatArray:
        """Read resamples by the table of their trials."""


@dataclass(frozen=True, eq=False)
class CalibratedReader(SmoothReader):
    """Reads what the indices would be, were the probabilities calibrated.

    The curve of a resample less that of the trials is what chance alone does to it: its size is the gap of
    calibrated probabilities. ``own`` is the trials' curve. Both are read at the probabilities of the table:
    under a map that falls, or merges scores, they are in another order than the cells, or fewer.
    """

    own: SmoothCurve

    def of(self, table: ProbabilityTable) -> FloatArray:
        """Return ``GAP_INDICES`` (shape (M, 5))."""
        size = np.abs(table.curve.at(table.probability) - self.own.at(table.probability))
        gaps = CalibrationGaps(size, table.weight, (len(size),))
        return np.stack([index.of(gaps) for index in GAP_INDICES], axis=1)


@dataclass(frozen=True, eq=False)
class CurveReader(SmoothReader):
    """Reads the curve at given probabilities, not kept within [0, 1]: there it would have no spread.

    ``grid`` is where it is read (shape (G,)); ``shift`` (shape (G,)) is what merging trials into cells moves
    it by, and is taken off.
    """

    grid: FloatArray
    shift: FloatArray

    def of(self, table: ProbabilityTable) -> FloatArray:
        """Return the frequencies (shape (M, G))."""
        return table.curve.unbounded(self.grid) + self.shift
