"""How many independent trials clusters, pairs and weights are worth: by hand, by double sums, and as laws."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.counts.ranks import Ranks
from reporting.core.resampling.effective import CountedTrials
from reporting.core.resampling.units import cluster_units, trial_units
from reporting.core.stats.crossed_units import over_pools
from reporting.core.stats.effective_size import correlation_beyond


def clustered(unit, second=None, pools="one"):
    codes = [None if side is None else np.asarray(side, dtype=np.uint32) for side in (unit, second)]
    ranks = Ranks(np.ones(len(unit), dtype=bool), codes[0], {}, paired=True, unit_b=codes[1], pools=pools)
    return cluster_units([ranks], ("all", "test"))[0]


def test_clusters_by_hand():
    """Three clusters of 3, 3 and 4 trials; errors 3, 0 and 1: a rate of .4, deviations 1.8, -1.2, -.6.

    w = 3/10, 3/10, 4/10: sum w^2 = 34/100, sum w^3 = 118/1000, f = 1 / (1 - 236/340 + 34/100) = 850/549, and
    K = 100/34: 100/34 - 549/850 100/66 = 4404/2244 degrees of freedom.
    """
    unit = [0] * 3 + [1] * 3 + [2] * 4
    errors = np.array([1, 1, 1, 0, 0, 0, 1, 0, 0, 0], dtype=float)
    found = CountedTrials.among(np.ones(10), clustered(unit), None).rate(errors, 0.0)
    variance = 850 / 549 * (1.8**2 + 1.2**2 + 0.6**2) / 100
    assert (found.rate, found.df) == (0.4, 4404 / 2244)
    assert found.size == pytest.approx(0.4 * 0.6 / variance)


def test_what_clusters_move_a_rate_sums_to_its_variance():
    """The clusters above: sqrt(f) times (1.8, -1.2, -.6) / 10; a cluster of the other class moves nothing."""
    unit, errors = [0] * 3 + [1] * 3 + [2] * 4 + [3] * 5, np.array([1, 1, 1, 0, 0, 0, 1, 0, 0, 0] + [1] * 5)
    of_class = np.arange(15) < 10
    found = CountedTrials.among(of_class, clustered(unit), None).rate(errors, 0.0)
    assert found.moved == pytest.approx(math.sqrt(850 / 549) * np.array([0.18, -0.12, -0.06, 0]))
    assert (found.moved**2).sum() == pytest.approx(0.4 * 0.6 / found.size)
    alone = CountedTrials.among(np.ones(15), trial_units(np.arange(15) % 2 == 0, ("all", "test")), None)
    pairs = CountedTrials.among(np.ones(15), clustered(unit, [5] * 15), None)
    one = CountedTrials.among(np.ones(15), clustered([0] * 15), None)
    assert [each.rate(errors, 0.0).moved for each in (alone, pairs, one)] == [None, None, None]


def test_three_right_decisions_are_as_few_as_three_errors():
    """1 - 7 / 10 is above 3 / 10 in its last bit, and so were three of ten."""
    among = CountedTrials.among(np.ones(10), clustered([0, 0, 1, 1, 2, 2, 3, 3, 4, 4]), None)
    errors = np.array([1.0, 0, 0, 0, 1, 0, 0, 0, 1, 0])
    one, other = among.rate(errors, 0.0), among.rate(1 - errors, 0.0)
    assert one.few
    assert other.few
    assert other.limits(0.95) == pytest.approx([1 - limit for limit in reversed(one.limits(0.95))])


def test_two_clusters_of_three_to_one_by_hand():
    """Errors 3 of 3 and 0 of 1: a rate of 3/4, deviations 3/4 and -3/4, f = 40/9, one degree."""
    among = CountedTrials.among(np.ones(4), clustered([0, 0, 0, 1]), None)
    found = among.rate(np.array([1.0, 1, 1, 0]), 0.0)
    assert (found.df, found.clusters.effective) == (1, 8 / 5)
    assert found.size == pytest.approx(3 / 16 / (40 / 9 * 2 * (9 / 16) / 16))


@given(st.integers(0, 10_000))
def test_weights_of_clustered_trials_are_repeated_rows(seed):
    """But for the independent trials they are worth, which weights make fewer: the variance is the same."""
    rng = np.random.default_rng(seed)
    unit, weight, errors = (
        rng.integers(0, 5, 40),
        rng.integers(1, 4, 40),
        (rng.random(40) < 0.5).astype(float),
    )
    one = CountedTrials.among(np.ones(40), clustered(unit), weight)
    times = np.repeat(np.arange(40), weight)
    other = CountedTrials.among(np.ones(len(times)), clustered(rng.permutation(5)[unit[times]]), None)
    rate = (weight * errors).sum() / weight.sum()
    influences = weight * (errors - rate) / weight.sum()
    spread = one._variance(one._by_atom(influences))
    again = other._variance(other._by_atom((errors[times] - rate) / weight.sum()))
    assert spread == pytest.approx(again, rel=1e-12)
    assert one.rate(errors, 0.0).df == other.rate(errors[times], 0.0).df


def test_errors_spread_evenly_are_worth_their_trials_and_no_more():
    unit = np.repeat(np.arange(5), 4)
    errors = np.tile([1.0, 0, 0, 0], 5)
    assert CountedTrials.among(np.ones(20), clustered(unit), None).rate(errors, 0.0).size == 20


def test_no_error_counts_as_the_scores_say():
    """Four clusters of 25; one error and one right decision more make 1 of 102."""
    among = CountedTrials.among(np.ones(100), clustered(np.repeat(np.arange(4), 25)), None)
    found = among.rate(np.zeros(100), 0.5)
    assert found.size == pytest.approx(100 / (1 + 24 * correlation_beyond(1 / 102, 0.5)))
    assert found.few
    # Twenty errors, five in each cluster: half of what the scores would add to a design effect of 1.
    twenty = among.rate((np.arange(100) % 5 == 0).astype(float), 0.5)
    assert twenty.size == pytest.approx(100 / (1 + 12 * correlation_beyond(21 / 102, 0.5)))
    assert not twenty.few
    assert among.rate(np.zeros(100), 0.0).size == 100
    alike = among.correlation(np.repeat([0.0, 1.0, 2.0, 3.0], 25))
    assert alike > 0.99
    assert 3.9 < among.rate(np.zeros(100), alike).size < 6


def test_a_single_cluster_tells_nothing():
    found = CountedTrials.among(np.ones(8), clustered([0] * 8), None).rate(np.zeros(8), 0.0)
    assert (found.size, found.limits(0.95)) == (0.0, (0.0, 1.0))
    assert math.isnan(CountedTrials.among(np.zeros(8), clustered([0] * 8), None).rate(np.zeros(8), 0.0).rate)


def dependent(a, b, two):
    """Whether two trials share a member."""
    same = (a[:, None] == a) | (b[:, None] == b)
    return same if two else same | (a[:, None] == b) | (b[:, None] == a)


@given(st.integers(0, 10_000), st.booleans(), st.booleans())
def test_pairs_are_double_sums_over_trials_that_share_a_member(seed, two, weighted):
    rng = np.random.default_rng(seed)
    n = 60
    a, b, errors = rng.integers(0, 8, n), rng.integers(0, 8, n), (rng.random(n) < 0.3).astype(float)
    weight = rng.integers(1, 4, n) if weighted else None
    w = np.ones(n) if weight is None else weight.astype(float)
    units = clustered(a, b, "two" if two else "one")
    among, score = CountedTrials.among(np.ones(n), units, weight), rng.normal(size=n)
    share = dependent(a, b, two)
    rate = (w * errors).sum() / w.sum()
    off = w * (errors - rate) / w.sum()
    variance, nominal = float(off @ share @ off), w.sum() ** 2 / (w**2).sum()
    found = among.rate(errors, 0.0)
    members = len(np.union1d(a, b))
    if two:  # a sum of squares less what cells add, with degrees of freedom of its own
        crossed = over_pools(off, a, b, w)
        size = rate * (1 - rate) / crossed.variance if crossed.variance > 0 else nominal
        assert (found.size, found.df) == (pytest.approx(min(nominal, size)), pytest.approx(crossed.df))
    lacking = 1.0 if two else (members - 2) * (members - 3) / (members * (members - 1))
    assert found.rate == pytest.approx(rate)
    if not two:
        size = rate * (1 - rate) / variance * lacking if variance > 1e-12 else nominal
        assert found.size == pytest.approx(min(nominal, size))
    apart = share & ~np.eye(n, dtype=bool)
    centred = score - (w * score).sum() / w.sum()
    summed, own = float((w * centred) @ share @ (w * centred)), float(((w * centred) ** 2).sum())
    products = (summed / lacking - own) / (w @ apart @ w)
    if summed > 1e-9:
        expected = products / ((w * centred**2).sum() / w.sum())
        assert among.correlation(score) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(st.integers(0, 10_000))
def test_weights_of_independent_trials_make_them_fewer(seed):
    rng = np.random.default_rng(seed)
    weight, errors = rng.integers(1, 6, 80), (rng.random(80) < 0.2).astype(float)
    units = trial_units(np.ones(80, dtype=bool), ("all", "test"))
    found = CountedTrials.among(np.ones(80), units, weight).rate(errors, 0.0)
    rate = (weight * errors).sum() / weight.sum()
    variance = 80 / 79 * (weight**2 * (errors - rate) ** 2).sum() / weight.sum() ** 2
    kish = weight.sum() ** 2 / (weight**2).sum()
    assert (found.rate, found.df) == (pytest.approx(rate), None)
    assert found.size == pytest.approx(min(kish, rate * (1 - rate) / variance) if variance else kish)
