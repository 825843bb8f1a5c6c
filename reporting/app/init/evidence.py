"""The evidence that a column is the truth of trials, and the evidence against it.

A name can be that of the truth, or of what a system wrote. The values of a column can show that it was
derived from a number by a threshold, or from a decision. A label is *certain* by its name where there is no
evidence against it, *likely* by its values or a word of its name, and *asked* for otherwise. That scores
separate the values of a column best is no evidence: by construction the decision of the system itself is such
a column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Literal

import polars as pl

from reporting.app.init.columns import (
    AMONG_OTHERS,
    COLUMN_WORDS,
    DECISION_WORDS,
    FEW,
    SampleColumn,
    class_pair,
    has_word,
    is_decision,
    is_named_key,
    is_row_number,
    plain,
    rank,
    says_classes,
    words,
)
from reporting.base.records import dataclass
from reporting.errors import listed, quoted

Grade = Literal["certain", "likely", "asked"]
FEWEST_OF_CLASS = 5
"""Trials of a class from which a number that separates both without an error is no chance."""


@dataclass(frozen=True)
class LabelEvidence:
    """How sure it is that a column is the label; ``why`` is what is against it, or that it is a guess."""

    grade: Grade
    why: str = ""


def evidence_of(
    label: SampleColumn, columns: Sequence[SampleColumn], rivals: Sequence[SampleColumn]
) -> LabelEvidence:
    """Weigh the evidence of a table for its label; ``rivals`` are the columns that could be it as well."""
    derived = derived_from(label, columns)
    if derived:
        return LabelEvidence("asked", f"is {quoted(label.name)} the truth? {derived}")
    if (until := _until(label, columns)) is not None:
        return LabelEvidence(
            "asked",
            f"is {quoted(label.name)} known for every row, or only until {quoted(until.name)}? censored"
            " labels (time to event) are out of scope",
        )
    at = rank(label.name, "label")
    named_too = [
        column
        for column in rivals
        if column is not label and _is_named(column) and same_values(column, label)
    ]
    if named_too:
        names = listed(quoted(column.name) for column in (label, *named_too))
        return LabelEvidence(
            "asked", f"which of {names} is the truth, and which the decision of a system? a guess"
        )
    if _is_named(label):
        return LabelEvidence("certain")
    if len(rivals) <= 1 and (at is not None or says_classes(label)):
        return LabelEvidence("likely")
    if len(rivals) <= 1:
        return LabelEvidence("asked", f"is {quoted(label.name)} the label? its name does not say so")
    names = listed((quoted(column.name) for column in rivals), 5)
    return LabelEvidence("asked", f"which of {names} is the label? {quoted(label.name)} is a guess")


EVENTS = ("event", "status", "dead", "death", "died", "censored", "censor", "relapse", "recurrence")
FOLLOWED = ("time", "months", "days", "years", "duration", "followup", "survival", "futime")
"""Words in the names of an event that may not have come yet, and of how long it was waited for."""


def _until(label: SampleColumn, columns: Sequence[SampleColumn]) -> SampleColumn | None:
    """Return the column of the times until an event or the end of its observation, by their names."""
    if not has_word(label.name, EVENTS):
        return None
    times = [each for each in columns if each is not label and has_word(each.name, FOLLOWED)]
    return next((each for each in times if each.is_numeric and len(each.values) > FEW), None)


def _is_named(column: SampleColumn) -> bool:
    """Return whether a name is that of a label, and not among other words."""
    at = rank(column.name, "label")
    return at is not None and at < AMONG_OTHERS


def same_values(first: SampleColumn, second: SampleColumn) -> bool:
    """Return whether two columns hold the same words."""
    return {*map(plain, first.values)} == {*map(plain, second.values)}


def derived_from(label: SampleColumn, columns: Sequence[SampleColumn]) -> str:
    """Say of which other column the label is a function; empty where there is none.

    A column that names trials or groups of them may well go with the label.
    """
    if len(label.values) != 2:
        return ""
    for other in columns:
        if (
            other is label
            or is_named_key(other)
            or is_row_number(other)
            or label.stated.null_count() == len(label.stated)
        ):
            continue
        if len(other.values) == 2 and is_decision(other.name) and _goes_with(label, other):
            return f"{quoted(other.name)}, a decision by its name, has the same in every row"
        if other.is_numeric and len(other.values) > 2 and (cut := _cut(label, other)):
            return f"it is {cut} in every row"
    return ""


def _goes_with(label: SampleColumn, other: SampleColumn) -> bool:
    rows = pl.DataFrame({"label": label.stated, "other": other.stated}).drop_nulls()
    counts = rows.group_by("label", "other").len()
    return len(counts) == 2 == counts["other"].n_unique() and int(counts["len"].min()) >= FEWEST_OF_CLASS  # type: ignore[arg-type]


def _cut(label: SampleColumn, number: SampleColumn) -> str:
    """Return at which number the label turns, where one separates its values without an error."""
    rows = pl.DataFrame({"label": label.stated, "number": number.numbers}).drop_nulls()
    ends = rows.group_by("label").agg(
        pl.len().alias("n"), pl.col("number").min().alias("low"), pl.col("number").max().alias("high")
    )
    if len(ends) != 2 or int(ends["n"].min()) < FEWEST_OF_CLASS:  # type: ignore[arg-type]
        return ""
    below, above = ends.sort("low").iter_rows(named=True)
    if below["high"] >= above["low"]:
        return ""
    return f"{quoted(above['label'])} exactly where {quoted(number.name)} is {above['low']:g} or more"


ROUNDING = 0.011
"""Two shares of two decimals add up to 1 within it."""


def one_model(scores: Sequence[SampleColumn], label: SampleColumn | None) -> tuple[SampleColumn, ...]:
    """Return the columns that are the probabilities of the classes, of one model; none where there are none.

    Two columns that add up to 1 (or 100) in every row, or as many columns as the label has values, each of
    which names one of them.
    """
    values = [] if label is None else sorted(label.values, key=len, reverse=True)
    by_value: dict[str, list[SampleColumn]] = {text: [] for text in ([] if label is None else label.values)}
    for column in scores:  # p_post_edited_ai is of post_edited_ai, not of ai
        if (text := next((text for text in values if names_class(column.name, text)), None)) is not None:
            by_value[text].append(column)
    named = tuple(each[0] for each in by_value.values() if len(each) == 1)
    named = named if len(named) == len(values) else ()
    if len(named) > 2 and _adds_up(named):
        return named
    return next((pair for pair in combinations(scores[:MOST_PAIRED], 2) if _adds_up(pair)), ())


def is_largest(column: SampleColumn, classes: Sequence[SampleColumn]) -> bool:
    """Return whether a column is the largest of the probabilities of all classes, in every row."""
    each = pl.DataFrame([of_class.numbers.alias(str(at)) for at, of_class in enumerate(classes)])
    difference = (each.max_horizontal() - column.numbers).drop_nulls()
    return len(difference) > 0 and bool((difference.abs() <= ROUNDING).all())


MOST_PAIRED = 30
"""Columns among which pairs are looked for."""


def _adds_up(columns: Sequence[SampleColumn]) -> bool:
    each = pl.DataFrame([column.numbers.alias(str(at)) for at, column in enumerate(columns)])
    total = each.sum_horizontal(ignore_nulls=False).drop_nulls()
    if len(total) < FEWEST_OF_CLASS or any((c.numbers.drop_nulls() < 0).any() for c in columns):
        return False
    return any(bool(((total / whole - 1).abs() <= ROUNDING).all()) for whole in (1, 100))


def models_of_classes(
    scores: Sequence[SampleColumn], label: SampleColumn
) -> dict[str, dict[str, SampleColumn]]:
    """Return the columns called MODEL_CLASS by model and class, of models with a column for every class.

    Empty unless there are several models and three classes or more.
    """
    of_models: dict[str, dict[str, SampleColumn]] = {}
    for column in scores:
        for value in sorted(label.values, key=len, reverse=True):
            model = column.name.removesuffix(value)
            if model != column.name and (model := re.sub(r"[\W_]+$", "", model)):
                of_models.setdefault(model, {})[value] = column
                break
    whole = {model: of for model, of in of_models.items() if len(of) == len(label.values)}
    return whole if len(whole) > 1 and len(label.values) > 2 else {}


def names_class(name: str, value: str) -> bool:
    """Return whether a column's name ends in a class, or has it in brackets: ``P(class=yes)``, ``p1``."""
    whole = re.sub(r"\.0$", "", value)
    by_number = re.match(r"\d+(?=:[^\W\d])", value)  # Weka: 2:yes is the second class
    whole = by_number[0] if by_number and plain(value) != plain(name) else whole
    parts = [re.sub(r"\.0$", "", part.lower()) for part in re.findall(r"[A-Za-z]+|\d+(?:\.0)?", name)]
    runs = {"".join(parts[at:end]) for at in range(len(parts)) for end in range(at + 1, len(parts) + 1)}
    return plain(whole) in runs or plain(name) == plain(whole)


