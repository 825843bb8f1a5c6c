import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proportions import clopper_pearson
from scipy.stats import binom, norm
from statsmodels.stats.power import NormalIndPower
from statsmodels.stats.proportion import power_proportions_2indep, proportion_confint

from reporting.core.stats import planning
from reporting.core.stats.intervals import wilson
from reporting.core.stats.paired import score_reach
from reporting.features.planning import planned_rates, planned_sizes

LEVEL = 0.95
Z = float(norm.ppf(0.975))

rates = st.integers(1, 199).map(lambda k: k / 200)
levels = st.sampled_from([0.8, 0.9, 0.95, 0.99])


def test_rule_of_3_by_hand():
    """0.99^299 = .0495 and 0.99^298 = .0500..., exactly."""
    assert Fraction(99, 100) ** 299 <= Fraction(5, 100) < Fraction(99, 100) ** 298
    assert planned_rates.trials_for_errors_within(0.01, LEVEL) == 299
    assert planned_rates.trials_for_errors_within(0.5, 0.75) == 2
    # One error of three: 1/8 + 3/8 = 1/2.
    assert planned_rates.at_most(1, 3, 0.5) == pytest.approx(float(Fraction(1, 2)), rel=1e-15)
    assert planned_rates.trials_for_errors_within(0.5, 0.5, 1) == 3
    assert planned_rates.upper_limit(0, 299, LEVEL) == pytest.approx(1 - 0.05 ** (1 / 299), rel=1e-12)
    assert planned_rates.upper_limit(3, 3, LEVEL) == 1.0


@given(rates, levels, st.integers(0, 6))
def test_trials_with_errors_bound_the_rate(rate, level, errors):
    n = planned_rates.trials_for_errors_within(rate, level, errors)
    assert planned_rates.upper_limit(errors, n, level) <= rate * (1 + 1e-9)
    assert n == errors + 1 or planned_rates.upper_limit(errors, n - 1, level) > rate
    assert planned_rates.most_errors(rate, n, level) == errors
    if errors == 0:
        assert n == max(1, math.ceil(math.log1p(-level) / math.log1p(-rate) - 1e-9))


def test_power_of_a_bound_by_hand():
    """Two trials, at most none of which errs, show a rate below 1/2 at a level of 3/4."""
    assert planned_rates.most_errors(0.5, 2, 0.75) == 0
    assert planned_rates.most_errors(0.5, 1, 0.75) == -1
    # One error is allowed from 5 trials on: (1 + 5) / 32 < 1/4 < (1 + 4) / 16. Four trials without any: (9/10)^4.
    assert planned_rates.trials_for_errors_within(0.5, 0.75, 1) == 5
    expected = Fraction(9, 10) ** 4
    assert planned_rates.lasting_bound_power(0.1, 0.5, 2, 0.75) == pytest.approx(float(expected), rel=1e-14)
    assert planned_rates.lasting_bound_power(0.1, 0.5, 1, 0.75) == 0.0


@pytest.mark.parametrize(("rate", "bound"), [(0.005, 0.01), (0.02, 0.05), (0.2, 0.3), (0.0004, 0.001)])
def test_a_size_has_the_power_that_it_and_all_larger_ones_have(rate, bound):
    """Brute force over all sizes up to twice as many: SciPy's binomial, and limits by betaincinv."""
    n = planned_sizes.fewest(lambda k: planned_rates.lasting_bound_power(rate, bound, k, LEVEL) >= 0.8)
    sizes = np.unique(np.r_[n - 1, n, np.linspace(n, 2 * n, 400).astype(int)])
    powers = []
    for size in sizes:
        k = np.arange(int(bound * size) + 2)
        shown = binom.cdf(k, size, bound) <= 1 - LEVEL
        powers.append(binom.cdf(k[shown].max(initial=-1), size, rate))
    assert powers[0] < 0.8
    assert min(powers[1:]) >= 0.8
    assert planned_rates.lasting_bound_power(rate, bound, n, LEVEL) <= min(powers[1:]) + 1e-12


