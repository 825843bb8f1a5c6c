"""Items attempted unequally often (``trials.runs: epoch``): the scores of an item are averaged first."""

from __future__ import annotations

import math

import polars as pl
import pytest
from build import build
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student

from reporting.document.frames.comparisons import COMPARISONS
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.trials import TRIALS
from reporting.errors import ConfigError, DataError
from reporting.features.compose import compose

CONFIG = """
trials:
  source: trials.parquet
  columns: {label: none, trial: item, score: grade, run: epoch}
  runs: epoch
primary: {measure: mean_score}
report: {vocabulary: evals}
"""
SEEDS = CONFIG.replace("  runs: epoch\n", "")


def rows_of(grades):
    """A row per attempt: grades by model and item, in the order of epochs."""
    return [
        {"model": model, "item": item, "epoch": str(epoch), "grade": float(grade)}
        for model, items in grades.items()
        for item, attempts in items.items()
        for epoch, grade in enumerate(attempts)
    ]


# Item means of a: 2, 2, 4; of b: 2, 3, 5.
UNEVEN = {"a": {"q0": [1, 3], "q1": [2], "q2": [5, 5, 2]}, "b": {"q0": [2], "q1": [4, 2], "q2": [5]}}


def numbers(built):
    values = {row.model: (row.value, row.ci_low, row.ci_high) for row in built.rows(METRICS)}
    (pair,) = built.rows(COMPARISONS)
    return values, (pair.difference, pair.se, pair.ci_low, pair.ci_high, pair.p_value, pair.n_units)


def test_by_hand(tmp_path):
    built = build(tmp_path, rows_of(UNEVEN), CONFIG)
    values, (difference, se, low, high, p, n) = numbers(built)
    assert (values["a"][0], values["b"][0], difference) == pytest.approx((8 / 3, 10 / 3, 2 / 3))
    assert (se, n) == (pytest.approx(1 / 3), 3)  # of the differences 0, 1, 1: variance 1/3 over 3 items
    half = student.ppf(0.975, 2) / 3
    assert (low, high) == pytest.approx((2 / 3 - half, 2 / 3 + half))
    assert p == pytest.approx(2 * student.sf(2, 2))
    assert "scores averaged over epochs" in str(compose(built.results))


def test_data_of_several_datasets_are_averaged_over_epochs_too(tmp_path):
    rows = [row | {"task": task} for task in ("t1", "t2") for row in rows_of(UNEVEN)]
    built = build(tmp_path, rows, CONFIG.replace("epoch}", "epoch, dataset: task}"))
    assert "t1 and t2: each 3 items, scores averaged over epochs." in str(compose(built.results))


@settings(max_examples=10, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 2), min_size=6, max_size=6), min_size=3, max_size=6).filter(
        lambda grades: len({sum(item[:3]) for item in grades}) > 1 < len({sum(item[3:]) for item in grades})
    )
)
def test_equally_many_epochs_are_a_mean_over_runs(tmp_path_factory, grades):
    table = {
        model: {f"q{at}": item[first : first + 3] for at, item in enumerate(grades)}
        for model, first in (("a", 0), ("b", 3))
    }
    folder = tmp_path_factory.mktemp("epochs")
    own, pair = numbers(build(folder / "epoch", rows_of(table), CONFIG))
    built = build(folder / "seed", rows_of(table), SEEDS)
    means = {
        row.model: (row.value, row.ci_low, row.ci_high) for row in built.rows(METRICS) if row.run == "mean"
    }
    assert means.keys() == own.keys()
    for model, mean in means.items():
        assert own[model] == pytest.approx(mean, abs=1e-9)
    (row,) = built.rows(COMPARISONS)
    assert pair[:5] == pytest.approx(
        (row.difference, row.se, row.ci_low, row.ci_high, row.p_value), abs=1e-9, nan_ok=True
    )


