from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score
from tied import labelled, rates, score_lists, staircase_of

from reporting.core.stats import sweep
from reporting.core.stats import sweep as fixed

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
    """Methods, property P3, exact to the last bit: the numerator is an integer."""
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
    """Methods, property P6."""
    _, s = staircase_of(targets, nontargets)
    value = float(sweep.eer_rocch(s.misses, s.false_alarms))
    assert value == pytest.approx(float(eer_by_priors(s)), abs=1e-14)
    assert value <= 0.5
    assert value <= float(sweep.eer_interp(s.misses, s.false_alarms)) + 1e-15
    hull_only = float(sweep.eer_rocch(s.misses[s.hull], s.false_alarms[s.hull]))
    assert value == pytest.approx(hull_only, abs=1e-15)


@given(score_lists(), score_lists(), st.floats(0.001, 0.999), st.floats(0.1, 10))
def test_normalised_mindcf_is_at_most_one(targets, nontargets, prior, cost):
    """Methods, property P10."""
    _, s = staircase_of(targets, nontargets)
    value = float(sweep.mindcf(s.misses, s.false_alarms, p_target=prior, c_miss=cost))
    assert 0 <= value <= 1 + 1e-12


@given(score_lists(odd=True), score_lists(odd=True))
def test_swapping_classes_and_negating_scores_changes_nothing(targets, nontargets):
    """Methods, property P4 for the measures over the sweep."""
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


NINE = [0.5, 1.5, 1.5, 2.5, 3.5], [-1, 0, 0.5, 0.5, 1.5, 2]
HOW = st.sampled_from(["at_most", "nearest", "interp"])


def errors_of(targets, nontargets):
    _, s = staircase_of(targets, nontargets)
    return s.misses, s.false_alarms


@pytest.mark.parametrize(
    ("far", "how", "frr"),
    [
        (0.4, "at_most", 0.2),
        (0.3, "at_most", 0.6),
        (0.3, "nearest", 0.2),
        (0.2, "nearest", 0.6),
        (0.25, "nearest", 0.6),
        (0.25, "interp", 0.4),
        (1 / 3, "at_most", 0.2),
        (1 / 3, "nearest", 0.2),
        (1 / 3, "interp", 0.2),
        (0, "at_most", 0.6),
        (0, "nearest", 0.6),
        (0, "interp", 0.6),
        (0.1, "nearest", 0.6),
        (1, "at_most", 0),
        (1, "interp", 0),
        (0.9, "nearest", 0),
    ],
)
def test_frr_at_far_of_the_hand_set(far, how, frr):
    """Cuts (FAR, FRR): (1, 0), (5/6, 0), (4/6, 0), (2/6, 1/5), (1/6, 3/5), (0, 3/5), ..."""
    assert fixed.frr_at_far(*errors_of(*NINE), far, how) == pytest.approx(frr, abs=1e-15)


@pytest.mark.parametrize(
    ("frr", "how", "far"),
    [(0.3, "at_most", 1 / 3), (0.5, "nearest", 0), (0.4, "nearest", 1 / 3), (0.4, "interp", 1 / 4)],
)
def test_far_at_frr_of_the_hand_set(frr, how, far):
    """0.4 lies halfway between 0.2 and 0.6: the cut that keeps to the bound; at 0.6 the lowest FAR is 0."""
    assert fixed.far_at_frr(*errors_of(*NINE), frr, how) == pytest.approx(far, abs=1e-15)


def test_medical_readings_of_the_hand_set():
    errors = errors_of(*NINE)
    assert fixed.sensitivity_at(*errors, 2 / 3) == 0.8
    assert fixed.sensitivity_at(*errors, 0.7) == 0.4
    assert fixed.sensitivity_at(*errors, 0.75, "interp") == pytest.approx(0.6, abs=1e-15)
    assert fixed.specificity_at(*errors, 0.8) == 4 / 6
    assert fixed.specificity_at(*errors, 0.9) == 2 / 6
    assert fixed.specificity_at(*errors, 0.9, "interp") == pytest.approx(0.5, abs=1e-15)


