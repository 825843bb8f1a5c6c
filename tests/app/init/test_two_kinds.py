"""Three kinds of trials with two kinds of scores, and truths whose words are not those of the prediction."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
import yaml
from command import reporting

N = 90
RANDOM = np.random.default_rng(1)
KIND = np.arange(N) % 3
ASV = np.round(np.where(KIND == 0, -2.0, 2.0) + RANDOM.normal(size=N), 3)
CM = np.round(np.where(KIND == 2, -2.0, 2.0) + RANDOM.normal(size=N), 3)
TRUTH = np.arange(N) % 2
PROBABILITY = 1 / (1 + np.exp(-(2 * TRUTH - 1 + RANDOM.normal(size=N))))
OUTPUT = {
    "label": np.where(PROBABILITY > 0.5, "POSITIVE", "NEGATIVE"),
    "score": np.round(np.maximum(PROBABILITY, 1 - PROBABILITY), 6),
}


def started(folder, table):
    """Write a table, and return what init says and the trials of its config."""
    table.write_csv(folder / "t.csv")
    end = reporting("init", "t.csv", cwd=folder)
    assert end.returncode == 0, end.stderr
    assert reporting("check", "report.yaml", cwd=folder).returncode == 0
    return end.stdout, yaml.safe_load((folder / "report.yaml").read_text())["trials"]


@pytest.mark.parametrize("words", [["0", "1", "2"], ["nontarget", "target", "spoof"], ["a", "b", "c"]])
def test_scores_of_two_kinds_are_no_rivals(tmp_path, words):
    table = pl.DataFrame({"label": [words[kind] for kind in KIND], "cm_score": CM, "asv_score": ASV})
    text, trials = started(tmp_path, table)
    assert trials["scores"] == {"t": "asv_score"}
    assert "'cm_score' separates spoofs from the rest and is no rival of 'asv_score'" in text
    nontarget, target, spoof = words
    assert trials["values"] == {"target": target, "nontarget": nontarget, "spoof": spoof}
    guess = "are targets, impostors and spoofs? guessed: impostors have the lowest 'asv_score'"
    assert (guess in text) is ("spoof" not in words)


def test_two_classes_have_rivals(tmp_path):
    table = pl.DataFrame({"label": (KIND == 1).astype(int), "cm_score": CM, "asv_score": ASV})
    assert started(tmp_path, table)[1]["scores"] == ["cm_score", "asv_score"]


TABLES = {
    "a truth by its name": ({"gold": TRUTH, **OUTPUT}, "gold", "label", False),
    "numbers beside the words of an output": ({"y": TRUTH, **OUTPUT}, "y", "label", True),
    "a truth called label": (
        {"label": TRUTH, "result": OUTPUT["label"], "score": OUTPUT["score"]},
        "label",
        "result",
        True,
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_words_of_the_prediction_may_be_others(tmp_path, name):
    columns, truth, predicted, is_asked = TABLES[name]
    text, trials = started(tmp_path, pl.DataFrame(columns))
    named = {"label": "label", **trials["columns"]}
    assert (named["label"], named["predicted"]) == (truth, predicted)
    assert trials["values"] == {"target": ["1", "POSITIVE"], "nontarget": ["0", "NEGATIVE"]}
    assert ("which the class of which the score" in text) is is_asked
    end = reporting(
        "run",
        "report.yaml",
        "-o",
        "out",
        "--set",
        "report.formats=[json]",
        "--set",
        "curves=[]",
        cwd=tmp_path,
    )
    assert end.returncode == 0, end.stderr
    frame = pl.read_parquet(tmp_path / "out" / "frames" / "metrics.parquet").filter(
        measure="auc", split="test"
    )
    of, others = PROBABILITY[TRUTH == 1], PROBABILITY[TRUTH == 0]
    assert frame["value"].to_list() == [pytest.approx((of[:, None] > others).mean())]


def test_readers_are_compared_without_a_threshold(tmp_path):
    rows = [
        {
            "reader": f"r{reader}",
            "case": f"c{case:02}",
            "modality": modality,
            "truth": case % 2,
            "score": score,
        }
        for reader in range(3)
        for case in range(20)
        for modality, score in (("film", (case * 7 + reader) % 10), ("screen", (case * 3 + reader) % 10))
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "t.csv")
    assert reporting("init", "t.csv", cwd=tmp_path).returncode == 0
    config = yaml.safe_load((tmp_path / "report.yaml").read_text())
    assert config["trials"]["runs"] == "reader"
    assert (config["primary"], config["thresholds"]) == ({"measure": "auc"}, {"policy": "none"})


@pytest.mark.parametrize(("n", "is_told"), [(400, False), (12_000, True)])
def test_what_folds_cost_is_in_the_config(tmp_path, n, is_told):
    table = pl.DataFrame({"label": np.arange(n) % 2, "score": np.sin(np.arange(n)) + np.arange(n) % 2})
    started(tmp_path, table)
    text = (tmp_path / "report.yaml").read_text()
    assert "policy: kfold" in text
    assert ("takes two to three times as long as none" in text) is is_told
