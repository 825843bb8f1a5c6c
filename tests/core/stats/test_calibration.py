import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression
from statsmodels.genmod.families import Binomial
from statsmodels.genmod.generalized_linear_model import GLM
from tied import labelled, score_lists

from reporting.core.stats import likelihood
from reporting.core.stats.calibration import (
    AffineMap,
    StepMap,
    fit_affine,
    fit_logistic,
    fit_pav,
    pav,
    regroup,
    to_llr,
    to_log_odds,
    to_probability,
)
from reporting.core.stats.staircase import cut_at, group_ties

TARGETS, NONTARGETS = [0.5, 1.5, 1.5, 2.5, 3.5], [-1, 0, 0.5, 0.5, 1.5, 2]


def counted(targets, nontargets):
    score, p, n, _ = group_ties(*labelled(targets, nontargets))
    return score, p, n


def test_declared_scales():
    assert to_llr([1.0], "llr", None) == 1
    assert to_llr([1.0], "log10_llr", None) == pytest.approx(np.log(10))
    assert to_llr([0.75], "probability", 0.5) == pytest.approx(np.log(3))
    assert to_llr([0.75], "probability", 0.75) == pytest.approx(0, abs=1e-15)
    assert to_llr([np.log(3)], "logit", 0.25) == pytest.approx(2 * np.log(3))
    assert to_probability([0.2], "probability", None) == 0.2
    assert to_probability([np.log(3)], "logit", None) == pytest.approx(0.75)
    assert to_probability([0.0], "llr", 0.2) == pytest.approx(0.2)
    assert to_probability([1.0], "log10_llr", 0.5) == pytest.approx(10 / 11)


def test_scales_that_say_nothing():
    """A posterior without the share it was stated for is no likelihood ratio, nor the other way round."""
    for scale in ("score", "logit", "probability"):
        assert to_llr([0.5], scale, None) is None
    for scale in ("score", "llr", "log10_llr"):
        assert to_probability([0.5], scale, None) is None
    for prevalence in (None, 0.5):
        assert to_llr([0.5], "score", prevalence) is None
        assert to_probability([0.5], "score", prevalence) is None
    assert to_llr([1.5], "probability", 0.5) is None
    assert to_probability([-0.1], "probability", 0.5) is None


def test_log_odds_are_exact_where_probabilities_round():
    """From a logit of 37 on 1 - p is below half of the last bit of 1; before, from 33 on, a few bits hold it."""
    assert to_log_odds([-800.0, 33.0, 800.0], "logit", None).tolist() == [-800, 33, 800]
    assert to_log_odds([40.0], "llr", 0.5).tolist() == [40]
    assert to_log_odds([20.0], "log10_llr", 0.5) == pytest.approx(20 * np.log(10), rel=1e-15)
    assert to_log_odds([0.0, 0.5, 1.0], "probability", None).tolist() == [-np.inf, 0, np.inf]
    for scale, score in (("score", 0.5), ("llr", 1.0), ("probability", 1.5)):
        assert to_log_odds([score], scale, None) is None


def test_certainty_is_an_infinite_ratio():
    assert to_llr([0.0, 1.0], "probability", 0.3).tolist() == [-np.inf, np.inf]
    assert to_probability([-np.inf, np.inf], "llr", 0.3).tolist() == [0, 1]


@given(st.floats(-8, 8), st.floats(0.01, 0.99))
def test_scales_convert_back(llr, prevalence):
    p = to_probability([llr], "llr", prevalence)
    assert to_llr(p, "probability", prevalence) == pytest.approx(llr, abs=1e-9)
    assert to_llr(logit(p), "logit", prevalence) == pytest.approx(llr, abs=1e-9)
    assert to_llr([llr / np.log(10)], "log10_llr", prevalence) == pytest.approx(llr, abs=1e-12)


@pytest.mark.parametrize("prior", [0.5, 0.1])
def test_the_affine_map_agrees_with_scikit_learn(prior):
    score, p, n = counted(TARGETS, NONTARGETS)
    fit = fit_affine(score, p, n, prior)
    x, y = np.concatenate((score, score))[:, None], np.repeat([1, 0], len(score))
    weight = np.concatenate((prior * p / p.sum(), (1 - prior) * n / n.sum())) * 100
    outside = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000).fit(x, y, sample_weight=weight)
    assert fit.slope == pytest.approx(outside.coef_[0, 0], abs=1e-5)
    assert fit.offset == pytest.approx(outside.intercept_[0] - logit(prior), abs=1e-5)


@given(score_lists(least=2), score_lists(least=2), st.sampled_from([0.5, 0.1, 0.01]))
def test_the_affine_map_is_the_best_one(targets, nontargets, prior):
    """The entropy does not fall in any direction: its two derivatives are 0, and the raw scores cost more."""
    score, p, n = counted(targets, nontargets)
    fit = fit_affine(score, p, n, prior)
    separable = max(targets) <= min(nontargets) or max(nontargets) <= min(targets)
    assert (fit is None) == separable
    if fit is None:
        return
    llr = fit.apply(score)
    posterior = expit(llr + logit(prior))
    pull = prior * p / p.sum() * (1 - posterior) - (1 - prior) * n / n.sum() * posterior
    assert pull.sum() == pytest.approx(0, abs=1e-9)
    assert (pull * score).sum() == pytest.approx(0, abs=1e-9)
    mapped = likelihood.empirical_cross_entropy(llr, p, n, prior)
    assert float(mapped) <= float(likelihood.empirical_cross_entropy(score, p, n, prior)) + 1e-12


