"""What labels mean: which is the target, by its name or by its scores."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import polars as pl

from reporting.app.init.columns import PAIRS, SampleColumn, class_pair, plain
from reporting.app.init.lines import Line
from reporting.errors import quoted
from reporting.inputs.spec import FALSE_WORDS, TRUE_WORDS

OTHERS = "all other values"
"""What is not named."""
TARGET, NONTARGET, SPOOF = (("trials", "values", kind) for kind in ("target", "nontarget", "spoof"))
KINDS = (TARGET, NONTARGET, SPOOF)


def label_lines(label: SampleColumn, score: SampleColumn | None = None) -> list[Line]:
    """Say which labels mean target and non-target; open where nothing but the scores shows it.

    Nothing where the engine knows the words itself.
    """
    labels = label.values
    if label.target is not None:
        others = [text for text in labels if text != label.target]
        return [
            Line(TARGET, label.target, "as given"),
            Line(NONTARGET, others[0] if len(others) == 1 else "rest", "" if len(others) == 1 else OTHERS),
        ]
    if set(labels) <= {*TRUE_WORDS, *FALSE_WORDS}:
        return []
    if known := class_pair(labels):
        return [Line(TARGET, known[0], "by its name"), Line(NONTARGET, known[1])]
    kinds = [_only(labels, known) for known in (TARGETS, NONTARGETS, SPOOFS)]
    if len(labels) == len(kinds) and all(kinds):
        of_three = zip(KINDS, kinds, strict=True)
        return [Line(trail, text, "by its name") for trail, text in of_three]
    target, why = _guess(label, score)
    others = [label_text for label_text in labels if label_text != target]
    lines = [Line(TARGET, target, f"which of {label.summary} is the target? {why}", is_open=True)]
    if len(others) > 1:
        return [*lines, Line(NONTARGET, "rest", OTHERS)]
    return [*lines, *(Line(NONTARGET, label_text) for label_text in others)]


OF_SPOOFS = ("cm", "countermeasure", "spoof", "spoofing", "antispoofing", "liveness", "pad")
"""Words in the name of a score that separates spoofs from the rest."""


def kind_lines(label: SampleColumn, score: SampleColumn, countermeasure: SampleColumn) -> list[Line]:
    """Guess which of three labels are targets, impostors and spoofs, by both kinds of scores.

    Impostors have the lowest scores of verification, spoofs the lowest of the countermeasure.
    """
    of_score, of_spoofs = means_by_label(label, score), means_by_label(label, countermeasure)
    spoof = min(label.values, key=lambda text: of_spoofs.get(text, 0.0))
    left = sorted((text for text in label.values if text != spoof), key=lambda text: of_score.get(text, 0.0))
    why = (
        f"which of {label.summary} are targets, impostors and spoofs? guessed: impostors have the lowest"
        f" {quoted(score.name)}, spoofs the lowest {quoted(countermeasure.name)}"
    )
    return [
        Line(trail, text, why, True) for trail, text in zip(KINDS, (left[1], left[0], spoof), strict=True)
    ]


TARGETS, NONTARGETS = ({pair[at] for pair in PAIRS} for at in (0, 1))
SPOOFS = {"spoof", "spoofed", "attack", "fake", "deepfake", "presentationattack"}
"""Labels of attacks, among those of impostors."""


def _only(labels: Sequence[str], known: Collection[str]) -> str | None:
    """Return the one label that is among known words; those of attacks are no others."""
    mine = [
        text for text in labels if plain(text) in known and (known is SPOOFS or plain(text) not in SPOOFS)
    ]
    return mine[0] if len(mine) == 1 else None


def _guess(label: SampleColumn, score: SampleColumn | None) -> tuple[str, str]:
    """Guess the target: by a word, else by higher scores, which may be wrong."""
    likely = [text for text in label.values if plain(text) in TARGETS]
    unlikely = {text for text in label.values if plain(text) in NONTARGETS}
    if len(likely) == 1:
        return likely[0], "guessed by its name"
    means = means_by_label(label, score) if score else {}
    left = {text: mean for text, mean in means.items() if text not in unlikely} or means
    if left:
        return max(left, key=lambda text: left[text]), "guessed: its scores are the highest on average"
    return label.values[-1], "guessed"


def higher_for(target: str, label: SampleColumn, score: SampleColumn) -> float:
    """Return by how much the mean score of a label is above the highest mean of the others."""
    means = means_by_label(label, score)
    others = [mean for text, mean in means.items() if text != target]
    return means.get(target, 0.0) - max(others, default=0.0)


def means_by_label(label: SampleColumn, score: SampleColumn) -> dict[str, float]:
    """Return the mean score of every label that has finite scores."""
    rows = pl.DataFrame({"label": label.stated, "score": score.numbers})
    rows = rows.filter(pl.col("score").is_finite() & pl.col("label").is_not_null())
    return dict(rows.group_by("label").agg(pl.col("score").mean()).sort("label").iter_rows())
