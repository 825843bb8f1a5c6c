"""Limits of rates of dependent trials: Korn and Graubard by hand, Wilson as published, Owen's T by integrals."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from reporting.stats.crossed_units import dyadic_se
from reporting.stats.effective_size import EffectiveRate, correlation_beyond, square_and_add, wilson_limits
from reporting.stats.intervals import clopper_pearson, quantile, wilson

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
