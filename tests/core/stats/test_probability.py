import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss
from sklearn.metrics import log_loss as log_loss_elsewhere

from reporting.core.stats import probability as measured
from reporting.core.stats.calibration import fit_intercept, fit_logistic
from reporting.core.stats.staircase import group_ties

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


def odds(p, y):
    """The same by log odds, which some take."""
    probability, *counts = counted(p, y)
    return logit(probability), *counts


def test_four_forecasts_by_hand():
    """p .2 .4 .6 .8 with outcomes 0 1 0 1."""
    cells = counted([0.2, 0.4, 0.6, 0.8], [0, 1, 0, 1])
    assert float(measured.brier(*cells)) == pytest.approx((0.04 + 0.36 + 0.36 + 0.04) / 4, abs=1e-15)
    assert float(measured.rmse(*cells)) == pytest.approx(np.sqrt(0.2), abs=1e-15)
    assert float(measured.brier_skill(*cells)) == pytest.approx(1 - 0.2 / 0.25, abs=1e-15)
    by_hand = -(np.log(0.8) + np.log(0.4) + np.log(0.4) + np.log(0.8)) / 4
    by_odds = logit(cells[0]), *cells[1:]
    assert float(measured.log_loss(*by_odds)) == pytest.approx(by_hand, abs=1e-15)
    assert float(measured.oe_ratio(*cells)) == pytest.approx(1, abs=1e-15)
    assert float(measured.calibration_intercept(*by_odds)) == pytest.approx(0, abs=1e-12)
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
    assert float(measured.log_loss(*odds([0.0, 1.0], [0, 1]))) == 0
    assert float(measured.log_loss(*odds([0.0, 1.0], [1, 1]))) == np.inf
    for formula in EVERY:
        assert np.isnan(formula(*counted([], [])))
    one_class = counted([0.2, 0.4], [1, 1])
    assert float(measured.brier(*one_class)) == pytest.approx((0.64 + 0.36) / 2)
    for formula in (measured.brier_skill, measured.calibration_intercept, measured.calibration_slope):
        assert np.isnan(formula(*one_class))
    assert np.isnan(measured.oe_ratio(*counted([0.0], [0])))


def test_recalibration_is_undefined_where_no_finite_fit_is_best():
    for p, y in (([0.0, 0.3, 0.6, 0.7], [1, 1, 0, 1]), ([0.3, 0.6, 0.7, 1.0], [1, 0, 1, 0])):
        assert np.isnan(measured.calibration_intercept(*odds(p, y)))
        assert np.isnan(measured.calibration_slope(*odds(p, y)))
    for p, y in (([0.2, 0.3, 0.6], [0, 0, 1]), ([0.3, 0.3, 0.6], [0, 1, 1]), ([0.4, 0.4], [0, 1])):
        assert np.isnan(measured.calibration_slope(*odds(p, y)))
    assert float(measured.calibration_intercept(*odds([0.4, 0.4], [0, 1]))) == pytest.approx(-logit(0.4))


def test_what_is_certain_and_right_changes_no_fit():
    """A survivor with p = 0 has likelihood 1 under every slope above 0: the maximum is that of the others."""
    p, y = [0.2, 0.3, 0.5, 0.6, 0.8], [0, 1, 0, 0, 1]
    for more in ([(0.0, 0)], [(1.0, 1)], [(0.0, 0), (0.0, 0), (1.0, 1)]):
        stated, outcomes = zip(*more, strict=True)
        for formula in (measured.calibration_intercept, measured.calibration_slope):
            assert float(formula(*odds([*p, *stated], [*y, *outcomes]))) == float(formula(*odds(p, y)))


def test_what_is_certain_has_no_likelihood_under_a_falling_slope():
    """Targets below: the best slope of the others is below 0, where a survivor with p = 0 was ruled out."""
    p, y = [0.2, 0.3, 0.5, 0.6, 0.8], [1, 1, 0, 1, 0]
    assert float(measured.calibration_slope(*odds(p, y))) < 0
    assert np.isnan(measured.calibration_slope(*odds([*p, 0.0], [*y, 0])))
    assert np.isfinite(measured.calibration_intercept(*odds([*p, 0.0], [*y, 0])))


