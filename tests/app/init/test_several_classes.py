"""Tables with a column of scores for each of several classes and models: ``init`` writes the key ``classes``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import yaml

from reporting.app.run.check import check_report
from tests.command import reporting

SPECIES = ("setosa", "versicolor", "virginica")


def flowers(name: str = "{model}_{label}", models: tuple[str, ...] = ("svm", "tree")) -> pl.DataFrame:
    """Return 60 flowers with scores in tenths: there are ties."""
    draw = np.random.default_rng(3)
    truth = np.arange(60) % 3
    scores: dict[str, Any] = {
        name.format(model=model, label=label): np.round(draw.random(60) + (truth == at), 1)
        for model in models
        for at, label in enumerate(SPECIES)
    }
    return pl.DataFrame({"id": np.arange(60), "species": [SPECIES[at] for at in truth], **scores})


def config_of(table: pl.DataFrame, folder: Path) -> dict[str, Any]:
    table.write_csv(folder / "flowers.csv")
    ended = reporting("init", "flowers.csv", cwd=folder)
    assert ended.returncode == 0, ended.stderr
    config: dict[str, Any] = yaml.safe_load((folder / "report.yaml").read_text())
    return config


def test_columns_called_by_model_and_class(tmp_path: Path) -> None:
    config = config_of(flowers(), tmp_path)
    assert config["trials"]["columns"]["label"] == "species"
    target = config["trials"]["values"]["target"]
    assert config["trials"]["values"]["nontarget"] == "rest"
    assert config["trials"]["scores"] == {model: f"{model}_{target}" for model in ("svm", "tree")}
    of_models = {model: {label: f"{model}_{label}" for label in SPECIES} for model in ("svm", "tree")}
    assert config["classes"] == {"labels": list(SPECIES), "scores": of_models}
    assert "2 models (svm, tree)" in check_report(tmp_path / "report.yaml")


def test_a_model_that_lacks_a_class_is_no_model_of_classes(tmp_path: Path) -> None:
    config = config_of(flowers(models=("svm", "tree", "net")).drop("net_setosa"), tmp_path)
    assert list(config["classes"]["scores"]) == ["svm", "tree"]


def test_a_row_for_each_model_and_a_column_for_each_class(tmp_path: Path) -> None:
    """Which column a target has, the config cannot see: it is asked."""
    draw, truth = np.random.default_rng(2), np.arange(120) % 3
    logit = draw.normal(0, 1, (120, 3)) + 2 * np.eye(3)[truth]
    scores = np.exp(logit) / np.exp(logit).sum(axis=1, keepdims=True)
    table = pl.DataFrame(
        {
            "id": np.arange(120) % 60,
            "model": ["svm"] * 60 + ["tree"] * 60,
            "label": [SPECIES[at] for at in truth],
        }
        | {f"p_{name}": np.round(scores[:, at], 4) for at, name in enumerate(SPECIES)}
    )
    table.write_csv(tmp_path / "flowers.csv")
    ended = reporting("init", "flowers.csv", cwd=tmp_path)
    assert (
        "? trials.columns.score: 'p_setosa', 'p_versicolor', 'p_virginica' add up to 1: is"
        in ended.stdout + ended.stderr
    )


def test_a_row_for_each_model_and_class(tmp_path: Path) -> None:
    """A long table: the column that holds all labels once a trial is that of the class of a score."""
    long = flowers().unpivot(index=["id", "species"], variable_name="name", value_name="score")
    parts = pl.col("name").str.split("_").list
    long = long.with_columns(model=parts.get(0), kind=parts.get(1)).drop("name").rename({"species": "label"})
    config = config_of(long.sample(fraction=1.0, shuffle=True, seed=1), tmp_path)
    assert sorted(config["classes"]["labels"]) == list(SPECIES)
    assert config["classes"]["column"] == "kind"
    assert "dataset" not in config["trials"]["columns"]
    assert "2 models (svm, tree): test 60 trials" in check_report(tmp_path / "report.yaml")


def one_vs_rest(**names: str) -> pl.DataFrame:
    """Return a row for each flower, model and class, labelled 1 where it is the class of the flower, else 0."""
    long = flowers().unpivot(index=["id", "species"], variable_name="name", value_name="score")
    parts = pl.col("name").str.split("_").list
    of_one = (pl.col("species") == parts.get(1)).cast(pl.Int64)
    table = long.select("score", trial="id", model=parts.get(0), kind=parts.get(1), truth=of_one)
    return table.rename(names).sample(fraction=1.0, shuffle=True, seed=1)


@pytest.mark.parametrize(
    "names", [{"kind": "class"}, {"kind": "class", "truth": "label"}, {"kind": "species", "truth": "target"}]
)
def test_a_label_of_one_class_against_the_rest(tmp_path: Path, names: dict[str, str]) -> None:
    config = config_of(one_vs_rest(**names), tmp_path)
    assert config["classes"] == {"labels": list(SPECIES), "column": names["kind"], "one_vs_rest": "1"}
    assert config["trials"]["values"]["nontarget"] == "rest"
    assert config["trials"]["values"]["target"] in SPECIES
    assert "2 models (svm, tree): test 60 trials (20 targets)" in check_report(tmp_path / "report.yaml")


ASKED = (
    "? classes.one_vs_rest: does 'kind' name the class that each row is about, and the row of its trial's own"
)


@pytest.mark.parametrize(
    ("labels", "right", "called"),
    [
        ((0, 1, 2), (1, 0), "label"),
        (tuple(range(10)), (1, 0), "target"),
        (("cat", "dog"), (1, 0), "label"),
        ((0, 1), (1, 0), "label"),
        (SPECIES, (1, 0), "correct"),
        (SPECIES, ("right", "wrong"), "label"),
        (SPECIES, ("incorrect", "correct")[::-1], "label"),
        (SPECIES, ("yes", "no"), "is_class"),
    ],
)
def test_what_may_be_something_else_is_asked(
    tmp_path: Path, labels: tuple[Any, ...], right: tuple[Any, Any], called: str
) -> None:
    """Numbers, two classes and labels of other names: speakers of whom each trial is of one look the same."""
    draw, n = np.random.default_rng(4), 12 * len(labels)
    rows = [
        {"trial": at, "model": model, "kind": kind, called: right[0] if is_own else right[1],
         "score": round(draw.normal() + is_own, 1)}
        for model in ("svm", "tree") for at in range(n) for place, kind in enumerate(labels)
        for is_own in [at % len(labels) == place]
    ]  # fmt: skip
    table = pl.DataFrame(rows).sample(fraction=1.0, shuffle=True, seed=1)
    config = config_of(table, tmp_path)
    texts = list(map(str, labels))
    assert config["classes"] == {"labels": sorted(texts), "column": "kind", "one_vs_rest": str(right[0])}
    assert config["trials"].get("columns", {}).get("label", "label") == called
    assert f"2 models (svm, tree): test {n} trials (12 targets)" in check_report(tmp_path / "report.yaml")
    asked = ASKED in reporting("init", "flowers.csv", "--force", cwd=tmp_path).stdout
    assert asked is not (labels == SPECIES and called in ("label", "is_class"))


def test_enrolled_speakers_in_a_column_called_model_are_asked_about(tmp_path: Path) -> None:
    """Rows are trials of one system, whose column of models has another name; check accepts it."""
    draw = np.random.default_rng(1)
    rows = [
        {"model": f"spk{m}", "trial": f"utt{t}", "label": int(t % 6 == m), "score": round(draw.normal(), 1)}
        for m in range(6)
        for t in range(20)
    ]
    config = config_of(pl.DataFrame(rows), tmp_path)
    assert config["trials"]["columns"] == {"model": "system", "trial": "none"}
    assert "1 model (flowers): test 120 trials (20 targets)" in check_report(tmp_path / "report.yaml")
    shown = reporting("init", "flowers.csv", "--force", cwd=tmp_path).stdout
    assert "? trials.columns.model: is 'model' one side of pairs, such as an enrolled speaker?" in shown


def test_a_second_column_of_the_truth_beside_such_labels_is_no_label(tmp_path: Path) -> None:
    table = one_vs_rest(kind="class", truth="label")
    of_trial = table.filter(pl.col("label") == 1).select("trial", "model", truth="class")
    config = config_of(table.join(of_trial, on=["trial", "model"]), tmp_path)
    assert config["classes"] == {"labels": list(SPECIES), "column": "class", "one_vs_rest": "1"}
    assert "2 models (svm, tree): test 60 trials (20 targets)" in check_report(tmp_path / "report.yaml")


def test_such_labels_of_one_model_without_a_name_are_left_as_they_are(tmp_path: Path) -> None:
    """A row for each class needs a column of models (layout long)."""
    table = one_vs_rest(kind="class").filter(pl.col("model") == "svm").drop("model")
    table.write_csv(tmp_path / "flowers.csv")
    ended = reporting("init", "flowers.csv", cwd=tmp_path)
    assert "classes." not in ended.stdout
    assert "'trial' repeats, with both labels: is it one side of pairs, or are labels wrong?" in ended.stdout


def test_items_that_may_be_of_several_classes_are_no_such_table(tmp_path: Path) -> None:
    several = one_vs_rest(kind="class").with_columns(truth=(pl.col("trial") % 2 == 0).cast(pl.Int64))
    assert "classes" not in config_of(several, tmp_path)


def test_the_truth_of_two_columns_with_the_same_classes_is_that_of_its_trial(tmp_path: Path) -> None:
    """A long table whose columns ``species`` and ``kind`` have no name of a label."""
    long = flowers().unpivot(index=["id", "species"], variable_name="name", value_name="score")
    parts = pl.col("name").str.split("_").list
    long = long.with_columns(model=parts.get(0), kind=parts.get(1)).drop("name")
    config = config_of(long, tmp_path)
    assert config["trials"]["columns"]["label"] == "species"
    assert config["classes"] == {"labels": list(SPECIES), "column": "kind"}
    assert "# ? is 'species' the label? its name does not say so" in (tmp_path / "report.yaml").read_text()


def test_classes_that_columns_of_probabilities_name_are_the_label_of_one_model(tmp_path: Path) -> None:
    columns = [f"p_{label}" for label in SPECIES]
    scores = flowers(models=("p",)).with_columns(pl.col(*columns) + 0.1)
    table = scores.with_columns(pl.col(*columns) / pl.sum_horizontal(columns))
    config = config_of(table, tmp_path)
    assert config["trials"]["columns"]["label"] == "species"
    text = (tmp_path / "report.yaml").read_text()
    assert "# ? is 'species' the label? its name does not say so" in text
    assert "# classes:" in text
