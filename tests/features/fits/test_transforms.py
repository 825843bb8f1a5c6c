import math
import warnings

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import special, stats
from scipy.optimize import minimize_scalar
from tied import labelled, score_lists

from reporting.core.stats.staircase import group_ties
from reporting.features.fits import binormal
from reporting.features.fits.gaussian_fit import fit_gaussians
from reporting.features.fits.transforms import FEW, fit_power, log_likelihood, yeo_johnson

LAM = st.sampled_from([-5.0, -1.0, 0.0, 1e-12, 0.5, 1.0, 2.0, 5.0]) | st.floats(-5, 5)
LLF = {"box_cox": stats.boxcox_llf, "yeo_johnson": stats.yeojohnson_llf}


def box_cox(score, lam):
    """(s^lam - 1) / lam, or log s for lam = 0: increasing in s > 0; NaN for s <= 0."""
    score = np.asarray(score, dtype=np.float64)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        return np.asarray(special.boxcox(np.where(score > 0, score, np.nan), lam))


def log_jacobian(kind, score, lam):
    """Log derivative of the transform: (lam - 1) log s, or (lam - 1) sgn(s) log(1 + |s|)."""
    score = np.asarray(score, dtype=np.float64)
    if kind == "yeo_johnson":
        return np.asarray((np.asarray(lam) - 1) * np.sign(score) * np.log1p(np.abs(score)))
    with np.errstate(invalid="ignore"):
        return np.asarray((np.asarray(lam) - 1) * np.log(np.where(score > 0, score, np.nan)))


def grouped(target, nontarget):
    score, p, n, _ = group_ties(*labelled(list(target), list(nontarget)))
    return score, p, n


def log_normal(rng, n1=400, n0=600):
    """Targets and non-targets whose logarithms are normal, with other spreads."""
    return np.exp(rng.normal(1.2, 0.7, n1)), np.exp(rng.normal(0, 0.9, n0))


def test_by_hand():
    assert box_cox([1, 4], 0.5).tolist() == [0, 2]
    assert box_cox([1, 4], -1).tolist() == [0, 0.75]
    assert box_cox([1, math.e], 0).tolist() == [0, 1]
    assert np.isnan(box_cox([0, -1, np.nan], 0.5)).all()
    assert yeo_johnson([-3, 0, 3], 0.5) == pytest.approx([-14 / 3, 0, 2])
    assert yeo_johnson([-3, 0, 3], 2) == pytest.approx([-math.log(4), 0, 7.5])
    assert yeo_johnson([-3, 0, 3], 0) == pytest.approx([-7.5, 0, math.log(4)])
    assert yeo_johnson([-3, 0, 3], 1).tolist() == [-3, 0, 3]


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=10), LAM)
def test_values_equal_an_outside_library(scores, lam):
    x = np.array(scores)
    if abs(lam) < 1e-6 or abs(lam - 2) < 1e-6:
        lam = round(lam)  # it cancels near its own seams
    assert yeo_johnson(x, lam) == pytest.approx(stats.yeojohnson(x, lam), rel=1e-8, abs=1e-10)
    positive = np.exp(x / 20)
    assert box_cox(positive, lam) == pytest.approx(stats.boxcox(positive, lam), rel=1e-9, abs=1e-12)


@given(
    st.lists(
        st.floats(-1e300, 1e300) | score_lists(odd=True, least=1, most=1).map(lambda s: s[0]), min_size=2
    ),
    LAM,
)
def test_transforms_are_monotone_and_silent(scores, lam):
    x = np.sort(np.array(scores))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bent, curved = yeo_johnson(x, lam), box_cox(x, lam)
        log_jacobian("yeo_johnson", x[np.isfinite(x)], lam)
        log_jacobian("box_cox", x, lam)
    assert not np.isnan(bent).any()
    assert np.isnan(curved).tolist() == (x <= 0).tolist()
    for values in (bent, curved[x > 0]):
        assert (values[1:] >= values[:-1] - 1e-12 * np.minimum(np.abs(values[:-1]), 1e300)).all()


@given(st.floats(0.05, 40), LAM, st.sampled_from([-1, 1]))
def test_the_jacobian_is_the_derivative(size, lam, sign):
    h = 1e-5 * size
    for kind, transform, x in (("box_cox", box_cox, size), ("yeo_johnson", yeo_johnson, sign * size)):
        slope = (transform(x + h, lam) - transform(x - h, lam)) / (2 * h)
        assert math.exp(log_jacobian(kind, x, lam)) == pytest.approx(float(slope), rel=1e-4)


