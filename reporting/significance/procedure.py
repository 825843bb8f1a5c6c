"""The procedure bootstrap: dev is resampled too, and every threshold is chosen again (methods 8.9).

A replicate of dev is a model's dev cells under integer weights; empty cells leave it, as a score leaves a
table that has no trial of it. Each criterion then chooses exactly as it does on dev itself. Dev sets with
very many distinct scores are first cut into bins narrower than a quarter of a standard error of FAR or
FRR: a threshold is then chosen among fewer cuts, and its rates miss those of the free choice by less.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from reporting.counts.cuts import Cuts
from reporting.curves.epc import Thresholds, along
from reporting.significance import kernels
from reporting.significance.cells import Cells, cells_of
from reporting.significance.draws import blocks
from reporting.significance.units import Units
from reporting.significance.weighted import ModelId, Place, lanes_of
from reporting.stats.hull import hull_cuts
from reporting.stats.staircase import (
    BoolArray,
    FloatArray,
    IntArray,
    RankArray,
    Staircase,
    ThresholdAt,
    Ties,
    cumulate,
    threshold_between,
)

EXACT_CELLS = 2**15
"""Distinct dev scores up to which a replicate chooses among all its cuts."""

COARSE_STEP = 0.25
"""Width of a coarse bin in standard errors of FAR or FRR."""


@dataclass(frozen=True, eq=False)
class DevCells:
    """One model's dev trials by cell, ascending, and the lowest and highest score in each (shape (n,))."""

    cells: Cells
    low: FloatArray
    high: FloatArray
    coarse: bool


def dev_cells(
    units: Units, cuts: Cuts, label: BoolArray, weight: IntArray | None, rank: RankArray
) -> DevCells:
    """Return the cells of a model's dev trials: its distinct scores, or bins of them where they are many."""
    n = len(cuts.score)
    if n <= EXACT_CELLS:
        cells = cells_of(units, label, weight, rank, n)
        return DevCells(cells, cuts.score, cuts.score, coarse=False)
    start = coarse_starts(cuts.staircase)
    last = np.concatenate((start[1:], [n])) - 1
    cell = np.searchsorted(start, np.arange(n), side="right") - 1
    cells = cells_of(units, label, weight, cell[rank], len(start))
    return DevCells(cells, cuts.score[start], cuts.score[last], coarse=True)


def coarse_starts(staircase: Staircase) -> IntArray:
    """Return the cuts at which coarse bins begin (the first is 0).

    asin(sqrt(rate)) has the standard error 1 / (2 sqrt(N)) at every rate: a bin ends where it has moved by
    a quarter of that in either class.
    """
    starts = np.zeros(len(staircase.misses), dtype=bool)
    rejected = staircase.n_nontarget - staircase.false_alarms
    for errors, n in ((staircase.misses, staircase.n_target), (rejected, staircase.n_nontarget)):
        step = np.floor(np.arcsin(np.sqrt(errors / n)) * 2 * np.sqrt(n) / COARSE_STEP)
        starts[1:] |= step[1:] > step[:-1]
    starts[0], starts[-1] = True, False
    return np.flatnonzero(starts).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Rechoice:
    """What to choose again on one dev set: by model its cells and the thresholds once chosen on dev."""

    units: Units
    models: Mapping[ModelId, tuple[DevCells, tuple[Thresholds, ...]]]
    ties: Ties
    at: ThresholdAt
    seed: int

    @property
    def largest(self) -> int:
        """The most numbers that one replicate needs at once."""
        return max(1, self.units.n_atoms, *(2 * dev.cells.n for dev, _ in self.models.values()))


def rechoose(task: Rechoice, replicates: int, pool: Executor) -> dict[Place, FloatArray]:
    """Choose thresholds anew in every replicate of dev: shape (M, P) by model and operation."""
    compiled = kernels.worthwhile(task.units.n_atoms * len(task.models), replicates)
    done = list(pool.map(lambda block: _block(task, *block, compiled=compiled), blocks(replicates)))
    found: dict[Place, FloatArray] = {}
    for model, (_, chosen) in task.models.items():
        thresholds = np.concatenate([one[model] for one in done])
        ends = np.cumsum([one.threshold.shape[-1] for one in chosen])
        for one, part in zip(chosen, np.split(thresholds, ends[:-1], axis=1), strict=True):
            found[model, one.name] = part
    return found


def _block(task: Rechoice, number: int, size: int, *, compiled: bool) -> dict[ModelId, FloatArray]:
    lanes = lanes_of(task.largest, size, compiled)
    found: dict[ModelId, list[FloatArray]] = {model: [] for model in task.models}
    for drawn, _ in task.units.pool.draw(task.seed, number, size, lanes, compiled):
        weights = task.units.weights(drawn)
        for model, (dev, chosen) in task.models.items():
            for counts in dev.cells.resample(weights, compiled):
                found[model].append(choose_again(counts, dev, chosen, task.ties, task.at))
    return {model: np.stack(rows) for model, rows in found.items()}


def choose_again(
    counts: IntArray, dev: DevCells, chosen: tuple[Thresholds, ...], ties: Ties, at: ThresholdAt
) -> FloatArray:
    """Choose thresholds on one replicate of dev: those of all ``chosen``, one after the other.

    ``counts`` has shape (2, n), non-targets first.
    """
    present = np.flatnonzero(counts[0] + counts[1])
    n_nontarget, n_target = counts[:, present].astype(np.int64)
    staircase = Staircase(*cumulate(n_target, n_nontarget), hull_cuts(n_target, n_nontarget))
    cuts = [
        np.ravel(one.criterion.choose(staircase, ties, **along(one.criterion, one.alpha)).cut)
        for one in chosen
    ]
    return threshold_between(dev.high[present], dev.low[present], np.concatenate(cuts), at)
