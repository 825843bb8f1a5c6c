"""The bootstrap of one dataset and split: resampled errors of models, and what is read off whole sweeps.

*Collapsed*: one multinomial draw over outcome patterns is a resample of trials. For any statistic of pattern
counts this is the same distribution as drawing trials with replacement (methods 8.2), at a cost free of the
number of trials. It serves one model or a pair at fixed thresholds, where trials are independent. The stream
is keyed by the models' names, so the numbers of a model or pair depend on nothing else in the report.

*Weighted*: one integer weight per unit and resample, shared by all models of a split. It serves clusters,
measures over the sweep, whose thresholds move with every resample, and re-selected thresholds. A model is
reduced once to a sparse table of counts, cells by units; a block of resamples is then one product of
integers. Streams are keyed by (seed, dataset, split, block): pairing is structural, and adding a model
changes no draws. Of very many units blocks are drawn (``units.py``): the cost of a resample does not
grow with the trials.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.execution import Executor
from reporting.base.records import dataclass, field, replace
from reporting.core.measures.measure import Measure
from reporting.core.resampling.cell_tables import CellTable, Errors, Signs, Summed, Weights
from reporting.core.resampling.draws import BLOCK, Exchanges, blocks, loses_a_class, streams
from reporting.core.resampling.units import Units
from reporting.core.stats import smooth_calibration
from reporting.core.stats.paired import Discordant
from reporting.core.stats.staircase import cumulate

LARGEST_CHUNK = 2**22
"""Numbers held together (resamples times units or cells): 16 MB, so that they stay in cache."""


@dataclass(frozen=True, eq=False)
class Sweep:
    """One model's cells in ascending order of score, and what is read off them.

    A measure of the scores comes with the score of every cell on the scale it needs; one over the
    sweep with None. ``curves`` reads arrays of fixed shape (resamples, ...) off the misses and false
    alarms at all thresholds (resamples, n + 1), by name. ``shifts`` are added to what is read of a measure.
    """

    cells: CellTable
    read: Mapping[Measure, FloatArray | None]
    curves: Mapping[str, Callable[[IntArray, IntArray], FloatArray]] = field(default_factory=dict)
    shifts: Mapping[Measure, float] = field(default_factory=dict)

    def values(self, summed: Summed) -> dict[Measure | str, FloatArray]:
        """Return every measure (shape (resamples,)) and curve of cells summed under some weights."""
        smooth = _SmoothCurves(summed)
        values: dict[Measure | str, FloatArray] = {
            name: read.of(smooth.table(read.probability, read.prevalence))
            if isinstance(read, smooth_calibration.SmoothReader)
            else read(*summed.errors)
            for name, read in self.curves.items()
        }
        for measure, score in self.read.items():
            formula = measure.formula
            if isinstance(formula, smooth_calibration.GapIndex) and score is not None:
                read = formula.of(smooth.gaps(score, measure.arguments["prevalence"]))
            else:
                inputs = summed.errors if score is None else (score, summed.counts[:, 1], summed.counts[:, 0])
                read = formula(*inputs, **measure.arguments)
            values[measure] = read + self.shifts.get(measure, 0.0)
        return values


class _SmoothCurves:
    """The smooth calibration curves of resamples, each fitted once for all that is read off it."""

    def __init__(self, summed: Summed) -> None:
        self.summed = summed
        self.tables: dict[tuple[int, float | None], smooth_calibration.ProbabilityTable] = {}
        self.gaps_of_curve: dict[tuple[int, Any], smooth_calibration.CalibrationGaps] = {}

    def table(self, probability: FloatArray, prevalence: float | None) -> smooth_calibration.ProbabilityTable:
        key, counts = (id(probability), prevalence), self.summed.counts
        if key not in self.tables:
            self.tables[key] = smooth_calibration.table_of(
                probability, counts[:, 1], counts[:, 0], prevalence
            )
        return self.tables[key]

    def gaps(self, probability: FloatArray, prevalence: Any) -> smooth_calibration.CalibrationGaps:
        """Return the gaps, undefined where a resample lacks a class."""
        key, counts = (id(probability), prevalence), self.summed.counts
        if key not in self.gaps_of_curve:
            if counts.any(axis=2).all():
                share = None if prevalence == "sample" else float(prevalence)
                self.gaps_of_curve[key] = smooth_calibration.gaps_of(self.table(probability, share))
            else:
                of_counts = counts[:, 1], counts[:, 0]
                self.gaps_of_curve[key] = smooth_calibration.calibration_gaps(
                    probability, *of_counts, prevalence=prevalence
                )
        return self.gaps_of_curve[key]


ModelId = tuple[str, ...]
"""A model and its run; two models and their runs, of a pair of which either takes the scores of the other."""

ThresholdKey = tuple[ModelId, str]
"""A model with its run, or a pair, and the name of an operation."""


@dataclass(frozen=True, eq=False)
class BinnedCells:
    """CellTable between thresholds, and which of these each requested threshold is.

    ``index`` has shape (P,), (M, P) where every resample has thresholds of its own, or (M, 2, P) where each
    model of a pair has.
    """

    cells: CellTable
    index: npt.NDArray[Any]
    follows_from: Any = None
    """What the errors follow from, where cells and index were made for other thresholds too."""

    def errors(self, swept: Errors, rows: slice) -> Replicates:
        """Return the errors of some resamples, those of ``rows``, at their thresholds.

        ``swept`` are their misses and false alarms at the thresholds around all cells.
        """
        misses, false_alarms = swept
        own = self.index.ndim > 1
        at = self.index[rows].reshape(len(misses), -1) if own else np.tile(self.index, (len(misses), 1))
        # Threshold j lies between cells j and j + 1.
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

    errors: dict[ThresholdKey, Replicates]
    sweeps: dict[ModelId, dict[Measure | str, FloatArray]]
    """By model, of every measure and named curve."""
    redrawn: bool


@dataclass(frozen=True, eq=False)
class TableReaders:
    """What is read off one table of cells: errors at the thresholds of places, and sweeps of models."""

    bins: list[ThresholdKey] = field(default_factory=list)
    sweeps: list[tuple[ModelId, Sweep]] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Task:
    """What to resample on one dataset and split.

    ``bins`` holds thresholds that stay, and those that were re-selected in every resample; ``sweeps`` what
    needs the whole curve, by model.
    """

    units: Units
    bins: Mapping[ThresholdKey, BinnedCells]
    sweeps: Mapping[ModelId, tuple[Sweep, ...]]
    seed: int

    @property
    def largest(self) -> int:
        """The most numbers that one resample needs together: weights, or cells of one model."""
        return self.units.sets * max(1, self.units.n_atoms, *(2 * cells.n for cells in self.tables))

    def read_off(self) -> dict[int, TableReaders]:
        """Return what is read off each table of cells, by its identity."""
        read: dict[int, TableReaders] = defaultdict(TableReaders)
        for place, binned in self.bins.items():
            read[id(binned.cells)].bins.append(place)
        for model, sweeps in self.sweeps.items():
            for sweep in sweeps:
                read[id(sweep.cells)].sweeps.append((model, sweep))
        return read

    @cached_property
    def tables(self) -> list[CellTable]:
        """The tables of cells that every resample sums, each once."""
        binned = [each.cells for each in self.bins.values()]
        swept = [sweep.cells for sweeps in self.sweeps.values() for sweep in sweeps]
        return list({id(cells): cells for cells in (*binned, *swept)}.values())


def resample(task: Task, replicates: int, pool: Executor) -> Resampled:
    """Draw the weights once and apply them to every model; blocks run in the pool, in any order."""
    if not task.tables:
        return Resampled({}, {model: {} for model in task.sweeps}, redrawn=False)
    done = pool.run(_block, task, blocks(replicates), "blocks of resamples")
    redrawn = any(block.redrawn for block in done)
    # Every block lets go of what is joined: all resamples are held once.
    return Resampled(
        {place: joined([block.errors.pop(place) for block in done], redrawn) for place in task.bins},
        {model: _concatenated([block.sweeps.pop(model) for block in done]) for model in task.sweeps},
        redrawn,
    )


def lanes_of(largest: int, size: int) -> int:
    """Return how many resamples to hold together, where one of them needs ``largest`` numbers."""
    return min(size, max(1, LARGEST_CHUNK // largest))


def _block(task: Task, block: tuple[int, int]) -> Resampled:
    number, size = block
    bins: dict[ThresholdKey, list[Replicates]] = {place: [] for place in task.bins}
    sweeps: dict[ModelId, list[dict[Measure | str, FloatArray]]] = {model: [] for model in task.sweeps}
    again, start, read_off = 0, number * BLOCK * task.units.sets, task.read_off()
    for drawn, redrawn in task.units.pool.draw(task.seed, number, size, lanes_of(task.largest, size)):
        weights, again = weights_of(task.units, drawn), again + redrawn
        rows = slice(start, start + weights.n)
        start = rows.stop
        for of_model in sweeps.values():
            of_model.append({})
        for cells in task.tables:
            summed, readers = Summed(cells.resample(weights)), read_off[id(cells)]
            for place in readers.bins:
                bins[place].append(task.bins[place].errors(summed.errors, rows))
            for model, sweep in readers.sweeps:
                sweeps[model][-1].update(sweep.values(summed))
    return Resampled(
        {place: joined(parts, False) for place, parts in bins.items()},
        {model: _concatenated(parts) for model, parts in sweeps.items()},
        again > 0 or task.units.pool.forced,
    )


def weights_of(units: Units, drawn: Sequence[Any]) -> Weights:
    """Return the weights of atoms, or which are exchanged, as tables take them."""
    (first, *_) = drawn
    return Signs(first) if isinstance(first, Exchanges) else Weights(units.weights(list(drawn)))


def _concatenated(parts: list[dict[Measure | str, FloatArray]]) -> dict[Measure | str, FloatArray]:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


@dataclass(frozen=True, eq=False)
class Replicates:
    """``misses`` and ``false_alarms`` have shape (M, T), the class sizes (M, 1); of T sets of trials (M, T).

    ``redrawn``: some resample had lost a class and was drawn again.
    """

    misses: IntArray
    false_alarms: IntArray
    n_target: IntArray
    n_nontarget: IntArray
    redrawn: bool

    @property
    def counts(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Misses, false alarms, targets and non-targets."""
        return self.misses, self.false_alarms, self.n_target, self.n_nontarget

    def columns(self, at: IntArray) -> Replicates:
        """Return the thresholds of these indices (shape (P,)), in their order."""
        return replace(self, misses=self.misses[:, at], false_alarms=self.false_alarms[:, at])

    def plus(self, other: Replicates) -> Replicates:
        """Return the errors of these trials and of others together, resample by resample."""
        return Replicates(
            self.misses.astype(np.int64) + other.misses,
            self.false_alarms.astype(np.int64) + other.false_alarms,
            self.n_target.astype(np.int64) + other.n_target,
            self.n_nontarget.astype(np.int64) + other.n_nontarget,
            self.redrawn or other.redrawn,
        )

    def values(self, measure: Measure, **swept: FloatArray) -> FloatArray:
        """Return the measure at every threshold in every resample, (M, T); a swept parameter has (T,)."""
        return np.asarray(measure.formula(*self.counts, **(measure.arguments | swept)))


