"""Standard errors of trials that have two units each, say a model speaker and a segment speaker.

Two trials depend on one another where they share a unit. ``influences`` are psi_i = dD / dc_i of the
trials (shape (N,)), so that trials independent of one another would have SE^2 = sum psi_i^2; trials of the
same two units may come summed in one row. ``a`` and ``b`` hold the codes of the units, integers from 0;
gaps are allowed. One pool: the codes of both name the same units. Two pools: they do not. A standard error
of 0 is no certainty: like NaN it leaves an interval undefined. Methods 8.4, 8.8.

Two pools have a variance with degrees of freedom (``CrossedVariance``), made of influences (``over_pools``)
or of resamples.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from reporting.base.arrays import BoolArray, FloatArray, IntArray, RankArray
from reporting.core.stats.cluster_sizes import ClusterSizes

Codes = IntArray | RankArray
Counts = IntArray | BoolArray

ROUNDING = 1e-12
"""A variance below this share of the terms it is the difference of is their rounding."""


def dyadic_se(influences: FloatArray, a: Codes, b: Codes) -> float:
    """Standard error in one pool: sqrt(sum_s S_s^2 - sum_{s,t} S_st^2), 0 where that is negative.

    S_s sums psi over the trials touching s (those of s with itself once), S_st over those of s and t,
    s != t, in either order: psi_i psi_j is summed over the trials i, j that share a unit. For a mean over
    all pairs of G units its square is (G - 2)(G - 3) / (G (G - 1)) times the variance on average, and 0
    for three units. NaN with fewer than two units. Fafchamps and Gubert 2007; Aronow, Samii and Assenova
    2015; methods 8.8.
    """
    trials_of = (np.bincount(of, minlength=_size(a, b)) for of in (a, b))
    if np.count_nonzero(sum(trials_of)) < 2:
        return math.nan
    own, mixed = _touching(influences, a, b), _mixed_pairs(influences[None], a, b)[0]
    return _root((own**2).sum(), (mixed**2).sum(), (influences**2).sum())


PoolSizes = tuple[ClusterSizes, ClusterSizes]
"""How trials are spread over the members of either pool."""


def pool_sizes(a: Codes, b: Codes, weight: npt.NDArray[Any]) -> PoolSizes:
    """Return the sizes of the members by the weights of their trials (shape (N,), whole numbers)."""
    return ClusterSizes.of(np.bincount(a, weight)), ClusterSizes.of(np.bincount(b, weight))


class CrossedVariance(NamedTuple):
    """The variance of a number over two crossed pools, with its degrees of freedom; or arrays of these."""

    variance: Any
    df: Any

    @classmethod
    def of_squares(cls, first: Any, second: Any, cells: Any, sizes: PoolSizes) -> Self:
        """Return it by the squares of what members of each pool move, and of what cells move besides.

        With f and df of each pool by the sizes of its members,

            S_A = f_A first,  S_B = f_B second,  S_AB = f_A f_B cells;  V = S_A + S_B - S_AB:

        each pool's S holds what cells add, too. A pool whose S is at most S_AB has no variance of its own,
        and is left out: V is then S_A, S_B or, of neither, S_AB. Satterthwaite's degrees of freedom of what
        remains, S_AB with df_A df_B, at least 1. Owen 2007, Annals of Applied Statistics 1, 386-411; Hillis
        2007.
        """
        if min(pool.number for pool in sizes) < 2:
            return cls(np.full(np.shape(first), np.nan), np.ones(np.shape(first)))
        (f_a, df_a), (f_b, df_b) = ((pool.factor, pool.degrees_of_freedom) for pool in sizes)
        parts = np.stack(np.broadcast_arrays(f_a * first, f_b * second, f_a * f_b * cells))
        counts = parts[:2] > parts[2]
        sign = np.stack([*counts, np.where(counts.all(axis=0), -1, ~counts.any(axis=0))])
        variance = (sign * parts).sum(axis=0)
        each = (df_a, df_b, df_a * df_b)
        unsure = sum((s * part) ** 2 / df for s, part, df in zip(sign, parts, each, strict=True))
        df = np.divide(variance**2, unsure, out=np.full_like(variance, min(df_a, df_b)), where=unsure > 0)
        return cls(variance, np.maximum(1.0, df))


def over_pools(influences: FloatArray, a: Codes, b: Codes, weight: npt.NDArray[Any]) -> CrossedVariance:
    """Return the variance of a number over two pools by the influences of its trials, which sum to 0.

    Rows sum psi over a member of the first pool, columns over one of the second. What a cell moves besides is
    psi_ab - rows_a q_b - columns_b p_a, p and q the shares of members in the trials by their ``weight``
    (shape (N,), whole numbers), in cells without trials, too. Draws, in which members count alike, have equal
    shares in place of p and q.
    """
    (rows, p), (columns, q) = ((np.bincount(side, influences), np.bincount(side, weight)) for side in (a, b))
    p, q = p / p.sum(), q / q.sum()
    cell, at = np.unique(_pair_code(a, b, len(columns)), return_inverse=True)
    psi, (i, j) = np.bincount(at, influences), np.divmod(cell, len(columns))
    # The sum over all cells, of those with trials and of products over either pool.
    first, second = (rows**2).sum(), (columns**2).sum()
    mixed = (psi * (rows[i] * q[j] + columns[j] * p[i])).sum() - (rows * p).sum() * (columns * q).sum()
    cells = (psi**2).sum() + first * (q**2).sum() + second * (p**2).sum() - 2 * mixed
    independent = (influences**2).sum()
    cells = 0.0 if cells <= ROUNDING * independent else cells
    sizes = pool_sizes(a, b, weight)
    return CrossedVariance.of_squares(float(first), float(second), float(cells), sizes)


def two_way_sum(values: FloatArray, a: Codes, b: Codes) -> float:
    """Sum the products of all two trials that share a member of either pool; 0 where that is negative.

    sum_i S_i.^2 + sum_j S_.j^2 - sum_ij S_ij^2: S_i. sums the values of member i of the first pool, S_.j of
    member j of the second, S_ij of both. Cameron, Gelbach and Miller 2011; methods 8.8.
    """
    first, second = np.bincount(a, weights=values), np.bincount(b, weights=values)
    _, cell = np.unique(_pair_code(a, b, len(second)), return_inverse=True)
    both = np.bincount(cell, weights=values)
    return _root((first**2).sum() + (second**2).sum(), (both**2).sum(), (values**2).sum()) ** 2


def _size(a: Codes, b: Codes) -> int:
    return max((int(codes.max()) + 1 for codes in (a, b) if len(codes)), default=0)


def _touching(values: npt.NDArray[Any], a: Codes, b: Codes) -> FloatArray:
    """Sum values over the trials that touch each unit, shape (highest code + 1,)."""
    size = _size(a, b)
    # A trial of a unit with itself counts once.
    second = np.where(a == b, 0, values)
    return np.asarray(np.bincount(a, values, size) + np.bincount(b, second, size), dtype=np.float64)


def _mixed_pairs(influences: FloatArray, a: Codes, b: Codes) -> FloatArray:
    """Sum influences (K, N) over the trials of each pair of two different units, whatever their order."""
    mixed = a != b
    low, high = np.minimum(a, b)[mixed], np.maximum(a, b)[mixed]
    pairs, at = np.unique(_pair_code(low, high, _size(a, b)), return_inverse=True)
    return np.stack([np.bincount(at, psi[mixed], len(pairs)) for psi in influences])


def _pair_code(first: Codes, second: Codes, size: int) -> IntArray:
    """One number for two codes, the second below ``size``."""
    return np.asarray(first.astype(np.int64) * size + second)  # 32 bits would wrap round at 65,536 units


def _root(plus: float, minus: float, independent: float) -> float:
    """sqrt(plus - minus); 0 where that is negative or nothing but rounding."""
    variance = float(plus - minus)
    return 0.0 if variance <= ROUNDING * (plus + independent) else math.sqrt(variance)
