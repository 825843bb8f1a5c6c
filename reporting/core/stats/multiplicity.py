"""Many comparisons from joint resamples: adjusted p-values, simultaneous bands, the best models.

Resamples have shape (M, J): a row is one draw of the trials, which all J members share, so that what the
members have in common counts in their maximum. T = |D| / SE and T* = |D* - D| / SE, where SE is the spread
(ddof 1) of a member's resamples. A member that never varies has no T and stays out of every maximum; so does
one whose estimate, or a resample, is undefined. Methods 10.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.core.stats.intervals import ZERO, level_of, times_of_t, upper_quantile, upper_rank
from reporting.core.stats.special import ndtr, ndtri

SLACK = 1e-9
"""Statistics this near, relatively, are equal: their last bits must not decide whether a tie counts."""


def sidak(level: float, members: int) -> float:
    """Return the level of each at which limits of independent numbers hold together: level^(1 / members).

    Of normal estimates also however they depend. Šidák 1967.
    """
    return float(level ** (1 / members))


class BandLevel(NamedTuple):
    """The level of each limit at which all along a curve hold together, by the degrees of freedom it has."""

    c: float
    """How many normal standard errors limits reach (``critical_value``); NaN where nothing varies."""
    level: float
    """The level at which all hold."""

    def at(self, df: float | None) -> float:
        """Return the level at which Student's t reaches c t / z, t and z being quantiles of ``level``.

        At least that of two independent numbers: FAR alone counts at one end of a curve, FRR at the other.
        """
        least = sidak(self.level, 2)
        return least if math.isnan(self.c) else max(least, level_of(self.c * times_of_t(df, self.level), df))


class Simultaneous(NamedTuple):
    """Joint limits of all members (each of shape (J,)), and c, how many SE they lie from the estimate."""

    low: FloatArray
    high: FloatArray
    c: float


def sup_t(estimate: FloatArray, replicates: FloatArray, level: float) -> Simultaneous | None:
    """Simultaneous band V -+ c SE over all J points of a curve.

    c is the order statistic ceil((M + 1) level) of max over j of T*_j, hence at least that of every single
    point. Zero width where SE is 0, NaN where undefined; c is NaN where every SE is 0. None where M is
    too small. Methods 10.
    """
    return band_of(estimate, standard_errors(estimate, replicates), replicates, level)


class Reach(NamedTuple):
    """Standard errors along a curve (shape (G,)), and how many of them its simultaneous limits lie away."""

    se: FloatArray
    c: float
    shown: FloatArray
    """The standard errors that resamples show, however small."""


def reach_along(
    away: FloatArray, floor: FloatArray | float, level: float, inflation: float = 1.0
) -> Reach | None:
    """Return how far the limits of a curve lie, by how far its resamples do (shape (M, G)).

    SE is the spread of the resamples, at least ``floor``: where few trials decide, they have none. c is the
    order statistic ceil((M + 1) level) of max over the points of |V* - V| / SE. Resamples of
    clusters lie ``inflation`` times nearer than they ought to. None where resamples are too few or
    undefined. Methods 8.8, 10, 11.6.
    """
    if len(away) < 2:
        return None
    shown = inflation * away.std(axis=0, ddof=1)
    se = np.maximum(shown, floor)
    c = upper_quantile(inflation * largest_distances(np.zeros(len(se)), away, se), level)
    return None if c is None else Reach(se, c, shown)


def critical_value(deviations: Iterable[FloatArray], level: float, *, independent: int = 0) -> float:
    """Return c, at most which all |T*_j| are with probability ``level``: T*_j = deviation / SE.

    ``deviations`` are tables (shape (M, J)) of how far resamples of members lie from their means; a member
    that never varies has no T. ``independent`` is how many more members there are, standard normal and
    independent of all others. NaN where M is too small. Methods 10.
    """
    farthest: FloatArray = np.zeros(0)
    for table in deviations:
        none = np.zeros(table.shape[1])
        largest = largest_distances(none, table, standard_errors(none, table))
        farthest = np.maximum(farthest, largest) if len(farthest) else largest
    return quantile_of_largest(farthest, level, independent=independent)


def quantile_of_largest(farthest: FloatArray, level: float, *, independent: int = 0) -> float:
    """Return the smallest of M statistics t (shape (M,)) that all are at most with probability ``level``.

    The r-th smallest, with r / (M + 1) (2 Phi(t) - 1)^independent >= level; of no statistics, and where all
    are 0, that of the independent ones alone. NaN where M is too small.
    """
    if not farthest.any():
        return float(ndtri((1 + sidak(level, independent)) / 2)) if independent else math.nan
    ordered = np.sort(farthest)
    reached = np.arange(1, len(ordered) + 1) / (len(ordered) + 1) * (2 * ndtr(ordered) - 1) ** independent
    at = np.flatnonzero(reached >= level - 1e-12)  # the guard of upper_rank
    return float(ordered[at[0]]) if len(at) else math.nan


def p_of_largest(statistic: float, largest: FloatArray) -> float:
    """Return (1 + #{t* >= t}) / (M + 1): the p-value of t among those of M resamples (shape (M,))."""
    return (1 + int(np.count_nonzero(largest >= statistic * (1 - SLACK)))) / (len(largest) + 1)


def spread_of(column: FloatArray) -> float:
    """Standard deviation (ddof 1); exactly 0 where values differ by rounding only, NaN where undefined."""
    if len(column) < 2:
        return math.nan
    low, high = float(column.min()), float(column.max())
    if not math.isfinite(high - low):
        return math.nan
    if high - low <= ZERO * max(1.0, abs(low), abs(high)):
        return 0.0
    return float(column.std(ddof=1))


def standard_errors(estimate: FloatArray, replicates: FloatArray) -> FloatArray:
    """SE of every member, shape (J,)."""
    # By column, here and below: a copy of a large table of resamples would be the price of one expression.
    spread = np.array([spread_of(replicates[:, j]) for j in range(replicates.shape[1])], dtype=np.float64)
    return np.where(np.isfinite(estimate), spread, np.nan)


def distance_of(estimate: float, column: FloatArray, se: float) -> FloatArray:
    """T* of one member, shape (M,)."""
    distance = column - estimate
    np.abs(distance, out=distance)
    return np.divide(distance, se, out=distance)


def largest_distances(estimate: FloatArray, replicates: FloatArray, se: FloatArray) -> FloatArray:
    """The largest T* of every resample, shape (M,)."""
    farthest = np.zeros(len(replicates))
    for j in np.flatnonzero(se > 0):
        np.maximum(farthest, distance_of(estimate[j], replicates[:, j], se[j]), out=farthest)
    return farthest


def band_of(
    estimate: FloatArray, se: FloatArray, replicates: FloatArray, level: float
) -> Simultaneous | None:
    rank = upper_rank(len(replicates), level)
    if rank > len(replicates):
        return None
    c = math.nan
    if (se > 0).any():
        c = float(np.partition(largest_distances(estimate, replicates, se), rank - 1)[rank - 1])
    half = np.where(se > 0, c * se, se)
    # A limit that is 0 but for its last bits is 0: the resample behind it counts as a tie in the p-value.
    low, high = (
        np.where(np.abs(limit) <= SLACK * np.abs(estimate), 0.0, limit)
        for limit in (estimate - half, estimate + half)
    )
    return Simultaneous(low, high, c)
