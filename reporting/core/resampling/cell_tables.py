"""Tables of one model's cells: trials counted by label, cell and atom, and summed under weights.

Where atoms hold many trials, as blocks of units do, a table is dense, and all resamples of it are one
product of matrices. Sums are whole numbers below 2^24, or below 2^53 in double precision, of which one then
holds several (``packing``): exact in any order, so that no bit depends on threads or on the machine.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from reporting.base.arrays import BoolArray, FloatArray, IntArray, RankArray
from reporting.base.execution.array_store import IN_MEMORY, ArrayStore, Held, opened
from reporting.base.records import dataclass, field
from reporting.core.counts.cuts import narrow
from reporting.core.counts.ranks import MixedKinds
from reporting.core.resampling.draws import Exchanges
from reporting.core.resampling.packing import Digits, WeightBounds
from reporting.core.resampling.units import Units
from reporting.core.stats.spoofing import Mix
from reporting.core.stats.staircase import cumulate

Errors = tuple[IntArray, IntArray]
"""Misses and false alarms, of shape (resamples, thresholds)."""

LARGEST_DENSE = 2**23
"""Entries up to which a table is dense."""
EXACT = {np.float32: 2**24, np.float64: 2**53}
"""Whole numbers below which floats add up exactly."""
PACKED = 2**18
"""Entries from which a dense table is packed."""
SLAB = 64
"""Resamples that a sparse table is summed for together: their weights fit into a cache."""
DRAWN, EXCHANGED = (16, 2.5, False), (1, 1, True)
"""The largest weight, the mean of their squares, whether some may be below 0: of drawn and exchanged atoms.

