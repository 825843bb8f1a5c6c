"""Intervals of one model's numbers, by the table of methods, decision (viii)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.base.codes import CiMethod, Flag, FromReplicates
from reporting.base.records import dataclass, field, replace
from reporting.core.counts.ranks import Ranks
from reporting.core.resampling.design import Design
from reporting.core.resampling.settings import IntervalMethod
from reporting.core.resampling.units import crossed_variance
from reporting.core.stats import intervals
from reporting.core.stats.crossed_units import dyadic_se
from reporting.core.stats.effective_size import VERY_FEW, EffectiveRate, wilson_limits
from reporting.core.stats.intervals import Interval, newcombe_auc
from reporting.core.stats.multiplicity import BandLevel
from reporting.core.stats.placements import area_se, clustered_se, influence, weighted_area_error


@dataclass(frozen=True)
class ModelInterval:
    """An interval and how it was made; None where it is undefined."""

    low: float | None = None
    high: float | None = None
    method: CiMethod | None = None
    replicates: int | None = None
    se: float | None = None
    """The standard error from which its width was made; None where it was made from counts or quantiles."""
    optimism: float | None = None
    """How much better than the truth an optimum over thresholds looks, as estimated; None of other values."""
    withheld: Flag | None = None
    """Why an interval is left out that could be made: it would not hold the truth often enough."""
    values: FloatArray | None = field(default=None, compare=False, repr=False)
    """The resamples (shape (M,)), where it was made of their quantiles."""

    def of(self, value: float, bounds: tuple[float, float]) -> ModelInterval:
        """Return the interval of a value within ``bounds``: limits beyond these say no more than they do.

        It is withheld where a limit is infinite, and where resamples are so biased that it excludes the value
        itself.
        """
        if self.low is None or self.high is None:
            return self
        low, high = (min(max(limit, bounds[0]), bounds[1]) for limit in (self.low, self.high))
        if not (math.isfinite(low) and math.isfinite(high)):
            return UNSOUND
        # Limits and value are added up in other orders: a difference of their last bits is none.
        near = math.ulp(max(abs(low), abs(value), abs(high))) * LAST_BITS
        if not low - near <= value <= high + near:
            return UNSOUND
        values = None if self.values is None else np.clip(self.values, *bounds)
        return replace(self, low=min(low, value), high=max(high, value), values=values)


NO_INTERVAL = ModelInterval()
WITHHELD = ModelInterval(withheld="interval_withheld")
TOO_FEW_CLUSTERS = ModelInterval(withheld="too_few_clusters")
UNSOUND = ModelInterval(withheld="interval_unsound")
FEW_MISPLACED = 2
"""The size of the smaller class times min(AUC, 1 - AUC) below which DeLong's error is too small too often."""
LAST_BITS = 2**12
"""Differences of so many last bits are those of rounding."""


def rate_interval(rate: EffectiveRate, level: float | BandLevel) -> ModelInterval:
    """Interval of a rate at an a priori threshold; none without trials or of one cluster; methods 5.3."""
    if not rate.size > 0:
        return NO_INTERVAL
    exact = rate.few or rate.rate in (0, 1)
    methods: tuple[CiMethod, CiMethod] = ("wilson", "clopper_pearson")
    if rate.noise:
        methods = "wilson_noise", "wilson_noise"
    if rate.df is not None:
        methods = "wilson_effective", "korn_graubard"
    return ModelInterval(*rate.limits(level), methods[exact])


def know_nothing(values: FloatArray, n_units: int) -> bool:
    """Return whether resamples show nothing of the uncertainty.

    So do those of a single unit, undefined ones, and those without any spread but that of rounding (no error
    on test, say).
    """
    low, high = float(values.min()), float(values.max())
    if n_units < 2 or math.isnan(low) or low == high:
        return True
    return high - low <= intervals.ZERO * max(-low, high) < math.inf


def spread_interval(
    point: float, values: FloatArray, bounds: tuple[float, float], level: float, design: Design
) -> ModelInterval:
    """Interval by the spread of resamples (shape (M,)), on a scale without bounds.

    SE = SD(V*), of clusters times ``Design.inflation`` and read against Student's t. None at a bound, and
    where resamples show nothing.
    """
    values, design = design.reduced(values, point)
    if know_nothing(values, design.n_units):
        return NO_INTERVAL
    limits = interval_within(point, spread(values, design), bounds, level, design.df)
    return replace(limits, replicates=len(values))


