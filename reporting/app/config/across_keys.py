"""The key ``across``: groups whose values are contrasted."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from reporting.core.measures.measure import Measure
from reporting.document.keys import DISTINCT, PLAIN, ConfigSection, MeasureName, Words, fault


def _at_a_threshold(measure: Measure) -> Measure:
    if measure.over != "threshold":
        what = "over all thresholds" if measure.over == "sweep" else "from the scores"
        raise fault(
            f"'{measure}' is computed {what}; expected a measure at a threshold, such as far, frr or hter"
        )
    if measure.mixed:
        raise fault(
            f"'{measure}' is a cost of three kinds of trials; expected a measure of two classes, such as far"
        )
    return measure


MeasuresAtThreshold = Annotated[
    list[Annotated[MeasureName, AfterValidator(_at_a_threshold)]], Field(min_length=1), DISTINCT
]


class AcrossKeys(ConfigSection):
    """Groups of trials by columns of the table, whose values are contrasted."""

    columns: Annotated[Words, DISTINCT] = Field(
        description="the column that makes the groups; a list of columns is a crossing"
    )
    reference: Words | None = Field(
        default=None,
        description="the group that the others are held against, by its value in each column; left out: each"
        " group against all other trials",
    )
    measures: MeasuresAtThreshold | None = Field(
        default=None,
        description="measures at the thresholds of the primary criterion; left out: the primary measure, far"
        " and frr",
    )
    alpha: Annotated[float, Field(ge=0, le=1), PLAIN] = Field(
        default=0.5, description="weight of the FAR in GARBE"
    )

    @model_validator(mode="after")
    def _names_one_group(self) -> Self:
        if self.reference is not None and len(self.reference) != len(self.columns):
            raise fault(
                f"reference: expected a value for every column ({len(self.columns)}), found"
                f" {len(self.reference)}"
            )
        return self


def check_different(crossings: list[list[str]]) -> None:
    """Refuse groups by columns that another entry has too, in whatever order."""
    for at, columns in enumerate(crossings):
        if set(columns) in map(set, crossings[:at]):
            raise fault(f"{' and '.join(map(repr, columns))}: given twice")


def _different(entries: list[AcrossKeys]) -> list[AcrossKeys]:
    check_different([entry.columns for entry in entries])
    return entries


AcrossEntry = Annotated[
    AcrossKeys,
    BeforeValidator(
        lambda entry: entry if isinstance(entry, dict | AcrossKeys) else {"columns": entry},
        json_schema_input_type=AcrossKeys | Words,
    ),
]
AcrossEntries = Annotated[
    list[AcrossEntry],
    BeforeValidator(
        lambda entries: entries if isinstance(entries, list) else [entries],
        json_schema_input_type=list[AcrossEntry] | AcrossEntry,
    ),
    AfterValidator(_different),
]