A draw of n of n atoms has squares of 2 - 1/n on average. Resamples that pass these are summed row by row.
"""


def is_dense(entries: int, held: int) -> bool:
    """Return whether a product of all entries of a table takes less than one of those that are held."""
    return entries <= min(LARGEST_DENSE, 16 * held)


class Weights:
    """The weights of atoms in some resamples (atoms, resamples), and what several tables need of them."""

    def __init__(self, weights: npt.NDArray[Any]) -> None:
        self.weights = weights
        self.largest = int(weights.max(initial=1))
        self._slabs: dict[Any, dict[int, npt.NDArray[Any]]] = {}

    @property
    def n(self) -> int:
        """Number of resamples."""
        return int(self.weights.shape[1])

    @cached_property
    def heaviest(self) -> int:
        """The largest sum of absolute weights of a resample."""
        return int(np.abs(self.weights.astype(np.int64)).sum(axis=0).max(initial=0))

    def slabs(self, dtype: Any) -> dict[int, npt.NDArray[Any]]:
        """Return the weights of ``SLAB`` resamples after ``SLAB`` resamples, by their start."""
        if dtype not in self._slabs:
            starts = range(0, self.n, SLAB)
            self._slabs[dtype] = {
                at: self.weights[:, at : at + SLAB].astype(dtype, order="C") for at in starts
            }
        return self._slabs[dtype]

    @cached_property
    def by_replicate(self) -> npt.NDArray[np.float32]:
        """Shape (resamples, atoms)."""
        return np.ascontiguousarray(self.weights.T, dtype=np.float32)

    @cached_property
    def in_doubles(self) -> FloatArray:
        """Shape (resamples, atoms)."""
        return self.by_replicate.astype(np.float64)

    @cached_property
    def bounds(self) -> WeightBounds:
        """The largest weight, the largest sum of squares of a resample, and whether any is below 0."""
        squares = np.einsum("ra,ra->r", self.in_doubles, self.in_doubles)
        return WeightBounds(
            self.largest, float(squares.max(initial=0)), bool(self.weights.min(initial=0) < 0)
        )


class Signs(Weights):
    """1 for the atoms that stay and -1 for those that are exchanged (shape (atoms, resamples))."""

    def __init__(self, exchanges: Exchanges) -> None:
        exchanged = np.concatenate([exchanges.bits(w) for w in range(len(exchanges.words))], axis=1)
        super().__init__(1 - 2 * exchanged.astype(np.int8))
        self.moves = Weights(exchanged)
        """1 for the atoms that are exchanged, else 0."""


@dataclass(frozen=True, eq=False)
class AtomTable:
    """Trials, or their weights, by row and atom: dense (atoms, rows) or sparse (rows, atoms)."""

    held: Held | sparse.csr_array
    most: int = 0
    """No sum of a row over atoms that weigh 1 or -1 is larger."""
    digits: Digits | None = None
    """How several rows are held in one column; None: a column is a row."""

    @classmethod
    def of(cls, units: Units, row: IntArray, weight: IntArray | None, n: int) -> AtomTable:
        """Count trials by their row (shape (N,)), each as often as it weighs."""
        atom, entries = units.atom_of_trial, n * units.n_atoms
        if is_dense(entries, len(row)):
            counted = np.bincount(atom * n + row, weight, entries).astype(np.int64, copy=False)
            most = int(np.bincount(row, weight).max(initial=0))
            return cls(narrow(counted.reshape(units.n_atoms, n)), most)
        each = np.ones(len(row), dtype=np.int32) if weight is None else weight
        return cls(sparse.coo_array((each, (row, atom)), shape=(n, units.n_atoms)).tocsr())

    @classmethod
    def signed(cls, table: sparse.csr_array) -> AtomTable:
        """Return a table (shape (rows, atoms)) of whole numbers of either sign."""
        if not is_dense(math.prod(table.shape), table.nnz):
            return cls(table)
        return cls(narrow(table.toarray().T), int(abs(table).sum(axis=1).max(initial=0)))

    def less(self, other: AtomTable) -> AtomTable:
        """Return this table less another one."""
        if isinstance(self.held, sparse.csr_array):
            return AtomTable(self.held - other.content)
        return AtomTable(narrow(self.content.astype(np.int64) - other.content), self.most + other.most)

    def packed(
        self, largest: float, squares: float, signed: bool, shelf: ArrayStore = IN_MEMORY
    ) -> AtomTable:
        """Return the table with several rows in a column, for weights that are mostly within these bounds.

        ``largest`` is that of single weights, ``squares`` that of the mean of their squares in a resample;
        ``signed``: some may be below 0.
        """
        if isinstance(self.held, sparse.csr_array):
            return self
        counts = self.content
        bounds = WeightBounds(largest, squares * len(counts), signed)
        digits = Digits.of(counts, bounds) if counts.size >= PACKED else None
        held = counts if digits is None else digits.pack(counts)
        return AtomTable(shelf.keep(held), self.most, digits)

    @property
    def content(self) -> Any:
        """What the table holds: counts, dense (atoms, rows) or sparse (rows, atoms)."""
        if isinstance(self.held, sparse.csr_array):
            return self.held
        held = opened(self.held)
        return held if self.digits is None else self.digits.unpack(held, np.int64)

    @property
    def total(self) -> IntArray:
        """The sum of every row."""
        over = 1 if isinstance(self.held, sparse.csr_array) else 0
        return np.asarray(self.content.sum(axis=over, dtype=np.int64))

    def summed(self, weights: Weights) -> IntArray:
        """Return the sum of every row under weights on atoms: shape (resamples, rows)."""
        if isinstance(self.held, sparse.csr_array):
            return self._sparse_sums(self.held, weights)
        single = self.most * weights.largest < EXACT[np.float32]
        of_sums: Any = np.int32 if single else np.int64
        if self.digits is not None and self.digits.bounds.holds(weights.bounds):
            return self.digits.unpack(weights.in_doubles @ opened(self.held), of_sums)
        left, right = (weights.by_replicate, np.float32) if single else (weights.in_doubles, np.float64)
        return np.asarray((left @ self.content.astype(right)).astype(of_sums))

    def _sparse_sums(self, held: sparse.csr_array, weights: Weights) -> IntArray:
        """Return the sums, of a few resamples at a time, in short numbers where these suffice."""
        short, largest = self._short
        is_short = largest * weights.heaviest <= np.iinfo(np.int16).max
        table, sums = short if is_short else held, np.empty((weights.n, held.shape[0]), dtype=held.dtype)
        for at, slab in weights.slabs(table.dtype).items():
            sums[at : at + SLAB] = (table @ slab).T
        return sums

    @cached_property
    def _short(self) -> tuple[sparse.csr_array, int]:
        """A sparse table in short numbers, and the largest of its numbers."""
        return self.content.astype(np.int16), int(np.abs(self.content.data).max(initial=0))


@dataclass(frozen=True, eq=False)
class CellTable:
    """One model's trials as counts in ``n`` cells of each class, for every atom: 2 n rows."""

    n: int
    table: AtomTable

    @property
    def content(self) -> tuple[Any, ...]:
        """What the table holds."""
        return self.n, self.table.content

    def resample(self, weights: Weights) -> IntArray:
        """Return resampled counts (shape (resamples, 2, n)), non-targets first."""
        return self.table.summed(weights).reshape(weights.n, 2, self.n)


