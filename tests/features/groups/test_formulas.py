"""Gaps between groups: by hand, by laws, and held against brute force."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.base.arrays import FloatArray
from reporting.core.stats.effective_size import EffectiveRate
from reporting.core.stats.multiplicity import critical_value, quantile_of_largest
from reporting.features.groups.formulas import (
    GroupValues,
    against,
    difference_of_ranges,
    garbe,
    gini,
    gini_gap,
    inverse,
    larger_spread,
    largest_ratio,
    least_gini,
    lower_difference,
    lower_ratio,
    maximum,
    maximum_to_geometric_mean,
    minimum,
    spread,
)

LEVEL = 0.95


def groups_of(errors: list[int], trials: list[int], replicates: int = 199, seed: int = 1) -> GroupValues:
    """Return the rates of independent groups, with binomial replicates."""
    n, k = np.array(trials), np.array(errors)
    drawn = np.random.default_rng(seed).binomial(n, k / n, (replicates, len(n))) / n

    def limits(level: float, exact: bool) -> tuple[FloatArray, FloatArray]:
        each = [
            EffectiveRate(a / b, b, None, exact).limits(level) for a, b in zip(errors, trials, strict=True)
        ]
        low, high = zip(*each, strict=True)
        return np.array(low), np.array(high)

    return GroupValues(
        k / n,
        drawn - drawn.mean(axis=0),
        lambda level: limits(level, False),
        lambda level: limits(level, True),
        np.eye(len(n), dtype=bool),
    )


COUNTS = st.lists(st.tuples(st.integers(0, 12), st.integers(12, 40)), min_size=2, max_size=5)


def test_gini_by_hand() -> None:
    # sum over pairs |1-2| + |1-6| + |2-6| = 10, over (3 - 1) (1 + 2 + 6) = 18
    assert gini(np.array([0.2, 0.1, 0.6])) == pytest.approx(float(Fraction(10, 18)))
    assert gini(np.array([0.1, 0.1, 0.1])) == 0.0
    assert gini(np.array([0.0, 0.0, 0.3])) == pytest.approx(1.0)
    assert math.isnan(gini(np.zeros(3)))


@given(st.lists(st.integers(0, 50), min_size=2, max_size=8))
def test_gini_is_its_definition(counts: list[int]) -> None:
    values = np.array(counts, dtype=np.float64)
    n, differences = len(counts), np.abs(np.subtract.outer(values, values)).sum()
    if not values.any():
        assert math.isnan(gini(values))
        return
    howard = n / (n - 1) * differences / (2 * n**2 * values.mean())
    assert gini(values) == pytest.approx(howard, abs=1e-12)
    assert 0.0 <= gini(values) <= 1.0 + 1e-12
    assert gini(values[::-1].copy()) == pytest.approx(gini(values), abs=1e-12)
    assert gini(7 * values) == pytest.approx(gini(values), abs=1e-12)


def test_limits_of_a_difference_by_hand() -> None:
    # 1/5 with limits 1/10 and 3/10, 1/10 with 1/20 and 1/4: a = 1/10, b = 3/20
    low = lower_difference(0.2, 0.1, 0.1, 0.15, 0.0)
    assert low == pytest.approx(0.1 - math.sqrt(0.01 + 0.0225))
    related = lower_difference(0.2, 0.1, 0.1, 0.15, 0.5)
    assert related == pytest.approx(0.1 - math.sqrt(0.01 + 0.0225 - 0.015))


@given(st.floats(0.01, 1), st.floats(0, 1), st.floats(0.01, 1), st.floats(0.01, 2), st.floats(-0.9, 0.9))
def test_at_the_lower_ratio_the_lower_difference_is_zero(
    value: float, share: float, other: float, up: float, correlation: float
) -> None:
    down = share * value
    ratio = np.asarray(lower_ratio(np.array([value]), down, np.array([other]), up, correlation))[0]
    assert 0 <= ratio <= value / other + 1e-12
    at_ratio = lower_difference(value, down, ratio * other, ratio * up, correlation)
    assert at_ratio == pytest.approx(0.0, abs=1e-7)


def test_inverse_of_zero_is_unbounded() -> None:
    assert inverse(np.array([0.0, 0.5])).tolist() == [math.inf, 2.0]


def test_independent_members_widen_the_critical_value() -> None:
    farthest = np.arange(1, 100) / 40
    assert quantile_of_largest(farthest, 0.95) == pytest.approx(95 / 40)
    wider = quantile_of_largest(farthest, 0.9, independent=2)
    # the first t = r / 40 with r / 100 (2 Phi(t) - 1)^2 >= .9
    assert wider == pytest.approx(94 / 40)
    assert quantile_of_largest(farthest, 0.9) == pytest.approx(90 / 40)
    alone = quantile_of_largest(np.zeros(0), 0.95, independent=1)
    assert alone == pytest.approx(1.959963985)
    assert math.isnan(quantile_of_largest(np.zeros(0), 0.95))
    assert math.isnan(quantile_of_largest(np.ones(9), 0.95))


def test_a_family_of_one_has_its_own_quantile() -> None:
    column = np.random.default_rng(2).standard_normal((1999, 1))
    assert critical_value([column], 0.95) == pytest.approx(1.96, abs=0.12)


@pytest.mark.parametrize("n", [1, 2])
def test_joint_limits_are_never_inside_those_of_one_group(n: int) -> None:
    """Replicates one standard error away, all of them, have the critical value 1: less than 1.96 of one group."""
    groups = groups_of([8, 13][:n], [30, 40][:n])
    step = np.tile([1.0, -1.0], 30)[:, None]
    drawn = GroupValues(groups.value, step * [0.08, 0.07][:n], groups.own, groups.exact, groups.shares)
    (low, high), (least, most) = drawn.joint(LEVEL), groups.exact(LEVEL)
    assert (low <= least).all()
    assert (high >= most).all()
    together, alone = (drawn.differences(LEVEL, joint=joint) for joint in (True, False))
    assert (together[0] <= alone[0]).all()
    together, alone = (drawn.ratios(LEVEL, joint=joint) for joint in (True, False))
    assert (together[1] >= alone[1]).all()


def test_maximum_and_minimum_are_projections() -> None:
    groups = groups_of([5, 10, 20], [100, 100, 100])
    own, joint = groups.own(LEVEL), groups.joint(LEVEL)
    assert (joint[0] < own[0]).all()
    assert (joint[1] > own[1]).all()
    assert maximum(groups, LEVEL) == (0.2, joint[0][2], own[1][2])
    assert minimum(groups, LEVEL) == (0.05, own[0][0], joint[1][0])


def test_range_and_ratio_of_known_pairs() -> None:
    groups = groups_of([5, 10, 40], [100, 100, 100])
    gap, ratio = spread(groups, LEVEL), largest_ratio(groups, LEVEL)
    assert gap.value == pytest.approx(0.35)
    assert ratio.value == pytest.approx(8.0)
    low, high = groups.differences(LEVEL, joint=False)
    assert gap.high == pytest.approx(high.max())
    assert high[2, 0] == high.max()
    # by itself: Newcombe's square-and-add of the two Wilson intervals
    own = groups.own(LEVEL)
    newcombe = 0.35 + math.sqrt((own[1][2] - 0.4) ** 2 + (0.05 - own[0][0]) ** 2)
    assert high[2, 0] == pytest.approx(newcombe)
    assert 0 < gap.low < low[2, 0]
    assert 1 < ratio.low < 8 < ratio.high


def test_ratios_without_a_rate_above_zero_are_undefined() -> None:
    groups = groups_of([0, 10], [100, 100])
    assert math.isnan(largest_ratio(groups, LEVEL).value)
    assert math.isnan(maximum_to_geometric_mean(groups, LEVEL).value)
    assert spread(groups, LEVEL).value == pytest.approx(0.1)
    assert gini_gap(groups, LEVEL).value == pytest.approx(1.0)


def test_maximum_to_geometric_mean_by_hand() -> None:
    groups = groups_of([10, 20, 40], [100, 100, 100])
    # the geometric mean of .1, .2 and .4 is .2
    gap = maximum_to_geometric_mean(groups, LEVEL)
    assert gap.value == pytest.approx(2.0)
    assert 1 < gap.low < 2 < gap.high


@given(COUNTS)
def test_laws_of_every_gap(counts: list[tuple[int, int]]) -> None:
    errors, trials = map(list, zip(*counts, strict=True))
    groups = groups_of(errors, trials)
    for statistic, least in (
        (spread, 0.0),
        (largest_ratio, 1.0),
        (maximum_to_geometric_mean, 1.0),
        (gini_gap, 0.0),
        (maximum, 0.0),
        (minimum, 0.0),
    ):
        gap = statistic(groups, LEVEL)
        if math.isnan(gap.value):
            assert not (groups.value > 0).all()
            continue
        assert least <= gap.low <= gap.value + 1e-12 <= gap.high + 2e-12
    assert gini_gap(groups, LEVEL).high <= 1 or math.isnan(gini_gap(groups, LEVEL).high)


@given(COUNTS)
def test_order_of_groups_does_not_matter(counts: list[tuple[int, int]]) -> None:
    errors, trials = map(list, zip(*counts, strict=True))
    groups = groups_of(errors, trials)
    turned = GroupValues(
        groups.value[::-1],
        groups.deviations[:, ::-1],
        lambda level: (groups.own(level)[0][::-1], groups.own(level)[1][::-1]),
        lambda level: (groups.exact(level)[0][::-1], groups.exact(level)[1][::-1]),
        groups.shares,
    )
    for statistic in (spread, largest_ratio, maximum_to_geometric_mean, gini_gap, maximum, minimum):
        assert statistic(turned, LEVEL) == pytest.approx(statistic(groups, LEVEL), nan_ok=True, abs=1e-5)


@given(COUNTS, st.integers(0, 99))
def test_range_of_a_model_less_that_of_another_turns_round(counts: list[tuple[int, int]], seed: int) -> None:
    errors, trials = map(list, zip(*counts, strict=True))
    other = np.random.default_rng(seed).permutation(errors).tolist()
    first = groups_of(errors, trials)
    second = groups_of([min(k, n) for k, n in zip(other, trials, strict=True)], trials, seed=seed)
    forth, back = difference_of_ranges(first, second, LEVEL), difference_of_ranges(second, first, LEVEL)
    assert [-back.value, -back.high, -back.low] == pytest.approx(list(forth))
    assert forth.low <= forth.value <= forth.high


def test_a_model_against_itself_has_the_same_range() -> None:
    groups = groups_of([5, 10, 40], [100, 100, 100])
    gap = difference_of_ranges(groups, groups, LEVEL)
    assert gap.value == 0
    assert gap.low == -gap.high


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 10)), min_size=2, max_size=4))
def test_least_gini_of_boxes_is_found(boxes: list[tuple[int, int]]) -> None:
    low = np.array([low for low, _ in boxes], dtype=np.float64)
    high = low + np.array([width for _, width in boxes])
    least = least_gini(low, high)
    grid = itertools.product(*(np.arange(a, b + 1) for a, b in zip(low, high, strict=True)))
    some = [gini(np.array(values)) for values in itertools.islice(grid, 2000)]
    known = [each for each in some if not math.isnan(each)]
    # Whole numbers hold every limit, at which the least is attained.
    assert least == pytest.approx(min(known, default=0.0), abs=1e-12) or least < min(known)


def test_upper_limit_of_gini_is_that_of_the_observed_order_or_more() -> None:
    groups = groups_of([10, 20, 60], [200, 200, 200])
    high = gini_gap(groups, LEVEL).high
    low, up = groups.own(LEVEL)
    orders = []
    for order in itertools.permutations((-1.0, 0.0, 1.0)):
        ranks = np.array(order)
        for g in np.linspace(0, 1, 2001):
            weight = ranks - g
            half = np.where(weight > 0, up - groups.value, groups.value - low)
            if weight @ groups.value + math.sqrt(float(weight**2 @ half**2)) >= 0:
                orders.append(g)
    assert high == pytest.approx(max(orders), abs=1e-3)


def test_garbe_weighs_the_two_coefficients() -> None:
    far, frr = groups_of([10, 20, 60], [200, 200, 200]), groups_of([5, 5, 5], [50, 50, 50], seed=2)
    assert garbe(far, frr, 0.25, LEVEL).value == pytest.approx(0.25 * gini(far.value))
    gap = garbe(far, frr, 1.0, LEVEL)
    assert gap.value == pytest.approx(gini(far.value))
    wider = gini_gap(far, (1 + LEVEL) / 2)
    assert gap == pytest.approx(wider)


def test_equalised_odds_take_the_larger_range() -> None:
    far, frr = groups_of([10, 20, 60], [200, 200, 200]), groups_of([5, 6, 5], [50, 50, 50], seed=2)
    gap = larger_spread([far, frr], LEVEL)
    assert gap.value == pytest.approx(0.25)
    assert gap.low < spread(far, LEVEL).low  # both lower limits must hold together
    assert gap.high == pytest.approx(max(spread(far, LEVEL).high, spread(frr, LEVEL).high))


def test_each_group_against_its_own_other() -> None:
    groups, others = groups_of([10, 30], [100, 100]), groups_of([20, 0], [200, 100], seed=3)
    apart = GroupValues(groups.value, groups.deviations, groups.own, groups.exact, np.zeros(2, dtype=bool))
    limits = against(apart, others, LEVEL)
    low, high = limits.differences
    assert (low < [0.0, 0.3]).all()
    assert (high > [0.0, 0.3]).all()
    assert low[1] > 0
    assert limits.ratios[0][0] < 1 < limits.ratios[1][0]
    assert np.isnan([limits.ratios[0][1], limits.ratios[1][1]]).all()