def spread(values: FloatArray, design: Design) -> float:
    """Return the standard error that resamples show."""
    if design.pools is not None:
        return math.sqrt(float(design.variance(values)))
    return float(np.std(values, ddof=1)) * design.inflation


def interval_within(
    point: float, se: float, bounds: tuple[float, float], level: float, df: float | None
) -> ModelInterval:
    """Interval by a standard error, on a scale without bounds; Student's t where ``df`` is given.

    None at a bound, or without error.
    """
    if not (se > 0 and bounds[0] < point < bounds[1]):
        return NO_INTERVAL
    of_t: tuple[CiMethod, ...] = ("t", "log_t", "logit_t")
    of_normal: tuple[CiMethod, ...] = ("normal", "log_normal", "logit_normal")
    limits = intervals.within(point, se, bounds, level, df)
    return ModelInterval(*limits, (of_normal if df is None else of_t)[sum(map(math.isfinite, bounds))], se=se)


def share_interval(
    share: float, values: FloatArray, most: float, design: Design, level: float
) -> ModelInterval:
    """Interval of a share of ``most`` trials that its resamples (shape (M,)) choose anew.

    Wilson's in p (1 - p) / SD(V*)^2 trials, at most ``most``; that of Clopper and Pearson in ``most`` of them
    where none or all are of the kind. None of these where trials come in clusters.
    """
    if share in (0, 1):
        return rate_interval(EffectiveRate(share, most), level) if design.df is None else NO_INTERVAL
    values, design = design.reduced(values, share)
    if know_nothing(values, design.n_units):
        return NO_INTERVAL
    size = min(most, share * (1 - share) / spread(values, design) ** 2)
    few = min(share, 1 - share) * size <= VERY_FEW
    interval = rate_interval(EffectiveRate(share, size, design.df, few), level)
    return replace(interval, replicates=len(values))


def auc_interval(
    area: float, placements: FloatArray, trials: Ranks, level: float, design: Design, noise: float = 0.0
) -> ModelInterval:
    """Logit interval with DeLong's standard error, or with that of the clusters or the pairs of them.

    ``placements`` holds one placement a trial. Clusters are read against t, and have none without a positive
    standard error. Of independent trials Newcombe's replaces it, with DeLong's variance where that is larger,
    where the smaller class times min(AUC, 1 - AUC) is below ``FEW_MISPLACED``: there DeLong's alone is too
    small too often (``tests/research/studies/areas.md``). So it does where there is no DeLong's (perfect
    separation, a class of one trial). Undefined with an empty class.

    ``noise`` is the variance that noise on the counts adds to the area of independent trials. The interval is
    then Wilson's with that variance, of so many trials as have DeLong's: where noise is large, the logit held
    areas near 1 too seldom (``tests/research/studies/noise.md``). None without DeLong's error.
    """
    df = design.df
    if design.pools is not None:
        variance, df = crossed_variance(influence(placements, trials.label, area), trials)
        se = math.sqrt(variance)
    elif df is not None:
        se = clustered_error(influence(placements, trials.label, area), trials, design.inflation)
    else:
        se = area_se(placements, trials.label)
    if noise:
        return _noisy_area(area, se, noise, level)
    n_target = int(trials.label.sum())
    sizes = n_target, len(trials.label) - n_target
    known = se > 0 and 0 < area < 1
    if known and (df is not None or min(sizes) * min(area, 1 - area) >= FEW_MISPLACED):
        method: CiMethod = "logit_delong" if df is None else "logit_clustered"
        return ModelInterval(*intervals.logit_interval(area, se, level, df), method, se=se)
    if df is not None or not all(sizes):
        return NO_INTERVAL
    if not known:
        return ModelInterval(*newcombe_auc(area, *sizes, level), "newcombe")
    return ModelInterval(*newcombe_auc(area, *sizes, level, se**2), "newcombe_delong")


