"""Paired differences between two models: interval and p, by the table of methods, decision (viii)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

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

    def reversed(self) -> Comparison:
        """Return second - first."""
        low, high = (None if limit is None else 0.0 - limit for limit in (self.high, self.low))
        return replace(self, difference=0.0 - self.difference, low=low, high=high)

    def flagged(self, *flags: str) -> Comparison:
        """Return the comparison with more cautions."""
        return replace(self, flags=(*self.flags, *flags)) if flags else self

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
    their replicates (shape (M,)).
    """
    point = float(difference(observed, *weights))
    counts = [
        int(ten + one)
        for w, ten, one in (
            (weights[0], observed.nontarget_10, observed.nontarget_01),
            (weights[1], observed.target_10, observed.target_01),
        )
        if w != 0
    ]
    if sum(counts) == 0:
        return identical(point, len(np.atleast_1d(drawn.n_target)), "exact_midp", "studentized")
    differences = difference(drawn, *weights)
    se = float(standard_error(observed, *weights))
    limits = intervals.studentized(point, se, differences, standard_error(drawn, *weights), level)
    exact = exact_p(observed, *weights, mid=True)
    low, high = (None, None) if limits is None else (max(-1.0, limits.low), min(1.0, limits.high))
    return Comparison(
        point,
        low,
        high,
        "studentized" if limits else None,
        exact,
        "exact_midp",
        intervals.percentile_p(differences),
        exact,
        len(differences),
        0.0,
        flags=("few_discordant",) if min(counts) < FEW_DISCORDANT else (),
    ).checked(level)


def compare_replicates(
    point: float, differences: FloatArray, level: float, independent_se: float | None = None
) -> Comparison:
    """Compare by the spread of bootstrap differences (shape (M,)): z = D / SD(D*), normal p.

    ``independent_se`` is the standard error as if trials were independent; the squared ratio to it is
    the design effect. Undefined replicates, or none that differ although D is not 0, are degenerate.
    """
    m = len(differences)
    if np.isnan(differences).any() or m < 2:
        return Comparison(point, status="degenerate")
    if (np.abs(differences) <= intervals.ZERO).all():
        return (
            identical(point, m, "normal", "normal") if point == 0 else Comparison(point, status="degenerate")
        )
    se = float(np.std(differences, ddof=1))
    if se <= intervals.ZERO:
        return Comparison(point, status="degenerate")
    effect = (se / independent_se) ** 2 if independent_se else None
    return Comparison(
        point,
        *intervals.normal(point, se, level),
        "normal",
        intervals.normal_p(point, se),
        "normal",
        intervals.percentile_p(differences),
        None,
        m,
        intervals.normal_p_error(point, se, m),
        effect,
    ).checked(level)


def compare_areas(point: float, se: float, differences: FloatArray, level: float) -> Comparison:
    """Compare two AUCs by DeLong's standard error; the bootstrap's percentile p stands beside."""
    if np.isnan(se) or np.isnan(differences).any():
        return Comparison(point, status="degenerate")
    if se <= intervals.ZERO:
        same = point == 0 and (np.abs(differences) <= intervals.ZERO).all()
        return (
            identical(point, len(differences), "delong", "delong")
            if same
            else Comparison(point, status="degenerate")
        )
    return Comparison(
        point,
        *intervals.normal(point, se, level),
        "delong",
        intervals.normal_p(point, se),
        "delong",
        intervals.percentile_p(differences),
        None,
        len(differences),
        0.0,
    ).checked(level)


def identical(point: float, replicates: int, p_method: str, ci_method: str) -> Comparison:
    """Two models that decide every trial alike: p = 1 and an interval of no width."""
    exact = 1.0 if p_method == "exact_midp" else None
    return Comparison(
        point, 0.0, 0.0, ci_method, 1.0, p_method, 1.0, exact, replicates, 0.0, flags=("identical_decisions",)
    )
