import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tied import labelled, score_lists, staircase_of

from reporting.stats.selection import cross_thresholds, weighted_error
from reporting.stats.staircase import group_ties, threshold_of


def choose(staircase):
    return weighted_error(staircase, "balanced", np.array([0.3, 0.5])).cut


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

    def min_hter(staircase):
        return weighted_error(staircase, "balanced", 0.5).cut

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
            assert row.tolist() == threshold_of(distinct, choose(staircase), at).tolist()
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
            assert row.tolist() == threshold_of(distinct, choose(staircase)).tolist()
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
