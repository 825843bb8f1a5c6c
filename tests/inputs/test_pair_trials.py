"""Pair trials: two clusters a trial, of one population or of two, numbered alike in every dataset and split."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tables import GOOD, counted, write

from reporting.base.execution import SerialExecutor
from reporting.core.counts.count import count_trials
from reporting.core.counts.ranks import ranks_of_group
from reporting.features.trials_frame import trial_rows
from reporting.inputs.spec import ThresholdPlan, TrialSpec
from reporting.inputs.table import read_trials

PAIR = {"cluster": "said", "cluster_b": "heard"}
SIDES = {
    "cluster": None,
    "said": ["A", "B", "A", "B", "B", "D", "C", "B"] * 2,
    "heard": ["A", "C", "E", "E", "B", "A", "A", "B"] * 2,
}
DEV, TEST = ("all", "dev"), ("all", "test")


def pairs(path, **settings):
    return TrialSpec((path,), PAIR, **settings)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("shuffled", [None, 1, 2])
def test_members_of_one_population_share_their_codes(tmp_path, count, suffix, shuffled):
    table, counts = count(pairs(write(tmp_path, suffix, shuffled=shuffled, **SIDES)))
    # A, B, C, D, E are 0 to 4 in either column and either split.
    dev, test = counts.ranks[DEV], counts.ranks[TEST]
    assert (dev.unit_a.tolist(), dev.unit_b.tolist()) == ([0, 1, 0, 1], [0, 2, 4, 4])
    assert (test.unit_a.tolist(), test.unit_b.tolist()) == ([1, 3, 2, 1], [1, 0, 0, 1])
    assert (dev.pools, dev.unit_a.dtype, dev.unit_b.dtype) == ("one", np.uint32, np.uint32)
    # Dev has A, B, C and E; test has A, B, C and D.
    assert counts.n_clusters == {DEV: 4, TEST: 4}
    assert table.shared == ["cluster", "cluster_b"]


@pytest.mark.parametrize("shuffled", [None, 3])
def test_two_populations_are_numbered_apart(tmp_path, count, shuffled):
    _, counts = count(pairs(write(tmp_path, shuffled=shuffled, **SIDES), pools="two"))
    dev, test = counts.ranks[DEV], counts.ranks[TEST]
    # A, B, C, D say; A, B, C, E hear.
    assert (dev.unit_a.tolist(), dev.unit_b.tolist()) == ([0, 1, 0, 1], [0, 2, 3, 3])
    assert (test.unit_a.tolist(), test.unit_b.tolist()) == ([1, 3, 2, 1], [1, 0, 0, 1])
    assert dev.pools == "two"
    # The smaller number: in dev A, B say; in test A, B hear.
    assert counts.n_clusters == {DEV: 2, TEST: 2}


def test_the_trials_frame_counts_members(tmp_path, count):
    table, counts = count(pairs(write(tmp_path, **SIDES)))
    assert {row.n_clusters for row in trial_rows(table, counts)} == {4}


def test_codes_are_those_of_all_datasets(tmp_path, count):
    dataset = ["o", "p"] * 8
    label = ["1", "1", "0", "0"] * 4
    _, counts = count(pairs(write(tmp_path, dataset=dataset, label=label, **SIDES)))
    assert counts.ranks["o", "dev"].unit_b.tolist() == [0, 4]
    assert counts.ranks["p", "dev"].unit_b.tolist() == [2, 4]
    assert counts.n_clusters["o", "dev"] == 2


def test_a_second_column_is_read_only_where_it_is_declared(tmp_path):
    path = write(tmp_path, cluster_b=["x"] * 16)
    table, counts = counted(TrialSpec((path,)))
    assert counts.ranks[TEST].unit_b is None
    assert "cluster_b" not in table.rows.collect_schema()


def test_groups_keep_both_sides(tmp_path, count):
    _, counts = count(pairs(write(tmp_path, **SIDES), pools="two"))
    some = ranks_of_group(counts.ranks[TEST], np.array([0, 3]), {})
    assert (some.unit_a.tolist(), some.unit_b.tolist(), some.pools) == ([1, 1], [1, 1], "two")
    assert some.n_clusters == 1
    plain = counted(TrialSpec((write(tmp_path),)))[1].ranks[TEST]
    assert ranks_of_group(plain, np.array([0]), {}).unit_b is None


def test_a_trial_is_dropped_with_both_its_sides(tmp_path, count):
    path = write(tmp_path, score={4: "NaN"}, **SIDES)
    _, counts = count(pairs(path, missing="drop"))
    test = counts.ranks[TEST]
    assert (test.unit_a.tolist(), test.unit_b.tolist()) == ([3, 2, 1], [0, 0, 1])


FOUND = "(found: model, split, trial, label, score, gender, cond, said, herd)"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"heard": None, "herd": SIDES["heard"]}, [f"trials.csv: column 'heard' (the second cluster) is missing; did you mean 'herd'? {FOUND}"]),
        ({"said": {2: None}}, ["column 'said' (the first cluster): 1 of 16 rows empty; first row 3 of trials.csv"]),
        ({"heard": {2: ""}}, ["column 'heard' (the second cluster): 1 of 16 rows empty; first '' at row 3 of trials.csv"]),
        ({"heard": {13: "D"}}, ["column 'heard' (the second cluster): 1 trial of model 'b' in split test disagrees with the other models; first 't6'"]),
        ({"trial": None}, [f"column '{name}' (the {which} cluster) needs a trial key too: without one, rows of different models cannot be put in one order; add a column that names trials, the same in every model, and name it in trials.columns.trial, or write cluster: none in trials.columns (in layout wide rows need no key)" for name, which in (("said", "first"), ("heard", "second"))]),
    ],
)  # fmt: skip
def test_each_broken_rule_has_one_message(tmp_path, faults, changes, told):
    sides = dict(SIDES)
    for name, change in changes.items():
        if isinstance(change, dict):
            sides[name] = [change.get(row, value) for row, value in enumerate(SIDES[name])]
        else:
            sides[name] = change
    written = {name: values for name, values in sides.items() if values or name in GOOD}
    assert faults(pairs(write(tmp_path, **written))) == told


@pytest.mark.parametrize("policy", ["split_clients", "leave_one_client_out", "kfold", "cv_test"])
def test_policies_that_part_trials_by_cluster_are_refused(tmp_path, faults, policy):
    split = {} if policy == "cv_test" else {"split": None}
    or_dev = ", or dev where the table has dev rows" if policy == "cv_test" else ""
    assert faults(pairs(write(tmp_path, **split, **SIDES), thresholds=ThresholdPlan(policy))) == [
        f"thresholds.policy: '{policy}' parts trials by their cluster, and with two cluster columns a trial"
        f" may belong to two parts; choose none, which sets no thresholds{or_dev}; or name one column in trials.columns.cluster"
    ]


def test_training_trials_may_be_pairs(tmp_path, count):
    _, counts = count(pairs(write(tmp_path, **SIDES), thresholds=ThresholdPlan("train")))
    assert counts.dev_of == {"all": "all"}


names = st.sampled_from(["a", "b", "B", "é", "10", "9", "x,y"])


@settings(max_examples=25)
@given(st.lists(st.tuples(names, names), min_size=8, max_size=8), st.randoms(use_true_random=False))
def test_codes_follow_the_bytes_of_names_in_any_row_order(sides, random):
    columns = GOOD | {
        "said": [a for a, _ in sides] * 2,
        "heard": [b for _, b in sides] * 2,
    }
    order = list(range(16))
    random.shuffle(order)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "trials.parquet"
        pl.DataFrame(columns)[order].write_parquet(path)
        by_pools = {
            pools: count_trials(read_trials(pairs(path, pools=pools)), SerialExecutor()).ranks
            for pools in ("one", "two")
        }
        swapped = TrialSpec((path,), {"cluster": "heard", "cluster_b": "said"})
        turned = count_trials(read_trials(swapped), SerialExecutor()).ranks
    said, heard = ([side[k] for side in sides] for k in (0, 1))
    populations = {"one": [set(said + heard)] * 2, "two": [set(said), set(heard)]}
    for at, place in ((0, DEV), (4, TEST)):
        for pools, ranks in by_pools.items():
            coded = [sorted(one, key=str.encode) for one in populations[pools]]
            here = said[at : at + 4], heard[at : at + 4]
            assert ranks[place].unit_a.tolist() == [coded[0].index(name) for name in here[0]]
            assert ranks[place].unit_b.tolist() == [coded[1].index(name) for name in here[1]]
            members = [set(here[0]) | set(here[1])] if pools == "one" else [set(here[0]), set(here[1])]
            assert ranks[place].n_clusters == min(map(len, members))
        one = by_pools["one"][place]
        assert turned[place].unit_a.tolist() == one.unit_b.tolist()
        assert turned[place].unit_b.tolist() == one.unit_a.tolist()
