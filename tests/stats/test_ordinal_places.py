import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import log_ndtr, ndtri

from reporting.stats.ordinal import draw_ordinals, fit_ordinal, latent_cut

POSITIVE, NEGATIVE = [3, 2, 2, 11, 33], [33, 6, 6, 11, 2]
TABLES = st.integers(2, 6).flatmap(
    lambda size: st.tuples(*[st.lists(st.integers(0, 4), min_size=size, max_size=size)] * 2)
)


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
