"""Compiled loops, where the extra ``fast`` (numba) is installed: draws, sums of cells, hulls and chosen cuts.

They add whole numbers, or take the same steps in the same order: they give the very bytes of the plain NumPy
versions, which stay as oracles (``Draws.count``, ``CellTable.resample``, ``cumulate_cells``,
``sweep.eer_rocch``) and serve where nothing is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from reporting.curves.epc import Thresholds
from reporting.significance.draws import WINDOW, WORD, Draws, Exchanges, WeightArray
from reporting.stats.selection import TIE_TOLERANCE
from reporting.stats.staircase import BoolArray, FloatArray, IntArray
from reporting.stats.sweep import BELOW, eer_rocch

LINE = 64
"""Bytes of a line of the cache: the weights of as many replicates."""

STRETCH = 2**16
"""Atoms whose weights stay near while many tables sum them: 4 MB of 64 replicates; the sums stay nearer."""

WORTHWHILE = 2**28
"""Trials times replicates below which compiling (about a second or two) takes longer than it saves."""


@cache
def available() -> bool:
    """Return whether loops can be compiled here."""
    return find_spec("numba") is not None


def worthwhile(trials: int, replicates: int) -> bool:
    """Return whether to compile for this much work."""
    return available() and trials * replicates >= WORTHWHILE


def count_draws(draws: Draws) -> WeightArray:
    """Return how often each unit was drawn (shape (units, replicates)), as ``Draws.count`` does."""
    weights = np.zeros(draws.code.shape[::-1], dtype=np.uint8)
    compiled_loop(_count_draws)(weights, draws.code, np.cumsum(draws.taken, axis=1))
    return weights


def sum_cells(indptr: Any, indices: Any, weights: WeightArray) -> Any:
    """Sum the weights of every cell's atoms: shape (replicates, cells), as ``CellTable.resample`` does."""
    summed = np.empty((len(indptr) - 1, weights.shape[1]), dtype=np.int32)
    compiled_loop(_sum_cells)(indptr, indices, weights, summed)
    return np.ascontiguousarray(summed.T)


class RowOfAtoms(NamedTuple):
    """The row of every atom (shape (atoms,)) among ``n``, targets' last; the fullest holds ``fullest``.

    With ``other``, the rows of a second table, it is the sum of both, less one for targets, whose rows in
    the first table begin with ``targets``.
    """

    row: Any
    n: int
    fullest: int
    other: Any = np.empty(0, dtype=np.uint16)
    targets: int = 0


def sum_few_cells(tables: Sequence[RowOfAtoms], weights: WeightArray) -> list[Any]:
    """Sum the weights of every row's atoms, each of which is one trial: shapes (n, replicates)."""
    summed = [
        np.zeros((table.n, weights.shape[1]), dtype=np.uint16 if table.fullest <= TWO_BYTES else np.int32)
        for table in tables
    ]
    for start in range(0, len(weights), STRETCH):
        part = slice(start, start + STRETCH)
        for table, total in zip(tables, summed, strict=True):
            rows = table.row[part], table.other[part], table.targets
            compiled_loop(_add_few_cells)(*rows, weights[part], total)
    for at, total in enumerate(summed):
        # Every replicate draws as many trials as there are: what two bytes could not hold lacks in the total.
        if total.dtype == np.uint16 and (compiled_loop(_total)(total) != len(weights)).any():
            (summed[at],) = sum_few_cells([tables[at]._replace(fullest=TWO_BYTES + 1)], weights)
    return summed


def turned(summed: Any) -> Any:
    """Return sums of rows (shape (n, replicates)) by replicate: shape (replicates, n)."""
    by_replicate = np.empty(summed.shape[::-1], dtype=np.int32)
    compiled_loop(_turn)(summed, by_replicate)
    return by_replicate


def errors_at(summed: Any, cuts: IntArray) -> tuple[Any, Any]:
    """Return misses and false alarms (shape (replicates, P)) at ascending cuts around the cells of rows."""
    misses, false_alarms = (np.empty((summed.shape[1], len(cuts)), dtype=np.int32) for _ in range(2))
    compiled_loop(_cumulate)(summed, cuts, misses, false_alarms)
    return misses, false_alarms


