"""Columns of breakdowns: read as text, the same in every model, coded in canonical order."""

import polars as pl
import pytest
from small_tables import GOOD, counted, faults_of, write
from snapshot import snapshot

from reporting.inputs.scan import Scan
from reporting.inputs.spec import TrialSpec


def attributes(spec, split="test"):
    _, counts = counted(spec)
    found = counts.ranks["all", split].attributes
    return {name: [column.values[code] for code in column.code] for name, column in found.items()}


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("shuffled", [None, 1, 2])
def test_attributes_stand_in_canonical_order(tmp_path, suffix, shuffled):
    spec = TrialSpec((write(tmp_path, suffix, shuffled=shuffled),), attributes=("gender", "cond"))
    assert attributes(spec) == {"gender": ["f", "m", "f", "m"], "cond": ["y", "x", "x", "z"]}
    assert attributes(spec, "dev") == {"gender": ["f", "m", "f", "m"], "cond": ["x", "x", "y", "x"]}
    _, counts = counted(spec)
    assert counts.ranks["all", "test"].attributes["cond"].values == ("x", "y", "z")
    assert counts.ranks["all", "dev"].attributes["cond"].values == ("x", "y")
    assert counts.ranks["all", "test"].attributes["cond"].code.dtype == "uint32"


def test_some_trials_of_an_attribute_keep_its_values(tmp_path):
    _, counts = counted(TrialSpec((write(tmp_path),), attributes=("cond",)))
    some = counts.ranks["all", "test"].attributes["cond"].of([0, 3])
    assert (some.values, some.code.tolist()) == (("x", "y", "z"), [1, 2])


def test_nothing_is_kept_unless_asked(tmp_path):
    table, counts = counted(TrialSpec((write(tmp_path),)))
    assert counts.ranks["all", "test"].attributes == {}
    assert "by gender" not in table.rows.collect_schema()
    assert "stratum" not in Scan(TrialSpec((write(tmp_path),), {"stratum": "cond"})).rows().collect_schema()


HOSTILE = ['"q"', "line\nbreak", "a,b=c", "é"]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_hostile_values_survive_and_sort_by_their_bytes(tmp_path, suffix):
    path = write(tmp_path, suffix, gender=HOSTILE * 4)
    spec = TrialSpec((path,), attributes=("gender",))
    assert attributes(spec)["gender"] == HOSTILE
    _, counts = counted(spec)
    values = counts.ranks["all", "test"].attributes["gender"].values
    assert list(values) == sorted(HOSTILE, key=lambda text: text.encode())


def test_hostile_names_of_columns_survive(tmp_path):
    path = tmp_path / "t.parquet"
    names = ["by gender", 'q"\n,=', "rows", "trial_count"]
    frame = pl.DataFrame(GOOD)
    frame.with_columns(pl.col("gender").alias(name) for name in names).write_parquet(path)
    found = attributes(TrialSpec((path,), attributes=tuple(names)))
    assert found == {name: ["f", "m", "f", "m"] for name in names}


def test_values_stay_text(tmp_path):
    path = write(tmp_path, gender=["007", "7", "07", "1e3"] * 4)
    assert attributes(TrialSpec((path,), attributes=("gender",)))["gender"] == ["007", "7", "07", "1e3"]


def test_typed_columns_read_as_their_text(tmp_path):
    path = tmp_path / "t.parquet"
    number, flag = pl.Series([7, 12, 7, 8] * 4), pl.Series([True, False] * 8)
    pl.DataFrame(GOOD).with_columns(number.alias("gender"), flag.alias("cond")).write_parquet(path)
    found = attributes(TrialSpec((path,), attributes=("gender", "cond")))
    assert found == {"gender": ["7", "12", "7", "8"], "cond": ["true", "false", "true", "false"]}


def test_one_column_may_be_cluster_stratum_and_breakdown(tmp_path):
    path = write(tmp_path, cluster=None, cond=GOOD["cluster"])
    columns = {"cluster": "cond", "stratum": "cond"}
    weights = {"A": 1, "B": 2, "C": 1, "D": 3}
    table, counts = counted(TrialSpec((path,), columns, attributes=("cond",), weights=weights))
    ranks = counts.ranks["all", "test"]
    assert ranks.attributes["cond"].values == ("C", "D")
    assert ranks.attributes["cond"].code.tolist() == [0, 1, 0, 1]
    assert ranks.unit_a.tolist() == [2, 3, 2, 3]
    assert ranks.weight.tolist() == [1, 3, 1, 3]
    assert table.spec.column("cluster") == "cond"


