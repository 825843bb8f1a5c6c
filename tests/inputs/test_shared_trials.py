"""``missing: shared``: only trials that every model and run has, with a score, are compared."""

import polars as pl
import pytest
from build import build

from reporting.document.frames.comparisons import COMPARISONS
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.trials import TRIALS
from reporting.document.words.view import views
from reporting.errors import ConfigError, DataError
from reporting.features.methods.data import missing_dropped

CONFIG = """
trials: {source: trials.parquet, missing: shared, columns: {label: none, trial: item, score: grade, run: epoch}}
primary: {measure: mean_score}
"""


def table(epochs=2):
    """Grades of twelve items."""
    return [
        {
            "model": model,
            "item": f"q{item:02}",
            "epoch": str(epoch),
            "grade": float((item * 7 + epoch + number) % 6),
        }
        for number, model in enumerate("ab")
        for item in range(12)
        for epoch in range(epochs)
    ]


def lacking(rows):
    """The table without an epoch of q03 in one model, without q05 in the other, and with an empty grade of q07."""
    kept = [
        row
        for row in rows
        if (row["model"], row["item"], row["epoch"]) != ("a", "q03", "1")
        and (row["model"], row["item"]) != ("b", "q05")
    ]
    return [
        row | {"grade": None} if (row["model"], row["item"], row["epoch"]) == ("a", "q07", "0") else row
        for row in kept
    ]


def numbers(built):
    metrics = {(row.model, row.run): (row.value, row.ci_low, row.ci_high) for row in built.rows(METRICS)}
    (pair,) = built.rows(COMPARISONS)
    return metrics, (pair.difference, pair.ci_low, pair.p_value, pair.n_units)


def test_the_report_is_that_of_the_trials_that_all_have(tmp_path):
    rows = table()
    shared = build(tmp_path / "a", lacking(rows), CONFIG)
    whole = [row for row in rows if row["item"] not in ("q03", "q05", "q07")]
    assert numbers(shared) == numbers(build(tmp_path / "b", whole, CONFIG))
    assert {row.n_target for row in shared.rows(TRIALS)} == {9}


def test_a_whole_table_loses_nothing(tmp_path):
    rows = table()
    assert numbers(build(tmp_path / "a", rows, CONFIG)) == numbers(
        build(tmp_path / "b", rows, CONFIG, "trials.missing=error")
    )


def test_it_is_a_caution_how_many_each_model_has(tmp_path):
    built = build(tmp_path, [row for row in lacking(table()) if row["epoch"] == "0"], CONFIG)
    (caution,) = missing_dropped(next(iter(views(built.results))))
    assert "Only the 10 items" in caution.text or "Only the 10 trials" in caution.text
    assert "a has 11 and b has 11" in caution.text


def test_a_mean_over_runs_has_it_too(tmp_path):
    built = build(tmp_path, lacking(table()), CONFIG)
    texts = {caution.text for view in views(built.results) for caution in missing_dropped(view)}
    assert len(texts) == 1
    assert "a has 11 and b has 11" in texts.pop()


def test_development_and_test_sets_and_classes(tmp_path):
    rows = [
        {
            "model": model,
            "trial": f"{split}{at}",
            "split": split,
            "label": at % 2,
            "score": float((at * 5 + number) % 9),
        }
        for number, model in enumerate("ab")
        for split in ("dev", "test")
        for at in range(20)
    ]
    config = "trials: {source: trials.parquet, missing: shared}\nepc: none\nmeasures: [hter, auc]\n"
    lost = [row for row in rows if (row["model"], row["trial"]) not in (("a", "dev3"), ("b", "test8"))]
    both = [row for row in rows if row["trial"] not in ("dev3", "test8")]
    found, expected = build(tmp_path / "a", lost, config), build(tmp_path / "b", both, config)
    assert found.frames["metrics"].equals(expected.frames["metrics"])


@pytest.mark.parametrize("key", ["runs: fold", "layout: counts", "count: there"])
def test_counts_and_folds_are_refused(tmp_path, key):
    with pytest.raises(ConfigError, match="missing: shared compares rows of models by their trials"):
        build(tmp_path, table(), f"trials: {{source: trials.parquet, missing: shared, {key}}}\n")


def test_a_table_without_a_trial_key_is_refused(tmp_path):
    rows = pl.DataFrame(table()).drop("item")
    with pytest.raises(DataError, match="name their column in trials.columns.trial"):
        _ = build(tmp_path, rows, CONFIG.replace("trial: item, ", "")).table
