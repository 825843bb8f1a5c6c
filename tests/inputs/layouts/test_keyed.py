"""Labels in key files, scores in files of their own: what is joined, and what must fit."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tables import counted, faults_of
from snapshot import snapshot

from reporting.inputs.scan import Scan
from reporting.inputs.spec import File, InMemory, TrialSpec

TRIALS = [f"{i:03}" for i in range(8)]
KEYS = {"trial": TRIALS, "split": ["dev"] * 4 + ["test"] * 4, "label": ["1", "1", "0", "0"] * 2}
A = [4.0, 1.0, 2.0, 0.0, 5.0, 2.0, 3.0, 2.0]
B = [3.0, 4.0, 1.0, 2.0, 0.0, 1.0, 2.0, 3.0]


def put(path, columns):
    """Write columns, those that are None left out."""
    frame = pl.DataFrame({name: column for name, column in columns.items() if column is not None})
    path.parent.mkdir(exist_ok=True)
    frame.write_csv(path) if path.suffix == ".csv" else frame.write_parquet(path)
    return path


def scores(path, values=A, trials=TRIALS, said=(("model", "A"),), **others):
    """Write the scores of a model that the path says."""
    return File(put(path, {"trial": list(trials), "score": list(values), **others}), tuple(said))


def keyed(folder, *files, keys=KEYS, **others):
    return TrialSpec(files, keys=(put(folder / "keys.csv", keys),), layout="keyed", **others)


def in_order(spec, *columns):
    return Scan(spec).rows().select("trial", *columns).collect().sort("trial", *columns).rows()


def test_scores_find_their_labels_whatever_their_order(tmp_path):
    files = scores(tmp_path / "a.csv", A[::-1], TRIALS[::-1]), scores(tmp_path / "b.parquet", B, said=[("model", "B")])  # fmt: skip
    rows = Scan(keyed(tmp_path, *files)).rows().collect()
    assert rows.filter(model="A").sort("trial")["score"].to_list() == A
    assert rows.filter(model="B").sort("trial").select("trial", "label", "split").rows() == list(
        zip(TRIALS, KEYS["label"], KEYS["split"], strict=True)
    )


def test_one_file_may_hold_several_models_and_runs(tmp_path):
    parts = [("A", "1", A), ("A", "2", B), ("B", "1", B)]
    table = pl.concat(
        pl.DataFrame({"trial": TRIALS, "score": column, "model": model, "run": run})
        for model, run, column in parts
    )
    spec = keyed(tmp_path, put(tmp_path / "all.csv", table.to_dict()))
    rows = Scan(spec).rows().collect()
    assert rows.height == 24
    for model, run, column in parts:
        assert rows.filter(model=model, run=run).sort("trial")["score"].to_list() == column


def test_a_run_without_a_score_lacks_it(tmp_path):
    runs = {"trial": [*TRIALS, *TRIALS[:7]], "score": [*A, *B[:7]], "run": ["1"] * 8 + ["2"] * 7}
    files = (File(put(tmp_path / "a.csv", runs), (("model", "A"),)),)
    rows = Scan(keyed(tmp_path, *files)).rows().collect()
    assert rows.filter(pl.col("score").is_null()).select("trial", "run").rows() == [("007", "2")]


def test_a_model_may_have_no_score_at_all(tmp_path):
    files = scores(tmp_path / "a.csv"), scores(tmp_path / "b.csv", [], [], said=[("model", "B")])
    table = counted(keyed(tmp_path, *files, missing="reject"))[0]
    assert table.tally.filter(model="B")["n_missing"].to_list() == [4, 4]


def test_split_and_dataset_are_joined_on_where_both_sides_have_them(tmp_path):
    keys = {"trial": ["x", "x", "y", "y"], "split": ["dev", "test"] * 2, "label": ["1", "0", "0", "1"]}
    table = {"trial": ["x", "y", "x", "y"], "split": ["test", "test", "dev", "dev"], "score": [1.0, 2, 3, 4]}
    spec = keyed(tmp_path, File(put(tmp_path / "a.csv", table), (("model", "A"),)), keys=keys)
    assert in_order(spec, "split", "label", "score") == [
        ("x", "dev", "1", 3),
        ("x", "test", "0", 1),
        ("y", "dev", "0", 4),
        ("y", "test", "1", 2),
    ]


def test_scores_alone_may_tell_the_split(tmp_path):
    halves = [
        scores(tmp_path / f"{split}.csv", A[part], TRIALS[part], (("model", "A"), ("split", split)))
        for split, part in (("dev", slice(4)), ("test", slice(4, 8)))
    ]
    keys = KEYS | {"split": None}
    spec = keyed(tmp_path, *halves, keys=keys)
    assert in_order(spec, "split") == list(zip(TRIALS, KEYS["split"], strict=True))
    snapshot(
        "layouts/keyed_scores_alone_may_tell_the_split",
        "\n".join(faults_of(keyed(tmp_path, halves[0], keys=keys))),
    )


def test_one_model_is_read_without_the_files_of_another(tmp_path):
    files = scores(tmp_path / "a.csv"), scores(tmp_path / "b.csv", B, said=[("model", "B")])
    plan = Scan(keyed(tmp_path, *files)).rows("B").explain()
    assert "b.csv" in plan
    assert "a.csv" not in plan


def test_folds_may_stand_on_either_side(tmp_path):
    runs = ["1", "1", "2", "2"] * 2
    labels = {"label": ["1", "0"] * 4}
    by_key = keyed(tmp_path, scores(tmp_path / "a.csv"), keys=KEYS | labels | {"run": runs}, runs="fold")
    expected = in_order(by_key, "run", "score")
    by_score = keyed(tmp_path, scores(tmp_path / "b.csv", run=runs), keys=KEYS | labels | {"run": runs})
    assert in_order(by_score, "run", "score") == expected
    assert counted(by_key)[1].folds == {"all": ("1", "2")}


@pytest.mark.parametrize(("policy", "trials", "missing"), [("drop", 3, 1), ("reject", 4, 1)])
def test_a_trial_without_a_score_is_a_missing_score(tmp_path, policy, trials, missing):
    files = (
        scores(tmp_path / "a.csv", A[:7], TRIALS[:7]),
        scores(tmp_path / "b.csv", B, said=[("model", "B")]),
    )
    assert faults_of(keyed(tmp_path, *files)) == [
        "column 'score' (the score): 1 of 16 rows missing or NaN (trials.missing: drop or reject allows them); first"
        f" trial {TRIALS[7]!r} of keys.csv joined with a.csv (model A)"
    ]
    table, counts = counted(keyed(tmp_path, *files, missing=policy))
    assert counts.ranks["all", "test"].n_trials == trials
    assert table.tally["n_missing"].sum() == missing


@pytest.mark.parametrize(
    ("keys", "columns", "fault"),
    [
        ({}, {"trials": ["9", *TRIALS[1:7], "7"]}, "a.csv (model A): scores of 2 trials (first '7', '9') that keys.csv"
         " does not have"),
        ({"trial": ["001", "001", *TRIALS[2:]]}, {"trials": ["001", "001", *TRIALS[2:]]}, "keys.csv: column 'trial' (the trial): 1 trial (first '001') occurs"
         " more than once in the key files; a.csv (model A) does not hold 'split', which could distinguish them"),
        ({"trial": ["001", "001", *TRIALS[2:]]}, {"trials": ["001", "001", *TRIALS[2:]], "split": KEYS["split"]}, "keys.csv: column 'trial' (the trial): 1"
         " trial (first '001') occurs more than once in the key files (distinguished by 'trial', 'split')"),
        ({}, {"trials": [None, *TRIALS[1:]]}, "a.csv (model A): column 'trial': 1 row empty"),
        ({}, {"label": ["1", "0", "true", None, "1.0", "", "0", "False"]}, "column 'label' (the label): 2 trials (first"
         " '001', '002') have another in a.csv (model A) than in keys.csv"),
        ({}, {"values": ["x", *map(str, A[1:6]), "NA", "y"]}, "a.csv (model A): column 'score' (the score): 2 rows not numbers;"
         " first 'x' at row 1, 'y' at row 8"),
        ({"trial": None}, {}, "keys.csv: column 'trial' (the trial) is missing (found: split, label)"),
        ({"model": ["m"] * 8}, {}, "keys.csv: column 'model' (the model) is in a key file, and score files or their"
         " paths say the model; if it is another thing here, name the model's column otherwise in"
         " trials.columns.model"),
        ({"label": None}, {}, "keys.csv joined with a.csv (model A): column 'label' (the label) is missing (found:"
         " trial, split, model, score)"),
        ({}, {"said": ()}, "a.csv: column 'model' (the model) is missing and its path does not say it (found: trial,"
         " score)"),
        ({"count": ["1"] * 8}, {}, "column 'count' (the count): rows with a trial key (column 'trial') are one trial"
         " each; name the count's column otherwise, or write count: none in trials.columns"),
    ],
)  # fmt: skip
def test_each_fault_has_a_message(tmp_path, keys, columns, fault):
    assert faults_of(keyed(tmp_path, scores(tmp_path / "a.csv", **columns), keys=KEYS | keys)) == [fault]


def test_a_key_file_among_the_sources_is_no_score_file(tmp_path):
    one, key = scores(tmp_path / "a.csv"), File(tmp_path / "keys.csv", (("model", "keys"),))
    assert counted(keyed(tmp_path, one, key))[0].models == ["A"]
    assert faults_of(keyed(tmp_path, key))[0].startswith("keys.csv (model keys): column 'score' (the score) is missing")  # fmt: skip


def test_files_of_a_kind_have_the_same_columns(tmp_path):
    spec = keyed(tmp_path, scores(tmp_path / "a.csv"))
    other = put(tmp_path / "more.csv", {"trial": ["9"], "label": ["1"], "note": ["not of interest"]})
    split = TrialSpec(spec.sources, keys=(*spec.keys, other), layout="keyed")
    assert faults_of(split) == ["column 'split' is in keys.csv and not in more.csv"]


def test_a_file_that_cannot_be_read_is_named_with_its_cause(tmp_path):
    spec = keyed(tmp_path, scores(tmp_path / "a.csv"))
    path = tmp_path / "keys.csv"
    path.write_text(path.read_text() + "1,2,3,4\n")
    snapshot("layouts/keyed_a_file_that_cannot_be_read_is_named_with_its_cause", "\n".join(faults_of(spec)))


def test_without_key_files_there_is_nothing_to_join(tmp_path):
    spec = TrialSpec((scores(tmp_path / "a.csv"),), layout="keyed")
    assert faults_of(spec) == ["layout keyed needs key files, and there are none"]


@settings(max_examples=25)
@given(
    st.permutations(range(8)), st.permutations(range(8)), st.lists(st.integers(0, 2), min_size=8, max_size=8)
)
def test_no_order_of_rows_matters(order_of_keys, order_of_scores, values):
    def spec(one, other):
        keys = pl.DataFrame(KEYS)[list(one)]
        table = pl.DataFrame({"trial": TRIALS, "score": values, "model": "A"})[list(other)]
        return TrialSpec((InMemory(table),), keys=(InMemory(keys, "keys"),), layout="keyed")

    plain, turned = (counted(spec(*orders))[1] for orders in ((range(8),) * 2, (order_of_keys, order_of_scores)))  # fmt: skip
    for place, ranks in plain.ranks.items():
        assert ranks.label.tolist() == turned.ranks[place].label.tolist()
        assert ranks.rank["A", "0"].tolist() == turned.ranks[place].rank["A", "0"].tolist()
