"""Tables with a column for each class: what ``init`` knows them by, and where it asks."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from snapshot import snapshot

import reporting
from reporting.app.config.document import read_document
from reporting.app.init.starter import write_starter
from reporting.app.run.check import check_report
from reporting.errors import DataError

SCORES = [round(0.05 + at * 13 % 19 / 20, 2) for at in range(30)]


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def begun(table: pl.DataFrame) -> tuple[dict, list[str]]:
    """Write a table and its config, which check accepts; the keys under trials, and the questions."""
    table.write_csv("t.csv")
    text = write_starter(["t.csv"], Path("report.yaml"), force=True)
    check_report(Path("report.yaml"))
    asked = [line for line in text.splitlines() if line.startswith("? trials")]
    return read_document(Path("report.yaml"), []).plain()["trials"], asked


def sides(target: str, nontarget: str, n: int) -> pl.DataFrame:
    """Return scores of two classes side by side, of the first only ``n``."""
    held = [score + 0.2 if at < n else None for at, score in enumerate(SCORES)]
    return pl.DataFrame({target: held, nontarget: SCORES})


@pytest.mark.parametrize(
    ("target", "nontarget"),
    [("genuine", "impostor"), ("Genuine scores", "Impostor scores"), ("targets", "non_targets"), ("diseased", "healthy"),
     ("positives", "negatives"), ("mated", "nonmated"), ("n_bonafide", "n_spoof")],
)  # fmt: skip
def test_scores_of_two_classes_side_by_side(target, nontarget):
    trials, asked = begun(sides(target, nontarget, 20))
    assert trials["layout"] == "classes"
    assert trials["values"] == {"target": target, "nontarget": nontarget}
    assert not asked


def test_columns_of_one_length_are_asked_about():
    _, asked = begun(sides("genuine", "impostor", 30))
    snapshot("init/by_class_columns_of_one_length_are_asked_about", "\n".join(asked))


@pytest.mark.parametrize("score", ["bin", "score", "threshold", "x"])
def test_numbers_of_trials_at_every_score(score):
    table = pl.DataFrame(
        {score: [at / 8 for at in range(8)], "n_target": [0, 0, 1, 4, 9, 7, 5, 2], "n_nontarget": [9, 7, 6, 8, 3, 1, 0, 0]}
    )  # fmt: skip
    trials, asked = begun(table)
    assert (trials["layout"], trials.get("columns", {}).get("score", "score")) == ("histogram", score)
    assert not asked


def test_running_totals_are_asked_about():
    table = pl.DataFrame(
        {"threshold": [at / 8 for at in range(8)], "targets": [28, 28, 28, 27, 23, 14, 7, 2], "nontargets": [34, 25, 18, 12, 4, 1, 0, 0]}
    )  # fmt: skip
    _, asked = begun(table)
    snapshot("init/by_class_running_totals_are_asked_about", "\n".join(asked))


def test_probabilities_of_two_classes_are_no_scores_of_one_class_each():
    table = pl.DataFrame({"genuine": SCORES, "impostor": [round(1 - score, 2) for score in SCORES]})
    with pytest.raises(DataError, match="no column can be the label"):
        begun(table)


def test_a_label_comes_before_columns_that_are_called_like_classes():
    table = sides("genuine", "impostor", 30).with_columns(label=pl.int_range(30) % 2)
    trials, _ = begun(table)
    assert trials["layout"] == "wide"


def test_a_frame_of_two_classes_is_read():
    table = sides("genuine", "impostor", 20)
    frame = reporting.make_report(table).frames["metrics"].filter(measure="auc")
    held = [score + 0.2 for score in SCORES[:20]]
    won = sum((a > b) + (a == b) / 2 for a in held for b in SCORES)
    assert frame["value"].to_list() == [pytest.approx(won / 600)]


def test_a_file_of_each_model():
    for at, name in enumerate(("a", "b")):
        sides("genuine", "impostor", 20).with_columns(impostor=pl.col("impostor") + at).write_csv(
            f"{name}.csv"
        )
    write_starter(["a.csv", "b.csv"], Path("report.yaml"))
    assert read_document(Path("report.yaml"), []).plain()["trials"]["source"] == "{model}.csv"
    check_report(Path("report.yaml"))
