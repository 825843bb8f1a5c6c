"""Weights of strata: whole numbers in rates, trials beside them, and the rules of the column."""

import numpy as np
import pytest
from small_tables import counted, faults_of, write
from snapshot import snapshot

from reporting.core.counts.cuts import Key
from reporting.inputs.spec import TrialSpec

WEIGHTS = {"x": 2, "y": 1, "z": 5}
COLUMNS = {"stratum": "cond"}
TEST = Key("a", "0", "all", "test")


def weighed(tmp_path, weights=WEIGHTS, **changes):
    return counted(TrialSpec((write(tmp_path, **changes),), COLUMNS, weights=weights))[1]


@pytest.mark.parametrize("shuffled", [None, 3])
def test_counts_are_weighted_and_trials_stand_beside(tmp_path, shuffled):
    """Test trials of model a: t5 5 target y, t6 2 target x, t7 3 non-target x, t8 2 non-target z."""
    counts = weighed(tmp_path, shuffled=shuffled)
    cuts, ranks = counts.cuts[TEST], counts.ranks["all", "test"]
    assert ranks.weight.tolist() == [1, 2, 2, 5]
    assert cuts.score.tolist() == [2, 3, 5]
    assert (cuts.n_target.tolist(), cuts.n_nontarget.tolist()) == ([2, 0, 1], [5, 2, 0])
    assert cuts.totals == (3, 7)
    assert cuts.trials == (2, 2)
    assert [part.tolist() for part in cuts.raw] == [[1, 0, 1], [1, 1, 0]]
    assert [part.tolist() for part in cuts.errors(np.arange(4))] == [[0, 1, 1, 2], [2, 1, 0, 0]]
    assert cuts.staircase.misses.tolist() == [0, 2, 2, 3]
    assert cuts.staircase.false_alarms.tolist() == [7, 2, 0, 0]
    assert [int(part) for part in cuts.errors(1)] == [1, 1]


def test_without_weights_trials_and_totals_are_one(tmp_path):
    _, counts = counted(TrialSpec((write(tmp_path),), COLUMNS))
    cuts = counts.cuts[TEST]
    assert (cuts.raw, counts.ranks["all", "test"].weight) == (None, None)
    assert cuts.trials == cuts.totals == (2, 2)
    assert [int(part) for part in cuts.errors(1)] == [1, 1]


def test_equal_weights_are_no_weights(tmp_path):
    counts = weighed(tmp_path, {"x": 1, "y": 1, "z": 1})
    assert counts.ranks["all", "test"].weight is None
    assert counts.cuts[TEST].raw is None


def test_a_stratum_of_weight_0_is_left_out(tmp_path):
    spec = TrialSpec((write(tmp_path),), COLUMNS, weights={"x": 2, "y": 0, "z": 5})
    table, counts = counted(spec)
    assert counts.cuts[TEST].trials == (1, 2)
    assert counts.cuts[TEST].totals == (2, 7)
    assert counts.ranks["all", "test"].weight.tolist() == [2, 2, 5]
    assert table.tally.filter(model="a", split="test")["rows_read"].to_list() == [4]


def test_weights_of_zero_and_one_only_leave_trials_as_they_are(tmp_path):
    counts = weighed(tmp_path, {"x": 1, "y": 1, "z": 0})
    assert counts.cuts[TEST].raw is None
    assert counts.cuts[TEST].trials == (2, 1)


@pytest.mark.parametrize(
    ("weights", "changes", "faults"),
    [
        (WEIGHTS, {"cond": {5: None}}, ["column 'cond' (the stratum): 1 of 16 rows empty; first row 6 of trials.csv"]),
        (WEIGHTS, {"cond": {12: "z"}}, ["column 'cond' (the stratum): 1 trial of model 'b' in split test disagrees with the other models; first 't5'"]),
        ({"x": 1, "y": 2}, {}, ["column 'cond' (the stratum): 2 of 16 rows hold unknown values: 'z' (row 8 of trials.csv). Name them in trials.weights.stratum (known: x, y)"]),
        ({"x": 1, "y": 2, "ZZ": 3}, {"cond": {7: "ZZZ", 15: "ZZZ"}}, ["column 'cond' (the stratum): 2 of 16 rows hold unknown values: 'ZZZ' (row 8 of trials.csv); did you mean 'ZZ'? Name them in trials.weights.stratum (known: x, y, ZZ)", "trials.weights.stratum: 'ZZ' does not occur in column 'cond' (the stratum); did you mean 'ZZZ'? (found: ZZZ, x, y)"]),
        (WEIGHTS, {"cond": None, "cnd": ["x"] * 16}, ["trials.csv: column 'cond' (the stratum) is missing; did you mean 'cnd'? (found: model, split, trial, label, score, gender, cluster, cnd)"]),
        (WEIGHTS, {"trial": None, "cluster": None}, ["column 'cond' (the stratum) needs a trial key too: without one, rows of different models cannot be put in one order; add a column that names trials, the same in every model, and name it in trials.columns.trial, or leave it out (in layout wide rows need no key)"]),
        ({"x": 10**9, "y": 1, "z": 5}, {}, ["trials.weights: they make 3000000001 weighted trials of one model in one split; at most 3000000000 can be counted exactly: divide them by 2 and round, to {'x': 500000000, 'y': 1, 'z': 3} (no weight moves by more than 100%)"]),
        ({"x": 0, "y": 1, "z": 0}, {}, ["split dev: no targets left: trials.weights leaves out stratum 'x' (weight 0); a threshold cannot be chosen there"]),
        ({"x": 1, "y": 0, "z": 0}, {"cond": ["y", "y", "y", "y", "x", "x", "z", "x"] * 2}, ["model 'a' has no rows in split dev: trials.weights leaves out stratum 'y' (weight 0)"]),
    ],
)  # fmt: skip
def test_each_broken_rule_has_its_message(tmp_path, weights, changes, faults):
    assert faults_of(TrialSpec((write(tmp_path, **changes),), COLUMNS, weights=weights)) == faults


def test_a_stratum_that_the_config_names_must_exist_even_without_weights(tmp_path):
    snapshot(
        "inputs/stratum_weights_a_stratum_that_the_config_names_must_exist_even_without_weights",
        "\n".join(faults_of(TrialSpec((write(tmp_path),), {"stratum": "condition"}))),
    )


def test_a_stratum_column_that_nobody_asked_for_may_hold_anything(tmp_path):
    path = write(tmp_path, stratum=[None, "a"] * 8)
    assert counted(TrialSpec((path,)))[1].cuts[TEST].raw is None
