import json
import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from in_r import printed_by_r
from scipy.optimize import minimize, minimize_scalar
from scipy.special import log_ndtr, ndtr, ndtri
from scipy.stats import norm
from statsmodels.miscmodels.ordinal_model import OrderedModel

from reporting.core.stats.staircase import group_ties
from reporting.features.fits.binormal import auc
from reporting.features.fits.ordinal import (
    _mills,
    _step,
    categories,
    cell_chances,
    draw_ordinals,
    fit_ordinal,
    fit_ordinals,
    latent_cut,
    log_likelihood,
    newton,
    tridiagonal,
)
from tests.features.fits.binormal_curves import auc_se


def area(fit):
    return float(auc(fit.a, fit.b))


COUNTS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=0, max_size=40)


def test_by_hand():
    # Scores 0..6: two of non-targets only, a tie, two of targets only, one without trials, one of non-targets.
    p, n, cut = categories([0, 0, 1, 2, 1, 0, 0], [3, 1, 2, 0, 0, 0, 4])
    assert p.tolist() == [0, 1, 3, 0]
    assert n.tolist() == [4, 2, 0, 4]
    assert cut.tolist() == [2, 3, 6, 7]


def test_merged_at_equal_steps_of_the_mean_rank():
    # Targets and non-targets in turn, 4 of each: every run weighs 1/8, a step is 1/4.
    p, n, cut = categories([1, 0] * 4, [0, 1] * 4, most=4)
    assert (p.tolist(), n.tolist(), cut.tolist()) == ([1] * 4, [1] * 4, [2, 4, 6, 8])


def test_a_large_run_takes_one_step():
    weight = np.array([Fraction(9, 10), *[Fraction(1, 90)] * 9], dtype=object).astype(float)
    assert _step(weight, 4) == pytest.approx(1 / 30)
    p, _, _ = categories([0, 1] * 5, [9, 0, *[1, 0] * 4], most=4)
    assert len(p) == 4


@example(counts=[(2, 0), (1, 3), (3, 3), (0, 1), (1, 0), (2, 2)], most=4)
@given(COUNTS, st.integers(3, 8))
def test_every_trial_is_in_one_category(counts, most):
    target, nontarget = np.array(counts, dtype=np.int64).reshape(-1, 2).T
    p, n, cut = categories(target, nontarget, most)
    runs = categories(target, nontarget, most=1000)
    assert len(p) == min(len(runs.target), most)
    assert ((p + n) > 0).all()
    assert (np.diff(cut) > 0).all()
    assert cut[-1:].tolist() == [len(target)][: len(cut)]
    for part, whole in ((p, target), (n, nontarget)):
        assert np.cumsum(part).tolist() == np.concatenate(([0], np.cumsum(whole)))[cut].tolist()


def test_few_targets_among_many_nontargets_stay_apart():
    # Steps of the pooled rank (methods 12.3) would leave 50 targets, and 3 categories that hold one at all.
    rng = np.random.default_rng(1)
    score = np.concatenate((rng.normal(4, 1, 60), rng.normal(size=200_000)))
    target = (np.argsort(score) < 60).astype(np.int64)
    p, n, _ = categories(target, 1 - target)
    fit = fit_ordinal(p, n)
    runs = categories(target, 1 - target, most=200)
    pooled = np.add.reduceat(target, np.linspace(0, len(target), 50, endpoint=False).astype(int))
    assert ((pooled > 0).sum() <= 4, (p > 0).sum() > 20) == (True, True)
    assert (fit.a, fit.b) == pytest.approx((4, 1), abs=0.5)
    whole = fit_ordinal(*runs[:2])
    assert area(fit) == pytest.approx(area(whole), abs=auc_se(whole) / 4)


def test_no_trials():
    assert [part.tolist() for part in categories([], [])] == [[], [], []]
    assert [part.tolist() for part in categories([0, 0], [0, 0])] == [[], [], []]


POSITIVE, NEGATIVE = [3, 2, 2, 11, 33], [33, 6, 6, 11, 2]


