import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tied import labelled, score_lists

from reporting.core.counts.cuts import count_cuts
from reporting.features.curves.roc import histogram


def cuts_of(targets, nontargets):
    return count_cuts(*labelled(targets, nontargets))[0]


def test_a_bin_holds_its_lower_edge_and_the_last_one_its_upper_edge_too():
    found = histogram(cuts_of([0.0, 1.0, 2.0, 4.0], [1.0, 3.9]), bins=4)
    assert found.low.tolist() == [0, 1, 2, 3]
    assert found.high.tolist() == [1, 2, 3, 4]
    assert found.n_target.tolist() == [1, 1, 1, 1]
    assert found.n_nontarget.tolist() == [0, 1, 0, 1]


def test_infinite_scores_are_counted_at_their_end():
    found = histogram(cuts_of([0.0, np.inf, np.inf], [-np.inf, 2.0]), bins=2)
    assert found.n_target.tolist() == [1, 2]
    assert found.n_nontarget.tolist() == [1, 1]


def test_constant_scores_have_one_bin_and_infinite_ones_none():
    assert histogram(cuts_of([1.0], [1.0, 1.0])).n_nontarget.tolist() == [2]
    assert len(histogram(cuts_of([np.inf], [-np.inf])).low) == 0


@given(score_lists(odd=True), score_lists(odd=True), st.integers(1, 70))
def test_every_trial_is_in_one_bin_and_edges_ascend(targets, nontargets, bins):
    cuts = cuts_of(targets, nontargets)
    found = histogram(cuts, bins)
    if len(found.low):
        assert (found.n_target.sum(), found.n_nontarget.sum()) == cuts.totals
        assert len(found.low) <= bins
        np.testing.assert_array_equal(found.low[1:], found.high[:-1])
        assert (found.low < found.high).all() or len(found.low) == 1
        assert np.isfinite([*found.low, *found.high]).all()
