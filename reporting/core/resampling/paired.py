"""The paired difference of two models: standard error, interval, p and cautions (methods, decision (viii)).

One value, ``PairedDifference``, serves comparisons, further tests, gates and the history. It is made from how
two models decide the same trials (``Discordant``), from resamples of their difference, or from both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.base.codes import BySpread, CiMethod, Flag, PMethod, Status
from reporting.base.records import dataclass, field, replace
from reporting.core.measures.measure import Measure
from reporting.core.resampling.design import Design
from reporting.core.resampling.estimate import Influence, interval_by
from reporting.core.resampling.settings import Correction, IntervalMethod
from reporting.core.stats import confusion, intervals
from reporting.core.stats.intervals import ZERO
from reporting.core.stats.paired import (
    Discordant,
    difference,
    difference_of,
    exact_p,
    standard_error,
    standard_error_of,
)
from reporting.core.stats.swap import Swaps

FEW_DISCORDANT = 10

LimitsAt = Callable[[float], intervals.Interval | None]
"""From a level to the limits; None where resamples are too few for it."""


@dataclass(frozen=True)
class PairedDifference:
    """V(first) - V(second) on the same trials; interval and p are None until it is tested, or undefined."""

    difference: float
    se: float = math.nan
    """The standard error: 0 where nothing varies, NaN where it is undefined."""
    df: float | None = None
    """Degrees of freedom of Student's t; None: normal."""
    low: float | None = None
    high: float | None = None
    band: tuple[float, float] | None = None
    """Limits that hold together with those of the whole curve, or family, it belongs to."""
    ci_method: CiMethod | None = None
    p_value: float | None = None
    p_method: PMethod | None = None
    p_percentile: float | None = None
    p_exact: float | None = None
    replicates: int | None = None
    mc_error: float | None = None
    design_effect: float | None = None
    status: Status | None = None
    flags: tuple[Flag, ...] = ()
    drawn: FloatArray | None = field(default=None, compare=False, repr=False)
    """The difference in every resample (shape (M,)), where many comparisons are corrected together."""
    swaps: Swaps | None = field(default=None, compare=False, repr=False)
    """By the swap test: what exchanges say of every difference."""
    limits_at: LimitsAt | None = field(default=None, compare=False, repr=False)
    """Its limits at any level; None without an interval."""

    def reversed(self) -> PairedDifference:
        """Return second - first."""
        low, high = (None if limit is None else 0.0 - limit for limit in (self.high, self.low))
        band = None if self.band is None else (0.0 - self.band[1], 0.0 - self.band[0])
        drawn = None if self.drawn is None else 0.0 - self.drawn
        swaps = None if self.swaps is None else self.swaps.reversed
        limits_at = self.limits_at and partial(_turned, self.limits_at)
        turned = replace(self, difference=0.0 - self.difference, low=low, high=high, band=band)
        return replace(turned, drawn=drawn, swaps=swaps, limits_at=limits_at)

    def within(self, bounds: tuple[float, float]) -> PairedDifference:
        """Return the difference with limits that a difference of two numbers in ``bounds`` can have.

        Without limits where one is infinite, and where all of the interval lies beyond what can be.
        """
        widest = bounds[1] - bounds[0]
        band = self.band and (max(self.band[0], -widest), min(self.band[1], widest))
        if self.low is None or self.high is None:
            return replace(self, band=band)
        low, high = max(self.low, -widest), min(self.high, widest)
        if math.isinf(low) or math.isinf(high) or (low >= high and self.low < self.high):
            return replace(self, low=None, high=None, ci_method=None)
        return replace(self, low=low, high=high, band=band)

    def banded(self, low: float, high: float) -> PairedDifference:
        """Return the difference with limits that hold together with others: never inside its own."""
        if self.low is not None and self.high is not None:
            low, high = min(low, self.low), max(high, self.high)
        return replace(self, band=(low, high))

    def limited(self, limits_at: LimitsAt, level: float, method: CiMethod) -> PairedDifference:
        """Return the difference with limits made by a method, where there are any at the level."""
        return self.with_limits(limits_at(level), limits_at, method)

    def with_limits(
        self, limits: intervals.Interval | None, limits_at: LimitsAt, method: CiMethod
    ) -> PairedDifference:
        """Return the difference with the limits that a method gives at its level, if any.

        Limits without width though the difference has a standard error are none: nearly all resamples agree,
        and the quantiles do not see the others.
        """
        if limits is None or (limits.low == limits.high and self.se > 0):
            return self
        return replace(self, low=limits.low, high=limits.high, ci_method=method, limits_at=limits_at)

    def flagged(self, *flags: Flag) -> PairedDifference:
        """Return the difference with more cautions."""
        return replace(self, flags=(*self.flags, *flags)) if flags else self

    def checked(self, level: float) -> PairedDifference:
        """Flag an interval and a p that disagree about zero."""
        if self.low is None or self.high is None or self.p_value is None:
            return self
        excludes = self.low > 0 or self.high < 0
        if excludes != (self.p_value <= 1 - level + ZERO):
            return self.flagged("ci_p_disagree")
        return self

    def tested(self, level: float, method: BySpread | None = None) -> PairedDifference:
        """Return the difference with z = D / SE, or t with ``df``: the interval, and the p dual to it.

        Where nothing varies there is no interval, and p is 1 where nothing differs, else undefined.
        """
        d, se, df = self.difference, self.se, self.df
        if not se > 0:
            return replace(self, p_value=1.0 if se == 0 and abs(d) <= ZERO else None)
        name = method or ("normal" if df is None else "t")
        at = partial(intervals.normal, d, se, df=df)
        p = intervals.normal_p(d, se, df)
        return replace(self, p_value=p, p_method=name).limited(at, level, name)

    def beside(self, replicates: FloatArray, level: float, mc_error: float | None) -> PairedDifference:
        """Return a tested difference with the percentile p of its resamples (shape (M,))."""
        with_percentile = replace(
            self,
            p_percentile=intervals.percentile_p(replicates),
            replicates=len(replicates),
            mc_error=mc_error,
        )
        return with_percentile.checked(level)