def of_predicted_class(
    scores: Sequence[SampleColumn], columns: Sequence[SampleColumn], label: SampleColumn
) -> Iterator[tuple[SampleColumn, SampleColumn | None]]:
    """Yield scores that are the confidence in the class that was predicted, and the column of that class.

    None of them is below one half, as the larger one of two probabilities never is. A column of classes that
    the score decides by a threshold is none of which it is the confidence.
    """
    for score in scores:
        known = score.numbers.drop_nulls()
        if len(known) < 2 * FEWEST_OF_CLASS or not known.is_between(0.5, 1).all() or not score.is_fractional:
            continue
        # The same words, or words for the same classes: POSITIVE and 1.
        alike = [
            each
            for each in columns
            if each is not label
            and (same_values(each, label) or (class_pair(each.values) and class_pair(label.values)))
        ]
        classes = [each for each in alike if not _cut(each, score)]
        if classes or not alike:
            yield score, classes[0] if classes else None


def is_prediction(predicted: SampleColumn, label: SampleColumn) -> bool:
    """Return whether names show which of two columns of classes is the truth, and which was predicted."""
    return _is_named(label) and (is_decision(predicted.name) or plain(label.name) in OF_TRUTH)


OF_TRUTH = COLUMN_WORDS["label"][: COLUMN_WORDS["label"].index("label")]
"""Names that say truth, where ``label`` may be what a system labels."""


