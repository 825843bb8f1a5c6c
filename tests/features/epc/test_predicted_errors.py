import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from reporting.features.epc.formulas import beta_binomial_quantiles, predicted_errors


def test_the_anchor():
    """Methods 7.8: 10 of 1000 on dev, 5000 on test: 23 to 92."""
    assert [int(limit) for limit in predicted_errors(10, 1000, 5000)] == [23, 92]


@given(
    st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    st.integers(0, 3000),
    st.sampled_from([0.005, 0.025, 0.5, 0.9, 0.975]),
)
def test_quantiles_equal_an_outside_library(counts, n_new, q):
    k, n = counts
    own = beta_binomial_quantiles(np.array([q]), n_new, k + 0.5, n - k + 0.5)[0]
    cdf = stats.betabinom(n_new, k + 0.5, n - k + 0.5).cdf
    # Its own quantiles are wrong where its sums round; its distribution function is not.
    assert cdf(own) >= q - 1e-9
    assert own == 0 or cdf(own - 1) < q + 1e-9


def test_large_test_sets_are_summed_where_the_probability_is():
    low, high = predicted_errors(np.array([0, 100, 9_999]), 10_000, 1_000_000)
    beta = stats.beta(np.array([0, 100, 9_999]) + 0.5, np.array([10_000, 9_900, 1]) + 0.5)
    # With this many trials the count is the rate times the trials, but for binomial noise.
    assert low == pytest.approx(beta.ppf(0.025) * 1e6, rel=0.002, abs=3)
    assert high == pytest.approx(beta.ppf(0.975) * 1e6, rel=0.002, abs=3)


def test_any_shape_and_repeated_counts():
    low, high = predicted_errors([[10, 0], [10, 1000]], 1000, 5000)
    assert low.shape == high.shape == (2, 2)
    assert low[0].tolist() == [23, 0]
    assert low[1, 0] == 23
    assert high[1, 1] == 5000
    # Accepting k of n and rejecting n - k of n mirror one another.
    assert high[0, 1] == 5000 - low[1, 1]


@pytest.mark.parametrize(("n", "k", "n_new"), [(200, 4, 1000), (1000, 10, 5000), (100, 20, 400)])
def test_the_band_covers_the_test_count(n, k, n_new):
    """Methods, property P34: the threshold accepts k of n continuous non-targets; the naive binomial band fails."""
    rng = np.random.default_rng(1)
    # The (n - k)-th of n uniform scores: the true FAR above it, between the k-th and (k + 1)-th largest.
    scores = np.sort(rng.random((4000, n)))[:, ::-1]
    true_far = 1 - (scores[:, k - 1] + scores[:, k]) / 2
    count = rng.binomial(n_new, true_far)
    low, high = predicted_errors(k, n, n_new)
    covered = ((low <= count) & (count <= high)).mean()
    assert 0.945 < covered < 0.97
    naive_low, naive_high = stats.binom(n_new, k / n).interval(0.95)
    assert ((naive_low <= count) & (count <= naive_high)).mean() < 0.92
