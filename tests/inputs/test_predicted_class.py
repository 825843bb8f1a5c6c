"""Scores that are the confidence in the class that was predicted: they become the score of the target."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from command import reporting

SCORES = [0.62, 0.5, 0.31, 0.08, 0.77, 0.31, 0.5, 0.94, 0.45, 0.7]
TRUTH = [1, 0, 0, 0, 1, 1, 0, 1, 0, 0]
CONFIG = {
    "trials": {
        "source": "t.csv",
        "columns": {"label": "gold", "score": "sure", "predicted": "said"},
        "values": {"target": "yes", "nontarget": "no"},
    },
    "primary": {"measure": "auc"},
    "thresholds": {"policy": "none"},
    "models": {"m": {"scale": "probability"}},
    "significance": {"replicates": 99},
    "report": {"formats": ["json"]},
}
WORDS = ("no", "yes")
PAIRS = [(a, b) for a, one in zip(SCORES, TRUTH, strict=True) if one
         for b, other in zip(SCORES, TRUTH, strict=True) if not other]  # fmt: skip
AREA = sum((a > b) + (a == b) / 2 for a, b in PAIRS) / len(PAIRS)


def ended(folder: Path, command: str = "check", trials=None, change=lambda rows: rows):
    """Write a table of confidences and its config, and run a command."""
    rows = [
        [f"u{at}", "m", WORDS[one], WORDS[score >= 0.5], max(score, round(1 - score, 2))]
        for at, (one, score) in enumerate(zip(TRUTH, SCORES, strict=True))
    ]
    lines = [["trial", "model", "gold", "said", "sure"], *change(rows)]
    (folder / "t.csv").write_text("".join(",".join(map(str, row)) + "\n" for row in lines))
    config = {**CONFIG, "trials": {**CONFIG["trials"], **(trials or {})}}
    (folder / "report.yaml").write_text(json.dumps(config))
    return reporting(command, "report.yaml", cwd=folder)


def areas(folder: Path) -> list[float]:
    """Return the AUC of every model of the report."""
    frame = pl.read_parquet(folder / "report" / "frames" / "metrics.parquet")
    return frame.filter(measure="auc")["value"].to_list()


def test_the_score_is_that_of_the_target(tmp_path):
    assert ended(tmp_path, "run").returncode == 0
    (value,) = areas(tmp_path)
    assert value == pytest.approx(AREA, abs=1e-12)


def test_a_score_outside_is_no_confidence(tmp_path):
    said = ended(tmp_path, change=lambda rows: [*rows[:-1], [*rows[-1][:4], 0.3]])
    assert said.returncode == 2
    assert ("column 'sure' (the score): 1 of 10 rows outside [0.5, 1]") in said.stderr


def test_a_predicted_class_is_one_of_the_labels(tmp_path):
    said = ended(tmp_path, change=lambda rows: [*rows[:-1], [*rows[-1][:3], "maybe", 0.7]])
    assert said.returncode == 2
    assert "column 'said' (the predicted class): 1 of 10 rows hold unknown values: 'maybe'" in said.stderr
    said = ended(tmp_path, change=lambda rows: [*rows[:-1], [*rows[-1][:3], "", 0.7]])
    assert "column 'said' (the predicted class): 1 of 10 rows empty" in said.stderr


@pytest.mark.parametrize(
    ("trials", "fault"),
    [
        ({"values": {"target": "yes", "nontarget": "rest"}}, "needs two classes"),
        ({"values": {"target": "yes", "nontarget": "no", "spoof": "fake"}}, "needs two classes"),
        ({"layout": "kaldi"}, "belongs to the layouts long, wide, keyed; this one is kaldi"),
        ({"layout": "wide", "scores": ["sure", "more"]}, "names the class of one column of scores"),
        ({"columns": {"label": "none", "predicted": "said"}}, "needs labels"),
        ({"columns": {"label": "gold", "score": "sure", "predicted": "sad"}}, "did you mean 'said'?"),
    ],
)
def test_where_it_cannot_be(tmp_path, trials, fault):
    said = ended(tmp_path, trials=trials)
    assert said.returncode == 2
    assert fault in said.stderr


def test_a_table_with_a_column_of_that_name_is_as_before(tmp_path):
    """Nothing is turned unless the config says so, and layout wide takes it for scores."""
    (tmp_path / "t.csv").write_text(
        "label,predicted\n" + "".join(f"{at % 2},{at / 20}\n" for at in range(20))
    )
    config = {**CONFIG, "models": {}, "trials": {"source": "t.csv", "layout": "wide"}}
    (tmp_path / "report.yaml").write_text(json.dumps(config))
    said = reporting("check", "report.yaml", cwd=tmp_path)
    assert said.returncode == 0
    assert "1 model (predicted)" in said.stdout


def test_statements_do_not_read_it(tmp_path):
    config = {**CONFIG, "trials": {**CONFIG["trials"], "source": "duckdb:///t.db", "table": "t", "count": "there", "coarse": 24}}  # fmt: skip
    (tmp_path / "report.yaml").write_text(json.dumps(config))
    said = reporting("run", "report.yaml", cwd=tmp_path)
    assert said.returncode == 2
    assert "trials.columns.predicted: statements count the score as it is" in said.stderr


KEYED = {"layout": "keyed", "source": "{model}.csv", "keys": "truth.csv"}


@pytest.mark.parametrize(
    ("head", "columns", "predicted"),
    [
        ("id,target", {"label": "target", "score": "target", "trial": "id"}, False),
        ("id,label,score", {"label": "label", "predicted": "label", "trial": "id"}, True),
    ],
)
def test_a_name_in_both_files_means_what_its_file_holds(tmp_path, head, columns, predicted):
    name = head.split(",")[1]
    (tmp_path / "truth.csv").write_text(
        f"id,{name}\n" + "".join(f"u{at},{one}\n" for at, one in enumerate(TRUTH))
    )
    body = [
        f"u{at},{int(score >= 0.5)},{max(score, round(1 - score, 2))}" if predicted else f"u{at},{score}"
        for at, score in enumerate(SCORES)
    ]
    (tmp_path / "ours.csv").write_text("\n".join([head, *body]) + "\n")
    config = {**CONFIG, "models": {}, "trials": {**KEYED, "columns": columns}}
    (tmp_path / "report.yaml").write_text(json.dumps(config))
    assert reporting("run", "-q", "report.yaml", cwd=tmp_path).returncode == 0
    assert areas(tmp_path) == [pytest.approx(AREA)]


def test_one_column_of_one_file_is_not_both(tmp_path):
    said = ended(tmp_path, trials={"columns": {"label": "gold", "score": "gold"}})
    assert said.returncode == 2
    assert "'columns.label' and 'columns.score' are both 'gold'" in said.stderr


def test_a_fault_of_such_a_column_names_it_as_its_file_does(tmp_path):
    (tmp_path / "truth.csv").write_text("id,target\n" + "".join(f"u{at},{at % 2}\n" for at in range(8)))
    (tmp_path / "ours.csv").write_text("id,target\n" + "".join(f"u{at},many\n" for at in range(8)))
    columns = {"label": "target", "score": "target", "trial": "id"}
    config = {**CONFIG, "models": {}, "trials": {**KEYED, "columns": columns}}
    (tmp_path / "report.yaml").write_text(json.dumps(config))
    said = reporting("check", "report.yaml", cwd=tmp_path)
    assert "column 'target' (the score): 8 rows not numbers" in said.stderr
