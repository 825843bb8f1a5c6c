"""Noise on counts by hand and by its laws: variances, and score limits with a variance added."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.counts.noise import added_variance, noise_variance
from reporting.core.stats.effective_size import EffectiveRate, wilson_limits


def test_variance_by_hand():
    # 2 a / (1 - a)^2: 2 (1/2) / (1/4) = 4, and 2 (1/3) / (4/9) = 3/2.
    assert noise_variance(math.log(2)) == pytest.approx(4, rel=1e-14)
    assert noise_variance(math.log(3)) == pytest.approx(1.5, rel=1e-14)
    # For small epsilon 2 / epsilon^2 - 1/6, where 1 - a would cancel.
    assert noise_variance(1e-3) == pytest.approx(2e6 - 1 / 6, rel=1e-12)


def of_rate(k, bins, p, n, tables=1):
    """The variance in units of that of a count, written out: k counts of a class are errors."""
    of_cells = (1 - p) ** 2 * k + p**2 * (bins - k)
    return (of_cells - (1 - Fraction(1, tables)) * (k - p * bins) ** 2 / bins) / n**2


@pytest.mark.parametrize(
    ("tables", "variance"),
    [(1, Fraction(21, 625)), (2, Fraction(159, 5000)), (5, Fraction(96, 3125))],
)
def test_added_variance_of_a_rate_by_hand(tables, variance):
    # 4 bins, of which 1 has the errors; p = 1/10 of 5 trials: weights 9/50, and thrice -1/50. Their squares add up to
    # 84/2500, and the square of their sum over 4 is (6/50)^2 / 4 = 9/2500.
    weights = np.array([9, -1, -1, -1]) / 50
    assert added_variance(weights, 1.0, tables) == pytest.approx(float(variance), rel=1e-14)
    assert variance == of_rate(1, 4, Fraction(1, 10), 5, tables)


def test_with_many_tables_the_total_has_no_noise():
    # k (B - k) / B: nothing is left where all counts weigh the same.
    assert added_variance(np.full(8, 0.25), 4.0, 10**9) == pytest.approx(0, abs=1e-8)
    assert added_variance(np.array([1.0, 1, 0, 0, 0]), 1.0, 10**12) == pytest.approx(2 * 3 / 5, rel=1e-9)


def test_limits_with_a_variance_by_hand():
    # z = 1, n = 1, p = 1/2, V = 1/4: 2 x^2 - 2 x + 1/4 - 1/4 = 0 has the roots 0 and 1.
    assert wilson_limits(0.5, 1, 1.0, 0.25) == pytest.approx((0, 1), abs=1e-15)
    # z = 2, n = 4, p = 1/2, V = 1/16: 2 x^2 - 2 x + 0 = 0, again; V = 0: 2 x^2 - 2 x + 1/4 = 0.
    assert wilson_limits(0.5, 4, 2.0, 1 / 16) == pytest.approx((0, 1), abs=1e-15)
    assert wilson_limits(0.5, 4, 2.0) == pytest.approx(((2 - math.sqrt(2)) / 4, (2 + math.sqrt(2)) / 4))


RATES = st.tuples(st.integers(0, 40), st.integers(1, 40)).filter(lambda pair: pair[0] <= pair[1])


@given(RATES)
def test_without_noise_they_are_wilson_s_to_the_bit(rate):
    k, n = rate
    assert wilson_limits(k / n, n, 1.96, 0.0) == wilson_limits(k / n, n, 1.96)
    assert EffectiveRate(k / n, n, noise=0.0).limits(0.95) == EffectiveRate(k / n, n).limits(0.95)


@given(RATES, st.floats(1e-12, 2), st.floats(1, 4), st.sampled_from([0.8, 0.95, 0.99]))
def test_limits_hold_the_rate_and_widen_with_the_variance(rate, variance, times, level):
    k, n = rate
    inner = EffectiveRate(k / n, n, noise=variance).limits(level)
    outer = EffectiveRate(k / n, n, noise=times * variance).limits(level)
    plain = EffectiveRate(k / n, n).limits(level)
    assert 0 <= outer.low <= inner.low <= plain.low <= k / n <= plain.high <= inner.high <= outer.high <= 1


@given(RATES, st.floats(1e-9, 1), st.floats(1.2, 3))
def test_limits_are_where_the_distance_is_z_standard_errors(rate, variance, z):
    k, n = rate
    for limit in wilson_limits(k / n, n, z, variance):
        distance, se = abs(k / n - limit), math.sqrt(limit * (1 - limit) / n + variance)
        if 0 < limit < 1:
            assert distance == pytest.approx(z * se, rel=1e-9)
        else:
            assert distance <= z * se * (1 + 1e-12)


@given(RATES, st.integers(0, 8), st.integers(1, 8), st.integers(1, 4))
def test_the_variance_of_a_rate_is_the_delta_method_s(rate, k_bins, more, tables):
    (k, n), bins = rate, k_bins + more
    p = Fraction(k, n)
    weights = np.array([float((1 - p) / n)] * k_bins + [float(-p / n)] * more)
    expected = float(of_rate(k_bins, bins, p, n, tables))
    assert added_variance(weights, 1.0, tables) == pytest.approx(expected, rel=1e-9, abs=1e-12)
