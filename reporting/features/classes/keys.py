"""The key ``classes``: the labels of several classes, and the columns with the scores of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainValidator,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)

from reporting.base.records import dataclass
from reporting.core.measures.calibration import CALIBRATION_ERROR
from reporting.core.measures.measure import OF_PROBABILITIES, Measure
from reporting.document.keys import (
    DISTINCT,
    SCALAR,
    ConfigValues,
    HeldByTrials,
    MeasureName,
    QuestionKey,
    Text,
    fault,
)
from reporting.errors import did_you_mean, instead, quoted, repeated
from reporting.inputs.spec import BETWEEN

MODEL, CLASS = "{model}", "{class}"
MOST_CLASSES = 100
OF_MODEL = {"type": "object", "additionalProperties": SCALAR}


def _pattern_or_columns(value: Any) -> str | dict[str, dict[str, str]] | None:
    is_mapping = isinstance(value, dict) and all(
        isinstance(of, dict) and of and all(isinstance(column, str) and column for column in of.values())
        for of in value.values()
    )
    if value is None or (value and (isinstance(value, str) or is_mapping)):
        columns: str | dict[str, dict[str, str]] | None = value
        return columns
    raise fault(
        f"expected how columns are called, such as '{MODEL}_{CLASS}', or for each model a mapping from class"
        " to column"
    )


def _word(value: Any) -> str | None:
    """Return a label as text: YAML reads 1 as a number, and true as a truth value."""
    return None if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _can_be_of_classes(measures: tuple[Measure, ...]) -> tuple[Measure, ...]:
    for measure in measures:
        why = {
            "classes has it without being named": measure == CALIBRATION_ERROR,
            "it mixes two kinds of non-targets": measure.mixed is not None,
            "it is read at a threshold or map that suits the test set best": measure.own_cut,
            "it depends on how many trials there are": bool(measure.totals),
            "it needs likelihood ratios": measure.needs == "llr",
            "resamples fit no smooth curve of each class": measure.smooth,
            "it is not about a class": measure.over == "scores" and measure.needs not in OF_PROBABILITIES,
        }
        if reason := next((text for text, holds in why.items() if holds), None):
            raise fault(f"{quoted(str(measure))} is not computed of several classes: {reason}")
    return measures


@dataclass(frozen=True)
class Classes(ConfigValues):
    """The classes that labels name, and the column of scores of each class and model."""

    labels: Annotated[
        tuple[Text, ...],
        DISTINCT,
        Field(
            min_length=2,
            max_length=MOST_CLASSES,
            description="the labels of the classes, in the order of tables; the first of two equally high"
            " scores decides",
        ),
    ]
    scores: Annotated[
        str | dict[str, dict[str, str]] | None,
        PlainValidator(_pattern_or_columns),
        WithJsonSchema({"anyOf": [SCALAR, {"type": "object", "additionalProperties": OF_MODEL}]}),
        Field(
            description="how the columns of scores are called, such as '{model}_{class}'; or for each model"
            " the column of each class"
        ),
    ] = None
    column: Annotated[
        Text | None,
        Field(description="for layout long: the column of the class that the score of a row is of"),
    ] = None

    one_vs_rest: Annotated[
        str | None,
        BeforeValidator(_word),
        WithJsonSchema(SCALAR),
        Field(
            description="with column, where labels are of one class against the rest: the label of the rows"
            " whose class is right, such as 1"
        ),
    ] = None

    measures: Annotated[
        tuple[MeasureName, ...],
        DISTINCT,
        AfterValidator(_can_be_of_classes),
        Field(
            description="further measures of each class against the rest, with their means over classes: at a"
            " threshold of the highest score's class, others of its scores or probabilities"
        ),
    ] = ()

    @model_validator(mode="after")
    def _has_a_column_for_each(self) -> Self:
        if (self.scores is None) == (self.column is None):
            raise fault("expected scores (layout wide), or column (layout long)")
        if self.one_vs_rest is not None and self.column is None:
            raise fault("one_vs_rest needs column: the class that each row's label is of")
        if self.scores is None:
            return self
        if isinstance(self.scores, str):
            if CLASS not in self.scores:
                raise fault(
                    f"expected {CLASS} in scores, such as '{MODEL}_{CLASS}', found {quoted(self.scores)}"
                )
            return self
        for model, columns in self.scores.items():
            if lacking := [label for label in self.labels if label not in columns]:
                raise fault(f"scores of {quoted(model)}: the column of {quoted(lacking[0])} is missing")
            if unknown := [label for label in columns if label not in self.labels]:
                raise fault(
                    f"scores of {quoted(model)}: {quoted(unknown[0])} is none of the labels"
                    f"{did_you_mean(unknown[0], self.labels)}"
                )
        if twice := repeated(chain.from_iterable(columns.values() for columns in self.scores.values())):
            raise fault(f"scores: column {quoted(twice[0])} is given twice")
        return self

    def columns(self, models: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return the names of the columns of scores of each model, in the order of the labels."""
        if self.scores is None:
            return {m: tuple(f"{m}{BETWEEN}{label}" for label in self.labels) for m in models}
        if not isinstance(self.scores, str):
            return {
                m: tuple(self.scores[m][label] for label in self.labels) for m in models if m in self.scores
            }
        parts = self.scores.split(CLASS)
        return {
            m: tuple(label.join(part.replace(MODEL, m) for part in parts) for label in self.labels)
            for m in models
        }


def _suits_the_trials(value: Classes | None, info: ValidationInfo) -> Classes | None:
    trials = info.data.get("trials")
    if value is None or trials is None:
        return value
    if value.scores is not None and trials.layout != "wide":
        raise fault(f"needs trials.layout: wide, a column of scores for each class, found {trials.layout!r}")
    if value.column is not None and trials.layout != "long":
        raise fault(f"column belongs to trials.layout: long, a row for each class, found {trials.layout!r}")
    if value.column is not None and trials.count == "there":
        raise fault("needs trials.count: here")
    if isinstance(value.scores, str) and MODEL not in value.scores and len(trials.scores or ()) > 1:
        raise fault(
            f"expected {MODEL} in scores, because there are several models, found {quoted(value.scores)}"
        )
    return value


def _unknown(value: Classes | None, held: HeldByTrials) -> Iterator[str]:
    if value is None or not isinstance(value.scores, dict):
        return
    named: Mapping[str, object] = value.scores
    for model in named:
        if model not in held.models:
            yield (
                f"classes.scores: {quoted(model)} is not a model of the trial table"
                f"{instead(model, held.models)}"
            )


CLASSES_KEY = QuestionKey[Classes | None](
    name="classes",
    after="alerts",
    kind=Classes | None,
    description="several classes: their labels, and the columns with the scores of each class",
    check=_suits_the_trials,
    unknown=_unknown,
    class_column=lambda value: None if value is None else value.column,
    own_class=lambda value: None if value is None else value.one_vs_rest,
    only_given=True,
    allows_noise=False,
)
KEYS = (CLASSES_KEY,)