def test_decimal_bounds_are_met_by_their_own_rates():
    """3 of 300 is 0.01, one of ten keeps a specificity of 0.9, and 0.15 is as near to 0.1 as to 0.2."""
    tens = errors_of([0.5, 1.5, 2.5], [-1] * 7 + [0, 1, 2])
    assert fixed.sensitivity_at(*tens, 0.9) == 2 / 3
    assert fixed.specificity_at(*tens, 2 / 3) == 0.9
    assert fixed.frr_at_far(*tens, 0.15, "nearest") == 1 / 3
    assert fixed.frr_at_far(*tens, 0.35, "nearest") == 0
    hundreds = errors_of([0.5, 1.5], [0] * 297 + [1] * 3)
    assert fixed.frr_at_far(*hundreds, 0.01) == 0


def by_search(points, far, how):
    """The rule of methods 5.2 over (FAR, FRR) as fractions, with the bound as a decimal fraction."""
    if how == "nearest":
        return min((abs(x - far), x, y) for x, y in points)[2]
    return min(y for x, y in points if x <= far)


@given(
    score_lists(odd=True, most=12),
    score_lists(odd=True, most=12),
    st.fractions(0, 1, max_denominator=24),
    st.sampled_from(["at_most", "nearest"]),
)
def test_cuts_by_search(targets, nontargets, far, how):
    _, s = staircase_of(targets, nontargets)
    found = fixed.frr_at_far(s.misses, s.false_alarms, float(far), how)
    assert found == float(by_search(rates(s), far, how))


@given(score_lists(odd=True), score_lists(odd=True), st.floats(0, 1), st.floats(0, 1), HOW)
def test_a_looser_bound_is_never_worse(targets, nontargets, a, b, how):
    errors = errors_of(targets, nontargets)
    low, high = sorted((a, b))
    assert fixed.frr_at_far(*errors, high, how) <= fixed.frr_at_far(*errors, low, how) + 1e-15


@given(score_lists(odd=True), score_lists(odd=True), st.floats(0, 1))
def test_the_line_runs_between_neighbouring_cuts(targets, nontargets, far):
    _, s = staircase_of(targets, nontargets)
    errors = s.misses, s.false_alarms
    looser = max((float(y) for x, y in rates(s) if x > far), default=0.0)
    on_line = float(fixed.frr_at_far(*errors, far, "interp"))
    assert looser - 1e-15 <= on_line <= fixed.frr_at_far(*errors, far) + 1e-15


@given(score_lists(odd=True), score_lists(odd=True), st.floats(0, 1), HOW)
def test_four_names_of_one_reading(targets, nontargets, x, how):
    """Classes swapped, FAR at FRR is FRR at FAR, and specificity at sensitivity the other way round."""
    one = errors_of(targets, nontargets)
    other = errors_of([-s for s in nontargets], [-s for s in targets])
    assert fixed.far_at_frr(*one, x, how) == fixed.frr_at_far(*other, x, how)
    assert fixed.specificity_at(*one, x, how) == fixed.sensitivity_at(*other, x, how)


@given(score_lists(odd=True), score_lists(odd=True), st.integers(0, 64), HOW)
def test_sensitivity_is_one_less_the_misses(targets, nontargets, k, how):
    """At bounds that floats hold exactly."""
    errors = errors_of(targets, nontargets)
    sensitivity = float(fixed.sensitivity_at(*errors, 1 - k / 64, how))
    assert sensitivity == pytest.approx(1 - float(fixed.frr_at_far(*errors, k / 64, how)), abs=1e-12)


def test_an_empty_class_is_undefined_and_rows_have_their_own_bound():
    for lists in (([], [1.0, 2.0]), ([1.0, 2.0], [])):
        for formula in (fixed.frr_at_far, fixed.far_at_frr, fixed.sensitivity_at, fixed.specificity_at):
            assert np.isnan(formula(*errors_of(*lists)))
    given = np.array([[0.0, 1.0, 2.0], [0.0, 2.0, 4.0]])
    wanted = np.array([[9.0, 8.0, 7.0], [9.0, 8.0, 7.0]])
    np.testing.assert_array_equal(fixed.read_at(given, wanted, np.array([0.5, 3.0]), "interp"), [8.5, 7.5])


@pytest.mark.parametrize("n", [10**9, 3 * 10**9])
def test_auc_of_billions_of_trials_a_class_is_exact(n):
    """Half of the targets lie above all non-targets, the others are tied with a third of them."""
    assert float(sweep.auc([0, n // 2, n // 2, n], [n, n - n // 3, 0, 0])) == pytest.approx(7 / 12, rel=1e-9)
