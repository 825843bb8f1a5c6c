"""Generated tables in which something else than the truth looks like it: what each is, and which column it is.

Every table has a truth of a name that says so or not, scores, and decoys: decisions at a threshold, leaked
labels, ids, probabilities of the other class, and rows in the order of their classes.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

TRUTHS = ("label", "actual", "obs", "y_test", "gold", "died", "churned", "is_bad", "state", "x7")
DECISIONS = (
    "decision", "pred", "y_pred", "predicted", "prediction", "Scored Labels", "predicted_class", "output",
    "PGR_1", "y_hat", ".pred_class", "Prediction (class)",
)  # fmt: skip
NAMELESS = ("flag", "alarm", "result", "r1", "positive", "high_risk")
"""Names of a decision that do not say that it is one."""
SCORES = ("score", "prob", "p", "risk", "y_prob", "Scored Probabilities", "value")


@dataclass(frozen=True)
class Decoy:
    """A table, and the columns that are its truth and the score for its target."""

    kind: str
    table: pl.DataFrame
    truth: str | None
    """None: it holds no truth."""
    score: str
    predicted: str | None = None
    """The class of which the score is the confidence; None: the score is that of the target."""


def decoys(n: int = 200, seed: int = 11) -> list[Decoy]:
    """Return tables, as many of each kind."""
    draw = random.Random(seed)
    return [KINDS[at % len(KINDS)](draw) for at in range(n)]


def _rows(draw: random.Random) -> tuple[list[int], list[float]]:
    n = draw.randint(40, 160)
    labels = [int(draw.random() < 0.4) for _ in range(n)]
    labels[:10] = [1, 0] * 5
    scores = [round(min(0.99, max(0.01, draw.gauss(0.6 if one else 0.4, 0.2))), 3) for one in labels]
    return labels, scores


def _table(draw: random.Random, columns: dict[str, list]) -> pl.DataFrame:
    names = list(columns)
    draw.shuffle(names)
    return pl.DataFrame({name: columns[name] for name in names}, strict=False)


def _words(draw: random.Random) -> tuple[object, object]:
    return draw.choice([(0, 1), ("no", "yes"), ("neg", "pos"), ("B", "A"), ("false", "true")])


def decision(draw: random.Random) -> Decoy:
    """A decision beside the truth, by a name that says so or not, at a threshold."""
    labels, scores = _rows(draw)
    words, cut = _words(draw), draw.uniform(0.35, 0.65)
    truth, score = draw.choice(TRUTHS), draw.choice(SCORES)
    name = draw.choice(DECISIONS + NAMELESS)
    decided = [words[one >= cut] for one in scores]
    return Decoy("decision", _table(draw, {truth: [words[one] for one in labels], name: decided, score: scores}), truth, score)  # fmt: skip


def decision_alone(draw: random.Random) -> Decoy:
    """A decision, and no truth."""
    _, scores = _rows(draw)
    words, score = _words(draw), draw.choice(SCORES)
    name = draw.choice(DECISIONS + NAMELESS)
    cut = sorted(scores)[len(scores) // 2]
    ids = [f"u{at}" for at in range(len(scores))]
    return Decoy("decision alone", _table(draw, {"id": ids, name: [words[one >= cut] for one in scores], score: scores}), None, score)  # fmt: skip


def leaked(draw: random.Random) -> Decoy:
    """A label of a name that says so, made from a number of the table."""
    _, scores = _rows(draw)
    ages = [draw.randint(20, 90) for _ in scores]
    score, number = draw.choice(SCORES), draw.choice(("age", "hba1c", "amount"))
    cut = sorted(ages)[len(ages) // 2]
    label = draw.choice(("label", "outcome", "target", "class"))
    return Decoy("leaked", _table(draw, {label: [int(one >= cut) for one in ages], number: ages, score: scores}), None, score)  # fmt: skip


def ids(draw: random.Random) -> Decoy:
    """Sites, arms and sexes of two values, and ids that are numbers, beside the truth."""
    labels, scores = _rows(draw)
    truth, score = draw.choice(TRUTHS), draw.choice(SCORES)
    others: dict[str, list] = {
        name: [draw.randint(0, 1) for _ in labels]
        for name in draw.sample(["site_id", "arm", "sex", "batch", "smoker"], 2)
    }
    first = draw.randint(0, 10_000)
    others[draw.choice(("case_no", "index", "Unnamed: 0", "nr"))] = list(range(first, first + len(labels)))
    return Decoy("ids", _table(draw, {truth: labels, score: scores, **others}), truth, score)


def other_class(draw: random.Random) -> Decoy:
    """The probabilities of both classes."""
    labels, scores = _rows(draw)
    forms = ("proba_{}", "P(class={})", "p{}", ".pred_{}", "confidence({})", "{}", "prob_{}")
    form, truth = draw.choice(forms), draw.choice(TRUTHS)
    words: tuple[object, object] = draw.choice([(0, 1), ("no", "yes"), ("neg", "pos")])
    of_target, of_other = form.format(words[1]), form.format(words[0])
    columns = {truth: [words[one] for one in labels], of_target: scores, of_other: [round(1 - one, 3) for one in scores]}  # fmt: skip
    return Decoy("other class", _table(draw, columns), truth, of_target)


def in_order(draw: random.Random) -> Decoy:
    """Rows in the order of their classes, with a number of the row that then tells them apart."""
    labels, scores = _rows(draw)
    rows = sorted(zip(labels, scores, strict=True))
    truth, score = draw.choice(TRUTHS), draw.choice(SCORES)
    row = draw.choice(("", "row", "id", "Unnamed: 0", "X"))
    columns: dict[str, list] = {
        truth: [a for a, _ in rows],
        score: [b for _, b in rows],
        row: list(range(len(rows))),
    }
    return Decoy("in order", _table(draw, columns), truth, score)


def confidence(draw: random.Random) -> Decoy:
    """The confidence in the predicted class, beside the truth or alone."""
    labels, scores = _rows(draw)
    words: tuple[str, str] = draw.choice([("NEGATIVE", "POSITIVE"), ("no", "yes")])
    decided = [words[one >= 0.5] for one in scores]
    sure = [max(one, round(1 - one, 3)) for one in scores]
    if draw.random() < 0.5:
        return Decoy("confidence alone", _table(draw, {"label": decided, "score": sure}), None, "score")
    truth = draw.choice(("gold", "truth", "actual", "label"))
    said = "label" if truth != "label" else "predicted"
    columns = {truth: [words[one] for one in labels], said: decided, "score": sure}
    return Decoy("confidence", _table(draw, columns), truth, "score", said)


def other_scale(draw: random.Random) -> Decoy:
    """A number of another scale that is called a score, and is an input of the model."""
    labels, scores = _rows(draw)
    truth, score = draw.choice(TRUTHS), draw.choice(("prob", "y_prob", "probability", "p_score"))
    name = draw.choice(("credit_score", "Quality Score", "acb_score", "rating"))
    return Decoy("other scale", _table(draw, {truth: labels, score: scores, name: [draw.randint(300, 850) for _ in labels]}), truth, score)  # fmt: skip


def both_and_confidence(draw: random.Random) -> Decoy:
    """The probabilities of both classes, the larger one of them, and a flag of those that are sure."""
    labels, scores = _rows(draw)
    sure = [max(one, round(1 - one, 3)) for one in scores]
    truth = draw.choice(("label", "y_true", "actual"))
    columns = {
        truth: labels, "p_approve": scores, "p_reject": [round(1 - one, 3) for one in scores],
        "pred_label": [int(one >= 0.5) for one in scores], draw.choice(("confidence", "score", "prob")): sure,
        "auto": [int(one > 0.8) for one in sure],
    }  # fmt: skip
    return Decoy("both and confidence", _table(draw, columns), truth, "p_approve")


KINDS: tuple[Callable[[random.Random], Decoy], ...] = (
    decision, decision_alone, leaked, ids, other_class, in_order, confidence, other_scale, both_and_confidence,
)  # fmt: skip
