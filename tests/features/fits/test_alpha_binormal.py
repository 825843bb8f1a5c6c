import json
import math
import tracemalloc
import warnings
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import expit, log_ndtr, logit, ndtr, ndtri

from reporting.core.stats import confusion
from reporting.features.fits import binormal
from reporting.features.fits.binormal import (
    average_precision,
    mass_of,
    precision_at_z,
    precision_limit,
)
from reporting.features.fits.gaussian_fit import Gaussians, draw_gaussians
from tests.features.fits.binormal_curves import false_acceptance, refitted

A = st.sampled_from([0.0, 1.0, -0.5]) | st.floats(-6, 6)
B = st.sampled_from([1.0, 0.1, 0.5, 2.0, 10.0]) | st.floats(0.1, 10)
ALPHA = st.sampled_from([0.5, 0.1, 1e-8, 1 - 1e-8]) | st.floats(1e-8, 1 - 1e-8)


def precision_at(hits, a, b, alpha):
    return precision_at_z(-ndtri(hits), a, b, alpha)


# Methods 12.6: means -+1, standard deviation 2.
TRUE_AP = {
    0.01: 0.0422075155,
    0.02: 0.0796052590,
    0.05: 0.1733147995,
    0.1: 0.2928356435,
    0.2: 0.4621213124,
    0.3: 0.5830120393,
    0.4: 0.6767656676,
    0.5: 0.7529959969,
    0.6: 0.8169510791,
    0.7: 0.8718292834,
    0.8: 0.9197292409,
    0.9: 0.9621036650,
    0.95: 0.9815577475,
    0.99: 0.9963879956,
}


def by_quad(a, b, alpha):
    """The integral in pieces: between them lie the median of the targets, and where precision turns."""

    def height(z):
        return (
            math.exp(-z * z / 2)
            / math.sqrt(2 * math.pi)
            * expit(logit(alpha) + log_ndtr(-z) - log_ndtr(-(z + a) / b))
        )

    turns = np.arange(-9, 9.5, 1.5)
    ends = np.unique(np.clip([*turns, *(turns * b - a)], -12, 12))
    ends = np.unique([-12, *ends, 12])
    parts = (quad(height, *pair, epsabs=1e-16, epsrel=1e-12)[0] for pair in pairwise(ends))
    return math.fsum(parts)


def test_precision_by_hand():
    """a = 0, b = 1 is chance; at TPR 1/2 of a = 1, b = 1 the FAR is Phi(-1)."""
    assert precision_at([0, 0.2, 1], 0, 1, 0.3) == pytest.approx(0.3, abs=1e-15)
    far = ndtr(-1.0)
    assert precision_at(0.5, 1, 1, 0.25) == pytest.approx(0.125 / (0.125 + 0.75 * far), rel=1e-14)
    assert precision_at_z(0, 1, 1, 0.25) == precision_at(0.5, 1, 1, 0.25)
    assert precision_at([0, 1], 1, 2, 0.4).tolist() == [0, pytest.approx(0.4)]


def test_the_printed_formula_is_wrong():
    """Methods, erratum E35: with the quantile in the place of the distribution function precision leaves [0, 1]."""
    hits, alpha = np.array([0.1, 0.5, 0.9]), 0.4
    correct = precision_at(hits, 1, 1, alpha)
    assert correct == pytest.approx([0.8556, 0.6775, 0.4955], abs=1e-4)
    tail = 1 - (1 + 2 * ndtri(1 - hits))
    printed = alpha * hits / (alpha * hits + (1 - alpha) * tail)
    assert np.abs(printed - correct).min() > 0.3
    assert (printed < 0).any()


def test_references(shared):
    known = json.loads((shared / "references" / "diagnostic.json").read_text())["brodersen"]
    assert binormal.auc(1, 1) == pytest.approx(known["auc"], abs=1e-12)
    assert precision_at(0.5, 1, 1, 0.4) == pytest.approx(known["ppv_at_tpr0.5_alpha0.4"], abs=1e-12)
    shares = {float(alpha): ap for alpha, ap in known["ap_by_alpha"].items()}
    assert average_precision(1, 1, list(shares)) == pytest.approx(list(shares.values()), abs=1e-10)


def test_average_precision_of_the_methods():
    assert average_precision(1, 1, list(TRUE_AP)) == pytest.approx(list(TRUE_AP.values()), abs=1e-10)


