import numpy as np
import pytest
from hypothesis import assume, given
from tied import labelled, score_lists

from reporting.core.stats import intervals, sweep
from reporting.core.stats.cluster_sizes import ClusterSizes
from reporting.core.stats.placements import clustered_se, covariance, influence, trial_placements
from reporting.core.stats.staircase import cumulate, group_ties


def of_equal(influences, unit):
    """The standard error by clusters of one size."""
    return clustered_se(influences, unit, ClusterSizes.equal(len(np.unique(unit))).inflation)


def placements_of(score, label):
    _, p, n, rank = group_ties(score, label)
    return trial_placements(p, n, rank, label), float(sweep.auc(*cumulate(p, n)))


def test_delong_hand_case():
    label = np.array([False, False, True, True, True])
    a, b = np.array([0.1, 0.2, 0.6, 0.7, 0.8]), np.array([0.3, 0.6, 0.2, 0.7, 0.9])
    (pa, area_a), (pb, area_b) = placements_of(a, label), placements_of(b, label)
    cov = covariance(np.stack([pa, pb]), label)
    contrast = np.array([1, -1])
    p = intervals.normal_p(area_a - area_b, float(np.sqrt(contrast @ cov @ contrast)))
    assert p == pytest.approx(0.31731, abs=5e-6)


def test_delong_of_the_published_ratings():
    nontargets = np.repeat(np.arange(5), [33, 6, 6, 11, 2]).astype(float)
    targets = np.repeat(np.arange(5), [3, 2, 2, 11, 33]).astype(float)
    score, label = labelled(targets.tolist(), nontargets.tolist())
    placements, area = placements_of(score, label)
    assert area == pytest.approx(0.893171061528, abs=1e-12)
    assert np.sqrt(covariance(placements[None], label)[0, 0]) == pytest.approx(0.030724408379, abs=1e-11)


@given(score_lists(odd=True, least=2), score_lists(odd=True, least=2))
def test_placements_are_what_they_say(targets, nontargets):
    """Methods, property P26: brute-force placements; the mean over either class is the area."""
    score, label = labelled(targets, nontargets)
    placements, area = placements_of(score, label)
    for i, (s, y) in enumerate(zip(score, label, strict=True)):
        others = score[~label] if y else score[label]
        wins = others < s if y else others > s
        assert placements[i] == pytest.approx((wins + 0.5 * (others == s)).mean(), abs=1e-15)
    assert placements[label].mean() == pytest.approx(area, abs=1e-14)
    assert placements[~label].mean() == pytest.approx(area, abs=1e-14)


@given(score_lists(least=2), score_lists(least=2))
def test_delong_ignores_increasing_maps(targets, nontargets):
    score, label = labelled(targets, nontargets)
    a, _ = placements_of(score, label)
    b, _ = placements_of(np.exp(2 * score), label)
    np.testing.assert_array_equal(a, b)


def test_cluster_standard_error_anchor():
    """Clusters of 10 trials with 2, 0, 1, 5, 0 errors: the influence of a trial on the rate is (e - r) / n."""
    errors = np.concatenate([[1] * e + [0] * (10 - e) for e in (2, 0, 1, 5, 0)])
    unit = np.repeat(np.arange(5), 10).astype(np.uint32)
    assert of_equal((errors - errors.mean()) / 50, unit) == pytest.approx(0.09273618495495704, abs=1e-15)


@given(score_lists(least=3), score_lists(least=3))
def test_one_trial_a_cluster_is_the_independent_standard_error(targets, nontargets):
    """Methods, property P23: up to sqrt(G / (G - 1)) and the ddof of DeLong's two variances."""
    score, label = labelled(targets, nontargets)
    placements, area = placements_of(score, label)
    assume(0 < area < 1)
    psi = influence(placements, label, area)
    g = len(score)
    plug_in = sum(placements[c].var() / c.sum() for c in (label, ~label))
    assert of_equal(psi, np.arange(g, dtype=np.uint32)) == pytest.approx(
        np.sqrt(plug_in * g / (g - 1)), abs=1e-12
    )
