"""The inner loops of the weighted bootstrap, compiled where the extra ``fast`` (numba) is installed.

Both only add whole numbers: they give the very bytes of the plain NumPy versions, which stay as oracles
(``Draws.count``, ``Cells.resample``) and serve where nothing is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from reporting.significance.draws import WINDOW, Draws, WeightArray

WORTHWHILE = 2**28
"""Trials times replicates below which compiling (about a second or two) takes longer than it saves."""


@cache
def available() -> bool:
    """Tell whether loops can be compiled here."""
    return find_spec("numba") is not None


def worthwhile(trials: int, replicates: int) -> bool:
    """Tell whether to compile for this much work."""
    return available() and trials * replicates >= WORTHWHILE


def count_draws(weights: WeightArray, draws: Sequence[Draws]) -> None:
    """Add draws (one a replicate) to weights of shape (units, replicates), as ``Draws.count`` does."""
    code = np.stack([one.code for one in draws])
    ends = np.cumsum([one.taken for one in draws], axis=1)
    compiled_loop(_count_draws)(weights, code, ends)


def sum_cells(indptr: Any, indices: Any, weights: WeightArray) -> Any:
    """Sum the weights of every cell's atoms: shape (replicates, cells), as ``Cells.resample`` does."""
    summed = np.empty((len(indptr) - 1, weights.shape[1]), dtype=np.int32)
    compiled_loop(_sum_cells)(indptr, indices, weights, summed)
    return np.ascontiguousarray(summed.T)


def sum_few_cells(row: Any, weights: WeightArray, n_rows: int) -> Any:
    """Sum as ``sum_cells`` where every atom is one trial, in the cell ``row`` names, and cells are few."""
    summed = np.zeros((n_rows, weights.shape[1]), dtype=np.int32)
    compiled_loop(_sum_few_cells)(row, weights, summed)
    return np.ascontiguousarray(summed.T)


@cache
def compiled_loop(loop: Callable[..., Any]) -> Callable[..., Any]:
    """Return a loop as machine code that lets other threads run."""
    from numba import njit

    try:  # kept on disk beside the code, or in the user's cache folder
        return njit(nogil=True, cache=True)(loop)
    except RuntimeError:  # neither can be written
        return njit(nogil=True)(loop)


def _count_draws(weights: Any, code: Any, ends: Any) -> None:
    # Window by window over all replicates: the weights of a window stay in the fastest memory.
    for window in range(ends.shape[1]):
        base = window * WINDOW
        for replicate in range(ends.shape[0]):
            start = ends[replicate, window - 1] if window > 0 else 0
            for k in range(start, ends[replicate, window]):
                weights[base + code[replicate, k], replicate] += 1


def _sum_few_cells(row: Any, weights: Any, summed: Any) -> None:
    # Weights are read from first to last; the few sums stay near.
    for k in range(len(row)):
        atom = weights[k]
        total = summed[row[k]]
        for replicate in range(len(total)):
            total[replicate] += atom[replicate]


def _sum_cells(indptr: Any, indices: Any, weights: Any, summed: Any) -> None:
    # One atom after the other, all replicates side by side: the inner loop becomes vector instructions.
    for cell in range(len(indptr) - 1):
        row = summed[cell]
        row[:] = 0
        for k in range(indptr[cell], indptr[cell + 1]):
            atom = weights[indices[k]]
            for replicate in range(len(row)):
                row[replicate] += atom[replicate]
