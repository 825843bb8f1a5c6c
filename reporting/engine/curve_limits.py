"""Limits along the thresholds of a curve: at each of them alone, and of the band that holds at all of them.

Limits at one threshold are those of ``metrics`` (``engine/intervals.py``). The band is made of the same
intervals at a higher level, 2 Phi(c) - 1: c is the order statistic ceil((M + 1) level) of the largest
|V* - V| / SE along the curve, over M replicates, SE being their spread. So the band holds the value, keeps to
the range of the measure, is never inside an interval, and has width where no trial errs. Rates have exact
limits in it: at such levels those of Wilson hold few errors too seldom. ``tests/studies/along.md`` has how
often bands hold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from reporting.engine.intervals import (
    at_own_alpha,
    interval_of_rates,
    intervals_along,
    mean_of_limits,
    means_along,
    swept,
)
from reporting.engine.model_runs import ModelRuns
from reporting.engine.resampling import Resampling
from reporting.engine.study import Study
from reporting.engine.values import values_at
from reporting.measures.measure import Measure
from reporting.significance.estimate import ModelInterval, spread_interval
from reporting.stats.intervals import level_of, times_of_t, upper_rank
from reporting.stats.multiplicity import critical_value
from reporting.stats.staircase import FloatArray

MOST = 7.0
"""Beyond so many standard errors a level differs from 1 by rounding alone."""


class CurveLimits(NamedTuple):
    """The limits at one point of a curve: of its own interval, and of the band over all points."""

    ci_low: float | None
    ci_high: float | None
    band_low: float | None
    band_high: float | None


def limits_along(
    team: ModelRuns, measure: Measure, name: str, drawn: Resampling, study: Study
) -> list[CurveLimits]:
    """Return the limits of a measure, or its mean over runs, at every threshold of an operation."""
    operations = team.operations(name)
    estimand, along = drawn.of_interval(*operations[0], study), swept(measure, operations[0][1])
    values = np.mean([values_at(measure, o.test, run.test, **along) for run, o in operations], axis=0)
    if team.alone:
        alone = intervals_along(team.first, measure, values, operations[0][1], drawn, study)
    else:
        alone = means_along(team, measure, name, drawn, study)
    take = drawn.at if team.alone else drawn.by_weights
    by_run = [take(run, o, estimand).values(measure, **along) for run, o in operations]
    replicates = team.mean(by_run, study)
    level = simultaneous_level(values, replicates, drawn, study)
    joint = replace(study, inference=replace(study.inference, level=level or study.inference.level))
    of_readers = level is not None and not team.alone and study.runs == "reader"
    together = means_along(team, measure, name, drawn, joint) if of_readers else []
    limits = []
    for at, interval in enumerate(alone):
        band: tuple[float | None, float | None] = (None, None)
        if interval.low is not None and interval.high is not None and level is not None:
            own, df = at_own_alpha(measure, operations[0][1], at), drawn.units.degrees_of_freedom
            of_rates = mean_of_limits(
                [interval_of_rates(run, own, o, drawn, joint, at, exact=True) for run, o in operations]
            )
            wider = [interval, of_rates, *together[at : at + 1]]
            if estimand == "procedure" or not of_rates.method or not team.alone:
                wider.append(spread_interval(values[at], replicates[:, at], own.bounds, level, df))
            band = _around(float(values[at]), wider, own.bounds)
        limits.append(CurveLimits(interval.low, interval.high, *band))
    return limits


def _around(
    value: float, intervals: Sequence[ModelInterval], bounds: tuple[float, float]
) -> tuple[float, float]:
    """Return the widest limits of a value and its intervals, within the range of the measure."""
    low = min(value, *(each.low for each in intervals if each.low is not None))
    high = max(value, *(each.high for each in intervals if each.high is not None))
    return max(low, bounds[0]), min(high, bounds[1])


def simultaneous_level(
    values: FloatArray, replicates: FloatArray, drawn: Resampling, study: Study
) -> float | None:
    """Return the level of each point's limits at which all of them (shape (P,)) hold together.

    None where units or replicates are too few, or where noise was added to the counts: how it moves a
    whole curve is not known.
    """
    level = study.inference.level
    if (
        drawn.units.n_units < 2
        or drawn.ranks.noise is not None
        or upper_rank(len(replicates), level) > len(replicates)
    ):
        return None
    # Of clusters, both |V* - V| and SE lack the same factor.
    c = critical_value([replicates - values], level)
    if c > MOST:
        return None
    # FAR alone counts at one end of a curve, FRR at the other: two rates at the least.
    least, df = math.sqrt(level), drawn.units.degrees_of_freedom
    return least if math.isnan(c) else max(least, level_of(c * times_of_t(df, level), df))
