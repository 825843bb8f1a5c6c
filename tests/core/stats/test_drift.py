import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from reporting.core.stats.drift import Tails, drift_tails

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
