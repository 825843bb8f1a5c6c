"""The evidence of one dataset or group on the gates, taken while its resamples are at hand."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from reporting.base.codes import Status
from reporting.base.records import dataclass
from reporting.core.engine.macro import Macro, MacroMean, macro_of
from reporting.core.engine.model_runs import ModelRuns, models_with_runs
from reporting.core.engine.operations import why_unplaced
from reporting.core.engine.pairing import Pair
from reporting.core.engine.pairs import Difference, difference
from reporting.core.engine.parts import Part
from reporting.core.engine.resampling import Resampling
from reporting.core.engine.sample import Question, sample
from reporting.core.engine.study import Study
from reporting.core.resampling.margins import Normal, Percentile, Score
from reporting.core.resampling.paired import PairedDifference
from reporting.core.resampling.settings import Estimand
from reporting.features.gates.bounds import bounded
from reporting.features.gates.evidence import Evidence
from reporting.features.gates.keys import REFERENCE, Gate, models_of


@dataclass(frozen=True)
class GateData:
    """What the data say of one gate of one model; ``evidence`` None: the ``status`` has the reason."""

    evidence: Evidence | None
    status: Status | None
    unit: str
    n_units: int
    inference: Estimand | None = None
    estimate: float | None = None
    """The number itself, where it is known without evidence."""
    compared: PairedDifference | None = None
    """The report's comparison of the same two models."""


@dataclass(frozen=True)
class GateTarget:
    """One dataset or group of a gate, and one of its models."""

    gate: int
    """Its place in the config."""
    model: str
    dataset: str
    group: str


@dataclasses.dataclass
class Collector:
    """Gathers the evidence of gates, part by part."""

    gates: Sequence[Gate]
    study: Study
    data: dict[GateTarget, GateData] = dataclasses.field(default_factory=dict)
    groups: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    """The groups of every dataset; empty text is the whole."""

    def visit(self, part: Part, drawn: Resampling) -> None:
        """Take the evidence of one part for every gate about it."""
        self.groups.setdefault(part.dataset, []).append(part.group)
        macro = macro_of(part, self.study)
        by_key = {runs.key.model: runs for runs in models_with_runs(part.models)}
        for number, gate in enumerate(self.gates):
            if gate.dataset not in (None, part.dataset) or (gate.group or "") != part.group:
                continue
            for model in models_of(gate, list(by_key)):
                spot = GateTarget(number, model, part.dataset, part.group)
                self.data[spot] = (
                    data_of_mean(gate, by_key[model], macro)
                    if macro.means
                    else self._of(gate, by_key, model, drawn)
                )

    def _of(self, gate: Gate, by_key: dict[str, ModelRuns], model: str, drawn: Resampling) -> GateData:
        if gate.against is None or gate.against == REFERENCE:
            return data_of_value(gate, by_key[model], drawn, self.study)
        criterion = None
        if gate.measure.over == "threshold":
            criterion = gate.criterion or self.study.primary.criterion
        pair = Pair(by_key[model], by_key[gate.against])
        return data_of_difference(difference(pair, Question(gate.measure, criterion), drawn, self.study))


def data_of_mean(gate: Gate, model: ModelRuns, macro: Macro) -> GateData:
    """Return a mean over the values of a column, or the difference of two, as the report has it."""
    criterion = gate.criterion if gate.measure.over == "threshold" else None
    of_models, key = macro.means.get(Question(gate.measure, criterion), {}), model.key.model
    named = [key, gate.against] if gate.against not in (None, REFERENCE) else [key]
    means = [of_models[name] for name in named if name in of_models]
    if len(means) < len(named):
        why: Status = "no_criterion" if criterion is None else why_unplaced(criterion)
        return GateData(None, why, "cluster", 0)
    # The mean of differences sums to the same digits whichever comes first: signs alone turn.
    of = means[0] if len(means) == 1 else means[0] - means[1]
    evidence = _bounded_mean(of) if len(means) == 1 else _bounded_difference(of)
    status: Status | None = None if evidence else "degenerate"
    return GateData(evidence, status, of.design.unit, of.n, of.estimand, of.point)


def _bounded_mean(of: MacroMean) -> Percentile | None:
    """Return the mean with its limits at every tail; None without any."""
    return None if of.alike or not of.n else Percentile(of.point, of.replicates)


def _bounded_difference(of: MacroMean) -> Normal | Score | None:
    """Return a mean of differences with its limits at every tail; None without any."""
    tested = of.tested()
    if "identical_decisions" in tested.flags and of.step is not None:
        return Score(0.0, 0.0, of.step)
    return Normal.of(tested) if tested.se > 0 else None


def data_of_difference(of: Difference) -> GateData:
    """Return model - against, as the report's comparison has it: the same difference and error."""
    units, estimate, compared = of.drawn.units, of.estimate(), of.pair.turned(of.tested())
    evidence: Evidence | None = None if estimate.status else of.bounded()
    status = estimate.status or (None if evidence else "degenerate")
    estimand = None if status == "no_trial_key" else of.estimand
    return GateData(evidence, status, units.name, units.n_units, estimand, compared.difference, compared)


def data_of_value(gate: Gate, runs: ModelRuns, drawn: Resampling, study: Study) -> GateData:
    """Return the value of one model, or its mean over runs, with the interval of its row in ``metrics``.

    Shares of independent trials have exact limits instead.
    """
    criterion = gate.criterion if gate.measure.over == "threshold" else None
    if criterion is None and gate.measure.over == "threshold":
        return GateData(None, "no_criterion", drawn.units.name, drawn.units.n_units)
    of = sample(runs, Question(gate.measure, criterion), drawn, study)
    status = of.status() or (None if of.measured else "not_measured")
    evidence, value = (None, None) if status else (bounded(of), float(of.point[0]))
    if not status and evidence is None:
        # Where counts carry noise, a number has no interval for that, and not because it has no spread.
        few: Status = "too_few_clusters" if of.design.too_few_clusters else "degenerate"
        status = few if drawn.ranks.noise is None else "noise_unknown"
    return GateData(evidence, status, of.design.unit, of.design.n_units, of.estimand, value)
