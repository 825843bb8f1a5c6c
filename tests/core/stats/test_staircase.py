import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tied import labelled, score_lists, staircase_of

from reporting.core.stats.staircase import corners, cut_at, group_ties, threshold_of

TARGETS, NONTARGETS = [0.5, 1.5, 1.5, 2.5, 3.5], [-1, 0, 0.5, 0.5, 1.5, 2]


def test_the_nine_cut_hand_set():
    distinct, staircase = staircase_of(TARGETS, NONTARGETS)
    assert distinct.tolist() == [-1, 0, 0.5, 1.5, 2, 2.5, 3.5]
    cuts = list(zip(staircase.false_alarms.tolist(), staircase.misses.tolist(), strict=True))
    assert cuts == [(6, 0), (5, 0), (4, 0), (2, 1), (1, 3), (0, 3), (0, 4), (0, 5)]
    assert (staircase.n_target, staircase.n_nontarget) == (5, 6)


def test_rank_is_the_index_among_distinct_scores():
    score, label = labelled([1.0, 3.0], [1.0, 2.0, 3.0])
    distinct, n_target, n_nontarget, rank = group_ties(score, label)
    assert distinct.tolist() == [1, 2, 3]
    assert rank.tolist() == [0, 2, 0, 1, 2]
    assert n_target.tolist() == [1, 0, 1]
    assert n_nontarget.tolist() == [1, 1, 1]


def test_negative_zero_is_zero_whatever_comes_first():
    for scores in ([0.0, -0.0], [-0.0, 0.0]):
        distinct, *_ = group_ties(np.array(scores), np.array([True, False]))
        assert distinct.tobytes() == np.array([0.0]).tobytes()


@given(score_lists(odd=True), score_lists(odd=True), st.sampled_from(["midpoint", "upper", "lower"]))
def test_every_threshold_reproduces_its_counts(targets, nontargets, at):
    """Methods, property P1, with ties, infinities and neighbouring floats."""
    score, label = labelled(targets, nontargets)
    distinct, staircase = staircase_of(targets, nontargets)
    for cut in range(len(distinct) + 1):
        t = float(threshold_of(distinct, cut, at))
        accepted = (score >= t) & (t != np.inf)
        assert int((accepted & ~label).sum()) == staircase.false_alarms[cut]
        assert int((~accepted & label).sum()) == staircase.misses[cut]
        assert int(cut_at(distinct, t)) == cut


@given(score_lists(odd=True), score_lists(odd=True))
def test_errors_move_one_way(targets, nontargets):
    """Methods, property P2."""
    _, staircase = staircase_of(targets, nontargets)
    assert (np.diff(staircase.false_alarms) <= 0).all()
    assert (np.diff(staircase.misses) >= 0).all()


@given(score_lists(odd=True), score_lists(odd=True), st.randoms(use_true_random=False))
def test_row_order_does_not_matter(targets, nontargets, random):
    score, label = labelled(targets, nontargets)
    order = list(range(len(score)))
    random.shuffle(order)
    first, second = group_ties(score, label), group_ties(score[order], label[order])
    for a, b in zip(first[:3], second[:3], strict=True):
        assert a.tobytes() == b.tobytes()
    assert (first[3][order] == second[3]).all()


@pytest.mark.parametrize(
    ("distinct", "cut", "expected"),
    [
        ([1.0, 2.0], 0, -np.inf),
        ([1.0, 2.0], 1, 1.5),
        ([1.0, 2.0], 2, np.inf),
        ([1.0, float(np.nextafter(1, 2))], 1, float(np.nextafter(1, 2))),
        ([-np.inf, 3.0], 1, 3.0),
        ([3.0, np.inf], 1, np.finfo(float).max),
        ([1e308, 1.5e308], 1, 1.25e308),
    ],
)
def test_thresholds_at_the_edges(distinct, cut, expected):
    assert float(threshold_of(np.array(distinct), cut)) == expected


@pytest.mark.parametrize(
    ("distinct", "at", "expected"),
    [
        ([3.0, np.inf], "lower", float(np.nextafter(3, 4))),
        ([3.0, np.inf], "upper", np.finfo(float).max),
        ([-np.inf, np.inf], "lower", -np.finfo(float).max),
        ([-np.inf, np.inf], "midpoint", np.finfo(float).max),
        ([np.finfo(float).max, np.inf], "lower", np.finfo(float).max),
    ],
)
def test_thresholds_below_infinity_stand_where_they_are_asked_to(distinct, at, expected):
    assert float(threshold_of(np.array(distinct), 1, at)) == expected


def test_corners_keep_the_ends_of_straight_runs_and_all_diagonals():
    _, staircase = staircase_of([3.0, 4.0, 5.0, 2.0], [0.0, 1.0, -1.0, 2.0])
    keep = corners(staircase.misses, staircase.false_alarms)
    points = list(zip(staircase.false_alarms.tolist(), staircase.misses.tolist(), strict=True))
    assert [p for p, k in zip(points, keep, strict=True) if k] == [(4, 0), (1, 0), (0, 1), (0, 4)]