def oracle(theta, p, n):
    """Minus the log-likelihood, one category after another."""
    a, b, cuts = theta[0], math.exp(theta[1]), np.concatenate(([-np.inf], theta[2:], [np.inf]))
    if (np.diff(theta[2:]) <= 0).any():
        return np.inf
    total = 0.0
    for j in range(len(p)):
        for count, (low, high) in ((n[j], cuts[j : j + 2]), (p[j], b * cuts[j : j + 2] - a)):
            if count:
                low, high = (-high, -low) if low > 0 else (low, high)
                total -= count * (log_ndtr(high) + np.log(-np.expm1(log_ndtr(low) - log_ndtr(high))))
    return total


def restarted(theta, p, n):
    """Log-likelihood that BFGS finds from a start; a and log b, the first cut and log increments."""

    def loss(x):
        cuts = x[2] + np.concatenate(([0], np.cumsum(np.exp(x[3:]))))
        return oracle(np.concatenate((x[:2], cuts)), p, n)

    start = np.concatenate((theta[:3], np.log(np.diff(theta[2:]))))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return -minimize(loss, start, method="BFGS", options={"gtol": 1e-7}).fun


def exactly_fitted_by_pieces(p, n):
    """Is one class, seen from the other, in a single place or two neighbouring ones?"""

    def within(outer, inner):
        at = np.flatnonzero(outer)
        return len(at) > 0 and sum(inner[at[0] + 1 : at[-1]]) > 0

    return not (within(p, n) and within(n, p))


TABLES = st.integers(2, 6).flatmap(
    lambda size: st.tuples(*[st.lists(st.integers(0, 4), min_size=size, max_size=size)] * 2)
)


@given(TABLES, st.integers(0, 2**32 - 1))
def test_no_number_is_beaten(table, seed):
    p, n = table
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = fit_ordinal(p, n)
    if exactly_fitted_by_pieces(p, n):
        assert fit.status == "degenerate"
        return
    assert fit.status is None
    held = np.add(p, n) > 0
    p, n = (np.array([counts], dtype=float)[:, held] for counts in (p, n))
    # One cut below every category that holds trials but the first.
    cuts = np.unique(fit.cuts[np.isfinite(fit.cuts)])
    theta = np.array([[fit.a, math.log(fit.b), *cuts]])
    assert theta.shape[1] == p.shape[1] + 1
    at = newton(theta, p, n)
    assert at.promised[0] + at.slope[0] ** 2 / at.curvature[0] / 2 < 1e-9
    assert fit.loglik == pytest.approx(-oracle(theta[0], p[0], n[0]), abs=1e-9)
    rng = np.random.default_rng(seed)
    for _ in range(2):
        start = theta[0].copy()
        start[1] += rng.uniform(-2, 2)
        start[0] = rng.normal()
        start[2:] = np.sort(rng.normal(size=len(cuts)))
        assert restarted(start, p[0], n[0]) <= fit.loglik + 1e-6


def test_slopes_and_curvature_by_differences():
    p, n = np.array([[3.0, 2, 2, 11, 33]]), np.array([[33.0, 6, 6, 11, 2]])
    theta = np.array([[1.2, 0.3, -0.2, 0.4, 0.9, 1.5]])
    at = newton(theta, p, n)
    # Near enough for Newton steps of a and the cuts, log b held, to arrive without halving.
    for _ in range(12):
        at = newton(theta, p, n)
        theta = theta + np.insert(at.inner, 1, 0.0, axis=1)
    for k in (0, 2, 3, 4, 5):
        by = 1e-5 * np.eye(6)[k]
        assert oracle(theta[0] + by, p[0], n[0]) == pytest.approx(oracle(theta[0] - by, p[0], n[0]), abs=1e-9)
    step = 1e-3

    def shifted(by):
        to = theta + by * np.insert(at.tangent, 1, 1.0, axis=1)
        for _ in range(4):
            to = to + np.insert(newton(to, p, n).inner, 1, 0.0, axis=1)
        return log_likelihood(to, p, n)[0], to

    (up, there), (down, _), (middle, _) = shifted(step), shifted(-step), shifted(0)
    assert at.slope[0] == pytest.approx((up - down) / (2 * step), rel=1e-5)
    assert at.curvature[0] == pytest.approx(-(up - 2 * middle + down) / step**2, rel=1e-4)
    assert np.delete(there - theta, 1) / step == pytest.approx(at.tangent[0], abs=0.01)