def sum_exchanged(table: Any, exchanges: Exchanges) -> Any:
    """Sum the rows of a sparse table of 1 and -1 over the atoms that are exchanged: shape (replicates, rows).

    As ``PairTable.resample`` does, 64 replicates at a time.
    """
    words, n = exchanges.words, table.shape[0]
    summed = np.empty((len(words), n, WORD), dtype=np.int32)
    # An atom that is taken off: its complement, which is 1 where the atom is not exchanged, less 1.
    atoms = np.where(table.data > 0, table.indices, ~table.indices)
    for word, of_word in zip(words, summed, strict=True):
        compiled_loop(_sum_exchanged)(table.indptr, atoms, word, of_word)
    return np.ascontiguousarray(summed.transpose(0, 2, 1).reshape(-1, n)[: exchanges.replicates])


TWO_BYTES = 2**15
"""Trials of a row up to which two bytes hold any sum of their weights, but for the rarest of replicates."""


def compiled_formula(formula: Callable[..., Any]) -> Callable[..., Any]:
    """Return a formula with its compiled loop where it has one, else itself."""
    return partial(formula, tighten=tightened) if formula is eer_rocch else formula


def tightened(
    misses: Any, false_alarms: Any, before: IntArray, after: IntArray, start: IntArray, width: int
) -> tuple[IntArray, IntArray]:
    """Return the ends of hull edges as ``sweep.eer_rocch`` finds them, in the same steps."""
    before, after = before.copy(), after.copy()
    compiled_loop(_tighten)(misses, false_alarms, before, after, start, width)
    return before, after


@cache
def compiled_loop(loop: Callable[..., Any]) -> Callable[..., Any]:
    """Return a loop as machine code that lets other threads run."""
    from numba import njit

    try:  # kept on disk beside the code, or in the user's cache folder
        return njit(nogil=True, cache=True)(loop)
    except RuntimeError:  # neither can be written
        return njit(nogil=True)(loop)


def _count_draws(weights: Any, code: Any, ends: Any) -> None:
    # Window by window: the counts of all replicates in it stay in the fastest memory.
    for window in range(ends.shape[1]):
        count = weights[window * WINDOW :]
        for replicate in range(len(code)):
            start = ends[replicate, window - 1] if window > 0 else 0
            drawn = code[replicate, start : ends[replicate, window]]
            for k in range(len(drawn)):
                count[drawn[k], replicate] += np.uint8(1)


def _add_few_cells(row: Any, other: Any, targets: Any, weights: Any, summed: Any) -> None:
    # Weights are read from first to last; the few sums stay near. Whole lines of the cache come first.
    whole, joint = weights.shape[1] // LINE, len(other) > 0
    for k in range(len(row)):
        place = np.int64(row[k])
        if joint:
            place += np.int64(other[k]) - (place >= targets)
        atom, total = weights[k], summed[place]
        for line in range(whole):
            for byte in range(LINE):
                total[line * LINE + byte] += atom[line * LINE + byte]
        for replicate in range(whole * LINE, len(total)):
            total[replicate] += atom[replicate]


def _total(summed: Any) -> Any:
    total = np.zeros(summed.shape[1], np.int64)
    for row in range(len(summed)):
        for replicate in range(len(total)):
            total[replicate] += summed[row, replicate]
    return total


TURNED = 16
"""Numbers that fill a line of the cache: as many are written to one replicate at a time."""


def _turn(summed: Any, by_replicate: Any) -> None:
    for first in range(0, len(summed), TURNED):
        last = min(first + TURNED, len(summed))
        for replicate in range(len(by_replicate)):
            for row in range(first, last):
                by_replicate[replicate, row] = summed[row, replicate]


def _cumulate(summed: Any, cuts: Any, misses: Any, false_alarms: Any) -> None:
    n, replicates, most = len(summed) // 2, summed.shape[1], len(cuts)
    held, total = np.empty((TURNED, replicates), np.int32), np.zeros(replicates, np.int32)
    cell = 0
    for j in range(most):
        while cell < cuts[j]:
            for replicate in range(replicates):
                total[replicate] += summed[n + cell, replicate]
            cell += 1
        held[j % TURNED] = total
        if j % TURNED == TURNED - 1 or j == most - 1:
            first = j - j % TURNED
            for replicate in range(replicates):
                for k in range(first, j + 1):
                    misses[replicate, k] = held[k - first, replicate]
    total[:] = 0
    cell = n
    for j in range(most - 1, -1, -1):
        while cell > cuts[j]:
            cell -= 1
            for replicate in range(replicates):
                total[replicate] += summed[cell, replicate]
        held[j % TURNED] = total
        if j % TURNED == 0:
            for replicate in range(replicates):
                for k in range(j, min(j + TURNED, most)):
                    false_alarms[replicate, k] = held[k - j, replicate]