def joined(parts: Sequence[Replicates], redrawn: bool) -> Replicates:
    """Return resamples that were drawn in parts, in their order."""
    each = zip(*(part.counts for part in parts), strict=True)
    misses, false_alarms, n_target, n_nontarget = map(np.concatenate, each)
    return Replicates(misses, false_alarms, n_target, n_nontarget, redrawn)


def resample_model(
    outcome: IntArray, seed: int, names: tuple[str, ...], replicates: int, *, by_class: bool = False
) -> Replicates:
    """Resample one model's outcomes (shape (2, bins)) and return its errors at every threshold."""
    parts, redrawn = [], False
    for random, size in streams(replicates, seed, "collapsed", *names):
        drawn, again = _draw_patterns(outcome, random, size, by_class)
        redrawn |= again
        parts.append(drawn)
    counts = np.concatenate(parts)
    misses, false_alarms = cumulate(counts[:, 1], counts[:, 0])
    return Replicates(misses[:, 1:-1], false_alarms[:, 1:-1], misses[:, -1:], false_alarms[:, :1], redrawn)


def _draw_patterns(
    outcome: IntArray, rng: np.random.Generator, size: int, by_class: bool
) -> tuple[IntArray, bool]:
    """Draw pattern counts (shape (size, *outcome.shape)); resamples that lose a class are redrawn."""
    flat = outcome.reshape(2, -1)
    drawn = np.zeros((size, 2, flat.shape[1]), dtype=np.int64)
    n0, n1 = (int(n) for n in flat.sum(axis=1))
    if by_class or loses_a_class(n0, n1):
        for label, total in ((0, n0), (1, n1)):
            there = np.flatnonzero(flat[label])
            if not total:
                continue
            drawn[:, label, there] = rng.multinomial(total, flat[label, there] / total, size=size)
        return drawn.reshape(size, *outcome.shape), not by_class
    there = np.flatnonzero(flat)
    chance = flat.ravel()[there] / (n0 + n1)
    joint = drawn.reshape(size, -1)
    joint[:, there] = rng.multinomial(n0 + n1, chance, size=size)
    redrawn = False
    while min(n0, n1) > 0 and len(lost := np.flatnonzero((drawn.sum(axis=2) == 0).any(axis=1))):
        redrawn = True
        joint[np.ix_(lost, there)] = rng.multinomial(n0 + n1, chance, size=len(lost))
    return drawn.reshape(size, *outcome.shape), redrawn


