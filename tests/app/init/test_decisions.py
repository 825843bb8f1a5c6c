"""Tables of decisions, without a score behind them: ``init`` writes what they are judged by, and asks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import yaml

import reporting
from reporting.app.init.starter import write_starter
from reporting.errors import ConfigError, DataError

N = 90
TRUTH = (np.arange(N) % 3 == 0).astype(int)
DECIDED = np.where(np.arange(N) % 7 == 0, 1 - TRUTH, TRUTH)
BALANCED_ACCURACY = ((DECIDED[TRUTH == 1] == 1).mean() + (DECIDED[TRUTH == 0] == 0).mean()) / 2
FEW = ["significance.replicates=39", "report.formats=[json]"]


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def started(*names: str) -> tuple[list[str], dict[str, Any]]:
    """Return the questions of files, and the config."""
    shown = write_starter(names, Path("report.yaml"))
    config = yaml.safe_load(Path("report.yaml").read_text())
    return [line for line in shown.splitlines() if line.startswith("? ")], config


def values() -> dict[str, float]:
    """Return the balanced accuracy of every model of the report."""
    metrics = reporting.make_report("report.yaml", overrides=FEW).frames["metrics"]
    of = metrics.filter(measure="balanced_accuracy").select("model", "value").rows()
    return dict(of)


@pytest.mark.parametrize("form", [int, float])
def test_decisions_next_to_the_truth(form):
    """Whole numbers without a name of a score are no scores, and the age is none."""
    pl.DataFrame(
        {"id": np.arange(N) + 7, "age": np.arange(N) * 13 % 60, "y_true": TRUTH, "y_pred": DECIDED.astype(form)}
    ).write_csv("t.csv")  # fmt: skip
    questions, config = started("t.csv")
    assert config["trials"]["scores"] == {"t": "y_pred"}
    assert config["primary"] == {"measure": "balanced_accuracy", "criterion": "fixed(threshold=0.5)"}
    assert config["thresholds"] == {"policy": "none"}
    assert "trials.scores: is 'y_pred' a decision of 0 and 1? it is judged as it is" in questions[0]
    assert values() == pytest.approx({"t": BALANCED_ACCURACY})


def test_a_score_comes_before_the_decision_that_it_makes():
    score = np.round(TRUTH * 0.3 + np.arange(N) * 7 % 11 / 20, 2)
    pl.DataFrame({"died": TRUTH, "pred": (score > 0.5).astype(int), "risk": score}).write_csv("t.csv")
    _, config = started("t.csv")
    assert config["trials"]["scores"] == {"t": "risk"}
    assert config["primary"] == {"measure": "auc"}


def test_decisions_of_several_models_next_to_a_file_of_labels():
    """The models are in a column of no known name, and the rows are called by a number."""
    rows = [
        {"split": "test", "row_idx": at, "mode": mode, "pred": int(DECIDED[at] if mode == "strict" else TRUTH[at])}
        for mode in ("strict", "moderate", "mild")
        for at in range(N)
    ]  # fmt: skip
    pl.DataFrame(rows).write_ndjson("predictions.jsonl")
    pl.DataFrame({"row_idx": np.arange(N), "safety": ["unsafe" if it else "safe" for it in TRUTH]}).write_ndjson("labels.jsonl")  # fmt: skip
    questions, config = started("predictions.jsonl", "labels.jsonl")
    columns = config["trials"]["columns"]
    assert columns == {"label": "safety", "trial": "row_idx", "score": "pred", "model": "mode"}
    assert any("is 'mode' the model? a guess" in line for line in questions)
    assert values() == pytest.approx({"strict": BALANCED_ACCURACY, "moderate": 1, "mild": 1})


def test_decisions_of_a_data_frame_are_asked_about_until_they_are_named():
    table = pl.DataFrame({"y_true": TRUTH, "y_pred": DECIDED})
    with pytest.raises(ConfigError, match="is 'y_pred' a decision of 0 and 1.*; answer with score='y_pred'"):
        reporting.make_report(table)
    metrics = reporting.make_report(table, score="y_pred", overrides=FEW).frames["metrics"]
    (found,) = metrics.filter(measure="balanced_accuracy")["value"]
    assert found == pytest.approx(BALANCED_ACCURACY)


def test_truth_and_decisions_of_one_name_are_told_apart_by_the_user():
    """As of Kaggle: a solution and two submissions, each with the column Survived."""
    tables = {"solution": TRUTH, "forest": DECIDED, "rule": 1 - TRUTH}
    for name, outcome in tables.items():
        pl.DataFrame({"PassengerId": np.arange(N) + 892, "Survived": outcome}).write_csv(f"{name}.csv")
    with pytest.raises(
        DataError, match="'Survived' is 0 or 1 in each file, for the same trials: which one holds"
    ):
        started(".")
    for name in ("forest", "rule"):
        pl.read_csv(f"{name}.csv").rename({"Survived": "pred"}).write_csv(f"{name}.csv")
    _, config = started(".")
    assert config["trials"]["keys"] == "solution.csv"
    assert values() == pytest.approx({"forest": BALANCED_ACCURACY, "rule": 0})
