"""The keys that ask the questions: models, the primary question, thresholds, EPC, significance."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from reporting.config.fields import DISTINCT, CriterionName, MeasureName, Text, written
from reporting.config.section import Section
from reporting.config.unbuilt import NOT_BUILT, fault, later
from reporting.criteria.catalogue import CRITERIA
from reporting.criteria.criterion import Criterion
from reporting.errors import listed
from reporting.measures.measure import Measure
from reporting.significance.settings import Correction, Family, Unit
from reporting.stats.staircase import ThresholdAt, Ties

MOST_REPLICATES = 10_000_000
MOST_ALPHAS = 100_001
MOST_SEED = 2**63 - 1


class ModelSettings(Section):
    """What needs saying of one model."""

    name: Text | None = Field(default=None, description="the printed name; left out: the key")
    higher_is: Literal["target", "nontarget"] = Field(
        default="target", description="what a higher score speaks for"
    )
    scale: Literal["score", "llr", "log10_llr", "probability", "logit"] = Field(
        default="score", description="the scale of the scores"
    )


def _uniquely_named(models: dict[str, ModelSettings]) -> dict[str, ModelSettings]:
    if "" in models:
        raise fault("a model's key is empty")
    names = [settings.name or key for key, settings in models.items()]
    for name in names:
        if names.count(name) > 1:
            raise fault(f"{name!r} would be the printed name of {names.count(name)} models")
    return models


Models = Annotated[dict[str, ModelSettings], AfterValidator(_uniquely_named)]


def _has_honest_interval(criterion: Criterion) -> Criterion:
    if criterion.oracle:
        raise fault(
            f"'{criterion}' is chosen on the test data, which allows no honest interval;"
            " the primary criterion must be chosen on dev"
        )
    return criterion


class PrimaryQuestion(Section):
    """The question the report answers first."""

    measure: MeasureName = Field(default=written("hter"), description="the measure models are compared by")
    criterion: Annotated[CriterionName, AfterValidator(_has_honest_interval)] = Field(
        default=written("min_hter"),
        description="how its threshold is chosen on dev; not for a measure over all thresholds",
    )

    @model_validator(mode="after")
    def _criterion_has_a_use(self) -> Self:
        if self.measure.over == "sweep" and "criterion" in self.model_fields_set:
            raise fault(
                f"'{self.measure}' is computed over all thresholds and takes no criterion;"
                " leave 'criterion' out"
            )
        return self


class OperatingPoint(Section):
    """A point of interest by its prior and costs."""

    name: Text
    p_target: float = Field(default=0.5, gt=0, lt=1)
    c_miss: float = Field(default=1.0, gt=0)
    c_fa: float = Field(default=1.0, gt=0)


class Thresholds(Section):
    """Where thresholds come from."""

    policy: Annotated[
        Literal["dev"],
        later("split_clients", "leave_one_client_out", "kfold", "train", "cv_test"),
    ] = Field(
        default="dev",
        description="chosen on dev, judged on test. Not built yet: split_clients, leave_one_client_out,"
        " kfold, train, cv_test.",
    )
    from_: Annotated[dict[str, str] | None, NOT_BUILT] = Field(
        default=None, alias="from", description="Not built yet."
    )
    threshold_at: ThresholdAt = Field(
        default="midpoint", description="where between two scores a threshold lies"
    )
    ties: Ties = Field(default="balanced", description="which of equally good cuts is taken")


def _has_a_curve(criterion: Criterion) -> Criterion:
    swept = [p for p in criterion.parameters if p.name == criterion.swept]
    if criterion.oracle:
        raise fault(f"'{criterion}': the a-posteriori curve is always computed beside; leave 'oracle' out")
    if not swept:
        allowed = listed(key for key, value in CRITERIA.items() if value.swept)
        raise fault(f"'{criterion}' has no parameter for a curve to run along; allowed: {allowed}")
    if swept[0].value != swept[0].default:
        raise fault(f"'{criterion}': the curve runs along {criterion.swept}; leave it out")
    return criterion


def _is_at_a_threshold(measure: Measure) -> Measure:
    if measure.over != "threshold":
        raise fault(f"'{measure}' is computed over all thresholds; an EPC shows measures at a threshold")
    return measure


class Epc(Section):
    """Expected Performance Curves: measures on test at thresholds chosen on dev, for every alpha."""

    criteria: Annotated[
        list[Annotated[CriterionName, AfterValidator(_has_a_curve)]], Field(min_length=1), DISTINCT
    ] = Field(default=written(["weighted_error"]), description="how the threshold is chosen for each alpha")
    measures: Annotated[
        list[Annotated[MeasureName, AfterValidator(_is_at_a_threshold)]], Field(min_length=1), DISTINCT
    ] = Field(
        default=written(["hter", "weighted_error"]),
        description="what is shown; a bare weighted_error takes each alpha of the curve",
    )
    alphas: int = Field(default=101, ge=2, le=MOST_ALPHAS, description="number of alphas, evenly from 0 to 1")


class Significance(Section):
    """Intervals and tests."""

    level: float = Field(default=0.95, gt=0, lt=1, description="confidence level")
    replicates: int = Field(default=10_000, ge=1, le=MOST_REPLICATES, description="bootstrap replicates")
    unit: Unit = Field(
        default="auto", description="what is resampled; auto: cluster where declared, else trial"
    )
    comparisons: Annotated[Literal["given_thresholds"], later("procedure")] = Field(
        default="given_thresholds",
        description="what comparisons speak of: these two tuned systems. In this version the default is"
        " given_thresholds; procedure (thresholds chosen again in every replicate) is not built yet.",
    )
    intervals: Annotated[Literal["given_thresholds"], later("procedure")] = Field(
        default="given_thresholds",
        description="what intervals of single models speak of. Not built yet: procedure.",
    )
    correction: Annotated[Correction, later("maxt")] = Field(
        default="holm", description="for multiple comparisons. Not built yet: maxt."
    )
    family: Family = Field(default="primary", description="the comparisons that are corrected together")
    seed: int = Field(default=1, ge=0, le=MOST_SEED, description="of the random numbers")

    @field_validator("replicates")
    @classmethod
    def _reach_the_limits(cls, replicates: int, info: ValidationInfo) -> int:
        level = info.data.get("level")
        # The percentile limits are order statistics (M + 1)(1 - level)/2; the first must exist.
        least = math.ceil(2 / (1 - level) - 1 - 1e-6) if level else 1
        if replicates < least:
            raise fault(
                f"{replicates} are too few for percentile limits at level {level!r}; at least {least}"
            )
        return replicates


def _none(value: Any) -> Any:
    if isinstance(value, str) and value != "none":
        raise fault(f"a mapping or none is expected, found {value!r}")
    return None if value == "none" else value


def _none_in_words(schema: dict[str, Any]) -> None:
    schema["anyOf"][-1] = {"const": "none"}


EpcOrNone = Annotated[Epc | None, BeforeValidator(_none), Field(json_schema_extra=_none_in_words)]