@pytest.mark.parametrize("b", [0.1, 1 / 6, 0.25, 0.3, 1, 3, 10])
def test_average_precision_is_the_integral(b):
    """Shares down to 1e-8 from either side: no error above 3e-13, where 801 nodes alone leave 9e-8 at b = .1."""
    a = np.array([-3.0, -0.5, 0.0, 0.4, 1.0, 2.5])
    for alpha in (1e-8, 1e-4, 0.4, 1 - 1e-8):
        expected = np.array([by_quad(x, b, alpha) for x in a])
        found = average_precision(a, b, alpha)
        assert found == pytest.approx(expected, abs=3e-13)
        assert found == pytest.approx(expected, rel=1e-9)


@given(st.floats(0, 1))
def test_chance_gives_the_share(alpha):
    assert average_precision(0, 1, alpha) == pytest.approx(alpha, rel=1e-12)


@given(A, B, st.lists(ALPHA, min_size=2, max_size=6))
@settings(max_examples=50)
def test_average_precision_rises_with_the_share(a, b, shares):
    """Methods, property P31."""
    value = average_precision(a, b, np.sort(shares))
    assert (np.diff(value) >= -1e-13).all()
    assert ((value >= 0) & (value <= 1 + 1e-14)).all()


@given(A, B)
@settings(max_examples=50)
def test_half_and_half_is_the_plain_binormal(a, b):
    """Methods, property P31: at alpha = 1/2 precision is TPR / (TPR + FAR)."""
    hits = np.array([0.05, 0.3, 0.8])
    far = false_acceptance(hits, a, b)
    assert precision_at(hits, a, b, 0.5) == pytest.approx(hits / (hits + far), rel=1e-10)
    z = np.linspace(-9, 9, 4001)
    tpr, fpr = ndtr(-z), ndtr(-(z + a) / b)
    area = -np.trapezoid(tpr / (tpr + fpr), tpr)
    assert average_precision(a, b, 0.5) == pytest.approx(area, abs=2e-4)


@given(A, B, ALPHA, st.floats(1e-12, 1))
def test_precision_of_the_rates(a, b, alpha, hits):
    far = false_acceptance(hits, a, b)
    expected = alpha * hits / (alpha * hits + (1 - alpha) * far)
    assert precision_at(hits, a, b, alpha) == pytest.approx(float(expected), rel=1e-7)


def test_precision_in_the_far_tails():
    """z = 60 with b = 1: log TPR - log FAR nears a z + a^2 / 2, though both rates round to 0."""
    exact = logit(1e-8) + 60 * 0.2 + 0.02 + math.log(60.2 / 60)
    assert logit(precision_at_z(60, 0.2, 1, 1e-8)) == pytest.approx(exact, abs=1e-4)
    assert precision_at_z(60, 0.2, 1, 1 - 1e-8) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "limit"),
    [(-9, 0.9, 1), (9, 1.1, 0), (0.1, 1, 1), (-0.1, 1, 0), (0, 1, 0.3), (0, 2, 0), (0, 0.5, 1)],
)
def test_the_limit_at_no_hits(a, b, limit):
    """Methods 12.5: the wider class rules the tail; of equal ones the upper."""
    assert precision_limit(a, b, 0.3) == limit
    assert precision_at(0, a, b, 0.3) == limit
    assert precision_at_z(np.inf, a, b, 0.3) == limit
    assert precision_at_z(1e200, a, b, 0.3) == limit
    assert precision_at_z(1000, a, b, 0.3) == pytest.approx(limit, abs=1e-9)


def test_shares_at_and_beyond_the_ends():
    for f in (precision_limit, partial(precision_at, 0.3), partial(precision_at, 0), average_precision):
        assert f(1, [[0.5], [1], [2]], [0, 1]).tolist() == [[0, 1]] * 3
        assert np.isnan(f(1, 1, [-0.1, 1.1, np.nan])).all()
        assert np.isnan(f(np.nan, 1, [0, 0.5, 1])).all()
        assert np.isnan(f(1, [0, -1], 0.5)).all()
    for b in (0.5, 1, 2):
        assert average_precision(1, b, 1e-60) < 1e-4
        assert average_precision(1, b, 1 - 1e-12) == pytest.approx(1, abs=1e-9)


