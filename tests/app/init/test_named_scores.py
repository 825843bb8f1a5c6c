"""Columns that are called scores, probabilities or confidence, and may be something else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import yaml

from reporting.app.init.starter import write_starter

N = 120
DRAW = np.random.default_rng(63)
TRUTH = (np.arange(N) % 3 == 0).astype(int)
PROBABILITY = np.round(np.clip(0.25 + 0.3 * TRUTH + DRAW.normal(0, 0.2, N), 0.02, 0.98), 2)
CONFIDENCE = np.maximum(PROBABILITY, np.round(1 - PROBABILITY, 2))
SCALE = DRAW.integers(300, 850, N)


def started(**columns: Any) -> tuple[list[str], dict[str, Any]]:
    """Return the questions of a table, and the keys under trials."""
    pl.DataFrame(columns).write_csv("t.csv")
    shown = write_starter(["t.csv"], Path("report.yaml"))
    trials = yaml.safe_load(Path("report.yaml").read_text())["trials"]
    return [line for line in shown.splitlines() if line.startswith("? ")], trials


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_probabilities_of_both_classes_come_before_the_confidence_in_one():
    """As a table of loans has them: none of the columns names a class, and the confidence is a score by its name."""
    questions, trials = started(
        y_true=TRUTH, p_approve=PROBABILITY, p_reject=np.round(1 - PROBABILITY, 2),
        pred_label=(PROBABILITY > 0.5).astype(int), confidence=CONFIDENCE, auto_decide=CONFIDENCE > 0.85,
    )  # fmt: skip
    assert trials["scores"] == {"t": "p_approve"}
    assert questions == [
        "? trials.scores: 'p_approve', 'p_reject' add up to 1: classes of one model; is 'p_approve' that of the target?"
    ]


def test_probabilities_of_three_classes_come_before_the_confidence_in_one():
    """One class may be the end of the name of another."""
    names = ["ai", "human", "edited_ai"]
    each = DRAW.dirichlet([1, 1, 1], N)
    predicted = each.argmax(axis=1)
    questions, trials = started(
        text=[f"text {at}" for at in range(N)], label=[names[at % 3] for at in range(N)],
        **{f"p_{name}": each[:, at] for at, name in enumerate(names)},
        pred_label=[names[at] for at in predicted], confidence=each.max(axis=1),
    )  # fmt: skip
    target = trials["values"]["target"]
    assert trials["scores"] == {"t": f"p_{target}"}
    assert any(line.startswith("? trials.values.target") for line in questions)


def test_a_flag_of_high_confidence_hides_no_confidence():
    """It is decided by the confidence, and the predicted class is not."""
    words = np.array(["no", "yes"])
    _, trials = started(
        label=words[TRUTH], predicted=words[(PROBABILITY > 0.5).astype(int)], confidence=CONFIDENCE,
        is_sure=CONFIDENCE > 0.8,
    )  # fmt: skip
    assert trials["columns"]["predicted"] == "predicted"


def test_the_probability_of_the_target_is_the_one_that_is_higher_for_targets():
    """Targets are rare, so that the mean of the other class is higher even there."""
    low = PROBABILITY / 4
    questions, trials = started(y=TRUTH, a=low, b=1 - low, id=np.arange(N) + 7)
    assert trials["scores"] == {"t": "a"}
    assert "is 'a' that of the target?" in questions[0]


def test_scores_of_other_scales_are_asked_about():
    questions, trials = started(Label=TRUTH, credit_score=SCALE, probability=PROBABILITY)
    assert trials["scores"] == ["credit_score", "probability"]
    assert questions == [
        "? trials.scores: 'credit_score' is on another scale than 'probability': is it a score of a model too, or an input?"
    ]
    questions, _ = started_anew(Label=TRUTH, score_a=SCALE, score_b=SCALE[::-1])
    assert not questions


def started_anew(**columns: Any) -> tuple[list[str], dict[str, Any]]:
    Path("report.yaml").unlink()
    return started(**columns)


def test_shares_beside_a_score_that_only_has_the_word_among_others_are_asked_about():
    """Models side by side, and the probability that made the outcomes of a simulation."""
    shares = {name: np.round(PROBABILITY * 0.9, 3) for name in ("tabular", "image_cnn")}
    questions, trials = started(clinical=TRUTH, true_probability=PROBABILITY, age=SCALE, **shares)
    assert trials["scores"] == {"t": "true_probability"}
    assert (
        "? trials.scores: is 'true_probability' alone the score of a model? 'tabular', 'image_cnn' hold shares too"
        in questions
    )
    questions, _ = started_anew(label=TRUTH, y_prob=PROBABILITY, **shares)
    assert not questions


def test_scores_that_are_called_by_the_labels_are_asked_about():
    """As the logits of two classes are: the score is their difference, and none of them alone."""
    questions, trials = started(label=TRUTH, logit_0=-SCALE / 7, logit_1=SCALE / 9)
    assert trials["scores"] == ["logit_0", "logit_1"]
    assert "are 'logit_0', 'logit_1', called by the labels, of one model? then its score is" in questions[0]


def test_fractions_of_no_known_name_next_to_other_numbers_are_asked_about():
    """They may be inputs, as the whole numbers that are left; systems side by side have no such company."""
    columns = {"died": TRUTH, "bmi": SCALE / 30, "creatinine": SCALE[::-1] / 500}
    questions, trials = started(**columns, age=SCALE // 10)
    assert trials["scores"] == ["bmi", "creatinine"]
    why = "? trials.scores: are these scores of models, all of them?; not 'age', which holds numbers too"
    assert why in questions
    questions, _ = started_anew(**columns)
    assert not any("trials.scores" in line for line in questions)
