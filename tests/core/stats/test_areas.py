import json
from fractions import Fraction
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri
from sklearn.metrics import roc_auc_score
from tied import rates, score_lists, staircase_of

from reporting.core.stats import sweep
from reporting.core.stats.staircase import group_ties

NINE = [0.5, 1.5, 1.5, 2.5, 3.5], [-1, 0, 0.5, 0.5, 1.5, 2]


def errors_of(targets, nontargets):
    _, s = staircase_of(targets, nontargets)
    return s.misses, s.false_alarms


def swapped(targets, nontargets):
    """The classes exchanged and the scores negated."""
    return errors_of([-x for x in nontargets], [-x for x in targets])


def test_the_nine_cut_hand_set():
    errors = errors_of(*NINE)
    assert sweep.error_area(*errors) == 0.2
    assert sweep.gini(*errors) == pytest.approx(0.6, abs=1e-15)
    assert sweep.auch(*errors) == pytest.approx(5 / 6, abs=1e-15)
    assert sweep.eer_discrete(*errors) == 4 / 15
    assert sweep.ks(*errors) == 7 / 15
    assert sweep.min_corner(*errors) == pytest.approx(0.38873012632302, abs=1e-14)
    assert sweep.dprime(*errors) == pytest.approx(-2 * ndtri(3 / 11), abs=1e-14)


@pytest.mark.parametrize(
    ("low", "high", "area"),
    [(0, 1 / 3, 1 / 6), (0, 1 / 4, 13 / 120), (1 / 6, 1 / 4, 1 / 24), (2 / 3, 1, 1 / 3), (0, 1, 0.8)],
)
def test_partial_areas_of_the_hand_set(low, high, area):
    """The range 0 to 1/4 ends inside a tied group."""
    assert sweep.pauc(*errors_of(*NINE), low, high) == pytest.approx(area, abs=1e-15)


def test_mcclish_of_the_hand_set():
    """(1/6 - 1/18) / (1/3 - 1/18) = 2/5."""
    assert sweep.pauc(*errors_of(*NINE), 0, 1 / 3, mcclish=True) == pytest.approx(0.7, abs=1e-15)


def test_partial_area_over_sensitivities_by_hand():
    """Over TPR 0.4 to 0.8 the FAR runs straight from 1/6 to 1/3; over 0.8 to 1 from 1/3 to 2/3."""
    errors = errors_of(*NINE)
    assert sweep.pauc_tpr(*errors, 0.4, 0.8) == pytest.approx(0.4 * 3 / 4, abs=1e-15)
    assert sweep.pauc_tpr(*errors, 0.8, 1) == pytest.approx(0.2 / 2, abs=1e-15)


def test_below_chance_on_the_range_mcclish_is_under_a_half_and_returned():
    assert sweep.pauc(*errors_of([0], [1]), 0, 0.5, mcclish=True) == pytest.approx((1 - 1 / 3) / 2)


@pytest.mark.parametrize("mcclish", [False, True])
def test_a_range_that_does_not_rise_is_undefined(mcclish):
    for low, high in ((0.5, 0.5), (0.6, 0.5)):
        for formula in (sweep.pauc, sweep.pauc_tpr):
            assert np.isnan(formula(*errors_of(*NINE), low, high, mcclish))


EDGES = [
    ([0, 2], [1], 1 / 4),
    ([1], [0, 2], 1 / 4),
    ([0], [1], 1),
    ([1], [0], 0),
    ([0, 1, 2], [1], 1 / 3),
    ([0, 1, 2], [0.5], 1 / 6),
    ([0, 1, 2], [1.5], 5 / 6),
    ([1], [0, 1, 2], 1 / 3),
    ([0.5], [0, 1, 2], 5 / 6),
    ([1.5], [0, 1, 2], 1 / 6),
]


@pytest.mark.parametrize(("targets", "nontargets", "value"), EDGES)
def test_discrete_equal_error_of_the_edge_cases_of_rocanalysis(targets, nontargets, value):
    assert sweep.eer_discrete(*errors_of(targets, nontargets)) == pytest.approx(value, abs=1e-16)


