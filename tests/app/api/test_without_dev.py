"""Reports of labels and scores alone: nothing names a split, a trial or a policy."""

from __future__ import annotations

import json
import re

import numpy as np
import polars as pl
import pytest
from command import reporting as command

import reporting
from reporting.errors import ConfigError, DataError

NONE = {"thresholds": {"policy": "none"}}
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
    for way in ("No development set.", "pass split=", "kfold", "fixed("):
        assert way in page
    assert "EPC" not in page.split("No development set.")[0]


def test_measures_that_lack_a_threshold_are_named(table, tmp_path):
    out = reporting.make_report(out=tmp_path / "out", **wide(table, measures=["f1", "auc", "recall"], **NONE))
    page = re.sub(r"<[^>]*>", "", (out / "report.html").read_text())
    assert "Left out: F1 and recall." in page.partition("No development set.")[2]


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


ORACLE = "oracle(best(measure=youden))"


@pytest.mark.parametrize("asked", [{}, {"thresholds": {"policy": "none"}}], ids=str)
@pytest.mark.parametrize("tables", [False, True])
def test_a_posteriori_thresholds_need_no_dev(table, tmp_path, asked, tables):
    columns = ["auc", {"measure": "sensitivity", "criterion": ORACLE}]
    report = {"report": {"tables": [{"name": "main", "columns": columns}]}} if tables else {}
    config = wide(table, primary={"measure": "auc"}, criteria=[ORACLE], measures=["auc", "sensitivity"])
    out = reporting.make_report(out=tmp_path / "out", **config, **asked, **report)
    at = frame(out, "metrics").filter(measure="recall")
    assert (set(at["criterion"]), at["status"].null_count()) == ({ORACLE}, 2)
    assert all("oracle" in flags for flags in at["flags"])
    assert "No development set." not in (out / "report.html").read_text()


def test_the_methods_say_what_was_done_at_thresholds_set_on_test(table, tmp_path):
    columns = ["auc", {"measure": "sensitivity", "criterion": ORACLE}]
    config = wide(table, primary={"measure": "auc"}, criteria=[ORACLE], measures=["auc", "sensitivity"])
    config |= {"thresholds": {"policy": "kfold"}, "report": {"formats": ["html", "latex"]}, "baseline": "a"}
    config["report"]["tables"] = [{"name": "main", "columns": columns}]
    out = reporting.make_report(out=tmp_path / "out", **config)
    said = (out / "methods.tex").read_text()
    assert "threshold was set on the test set itself" in said
    assert "recall (no CI)" in said
    assert "folds" not in said.partition("Primary analysis")[0]
    assert "compared on the same trials (DeLong's test). " in said
    assert "MEASURES.md" not in said
    page = (out / "report.html").read_text()
    assert "DeLong, 99 resamples" not in page
    assert "AUC over all thresholds." in page


def test_a_criterion_left_out_for_want_of_dev_is_a_caution(table, tmp_path):
    """Not so the one that only the default primary question would add."""
    for name, criteria, count in (
        ("given", ["fixed(threshold=0)"], 0),
        ("lost", ["eer", "fixed(threshold=0)"], 1),
    ):
        config = wide(table, criteria=criteria, thresholds={"policy": "none"})
        page = (reporting.make_report(out=tmp_path / name, **config) / "report.html").read_text()
        assert page.count('<li class="grave"><strong>No development set.') == count


def test_with_no_threshold_to_choose_no_decision_is_kept(table, tmp_path):
    config = wide(table, thresholds={"policy": "none"}, primary={"measure": "auc"})
    config["trials"]["source"] = table.with_row_index("trial")
    config["trials"]["columns"]["trial"] = "trial"
    for day in ("01", "02"):
        history = {"store": str(tmp_path / "store"), "as_of": f"2026-11-{day}"}
        reporting.make_report(out=tmp_path / day, history=history, **config)
    kept = [pl.read_parquet(path) for path in (tmp_path / "store").rglob("outcomes-*.parquet")]
    assert len(list((tmp_path / "store" / "runs").iterdir())) == 2
    assert not [name for each in kept for name in each.columns if name.startswith("accepted:")]


def test_a_missing_column_of_a_wide_table_is_named_once(table, tmp_path):
    table.write_csv(tmp_path / "t.csv")
    config = wide(table, criteria=["min_hter"])
    config["trials"]["source"] = str(tmp_path / "t.csv")
    with pytest.raises(DataError) as error:
        reporting.make_report(out=tmp_path / "out", **config)
    assert len(error.value.faults) == 1
    assert f"or an a posteriori threshold, {ORACLE}" in str(error.value)


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
