"""A text that says that there is no value is none: unlabelled rows are never non-targets, in no layout or engine."""

from __future__ import annotations

from pathlib import Path

import duckdb
import polars as pl
import pytest
from small_tables import counted, faults_of

import reporting
from reporting.app.init.starter import trial_keys
from reporting.errors import DataError
from reporting.inputs.spec import File, TrialSpec, Values
from reporting.inputs.values import MISSING_WORDS

TARGETS, NONTARGETS, UNKNOWN = [0.9, 0.8, 0.7, 0.6, 0.35], [0.1, 0.2, 0.3, 0.4, 0.5], [0.95, 0.85]
AREA = 23 / 25
"""All pairs but two: .35 against .4 and .5."""
REST = {"values": {"target": "1", "nontarget": "rest"}, "unlabelled": "drop"}


OF_NONTARGETS = {"attempt": "nontarget"}
"""Whom the breakdown describes that labels of spoofs make."""


def table(word: str | None) -> pl.DataFrame:
    labels = [*["1"] * 5, *["0"] * 5, *[word] * 2]
    names = [f"t{at}" for at in range(12)]
    return pl.DataFrame({"trial": names, "label": labels, "score": [*TARGETS, *NONTARGETS, *UNKNOWN]})


def long(word: str | None) -> pl.DataFrame:
    return table(word).with_columns(model=pl.lit("A"))


def floats(folder: Path) -> tuple[object, dict[str, object]]:
    rows = long(None).with_columns(pl.col("label").cast(pl.Float64).fill_null(float("nan")))
    rows.write_parquet(folder / "t.parquet")
    return folder / "t.parquet", {"values": {"target": "1.0", "nontarget": "rest"}}


def written(end: str):
    def write(folder: Path) -> tuple[object, dict[str, object]]:
        kinds = {
            "csv": "write_csv",
            "parquet": "write_parquet",
            "arrow": "write_ipc",
            "ndjson": "write_ndjson",
        }
        getattr(long("NA"), kinds[end])(folder / f"t.{end}")
        return folder / f"t.{end}", {}

    return write


def null(folder: Path) -> tuple[object, dict[str, object]]:
    long(None).write_ndjson(folder / "t.ndjson")
    return folder / "t.ndjson", {}


def wide(folder: Path) -> tuple[object, dict[str, object]]:
    table("NA").rename({"score": "A"}).write_csv(folder / "t.csv")
    return folder / "t.csv", {"layout": "wide", "scores": ["A"]}


def keyed(folder: Path) -> tuple[object, dict[str, object]]:
    """Labels beside the scores too, which know more than the keys: no disagreement."""
    table("N/A").drop("score").write_csv(folder / "keys.csv")
    long("1").write_csv(folder / "t.csv")
    return folder / "t.csv", {"layout": "keyed", "keys": str(folder / "keys.csv")}


def one_of_two(folder: Path) -> tuple[object, dict[str, object]]:
    """The one other value is the non-target's: no word for nothing is another."""
    long("<NA>").write_csv(folder / "t.csv")
    return folder / "t.csv", {"values": {"target": "1", "nontarget": None}}


def frame(folder: Path) -> tuple[object, dict[str, object]]:
    return long("nan"), {}


def database(there: bool, word: str = " NA"):
    def write(folder: Path) -> tuple[object, dict[str, object]]:
        rows = long(word) if word else pl.read_parquet(floats(folder)[0])
        with duckdb.connect(str(folder / "t.duckdb")) as db:
            db.register("rows", rows)
            db.execute("CREATE TABLE t AS SELECT * FROM rows")
        keys = {"table": "t"} | ({"count": "there", "coarse": 30} if there else {})
        keys |= {} if word else {"values": {"target": "1.0", "nontarget": "rest"}}
        return f"duckdb:///{folder / 't.duckdb'}", keys

    return write