@pytest.mark.parametrize(("rate", "fixed"), [(0.02, 0.01), (0.9, 0.95), (0.3, 0.5)])
def test_power_against_a_fixed_rate_is_that_of_clopper_and_pearson(rate, fixed):
    n = planned_sizes.fewest(lambda k: planned_rates.against_power(rate, fixed, k, LEVEL) >= 0.8)
    k = np.arange(n + 1)
    limits = [proportion_confint(int(each), n, alpha=0.05, method="beta") for each in k]
    excluded = np.array([high < fixed if rate < fixed else low > fixed for low, high in limits])
    assert binom.pmf(k, n, rate)[excluded].sum() >= 0.8
    # The normal approximation is of the same size.
    se, null_se = (math.sqrt(p * (1 - p)) for p in (rate, fixed))
    assert n == pytest.approx((planning.detectable(se, LEVEL, 0.8, null_se) / (rate - fixed)) ** 2, rel=0.25)


@given(st.integers(1, 60), rates, levels)
def test_expected_width_is_the_mean_over_samples(n, rate, level):
    widths = []
    for k in range(n + 1):
        few = min(k, n - k) <= 3
        low, high = (clopper_pearson if few else wilson)(k, n, level)
        widths.append(high - low)
    exact = float((binom.pmf(np.arange(n + 1), n, rate) * widths).sum())
    assert planned_rates.expected_width(rate, n, level) == pytest.approx(exact, rel=1e-9)


@given(rates, levels, st.sampled_from([0.02, 0.1, 0.3]))
def test_width_and_trials_are_inverse(rate, level, width):
    n = planned_sizes.fewest(lambda k: planned_rates.expected_width(rate, k, level) <= width)
    assert planned_rates.expected_width(rate, n, level) <= width
    assert n == 1 or planned_rates.expected_width(rate, n - 1, level) > width
    assert planned_rates.expected_width(rate, 2 * n, level) < planned_rates.expected_width(rate, n, level)


def test_width_of_very_many_trials_is_that_of_wilson():
    n = int(4e8)
    low, high = wilson(int(0.05 * n), n, LEVEL)
    assert planned_rates.expected_width(0.05, n, LEVEL) == pytest.approx(high - low, rel=1e-4)
    assert planned_rates.expected_width(0.02, int(4e8), LEVEL) == pytest.approx(
        planned_rates.expected_width(0.02, int(5.2e8), LEVEL) * math.sqrt(1.3), rel=1e-4
    )


def test_paired_power_by_hand():
    """Three trials, all discordant: |x| = 3 has no error, so it is found; |x| = 1 is not. Both ways: p^3 + q^3."""
    expected = Fraction(7, 10) ** 3 + Fraction(3, 10) ** 3
    assert planned_rates.paired_power(0.7, 0.3, 3, LEVEL) == pytest.approx(float(expected), rel=1e-12)
    assert planned_rates.paired_power(0.0, 0.0, 50, LEVEL) == 0.0
    # Without any disagreement the rule of 3 decides: 3.0 / 50 is below .1, and not below .05.
    assert planned_rates.paired_power(0.0, 0.0, 50, LEVEL, 0.1) == 1.0
    assert planned_rates.paired_power(0.0, 0.0, 50, LEVEL, 0.05) == 0.0
    assert math.isnan(planned_rates.paired_power(0.7, 0.4, 50, LEVEL))


@given(
    st.integers(0, 20).map(lambda k: k / 50),
    st.integers(0, 20).map(lambda k: k / 50),
    st.integers(2, 25),
    levels,
    st.none() | st.sampled_from([0.02, 0.1, 0.4]),
)
def test_paired_power_over_all_tables(p_10, p_01, n, level, margin):
    """Every table of discordant trials, its test by hand, and its chance."""
    power = 0.0
    for b in range(n + 1):
        for c in range(n + 1 - b):
            chance = (
                math.comb(n, b) * math.comb(n - b, c) * p_10**b * p_01**c * (1 - p_10 - p_01) ** (n - b - c)
            )
            d, se = (b - c) / n, math.sqrt(b + c - (b - c) ** 2 / n) / n
            if margin is None:
                found = abs(d) > norm.ppf((1 + level) / 2) * se + 1e-12
            else:
                found = d + score_reach(d, (b + c) / n**2, 1 / n, 1 - level) < margin - 1e-12
            power += chance * found
    assert planned_rates.paired_power(p_10, p_01, n, level, margin) == pytest.approx(power, abs=1e-9)


