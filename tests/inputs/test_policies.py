"""Where thresholds come from when the table has no dev: halves and folds, the same for every row order."""

import hashlib
import json

import numpy as np
import polars as pl
import pytest
from small_tables import GOOD, TRIALS, counted, faults_of, write
from snapshot import snapshot

from reporting.features.trials_frame import trial_rows
from reporting.inputs.folds import hash_order
from reporting.inputs.spec import ThresholdPlan, TrialSpec
from reporting.inputs.table import read_trials

CLUSTERS = ["A", "B", "C", "D", "A", "B", "C", "D"] * 2


def one_set(tmp_path, suffix="csv", **changes):
    return write(tmp_path, suffix, **({"split": None, "cluster": CLUSTERS} | changes))


def test_the_order_of_halves_and_folds_is_that_of_a_hash():
    names = ["A", "B", 'q"\n,=', "é"]
    digests = {name: hashlib.sha256(json.dumps([1, name]).encode()).hexdigest() for name in names}
    assert hash_order(1, names) == sorted(names, key=digests.__getitem__)
    assert hash_order(1, ["A", "B", "C", "D", "E"]) == ["C", "B", "E", "A", "D"]
    assert len({tuple(hash_order(seed, "ABCDE")) for seed in range(20)}) > 10


def clusters_by_split(spec):
    table, counts = counted(spec)
    rows = table.rows.select("split", "cluster", "model").unique().collect()
    sides = {
        split: sorted(rows.filter(split=split, model=model)["cluster"])
        for split in ("dev", "test")
        for model in ("b", "a")
    }
    return sides, counts


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("split", [None, ["dev"] * 16, ["test"] * 16])
@pytest.mark.parametrize("shuffled", [None, 1])
def test_clients_are_split_in_two_halves(tmp_path, suffix, split, shuffled):
    label = ["1"] * 4 + ["0"] * 4
    path = one_set(tmp_path, suffix, split=split, label=label * 2, shuffled=shuffled)
    sides, counts = clusters_by_split(TrialSpec((path,), thresholds=ThresholdPlan("split_clients")))
    assert sides == {"dev": ["B", "C"], "test": ["A", "D"]}
    assert counts.n_clusters == {("all", "dev"): 2, ("all", "test"): 2}
    assert counts.dev_of == {"all": "all"}
    assert counts.ranks["all", "dev"].unit_a.tolist() == [1, 2, 1, 2]
    assert counts.ranks["all", "dev"].fold is None


def test_the_seed_decides_the_halves(tmp_path):
    path = one_set(tmp_path, label=(["1"] * 4 + ["0"] * 4) * 2)
    found = {
        tuple(
            clusters_by_split(TrialSpec((path,), thresholds=ThresholdPlan("split_clients"), seed=seed))[0][
                "dev"
            ]
        )
        for seed in range(20)
    }
    assert len(found) > 2


def test_the_smaller_half_is_dev_and_every_dataset_is_cut_alike(tmp_path):
    cluster = (["A", "B", "C", "D", "E"] * 2)[:8] * 2
    dataset = (["o"] * 4 + ["p"] * 4) * 2
    label = ["1", "0", "1", "0", "0", "0", "1", "0"] * 2
    path = one_set(tmp_path, cluster=cluster, dataset=dataset, label=label)
    table = read_trials(TrialSpec((path,), thresholds=ThresholdPlan("split_clients")))
    keys = ["dataset", "split", "cluster"]
    assert table.rows.select(keys).unique().sort(keys).collect().rows() == [
        ("o", "dev", "B"), ("o", "dev", "C"), ("o", "test", "A"), ("o", "test", "D"),
        ("p", "dev", "B"), ("p", "dev", "C"), ("p", "test", "A"), ("p", "test", "E"),
    ]  # fmt: skip


def test_without_clusters_trials_are_split(tmp_path):
    path = one_set(tmp_path, cluster=None, label=["1", "0"] * 8)
    table, counts = counted(TrialSpec((path,), thresholds=ThresholdPlan("split_clients")))
    dev = sorted(table.rows.filter(split="dev", model="a").collect()["trial"])
    assert dev == sorted(hash_order(1, TRIALS)[:4])
    assert [counts.ranks["all", split].n_trials for split in ("dev", "test")] == [4, 4]
    assert table.tally["rows_read"].to_list() == [4, 4, 4, 4]


