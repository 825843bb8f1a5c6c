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

from reporting.counts.ranks import Ranks
from reporting.measures.measure import Measure
from reporting.significance.draws import Units, WeightArray, blocks, stream, unit_weights
from reporting.significance.replicates import Replicates, cumulate_cells, errors_between
from reporting.stats.staircase import FloatArray, IntArray, RankArray

LARGEST_CHUNK = 2**22
"""Numbers held at once (replicates times units or cells): 16 MB, so that they stay in cache."""


@dataclass(frozen=True, eq=False)
class Cells:
    """One model's trials as counts: sparse (2 * n cells, units), non-targets first."""

    table: sparse.csr_array
    n: int

    def resample(self, weights: WeightArray) -> IntArray:
        """Return resampled counts (shape (replicates, 2, n)) under weights (replicates, units)."""
        counted = self.table @ np.ascontiguousarray(weights.T)
        return counted.T.reshape(len(weights), 2, self.n)


def cells_of(units: Units, ranks: Ranks, cell: IntArray | RankArray, n: int) -> Cells:
    """Count trials by label, cell and unit; a trial counts as often as it weighs."""
    row = ranks.label.astype(np.int64) * n + cell
    counted = np.ones(ranks.n_trials, dtype=np.int32) if ranks.weight is None else ranks.weight
    table = sparse.coo_array((counted, (row, units.of_trial)), shape=(2 * n, units.n_units))
    return Cells(table.tocsr(), n)


@dataclass(frozen=True, eq=False)
class Sweep:
    """One model's cells in ascending order of score, and what is read off them.

    A measure of the scores comes with the score of every cell on the scale it needs; one over the
    sweep with None.
    """

    cells: Cells
    read: Mapping[Measure, FloatArray | None]

    def values(self, weights: WeightArray) -> dict[Measure, FloatArray]:
        """Return every measure under weights (replicates, units): shape (replicates,)."""
        counts = self.cells.resample(weights)
        errors = cumulate_cells(counts) if any(score is None for score in self.read.values()) else ()
        found = {}
        for measure, score in self.read.items():
            given = errors if score is None else (score, counts[:, 1], counts[:, 0])
            found[measure] = measure.formula(*given, **measure.arguments)
        return found


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

    ``bins`` holds cells and, for every threshold asked for, the index of its bin edge; ``sweeps`` what
    needs the whole curve, by model.
    """

    units: Units
    bins: Mapping[Place, tuple[Cells, IntArray]]
    sweeps: Mapping[str, tuple[Sweep, ...]]
    seed: int
    names: tuple[str, ...]

    @property
    def largest(self) -> int:
        """The most numbers that one replicate needs at once: weights, or cells of one model."""
        cells = (2 * sweep.cells.n for sweeps in self.sweeps.values() for sweep in sweeps)
        return max(1, self.units.n_units, *cells)


def resample(task: Task, replicates: int, pool: Executor) -> Resampled:
    """Draw the weights once and apply them to every model; blocks run in the pool, in any order."""
    if not task.bins and not any(task.sweeps.values()):
        return Resampled({}, {model: {} for model in task.sweeps}, redrawn=False)
    done = list(pool.map(lambda block: _block(task, *block), blocks(replicates)))
    redrawn = any(again for _, _, again in done)
    errors = {
        place: errors_between(np.concatenate([bins[place] for bins, _, _ in done]), redrawn).columns(index)
        for place, (_, index) in task.bins.items()
    }
    sweeps = {
        model: {m: np.concatenate([curves[model][m] for _, curves, _ in done]) for m in done[0][1][model]}
        for model in task.sweeps
    }
    return Resampled(errors, sweeps, redrawn)


Block = tuple[dict[Place, IntArray], dict[str, dict[Measure, FloatArray]], bool]


def _block(task: Task, number: int, size: int) -> Block:
    rng = stream(task.seed, "weights", *task.names, number)
    chunk = max(1, min(size, LARGEST_CHUNK // task.largest))
    bins: dict[Place, list[IntArray]] = {place: [] for place in task.bins}
    sweeps: dict[str, list[dict[Measure, FloatArray]]] = {model: [] for model in task.sweeps}
    again = 0
    for start in range(0, size, chunk):
        weights, redrawn = unit_weights(task.units, rng, min(chunk, size - start))
        again += redrawn
        for place, (cells, _) in task.bins.items():
            bins[place].append(cells.resample(weights))
        for model, asked in task.sweeps.items():
            sweeps[model].append({m: v for sweep in asked for m, v in sweep.values(weights).items()})
    return (
        {place: np.concatenate(parts) for place, parts in bins.items()},
        {model: _joined(parts) for model, parts in sweeps.items()},
        again > 0 or task.units.stratified,
    )


def _joined(parts: list[dict[Measure, FloatArray]]) -> dict[Measure, FloatArray]:
    return {measure: np.concatenate([part[measure] for part in parts]) for measure in parts[0]}