def with_spread(point: float, differences: FloatArray, design: Design) -> PairedDifference:
    """Return a difference with the standard error of its resamples (shape (M,)), not tested yet."""
    se = math.nan
    if len(differences) > 1 and np.isfinite(differences).all():
        sd = float(np.std(differences, ddof=1))
        se = design.inflation * sd if sd > ZERO else 0.0
    return PairedDifference(point, se, design.df, replicates=len(differences))


def formula_of(measure: Measure) -> Callable[..., FloatArray]:
    """Return the formula of a measure with its parameters filled in."""
    return partial(measure.formula, **measure.arguments)


def linear_difference(observed: Discordant, weights: tuple[float, float]) -> PairedDifference:
    """Return the difference in V = w_far FAR + w_frr FRR with its plug-in standard error (methods 8.4)."""
    return PairedDifference(float(difference(observed, *weights)), float(standard_error(observed, *weights)))


def error_of_counts(observed: Discordant, measure: Measure) -> float:
    """Return the plug-in standard error of a difference of independent trials (methods 8.4)."""
    weights = measure.linear()
    if weights is not None:
        return linear_difference(observed, weights).se
    return float(standard_error_of(formula_of(measure), observed))


FRR = (0.0, 1.0)
"""The weights of FAR and FRR in FRR."""


def exact_weights(measure: Measure, observed: Discordant) -> tuple[float, float] | None:
    """Return ``(w_far, w_frr)`` of the sum that has an exact test; without non-targets recall has FRR's."""
    success = measure.counted == confusion.recall and not np.any(observed.n_nontarget)
    return FRR if success else measure.linear()


def compare_tuned(
    point: float, observed: Discordant, drawn: Discordant, measure: Measure, level: float
) -> PairedDifference:
    """Compare two models at fixed thresholds where trials are independent, by any measure at a threshold.

    Without non-targets, recall has the exact test of FRR (McNemar's).

    ``observed`` holds numbers, ``drawn`` their resamples (shape (M,)).
    """
    weights, formula = measure.linear(), formula_of(measure)
    if weights is not None:
        return compare_decisions(observed, drawn, weights, level)
    if measure.counted == confusion.recall and not observed.n_nontarget:  # a success rate, 1 - FRR
        return compare_decisions(observed, drawn, FRR, level).reversed()
    errors = standard_error_of(formula, drawn)
    se, differences = float(standard_error_of(formula, observed)), difference_of(formula, drawn)
    return compare_studentized(point, se, differences, errors, level, alike=decide_alike(observed))


