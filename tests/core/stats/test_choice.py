import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tied import labelled, rates, score_lists, staircase_of

from reporting.core.stats import choice, steps
from reporting.core.stats.choice import Choice, Staircases, cross_thresholds
from reporting.core.stats.staircase import group_ties, threshold_of


def alone(of, alpha=None):
    """A choice on one staircase, of the shape of alpha."""
    shape = np.shape(alpha)
    return Choice(of.cut.reshape(shape), of.tied.reshape(shape))


def weighted_error(staircase, ties, alpha):
    return alone(choice.weighted_error(Staircases.of(staircase), ties, alpha), alpha)


def equal_error(staircase, ties):
    return alone(choice.equal_error(Staircases.of(staircase)))


def best(staircase, ties, value, better):
    return alone(choice.best(Staircases.of(staircase), ties, value[None], better))


def break_even(staircase, first, second, better):
    return alone(choice.break_even(Staircases.of(staircase), first[None], second[None], better))


def weighted(staircase, ties, first, second, better, alpha):
    rows = Staircases.of(staircase)
    return alone(choice.weighted(rows, ties, first[None], second[None], better, alpha), alpha)


def precision_recall(staircase, alpha):
    return alone(steps.precision_recall(Staircases.of(staircase), "balanced", alpha), alpha)


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
    """Methods, property P11 for (10), for any alpha and for every breakpoint, where cuts tie."""
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
    """Methods, property P12."""
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
    """Methods, property P4: cut k of the negated, relabelled scores is cut H - k, away from the breakpoints."""
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
    assert square.tied.dtype == square.cut.dtype == np.int64


def test_one_alpha_on_many_rows_by_hand():
    """Two cuts that cost the same to the tolerance tie; cuts that reject all are the last one."""
    evened = np.array([[[2, 1, 0], [0, 1, 2]]] * 2)
    found = choice.weighted_error(Staircases.of_counts(evened), "low", 0.5 + 5e-13)
    assert (found.cut.tolist(), found.tied.tolist()) == ([[1], [1]], [[2], [2]])
    found = choice.weighted_error(Staircases.of_counts(evened), "low", 0.5 + 5e-11)
    assert (found.cut.tolist(), found.tied.tolist()) == ([[2], [2]], [[1], [1]])
    rejected = np.array([[[9, 9, 0], [1, 0, 0]]] * 2)
    found = choice.weighted_error(Staircases.of_counts(rejected), "low", 0.9)
    assert (found.cut.tolist(), found.tied.tolist()) == ([[3], [3]], [[1], [1]])


@given(
    st.sampled_from(["balanced", "high", "low"]),
    st.integers(2, 6).flatmap(
        lambda n: st.lists(
            st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=n, max_size=n),
            min_size=2,
            max_size=5,
        )
    ),
    st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 0.7, 1.0, 0.5 + 5e-13, 0.25 - 3e-12]),
)
def test_one_alpha_chooses_on_many_rows_as_on_their_hulls(ties, cells, alpha):
    """Cells may be empty, and edges of hulls may be even to the tolerance of ties."""
    counts = np.array(cells).transpose(0, 2, 1) + np.zeros((1, 2, 1), dtype=np.int64)
    counts[:, :, 0] += counts.sum(axis=2) == 0  # both classes must be there
    rows = Staircases.of_counts(counts)
    found, on_hulls = (
        choice.weighted_error(rows, ties, alpha),
        choice._on_hulls(rows, ties, np.array([alpha])),
    )
    assert found.cut.tolist() == on_hulls.cut.tolist()
    assert found.tied.tolist() == on_hulls.tied.tolist()
    for row, (cut, tied) in enumerate(zip(found.cut, found.tied, strict=True)):
        alone = Staircases.of_counts(counts[row : row + 1])
        chosen = choice.weighted_error(alone, ties, alpha)
        assert np.array_equal(alone.beside(chosen.cut), alone.beside(cut[None]))
        assert chosen.tied.tolist() == [tied.tolist()]


