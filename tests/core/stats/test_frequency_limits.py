"""Limits of a smooth curve of frequencies: the wider of two intervals, by hand and at the ends."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.stats.curve_limits import curve_limits, frequency_limits

Z = 1.959963984540054


def spread_about(curve, se, m=19):
    """M replicates whose spread is ``se`` at every point, half of them on either side, none farther than 1 SE."""
    steps = np.linspace(-1, 1, m)
    return np.asarray(curve) + np.outer(steps / steps.std(ddof=1), np.atleast_1d(se))


def wilson(f, n, z):
    middle, half = f + z * z / (2 * n), z * math.sqrt(f * (1 - f) / n + z * z / (4 * n * n))
    return (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)


def test_the_wider_of_both_by_hand():
    """50 trials, SE .1. At 1/2 p is 1/2, and 25 trials have Wilson's [.317, .683], inside 1/2 -+ 1.96 / 10.

    At 0 p is 2/54, so that they are p (1 - p) / .01 = 3.567 trials: from 0 to 3.841 / (3.841 + 3.567).
    """
    curve = np.array([0.5, 0.0])
    limits = frequency_limits(curve, spread_about(curve, [0.1, 0.1]), np.zeros(2), 50, 0.95)
    assert limits.low == pytest.approx([0.5 - Z / 10, 0.0])
    assert limits.high == pytest.approx([0.5 + Z / 10, wilson(0, 2 / 54 * 52 / 54 / 0.01, Z)[1]])
    assert limits.high[1] == pytest.approx(0.5185, abs=1e-4)


def test_the_side_of_the_bias_alone_is_moved():
    curve, bias = np.array([0.5, 0.5, 0.5]), np.array([0.0, 0.03, -0.04])
    limits = frequency_limits(curve, spread_about(curve, [0.1] * 3), bias, 50, 0.95)
    half = Z / 10
    assert limits.low == pytest.approx([0.5 - half, 0.47 - half, 0.5 - half])
    assert limits.high == pytest.approx([0.5 + half, 0.5 + half, 0.54 + half])
    assert limits.band_low[1] == pytest.approx(limits.band_low[0] - 0.03)


def test_a_curve_below_0_has_the_limits_of_0():
    """Not kept within [0, 1] the replicates spread; limits are within, and hold the frequency that is shown."""
    limits = frequency_limits(np.array([-0.02]), spread_about([-0.02], 0.05), np.zeros(1), 100, 0.95)
    assert limits.low.tolist() == [0.0]
    assert 0.05 < limits.high[0] < 0.5


@given(
    st.lists(st.floats(-0.2, 1.2), min_size=1, max_size=6),
    st.floats(0, 0.3),
    st.floats(-0.1, 0.1),
    st.integers(2, 10**6),
    st.sampled_from([None, 1, 9]),
)
def test_limits_are_in_order_and_never_inside_those_of_normal_errors(curve, se, bias, n, df):
    curve = np.array(curve)
    replicates = spread_about(curve, np.full(len(curve), se))
    limits = frequency_limits(curve, replicates, np.full(len(curve), bias), n, 0.95, df)
    shown, plain = (
        np.clip(curve, 0, 1),
        curve_limits(curve, replicates, np.zeros(len(curve)), 0.95, (0, 1), df),
    )
    ordered = [limits.band_low, limits.low, shown, limits.high, limits.band_high]
    assert (np.diff(ordered, axis=0) >= -1e-12).all()
    assert (limits.low <= plain.low + 1e-12).all()
    assert (limits.high >= plain.high - 1e-12).all()
    assert all(limit.min() >= 0 and limit.max() <= 1 for limit in limits)


def test_no_limits_of_too_few_or_undefined_replicates():
    curve = np.array([0.5])
    assert frequency_limits(curve, np.full((19, 1), np.nan), np.zeros(1), 9, 0.95) is None
    assert frequency_limits(curve, spread_about(curve, 0.1, m=18), np.zeros(1), 9, 0.95) is None
