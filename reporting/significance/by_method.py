"""Intervals and p-values by a method that the config names, instead of the table of decision (viii).

``studentized`` and ``bca`` need the influence of every trial, so they are for measures at thresholds and
independent trials; elsewhere, and where they have no limits (too few replicates), the percentile interval
stands in, and ``ci_method`` says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from reporting.significance.compare import Comparison
from reporting.significance.estimate import NO_ESTIMATE, Estimate, know_nothing
from reporting.significance.settings import IntervalMethod
from reporting.stats import intervals
from reporting.stats.intervals import Interval
from reporting.stats.staircase import FloatArray

Influences = Callable[[], list[tuple[Any, Any]]]
"""Count and influence of every outcome: numbers, or arrays of one value a replicate."""


@dataclass(frozen=True, eq=False)
class Influence:
    """The influence of outcomes on a number, on the trials themselves and in every replicate (shape (M,))."""

    observed: Influences
    drawn: Influences

    def acceleration(self) -> float:
        """BCa's acceleration (methods 8.4)."""
        counts, psi = zip(*self.observed(), strict=True)
        return intervals.acceleration(np.array(psi, dtype=float), np.array(counts, dtype=float))

    def errors(self) -> tuple[float, FloatArray]:
        """The standard error, and those of the replicates."""
        of_observed, of_drawn = (
            np.sqrt(sum(count * psi * psi for count, psi in found())) for found in (self.observed, self.drawn)
        )
        return float(of_observed), np.asarray(of_drawn)


class _Made(NamedTuple):
    """An interval, its p-value against 0, and the method by which they were made."""

    limits: Interval | None
    p: float
    method: str


def _made(
    method: IntervalMethod, point: float, values: FloatArray, level: float, influence: Influence | None
) -> _Made:
    if method == "centred":
        return _Made(intervals.centred(values, level), intervals.centred_p(values), method)
    if method == "basic":
        return _Made(intervals.basic(point, values, level), intervals.basic_p(point, values), method)
    if method == "bca" and influence is not None:
        a = influence.acceleration()
        limits, p = intervals.bca(point, values, a, level), intervals.bca_p(point, values, a)
        if limits is not None and not math.isnan(p):
            return _Made(limits, p, method)
    if method == "studentized" and influence is not None:
        se, errors = influence.errors()
        limits = intervals.studentized(point, se, values, errors, level) if se > intervals.ZERO else None
        if limits is not None:
            return _Made(limits, intervals.studentized_p(point, se, values, errors), method)
    return _Made(intervals.percentile(values, level), intervals.percentile_p(values), "percentile")


def estimate_by(
    method: IntervalMethod,
    point: float,
    values: FloatArray,
    level: float,
    n_units: int,
    influence: Influence | None = None,
) -> Estimate:
    """Return the interval of one model's number from its replicates (shape (M,)); ``auto`` is percentile.

    Undefined with a single unit, where a replicate is, or where all are equal.
    """
    if know_nothing(values, n_units):
        return NO_ESTIMATE
    made = _made(method, point, values, level, influence)
    return Estimate(*made.limits, made.method, len(values)) if made.limits else NO_ESTIMATE


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
    made = _made(method, found.difference, differences, level, influence)
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
