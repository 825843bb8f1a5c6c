"""The check fails without targets or non-targets, and names scores that cannot be taken at face value."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from command import reporting


def checked(folder: Path, models: dict[str, list[float]], labels: list[object], *words: str):
    """Write trials and a config, and check them."""
    rows = [
        {"model": model, "trial": at, "label": label, "score": float(score)}
        for model, scores in models.items()
        for at, (label, score) in enumerate(zip(labels, scores, strict=True))
    ]
    pl.DataFrame(rows).write_csv(folder / "t.csv")
    (folder / "c.yaml").write_text(
        "trials: {source: t.csv}\nthresholds: {policy: none}\nprimary: {measure: auc}\n"
    )
    return reporting("check", "c.yaml", *words, cwd=folder)


LABELS = [1, 0] * 10
NOISY = [at * 7 % 11 + 2 * label for at, label in enumerate(LABELS)]


@pytest.mark.parametrize(("label", "which"), [(1, "non-targets"), (0, "targets")])
def test_without_one_class_the_check_fails(label, which, tmp_path):
    ended = checked(tmp_path, {"A": NOISY}, [label] * 20)
    assert ended.returncode == 2
    assert f"column 'label': there are no {which} among 20 trials of the test set" in ended.stderr
    assert "trials.columns.label: none" in ended.stderr


def test_items_have_no_labels_and_pass(tmp_path):
    ended = checked(
        tmp_path, {"A": LABELS}, [1] * 20, "--set", "trials.columns={label: none}",
        "--set", "primary={measure: recall, criterion: fixed(threshold=0.5)}", "--set", "criteria=[fixed(threshold=0.5)]",
        "--set", "measures=[recall]", "--set", "curves=[]", "--set", "epc=none",
    )  # fmt: skip
    assert (ended.returncode, "TR338" in ended.stderr) == (0, False), ended.stderr


@pytest.mark.parametrize(
    ("models", "said"),
    [
        ({"A": [10 * label + at for at, label in enumerate(LABELS)]}, ""),
        ({"A": [100 * label + at for at, label in enumerate(LABELS)]}, "model 'A': its scores separate all 20 trials without an error (AUC 1)"),
        ({"A": [-100 * label + at for at, label in enumerate(LABELS)]}, "model 'A': its scores separate all 20 trials without an error (AUC 0)"),
        ({"A": [3.0] * 20}, "model 'A': AUC is exactly 0.5: all scores are equal"),
        ({"A": NOISY, "B": NOISY}, "models 'A' and 'B' have the same scores: is one a copy?"),
        ({"A": NOISY, "B": [2 * each for each in NOISY]}, ""),
    ],
)  # fmt: skip
def test_scores_that_look_wrong_are_named(models, said, tmp_path):
    ended = checked(tmp_path, models, LABELS)
    assert ended.returncode == 0, ended.stderr
    assert said in ended.stderr
    assert ("TR338" in ended.stderr) == bool(said)
    assert "TR338" not in checked(tmp_path, models, LABELS, "--set", "ignore={TR338: so it is}").stderr


def test_few_trials_may_be_told_apart_by_chance(tmp_path):
    assert "TR338" not in checked(tmp_path, {"A": [9, 1, 8, 2]}, [1, 0, 1, 0]).stderr
