from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tied import score_lists, staircase_of

from reporting.core.stats import staircase, sweep
from reporting.core.stats.staircase import cumulate, truth_runs


def hull_cuts(n_target, n_nontarget):
    """The hull, which is one whether its blocks are pooled as few or as many."""
    few = staircase.hull_cuts(n_target, n_nontarget)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(staircase, "FEW", 0)
        many = staircase.hull_cuts(n_target, n_nontarget)
    assert (few.tolist(), few.dtype) == (many.tolist(), many.dtype)
    return few


def monotone_chain(points):
    """Indices of the strict lower-left hull of a staircase, by exact cross products."""
    chain = []
    for k, (x, y) in enumerate(points):
        while len(chain) >= 2:
            (x1, y1), (x2, y2) = points[chain[-2]], points[chain[-1]]
            if (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1) > 0:
                break
            chain.pop()
        chain.append(k)
    return chain


@given(score_lists(odd=True), score_lists(odd=True))
def test_isotonic_hull_is_the_convex_hull(targets, nontargets):
    """Methods, property P5: the two constructions agree vertex by vertex."""
    _, s = staircase_of(targets, nontargets)
    points = [(-int(a), int(m)) for m, a in zip(s.misses, s.false_alarms, strict=True)]
    # Walking from accept all to reject all, the lower-left hull turns left at every vertex.
    assert s.hull.tolist() == monotone_chain(points)
    assert hull_cuts(np.diff(s.misses), -np.diff(s.false_alarms)).tolist() == s.hull.tolist()


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)).filter(any), min_size=1, max_size=60))
def test_block_shares_strictly_increase(groups):
    """Methods, property P8, on counts where shares often tie."""
    p, n = (np.array(column, dtype=np.int64) for column in zip(*groups, strict=True))
    hull = hull_cuts(p, n)
    misses, false_alarms = cumulate(p, n)
    shares = [
        Fraction(int(dm), int(dm + da))
        for dm, da in zip(np.diff(misses[hull]), -np.diff(false_alarms[hull]), strict=True)
    ]
    assert all(a < b for a, b in pairwise(shares))
    assert (hull[0], hull[-1]) == (0, len(groups))


def test_hull_of_the_nine_cut_hand_set():
    _, s = staircase_of([0.5, 1.5, 1.5, 2.5, 3.5], [-1, 0, 0.5, 0.5, 1.5, 2])
    far = s.false_alarms[s.hull] / 6
    frr = s.misses[s.hull] / 5
    assert far.tolist() == [1, 4 / 6, 2 / 6, 0, 0]
    assert frr.tolist() == [0, 0, 0.2, 0.6, 1]


def test_one_class_only_leaves_the_two_ends():
    _, s = staircase_of([1.0, 2.0, 3.0], [])
    assert s.hull.tolist() == [0, 3]


def test_equal_blocks_that_floats_leave_apart_are_merged_as_integers():
    """The isotonic regression stops at cuts 0, 8, 9 here, between two blocks of share 1/2 exactly."""
    p, n = np.array([7, 2, 7, 5, 2, 1, 6, 0, 2]), np.array([3, 0, 6, 2, 5, 7, 5, 2, 2])
    misses, false_alarms = cumulate(p, n)
    points = [(-int(a), int(m)) for m, a in zip(misses, false_alarms, strict=True)]
    assert hull_cuts(p, n).tolist() == monotone_chain(points)


def test_runs_merge_neighbours_of_one_class_but_never_mixed_groups():
    n_target, n_nontarget = np.array([0, 0, 1, 2, 1, 1, 0]), np.array([1, 3, 0, 0, 1, 1, 2])
    assert truth_runs(n_target, n_nontarget).tolist() == [0, 0, 1, 1, 2, 3, 4]


@given(score_lists(odd=True), score_lists(odd=True))
def test_merging_loses_nothing(targets, nontargets):
    _, s = staircase_of(targets, nontargets)
    run = truth_runs(np.diff(s.misses), -np.diff(s.false_alarms))
    last = np.concatenate(([0], np.flatnonzero(np.diff(run, append=run[-1] + 1)) + 1))
    for formula in (sweep.auc, sweep.eer_rocch, sweep.eer_interp, sweep.mindcf):
        merged, whole = formula(s.misses[last], s.false_alarms[last]), formula(s.misses, s.false_alarms)
        np.testing.assert_allclose(merged, whole, atol=1e-15)
