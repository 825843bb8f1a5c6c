"""What the page of the EPC paper computes from the frames: points, differences along alpha, areas."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import polars as pl
from scipy.special import gammaln

from reporting.base.arrays import BoolArray, FloatArray
from reporting.core.criteria.catalogue import read_criterion
from reporting.core.criteria.criterion import Criterion
from reporting.core.criteria.rates import MIN_HTER, WEIGHTED_ERROR
from reporting.core.measures.measure import Measure
from reporting.core.measures.threshold import HTER
from reporting.document.frames.comparisons import COMPARISONS, DIFFERENCES, ComparisonRow
from reporting.document.frames.roc import ROC
from reporting.document.words.oriented import turned
from reporting.document.words.view import DatasetView
from reporting.features.curves.roc_frame import PR
from reporting.features.epc.exact_frames import AREAS, AreaRow

Pair = tuple[str, str]
Stretches = list[tuple[float, float]]


@dataclass(frozen=True)
class Errors:
    """What one threshold does to the trials of test; ``threshold`` None where it is not known."""

    misses: int
    false_alarms: int
    n_target: int
    n_nontarget: int
    threshold: float | None = None

    @property
    def far(self) -> float:
        """FP / N0."""
        return self.false_alarms / self.n_nontarget

    @property
    def frr(self) -> float:
        """FN / N1."""
        return self.misses / self.n_target

    @property
    def hits(self) -> int:
        """TP."""
        return self.n_target - self.misses

    @property
    def precision(self) -> float:
        """TP / (TP + FP); 0 where nothing is accepted, the least there is."""
        return self.hits / max(1, self.hits + self.false_alarms)

    @property
    def recall(self) -> float:
        """TP / N1."""
        return self.hits / self.n_target

    @property
    def f1(self) -> float:
        """2 TP / (2 TP + FP + FN)."""
        return 2 * self.hits / (2 * self.hits + self.false_alarms + self.misses)


def errors_at(view: DatasetView, model: str, criterion: Criterion) -> Errors | None:
    """Return the errors of a model on test at a criterion's threshold; None without both classes."""
    row = view.operating_point(model, criterion)
    if row is None or row.misses is None or row.false_alarms is None:
        return None
    if not row.n_target or not row.n_nontarget:
        return None
    return Errors(row.misses, row.false_alarms, row.n_target, row.n_nontarget, row.threshold)


@dataclass(frozen=True, eq=False)
class Along:
    """The difference of two models along the parameter of a criterion, first minus second (shape (P,)).

    ``low`` and ``high`` are the interval at each place by itself, ``band_low`` and ``band_high`` that at all
    of them at once; NaN where there is none. ``p_percentile`` is two-sided.
    """

    alpha: FloatArray
    difference: FloatArray
    low: FloatArray
    high: FloatArray
    band_low: FloatArray
    band_high: FloatArray
    p_percentile: FloatArray
    inference: str

    @property
    def shown(self) -> BoolArray:
        """Where the band leaves 0 out."""
        return np.asarray((self.band_low > 0) | (self.band_high < 0))


def along(view: DatasetView, criterion: Criterion, measure: Measure, pair: Pair) -> Along | None:
    """Return the comparisons of a pair along a criterion; None where there are none."""
    rows = view.along(criterion, measure, *pair)
    rows = rows.filter(pl.col("difference").is_not_null())
    if not len(rows):
        return None
    sides = [_sides(row, pair[0]) for row in COMPARISONS.rows(rows)]
    return _along(sides, str(rows["inference"][0]))


def _along(sides: list[tuple[float, ...]], inference: str) -> Along:
    alpha, difference, low, high, band_low, band_high, p = np.array(sides, dtype=np.float64).T
    return Along(alpha, difference, low, high, band_low, band_high, p, inference)


def _sides(row: ComparisonRow, model: str) -> tuple[float, ...]:
    found = turned(row, model)
    band = turned(replace(row, ci_low=row.band_low, ci_high=row.band_high), model)
    ends = found.value, found.low, found.high, band.low, band.high, row.p_percentile
    return tuple(np.nan if end is None else end for end in (row.parameter, *ends))


def tuned(view: DatasetView, pair: Pair) -> Along | None:
    """Return the differences in HTER of the two tuned systems at every alpha of eq. (10) that is known.

    They come from the single criteria of the config, and from the curve where it was asked for so.
    """
    whole = along(view, WEIGHTED_ERROR, HTER, pair)
    if whole is not None and whole.inference == "given_thresholds":
        return whole
    found = {alpha: row for alpha, row in _given(view, pair) if row.difference is not None}
    if not found:
        return None
    rows = [_sides(replace(found[alpha], parameter=alpha), pair[0]) for alpha in sorted(found)]
    return _along(rows, "given_thresholds")


def _given(view: DatasetView, pair: Pair) -> Iterator[tuple[float, ComparisonRow]]:
    for row in view.comparisons:
        if {row.model, row.baseline} != set(pair) or row.inference != "given_thresholds":
            continue
        alpha = _alpha(row.criterion)
        if row.measure == str(HTER) and alpha is not None:
            yield alpha, row


def _alpha(name: str | None) -> float | None:
    """The weight of FAR at which eq. (10) is minimised by a criterion."""
    criterion = None if name is None else read_criterion(name)
    if criterion is None or criterion.oracle:
        return None
    if criterion == MIN_HTER:
        return 0.5
    return float(str(criterion.arguments["alpha"])) if criterion.key == WEIGHTED_ERROR.key else None


def apart(found: Along) -> BoolArray:
    """Where the interval at the place by itself leaves 0 out."""
    return np.asarray((found.low > 0) | (found.high < 0))


