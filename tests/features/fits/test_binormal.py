import json
import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from in_r import printed_by_r
from scipy.special import ndtr, ndtri

from reporting.core.stats.sweep import pauc, pauc_tpr
from reporting.features.fits import binormal
from reporting.features.fits.binormal import partial_area, partial_area_hits, propagated
from tests.features.fits.binormal_curves import false_acceptance, hit_rate

NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)
A = st.sampled_from([0.0, 1.0, -0.5, 5e-324, -5e-324]) | st.floats(-8, 8)
B = st.sampled_from([1.0, 0.5, 2.0]) | st.floats(0.02, 50)
RATE = st.sampled_from([0.0, 0.1, 0.5, 1.0, 1e-9]) | st.floats(0, 1)


def integral(low, high, a, b):
    """Area over FAR in [low, high] by panels in probit space that follow both bends of the integrand."""
    z0, z1 = max(ndtri(low), -39.0), min(ndtri(high), 39.0)
    even = np.arange(-40, 41, 0.5)
    ends = np.concatenate([even, (even - a) / b])
    ends = np.unique([z0, z1, *ends[(ends > z0) & (ends < z1)]])
    half, middle = np.diff(ends) / 2, (ends[1:] + ends[:-1]) / 2
    x = middle[:, None] + half[:, None] * NODES
    density = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    return math.fsum((half[:, None] * WEIGHTS * density * ndtr(a + b * x)).ravel())


def test_points_by_hand():
    """a = 1, b = 2: the curve meets the diagonal at Phi(-1)."""
    phi = ndtr(1.0)
    assert binormal.crossing(1, 2) == 1 - phi
    assert binormal.auc(0, [0.1, 7]).tolist() == [0.5, 0.5]
    assert binormal.eer(0, 3) == 0.5


def test_anchors_of_the_methods():
    assert binormal.eer(1.5, 0.7) == pytest.approx(0.1887930, abs=5e-8)
    assert binormal.auc(1, 1) == pytest.approx(0.7602499389, abs=5e-11)
    assert binormal.auc(2, 2) == pytest.approx(0.8144533, abs=5e-8)


def test_indices_as_by_the_diagnostic_references(shared):
    known = json.loads((shared / "references" / "diagnostic.json").read_text())["ct1982"]
    for name in ("d_a",):
        assert getattr(binormal, name)(known["a"], known["b"]) == pytest.approx(known[name], abs=1e-6)
    assert binormal.auc(known["a"], known["b"]) == pytest.approx(known["Az"], abs=1e-8)


def test_partial_areas_of_the_diagnostic_references(shared):
    """Ax is the area over FAR up to c and Ay that over the TPR beyond; either over its box is printed too."""
    (known,) = json.loads((shared / "references" / "diagnostic.json").read_text())["binormal_pauc"]
    a, b, c = known["a"], known["b"], known["c"]
    hits = hit_rate(c, a, b)
    below, beside = partial_area(a, b, 0, c), partial_area_hits(a, b, hits, 1)
    assert below == pytest.approx(known["Ax"], abs=1e-9)
    assert beside == pytest.approx(known["Ay"], abs=1e-6)
    assert below / (c * hits) == pytest.approx(known["Axn"], abs=1e-6)
    assert beside / ((1 - c) * (1 - hits)) == pytest.approx(known["Ayn"], abs=1e-6)
    # Together with the rectangle between them they are the whole.
    assert below + beside + (1 - c) * hits == pytest.approx(binormal.auc(a, b), abs=1e-15)


@given(A, B, RATE, RATE)
def test_partial_area_is_the_integral(a, b, low, high):
    if low >= high:
        assert np.isnan(partial_area(a, b, low, high))
        assert np.isnan(partial_area_hits(a, b, low, high, mcclish=True))
        return
    assert partial_area(a, b, low, high) == pytest.approx(integral(low, high, a, b), abs=2e-15)


def test_partial_area_of_steep_and_flat_curves():
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=300) * 3, 10 ** rng.uniform(-3, 3, 300)
    a[:40], b[40:80] = 0, 1
    low, high = np.sort(10 ** rng.uniform(-8, 0, (2, 300)), axis=0)
    expected = [integral(*row) for row in zip(low, high, a, b, strict=True)]
    assert partial_area(a, b, low, high) == pytest.approx(np.array(expected), abs=2e-15)


