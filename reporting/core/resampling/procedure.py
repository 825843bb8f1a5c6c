"""The procedure bootstrap: development is resampled too, and each threshold re-selected (methods 8.9).

A resample of the development set is a model's cells under integer weights; empty cells leave it, as a score
leaves a table that has no trial of it. Each criterion then chooses exactly as it does on the set itself.
Very many distinct scores are first put into bins of some standard errors of FAR or FRR (``bin_step``): a
threshold is then chosen among fewer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray, RankArray
from reporting.base.execution import Executor
from reporting.base.execution.array_store import IN_MEMORY, ArrayStore
from reporting.base.records import dataclass
from reporting.core.counts.cuts import Cuts
from reporting.core.counts.ranks import MixedKinds
from reporting.core.curves.epc import Thresholds, along
from reporting.core.resampling.bins import dev_starts, sees_blocks_of_bins
from reporting.core.resampling.bootstrap import ModelId, ThresholdKey, lanes_of, weights_of
from reporting.core.resampling.cell_tables import CellTable, ExchangedTrials, cells_of, pair_table
from reporting.core.resampling.draws import blocks
from reporting.core.resampling.settings import ReplicateOn, sees_bins
from reporting.core.resampling.units import Units
from reporting.core.stats import staircase
from reporting.core.stats.choice import Staircases, choose_thresholds


@dataclass(frozen=True, eq=False)
class DevCells:
    """The dev trials of a model by cell, ascending, and the lowest and highest score in each (shape (n,)).

    Of a pair: of both models, by cells of their common scale.
    """

    cells: CellTable
    low: FloatArray
    high: FloatArray
    coarse: bool
    """Whether they are bins, and not narrow where thresholds are chosen."""


def dev_cells(
    units: Units,
    cuts: Cuts,
    label: BoolArray,
    weight: IntArray | None,
    rank: RankArray,
    replicate_on: ReplicateOn = "auto",
    shelf: ArrayStore = IN_MEMORY,
    chosen: Sequence[Thresholds] = (),
    mix: MixedKinds | None = None,
) -> DevCells:
    """Return the cells of a model's dev trials: its distinct scores, or bins of them where they are many.

    Bins are narrow around the rates at which ``chosen`` thresholds are put; of blocks around every threshold.
    """
    n = len(cuts.score)
    narrow = sees_blocks_of_bins(units, n, replicate_on)
    if narrow:
        start = dev_starts(cuts, chosen)
    elif sees_bins(replicate_on, n):
        rates = (once.fixed_rate for once in chosen)
        start = staircase.bin_starts(cuts.staircase, staircase.NarrowBins.at_all(rates, cuts.staircase))
    else:
        cells = cells_of(units, label, weight, rank, n, mix=mix)
        return DevCells(cells, cuts.score, cuts.score, coarse=False)
    last = np.concatenate((start[1:], [n])) - 1
    cells = cells_of(units, label, weight, staircase.bins_of(start, n)[rank], len(start), shelf, mix)
    return DevCells(cells, cuts.score[start], cuts.score[last], coarse=not narrow)


class PlacedDev(NamedTuple):
    """The dev trials of one model on the scale that it shares with another (``stats.swap``)."""

    place: IntArray
    """Of every distinct score, ascending (shape (H,))."""
    cuts: Cuts
    rank: RankArray


def common_cells(
    trials: ExchangedTrials,
    pair: tuple[PlacedDev, PlacedDev],
    replicate_on: ReplicateOn = "auto",
    chosen: Sequence[Thresholds] = (),
) -> DevCells:
    """Return the cells of two models' dev trials on their common scale, or bins as ``dev_cells`` has them."""
    held = np.sort(np.concatenate([model.place for model in pair]), kind="stable")  # merges what is in order
    held = held[np.concatenate(([True], held[1:] != held[:-1]))]
    coarse = sees_bins(replicate_on, len(held))
    starts = np.arange(len(held))
    at = [np.searchsorted(held, model.place) for model in pair]
    if coarse:
        counts = np.zeros((2, len(held)), dtype=np.int64)
        for place, (_, cuts, _) in zip(at, pair, strict=True):
            counts[:, place] += cuts.n_target, cuts.n_nontarget
        together = staircase.Staircase(*staircase.cumulate(*counts), np.empty(0, dtype=np.int64))
        rates = (once.fixed_rate for once in chosen)
        starts = staircase.bin_starts(together, staircase.NarrowBins.at_all(rates, together))
    cell = staircase.bins_of(starts, len(held))
    first, second = (cell[place][model.rank] for place, model in zip(at, pair, strict=True))
    table = pair_table(trials, (first, second), len(starts))
    low, high = (held[place].astype(np.float64) for place in (starts, np.append(starts[1:], len(held)) - 1))
    return DevCells(table, low, high, coarse)


@dataclass(frozen=True, eq=False)
class ReselectedThresholds:
    """What to choose again on a development set: by model its cells and the thresholds once chosen on it.

    Or by pair, of which each resample gives the thresholds of both models, one after the other.
    """

    units: Units
    models: Mapping[ModelId, tuple[DevCells, tuple[Thresholds, ...]]]
    ties: staircase.Ties
    at: staircase.ThresholdAt
    seed: int

    @property
    def largest(self) -> int:
        """The most numbers that one resample needs together."""
        largest = max(1, self.units.n_atoms, *(2 * dev.cells.n for dev, _ in self.models.values()))
        return self.units.sets * largest


def rechoose(task: ReselectedThresholds, replicates: int, pool: Executor) -> dict[ThresholdKey, FloatArray]:
    """Choose thresholds anew in every development resample: (M, P), of a pair (2 M, P), by operation."""
    done = pool.run(_block, task, blocks(replicates), "blocks of development resamples")
    rechosen: dict[ThresholdKey, FloatArray] = {}
    for model, (_, chosen) in task.models.items():
        thresholds = np.concatenate([block.pop(model) for block in done])
        ends = np.cumsum([once.threshold.shape[-1] for once in chosen])
        for once, part in zip(chosen, np.split(thresholds, ends[:-1], axis=1), strict=True):
            rechosen[model, once.name] = part
    return rechosen


def _block(task: ReselectedThresholds, block: tuple[int, int]) -> dict[ModelId, FloatArray]:
    number, size = block
    parts: dict[ModelId, list[FloatArray]] = {model: [] for model in task.models}
    for drawn, _ in task.units.pool.draw(task.seed, number, size, lanes_of(task.largest, size)):
        weights = weights_of(task.units, drawn)
        for model, (dev, chosen) in task.models.items():

            def choose(rows: Staircases, chosen: tuple[Thresholds, ...] = chosen) -> IntArray:
                each = (
                    once.criterion.choose_each(rows, task.ties, **along(once.criterion, once.alpha))
                    for once in chosen
                )
                return np.hstack([choice.cut for choice in each])

            counts = dev.cells.resample(weights)
            parts[model].append(choose_thresholds(counts, dev.low, dev.high, choose, task.at))
    return {model: np.concatenate(of_model) for model, of_model in parts.items()}
