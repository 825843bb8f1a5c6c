import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import integrate
from scipy.stats import chi, norm, t
from statsmodels.stats.power import NormalIndPower

from reporting.core.stats import planning

LEVEL = 0.95
Z = float(norm.ppf(0.975))

errors = st.integers(1, 40).map(lambda k: k / 16)
numbers = st.integers(-40, 40).map(lambda k: k / 16)
powers = st.sampled_from([0.06, 0.3, 0.5, 0.8, 0.9, 0.999])


def test_by_hand():
    assert planning.power(Z, 1.0, LEVEL) == pytest.approx(0.5 + norm.cdf(-2 * Z), rel=1e-12)
    assert planning.power(0.0, 2.0, LEVEL) == pytest.approx(0.05, rel=1e-12)
    assert planning.detectable(1.0, LEVEL) == pytest.approx(Z + norm.ppf(0.8), abs=2e-5)
    # Twice the difference needs a quarter of the trials.
    assert planning.times_needed(0.1, 1.0, LEVEL) == pytest.approx(4 * planning.times_needed(0.2, 1.0, LEVEL))
    assert planning.needed(200, 1.5) == 300
    assert planning.needed(3, 1.0 + 1e-12) == 3
    assert planning.needed(3, 1.1) == 4


@pytest.mark.parametrize("effect", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("wanted", [0.5, 0.8, 0.9])
def test_one_sample_as_by_statsmodels(effect, wanted):
    """One trial has a standard error of 1: the times are the trials."""
    theirs = NormalIndPower(ddof=0).solve_power(effect, alpha=0.05, power=wanted, ratio=0)
    assert planning.times_needed(effect, 1.0, LEVEL, wanted) == pytest.approx(theirs, rel=1e-6)
    at_40 = NormalIndPower(ddof=0).power(effect, 40, 0.05, ratio=0)
    assert planning.power(effect, 40**-0.5, LEVEL) == pytest.approx(at_40, rel=1e-9)


@given(errors, numbers, powers, st.none() | errors, st.sampled_from([0.9, 0.95, 0.99]))
def test_power_and_its_inverses_agree(se, d, wanted, null_se, level):
    within = planning.detectable(se, level, wanted, null_se)
    found = planning.power(within, se, level, null_se)
    assert found == pytest.approx(wanted, abs=1e-9) if within > 0 else found >= wanted
    assert planning.power(-d, se, level, null_se) == planning.power(d, se, level, null_se)
    assume(d != 0 and within > 0)
    times = (within / d) ** 2
    assert null_se is not None or times == planning.times_needed(d, se, level, wanted)
    later = [None if e is None else e * math.sqrt(1 / times) for e in (se, null_se)]
    assert planning.power(d, later[0], level, later[1]) == pytest.approx(wanted, abs=1e-8)


def test_power_is_the_share_of_samples_that_find_the_difference():
    rng = np.random.default_rng(1)
    d = rng.normal(0.25, 1, (4000, 64))
    z = d.mean(axis=1) * 8
    assert planning.power(0.25, 1 / 8, LEVEL) == pytest.approx((np.abs(z) > Z).mean(), abs=0.025)


def test_undefined_plans():
    for se in (0.0, -1.0, math.nan, math.inf):
        assert math.isnan(planning.power(0.1, se, LEVEL))
        assert math.isnan(planning.detectable(se, LEVEL))
        assert math.isnan(planning.times_needed(0.0, se, LEVEL))
        assert math.isnan(planning.power(0.1, 1.0, LEVEL, se))
    assert math.isnan(planning.detectable(1.0, LEVEL, 1.0))
    assert planning.times_needed(0.0, 1.0, LEVEL) == math.inf
    assert planning.needed(100, math.inf) is None
    assert planning.needed(100, math.nan) is None


@given(errors, numbers, powers, st.none() | st.integers(2, 60), st.sampled_from([0.9, 0.95, 0.99]))
def test_power_of_a_bound_is_that_of_one_side(se, distance, wanted, df, level):
    """The two sides of a test at 2 level - 1 add up to it; at no distance it errs with 1 - level."""
    reached = planning.power_of_bound(abs(distance), se, level, df)
    other_side = planning.power_of_bound(-abs(distance), se, level, df)
    assert reached + other_side == pytest.approx(planning.power(distance, se, 2 * level - 1, df=df), abs=1e-7)
    assert planning.power_of_bound(2 * abs(distance), se, level, df) >= reached
    assert planning.power_of_bound(0.0, se, level, df) == pytest.approx(1 - level, rel=1e-9)
    assume(wanted > 1 - level)
    times = planning.times_to_bound(abs(distance) or 1.0, se, 1 - level, wanted)
    enough = planning.power_of_bound(abs(distance) or 1.0, se / math.sqrt(times), level)
    assert enough == pytest.approx(wanted, abs=1e-9)
    assert math.isnan(planning.power_of_bound(distance, 0.0, level, df))


@pytest.mark.parametrize(
    ("df", "level", "away"), [(1, 0.9, 8.0), (1, 0.999, 64.0), (2, 0.99, 8.0), (5, 0.9, 16.0)]
)
def test_power_of_students_test_where_scipy_knows_no_other_side(df, level, away):
    """P(T <= t) is the mean of Phi(t sqrt(V / df) - away) over V, chi-squared with df degrees (Johnson et al.,
    1995, ch. 31): by quadrature. SciPy's noncentral t is NaN at -t here."""
    quantile = t.ppf((1 + level) / 2, df)

    def below(x):
        return integrate.quad(
            lambda s: norm.cdf(x * s / math.sqrt(df) - away) * chi.pdf(s, df), 0, 40, limit=400
        )[0]

    wanted = 1 - below(quantile) + below(-quantile)
    assert planning.power(away, 1.0, level, df=df) == pytest.approx(wanted, abs=1e-6)
    assert 0 < planning.detectable(1.0, level, 0.8, df=df) < math.inf
