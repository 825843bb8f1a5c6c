from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tied import rates, score_lists, staircase_of

from reporting.stats import selection
from reporting.stats.steps import precision_recall

TIES = {
    "balanced": lambda far, frr: (abs(far - frr), far, frr),
    "high": lambda far, frr: (far, frr),
    "low": lambda far, frr: (frr, far),
}


def f1(staircase):
    """Exactly, at every cut."""
    n = staircase.n_target
    return [
        Fraction(2 * (n - int(m)), 2 * (n - int(m)) + int(m) + int(a))
        for m, a in zip(staircase.misses, staircase.false_alarms, strict=True)
    ]


def precision(staircase):
    """Exactly, at every cut but the last, which accepts nothing."""
    n = staircase.n_target
    hits = [(n - int(m), int(a)) for m, a in zip(staircase.misses, staircase.false_alarms, strict=True)]
    return [Fraction(h, h + a) if h + a else None for h, a in hits]


def floats(values):
    return np.array([np.nan if v is None else float(v) for v in values])


def undominated(points):
    """How many of the pairs no other one beats in one place at equals in the other."""
    return sum(
        not any(q != p and q[0] <= p[0] and q[1] <= p[1] and (q[0] == p[0] or q[1] == p[1]) for q in points)
        for p in points
    )


@pytest.mark.parametrize("ties", TIES)
@given(score_lists(odd=True), score_lists(odd=True))
def test_the_best_value_equals_brute_force(ties, targets, nontargets):
    _, staircase = staircase_of(targets, nontargets)
    points, value = rates(staircase), f1(staircase)
    chosen = selection.best(staircase, ties, floats(value), "higher")
    optimal = [k for k in range(len(points)) if value[k] == max(value)]
    assert int(chosen.cut) == min(optimal, key=lambda k: TIES[ties](*points[k]))
    assert int(chosen.tied) == undominated([points[k] for k in optimal])


@pytest.mark.parametrize("ties", TIES)
@given(score_lists(odd=True), score_lists(odd=True))
def test_the_best_hter_is_that_of_the_weighted_error(ties, targets, nontargets):
    _, staircase = staircase_of(targets, nontargets)
    hter = floats([(far + frr) / 2 for far, frr in rates(staircase)])
    general = selection.best(staircase, ties, hter, "lower")
    exact = selection.weighted_error(staircase, ties, 0.5)
    assert (int(general.cut), int(general.tied)) == (int(exact.cut), int(exact.tied))


@given(score_lists(odd=True), score_lists(odd=True))
def test_the_break_even_of_far_and_frr_is_the_equal_error(targets, nontargets):
    _, staircase = staircase_of(targets, nontargets)
    far, frr = (floats(rate) for rate in zip(*rates(staircase), strict=True))
    general = selection.break_even(staircase, far, frr, ("lower", "lower"))
    exact = selection.equal_error(staircase, "balanced")
    assert (int(general.cut), int(general.tied)) == (int(exact.cut), int(exact.tied))


@given(score_lists(odd=True), score_lists(odd=True))
def test_the_break_even_of_precision_and_recall_equals_brute_force(targets, nontargets):
    _, staircase = staircase_of(targets, nontargets)
    points, exact = rates(staircase), precision(staircase)
    recall = [1 - frr for _, frr in points]
    chosen = selection.break_even(staircase, floats(exact), floats(recall), ("higher", "higher"))
    expected = min(
        range(len(points) - 1),
        key=lambda k: (abs(exact[k] - recall[k]), -exact[k] - recall[k], sum(points[k]), points[k][0]),
    )
    assert int(chosen.cut) == expected


def test_a_break_even_at_nothing_is_taken_last():
    # Above 3 only a non-target is accepted: precision and recall are both 0. They are both 1/2 at 2.
    _, staircase = staircase_of([1.0, 2.0], [0.0, 3.0])
    exact, recall = floats(precision(staircase)), floats([1 - frr for _, frr in rates(staircase)])
    chosen = selection.break_even(staircase, exact, recall, ("higher", "higher"))
    assert (int(chosen.cut), int(chosen.tied)) == (2, 1)  # cut 3 has no fewer false alarms


@pytest.mark.parametrize("ties", TIES)
@given(score_lists(odd=True), score_lists(odd=True), st.fractions(0, 1, max_denominator=20))
def test_a_weighted_sum_of_the_rates_is_the_weighted_error(ties, targets, nontargets, share):
    _, staircase = staircase_of(targets, nontargets)
    points = rates(staircase)
    far, frr = (floats(rate) for rate in zip(*points, strict=True))
    _, edges = staircase.breakpoints
    alpha = np.array([float(share), 0.5, *edges])
    general = selection.weighted(staircase, ties, far, frr, ("lower", "lower"), alpha)
    exact = selection.weighted_error(staircase, ties, alpha)
    assert [points[k] for k in general.cut] == [points[k] for k in exact.cut]
    assert general.tied.tolist() == exact.tied.tolist()


@given(score_lists(odd=True), score_lists(odd=True), st.fractions(0, 1, max_denominator=20))
def test_a_weighted_sum_of_any_two_measures_equals_brute_force(targets, nontargets, share):
    """F1 is to be high and FAR low, and they move together: nothing is antagonistic here."""
    _, staircase = staircase_of(targets, nontargets)
    points, value = rates(staircase), f1(staircase)
    far = [p[0] for p in points]
    chosen = selection.weighted(
        staircase, "balanced", floats(value), floats(far), ("higher", "lower"), float(share)
    )
    expected = min(
        range(len(points)),
        key=lambda k: (
            (1 - share) * far[k] - share * value[k],
            abs(share * value[k] - (1 - share) * far[k]),
            points[k],
        ),
    )
    assert points[int(chosen.cut)] == points[expected]


@given(score_lists(odd=True), score_lists(odd=True), st.floats(0, 1))
def test_a_weighted_sum_of_precision_and_recall_is_as_good_as_the_exact_one(targets, nontargets, alpha):
    _, staircase = staircase_of(targets, nontargets)
    exact, recall = floats(precision(staircase)), floats([1 - frr for _, frr in rates(staircase)])
    total = alpha * exact + (1 - alpha) * recall
    both = ("higher", "higher")
    general = selection.weighted(staircase, "balanced", exact, recall, both, alpha)
    assert total[general.cut] == pytest.approx(total[precision_recall(staircase, alpha).cut], abs=1e-12)


@given(score_lists(), score_lists())
def test_cuts_that_no_other_beats_are_counted(targets, nontargets):
    _, staircase = staircase_of(targets, nontargets)
    points = rates(staircase)
    for cuts in (range(len(points)), range(0, len(points), 2), [len(points) - 1]):
        cuts = np.array(cuts)
        assert selection.undominated(staircase, cuts) == undominated([points[k] for k in cuts])