def test_what_is_averaged_over_is_the_cluster_where_none_is_declared(tmp_path):
    spec = TrialSpec((write(tmp_path, cluster=None),), attributes=("cond",), averaged_over="cond")
    table, counts = counted(spec)
    assert table.has_cluster
    assert table.spec.column("cluster") == "cond"
    assert counts.ranks["all", "test"].unit_a.tolist() == [1, 0, 0, 2]
    table, counts = counted(TrialSpec((write(tmp_path),), attributes=("cond",), averaged_over="cond"))
    assert table.spec.column("cluster") == "cluster"
    assert counts.n_clusters["all", "test"] == 2


def test_what_was_read_is_counted_by_group(tmp_path):
    path = write(tmp_path, label={4: None, 12: None}, score={6: "NaN", 15: "inf"})
    spec = TrialSpec((path,), unlabelled="drop", missing="drop", attributes=("gender", "cond"))
    table, counts = counted(spec)
    assert [len(counts.ranks["all", split].label) for split in ("dev", "test")] == [4, 2]
    rows = table.tally_by(["gender"]).filter(split="test").rows()
    assert rows == [
        ("a", "0", "all", "test", "f", 2, 1, 1, 0, 0, 1),
        ("a", "0", "all", "test", "m", 2, 0, 0, 0, 0, 0),
        ("b", "0", "all", "test", "f", 2, 1, 0, 0, 0, 0),
        ("b", "0", "all", "test", "m", 2, 0, 0, 1, 0, 0),
    ]
    assert table.tally_by(["gender", "cond"])["rows_read"].sum() == 16
    assert table.tally_by([]).equals(table.tally)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"gender": {1: None, 9: ""}}, "column 'gender' (the breakdown): 2 of 16 rows empty (write a value there, such as unknown, or leave the column out of the breakdowns); first row 2 of trials.csv, '' at row 10 of trials.csv"),
        ({"gender": {12: "m"}}, "column 'gender' (the breakdown): 1 trial of model 'b' in split test disagrees with the other models; first 't5'"),
        ({"gender": None, "gendre": ["f"] * 16}, "trials.csv: column 'gender' (the breakdown) is missing; did you mean 'gendre'? (found: model, split, trial, label, score, cond, cluster, gendre)"),
        ({"trial": None, "cluster": None}, "column 'gender' (the breakdown) needs a trial key too: without one, rows of different models cannot be put in one order; add a column that names trials, the same in every model, and name it in trials.columns.trial, or leave it out (in layout wide rows need no key)"),
    ],
)  # fmt: skip
def test_each_broken_rule_has_one_message(tmp_path, changes, message):
    assert faults_of(TrialSpec((write(tmp_path, **changes),), attributes=("gender",))) == [message]


@pytest.mark.parametrize(
    ("changes", "faults"),
    [
        ({"cluster": {3: None}}, ["column 'cluster' (the cluster): 1 of 16 rows empty; first row 4 of trials.csv"]),
        ({"trial": None}, ["column 'cluster' (the cluster) needs a trial key too: without one, rows of different models cannot be put in one order; add a column that names trials, the same in every model, and name it in trials.columns.trial, or write cluster: none in trials.columns (in layout wide rows need no key)"]),
    ],
)  # fmt: skip
def test_a_column_that_serves_twice_is_told_once(tmp_path, changes, faults):
    assert faults_of(TrialSpec((write(tmp_path, **changes),), attributes=("cluster",))) == faults


def test_a_breakdown_that_holds_no_values(tmp_path):
    path = tmp_path / "nested.parquet"
    pl.DataFrame(GOOD).with_columns(gender=pl.concat_list("gender")).write_parquet(path)
    snapshot(
        "inputs/breakdowns_a_breakdown_that_holds_no_values",
        "\n".join(faults_of(TrialSpec((path,), attributes=("gender",)))),
    )


def test_a_missing_column_that_is_averaged_over_is_called_so(tmp_path):
    spec = TrialSpec((write(tmp_path),), attributes=("gender", "query"), averaged_over="query")
    (fault,) = faults_of(spec)
    assert fault.startswith("trials.csv: column 'query' (averaged_over) is missing (found: model")
