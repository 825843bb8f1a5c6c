"""Choosing on many resamples at once against choosing on each: the same cut, or one with no trial between."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reporting.criteria.catalogue import read_criterion
from reporting.stats.resampled_choice import Resamples
from reporting.stats.staircase import Staircase, cumulate, hull_cuts

ALONG = np.concatenate(([0.0], np.arange(1, 10) / 10, [1 / 3, 1.0]))
CRITERIA = {
    "min_hter": {},
    "min_dcf(p_target=0.01, c_miss=10)": {},
    "weighted_error": {"alpha": ALONG},
    "eer": {},
    "target_far(far=0.25)": {},
    "target_far(far=0.25, how=at_most)": {},
    "target_far": {"far": ALONG},
    "target_frr": {"frr": ALONG},
    "target_frr(frr=0.5, how=at_most)": {},
    "best(measure=youden)": {},
    "best(measure=f1)": {},
    "best(measure=accuracy)": {},
    "best(measure=mcc)": {},
}
few_trials = st.integers(1, 9).flatmap(
    lambda n: arrays(np.int32, (6, 2, n), elements=st.sampled_from([0, 0, 0, 1, 1, 2, 3]))
)


def cells_beside(cut, held, n):
    """Return the cells with trials below and above the cuts of a table that holds the cells ``held``."""
    ends = np.concatenate(([-1], held, [n]))
    return ends[cut].tolist(), ends[cut + 1].tolist()


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize("ties", ["balanced", "high", "low"])
@given(counts=few_trials)
def test_all_resamples_at_once_are_chosen_on_as_each_alone(name, ties, counts):
    criterion, swept = read_criterion(name), CRITERIA[name]
    counts = counts[counts.any(axis=2).all(axis=1)]  # both classes are there
    resamples, n = Resamples(counts), counts.shape[2]
    if not len(counts):
        return
    cuts, unsettled = criterion.choose_many(resamples, ties, **swept)
    assert not unsettled.any()  # with so few trials no two weights nearly tie
    for row, (nontargets, targets) in enumerate(counts):
        held = np.flatnonzero(nontargets + targets)
        of_row = targets[held].astype(np.int64), nontargets[held].astype(np.int64)
        alone = criterion.choose(Staircase(*cumulate(*of_row), hull_cuts(*of_row)), ties, **swept)
        together = resamples.below[row, cuts[row]].tolist(), resamples.above[row, cuts[row]].tolist()
        assert together == cells_beside(np.ravel(alone.cut), held, n)


def test_by_hand_a_tie_is_broken_by_the_rule():
    # Three cells: a target below a non-target below a target; at equal weights cuts 0 and 2 cost 1/2 each.
    resamples = Resamples(np.array([[[0, 1, 0], [1, 0, 1]]], dtype=np.int32))
    cuts = {
        ties: read_criterion("weighted_error(alpha=0.5)").choose_many(resamples, ties)[0].tolist()
        for ties in ("high", "low")
    }
    assert resamples.misses.tolist() == [[0, 1, 1, 2]]
    assert resamples.false_alarms.tolist() == [[1, 1, 0, 0]]
    # FAR / 2 + FRR / 2: 1/2, 3/4, 1/4, 1/2: cut 2 alone is best; at alpha = 1/3 cuts 0 and 2 tie at 1/3.
    assert cuts == {"high": [[2]], "low": [[2]]}
    tied = read_criterion("weighted_error")
    third = {"alpha": np.array([1 / 3])}
    assert tied.choose_many(resamples, "high", **third)[0].tolist() == [[2]]
    assert tied.choose_many(resamples, "low", **third)[0].tolist() == [[0]]


def test_weights_that_nearly_tie_do_not():
    resamples = Resamples(np.array([[[0, 1, 0], [1, 0, 1]]], dtype=np.int32))
    nearly = np.array([1 / 3 - 2e-12, 1 / 3 - 5e-13, 1 / 3 + 5e-13, 1 / 3 + 2e-12])
    cuts, unsettled = read_criterion("weighted_error").choose_many(resamples, "high", alpha=nearly)
    assert (cuts.tolist(), unsettled.tolist()) == ([[0, 2, 2, 2]], [False])
    cuts, _ = read_criterion("weighted_error").choose_many(resamples, "low", alpha=nearly)
    assert cuts.tolist() == [[0, 0, 0, 2]]


def test_a_weight_that_nearly_ties_three_cuts_is_left_to_the_exact_rule():
    many = 1_500_000
    counts = np.array([[[many + 1, many + 2], [many, many + 1]], [[1, 1], [1, 2]]], dtype=np.int32)
    # Shares of targets 1.1e-13 apart: at the weight of one edge the other ties to the tolerance too.
    weight = (many * (2 * many + 3)) / (many * (2 * many + 3) + (many + 1) * (2 * many + 1))
    found = read_criterion("weighted_error").choose_many(Resamples(counts), "high", alpha=np.array([weight]))
    assert found[1].tolist() == [True, False]


@given(counts=few_trials)
def test_vertices_of_all_resamples_are_those_of_each(counts):
    counts = counts[counts.any(axis=2).all(axis=1)]
    if not len(counts):
        return
    resamples = Resamples(counts)
    row, cut, misses, false_alarms = (each[resamples.vertices] for each in resamples.corners)
    for number, (nontargets, targets) in enumerate(counts.astype(np.int64)):
        held = np.flatnonzero(nontargets + targets)
        hull = hull_cuts(targets[held], nontargets[held])
        known = [errors[hull].tolist() for errors in cumulate(targets[held], nontargets[held])]
        assert [errors[row == number].tolist() for errors in (misses, false_alarms)] == known
        assert [errors[cut[row == number]].tolist() for errors in cumulate(targets, nontargets)] == known
