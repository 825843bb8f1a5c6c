from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tied import score_lists, staircase_of

from reporting.core.stats import steps
from reporting.core.stats.choice import Choice, Staircases
from reporting.core.stats.staircase import threshold_of
from reporting.core.stats.steps import precision_recall_steps

DEV = ([-0.5, 0.5, 1.5, 2.5], [-3, -2, -1, 0, 1])


def precision_recall(staircase, alpha):
    """The choice on the one row, in the shape of alpha."""
    chosen = steps.precision_recall(Staircases.of(staircase), "balanced", alpha)
    return Choice(*(each.reshape(np.shape(alpha)) for each in (chosen.cut, chosen.tied)))


def precision_recall_breakpoints(staircase):
    """The cuts of the steps, and the alphas between them."""
    found = precision_recall_steps(staircase)
    return found.cut, found.edges[1:-1]


def precision_and_recall(staircase):
    """Exactly, at every cut that accepts something; all but the last."""
    found = []
    for misses, alarms in zip(staircase.misses[:-1], staircase.false_alarms[:-1], strict=True):
        hits = staircase.n_target - int(misses)
        found.append((Fraction(hits, hits + int(alarms)), Fraction(hits, staircase.n_target)))
    return found


def brute_force(points, alpha):
    """Methods 7.2: the best sum, then precision (alpha < 1/2) or recall, then the lower threshold."""
    half = Fraction(1, 2)
    return max(
        range(len(points)),
        key=lambda k: (
            alpha * points[k][0] + (1 - alpha) * points[k][1],
            points[k][0] if alpha < half else points[k][1],
            -k,
        ),
    )


def all_crossings(points):
    """Every alpha at which two cuts are equally good."""
    for p, r in points:
        for q, s in points:
            if (r - s) * (q - p) > 0:
                yield (r - s) / (r - s + q - p)


@given(score_lists(odd=True, most=9), score_lists(odd=True, most=9), st.fractions(0, 1, max_denominator=40))
def test_it_equals_brute_force(targets, nontargets, share):
    """Methods, property P11 for (11): any alpha, both ends, the middle, and every alpha at which any two cuts tie."""
    _, staircase = staircase_of(targets, nontargets)
    points = precision_and_recall(staircase)
    wanted = [share, Fraction(0), Fraction(1, 2), Fraction(1), *all_crossings(points)]
    chosen = precision_recall(staircase, np.array([float(w) for w in wanted]))
    for alpha, cut in zip(wanted, chosen.cut.tolist(), strict=True):
        assert points[cut] == points[brute_force(points, alpha)], alpha


@given(score_lists(most=9), score_lists(most=9))
def test_as_many_tie_at_a_breakpoint_as_brute_force_finds(targets, nontargets):
    _, staircase = staircase_of(targets, nontargets)
    points = precision_and_recall(staircase)
    _, edges = precision_recall_breakpoints(staircase)
    for edge in edges:
        alpha = Fraction(edge).limit_denominator(10**5)
        sums = [alpha * p + (1 - alpha) * r for p, r in points]
        assert int(precision_recall(staircase, edge).tied) == len(
            {points[k] for k in range(len(points)) if sums[k] == max(sums)}
        )


@given(score_lists(), score_lists())
def test_breakpoints_strictly_increase_and_larger_alpha_means_a_higher_threshold(targets, nontargets):
    _, staircase = staircase_of(targets, nontargets)
    cuts, edges = precision_recall_breakpoints(staircase)
    assert (np.diff(np.concatenate(([0.0], edges, [1.0]))) > 0).all()
    assert (np.diff(cuts) > 0).all()
    assert len(cuts) == len(edges) + 1
    middles = np.concatenate(([0.0], edges)) / 2 + np.concatenate((edges, [1.0])) / 2
    assert precision_recall(staircase, middles).cut.tolist() == cuts.tolist()


def test_the_hand_set():
    """Methods 7.9; at the ends lower recall or precision alone decides between cuts that tie."""
    distinct, staircase = staircase_of(*DEV)
    chosen = precision_recall(staircase, np.array([0, 0.25, 0.5, 0.75, 1]))
    assert threshold_of(distinct, chosen.cut).tolist() == [-0.75, -0.75, -0.75, 1.25, 1.25]


def test_ties_go_to_recall_from_a_half():
    # Cut 0: P = 2/3, R = 1. Cut 1: P = 1, R = 1/2. They tie at (1/2) / (1/2 + 1/3) = 3/5.
    _, staircase = staircase_of([1.0, 2.0], [1.0])
    _, edges = precision_recall_breakpoints(staircase)
    assert edges.tolist() == [0.6]
    tied = precision_recall(staircase, 0.6)
    assert (int(tied.cut), int(tied.tied)) == (0, 2)


def test_ties_go_to_precision_below_a_half():
    # Cut 0: P = 1/2, R = 1. Cut 1: P = 1, R = 8/9. They tie at (1/9) / (1/9 + 1/2) = 2/11.
    _, staircase = staircase_of([1.0] + [2.0] * 8, [1.0] * 9)
    tied = precision_recall(staircase, 2 / 11)
    assert (int(tied.cut), int(tied.tied)) == (1, 2)
    assert int(precision_recall(staircase, 0.18).cut) == 0


def test_three_cuts_on_a_line_have_one_breakpoint():
    # (R, P) = (1, 1/2), (3/4, 3/4), (1/2, 1): the middle one is never alone the best.
    _, staircase = staircase_of([3.0, 3.0, 2.0, 1.0], [2.0, 1.0, 1.0, 1.0])
    cuts, edges = precision_recall_breakpoints(staircase)
    assert (cuts.tolist(), edges.tolist()) == ([0, 2], [0.5])
    tied = precision_recall(staircase, np.array([0.5 - 1e-13, 0.5]))
    assert (tied.cut.tolist(), tied.tied.tolist()) == ([2, 0], [3, 3])


def test_rejecting_all_is_never_chosen_and_equal_scores_leave_one_cut():
    _, staircase = staircase_of([1.0, 1.0], [1.0, 1.0, 1.0])
    assert precision_recall(staircase, np.array([0, 0.5, 1])).cut.tolist() == [0, 0, 0]
    _, reversed_order = staircase_of([0.0], [1.0, 2.0])
    assert precision_recall(reversed_order, 1.0).cut == 0
