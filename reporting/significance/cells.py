"""Counts under weights: a model's trials as cells by atoms, summed for many replicates at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from reporting.execution.shelf import IN_MEMORY, Held, Shelf, opened
from reporting.significance import kernels
from reporting.significance.draws import WeightArray
from reporting.significance.units import Units
from reporting.stats.staircase import BoolArray, IntArray, RankArray

MOST_ROWS = 2**16
"""Rows of counts up to which the sums of 64 replicates stay in a near cache, and two bytes name a row."""


@dataclass(frozen=True, eq=False)
class Cells:
    """One model's trials as counts in ``n`` cells of each class, for every atom.

    Where every atom is one trial and cells are few, ``row`` names the row of each: its cell, those of
    targets after those of non-targets. Else ``table`` is sparse, (2 n rows, atoms).
    """

    n: int
    row: Held | None = None
    table: sparse.csr_array | None = None
    weighted: bool = False

    def resample(self, weights: WeightArray, compiled: bool = False) -> IntArray:
        """Return resampled counts (shape (replicates, 2, n)) under weights (atoms, replicates)."""
        if self.row is not None:
            counted = self._by_row(opened(self.row), weights, compiled)
        else:
            assert self.table is not None
            if compiled and not self.weighted:
                counted = kernels.sum_cells(self.table.indptr, self.table.indices, weights)
            else:
                counted = (self.table @ weights.astype(self.table.dtype)).T
        return np.asarray(counted.reshape(weights.shape[1], 2, self.n))

    def _by_row(self, row: npt.NDArray[np.uint16], weights: WeightArray, compiled: bool) -> Any:
        if compiled:
            return kernels.sum_few_cells(row, weights, 2 * self.n)
        ends, ones = np.arange(len(row) + 1), np.ones(len(row), dtype=np.int32)
        atoms = sparse.csr_array((ones, row, ends), shape=(len(row), 2 * self.n))
        return (atoms.T @ weights.astype(np.int32)).T


def cells_of(
    units: Units,
    label: BoolArray,
    weight: IntArray | None,
    cell: IntArray | RankArray,
    n: int,
    shelf: Shelf = IN_MEMORY,
) -> Cells:
    """Count trials by label, cell and atom; a trial counts as often as it weighs."""
    if units.ends is None and units.name == "trial" and weight is None and 2 * n <= MOST_ROWS:
        return Cells(n, row=shelf.keep(cell.astype(np.uint16) + label * np.uint16(n)))
    row = label.astype(np.int64) * n + cell
    counted = np.ones(len(label), dtype=np.int32) if weight is None else weight
    table = sparse.coo_array((counted, (row, units.of_trial)), shape=(2 * n, units.n_atoms)).tocsr()
    # Trials of one atom in one cell are summed by tocsr: such a count stands for itself.
    return Cells(n, table=table, weighted=weight is not None or table.nnz != len(label))
