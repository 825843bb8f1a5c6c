"""Tables with a column of scores for every model."""

from __future__ import annotations

import polars as pl
import pytest
from small_tables import counted, faults_of
from snapshot import snapshot

from reporting.inputs.scan import Scan
from reporting.inputs.spec import File, InMemory, TrialSpec

GOOD = {
    "split": ["dev"] * 4 + ["test"] * 4,
    "trial": [f"t{i}" for i in range(8)],
    "label": ["1", "1", "0", "0"] * 2,
    "A": [4.0, 1, 2, 0, 5, 2, 3, 2],
    "B": [3.0, 4, 1, 2, 0, 1, 2, 3],
}


def put(folder, suffix="parquet", **changes):
    path = folder / f"t.{suffix}"
    frame = pl.DataFrame({name: column for name, column in (GOOD | changes).items() if column is not None})
    frame.write_csv(path) if suffix == "csv" else frame.write_parquet(path)
    return path


def wide(*sources, **others):
    return TrialSpec(sources, layout="wide", **others)


def test_rows_are_those_of_every_model(tmp_path):
    rows = Scan(wide(put(tmp_path), scores={"second": "B", "first": "A"})).rows().collect()
    assert rows.filter(model="first")["score"].to_list() == GOOD["A"]
    assert rows.filter(model="second").select("trial", "label", "score").rows() == list(
        zip(GOOD["trial"], GOOD["label"], GOOD["B"], strict=True)
    )


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_what_is_left_over_is_a_model_and_what_has_a_use_is_none(tmp_path, suffix):
    path = put(
        tmp_path, suffix, cluster=["c"] * 8, sex=["f"] * 8, room=["r"] * 8, dataset=["all"] * 8, lab=["l"] * 8
    )
    spec = wide(path, columns={"stratum": "lab"}, attributes=("sex", "room"), averaged_over="room")
    assert counted(spec)[0].models == ["A", "B"]


def test_what_a_path_says_is_no_model(tmp_path):
    paths = [put(tmp_path / name, split=None) for name in ("dev", "test") if not (tmp_path / name).mkdir()]
    files = [File(path, (("split", path.parent.name), ("lab", "x"))) for path in paths]
    assert counted(wide(*files))[0].models == ["A", "B"]


def test_one_model_is_read_without_the_scores_of_another(tmp_path):
    spec = wide(put(tmp_path, C=[0.0] * 8, D=["text"] * 8), scores={name: name for name in "ABCD"})
    plan = Scan(spec).rows("B").select("trial", "label", "score").explain()
    assert "PROJECT 3/7 COLUMNS" in plan
    assert all(f'col("{other}")' not in plan for other in "ACD")


def test_a_column_named_score_may_be_listed(tmp_path):
    spec = wide(put(tmp_path, score=GOOD["A"]), scores={"one": "score", "other": "B"})
    assert Scan(spec).rows("one").collect()["score"].to_list() == GOOD["A"]


def test_scores_may_be_missing(tmp_path):
    spec = wide(put(tmp_path, "csv", A=[*GOOD["A"][:7], None]))
    snapshot("layouts/wide_scores_may_be_missing", "\n".join(faults_of(spec)))
    table, counts = counted(wide(put(tmp_path, A=[*GOOD["A"][:7], None]), missing="drop"))
    assert counts.ranks["all", "test"].n_trials == 3
    assert table.tally["n_missing"].sum() == 1


def test_a_frame_in_memory_may_be_wide():
    assert counted(wide(InMemory(pl.DataFrame(GOOD))))[0].models == ["A", "B"]


@pytest.mark.parametrize(
    ("suffix", "changes", "scores", "fault"),
    [
        ("parquet", {"sex": ["f"] * 8}, {}, "t.parquet: column 'sex' has no other use, but holds String, not scores;"
         " list the columns of scores in trials.scores"),
        ("parquet", {"B": [True] * 8}, {}, "t.parquet: column 'B' has no other use, but holds Boolean, not scores;"
         " list the columns of scores in trials.scores"),
        ("csv", {"sex": ["f", "1"] * 4}, {}, "the columns of scores (those in trials.scores, or else all that have no"
         " other use): 4 of 24 rows not numbers; first 'f' at row 1 of t.csv, column 'sex', 'f' at row 3 of t.csv,"
         " column 'sex', 'f' at row 5 of t.csv, column 'sex'"),
        ("csv", {}, {"one": "A", "two": "b"}, "t.csv: column 'b' (the scores of model 'two') is missing; did you mean"
         " 'B'? (found: split, trial, label, A, B)"),
        ("csv", {"A": None, "B": None}, {}, "t.csv: no column is left for scores: all have another use (found: split,"
         " trial, label)"),
        ("csv", {"model": ["m"] * 8}, {}, "t.csv: column 'model' is in the table or its path, and layout wide makes"
         " one of that name; if it holds scores, list it in trials.scores, else say another trials.columns.model"),
        ("csv", {"label": None}, {}, "t.csv: column 'label' (the label) is missing (found: split, trial, A,"
         " B)"),
    ],
)  # fmt: skip
def test_each_fault_has_a_message(tmp_path, suffix, changes, scores, fault):
    assert faults_of(wide(put(tmp_path, suffix, **changes), scores=scores))[0] == fault


def test_a_file_that_cannot_be_read_is_named_with_its_cause(tmp_path):
    path = put(tmp_path, "csv")
    path.write_text(path.read_text() + "test,t8,1,1,1,1\n")
    (fault,) = faults_of(wide(path))
    snapshot("layouts/wide_a_file_that_cannot_be_read_is_named_with_its_cause", fault)
