import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from in_r import printed_by_r
from scipy.stats import multivariate_normal, norm

from reporting.core.stats import planning
from reporting.core.stats.intervals import logit_interval
from reporting.core.stats.placements import covariance
from reporting.features.planning import planned_areas

LEVEL = 0.95
Z = float(norm.ppf(0.975))

areas = st.integers(1, 39).map(lambda k: k / 40)
correlations = st.integers(-9, 10).map(lambda k: k / 10)


def obuchowski_power(area, n1, n0):
    se, null_se = (planned_areas.area_se(a, n1, n0, "obuchowski") for a in (area, 0.5))
    return planning.power(area - 0.5, se, LEVEL, null_se)


def test_patients_as_by_the_diagnostic_references(shared):
    known = json.loads((shared / "references" / "diagnostic.json").read_text())["power_pROC"]
    assert obuchowski_power(0.8, 41, 72) == pytest.approx(known["one_roc_auc0.8_n41_72"], abs=1e-5)


@pytest.mark.parametrize(("area", "n1", "n0"), [(0.6, 12, 40), (0.8, 50, 150), (0.95, 60, 30)])
def test_planned_errors_of_areas(area, n1, n0):
    """That of normal classes is the spread of areas; swapping the classes leaves it."""
    rng = np.random.default_rng(7)
    targets = rng.normal(math.sqrt(2) * norm.ppf(area), 1, (3000, n1))
    nontargets = np.sort(rng.normal(0, 1, (3000, n0)), axis=1)
    below = [np.searchsorted(row, one).mean() / n0 for one, row in zip(targets, nontargets, strict=True)]
    ours = planned_areas.area_se(area, n1, n0)
    assert ours == pytest.approx(np.std(below), rel=0.04)
    assert ours == pytest.approx(planned_areas.area_se(area, n0, n1), rel=1e-12)
    assert ours == pytest.approx(planned_areas.area_se(1 - area, n1, n0), rel=1e-9)


@pytest.mark.parametrize("error", ["normal", "hanley_mcneil"])
def test_error_at_chance_is_that_of_the_rank_sum(error):
    exact = float(Fraction(19, 12 * 77))
    assert planned_areas.area_se(0.5, 7, 11, error) ** 2 == pytest.approx(exact, rel=1e-12)


def test_what_obuchowski_leaves_out():
    """The covariance of the two parameters of the binormal curve, a^2 exp(-a^2 / 2) / (8 pi N1)."""
    area, n1, n0 = 0.85, 4_000, 9_000
    a2 = 2 * norm.ppf(area) ** 2
    left_out = a2 * math.exp(-a2 / 2) / (8 * math.pi * n1)
    full = math.exp(-a2 / 2) * (a2 + 8) * (1 / n1 + 1 / n0) / (32 * math.pi)
    theirs = planned_areas.area_se(area, n1, n0, "obuchowski")
    assert theirs**2 - left_out == pytest.approx(full, rel=1e-9)
    assert planned_areas.area_se(area, n1, n0) ** 2 == pytest.approx(full, rel=0.03)
    assert math.isnan(planned_areas.area_se(0.8, 0, 10, "obuchowski"))


@given(areas, areas, correlations)
def test_bivariate_normal_as_by_scipy(first, second, r):
    """SciPy integrates numerically; on the diagonals the chance is known."""
    h, k = norm.ppf(first), norm.ppf(second)
    ours = planned_areas.both_below(h, k, r)
    if abs(r) < 1:
        theirs = multivariate_normal.cdf([h, k], cov=[[1, r], [r, 1]])
        assert ours == pytest.approx(theirs, abs=2e-7)
    else:
        assert ours == pytest.approx(min(first, second) if r > 0 else max(0, first + second - 1), abs=1e-12)
    assert planned_areas.both_below(k, h, r) == pytest.approx(ours, abs=1e-12)


