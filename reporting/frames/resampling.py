"""All resampling of one dataset's test split, drawn once and looked up by every frame."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from reporting.counts.outcomes import outcomes
from reporting.counts.ranks import Ranks
from reporting.curves.epc import Operation
from reporting.frames.operations import Operating
from reporting.frames.study import Study
from reporting.measures.measure import Measure
from reporting.significance.collapsed import resample_model
from reporting.significance.draws import Units, cluster_units, trial_units
from reporting.significance.replicates import Replicates
from reporting.significance.weighted import Resampled, Task, bin_cells, resample, run_cells
from reporting.stats.placements import trial_placements
from reporting.stats.staircase import FloatArray

FEW_CLUSTERS = 20


@dataclass(frozen=True, eq=False)
class Resampling:
    """The replicates of one dataset: errors by model and operation, and sweep measures by model."""

    ranks: Ranks
    units: Units
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


def resample_dataset(models: list[Operating], ranks: Ranks, study: Study, pool: Executor) -> Resampling:
    """Draw what the frames of one dataset need, by decision (vi) of the methods.

    Errors at thresholds come from the collapsed bootstrap where trials are independent and from
    weights on clusters otherwise; measures over the sweep always from weights.
    """
    units = _units(ranks, study)
    drawn = _weighted(models, ranks, units, study, pool)
    errors = drawn.errors if units.name == "cluster" else _collapsed(models, ranks, study, pool)
    return Resampling(ranks, units, errors, drawn.sweeps, drawn.redrawn)


def _units(ranks: Ranks, study: Study) -> Units:
    if ranks.unit_a is None or study.inference.unit == "trial":
        return trial_units(ranks.label)
    return cluster_units(ranks.label, ranks.unit_a.astype(np.int64))


def _weighted(models: list[Operating], ranks: Ranks, units: Units, study: Study, pool: Executor) -> Resampled:
    clustered = units.name == "cluster"
    task = Task(
        units=units,
        bins={
            (m.key.model, operation.name): (bin_cells(units, ranks.label, binned.bins), binned.index)
            for m in models
            for operation in (m.operations if clustered else [])
            for binned in [m.binned[operation.name]]
        },
        runs={m.key.model: run_cells(units, ranks.label, m.test, m.rank) for m in models},
        measures=tuple(measure for measure in study.measures if measure.over == "sweep"),
        seed=study.inference.seed,
        names=(models[0].key.dataset, models[0].key.split),
    )
    return resample(task, study.inference.replicates, pool)


def _collapsed(
    models: list[Operating], ranks: Ranks, study: Study, pool: Executor
) -> dict[tuple[str, str], Replicates]:
    asked = [(model, operation) for model in models for operation in model.operations]

    def one(item: tuple[Operating, Operation]) -> Replicates:
        model, operation = item
        binned = model.binned[operation.name]
        outcome = outcomes(ranks.label, binned.bins)
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