@settings(max_examples=10, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_and_the_files_of_epochs_play_no_part(tmp_path_factory, random):
    rows, folder = rows_of(UNEVEN), tmp_path_factory.mktemp("epochs")
    usual = numbers(build(folder / "usual", rows, CONFIG))
    random.shuffle(rows)
    assert numbers(build(folder / "other", rows, CONFIG)) == usual
    parts = folder / "parts"
    parts.mkdir()
    for at, part in enumerate((rows[:3], rows[3:])):
        pl.DataFrame(part).write_parquet(parts / f"part{at}.parquet")
    assert numbers(build(folder / "files", rows, CONFIG, f"trials.source={parts}/*.parquet")) == usual


def test_an_item_that_a_model_lacks_is_refused_or_left_out(tmp_path):
    lacking = {**UNEVEN, "b": {"q0": [2], "q1": [4, 2]}}
    with pytest.raises(DataError, match="1 missing, first 'q2'"):
        assert build(tmp_path / "refused", rows_of(lacking), CONFIG).frames
    values, (difference, *_) = numbers(
        build(tmp_path / "shared", rows_of(lacking), CONFIG, "trials.missing=shared")
    )
    assert (values["a"][0], values["b"][0], difference) == (2, 2.5, 0.5)


def test_an_epoch_without_a_score_is_refused_or_left_out_of_the_mean(tmp_path):
    rows = [row | {"grade": None} if row["grade"] == 3 else row for row in rows_of(UNEVEN)]
    with pytest.raises(DataError, match="1 of 10 rows missing"):
        assert build(tmp_path / "refused", rows, CONFIG).frames
    built = build(tmp_path / "dropped", rows, CONFIG, "trials.missing=drop")
    assert numbers(built)[0]["a"][0] == pytest.approx((1 + 2 + 4) / 3)
    page = str(compose(built.results))
    assert "The means of items leave out epochs without a score: a lacks 1 epoch on the test set" in page
    assert "Of 3 items on the test set, 0 are left out" in page


def test_epochs_without_a_score_are_counted_in_their_group_too(tmp_path):
    rows = [row | {"topic": row["item"][1] == "2"} for row in rows_of(UNEVEN)]
    rows[0]["grade"] = rows[4]["grade"] = rows[5]["grade"] = None
    built = build(tmp_path, rows, CONFIG + "by: [topic]\n", "trials.missing=drop")
    counted = {(row.model, row.group): (row.n_missing, row.rows_read) for row in built.rows(TRIALS)}
    assert [counted["a", group][0] for group in ("", "topic=false", "topic=true")] == [3, 1, 2]
    assert {n for (model, _), (n, _) in counted.items() if model == "b"} == {0}


def test_runs_as_seeds_name_the_way_out(tmp_path):
    with pytest.raises(DataError, match="trials.runs: epoch averages those of an item first"):
        assert build(tmp_path, rows_of(UNEVEN), SEEDS).frames


def test_topics_are_clusters_of_items(tmp_path):
    table = {model: {f"q{at}": [at % 3, at % 2] for at in range(8)} for model in "ab"}
    rows = [row | {"topic": f"t{int(row['item'][1:]) // 2}"} for row in rows_of(table)]
    built = build(tmp_path / "a", rows, CONFIG.replace("epoch}", "epoch, cluster: topic}"))
    assert {row.ci_method for row in built.rows(METRICS)} == {"item_t"}
    rows[-1]["topic"] = "t0"
    with pytest.raises(
        DataError, match=r"differ in what all its epochs share \(column 'topic' \(the cluster\)\)"
    ):
        assert build(tmp_path / "b", rows, CONFIG.replace("epoch}", "epoch, cluster: topic}")).frames


def test_a_breakdown_is_of_items_whatever_its_column_is_called(tmp_path):
    table = {model: {f"q{at}": [at % 3, at % 2] for at in range(8)} for model in "ab"}
    rows = [row | {"asked_text": f"k{row['epoch']}"} for row in rows_of(table)]
    with pytest.raises(DataError, match="differ in what all its epochs share .*'asked_text'"):
        assert build(tmp_path, rows, CONFIG + "by: [asked_text]\n").frames


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (("mean_score}", "mean_score}\nmeasures: [brier]"), ConfigError, "'brier' judges every row"),
        ((", run: epoch", ""), DataError, "name the column in trials.columns.run"),
        (("trial: item, ", ""), DataError, "name the column in trials.columns.trial"),
        (
            ("runs: epoch", "runs: epoch\n  weights: grade"),
            ConfigError,
            "which counts and weights do not keep",
        ),
    ],
)
def test_what_cannot_be_is_refused(tmp_path, change, error, message):
    with pytest.raises(error, match=message):
        assert build(tmp_path, rows_of(UNEVEN), CONFIG.replace(*change)).frames


def test_an_epoch_attempts_an_item_once(tmp_path):
    rows = rows_of(UNEVEN)
    with pytest.raises(DataError, match="'q0' occurs 2 times in run '0' of model 'a'"):
        assert build(tmp_path, [*rows, rows[0]], CONFIG).frames


def test_no_score_of_infinity_becomes_finite(tmp_path):
    rows = rows_of({**UNEVEN, "b": {**UNEVEN["b"], "q0": [math.inf, 1]}})
    values = {row.model: row.value for row in build(tmp_path, rows, CONFIG).rows(METRICS)}
    assert values == {"a": pytest.approx(8 / 3), "b": None}