def compare_decisions(
    observed: Discordant, drawn: Discordant, weights: tuple[float, float], level: float
) -> PairedDifference:
    """Compare two models at fixed thresholds where trials are independent, V = w_far FAR + w_frr FRR.

    Exact mid-p, studentized interval, also percentile p. The interval is undefined where too few trials are
    discordant.
    """
    differences = difference(drawn, *weights)
    if decide_alike(observed):
        return identical(len(differences), "exact_midp")
    plain, errors = linear_difference(observed, weights), standard_error(drawn, *weights)
    point, se = plain.difference, plain.se
    exact = exact_p(observed, *weights, mid=True)
    tested = replace(plain, p_value=exact, p_method="exact_midp", p_exact=exact)
    if se > 0:
        limits_at = partial(intervals.studentized, point, se, differences, errors)
        tested = tested.limited(limits_at, level, "studentized")
    return tested.beside(differences, level, 0.0)


def compare_studentized(
    point: float, se: float, differences: FloatArray, errors: FloatArray, level: float, *, alike: bool
) -> PairedDifference:
    """Compare by a measure that is not linear in FAR and FRR: fixed thresholds, independent trials.

    p = (1 + #{|t*| >= |D / SE|}) / (M + 1) with t* = (D* - D) / SE*, and the interval dual to it;
    also percentile p (methods 8.5). ``differences`` and their standard errors ``errors`` have shape
    (M,). Degenerate where a resample or a standard error is undefined, or none varies.
    """
    if alike:
        return identical(len(differences), "studentized")
    if not se > ZERO or not with_spread(point, differences, Design(level)).se > 0:
        return PairedDifference(point, status="degenerate")
    p = intervals.studentized_p(point, se, differences, errors)
    limits_at = partial(intervals.studentized, point, se, differences, errors)
    tested = PairedDifference(point, se, p_value=p, p_method="studentized")
    mc_error = float(np.sqrt(p * (1 - p) / len(differences)))
    return tested.limited(limits_at, level, "studentized").beside(differences, level, mc_error)


def compare_replicates(
    point: float, differences: FloatArray, design: Design, *, alike: bool, independent_se: float | None = None
) -> PairedDifference:
    """Compare by the spread of bootstrap differences (shape (M,)): z = D / SE, normal p; t over few clusters.

    ``alike``: the two models decide, or rank, every trial alike. Undefined resamples, or constant ones though
    the models differ, are degenerate. ``independent_se`` is the standard error as if units were trials; the
    squared ratio to it is the design effect.
    """
    if design.too_few_clusters:
        return PairedDifference(point, status="too_few_clusters")
    plain = with_spread(point, differences, design)
    if independent_se and independent_se > 0:
        plain = replace(plain, design_effect=(plain.se / independent_se) ** 2)
    return compare_by_error(plain, differences, design.level, alike=alike, closed=design.closed)


def compare_by_error(
    plain: PairedDifference,
    differences: FloatArray,
    level: float,
    *,
    alike: bool,
    method: BySpread | None = None,
    closed: bool = True,
) -> PairedDifference:
    """Compare by a standard error that another formula gives: that of readers and cases, of units, DeLong's.

    ``closed``: the error owes nothing to resamples. The percentile p of bootstrap differences (shape (M,))
    is added. Degenerate without a standard error, as of two perfect areas, or where resamples have none.
    """
    if alike:
        return identical(len(differences), method or ("normal" if plain.df is None else "t"))
    if not plain.se > ZERO or not with_spread(plain.difference, differences, Design(level)).se > 0:
        return PairedDifference(plain.difference, status="degenerate")
    mc_error = 0.0
    if not closed:
        mc_error = intervals.normal_p_error(plain.difference, plain.se, len(differences))
    return plain.tested(level, method).beside(differences, level, mc_error)


def compare_swapped(
    point: float,
    swapped: FloatArray,
    imbalance: FloatArray,
    level: float,
    *,
    alike: bool,
    further: float = 0.0,
) -> PairedDifference:
    """Compare by the differences after exchanges of the two models (shape (M,)): the swap test.

    p counts those at least as large as D, and the interval holds the differences that the same test does not
    reject (``stats.swap``). SE is the spread of centred exchanges. Undefined ones, or none though the models
    differ, are degenerate. Where the models disagree on few trials, exchanges cannot move far: ``further``
    above 0 is then the standard error of ``one_more``, and p and limits are at least those of a normal
    difference with both. Where exchanges that move the difference are too few to give limits a width, they
    are at least those of a normal difference.
    """
    if alike:
        return identical(len(swapped), "swap")
    if not math.sqrt(float(np.mean(swapped**2))) > ZERO:
        return PairedDifference(point, status="degenerate")
    swaps = Swaps.of(point, swapped, imbalance)
    if further > 0:
        swaps = replace(swaps, least=math.hypot(swaps.se, further))
    limits = swaps.interval(level)
    if limits is not None and limits.low == limits.high:
        swaps = replace(swaps, least=swaps.se)
        limits = swaps.interval(level)
    tested = PairedDifference(
        difference=point,
        se=max(swaps.se, swaps.least),
        p_value=swaps.p,
        p_method="swap",
        replicates=len(swapped),
        mc_error=math.sqrt(swaps.p * (1 - swaps.p) / len(swapped)),
        swaps=swaps,
    )
    return tested.with_limits(limits, swaps.interval, "swap")


