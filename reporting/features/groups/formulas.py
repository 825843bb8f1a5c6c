"""Gaps between groups: the largest and the smallest of several values, range, ratio and Gini coefficient.

The largest of several estimates is biased upwards, and so are range and Gini coefficient; resamples repeat
the bias on top of it, so that their quantiles do not cover. What holds are projections of limits of the
values and their differences, with alpha / 2 on either side:

- An upper limit of max_k v_k is the largest of the upper limits of the v_k, each at its own level: whichever
  group truly has the maximum, its limit is at least the maximum with probability 1 - alpha / 2.
- A lower limit is the largest of lower limits that hold for all groups together: where all hold, none lies
  above the maximum.

The range is the maximum of v_i - v_j over ordered pairs, the ratio that of v_i / v_j, the largest over the
geometric mean that of v_i / exp(mean log v): the same two sentences hold for them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray
from reporting.base.records import dataclass
from reporting.core.stats.intervals import level_of
from reporting.core.stats.multiplicity import critical_value, quantile_of_largest

Limits = tuple[FloatArray, FloatArray]
"""Lower and upper limits, of one shape."""

AT_ONCE = 2**22
"""Numbers of replicated contrasts that are held together."""


class Gap(NamedTuple):
    """A number for how far groups lie apart, with limits; NaN where it is undefined."""

    value: float
    low: float
    high: float


UNDEFINED = Gap(math.nan, math.nan, math.nan)


@dataclass(frozen=True, eq=False)
class GroupValues:
    """The values of G groups with what is known of their errors.

    ``deviations`` are resamples less their mean (shape (M, G)); ``own`` returns the limits of every group
    alone at a two-sided level, ``exact`` such that also hold far out, where few errors bend the others;
    ``shares``, shape (G, G), marks which groups share units: the values of others are independent.
    """

    value: FloatArray
    deviations: FloatArray
    own: Callable[[float], Limits]
    exact: Callable[[float], Limits]
    shares: BoolArray

    @property
    def n(self) -> int:
        """Number of groups."""
        return len(self.value)

    @cached_property
    def correlation(self) -> FloatArray:
        """The correlation of the values of every two groups, 0 where they share no unit."""
        spread = np.sqrt((self.deviations**2).mean(axis=0))
        scaled = np.divide(self.deviations, spread, out=np.zeros_like(self.deviations), where=spread > 0)
        related = np.where(self.shares, scaled.T @ scaled / max(1, len(scaled)), 0.0)
        np.fill_diagonal(related, 1.0)
        return np.clip(related, -1.0, 1.0)

    def joint(self, level: float) -> Limits:
        """Return limits that hold for the values of all groups together.

        Those of every group alone, at the level of the critical value of max-T. A group that does not vary
        counts as one independent normal deviate.
        """
        still = int((~(self.deviations != 0).any(axis=0)).sum())
        return self.exact(level_of_each([self.deviations], level, independent=still))

    def differences(self, level: float, *, joint: bool) -> Limits:
        """Return limits of v_i - v_j (shapes (G, G)): all together, or each alone."""
        at = level_of_each(self._contrasts(1.0), level) if joint else level
        low, high = self.own(at)
        down, up = (self.value - low)[:, None], high - self.value
        lowest = lower_difference(self.value[:, None], down, self.value, up, self.correlation)
        np.fill_diagonal(lowest, 0.0)
        return lowest, 0.0 - lowest.T

    def ratios(self, level: float, *, joint: bool) -> Limits:
        """Return limits of v_i / v_j, v > 0 (shapes (G, G)): all together, or each alone.

        The upper limit is the inverse of the lower one of v_j / v_i; infinite where the denominator may be 0.
        """
        observed = np.divide.outer(self.value, self.value)
        at = level_of_each(self._contrasts(observed), level) if joint else level
        low, high = self.own(at)
        down, up = (self.value - low)[:, None], high - self.value
        lowest = lower_ratio(self.value[:, None], down, self.value, up, self.correlation)
        np.fill_diagonal(lowest, 1.0)
        return lowest, inverse(lowest.T)

    def to_geometric_mean(self, level: float, *, joint: bool) -> Limits:
        """Return limits of v_i / exp(mean_j log v_j), v > 0: by square-and-add of log v."""
        weights = np.eye(self.n) - 1 / self.n
        at = level
        if joint:
            relative = self.deviations / self.value
            at = level_of_each([relative @ weights.T], level)
        low, high = self.own(at)
        with np.errstate(divide="ignore"):
            down, up = np.log(self.value) - np.log(low), np.log(high) - np.log(self.value)
        point = weights @ np.log(self.value)
        limits = []
        for towards in (down, up), (up, down):
            with np.errstate(invalid="ignore"):
                reach = weights * np.where(weights > 0, towards[0], towards[1])
                squares = np.einsum("ki,ij,kj->k", reach, self.correlation, reach)
            limits.append(np.where(np.isnan(squares), math.inf, np.sqrt(np.maximum(squares, 0.0))))
        return np.exp(point - limits[0]), np.exp(point + limits[1])

    def _contrasts(self, slope: FloatArray | float) -> Iterator[FloatArray]:
        """Yield the deviations of v_i - slope v_j of every pair, some pairs at a time."""
        first, second = np.triu_indices(self.n, 1)
        slopes = np.broadcast_to(slope, (self.n, self.n))
        step = max(1, AT_ONCE // max(1, len(self.deviations)))
        for start in range(0, len(first), step):
            i, j = first[start : start + step], second[start : start + step]
            yield self.deviations[:, i] - slopes[i, j] * self.deviations[:, j]


def level_of_each(deviations: Iterable[FloatArray], level: float, *, independent: int = 0) -> float:
    """Return the level at which each limit of a family is taken, so that all hold together with ``level``.

    Never below ``level``: a critical value of few resamples may be less than that of one member. NaN where
    the resamples are too few; the arguments are those of ``critical_value``.
    """
    each = level_of(critical_value(deviations, level, independent=independent))
    return each if math.isnan(each) else max(level, each)


class ContrastLimits(NamedTuple):
    """Limits of every group against another value, each of shape (G,): of differences, and of ratios."""

    differences: Limits
    ratios: Limits


def against(groups: GroupValues, others: GroupValues, level: float) -> ContrastLimits:
    """Return limits of v_i - w_i and of v_i / w_i that hold for all groups i together.

    w_i is the value of what group i is held against: of the rest, or of a reference. ``groups.value`` and
    ``others.value`` have shape (G,), and so has ``groups.shares`` here: whether both share units. Ratios are
    NaN where w_i is 0.
    """
    value, other = groups.value, others.value
    product = (groups.deviations * others.deviations).mean(axis=0)
    size = np.sqrt((groups.deviations**2).mean(axis=0) * (others.deviations**2).mean(axis=0))
    related = np.divide(product, size, out=np.zeros_like(product), where=groups.shares & (size > 0))
    slope = np.divide(value, other, out=np.full_like(value, math.nan), where=other > 0)
    limits = []
    for times, lower in ((1.0, lower_difference), (np.nan_to_num(slope), lower_ratio)):
        at = level_of_each([groups.deviations - times * others.deviations], level)
        (low, high), (other_low, other_high) = (each.own(at) for each in (groups, others))
        lowest = lower(value, value - low, other, other_high - other, related)
        turned = lower(other, other - other_low, value, high - value, related)
        limits.append((lowest, turned))
    (lowest, turned), (smallest, least_inverse) = limits
    defined = np.where(other > 0, 1.0, math.nan)
    return ContrastLimits((lowest, 0.0 - turned), (smallest * defined, inverse(least_inverse) * defined))


def lower_difference(value: Any, down: Any, other: Any, up: Any, correlation: Any) -> FloatArray:
    """Return the lower limit of v - w: v - w - sqrt(a^2 + b^2 - 2 r a b).

    a is the distance of v down to its lower limit, b that of w up to its upper limit, r the correlation of
    both: Zou, Donner 2008, doi:10.1002/sim.3095, eq. 5 to 8. Any shapes that broadcast.
    """
    squares = down**2 + up**2 - 2 * correlation * down * up
    return np.asarray(value - other - np.sqrt(np.maximum(squares, 0.0)))


def lower_ratio(value: Any, down: Any, other: Any, up: Any, correlation: Any) -> FloatArray:
    """Return the lower limit of v / w, v >= 0 and w >= 0: the R at which the lower limit of v - R w is 0.

    The smaller root of R^2 (w^2 - b^2) - 2 R (v w - r a b) + v^2 - a^2 = 0, a and b as in
    ``lower_difference``, with which it agrees at R = 1: Donner, Zou 2012, doi:10.1177/0962280210383082,
    eq. 9.
    """
    middle = value * other - correlation * down * up
    rest = np.maximum(value**2 - down**2, 0.0) * np.ones_like(middle)
    root = middle + np.sqrt(np.maximum(middle**2 - (other**2 - up**2) * rest, 0.0))
    return np.asarray(np.divide(rest, root, out=np.zeros_like(root), where=root > 0))


def inverse(ratio: FloatArray) -> FloatArray:
    """Return 1 / ratio, infinite where that is 0."""
    return np.divide(1.0, ratio, out=np.full_like(ratio, math.inf), where=ratio > 0)


def maximum(groups: GroupValues, level: float) -> Gap:
    """Return the largest value of all groups."""
    return Gap(
        float(groups.value.max()), float(groups.joint(level)[0].max()), float(groups.own(level)[1].max())
    )


def minimum(groups: GroupValues, level: float) -> Gap:
    """Return the smallest value of all groups."""
    return Gap(
        float(groups.value.min()), float(groups.own(level)[0].min()), float(groups.joint(level)[1].min())
    )


def spread(groups: GroupValues, level: float) -> Gap:
    """Return the range: the largest value less the smallest."""
    return _largest(float(np.ptp(groups.value)), 0.0, groups.differences, level, halved(level))


def largest_ratio(groups: GroupValues, level: float) -> Gap:
    """Return the ratio of the largest value to the smallest; undefined where a value is not above 0."""
    if not (groups.value > 0).all():
        return UNDEFINED
    value = float(groups.value.max() / groups.value.min())
    return _largest(value, 1.0, groups.ratios, level, halved(level))


def maximum_to_geometric_mean(groups: GroupValues, level: float) -> Gap:
    """Return the largest value over the geometric mean of all; undefined where a value is not above 0.

    The differential of ISO/IEC 19795-10:2024 and of NIST's FRTE; 1 where all are equal, at most
    n-th powers above.
    """
    if not (groups.value > 0).all():
        return UNDEFINED
    value = math.exp(math.log(float(groups.value.max())) - float(np.log(groups.value).mean()))
    return _largest(value, 1.0, groups.to_geometric_mean, level, halved(level))


def larger_spread(several: list[GroupValues], level: float) -> Gap:
    """Return the largest of the ranges of several measures: of FAR and FRR, the equalised odds difference.

    The lower limits of all ranges must hold together (Bonferroni); one of the upper limits is that of the
    largest range.
    """
    share = 1 - (1 - level) / len(several)
    gaps = [
        _largest(float(np.ptp(each.value)), 0.0, each.differences, level, halved(share)) for each in several
    ]
    return Gap(*(max(of_gap) for of_gap in zip(*gaps, strict=True)))


def halved(level: float) -> float:
    """Return the level at which both sides together err as often as one side does at ``level``.

    Of ordered pairs, both sides of the limits of a difference are lower limits.
    """
    return (1 + level) / 2


def _largest(
    value: float, least: float, limits: Callable[..., Limits], level: float, level_joint: float
) -> Gap:
    low = float(np.nanmax(limits(level_joint, joint=True)[0]))
    return Gap(value, max(least, low), max(value, float(limits(level, joint=False)[1].max())))


def gini(values: FloatArray) -> float:
    """Return the Gini coefficient of n > 1 values >= 0: sum_{i<j} |v_i - v_j| / ((n - 1) sum v), in [0, 1].

    0 where all are equal, 1 where one alone is above 0; with the factor n / (n - 1) of Howard et al. 2022,
    arXiv:2203.05051, eq. 8. NaN where all are 0.
    """
    n, total = len(values), float(values.sum())
    if not total > 0:
        return math.nan
    below = np.arange(1, n)
    # Steps between neighbours, not values: equal ones give exactly 0.
    return float(below * (n - below) @ np.diff(np.sort(values))) / ((n - 1) * total)


def gini_gap(groups: GroupValues, level: float) -> Gap:
    """Return the Gini coefficient of the values of all groups.

    Lower limit: the smallest coefficient of values within limits that hold for all groups together. Upper
    limit: the coefficient is the largest, over orders s of the groups, of (a_s . v) / sum v with
    a_r = (2 r - n - 1) / (n - 1); as of a maximum, the largest of the upper limits of each is one, and
    ``_upper_gini`` is at least that.
    """
    value = gini(groups.value)
    if math.isnan(value):
        return UNDEFINED
    low = least_gini(*groups.joint(halved(level)))
    return Gap(value, min(low, value), max(value, _upper_gini(groups, level)))


def least_gini(low: FloatArray, high: FloatArray) -> float:
    """Return the smallest Gini coefficient of values with low <= v <= high, each of shape (n,).

    It is that of v = clip(t, low, high) for one t: among values of one sum, these are majorised by all
    others (Veinott 1971; Marshall, Olkin), and the coefficient is Schur-convex. Between two limits it is
    monotone in t, a ratio of linear functions, so that t is one of them.
    """
    coefficients = (gini(np.clip(t, low, high)) for t in np.unique(np.concatenate((low, high))))
    return min((each for each in coefficients if not math.isnan(each)), default=0.0)


def _upper_gini(groups: GroupValues, level: float) -> float:
    """The largest g at which (a_s - g) . v may be 0 for an order s of the groups; at most 1.

    With w = a_s - g and h_i the distance of v_i to its own limit on the side of w_i, w . v may reach
    w . v + S, S^2 = sum_ij w_i w_j r_ij h_i h_j <= sum_i w_i^2 h_i (h_i + sum_j |r_ij| h_j) = Q. For any
    t > 0, S <= Q / (2 t) + t / 2, so that the largest over all orders is at most that of a sum with one term
    for each group and rank: an assignment. t is S of the observed order, where the bound is exact if groups
    share no unit. What may be reached is convex in g and not below 0 at the coefficient itself: it falls
    below 0 once.
    """
    from scipy.optimize import linear_sum_assignment  # here: it takes long to import

    value, (low, high) = groups.value, groups.own(level)
    up, down = high - value, value - low
    others = np.abs(groups.correlation - np.eye(groups.n)) @ np.maximum(up, down)
    ranks, order = np.arange(1.0 - groups.n, groups.n, 2.0) / (groups.n - 1), np.argsort(value, kind="stable")

    def reached(g: float) -> float:
        weight = ranks - g
        half = np.where(weight > 0, up[:, None], down[:, None])
        squares = weight**2 * half * (half + others[:, None])
        tilt = math.sqrt(float(squares[order, np.arange(groups.n)].sum())) or 1.0
        terms = np.outer(value, weight) + squares / (2 * tilt)
        return float(terms[linear_sum_assignment(terms, maximize=True)].sum()) + tilt / 2

    below, above = gini(value), 1.0
    if reached(above) >= 0:
        return 1.0
    while above - below > FINE:
        middle = (below + above) / 2
        below, above = (middle, above) if reached(middle) >= 0 else (below, middle)
    return above


FINE = 1e-6
"""Coefficients nearer than this are one."""


def garbe(false_alarms: GroupValues, misses: GroupValues, alpha: float, level: float) -> Gap:
    """Return GARBE = alpha Gini(FMR) + (1 - alpha) Gini(FNMR), in [0, 1].

    The limits of both coefficients hold together (Bonferroni). Howard, Laird, Rubin, Sirotin, Tipton, Vemury
    2022, arXiv:2203.05051, eq. 9; undefined where either coefficient is.
    """
    both = [gini_gap(groups, halved(level)) for groups in (false_alarms, misses)]
    return Gap(*(alpha * a + (1 - alpha) * b for a, b in zip(*both, strict=True)))


def difference_of_ranges(first: GroupValues, second: GroupValues, level: float, factor: float = 1.0) -> Gap:
    """Return the range of the first less that of the second, both of the same groups and draws (G <= 16).

    Let p be the ordered pair of groups that has the largest difference a_p in the first. Then
    a_p - max_q b_q = min_q (a_p - b_q) over the differences b_q of the second, so that upper limits of all
    a_p - b_q that hold together for this p have their smallest above it; p is not known, and the largest over
    all p is the limit. Lower limit: the other way round. ``factor`` is what clusters add to the reach of a
    normal interval.
    """
    value = float(np.ptp(first.value) - np.ptp(second.value))
    high = _at_most(first, second, level, factor)
    return Gap(value, 0.0 - _at_most(second, first, level, factor), high)


def _at_most(first: GroupValues, second: GroupValues, level: float, factor: float) -> float:
    """The upper limit, at (1 + level) / 2, of the range of the first less that of the second."""
    i, j = (np.array(each) for each in zip(*itertools.permutations(range(first.n), 2), strict=True))
    a, b = first.value[i] - first.value[j], second.value[i] - second.value[j]
    of_b = second.deviations[:, i] - second.deviations[:, j]
    limits = []
    for at in range(len(i)):
        of_a = first.deviations[:, i[at]] - first.deviations[:, j[at]]
        away = of_b - of_a[:, None]
        se = away.std(axis=0, ddof=1)
        farthest = np.divide(away, se, out=np.zeros_like(away), where=se > 0).max(axis=1)
        critical = quantile_of_largest(farthest, halved(level)) if farthest.any() else 0.0
        limits.append(float((a[at] - b + critical * factor * se).min()))
    return max(limits)
