"""A statistic that is no measure of errors: point and replicates, their difference, its test and its limits."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.engine.sample import Statistic
from reporting.core.resampling.design import Design

BY_TRIAL = Design(0.95, n_units=100)
BY_CLUSTER = Design(0.95, df=3, inflation=math.sqrt(4 / 3), unit="cluster", n_units=4)


def of(point, replicates, design=BY_TRIAL):
    return Statistic(np.asarray(point, dtype=float), np.asarray(replicates, dtype=float), design)


def test_a_difference_by_hand():
    """Replicates 3, 1, 3, 1 less 1, 2, 1, 2: they are 2, -1, 2, -1, of standard deviation sqrt 3."""
    apart = of(2.0, [3, 1, 3, 1]) - of(1.5, [1, 2, 1, 2])
    assert (float(apart.point), apart.replicates.tolist()) == (0.5, [2, -1, 2, -1])
    tested = apart.tested()
    half = 1.959963984540054 * math.sqrt(3)
    assert (tested.difference, tested.se) == (0.5, pytest.approx(math.sqrt(3)))
    assert (tested.low, tested.high) == pytest.approx((0.5 - half, 0.5 + half))


def test_clusters_have_their_factor_and_students_t():
    apart = of(2.0, [3, 1, 3, 1], BY_CLUSTER) - of(1.5, [1, 2, 1, 2], BY_CLUSTER)
    tested = apart.tested()
    assert (tested.se, tested.df) == (pytest.approx(2.0), 3)  # sqrt 3 times sqrt(4 / 3)


def test_a_statistic_less_itself_is_exactly_zero():
    same = of(0.25, [0.1, 0.2, 0.4])
    tested = (same - same).tested()
    assert (tested.difference, tested.p_value) == (0.0, 1.0)
    assert "identical_decisions" in tested.flags


numbers = st.lists(st.integers(-4, 4).map(float), min_size=6, max_size=6)


@given(numbers, numbers)
def test_exchanging_the_systems_turns_the_difference(first, second):
    one, other = of(first[0], first[1:]), of(second[0], second[1:])
    forward, backward = (one - other).tested(), (other - one).tested()
    assert forward.difference == -backward.difference
    assert (forward.se, forward.p_value, forward.status) == (backward.se, backward.p_value, backward.status)
    assert (forward.low, forward.high) == (
        None if backward.high is None else -backward.high,
        None if backward.low is None else -backward.low,
    )


def test_limits_along_a_curve_hold_the_curve_and_are_none_of_a_single_cluster():
    rng = np.random.default_rng(1)
    curve = of([0.2, 0.5, 0.9], 0.5 + rng.normal(0, 0.05, (400, 3)))
    limits = curve.limits(np.full(3, 0.01), (0.0, 1.0))
    assert (limits.band_low <= limits.low).all()
    assert (limits.low < curve.point).all()
    assert (limits.high <= limits.band_high).all()
    assert (
        of(curve.point, curve.replicates, Design(0.95, n_units=1, too_few=True)).limits(
            np.zeros(3), (0.0, 1.0)
        )
        is None
    )
