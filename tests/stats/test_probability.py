import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss
from sklearn.metrics import log_loss as log_loss_elsewhere

from reporting.stats import probability as measured
from reporting.stats.calibration import fit_intercept, fit_logistic
from reporting.stats.staircase import group_ties

EVERY = [
    measured.brier,
    measured.rmse,
    measured.brier_skill,
    measured.log_loss,
    measured.oe_ratio,
    measured.calibration_intercept,
    measured.calibration_slope,
    measured.calibration_error,
]


def counted(p, y):
    probability, targets, nontargets, _ = group_ties(np.array(p, dtype=np.float64), np.array(y, dtype=bool))
    return probability, targets, nontargets


def test_four_forecasts_by_hand():
    """p .2 .4 .6 .8 with outcomes 0 1 0 1."""
    cells = counted([0.2, 0.4, 0.6, 0.8], [0, 1, 0, 1])
    assert float(measured.brier(*cells)) == pytest.approx((0.04 + 0.36 + 0.36 + 0.04) / 4, abs=1e-15)
    assert float(measured.rmse(*cells)) == pytest.approx(np.sqrt(0.2), abs=1e-15)
    assert float(measured.brier_skill(*cells)) == pytest.approx(1 - 0.2 / 0.25, abs=1e-15)
    by_hand = -(np.log(0.8) + np.log(0.4) + np.log(0.4) + np.log(0.8)) / 4
    assert float(measured.log_loss(*cells)) == pytest.approx(by_hand, abs=1e-15)
    assert float(measured.oe_ratio(*cells)) == pytest.approx(1, abs=1e-15)
    assert float(measured.calibration_intercept(*cells)) == pytest.approx(0, abs=1e-12)
    assert float(measured.calibration_error(*cells, bins=2)) == pytest.approx(0.2, abs=1e-15)
    assert float(measured.calibration_error(*cells)) == pytest.approx((0.2 + 0.6 + 0.6 + 0.2) / 4, abs=1e-15)


def test_a_limit_belongs_to_the_bin_above_it():
    """.3 and 0.29 as decimals, which products such as 100 * 0.29 = 28.999... would misplace."""
    cells = counted([0.29, 0.3, 1.0], [1, 0, 1])
    assert float(measured.calibration_error(*cells, bins="10")) == pytest.approx(
        (0.71 + 0.3 + 0) / 3, abs=1e-15
    )
    joined = counted([0.29, 0.295, 0.285], [1, 1, 0])
    value = float(measured.calibration_error(*joined, bins="100"))
    assert value == pytest.approx((0.71 + 0.705 + 0.285) / 3, abs=1e-15)


def test_infinite_losses_and_empty_sets():
    assert float(measured.log_loss(*counted([0.0, 1.0], [0, 1]))) == 0
    assert float(measured.log_loss(*counted([0.0, 1.0], [1, 1]))) == np.inf
    for formula in EVERY:
        assert np.isnan(formula(*counted([], [])))
    one_class = counted([0.2, 0.4], [1, 1])
    assert float(measured.brier(*one_class)) == pytest.approx((0.64 + 0.36) / 2)
    for formula in (measured.brier_skill, measured.calibration_intercept, measured.calibration_slope):
        assert np.isnan(formula(*one_class))
    assert np.isnan(measured.oe_ratio(*counted([0.0], [0])))


def test_recalibration_is_undefined_where_no_finite_fit_is_best():
    certain = counted([0.0, 0.3, 0.6, 0.7], [0, 1, 0, 1])
    assert np.isnan(measured.calibration_intercept(*certain))
    assert np.isnan(measured.calibration_slope(*certain))
    for p, y in (([0.2, 0.3, 0.6], [0, 0, 1]), ([0.3, 0.3, 0.6], [0, 1, 1]), ([0.4, 0.4], [0, 1])):
        assert np.isnan(measured.calibration_slope(*counted(p, y)))
    assert float(measured.calibration_intercept(*counted([0.4, 0.4], [0, 1]))) == pytest.approx(-logit(0.4))


PROBABILITIES = st.integers(1, 19).map(lambda k: k / 20)
FORECASTS = st.lists(st.tuples(PROBABILITIES, st.booleans()), min_size=4, max_size=40)


@given(FORECASTS)
def test_losses_agree_with_scikit_learn(forecasts):
    p, y = (np.array(column) for column in zip(*forecasts, strict=True))
    cells = counted(p, y)
    assert float(measured.brier(*cells)) == pytest.approx(brier_score_loss(y, p), abs=1e-14)
    assert float(measured.log_loss(*cells)) == pytest.approx(
        log_loss_elsewhere(y, p, labels=[0, 1]), abs=1e-13
    )


@given(FORECASTS)
def test_recalibration_solves_its_equations(forecasts):
    """The first derivatives of the likelihood vanish: residuals sum to 0, and are unrelated to logit p."""
    p, y = (np.array(column) for column in zip(*forecasts, strict=True))
    odds, targets, nontargets = counted(logit(p), y)
    shift = fit_intercept(odds, targets, nontargets)
    if shift is None:
        assert y.all() or not y.any()
    else:
        assert (y - expit(logit(p) + shift)).sum() == pytest.approx(0, abs=1e-9)
    fit = fit_logistic(odds, targets.astype(float), nontargets.astype(float))
    if fit is None:
        positive, negative = logit(p)[y], logit(p)[~y]
        assert not (
            len(positive)
            and len(negative)
            and positive.min() < negative.max()
            and negative.min() < positive.max()
        )
        return
    residual = y - expit(fit.slope * logit(p) + fit.intercept)
    assert residual.sum() == pytest.approx(0, abs=1e-9)
    assert (residual * logit(p)).sum() == pytest.approx(0, abs=1e-9)


