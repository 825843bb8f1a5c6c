"""Targets by a threshold on what was observed."""

from __future__ import annotations

import json

import polars as pl
import pytest
from command import reporting

RAIN = ["0", "0.2", "1.0", "3.5", "0.0", "0", "1,5", "12"]
SCORES = [0.1, 0.3, 0.6, 0.8, 0.2, 0.65, 0.4, 0.9]


def ended(folder, command="check", rain=RAIN, **trials):
    """Write forecasts beside the rain that fell, and run a command."""
    lines = ["pop;rain", *(f"{score};{mm}" for score, mm in zip(SCORES, rain, strict=True))]
    (folder / "t.csv").write_text("\n".join(lines) + "\n")
    config = {
        "trials": {"source": "t.csv", "layout": "wide", "scores": ["pop"], "columns": {"label": "rain"}, **trials},
        "primary": {"measure": "auc"},
        "thresholds": {"policy": "none"},
        "significance": {"replicates": 99},
        "report": {"formats": ["json"]},
    }  # fmt: skip
    (folder / "report.yaml").write_text(json.dumps(config))
    return reporting(command, "report.yaml", cwd=folder)


@pytest.mark.parametrize(
    ("event", "targets"),
    [
        ({"above": 0}, [1, 2, 3, 6, 7]),
        ({"above": 1}, [3, 6, 7]),
        ({"at_least": 1}, [2, 3, 6, 7]),
        ({"below": 1}, [0, 1, 4, 5]),
        ({"at_most": 1}, [0, 1, 2, 4, 5]),
    ],
)
def test_numbers_beyond_a_threshold_are_targets(tmp_path, event, targets):
    assert ended(tmp_path, "run", values={"event": event}).returncode == 0
    frame = pl.read_parquet(tmp_path / "report" / "frames" / "metrics.parquet").filter(measure="auc")
    of = [SCORES[at] for at in targets]
    others = [score for at, score in enumerate(SCORES) if at not in targets]
    won = sum((a > b) + (a == b) / 2 for a in of for b in others)
    assert frame["value"].to_list() == [pytest.approx(won / len(of) / len(others))]


def test_what_is_no_number_is_no_label(tmp_path):
    said = ended(tmp_path, rain=[*RAIN[:-1], "trace"], values={"event": {"above": 0}})
    assert said.returncode == 2
    assert "1 of 8 rows hold unknown values: 'trace'" in said.stderr


def test_a_number_that_is_missing_is_no_label(tmp_path):
    said = ended(tmp_path, rain=[*RAIN[:-1], "NA"], values={"event": {"above": 0}})
    assert "1 of 8 rows without a label" in said.stderr


@pytest.mark.parametrize(
    ("trials", "fault"),
    [
        ({"values": {"event": {}}}, "expected one of above, at_least, below, at_most"),
        ({"values": {"event": {"above": 0, "below": 3}}}, "expected one of above, at_least, below, at_most"),
        ({"values": {"event": {"above": ".inf"}}}, "number"),
        ({"values": {"event": {"above": 0}, "target": "x"}}, "'event' makes the labels of numbers"),
        (
            {"values": {"event": {"above": 0}}, "layout": "kaldi", "scores": None},
            "needs a table with a column",
        ),
        (
            {"values": {"event": {"above": 0}}, "columns": {"label": "rain", "predicted": "x"}},
            "leave one out",
        ),
    ],
)
def test_where_it_cannot_be(tmp_path, trials, fault):
    said = ended(tmp_path, **trials)
    assert said.returncode == 2
    assert fault in said.stderr