def test_many_curves_at_once_are_single_curves():
    """Ten thousand curves in pieces, those with small b among the others; below 100 MB."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(1, 0.5, 10_000), 10 ** rng.uniform(-0.3, 1, 10_000)
    b[::1000] = 0.12
    tracemalloc.start()
    together = average_precision(a.reshape(100, 100), b.reshape(100, 100), 0.1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6
    for at in (0, 1, 1000, 4321, 9999):
        assert together.ravel()[at] == average_precision(a[at], b[at], 0.1)


def test_average_precision_against_a_large_sample():
    """Means -+1, sd 2, a quarter of targets: the counted average precision of a large sample."""
    rng = np.random.default_rng(2)
    n = 200_000
    label = np.arange(n) < n // 4
    score = np.where(label, 1.0, -1.0) + 2 * rng.standard_normal(n)
    ordered = label[np.argsort(-score)]
    counted = (np.cumsum(ordered) / np.arange(1, n + 1))[ordered].mean()
    assert average_precision(1, 1, 0.25) == pytest.approx(counted, abs=0.006)


@pytest.mark.parametrize(("alpha", "bias"), [(0.05, 0.0202), (0.1, 0.0086), (0.4, 0.0007), (0.8, 0.0)])
def test_bias_of_the_fitted_average_precision(alpha, bias):
    """Methods 12.6, n = 100, ddof 0: the mean error over many samples."""
    rng, runs, n1 = np.random.default_rng(3), 8000, round(100 * alpha)
    fits = refitted(rng.normal(1, 2, (runs, n1)), rng.normal(-1, 2, (runs, 100 - n1)))
    found = average_precision(fits.a, fits.b, alpha, nodes=201)
    error = found - TRUE_AP[alpha]
    assert error.mean() == pytest.approx(bias, abs=4 * error.std() / math.sqrt(runs))


def test_spread_of_draws_is_that_of_samples():
    """The parametric bootstrap of the fitted average precision, at the truth."""
    rng = np.random.default_rng(4)
    draws = draw_gaussians(Gaussians(1.0, 2.0, -1.0, 2.0, 40, 60), rng, 4000)
    fits = refitted(rng.normal(1, 2, (4000, 40)), rng.normal(-1, 2, (4000, 60)))
    spreads = [average_precision(f.a, f.b, 0.4, nodes=201).std() for f in (draws, fits)]
    assert spreads[0] == pytest.approx(spreads[1], rel=0.07)


MEASURES = ("precision", "npv", "mcc", "f1", "accuracy", "kappa", "jaccard", "lift", "recall")


@given(st.integers(0, 9), st.integers(0, 30), st.sampled_from([1.0, 1000.0]))
def test_masses_stand_for_counts(misses, alarms, n):
    """9 targets of 39: a measure of the masses is the measure of the counts."""
    counts = misses, alarms, 9, 30
    masses = mass_of(alarms / 30, misses / 9, 9 / 39, n)
    assert sum(masses[2:]) == pytest.approx(n)
    for name in MEASURES:
        measure = getattr(confusion, name)
        if 0 < misses + 30 - alarms < 39 or name in ("recall", "accuracy"):
            assert measure(*masses) == pytest.approx(float(measure(*counts)), rel=1e-12, abs=1e-7)


@given(A, B, ALPHA, st.floats(0.01, 0.99))
def test_measures_of_the_masses_of_a_curve(a, b, alpha, hits):
    far = false_acceptance(hits, a, b)
    masses = mass_of(far, 1 - hits, alpha)
    assert confusion.precision(*masses) == pytest.approx(float(precision_at(hits, a, b, alpha)), rel=1e-9)
    precision = float(precision_at(hits, a, b, alpha))
    assert confusion.f1(*masses) == pytest.approx(2 * precision * hits / (precision + hits), rel=1e-9)
    npv = (1 - alpha) * (1 - far) / ((1 - alpha) * (1 - far) + alpha * (1 - hits))
    assert confusion.npv(*masses) == pytest.approx(float(npv), rel=1e-7)
    assert np.isnan(confusion.precision(*mass_of(far, 1 - hits, 1.5)))


@given(
    st.floats(-1e6, 1e6),
    st.floats(-6, 6).map(lambda x: 10**x),
    st.floats(0, 1),
    st.floats(0, 1) | st.sampled_from([0.0, 1.0, 5e-324]),
)
@settings(max_examples=60)
def test_nothing_overflows_and_nothing_is_lost(a, b, alpha, hits):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        values = [
            precision_at(hits, a, b, alpha),
            precision_limit(a, b, alpha),
            average_precision(a, b, alpha),
        ]
    assert all(0 <= value <= 1 for value in values)
