"""The keys that ask the questions: models, the primary question, thresholds, EPC, intervals and tests."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from statistics import NormalDist
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainSerializer,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
    field_validator,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue

from reporting.base.contents import show_value
from reporting.core.criteria.catalogue import CRITERIA
from reporting.core.criteria.criterion import Criterion
from reporting.core.measures import costs
from reporting.core.measures.costs import PRESETS
from reporting.core.measures.measure import Measure
from reporting.core.resampling import settings
from reporting.core.resampling.draws import BLOCK
from reporting.core.resampling.settings import Inference
from reporting.core.stats.roc_bands import Kind
from reporting.core.stats.staircase import ThresholdAt, Ties
from reporting.document.keys import (
    DISTINCT,
    PLAIN,
    ConfigSection,
    CriterionName,
    Flag,
    MeasureName,
    Number,
    Text,
    Whole,
    fault,
    written,
)
from reporting.errors import did_you_mean, listed, repeated
from reporting.inputs.spec import ACROSS_FOLDS, Policy

MOST_ALPHAS = 100_001
MOST_FOLDS = 10_000
WITH_MARGIN = ("equivalence", "non_inferiority")
ONE_SIDED = (*WITH_MARGIN, "fragility")
"""Tests that take ``level`` as that of a one-sided test, or from it an error rate of at most 1/2."""
LIMIT_ERROR = 0.05
"""Monte Carlo error of a percentile limit that a report allows by default, in standard errors."""
MOST_BY_DEFAULT = 10_000


def least_replicates(level: float) -> int:
    """Return how many resamples percentile limits need at least: order statistics (M + 1)(1 - level) / 2."""
    return math.ceil(2 / (1 - level) - 1 - 1e-6)


def enough_replicates(level: float) -> int:
    """Return how many resamples hold the Monte Carlo error of percentile limits to ``LIMIT_ERROR``.

    The beta quantile of M normal resamples has the error sqrt(beta (1 - beta) / M) / phi(z_beta) in
    standard errors, beta = (1 - level) / 2: 2,854 resamples at level .95, in whole blocks 3,072. It varies
    little with the data, so that no report and no model has a number of its own. At most
    ``MOST_BY_DEFAULT``, unless the limits need more.
    """
    beta, normal = (1 - level) / 2, NormalDist()
    density = normal.pdf(normal.inv_cdf(beta))
    wanted = beta * (1 - beta) / (LIMIT_ERROR * density) ** 2
    return max(min(BLOCK * math.ceil(wanted / BLOCK), MOST_BY_DEFAULT), least_replicates(level))


class ModelSettings(ConfigSection):
    """What needs saying of one model."""

    name: Text | None = Field(default=None, description="printed name; default: the key")
    higher_is: Literal["target", "nontarget"] = Field(
        default="target", description="the class that higher scores favour"
    )
    scale: Literal["score", "llr", "log10_llr", "probability", "logit"] = Field(
        default="score", description="the scale of the scores"
    )

    @model_validator(mode="after")
    def _is_the_probability_of_the_target(self) -> Self:
        if (self.higher_is, self.scale) == ("nontarget", "probability"):
            raise fault(
                "a probability refers to the target, so higher_is: nontarget is not possible;"
                " use 1 - p in the table, or leave scale out"
            )
        return self


EVERY = "*"
"""The key of what holds of every model whose own entry does not have it."""


def _with_every(models: Any) -> Any:
    """Take ``higher_is: nontarget`` among the models, or of ``EVERY``, for what holds of all of them."""
    if not isinstance(models, Mapping):
        return models
    own = {**models}
    if isinstance(own.get("higher_is"), str):
        own[EVERY] = {"higher_is": own.pop("higher_is")}
    if (every := own.get(EVERY)) == {"higher_is": "nontarget"}:
        own = {key: {**every, **value} if isinstance(value, Mapping) else value for key, value in own.items()}
    return own


def _uniquely_named(models: dict[str, ModelSettings]) -> dict[str, ModelSettings]:
    if "" in models:
        raise fault("a model's key is empty")
    if EVERY in models and (models[EVERY].name, models[EVERY].scale) != (None, "score"):
        raise fault(f"{EVERY!r} is every model: expected higher_is alone")
    names = [settings.name or key for key, settings in models.items()]
    for name in repeated(names):
        raise fault(f"{name!r} would be the printed name of {names.count(name)} models")
    return models


Models = Annotated[dict[str, ModelSettings], BeforeValidator(_with_every), AfterValidator(_uniquely_named)]


def _has_honest_interval(criterion: Criterion) -> Criterion:
    if criterion.oracle:
        raise fault(
            f"'{criterion}' is chosen on the test data, which allows no valid interval;"
            " the primary criterion must use the development set"
        )
    return criterion


class PrimaryQuestion(ConfigSection):
    """The question the report answers first."""

    measure: MeasureName = Field(default=written("hter"), description="the measure models are compared by")
    criterion: Annotated[CriterionName, AfterValidator(_has_honest_interval)] = Field(
        default=written("min_hter"),
        description="criterion that sets its threshold on the development set; not for measures over all"
        " thresholds",
    )

    @model_validator(mode="after")
    def _criterion_has_a_use(self) -> Self:
        if self.measure.over != "threshold" and "criterion" in self.model_fields_set:
            what = "over all thresholds" if self.measure.over == "sweep" else "from the scores"
            raise fault(f"'{self.measure}' is computed {what} and takes no criterion; leave 'criterion' out")
        return self


class OperatingPointKeys(ConfigSection):
    """A point of interest: the name of a known evaluation alone, or a name with prior and costs."""

    name: Text
    p_target: Number = Field(default=0.5, ge=1e-12, le=1 - 1e-12, description="prior of targets")
    c_miss: Number = Field(default=1.0, ge=1e-12, le=1e12, description="cost of a miss")
    c_fa: Number = Field(default=1.0, ge=1e-12, le=1e12, description="cost of a false alarm")
    normalised: Flag = Field(default=True, description="relative to the cost of deciding without the scores")
    norm: Literal["trivial", "miss"] = Field(
        default="trivial", description="which reference cost: the better constant decision, or rejecting all"
    )

    @model_validator(mode="after")
    def _is_known_or_given(self) -> Self:
        if self.model_fields_set <= {"name"} and self.name not in PRESETS:
            raise fault(
                f"{self.name!r} is not a known evaluation{did_you_mean(self.name, PRESETS)}"
                f" (known: {listed(PRESETS, 20)}); or give its p_target, c_miss and c_fa"
            )
        preset = PRESETS.get(self.name)
        if preset and not self.model_fields_set <= {"name"} and preset.points != self.points:
            raise fault(
                f"{self.name!r} is a known evaluation with numbers of its own;"
                " leave the numbers out, or choose another name"
            )
        return self

    @property
    def points(self) -> tuple[costs.OperatingPoint, ...]:
        """The points it denotes; the priors distinguish several of one evaluation."""
        values = self.model_dump()
        if not self.model_fields_set <= {"name"}:
            return (costs.OperatingPoint(**values),)
        points = PRESETS[self.name].points
        if len(points) == 1:
            return points
        return tuple(replace(p, name=f"{self.name} ({show_value(p.p_target)})") for p in points)


def _distinctly_named(entries: list[OperatingPointKeys]) -> list[OperatingPointKeys]:
    for name in repeated(point.name for entry in entries for point in entry.points):
        raise fault(f"{name!r} is given twice")
    return entries


Evaluation = Annotated[str, WithJsonSchema({"enum": list(PRESETS)})]
PointOrName = Annotated[
    OperatingPointKeys,
    BeforeValidator(
        lambda value: {"name": value} if isinstance(value, str) else value,
        json_schema_input_type=OperatingPointKeys | Evaluation,
    ),
]
OperatingPoints = Annotated[list[PointOrName], AfterValidator(_distinctly_named)]


class ThresholdsKeys(ConfigSection):
    """How thresholds are set."""

    policy: Policy = Field(
        default="dev",
        description="dev: set on the development set, evaluated on the test set; train: the same, where the"
        " development set is the training set; split_clients: one set is halved by clusters;"
        " leave_one_client_out and kfold: each fold uses thresholds chosen on the others; cv_test: the same"
        " on the test set, which is optimistic; none: no thresholds are chosen. Left out, a table without a"
        " column of splits is read as none, with a caution, unless a key needs chosen thresholds",
    )
    from_: dict[Text, Text] | None = Field(
        default=None, alias="from", description="for a dataset, the dataset whose development set is used"
    )
    folds: Whole = Field(
        default=10,
        ge=2,
        le=MOST_FOLDS,
        description="number of folds of kfold, and of cv_test without clusters",
    )
    column: Text | None = Field(
        default=None,
        description="column that names the fold of every trial, for kfold: folds of a cross-validation, for"
        " example; left out: trials or clusters are dealt into folds",
    )
    threshold_at: ThresholdAt = Field(
        default="midpoint", description="position of a threshold between two scores"
    )
    ties: Ties = Field(
        default="balanced",
        description="which of several equally good thresholds is used: balanced, that at which FAR and FRR,"
        " as the criterion weighs them, differ least; high, that with the smallest FAR; low, that with the"
        " smallest FRR",
    )

    @model_validator(mode="after")
    def _suits_the_policy(self) -> Self:
        if self.from_ and self.policy in ACROSS_FOLDS:
            raise fault(f"policy {self.policy!r} chooses across folds of test; leave 'from' out")
        if self.column is not None and self.policy != "kfold":
            raise fault(f"'column' names the folds of policy kfold, found policy {self.policy!r}")
        return self


def _has_a_curve(criterion: Criterion) -> Criterion:
    if criterion.oracle:
        raise fault(f"'{criterion}': the curve tuned on the test set is always computed; leave 'oracle' out")
    if not criterion.swept:
        allowed = listed(key for key, value in CRITERIA.items() if value.swept)
        raise fault(f"'{criterion}' has no parameter for a curve to run along; allowed: {allowed}")
    for name, (value, default) in criterion.replaced().items():
        if value != default:
            leave = "it" if name == criterion.swept else name
            raise fault(f"'{criterion}': the curve runs along {criterion.swept}; leave {leave} out")
    return criterion


def _is_at_a_threshold(measure: Measure) -> Measure:
    if measure.over != "threshold":
        raise fault(f"'{measure}' is computed over all thresholds; an EPC shows measures at a threshold")
    return measure


class EpcKeys(ConfigSection):
    """Expected performance curves: measures on the test set at thresholds of the development set."""

    criteria: Annotated[
        list[Annotated[CriterionName, AfterValidator(_has_a_curve)]], Field(min_length=1), DISTINCT
    ] = Field(default=written(["weighted_error"]), description="how the threshold is chosen for each alpha")
    measures: Annotated[
        list[Annotated[MeasureName, AfterValidator(_is_at_a_threshold)]], Field(min_length=1), DISTINCT
    ] = Field(
        default=written(["hter", "weighted_error"]),
        description="measures shown; weighted_error and spoofing_error without alpha take that of each point",
    )
    bounds: Annotated[list[Number], Field(min_length=2, max_length=2)] = Field(
        default=[0.0, 1.0], description="areas under the curves cover [0, 1] and this range"
    )
    alphas: Whole = Field(
        default=101, ge=2, le=MOST_ALPHAS, description="number of alphas, equally spaced from 0 to 1"
    )

    @field_validator("bounds")
    @classmethod
    def _within_the_curve(cls, bounds: list[float]) -> list[float]:
        low, high = bounds
        if not 0 <= low < high <= 1:
            raise fault(f"[{low:g}, {high:g}] is not a range within [0, 1]")
        return bounds


def _none(value: Any) -> Any:
    if isinstance(value, str) and value != "none":
        raise fault(f"expected a mapping or none, found {value!r}")
    return None if value == "none" else value


def _none_in_words(schema: JsonSchemaValue) -> None:
    schema["anyOf"][-1] = {"const": "none"}


EpcOrNone = Annotated[EpcKeys | None, BeforeValidator(_none), Field(json_schema_extra=_none_in_words)]


MOST_REPLICATES = 10_000_000
MOST_SEED = 2**63 - 1


def _auto_or_whole(value: Any, whole: ValidatorFunctionWrapHandler) -> Any:
    if isinstance(value, str) and value.isalpha() and value != "auto":
        raise fault(f"expected auto, or a whole number, found {value!r}")
    return value if value == "auto" else whole(value)


Replicates = Annotated[
    Whole,
    Field(ge=1, le=MOST_REPLICATES),
    WrapValidator(_auto_or_whole),
    WithJsonSchema(
        {"anyOf": [{"const": "auto"}, {"type": "integer", "minimum": 1, "maximum": MOST_REPLICATES}]}
    ),
]


class SignificanceKeys(ConfigSection):
    """Intervals and tests."""

    level: Number = Field(default=Inference.level, gt=0, lt=1, description="confidence level")
    replicates: Replicates = Field(
        default="auto",  # type: ignore[assignment]
        description="number of bootstrap resamples. auto: as many as hold the random error of an interval's"
        " limit to 5% of the standard error, 3072 at level 0.95, at most 10000",
    )
    unit: settings.Unit = Field(
        default=Inference.unit, description="what is resampled; auto: cluster where declared, else trial"
    )
    comparisons: settings.Estimand = Field(
        default=Inference.comparisons,
        description="what comparisons refer to. procedure: the models, thresholds re-selected in every"
        " resample (the"
        " comparison with thresholds fixed is also reported); given_thresholds: the systems with thresholds"
        " fixed, which across folds are not tested",
    )
    intervals: settings.Estimand = Field(
        default=Inference.intervals,
        description="what intervals of single models refer to, as for comparisons; thresholds chosen across"
        " folds are re-selected in every resample in any case",
    )
    stratify: settings.Stratify = Field(
        default=Inference.stratify,
        description="label: classes are resampled separately, because their sizes were fixed by design",
    )
    interval: settings.IntervalMethod = Field(
        default=Inference.interval,
        description="method of bootstrap intervals and p-values. auto: by the quantity (see the guide);"
        " percentile; centred (at the mean of the resamples); basic; studentized and bca, where"
        " trials are independent and the measure is at a threshold, percentile elsewhere",
    )
    correction: settings.Correction = Field(
        default=Inference.correction, description="for multiple comparisons"
    )
    family: settings.Family = Field(
        default=Inference.family, description="the comparisons that are corrected together"
    )
    pairs: settings.Pairs = Field(
        default=Inference.pairs,
        description="of more than 10 models without a baseline. auto: the models are ranked, no pairs are"
        " compared; all: all pairs of the primary question are tested too, in the frame pairs, corrected"
        " as comparisons are (maxt: step-down max-T)",
    )
    seed: Whole = Field(default=Inference.seed, ge=0, le=MOST_SEED, description="of the random numbers")
    bands: Kind = Field(
        default=Inference.bands,
        description="bands of the curves of FAR and FRR. fixed_width: simultaneous; sup_t: simultaneous"
        " for FAR"
        " from 1% to 99%; sjr: simultaneous for independent trials, without resampling, wide; vertical:"
        " pointwise; threshold: FAR and FRR at each threshold, in the frame only; none: neither bands nor"
        " differences along the curves",
    )
    tests: Annotated[list[settings.Test], DISTINCT, PlainSerializer(tuple, tuple[str, ...])] = Field(
        default=list(Inference.tests), description="further tests of the primary question, shown unadjusted"
    )
    margin: Annotated[float, Field(gt=0), PLAIN] | None = Field(
        default=Inference.margin,
        description="for equivalence and non_inferiority: the largest difference that is irrelevant",
    )
    power: Number = Field(
        default=Inference.power, gt=0, lt=1, description="for power: the probability of finding a difference"
    )
    replicate_on: settings.ReplicateOn = Field(
        default=Inference.replicate_on,
        description="what resampling of thresholds, of measures over all thresholds and of bands uses."
        " scores:"
        " every distinct score; bins: at most 4096 bins (the report shows their width); auto: bins beyond"
        " 32768 distinct scores",
    )

    @field_validator("replicates")
    @classmethod
    def _reach_the_limits(cls, replicates: int | str, info: ValidationInfo) -> int:
        level = info.data.get("level", Inference.level)
        if isinstance(replicates, str):
            return enough_replicates(level)
        least = least_replicates(level)
        if replicates < least:
            raise fault(
                f"{replicates} are too few for percentile limits at level {level!r}; at least {least}"
            )
        return replicates

    @model_validator(mode="after")
    def _tests_have_what_they_need(self) -> Self:
        with_margin = [repr(test) for test in self.tests if test in WITH_MARGIN]
        one_sided = [test for test in self.tests if test in ONE_SIDED]
        if with_margin and self.margin is None:
            raise fault(
                f"{' and '.join(with_margin)} need{'s' if len(with_margin) == 1 else ''} a margin: the"
                " difference in the primary measure that does not matter, such as margin: 0.01"
            )
        if self.margin is not None and not with_margin:
            allowed = " or ".join(WITH_MARGIN)
            raise fault(f"no test takes the margin; ask for {allowed} in tests, or leave it out")
        if one_sided and self.level <= 0.5:
            raise fault(f"{one_sided[0]!r} needs a level above 0.5, found {self.level!r}")
        if "power" in self.tests and self.power <= 1 - self.level:
            raise fault(
                f"a power of {self.power!r} needs no difference at level {self.level!r};"
                f" ask for more than {1 - self.level:.4g}"
            )
        return self