def test_tridiagonal_systems():
    rng = np.random.default_rng(2)
    off = rng.uniform(-1, 1, (3, 4))
    diagonal = 2.5 + rng.uniform(size=(3, 5))
    right = rng.normal(size=(2, 3, 5))
    solved = tridiagonal(diagonal, off, right)
    for row in range(3):
        matrix = np.diag(diagonal[row]) + np.diag(off[row], 1) + np.diag(off[row], -1)
        assert solved[:, row] == pytest.approx(np.linalg.solve(matrix, right[:, row].T).T)


def test_errors_are_of_the_observed_information():
    fit = fit_ordinal(POSITIVE, NEGATIVE)
    theta, size = np.array([fit.a, fit.b, *fit.cuts]), 6
    h = 1e-3

    def loss(x):
        return oracle(np.array([x[0], math.log(x[1]), *x[2:]]), POSITIVE, NEGATIVE)

    step = h * np.eye(size)
    hessian = np.array(
        [
            [
                (loss(theta + i + j) - loss(theta + i - j) - loss(theta - i + j) + loss(theta - i - j))
                / (4 * h * h)
                for j in step
            ]
            for i in step
        ]
    )
    inverse = np.linalg.inv(hessian)
    assert fit.covariance == pytest.approx(inverse[:2, :2], rel=1e-4)


SCORED = st.lists(st.tuples(st.booleans(), st.integers(-6, 6)), min_size=6, max_size=40)


def fit_scores(score, label, most=1000):
    _, p, n, _ = group_ties(np.asarray(score, dtype=float), np.asarray(label))
    return fit_ordinal(*categories(p, n, most)[:2])


@given(SCORED)
@example([(False, -1), (False, 2), (True, 0), (True, 0), (True, 1), (True, -2), (True, 3)])
def test_invariant_to_monotone_maps_and_to_runs(trials):
    """Methods, property P32."""
    label, score = (np.array(part) for part in zip(*trials, strict=True))
    fit = fit_scores(score, label)
    for mapped in (np.exp(score / 2), score**3, np.unique(score, return_inverse=True)[1]):
        other = fit_scores(mapped, label)
        assert (other.a, other.b, other.loglik) == pytest.approx(
            (fit.a, fit.b, fit.loglik), nan_ok=True, rel=1e-12
        )
    _, p, n, _ = group_ties(score.astype(float), label)
    whole = fit_ordinal(p, n)
    assert whole.status == fit.status
    assert (whole.a, whole.b) == pytest.approx((fit.a, fit.b), nan_ok=True, rel=1e-4, abs=1e-4)
    # A symmetric table has covariance 0, up to what its last step leaves.
    assert whole.covariance == pytest.approx(fit.covariance, nan_ok=True, rel=1e-3, abs=1e-6)


@given(TABLES)
def test_classes_swapped_and_order_reversed(table):
    p, n = table
    fit, swapped, mirrored = fit_ordinal(p, n), fit_ordinal(n[::-1], p[::-1]), fit_ordinal(p[::-1], n[::-1])
    assert fit.status == swapped.status == mirrored.status
    if fit.status is None:
        assert (swapped.a, swapped.b) == pytest.approx((fit.a / fit.b, 1 / fit.b), rel=1e-4, abs=1e-4)
        assert (mirrored.a, mirrored.b) == pytest.approx((-fit.a, fit.b), rel=1e-4, abs=1e-4)
        assert area(swapped) == pytest.approx(area(fit), abs=1e-5)
        assert auc_se(swapped) == pytest.approx(auc_se(fit), rel=1e-3)


FIVES = st.tuples(*[st.lists(st.integers(0, 4), min_size=5, max_size=5)] * 2)