def stretches(alpha: FloatArray, inside: BoolArray) -> Stretches:
    """Return where marked places lie, each reaching half-way to its neighbours, and as far at the ends."""
    if len(alpha) < 2:
        return []
    middle = (alpha[1:] + alpha[:-1]) / 2
    ends = 2 * alpha[0] - middle[0], 2 * alpha[-1] - middle[-1]
    edges = np.clip(np.concatenate((ends[:1], middle, ends[1:])), 0.0, 1.0)
    found: Stretches = []
    for (low, high), marked in zip(pairwise(edges.tolist()), inside, strict=True):
        if marked and found and found[-1][1] == low:
            found[-1] = found[-1][0], high
        elif marked:
            found.append((low, high))
    return found


def mean_half_width(found: Along, low: float, high: float) -> float | None:
    """Return the mean over [low, high] of the half widths of the intervals at each alpha.

    A standard error of a mean is at most the mean of the standard errors, however the parts depend on each
    other: the mean difference more or less this half width is an interval of at least the level. By the
    trapezoid on the places of the curve. None where a limit is missing.
    """
    kept = (found.alpha >= low) & (found.alpha <= high)
    half = (found.high - found.low)[kept] / 2
    if kept.sum() < 2 or not np.isfinite(half).all():
        return None
    alpha = found.alpha[kept]
    width = alpha[-1] - alpha[0]
    return float(np.trapezoid(half, alpha) / width)


def area_of(view: DatasetView, model: str, criterion: str, low: float, high: float) -> AreaRow | None:
    """Return the row of ``areas`` of a model's HTER along a criterion between two bounds."""
    wanted = model, criterion, str(HTER), low, high
    rows = (row for row in view.rows(AREAS, "test") if row.area is not None)
    return next((r for r in rows if (r.model, r.criterion, r.measure, r.low, r.high) == wanted), None)


def corners_of(view: DatasetView, model: str) -> tuple[FloatArray, FloatArray] | None:
    """FAR and FRR at the corners on test, from accept all to reject all; None without both classes."""
    rows = view.part(view.results.frame(ROC)).filter(split="test", model=model).sort("threshold")
    if not len(rows) or rows["p_fa"].null_count() + rows["p_miss"].null_count():
        return None
    return rows["p_fa"].to_numpy(), rows["p_miss"].to_numpy()


def f1_over_dev(view: DatasetView, model: str) -> tuple[float, float] | None:
    """Return the least and the largest F1 of all thresholds on dev that accept something."""
    frame = view.results.frame(PR)
    if frame.is_empty():
        return None
    rows = view.part(frame).filter(split="dev", model=model)
    hits, alarms = (rows[name].to_numpy() for name in ("true_positives", "false_alarms"))
    accepted = hits + alarms > 0
    if not accepted.any() or not hits.max():
        return None
    f1 = 2 * hits[accepted] / (hits[accepted] + alarms[accepted] + hits.max())
    return float(f1.min()), float(f1.max())


def bias_of_f1(errors: Errors) -> float:
    """E F1 - F1 where the rates found were the true ones: over TP ~ Bin(N1, TPR) and FP ~ Bin(N0, FAR).

    Enumerated, not simulated. F1 is not linear in the rates, so that the two differ; a weighted sum of
    FAR and FRR has no such bias.
    """
    hits, p_hits = _binomial(errors.n_target, errors.recall)
    alarms, p_alarms = _binomial(errors.n_nontarget, errors.far)
    f1 = 2 * hits[:, None] / (hits[:, None] + alarms + errors.n_target)
    return float(p_hits @ f1 @ p_alarms) - errors.f1


def _binomial(n: int, p: float) -> tuple[FloatArray, FloatArray]:
    """Return the places of a binomial law that carry its mass, and their probabilities."""
    spread = 12 * np.sqrt(n * p * (1 - p)) + 12
    k = np.arange(max(0, int(n * p - spread)), min(n, int(n * p + spread)) + 1, dtype=np.float64)
    if p in (0.0, 1.0):
        return k, (k == n * p).astype(np.float64)
    log = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + k * np.log(p) + (n - k) * np.log1p(-p)
    return k, np.asarray(np.exp(log))


@dataclass(frozen=True)
class Replicates:
    """What the histogram of bootstrap differences tells: intervals exact to the width of a bin."""

    mean: float
    centred: tuple[float, float]
    percentile: tuple[float, float]
    width: float


def replicates_of(view: DatasetView, row: ComparisonRow) -> Replicates | None:
    """Read the mean and two intervals off the histogram of a comparison: methods 8.5."""
    frame = view.results.frame(DIFFERENCES)
    if frame.is_empty():
        return None
    names = ("measure", "criterion", "model", "baseline", "inference")
    asked = [pl.col(name).eq_missing(pl.lit(getattr(row, name), pl.String)) for name in names]
    rows = view.part(frame).filter(pl.col("split") == "test", *asked).sort("low")
    count = rows["count"].to_numpy()
    if not count.sum():
        return None
    level = view.study.inference.level
    at = np.repeat((rows["low"].to_numpy() + rows["high"].to_numpy()) / 2, count)
    mean = float(at.mean())
    half = _quantile(np.abs(at - mean), level)
    tails = _quantile(at, (1 - level) / 2), _quantile(at, (1 + level) / 2)
    return Replicates(mean, (mean - half, mean + half), tails, float(rows["high"][0] - rows["low"][0]))


def _quantile(values: FloatArray, level: float) -> float:
    return float(np.quantile(values, level, method="inverted_cdf"))
