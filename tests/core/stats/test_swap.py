import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata
from tied import COARSE

from reporting.core.stats.staircase import threshold_beside
from reporting.core.stats.swap import Swaps, places, swap_p

INFINITE = st.sampled_from([-np.inf, np.inf])


def held(trials):
    return np.unique(np.array(trials, dtype=float), return_counts=True)


def test_places_are_eight_times_the_mid_ranks():
    dev, test = places(held([1, 2, 2, 4]), held([1, 2, 5]))
    assert dev.tolist() == [12, 32, 48]
    assert test.tolist() == [12, 32, 56]


def test_scores_between_two_of_dev_stay_on_their_side_of_the_middle():
    """Mid-ranks 1 to 6: of dev 1, 6; the test scores 2, 3, 4 lie below the middle of 1 and 11, 9 above it."""
    dev, test = places(held([1, 11]), held([2, 3, 4, 9]))
    assert dev.tolist() == [8, 48]  # their middle: 28
    assert test.tolist() == [16, 24, 27, 40]


@given(st.lists(COARSE | INFINITE, min_size=1, max_size=12), st.lists(COARSE | INFINITE, max_size=12))
def test_thresholds_of_dev_decide_places_as_they_decide_scores(trials, scores):
    (dev, n), (test, m) = held(trials), held(scores)
    of_dev, of_test = places((dev, n), (test, m))
    ranks = 8 * rankdata([*trials, *scores])
    np.testing.assert_array_equal(of_dev, ranks[[trials.index(s) for s in dev]])
    middle = threshold_beside(dev[:-1], dev[1:], "midpoint")
    for threshold, between in zip(middle, (of_dev[:-1] + of_dev[1:]) / 2, strict=True):
        np.testing.assert_array_equal(test >= threshold, of_test >= between)
    assert (np.diff(of_test) >= 0).all()
    assert (of_test[test < dev[0]] < of_dev[0]).all()
    assert (of_test[test > dev[-1]] > of_dev[-1]).all()
    np.testing.assert_array_equal(of_test[np.isin(test, dev)], of_dev[np.isin(dev, test)])


def test_the_p_value_counts_the_difference_itself_and_ties():
    swapped = np.array([-0.3, 0.1, 0.2, -0.2, 0.3, 0.0, 0.1, 0.0, -0.1])
    assert swap_p(0.3, swapped) == 3 / 10
    assert swap_p(-0.2, swapped) == 5 / 10
    assert swap_p(0.1 + 0.2 - 0.1, swapped) == 5 / 10  # 0.2 but for the last bit
    assert swap_p(0.0, swapped) == 1.0


def swaps(difference, swapped, imbalance=None):
    """Exchanges that carry nothing, unless their imbalance is given."""
    return Swaps.of(difference, swapped, np.zeros((len(swapped), 0)) if imbalance is None else imbalance)


@given(
    st.lists(st.tuples(st.integers(-6, 6), st.integers(-4, 4)), min_size=1, max_size=60),
    st.integers(-8, 8),
    st.sampled_from([0.5, 0.8, 0.9, 0.95]),
    st.sampled_from([0.0, 0.05, 0.3]),
)
def test_the_interval_leaves_out_zero_where_p_is_small(exchanges, step, level, least):
    """0.1 times whole numbers: sums of them that are equal on paper differ in their last bits."""
    steps, carried = np.array(exchanges).T
    swapped, difference = steps * 0.1, step / 10
    pair = replace(swaps(difference, swapped, carried[:, None] / 4), least=least)
    limits = pair.interval(level)
    assert pair.p >= swap_p(difference, swapped)
    assert least or pair.p == swap_p(difference, swapped)
    if limits is None:
        assert pair.p > 1 - level - 1e-12
        return
    assert limits.low <= difference <= limits.high
    assert (limits.low > 0 or limits.high < 0) == (pair.p <= 1 - level + 1e-12)
    wider = pair.interval((1 + level) / 2)
    assert wider is None or (wider.low <= limits.low and limits.high <= wider.high)
    turned = pair.reversed.interval(level)
    assert (turned.low, turned.high) == (-limits.high, -limits.low)
    assert pair.reversed.p == pair.p


def test_the_interval_reaches_as_far_as_the_order_statistic():
    swapped = np.arange(1, 20) / 100
    assert swaps(0.5, swapped).interval(0.9) == pytest.approx((0.32, 0.68))
    assert swaps(0.5, swapped).interval(0.99) is None


SIGNS = np.array(list(itertools.product([1, -1], repeat=6)))
"""All 64 exchanges of six units, of which the marked ones stay."""


@given(st.lists(st.integers(-9, 9), min_size=6, max_size=6), st.integers(-40, 40))
def test_a_difference_within_the_limits_is_one_that_the_test_does_not_reject(units, delta):
    """Six units of equal size: the test of delta exchanges d_u - delta, counted by hand in whole numbers."""
    d = 4 * np.array(units)
    pair = swaps(d.mean() / 4, SIGNS @ d / 24, SIGNS.mean(axis=1)[:, None])
    if not (SIGNS @ (d - d.mean())).any():
        return  # without spread nothing is carried
    held = (np.abs(SIGNS @ (6 * d - 6 * delta)) >= abs((6 * d - 6 * delta).sum())).sum()
    low, high = pair.ranges
    assert ((low - 1e-9 <= delta / 4) & (delta / 4 <= high + 1e-9)).sum() == held


def test_the_limits_of_six_equal_units_are_the_two_farthest():
    """d = 19, 20, 20, 20, 21, 26 points: two of 64 exchanges move none, twelve move one unit.

    The test of delta rejects at 4/65 where no more than two exchanges are as far: beyond all d.
    """
    d = np.array([19, 20, 20, 20, 21, 26]) / 100
    pair = swaps(d.mean(), SIGNS @ d / 6, SIGNS.mean(axis=1)[:, None])
    assert pair.p == 3 / 65
    assert pair.interval(1 - 4 / 65) == pytest.approx((0.19, 0.26))
    # As they are, exchanges that move one unit are 2/6 of 21 points nearer to 0.
    assert swaps(d.mean(), SIGNS @ d / 6).interval(1 - 4 / 65).low == pytest.approx(19 / 300)


def test_units_that_differ_alike_have_the_limits_of_exchanges_as_they_are():
    pair = swaps(0.2, SIGNS.mean(axis=1) * 0.2, SIGNS.mean(axis=1)[:, None])
    assert pair.interval(1 - 4 / 65) == pytest.approx((0.2 - 0.2 * 4 / 6, 0.2 + 0.2 * 4 / 6))


def test_a_difference_in_one_class_is_carried_by_that_class():
    """Targets hang on six units, non-targets on six others; the models differ in misses alone."""
    targets, nontargets = SIGNS.mean(axis=1), np.roll(SIGNS, 7, axis=0).mean(axis=1)
    d = np.array([19, 20, 20, 20, 21, 26]) / 100
    pair = swaps(d.mean(), SIGNS @ d / 6, np.column_stack((nontargets, targets)))
    np.testing.assert_array_equal(pair.carried, targets)