def weighted_auc_interval(area: float, placements: FloatArray, trials: Ranks, level: float) -> ModelInterval:
    """Logit interval of the weighted area of independent trials, by its linearised standard error and t.

    None where that is 0 or undefined: of classes that are separated, or have a single trial.
    """
    assert trials.weight is not None
    strata = None if trials.strata is None else trials.strata.of_trials
    se, df = weighted_area_error(placements, trials.label, area, trials.weight, strata)
    if not (se > 0 and 0 < area < 1):
        return NO_INTERVAL
    return ModelInterval(*intervals.logit_interval(area, se, level, df), "logit_weighted", se=se)


def _noisy_area(area: float, se: float, noise: float, level: float) -> ModelInterval:
    if not (se > 0 and 0 < area < 1):
        return NO_INTERVAL
    size = area * (1 - area) / se**2
    low, high = wilson_limits(area, size, intervals.quantile(level, None), noise)
    return ModelInterval(float(low), float(high), "delong_noise", se=math.hypot(se, math.sqrt(noise)))


def clustered_error(influences: FloatArray, trials: Ranks, inflation: float) -> float:
    """Return the standard error by clusters, times ``inflation``, or by the pairs of them (methods 8.8)."""
    assert trials.unit_a is not None
    if trials.unit_b is None:
        return clustered_se(influences, trials.unit_a, inflation)
    if trials.pools == "two":
        return math.sqrt(crossed_variance(influences, trials).variance)
    return dyadic_se(influences, trials.unit_a, trials.unit_b)


Influences = Callable[[], list[tuple[Any, Any]]]
"""Count and influence of every outcome: numbers, or arrays of one value a resample."""


@dataclass(frozen=True, eq=False)
class Influence:
    """The influence of outcomes on a number, on the trials themselves and in every resample (shape (M,))."""

    observed: Influences
    drawn: Influences

    def acceleration(self) -> float:
        """BCa's acceleration (methods 8.4)."""
        counts, psi = zip(*self.observed(), strict=True)
        return intervals.acceleration(np.array(psi, dtype=float), np.array(counts, dtype=float))

    def errors(self) -> tuple[float, FloatArray]:
        """The standard error, and those of the resamples."""
        of_observed, of_drawn = (
            np.sqrt(sum(count * psi * psi for count, psi in outcomes()))
            for outcomes in (self.observed, self.drawn)
        )
        return float(of_observed), np.asarray(of_drawn)


class IntervalAndP(NamedTuple):
    """An interval, its p-value against 0, and how they were made."""

    limits: Interval | None
    p: float
    method: FromReplicates
    se: float | None = None
    """The standard error from which the width was made; None where quantiles of resamples made it."""


def interval_by(
    method: IntervalMethod, point: float, values: FloatArray, level: float, influence: Influence | None
) -> IntervalAndP:
    if method == "centred":
        return IntervalAndP(intervals.centred(values, level), intervals.centred_p(values), method)
    if method == "basic":
        return IntervalAndP(intervals.basic(point, values, level), intervals.basic_p(point, values), method)
    if method == "bca" and influence is not None:
        a = influence.acceleration()
        limits, p = intervals.bca(point, values, a, level), intervals.bca_p(point, values, a)
        if limits is not None and not math.isnan(p):
            return IntervalAndP(limits, p, method)
    if method == "studentized" and influence is not None:
        se, errors = influence.errors()
        limits = intervals.studentized(point, se, values, errors, level) if se > intervals.ZERO else None
        if limits is not None:
            return IntervalAndP(limits, intervals.studentized_p(point, se, values, errors), method, se)
    return IntervalAndP(intervals.percentile(values, level), intervals.percentile_p(values), "percentile")


def estimate_by(
    method: IntervalMethod,
    point: float,
    values: FloatArray,
    level: float,
    n_units: int,
    influence: Influence | None = None,
) -> ModelInterval:
    """Return the interval of one model's number from its resamples (shape (M,)); ``auto`` is percentile.

    Undefined with a single unit, where a resample is, or where all are equal.
    """
    if know_nothing(values, n_units):
        return NO_INTERVAL
    limits, _, name, se = interval_by(method, point, values, level, influence)
    return ModelInterval(*limits, name, len(values), se, values=values) if limits else NO_INTERVAL
