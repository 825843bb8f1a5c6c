import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from reporting.core.stats.prediction import guaranteed_errors, trials_for_guarantee


@given(
    st.integers(1, 3000), st.sampled_from([0.001, 0.01, 0.05, 0.2]), st.sampled_from([0.5, 0.9, 0.95, 0.99])
)
def test_the_guarantee_is_the_beta_law(n, rate, confidence):
    """The largest c for which Beta(c + 1, n - c) stays below the rate with the confidence."""
    c = guaranteed_errors(n, rate, confidence)
    allowed = stats.binom(n, rate).cdf(np.arange(n)) <= 1 - confidence
    assert c == (int(np.flatnonzero(allowed)[-1]) if allowed.any() else -1)
    if c >= 0:
        assert stats.beta(c + 1, n - c).cdf(rate) >= confidence
    assert (c >= 0) == (n >= trials_for_guarantee(rate, confidence))


def test_guarantees_by_hand():
    assert trials_for_guarantee(0.01, 0.95) == 299  # .99^298 = .0500, .99^299 = .0495
    assert 0.99**299 <= 0.05 < 0.99**298
    assert trials_for_guarantee(0.5, 0.75) == 2
    assert guaranteed_errors(2, 0.5, 0.75) == 0
    assert guaranteed_errors(298, 0.01, 0.95) == -1
    assert guaranteed_errors(299, 0.01, 0.95) == 0
    assert guaranteed_errors(473, 0.01, 0.95) == 1  # the known sample sizes of tolerance limits
    assert guaranteed_errors(472, 0.01, 0.95) == 0
    assert guaranteed_errors(1_000_000, 0.01, 0.95) == pytest.approx(10_000 - 1.645 * math.sqrt(9900), abs=3)
