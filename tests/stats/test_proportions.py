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