@given(score_lists(odd=True), score_lists(odd=True))
def test_at_most_two_cuts_tie_for_the_equal_error(targets, nontargets):
    """FAR - FRR falls from cut to cut, so only +d and -d tie; of these none may beat the other."""
    _, staircase = staircase_of(targets, nontargets)
    points = rates(staircase)
    least = min(abs(far - frr) for far, frr in points)
    tied = [p for p in points if abs(p[0] - p[1]) == least]
    beaten = len(tied) == 2 and (tied[0][0] == tied[1][0] or tied[0][1] == tied[1][1])
    assert int(equal_error(staircase, "balanced").tied) == len(tied) - beaten


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
    chosen = best(staircase, ties, floats(value), "higher")
    optimal = [k for k in range(len(points)) if value[k] == max(value)]
    assert int(chosen.cut) == min(optimal, key=lambda k: TIES[ties](*points[k]))
    assert int(chosen.tied) == undominated([points[k] for k in optimal])


@pytest.mark.parametrize("ties", TIES)
@given(score_lists(odd=True), score_lists(odd=True))
def test_the_best_hter_is_that_of_the_weighted_error(ties, targets, nontargets):
    _, staircase = staircase_of(targets, nontargets)
    hter = floats([(far + frr) / 2 for far, frr in rates(staircase)])
    general = best(staircase, ties, hter, "lower")
    exact = weighted_error(staircase, ties, 0.5)
    assert (int(general.cut), int(general.tied)) == (int(exact.cut), int(exact.tied))


@given(score_lists(odd=True), score_lists(odd=True))
def test_the_break_even_of_far_and_frr_is_the_equal_error(targets, nontargets):
    _, staircase = staircase_of(targets, nontargets)
    far, frr = (floats(rate) for rate in zip(*rates(staircase), strict=True))
    general = break_even(staircase, far, frr, ("lower", "lower"))
    exact = equal_error(staircase, "balanced")
    assert (int(general.cut), int(general.tied)) == (int(exact.cut), int(exact.tied))


@given(score_lists(odd=True), score_lists(odd=True))
def test_the_break_even_of_precision_and_recall_equals_brute_force(targets, nontargets):
    _, staircase = staircase_of(targets, nontargets)
    points, exact = rates(staircase), precision(staircase)
    recall = [1 - frr for _, frr in points]
    chosen = break_even(staircase, floats(exact), floats(recall), ("higher", "higher"))
    expected = min(
        range(len(points) - 1),
        key=lambda k: (abs(exact[k] - recall[k]), -exact[k] - recall[k], sum(points[k]), points[k][0]),
    )
    assert int(chosen.cut) == expected


def test_a_break_even_at_nothing_is_taken_last():
    # Above 3 only a non-target is accepted: precision and recall are both 0. They are both 1/2 at 2.
    _, staircase = staircase_of([1.0, 2.0], [0.0, 3.0])
    exact, recall = floats(precision(staircase)), floats([1 - frr for _, frr in rates(staircase)])
    chosen = break_even(staircase, exact, recall, ("higher", "higher"))
    assert (int(chosen.cut), int(chosen.tied)) == (2, 1)  # cut 3 has no fewer false alarms


@pytest.mark.parametrize("ties", TIES)
@given(score_lists(odd=True), score_lists(odd=True), st.fractions(0, 1, max_denominator=20))
def test_a_weighted_sum_of_the_rates_is_the_weighted_error(ties, targets, nontargets, share):
    _, staircase = staircase_of(targets, nontargets)
    points = rates(staircase)
    far, frr = (floats(rate) for rate in zip(*points, strict=True))
    _, edges = staircase.breakpoints
    alpha = np.array([float(share), 0.5, *edges])
    general = weighted(staircase, ties, far, frr, ("lower", "lower"), alpha)
    exact = weighted_error(staircase, ties, alpha)
    assert [points[k] for k in general.cut] == [points[k] for k in exact.cut]
    assert general.tied.tolist() == exact.tied.tolist()


