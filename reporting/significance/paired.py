"""Paired differences between two models: interval and p, by the table of methods, decision (viii)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.special import ndtri, stdtrit

from reporting.significance.estimate import Influence, interval_by
from reporting.significance.settings import Correction, IntervalMethod
from reporting.stats import intervals
from reporting.stats.paired import Discordant, difference, exact_p, standard_error
from reporting.stats.staircase import FloatArray

FEW_DISCORDANT = 10


@dataclass(frozen=True)
class Comparison:
    """One difference (first model - second) with its interval, p-values and cautions."""

    difference: float
    low: float | None = None
    high: float | None = None
    band: tuple[float, float] | None = None
    """Limits that hold together with those of the whole curve, or family, it belongs to."""
    ci_method: str | None = None
    p_value: float | None = None
    p_method: str | None = None
    p_percentile: float | None = None
    p_exact: float | None = None
    replicates: int | None = None
    mc_error: float | None = None
    design_effect: float | None = None
    status: str | None = None
    flags: tuple[str, ...] = ()
    drawn: FloatArray | None = field(default=None, compare=False, repr=False)
    """The difference in every replicate (shape (M,)), where many comparisons are corrected together."""

    def reversed(self) -> Comparison:
        """Return second - first."""
        low, high = (None if limit is None else 0.0 - limit for limit in (self.high, self.low))
        band = None if self.band is None else (0.0 - self.band[1], 0.0 - self.band[0])
        drawn = None if self.drawn is None else 0.0 - self.drawn
        return replace(self, difference=0.0 - self.difference, low=low, high=high, band=band, drawn=drawn)

    def within(self, bounds: tuple[float, float]) -> Comparison:
        """Return the comparison with limits that a difference of two numbers in ``bounds`` can have."""
        widest = bounds[1] - bounds[0]
        if self.low is None or self.high is None:
            return self
        band = self.band and (max(self.band[0], -widest), min(self.band[1], widest))
        return replace(self, low=max(self.low, -widest), high=min(self.high, widest), band=band)

    def flagged(self, *flags: str) -> Comparison:
        """Return the comparison with more cautions."""
        return replace(self, flags=(*self.flags, *flags)) if flags else self

    def drawn_again(self, redrawn: bool) -> Comparison:
        """Flag a comparison whose replicates had lost a class and were drawn again."""
        return self.flagged("redrawn_empty_class") if redrawn and self.replicates else self

    def checked(self, level: float) -> Comparison:
        """Flag a printed interval and p that disagree about zero."""
        if self.low is None or self.high is None or self.p_value is None:
            return self
        excludes = self.low > 0 or self.high < 0
        if excludes != (self.p_value < 1 - level):
            return self.flagged("ci_p_disagree")
        return self


def compare_decisions(
    observed: Discordant, drawn: Discordant, weights: tuple[float, float], level: float
) -> Comparison:
    """Compare two tuned systems where trials are independent, V = w_far FAR + w_frr FRR.

    Exact mid-p, studentized interval, percentile p beside. ``observed`` holds numbers, ``drawn``
    their replicates (shape (M,)). The interval is undefined where too few trials are discordant.
    """
    point = float(difference(observed, *weights))
    differences = difference(drawn, *weights)
    m = len(differences)
    if decide_alike(observed):
        return identical(m, "exact_midp", "studentized")
    se = float(standard_error(observed, *weights))
    errors = standard_error(drawn, *weights)
    limits = intervals.studentized(point, se, differences, errors, level) if se > 0 else None
    exact = exact_p(observed, *weights, mid=True)
    return Comparison(
        difference=point,
        low=limits.low if limits else None,
        high=limits.high if limits else None,
        ci_method="studentized" if limits else None,
        p_value=exact,
        p_method="exact_midp",
        p_percentile=intervals.percentile_p(differences),
        p_exact=exact,
        replicates=m,
        mc_error=0.0,
    ).checked(level)


def compare_studentized(
    point: float, se: float, differences: FloatArray, errors: FloatArray, level: float, *, alike: bool
) -> Comparison:
    """Compare two tuned systems by a measure that is not linear in FAR and FRR, where trials are independent.

    p = (1 + #{|t*| >= |D / SE|}) / (M + 1) with t* = (D* - D) / SE*, and the interval dual to it;
    percentile p beside (methods 8.5). ``differences`` and their standard errors ``errors`` have shape
    (M,). Degenerate where a replicate or a standard error is undefined, or without spread.
    """
    if alike:
        return identical(len(differences), "studentized", "studentized")
    if not se > intervals.ZERO or _spread(differences) is None:
        return Comparison(point, status="degenerate")
    limits = intervals.studentized(point, se, differences, errors, level)
    p = intervals.studentized_p(point, se, differences, errors)
    return Comparison(
        difference=point,
        low=limits.low if limits else None,
        high=limits.high if limits else None,
        ci_method="studentized" if limits else None,
        p_value=p,
        p_method="studentized",
        p_percentile=intervals.percentile_p(differences),
        replicates=len(differences),
        mc_error=float(np.sqrt(p * (1 - p) / len(differences))),
    ).checked(level)


@dataclass(frozen=True)
class Spread:
    """How the spread of replicates is read: SE = inflation SD(D*), against the normal, or t with ``df``.

    ``independent_se`` is the standard error as if units were trials; the squared ratio to it is the design
    effect.
    """

    level: float
    df: float | None = None
    inflation: float = 1.0
    independent_se: float | None = None

    @property
    def factor(self) -> float:
        """What clusters add to the reach of a normal interval: inflation, and t over normal quantile."""
        if self.df is None:
            return self.inflation
        beta = (1 + self.level) / 2
        return self.inflation * float(stdtrit(self.df, beta) / ndtri(beta))

    @property
    def method(self) -> str:
        """``normal`` or ``t``."""
        return "normal" if self.df is None else "t"


def compare_replicates(point: float, differences: FloatArray, spread: Spread, *, alike: bool) -> Comparison:
    """Compare by the spread of bootstrap differences (shape (M,)): z = D / SE, normal p; t over few clusters.

    ``alike`` tells that the two models decide, or rank, every trial alike. Undefined replicates, or
    replicates without spread though the models differ, are degenerate.
    """
    if alike:
        return identical(len(differences), spread.method, spread.method)
    sd = _spread(differences)
    if sd is None:
        return Comparison(point, status="degenerate")
    se, independent = spread.inflation * sd, spread.independent_se
    made = _by_error(point, se, differences, spread.level, spread.method, spread.df)
    return replace(
        made,
        mc_error=intervals.normal_p_error(point, se, len(differences)),
        design_effect=(se / independent) ** 2 if independent and independent > 0 else None,
    )


def compare_means(differences: FloatArray, replicates: FloatArray, level: float) -> Comparison:
    """Compare by the mean of paired differences of independent units (shape (Q,)): Student's t, Q - 1 df.

    The percentile p of bootstrap means (shape (M,)) stands beside. Degenerate with one unit, or where
    all differences are the same but not zero.
    """
    point, q = float(differences.mean()), len(differences)
    if not differences.any():
        return identical(len(replicates), "t", "t")
    se = float(np.std(differences, ddof=1)) / np.sqrt(q) if q > 1 else 0.0
    if not se > intervals.ZERO:
        return Comparison(point, status="degenerate")
    limits = intervals.student(point, se, q - 1, level)
    return Comparison(
        difference=point,
        low=limits.low,
        high=limits.high,
        ci_method="t",
        p_value=intervals.student_p(point, se, q - 1),
        p_method="t",
        p_percentile=intervals.percentile_p(replicates),
        replicates=len(replicates),
        mc_error=0.0,
    ).checked(level)


def compare_areas(
    point: float, se: float, differences: FloatArray, level: float, *, alike: bool
) -> Comparison:
    """Compare two AUCs by DeLong's standard error; the bootstrap's percentile p stands beside.

    Degenerate without a standard error (two perfect areas, or a class of one trial): no p.
    """
    if alike:
        return identical(len(differences), "delong", "delong")
    if not se > intervals.ZERO or _spread(differences) is None:
        return Comparison(point, status="degenerate")
    return _by_error(point, se, differences, level, "delong", None)


def _by_error(
    point: float, se: float, differences: FloatArray, level: float, method: str, df: float | None
) -> Comparison:
    """z = D / SE, or t with ``df``, with the percentile p of the replicates beside."""
    limits = intervals.normal(point, se, level) if df is None else intervals.student(point, se, df, level)
    return Comparison(
        difference=point,
        low=limits.low,
        high=limits.high,
        ci_method=method,
        p_value=intervals.normal_p(point, se) if df is None else intervals.student_p(point, se, df),
        p_method=method,
        p_percentile=intervals.percentile_p(differences),
        replicates=len(differences),
        mc_error=0.0,
    ).checked(level)


def _spread(differences: FloatArray) -> float | None:
    """Standard deviation of the replicates; None where it is undefined or zero."""
    if len(differences) < 2 or np.isnan(differences).any():
        return None
    se = float(np.std(differences, ddof=1))
    return se if se > intervals.ZERO else None


def identical(replicates: int, p_method: str, ci_method: str) -> Comparison:
    """Two models that decide, or rank, every trial alike: p = 1 and an interval of no width."""
    return Comparison(
        difference=0.0,
        low=0.0,
        high=0.0,
        ci_method=ci_method,
        p_value=1.0,
        p_method=p_method,
        p_percentile=1.0,
        p_exact=1.0 if p_method == "exact_midp" else None,
        replicates=replicates,
        mc_error=0.0,
        flags=("identical_decisions",),
    )


def decide_alike(observed: Discordant) -> bool:
    """Tell whether two models decide every trial of both classes alike."""
    return not any((observed.nontarget_10, observed.nontarget_01, observed.target_10, observed.target_01))


def discordant_flags(observed: Discordant, weights: tuple[float, float]) -> tuple[str, ...]:
    """Caution about fewer than ten trials, of a class that counts, that the two models decide differently."""
    classes = (
        (weights[0], observed.nontarget_10 + observed.nontarget_01),
        (weights[1], observed.target_10 + observed.target_01),
    )
    few = any(weight != 0 and n < FEW_DISCORDANT for weight, n in classes)
    return ("few_discordant",) if few and not decide_alike(observed) else ()


def compare_by(
    method: IntervalMethod,
    found: Comparison,
    differences: FloatArray,
    level: float,
    influence: Influence | None = None,
) -> Comparison:
    """Return a comparison with the interval and the p of the named method; both speak of the same null.

    What has no p (an undefined difference, replicates without spread) and models that decide alike stay as
    they are.
    """
    if found.p_value is None or "identical_decisions" in found.flags:
        return found
    made = interval_by(method, found.difference, differences, level, influence)
    p = None if math.isnan(made.p) else made.p
    again = replace(
        found,
        low=made.limits.low if made.limits else None,
        high=made.limits.high if made.limits else None,
        ci_method=made.method if made.limits else None,
        p_value=p,
        p_method=made.method if p is not None else None,
        mc_error=None if p is None else math.sqrt(p * (1 - p) / len(differences)),
        flags=tuple(flag for flag in found.flags if flag != "ci_p_disagree"),
    )
    return again.checked(level)


def adjust(p_values: Sequence[float], correction: Correction) -> list[float]:
    """Return adjusted p-values in the given order: Holm (step-down), Benjamini-Hochberg, or as they are."""
    p = np.asarray(p_values, dtype=np.float64)
    m = len(p)
    if correction == "none" or m == 0:
        return list(p_values)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(m)
    if correction == "holm":
        stepped = np.maximum.accumulate(p[order] * np.arange(m, 0, -1))
    else:
        scaled = p[order] * m / np.arange(1, m + 1)
        stepped = np.minimum.accumulate(scaled[::-1])[::-1]
    adjusted[order] = np.minimum(stepped, 1.0)
    return [float(value) for value in adjusted]