def test_no_affine_map():
    assert fit_affine(*counted([], [1.0, 2.0])) is None
    assert fit_affine(*counted([1.0, 2.0], [])) is None
    assert fit_affine(*counted([1.0], [1.0])) is None
    assert fit_affine(*counted([2.0, 3.0], [1.0, 2.0])) is None
    assert fit_affine(*counted([1.0, 3.0, np.inf], [2.0])) is None
    score, p, n = counted([1.0, 3.0, np.inf], [2.0])
    without = p * np.isfinite(score)
    assert fit_affine(score, without, n) is not None


def test_scores_below_chance_get_a_negative_slope():
    score, p, n = counted([-x for x in TARGETS], [-x for x in NONTARGETS])
    mirrored, fit = fit_affine(*counted(TARGETS, NONTARGETS)), fit_affine(score, p, n)
    assert (fit.slope, fit.offset) == pytest.approx((-mirrored.slope, mirrored.offset))
    assert fit.slope < 0


def test_infinite_and_huge_scores_under_an_affine_map():
    assert AffineMap(-2.0, 1.0).apply([-np.inf, np.inf]).tolist() == [np.inf, -np.inf]
    assert AffineMap(0.0, 1.0).apply([-np.inf, 0.0, np.inf]).tolist() == [1, 1, 1]
    assert AffineMap(1e10, 0.0).apply([1e300]).tolist() == [np.inf]


def test_steps_of_the_hand_set():
    """The tempered ends pool (1, 1 + 2) and (2 + 1, 1) of (5, 6): ln .4 and ln 3.6."""
    steps = fit_pav(*counted(TARGETS, NONTARGETS))
    assert steps.threshold.tolist() == [0.25, 1.0, 2.25]
    np.testing.assert_allclose(steps.llr, np.log([0.4, 0.6, 1.2, 3.6]), rtol=1e-14)
    np.testing.assert_allclose(
        steps.apply([-np.inf, 0.25, np.nextafter(0.25, 0), 2, np.inf]),
        np.log([0.4, 0.6, 0.4, 1.2, 3.6]),
        rtol=1e-14,
    )


@given(score_lists(odd=True), score_lists(odd=True))
def test_steps_are_finite_rise_and_agree_with_the_blocks(targets, nontargets):
    """On its own data every score gets its own block's ratio, and the cost is that of tempered ends."""
    score, p, n = counted(targets, nontargets)
    steps = fit_pav(score, p, n)
    assert np.isfinite(steps.llr).all()
    assert (np.diff(steps.llr) > 0).all()
    assert (steps.threshold[1:] > steps.threshold[:-1]).all()
    blocks = pav(p, n, laplace=True)
    own = np.repeat(blocks.llr, np.diff(blocks.start, append=len(score)))
    np.testing.assert_array_equal(steps.apply(score), own)
    starts = cut_at(score, steps.threshold)
    assert starts.tolist() == [start for start in np.unique(blocks.start) if 0 < start < len(score)]


def test_steps_need_both_classes():
    assert fit_pav(*counted([], [1.0])) is None
    assert fit_pav(*counted([1.0], [])) is None


def test_steps_ignore_scores_without_a_trial():
    score, p, n = counted([0.0, 2.0, 3.0], [1.0, 0.0])
    padded = fit_pav(np.insert(score, 2, 1.9), np.insert(p, 2, 0), np.insert(n, 2, 0))
    plain = fit_pav(score, p, n)
    assert padded.threshold.tolist() == plain.threshold.tolist()
    assert padded.llr.tolist() == plain.llr.tolist()


def test_regrouping():
    """Equal scores become one, in ascending order, for every replicate."""
    score, p, n = regroup([3.0, 1.0, 3.0], [[1, 2, 3], [4, 5, 6]], [[0, 1, 0], [1, 0, 1]])
    assert score.tolist() == [1, 3]
    assert p.tolist() == [[2, 4], [5, 10]]
    assert n.tolist() == [[1, 0], [0, 2]]


def test_a_map_fitted_on_dev_serves_test(shared):
    """Real trials made useless as ratios (halved, shifted): the affine map of dev restores most of Cllr."""
    trials = pl.read_parquet(shared / "data" / "ru2009.parquet").filter(system="TC1")
    parts = {
        split: group_ties(part["score"].to_numpy() / 2 + 5, part["target"].to_numpy())[:3]
        for (split,), part in trials.group_by("split")
    }
    score, p, n = parts["test"]
    raw = float(likelihood.cllr(score, p, n))
    for fit in (fit_affine(*parts["dev"]), fit_pav(*parts["dev"])):
        assert isinstance(fit, AffineMap | StepMap)
        mapped = float(likelihood.cllr(fit.apply(score), p, n))
        assert mapped < 0.3 < 2 < raw
    own = fit_affine(score, p, n)
    assert float(likelihood.cllr(own.apply(score), p, n)) <= mapped


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("prior", [None, 0.01, 0.5])
def test_logistic_fits_are_those_of_a_generalised_linear_model(seed, prior):
    """Trials weigh 1, or each class its prior; of separated classes statsmodels still gives numbers."""
    rng = np.random.default_rng(seed)
    x, n = rng.normal(size=60), rng.integers(1, 5, 60)
    target = rng.binomial(n, expit(1.4 * x - 0.5)).astype(np.float64)
    nontarget = n - target
    if prior is not None:
        target, nontarget = prior * target / target.sum(), (1 - prior) * nontarget / nontarget.sum()
    weights, outcome = np.concatenate((target, nontarget)), np.repeat([1.0, 0.0], 60)
    columns = np.column_stack((np.ones(120), np.tile(x, 2)))
    theirs = GLM(outcome, columns, family=Binomial(), freq_weights=weights).fit(tol=1e-15, maxiter=200)
    ours = fit_logistic(x, target, nontarget)
    np.testing.assert_allclose([ours.intercept, ours.slope], theirs.params, rtol=1e-12)
