"""Weighted cuts: a weight counts a trial as often as it says."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tied import labelled, score_lists

from reporting.core.counts.cuts import count_cuts


@given(score_lists(odd=True), score_lists(odd=True), st.data())
def test_a_weight_is_so_many_rows(targets, nontargets, data):
    score, label = labelled(targets, nontargets)
    draw = st.lists(st.integers(1, 4), min_size=len(score), max_size=len(score))
    weight = np.array(data.draw(draw), dtype=np.int64)
    cuts, rank = count_cuts(score, label, weight)
    repeated, _ = count_cuts(np.repeat(score, weight), np.repeat(label, weight))
    plain, plain_rank = count_cuts(score, label)
    for name in ("score", "n_target", "n_nontarget", "hull"):
        np.testing.assert_array_equal(getattr(cuts, name), getattr(repeated, name))
    np.testing.assert_array_equal(cuts.staircase.misses, repeated.staircase.misses)
    np.testing.assert_array_equal(rank, plain_rank)
    assert cuts.trials == plain.totals == (len(targets), len(nontargets))
    every = np.arange(len(cuts.score) + 1)
    np.testing.assert_array_equal(cuts.errors(every)[0], plain.staircase.misses)
    np.testing.assert_array_equal(cuts.errors(every)[1], plain.staircase.false_alarms)


def test_heavy_weights_add_up_exactly():
    weight = np.array([10**9, 10**9 - 1, 1], dtype=np.int64)
    cuts, _ = count_cuts(np.zeros(3), np.array([True, True, False]), weight)
    assert cuts.totals == (2 * 10**9 - 1, 1)
    assert cuts.n_target.dtype == np.int64
    assert cuts.trials == (2, 1)
