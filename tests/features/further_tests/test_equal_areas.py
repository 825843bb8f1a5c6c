import json
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from in_r import printed_by_r
from scipy.special import ndtr
from scipy.stats import chi2, norm
from tied import labelled, score_lists

from reporting.base.arrays import BoolArray, FloatArray
from reporting.core.stats.intervals import ZERO
from reporting.core.stats.placements import area_se, covariance, trial_placements
from reporting.core.stats.staircase import group_ties
from reporting.features.further_tests.formulas import SPREADLESS, contrast_test, equal_areas, wald


class Pairs(NamedTuple):
    """Every pair of models (shape (K, K)): area of the row less that of the column, its error, z and p."""

    difference: FloatArray
    se: FloatArray
    z: FloatArray
    p: FloatArray


def pairwise(placements: FloatArray, label: BoolArray) -> Pairs:
    """Compare every pair of K areas: z = (A_row - A_column) / SE, two-sided normal p, unadjusted.

    Swapping a pair negates difference and z. Models that rank all trials alike have z = 0 and p = 1;
    NaN where a difference has no spread, and where a class has fewer than two trials.
    """
    k = len(placements)
    difference, se, z = np.zeros((k, k)), np.zeros((k, k)), np.zeros((k, k))
    for i in range(k):
        for j in range(i + 1, k):
            contrasted = placements[i] - placements[j]
            d = float(contrasted[label].sum()) / max(int(label.sum()), 1)
            error = area_se(contrasted, label)
            difference[i, j], difference[j, i] = d, -d
            se[i, j] = se[j, i] = error
            z[i, j] = _z(d, error)
            z[j, i] = -z[i, j]
    return Pairs(difference, se, z, np.asarray(2 * ndtr(-np.abs(z))))


def _z(difference: float, se: float) -> float:
    if se > SPREADLESS:
        return difference / se
    return 0.0 if se <= SPREADLESS and abs(difference) <= ZERO else float("nan")


PAIRS = ["wfns-s100b", "s100b-ndka", "wfns-ndka"]

MARKERS = ["wfns", "s100b", "ndka"]

ASAH = """
suppressMessages(library(pROC)); data(aSAH)
cat("label", as.integer(aSAH$outcome == "Poor"), "\\n")
roc_of <- function(name) roc(aSAH$outcome, as.numeric(aSAH[[name]]),
                             levels = c("Good", "Poor"), direction = "<", quiet = TRUE)
for (name in c("wfns", "s100b", "ndka")) cat(name, sprintf("%.17g", as.numeric(aSAH[[name]])), "\\n")
for (pair in list(c("wfns", "s100b"), c("s100b", "ndka"), c("wfns", "ndka"))) {
  test <- roc.test(roc_of(pair[1]), roc_of(pair[2]), method = "delong")
  cat(paste0(pair[1], "-", pair[2]), sprintf("%.17g", c(test$statistic, test$p.value)), "\\n")
}
"""


@pytest.fixture(scope="module")
def asah():
    """Three markers and the outcome of 113 patients, and z and p of pROC, by name."""
    lines = (line.split() for line in printed_by_r(ASAH).splitlines())
    return {name: np.array(numbers, dtype=float) for name, *numbers in lines}


def placements_of(scores, label):
    rows = []
    for score in scores:
        _, p, n, rank = group_ties(np.asarray(score, dtype=float), label)
        rows.append(trial_placements(p, n, rank, label))
    return np.stack(rows)


def test_patients_as_by_proc_and_by_the_methods(asah, shared):
    label = asah["label"] == 1
    placements = placements_of([asah[name] for name in MARKERS], label)
    known = json.loads((shared / "references" / "methods.json").read_text())["delong_asah"]
    pairs = pairwise(placements, label)
    for name in PAIRS:
        i, j = (MARKERS.index(marker) for marker in name.split("-"))
        assert (pairs.z[i, j], pairs.p[i, j]) == pytest.approx(tuple(asah[name]), rel=1e-10)
        assert (pairs.z[i, j], pairs.p[i, j]) == pytest.approx(
            (known["Z"][name], known["p"][name]), rel=1e-10
        )
        difference = known["auc"][MARKERS[i]] - known["auc"][MARKERS[j]]
        assert pairs.difference[i, j] == pytest.approx(difference, abs=1e-14)
    assert np.diagonal(covariance(placements, label))[1] == pytest.approx(0.00266868245717244, rel=1e-12)
    statistic, df, p = equal_areas(placements, label)
    assert (statistic, df, p) == pytest.approx((known["omnibus"][0], 2, known["omnibus"][1]), rel=1e-9)


