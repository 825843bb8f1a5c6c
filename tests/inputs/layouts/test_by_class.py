"""Tables with a column for each class: of scores, or of numbers of trials."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from command import reporting

TARGETS, OTHERS = [3.0, 2.0, 2.0, 1.0, 0.5, 2.5], [0.0, 1.0, -1.0, 0.5, 0.0, -2.0, 1.5, -0.5]
PAIRS = [(a, b) for a in TARGETS for b in OTHERS]
AREA = sum((a > b) + (a == b) / 2 for a, b in PAIRS) / len(PAIRS)
VALUES = {"target": "genuine", "nontarget": "impostor"}


def written(folder: Path, **trials):
    """Write a config of the trials."""
    config = {
        "trials": {"values": VALUES, **trials},
        "primary": {"measure": "auc"},
        "thresholds": {"policy": "none"},
        "significance": {"replicates": 99},
        "report": {"formats": ["json"]},
    }
    (folder / "report.yaml").write_text(json.dumps(config))


def columns_of(folder: Path, name: str = "m.csv", tail: str = "", shift: float = 0.0) -> None:
    """Write the scores of both classes side by side; the shorter column ends in ``tail``."""
    rows = [
        f"{TARGETS[at] + shift if at < len(TARGETS) else tail},{other}" for at, other in enumerate(OTHERS)
    ]
    (folder / name).write_text("genuine,impostor\n" + "\n".join(rows) + "\n")


def histogram_of(folder: Path, name: str = "m.csv") -> None:
    """Write a row per score, with the numbers of trials of both classes."""
    rows = [f"{score},{TARGETS.count(score)},{OTHERS.count(score)}" for score in sorted({*TARGETS, *OTHERS})]
    (folder / name).write_text("bin,genuine,impostor\n" + "\n".join(rows) + "\n")


def areas(folder: Path) -> dict[str, float]:
    """Make the report, and return the AUC by model."""
    ended = reporting("run", "-q", "report.yaml", cwd=folder)
    assert ended.returncode == 0, ended.stderr
    frame = pl.read_parquet(folder / "report" / "frames" / "metrics.parquet").filter(measure="auc")
    return dict(frame.select("model", "value").iter_rows())


def fault(folder: Path) -> str:
    """Return what check refuses."""
    ended = reporting("check", "report.yaml", cwd=folder)
    assert ended.returncode == 2, ended.stdout
    return ended.stderr


@pytest.mark.parametrize("tail", ["", "NA", "nan"])
def test_columns_of_scores_may_differ_in_length(tmp_path, tail):
    columns_of(tmp_path, tail=tail)
    written(tmp_path, layout="classes", source="m.csv")
    assert areas(tmp_path) == {"m": pytest.approx(AREA)}


def test_a_hole_in_a_column_is_a_missing_score(tmp_path):
    (tmp_path / "m.csv").write_text("genuine,impostor\n2,1\n,0\n3,2\n,1\n")
    written(tmp_path, layout="classes", source="m.csv")
    assert "1 of 7 rows missing or NaN" in fault(tmp_path)


def test_numbers_of_trials(tmp_path):
    histogram_of(tmp_path)
    written(tmp_path, layout="histogram", source="m.csv", columns={"score": "bin"})
    assert areas(tmp_path) == {"m": pytest.approx(AREA)}


def test_paths_name_models_and_splits(tmp_path):
    for split in ("dev", "test"):
        columns_of(tmp_path, f"a-{split}.csv")
        columns_of(tmp_path, f"b-{split}.csv", shift=9)
    written(tmp_path, layout="classes", source="{model}-{split}.csv")
    assert areas(tmp_path) == {"a": pytest.approx(AREA), "b": 1.0}


def test_non_targets_may_have_several_columns(tmp_path):
    (tmp_path / "m.csv").write_text("genuine,impostor,attack\n2,1,1.5\n3,0,0.5\n2.5,2,2.75\n")
    # Of the six others 2 beats four and ties with one, 3 beats all, 2.5 beats five.
    for nontarget in (["impostor", "attack"], "rest"):
        written(
            tmp_path, layout="classes", source="m.csv", values={"target": "genuine", "nontarget": nontarget}
        )
        assert areas(tmp_path) == {"m": pytest.approx(15.5 / 18)}


def test_matlab_variables_of_two_lengths(tmp_path):
    from scipy.io import savemat

    savemat(tmp_path / "m.mat", {"genuine": np.array(TARGETS), "impostor": np.array(OTHERS)})
    written(tmp_path, layout="classes", source="m.mat")
    assert areas(tmp_path) == {"m": pytest.approx(AREA)}


@pytest.mark.parametrize("head", ["score\tcount\n", ""])
def test_a_file_of_a_histogram_for_each_class(tmp_path, head):
    for name, scores in (("genuine", TARGETS), ("impostor", OTHERS)):
        lines = [f"{score}\t{scores.count(score)}\n" for score in sorted({*scores})]
        (tmp_path / f"{name}.hist").write_text(head + "".join(lines))
    written(tmp_path, layout="wide", source="{label}.hist", scores={"m": "score"})
    assert areas(tmp_path) == {"m": pytest.approx(AREA)}


@pytest.mark.parametrize(
    ("trials", "message"),
    [
        ({"values": {"target": "genuin", "nontarget": "impostor"}},
         "m.csv: the column of trials.values.target, 'genuin', is missing; did you mean 'genuine'?"),
        ({"layout": "histogram"}, "m.csv: column 'score' (the score) is missing"),
        ({"columns": {"label": "kind"}}, "layout classes has no 'columns.label': values.target and values.nontarget"),
        ({"columns": {"score": "x"}}, "layout classes has no 'columns.score'"),
        ({"columns": {"predicted": "x"}}, "'columns.predicted' belongs to the layouts long, wide, keyed"),
        ({"values": {**VALUES, "spoof": "attack"}}, "layout classes holds two classes; name spoofs among"),
        ({"values": {"target": "x"}}, "which of the columns 'genuine', 'impostor' are non-targets? name them as"),
    ],
)  # fmt: skip
def test_what_cannot_be_read(tmp_path, trials, message):
    columns_of(tmp_path)
    written(tmp_path, **{"layout": "classes", "source": "m.csv", **trials})
    assert message in fault(tmp_path)


def test_shares_are_no_numbers_of_trials(tmp_path):
    (tmp_path / "m.csv").write_text("bin,genuine,impostor\n0,0.25,0.75\n1,0.75,0.25\n")
    written(tmp_path, layout="histogram", source="m.csv", columns={"score": "bin"})
    assert "are not whole numbers of at least 0; first '0.25' at row 1 of m.csv" in fault(tmp_path)
