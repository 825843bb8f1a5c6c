"""Reports of labels and scores alone: nothing names a split, a trial or a policy."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from command import reporting as command

import reporting
from reporting.errors import ConfigError, DataError

FEW = {"significance": {"replicates": 99}}


@pytest.fixture
def table() -> pl.DataFrame:
    """Two columns of scores of 200 trials, 40 of which occur twice."""
    rng = np.random.default_rng(8)
    label = (rng.random(160) < 0.4).astype(int)
    rows = pl.DataFrame(
        {"y": label, "a": (rng.normal(size=160) + label).round(1), "b": rng.normal(size=160).round(1)}
    )
    return pl.concat([rows, rows.head(40)])


def wide(rows: pl.DataFrame, **keys: object) -> dict[str, object]:
    return {"trials": {"source": rows, "layout": "wide", "columns": {"label": "y"}}} | FEW | keys


def frame(out, name):
    return pl.read_parquet(out / "frames" / f"{name}.parquet")


def test_labels_and_scores_make_a_report_that_says_what_it_lacks(table, tmp_path):
    out = reporting.make_report(out=tmp_path / "out", **wide(table))
    metrics = frame(out, "metrics")
    assert metrics["criterion"].null_count() == len(metrics)
    assert set(metrics["split"]) == {"test"}
    asked = json.loads((out / "manifest.json").read_text())["config"]
    assert asked["primary"] == {"measure": "auc", "criterion": None}
    assert (asked["epc"], asked["criteria"], asked["thresholds"]["policy"]) == ("none", [], "none")
    (headline,) = frame(out, "comparisons").filter(measure="auc").iter_rows(named=True)
    assert headline["p_adjusted"] < 0.05
    page = (out / "report.html").read_text()
    for way in ("No development set.", "trials.columns.split", "kfold", "fixed("):
        assert way in page
    assert "EPC" not in page.split("No development set.")[0]


def test_what_the_manifest_says_makes_the_same_report(table, tmp_path):
    first = reporting.make_report(out=tmp_path / "first", **wide(table))
    asked = json.loads((first / "manifest.json").read_text())["config"]
    asked["trials"]["source"] = table
    again = reporting.make_report(out=tmp_path / "again", **asked)
    for name in ("metrics", "comparisons", "roc"):
        assert (first / f"frames/{name}.parquet").read_bytes() == (
            again / f"frames/{name}.parquet"
        ).read_bytes()


def test_thresholds_set_in_advance_are_judged(table, tmp_path):
    config = wide(table, criteria=["fixed(threshold=0.5)"])
    metrics = frame(reporting.make_report(out=tmp_path / "out", **config), "metrics")
    (row,) = metrics.filter(model="a", measure="far").iter_rows(named=True)
    accepted = table.filter(y=0)["a"] >= 0.5
    assert row["value"] == accepted.mean()
    asked = json.loads((tmp_path / "out" / "manifest.json").read_text())["config"]
    assert asked["primary"] == {"measure": "hter", "criterion": "fixed(threshold=0.5)"}


@pytest.mark.parametrize(
    "asked",
    [
        {"criteria": ["min_hter"]},
        {"thresholds": {"policy": "dev"}},
        {"epc": {"alphas": 11}},
        {"primary": "hter"},
    ],
    ids=str,
)
def test_who_asks_for_chosen_thresholds_hears_that_there_is_no_dev(table, tmp_path, asked):
    if "primary" in asked:
        asked = {"primary": {"measure": "hter", "criterion": "min_hter"}}
    with pytest.raises((DataError, ConfigError), match="split"):
        reporting.make_report(out=tmp_path / "out", **wide(table, **asked))
    assert not (tmp_path / "out").exists()


def test_a_column_of_splits_without_dev_is_no_such_table(table, tmp_path):
    rows = table.with_columns(pl.lit("test").alias("split"))
    with pytest.raises(DataError, match=r"no dev rows.*thresholds.policy offers choices without them"):
        reporting.make_report(out=tmp_path / "out", **wide(rows))


def test_rows_are_their_own_keys_whatever_their_order(table, tmp_path):
    """Models are paired row by row, and folds dealt by what rows hold; equal rows are told apart."""
    config = {"thresholds": {"policy": "kfold"}}
    out = [
        reporting.make_report(out=tmp_path / name, **wide(rows, **config))
        for name, rows in (("first", table), ("turned", table.reverse()))
    ]
    one, other = (sorted((folder / "frames").iterdir()) for folder in out)
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in other]
    comparisons = frame(out[0], "comparisons")
    assert set(comparisons.filter(measure="hter")["unit"]) == {"trial"}
    assert comparisons["p_value"].null_count() < len(comparisons)


def test_clusters_need_no_key_where_a_row_is_a_trial(table, tmp_path):
    rows = table.with_columns((pl.int_range(pl.len()) % 20).cast(pl.String).alias("speaker"))
    config = wide(rows)
    config["trials"]["columns"]["cluster"] = "speaker"
    out = reporting.make_report(out=tmp_path / "out", **config)
    assert set(frame(out, "comparisons")["unit"]) == {"cluster"}


def test_the_command_line_needs_no_key_either(table, tmp_path):
    table.write_csv(tmp_path / "scores.csv")
    ended = reporting_init(tmp_path)
    assert ended.returncode == 0, ended.stderr
    for words in (("check", "report.yaml"), ("run", "-q", "report.yaml", "-o", "out")):
        ended = command(*words, "--set", "significance.replicates=99", cwd=tmp_path)
        assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "out" / "report.html").exists()


def reporting_init(folder):
    return command("init", "scores.csv", cwd=folder)
