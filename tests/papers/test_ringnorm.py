"""Ringnorm: exact numbers of methods 13, and the same by other roads."""

import numpy as np
import pytest
from scipy import integrate, stats

from configs.papers.hamel.ringnorm import bayes_auc, bayes_errors, length_auc, llr, sum_binormal
from reporting.core.stats import sweep
from reporting.core.stats.staircase import cumulate, group_ties


@pytest.mark.parametrize(
    ("squared", "error", "auc"), [(4.0, 0.012397, 0.9989708), (1.0, 0.014965, 0.9985813)]
)
def test_both_definitions_of_methods(squared, error, auc):
    assert bayes_errors(squared).mean == pytest.approx(error, abs=5e-7)
    assert bayes_auc(squared) == pytest.approx(auc, abs=5e-8)


def test_the_sum_is_binormal():
    found = sum_binormal(4.0)
    assert (found.a, found.b) == (2.0, 2.0)
    assert found.auc == pytest.approx(0.8144533, abs=5e-8)


def test_one_dimension_by_hand():
    """Accepted is |x - 4 a / 3| < R: two normal probabilities a class."""
    a = 0.8
    r = np.sqrt(8 / 3 * (np.log(2) + a**2 / 6))
    ends = np.array([4 * a / 3 - r, 4 * a / 3 + r])
    np.testing.assert_allclose(stats.norm.pdf(ends, a, 1), stats.norm.pdf(ends, 0, 2), rtol=1e-12)
    found = bayes_errors(a**2, 1)
    assert found.far == pytest.approx(np.diff(stats.norm.cdf(ends, 0, 2)).item(), abs=1e-12)
    assert found.frr == pytest.approx(1 - np.diff(stats.norm.cdf(ends, a, 1)).item(), abs=1e-12)


def test_same_places_are_known_in_closed_form():
    """Two dimensions, one mean: squared lengths are exponential with means 2 and 8, so AUC = 8 / (8 + 2)."""
    assert bayes_auc(0.0, 2) == pytest.approx(0.8, abs=1e-12)
    assert length_auc(0.0, 2) == pytest.approx(0.2, abs=1e-12)
    # The likelihood ratio is 1 where exp(-t/2)/2 = exp(-t/8)/8: t = 8/3 ln 4.
    t = 8 / 3 * np.log(4)
    found = bayes_errors(0.0, 2)
    assert (found.far, found.frr) == (
        pytest.approx(1 - np.exp(-t / 8), abs=1e-12),
        pytest.approx(np.exp(-t / 2), abs=1e-12),
    )


@pytest.mark.parametrize(("squared", "d"), [(4.0, 20), (1.0, 5), (0.2, 1)])
def test_the_area_is_that_of_the_noncentral_distributions(squared, d):
    targets, nontargets = stats.ncx2(d, squared / 9), stats.ncx2(d, 4 * squared / 9)
    area, _ = integrate.quad(lambda t: targets.pdf(t) * nontargets.sf(t / 4), 0, 400, limit=400, points=[d])
    assert bayes_auc(squared, d) == pytest.approx(area, abs=1e-9)


@pytest.mark.parametrize("squared", [0.2, 1.0, 4.0, 25.0])
@pytest.mark.parametrize("d", [1, 3, 20])
def test_the_likelihood_ratio_is_best(squared, d):
    assert bayes_auc(squared, d) >= max(sum_binormal(squared).auc, length_auc(squared, d))
    # A concave curve whose best TPR - FAR is 1 - 2 e lies above two chords and below one line of slope 1.
    e = bayes_errors(squared, d).mean
    assert 0 < e < 0.5
    assert 1 - e <= bayes_auc(squared, d) <= 1 - 2 * e * e


def test_the_score_is_the_log_ratio_of_the_densities():
    a = 2 / np.sqrt(20)
    x = np.random.default_rng(1).normal(size=(50, 20)) * 2
    direct = stats.norm.logpdf(x, a, 1).sum(axis=1) - stats.norm.logpdf(x, 0, 2).sum(axis=1)
    np.testing.assert_allclose(llr(x, a), direct, atol=1e-10)


def test_a_sample_agrees():
    rng, d, a, n = np.random.default_rng(7), 5, 2 / np.sqrt(20), 40_000
    x = np.concatenate([rng.normal(size=(n, d)) + a, 2 * rng.normal(size=(n, d))])
    label = np.repeat([True, False], n)
    scores = {
        bayes_auc(d * a * a, d): llr(x, a),
        length_auc(d * a * a, d): (x**2).sum(axis=1),
        sum_binormal(d * a * a).auc: x.sum(axis=1),
    }
    for expected, score in scores.items():
        _, p, q, _ = group_ties(score, label)
        assert float(sweep.auc(*cumulate(p, q))) == pytest.approx(expected, abs=4 * 0.5 / np.sqrt(n))
    accepted = llr(x, a) >= 0
    errors = bayes_errors(d * a * a, d)
    assert accepted[~label].mean() == pytest.approx(errors.far, abs=4 * 0.5 / np.sqrt(n))
    assert 1 - accepted[label].mean() == pytest.approx(errors.frr, abs=4 * 0.5 / np.sqrt(n))