def test_the_slope_agrees_with_scikit_learn():
    rng = np.random.default_rng(4)
    odds = np.round(rng.normal(size=400), 2)
    y = rng.random(400) < expit(0.7 * odds - 0.4)
    outside = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(odds[:, None], y)
    assert float(measured.calibration_slope(*counted(expit(odds), y))) == pytest.approx(
        outside.coef_[0, 0], abs=1e-5
    )


def test_calibrated_and_shifted_forecasts():
    """Expected counts of a perfect forecaster; then of one that states twice the log odds plus one."""
    odds = np.linspace(-3, 3, 601)
    targets, size = expit(odds) * 1000, np.full(601, 1000.0)
    perfect = expit(odds), targets, size - targets
    assert float(measured.calibration_slope(*perfect)) == pytest.approx(1, abs=1e-9)
    assert float(measured.calibration_intercept(*perfect)) == pytest.approx(0, abs=1e-9)
    assert float(measured.oe_ratio(*perfect)) == pytest.approx(1, abs=1e-12)
    assert float(measured.calibration_error(*perfect)) == pytest.approx(0, abs=1e-12)
    extreme = expit(2 * odds + 1), *perfect[1:]
    assert float(measured.calibration_slope(*extreme)) == pytest.approx(0.5, abs=1e-9)
    shifted = expit(odds + 1), *perfect[1:]
    assert float(measured.calibration_intercept(*shifted)) == pytest.approx(-1, abs=1e-9)
    assert float(measured.oe_ratio(*shifted)) < 1


@pytest.mark.parametrize("scale", [1e-300, 1e-8, 1.0, 1e8, 1e300])
def test_the_fit_does_not_depend_on_the_unit(scale):
    x = np.array([0.0, 1.0, 2.0, 3.0])
    targets, nontargets = np.array([1.0, 2.0, 1.0, 4.0]), np.array([3.0, 1.0, 2.0, 1.0])
    fit, plain = fit_logistic(x * scale, targets, nontargets), fit_logistic(x, targets, nontargets)
    assert fit.slope * scale == pytest.approx(plain.slope, rel=1e-12)
    assert fit.intercept == pytest.approx(plain.intercept, rel=1e-12)


def test_full_newton_steps_would_not_arrive():
    """Two far groups of scores: the first step overshoots, and the second leaps out of sight."""
    x = np.array([1.0, 30.0, 100.0])
    targets, nontargets = np.array([2.0, 0.0, 6.0]), np.array([38.0, 34.0, 2.0])
    fit = fit_logistic(x, targets, nontargets)
    residual = targets - (targets + nontargets) * expit(fit.slope * x + fit.intercept)
    assert (residual.sum(), (residual * x).sum()) == pytest.approx((0, 0), abs=1e-9)


def test_a_slope_beyond_all_numbers_is_none():
    """Scores that differ by the least positive numbers, or not even by half of one."""
    targets, nontargets = np.array([1.0, 1.0, 1.0]), np.array([1.0, 1.0, 0.0])
    for step in (5e-324, 1e-310):
        assert fit_logistic(np.array([0.0, 1.0, 2.0]) * step, nontargets, targets) is None


def test_a_far_outlier_costs_no_precision():
    """One score a million times farther out than the rest."""
    x = np.array([0.0, 1.0, 2.0, 3.0, 1e6])
    fit = fit_logistic(x, np.array([1.0, 2.0, 1.0, 4.0, 1.0]), np.array([3.0, 1.0, 2.0, 1.0, 0.0]))
    near = fit_logistic(x[:-1], np.array([1.0, 2.0, 1.0, 4.0]), np.array([3.0, 1.0, 2.0, 1.0]))
    assert (fit.slope, fit.intercept) == pytest.approx((near.slope, near.intercept), rel=1e-9)


@given(FORECASTS, st.integers(0, 2**32 - 1))
def test_a_block_of_replicates_equals_one_by_one(forecasts, seed):
    p, y = zip(*forecasts, strict=True)
    score, targets, nontargets = counted(p, y)
    weights = np.random.default_rng(seed).integers(0, 3, size=(4, len(score)))
    many = np.asfortranarray(weights * targets), np.asfortranarray(weights * nontargets)
    for formula in EVERY:
        alone = [float(formula(score, *pair)) for pair in zip(*many, strict=True)]
        np.testing.assert_array_equal(formula(score, *many), alone)


@given(FORECASTS, st.randoms())
def test_order_does_not_matter(forecasts, random):
    p, y = zip(*forecasts, strict=True)
    cells = counted(p, y)
    assume(len(cells[0]) > 1)
    order = list(range(len(cells[0])))
    random.shuffle(order)
    for formula in EVERY:
        shuffled = float(formula(*(column[order] for column in cells)))
        assert shuffled == pytest.approx(float(formula(*cells)), abs=1e-9, nan_ok=True)
