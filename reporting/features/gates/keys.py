"""The keys of one gate: a verdict on the run that decides about its exit status."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, model_validator

from reporting.base.contents import show_value
from reporting.base.records import dataclass, replace
from reporting.core.criteria.criterion import Criterion
from reporting.core.engine.study import Study
from reporting.core.resampling.settings import Inference
from reporting.document import keys
from reporting.errors import ConfigError, did_you_mean, listed, quoted

COMPARED = ("better", "better_by", "not_worse_by")
LIMITED = ("at_most", "at_least")
BOUNDS = (*COMPARED, *LIMITED)
Kind = Literal["superiority", "non_inferiority", "at_most", "at_least"]
Side = Literal["below", "above"]
EVERY, REFERENCE = "*", "reference"
"""Words for all models, and the same model in the last accepted run."""

Margin = Annotated[float, Field(gt=0), keys.PLAIN]
Models = Annotated[
    tuple[keys.Text, ...],
    Field(min_length=1),
    BeforeValidator(keys.as_list),
    keys.DISTINCT,
    WithJsonSchema({"anyOf": [keys.SCALAR, {"type": "array", "items": keys.SCALAR, "minItems": 1}]}),
]


@dataclass(frozen=True)
class Gate(keys.ConfigValues):
    """A verdict on the run: pass, fail or undecided, from intervals and adjusted p-values."""

    measure: Annotated[keys.MeasureName, Field(description="the measure")]
    model: Annotated[Models, Field(description="the models of the gate: one, several, or '*' for all")]
    against: Annotated[
        keys.Text | None,
        Field(
            description="the model to compare with; reference: the same model in the last accepted run of the"
            " history"
        ),
    ] = None
    better: Annotated[keys.Flag, Field(description="true: better, by whatever amount")] = False
    better_by: Annotated[Margin | None, Field(description="better by more than this margin")] = None
    not_worse_by: Annotated[Margin | None, Field(description="not worse by this margin or more")] = None
    at_most: Annotated[keys.Number | None, Field(description="below this limit")] = None
    at_least: Annotated[keys.Number | None, Field(description="above this limit")] = None
    criterion: Annotated[
        keys.CriterionName | None,
        Field(description="what chooses the thresholds; default: the primary criterion"),
    ] = None
    dataset: Annotated[keys.Text | None, Field(description="default: each dataset separately")] = None
    group: Annotated[
        keys.Text | None,
        Field(description="a group of a breakdown, such as gender=f or 'channel=G,gender=f'"),
    ] = None
    level: Annotated[
        Annotated[float, Field(gt=0, lt=1), keys.PLAIN] | None,
        Field(description="confidence level; default: that of significance"),
    ] = None
    name: Annotated[keys.Text | None, Field(description="name in the report; default: the question")] = None
    on_undecided: Annotated[
        Literal["fail", "pass"], Field(description="whether an undecided gate counts as failed or passed")
    ] = "fail"
    always_valid: Annotated[
        keys.Flag,
        keys.QuestionKey,
        Field(
            description="true: e-values from the new trials of every run in the history, a bet for each new"
            " cluster; the error rate holds over all runs together"
        ),
    ] = False
    independent: Annotated[
        keys.Flag,
        keys.QuestionKey,
        Field(
            description="true: always_valid takes trials as independent of one another and of earlier runs,"
            " as where no cluster column is declared"
        ),
    ] = False

    @model_validator(mode="after")
    def _asks_one_thing(self) -> Self:
        # A limit of 0 equals False.
        given = [name for name in BOUNDS if not any(getattr(self, name) is no for no in (None, False))]
        if len(given) != 1:
            instead = f"found {listed(given)}" if given else "found none"
            raise keys.fault(f"expected one of {listed(BOUNDS)}, {instead}")
        if given[0] in COMPARED and self.against is None:
            raise keys.fault(f"{given[0]!r} compares with another model; name it in against")
        if given[0] in LIMITED and self.against is not None:
            raise keys.fault(f"{given[0]!r} is a limit for the model alone; leave against out")
        return self

    @model_validator(mode="after")
    def _has_a_direction(self) -> Self:
        measure, better = self.measure, self.measure.better
        if self.against is not None and measure.ideal is not None:
            raise keys.fault(
                f"'{measure}' is best at {measure.ideal:g}, and neither direction is better;"
                " use at_most and at_least, a gate each"
            )
        wrong = "at_most" if better == "higher" else "at_least"
        if measure.ideal is None and getattr(self, wrong) is not None:
            right = LIMITED[1 - LIMITED.index(wrong)]
            raise keys.fault(
                f"'{measure}' is better when {better}, so {wrong} would pass bad models; use {right}"
            )
        low, high = measure.bounds
        for name in LIMITED:
            limit = getattr(self, name)
            if limit is not None and not low < limit < high:
                raise keys.fault(
                    f"{name}: {limit:g} is outside the range of '{measure}', {low:g} to {high:g};"
                    " the limit must lie inside (rates are fractions: 0.02 is 2%)"
                )
        return self

    @model_validator(mode="after")
    def _names_models(self) -> Self:
        if EVERY in self.model and len(self.model) > 1:
            raise keys.fault(f"model: '*' means all models; leave {listed(set(self.model) - {EVERY})} out")
        if self.against == EVERY:
            raise keys.fault("against: expected one model, or reference")
        if self.against in self.model:
            raise keys.fault(f"{quoted(str(self.against))} is compared with itself")
        return self

    @model_validator(mode="after")
    def _has_thresholds(self) -> Self:
        if self.criterion is None:
            return self
        if self.measure.over != "threshold":
            raise keys.fault(f"'{self.measure}' takes no criterion; leave 'criterion' out")
        if self.criterion.oracle:
            raise keys.fault(
                f"'{self.criterion}' is chosen on the test data, which allows no valid verdict;"
                " choose one on the development set"
            )
        return self

    @model_validator(mode="after")
    def _is_of_two_classes(self) -> Self:
        if self.measure.mixed:
            raise keys.fault(
                f"'{self.measure}' is a cost of three kinds of trials; gates take measures of two classes"
            )
        return self

    @model_validator(mode="after")
    def _can_be_looked_at_always(self) -> Self:
        if not self.always_valid:
            if self.independent:
                raise keys.fault("independent: it needs always_valid: true; leave it out")
            return self
        if self.measure.linear() is None:
            raise keys.fault(
                "always_valid needs a weighted sum of FAR and FRR at a threshold, such as hter;"
                f" '{self.measure}' is not one"
            )
        if self.group is not None:
            raise keys.fault("always_valid gates apply to whole datasets; leave 'group' out")
        return self

    @property
    def kind(self) -> Kind:
        """What is asked."""
        if self.at_most is not None:
            return "at_most"
        if self.at_least is not None:
            return "at_least"
        return "superiority" if self.not_worse_by is None else "non_inferiority"

    @property
    def size(self) -> float:
        """The margin, not negative, or the limit, in units of the measure."""
        sizes = (self.better_by, self.not_worse_by, self.at_most, self.at_least)
        return next((size for size in sizes if size is not None), 0.0)

    @property
    def side(self) -> Side:
        """Where the number must lie: below or above the bound."""
        if self.against is None:
            return "below" if self.kind == "at_most" else "above"
        return "below" if self.measure.better == "lower" else "above"

    @property
    def bound(self) -> float:
        """The bound on the scale of the number: a limit, or a difference model - against."""
        if self.against is None:
            return self.size
        worse = 1.0 if self.measure.better == "lower" else -1.0
        return (worse if self.kind == "non_inferiority" else -worse) * self.size + 0.0

    @property
    def error(self) -> float:
        """The error rate of either side: (1 - level) / 2."""
        return round(1 - (self.level or Inference.level), 12) / 2

    @property
    def title(self) -> str:
        """The name given, or one that states the question."""
        return self.name or f"{self.measure} {self._question}{self._where}"

    @property
    def _question(self) -> str:
        size = show_value(self.size)
        if self.against is None:
            return f"of {', '.join(self.model)} {self.kind.replace('_', ' ')} {size}"
        by = "" if self.kind == "superiority" and self.size == 0 else f" by {size}"
        better = "better than" if self.kind == "superiority" else "not worse than"
        return f"of {', '.join(self.model)} {better} {self.against}{by}"

    @property
    def _where(self) -> str:
        parts = [f" on {self.dataset}"] if self.dataset is not None else []
        parts += [f" at {self.criterion}"] if self.criterion is not None else []
        parts += [f" where {self.group}"] if self.group else []
        return "".join([*parts, *([" always valid"] if self.always_valid else [])])


def _told_apart(gates: tuple[Gate, ...]) -> tuple[Gate, ...]:
    """Rows of the frame are named by the gate: no two of them may share a name."""
    # The report's own criterion is the same for all that leave it out.
    for title, times in Counter(gate.title for gate in gates).items():
        if times > 1:
            raise keys.fault(f"{quoted(title)} is given twice; give each gate a name")
    return gates


GateList = Annotated[tuple[Gate, ...], AfterValidator(_told_apart)]


def _with_gates(
    key: keys.QuestionKey[tuple[Gate, ...]], study: Study, gates: tuple[Gate, ...], declare: keys.Declare
) -> Study:
    """Return the study with its gates, with its level and its primary thresholds where they name none.

    Where the primary measure has no threshold, the study's first criterion takes its place.
    """
    at_threshold = study.primary.measure.over == "threshold"
    usual = study.primary.criterion if at_threshold else next(iter(study.criteria), None)
    declared = []
    for gate in gates:
        criterion = (gate.criterion or usual) if gate.measure.over == "threshold" else None
        declared.append(
            replace(
                gate,
                measure=declare(gate.measure),
                criterion=criterion and declare(criterion),
                level=gate.level or study.inference.level,
            )
        )
    if faults := [*without_criterion(declared), *beyond_primary(declared, study.primary.criterion)]:
        raise ConfigError(*faults)
    return study.with_key(key.name, tuple(declared)) if declared else study


def without_criterion(gates: Sequence[Gate]) -> list[str]:
    """Return the faults of gates at a threshold in reports that choose none."""
    return [
        f"gates[{at}].criterion: '{gate.measure}' is measured at a threshold, but the report has no"
        f" criterion that"
        " chooses one"
        for at, gate in enumerate(gates)
        if gate.measure.over == "threshold" and gate.criterion is None
    ]


def beyond_primary(gates: Sequence[Gate], criterion: Criterion) -> list[str]:
    """Return the faults of always-valid gates at thresholds whose decisions the history does not keep."""
    return [
        f"gates[{at}].criterion: always_valid gates use the decisions that the history keeps, those of"
        f" '{criterion}'; leave 'criterion' out"
        for at, gate in enumerate(gates)
        if gate.always_valid and gate.criterion is not None and gate.criterion != criterion
    ]


def check_gates(gates: Sequence[Gate], held: keys.HeldByTrials) -> list[str]:
    """Return what gates ask that the table does not hold, a line each: models, datasets, clusters."""
    models, datasets = held.models, held.datasets
    faults = [
        f"gates[{number}].always_valid: bets need clusters, a person or session each: declare"
        " trials.columns.cluster, or write independent: true where no two trials share one, in any run"
        for number, gate in enumerate(gates)
        if gate.always_valid and not (gate.independent or held.clustered)
    ]
    for number, gate in enumerate(gates):
        others = [gate.against] if gate.against not in (None, REFERENCE) else []
        named = [("model", name) for name in gate.model if name != EVERY]
        for key, name in [*named, *(("against", name) for name in others)]:
            if name not in models:
                faults.append(unknown_name(number, key, name, "a model of the trial table", models))
        if gate.dataset is not None and gate.dataset not in datasets:
            what = "a dataset with test trials"
            faults.append(unknown_name(number, "dataset", gate.dataset, what, datasets))
        if gate.against is not None and gate.model == (EVERY,) and not models_of(gate, models):
            faults.append(f"gates[{number}].model: there is no model but {quoted(gate.against)}")
    return faults


def unknown_name(number: int, key: str, name: str | None, what: str, allowed: Sequence[str]) -> str:
    """Return what is wrong with a name that is none of those allowed, with the nearest guess."""
    guess = did_you_mean(str(name), allowed)
    return f"gates[{number}].{key}: {quoted(str(name))} is not {what}{guess} (found: {listed(allowed)})"


def models_of(gate: Gate, models: Sequence[str]) -> list[str]:
    """Return the models that a gate speaks of: those named, or all but the one it compares with."""
    if gate.model != (EVERY,):
        return [model for model in models if model in gate.model]
    return [model for model in models if model != gate.against]


GATES_KEY = keys.QuestionKey[tuple[Gate, ...]](
    name="gates",
    after="report",
    kind=GateList,
    default=(),
    description="verdicts on the run; where one fails, the program exits with status 1",
    needs_dev=bool,
    extend=_with_gates,
    serves_strata=True,
    unknown=check_gates,
    judged=lambda gates: [
        value for gate in gates for value in (gate.measure, gate.criterion) if value is not None
    ],
)
KEYS = (GATES_KEY,)
