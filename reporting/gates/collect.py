"""What one dataset or group says of the gates, taken while its replicates are at hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from reporting.codes import Status
from reporting.curves.epc import Operation
from reporting.engine.model_runs import ModelRuns, teams
from reporting.engine.operations import JudgedModel
from reporting.engine.pairs import Pair, PairedTest
from reporting.engine.parts import Part
from reporting.engine.resampling import Resampling
from reporting.engine.study import Primary, Study
from reporting.engine.values import status_of, value_at
from reporting.gates.evidence import Binomial, Evidence, Logit, NoneSeen, Normal, Percentile
from reporting.gates.gate import REFERENCE, Gate
from reporting.gates.names import models_of
from reporting.measures.measure import Measure
from reporting.significance.estimate import know_nothing
from reporting.significance.paired import decide_alike
from reporting.significance.settings import Estimand
from reporting.stats.placements import area_se
from reporting.stats.staircase import FloatArray


@dataclass(frozen=True)
class GateData:
    """What the data say of one gate of one model; ``evidence`` None: the ``status`` says why not."""

    evidence: Evidence | None
    status: Status | None
    unit: str
    n_units: int
    inference: Estimand | None = None


@dataclass(frozen=True)
class Spot:
    """One dataset or group of a gate, and one of its models."""

    gate: int
    """Its place in the config."""
    model: str
    dataset: str
    group: str


@dataclass
class Collector:
    """Gathers the evidence of gates, part by part."""

    gates: Sequence[Gate]
    study: Study
    data: dict[Spot, GateData] = field(default_factory=dict)
    groups: dict[str, list[str]] = field(default_factory=dict)
    """The groups of every dataset; empty text is the whole."""
    wholes: list[Part] = field(default_factory=list)
    """The parts that are whole datasets: their decisions are what later runs are paired with."""

    def visit(self, part: Part, drawn: Resampling) -> None:
        """Take what one part says of every gate that speaks of it."""
        self.groups.setdefault(part.dataset, []).append(part.group)
        self.wholes += [] if part.group else [part]
        by_key = {runs.key.model: runs for runs in teams(part.models)}
        for number, gate in enumerate(self.gates):
            if gate.dataset not in (None, part.dataset) or gate.group != part.group:
                continue
            for model in models_of(gate, list(by_key)):
                spot = Spot(number, model, part.dataset, part.group)
                self.data[spot] = self._of(gate, by_key, model, drawn)

    def _of(self, gate: Gate, by_key: dict[str, ModelRuns], model: str, drawn: Resampling) -> GateData:
        if gate.against is None or gate.against == REFERENCE:
            return data_of_value(gate, by_key[model], drawn, self.study)
        return data_of_difference(gate, by_key[model], by_key[gate.against], drawn, self.study)


def data_of_difference(
    gate: Gate, model: ModelRuns, against: ModelRuns, drawn: Resampling, study: Study
) -> GateData:
    """Return model - against, as the report's headline comparison has it: the same difference and error."""
    primary = Primary(gate.measure, gate.criterion or study.primary.criterion)
    pair, units = Pair(model, against), drawn.units
    paired = PairedTest(pair.ordered, drawn, replace(study, primary=primary), pair=pair)
    status = paired.headline.status
    evidence = None if status else _of_difference(paired, gate, drawn)
    estimand = None if status and paired.refused(decided=True) else paired.estimand
    status = status or (None if evidence else "degenerate")
    return GateData(evidence, status, units.name, units.n_units, estimand)


def _of_difference(paired: PairedTest, gate: Gate, drawn: Resampling) -> Evidence | None:
    if paired.headline.se > 0:
        return Normal.of(paired.headline)
    linear = gate.measure.linear()
    if linear is None or drawn.ranks.weight is not None or not decide_alike(paired.discordant):
        return None
    return NoneSeen(linear, _sizes(paired.models[0], drawn), signed=True)


def _sizes(model: JudgedModel, drawn: Resampling) -> tuple[int, int]:
    """Independent units of either class, non-targets first: trials, or the clusters of the rarer class."""
    n_target, n_nontarget = model.test.trials
    return (drawn.units.fewest,) * 2 if drawn.clustered else (n_nontarget, n_target)


def data_of_value(gate: Gate, runs: ModelRuns, drawn: Resampling, study: Study) -> GateData:
    """Return the value of one model: what its row in ``metrics`` rests on, but rates by exact limits."""
    units, model = drawn.units, runs.first
    if not runs.alone:
        return GateData(None, "several_runs", units.name, units.n_units)
    if gate.measure.over != "threshold":
        evidence, status = _over_sweep(gate.measure, model, drawn)
        return GateData(evidence, status, units.name, units.n_units)
    operation = model.single.get(gate.criterion) if gate.criterion else None
    if operation is None:
        return GateData(None, "not_calibrated_scale", units.name, units.n_units)
    estimand = drawn.estimand(model, operation, study.inference.intervals)
    evidence, status = _at_threshold(gate.measure, model, operation, drawn, estimand)
    return GateData(evidence, status, units.name, units.n_units, estimand)


EvidenceOrStatus = tuple[Evidence | None, Status | None]


def _at_threshold(
    measure: Measure, model: JudgedModel, operation: Operation, drawn: Resampling, estimand: Estimand
) -> EvidenceOrStatus:
    value = value_at(measure, operation.test, 0, model.test)
    if not math.isfinite(value):
        return None, status_of(value, *model.test.trials)
    given = operation.chosen.source != "cv" and estimand == "given_thresholds"
    misses, false_alarms = int(operation.test.misses[0]), int(operation.test.false_alarms[0])
    if given and drawn.ranks.weight is None and not drawn.clustered and measure.counted is not None:
        k, n = measure.counted.counts(misses, false_alarms, *model.test.totals, **measure.arguments)
        if n is not None:
            return Binomial(int(k), int(n)), None
    linear = measure.linear()
    if given and drawn.ranks.weight is None and linear and not misses and not false_alarms:
        return NoneSeen(linear, _sizes(model, drawn), signed=False), None
    return _of_replicates(value, drawn.at(model, operation, estimand).values(measure)[:, 0], drawn)


def _over_sweep(measure: Measure, model: JudgedModel, drawn: Resampling) -> EvidenceOrStatus:
    value = model.value(measure)
    if value.status:
        return None, value.status
    independent = not drawn.clustered and drawn.ranks.weight is None
    if measure.of_area == (0.0, 1.0) and independent and 0 < value.number < 1:
        se = area_se(drawn.placements(model), drawn.ranks.label)
        return (Logit(value.number, se), None) if se > 0 else (None, "degenerate")
    if measure not in drawn.sweeps[model.id]:
        return None, "not_measured"
    return _of_replicates(value.number, drawn.sweeps[model.id][measure], drawn)


def _of_replicates(value: float, values: FloatArray, drawn: Resampling) -> EvidenceOrStatus:
    if know_nothing(values, drawn.units.n_units):
        return None, "degenerate"
    return Percentile(value, np.asarray(values, dtype=np.float64)), None