@dataclass(frozen=True, eq=False)
class PairTable(CellTable):
    """The trials of two models in ``n`` cells that they share, and what an exchange of atoms moves.

    ``own`` counts the trials of each model (shape (2, 2, n), non-targets first). ``table`` holds what the
    first model wins in every cell, and the second loses, where an atom is exchanged.
    """

    own: IntArray = field(kw_only=True)

    @property
    def content(self) -> tuple[Any, ...]:
        """What the table holds."""
        return self.n, self.own, self.table.content

    def resample(self, weights: Weights) -> IntArray:
        """Return counts after exchanges: those of both models in each resample, one after the other.

        Shape (2 resamples, 2, n).
        """
        assert isinstance(weights, Signs)
        won = self.table.summed(weights.moves).reshape(-1, 1, 2, self.n)
        return np.concatenate((self.own[0] + won, self.own[1] - won), axis=1).reshape(-1, 2, self.n)


@dataclass(frozen=True, eq=False)
class BlockPairTable(PairTable):
    """The same where blocks of units are exchanged; ``table`` holds the first model less the second.

    A block that changes sides carries the difference D between the models with it, and many units together
    more of it than units one by one would. With signs s_b the first model wins (sum_b s_b D_b - D) / 2, and
    D sum_b s_b n_b / n of that is what is carried. It is taken off but for the part 1 - ``lumped``, whose
    variance is that of exchanges of units. What is rejected at a threshold stays a whole number.
    """

    sizes: AtomTable = field(kw_only=True)
    """Trials of each class by block: two rows, non-targets first."""
    lumped: FloatArray = field(kw_only=True)
    """By class (shape (2,))."""

    @property
    def content(self) -> tuple[Any, ...]:
        """What the table holds."""
        return *super().content, self.sizes.content

    def resample(self, weights: Weights) -> IntArray:
        """Return counts after exchanges, as ``PairTable`` does."""
        differ = self.table.summed(weights).reshape(weights.n, 2, self.n)
        totals = self.own[0].sum(axis=1)
        carried = self.lumped * self.sizes.summed(weights) / np.maximum(totals, 1)
        first, second = np.cumsum(self.own, axis=2)
        moved = (np.cumsum(differ, axis=2) - (first - second) * (1 + carried[:, :, None])) / 2
        rejected = np.stack((first + moved, second - moved), axis=1)
        # Rejected trials rise from one threshold to the next.
        rejected = np.maximum.accumulate(np.rint(rejected).clip(0, totals[:, None]), axis=3)
        counts = np.diff(rejected.astype(np.int64), axis=3, prepend=0)
        return np.asarray(counts.reshape(-1, 2, self.n))


