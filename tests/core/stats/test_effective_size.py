"""Limits of rates of dependent trials: Korn and Graubard by hand, Wilson as published, Owen's T by integrals."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proportions import clopper_pearson
from scipy import stats

from reporting.core.stats.crossed_units import dyadic_se
from reporting.core.stats.effective_size import (
    EffectiveRate,
    correlation_beyond,
    square_and_add,
    wilson_limits,
)
from reporting.core.stats.intervals import quantile, wilson

Z = 1.959963984540054


@given(st.integers(1, 400), st.integers(0, 400), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_whole_numbers_of_independent_trials_are_as_ever(n, k, level):
    k = min(n, k)
    expected = wilson(k, n, level) if 0 < k < n else clopper_pearson(k, n, level)
    assert EffectiveRate(k / n, n).limits(level) == pytest.approx(expected, abs=1e-12)


def test_korn_and_graubard_by_hand():
    """10 errors of 200 trials with design effect 2.5 in 21 clusters: 4 * .8829 of 80 * .8829 trials."""
    t = stats.t.ppf(0.975, 20)
    n = 200 / 2.5 * (Z / t) ** 2
    assert n == pytest.approx(80 * 0.882854, rel=1e-4)
    low, high = EffectiveRate(0.05, 80, 20, few=True).limits(0.95)
    v1, v2, v3, v4 = 2 * 0.05 * n, 2 * (0.95 * n + 1), 2 * (0.05 * n + 1), 2 * 0.95 * n
    f_low, f_high = stats.f.ppf(0.025, v1, v2), stats.f.ppf(0.975, v3, v4)
    assert low == pytest.approx(v1 * f_low / (v2 + v1 * f_low), rel=1e-10)
    assert high == pytest.approx(v3 * f_high / (v4 + v3 * f_high), rel=1e-10)


def test_no_error_is_bounded_by_the_effective_size():
    low, high = EffectiveRate(0.0, 80, 20).limits(0.95)
    assert (low, high) == (0.0, pytest.approx(1 - 0.025 ** (1 / (80 * (Z / stats.t.ppf(0.975, 20)) ** 2))))
    assert EffectiveRate(1.0, 80, 20).limits(0.95) == pytest.approx((1 - high, 1.0))
    assert EffectiveRate(math.nan, 0.0).limits(0.95) == (0.0, 1.0)


def test_wilson_with_an_effective_size_as_published():
    """Fogliato, Patil, Perona 2024 (arXiv:2306.01198), section 4: n_eff = mu (1 - mu) / variance."""
    rate, variance = 0.02, 4e-6
    n = rate * (1 - rate) / variance
    root = math.sqrt((rate * (1 - rate) + Z**2 / 4 / n) / n)
    expected = [(rate + Z**2 / 2 / n + sign * Z * root) / (1 + Z**2 / n) for sign in (-1, 1)]
    assert wilson_limits(rate, n, Z) == pytest.approx(expected, rel=1e-12)
    assert EffectiveRate(rate, n).limits(0.95) == pytest.approx(expected, rel=1e-10)
    with_t = wilson_limits(rate, n, stats.t.ppf(0.975, 20))
    assert EffectiveRate(rate, n, 20).limits(0.95) == pytest.approx(with_t, rel=1e-10)


@given(st.floats(0.01, 0.99), st.floats(2, 1e6), st.integers(1, 50), st.booleans(), st.floats(0.01, 0.98))
def test_limits_hold_the_rate_and_widen(rate, n, df, few, level):
    found = EffectiveRate(rate, n, df, few)
    low, high = found.limits(level)
    wider = found._replace(size=n / 2).limits(level), found.limits((1 + level) / 2)
    assert 0 <= low <= high <= 1
    for below, above in wider:
        assert below <= low + 1e-12
        assert above >= high - 1e-12
    mirrored = found._replace(rate=1 - rate).limits(level)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-9)


def test_square_and_add_by_hand():
    far, frr = EffectiveRate(0.1, 50), EffectiveRate(0.0, 20)
    (l0, u0), (l1, u1) = far.limits(0.95), frr.limits(0.95)
    low, high = square_and_add([(0.3, far), (0.7, frr)], 0.95)
    assert low == pytest.approx(0.03 - math.hypot(0.3 * (0.1 - l0), 0.7 * (0 - l1)))
    assert high == pytest.approx(0.03 + math.hypot(0.3 * (u0 - 0.1), 0.7 * u1))
    alone = square_and_add([(1.0, far), (0.0, frr)], 0.95)
    assert alone == pytest.approx((l0, u0))


def moved(rate, *by_cluster, few=False):
    """A rate of 60 effective trials in clusters, and what each of these moves it."""
    return EffectiveRate(rate, 60, 3, few, moved=np.array(by_cluster, dtype=float))


def test_rates_that_move_against_each_other_cancel():
    """Of clusters 3:1, FAR moves by 3/4 and -3/4 and FRR by -1/2 and 1/2: R = -1, so |d0 - d1| is the reach."""
    far, frr = moved(0.2, 0.75, -0.75), moved(0.3, -0.5, 0.5)
    (l0, u0), (l1, u1) = far.limits(0.95), frr.limits(0.95)
    low, high = square_and_add([(0.5, far), (0.5, frr)], 0.95)
    assert low == pytest.approx(0.25 - abs((0.2 - l0) - (0.3 - l1)) / 2)
    assert high == pytest.approx(0.25 + abs((u0 - 0.2) - (u1 - 0.3)) / 2)
    # Of a difference R = 1: distances add up, that of FRR to its other limit.
    low, high = square_and_add([(1.0, far), (-1.0, frr)], 0.95)
    assert low == pytest.approx(-0.1 - (0.2 - l0) - (u1 - 0.3))
    assert high == pytest.approx(-0.1 + (u0 - 0.2) + (0.3 - l1))


def test_rates_that_move_together_add_up():
    """FAR moves by 3, -4, 1 and FRR by 4, -3, -1 hundredths: R = 23 / 26."""
    far, frr = moved(0.2, 0.03, -0.04, 0.01), moved(0.3, 0.04, -0.03, -0.01)
    (l0, u0), (l1, u1) = far.limits(0.95), frr.limits(0.95)
    low, high = square_and_add([(0.5, far), (0.5, frr)], 0.95)
    d = 0.2 - l0, 0.3 - l1
    assert low == pytest.approx(0.25 - math.sqrt(d[0] ** 2 + d[1] ** 2 + 2 * 23 / 26 * d[0] * d[1]) / 2)
    d = u0 - 0.2, u1 - 0.3
    assert high == pytest.approx(0.25 + math.sqrt(d[0] ** 2 + d[1] ** 2 + 2 * 23 / 26 * d[0] * d[1]) / 2)
    twice = square_and_add([(0.5, far), (0.5, frr)], 0.95, wider=2.0)
    assert twice == pytest.approx((max(0.0, 2 * low - 0.25), 2 * high - 0.25))
    moved_down = square_and_add([(0.5, far), (0.5, frr)], 0.95, about=0.2)
    assert moved_down == pytest.approx((low - 0.05, high - 0.05))


def test_the_limits_of_few_errors_leave_the_correlation_of_many():
    """R = -1 as with the limits of many: of exact ones |d0 - d1| is the reach."""
    far, frr = moved(0.2, 0.75, -0.75), moved(0.3, -0.5, 0.5)
    (l0, _), (l1, _) = (rate._replace(few=True).limits(0.95) for rate in (far, frr))
    low, _ = square_and_add([(0.5, far), (0.5, frr)], 0.95, exact=True)
    assert low == pytest.approx(0.25 - abs((0.2 - l0) - (0.3 - l1)) / 2)


def test_very_few_errors_show_no_negative_correlation():
    far, frr = moved(0.2, 0.75, -0.75), moved(0.3, -0.5, 0.5, few=True)
    apart = [rate._replace(moved=None) for rate in (far, frr)]
    given_up = square_and_add([(0.5, far), (0.5, frr)], 0.95)
    assert given_up == square_and_add(list(zip((0.5, 0.5), apart, strict=True)), 0.95)
    together = frr._replace(moved=-frr.moved)
    assert square_and_add([(0.5, far), (0.5, together)], 0.95) != given_up
    nothing = frr._replace(moved=np.zeros(2), few=False)
    assert square_and_add([(0.5, far), (0.5, nothing)], 0.95).low == pytest.approx(
        0.25 - math.hypot(0.2 - far.limits(0.95).low, 0.3 - nothing.limits(0.95).low) / 2
    )


@given(st.integers(0, 10_000), st.integers(1, 3))
def test_a_sum_and_its_complement_have_the_same_limits(seed, n):
    """1 - V = 1 + sum (-w) p, whatever the correlations; and V of p is 1 - V of 1 - p where w sum to 1."""
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.ones(n))
    rates = [
        moved(rng.uniform(0.1, 0.9), *rng.normal(size=5), few=bool(rng.random() < 0.2)) for _ in range(n)
    ]
    low, high = square_and_add(list(zip(weights, rates, strict=True)), 0.9)
    turned = square_and_add(list(zip(-weights, rates, strict=True)), 0.9)
    assert (-turned.high, -turned.low) == pytest.approx((low, high), abs=1e-12)
    other = [rate._replace(rate=1 - rate.rate, moved=-rate.moved) for rate in rates]
    mirrored = square_and_add(list(zip(weights, other, strict=True)), 0.9)
    if low > 0 and mirrored.low > 0:
        assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((low, high), abs=1e-9)
    by_parts = square_and_add(
        [(w / 2, rate) for w, rate in zip(weights, rates, strict=True) for _ in "ab"], 0.9
    )
    if not any(rate.few for rate in rates):
        assert by_parts == pytest.approx((low, high), abs=1e-9)


def test_square_and_add_of_a_difference_is_newcombe_s():
    """56/70 - 48/80 has [.0524, .3339] by method 10 of Newcombe 1998, Statistics in Medicine 17, 873-890."""
    limits = square_and_add([(1.0, EffectiveRate(56 / 70, 70)), (-1.0, EffectiveRate(48 / 80, 80))], 0.95)
    assert limits == pytest.approx((0.0524, 0.3339), abs=5e-5)


@given(st.floats(1e-6, 0.999), st.floats(0.01, 0.99))
def test_errors_of_correlated_normal_scores(rate, r):
    assert correlation_beyond(rate, 0.0) == correlation_beyond(rate, -r) == 0.0
    assert 0 <= correlation_beyond(rate, r) <= r + 1e-9
    assert correlation_beyond(rate, r) == pytest.approx(correlation_beyond(1 - rate, r), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(("rate", "r"), [(0.1, 0.3), (0.001, 0.5), (0.4, 0.9)])
def test_errors_of_correlated_normal_scores_by_an_integral(rate, r):
    """P(both) = E[P(one | what they share)^2]."""
    cut, (at, weight) = stats.norm.isf(rate), np.polynomial.hermite_e.hermegauss(180)
    one = stats.norm.sf((cut - math.sqrt(r) * at) / math.sqrt(1 - r))
    both = float((weight * one**2).sum() / weight.sum())
    expected = (both - rate**2) / (rate * (1 - rate))
    assert correlation_beyond(rate, r) == pytest.approx(expected, rel=1e-5)


def test_the_interval_of_cimat():
    """The plug-in interval of cimat 0.1.2 (Fogliato, Patil, Perona, arXiv:2306.01198), as it printed it."""
    speakers, rng = 15, np.random.default_rng(12)
    effect = rng.normal(size=speakers).round(1)
    trials = [
        (a, b, round(float(effect[a] * 0.6 + effect[b] * 0.6 + rng.normal() + 3 * (a == b)), 1))
        for a in range(speakers)
        for b in range(a, speakers)
        for _ in range(4 if a == b else 2)
    ]
    a, b, score = (np.array(column) for column in zip(*trials, strict=True))
    published = {
        True: (11 / 60, 0.006370370370370367, (0.07612064871458477, 0.37951951756789193)),
        False: (46 / 420, 0.0014279235503725299, (0.055312416894926865, 0.2053196460980367)),
    }
    for same, (rate, variance, limits) in published.items():
        of_class = (a == b) == same
        errors = (score[of_class] < 1.55) == same
        assert errors.mean() == rate
        influences = (errors - rate) / of_class.sum()
        assert dyadic_se(influences, a[of_class], b[of_class]) ** 2 == pytest.approx(variance, rel=1e-12)
        interval = wilson_limits(rate, rate * (1 - rate) / variance, quantile(0.95, None))
        np.testing.assert_allclose(interval, limits, rtol=1e-12)