@pytest.mark.parametrize("lam", [-5, -1.7, -0.1, 0, 0.3, 1, 2, 3.4, 5])
@pytest.mark.parametrize("shift", [0, -1, -60, 4])
def test_likelihood_is_the_sum_over_the_classes(lam, shift):
    """As an outside library computes it for either class: scores above 0, below 0, and on both sides."""
    target, nontarget = (np.round(s, 2) + 0.01 + shift for s in log_normal(np.random.default_rng(1)))
    for kind in ("box_cox", "yeo_johnson"):
        found = log_likelihood(kind, *grouped(target, nontarget), lam)
        if kind == "box_cox" and shift < 0:
            assert math.isnan(found)
        else:
            expected = LLF[kind](lam, target) + LLF[kind](lam, nontarget)
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-7)


@given(score_lists(least=2), score_lists(least=2), LAM)
def test_likelihood_of_tied_scores(target, nontarget, lam):
    """From the definition, on few values that often tie and lie on both sides of 0."""
    found = log_likelihood("yeo_johnson", *grouped(target, nontarget), lam)
    if len(set(target)) < 2 or len(set(nontarget)) < 2:
        assert math.isnan(found)
        return
    expected = 0.0
    for scores in (np.array(target), np.array(nontarget)):
        variance = np.var(yeo_johnson(scores, lam))
        expected += -len(scores) / 2 * math.log(variance) + log_jacobian("yeo_johnson", scores, lam).sum()
    assert found == pytest.approx(expected, rel=1e-8, abs=1e-6)


def test_the_power_is_the_largest_likelihood():
    target, nontarget = log_normal(np.random.default_rng(2))
    for kind, shift in (("box_cox", 0), ("yeo_johnson", 0), ("yeo_johnson", -1), ("yeo_johnson", -90)):
        t, n = target + shift, nontarget + shift
        best = minimize_scalar(
            lambda lam, kind=kind, t=t, n=n: -LLF[kind](lam, t) - LLF[kind](lam, n),
            bounds=(-5, 5),
            method="bounded",
        )
        fit = fit_power(kind, *grouped(t, n))
        if abs(best.x) < 4.99:
            assert fit.status == "ok"
            assert fit.lam == pytest.approx(best.x, abs=2e-4)
        else:
            assert (fit.status, abs(fit.lam)) == ("at_bound", 5)


def test_log_normal_classes():
    """Methods 12.4: the power is near 0, pooled scores mislead, and only the raw fit misses the AUC."""
    target, nontarget = np.exp(np.random.default_rng(3).normal([[1.6], [0.0]], [[0.7], [0.9]], (2, 3000)))
    score, p, n = grouped(target, nontarget)
    fit = fit_power("box_cox", score, p, n)
    assert fit.lam == pytest.approx(0, abs=0.05)
    assert abs(stats.boxcox(np.concatenate([target, nontarget]))[1]) > 2 * abs(fit.lam)

    def area(x):
        found = fit_gaussians(x, p, n)
        return float(binormal.auc(found.a, found.b))

    truth = float(binormal.auc(1.6 / 0.7, 0.9 / 0.7))
    assert truth == pytest.approx(0.9197, abs=1e-3)
    assert area(np.log(score)) == pytest.approx(truth, abs=0.01)
    assert area(fit.of(score)) == pytest.approx(area(np.log(score)), abs=0.002)
    assert area(score) < truth - 0.02


def test_pooled_scores_are_a_mixture():
    """Classes far apart on the log scale, unequal in size: one normal for both is far from the truth, 0."""
    target, nontarget = np.exp(np.random.default_rng(4).normal([[3.0], [0.0]], 0.5, (2, 2000)))
    fit = fit_power("box_cox", *grouped(target, nontarget[:600]))
    assert fit.lam == pytest.approx(0, abs=0.15)
    assert stats.boxcox(np.concatenate([target, nontarget[:600]]))[1] > 0.2


@given(score_lists(least=2), score_lists(least=2), st.floats(0.01, 1000))
def test_box_cox_ignores_the_unit(target, nontarget, scale):
    """(c s)^lam has the same shape; and the classes swapped have the same power."""
    positive = [np.exp(np.array(s)) for s in (target, nontarget)]
    fit = fit_power("box_cox", *grouped(*positive))
    again = fit_power("box_cox", *grouped(*(scale * s for s in positive)))
    if min(len(set(target)), len(set(nontarget))) < 2:
        assert fit is None
        assert again is None
        return
    data = grouped(*positive)
    assert log_likelihood("box_cox", *data, again.lam) == pytest.approx(
        log_likelihood("box_cox", *data, fit.lam), abs=1e-6
    )


