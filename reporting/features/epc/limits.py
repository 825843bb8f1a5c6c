"""Limits along the thresholds of a curve: at each of them alone, and of the band that holds at all of them.

Limits at one threshold are those of ``metrics`` (``core/engine/intervals.py``). The band is made of the same
intervals at a higher level, 2 Phi(c) - 1, where trials depend that of t (``BandLevel``): c is the order
statistic ceil((M + 1) level) of the largest |V* - V| / SE along the curve, over M resamples, SE being their
spread. So the band holds the value, keeps to the range of the measure, is never inside an interval, and has
width where no trial errs. Rates have exact limits in it: at such levels those of Wilson hold few errors too
seldom. ``tests/research/studies/along.md`` has how often bands hold.
"""

from __future__ import annotations

from typing import NamedTuple

from reporting.core.engine.intervals import interval, rates_interval
from reporting.core.engine.sample import Sample
from reporting.core.resampling.estimate import ModelInterval, spread_interval
from reporting.core.stats.intervals import upper_rank
from reporting.core.stats.multiplicity import BandLevel, critical_value

MOST = 7.0
"""Beyond so many standard errors a level differs from 1 by rounding alone."""


class CurveLimits(NamedTuple):
    """The limits at one point of a curve: of its own interval, and of the band over all points."""

    ci_low: float | None
    ci_high: float | None
    band_low: float | None
    band_high: float | None


def limits_along(of: Sample) -> list[CurveLimits]:
    """Return the limits of a sample at every threshold."""
    level, limits = simultaneous_level(of), []
    for at, own in enumerate(interval(of, at) for at in range(len(of.point))):
        band: tuple[float | None, float | None] = (None, None)
        if own.low is not None and own.high is not None and level is not None:
            band = _band(of, at, own, level)
        limits.append(CurveLimits(own.low, own.high, *band))
    return limits


def _band(of: Sample, at: int, own: ModelInterval, level: BandLevel) -> tuple[float, float]:
    """Return the widest limits of the value and its intervals, within the range of the measure."""
    bounds = of.measures[at].bounds
    of_rates = rates_interval(of, at, level, exact=True)
    wider = [own, of_rates, *([interval(of, at, level.at(of.design.df))] if of.over_readers else [])]
    value = float(of.point[at])
    if of.estimand == "procedure" or not of_rates.method or not of.system.alone:
        drawn, design = (of.replicates[:, at], of.design) if of.design.pools is None else of.reduced(at)
        wider.append(spread_interval(value, drawn, bounds, level.at(design.df), design))
    low = min(value, *(each.low for each in wider if each.low is not None))
    high = max(value, *(each.high for each in wider if each.high is not None))
    return max(low, bounds[0]), min(high, bounds[1])


def simultaneous_level(of: Sample) -> BandLevel | None:
    """Return the level of each point's limits at which all of them hold together.

    None where units or resamples are too few, or where noise was added to the counts: how it moves a
    whole curve is not known.
    """
    level, (replicates, design) = of.level, of.design.reduced(of.replicates, of.point)
    too_few = design.too_few or upper_rank(len(replicates), level) > len(replicates)
    if too_few or of.drawn.ranks.noise is not None:
        return None
    # Of clusters, both |V* - V| and SE lack the same factor.
    c = critical_value([replicates - of.point], level)
    return None if c > MOST else BandLevel(c, level)