def test_bivariate_normal_by_hand():
    """At 0 and 0 a quarter and arcsin(r) / (2 pi); at r = 1/2 a third; without correlation the product."""
    assert planned_areas.both_below(0, 0, 0.5) == pytest.approx(float(Fraction(1, 3)), rel=1e-14)
    assert planned_areas.both_below(0.0, 1.0, 0.0) == pytest.approx(norm.cdf(1) / 2, rel=1e-12)
    assert planned_areas.both_below(0.0, -1.0, 0.0) == pytest.approx(norm.cdf(-1) / 2, rel=1e-12)
    assert planned_areas.both_below(1.3, -0.4, 0.0) == pytest.approx(
        norm.cdf(1.3) * norm.cdf(-0.4), rel=1e-12
    )


@given(areas, areas, correlations, correlations)
def test_covariances_of_areas(first, second, of_target, of_nontarget):
    """One model with itself has its variance, models without correlation none; classes may be swapped."""
    sizes = 30, 50
    r = of_target, of_nontarget
    shared = planned_areas.areas_covariance(first, second, r, *sizes)
    assert planned_areas.areas_covariance(second, first, r, *sizes) == pytest.approx(shared, abs=1e-12)
    assert planned_areas.areas_covariance(first, second, r[::-1], *sizes[::-1]) == pytest.approx(
        shared, abs=1e-12
    )
    assert planned_areas.areas_covariance(first, second, (0, 0), *sizes) == pytest.approx(0, abs=1e-12)
    assert planned_areas.areas_covariance(first, first, (1, 1), *sizes) == pytest.approx(
        planned_areas.area_se(first, *sizes) ** 2, rel=1e-12
    )
    errors = (planned_areas.area_se(area, *sizes) for area in (first, second))
    assert abs(shared) <= math.prod(errors) * (1 + 1e-9)


def test_covariance_is_that_of_two_areas_on_normal_scores():
    """The covariance and the variance of the difference over samples, and the mean of DeLong's covariances."""
    rng, runs, n1, n0, r = np.random.default_rng(9), 4000, 40, 60, 0.6
    common = rng.normal(size=(runs, n1 + n0)) * math.sqrt(r)
    found, placed = [], []
    for area in (0.75, 0.85):
        score = common + math.sqrt(1 - r) * rng.normal(size=common.shape)
        score[:, :n1] += math.sqrt(2) * norm.ppf(area)
        wins = score[:, :n1, None] > score[:, None, n1:]
        found.append(wins.mean(axis=(1, 2)))
        placed.append(np.concatenate([wins.mean(axis=2), wins.mean(axis=1)], axis=1))
    ours = planned_areas.areas_covariance(0.75, 0.85, (r, r), n1, n0)
    assert ours == pytest.approx(np.cov(found)[0, 1], rel=0.08)
    label = np.arange(n1 + n0) < n1
    delong = [
        covariance(np.stack(both), label)[0, 1] for both in zip(*(p[:600] for p in placed), strict=True)
    ]
    assert ours == pytest.approx(np.mean(delong), rel=0.04)
    variances = (planned_areas.area_se(area, n1, n0) ** 2 for area in (0.75, 0.85))
    assert sum(variances) - 2 * ours == pytest.approx(np.var(found[0] - found[1]), rel=0.08)


@pytest.mark.parametrize(("value", "spread"), [(0.85, 1.0), (0.6, 1.0), (0.8, 1.5)])
def test_error_of_a_sensitivity_at_a_specificity(value, spread):
    """The spread over samples of the share of targets above the non-targets' 90 % quantile."""
    rng, n1, n0, specificity = np.random.default_rng(5), 150, 220, 0.9
    # A unit normal of targets, whose share above the threshold is the value.
    at = norm.ppf(1 - value)
    nontargets = at + spread * (rng.normal(size=(3000, n0)) - norm.ppf(specificity))
    threshold = np.sort(nontargets, axis=1)[:, round(specificity * n0)]
    found = (rng.normal(size=(3000, n1)) > threshold[:, None]).mean(axis=1)
    ours = planned_areas.sensitivity_se(value, specificity, n1, n0, spread)
    assert ours == pytest.approx(np.std(found), rel=0.06)
    # At a threshold that is known the binomial remains.
    binomial = math.sqrt(value * (1 - value) / n1)
    assert planned_areas.sensitivity_se(value, specificity, n1, 1e15, spread) == pytest.approx(
        binomial, rel=1e-6
    )
    assert math.isnan(planned_areas.sensitivity_se(1.0, specificity, n1, n0))


