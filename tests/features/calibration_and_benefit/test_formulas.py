from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.features.calibration_and_benefit.formulas import BenefitRates

HALF = np.array([0.5])


def rates(misses, alarms, n_target, n_nontarget, probability=HALF, declared=None):
    share = n_target / (n_target + n_nontarget) if declared is None else declared
    each = (np.full(len(probability), k / n) for k, n in ((misses, n_target), (alarms, n_nontarget)))
    return BenefitRates(*each, n_target, n_nontarget, share, declared is not None, probability)


def test_limits_by_hand():
    """4 targets found, 4 non-targets rejected, threshold probability 1/2: B = 1/2, standardised 1.

    With z = 2 Wilson's limit of 0 in 4 is 1/2, those of 4 in 8 are 1/2 -+ 1/(2 sqrt 3). Missing half loses
    1/4, accepting half as much, and the share moves B by as much as itself. Standardised either loses 1/2.
    """
    perfect = rates(0, 0, 4, 4)
    low, high = perfect.limits(2, standardised=False)
    assert low == pytest.approx([1 / 2 - sqrt(1 / 16 + 1 / 16 + 1 / 12)], abs=1e-15)
    assert high == pytest.approx([1 / 2 + sqrt(1 / 12)], abs=1e-15)
    low, high = perfect.limits(2, standardised=True)
    assert (low, high) == (pytest.approx([1 - sqrt(1 / 2)], abs=1e-15), pytest.approx([1], abs=1e-15))


def test_a_share_that_is_declared_does_not_move():
    low, high = rates(0, 0, 4, 4, declared=0.5).limits(2, standardised=False)
    assert (low, high) == (pytest.approx([1 / 2 - sqrt(1 / 8)], abs=1e-15), [1 / 2])


def test_trials_with_a_design_effect_of_two_are_half_as_many():
    of_clusters = rates(0, 0, 8, 8).limits(2, standardised=False, effect=2.0)
    np.testing.assert_allclose(of_clusters, rates(0, 0, 4, 4).limits(2, standardised=False), atol=1e-15)


def test_the_design_effect_by_hand():
    """2 of 4 targets missed, no false alarm of 4: the variance is 1/4 1/16 + 1/4 1/32 = 3/128.

    Two clusters: the variance of two replicates d below and above is 2 d^2, times 2.
    """
    d = 3 / (16 * sqrt(2))
    replicates = np.array([[-d], [d]])
    assert rates(2, 0, 4, 4).design_effect(replicates, sqrt(2)) == pytest.approx(3)
    assert rates(2, 0, 4, 4).design_effect(replicates / 2, sqrt(2)) == 1.0


def test_rates_without_a_variance_have_no_design_effect():
    assert rates(0, 0, 4, 4, declared=0.5).design_effect(np.ones((5, 1)), 1.1) == 1.0


@given(
    st.integers(1, 40).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    st.none() | st.floats(0.001, 0.999),
    st.booleans(),
)
def test_limits_enclose_the_net_benefit_and_widen(targets, nontargets, declared, standardised):
    probability = np.array([0.01, 0.2, 0.5, 0.99])
    of = rates(targets[0], nontargets[0], targets[1], nontargets[1], probability, declared)
    value = of._benefit(of._parts, standardised)
    near, far, worth_less = (
        of.limits(z, standardised=standardised, effect=effect) for z, effect in ((1, 1), (2, 1), (2, 3))
    )
    ordered = [worth_less[0], far[0], near[0], value, near[1], far[1], worth_less[1]]
    assert (np.diff(ordered, axis=0) >= -1e-12 * (1 + np.abs(value))).all()