def test_the_references_of_other_programs(shared):
    known = json.loads((shared / "references" / "verification.json").read_text())
    for name in ("iris_nonsep", "iris_linsep"):
        errors = errors_of(known[name]["pos"], known[name]["neg"])
        assert sweep.eer_discrete(*errors) == pytest.approx(known[name]["eer_mid"], abs=1e-15)
        assert sweep.ks(*errors) == pytest.approx(1 - known[name]["mindcf_norm_p0.5_c1_1"], abs=1e-15)
    table = pl.read_parquet(shared / "data" / "ru2009.parquet")
    for system in ("TC1", "TC4", "TC6"):
        rows = table.filter((pl.col("system") == system) & (pl.col("split") == "test"))
        score, label = rows["score"].to_numpy(), rows["target"].to_numpy().astype(bool)
        errors = errors_of(score[label].tolist(), score[~label].tolist())
        of = known[f"ru2009/{system}/test"]
        assert sweep.eer_discrete(*errors) == pytest.approx(of["eer_mid"], abs=1e-15)
        assert sweep.error_area(*errors) == pytest.approx(1 - of["auc"], abs=1e-14)
        assert sweep.auch(*errors) > 1 - sweep.error_area(*errors)


@given(score_lists(odd=True, most=12), score_lists(odd=True, most=12))
def test_equal_error_and_distances_by_fractions(targets, nontargets):
    _, s = staircase_of(targets, nontargets)
    errors, points = (s.misses, s.false_alarms), rates(s)
    _, total = min((abs(far - frr), far + frr) for far, frr in points)
    assert sweep.eer_discrete(*errors) == float(total / 2)
    assert sweep.ks(*errors) == float(max(1 - far - frr for far, frr in points))
    assert sweep.min_corner(*errors) == pytest.approx(min(np.hypot(float(x), float(y)) for x, y in points))


def integral(points, low, high):
    """The exact integral of 1 - FRR over FAR from low to high along the polyline."""
    area = Fraction(0)
    for (x2, y2), (x1, y1) in pairwise(points):
        start, stop = max(x1, low), min(x2, high)
        if start < stop:
            at = [1 - y1 - (y2 - y1) * (x - x1) / (x2 - x1) for x in (start, stop)]
            area += (stop - start) * sum(at) / 2
    return area


UNIT = st.fractions(0, 1, max_denominator=12)


@given(score_lists(odd=True, most=12), score_lists(odd=True, most=12), UNIT, UNIT, UNIT)
def test_partial_areas_by_fractions_and_additive(targets, nontargets, a, b, c):
    _, s = staircase_of(targets, nontargets)
    errors = s.misses, s.false_alarms
    low, middle, high = sorted((a, b, c))
    if low < middle < high:
        parts = [float(sweep.pauc(*errors, float(x), float(y))) for x, y in ((low, middle), (middle, high))]
        whole = float(sweep.pauc(*errors, float(low), float(high)))
        assert whole == pytest.approx(float(integral(rates(s), low, high)), abs=1e-14)
        assert sum(parts) == pytest.approx(whole, abs=1e-14)


@given(score_lists(odd=True), score_lists(odd=True))
def test_the_whole_range_is_the_area(targets, nontargets):
    """Methods, property P27, to the last bit."""
    errors = errors_of(targets, nontargets)
    area = sweep.auc(*errors)
    assert sweep.pauc(*errors) == sweep.pauc_tpr(*errors) == area
    assert sweep.pauc(*errors, mcclish=True) == pytest.approx(float(area), abs=1e-15)
    assert sweep.error_area(*errors) == pytest.approx(1 - float(area), abs=1e-15)
    assert sweep.auch(*errors) >= max(area, 0.5) - 1e-15


@given(score_lists(odd=True), score_lists(odd=True), st.floats(0.01, 1))
def test_normalised_partial_error_area_is_one_less_mcclish(targets, nontargets, h):
    """The identity of methods 3.5: a_n = (h - pAUC) / (h (2 - h))."""
    errors = errors_of(targets, nontargets)
    a_n = (h - float(sweep.pauc(*errors, 0, h))) / (h * (2 - h))
    assert 1 - a_n == pytest.approx(float(sweep.pauc(*errors, 0, h, mcclish=True)), abs=1e-12)


