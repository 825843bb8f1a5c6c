"""All resampling of one dataset's test split, drawn once and looked up by every frame."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from reporting.counts.outcomes import outcomes
from reporting.counts.ranks import Ranks
from reporting.frames.operations import Operating
from reporting.frames.study import Study
from reporting.measures.measure import Measure
from reporting.significance.collapsed import resample_model
from reporting.significance.draws import Units, cluster_units, trial_units
from reporting.significance.replicates import Replicates
from reporting.significance.weighted import Task, bin_cells, resample, run_cells
from reporting.stats.placements import trial_placements
from reporting.stats.staircase import FloatArray

FEW_CLUSTERS = 20


@dataclass(frozen=True, eq=False)
class Resampling:
    """The replicates of one dataset: errors at thresholds and sweep measures by model."""

    ranks: Ranks
    units: Units
    at_thresholds: dict[str, Replicates]
    sweeps: dict[str, dict[Measure, FloatArray]]
    redrawn: bool

    @property
    def clustered(self) -> bool:
        """True where clusters are resampled."""
        return self.units.name == "cluster"

    @property
    def flags(self) -> tuple[str, ...]:
        """Cautions that hold for everything resampled here."""
        return ("few_clusters",) if self.clustered and self.units.n_units < FEW_CLUSTERS else ()

    def placements(self, model: Operating) -> FloatArray:
        """The placement of every trial of a model among the other class."""
        return trial_placements(model.test.n_target, model.test.n_nontarget, model.rank, self.ranks.label)


def resample_dataset(models: list[Operating], ranks: Ranks, study: Study, pool: Executor) -> Resampling:
    """Draw what the frames of one dataset need, by decision (vi) of the methods.

    Errors at thresholds come from the collapsed bootstrap where trials are independent and from
    weights on clusters otherwise; measures over the sweep always from weights.
    """
    inference = study.inference
    clustered = ranks.unit_a is not None and inference.unit != "trial"
    units = (
        cluster_units(ranks.label, ranks.unit_a.astype(np.int64))
        if clustered and ranks.unit_a is not None
        else trial_units(ranks.label)
    )
    key = models[0].key
    names = (key.dataset, key.split)
    task = Task(
        units=units,
        bins={m.key.model: bin_cells(units, ranks.label, m.bins) for m in models} if clustered else {},
        runs={m.key.model: run_cells(units, ranks.label, m.test, m.rank) for m in models},
        measures=sweep_measures(study),
        seed=inference.seed,
        names=names,
    )
    drawn = resample(task, inference.replicates, pool)
    at_thresholds = drawn.at_thresholds if clustered else _collapsed(models, ranks, study, pool)
    redrawn = drawn.redrawn or any(replicates.redrawn for replicates in at_thresholds.values())
    return Resampling(ranks, units, at_thresholds, drawn.sweeps, redrawn)


def sweep_measures(study: Study) -> tuple[Measure, ...]:
    """The measures of the study over the sweep."""
    return tuple(measure for measure in study.measures if measure.over == "sweep")


def _collapsed(models: list[Operating], ranks: Ranks, study: Study, pool: Executor) -> dict[str, Replicates]:
    def one(model: Operating) -> Replicates:
        names = stream_names(model)
        outcome = outcomes(ranks.label, model.bins)
        return resample_model(outcome, study.inference.seed, names, study.inference.replicates)

    return dict(zip([m.key.model for m in models], pool.map(one, models), strict=True))


def stream_names(*models: Operating) -> tuple[str, ...]:
    """The names that key the collapsed stream of one model or a pair."""
    key = models[0].key
    return (key.dataset, key.split, key.group, *sorted(model.key.model for model in models))