@given(A, B, st.floats(0, 1))
def test_partial_areas_add_up(a, b, cut):
    for area in (partial_area, partial_area_hits):
        parts = np.nan_to_num(area(a, b, 0, cut)) + np.nan_to_num(area(a, b, cut, 1))
        assert parts == pytest.approx(float(binormal.auc(a, b)), abs=1e-14)
    assert partial_area(a, b, mcclish=True) == pytest.approx(float(binormal.auc(a, b)), abs=1e-14)


@given(A, B, RATE, RATE)
def test_a_range_of_hits_is_a_range_of_alarms_and_a_box(a, b, low, high):
    """The region right of the curve between two TPRs, counted by columns instead of rows."""
    if low < high:
        far = false_acceptance([low, high], a, b)
        columns = np.nan_to_num(partial_area(a, b, *far)) - low * (far[1] - far[0])
        boxed = columns + (high - low) * (1 - far[1])
        assert partial_area_hits(a, b, low, high) == pytest.approx(boxed, abs=1e-12)


@pytest.mark.parametrize("mcclish", [False, True])
def test_conventions_are_those_of_the_counted_curve(mcclish):
    """Quantiles of two normal classes: the counted partial areas come near, in both senses."""
    n = 4000
    grid = ndtri((np.arange(n) + 0.5) / n)
    target, nontarget = 1.2 + grid, 0.6 * grid
    score = np.sort(np.concatenate([target, nontarget]))
    misses = np.append(0, np.searchsorted(np.sort(target), score, side="right"))
    alarms = n - np.append(0, np.searchsorted(np.sort(nontarget), score, side="right"))
    for low, high in [(0, 0.1), (0.1, 0.2), (0.3, 1)]:
        counted = pauc(misses, alarms, low, high, mcclish)
        assert partial_area(1.2, 0.6, low, high, mcclish) == pytest.approx(counted, abs=5e-4)
        counted = pauc_tpr(misses, alarms, low, high, mcclish)
        assert partial_area_hits(1.2, 0.6, low, high, mcclish) == pytest.approx(counted, abs=5e-4)


PROC = """
suppressMessages(library(pROC)); x <- seq(-9, 9, length.out = 60001)
far <- pnorm(-x); hits <- pnorm(1.2 + 0.6 * qnorm(far))
both <- c(0.1, 0.4)
r <- list(sensitivities = hits, specificities = 1 - far, thresholds = x, percent = FALSE, direction = "<")
class(r) <- "roc"
for (kind in c("specificity", "sensitivity")) for (correct in c(FALSE, TRUE))
  cat(sprintf("%.12f", as.numeric(auc(r, partial.auc = c(0.9, 1), partial.auc.focus = kind,
                                      partial.auc.correct = correct))), "\\n")
"""


def test_partial_areas_as_by_proc():
    expected = [float(line) for line in printed_by_r(PROC).split()]
    found = [partial_area(1.2, 0.6, 0, 0.1, m) for m in (False, True)]
    found += [partial_area_hits(1.2, 0.6, 0.9, 1, m) for m in (False, True)]
    assert found == pytest.approx(expected, abs=1e-6)


@given(A, B, st.floats(1e-6, 1 - 1e-6))
def test_swapping_the_classes(a, b, far):
    """(a, b) to (a / b, 1 / b): TPR and 1 - FAR change places; AUC and EER follow."""
    back = a / b, 1 / b
    hits = hit_rate(far, a, b)
    assert binormal.auc(*back) == pytest.approx(float(binormal.auc(a, b)), abs=1e-14)
    assert binormal.eer(*back) == pytest.approx(float(binormal.eer(a, b)), abs=1e-14)
    if 1e-9 < hits < 1 - 1e-9:
        assert hit_rate(1 - hits, *back) == pytest.approx(1 - far, abs=1e-6)


@given(A, B)
def test_the_eer_is_on_the_curve(a, b):
    far = binormal.eer(a, b)
    assert hit_rate(far, a, b) == pytest.approx(1 - far, abs=1e-12)