def test_training_trials_serve_as_dev(tmp_path):
    _, counts = counted(TrialSpec((write(tmp_path),), thresholds=ThresholdPlan("train")))
    assert counts.dev_of == {"all": "all"}
    assert counts.ranks["all", "test"].fold is None


@pytest.mark.parametrize("policy", ["leave_one_client_out", "cv_test"])
@pytest.mark.parametrize("shuffled", [None, 2])
def test_every_client_is_a_fold(tmp_path, policy, shuffled):
    _, counts = counted(TrialSpec((one_set(tmp_path, shuffled=shuffled),), thresholds=ThresholdPlan(policy)))
    ranks = counts.ranks["all", "test"]
    assert ranks.fold.tolist() == [0, 1, 2, 3, 0, 1, 2, 3]
    assert ranks.fold.dtype == np.int64
    assert counts.dev_of == {}
    assert set(counts.ranks) == {("all", "test")}


def test_folds_of_clients_have_no_gaps_in_any_dataset(tmp_path):
    dataset = (["o", "o", "p", "p"] * 2) * 2
    path = one_set(tmp_path, dataset=dataset, label=(["1", "0", "1", "1", "0", "1", "0", "0"]) * 2)
    _, counts = counted(TrialSpec((path,), thresholds=ThresholdPlan("leave_one_client_out")))
    assert counts.ranks["o", "test"].fold.tolist() == [0, 1, 0, 1]
    assert counts.ranks["p", "test"].fold.tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("shuffled", [None, 2])
def test_clients_are_dealt_into_folds(tmp_path, shuffled):
    path = one_set(tmp_path, shuffled=shuffled, label=["1", "1", "0", "0", "0", "0", "1", "1"] * 2)
    _, counts = counted(TrialSpec((path,), thresholds=ThresholdPlan("kfold", folds=3)))
    # In hash order C, B, A, D: folds 0, 1, 2, 0.
    assert counts.ranks["all", "test"].fold.tolist() == [2, 1, 0, 0, 2, 1, 0, 0]


@pytest.mark.parametrize("policy", ["kfold", "cv_test"])
def test_without_clients_trials_are_dealt_into_folds(tmp_path, policy):
    _, counts = counted(
        TrialSpec((one_set(tmp_path, cluster=None),), thresholds=ThresholdPlan(policy, folds=4))
    )
    fold = counts.ranks["all", "test"].fold
    at = {name: k % 4 for k, name in enumerate(hash_order(1, TRIALS))}
    assert fold.tolist() == [at[name] for name in TRIALS]
    assert np.bincount(fold).tolist() == [2, 2, 2, 2]


def test_cross_validation_on_test_leaves_dev_out_and_counts_it(tmp_path):
    path = write(tmp_path, cluster=CLUSTERS, label=["1", "0"] * 8)
    table, counts = counted(TrialSpec((path,), thresholds=ThresholdPlan("cv_test")))
    assert table.parts == [("all", "test")]
    assert set(table.rows.collect()["split"]) == {"test"}
    assert set(counts.ranks) == {("all", "test")}
    dev, test = list(trial_rows(table, counts))[:2]
    columns = ("split", "rows_read", "rows_dropped", "n_target", "n_nontarget", "n_distinct", "prevalence")
    assert [getattr(dev, name) for name in columns] == ["dev", 4, 4, 0, 0, 0, None]
    assert [getattr(test, name) for name in columns] == ["test", 4, 0, 2, 2, 3, 0.5]


NO_KEY = {"trial": None, "cluster": None}