def one_more(weights: tuple[float, float], sizes: tuple[int, int]) -> float:
    """Return the standard error of one more disagreement in each class: sqrt(sum (w / n)^2).

    ``weights`` and ``sizes`` are of non-targets and targets; a class without units adds nothing.
    """
    return math.hypot(*(w / n for w, n in zip(weights, sizes, strict=True) if n))


def identical(replicates: int, p_method: PMethod) -> PairedDifference:
    """Return the difference of two models that decide, or rank, every trial alike: p = 1.

    Its limits follow from the number of units (``margins.of_identical``): other trials may part the models.
    """
    return PairedDifference(
        difference=0.0,
        se=0.0,
        p_value=1.0,
        p_method=p_method,
        p_percentile=1.0,
        p_exact=1.0 if p_method == "exact_midp" else None,
        replicates=replicates,
        mc_error=0.0,
        flags=("identical_decisions",),
    )


def compare_by(
    method: IntervalMethod,
    compared: PairedDifference,
    differences: FloatArray,
    level: float,
    influence: Influence | None = None,
) -> PairedDifference:
    """Return a difference with the interval and the p of the named method; both speak of the same null.

    An undefined difference, constant resamples and models that decide alike stay unchanged.
    """
    without_spread = len(np.unique(differences[np.isfinite(differences)])) < 2
    if compared.p_value is None or without_spread or "identical_decisions" in compared.flags:
        return compared
    limits, p, name, _ = interval_by(method, compared.difference, differences, level, influence)
    defined = None if math.isnan(p) else p
    again = replace(
        compared,
        low=None,
        high=None,
        ci_method=None,
        limits_at=None,
        p_value=defined,
        p_method=None if defined is None else name,
        mc_error=None if defined is None else math.sqrt(p * (1 - p) / len(differences)),
        flags=tuple(flag for flag in compared.flags if flag != "ci_p_disagree"),
    )
    limits_at = partial(_named, method, compared.difference, differences, influence)
    return again.with_limits(limits, limits_at, name).checked(level)


def _named(
    method: IntervalMethod, point: float, differences: FloatArray, influence: Influence | None, level: float
) -> intervals.Interval | None:
    return interval_by(method, point, differences, level, influence).limits


def _turned(limits_at: LimitsAt, level: float) -> intervals.Interval | None:
    limits = limits_at(level)
    return limits and intervals.Interval(0.0 - limits.high, 0.0 - limits.low)


def decide_alike(observed: Discordant) -> bool:
    """Return whether two models decide every trial of both classes alike."""
    return not any((observed.nontarget_10, observed.nontarget_01, observed.target_10, observed.target_01))


def discordant_flags(observed: Discordant, weights: tuple[float, float]) -> tuple[Flag, ...]:
    """Caution about fewer than ten trials, of a class that counts, that the two models decide differently.

    A class without trials does not count.
    """
    classes = (
        (weights[0] * observed.n_nontarget, observed.nontarget_10 + observed.nontarget_01),
        (weights[1] * observed.n_target, observed.target_10 + observed.target_01),
    )
    few = any(counts != 0 and n < FEW_DISCORDANT for counts, n in classes)
    return ("few_discordant",) if few and not decide_alike(observed) else ()


def adjust(p_values: Iterable[float | None], correction: Correction) -> list[float]:
    """Return adjusted p-values in the given order: Holm (step-down), Benjamini-Hochberg, or unchanged.

    None counts as 1: what cannot be tested keeps its place in the family, and must not ease the others.
    """
    known = [1.0 if p is None else p for p in p_values]
    p, m = np.asarray(known, dtype=np.float64), len(known)
    if correction == "none" or m == 0:
        return known
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(m)
    if correction == "holm":
        stepped = np.maximum.accumulate(p[order] * np.arange(m, 0, -1))
    else:
        scaled = p[order] * m / np.arange(1, m + 1)
        stepped = np.minimum.accumulate(scaled[::-1])[::-1]
    adjusted[order] = np.minimum(stepped, 1.0)
    return [float(value) for value in adjusted]
