from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri
from statsmodels.stats.proportion import confint_proportions_2indep

from reporting.stats import intervals
from reporting.stats.intervals import wilson

SIZES = st.integers(1, 60)
LEVELS = st.sampled_from([0.5, 0.9, 0.95])


@pytest.mark.parametrize(
    ("counts", "limits"),
    [
        ((56, 70, 48, 80), (0.0524, 0.3339)),
        ((9, 10, 3, 10), (0.1705, 0.8090)),
        ((10, 10, 0, 20), (0.6791, 1.0)),
        ((10, 10, 0, 10), (0.6075, 1.0)),
    ],
)
def test_published_differences_of_independent_proportions(counts, limits):
    """Newcombe 1998, table II, method 10."""
    assert intervals.newcombe(*counts, 0.95) == pytest.approx(limits, abs=5e-5)


@given(SIZES, SIZES, st.data(), LEVELS)
def test_independent_proportions_agree_with_statsmodels(n, m, data, level):
    k, j = data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    theirs = confint_proportions_2indep(k, n, j, m, method="newcomb", compare="diff", alpha=1 - level)
    assert intervals.newcombe(k, n, j, m, level) == pytest.approx(np.clip(theirs, -1, 1), abs=1e-9)


TABLES = st.tuples(*[st.integers(0, 20)] * 4).filter(lambda table: sum(table) > 0)


@given(TABLES, LEVELS)
def test_swapping_the_models_swaps_the_limits(table, level):
    """P21, with the estimate inside and both limits in range."""
    both, first, second, neither = table
    low, high = intervals.newcombe_paired(*table, level)
    mirrored = intervals.newcombe_paired(both, second, first, neither, level)
    assert mirrored == pytest.approx((-high, -low), abs=1e-12)
    assert -1 <= low <= (first - second) / sum(table) + 1e-12
    assert (first - second) / sum(table) - 1e-12 <= high <= 1


def test_paired_proportions_by_hand():
    """20 of 20 trials agree: phi = 1 less n / 2; each Wilson limit is as far from 1/2 as the other."""
    half = 0.5 - wilson(10, 20, 0.95).low
    phi = (10 * 10 - 20 / 2) / 100
    width = half * (2 - 2 * phi) ** 0.5
    assert intervals.newcombe_paired(10, 0, 0, 10, 0.95) == pytest.approx((-width, width), abs=1e-12)
    # ad - bc = 6 is positive, but not above n / 2: taken as uncorrelated. A negative one is kept.
    assert intervals.newcombe_paired(4, 2, 3, 3, 0.95) == intervals.newcombe(6, 12, 7, 12, 0.95)
    opposed = intervals.newcombe_paired(0, 10, 10, 0, 0.95)
    assert opposed == pytest.approx((-2 * half, 2 * half), abs=1e-12)
    # Nobody errs: a margin is empty.
    assert intervals.newcombe_paired(0, 0, 0, 30, 0.95) == intervals.newcombe(0, 30, 0, 30, 0.95)


def test_paired_proportions_of_many_trials_do_not_overflow():
    n = np.int64(10_000_000)
    low, high = intervals.newcombe_paired(n, n // 100, n // 200, n, 0.95)
    se = (0.015 / 2.015 - (0.005 / 2.015) ** 2) ** 0.5 / (2.015 * 1e7) ** 0.5
    assert (low, high) == pytest.approx((0.005 / 2.015 - 1.96 * se, 0.005 / 2.015 + 1.96 * se), abs=se / 1000)


def test_paired_interval_covers():
    """All tables of 20 trials: coverage at probabilities .15, .15, .05, .65 is near 95 %."""
    n, p = 20, (0.15, 0.15, 0.05, 0.65)
    covered = 0.0
    for a in range(n + 1):
        for b in range(n + 1 - a):
            for c in range(n + 1 - a - b):
                d = n - a - b - c
                low, high = intervals.newcombe_paired(a, b, c, d, 0.95)
                ways = comb(n, a) * comb(n - a, b) * comb(n - a - b, c)
                chance = ways * p[0] ** a * p[1] ** b * p[2] ** c * p[3] ** d
                covered += chance * (low <= p[1] - p[2] <= high)
    assert 0.945 < covered < 0.985


@given(st.integers(0, 400), SIZES, SIZES, LEVELS)
def test_the_limits_of_an_area_are_z_standard_errors_away(share, n1, n0, level):
    auc = share / 400
    low, high = intervals.newcombe_auc(auc, n1, n0, level)
    assert 0 <= low <= auc <= high <= 1
    for limit in (low, high):
        if 1e-6 < limit < 1 - 1e-6:
            n = (n1 + n0) / 2 - 1
            q1, q2 = limit / (2 - limit), 2 * limit**2 / (1 + limit)
            squared = limit * (1 - limit) + n * (q1 - limit**2) + n * (q2 - limit**2)
            z = (limit - auc) / (squared / (n1 * n0)) ** 0.5
            assert abs(z) == pytest.approx(ndtri((1 + level) / 2), rel=1e-6)
    mirrored = intervals.newcombe_auc(1 - auc, n1, n0, level)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-9)


def test_one_trial_of_each_class_is_one_proportion():
    """N* = 0: the Wilson interval of one comparison."""
    assert intervals.newcombe_auc(1.0, 1, 1, 0.95) == pytest.approx(wilson(1, 1, 0.95), abs=1e-9)
    assert intervals.newcombe_auc(0.0, 1, 1, 0.95) == pytest.approx(wilson(0, 1, 0.95), abs=1e-9)


def test_perfect_separation_still_has_a_lower_limit():
    low, high = intervals.newcombe_auc(1.0, 41, 72, 0.95)
    assert high == 1
    assert 0.9 < low < 0.97
    # Near the middle it is close to the DeLong interval of the published ratings (methods 9.5).
    assert intervals.newcombe_auc(0.731368563685637, 41, 72, 0.95) == pytest.approx(
        (0.6192, 0.8201), abs=0.01
    )