def test_hand_case():
    """The first model is perfect; of the second one target of three beats neither non-target: area 2/3."""
    label = np.array([False, False, True, True, True])
    placements = placements_of([[0.1, 0.2, 0.6, 0.7, 0.8], [0.3, 0.6, 0.2, 0.7, 0.9]], label)
    of_targets = [Fraction(0), Fraction(1), Fraction(1)]
    mean = sum(of_targets) / 3
    # Both non-targets lose to two of the three targets: no spread of theirs.
    variance = sum((x - mean) ** 2 for x in of_targets) / 2 / 3
    assert (1 - mean) ** 2 / variance == 1
    p = float(2 * norm.sf(1))
    assert p == pytest.approx(0.31731, abs=5e-6)
    assert equal_areas(placements, label) == pytest.approx((1.0, 1, p), rel=1e-14)
    pairs = pairwise(placements, label)
    assert pairs.difference[0, 1] == pytest.approx(1 / 3, rel=1e-14)
    assert pairs.se[0, 1] == pytest.approx(1 / 3, rel=1e-14)
    assert (pairs.z[0, 1], pairs.p[0, 1]) == pytest.approx((1.0, p), rel=1e-14)


models = st.integers(0, 10_000)


@given(score_lists(least=3), score_lists(least=3), models, st.integers(2, 4))
def test_laws_of_the_omnibus_test(targets, nontargets, seed, k):
    """Of two models it is z squared; the order and the reference of models do not count; copies add nothing."""
    score, label = labelled(targets, nontargets)
    rng = np.random.default_rng(seed)
    others = [score + rng.integers(-2, 3, len(score)) for _ in range(k - 1)]
    placements = placements_of([score, *others], label)
    pairs, test = pairwise(placements, label), equal_areas(placements, label)
    np.testing.assert_array_equal(pairs.z, -pairs.z.T)
    two = equal_areas(placements[:2], label)
    if two.df:
        assert two.statistic == pytest.approx(pairs.z[0, 1] ** 2, rel=1e-9, abs=1e-12)
        assert two.p == pytest.approx(pairs.p[0, 1], rel=1e-9, abs=1e-12)
    order = rng.permutation(k)
    swapped = equal_areas(placements[order], label)
    doubled = equal_areas(np.concatenate([placements, placements[order]]), label)
    for same in (swapped, doubled):
        assert same.df == test.df
        assert same == pytest.approx(test, rel=1e-6, abs=1e-9, nan_ok=True)


@given(score_lists(least=3), score_lists(least=3), models)
def test_contrasts_are_those_of_the_covariance_matrix(targets, nontargets, seed):
    score, label = labelled(targets, nontargets)
    rng = np.random.default_rng(seed)
    placements = placements_of([score, *(rng.normal(score, 1.0) for _ in range(3))], label)
    areas, cov = placements[:, label].mean(axis=1), covariance(placements, label)
    contrasts = np.array([[1, 0, -0.5, -0.5], [0, 1, -1, 0]])
    v = contrasts @ cov @ contrasts.T
    if np.linalg.cond(v) > 1e6:
        return
    d = contrasts @ areas
    expected = d @ np.linalg.solve(v, d)
    found = contrast_test(placements, label, contrasts)
    assert found == pytest.approx((expected, 2, chi2.sf(expected, 2)), rel=1e-6, abs=1e-10)
    # A redundant contrast, and another basis of the same space, ask the same question.
    assert contrast_test(placements, label, [*contrasts, contrasts[0] + contrasts[1]]) == pytest.approx(
        found, rel=1e-6, abs=1e-10
    )
    assert contrast_test(placements, label, [[1e-6, 1], [3, 0]] @ contrasts) == pytest.approx(
        found, rel=1e-6, abs=1e-10
    )


