import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import norm
from statsmodels.stats.power import NormalIndPower

from reporting.core.stats import planning
from reporting.features.further_tests import formulas

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
    assert formulas.times_needed(0.1, 1.0, LEVEL) == pytest.approx(4 * formulas.times_needed(0.2, 1.0, LEVEL))
    assert formulas.needed(200, 1.5) == 300
    assert formulas.needed(3, 1.0 + 1e-12) == 3
    assert formulas.needed(3, 1.1) == 4


@pytest.mark.parametrize("effect", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("wanted", [0.5, 0.8, 0.9])
def test_one_sample_as_by_statsmodels(effect, wanted):
    """One trial has a standard error of 1: the times are the trials."""
    theirs = NormalIndPower(ddof=0).solve_power(effect, alpha=0.05, power=wanted, ratio=0)
    assert formulas.times_needed(effect, 1.0, LEVEL, wanted) == pytest.approx(theirs, rel=1e-6)
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
    assert null_se is not None or times == formulas.times_needed(d, se, level, wanted)
    later = [None if e is None else e * math.sqrt(1 / times) for e in (se, null_se)]
    assert planning.power(d, later[0], level, later[1]) == pytest.approx(wanted, abs=1e-8)


def test_undefined_plans():
    for se in (0.0, -1.0, math.nan, math.inf):
        assert math.isnan(planning.power(0.1, se, LEVEL))
        assert math.isnan(planning.detectable(se, LEVEL))
        assert math.isnan(formulas.times_needed(0.0, se, LEVEL))
        assert math.isnan(planning.power(0.1, 1.0, LEVEL, se))
    assert math.isnan(planning.detectable(1.0, LEVEL, 1.0))
    assert formulas.times_needed(0.0, 1.0, LEVEL) == math.inf
    assert formulas.needed(100, math.inf) is None
    assert formulas.needed(100, math.nan) is None
