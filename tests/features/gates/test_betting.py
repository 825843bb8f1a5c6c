"""Bets by hand in fractions, their means under every null on small samples, and what they imply."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reporting.features.gates.betting import (
    BETS,
    Capital,
    Night,
    bets,
    log_capital,
    log_e,
    log_e_above,
    lower_limit,
    pooled,
    stake,
    upper_limit,
)


def trials(*classes):
    """A look at single trials; of each class its weight, and how many say 1, 0 and -1."""
    return Night.of_trials([weight for weight, *_ in classes], [counts for _, *counts in classes])


def by_hand(night, bound):
    """The e-value in fractions: the mean over bets of the product over units."""
    weights = [Fraction(float(w)) for w in night.weight]
    share = Fraction(bound) / sum(weights)
    per_trial = [w / int(n) if w else Fraction(0) for w, n in zip(weights, night.n, strict=True)]
    units = [
        (
            sum(p * int(m) for p, m in zip(per_trial, size, strict=True)),
            sum(p * int(d) for p, d in zip(per_trial, net, strict=True)),
            int(times),
        )
        for size, net, times in zip(night.size.T, night.net.T, night.times, strict=True)
    ]
    found = bets(np.array([float(reach) for reach, _, _ in units]), night.times)
    total = sum(
        math.prod((1 + Fraction(float(t)) * (says - share * reach)) ** times for reach, says, times in units)
        for t in found
    )
    return total / BETS


HALVES = trials((0.5, 3, 5, 1), (0.5, 2, 1, 0))
CLUSTERS = Night.of_clusters((0.5, 0.5), [[2, 0, -1], [1, 0, 2]], [[3, 2, 4], [1, 0, 2]])


@pytest.mark.parametrize("bound", [0, Fraction(1, 8), Fraction(-1, 4)])
@pytest.mark.parametrize(
    "night", [HALVES, trials((1.0, 4, 0, 2)), trials((0.25, 0, 7, 0), (1.0, 1, 1, 1)), CLUSTERS]
)
def test_the_e_value_is_the_mean_of_products_in_fractions(night, bound):
    assert math.exp(log_e(night, float(bound))) == pytest.approx(float(by_hand(night, bound)), rel=1e-12)


def test_one_trial_in_each_cluster_is_a_look_at_trials():
    net, size = [[1, 0, -1, 0, 0], [0, 0, 0, 1, 0]], [[1, 1, 1, 0, 0], [0, 0, 0, 1, 1]]
    alone = Night.of_clusters((0.5, 0.5), net, size)
    assert log_e(alone, 0.1) == pytest.approx(float(log_e(trials((0.5, 1, 1, 1), (0.5, 1, 1, 0)), 0.1)))


def test_a_cluster_of_equal_trials_is_one_bet_as_large():
    """Ten speakers of eight equal trials say as much as ten trials, and not as eighty."""
    speakers = Night.of_clusters([1.0], [[8] * 7 + [-8] * 3], [[8] * 10])
    assert log_e(speakers, 0.0) == pytest.approx(float(log_e(trials((1.0, 7, 0, 3)), 0.0)))
    assert log_e(trials((1.0, 56, 0, 24)), 0.0) > 4 * log_e(speakers, 0.0)


def test_the_estimate_of_all_looks_by_hand_in_fractions():
    second = Night.of_clusters((0.5, 0.5), [[1, 0], [0, 1]], [[1, 2], [2, 1]])
    nets, sizes = [[2, 0, -1, 1, 0], [1, 0, 2, 0, 1]], [[3, 2, 4, 1, 2], [1, 0, 2, 2, 1]]
    means = [Fraction(sum(net), sum(size)) for net, size in zip(nets, sizes, strict=True)]
    influence = [
        sum(
            Fraction(1, 2) * (net[g] - mean * size[g]) / sum(size)
            for net, size, mean in zip(nets, sizes, means, strict=True)
        )
        for g in range(5)
    ]
    estimate, se = pooled([CLUSTERS, second])
    assert estimate == pytest.approx(float(sum(means) / 2))
    assert se == pytest.approx(math.sqrt(sum(each**2 for each in influence)))
    # Of trials it is w^2 (E x^2 - mean^2) / n.
    assert pooled([trials((1.0, 4, 3, 1))]) == pytest.approx((3 / 8, math.sqrt((5 / 8 - 9 / 64) / 8)))


def test_without_a_margin_one_class_bets_on_coins():
    """Only discordant trials count then: a binomial mixture, the mean over bets of (1 + a)^plus (1 - a)^minus."""
    # Of 16 trials the bets go from 8 to 4, a from 1/2 to 1/4, in twelve steps.
    a = [Fraction(0.5 * 0.5 ** (j / 11)) for j in range(12)]
    expected = sum((1 + each) ** 5 * (1 - each) ** 2 for each in a) / 12
    assert math.exp(log_e(trials((1.0, 5, 9, 2)), 0.0)) == pytest.approx(float(expected), rel=1e-12)
    # A single trial: one bet, of a half, wins or loses half of the capital.
    won, lost = (math.exp(log_e(trials(one), 0.0)) for one in ((1.0, 1, 0, 0), (1.0, 0, 0, 1)))
    assert (won, lost) == pytest.approx((1.5, 0.5))


@pytest.mark.parametrize("sizes", [(1, 1), (2, 3), (5, 1)])
@pytest.mark.parametrize("bound", [Fraction(0), Fraction(1, 10), Fraction(-1, 5)])
def test_its_mean_is_at_most_one_under_every_null(sizes, bound):
    """Exactly, over all samples of both classes, for means of any split between the classes."""
    weights = (Fraction(1, 2), Fraction(1, 2))
    grid = [Fraction(k, 10) for k in range(-10, 11, 2)]
    nulls = [(a, b) for a, b in itertools.product(grid, grid) if weights[0] * a + weights[1] * b <= bound]
    values = {
        (plus, minus): by_hand(trials((0.5, *plus), (0.5, *minus)), bound)
        for plus, minus in itertools.product(splits(sizes[0]), splits(sizes[1]))
    }
    assert len(nulls) > 10
    for first, second in nulls:
        # Trials that are as often discordant as they can be, and as seldom.
        for zero in (0, Fraction(1, 2)):
            laws = [law(mean, zero) for mean in (first, second)]
            mean = sum(e * chance(one, laws[0]) * chance(two, laws[1]) for (one, two), e in values.items())
            assert mean <= 1


def splits(n):
    return [(plus, n - plus - minus, minus) for plus in range(n + 1) for minus in range(n + 1 - plus)]


def law(mean, zero):
    zero = min(zero, 1 - abs(mean))
    return (1 - zero + mean) / 2, zero, (1 - zero - mean) / 2


def chance(counts, law):
    n = math.factorial(sum(counts))
    for count in counts:
        n //= math.factorial(count)
    return n * math.prod(p**count for p, count in zip(law, counts, strict=True))


@pytest.mark.parametrize(("bound", "often"), [(0.01, False), (-0.04, True)])
def test_unequal_classes_keep_the_error_over_many_looks(bound, often):
    """Fifty targets and two thousand non-targets at each of ten looks; theta is 0.01, unevenly split."""
    rng, looks, seeds = np.random.default_rng(5), 10, 1500
    sizes, rates = (2000, 50), [(0.035, 0.02), (0.055, 0.05)]
    capital, ever = [Capital()] * seeds, np.zeros(seeds, dtype=bool)
    for _ in range(looks):
        counts = [
            rng.multinomial(n, [p, q, 1 - p - q], size=seeds) for n, (p, q) in zip(sizes, rates, strict=True)
        ]
        gained = log_e(trials(*((0.5, c[:, 0], c[:, 2], c[:, 1]) for c in counts)), bound)
        capital = [one.after(g) for one, g in zip(capital, gained, strict=True)]
        ever |= np.array([one.value >= 20 for one in capital])
    limit = 0.05 + 3 * math.sqrt(0.05 * 0.95 / seeds)
    assert ever.mean() > 0.9 if often else ever.mean() <= limit


COUNT = st.integers(0, 60)
CLASSES = st.tuples(
    st.tuples(st.sampled_from([0.5, 1.0, 0.1]), COUNT, COUNT, COUNT),
    st.tuples(st.sampled_from([0.5, 0.0, 2.0]), COUNT, COUNT, COUNT),
).filter(lambda both: all(sum(counts) > 0 for weight, *counts in both if weight))
CLUSTER = st.tuples(st.integers(0, 9), st.integers(0, 9), st.floats(-1, 1), st.floats(-1, 1))


@st.composite
def clusters(draw):
    """A look at clusters of any sizes that hold both classes."""
    rows = draw(st.lists(CLUSTER, min_size=1, max_size=12).filter(lambda r: any(a for a, *_ in r) and any(b for _, b, *_ in r)))  # fmt: skip
    size = np.array([row[:2] for row in rows]).T
    return Night.of_clusters((0.5, 0.5), np.round(size * np.array([row[2:] for row in rows]).T), size)


NIGHTS = st.one_of(CLASSES.map(lambda both: trials(*both)), clusters())


@settings(max_examples=50)
@given(NIGHTS, st.floats(-0.4, 0.4), st.floats(0.0, 0.4))
def test_it_falls_as_the_bound_rises_and_exchanged_models_mirror_it(night, bound, more):
    bound, more = (night.weight.sum() * number for number in (bound, more))
    assert log_e(night, bound + more) <= log_e(night, bound) + 1e-9
    assert log_e_above(night, bound) == log_e(night.reversed, -bound)


@settings(max_examples=30)
@given(NIGHTS)
def test_limits_are_where_the_evidence_reaches_the_threshold(night):
    low, high = lower_limit([night], math.log(20)), upper_limit([night], math.log(20))
    total, (estimate, _) = night.weight.sum(), pooled([night])
    assert -total <= low <= estimate + 1e-9
    assert estimate - 1e-9 <= high <= total
    if low > -total:
        # E = e / 2 + 1 / 2 after the first look.
        assert log_e(night, low) == pytest.approx(math.log(39), abs=1e-6)
        assert log_capital([night], low) == pytest.approx(math.log(20), abs=1e-6)
    assert upper_limit([night.reversed], math.log(20)) == -low


def test_capital_by_hand_in_fractions():
    # E_1 = e/2 + 1/2; E_2 = (e/2 + 1/6) e' + 1/3.
    first = Capital().after(math.log(3))
    assert first == (pytest.approx(2.0), 1)
    second = first.after(math.log(4))
    assert second.value == pytest.approx(float((Fraction(3, 2) + Fraction(1, 6)) * 4 + Fraction(1, 3)))
    assert second.looks == 2


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=30))
def test_looks_that_say_nothing_keep_the_capital_and_a_fair_bet_keeps_its_mean(chances):
    same = Capital()
    for _ in chances:
        same = same.after(0.0)
    assert same.value == pytest.approx(1.0)
    # One fair look from anywhere: e is 2 or 0, each with half the chance.
    up, down = (same.after(g).value for g in (math.log(2), -math.inf))
    assert (up + down) / 2 == pytest.approx(same.value)


def test_stakes_add_up_to_one_and_a_ceiling_only_lowers():
    assert sum(Fraction(1, k * (k + 1)) for k in range(1, 50)) == Fraction(49, 50)
    assert [stake(k) for k in (1, 2, 3)] == [1 / 2, 1 / 6, 1 / 12]
    assert Capital().after(100.0, 40.0).value == 40.0
    assert Capital().after(1e9).value < math.inf


@pytest.mark.parametrize("night", [trials((1.0, 0, 0, 0)), trials((0.5, 3, 3, 3), (0.5, 0, 0, 0))])
def test_nothing_is_bet_on_an_empty_class(night):
    assert log_e(night, 0.1) == 0


def test_nothing_is_bet_on_a_bound_that_cannot_be_passed():
    assert log_e(trials((1.0, 9, 0, 0)), 1.5) == 0
    assert np.isfinite(log_e(trials((1.0, 9, 0, 0)), 1.0))


@pytest.mark.parametrize("weight", [1.0, 0.5])
def test_nothing_is_bet_beyond_either_end(weight):
    night = trials((weight, 9, 3, 2))
    assert log_e(night, 1.01 * weight) == log_e(night, -1.01 * weight) == 0
    assert log_e(night, -0.99 * weight) > 0 > log_e(night, 0.99 * weight)
