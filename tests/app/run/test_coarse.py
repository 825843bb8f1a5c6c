"""The bound on what ties do to an area."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from normal_cuts import cuts
from tied import labelled, score_lists

from reporting.app.run.origin import area_bound, area_bound_of_bins
from reporting.core.counts.cuts import count_cuts
from reporting.core.stats.staircase import MOST_BINS, Staircase, bin_starts, cumulate, curve_cuts, group_ties


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


def test_few_scores_show_every_corner():
    some = cuts(300, digits=1)
    staircase = some.staircase
    shown = curve_cuts(staircase)
    errors = np.column_stack((staircase.misses, staircase.false_alarms))
    assert shown[0] == 0
    assert shown[-1] == len(some.score)
    for before, after in itertools.pairwise(shown):
        step = np.diff(errors[before : after + 1], axis=0)
        assert (step[:, 0] == 0).all() or (step[:, 1] == 0).all() or after == before + 1


@pytest.fixture
def thinned(monkeypatch):
    monkeypatch.setattr("reporting.core.stats.staircase.DRAWN_WHOLE", 1000)
    monkeypatch.setattr("reporting.core.stats.staircase.MOST_DRAWN", 500)
    return cuts(20_000)


def test_a_thinned_curve_keeps_the_hull_and_the_ends(thinned):
    staircase = thinned.staircase
    shown = curve_cuts(staircase)
    assert np.isin(staircase.hull, shown).all()
    assert len(shown) <= len(staircase.hull) + len(bin_starts(staircase, most=MOST_BINS))
    assert (shown[0], shown[-1]) == (0, len(thinned.score))


def test_an_empty_class_has_bins_of_the_other():
    score = np.arange(5000.0)
    alone = count_cuts(score, np.zeros(5000, dtype=bool))[0]
    starts = bin_starts(alone.staircase)
    assert starts[0] == 0
    assert len(starts) > 100


def test_all_corners_are_drawn_up_to_131072_distinct_scores():
    """Targets and non-targets in turn: every cut is a corner."""
    for size, whole in ((2**17, True), (2**17 + 2, False)):
        counts = np.arange(size) % 2
        staircase = Staircase(*cumulate(counts, 1 - counts), np.array([0, size]))
        shown = len(curve_cuts(staircase))
        assert (shown > 0.99 * size) if whole else (shown < 0.6 * size)


def auc(rank, target, n):
    """The AUC of every trial's rank, by all pairs."""
    at = np.repeat(rank, n)
    targets, others = at[np.repeat(target, n)], at[~np.repeat(target, n)]
    above = (targets[:, None] > others).sum() + (targets[:, None] == others).sum() / 2
    return above / (len(targets) * len(others))


def test_an_area_of_bins_by_hand():
    # Targets in ranks 0-1 and 2; a non-target in 0-2. At low ends they are at 0, 2 and 0: AUC 3/4. The one
    # pair that is certain is none (2 may equal the non-target's 2), and no pair is certain to be the other way.
    bound = area_bound_of_bins(
        np.array([0, 2, 0]), np.array([2, 3, 3]), np.array([1, 1, 0]), np.array([0, 0, 1])
    )
    assert bound == 3 / 4


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=8))
def test_bins_of_one_rank_are_ties(counted):
    n_target, n_nontarget = np.array(counted).T
    first = np.arange(len(counted))
    bound = area_bound_of_bins(first, first + 1, n_target, n_nontarget)
    assert bound == pytest.approx(area_bound(n_target, n_nontarget), nan_ok=True)


@given(st.data())
def test_scores_anywhere_in_their_bins_have_an_auc_within_the_bound(data):
    bins = data.draw(
        st.lists(st.tuples(st.integers(0, 5), st.integers(1, 4), st.booleans()), min_size=2, max_size=9)
    )
    first, width, target = (np.array(column) for column in zip(*bins, strict=True))
    if target.all() or not target.any():
        target[0] = not target[0]
    one = np.ones(len(bins), dtype=np.int64)
    bound = area_bound_of_bins(first, first + width, one * target, one * ~target)
    inside = np.array([data.draw(st.integers(a, a + w - 1)) for a, w in zip(first, width, strict=True)])
    assert abs(auc(inside, target, one) - auc(first, target, one)) <= bound + 1e-12
