"""Bets by hand in fractions, their means under every null on small samples, and what they imply."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reporting.stats.betting import (
    BETS,
    Capital,
    Stream,
    bets,
    log_capital,
    log_e,
    log_e_above,
    lower_limit,
    stake,
    upper_limit,
)


def by_hand(streams, bound):
    """The e-value in fractions: the mean over bets of the product over trials."""
    classes = [one for one in streams if one.weight > 0]
    share = Fraction(bound) / sum(Fraction(one.weight) for one in classes)
    sizes = [np.float64(one.n) for one in classes]
    found = [Fraction(float(t)) for t in bets([one.weight for one in classes], sizes)]
    total = Fraction(0)
    for t in found:
        product = Fraction(1)
        for one in classes:
            a = t * Fraction(one.weight) / one.n
            for x, count in ((1, one.plus), (0, one.zero), (-1, one.minus)):
                product *= (1 + a * (x - share)) ** count
        total += product
    return total / BETS


HALVES = Stream(0.5, 3, 5, 1), Stream(0.5, 2, 1, 0)


@pytest.mark.parametrize("bound", [0, Fraction(1, 8), Fraction(-1, 4)])
@pytest.mark.parametrize(
    "streams", [HALVES, (Stream(1.0, 4, 0, 2),), (Stream(0.25, 0, 7, 0), Stream(1.0, 1, 1, 1))]
)
def test_the_e_value_is_the_mean_of_products_in_fractions(streams, bound):
    assert math.exp(log_e(streams, float(bound))) == pytest.approx(float(by_hand(streams, bound)), rel=1e-12)


def test_without_a_margin_one_class_bets_on_coins():
    """Only discordant trials count then: a binomial mixture, the mean over bets of (1 + a)^plus (1 - a)^minus."""
    # Of 16 trials the bets go from 8 to 4, a from 1/2 to 1/4, in twelve steps.
    a = [Fraction(0.5 * 0.5 ** (j / 11)) for j in range(12)]
    expected = sum((1 + each) ** 5 * (1 - each) ** 2 for each in a) / 12
    assert math.exp(log_e([Stream(1.0, 5, 9, 2)], 0.0)) == pytest.approx(float(expected), rel=1e-12)
    # A single trial: one bet, of a half, wins or loses half of the capital.
    won, lost = (math.exp(log_e([one], 0.0)) for one in (Stream(1.0, 1, 0, 0), Stream(1.0, 0, 0, 1)))
    assert (won, lost) == pytest.approx((1.5, 0.5))


@pytest.mark.parametrize("sizes", [(1, 1), (2, 3), (5, 1)])
@pytest.mark.parametrize("bound", [Fraction(0), Fraction(1, 10), Fraction(-1, 5)])
def test_its_mean_is_at_most_one_under_every_null(sizes, bound):
    """Exactly, over all samples of both classes, for means of any split between the classes."""
    weights = (Fraction(1, 2), Fraction(1, 2))
    grid = [Fraction(k, 10) for k in range(-10, 11, 2)]
    nulls = [(a, b) for a, b in itertools.product(grid, grid) if weights[0] * a + weights[1] * b <= bound]
    values = {
        (plus, minus): by_hand([Stream(0.5, *one) for one in (plus, minus)], bound)
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
        gained = log_e([Stream(0.5, c[:, 0], c[:, 2], c[:, 1]) for c in counts], bound)
        capital = [one.after(g) for one, g in zip(capital, gained, strict=True)]
        ever |= np.array([one.value >= 20 for one in capital])
    limit = 0.05 + 3 * math.sqrt(0.05 * 0.95 / seeds)
    assert ever.mean() > 0.9 if often else ever.mean() <= limit


COUNT = st.integers(0, 60)
STREAMS = st.tuples(
    st.builds(Stream, st.sampled_from([0.5, 1.0, 0.1]), COUNT, COUNT, COUNT),
    st.builds(Stream, st.sampled_from([0.5, 0.0, 2.0]), COUNT, COUNT, COUNT),
).filter(lambda both: all(one.n > 0 for one in both if one.weight))


@settings(max_examples=50)
@given(STREAMS, st.floats(-0.4, 0.4), st.floats(0.0, 0.4))
def test_it_falls_as_the_bound_rises_and_exchanged_models_mirror_it(streams, bound, more):
    bound, more = (sum(one.weight for one in streams) * number for number in (bound, more))
    assert log_e(streams, bound + more) <= log_e(streams, bound) + 1e-9
    assert log_e_above(streams, bound) == log_e([one.reversed for one in streams], -bound)


@settings(max_examples=30)
@given(STREAMS)
def test_limits_are_where_the_evidence_reaches_the_threshold(streams):
    low, high = lower_limit([streams], math.log(20)), upper_limit([streams], math.log(20))
    total = sum(one.weight for one in streams)
    estimate = sum(one.weight * (one.plus - one.minus) / one.n for one in streams if one.weight)
    assert -total <= low <= estimate + 1e-9
    assert estimate - 1e-9 <= high <= total
    if low > -total:
        # E = e / 2 + 1 / 2 after the first look.
        assert log_e(streams, low) == pytest.approx(math.log(39), abs=1e-6)
        assert log_capital([streams], low) == pytest.approx(math.log(20), abs=1e-6)
    assert upper_limit([[one.reversed for one in streams]], math.log(20)) == -low


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


@pytest.mark.parametrize("streams", [(Stream(1.0, 0, 0, 0),), (Stream(0.5, 3, 3, 3), Stream(0.5, 0, 0, 0))])
def test_nothing_is_bet_on_an_empty_class(streams):
    assert log_e(streams, 0.1) == 0


def test_nothing_is_bet_on_a_bound_that_cannot_be_passed():
    assert log_e([Stream(1.0, 9, 0, 0)], 1.5) == 0
    assert np.isfinite(log_e([Stream(1.0, 9, 0, 0)], 1.0))


@pytest.mark.parametrize("weight", [1.0, 0.5])
def test_nothing_is_bet_beyond_either_end(weight):
    streams = [Stream(weight, 9, 3, 2)]
    assert log_e(streams, 1.01 * weight) == log_e(streams, -1.01 * weight) == 0
    assert log_e(streams, -0.99 * weight) > 0 > log_e(streams, 0.99 * weight)