def _sum_exchanged(indptr: Any, atoms: Any, words: Any, summed: Any) -> None:
    # Bit r of planes[b] is bit b of the sum of replicate r. Four words make one that counts fours.
    planes, w = np.zeros(WORD, np.uint64), np.zeros(4, np.uint64)
    none, bit = np.uint64(0), np.uint64(1)
    for row in range(len(indptr) - 1):
        planes[:] = none
        ones, twos, used, off, end = none, none, 2, np.int32(0), indptr[row + 1]
        for k in range(indptr[row], end, 4):
            for j in range(4):
                w[j] = none
                if k + j < end:
                    atom = atoms[k + j]
                    if atom >= 0:
                        w[j] = words[atom]
                    else:
                        w[j] = ~words[~atom]
                        off += np.int32(1)
            half = ones ^ w[0]
            first = (ones & w[0]) | (half & w[1])
            ones = half ^ w[1]
            half = ones ^ w[2]
            second = (ones & w[2]) | (half & w[3])
            ones = half ^ w[3]
            half = twos ^ first
            carry = (twos & first) | (half & second)
            twos = half ^ second
            at = 2
            while carry != none:
                held = planes[at]
                planes[at] = held ^ carry
                carry &= held
                at += 1
            used = max(used, at)
        planes[0], planes[1] = ones, twos
        total = summed[row]
        total[:] = -off
        for at in range(used):
            plane = planes[at]
            for r in range(WORD):
                total[r] += np.int32(((plane >> np.uint64(r)) & bit) << np.uint64(at))


def _sum_cells(indptr: Any, indices: Any, weights: Any, summed: Any) -> None:
    # One atom after the other, all replicates side by side: the inner loop becomes vector instructions.
    for cell in range(len(indptr) - 1):
        row = summed[cell]
        row[:] = 0
        for k in range(indptr[cell], indptr[cell + 1]):
            atom = weights[indices[k]]
            for replicate in range(len(row)):
                row[replicate] += atom[replicate]


def _tighten(misses: Any, false_alarms: Any, before: Any, after: Any, start: Any, width: Any) -> None:
    for r in range(len(misses)):
        missed, alarms = misses[r], false_alarms[r]
        n_target, n_nontarget = missed[-1], alarms[0]
        searching = n_target > 0 and n_nontarget > 0 and before[r] < after[r]
        while searching:
            b, a = before[r], after[r]
            rise = (missed[a] / n_target - missed[b] / n_target) / n_nontarget
            fall = (alarms[b] / n_nontarget - alarms[a] / n_nontarget) / n_target
            lowest, least = start[r], np.inf
            for k in range(start[r], start[r] + width):
                cost = rise * alarms[k] + fall * missed[k]
                if cost < least:
                    lowest, least = k, cost
            line = rise * alarms[b] + fall * missed[b]
            searching = least < line - BELOW * abs(line)
            if searching and alarms[lowest] / n_nontarget >= missed[lowest] / n_target:
                before[r] = lowest
            elif searching:
                after[r] = lowest


EQUAL_ERROR = -1.0
"""Stands for the equal error among the weights of weighted errors, which lie in [0, 1]."""


class ChosenCells(NamedTuple):
    """The cells below and above every chosen cut (shape (replicates, P)), -1 beyond the ends."""

    below: IntArray
    above: IntArray
    left: BoolArray
    """Replicates (shape (replicates,)) that are left to the plain way."""


def weights_of(chosen: Sequence[Thresholds]) -> FloatArray | None:
    """Return the weight alpha of each threshold (shape (P,)), or ``EQUAL_ERROR``; None for other criteria."""
    weights: list[FloatArray] = []
    for thresholds in chosen:
        criterion = thresholds.criterion
        if criterion.key == "eer":
            weights.append(np.array([EQUAL_ERROR]))
            continue
        given = {} if thresholds.alpha is None else {criterion.swept: thresholds.alpha}
        weight = criterion.weight_at(**given)
        if weight is None:
            return None
        weights.append(weight)
    return np.concatenate(weights)