@given(st.lists(FIVES, min_size=1, max_size=6))
def test_rows_do_not_know_each_other(tables):
    many = fit_ordinals(*np.array(tables).transpose(1, 0, 2))
    for row, table in enumerate(tables):
        one = fit_ordinals(*table)
        for got, alone in zip(vars(many).values(), vars(one).values(), strict=True):
            assert np.array_equal(got[row], alone, equal_nan=alone.dtype != object)


@pytest.mark.parametrize("seed", range(4))
def test_as_by_bfgs(seed):
    rng = np.random.default_rng(seed)
    p, n = (rng.multinomial(60, rng.dirichlet(shape)) for shape in ([1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1]))
    fit = fit_ordinal(p, n)
    theta = np.array([0.5, 0.0, *np.linspace(-1, 1, len(p) - 1)])
    assert restarted(theta, p, n) == pytest.approx(fit.loglik, abs=1e-6)


def test_far_tails():
    # Half a million of each: the table of a curve with AUC .9998, and one whose steps pass cells below 1e-308.
    fit = fit_ordinal([1, 20, 300, 99_679, 400_000], [400_000, 99_900, 95, 4, 1])
    assert fit.status is None
    theta = np.array([fit.a, math.log(fit.b), *fit.cuts])
    assert fit.loglik == pytest.approx(
        -oracle(theta, [1, 20, 300, 99_679, 400_000], [400_000, 99_900, 95, 4, 1])
    )
    assert fit_ordinal([13963, 0, 368502, 17535], [547, 399399, 52, 2]).status is None


ASAH = """
suppressMessages(library(pROC)); data(aSAH)
cat("label", as.integer(aSAH$outcome == "Poor"), "\\n")
for (name in c("wfns", "s100b", "ndka")) cat(name, sprintf("%.17g", as.numeric(aSAH[[name]])), "\\n")
"""

CLM = """
suppressMessages(library(ordinal))
for (table in list({tables})) {{
  J <- length(table) / 2
  d <- data.frame(y = factor(rep(1:J, 2), ordered = TRUE), x = rep(c(1, 0), each = J), w = table)
  m <- clm(y ~ x, scale = ~ x, weights = w, data = d, link = "probit",
           control = clm.control(gradTol = 1e-9, maxIter = 500))
  cat(sprintf("%.17g", c(coef(m), sqrt(diag(vcov(m))), logLik(m))), "\\n")
}}
"""


def drawn(rng, a, b, n_target, n_nontarget, size=6):
    cuts = np.linspace(-1, 2, size - 1)
    bins = (
        np.searchsorted(cuts, z) for z in (rng.normal(a / b, 1 / b, n_target), rng.normal(size=n_nontarget))
    )
    return tuple(np.bincount(at, minlength=size) for at in bins)


def test_published_ratings(shared):
    known = json.loads((shared / "references" / "diagnostic.json").read_text())["ct1982"]
    assert (known["pos"], known["neg"]) == (POSITIVE, NEGATIVE)
    fit = fit_ordinal(POSITIVE, NEGATIVE)
    assert fit.status is None
    assert [fit.a, fit.b, area(fit)] == pytest.approx([known[k] for k in ("a", "b", "Az")], abs=2e-7)
    errors = np.sqrt(np.diag(fit.covariance))
    assert [*errors, auc_se(fit)] == pytest.approx([known[k] for k in ("a_se", "b_se", "Az_se")], abs=6e-7)
    assert fit.cuts == pytest.approx(known["cuts"], abs=6e-7)
    assert fit.loglik == pytest.approx(known["loglik"], abs=6e-7)


def test_published_test_of_fit_is_pearsons():
    fit = fit_ordinal(POSITIVE, NEGATIVE)
    assert (fit.chi_squared, fit.df) == (pytest.approx(0.2093, abs=5e-5), 2)
    assert fit.p_value == pytest.approx(math.exp(-fit.chi_squared / 2))
    saturated = sum(k * math.log(k / sum(counts)) for counts in (POSITIVE, NEGATIVE) for k in counts)
    assert 2 * (saturated - fit.loglik) != pytest.approx(0.2093, abs=5e-4)


