"""Every key of the config: its type, its default, what it means. ``json_schema`` is made of this."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from reporting.config.fields import DISTINCT, SCALAR, CriterionName, Flag, MeasureName, Text, written
from reporting.config.section import Section
from reporting.config.study_keys import (
    Epc,
    EpcOrNone,
    Models,
    OperatingPoint,
    PrimaryQuestion,
    Significance,
    Thresholds,
)
from reporting.config.trial_keys import Trials
from reporting.config.unbuilt import NOT_BUILT, later


class Report(Section):
    """The report's formats and how it speaks."""

    formats: Annotated[
        list[Annotated[Literal["html", "latex", "json"], later("markdown", "pdf")]],
        Field(min_length=1),
        DISTINCT,
    ] = Field(default=["html", "latex", "json"], description="Not built yet: markdown, pdf.")
    sections: Annotated[list[str] | None, NOT_BUILT] = Field(default=None, description="Not built yet.")
    templates: Annotated[str | None, NOT_BUILT] = Field(default=None, description="Not built yet.")
    interactive: Flag = Field(default=True, description="charts that answer the mouse, in HTML")
    vocabulary: Annotated[Literal["detection"], later("biometrics", "medical", "ir", "ml")] = Field(
        default="detection",
        description="The field whose words the report uses. Not built yet: biometrics, medical, ir, ml.",
    )


class Gate(Section):
    """A verdict on the run."""

    measure: MeasureName
    model: Text
    against: Text | None = None
    not_worse_by: float | None = None
    on_undecided: Literal["fail", "pass"] = "fail"


class History(Section):
    """The store of runs."""

    store: str
    as_of: str | None = None


class Run(Section):
    """Where work runs; never changes a number."""

    executor: Annotated[Literal["auto", "serial", "thread"], later("process", "dask")] = Field(
        default="auto", description="Not built yet: process, dask."
    )
    workers: Annotated[int, Field(ge=1)] | None = Field(default=None, description="left out: all cores")
    cache: Annotated[str | None, NOT_BUILT] = Field(default=None, description="Not built yet.")


Crossing = Annotated[list[str], WithJsonSchema({"anyOf": [SCALAR, {"type": "array", "items": SCALAR}]})]


class Config(Section):
    """A report: its trials, its questions, its formats."""

    title: Text | None = Field(default=None, description="of the report; left out: the name of this file")
    trials: Trials = Field(description="the trial table")
    baseline: Text | None = Field(
        default=None, description="the model the others are compared with; left out: all pairs"
    )
    models: Models = Field(
        default_factory=dict, description="models in the report's order; only what needs saying"
    )
    primary: PrimaryQuestion = Field(default_factory=PrimaryQuestion, description="the first question")
    criteria: Annotated[list[CriterionName], DISTINCT] = Field(
        default=written(["min_hter", "eer"]),
        description="how the thresholds of measures at a threshold are chosen",
    )
    measures: Annotated[list[MeasureName], DISTINCT] = Field(
        default=written(["far", "frr", "hter", "eer_rocch", "auc", "mindcf"]),
        description="what is reported; quote a name with parameters: 'mindcf(p_target=0.01, c_miss=10)'",
    )
    operating_points: Annotated[list[OperatingPoint], NOT_BUILT] = Field(
        default=[], description="Not built yet."
    )
    thresholds: Thresholds = Field(default_factory=Thresholds)
    curves: Annotated[list[Annotated[Literal["roc", "det"], later("pr", "ape", "nbe")]], DISTINCT] = Field(
        default=["roc", "det"], description="Not built yet: pr, ape, nbe."
    )
    epc: EpcOrNone = Field(
        default_factory=Epc, description="expected performance curves; none leaves them out"
    )
    significance: Significance = Field(default_factory=Significance)
    fits: Annotated[list[Literal["binormal", "alpha_binormal", "binormal_ordinal"]], NOT_BUILT] = Field(
        default=[], description="Not built yet."
    )
    by: Annotated[list[Crossing], NOT_BUILT] = Field(default=[], description="Not built yet.")
    averaged_over: Annotated[Text | None, NOT_BUILT] = Field(default=None, description="Not built yet.")
    report: Report = Field(default_factory=Report)
    gates: Annotated[list[Gate], NOT_BUILT] = Field(default=[], description="Not built yet.")
    history: Annotated[History | None, NOT_BUILT] = Field(default=None, description="Not built yet.")
    run: Run = Field(default_factory=Run)


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of the config, for editors."""
    schema = Config.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | schema