def test_error_of_an_eer_by_hand_and_by_samples():
    """E = 1/5, 16 and 64 trials: sqrt(4/25 (1/16 + 1/64)) / 2 = sqrt(1/320)... ; and the spread over samples."""
    exact = math.sqrt(float(Fraction(4, 25) * (Fraction(1, 16) + Fraction(1, 64)) / 4))
    assert planned_areas.eer_se(0.2, 16, 64) == pytest.approx(exact, rel=1e-14)
    rng, n1, n0, eer = np.random.default_rng(6), 400, 900, 0.1
    d = -2 * norm.ppf(eer)
    rates = []
    for _ in range(1500):
        targets, nontargets = np.sort(rng.normal(d, 1, n1)), np.sort(rng.normal(0, 1, n0))
        cuts = np.sort(np.r_[targets, nontargets])
        misses = np.searchsorted(targets, cuts) / n1
        alarms = 1 - np.searchsorted(nontargets, cuts) / n0
        at = np.argmin(np.abs(misses - alarms))
        rates.append((misses[at] + alarms[at]) / 2)
    assert planned_areas.eer_se(eer, n1, n0) == pytest.approx(np.std(rates), rel=0.06)


@given(areas.filter(lambda a: a < 0.5), areas.filter(lambda a: a < 0.5), correlations)
def test_covariances_of_equal_error_rates(first, second, r):
    shared = planned_areas.eers_covariance(first, second, (r, r), 30, 50)
    assert planned_areas.eers_covariance(first, first, (1, 1), 30, 50) == pytest.approx(
        planned_areas.eer_se(first, 30, 50) ** 2, rel=1e-9
    )
    assert abs(shared) <= math.prod(planned_areas.eer_se(e, 30, 50) for e in (first, second)) * (1 + 1e-9)


def test_width_is_that_of_the_logit_interval():
    low, high = logit_interval(0.9, 0.02, LEVEL)
    assert planned_areas.logit_width(0.9, 0.02, LEVEL) == high - low


POWER = """
suppressMessages(library(pROC))
one <- power.roc.test(auc = 0.7, ncases = 41, ncontrols = 72)$power
se <- sqrt(pROC:::var.theta.obuchowski(0.8, 3) / 50)
of <- function(...) list(A1 = sqrt(2) * qnorm(0.8), B1 = 1, A2 = sqrt(2) * qnorm(0.75), B2 = 1, ...)
shared <- pROC:::cov.params.obuchowski(sqrt(2) * qnorm(0.8), 1, sqrt(2) * qnorm(0.75), 1, 0.4, 0.6, 3) / 50
cat(sprintf("%.17g", c(one, se, shared)), "\\n")
"""


def test_one_area_as_by_proc():
    """Its constants are rounded, 0.0099 for 1 / (32 pi) and 1.414 for the root of 2; its covariance is exact."""
    power, se, shared = (float(x) for x in printed_by_r(POWER).split())
    assert obuchowski_power(0.7, 41, 72) == pytest.approx(power, abs=2e-3)
    assert planned_areas.area_se(0.8, 50, 150, "obuchowski") == pytest.approx(se, rel=4e-3)
    ours = planned_areas.obuchowski_covariance(0.8, 0.75, (0.6, 0.4), 50, 150)
    assert ours == pytest.approx(shared, rel=1e-9)
