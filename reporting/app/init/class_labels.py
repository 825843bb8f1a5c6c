"""Labels of several classes that no name shows: by what the rows of a trial, or columns of scores, share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import NamedTuple

import polars as pl

from reporting.app.init.columns import (
    FEW,
    SampleColumn,
    class_pair,
    has_word,
    is_decision,
    is_key,
    named,
    plain,
    rank,
    score_columns,
    unclaimed,
)
from reporting.app.init.evidence import one_model, same_values
from reporting.app.init.lines import Line
from reporting.errors import quoted

TWO = 2
"""Labels beyond which a table is one of several classes, or of something else."""
KEYS = ("trial", "model", "run", "dataset", "split")


ONE_VS_REST = ("classes", "one_vs_rest")
RIGHT_PAIRS = (("right", "wrong"), ("correct", "incorrect"))
"""Labels of a row that is about the class of its trial, and of one that is not; nothing else is called so."""
RIGHT = ("right", "correct", "hit")
"""Words in the name of such a label, besides those of labels."""


class ClassOfTrials(NamedTuple):
    """The class of every trial, read off rows of one class each, and the key of the config for it."""

    truth: SampleColumn
    kind: SampleColumn
    """The class that a row is about."""
    line: Line

    def among(self, columns: Sequence[SampleColumn]) -> tuple[SampleColumn, ...]:
        """Return the columns with the class in the place of its label, without others that say the same."""
        same = [column for column in columns if (column.stated == self.truth.stated).all()]
        return tuple(
            self.truth if column.name == self.truth.name else column
            for column in columns
            if column not in same
        )


def class_of_trials(columns: Sequence[SampleColumn]) -> ClassOfTrials | None:
    """Return the classes of a table with a row for each trial and class, labelled where that class is right.

    Every trial has one row of each class, of which one has the label of targets; a trial of which the sample
    has not all rows may lack it. None of other tables, nor without a column of models. Two classes,
    numbers, and labels of other names may be something else, such as speakers of whom each trial is of one:
    they are asked about.
    """
    called_so = [
        column for column in columns if has_word(column.name, RIGHT) and not is_decision(column.name)
    ]
    labels = [*named(columns, "label"), *called_so] if named(columns, "model") else []
    for label in labels:
        right = _right_of(label)
        if right is None:
            continue
        for kind in columns:
            if kind is label or not TWO <= len(kind.values) <= FEW or _is_no_class(kind):
                continue
            others = [column for column in columns if column not in (kind, label)]
            key = [likely[0] for name in KEYS if (likely := named(others, name))]
            is_whole = named(others, "trial") and is_key([*key, kind])
            truth = _class_by_key(key, kind, label, right) if is_whole else None
            if truth is None:
                continue
            is_open = kind.is_numeric or len(kind.values) == TWO or rank(label.name, "label") is None
            why = "the label of a row whose class is that of its trial"
            if is_open:
                row = f"the row of its trial's own class by {quoted(right)} in {quoted(label.name)}"
                why = f"does {quoted(kind.name)} name the class that each row is about, and {row}?"
            line = Line(ONE_VS_REST, right, why, is_open)
            return ClassOfTrials(SampleColumn(label.name, truth.alias("it")), kind, line)
    return None


def _is_no_class(column: SampleColumn) -> bool:
    """Return whether a column is no class by its name, as of enrolled speakers, or by its fractions."""
    return column.is_fractional or is_decision(column.name) or rank(column.name, "model") is not None


def _right_of(label: SampleColumn) -> str | None:
    """Return which of two labels means that the class of a row is right; None of others."""
    by_word = {plain(text): text for text in label.values}
    of_right = (right for right, wrong in RIGHT_PAIRS if by_word.keys() == {right, wrong})
    if (right := next(of_right, None)) is not None:
        return by_word[right]
    pair = class_pair(label.values)
    return pair and pair[0]


def _of_several(columns: Sequence[SampleColumn]) -> Iterator[SampleColumn]:
    """Yield the texts that may be classes: three values or more, and few."""
    for column in columns:
        if TWO < len(column.values) <= FEW and not column.is_numeric and not is_decision(column.name):
            yield column


def _class_by_key(
    key: Sequence[SampleColumn], kind: SampleColumn, label: SampleColumn, right: str
) -> pl.Series | None:
    """Return the class of the trial of each row; None where trials have none, or several."""
    names = [str(at) for at in range(len(key))]
    of_key = pl.DataFrame([column.text.alias(name) for name, column in zip(names, key, strict=True)])
    rows = of_key.with_columns(kind=kind.stated, right=label.stated == right)
    of_right = pl.col("kind").filter("right")
    of_rows = rows.select(
        n=pl.col("right").sum().over(names), truth=of_right.first().over(names), rows=pl.len().over(names)
    )
    of_whole = of_rows.filter(pl.col("rows") >= TWO)["n"].to_numpy()
    if not len(of_whole) or of_whole.max() != 1 or of_whole.mean() < MOST_WHOLE:
        return None
    return of_rows["truth"]


MOST_WHOLE = 0.9
"""The share of rows whose trial shows its class: at the ends of a sample some of its rows may be missing."""


def label_of_classes(
    columns: Sequence[SampleColumn], roles: Mapping[str, SampleColumn]
) -> dict[str, SampleColumn]:
    """Return the column of three classes or more that is the truth, by its role; empty where none shows it.

    One whose values name columns of probabilities that add up to 1; or of two with the same values that which
    is the same in all rows of a trial, while the other is the class of each score.
    """
    free = list(_of_several(unclaimed(columns, roles)))
    for column in free:
        if "model" not in roles and len(one_model(score_columns(columns, roles), column)) > TWO:
            return {"label": column}
    for truth, kind in permutations(free, 2) if "trial" in roles else ():
        by_trial = pl.DataFrame({"trial": roles["trial"].text, "truth": truth.stated, "kind": kind.stated})
        each = by_trial.group_by("trial").agg(pl.col("truth", "kind").n_unique())
        if same_values(truth, kind) and each["truth"].max() == 1 and each["kind"].max() != 1:
            return {"label": truth}
    return {}
