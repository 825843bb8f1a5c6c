"""The bound on what ties do to an area."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tied import labelled, score_lists

from reporting.counts.cuts import count_cuts
from reporting.curves.roc import pr_curve, roc_curve
from reporting.stats.staircase import (
    MOST_BINS,
    Staircase,
    area_bound,
    bin_starts,
    cumulate,
    curve_cuts,
    group_ties,
)


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


def cuts(n, digits=12):
    rng = np.random.default_rng(8)
    label = rng.random(n) < 0.2
    return count_cuts(np.round(rng.normal(size=n) + 1.5 * label, digits), label)[0]


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
    monkeypatch.setattr("reporting.stats.staircase.DRAWN_WHOLE", 1000)
    monkeypatch.setattr("reporting.stats.staircase.MOST_DRAWN", 500)
    return cuts(20_000)


def test_a_thinned_curve_keeps_the_hull_and_the_ends(thinned):
    staircase = thinned.staircase
    shown = curve_cuts(staircase)
    assert np.isin(staircase.hull, shown).all()
    assert len(shown) <= len(staircase.hull) + len(bin_starts(staircase, MOST_BINS))
    assert (shown[0], shown[-1]) == (0, len(thinned.score))


def test_its_points_are_exact_points_of_the_curve(thinned):
    curve, staircase = roc_curve(thinned), thinned.staircase
    np.testing.assert_array_equal(curve.misses, staircase.misses[curve.cut])
    np.testing.assert_array_equal(curve.cut[curve.on_hull], staircase.hull)
    assert not np.isnan(curve.llr[:-1][curve.on_hull[:-1]]).any()
    precision = pr_curve(thinned)
    np.testing.assert_array_equal(precision.false_alarms, curve.false_alarms)


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