@pytest.mark.parametrize(("p", "y"), [([0.0, 0.0, 0.4, 0.6], [0, 0, 1, 1]), ([0.3, 0.6, 1.0], [0, 0, 1])])
def test_a_class_that_is_all_certain_leaves_nothing_to_fit(p, y):
    assert np.isnan(measured.calibration_intercept(*odds(p, y)))
    assert np.isnan(measured.calibration_slope(*odds(p, y)))


def test_recalibration_with_certain_survivors_agrees_with_statsmodels():
    """A generalised linear model of probabilities that are clipped at 1e-15, which moves the fit by 1e-9."""
    models = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(0)
    z = rng.normal(-1, 1, 500)
    y = rng.random(500) < expit(z)
    p = np.where(np.arange(500) == np.flatnonzero(~y)[0], 0.0, expit(2 * z))
    x, family = logit(np.clip(p, 1e-15, None)), models.families.Binomial()
    both = models.GLM(y, models.add_constant(x), family=family).fit(maxiter=200)
    shift = models.GLM(y, np.ones(500), family=family, offset=x).fit(maxiter=200)
    assert float(measured.calibration_slope(*odds(p, y))) == pytest.approx(both.params[1], abs=1e-9)
    assert float(measured.calibration_intercept(*odds(p, y))) == pytest.approx(shift.params[0], abs=1e-9)


@pytest.mark.parametrize("stated", [33.0, 36.7, 37.0, 98.0, 745.0])
def test_the_log_loss_of_large_log_odds_is_exact(stated):
    """A target at log odds 0 costs ln 2, a non-target at L costs L + ln(1 + e^-L)."""
    loss = float(measured.log_loss([0.0, stated], np.array([1, 0]), np.array([0, 1])))
    assert loss == pytest.approx((np.log(2) + stated + np.log1p(np.exp(-stated))) / 2, rel=1e-15)
    assert float(measured.log_loss([stated], np.array([1]), np.array([0]))) == np.log1p(np.exp(-stated))


PROBABILITIES = st.integers(1, 19).map(lambda k: k / 20)
FORECASTS = st.lists(st.tuples(PROBABILITIES, st.booleans()), min_size=4, max_size=40)


@given(FORECASTS)
def test_losses_agree_with_scikit_learn(forecasts):
    p, y = (np.array(column) for column in zip(*forecasts, strict=True))
    cells = counted(p, y)
    assert float(measured.brier(*cells)) == pytest.approx(brier_score_loss(y, p), abs=1e-14)
    assert float(measured.log_loss(*odds(p, y))) == pytest.approx(
        log_loss_elsewhere(y, p, labels=[0, 1]), abs=1e-13
    )


@given(FORECASTS)
def test_recalibration_solves_its_equations(forecasts):
    """The first derivatives of the likelihood vanish: residuals sum to 0, and are unrelated to logit p."""
    p, y = (np.array(column) for column in zip(*forecasts, strict=True))
    x, targets, nontargets = counted(logit(p), y)
    shift = fit_intercept(x, targets, nontargets)
    if shift is None:
        assert y.all() or not y.any()
    else:
        assert (y - expit(logit(p) + shift)).sum() == pytest.approx(0, abs=1e-9)
    fit = fit_logistic(x, targets.astype(float), nontargets.astype(float))
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
    x = np.round(rng.normal(size=400), 2)
    y = rng.random(400) < expit(0.7 * x - 0.4)
    outside = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(x[:, None], y)
    assert float(measured.calibration_slope(*counted(x, y))) == pytest.approx(outside.coef_[0, 0], abs=1e-5)


def test_calibrated_and_shifted_forecasts():
    """Expected counts of a perfect forecaster; then of one that states twice the log odds plus one."""
    x = np.linspace(-3, 3, 601)
    targets, size = expit(x) * 1000, np.full(601, 1000.0)
    counts = targets, size - targets
    perfect = expit(x), *counts
    assert float(measured.calibration_slope(x, *counts)) == pytest.approx(1, abs=1e-9)
    assert float(measured.calibration_intercept(x, *counts)) == pytest.approx(0, abs=1e-9)
    assert float(measured.oe_ratio(*perfect)) == pytest.approx(1, abs=1e-12)
    assert float(measured.calibration_error(*perfect)) == pytest.approx(0, abs=1e-12)
    assert float(measured.calibration_slope(2 * x + 1, *counts)) == pytest.approx(0.5, abs=1e-9)
    assert float(measured.calibration_intercept(x + 1, *counts)) == pytest.approx(-1, abs=1e-9)
    shifted = expit(x + 1), *counts
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