@given(score_lists(odd=True), score_lists(odd=True), st.fractions(0, 1, max_denominator=20))
def test_a_weighted_sum_of_any_two_measures_equals_brute_force(targets, nontargets, share):
    """F1 is to be high and FAR low, and they move together: nothing is antagonistic here."""
    _, staircase = staircase_of(targets, nontargets)
    points, value = rates(staircase), f1(staircase)
    far = [p[0] for p in points]
    chosen = weighted(staircase, "balanced", floats(value), floats(far), ("higher", "lower"), float(share))
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
    general = weighted(staircase, "balanced", exact, recall, both, alpha)
    assert total[general.cut] == pytest.approx(total[precision_recall(staircase, alpha).cut], abs=1e-12)


ALPHAS = np.array([0.3, 0.5])


def choose(rows):
    return choice.weighted_error(rows, "balanced", ALPHAS).cut


def across(score, label, fold, chosen=choose, at="midpoint", weight=None):
    distinct, n_target, n_nontarget, rank = group_ties(score, label)
    if weight is not None:
        n_target, n_nontarget = (
            np.bincount(rank, weight * of, len(distinct)).astype(np.int64) for of in (label, ~label)
        )
    return cross_thresholds(distinct, n_target, n_nontarget, rank, label, fold, chosen, at, weight)


def test_leave_one_client_out_by_hand(shared):
    """Methods 7.10: each client is decided by what the others choose."""
    hand = json.loads((shared / "references" / "methods.json").read_text())["loco_hand"]
    rows = [
        (s, kind == "pos", fold)
        for kind in ("pos", "neg")
        for fold, client in enumerate("ABC")
        for s in hand[kind][client]
    ]
    score, label, fold = (np.array(column) for column in zip(*rows, strict=True))

    def min_hter(rows):
        return choice.weighted_error(rows, "balanced", 0.5).cut

    threshold = across(score, label, fold, min_hter)
    assert threshold.ravel() == pytest.approx(list(hand["thresholds"].values()), abs=1e-15)
    accepted = score >= threshold[fold, 0]
    far, frr = (accepted & ~label).sum() / 6, (~accepted & label).sum() / 6
    assert (far, frr, (far + frr) / 2) == (hand["far"], hand["frr"], hand["hter"])


@pytest.mark.parametrize("at", ["midpoint", "upper", "lower"])
@given(score_lists(odd=True, least=2), score_lists(odd=True, least=2), st.data())
def test_it_is_what_the_remaining_trials_choose_alone(at, targets, nontargets, data):
    score, label = labelled(targets, nontargets)
    n = len(score)
    fold = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    found = across(score, label, fold, at=at)
    assert found.shape[0] == fold.max() + 1
    for number, row in enumerate(found):
        rest = fold != number
        kept = score[rest & label].tolist(), score[rest & ~label].tolist()
        if all(kept):
            distinct, staircase = staircase_of(*kept)
            assert row.tolist() == threshold_of(distinct, choose(Staircases.of(staircase))[0], at).tolist()
        else:
            assert np.isnan(row).all()


@given(score_lists(least=2), score_lists(least=2), st.data())
def test_pair_trials_touch_two_folds(targets, nontargets, data):
    score, label = labelled(targets, nontargets)
    n = len(score)
    side = st.lists(st.integers(0, 4), min_size=n, max_size=n)
    fold = np.array([data.draw(side), data.draw(side)]).T
    found = across(score, label, fold)
    for number, row in enumerate(found):
        rest = (fold != number).all(axis=1)
        kept = score[rest & label].tolist(), score[rest & ~label].tolist()
        if all(kept):
            distinct, staircase = staircase_of(*kept)
            assert row.tolist() == threshold_of(distinct, choose(Staircases.of(staircase))[0]).tolist()
        else:
            assert np.isnan(row).all()


@given(score_lists(least=2), score_lists(least=2), st.data())
def test_whole_weights_are_repeated_rows(targets, nontargets, data):
    score, label = labelled(targets, nontargets)
    n = len(score)
    fold = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    weight = np.array(data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))
    weighted = across(score, label, fold, weight=weight)
    repeated = across(*(np.repeat(column, weight) for column in (score, label, fold)))
    np.testing.assert_array_equal(weighted, repeated)
