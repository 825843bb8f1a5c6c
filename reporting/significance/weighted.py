"""The weighted bootstrap: one integer weight per unit and replicate, shared by all models of a split.

Needed for clusters, and for measures over the sweep, whose cuts move with every resample. A model is
reduced once to a sparse table of counts, cells by units; a block of replicates is then one product
of integers. Streams are keyed by (seed, dataset, split, block): pairing is structural, and adding a
model changes nobody's draws.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from reporting.counts.cuts import Cuts
from reporting.counts.outcomes import Bins
from reporting.measures.measure import Measure
from reporting.significance.draws import Units, WeightArray, blocks, stream, unit_weights
from reporting.significance.replicates import Replicates, cumulate_cells, errors_between
from reporting.stats.runs import truth_runs
from reporting.stats.staircase import BoolArray, FloatArray, IntArray, RankArray

LARGEST_CHUNK = 2**22
"""Weights held at once (units times replicates): 16 MB, so that what is made of them stays in cache."""


@dataclass(frozen=True, eq=False)
class Cells:
    """One model's trials as counts: sparse (2 * n cells, units), non-targets first."""

    table: sparse.csr_array
    n: int

    def resample(self, weights: WeightArray) -> IntArray:
        """Return resampled counts (shape (replicates, 2, n)) under weights (replicates, units)."""
        counted = self.table @ np.ascontiguousarray(weights.T)
        return counted.T.reshape(len(weights), 2, self.n)


def cells_of(units: Units, label: BoolArray, cell: IntArray | RankArray, n: int) -> Cells:
    """Count trials by label, cell and unit."""
    row = label.astype(np.int64) * n + cell
    ones = np.ones(len(label), dtype=np.int32)
    table = sparse.coo_array((ones, (row, units.of_trial)), shape=(2 * n, units.n_units))
    return Cells(table.tocsr(), n)


def run_cells(units: Units, label: BoolArray, cuts: Cuts, rank: RankArray) -> Cells:
    """Count a model's trials by truth-state run: all that measures over the sweep need."""
    run = truth_runs(cuts.n_target, cuts.n_nontarget)
    return cells_of(units, label, run[rank], int(run[-1]) + 1)


def bin_cells(units: Units, label: BoolArray, bins: Bins) -> Cells:
    """Count a model's trials by bin: all that its errors at given thresholds need."""
    return cells_of(units, label, bins.of_trial, bins.n_bins)


Place = tuple[str, str]
"""A model and the name of an operation."""


@dataclass(frozen=True, eq=False)
class Resampled:
    """What one pass of weights gave: errors by model and operation, and sweep measures (M,) by model."""

    errors: dict[Place, Replicates]
    sweeps: dict[str, dict[Measure, FloatArray]]
    redrawn: bool


@dataclass(frozen=True, eq=False)
class Task:
    """What to resample on one dataset and split.

    ``bins`` holds cells and, for every threshold asked for, the index of its bin edge.
    """

    units: Units
    bins: Mapping[Place, tuple[Cells, IntArray]]
    runs: Mapping[str, Cells]
    measures: tuple[Measure, ...]
    seed: int
    names: tuple[str, ...]


def resample(task: Task, replicates: int, pool: Executor) -> Resampled:
    """Draw the weights once and apply them to every model; blocks run in the pool, in any order."""
    if not task.bins and not task.measures:
        return Resampled({}, {model: {} for model in task.runs}, redrawn=False)
    done = list(pool.map(lambda block: _block(task, *block), blocks(replicates)))
    redrawn = any(again for _, _, again in done)
    errors = {
        place: errors_between(np.concatenate([bins[place] for bins, _, _ in done]), redrawn).columns(index)
        for place, (_, index) in task.bins.items()
    }
    sweeps = {
        model: {m: np.concatenate([runs[model][m] for _, runs, _ in done]) for m in task.measures}
        for model in task.runs
    }
    return Resampled(errors, sweeps, redrawn)


Block = tuple[dict[Place, IntArray], dict[str, dict[Measure, FloatArray]], bool]


def _block(task: Task, number: int, size: int) -> Block:
    rng = stream(task.seed, "weights", *task.names, number)
    chunk = max(1, min(size, LARGEST_CHUNK // max(1, task.units.n_units)))
    bins: dict[Place, list[IntArray]] = {place: [] for place in task.bins}
    sweeps: dict[str, dict[Measure, list[FloatArray]]] = {
        model: {measure: [] for measure in task.measures} for model in task.runs
    }
    again = 0
    for start in range(0, size, chunk):
        weights, redrawn = unit_weights(task.units, rng, min(chunk, size - start))
        again += redrawn
        for place, (cells, _) in task.bins.items():
            bins[place].append(cells.resample(weights))
        for model, cells in task.runs.items():
            misses, false_alarms = cumulate_cells(cells.resample(weights))
            for measure in task.measures:
                value = measure.formula(misses, false_alarms, **measure.arguments)
                sweeps[model][measure].append(value)
    return (
        {place: np.concatenate(parts) for place, parts in bins.items()},
        {model: {m: np.concatenate(v) for m, v in values.items()} for model, values in sweeps.items()},
        again > 0 or task.units.stratified,
    )
