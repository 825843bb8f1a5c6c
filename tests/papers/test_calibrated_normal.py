"""Theory of two normal classes: by hand, by its laws, against quadrature and against drawn scores."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from configs.papers.rocanalysis import calibrated_normal as theory
from reporting.core.stats import likelihood, sweep
from reporting.core.stats.staircase import cumulate, group_ties

README = (2.0, 2.0)
"""Mean and spread of the example in the README of ROCAnalysis.jl."""
DOUBLED = (4.0, 4.0)

means = st.floats(0.05, 20)
spreads = st.floats(0.05, 20)
log_odds = st.floats(-8, 8)


def test_the_anchors_of_the_readme_s_example() -> None:
    assert theory.eer(*README) == pytest.approx(0.1586552539, abs=1e-10)
    assert theory.auc(*README) == pytest.approx(0.9213503965, abs=1e-10)
    assert theory.error_area(*README) == pytest.approx(0.0786496, abs=1e-7)
    assert theory.cllr(*README) == pytest.approx(0.5140558458670648, abs=1e-14)
    assert theory.dprime(*README) == 2
    p_miss, p_fa = theory.error_rates(2.2925347571, *README)
    assert (p_miss, p_fa) == pytest.approx((0.5581448, 0.01592583), abs=1e-7)
    assert theory.dcf(*README, 0.01, 10, 1, normalised=False) == pytest.approx(0.0715810522, abs=1e-10)
    assert theory.dcf(*README, 0.01, 10, 1) == pytest.approx(0.715810522, abs=1e-9)
    normalised = [theory.dcf(*README, p) for p in (0.5, 0.05, 0.01, 0.001)]
    assert normalised == pytest.approx([0.3173105079, 0.8091781290, 0.9510574858, 0.9971461841], abs=1e-10)
    tau = theory.prior_log_odds(0.01, 10, 1)
    assert tau == pytest.approx(-math.log(9.9), abs=1e-14)
    assert theory.bayes_error(tau, *README) == pytest.approx(0.0656706901, abs=1e-10)


def test_by_hand_at_threshold_zero_both_rates_are_the_equal_error_rate() -> None:
    assert theory.dcf(*README, 0.01, 10, 1, normalised=False, threshold=0.0) == pytest.approx(
        (0.1 + 0.99) * theory.eer(*README), abs=1e-15
    )
    assert theory.frr_at_far(0.5, *README) == pytest.approx(stats.norm.cdf(-2))
    assert theory.optimal_llr([0.0, 3.0], *DOUBLED) == pytest.approx([0.0, 1.5])
    assert theory.calibrated_spread(2.0) == 2


def test_infinite_thresholds_accept_and_reject_all() -> None:
    p_miss, p_fa = theory.error_rates([-math.inf, math.inf], *README)
    assert p_miss.tolist() == [0, 1]
    assert p_fa.tolist() == [1, 0]


@pytest.mark.parametrize(("mean", "spread"), [(0.0, 1.0), (-1.0, 1.0), (1.0, 0.0), (1.0, math.nan)])
def test_undefined_without_separation_or_spread(mean: float, spread: float) -> None:
    for value in (theory.eer, theory.auc, theory.error_area, theory.dprime, theory.cllr, theory.mincllr):
        assert math.isnan(value(mean, spread))
    assert math.isnan(theory.dcf(mean, spread))
    assert math.isnan(theory.mindcf(mean, spread))
    assert np.isnan(theory.min_bayes_error([-1.0, 0.0], mean, spread)).all()
    assert math.isnan(theory.calibrated_spread(0.0))


@given(means, spreads)
@settings(max_examples=40)
def test_cllr_is_the_adaptive_integral(mean: float, spread: float) -> None:
    def cost(z: float) -> float:
        return float(stats.norm.pdf(z) * np.logaddexp(0.0, -(mean + spread * z)) / math.log(2))

    expected = integrate.quad(cost, -12, 12, points=[-mean / spread], limit=200, epsabs=1e-13)[0]
    assert theory.cllr(mean, spread) == pytest.approx(expected, abs=1e-11, rel=1e-10)


@given(means, log_odds)
def test_calibrated_scores_are_their_own_likelihood_ratios(mean: float, tau: float) -> None:
    spread = theory.calibrated_spread(mean)
    assert theory.optimal_llr(tau, mean, spread) == pytest.approx(tau, abs=1e-12)
    assert theory.bayes_error(tau, mean, spread) == pytest.approx(
        float(theory.min_bayes_error(tau, mean, spread)), abs=1e-14
    )
    assert theory.cllr(mean, spread) == pytest.approx(theory.mincllr(mean, spread), abs=1e-13)


@given(means, spreads, st.floats(0.1, 10))
def test_scaling_keeps_the_order_and_its_measures(mean: float, spread: float, factor: float) -> None:
    one, other = (mean, spread), (factor * mean, factor * spread)
    for value in (theory.eer, theory.auc, theory.error_area, theory.mincllr, theory.mindcf):
        assert value(*other) == pytest.approx(value(*one), abs=1e-11)


@given(means, spreads, log_odds)
def test_no_threshold_beats_the_least_cost(mean: float, spread: float, tau: float) -> None:
    thresholds = np.linspace(-4, 4, 401) * spread
    p_miss, p_fa = theory.error_rates(thresholds, mean, spread)
    weight = 1 / (1 + math.exp(-tau))
    least = float(theory.min_bayes_error(tau, mean, spread))
    assert (weight * p_miss + (1 - weight) * p_fa >= least - 1e-14).all()
    assert least <= float(theory.bayes_error(tau, mean, spread)) + 1e-14


@pytest.mark.parametrize("classes", [README, DOUBLED, (0.5, 1.0)])
def test_the_areas_along_the_prior_are_the_costs_of_likelihood_ratios(classes: tuple[float, float]) -> None:
    tau = np.linspace(-60, 60, 240_001)
    for error, whole in ((theory.bayes_error, theory.cllr), (theory.min_bayes_error, theory.mincllr)):
        area = integrate.trapezoid(error(tau, *classes), tau)
        assert area == pytest.approx(2 * math.log(2) * whole(*classes), abs=1e-7)


def test_the_roc_is_one_curve_with_the_rates() -> None:
    p_miss, p_fa = theory.error_rates(np.linspace(-6, 6, 25), *README)
    assert theory.frr_at_far(p_fa, *README) == pytest.approx(p_miss, abs=1e-12)
    far = np.linspace(0, 1, 200_001)
    area = integrate.trapezoid(theory.frr_at_far(far, *README), far)
    assert area == pytest.approx(theory.error_area(*README), abs=1e-6)


@pytest.mark.parametrize("factor", [1.0, 2.0])
def test_drawn_scores_come_near(factor: float) -> None:
    rng = np.random.default_rng(4)
    score = factor * np.round(np.concatenate((rng.normal(2, 2, 40_000), rng.normal(-2, 2, 40_000))), 2)
    distinct, p, n, _ = group_ties(score, np.arange(80_000) < 40_000)
    misses, false_alarms = cumulate(p, n)
    classes = (2 * factor, 2 * factor)
    near = {"abs": 0.006}
    assert sweep.eer_rocch(misses, false_alarms) == pytest.approx(theory.eer(*classes), **near)
    assert sweep.auc(misses, false_alarms) == pytest.approx(theory.auc(*classes), **near)
    assert likelihood.cllr(distinct, p, n) == pytest.approx(theory.cllr(*classes), **near)
    assert likelihood.mincllr(misses, false_alarms) == pytest.approx(theory.mincllr(*classes), **near)
    for point in ((0.5, 1.0, 1.0), (0.1, 1.0, 1.0), (0.01, 10.0, 1.0)):
        found = likelihood.actdcf(distinct, p, n, *point), sweep.mindcf(misses, false_alarms, *point)
        known = theory.dcf(*classes, *point), theory.mindcf(*classes, *point)
        assert found == pytest.approx(known, abs=0.03)
