"""All resampling of one part of the test data, drawn once and looked up by every frame."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from reporting.counts.outcomes import outcomes
from reporting.counts.ranks import Ranks
from reporting.curves.epc import Operation
from reporting.frames.operations import Operating
from reporting.frames.parts import Part
from reporting.frames.points import point_minima
from reporting.frames.study import Study
from reporting.measures.measure import Measure
from reporting.significance.collapsed import resample_model
from reporting.significance.draws import Units, cluster_units, trial_units
from reporting.significance.replicates import Replicates
from reporting.significance.weighted import Resampled, Sweep, Task, cells_of, resample
from reporting.stats.placements import trial_placements
from reporting.stats.runs import truth_runs
from reporting.stats.staircase import FloatArray

FEW_CLUSTERS = 20


@dataclass(frozen=True, eq=False)
class Resampling:
    """The replicates of one dataset: errors by model and operation, and sweep measures by model."""

    ranks: Ranks
    units: Units
    collapsed: bool
    """Errors of a pair at given thresholds are drawn from its joint outcomes, not from weights on units."""
    errors: dict[tuple[str, str], Replicates]
    sweeps: dict[str, dict[Measure, FloatArray]]
    sweeps_redrawn: bool

    @property
    def clustered(self) -> bool:
        """True where clusters are resampled."""
        return self.units.name == "cluster"

    @property
    def flags(self) -> list[str]:
        """Cautions that hold for everything resampled here."""
        return ["few_clusters"] if self.clustered and self.units.fewest < FEW_CLUSTERS else []

    def at(self, model: Operating, operation: Operation) -> Replicates:
        """The errors of a model at the thresholds of one of its operations, in their order."""
        return self.errors[model.key.model, operation.name]

    def placements(self, model: Operating) -> FloatArray:
        """The placement of every trial of a model among the other class."""
        return trial_placements(model.test.n_target, model.test.n_nontarget, model.rank, self.ranks.label)


def resample_part(part: Part, study: Study, pool: Executor) -> Resampling:
    """Draw what the frames of one dataset or group need, by decision (vi) of the methods.

    Errors at thresholds come from the collapsed bootstrap where trials are independent and weigh the
    same, and from weights on units otherwise; measures over the sweep always from weights.
    """
    units = _units(part.ranks, study)
    collapsed = units.name == "trial" and part.ranks.weight is None
    drawn = _weighted(part, units, study, pool, with_errors=not collapsed)
    errors = _collapsed(part, study, pool) if collapsed else drawn.errors
    return Resampling(part.ranks, units, collapsed, errors, drawn.sweeps, drawn.redrawn)


def _units(ranks: Ranks, study: Study) -> Units:
    if ranks.unit_a is None or study.inference.unit == "trial":
        return trial_units(ranks.label)
    return cluster_units(ranks.label, ranks.unit_a.astype(np.int64))


def _weighted(part: Part, units: Units, study: Study, pool: Executor, *, with_errors: bool) -> Resampled:
    ranks = part.ranks
    task = Task(
        units=units,
        bins={
            (m.key.model, operation.name): (
                cells_of(units, ranks, binned.bins.of_trial, binned.bins.n_bins),
                binned.index,
            )
            for m in part.models
            for operation in (m.operations if with_errors else [])
            for binned in [m.binned[operation.name]]
        },
        sweeps={m.key.model: _sweeps(m, units, ranks, study) for m in part.models},
        seed=study.inference.seed,
        names=(part.dataset, "test", *([part.group] if part.group else [])),
    )
    return resample(task, study.inference.replicates, pool)


def _sweeps(model: Operating, units: Units, ranks: Ranks, study: Study) -> tuple[Sweep, ...]:
    """What is read off a model's truth-state runs, and what needs every distinct score."""
    asked = [m for m in sweep_measures(study) if np.isfinite(model.value(m).number)]
    on_runs = {m: None for m in asked if m.over == "sweep" and m.on_runs}
    on_scores = {
        m: model.scaling.scores_for(m, model.test.score) if m.over == "scores" else None
        for m in asked
        if m not in on_runs
    }
    sweeps = []
    if on_runs:
        run = truth_runs(model.test.n_target, model.test.n_nontarget)
        sweeps.append(Sweep(cells_of(units, ranks, run[model.rank], int(run[-1]) + 1), on_runs))
    if on_scores:
        cells = cells_of(units, ranks, model.rank, len(model.test.score))
        sweeps.append(Sweep(cells, on_scores))
    return tuple(sweeps)


def sweep_measures(study: Study) -> tuple[Measure, ...]:
    """The measures that need no threshold: those asked for, and the minima of the operating points."""
    asked = (measure for measure in study.measures if measure.over != "threshold")
    return tuple(dict.fromkeys((*asked, *point_minima(study))))


def _collapsed(part: Part, study: Study, pool: Executor) -> dict[tuple[str, str], Replicates]:
    asked = [(model, operation) for model in part.models for operation in model.operations]

    def one(item: tuple[Operating, Operation]) -> Replicates:
        model, operation = item
        binned = model.binned[operation.name]
        outcome = outcomes(part.ranks.label, binned.bins)
        names = stream_names(model)
        drawn = resample_model(outcome, study.inference.seed, names, study.inference.replicates)
        return drawn.columns(binned.index)

    keys = [(model.key.model, operation.name) for model, operation in asked]
    return dict(zip(keys, pool.map(one, asked), strict=True))


def stream_names(*models: Operating) -> tuple[str, ...]:
    """The names that key the collapsed stream of one model, or a pair in key order, at given thresholds.

    Criteria share it: where two of them choose the same cut, its numbers are the same.
    """
    key = models[0].key
    return (key.dataset, key.split, key.group, *(m.key.model for m in models))