PLACES = {
    "NaN in Parquet": floats, "csv": written("csv"), "parquet": written("parquet"), "arrow": written("arrow"),
    "ndjson": written("ndjson"), "null": null, "wide": wide, "keyed": keyed, "one other": one_of_two,
    "in memory": frame, "duckdb": database(False), "duckdb counts": database(True),
    "NaN in duckdb": database(False, ""), "duckdb counts NaN": database(True, ""),
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_unlabelled_rows_are_left_out_everywhere(tmp_path, place):
    source, keys = PLACES[place](tmp_path)
    keys = {**REST, **keys}
    found = reporting.metrics(source, ["auc"], trials=keys, intervals=False)
    value = found.filter(measure="auc")["value"].item()
    assert value == pytest.approx(AREA, abs=1e-6 if keys.get("count") else 1e-12)
    assert (found["n_target"].item(), found["n_nontarget"].item()) == (5, 5)
    with pytest.raises(DataError, match="2 of 12 rows without a label .trials.unlabelled: drop leaves them"):
        reporting.metrics(source, ["auc"], trials={**keys, "unlabelled": "error"}, intervals=False)


@pytest.mark.parametrize("word", [*MISSING_WORDS, " NA ", "\tnull"])
def test_every_word_is_no_label(tmp_path, word):
    long(word).write_parquet(tmp_path / "t.parquet")
    spec = TrialSpec((tmp_path / "t.parquet",), values=Values(("1",), "rest"), needs_dev=False)
    (fault,) = faults_of(spec)
    assert fault.startswith("column 'label' (the label): 2 of 12 rows without a label")
    assert fault.endswith(f"first {word!r} at row 11 of t.parquet, {word!r} at row 12 of t.parquet")
    table, _ = counted(TrialSpec(spec.sources, values=spec.values, unlabelled="drop", needs_dev=False))
    assert table.tally["n_unlabelled"].to_list() == [2]


def test_a_word_that_the_config_names_is_a_label(tmp_path):
    long("missing").write_csv(tmp_path / "t.csv")
    for values, n in (
        (Values(("1",), ("0", "missing")), 7),
        (Values(("1", "missing"), ("0",)), 5),
        (Values(("1",), "rest", spoof=("missing",)), 7),
    ):
        table, _ = counted(
            TrialSpec((tmp_path / "t.csv",), values=values, one_class=OF_NONTARGETS, needs_dev=False)
        )
        assert table.rows.select((~pl.col("label")).sum()).collect().item() == n
        assert table.tally["n_unlabelled"].to_list() == [0]


def test_a_group_that_labels_make_has_no_unlabelled_rows(tmp_path):
    rows = long("NA").with_columns(
        pl.when(pl.col("score") == 0.5).then(pl.lit("s")).otherwise("label").alias("label")
    )
    rows.write_csv(tmp_path / "t.csv")
    values = Values(("1",), "rest", spoof=("s",))
    spec = TrialSpec(
        (tmp_path / "t.csv",), values=values, unlabelled="drop", one_class=OF_NONTARGETS, needs_dev=False
    )
    table, _ = counted(spec)
    kinds = table.rows.group_by("by attempt").len().sort("by attempt").collect()
    assert kinds.rows() == [("", 5), ("spoof", 1), ("zero-effort", 4)]


@pytest.mark.parametrize("word", ["NA", "", float("nan")])
def test_a_cluster_without_a_name_is_none(tmp_path, word):
    """All of unknown speaker would be one cluster, the largest."""
    names = [*range(10), word, word] if isinstance(word, float) else [*"abcdefghij", word, word]
    rows = long("0").with_columns(pl.Series("cluster", names, strict=False))
    rows.write_parquet(tmp_path / "t.parquet")
    (fault,) = faults_of(TrialSpec((tmp_path / "t.parquet",), needs_dev=False))
    assert fault.startswith("column 'cluster' (the cluster): 2 of 12 rows empty")


def test_init_takes_no_word_for_a_class(tmp_path):
    table("NA").rename({"label": "outcome"}).write_csv(tmp_path / "t.csv")
    keys = trial_keys(File(tmp_path / "t.csv"))
    assert keys["unlabelled"] == "drop"
    assert "values" not in keys
    found = reporting.metrics(tmp_path / "t.csv", ["auc"], trials=keys, intervals=False)
    assert found["value"].item() == pytest.approx(AREA)


@pytest.mark.parametrize("nothing", [None, float("nan"), "NA"])
def test_labels_without_a_value_are_no_non_targets_of_python(nothing):
    labels = [*["sick"] * 5, *["well"] * 5, nothing, nothing]
    with pytest.raises(DataError, match="y_true .*2 of 12 labels are missing; first at index 10"):
        reporting.from_predictions(labels, [*TARGETS, *NONTARGETS, *UNKNOWN], pos_label="sick")


@pytest.mark.parametrize(("name", "area"), [("na_rest_min.csv", AREA), ("nan_label_raw.parquet", None)])
def test_files_of_users(shared, name, area):
    path = shared / "cases/files" / name
    keys = trial_keys(File(path))
    assert "values" not in keys
    found = reporting.metrics(path, ["auc"], trials=keys, intervals=False)
    raw = pl.read_parquet(path) if area is None else None
    if raw is not None:
        score, label = raw["score"], raw["outcome"]
        pairs = [(t > n) + (t == n) / 2 for t in score.filter(label == 1) for n in score.filter(label == 0)]
        area = sum(pairs) / len(pairs)
    assert found["value"].item() == pytest.approx(area, abs=1e-12)
