import hashlib

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tied import labelled, score_lists

from reporting.app.run.tabulate import Naming
from reporting.core.counts.cuts import count_cuts
from reporting.core.counts.outcomes import bin_trials, outcomes, pair_outcomes
from reporting.core.counts.ranks import Attribute, Ranks, ranks_of_group
from reporting.core.stats.staircase import cut_at


@given(
    score_lists(odd=True),
    score_lists(odd=True),
    st.lists(st.floats(-3, 3) | st.sampled_from([-np.inf, np.inf]), min_size=1, max_size=6),
)
def test_bins_reproduce_every_decision(targets, nontargets, thresholds):
    """Methods, property P18: a trial is accepted at threshold j exactly when its bin exceeds j."""
    score, label = labelled(targets, nontargets)
    cuts, rank = count_cuts(score, label)
    bins = bin_trials(cuts, rank, np.array(thresholds))
    for t in thresholds:
        j = int(bins.index(cuts, np.array([t]))[0])
        accepted = (score >= t) & (t != np.inf)
        np.testing.assert_array_equal(bins.of_trial > j, accepted)
    table = outcomes(label, bins)
    assert table.sum() == len(score)
    assert table[1].sum() == len(targets)


@given(st.data())
def test_pair_outcomes_count_trials(data):
    n = data.draw(st.integers(1, 30))
    column = st.lists(st.integers(-2, 2).map(float), min_size=n, max_size=n)
    a, b = (np.array(data.draw(column)) for _ in range(2))
    label = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    binned = []
    for score in (a, b):
        cuts, rank = count_cuts(score, label)
        binned.append(bin_trials(cuts, rank, np.array([-0.5, 0.5, 1.5])))
    table = pair_outcomes(label, *binned)
    assert table.sum() == n
    for y, i, j in np.ndindex(table.shape):
        chosen = (label == bool(y)) & (binned[0].of_trial == i) & (binned[1].of_trial == j)
        assert table[y, i, j] == chosen.sum()


def test_thresholds_that_decide_alike_share_a_bin_edge():
    cuts, rank = count_cuts(np.array([1.0, 2.0, 3.0]), np.array([False, True, True]))
    bins = bin_trials(cuts, rank, np.array([1.2, 1.7, 2.5, np.inf]))
    assert bins.cut.tolist() == [1, 2, 3]
    assert bins.index(cuts, np.array([1.7, 1.2, np.inf])).tolist() == [0, 0, 2]


@pytest.mark.parametrize(("threshold", "cut"), [(-np.inf, 0), (1.0, 0), (1.5, 1), (np.inf, 2)])
def test_plus_infinity_rejects_even_infinite_scores(threshold, cut):
    assert int(cut_at(np.array([1.0, np.inf]), threshold)) == cut


def test_the_trials_of_a_group_keep_all_that_is_known_of_them():
    members = np.array([1, 3, 4])
    ranks = Ranks(
        label=np.array([True, False, True, False, False]),
        unit_a=np.array([0, 1, 2, 3, 4]),
        rank={("m", "0"): np.array([4, 3, 2, 1, 0])},
        paired=True,
        weight=np.array([1, 2, 1, 2, 1]),
        fold=np.array([0, 1, 0, 1, 2]),
        attributes={"sex": Attribute(("f", "m"), np.array([0, 1, 0, 0, 1]))},
        unit_b=np.array([5, 6, 7, 8, 9]),
        pools="two",
    )
    rank = {("m", "0"): np.array([1, 0, 0])}
    group = ranks_of_group(ranks, members, rank)
    assert group.label.tolist() == [False, False, False]
    assert (group.unit_a.tolist(), group.unit_b.tolist()) == ([1, 3, 4], [6, 8, 9])
    assert (group.weight.tolist(), group.fold.tolist()) == ([2, 2, 1], [1, 1, 2])
    assert (group.attributes["sex"].values, group.attributes["sex"].code.tolist()) == (("f", "m"), [1, 0, 1])
    assert (group.rank, group.paired, group.pools) == (rank, True, "two")
    bare = Ranks(ranks.label, None, ranks.rank, paired=False)
    group = ranks_of_group(bare, members, rank)
    assert (group.unit_a, group.unit_b, group.weight, group.fold, group.attributes) == (
        None,
        None,
        None,
        None,
        {},
    )


def test_names_are_shared_as_they_are_or_as_digests():
    plain, hidden = Naming("names"), Naming("digests", "salt")
    assert plain.of(pl.Series(["a", "b"])).to_list() == ["a", "b"]
    assert plain.check is None
    assert hidden.digest("a") == hashlib.sha256(b"salt\0a").hexdigest()
    assert hidden.of(pl.Series(["a"])).to_list() == [hidden.digest("a")]
    assert hidden.check == hashlib.sha256(b"salt\0").hexdigest()[:8]
