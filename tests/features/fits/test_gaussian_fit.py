import dataclasses
import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr
from tied import labelled, score_lists

from reporting.core.stats.staircase import group_ties
from reporting.features.fits import binormal
from reporting.features.fits.gaussian_fit import (
    Gaussians,
    draw_gaussians,
    fit_gaussians,
)
from tests.features.fits.binormal_curves import hit_rate, refitted

PARTS = ("mean_target", "sd_target", "mean_nontarget", "sd_nontarget")


def grouped(target, nontarget):
    score, p, n, _ = group_ties(*labelled(target, nontarget))
    return score, p, n


def parts_of(fit):
    return np.array([getattr(fit, name) for name in PARTS])


def area_of(p):
    return binormal.auc(p[..., 0], p[..., 1])


def test_by_hand():
    """Targets 2, 3, 4, 4: mean 13/4, variance 11/16 or 11/12; non-targets 1, 1, 2, 3 mirror them."""
    score, p, n = np.array([1.0, 2.0, 3.0, 4.0]), [0, 1, 1, 2], [2, 1, 1, 0]
    for ddof, variance in ((0, 11 / 16), (1, 11 / 12)):
        fit = fit_gaussians(score, p, n, ddof)
        assert parts_of(fit) == pytest.approx(
            [3.25, math.sqrt(variance), 1.75, math.sqrt(variance)], rel=1e-15
        )
        assert (fit.n_target, fit.n_nontarget, fit.ddof) == (4, 4, ddof)
        assert (fit.a, fit.b) == pytest.approx((1.5 / math.sqrt(variance), 1.0))
    assert fit.rates([-np.inf, np.inf])[0].tolist() == [1, 0]
    assert fit.rates([-np.inf, np.inf])[1].tolist() == [0, 1]


def test_covariance_by_hand():
    """a = 2, b = 1/2, 10 targets and 40 non-targets: methods 12.2."""
    fit = Gaussians(3.0, 1.0, 1.0, 0.5, 10, 40)
    v_a = Fraction(1, 10) + Fraction(1, 160) + Fraction(4, 20)
    v_b = Fraction(1, 8) * (Fraction(1, 40) + Fraction(1, 10))
    expected = [[float(v_a), 1 / 20], [1 / 20, float(v_b)]]
    assert fit.covariance == pytest.approx(np.array(expected), rel=1e-14)
    assert fit.variances == pytest.approx((float(v_a), float(v_b), 0.05), rel=1e-14)


@given(score_lists(), score_lists(), st.sampled_from([0, 1]))
def test_moments_are_those_of_the_trials(target, nontarget, ddof):
    fit = fit_gaussians(*grouped(target, nontarget), ddof)
    if len(set(target)) < 2 or len(set(nontarget)) < 2:
        assert fit is None
        return
    expected = [f for s in (target, nontarget) for f in (np.mean(s), np.std(s, ddof=ddof))]
    assert parts_of(fit) == pytest.approx(np.array(expected), rel=1e-12, abs=1e-14)


@given(score_lists(odd=True), score_lists(odd=True))
def test_odd_scores_are_fitted_or_undefined(target, nontarget):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = fit_gaussians(*grouped(target, nontarget))
        if min(len(set(target)), len(set(nontarget))) < 2 or np.isinf([*target, *nontarget]).any():
            assert fit is None
        elif fit is not None:
            assert np.isfinite(parts_of(fit)).all()
            assert (fit.sd_target > 0) & (fit.sd_nontarget > 0)
            assert all(array is not None for array in (fit.a, fit.b, fit.covariance))


@given(
    score_lists(least=2),
    score_lists(least=2),
    st.floats(0.01, 100),
    st.sampled_from([0, -3, 1e3]) | st.floats(-50, 50),
)
def test_affine_maps_leave_the_curve(target, nontarget, scale, shift):
    fit = fit_gaussians(*grouped(target, nontarget))
    if fit is not None:
        moved = fit_gaussians(*grouped(*(list(scale * np.array(s) + shift) for s in (target, nontarget))))
        assert [moved.a, moved.b] == pytest.approx(np.array([fit.a, fit.b]), rel=1e-8, abs=1e-8)


@given(score_lists(least=2), score_lists(least=2))
def test_swapping_the_classes(target, nontarget):
    fit = fit_gaussians(*grouped(target, nontarget))
    if fit is not None:
        back = fit_gaussians(*grouped([-s for s in nontarget], [-s for s in target]))
        assert [back.a, back.b] == pytest.approx(np.array([fit.a / fit.b, 1 / fit.b]), rel=1e-12, abs=1e-12)


def test_far_from_zero_and_at_any_scale():
    """An offset of 1e9, scales to 1e300 and 1e-300, and a class beside another 1e9 away keep their digits."""
    rng = np.random.default_rng(2)
    units = rng.integers(-400, 400, 300) / 2**20
    exact = np.std(units)
    for shift, scale in [(2.0**30, 1.0), (0.0, 2.0**990), (0.0, 2.0**-980)]:
        score = shift + scale * units
        fit = fit_gaussians(*grouped(list(score), list(score)))
        assert fit.sd_target == pytest.approx(scale * exact, rel=1e-12)
        # A mean is one double: beside the offset it has the digits that the offset leaves.
        assert fit.mean_target - shift == pytest.approx(
            scale * units.mean(), rel=1e-12, abs=np.spacing(shift)
        )
    fit = fit_gaussians(*grouped(list(units * 1e-6), [1e9, 2e9]))
    assert fit.sd_target == pytest.approx(1e-6 * exact, rel=1e-12)
    assert fit.sd_nontarget == 5e8


