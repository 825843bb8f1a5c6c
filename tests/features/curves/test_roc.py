from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from tied import labelled, score_lists

from reporting.core.counts.cuts import count_cuts
from reporting.core.stats.staircase import cut_at
from reporting.features.curves.roc import Accepted, counts_between, pr_corners

APART = ([8, 6, 5, 2], [7, 4, 3, 1])

TIED = ([3, 2, 2, 1], [3, 2, 1, 1])


def curve_of(targets, nontargets):
    cuts = count_cuts(*labelled(list(map(float, targets)), list(map(float, nontargets))))[0]
    return cuts, SimpleNamespace(**pr_corners(cuts, "midpoint"))


def path(curve):
    """The corners from reject all to accept all."""
    return Accepted(curve.true_positives[::-1].astype(float), curve.false_alarms[::-1].astype(float))


def continuous_area(curve, steps=200_000):
    """The area under precision by recall, counts running straight between the corners."""
    corner = path(curve)
    n_target = corner.true_positives[-1]
    middles = (np.arange(steps) + 0.5) / steps * n_target
    hits, alarms = counts_between(corner, true_positives=middles)
    inner = np.isin(hits, middles)
    return float((hits[inner] / (hits[inner] + alarms[inner])).mean())


def test_the_corners_of_eight_labels_by_hand():
    _, curve = curve_of(*APART)
    # From the top the labels are 1 0 1 1 0 0 1 0; the inner ends of runs of one class are dropped.
    assert curve.true_positives.tolist() == [4, 4, 3, 3, 1, 1, 0]
    assert curve.false_alarms.tolist() == [4, 3, 3, 1, 1, 0, 0]
    np.testing.assert_allclose(curve.precision[:-1], [1 / 2, 4 / 7, 1 / 2, 3 / 4, 1 / 2, 1], rtol=1e-15)
    np.testing.assert_allclose(curve.recall, [1, 1, 3 / 4, 3 / 4, 1 / 4, 1 / 4, 0], rtol=1e-15)
    assert np.isnan(curve.precision[-1])
    assert curve.threshold.tolist() == [-np.inf, 1.5, 2.5, 4.5, 6.5, 7.5, np.inf]


@pytest.mark.parametrize(("sets", "area"), [(APART, 0.7111001949895699), (TIED, 0.5429842515)])
def test_the_area_between_corners_is_that_of_davis_and_goadrich(sets, area):
    assert continuous_area(curve_of(*sets)[1]) == pytest.approx(area, abs=2e-6)


def test_constant_scores_have_the_precision_of_accepting_all_everywhere():
    _, curve = curve_of([1, 1], [1, 1, 1])
    assert curve.precision[0] == pytest.approx(2 / 5)
    assert continuous_area(curve, 100) == pytest.approx(2 / 5)


def test_perfect_separation_reaches_the_corner():
    _, curve = curve_of([2, 3], [0, 1])
    assert (1.0, 1.0) in set(zip(curve.precision.tolist(), curve.recall.tolist(), strict=True))


@pytest.mark.parametrize(("sets", "hits", "precision"), [(([], [1, 2]), 0, 0.0), (([1, 2], []), 2, 1.0)])
def test_an_empty_class(sets, hits, precision):
    _, curve = curve_of(*sets)
    assert curve.true_positives[0] == hits
    assert curve.precision[0] == precision
    assert np.isnan(curve.recall).all() == (hits == 0)


@given(score_lists(odd=True), score_lists(odd=True))
def test_no_cut_is_lost_between_corners(targets, nontargets):
    cuts, curve = curve_of(targets, nontargets)
    stairs = cuts.staircase
    hits, alarms = stairs.n_target - stairs.misses, stairs.false_alarms
    found = counts_between(path(curve), accepted=(hits + alarms).astype(float))
    known = set(zip(found.true_positives.tolist(), found.false_alarms.tolist(), strict=True))
    rounded = {(round(a, 6), round(b, 6)) for a, b in known}
    assert {(float(a), float(b)) for a, b in zip(hits, alarms, strict=True)} <= rounded


@given(score_lists(odd=True), score_lists(odd=True))
def test_every_threshold_reproduces_its_counts(targets, nontargets):
    cuts, curve = curve_of(targets, nontargets)
    cut = cut_at(cuts.score, curve.threshold)
    np.testing.assert_array_equal(cuts.staircase.false_alarms[cut], curve.false_alarms)
    np.testing.assert_array_equal(cuts.staircase.n_target - cuts.staircase.misses[cut], curve.true_positives)


@given(score_lists(), score_lists())
def test_points_put_in_keep_the_path_monotone(targets, nontargets):
    _, curve = curve_of(targets, nontargets)
    corner = path(curve)
    wanted = np.linspace(-1, corner.true_positives[-1] + 1, 50)
    found = counts_between(corner, true_positives=wanted)
    assert (np.diff(found.true_positives) >= 0).all()
    assert (np.diff(found.false_alarms) >= 0).all()
    inside = wanted[(wanted > 0) & (wanted < corner.true_positives[-1])]
    assert len(found.true_positives) == len(corner.true_positives) + len(inside)