def test_hooks():
    """Crossings inside (.001, .999) only; equal spreads never cross."""
    a = np.array([1.0, 1.0, 1.0, 0.0, 3.2, 3.0, -3.2])
    b = np.array([1.0, 2.0, 1.1, 2.0, 2.0, 2.0, 2.0])
    at = binormal.crossing(a, b)
    assert np.isnan(at[0])
    assert binormal.has_hook(a, b).tolist() == [False, True, False, True, False, True, False]
    inner = (at > 1e-9) & (at < 1 - 1e-9)
    assert hit_rate(at[inner], a[inner], b[inner]) == pytest.approx(at[inner], rel=1e-9)
    assert not binormal.has_hook(np.nan, 1)


@given(st.floats(-1e6, 1e6), st.floats(-6, 6).map(lambda x: 10**x), RATE, RATE)
def test_nothing_overflows_and_nothing_is_lost(a, b, low, high):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        values = [binormal.auc(a, b), binormal.eer(a, b)]
        if low < high:
            values += [partial_area(a, b, low, high), partial_area_hits(a, b, low, high)]
        assert all(0 <= value <= 1 for value in values)
        assert not np.isnan(binormal.d_a(a, b))


@pytest.mark.parametrize(("a", "b"), [(1, 0), (1, -1), (np.nan, 1), (1, np.nan), (1, np.inf), (np.inf, 1)])
def test_no_curve_is_nan(a, b):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for f in (
            binormal.auc,
            binormal.eer,
            binormal.d_a,
            binormal.crossing,
        ):
            assert np.isnan(f(a, b))
        for f in (partial_area, partial_area_hits):
            assert np.isnan(f(a, b, 0, [0.1, 1])).all()


def test_rates_outside_are_nan():
    assert np.isnan(partial_area(1, 1, [-0.1, 0.5, 0.5], [0.5, 1.1, 0.5])).all()


def test_shapes_broadcast():
    a, b = np.array([[0.5], [1.0]]), np.array([0.8, 1.0, 1.2])
    whole = partial_area(a, b, 0, 0.1)
    assert whole.shape == (2, 3)
    assert whole[1, 2] == partial_area(1.0, 1.2, 0, 0.1)


def area_of(p):
    return binormal.auc(p[..., 0], p[..., 1])


def test_delta_method_by_the_derivative():
    """auc: dA/da = phi / s, dA/db = -phi a b / s^3, with s = sqrt(1 + b^2) and phi at a / s."""
    a, b = np.array([0.0, 1.5, -2.0]), np.array([1.0, 0.4, 2.5])
    covariance = np.array([[0.04, 0.01], [0.01, 0.09]])
    s = np.hypot(1, b)
    density = np.exp(-((a / s) ** 2) / 2) / math.sqrt(2 * math.pi)
    g = np.stack([density / s, -density * a * b / s**3], axis=-1)
    expected = np.sqrt(np.einsum("ri,ij,rj->r", g, covariance, g))
    found = propagated(area_of, np.stack([a, b], axis=-1), covariance)
    assert found == pytest.approx(expected, rel=1e-8)


def test_delta_method_of_odd_parameters():
    """A parameter without error, one tiny beside its error, a huge one, and an undefined one."""
    known = propagated(lambda p: p[..., 0] ** 2 + p[..., 1], [3.0, 7.0], [[0.25, 0], [0, 0]])
    assert known == pytest.approx(6 * 0.5, rel=1e-9)
    assert propagated(lambda p: 5 * p[..., 0], [1e-12], [[0.04]]) == pytest.approx(1.0, rel=1e-9)
    assert propagated(lambda p: p[..., 0] - 1e9, [1e9], [[0.01]]) == pytest.approx(0.1, rel=1e-9)
    parameters = np.array([[1.0, 1.0], [np.nan, 1.0], [1.0, -1.0]])
    found = propagated(area_of, parameters, np.eye(2) * 0.01)
    assert np.isnan(found).tolist() == [False, True, True]
    assert propagated(area_of, parameters, np.zeros((2, 2)))[0] == 0