@given(st.sampled_from([(0.03, 0.01), (0.1, 0.02), (0.004, 0.001)]), st.sampled_from([200, 900, 3000]))
def test_paired_power_nears_that_of_connor(shares, n):
    ours, connor = (
        f(*shares, n, LEVEL) for f in (planned_rates.paired_power, planned_rates.discordant_power)
    )
    if n * sum(shares) >= 20:
        assert ours == pytest.approx(connor, abs=0.05)
    assert planned_rates.paired_power(shares[1], shares[0], n, LEVEL) == pytest.approx(ours, rel=1e-12)


def test_paired_power_of_very_many_trials_is_normal():
    n = int(3e8)
    exact_side, normal_side = (
        planned_rates.paired_power(0.03, 0.0299, int(m), LEVEL) for m in (1.6e8, 1.7e8)
    )
    assert 0 < normal_side - exact_side < 0.04
    assert planned_rates.paired_power(0.03, 0.03, n, LEVEL, 0.00005) == pytest.approx(
        planned_sizes.power_of_bound(0.00005, math.sqrt(0.06 / n), LEVEL), abs=1e-3
    )


def test_trials_of_published_tables():
    """Discordant 20 % and 10 %: 234 pairs by Connor's formula. A report's test has its error at the difference found,
    which is smaller than that without one: it needs a few pairs fewer."""
    connor = planned_sizes.fewest(lambda n: planned_rates.discordant_power(0.2, 0.1, n, LEVEL) >= 0.8)
    assert connor == 234
    exact = planned_sizes.fewest(lambda n: planned_rates.paired_power(0.2, 0.1, n, LEVEL) >= 0.8)
    assert 0.97 * 234 < exact < 234


@given(
    st.integers(1, 19).map(lambda k: k / 40),
    st.integers(1, 19).map(lambda k: k / 40),
    st.integers(-5, 10).map(lambda k: k / 10),
)
def test_discordant_shares_have_the_correlation(first, second, correlation):
    p_10, p_01 = planned_rates.discordant_of(first, second, correlation)
    both = first - p_10
    assert both == pytest.approx(second - p_01, abs=1e-12)
    deviations = math.sqrt(first * (1 - first) * second * (1 - second))
    assert (both - first * second) / deviations == pytest.approx(correlation, abs=1e-9)


@pytest.mark.parametrize(("first", "second", "n"), [(0.1, 0.05, 400), (0.5, 0.4, 300), (0.02, 0.01, 2000)])
def test_unpaired_power_as_by_statsmodels(first, second, n):
    theirs = power_proportions_2indep(first - second, second, n, ratio=1, alpha=0.05, return_results=False)
    assert planned_rates.unpaired_power(first, second, n, LEVEL) == pytest.approx(theirs, abs=1e-12)
    # Cohen's arcsine approximation is another one.
    arcsine = NormalIndPower().power(2 * (math.asin(first**0.5) - math.asin(second**0.5)), n, 0.05)
    assert planned_rates.unpaired_power(first, second, n, LEVEL) == pytest.approx(arcsine, abs=0.02)
    assert planned_rates.unpaired_power(first, first, n, LEVEL, 0.03) == pytest.approx(
        planned_sizes.power_of_bound(0.03, math.sqrt(2 * first * (1 - first) / n), LEVEL), rel=1e-12
    )


def test_with_30_errors_the_rate_is_within_30_percent():
    k = np.arange(200)
    inside = np.abs(k / 30 - 1) <= 0.3
    assert binom.pmf(k, 30_000, 0.001)[inside].sum() == pytest.approx(0.9, abs=0.02)
