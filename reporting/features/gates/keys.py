"""The keys of one gate: a verdict on the run that decides about its exit status."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, model_validator

from reporting.core.criteria.criterion import Criterion
from reporting.core.engine.study import Study
from reporting.core.measures.measure import Measure
from reporting.document.keys import (
    DISTINCT,
    PLAIN,
    SCALAR,
    ConfigSection,
    CriterionName,
    Declare,
    Flag,
    MeasureName,
    Number,
    Text,
    as_list,
    fault,
)
from reporting.errors import ConfigError, listed, quoted
from reporting.features.gates.gate import EVERY, Gate, Kind

COMPARED = ("better", "better_by", "not_worse_by")
LIMITED = ("at_most", "at_least")
BOUNDS = (*COMPARED, *LIMITED)

Margin = Annotated[float, Field(gt=0), PLAIN]
Models = Annotated[
    list[Text],
    Field(min_length=1),
    BeforeValidator(as_list),
    DISTINCT,
    WithJsonSchema({"anyOf": [SCALAR, {"type": "array", "items": SCALAR, "minItems": 1}]}),
]


class GateKeys(ConfigSection):
    """A verdict on the run: pass, fail or undecided, from intervals and adjusted p-values."""

    measure: MeasureName = Field(description="the measure")
    model: Models = Field(description="the models of the gate: one, several, or '*' for all")
    against: Text | None = Field(
        default=None,
        description="the model to compare with; reference: the same model in the last accepted run of the"
        " history",
    )
    better: Flag = Field(default=False, description="true: better, by whatever amount")
    better_by: Margin | None = Field(default=None, description="better by more than this margin")
    not_worse_by: Margin | None = Field(default=None, description="not worse by this margin or more")
    at_most: Number | None = Field(default=None, description="below this limit")
    at_least: Number | None = Field(default=None, description="above this limit")
    criterion: CriterionName | None = Field(
        default=None, description="what chooses the thresholds; default: the primary criterion"
    )
    dataset: Text | None = Field(default=None, description="default: each dataset separately")
    group: Text | None = Field(
        default=None, description="a group of a breakdown, such as gender=f or 'channel=G,gender=f'"
    )
    level: Annotated[float, Field(gt=0, lt=1), PLAIN] | None = Field(
        default=None, description="confidence level; default: that of significance"
    )
    name: Text | None = Field(default=None, description="name in the report; default: the question")
    on_undecided: Literal["fail", "pass"] = Field(
        default="fail", description="whether an undecided gate counts as failed or passed"
    )
    always_valid: Flag = Field(
        default=False,
        description="true: e-values from the new trials of every run in the history, a bet for each new"
        " cluster; the error rate holds over all runs together",
    )
    independent: Flag = Field(
        default=False,
        description="true: always_valid takes trials as independent of one another and of earlier runs, as"
        " where no cluster column is declared",
    )

    @model_validator(mode="after")
    def _asks_one_thing(self) -> Self:
        # A limit of 0 equals False.
        given = [name for name in BOUNDS if not any(getattr(self, name) is no for no in (None, False))]
        if len(given) != 1:
            instead = f"found {listed(given)}" if given else "found none"
            raise fault(f"expected one of {listed(BOUNDS)}, {instead}")
        if given[0] in COMPARED and self.against is None:
            raise fault(f"{given[0]!r} compares with another model; name it in against")
        if given[0] in LIMITED and self.against is not None:
            raise fault(f"{given[0]!r} is a limit for the model alone; leave against out")
        return self

    @model_validator(mode="after")
    def _has_a_direction(self) -> Self:
        measure, better = self.measure, self.measure.better
        if self.against is not None and measure.ideal is not None:
            raise fault(
                f"'{measure}' is best at {measure.ideal:g}, and neither direction is better;"
                " use at_most and at_least, a gate each"
            )
        wrong = "at_most" if better == "higher" else "at_least"
        if measure.ideal is None and getattr(self, wrong) is not None:
            right = LIMITED[1 - LIMITED.index(wrong)]
            raise fault(f"'{measure}' is better when {better}, so {wrong} would pass bad models; use {right}")
        if (self.at_most if self.at_most is not None else self.at_least) is not None:
            self._limit_can_be_reached()
        return self

    def _limit_can_be_reached(self) -> None:
        low, high = self.measure.bounds
        name = "at_most" if self.at_most is not None else "at_least"
        limit = getattr(self, name)
        if not low < limit < high:
            raise fault(
                f"{name}: {limit:g} is outside the range of '{self.measure}', {low:g} to {high:g};"
                " the limit must lie inside (rates are fractions: 0.02 is 2%)"
            )

    @model_validator(mode="after")
    def _names_models(self) -> Self:
        if EVERY in self.model and len(self.model) > 1:
            raise fault(f"model: '*' means all models; leave {listed(set(self.model) - {EVERY})} out")
        if self.against == EVERY:
            raise fault("against: expected one model, or reference")
        if self.against in self.model:
            raise fault(f"{quoted(str(self.against))} is compared with itself")
        return self

    @model_validator(mode="after")
    def _has_thresholds(self) -> Self:
        if self.criterion is None:
            return self
        if self.measure.over != "threshold":
            raise fault(f"'{self.measure}' takes no criterion; leave 'criterion' out")
        if self.criterion.oracle:
            raise fault(
                f"'{self.criterion}' is chosen on the test data, which allows no valid verdict;"
                " choose one on the development set"
            )
        return self

    @model_validator(mode="after")
    def _is_of_two_classes(self) -> Self:
        if self.measure.mixed:
            raise fault(
                f"'{self.measure}' is a cost of three kinds of trials; gates take measures of two classes"
            )
        return self

    @model_validator(mode="after")
    def _can_be_looked_at_always(self) -> Self:
        if not self.always_valid:
            if self.independent:
                raise fault("independent: it needs always_valid: true; leave it out")
            return self
        if self.measure.linear() is None:
            raise fault(
                "always_valid needs a weighted sum of FAR and FRR at a threshold, such as hter;"
                f" '{self.measure}' is not one"
            )
        if self.group is not None:
            raise fault("always_valid gates apply to whole datasets; leave 'group' out")
        return self

    @property
    def kind(self) -> Kind:
        """What is asked."""
        if self.at_most is not None:
            return "at_most"
        if self.at_least is not None:
            return "at_least"
        return "superiority" if self.not_worse_by is None else "non_inferiority"

    def gate(self, measure: Measure, level: float, criterion: Criterion | None) -> Gate:
        """Return the gate, with its measure as declared and the defaults of the report."""
        sizes = (self.better_by, self.not_worse_by, self.at_most, self.at_least)
        return Gate(
            measure=measure,
            kind=self.kind,
            size=next((size for size in sizes if size is not None), 0.0),
            models=tuple(self.model),
            against=self.against,
            criterion=(self.criterion or criterion) if measure.over == "threshold" else None,
            dataset=self.dataset,
            group=self.group or "",
            level=level if self.level is None else self.level,
            on_undecided=self.on_undecided,
            always_valid=self.always_valid,
            independent=self.independent,
            name=self.name or "",
        )


def _told_apart(gates: list[GateKeys]) -> list[GateKeys]:
    """Rows of the frame are named by the gate: no two of them may share a name."""
    # The report's own level and criterion are the same for all that leave them out.
    titles = [each.gate(each.measure, 0.95, None).title for each in gates]
    for at, title in enumerate(titles):
        if title in titles[:at]:
            raise fault(f"{quoted(title)} is given twice; give each gate a name")
    return gates


GateList = Annotated[list[GateKeys], AfterValidator(_told_apart)]


def gates_of(keys_of_gates: Sequence[GateKeys], study: Study, declare: Declare) -> tuple[Gate, ...]:
    """Return the gates, with the study's level and its primary thresholds where they name none.

    Where the primary measure has no threshold, the study's first criterion takes its place.
    """
    at_threshold = study.primary.measure.over == "threshold"
    criterion = study.primary.criterion if at_threshold else next(iter(study.criteria), None)
    gates = []
    for keys in keys_of_gates:
        gate = keys.gate(declare(keys.measure), study.inference.level, criterion)
        gates.append(replace(gate, criterion=declare(gate.criterion)) if gate.criterion else gate)
    if faults := [*without_criterion(gates), *beyond_primary(gates, study.primary.criterion)]:
        raise ConfigError(*faults)
    return tuple(gates)


def with_gates(study: Study, gates: Sequence[Gate]) -> Study:
    """Return the study with what its gates judge among its measures and criteria."""
    measures = dict.fromkeys((*study.measures, *(gate.measure for gate in gates)))
    criteria = dict.fromkeys((*study.criteria, *(gate.criterion for gate in gates if gate.criterion)))
    return replace(study, measures=tuple(measures), criteria=tuple(criteria))


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