def test_without_spread_or_with_a_trial_at_infinity_there_is_no_fit():
    score = np.array([-np.inf, 0.0, 0.5, 1.0, 7.0, np.inf])
    spread, still, infinite = [0, 2, 1, 3, 1, 0], [0, 0, 4, 0, 0, 0], [1, 2, 1, 3, 1, 0]
    assert fit_gaussians(score, spread, spread) is not None
    for odd in (still, infinite):
        assert fit_gaussians(score, odd, spread) is fit_gaussians(score, spread, odd) is None


def test_rates_are_those_of_normal_classes():
    fit = Gaussians(1.0, 2.0, -1.0, 0.5, 9, 9)
    t = np.array([-3.0, 0.0, 0.2])
    far, frr = fit.rates(t)
    assert far == pytest.approx(1 - ndtr((t + 1) / 0.5))
    assert frr == pytest.approx(ndtr((t - 1) / 2))
    assert hit_rate(far, fit.a, fit.b) == pytest.approx(1 - frr, abs=1e-9)


@pytest.mark.parametrize(("n", "ddof"), [(3, 0), (3, 1), (12, 0), (40, 1)])
def test_draws_have_the_law_of_refitted_samples(n, ddof):
    """Means, spreads and correlations of the estimates, and the AUC made of them, from real refits."""
    rng = np.random.default_rng(8)
    runs, truth = 20_000, Gaussians(1.0, 2.0, -0.5, 0.7, n, 2 * n, ddof)
    refits = refitted(rng.normal(1.0, 2.0, (runs, n)), rng.normal(-0.5, 0.7, (runs, 2 * n)), ddof)
    draws = draw_gaussians(truth, rng, runs)
    first, second = (
        np.stack([*parts_of(fit), area_of(np.stack([fit.a, fit.b], -1))]) for fit in (refits, draws)
    )
    spread = first.std(axis=-1)
    assert (first.mean(axis=-1) - second.mean(axis=-1)) / spread == pytest.approx(
        0, abs=4 * math.sqrt(2 / runs)
    )
    assert second.std(axis=-1) / spread == pytest.approx(1, abs=0.04)
    assert np.corrcoef(second)[:4, :4] == pytest.approx(np.eye(4), abs=0.03)
    for q in (0.02, 0.5, 0.98):
        share = (second < np.quantile(first, q, axis=-1, keepdims=True)).mean(axis=-1)
        assert share == pytest.approx(q, abs=5 * math.sqrt(2 * q * (1 - q) / runs))


def test_draws_of_many_fits():
    """Undefined fits stay undefined; the stream does not depend on them."""
    fits = Gaussians(
        np.array([0.0, np.nan]), np.array([1.0, np.nan]), 0.0, 1.0, np.array([5, 1]), np.array([5, 5])
    )
    draws = draw_gaussians(fits, np.random.default_rng(1), 7)
    assert draws.sd_target.shape == (7, 2)
    assert np.isnan(draws.sd_target).tolist() == [[False, True]] * 7
    whole = dataclasses.replace(fits, mean_target=np.zeros(2), sd_target=np.ones(2))
    again = draw_gaussians(whole, np.random.default_rng(1), 7)
    assert again.sd_target[:, 0].tolist() == draws.sd_target[:, 0].tolist()
    assert draws.n_target is fits.n_target


def test_unbiased_and_likely_variances():
    """E s^2 = sigma^2 with ddof 1, (n - 1) / n of it with ddof 0; on rows and in draws alike."""
    rng = np.random.default_rng(10)
    rows = rng.normal(0, 3, (40_000, 5))
    for ddof, expected in ((0, 9 * 4 / 5), (1, 9.0)):
        assert (refitted(rows, rows, ddof).sd_target ** 2).mean() == pytest.approx(expected, rel=0.02)
        drawn = draw_gaussians(Gaussians(0.0, 3.0, 0.0, 3.0, 5, 5, ddof), rng, 40_000)
        assert (drawn.sd_target**2).mean() == pytest.approx(expected, rel=0.02)


def test_standard_error_of_the_area_against_simulation():
    """Methods 12.2: 40 targets and 60 non-targets, AUC .76: the delta method .047, the true spread .048."""
    rng = np.random.default_rng(12)
    fits = refitted(rng.normal(1, 2, (20_000, 40)), rng.normal(-1, 2, (20_000, 60)))
    spread = binormal.auc(fits.a, fits.b).std()
    errors = binormal.propagated(area_of, np.stack([fits.a, fits.b], axis=-1), fits.covariance)
    assert spread == pytest.approx(0.0478, abs=0.0008)
    assert errors.mean() == pytest.approx(0.0469, abs=0.0002)


@pytest.mark.parametrize("n", [50, 400])
def test_covariance_against_simulation(n):
    """The large-sample variances of a and b are those of refits, a little less for small samples."""
    rng = np.random.default_rng(14)
    fits = refitted(rng.normal(1.5, 1, (8000, n)), rng.normal(0, 0.7, (8000, 2 * n)))
    found = np.cov(fits.a, fits.b)
    expected = Gaussians(1.5, 1.0, 0.0, 0.7, n, 2 * n).covariance
    assert found == pytest.approx(expected, rel=0.08 if n > 100 else 0.25)