def test_patients(shared):
    known = json.loads((shared / "references" / "diagnostic.json").read_text())["asah"]["binormal_mle"]
    lines = (line.split() for line in printed_by_r(ASAH, "pROC").splitlines())
    data = {name: np.array(numbers, dtype=float) for name, *numbers in lines}
    for name, expected in known.items():
        _, p, n, _ = group_ties(data[name], data["label"] == 1)
        fit = fit_ordinal(*categories(p, n, most=200)[:2])
        got = fit.a, fit.b, area(fit), auc_se(fit)
        assert got == pytest.approx([expected[k] for k in ("a", "b", "Az", "se")], abs=2e-6)
        # 52 runs of ndka merged to 50: less than a thirtieth of a standard error.
        merged = fit_ordinal(*categories(p, n)[:2])
        assert (merged.a, area(merged)) == pytest.approx((fit.a, area(fit)), abs=auc_se(fit) / 30)


def test_two_points_are_met_exactly():
    p, n = [2, 3, 5], [6, 3, 1]
    fit = fit_ordinal(p, n)
    x, y = ndtri([0.4, 0.1]), ndtri([0.8, 0.5])
    b = (y[0] - y[1]) / (x[0] - x[1])
    assert (fit.b, fit.a) == pytest.approx((b, y[0] - b * x[0]))
    assert math.isnan(fit.chi_squared)


@pytest.mark.parametrize(
    ("p", "n"),
    [
        ([3, 4], [4, 3]),  # a single point
        ([0, 0, 0], [1, 2, 3]),  # an empty class
        ([0, 0, 2, 3], [3, 2, 0, 0]),  # separated
        ([0, 1, 2, 3], [3, 2, 0, 0]),  # separated up to one tie: all points on the axes
        ([3, 2, 1, 0], [0, 0, 2, 3]),  # separated, the wrong way
        ([3, 0, 4, 1], [0, 2, 0, 0]),  # the curve of a single place of the non-targets
        ([2, 0, 3], [1, 4, 2]),  # points beside each other: horizontal and vertical pieces fit exactly
        ([1, 4, 2], [2, 0, 3]),
        ([0, 3, 4, 0], [1, 1, 1, 1]),
        ([5], [5]),
        ([], []),
    ],
)
def test_no_finite_fit(p, n):
    fit = fit_ordinal(p, n)
    assert fit.status == "degenerate"
    assert np.isnan(
        [
            fit.a,
            fit.b,
            fit.loglik,
            area(fit),
            auc_se(fit),
            fit.p_value,
            *fit.cuts,
            *fit.covariance.ravel(),
        ]
    ).all()


def test_flat_likelihood_gives_no_number():
    # A finite fit exists, but any b from .5 to 2 is as likely within 1e-6.
    assert fit_ordinal([15, 224, 1, 0], [0, 10, 229, 1]).status == "degenerate"


def test_empty_categories_change_nothing():
    fit = fit_ordinal(POSITIVE, NEGATIVE)
    padded = fit_ordinal([0, 3, 2, 0, 0, 2, 11, 33, 0], [0, 33, 6, 0, 0, 6, 11, 2, 0])
    assert (padded.a, padded.b, padded.chi_squared, padded.df) == pytest.approx(
        (fit.a, fit.b, fit.chi_squared, 2)
    )
    first, second, third, fourth = fit.cuts
    assert padded.cuts == pytest.approx([-np.inf, first, second, second, second, third, fourth, np.inf])
    of_targets, of_nontargets = cell_chances(padded)
    assert (of_targets.sum(), of_nontargets.sum()) == pytest.approx((1, 1))
    assert of_targets[[0, 3, 4, 8]].tolist() == [0] * 4


