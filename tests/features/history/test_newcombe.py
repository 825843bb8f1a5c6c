import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import confint_proportions_2indep

from reporting.features.history.differences import newcombe

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
    assert newcombe(*counts, 0.95) == pytest.approx(limits, abs=5e-5)


@given(SIZES, SIZES, st.data(), LEVELS)
def test_independent_proportions_agree_with_statsmodels(n, m, data, level):
    k, j = data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    theirs = confint_proportions_2indep(k, n, j, m, method="newcomb", compare="diff", alpha=1 - level)
    assert newcombe(k, n, j, m, level) == pytest.approx(np.clip(theirs, -1, 1), abs=1e-9)