def questions_of_their_own(columns: Sequence[SampleColumn]) -> Mapping[str, str]:
    """Return columns of numbers by the column of their own outcomes.

    ``X`` and ``X_outcome``, or ``X_pred`` and ``X``, as in tables of several labels at a time.
    """
    by_words = {words(column.name): column for column in columns}
    fractions = {named: column.name for named, column in by_words.items() if column.is_fractional}
    of_scores = {
        score: outcome.name
        for named, outcome in by_words.items()
        if outcome.is_decided
        for of_score, score in fractions.items()
        if _is_score_of(of_score, named)
    }
    return of_scores | {
        column.name: outcome.name
        for named, column in by_words.items()
        if column.is_numeric
        and len(column.values) > 2
        and (
            outcome := next((by_words[(*named, end)] for end in OUTCOMES if (*named, end) in by_words), None)
        )
        and len(outcome.values) == 2
    }


def _is_score_of(score: tuple[str, ...], outcome: tuple[str, ...]) -> bool:
    """Return whether the words of a name are those of an outcome, before or after words for scores alone."""
    n = len(outcome)
    ends = [rest for rest, own in ((score[n:], score[:n]), (score[:-n], score[-n:])) if own == outcome]
    known = {*DECISION_WORDS, *COLUMN_WORDS["score"], "p"}
    return any(rest and known.issuperset(rest) for rest in ends)


OUTCOMES = ("outcome", "label", "truth", "actual", "observed", "target", "resolved", "result", "event")
"""Ends of a column's name that make it the truth of another one."""
