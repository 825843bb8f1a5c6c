"""Roots by Brent's method: the same bits as SciPy's, after as many looks at the function."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import ndtr

from reporting.core.stats.solvers import root

SHAPES = [
    lambda x: x,
    lambda x: math.expm1(x / 3),
    lambda x: x**3 - x / 7,
    lambda x: math.atan(9 * x),
    lambda x: float(ndtr(x)) - 0.5,
    lambda x: math.copysign(abs(x) ** (1 / 3), x),
    lambda x: x**5,
    lambda x: -1.0 if x < 0 else 1.0,
]


def with_looks(find, of, *arguments):
    looks = []

    def seen(x):
        looks.append(x)
        return of(x)

    return find(seen, *arguments), looks


@given(
    st.sampled_from(SHAPES),
    st.floats(-20, 20),
    st.floats(1e-6, 50),
    st.floats(1e-6, 50),
    st.sampled_from([2e-12, 1e-9, 1e-3]),
    st.sampled_from([-1, 1]),
)
def test_the_bits_and_the_looks_are_those_of_scipy(shape, at, below, above, within, sign):
    def of(x):
        return sign * shape(x - at)

    low, high = at - below, at + above
    if of(low) * of(high) > 0:  # a cubic has three roots
        with pytest.raises(ValueError, match="different signs"):
            root(of, low, high, within)
        return
    theirs = with_looks(lambda f, *ends: brentq(f, *ends, xtol=within, maxiter=9999), of, low, high)
    assert with_looks(root, of, low, high, within) == theirs


def test_an_end_may_be_the_root():
    assert (root(lambda x: x, 0, 1), root(lambda x: x, -1, 0)) == (0, 0)


def test_a_value_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="NaN"):
        root(lambda x: math.nan if -0.4 < x < 0.4 else x, -1, 1)