def test_as_by_cumulative_link_models():
    rng = np.random.default_rng(3)
    tables = [(POSITIVE, NEGATIVE), drawn(rng, 1.2, 1.4, 200, 150)]
    told = ", ".join(f"c({', '.join(str(count) for count in (*p, *n))})" for p, n in tables)
    lines = printed_by_r(CLM.format(tables=told), "R package ordinal").splitlines()
    for (p, n), line in zip(tables, lines, strict=True):
        got = np.array(line.split(), dtype=float)
        size = len(p) - 1
        # There: P(y <= j) = Phi((c_j - mean x) / exp(scale x)), so that b = exp(-scale) and a = b mean.
        cuts, mean, scale, loglik = got[:size], got[size], got[size + 1], got[-1]
        fit = fit_ordinal(p, n)
        assert fit.cuts == pytest.approx(cuts, abs=1e-5)
        assert (fit.a, fit.b, fit.loglik) == pytest.approx(
            (mean * math.exp(-scale), math.exp(-scale), loglik), abs=1e-5
        )
        errors = got[size + 2 : -1]
        assert math.sqrt(fit.covariance[1, 1]) / fit.b == pytest.approx(errors[-1], rel=1e-4)


def test_probit_model_where_b_is_one():
    # A table whose points lie on a curve with b = 1: a model that imposes it fits no better and no worse.
    cuts, total = np.array([-0.5, 0.5, 1.0, 2.0]), 2000
    shares = [np.diff(ndtr([-np.inf, *(cuts - shift), np.inf])) for shift in (1.3, 0)]
    p, n = (np.round(share * total).astype(int) for share in shares)
    fit = fit_ordinal(p, n)
    y = np.concatenate([np.repeat(np.arange(5), counts) for counts in (p, n)])
    x = np.repeat([1.0, 0.0], [p.sum(), n.sum()])
    probit = OrderedModel(y, x[:, None], distr=norm).fit(method="bfgs", disp=False)
    assert fit.b == pytest.approx(1, abs=3e-3)
    assert fit.a == pytest.approx(probit.params[0], abs=3e-3)
    assert 0 <= fit.loglik - probit.llf < 1e-2


def test_coverage_of_the_area():
    rng = np.random.default_rng(11)
    tables = [drawn(rng, 1.5, 0.8, 60, 60) for _ in range(400)]
    fits = fit_ordinals(*np.array(tables).transpose(1, 0, 2))
    truth = ndtr(1.5 / math.hypot(1, 0.8))
    spread = np.hypot(1, fits.b)
    slope = norm.pdf(fits.a / spread)[:, None] * np.stack((1 / spread, -fits.a * fits.b / spread**3), axis=1)
    error = np.sqrt((slope[:, :, None] * fits.covariance * slope[:, None, :]).sum(axis=(1, 2)))
    area = ndtr(fits.a / spread)
    covered = np.abs(area - truth) <= 1.96 * error
    assert np.isfinite(error).mean() > 0.98
    assert 0.90 < covered[np.isfinite(error)].mean() < 0.98
    assert np.nanmean(area) == pytest.approx(truth, abs=0.006)
    assert np.nanmean(error) == pytest.approx(np.nanstd(area), rel=0.15)


def test_size_of_the_test_of_fit():
    rng = np.random.default_rng(5)
    fits = [fit_ordinal(*drawn(rng, 1, 0.9, 100, 100)) for _ in range(300)]
    p_values = np.array([fit.p_value for fit in fits if not math.isnan(fit.p_value)])
    assert len(p_values) > 150
    assert (p_values < 0.1).mean() == pytest.approx(0.1, abs=0.06)


def test_drawn_again():
    fit = fit_ordinal(POSITIVE, NEGATIVE)
    a, b = draw_ordinals(fit, 5100, 5800, np.random.default_rng(1), 500)
    # A hundred times the trials: the spread is that of the observed information, a tenth of it.
    covariance = np.cov(a, b)
    assert np.sqrt(np.diag(covariance)) == pytest.approx(np.sqrt(np.diag(fit.covariance)) / 10, rel=0.15)
    assert covariance[0, 1] == pytest.approx(fit.covariance[0, 1] / 100, rel=0.35)
    assert (a.mean(), b.mean()) == pytest.approx((fit.a, fit.b), abs=0.01)
    again = draw_ordinals(fit, 5100, 5800, np.random.default_rng(1), 500)
    assert np.array_equal(a, again[0])


