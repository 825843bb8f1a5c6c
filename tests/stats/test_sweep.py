from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score
from tied import labelled, rates, score_lists, staircase_of

from reporting.stats import sweep

EDGES = [
    ([0, 2], [1], 1 / 3, 1 / 2),
    ([1], [0, 2], 1 / 3, 1 / 2),
    ([0], [1], 1 / 2, 1),
    ([1], [0], 0, 0),
    ([0, 1, 2], [1], 2 / 5, 1 / 2),
    ([0, 1, 2], [0.5], 1 / 4, 1 / 3),
    ([0, 1, 2], [1.5], 2 / 5, 2 / 3),
    ([1], [0, 1, 2], 2 / 5, 1 / 2),
    ([0.5], [0, 1, 2], 2 / 5, 2 / 3),
    ([1.5], [0, 1, 2], 1 / 4, 1 / 3),
]


@pytest.mark.parametrize(("targets", "nontargets", "on_hull", "interpolated"), EDGES)
def test_the_ten_edge_cases_of_rocanalysis(targets, nontargets, on_hull, interpolated):
    _, s = staircase_of(targets, nontargets)
    assert sweep.eer_rocch(s.misses, s.false_alarms) == pytest.approx(on_hull, abs=1e-15)
    assert sweep.eer_interp(s.misses, s.false_alarms) == pytest.approx(interpolated, abs=1e-15)


def test_the_nine_cut_hand_set():
    _, s = staircase_of([0.5, 1.5, 1.5, 2.5, 3.5], [-1, 0, 0.5, 0.5, 1.5, 2])
    errors = s.misses, s.false_alarms
    assert sweep.auc(*errors) == 0.8
    assert sweep.eer_interp(*errors) == pytest.approx(5 / 17, abs=1e-15)
    assert sweep.eer_rocch(*errors) == pytest.approx(3 / 11, abs=1e-15)
    assert sweep.mindcf(*errors, normalised=False) == pytest.approx(4 / 15, abs=1e-15)
    assert sweep.mindcf(*errors) == pytest.approx(8 / 15, abs=1e-15)
    assert sweep.mindcf(*errors, p_target=0.01, c_miss=10, normalised=False) == pytest.approx(0.06)
    assert sweep.mindcf(*errors, p_target=0.01, c_miss=10) == pytest.approx(0.6)
    assert sweep.mindcf(*errors, p_target=0.9, normalised=False) == pytest.approx(1 / 15)


def pairs_won(targets, nontargets):
    """The Mann-Whitney share by comparing every pair."""
    score = sum(Fraction(2 if t > n else 1 if t == n else 0, 2) for t in targets for n in nontargets)
    return score / (len(targets) * len(nontargets))


@given(score_lists(odd=True), score_lists(odd=True))
def test_auc_counts_pairs(targets, nontargets):
    """P3, exact to the last bit: the numerator is an integer."""
    _, s = staircase_of(targets, nontargets)
    assert float(sweep.auc(s.misses, s.false_alarms)) == float(pairs_won(targets, nontargets))


@given(score_lists(), score_lists())
def test_auc_agrees_with_scikit_learn(targets, nontargets):
    score, label = labelled(targets, nontargets)
    _, s = staircase_of(targets, nontargets)
    assert sweep.auc(s.misses, s.false_alarms) == pytest.approx(roc_auc_score(label, score), abs=1e-12)


def eer_by_priors(s):
    """max over priors of the minimum Bayes error: the maximum of a concave piecewise linear function."""
    points = rates(s)
    knots = {Fraction(0), Fraction(1)}
    for far1, frr1 in points:
        for far2, frr2 in points:
            slope = (frr1 - far1) - (frr2 - far2)
            if slope:
                knots.add((far2 - far1) / slope)
    inside = [pi for pi in knots if 0 <= pi <= 1]
    return max(min(pi * frr + (1 - pi) * far for far, frr in points) for pi in inside)


@given(score_lists(odd=True, most=12), score_lists(odd=True, most=12))
def test_eer_on_the_hull_is_the_worst_bayes_error(targets, nontargets):
    """P6."""
    _, s = staircase_of(targets, nontargets)
    value = float(sweep.eer_rocch(s.misses, s.false_alarms))
    assert value == pytest.approx(float(eer_by_priors(s)), abs=1e-14)
    assert value <= 0.5
    assert value <= float(sweep.eer_interp(s.misses, s.false_alarms)) + 1e-15
    hull_only = float(sweep.eer_rocch(s.misses[s.hull], s.false_alarms[s.hull]))
    assert value == pytest.approx(hull_only, abs=1e-15)


@given(score_lists(), score_lists(), st.floats(0.001, 0.999), st.floats(0.1, 10))
def test_normalised_mindcf_is_at_most_one(targets, nontargets, prior, cost):
    """P10."""
    _, s = staircase_of(targets, nontargets)
    value = float(sweep.mindcf(s.misses, s.false_alarms, p_target=prior, c_miss=cost))
    assert 0 <= value <= 1 + 1e-12


@given(score_lists(odd=True), score_lists(odd=True))
def test_swapping_classes_and_negating_scores_changes_nothing(targets, nontargets):
    """P4 for the measures over the sweep."""
    _, s = staircase_of(targets, nontargets)
    _, swapped = staircase_of([-x for x in nontargets], [-x for x in targets])
    for formula in (sweep.auc, sweep.eer_rocch, sweep.eer_interp, sweep.mindcf):
        a, b = (float(formula(t.misses, t.false_alarms)) for t in (s, swapped))
        assert a == pytest.approx(b, abs=1e-14)


@given(st.lists(st.tuples(score_lists(), score_lists()), min_size=2, max_size=4), st.integers(0, 2**32 - 1))
def test_a_block_of_replicates_equals_one_by_one(lists, seed):
    """Leading axes are replicates; rows must not disturb each other."""
    _, s = staircase_of(*lists[0])
    p, n = np.diff(s.misses), -np.diff(s.false_alarms)
    weights = np.random.default_rng(seed).integers(0, 3, size=(5, len(p)))
    misses = np.concatenate([np.zeros((5, 1), int), np.cumsum(weights * p, axis=1)], axis=1)
    rejected = np.concatenate([np.zeros((5, 1), int), np.cumsum(weights * n, axis=1)], axis=1)
    false_alarms = rejected[:, -1:] - rejected
    for formula in (sweep.auc, sweep.eer_rocch, sweep.eer_interp, sweep.mindcf):
        block = formula(misses, false_alarms)
        alone = [float(formula(m, a)) for m, a in zip(misses, false_alarms, strict=True)]
        np.testing.assert_array_equal(block, alone)


def test_an_empty_class_is_undefined():
    for targets, nontargets in (([], [1.0, 2.0]), ([1.0, 2.0], [])):
        _, s = staircase_of(targets, nontargets)
        for formula in (sweep.auc, sweep.eer_rocch, sweep.eer_interp, sweep.mindcf):
            assert np.isnan(formula(s.misses, s.false_alarms))


def test_equal_scores():
    _, s = staircase_of([1.0, 1.0], [1.0, 1.0, 1.0])
    assert sweep.auc(s.misses, s.false_alarms) == 0.5
    assert sweep.eer_rocch(s.misses, s.false_alarms) == 0.5
    assert sweep.eer_interp(s.misses, s.false_alarms) == 0.5
    assert sweep.mindcf(s.misses, s.false_alarms, p_target=0.01) == 1