def test_alike_and_degenerate_models():
    label = np.array([True] * 4 + [False] * 4)
    score = np.array([4.0, 3, 2, 0, 1, 1, 0, 2])
    same = placements_of([score, np.exp(score)], label)
    assert equal_areas(same, label) == (0.0, 0, 1.0)
    assert pairwise(same, label).p.tolist() == [[1, 1], [1, 1]]
    assert equal_areas(same[:1], label) == (0.0, 0, 1.0)
    perfect_and_constant = placements_of([label, np.zeros(8)], label)
    assert np.isnan(equal_areas(perfect_and_constant, label).p)
    assert np.isnan(pairwise(perfect_and_constant, label).p[0, 1])
    # Three models, two of them a constant apart: no spread where there is a difference.
    three = placements_of([label, np.zeros(8), score], label)
    assert np.isnan(equal_areas(three, label).p)
    one_target = np.array([True] + [False] * 7)
    assert np.isnan(equal_areas(placements_of([score, -score], one_target), one_target).p)
    assert np.isnan(pairwise(placements_of([score, -score], one_target), one_target).p[0, 1])
    assert np.isnan(pairwise(placements_of([score, score], one_target), one_target).p[0, 1])
    assert np.isnan(equal_areas(np.full((2, 4), np.nan), np.ones(4, dtype=bool)).p)


def test_models_that_differ_in_a_few_of_many_trials():
    """The variance of the difference is 1e-15 of that of an area: it comes of the placements' difference."""
    rng = np.random.default_rng(2)
    n = 30_000
    label = np.arange(2 * n) < n
    score = rng.normal(label * 1.0).argsort().argsort().astype(float)
    other = score.copy()
    positions = np.argsort(score)
    apart = [k for k in range(2 * n - 1) if label[positions[k]] != label[positions[k + 1]]][::2][:3]
    for k in apart:
        other[positions[[k, k + 1]]] = score[positions[[k + 1, k]]]
    placements = placements_of([score, other], label)
    signs = np.array([1 if label[positions[k + 1]] else -1 for k in apart])
    difference = signs.sum() / n**2
    variance = sum(((signs / n) ** 2).sum() - (signs.sum() / n) ** 2 / n for _ in range(2)) / (n - 1) / n
    pairs = pairwise(placements, label)
    assert pairs.difference[0, 1] == pytest.approx(difference, rel=1e-5)
    assert pairs.se[0, 1] == pytest.approx(np.sqrt(variance), rel=1e-5)


def test_wald_of_given_estimates():
    assert wald([1.0, 2.0], np.diag([0.25, 4.0])) == pytest.approx((5.0, 2, chi2.sf(5, 2)), rel=1e-12)
    assert wald([1.0, 2.0], [[1, 2], [2, 4]]) == pytest.approx((1.0, 1, chi2.sf(1, 1)), rel=1e-9)
    assert np.isnan(wald([1.0, 1.9], [[1, 2], [2, 4]]).p)
    assert wald([1.0, 0.0], np.diag([1.0, 0.0])).df == 1
    assert np.isnan(wald([1.0, np.nan], np.eye(2)).p)
    # Scales twelve orders apart, as of contrasts of very unlike and nearly identical models.
    assert wald([1e-9, 2e3], np.diag([1e-18, 1e6])) == pytest.approx((5.0, 2, chi2.sf(5, 2)), rel=1e-12)


def test_size_under_equal_areas():
    """Four exchangeable models: p is uniform enough."""
    rng = np.random.default_rng(5)
    label = np.arange(150) < 50
    found = []
    for _ in range(600):
        scores = label + rng.normal(size=150) + rng.normal(size=(4, 150))
        found.append(equal_areas(placements_of(scores, label), label).p)
    assert np.mean(np.array(found) < 0.05) == pytest.approx(0.05, abs=0.025)
