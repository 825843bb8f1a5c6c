"""The bound on what ties do to an area."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tied import labelled, score_lists

from reporting.stats.coarse import area_bound
from reporting.stats.staircase import group_ties


def area(targets, nontargets):
    pairs = [(t > n) + (t == n) / 2 for t in targets for n in nontargets]
    return sum(pairs) / len(pairs)


def bound_of(targets, nontargets):
    return area_bound(*group_ties(*labelled(targets, nontargets))[1:3])


def test_half_of_the_tied_pairs_are_in_doubt():
    assert area_bound(np.array([0, 2, 1]), np.array([1, 1, 0])) == 2 / (2 * 3 * 2)


def test_without_ties_between_classes_nothing_is_in_doubt():
    assert area_bound(np.array([2, 0]), np.array([0, 3])) == 0


def test_an_empty_class_has_no_bound():
    assert math.isnan(area_bound(np.array([2]), np.array([0])))


def test_products_beyond_32_bits_are_exact():
    n = np.array([10**9])
    assert area_bound(n, n) == 0.5


@given(score_lists(), score_lists(), st.integers(1, 4))
def test_coarser_scores_move_the_area_by_no_more_than_the_bound(targets, nontargets, width):
    coarse = [[math.floor(s / width) for s in side] for side in (targets, nontargets)]
    assert abs(area(*coarse) - area(targets, nontargets)) <= bound_of(*coarse) + 1e-12
