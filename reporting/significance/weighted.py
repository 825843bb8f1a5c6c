"""The weighted bootstrap: one integer weight per unit and replicate, shared by all models of a split.

Needed for clusters, for measures over the sweep, whose cuts move with every resample, and wherever
thresholds are chosen again. A model is reduced once to a sparse table of counts, cells by units; a block
of replicates is then one product of integers. Streams are keyed by (seed, dataset, split, block): pairing
is structural, and adding a model changes nobody's draws.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from reporting.execution import Executor
from reporting.measures.measure import Measure
from reporting.significance import kernels
from reporting.significance.cells import Cells
from reporting.significance.draws import BLOCK, WeightArray, blocks
from reporting.significance.replicates import Replicates, cumulate_cells, joined
from reporting.significance.units import Units
from reporting.stats.staircase import FloatArray, IntArray

LARGEST_CHUNK = 2**22
"""Numbers held at once (replicates times units or cells): 16 MB, so that they stay in cache."""

COMPILED_LANES = 64
"""Replicates side by side in the compiled loops: one line of the cache holds their weights."""


@dataclass(frozen=True, eq=False)
class Sweep:
    """One model's cells in ascending order of score, and what is read off them.

    A measure of the scores comes with the score of every cell on the scale it needs; one over the
    sweep with None. ``curves`` reads arrays of fixed shape (replicates, ...) off the misses and false
    alarms at all cuts (replicates, n + 1), by name. ``shifts`` are added to what is read of a measure.
    """

    cells: Cells
    read: Mapping[Measure, FloatArray | None]
    curves: Mapping[str, Callable[[IntArray, IntArray], FloatArray]] = field(default_factory=dict)
    shifts: Mapping[Measure, float] = field(default_factory=dict)

    def values(self, weights: WeightArray, compiled: bool = False) -> dict[Measure | str, FloatArray]:
        """Return every measure (shape (replicates,)) and curve under weights (atoms, replicates)."""
        counts = self.cells.resample(weights, compiled)
        swept = bool(self.curves) or any(score is None for score in self.read.values())
        errors = cumulate_cells(counts) if swept else ()
        found: dict[Measure | str, FloatArray] = {name: read(*errors) for name, read in self.curves.items()}
        for measure, score in self.read.items():
            given = errors if score is None else (score, counts[:, 1], counts[:, 0])
            found[measure] = measure.formula(*given, **measure.arguments) + self.shifts.get(measure, 0.0)
        return found


ModelId = tuple[str, str]
"""A model and its run."""

Place = tuple[ModelId, str]
"""A model with its run, and the name of an operation."""


@dataclass(frozen=True, eq=False)
class Binned:
    """Cells between thresholds, and which of these each threshold asked for is.

    ``index`` has shape (P,), or (M, P) where every replicate has thresholds of its own.
    """

    cells: Cells
    index: npt.NDArray[Any]
    told: Any = None
    """What the errors follow from, where cells and index were made for other thresholds too."""

    def errors(self, swept: tuple[IntArray, IntArray], rows: slice) -> Replicates:
        """Return the errors of some replicates, those of ``rows``, at their thresholds.

        ``swept`` are their misses and false alarms at the cuts around all cells.
        """
        misses, false_alarms = swept
        at = self.index[rows] if self.index.ndim == 2 else np.tile(self.index, (len(misses), 1))
        # Threshold j stands between cells j and j + 1.
        return Replicates(
            np.take_along_axis(misses, at + 1, axis=1),
            np.take_along_axis(false_alarms, at + 1, axis=1),
            misses[:, -1:].copy(),
            false_alarms[:, :1].copy(),
            redrawn=False,
        )


@dataclass(frozen=True, eq=False)
class Resampled:
    """What one pass of weights gave: errors by model and operation, and what is read off whole sweeps."""

    errors: dict[Place, Replicates]
    moving: dict[Place, Replicates]
    sweeps: dict[ModelId, dict[Measure | str, FloatArray]]
    """By model, of every measure and named curve."""
    redrawn: bool


@dataclass(frozen=True, eq=False)
class Task:
    """What to resample on one dataset and split.

    ``bins`` holds thresholds that stay, ``moving`` those that were chosen again in every replicate, and
    ``sweeps`` what needs the whole curve, by model.
    """

    units: Units
    bins: Mapping[Place, Binned]
    sweeps: Mapping[ModelId, tuple[Sweep, ...]]
    seed: int
    moving: Mapping[Place, Binned] = field(default_factory=dict)

    @property
    def largest(self) -> int:
        """The most numbers that one replicate needs at once: weights, or cells of one model."""
        tables = [sweep.cells for sweeps in self.sweeps.values() for sweep in sweeps]
        tables += [binned.cells for binned in (*self.bins.values(), *self.moving.values())]
        return max(1, self.units.n_atoms, *(2 * cells.n for cells in tables))

    @property
    def n_tables(self) -> int:
        """How many tables of cells every replicate sums."""
        return len(_by_cells(self.bins)) + len(_by_cells(self.moving)) + sum(map(len, self.sweeps.values()))


def resample(task: Task, replicates: int, pool: Executor) -> Resampled:
    """Draw the weights once and apply them to every model; blocks run in the pool, in any order."""
    if not task.n_tables:
        return Resampled({}, {}, {model: {} for model in task.sweeps}, redrawn=False)
    compiled = kernels.worthwhile(task.units.n_atoms * task.n_tables, replicates)
    done = pool.run(_block, (task, compiled), blocks(replicates), "blocks of replicates")
    redrawn = any(one.redrawn for one in done)
    sweeps = {
        model: {m: np.concatenate([one.sweeps[model][m] for one in done]) for m in done[0].sweeps[model]}
        for model in task.sweeps
    }
    errors, moving = (
        {place: joined([getattr(one, kind)[place] for one in done], redrawn) for place in places}
        for kind, places in (("errors", task.bins), ("moving", task.moving))
    )
    return Resampled(errors, moving, sweeps, redrawn)


MOST_HELD = 2**26
"""Numbers held at once where compiled loops would rather have more replicates side by side."""


def lanes_of(largest: int, size: int, compiled: bool) -> int:
    """Return how many replicates to hold at once, where one of them needs ``largest`` numbers."""
    wished = min(COMPILED_LANES, max(8, MOST_HELD // largest)) if compiled else 1
    return min(size, max(wished, LARGEST_CHUNK // largest))


def _block(shared: tuple[Task, bool], block: tuple[int, int]) -> Resampled:
    (task, compiled), (number, size) = shared, block
    compiled = compiled and kernels.available()  # a worker may lack what its parent has
    lanes = lanes_of(task.largest, size, compiled)
    bins: dict[Place, list[Replicates]] = {place: [] for place in task.bins}
    moving: dict[Place, list[Replicates]] = {place: [] for place in task.moving}
    sweeps: dict[ModelId, list[dict[Measure | str, FloatArray]]] = {model: [] for model in task.sweeps}
    again, start = 0, number * BLOCK
    for drawn, redrawn in task.units.pool.draw(task.seed, number, size, lanes, compiled):
        weights, again = task.units.weights(drawn), again + redrawn
        rows = slice(start, start + weights.shape[1])
        start = rows.stop
        for asked, parts in ((task.bins, bins), (task.moving, moving)):
            for cells, places in _by_cells(asked):
                swept = cumulate_cells(cells.resample(weights, compiled))
                for place in places:
                    parts[place].append(asked[place].errors(swept, rows))
        for model, whole in task.sweeps.items():
            sweeps[model].append({m: v for one in whole for m, v in one.values(weights, compiled).items()})
    return Resampled(
        {place: joined(parts, False) for place, parts in bins.items()},
        {place: joined(parts, False) for place, parts in moving.items()},
        {model: _concatenated(parts) for model, parts in sweeps.items()},
        again > 0 or task.units.pool.forced,
    )


def _by_cells(asked: Mapping[Place, Binned]) -> list[tuple[Cells, list[Place]]]:
    """The tables of cells, each with the places that are read off it."""
    places: dict[int, list[Place]] = {}
    for place, binned in asked.items():
        places.setdefault(id(binned.cells), []).append(place)
    return [(asked[found[0]].cells, found) for found in places.values()]


def _concatenated(parts: list[dict[Measure | str, FloatArray]]) -> dict[Measure | str, FloatArray]:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