def test_draws_without_a_fit_are_undefined():
    fit = fit_ordinal([3, 2, 3], [3, 2, 2])
    a, b = draw_ordinals(fit, 3, 3, np.random.default_rng(1), 50)
    assert 0 < np.isnan(a).sum() < 50
    assert np.array_equal(np.isnan(a), np.isnan(b))
    nothing = fit_ordinal([1, 0], [0, 1])
    assert np.isnan(draw_ordinals(nothing, 1, 1, np.random.default_rng(1), 3)).all()


def point_loss(c, fn, fp, n1, n0, a, b):
    parts = ((fp, -c), (n0 - fp, c), (n1 - fn, a - b * c), (fn, b * c - a))
    return -sum(count * log_ndtr(z) for count, z in parts)


@given(st.integers(0, 9), st.integers(0, 9), st.floats(-3, 3), st.floats(-2, 2))
def test_place_of_counts_on_a_curve(fn, fp, a, log_b):
    b = math.exp(log_b)
    c = float(latent_cut(fn, fp, 9, 9, a, b))
    if fn == 0 and fp == 9:
        assert c == -np.inf
    elif fn == 9 and fp == 0:
        assert c == np.inf
    else:
        best = minimize_scalar(
            point_loss, bounds=(-60, 60), args=(fn, fp, 9, 9, a, b), method="bounded", options={"xatol": 1e-9}
        )
        assert c == pytest.approx(best.x, abs=1e-4)
        assert point_loss(c, fn, fp, 9, 9, a, b) <= best.fun + 1e-9
        # The other side: targets and non-targets, and with them all decisions, change places.
        mirrored = float(latent_cut(fp, fn, 9, 9, a / b, 1 / b))
        assert mirrored == pytest.approx(a - b * c, abs=1e-7)


def test_mills_ratio_and_its_derivative():
    """phi / (1 - Phi) is the hazard h of a normal; h' = h (h - x)."""
    x = np.array([-30.0, -2.0, 0.0, 0.7, 3.0, 30.0])
    ratio, derivative = _mills(x)
    assert ratio == pytest.approx(np.exp(norm.logpdf(x) - norm.logsf(x)), rel=1e-12, abs=1e-300)
    step = 1e-5
    assert derivative == pytest.approx(
        (_mills(x + step)[0] - _mills(x - step)[0]) / (2 * step), rel=1e-6, abs=1e-9
    )


def test_places_by_hand():
    # Counts on the curve: both classes agree. With one class empty the other decides.
    c = ndtri(0.75)
    b, a = 0.5, 0.5 * c - ndtri(0.25)
    assert float(latent_cut(25, 25, 100, 100, a, b)) == pytest.approx(c)
    assert float(latent_cut(0, 25, 0, 100, 3.0, 2.0)) == pytest.approx(c)
    assert float(latent_cut(25, 0, 100, 0, a, b)) == pytest.approx(c)
    assert latent_cut([0, 1], [4, 0], [4, 4], [4, 4], np.nan, 1.0).tolist() == pytest.approx(
        [np.nan] * 2, nan_ok=True
    )
    assert math.isnan(float(latent_cut(0, 0, 0, 0, 1.0, 1.0)))
    share = Fraction(1, 2)
    assert float(latent_cut(0, 0, 10**6, 10**6, 8.0, 1.0)) == pytest.approx(float(share * 8))
    assert np.isfinite(latent_cut(0, 0, 10, 10, [50.0, -50.0, 1e-3, 1e3], [1.0, 1.0, 1e-3, 1e3])).all()


@given(TABLES)
def test_places_of_the_cuts_of_two_points(table):
    # The fit of 3 categories meets its points, so that the place of their counts is the cut itself.
    p, n = np.array(table)[:, :2] + 1
    p, n = np.append(p, 2), np.append(n, 1)
    fit = fit_ordinal(p, n)
    places = latent_cut(np.cumsum(p)[:2], n.sum() - np.cumsum(n)[:2], p.sum(), n.sum(), fit.a, fit.b)
    assert places == pytest.approx(fit.cuts, abs=1e-6)
