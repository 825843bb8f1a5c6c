from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tied import rates, score_lists, staircase_of

from reporting.stats.selection import equal_error, weighted_error
from reporting.stats.staircase import threshold_of

DEV = ([-0.5, 0.5, 1.5, 2.5], [-3, -2, -1, 0, 1])


def brute_force(staircase, alpha, ties):
    """The tie rules of methods 7.2, on exact fractions over all cuts."""

    def key(k):
        far, frr = points[k]
        balance = {
            "balanced": (abs(alpha * far - (1 - alpha) * frr), far, frr),
            "high": (far, frr),
            "low": (frr, far),
        }
        return alpha * far + (1 - alpha) * frr, *balance[ties]

    points = rates(staircase)
    return min(range(len(points)), key=key)


@pytest.mark.parametrize("ties", ["balanced", "high", "low"])
@given(
    targets=score_lists(odd=True),
    nontargets=score_lists(odd=True),
    share=st.fractions(0, 1, max_denominator=40),
)
def test_weighted_error_equals_brute_force(ties, targets, nontargets, share):
    """P11 for (10), for any alpha and for every breakpoint, where cuts tie."""
    _, staircase = staircase_of(targets, nontargets)
    _, edges = staircase.breakpoints
    exact = [Fraction(float(e)).limit_denominator(2000) for e in edges]
    for alpha in [share, Fraction(0), Fraction(1), Fraction(1, 2), *exact]:
        chosen = weighted_error(staircase, ties, float(alpha)).cut
        expected = brute_force(staircase, alpha, ties)
        points = rates(staircase)
        assert points[int(chosen)] == points[expected], (alpha, int(chosen), expected)


@given(score_lists(), score_lists())
def test_breakpoints_strictly_increase_inside_the_unit_interval(targets, nontargets):
    """P12."""
    _, staircase = staircase_of(targets, nontargets)
    _, edges = staircase.breakpoints
    assert (np.diff(np.concatenate(([0.0], edges, [1.0]))) > 0).all()


def test_the_hand_set_of_the_expected_performance_curve():
    distinct, staircase = staircase_of(*DEV)
    vertices, edges = staircase.breakpoints
    assert threshold_of(distinct, vertices).tolist() == [-0.75, 1.25]
    assert edges.tolist() == [5 / 9]
    alpha = np.array([0, 0.25, 0.5, 0.6, 0.75, 1])
    chosen = weighted_error(staircase, "balanced", alpha)
    assert threshold_of(distinct, chosen.cut).tolist() == [-0.75, -0.75, -0.75, 1.25, 1.25, 1.25]
    assert float(threshold_of(distinct, equal_error(staircase, "balanced").cut)) == 0.25


@pytest.mark.parametrize(("ties", "threshold"), [("balanced", 3.25), ("high", 4.25), ("low", 2.25)])
def test_three_cuts_that_tie(ties, threshold):
    distinct, staircase = staircase_of([2.5, 3.5, 4.5, 5.5], [1, 2, 3, 4])
    chosen = weighted_error(staircase, ties, 0.5)
    assert float(threshold_of(distinct, chosen.cut)) == threshold
    assert int(chosen.tied) == 3


def test_equal_scores_accept_all_below_half_and_reject_all_from_half():
    _, staircase = staircase_of([1.0, 1.0], [1.0, 1.0, 1.0])
    chosen = weighted_error(staircase, "balanced", np.array([0, 0.4999, 0.5, 0.5001, 1]))
    assert chosen.cut.tolist() == [0, 0, 1, 1, 1]


def test_perfect_separation_has_one_threshold_in_the_gap():
    distinct, staircase = staircase_of([3.0, 4.0], [0.0, 1.0])
    chosen = weighted_error(staircase, "balanced", np.linspace(0, 1, 11))
    assert set(threshold_of(distinct, chosen.cut).tolist()) == {2.0}


@given(score_lists(odd=True), score_lists(odd=True))
def test_equal_error_cut_is_the_lexicographic_minimum(targets, nontargets):
    _, staircase = staircase_of(targets, nontargets)
    points = rates(staircase)
    best = min(points, key=lambda p: (abs(p[0] - p[1]), p[0] + p[1], p[0]))
    assert points[int(equal_error(staircase, "balanced").cut)] == best


@given(score_lists(odd=True), score_lists(odd=True), st.fractions(0, 1, max_denominator=40))
def test_swapping_the_classes_turns_alpha_round(targets, nontargets, share):
    """P4: cut k of the negated, relabelled scores is cut H - k, away from the breakpoints."""
    distinct, staircase = staircase_of(targets, nontargets)
    _, swapped = staircase_of([-s for s in nontargets], [-s for s in targets])
    _, edges = staircase.breakpoints
    alpha = float(share)
    if (np.abs(edges - alpha) > 1e-9).all():
        one, other = (
            weighted_error(staircase, "balanced", alpha),
            weighted_error(swapped, "balanced", 1 - alpha),
        )
        assert int(one.cut) + int(other.cut) == len(distinct)


@given(score_lists(odd=True), score_lists(odd=True), st.lists(st.floats(0, 1), min_size=4, max_size=4))
def test_alphas_of_any_shape_choose_as_one_by_one(targets, nontargets, alphas):
    _, staircase = staircase_of(targets, nontargets)
    square = weighted_error(staircase, "balanced", np.array(alphas).reshape(2, 2))
    alone = [int(weighted_error(staircase, "balanced", alpha).cut) for alpha in alphas]
    assert square.cut.ravel().tolist() == alone


@given(score_lists(odd=True), score_lists(odd=True))
def test_at_most_two_cuts_tie_for_the_equal_error(targets, nontargets):
    """FAR - FRR falls from cut to cut, so only +d and -d tie; of these none may beat the other."""
    _, staircase = staircase_of(targets, nontargets)
    points = rates(staircase)
    least = min(abs(far - frr) for far, frr in points)
    tied = [p for p in points if abs(p[0] - p[1]) == least]
    beaten = len(tied) == 2 and (tied[0][0] == tied[1][0] or tied[0][1] == tied[1][1])
    assert int(equal_error(staircase, "balanced").tied) == len(tied) - beaten