def resample_pair(
    outcome: IntArray,
    at: tuple[IntArray, IntArray],
    seed: int,
    names: tuple[str, ...],
    replicates: int,
    *,
    by_class: bool = False,
) -> tuple[Discordant, bool]:
    """Resample a pair's outcomes (shape (2, bins of A, bins of B)).

    Returns paired counts (shape (M, P)) at P pairs of threshold indices ``at``, and whether any
    resample was redrawn because it had lost a class.
    """
    parts, redrawn = [], False
    for random, size in streams(replicates, seed, "collapsed", *names):
        drawn, again = _draw_patterns(outcome, random, size, by_class)
        redrawn |= again
        parts.append(pair_discordants(drawn, at))
    columns = (np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Discordant))
    return Discordant(*columns), redrawn


def pair_discordants(counts: IntArray, at: tuple[IntArray, IntArray]) -> Discordant:
    """Return the paired counts at pairs of thresholds; ``counts`` has shape (..., 2, bins, bins)."""
    j, k = at
    # rejected[..., a, b] counts trials that A's threshold a and B's threshold b both reject.
    rejected = np.cumsum(np.cumsum(counts, axis=-1), axis=-2)
    both = rejected[..., j, k]
    by_a = rejected[..., j, counts.shape[-1] - 1]
    by_b = rejected[..., counts.shape[-2] - 1, k]
    size = rejected[..., -1, -1].copy()  # a view would keep the whole table alive
    only_a, only_b = by_b - both, by_a - both
    return Discordant(
        nontarget_10=only_a[..., 0, :],
        nontarget_01=only_b[..., 0, :],
        target_10=only_a[..., 1, :],
        target_01=only_b[..., 1, :],
        n_target=size[..., 1:],
        n_nontarget=size[..., :1],
        nontarget_00=both[..., 0, :],
        target_00=both[..., 1, :],
    )