@given(score_lists(least=2), score_lists(least=2))
def test_yeo_johnson_of_mirrored_scores(target, nontarget):
    """-s with power 2 - lam is the mirror image: powers from 0 up to 2 lie inside both ranges."""
    data = grouped(target, nontarget)
    mirror = grouped([-s for s in target], [-s for s in nontarget])
    for lam in (-3.0, 0.0, 0.7, 1.0, 2.0):
        left, right = (
            log_likelihood("yeo_johnson", *data, lam),
            log_likelihood("yeo_johnson", *mirror, 2 - lam),
        )
        assert left == pytest.approx(right, rel=1e-9, abs=1e-9, nan_ok=True)


def test_where_there_is_no_power():
    """Zero or negative scores have no Box-Cox; one score, or an infinite one, no variance; without trials none counts."""
    score = np.array([-np.inf, 0.0, 1.0, 2.0, 3.0, np.inf])
    good = [0, 0, 1, 2, 1, 0]
    for bad, kinds in [
        ([0, 1, 1, 2, 1, 0], ["box_cox"]),
        ([0, 0, 0, 3, 0, 0], ["box_cox", "yeo_johnson"]),
        ([0, 0, 0, 0, 0, 0], ["box_cox", "yeo_johnson"]),
        ([0, 0, 1, 1, 0, 1], ["box_cox", "yeo_johnson"]),
        ([1, 0, 1, 1, 0, 0], ["box_cox", "yeo_johnson"]),
    ]:
        for kind in ("box_cox", "yeo_johnson"):
            for classes in ((good, bad), (bad, good)):
                assert (fit_power(kind, score, *classes) is None) == (kind in kinds)
                assert math.isnan(log_likelihood(kind, score, *classes, 0.5)) == (kind in kinds)


def test_bounds_are_flagged():
    """Scores that are tenth powers of normal ones wish for a power beyond the bounds, inverse ones below."""
    normal = np.random.default_rng(5).normal([[3.0], [2.5]], 0.1, (2, 500))
    for exponent, bound in ((0.1, 5.0), (-0.1, -5.0)):
        found = fit_power("box_cox", *grouped(*normal**exponent))
        assert (found.lam, found.status) == (bound, "at_bound")
    assert fit_power("box_cox", *grouped(*normal**0.5)).status == "ok"


def test_scores_too_close_to_bend():
    """Relative spreads of 1e-12 are straight under every power."""
    near = 1e9 + np.arange(10) / 1024
    found = fit_power("box_cox", *grouped(near, near + 1))
    assert (found.lam, found.status) == (1.0, "flat")
    assert fit_power("yeo_johnson", *grouped(near * 1e-300, -near * 1e-300)).status == "flat"


@pytest.mark.parametrize("kind", ["box_cox", "yeo_johnson"])
def test_many_scores_are_searched_in_two_steps(kind):
    """Above ``FEW`` the blocks only say where to look: the same optimum, whatever the order of the scores."""
    rng = np.random.default_rng(6)
    target, nontarget = log_normal(rng, 3 * FEW, 2 * FEW)
    nontarget[: FEW // 2] = 0.25  # one score of many trials among thousands of single ones
    target[0] = 1e6
    score, p, n = grouped(target, nontarget)
    fit = fit_power(kind, score, p, n)
    own = log_likelihood(kind, score, p, n, fit.lam)
    for step in (-1e-3, 1e-3):
        assert log_likelihood(kind, score, p, n, fit.lam + step) < own
    assert all(log_likelihood(kind, score, p, n, lam) <= own for lam in np.linspace(-5, 5, 41))
    order = rng.permutation(len(score))
    assert fit_power(kind, score[order], p[order], n[order]).lam == pytest.approx(fit.lam, abs=1e-9)


@given(st.lists(st.floats(-1e300, 1e300), min_size=2), st.lists(st.floats(1e-300, 1e300), min_size=2))
@example([0.0, 1.0], [4e287, 2e-21, 1e-300])
def test_any_scores_have_a_power_or_none(target, nontarget):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind, t in (("yeo_johnson", target), ("box_cox", np.abs(target) + 1e-300)):
            fit = fit_power(kind, *grouped(t, nontarget))
            assert fit is None or (-5 <= fit.lam <= 5 and not np.isnan(fit.of(nontarget)).any())


def test_the_order_of_scores_does_not_matter():
    """More scores than are taken one by one, the least of them first: neighbours are still those in value."""
    rng = np.random.default_rng(3)
    score = np.sort(np.exp(rng.normal(size=9000)))
    counts = rng.integers(0, 2, (2, 9000)) + 1
    mixed = np.concatenate(([0], 1 + rng.permutation(8999)))
    straight, turned = (
        fit_power("box_cox", score, *counts),
        fit_power("box_cox", score[mixed], *counts[:, mixed]),
    )
    assert turned.lam == pytest.approx(straight.lam, rel=1e-6)
    assert log_likelihood("box_cox", score[mixed], *counts[:, mixed], 0.5) == pytest.approx(
        log_likelihood("box_cox", score, *counts, 0.5)
    )
