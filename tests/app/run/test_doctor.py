"""Which questions a table can answer: by what it holds, for every design, without writing anything."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import polars as pl
import pytest

from reporting.features.catalogue import FEATURES
from tests.command import reporting

PAIRED = {"Are two models equal on the same trials?", "How often do two models decide alike?"}
OF_THRESHOLDS = {
    "What does each model do at a threshold chosen before the test?",
    "How often do two models decide alike?",
    "Which model is best at which costs, with thresholds from development data?",
    "What do decisions cost at given priors and costs?",
    "What is gained by leaving some decisions to review?",
    "How many alerts per day does a threshold give, how many of them are right, and what does it save?",
}
DIFFERENCE = "How large is the difference of two models?"
OTHER_ORDER = "Would another defensible analysis put another model first?"
GROUPS = "Are errors alike in all groups of trials?"
PROBABILITIES = "Are probabilities calibrated, and do decisions by them have a net benefit?"
RATIOS = "What are log likelihood ratios worth?"
DRIFT = "Does a threshold of the development set still fit the test set?"
TRANSFER = "Does a threshold of one dataset hold on another?"
READERS = "How do readers differ, and does a difference between models extend to other readers?"
ATTEMPTS = "How often does a model solve an item in all of k attempts, or in at least one?"
CLASSES = "How well does a model separate several classes?"
LEARNING = "How good is the procedure that trains a model, over trainings and training sets?"
RANKING = "Which of many models may be best?"


def trials(
    models: str = "AB", splits: tuple[str, ...] = ("dev", "test"), datasets: str = "x", levels: int = 9
) -> pl.DataFrame:
    """Return 60 trials a dataset and split of 12 speakers, a third of them targets, with ties."""
    rows = [
        {
            "dataset": dataset,
            "trial": f"{dataset}{split}{at}",
            "cluster": f"{split}{at % 12}",
            "model": model,
            "split": split,
            "label": "target" if at % 3 == 0 else "nontarget",
            "score": float((at * 7 + ord(model) % 2 + 3 * (at % 3 == 0)) % levels + 2),
            "noise": "loud" if at % 2 else "quiet",
        }
        for dataset, split, at, model in product(datasets, splits, range(60), models)
    ]
    return pl.DataFrame(rows)


def doctored(table: pl.DataFrame, folder: Path, *more: str) -> dict[str, object]:
    """Return the diagnosis of a table as data; nothing but the table is in its folder afterwards."""
    table.write_csv(folder / "trials.csv")
    ended = reporting("doctor", "trials.csv", "--json", *more, cwd=folder)
    assert [path.name for path in folder.iterdir()] == ["trials.csv"]
    assert ended.returncode == 0, ended.stderr
    diagnosis = json.loads(ended.stdout)
    assert isinstance(diagnosis, dict)
    return diagnosis


@pytest.mark.parametrize(
    ("table", "lacking"),
    [
        (trials(), {RATIOS, PROBABILITIES, RANKING, TRANSFER}),
        (trials("ABC", datasets="xy"), {RATIOS, PROBABILITIES}),
        (trials("A"), {RATIOS, PROBABILITIES, RANKING, TRANSFER, DIFFERENCE, OTHER_ORDER} | PAIRED),
        (trials(splits=("test",)), {RATIOS, PROBABILITIES, RANKING, TRANSFER, DRIFT}),
        (trials().drop("noise"), {RATIOS, PROBABILITIES, RANKING, TRANSFER, GROUPS}),
        (
            trials("A").drop("trial", "cluster", "noise").rename({"score": "llr"}),
            {PROBABILITIES, RANKING, TRANSFER, DIFFERENCE, OTHER_ORDER, GROUPS} | PAIRED,
        ),
    ],
    ids=["two models", "three models of two sets", "one model", "no dev", "no groups", "ratios"],
)
def test_a_question_is_answered_by_what_the_table_holds(
    table: pl.DataFrame, lacking: set[str], tmp_path: Path
) -> None:
    diagnosis = doctored(table, tmp_path)
    missing = diagnosis["lacking"]
    assert isinstance(missing, dict)
    asked = [feature.asks for feature in FEATURES.values() if feature.asks]
    always = {"What has changed since the last run?", READERS, ATTEMPTS, LEARNING, CLASSES}
    assert set(missing) == (lacking | always) & {*asked}
    assert sorted([*missing, *diagnosis["answers"]]) == sorted(asked)  # type: ignore[misc]


def test_decisions_are_no_scores(tmp_path: Path) -> None:
    missing = doctored(trials(levels=2), tmp_path)["lacking"]
    assert isinstance(missing, dict)
    assert "not decisions" in missing["How do errors trade off along the threshold?"][0]


def test_units_are_those_that_are_resampled(tmp_path: Path) -> None:
    dev = {"dataset": "x", "split": "dev", "trials": 60, "targets": 20, "units": 12, "unit": "cluster"}
    assert doctored(trials(), tmp_path)["sets"] == [dev, dev | {"split": "test"}]


def test_rows_without_a_key_are_no_pairs_and_no_folds(tmp_path: Path) -> None:
    table = trials(splits=("test",)).drop("trial", "cluster")
    missing = doctored(table, tmp_path)["lacking"]
    assert isinstance(missing, dict)
    assert missing.keys() >= (PAIRED | OF_THRESHOLDS) & {feature.asks for feature in FEATURES.values()}


def test_a_table_that_a_check_refuses_is_shown_with_its_fault(tmp_path: Path) -> None:
    table = trials().with_columns(score=pl.when(pl.int_range(pl.len()) > 0).then("score"))
    table.write_csv(tmp_path / "trials.csv")
    faulty = pl.concat([table, table.tail(1)])
    faulty.write_csv(tmp_path / "trials.csv")
    ended = reporting("doctor", "trials.csv", cwd=tmp_path)
    assert ended.returncode == 2
    assert "No report can be made of it yet:" in ended.stdout
    assert ended.stdout.endswith("reporting check report.yaml\n")


def test_what_cannot_be_trials_is_refused_as_by_init(tmp_path: Path) -> None:
    (tmp_path / "notes.csv").write_text("name,city\nA,B\n")
    ended = reporting("doctor", "notes.csv", cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == reporting("init", "notes.csv", cwd=tmp_path).stderr


def test_the_config_it_shows_is_the_one_that_init_writes(tmp_path: Path) -> None:
    import yaml

    config = doctored(trials(), tmp_path)["config"]
    reporting("init", "trials.csv", cwd=tmp_path)
    assert config == yaml.safe_load((tmp_path / "report.yaml").read_text())


def test_every_question_about_trials_says_what_it_asks_and_needs() -> None:
    silent = [feature.key for feature in FEATURES.values() if not feature.asks]
    assert silent == ["paper_tables", "reliability", "methods"]
    for feature in FEATURES.values():
        assert bool(feature.needs) == bool(feature.asks), feature.key
        assert not feature.asks or feature.asks.endswith("?"), feature.key