@given(score_lists(odd=True), score_lists(odd=True), UNIT, UNIT)
def test_swapping_the_classes(targets, nontargets, a, b):
    """Methods, property P4: partial areas over FAR and over TPR change places, the rest stays."""
    one, other = errors_of(targets, nontargets), swapped(targets, nontargets)
    for formula in (sweep.error_area, sweep.gini, sweep.auch, sweep.eer_discrete, sweep.ks, sweep.min_corner):
        assert formula(*one) == pytest.approx(float(formula(*other)), abs=1e-14)
    low, high = sorted((float(a), float(b)))
    if low < high:
        over_far = sweep.pauc(*other, 1 - high, 1 - low)
        assert sweep.pauc_tpr(*one, low, high) == pytest.approx(float(over_far), abs=1e-14)


@pytest.mark.parametrize("seed", range(20))
def test_partial_areas_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    label = rng.random(80) < 0.4
    score = np.round(rng.normal(size=80) + label, 1)
    errors = errors_of(score[label].tolist(), score[~label].tolist())
    for high in (0.05, 0.1, 0.37, 0.9):
        theirs = roc_auc_score(label, score, max_fpr=high)
        assert sweep.pauc(*errors, 0, high, mcclish=True) == pytest.approx(theirs, abs=1e-12)


def test_counts_beyond_a_billion_are_compared_exactly():
    """FP N1 and FN N0 differ by one part in 2^64: neither int64 nor floats tell them apart."""
    n = 2**32
    misses, false_alarms = np.array([0, 1, n // 2, n]), np.array([n, n - 1, n // 2 - 1, 0])
    assert sweep.eer_discrete(misses, false_alarms) == (n - 1) / (2 * n)
    assert sweep.ks(misses, false_alarms) == 1 / n
    assert sweep.error_area(np.array([0, 3]), np.array([7, 0])) == 0.5


def test_separated_equal_and_reversed_scores():
    apart, same, wrong = errors_of([2, 3], [0, 1]), errors_of([1, 1], [1]), errors_of([0, 1], [2, 3])
    assert np.isnan(sweep.dprime(*apart))
    assert sweep.dprime(*same) == sweep.dprime(*wrong) == 0
    assert not np.signbit(sweep.dprime(*same))
    assert [float(sweep.auch(*e)) for e in (apart, same, wrong)] == [1, 0.5, 0.5]
    assert [float(sweep.ks(*e)) for e in (apart, same, wrong)] == [1, 0, 0]
    assert [float(sweep.error_area(*e)) for e in (apart, same, wrong)] == [0, 0.5, 1]
    assert [float(sweep.eer_discrete(*e)) for e in (apart, same, wrong)] == [0, 0.5, 1]


def counts(targets, nontargets):
    score = np.array([*targets, *nontargets], dtype=np.float64)
    distinct, p, n, _ = group_ties(score, np.arange(len(score)) < len(targets))
    return distinct, p, n


@given(score_lists(least=2), score_lists(least=2), st.sampled_from([1e-300, 1.0, 1e300]))
def test_det_slope_is_the_ratio_of_spreads(targets, nontargets, unit):
    slope = float(sweep.det_slope(*counts(np.multiply(targets, unit), np.multiply(nontargets, unit))))
    if np.std(targets) == 0:
        assert np.isnan(slope)
    else:
        assert slope == pytest.approx(np.std(nontargets) / np.std(targets), rel=1e-9)


def test_det_slope_of_replicates_and_infinite_scores():
    """A replicate that leaves out the infinite score has a slope; one that holds it has none."""
    distinct, p, n = counts([0, 2, np.inf], [0, 1, 4])
    without = sweep.det_slope(distinct, np.array([p, p * [1, 1, 1, 1, 0]]), np.array([n, n]))
    np.testing.assert_array_equal(without, [np.nan, np.std([0, 1, 4]) / 1.0])
    assert np.isnan(sweep.det_slope(*counts([], [1, 2])))
    assert np.isnan(sweep.det_slope(*counts([1, 2], [])))
    assert sweep.det_slope(*counts([1, 2], [3])) == 0
    assert np.isnan(sweep.det_slope(*counts([0.1] * 3, [0.3, 1])))
