"""How many trials: the line under the title, and the table, whose constant columns are in the caption."""

import dataclasses

import polars as pl
import pytest
from build import build, trials_of
from reading import column, table
from simulated_results import World, simulate
from snapshot import snapshot

from reporting.document.frames.metrics import METRICS
from reporting.document.frames.trials import TRIALS
from reporting.document.words.counted_trials import data_lines
from reporting.document.words.view import views
from reporting.features.compose import compose
from reporting.features.methods.data import unlabelled

pytestmark = pytest.mark.usefixtures("undrawn")

FIVE = tuple(f"TC{number}" for number in range(1, 6))


def with_trials(results, where, **columns):
    values = {name: pl.when(where).then(value).otherwise(name) for name, value in columns.items()}
    return results.with_frames({TRIALS: results.frame(TRIALS).with_columns(**values)})


@pytest.mark.parametrize(
    ("world", "line"),
    [
        (
            World(cluster="speaker"),
            "Test set: 1,000 trials (300 targets, 700 non-targets), 50 speakers. Development set: 1,000 trials, 50"
            " speakers.",
        ),
        (
            World(datasets=("one", "two")),
            "Test sets: one and two: each 1,000 trials (300 targets, 700 non-targets).",
        ),
    ],
)
def test_the_line_names_both_classes_and_the_development_set(world, line):
    assert " ".join(data_lines(simulate(world))) == line


def test_runs_on_the_same_trials_are_one_test_set(tmp_path):
    lines = [f"{label}{n} a test {label} {n}" for label in (0, 1) for n in range(5)]
    table = [row | {"run": run} for row in trials_of(*lines) for run in ("x", "y", "z")]
    built = build(tmp_path, table, "thresholds: {policy: none}\nprimary: {measure: auc}\nepc: none")
    line = "Test set: 10 trials (5 targets, 5 non-targets), 3 {}."
    assert data_lines(built.results) == (line.format("runs on the same trials"),)
    read = dataclasses.replace(built.results.study, runs="reader")
    assert data_lines(dataclasses.replace(built.results, study=read)) == (line.format("readers"),)


def test_the_line_without_a_development_set_and_of_unequal_models():
    results = simulate(World())
    alone = results.with_frames({TRIALS: results.frame(TRIALS).filter(split="test")})
    assert " ".join(data_lines(alone)) == "Test set: 1,000 trials (300 targets, 700 non-targets)."
    fewer = with_trials(alone, pl.col("model") == "TC2", n_target=200)
    assert " ".join(data_lines(fewer)) == "Test set: up to 1,000 trials (300 targets, 700 non-targets)."
    spoiled = with_trials(alone, pl.col("model") == "TC2", n_infinite=1)
    assert " ".join(data_lines(spoiled)) == " ".join(data_lines(alone))
    medical = dataclasses.replace(alone, study=dataclasses.replace(alone.study, vocabulary="ml"))
    assert " ".join(data_lines(medical)) == "Test set: 1,000 examples (300 positives, 700 negatives)."


def test_one_row_a_split_with_what_is_the_same_in_the_caption():
    results = simulate(World(models=FIVE, pictures=False, cluster="speaker"))
    found = table(compose(results), "data")
    assert [[c.text for c in row] for row in found.rows] == [["development", "1,000"], ["test", "1,000"]]
    snapshot("methods/data_one_row_a_split_with_what_is_the_same_in_the_caption", found.caption)
    found = table(compose(with_trials(results, pl.col("split") == "test", n_target=100)), "data")
    assert [c.title for c in found.columns] == ["split", "trials", "targets", "share of targets"]
    assert [[c.text for c in row] for row in found.rows] == [
        ["development", "1,000", "300", "30.0"],
        ["test", "800", "100", "12.5"],
    ]
    assert found.caption.endswith(" In each: non-targets 700, speakers 50.")


def test_a_row_a_model_where_models_differ():
    results = simulate(World(models=FIVE, pictures=False))
    missing = with_trials(results, (pl.col("model") == "TC2") & (pl.col("split") == "test"), n_missing=3)
    found = table(compose(missing), "data")
    assert found.caption.startswith("Trials per split. In each: ")
    assert [c.text for c in column(found, "model")] == ["all models", *FIVE]
    assert [c.text for c in column(found, "missing scores")] == ["0", "0", "3", "0", "0", "0"]


def test_groups_are_printed_by_column_and_value():
    results = simulate(World(pictures=False))
    group = {
        "group": pl.lit("sex=f"),
        "group_columns": pl.lit(["sex"], pl.List(pl.String)),
        "group_values": pl.lit(["f"], pl.List(pl.String)),
    }
    by_sex = dataclasses.replace(results, study=dataclasses.replace(results.study, by=(("sex",),)))
    frames = {
        contract: pl.concat([results.frame(contract), results.frame(contract).with_columns(**group)])
        for contract in (TRIALS, METRICS)
    }
    found = table(compose(by_sex.with_frames(frames)), "data_groups")
    assert [c.text for c in column(found, "group")] == ["sex: f", "sex: f"]


@pytest.mark.parametrize(
    ("split", "n", "line", "text", "grave"),
    [
        (
            "test",
            250,
            "non-targets), 250 more without a label. Dev",
            "250 of 1,250 rows on the test set (20.0%) have no label and are left out.",
            True,
        ),
        (
            "dev",
            40,
            "Development set: 1,000 trials, 40 more without a label.",
            "40 of 1,250 rows on the development set (3.2%) have no label and are left out.",
            False,
        ),
        ("test", 24, "non-targets), 24 more without a label. Dev", None, False),
    ],
)
def test_rows_without_a_label_are_counted_and_many_of_them_a_caution(split, n, line, text, grave):
    results = with_trials(simulate(World(pictures=False)), pl.lit(value=True), rows_read=1250)
    found = with_trials(results, pl.col("split") == split, n_unlabelled=n)
    assert line in " ".join(data_lines(found))
    cautions = [each for view in views(found) for each in unlabelled(view)]
    assert [(each.text.partition(" Results")[0], each.grave) for each in cautions] == (
        [(text, grave)] if text else []
    )
    assert [each for view in views(results) for each in unlabelled(view)] == []


def test_the_model_with_most_rows_without_a_label_is_named():
    results = with_trials(simulate(World(pictures=False)), pl.lit(value=True), rows_read=1000)
    found = with_trials(results, (pl.col("model") == "TC2") & (pl.col("split") == "test"), n_unlabelled=500)
    (caution,) = [each for view in views(found) for each in unlabelled(view)]
    assert caution.text.startswith("500 of 1,000 rows of TC2 on the test set (50.0%) have no label")
