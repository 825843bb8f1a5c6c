"""Tables of one model's cells: trials counted by label, cell and atom, and summed under weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from reporting.counts.ranks import MixedKinds
from reporting.execution.array_store import IN_MEMORY, ArrayStore, Held, opened
from reporting.significance import kernels
from reporting.significance.draws import Exchanges, WeightArray
from reporting.significance.units import Units
from reporting.stats.spoofing import Mix
from reporting.stats.staircase import BoolArray, IntArray, RankArray

Errors = tuple[IntArray, IntArray]
"""Misses and false alarms, of shape (replicates, cuts)."""

MOST_ROWS = 2**16
"""Rows of counts up to which the sums of 64 replicates stay in a near cache, and two bytes name a row."""


@dataclass(frozen=True, eq=False)
class CellTable:
    """One model's trials as counts in ``n`` cells of each class, for every atom.

    Where every atom is one trial and cells are few, ``row`` names the row of each: its cell, those of
    targets after those of non-targets; the fullest holds ``fullest`` trials. Else ``table`` is sparse,
    (2 n rows, atoms).
    """

    n: int
    row: Held | None = None
    fullest: int = 0
    table: sparse.csr_array | None = None
    weighted: bool = False

    @property
    def content(self) -> tuple[Any, ...]:
        """What the table holds."""
        return self.n, None if self.row is None else opened(self.row), self.table, self.weighted

    def resample(self, weights: WeightArray, compiled: bool = False) -> IntArray:
        """Return resampled counts (shape (replicates, 2, n)) under weights (atoms, replicates)."""
        if self.row is not None:
            counted = self._by_row(opened(self.row), weights)
        else:
            assert self.table is not None
            if compiled and not self.weighted:
                counted = kernels.sum_cells(self.table.indptr, self.table.indices, weights)
            else:
                counted = (self.table @ weights.astype(self.table.dtype)).T
        return np.asarray(counted.reshape(weights.shape[1], 2, self.n))

    def _by_row(self, row: npt.NDArray[np.uint16], weights: WeightArray) -> Any:
        ends, ones = np.arange(len(row) + 1), np.ones(len(row), dtype=np.int32)
        atoms = sparse.csr_array((ones, row, ends), shape=(len(row), 2 * self.n))
        return (atoms.T @ weights.astype(np.int32)).T


@dataclass(frozen=True, eq=False)
class PairTable(CellTable):
    """The trials of two models in ``n`` cells that they share, and what an exchange of units moves.

    ``own`` counts the trials of each model (shape (2, 2, n), non-targets first); ``table`` holds what the
    first model wins in every cell, and the second loses, where an atom is exchanged.
    """

    own: IntArray = field(kw_only=True)

    @property
    def content(self) -> tuple[Any, ...]:
        """What the table holds."""
        return self.n, self.own, self.table

    def resample(self, weights: Any, compiled: bool = False) -> IntArray:
        """Return counts after ``Exchanges``: those of both models in each replicate, one after the other.

        Shape (2 replicates, 2, n).
        """
        won = self._won(weights, compiled).reshape(-1, 1, 2, self.n)
        return np.concatenate((self.own[0] + won, self.own[1] - won), axis=1).reshape(-1, 2, self.n)

    def _won(self, exchanges: Exchanges, compiled: bool) -> Any:
        """What the first model wins in every cell, and the second loses: shape (replicates, 2 n)."""
        assert self.table is not None
        if compiled and not self.weighted:
            return kernels.sum_exchanged(self.table, exchanges)
        words = range(len(exchanges.words))
        return np.concatenate([(self.table @ exchanges.bits(w).astype(self.table.dtype)).T for w in words])


@dataclass(frozen=True, eq=False)
class MixedTable(CellTable):
    """The trials of three kinds in ``n`` cells: zero-effort, spoofs, targets; ``table`` has 3 n rows.

    In every replicate the two kinds of non-targets are mixed anew, by how many of each were drawn, so that
    FAR is the mean of their two rates. Where a replicate has none of a kind, it is the rate of the other.
    """

    shares: Mix = field(kw_only=True)

    @property
    def content(self) -> tuple[Any, ...]:
        """What the table holds."""
        return (*super().content, self.shares)

    def resample(self, weights: WeightArray, compiled: bool = False) -> IntArray:
        """Return mixed counts (shape (replicates, 2, n), non-targets first) under weights on atoms."""
        assert self.table is not None
        counted = np.asarray((self.table @ weights.astype(np.int64)).T).reshape(-1, 3, self.n)
        drawn = counted[:, :2].sum(axis=2)
        other = drawn[:, ::-1]
        factor = np.where((drawn == 0) | (other == 0), 1, np.array(self.shares) * other)
        mixed = (counted[:, :2] * factor[:, :, None]).sum(axis=1)
        return np.stack((mixed, counted[:, 2]), axis=1)


def pair_table(
    units: Units,
    label: BoolArray,
    weight: IntArray | None,
    cells: tuple[Any, Any],
    n: int,
) -> PairTable:
    """Count the trials of two models by label and cell (shape (N,) each), and what exchanges move."""
    rows = [cell + label * np.int32(n) for cell in cells]
    own = [_counted(row, weight, 2 * n).reshape(2, n) for row in rows]
    moves = np.flatnonzero(rows[0] != rows[1])
    each = np.ones(len(moves), dtype=np.int32) if weight is None else weight[moves]
    at = np.concatenate([row[moves] for row in rows]).astype(np.min_scalar_type(2 * n))
    order = np.argsort(at, kind="stable")  # of two bytes: sorted by counting
    signed, atom = np.concatenate((-each, each))[order], np.tile(units.of_trial[moves], 2)[order]
    ends = np.concatenate(([0], np.cumsum(np.bincount(at, minlength=2 * n))))
    moved = sparse.csr_array((signed, atom, ends), shape=(2 * n, units.n_atoms))
    if units.clustered:
        moved.sum_duplicates()
    weighted = weight is not None or units.clustered
    return PairTable(n, table=moved, weighted=weighted, own=np.array(own))


def _counted(row: IntArray, weight: IntArray | None, n: int) -> IntArray:
    if weight is None:
        return np.bincount(row, minlength=n).astype(np.int32)
    return np.bincount(row, weight, minlength=n).astype(np.int64)  # whole numbers below 2^53: exact


def cells_of(
    units: Units,
    label: BoolArray,
    weight: IntArray | None,
    cell: IntArray | RankArray,
    n: int,
    shelf: ArrayStore = IN_MEMORY,
    mix: MixedKinds | None = None,
) -> CellTable:
    """Count trials by label, cell and atom; a trial counts as often as it weighs, or as kinds are mixed."""
    if mix is not None:
        kind = np.where(label, 2, mix.spoof).astype(np.int64)
        ones = np.ones(len(label), dtype=np.int64)
        shape = 3 * n, units.n_atoms
        table = sparse.coo_array((ones, (kind * n + cell, units.of_trial)), shape=shape).tocsr()
        return MixedTable(n, table=table, weighted=True, shares=mix.shares)
    by_trial = units.ends is None and units.name == "trial" and len(label) == units.n_atoms
    if by_trial and weight is None and 2 * n <= MOST_ROWS:
        by_row = cell.astype(np.uint16) + label * np.uint16(n)
        return CellTable(n, row=shelf.keep(by_row), fullest=int(np.bincount(by_row).max(initial=0)))
    row = label.astype(np.int64) * n + cell
    counted = np.ones(len(label), dtype=np.int32) if weight is None else weight
    table = sparse.coo_array((counted, (row, units.of_trial)), shape=(2 * n, units.n_atoms)).tocsr()
    # Trials of one atom in one cell are summed by tocsr: such a count stands for itself.
    return CellTable(n, table=table, weighted=weight is not None or table.nnz != len(label))


def cumulate_cells(counts: IntArray) -> tuple[IntArray, IntArray]:
    """Return misses and false alarms (shape (M, n + 1)) at the cuts around n ascending cells.

    ``counts`` has shape (M, 2, n), non-targets first.
    """
    rejected = np.zeros((*counts.shape[:2], counts.shape[2] + 1), dtype=counts.dtype)
    np.cumsum(counts, axis=2, out=rejected[:, :, 1:])
    return rejected[:, 1], rejected[:, 0, -1:] - rejected[:, 0]


class Summed:
    """What a table holds under weights: counts in its cells, and errors around them. One of them is given."""

    def __init__(self, counts: IntArray | None = None, errors: Errors | None = None) -> None:
        self._counts, self._errors = counts, errors

    @cached_property
    def counts(self) -> IntArray:
        """Shape (replicates, 2, n), non-targets first."""
        if self._counts is not None:
            return self._counts
        misses, false_alarms = self.errors
        return np.stack((-np.diff(false_alarms), np.diff(misses)), axis=1)

    @cached_property
    def errors(self) -> Errors:
        """Misses and false alarms (shape (replicates, n + 1)), from accept all to reject all."""
        return self._errors or cumulate_cells(self.counts)


class SummedRows(Summed):
    """The same from the sums of rows (shape (2 n, replicates)): errors at some cuts around their cells."""

    def __init__(self, rows: Any, cuts: IntArray | None) -> None:
        super().__init__()
        self._rows, self._cuts = rows, cuts

    @cached_property
    def counts(self) -> IntArray:
        """Shape (replicates, 2, n)."""
        if self._cuts is not None:
            return Summed(errors=self.errors).counts
        by_replicate = kernels.turned(self._rows)
        return np.asarray(by_replicate.reshape(len(by_replicate), 2, -1))

    @cached_property
    def errors(self) -> Errors:
        """Misses and false alarms (shape (replicates, n + 1))."""
        cuts = np.arange(len(self._rows) // 2 + 1) if self._cuts is None else self._cuts
        return kernels.errors_at(self._rows, cuts)


@dataclass(frozen=True, eq=False)
class TableGroup:
    """Tables of one model, summed together: one, or two of few cells as one table.

    Cells ascend with the score in both, so that the sum of a trial's two cells tells both of them.
    """

    tables: tuple[CellTable, ...]
    cuts: tuple[IntArray, ...] = ()
    """Of two tables: which cuts around the summed cells are those around the cells of each."""

    @property
    def row_of_atoms(self) -> kernels.RowOfAtoms | None:
        """The rows of all atoms; None where tables have many cells."""
        if any(table.row is None for table in self.tables):
            return None
        first, *others = self.tables
        fullest = min(table.fullest for table in self.tables)
        if not others:
            return kernels.RowOfAtoms(_rows(first), 2 * first.n, fullest)
        (other,) = others
        return kernels.RowOfAtoms(_rows(first), 2 * _n_together(first, other), fullest, _rows(other), first.n)

    def read(self, rows: Any) -> list[Summed]:
        """Return what each table holds where rows have these sums (shape (2 n, replicates))."""
        return [SummedRows(rows, cuts) for cuts in self.cuts or (None,)]

    def summed(self, weights: WeightArray, compiled: bool = False) -> list[Summed]:
        """Return what each table holds under weights (atoms, replicates)."""
        if len(self.tables) == 1:
            return [Summed(self.tables[0].resample(weights, compiled))]
        # Not kept: of all models together the rows would take two bytes a trial and model.
        together = _together(*self.tables)
        misses, false_alarms = cumulate_cells(together.resample(weights, compiled))
        # Rows stay rows in memory, which an index [:, at] would turn into columns.
        both = ((np.take(misses, at, axis=1), np.take(false_alarms, at, axis=1)) for at in self.cuts)
        return [Summed(errors=errors) for errors in both]


SIDE_BY_SIDE = 16
"""Groups whose sums are held together: of 4,096 cells and 64 replicates, 16 MB."""


def sums_of(groups: Sequence[TableGroup], weights: WeightArray, compiled: bool) -> Iterator[list[Summed]]:
    """Yield what the tables of each group hold under weights (atoms, replicates)."""
    for start in range(0, len(groups), SIDE_BY_SIDE):
        some = groups[start : start + SIDE_BY_SIDE]
        rows = [group.row_of_atoms if compiled else None for group in some]
        few = [of_group for of_group in rows if of_group]
        summed = iter(kernels.sum_few_cells(few, weights) if few else [])
        for group, of_group in zip(some, rows, strict=True):
            yield group.read(next(summed)) if of_group else group.summed(weights, compiled)


def grouped(tables: Sequence[CellTable], *, few_together: bool) -> list[TableGroup]:
    """Return the tables of one model in groups: each alone, or the first two of few cells together."""
    few = [table for table in tables if table.row is not None][:2] if few_together else []
    if len(few) < 2 or 2 * _n_together(*few) > MOST_ROWS:
        return [TableGroup((table,)) for table in tables]
    alone = [TableGroup((table,)) for table in tables if table not in few]
    return [TableGroup(tuple(few), _cuts_together(*few)), *alone]


def _n_together(first: CellTable, second: CellTable) -> int:
    return first.n + second.n - 1


def _together(first: CellTable, second: CellTable) -> CellTable:
    row = _rows(first)
    # Rows of targets come after those of non-targets: one cell fewer than both tables have.
    both = row + _rows(second) - (row >= first.n)
    return CellTable(_n_together(first, second), row=both, fullest=min(first.fullest, second.fullest))


def _cuts_together(first: CellTable, second: CellTable) -> tuple[IntArray, ...]:
    n = _n_together(first, second)
    joint, cuts = _rows(_together(first, second)) % n, []
    for table in (first, second):
        cell = np.full(n, -1)
        cell[joint] = _rows(table) % table.n
        held = np.flatnonzero(cell >= 0)
        after = np.zeros(table.n + 1, dtype=np.int64)
        after[cell[held] + 1] = held + 1  # of the joint cells within a cell the last is written last
        cuts.append(np.maximum.accumulate(after))
    return tuple(cuts)


def _rows(table: CellTable) -> Any:
    assert table.row is not None
    return opened(table.row)
