"""Counts under weights: a model's trials as cells by atoms, summed for many replicates at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from reporting.significance import kernels
from reporting.significance.draws import WeightArray
from reporting.significance.units import Units
from reporting.stats.staircase import BoolArray, IntArray, RankArray

FEW_CELLS = 1000
"""Cells whose sums over 64 replicates stay in a near cache."""


@dataclass(frozen=True, eq=False)
class Cells:
    """One model's trials as counts: sparse (2 * n cells, atoms), non-targets first."""

    table: sparse.csr_array
    n: int
    weighted: bool
    row: npt.NDArray[np.int32] | None
    """The row of every atom, where each is one trial and cells are few."""

    def resample(self, weights: WeightArray, compiled: bool = False) -> IntArray:
        """Return resampled counts (shape (replicates, 2, n)) under weights (atoms, replicates)."""
        if compiled and self.row is not None:
            counted = kernels.sum_few_cells(self.row, weights, 2 * self.n)
        elif compiled and not self.weighted:
            counted = kernels.sum_cells(self.table.indptr, self.table.indices, weights)
        else:
            counted = (self.table @ weights.astype(self.table.dtype)).T
        return np.asarray(counted.reshape(weights.shape[1], 2, self.n))


def cells_of(
    units: Units, label: BoolArray, weight: IntArray | None, cell: IntArray | RankArray, n: int
) -> Cells:
    """Count trials by label, cell and atom; a trial counts as often as it weighs."""
    row = label.astype(np.int64) * n + cell
    counted = np.ones(len(label), dtype=np.int32) if weight is None else weight
    table = sparse.coo_array((counted, (row, units.of_trial)), shape=(2 * n, units.n_atoms)).tocsr()
    # Trials of one atom in one cell are summed by tocsr: such a count stands for itself.
    weighted = weight is not None or table.nnz != len(label)
    each_alone = units.ends is None and units.name == "trial" and not weighted
    return Cells(table, n, weighted, row.astype(np.int32) if each_alone and n <= FEW_CELLS else None)
