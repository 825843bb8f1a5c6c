"""Standard errors of trials that have two units each, say a model speaker and a segment speaker.

Two trials depend on one another where they share a unit. ``influences`` are psi_i = dD / dc_i of the
trials (shape (N,)), so that trials independent of one another would have SE^2 = sum psi_i^2; trials of the
same two units may come summed in one row. ``a`` and ``b`` hold the codes of the units, integers from 0;
gaps are allowed. One pool: the codes of both name the same units. Two pools: they do not. A standard error
of 0 is no certainty: like NaN it leaves an interval undefined. Methods 8.4, 8.8.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from reporting.stats.staircase import BoolArray, FloatArray, IntArray, RankArray

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
    if np.count_nonzero(_present(a, b)) < 2:
        return math.nan
    own, mixed = _touching(influences, a, b), _mixed_pairs(influences[None], a, b)[0]
    return _root((own**2).sum(), (mixed**2).sum(), (influences**2).sum())


def two_way_se(influences: FloatArray, a: Codes, b: Codes) -> float:
    """Standard error in two pools: sqrt(sum_i S_i.^2 + sum_j S_.j^2 - sum_ij S_ij^2), 0 where negative.

    S_i. sums psi over the trials of unit i of the first pool, S_.j of unit j of the second, S_ij of both.
    Not for one pool: what a unit does to the trials it is second in must have nothing to do with what it
    does to those it is first in; with equal effects on both the square is half the variance. NaN with
    fewer than two units in a pool. Cameron, Gelbach and Miller 2011, without their factors for few
    clusters; methods 8.8.
    """
    if min(np.count_nonzero(_present(side, side)) for side in (a, b)) < 2:
        return math.nan
    first, second = np.bincount(a, weights=influences), np.bincount(b, weights=influences)
    _, cell = np.unique(_pair_code(a, b, len(second)), return_inverse=True)
    both = np.bincount(cell, weights=influences)
    return _root((first**2).sum() + (second**2).sum(), (both**2).sum(), (influences**2).sum())


def design_effect(dependent_se: float, independent_se: float) -> float:
    """(SE / SE of independent trials)^2: how many trials count as one; NaN where the latter is 0."""
    return (dependent_se / independent_se) ** 2 if independent_se else math.nan


def _size(a: Codes, b: Codes) -> int:
    return max((int(codes.max()) + 1 for codes in (a, b) if len(codes)), default=0)


def _present(a: Codes, b: Codes) -> BoolArray:
    """Whether a code occurs in either column, shape (highest code + 1,)."""
    size = _size(a, b)
    return np.asarray(np.bincount(a, minlength=size) + np.bincount(b, minlength=size) > 0)


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
    return np.asarray(first.astype(np.int64) * size + second)  # 32 bits would wrap round at 65 536 units


def _root(plus: float, minus: float, independent: float) -> float:
    """sqrt(plus - minus); 0 where that is negative or nothing but rounding."""
    variance = float(plus - minus)
    return 0.0 if variance <= ROUNDING * (plus + independent) else math.sqrt(variance)
