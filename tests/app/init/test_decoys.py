"""Of 200 generated tables none has a wrong truth, or the score of the wrong class, taken without a question."""

from __future__ import annotations

import pytest
import yaml

from reporting.app.init.starter import write_starter
from reporting.errors import DataError
from tests.app.init.decoys import Decoy, decoys

ABOUT_LABELS = ("trials.columns.label", "trials.columns.score", "trials.scores", "trials.values.target")


def wrong_in_silence(one: Decoy, folder) -> str:
    """Say what was taken wrongly and not asked about; empty where nothing was."""
    path = folder / "t.csv"
    one.table.write_csv(path)
    try:
        shown = write_starter([str(path)], folder / "report.yaml", force=True)
    except DataError:
        return ""
    trials = yaml.safe_load((folder / "report.yaml").read_text())["trials"]
    asked = {
        key for line in shown.splitlines() if line.startswith("? ") for key in ABOUT_LABELS if key in line
    }
    columns = trials.get("columns", {})
    if "trials.columns.label" not in asked and columns.get("label", "label") != one.truth:
        return f"label {columns.get('label')} for {one.truth}"
    if "trials.columns.label" not in asked and columns.get("predicted") != one.predicted:
        return f"predicted {columns.get('predicted')} for {one.predicted}"
    scores = trials.get("scores", {})
    taken = [*(scores.values() if isinstance(scores, dict) else scores)] or [columns.get("score", "score")]
    if not asked & {"trials.scores", "trials.columns.score", "trials.columns.label"} and taken != [one.score]:
        return f"scores {taken} for {one.score}"
    return ""


@pytest.mark.parametrize("seed", [11, pytest.param(12, marks=pytest.mark.long)])
def test_no_wrong_truth_is_taken_in_silence(seed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = {at: (one.kind, wrong_in_silence(one, tmp_path)) for at, one in enumerate(decoys(200, seed))}
    assert not {at: each for at, each in said.items() if each[1]}


def test_most_tables_with_a_truth_are_read_rightly(tmp_path, monkeypatch):
    """A program that asks about everything, or refuses it, would be right as well."""
    monkeypatch.chdir(tmp_path)
    known = [one for one in decoys() if one.truth]
    right = 0
    for one in known:
        one.table.write_csv("t.csv")
        try:
            write_starter(["t.csv"], tmp_path / "report.yaml", force=True)
        except DataError:
            continue
        columns = yaml.safe_load((tmp_path / "report.yaml").read_text())["trials"].get("columns", {})
        right += columns.get("label", "label") == one.truth
    assert right >= 0.8 * len(known)
