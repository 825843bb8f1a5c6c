"""What scores of a sample are: probabilities, likelihood ratios, distances."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from reporting.app.config.plan import MOST_IN_PAIRS
from reporting.app.init.columns import has_word, words
from reporting.app.init.lines import Line
from reporting.app.init.splits import PRIMARY
from reporting.app.init.table import SampleTable, target_rows

DISTANCES = ("distance", "distances", "dist", "dissimilarity", "error", "loss")
"""Words in the name of scores that are lower for targets."""


LOG10_RATIO = re.compile(r"(^|_)log_?10_(llr|lr|log_lr)(_|$)")


LOG_RATIO = re.compile(r"(^|_)(llr|loglr|log_lr)(_|$)")
LLR_TEN = re.compile(r"(^|_)llr_10(_|$)")
LLR_NUMBER = re.compile(r"(^|_)llr_\d+(_|$)")
"""In the words of a column's name, joined by underscores: ``log10LR`` is log_10_lr."""


def scale_lines(table: SampleTable, models: Mapping[str, str]) -> Iterator[Line]:
    """Say what scores are by their names, and offer what they may be: numbers cannot show it."""
    if not table.has_label:
        return
    by_model = scores_by_model(table, models)
    ratios: list[str] = []
    for at, (model, rows) in enumerate(by_model.items()):
        column = models.get(model) or table.scores[0].name
        ratio = _ratio(column, [each.name for each in table.scores])
        scale = "logit" if "logit" in words(column) else None
        if scale is None and rows.height and rows["score"].is_between(0, 1).all():
            scale = "probability"
        if ratio:
            ratios.append(model)
            why = "log10_llr: logarithm to base 10; llr: natural"
            yield Line(("models", model, "scale"), ratio, why, is_open=True)
        elif scale and at < MOST_IN_PAIRS and not _is_turned(rows):
            why = "score is the default; say a scale only where it is one"
            yield Line(("models", model, "scale"), scale, why, is_offered=True)
        if _is_turned(rows):
            # A distance, by its name too, is lower for targets; of anything else it is not known.
            is_distance = has_word(column, DISTANCES)
            why = "targets have lower scores: do higher scores favour non-targets?"
            trail = ("models", model, "higher_is")
            yield Line(trail, "nontarget", why, is_open=True, is_offered=not is_distance)
    if ratios and len(ratios) == len(by_model):
        yield Line(PRIMARY, {"measure": "cllr"}, "the cost of log likelihood ratios")
        yield Line(("curves",), ["tippett", "cross_entropy"], "of likelihood ratios; and roc, det, ape, ...")


def scores_by_model(table: SampleTable, models: Mapping[str, str]) -> dict[str, pl.DataFrame]:
    """Return the finite scores of every model, and which are of targets.

    ``models`` maps the models of a wide table to their columns; empty: a column names them.
    """
    target = target_rows(table)
    if models:
        by_name = {column.name: column for column in table.columns}
        scores = {model: (by_name[column].numbers, target) for model, column in models.items()}
    elif "model" in table.roles:
        name, score = table.roles["model"], table.scores[0].numbers
        mine = {model: name.text == model for model in name.values}
        scores = {model: (score.filter(rows), target.filter(rows)) for model, rows in mine.items()}
    else:
        scores = {}
    by_model = {model: pl.DataFrame({"score": s, "target": t}) for model, (s, t) in scores.items()}
    return {model: rows.filter(pl.col("score").is_finite()) for model, rows in by_model.items()}


def _ratio(column: str, scores: Sequence[str]) -> str | None:
    """Return the scale of log likelihood ratios that a column's name shows; None where it shows none."""
    name = "_".join(words(column))
    if LOG10_RATIO.search(name):
        return "log10_llr"
    if LLR_TEN.search(name):
        # llr_10 next to llr_9 is a tenth model.
        numbers = [each for each in scores if LLR_NUMBER.search("_".join(words(each)))]
        return "log10_llr" if numbers == [column] else "llr"
    return "llr" if LOG_RATIO.search(name) else None


def _is_turned(rows: pl.DataFrame) -> bool:
    """Return whether targets have clearly lower scores: by a quarter of the standard deviation."""
    target, others = rows.filter("target")["score"], rows.filter(~pl.col("target"))["score"]
    if not (len(target) and len(others)):
        return False
    low = target.to_numpy().mean() - others.to_numpy().mean()
    return bool(low < -rows["score"].to_numpy().std() / 4)
