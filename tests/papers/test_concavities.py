"""Concavities: by hand, then their laws, then SciPy and every permutation."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from scipy import stats
from tied import labelled, score_lists, staircase_of

from configs.papers.hamel import concavities as module
from configs.papers.hamel.concavities import Concavity, concavities, exact_lower_p, inside_test
from reporting.core.stats.staircase import Staircase, group_ties
from reporting.core.stats.sweep import auc, auch


def counts(targets, nontargets):
    _, p, n, _ = group_ties(*labelled(targets, nontargets))
    return p, n


def test_one_concavity_by_hand():
    """Ascending: non, TAR, non, TAR. The hull runs (1,1) (1/2,1) (0,1/2) (0,0) in (FAR, TPR); under the middle
    edge lies one target below one non-target: auc 0, area (1/2) (1) (1) / (2 2) = 1/8."""
    _, stairs = staircase_of([2.0, 4.0], [1.0, 3.0])
    assert concavities(stairs) == [Concavity(1, 3, 1, 1, 0.0, 1 / 8)]


def test_ties_lie_on_the_edge():
    """A tie of both classes is a straight diagonal: nothing lies below it."""
    _, stairs = staircase_of([2.0, 4.0], [1.0, 2.0])
    assert concavities(stairs) == []


def test_the_hand_set_of_methods():
    """Methods 4.9: hull edges hold (P, M) = (0,2) (1,2) (2,2) (2,0) trials. Under the second, the scores .5
    (one target, two non-targets) tie; under the third, 1.5 holds (2, 1) above which 2 holds (0, 1): AUC inside
    is (1 + 0) / 4 by ties, 2 2 (1/2 - 1/4) = 1 of 5 6 pairs."""
    targets, nontargets = [0.5, 1.5, 1.5, 2.5, 3.5], [-1.0, 0.0, 0.5, 0.5, 1.5, 2.0]
    _, stairs = staircase_of(targets, nontargets)
    found = concavities(stairs)
    assert [(one.targets, one.nontargets, one.auc, one.area) for one in found] == [(2, 2, 0.25, 1 / 30)]


def test_the_largest_area_comes_first_and_then_the_lowest():
    """Ascending N | T N N | T T T T N | T: 2 and 4 lost pairs of 6 4; with T T N instead of the latter 2 and 2."""
    _, stairs = staircase_of([2, 5, 6, 7, 8, 10], [1, 3, 4, 9])
    assert [(one.low, one.area) for one in concavities(stairs)] == [(4, 4 / 48), (1, 2 / 48)]
    _, stairs = staircase_of([2, 5, 6, 10], [1, 3, 4, 9])
    assert [(one.low, one.area) for one in concavities(stairs)] == [(1, 2 / 32), (4, 2 / 32)]


def test_an_empty_class_has_none():
    nothing = np.array([0, 0]), np.array([2, 0])
    assert concavities(Staircase(*nothing, np.array([0, 1]))) == []
    assert np.isnan(inside_test([0, 0], [1, 2]).p)


@given(score_lists(odd=True), score_lists(odd=True))
def test_the_areas_fill_the_hull(targets, nontargets):
    _, stairs = staircase_of(targets, nontargets)
    found = concavities(stairs)
    whole = float(auch(stairs.misses, stairs.false_alarms)) - float(auc(stairs.misses, stairs.false_alarms))
    assert sum(one.area for one in found) == pytest.approx(whole, abs=1e-12)
    assert all(0 <= one.auc < 0.5 for one in found)


@given(score_lists(odd=True), score_lists(odd=True))
def test_the_ranking_inside_is_that_of_the_trials_inside(targets, nontargets):
    distinct, stairs = staircase_of(targets, nontargets)
    for one in concavities(stairs):
        kept = distinct[one.low : one.high]
        inside = [[s for s in side if s in kept] for side in (targets, nontargets)]
        tested = inside_test(*counts(*inside))
        assert (tested.targets, tested.nontargets) == (one.targets, one.nontargets)
        assert tested.auc == pytest.approx(one.auc, abs=1e-12)


@given(score_lists(most=5), score_lists(most=5))
def test_exact_p_counts_every_choice_of_the_targets(targets, nontargets):
    pooled = np.array([*targets, *nontargets])

    def wins(chosen):
        label = np.isin(np.arange(len(pooled)), chosen)
        one, other = pooled[label][:, None], pooled[~label][None, :]
        return (one > other).sum() + 0.5 * (one == other).sum()

    observed = wins(range(len(targets)))
    every = [wins(chosen) for chosen in combinations(range(len(pooled)), len(targets))]
    expected = np.mean([count <= observed for count in every])
    assert exact_lower_p(*counts(targets, nontargets)) == pytest.approx(expected, abs=1e-12)


def test_exact_p_is_that_of_scipy_without_ties():
    rng = np.random.default_rng(3)
    one, other = rng.normal(size=23), rng.normal(size=31) + 0.4
    expected = stats.mannwhitneyu(one, other, alternative="less", method="exact")
    found = inside_test(*counts(one.tolist(), other.tolist()))
    assert found.exact
    assert found.p == pytest.approx(expected.pvalue, abs=1e-12)
    assert found.auc == pytest.approx(expected.statistic / (23 * 31), abs=1e-12)


def test_delong_beyond_that(monkeypatch):
    """A one-sided p like the exact one where both can be had."""
    rng = np.random.default_rng(4)
    one, other = rng.normal(size=40).round(1), rng.normal(size=45).round(1) + 0.3
    exact = inside_test(*counts(one.tolist(), other.tolist()))
    monkeypatch.setattr(module, "EXACT_PAIRS", 0)
    found = inside_test(*counts(one.tolist(), other.tolist()))
    assert (exact.exact, found.exact) == (True, False)
    assert found.p == pytest.approx(stats.norm.cdf((found.auc - 0.5) / found.se), abs=1e-12)
    assert found.p == pytest.approx(exact.p, abs=0.01)


def test_separated_classes_leave_no_doubt(monkeypatch):
    monkeypatch.setattr(module, "EXACT_PAIRS", 0)
    assert inside_test(*counts([3.0, 4.0], [1.0, 2.0])).p == 1.0
    assert inside_test(*counts([1.0, 2.0], [3.0, 4.0])).p == 0.0


def test_a_proper_curve_is_not_called_concave():
    """Found on one half and tested on the other, the largest concavity of a proper binormal curve is called
    worse than random in at most about 5 % of samples; tested where it was found, far more often."""
    rng, fresh, same = np.random.default_rng(5), [], []
    for _ in range(150):
        dev, test = ((rng.normal(size=60) + 1, rng.normal(size=60)) for _ in range(2))
        distinct, stairs = staircase_of(*(list(side) for side in dev))
        worst = concavities(stairs)[0]
        low, high = distinct[worst.low], distinct[worst.high - 1]
        for found, sample in ((fresh, test), (same, dev)):
            inside = [[s for s in side if low <= s <= high] for side in sample]
            found.append(inside_test(*counts(*inside)).p < 0.05)
    assert np.mean(fresh) <= 0.08
    assert np.mean(same) > 0.2