@dataclass(frozen=True, eq=False)
class MixedTable(CellTable):
    """The trials of three kinds in ``n`` cells: zero-effort, spoofs, targets; ``table`` has 3 n rows.

    In every resample the two kinds of non-targets are mixed anew, by how many of each were drawn, so that
    FAR is the mean of their two rates. Where a resample has no trial of one, it is the rate of the other.
    """

    shares: Mix = field(kw_only=True)

    @property
    def content(self) -> tuple[Any, ...]:
        """What the table holds."""
        return (*super().content, self.shares)

    def resample(self, weights: Weights) -> IntArray:
        """Return mixed counts (shape (resamples, 2, n), non-targets first) under weights on atoms."""
        counted = self.table.summed(weights).astype(np.int64).reshape(weights.n, 3, self.n)
        drawn = counted[:, :2].sum(axis=2)
        other = drawn[:, ::-1]
        factor = np.where((drawn == 0) | (other == 0), 1, np.array(self.shares) * other)
        mixed = (counted[:, :2] * factor[:, :, None]).sum(axis=1)
        return np.stack((mixed, counted[:, 2]), axis=1)


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
        table = AtomTable.of(units, kind * n + cell, None, 3 * n).packed(*DRAWN, shelf)
        return MixedTable(n, table, shares=mix.shares)
    table = AtomTable.of(units, label.astype(np.int64) * n + cell, weight, 2 * n)
    return CellTable(n, table.packed(*DRAWN, shelf))


@dataclass(frozen=True, eq=False)
class ExchangedTrials:
    """The trials of one set that models exchange, and what each of their pairs needs of them."""

    units: Units
    label: BoolArray
    weight: IntArray | None

    @cached_property
    def sizes(self) -> AtomTable:
        """Trials of each class by atom: two rows, non-targets first."""
        return AtomTable.of(self.units, self.label.astype(np.int64), self.weight, 2)

    @cached_property
    def lumped(self) -> FloatArray:
        """1 - sqrt(sum of units n_u^2 / sum of atoms n_b^2), by class: 0 where no atom holds two units."""
        once = np.ones(len(self.label), dtype=np.int64) if self.weight is None else self.weight
        of_class = [once * (self.label == of) for of in (False, True)]
        alone, together = (
            np.array([float((np.bincount(of, counts) ** 2).sum()) for counts in of_class])
            for of in (self.units.of_trial, self.units.atom_of_trial)
        )
        return np.where(together > 0, 1 - np.sqrt(alone / np.maximum(together, 1)), 0.0)


def pair_table(trials: ExchangedTrials, cells: tuple[Any, Any], n: int) -> PairTable:
    """Count the trials of two models by label and cell (shape (N,) each), and what exchanges move."""
    units, label, weight = trials.units, trials.label, trials.weight
    if units.dealt is not None:
        return _block_pair(trials, cells, n)
    rows = [cell + label * np.int32(n) for cell in cells]
    as_int = np.int32 if weight is None else np.int64  # weighted: whole numbers below 2^53, exact
    own = [np.bincount(row, weight, 2 * n).astype(as_int).reshape(2, n) for row in rows]
    moves = np.flatnonzero(rows[0] != rows[1])
    each = np.ones(len(moves), dtype=np.int32) if weight is None else weight[moves]
    at = np.concatenate([row[moves] for row in rows]).astype(np.min_scalar_type(2 * n))
    order = np.argsort(at, kind="stable")  # of two bytes: sorted by counting
    signed, atom = np.concatenate((-each, each))[order], np.tile(units.of_trial[moves], 2)[order]
    ends = np.concatenate(([0], np.cumsum(np.bincount(at, minlength=2 * n))))
    moved = sparse.csr_array((signed, atom, ends), shape=(2 * n, units.n_atoms))
    if units.clustered:
        moved.sum_duplicates()
    return PairTable(n, AtomTable.signed(moved).packed(*EXCHANGED), own=np.array(own))


def _block_pair(trials: ExchangedTrials, cells: tuple[Any, Any], n: int) -> BlockPairTable:
    row = trials.label * np.int64(n)
    first, second = (AtomTable.of(trials.units, row + cell, trials.weight, 2 * n) for cell in cells)
    return BlockPairTable(
        n,
        first.less(second).packed(*EXCHANGED),
        own=np.array([first.total.reshape(2, n), second.total.reshape(2, n)]),
        sizes=trials.sizes,
        lumped=trials.lumped,
    )


class Summed:
    """What a table holds under weights: counts in its cells (shape (resamples, 2, n), non-targets first)."""

    def __init__(self, counts: IntArray) -> None:
        self.counts = counts

    @cached_property
    def errors(self) -> Errors:
        """Misses and false alarms (shape (resamples, n + 1)), from accept all to reject all."""
        return cumulate(self.counts[:, 1], self.counts[:, 0], self.counts.dtype)