@pytest.mark.parametrize(
    ("policy", "changes", "faults"),
    [
        ("split_clients", {"split": GOOD["split"]}, ["column 'split' (the split): the table already has both splits, and thresholds.policy split_clients would split it again; leave the policy at dev, or use a table with one split"]),
        ("split_clients", NO_KEY, ["thresholds.policy: 'split_clients' needs a cluster or a trial key; name it in trials.columns, or choose none, which sets no thresholds"]),
        ("split_clients", {"cluster": ["A"] * 16}, ["column 'cluster' (the cluster): all rows have the same value; thresholds.policy split_clients needs two"]),
        ("split_clients", {"label": ["1", "0", "0", "1"] * 4}, ["split dev: no targets; a threshold cannot be chosen there"]),
        ("leave_one_client_out", {"cluster": None}, ["thresholds.policy: 'leave_one_client_out' needs a cluster; name it in trials.columns, or choose none, which sets no thresholds"]),
        ("leave_one_client_out", {"split": GOOD["split"]}, ["column 'split' (the split): 8 of 16 rows are dev, which thresholds.policy leave_one_client_out does not use; leave the policy at dev, or use a table of test rows"]),
        ("leave_one_client_out", {"cluster": ["A", "A", "B", "B"] * 4}, ["split test: no targets are left without cluster 'A'; a threshold cannot be chosen for it", "split test: no non-targets are left without cluster 'B'; a threshold cannot be chosen for it"]),
        ("kfold", {"split": ["dev"] * 16}, ["column 'split' (the split): 16 of 16 rows are dev, which thresholds.policy kfold does not use; leave the policy at dev, or use a table of test rows"]),
        ("kfold", NO_KEY, ["thresholds.policy: 'kfold' needs a cluster or a trial key; name it in trials.columns, or choose none, which sets no thresholds"]),
        ("kfold", {}, ["split test: 4 clusters (column 'cluster' (the cluster)) cannot make 10 folds; thresholds.folds may be at most 4"]),
        ("kfold", {"cluster": ["A"] * 16}, ["split test: 1 cluster (column 'cluster' (the cluster)) cannot be folded; at least 2 are needed"]),
        ("leave_one_client_out", {"cluster": ["A"] * 16}, ["split test: all rows have the same cluster (column 'cluster' (the cluster)); thresholds.policy leave_one_client_out needs two"]),
        ("cv_test", {"cluster": ["A"] * 16}, ["split test: all rows have the same cluster (column 'cluster' (the cluster)); thresholds.policy cv_test needs two"]),
        ("kfold", {"cluster": None}, ["split test: 8 trials (column 'trial' (the trial)) cannot make 10 folds; thresholds.folds may be at most 8"]),
        ("cv_test", NO_KEY, ["thresholds.policy: 'cv_test' needs a cluster or a trial key; name it in trials.columns, or choose none, which sets no thresholds"]),
        ("cv_test", {"split": ["dev"] * 16}, ["the table has no test rows (column 'split'); thresholds are chosen on dev rows and evaluated on test rows"]),
        ("cv_test", {"split": ["tst"] * 16}, ["column 'split' (the split): all 16 rows hold unknown values: 'tst' (row 1 of trials.csv); did you mean 'test'? Map them: trials: {values: {dev: ..., test: ...}}, or leave rows out with unused: [...] (known: dev, test)"]),
        ("train", {}, ["trials.csv: column 'split' (the split) is missing (found: model, trial, label, score, gender, cond, cluster); thresholds are chosen on its dev rows: name such a column in trials.columns.split, or let thresholds.policy do without (split_clients, kfold, leave_one_client_out, none), or give thresholds in criteria: fixed(threshold=0.5), or an a posteriori threshold, oracle(best(measure=youden)), which is optimistic"]),
    ],
)  # fmt: skip
def test_each_policy_says_what_it_lacks(tmp_path, policy, changes, faults):
    assert faults_of(TrialSpec((one_set(tmp_path, **changes),), thresholds=ThresholdPlan(policy))) == faults


def test_a_fold_that_holds_a_whole_class_is_told(tmp_path):
    label = ["0"] * 8
    label[TRIALS.index(hash_order(1, TRIALS)[1])] = "1"
    path = one_set(tmp_path, cluster=None, label=label * 2)
    snapshot(
        "inputs/policies_a_fold_that_holds_a_whole_class_is_told",
        "\n".join(faults_of(TrialSpec((path,), thresholds=ThresholdPlan("kfold", folds=2)))),
    )


def test_a_split_column_that_the_config_names_must_exist(tmp_path):
    assert faults_of(TrialSpec((one_set(tmp_path),), {"split": "part"}, thresholds=ThresholdPlan("kfold")))[
        0
    ].startswith("trials.csv: column 'part' (the split) is missing")


def test_adding_a_model_moves_no_trial(tmp_path):
    path = one_set(tmp_path, "parquet", label=(["1"] * 4 + ["0"] * 4) * 2)
    frame = pl.read_parquet(path)
    more = tmp_path / "more.parquet"
    third = frame.filter(model="a").with_columns(pl.lit("0").alias("model"))
    pl.concat([frame, third]).write_parquet(more)
    for policy in ("split_clients", "kfold"):
        found = [
            counted(TrialSpec((p,), thresholds=ThresholdPlan(policy, folds=2)))[1].ranks for p in (path, more)
        ]
        for place, ranks in found[0].items():
            assert ranks.label.tolist() == found[1][place].label.tolist()
            assert (ranks.fold is None) or ranks.fold.tolist() == found[1][place].fold.tolist()
