"""Estimators of average precision: by hand, against the plain formulas row by row, and in simulation."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, precision_recall_curve
from tied import score_lists, staircase_of

from configs.papers.brodersen.estimators import (
    EMPIRICAL,
    ESTIMATORS,
    Law,
    ap_open_trapezoid,
    error_counts,
    estimates,
    fit_rows,
    performance,
)
from reporting.core.stats.sweep import auc as empirical_auc
from reporting.features.fits.binormal import auc

LAW = Law()
TRUTH = {
    0.01: 0.0422075155, 0.02: 0.0796052590, 0.05: 0.1733147995, 0.1: 0.2928356435, 0.2: 0.4621213124,
    0.3: 0.5830120393, 0.4: 0.6767656676, 0.5: 0.7529959969, 0.6: 0.8169510791, 0.7: 0.8718292834,
    0.8: 0.9197292409, 0.9: 0.9621036650, 0.95: 0.9815577475, 0.99: 0.9963879956,
}  # fmt: skip
"""Methods 12.6."""

TABLE = {
    0.02: (0.122, 0.077, 0.082, 0.630, 0.044),
    0.05: (0.095, 0.058, 0.062, 0.562, 0.026),
    0.1: (0.060, 0.031, 0.034, 0.453, 0.007),
    0.2: (0.034, 0.017, 0.018, 0.289, 0.005),
    0.4: (0.0135, 0.0069, 0.0072, 0.0765, 0.0016),
    0.5: (0.0099, 0.0055, 0.0057, 0.0027, 0.0027),
    0.8: (0.0024, 0.0014, 0.0014, -0.161, 0.0006),
}
"""Mean biases of 1000 simulations: steps, trapezoids, Davis-Goadrich, binormal, alpha-binormal."""
LONG_TABLE = {
    0.05: (0.0918, 0.0539, 0.0577, 0.5610, 0.0202, 0.0305),
    0.1: (0.0613, 0.0334, 0.0358, 0.4510, 0.0086, 0.0131),
    0.2: (0.0324, 0.0161, 0.0172, 0.2869, 0.0021, 0.0022),
    0.4: (0.0126, 0.0059, 0.0062, 0.0757, 0.0007, -0.0015),
    0.5: (0.0077, 0.0033, 0.0035, 0.0002, 0.0002, -0.0021),
    0.8: (0.0017, 0.0006, 0.0007, -0.1622, 0.0000, -0.0021),
}
"""The same of 100,000, and the last with variances over n - 1."""
COLUMNS = ("step", "trapezoid", "davis_goadrich", "binormal", "alpha_binormal", "alpha_binormal_ddof1")


def scores(labels, values):
    """Targets and non-targets of labels beside scores."""
    labels, values = np.array(labels), np.array(values, dtype=float)
    return values[labels == 1], values[labels == 0]


HAND = scores([1, 0, 1, 1, 0, 0, 1, 0], range(8, 0, -1))
TIED = scores([1, 0, 1, 1, 0, 0, 1, 0], [3, 3, 2, 2, 2, 1, 1, 1])


def test_counts_by_hand():
    misses, alarms = error_counts(*HAND)
    assert misses.tolist() == [0, 0, 1, 1, 1, 2, 3, 3, 4]
    assert alarms.tolist() == [4, 3, 3, 2, 1, 1, 1, 0, 0]
    misses, alarms = error_counts(*TIED)
    assert misses.tolist() == [0, 0, 0, 1, 1, 1, 3, 3, 4]
    assert alarms.tolist() == [4, 4, 4, 2, 2, 2, 1, 1, 0]


def test_areas_by_hand():
    found, tied = estimates(*HAND), estimates(*TIED)
    trapezoid = Fraction(1, 4) * (
        1 + (Fraction(1, 2) + Fraction(2, 3)) / 2 + (Fraction(2, 3) + Fraction(3, 4)) / 2
        + (Fraction(1, 2) + Fraction(4, 7)) / 2
    )  # fmt: skip
    assert found["step"] == pytest.approx(251 / 336, abs=1e-15)
    assert found["trapezoid"] == pytest.approx(float(trapezoid), abs=1e-15)
    assert float(trapezoid) == pytest.approx(0.7068452381, abs=1e-10)
    assert found["davis_goadrich"] == pytest.approx(0.7111001950, abs=1e-10)
    # The first accepted trial is a target: a quarter of the recall has no line to its left.
    assert found["open_trapezoid"] == pytest.approx(float(trapezoid - Fraction(1, 4)), abs=1e-15)
    assert tied["step"] == pytest.approx(0.55, abs=1e-15)
    assert tied["trapezoid"] == pytest.approx(0.6, abs=1e-15)
    assert tied["davis_goadrich"] == pytest.approx(0.5429842515, abs=1e-10)
    assert tied["open_trapezoid"] == pytest.approx(0.6 - 0.25 * 0.75, abs=1e-15)


def open_trapezoid_of(target, nontarget):
    """Lines between the points that scikit-learn finds, without the one it adds at recall 0."""
    label = np.repeat([1, 0], [len(target), len(nontarget)])
    precision, recall, _ = precision_recall_curve(label, np.concatenate((target, nontarget)))
    return -np.trapezoid(precision[:-1], recall[:-1])


@given(score_lists(least=1, most=12), score_lists(least=1, most=12), st.randoms(use_true_random=False))
def test_rows_at_once_are_rows_one_by_one(targets, nontargets, random):
    """Several rows with ties of different kinds, in one call, against the plain staircase of each."""
    rows = [(targets, nontargets)]
    for _ in range(2):
        pool = [*targets, *nontargets]
        random.shuffle(pool)
        rows.append((pool[: len(targets)], pool[len(targets) :]))
    found = estimates(*(np.array([row[side] for row in rows]) for side in (0, 1)))
    for at, row in enumerate(rows):
        _, stairs = staircase_of(*row)
        for name, formula in EMPIRICAL.items():
            assert found[name][at] == pytest.approx(
                float(formula(stairs.misses, stairs.false_alarms)), abs=1e-12
            )
        assert found["open_trapezoid"][at] == pytest.approx(open_trapezoid_of(*map(np.array, row)), abs=1e-12)
        for name, alone in estimates(*row).items():
            assert found[name][at] == pytest.approx(float(alone), nan_ok=True, abs=1e-12)


@given(score_lists(least=2, most=12), score_lists(least=2, most=12))
def test_counts_do_not_change_with_an_increasing_map(targets, nontargets):
    before, after = error_counts(targets, nontargets), error_counts(np.exp(targets), np.exp(nontargets))
    assert all(map(np.array_equal, before, after))


def test_an_empty_class_has_no_estimate_and_a_single_trial_no_fit():
    nobody, some, one = np.zeros((3, 0)), np.arange(12.0).reshape(3, 4), np.ones((3, 1))
    for target, nontarget in ((nobody, some), (some, nobody)):
        found = estimates(target, nontarget)
        assert tuple(found) == ESTIMATORS
        assert all(values.shape == (3,) and np.isnan(values).all() for values in found.values())
    found = estimates(one, some)
    assert {name for name, values in found.items() if np.isnan(values).any()} == set(ESTIMATORS[4:])
    assert np.isnan(ap_open_trapezoid([0, 0], [1, 0]))
    assert estimates([1.0], [0.0])["open_trapezoid"] == 0  # all of the recall at once: no line has a width


def test_performance_by_hand():
    found = performance(np.array([0.5, 0.7, np.nan]), 0.5)
    assert (found.mean, found.bias, found.bias_se) == pytest.approx((0.6, 0.1, 0.1))
    assert (found.rmse, found.rmse_se) == pytest.approx((0.02**0.5, 0.02 / (2 * 0.02**0.5)))
    assert found.undefined == 1
    nothing = performance(np.array([np.nan, np.nan]), 0.5)
    assert np.isnan([nothing.mean, nothing.bias, nothing.bias_se, nothing.rmse, nothing.rmse_se]).all()
    assert nothing.undefined == 2
    single = performance(np.array([0.5]), 0.5)
    assert (single.bias, single.rmse) == (0, 0)
    assert np.isnan(single.bias_se)
    exact = performance(np.array([0.5, 0.5]), 0.5)
    assert (exact.rmse, exact.rmse_se) == (0, 0)


def test_the_standard_error_of_the_rmse_is_its_spread():
    rng = np.random.default_rng(5)
    repeats = [performance(rng.normal(0.1, 0.2, 400), 0.0) for _ in range(400)]
    spread = np.std([one.rmse for one in repeats])
    assert np.mean([one.rmse_se for one in repeats]) == pytest.approx(spread, rel=0.15)


def test_the_law_and_its_areas():
    assert LAW.curve == (1, 1)
    assert auc(*LAW.curve) == pytest.approx(0.7602499389065233, abs=1e-15)
    for alpha, truth in TRUTH.items():
        assert LAW.average_precision(alpha) == pytest.approx(truth, abs=6e-11)
    assert [LAW.n_target(alpha) for alpha in (0.02, 0.29, 0.58, 0.98)] == [2, 29, 58, 98]
    target, nontarget = LAW.rows(40, 2000, np.random.default_rng(1))
    assert (target.shape, nontarget.shape) == ((2000, 40), (2000, 60))
    for values, mean in ((target, 1.0), (nontarget, -1.0)):
        assert values.mean() == pytest.approx(mean, abs=0.03)
        assert values.std() == pytest.approx(2.0, abs=0.03)


def simulated(alpha, simulations, seed):
    """What every estimator does, at a share of targets."""
    rows = LAW.rows(LAW.n_target(alpha), simulations, np.random.default_rng([seed, round(1000 * alpha)]))
    return {name: performance(found, TRUTH[alpha]) for name, found in estimates(*rows).items()}


@pytest.mark.parametrize("alpha", TABLE)
def test_the_biases_of_a_thousand_simulations(alpha):
    """Theirs and ours have the same standard error: root two of one."""
    found = simulated(alpha, 1000, 12)
    for name, bias in zip(COLUMNS, TABLE[alpha], strict=False):
        assert abs(found[name].bias - bias) < 3 * 2**0.5 * found[name].bias_se + 0.0005, name


def test_errors_as_published_for_two_shares():
    few, some = simulated(0.05, 1000, 3), simulated(0.4, 1000, 3)
    for name, at_few, at_some in (
        ("step", 0.182, 0.063),
        ("trapezoid", 0.168, 0.064),
        ("alpha_binormal", 0.134, 0.064),
    ):
        assert abs(few[name].rmse - at_few) < 3 * 2**0.5 * few[name].rmse_se + 0.0005
        assert abs(some[name].rmse - at_some) < 3 * 2**0.5 * some[name].rmse_se + 0.0005


def test_the_divisor_of_the_variances_matters_where_targets_are_few():
    """The same rows under both: +.0103 at .05 (.0202 and .0305), -.0022 at .4."""
    for alpha, expected in ((0.05, 0.0103), (0.4, -0.0022)):
        target, nontarget = LAW.rows(LAW.n_target(alpha), 1000, np.random.default_rng(8))
        found = estimates(target, nontarget)
        more = found["alpha_binormal_ddof1"] - found["alpha_binormal"]
        assert abs(more.mean() - expected) < 3 * more.std() / 1000**0.5 + 1e-4


def test_the_open_trapezoid_has_less_error_where_targets_are_few_and_a_loss_everywhere_else():
    few = simulated(0.05, 1000, 4)
    assert few["open_trapezoid"].rmse + 0.02 < few["alpha_binormal"].rmse < few["step"].rmse - 0.03
    for alpha in (0.2, 0.5, 0.8):
        found = simulated(alpha, 1000, 4)["open_trapezoid"]
        assert found.bias < -5 * found.bias_se


def test_a_random_number_of_targets_gives_the_same_picture():
    """Binomial instead of fixed, shares of each row its own; rows without two of a class are left out."""
    rng = np.random.default_rng(6)
    alpha, found = 0.1, {name: [] for name in ESTIMATORS}
    for n_target, rows in zip(*np.unique(rng.binomial(100, alpha, 2000), return_counts=True), strict=True):
        if n_target > 1:
            for name, values in estimates(*LAW.rows(int(n_target), int(rows), rng)).items():
                found[name].append(values)
    shown = {name: performance(np.concatenate(values), TRUTH[alpha]) for name, values in found.items()}
    for name, bias in zip(COLUMNS, LONG_TABLE[alpha], strict=True):
        assert abs(shown[name].bias - bias) < 3 * shown[name].bias_se + 0.004, name
    assert abs(shown["alpha_binormal"].bias) < abs(shown["trapezoid"].bias) < abs(shown["binormal"].bias)


def test_the_area_under_the_roc_is_unbiased_by_counts_and_nearly_so_by_the_fit():
    """Methods 12.6: +.0002 and +.0017, standard error .0015, at .4."""
    rows = LAW.rows(40, 1000, np.random.default_rng(9))
    fit = fit_rows(*rows)
    truth = float(auc(*LAW.curve))
    for values, bias in ((empirical_auc(*error_counts(*rows)), 0.0002), (auc(fit.a, fit.b), 0.0017)):
        found = performance(values, truth)
        assert abs(found.bias - bias) < 3 * 2**0.5 * found.bias_se
        assert found.bias_se == pytest.approx(0.0015, abs=0.0002)


def test_steps_are_those_of_scikit_learn():
    target, nontarget = LAW.rows(10, 5, np.random.default_rng(2))
    label = np.repeat([1, 0], [10, 90])
    expected = [
        average_precision_score(label, np.concatenate(row)) for row in zip(target, nontarget, strict=True)
    ]
    assert estimates(target, nontarget)["step"] == pytest.approx(expected, abs=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("alpha", LONG_TABLE)
def test_the_biases_of_a_hundred_thousand_simulations(alpha):
    parts = []
    for block in range(10):
        rows = LAW.rows(LAW.n_target(alpha), 10_000, np.random.default_rng([7, block]))
        parts.append(estimates(*rows))
    for name, bias in zip(COLUMNS, LONG_TABLE[alpha], strict=True):
        found = performance(np.concatenate([part[name] for part in parts]), TRUTH[alpha])
        assert abs(found.bias - bias) < 3 * 2**0.5 * found.bias_se + 0.00005, name
