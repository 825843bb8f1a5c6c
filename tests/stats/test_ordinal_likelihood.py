import math
import warnings

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import log_ndtr
from tied import auc_se

from reporting.stats.ordinal import (
    categories,
    fit_ordinal,
    fit_ordinals,
    inverse_diagonal,
    log_likelihood,
    newton,
    tridiagonal,
)
from reporting.stats.staircase import group_ties

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
    solved, inverse = tridiagonal(diagonal, off, right), inverse_diagonal(diagonal, off)
    for row in range(3):
        matrix = np.diag(diagonal[row]) + np.diag(off[row], 1) + np.diag(off[row], -1)
        assert solved[:, row] == pytest.approx(np.linalg.solve(matrix, right[:, row].T).T)
        assert inverse[row] == pytest.approx(np.diag(np.linalg.inv(matrix)))


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
    assert fit.cuts_se == pytest.approx(np.sqrt(np.diag(inverse))[2:], rel=1e-4)


SCORED = st.lists(st.tuples(st.booleans(), st.integers(-6, 6)), min_size=6, max_size=40)


def fit_scores(score, label, most=1000):
    _, p, n, _ = group_ties(np.asarray(score, dtype=float), np.asarray(label))
    return fit_ordinal(*categories(p, n, most)[:2])


@given(SCORED)
@example([(False, -1), (False, 2), (True, 0), (True, 0), (True, 1), (True, -2), (True, 3)])
def test_invariant_to_monotone_maps_and_to_runs(trials):
    """P32."""
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
        assert swapped.auc == pytest.approx(fit.auc, abs=1e-5)
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
