import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from reporting.core.stats.prediction import guaranteed_errors, trials_for_guarantee
from reporting.features.drift.formulas import Tails, drift_tails
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


counts_of_two = st.tuples(
    *[st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))] * 2
)


@given(counts_of_two)
def test_the_tails_of_drift_are_those_of_fishers_test(counts):
    (k, m), (x, n) = counts
    tails = drift_tails(k, m, x, n) if n <= 1000 * m else None
    fisher = stats.hypergeom(n + m, k + x, n)
    if tails is not None:
        assert tails.at_most == pytest.approx(fisher.cdf(x), rel=1e-9)
        assert tails.at_least == pytest.approx(fisher.sf(x - 1), rel=1e-9)
        assert tails.p == pytest.approx(min(1, 2 * min(fisher.cdf(x), fisher.sf(x - 1))), rel=1e-9)


def test_none_seen_on_dev_makes_a_few_on_test_no_surprise():
    """After 0 of 500, 5 of 500 have the chance 1/32 (barring ties): a Wald test would find z = 2.2."""
    assert drift_tails(0, 500, 5, 500).at_least == pytest.approx(1 / 32, rel=0.1)
    assert drift_tails(0, 500, 0, 500) == (1.0, 1.0)
    assert drift_tails(500, 500, 500, 500) == (1.0, 1.0)
    assert drift_tails(0, 500, 30, 500).p < 1e-6


def test_a_design_effect_leaves_fewer_trials():
    alone, dependent = drift_tails(50, 800, 12, 800), drift_tails(50, 800, 12, 800, 4.0)
    assert dependent.at_most == pytest.approx(drift_tails(12.5, 200, 3, 200).at_most)
    assert alone.p < 1e-5 < 0.01 < dependent.p < 0.05
    # Less than one is no gain: clusters of few errors are often found to be so.
    assert drift_tails(50, 800, 12, 800, 0.5) == alone


def test_few_degrees_of_freedom_make_tails_heavier():
    tails = drift_tails(50, 800, 12, 800)
    assert tails.p < tails.student(20).p < tails.student(5).p < 1
    assert tails.student(1e9).p == pytest.approx(tails.p, rel=1e-3)


def test_both_tails_hold_where_either_does():
    assert (Tails(0.2, 0.9) | Tails(0.6, 0.01)) == (0.6, 0.9)


def test_very_many_trials_are_summed_where_the_probability_is():
    assert drift_tails(1_000, 100_000_000, 1_200, 100_000_000).p == pytest.approx(2.2e-5, rel=0.1)
    assert 0.1 < drift_tails(10, 100, 12_000_000, 100_000_000).p <= 1