def choose_cells(counts: Any, weights: FloatArray) -> ChosenCells:
    """Choose a cut for each weight in each replicate; ``counts`` has shape (replicates, 2, n)."""
    replicates, _, n = counts.shape
    vertices, last = np.empty((3, replicates, n + 1), np.int64), np.empty(replicates, np.int64)
    compiled_loop(_hulls)(counts, vertices, last)
    below, above = (np.full((replicates, len(weights)), -1, np.int64) for _ in range(2))
    left = np.zeros(replicates, np.bool_)
    compiled_loop(_least_weighted)(weights, vertices, last, below, left)
    compiled_loop(_least_gap)(weights, counts, below)
    compiled_loop(_next_held)(counts, below, above)
    return ChosenCells(below, above, left)


def _hulls(counts: Any, vertices: Any, last_of: Any) -> None:
    # A stack of vertices (misses, rejected non-targets, the cell below): the last one leaves while the share
    # of targets does not rise across it. Cells without a trial are passed over.
    for r in range(len(last_of)):
        misses, rejected, below = vertices[0, r], vertices[1, r], vertices[2, r]
        misses[0], rejected[0], below[0] = 0, 0, -1
        missed, passed, last = np.int64(0), np.int64(0), 0
        for cell in range(counts.shape[2]):
            if counts[r, 0, cell] + counts[r, 1, cell] == 0:
                continue
            missed += counts[r, 1, cell]
            passed += counts[r, 0, cell]
            while last > 0:
                rise = (misses[last] - misses[last - 1]) * (passed - rejected[last])
                if rise < (missed - misses[last]) * (rejected[last] - rejected[last - 1]):
                    break
                last -= 1
            last += 1
            misses[last], rejected[last], below[last] = missed, passed, cell
        last_of[r] = last


def _least_weighted(weights: Any, vertices: Any, last_of: Any, below: Any, left: Any) -> None:
    # Vertices that some weight prefers, and the weights that tie neighbouring ones (stats.staircase).
    edges = np.empty(vertices.shape[2], np.float64)
    for r in range(len(last_of)):
        misses, rejected, last = vertices[0, r], vertices[1, r], last_of[r]
        n_target, n_nontarget = misses[last], rejected[last]
        if n_target == 0 or n_nontarget == 0:
            left[r] = True
            continue
        first = 0
        while first < last and misses[first + 1] == 0:
            first += 1
        n = 0
        while rejected[first + n] < n_nontarget:
            rise = np.float64(misses[first + n + 1] - misses[first + n]) * n_nontarget
            fall = np.float64(rejected[first + n + 1] - rejected[first + n]) * n_target
            edges[n] = rise / (rise + fall)
            n += 1
        for p in range(len(weights)):
            j = np.searchsorted(edges[:n], weights[p], side="right")
            for k in range(max(0, j - 1), min(n, j + 1)):
                if abs(edges[k] - weights[p]) <= TIE_TOLERANCE:
                    left[r] = True
            below[r, p] = vertices[2, r, first + j]


def _least_gap(weights: Any, counts: Any, below: Any) -> None:
    # The smallest (|FAR - FRR|, FAR + FRR, FAR), each times N1 N0.
    for p in range(len(weights)):
        if weights[p] != EQUAL_ERROR:
            continue
        for r in range(len(counts)):
            n_nontarget, n_target = np.int64(counts[r, 0].sum()), np.int64(counts[r, 1].sum())
            far, frr = n_nontarget * n_target, np.int64(0)
            least = (far, far, far)
            below[r, p] = -1
            for cell in range(counts.shape[2]):
                if counts[r, 0, cell] + counts[r, 1, cell] == 0:
                    continue
                far -= counts[r, 0, cell] * n_target
                frr += counts[r, 1, cell] * n_nontarget
                gap = (abs(far - frr), far + frr, far)
                if gap < least:
                    least = gap
                    below[r, p] = cell


def _next_held(counts: Any, below: Any, above: Any) -> None:
    # The first cell that holds a trial after each of these.
    for r in range(len(counts)):
        for p in range(below.shape[1]):
            for cell in range(below[r, p] + 1, counts.shape[2]):
                if counts[r, 0, cell] + counts[r, 1, cell] > 0:
                    above[r, p] = cell
                    break
