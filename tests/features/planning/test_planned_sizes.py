import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, t

from reporting.core.stats import planning
from reporting.features.planning import planned_sizes


@given(st.integers(1, 5000), st.integers(1, 60))
def test_the_fewest_that_are_enough(least_enough, least):
    assert planned_sizes.fewest(lambda n: n >= least_enough, least) == max(least_enough, least)


def test_the_fewest_of_nothing():
    assert planned_sizes.fewest(lambda n: False) is None
    assert planned_sizes.of_other_class(7, 0.5) == 4
    assert planned_sizes.of_other_class(10, 0.3) == 3
    assert planned_sizes.of_other_class(1, 0.01) == 1


def test_design_effects_by_hand():
    assert planned_sizes.cluster_effect(20, 0.05) == pytest.approx(float(Fraction(39, 20)))
    assert planned_sizes.cluster_effect(1, 0.9) == 1
    # Four subjects, two trials a pair: a trial shares both subjects with 1 and one subject with 8 others.
    assert planned_sizes.crossed_effect(4, 2, 0.1) == pytest.approx(1 + 2 * 0.1 + 8 * 0.1)
    assert planned_sizes.pairs_of(123, 4) == 30_012
    assert planned_sizes.worth(300, 1.5, None, 0.025) == 200
    ratio = norm.ppf(0.975) / t.ppf(0.975, 9)
    assert planned_sizes.worth(300, 1.5, 9, 0.025) == pytest.approx(200 * ratio**2, rel=1e-9)


@pytest.mark.parametrize("per_pair", [1, 3])
def test_crossed_design_effect_is_the_variance_of_effects_that_add_up(per_pair):
    """The variance of the mean of s_i + s_j + e over all pairs: s with variance r, e the rest of 1."""
    clusters, r = 7, 0.15
    pairs = [(i, j) for i in range(clusters) for j in range(i) for _ in range(per_pair)]
    shared = np.array([[len({*a} & {*b}) for b in pairs] for a in pairs], dtype=float)
    covariance = r * shared
    np.fill_diagonal(covariance, 1.0)
    variance = covariance.sum() / len(pairs) ** 2
    effect = planned_sizes.crossed_effect(clusters, per_pair, r)
    assert variance == pytest.approx(effect / len(pairs), rel=1e-12)


@given(
    st.integers(1, 40).map(lambda k: k / 16),
    st.integers(-40, 40).map(lambda k: k / 16),
    st.none() | st.integers(2, 60),
    st.sampled_from([0.9, 0.95, 0.99]),
)
def test_power_of_a_bound_is_that_of_one_side(se, distance, df, level):
    """The two sides of a test at 2 level - 1 add up to it; at no distance it errs with 1 - level."""
    power = planned_sizes.power_of_bound
    sides = power(abs(distance), se, level, df), power(-abs(distance), se, level, df)
    assert sum(sides) == pytest.approx(planning.power(distance, se, 2 * level - 1, df=df), abs=1e-7)
    assert power(2 * abs(distance), se, level, df) >= sides[0]
    assert power(0.0, se, level, df) == pytest.approx(1 - level, rel=1e-9)
    assert math.isnan(power(distance, 0.0, level, df))
