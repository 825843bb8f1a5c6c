"""Which cut is best by any measure, or by two: values at all cuts in, a choice out.

Cuts at which a measure is undefined are left out; at least one must remain. Values of any measure are
floats, so cuts tie where they differ by less than 1e-12 of their size.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from reporting.stats.selection import TIE_TOLERANCE, Choice, integer_rates, least, undominated
from reporting.stats.staircase import BoolArray, FloatArray, IntArray, Staircase, Ties

Better = Literal["lower", "higher"]


def best(staircase: Staircase, ties: Ties, value: Any, better: Better) -> Choice:
    """Choose the cut with the best value (shape (H + 1,)).

    Ties: ``balanced`` takes the smallest |FAR - FRR|, then FAR, then FRR; ``high`` the smallest FAR, ``low``
    the smallest FRR. So the best HTER is that of methods 7.2.
    """
    cuts, (value,) = _defined(value)
    cost = _sign(better) * value
    optimal = cuts[_near_least(cost, np.abs(cost))]
    far, frr = integer_rates(staircase, optimal)
    balance = (np.abs(far - frr),) if ties == "balanced" else ()
    then = (frr, far) if ties == "low" else (far, frr)
    return _choice(staircase, optimal, least(optimal, *balance, *then))


def break_even(staircase: Staircase, one: Any, other: Any, better: tuple[Better, Better]) -> Choice:
    """Choose the cut at which two values (each of shape (H + 1,)) differ least (eq. 8).

    Ties: the better sum of the two, then the smallest FAR + FRR, then FAR. Precision and recall are both 0
    above the highest target; that break-even is worse than any other and so taken last.
    """
    cuts, (one, other) = _defined(one, other)
    optimal = _near_least(np.abs(one - other), np.abs(one) + np.abs(other))
    tied = cuts[optimal]
    one, other = one[optimal], other[optimal]
    total = _sign(better[0]) * one + _sign(better[1]) * other
    tied_too = tied[_near_least(total, np.abs(one) + np.abs(other))]
    far, frr = integer_rates(staircase, tied_too)
    return _choice(staircase, tied, least(tied_too, far + frr, far))


def weighted(
    staircase: Staircase, ties: Ties, one: Any, other: Any, better: tuple[Better, Better], alpha: Any
) -> Choice:
    """Choose the cut with the best alpha V1 + (1 - alpha) V2, for one alpha or an array.

    What is better when higher enters with a minus. Ties: ``balanced`` takes the smallest
    |alpha V1 - (1 - alpha) V2|, then FAR, then FRR; ``high`` the smallest FAR, ``low`` the smallest
    FRR. One pass over the cuts for each alpha; memory stays that of a few columns.
    """
    cuts, (one, other) = _defined(one, other)
    signs = _sign(better[0]), _sign(better[1])
    chosen = [_weighted_at(staircase, ties, cuts, one * a, other * (1 - a), signs) for a in np.ravel(alpha)]
    cut = np.array([int(choice.cut) for choice in chosen], dtype=np.int64)
    tied = np.array([int(choice.tied) for choice in chosen], dtype=np.int64)
    return Choice(cut.reshape(np.shape(alpha)), tied.reshape(np.shape(alpha)))


def _weighted_at(
    staircase: Staircase,
    ties: Ties,
    cuts: IntArray,
    one: FloatArray,
    other: FloatArray,
    signs: tuple[int, int],
) -> Choice:
    optimal = _near_least(signs[0] * one + signs[1] * other, np.abs(one) + np.abs(other))
    tied, one, other = cuts[optimal], one[optimal], other[optimal]
    far, frr = integer_rates(staircase, tied)
    if ties == "balanced":
        level = _near_least(np.abs(one - other), np.abs(one) + np.abs(other))
        chosen = least(tied[level], far[level], frr[level])
    else:
        chosen = least(tied, *((far, frr) if ties == "high" else (frr, far)))
    return _choice(staircase, tied, chosen)


def _sign(better: Better) -> int:
    """What turns a value into a cost."""
    return 1 if better == "lower" else -1


def _defined(*values: Any) -> tuple[IntArray, list[FloatArray]]:
    """The cuts at which all values are finite, and the values there."""
    arrays = [np.asarray(value, dtype=np.float64) for value in values]
    cuts = np.flatnonzero(np.isfinite(arrays).all(axis=0))
    return cuts, [array[cuts] for array in arrays]


def _near_least(cost: FloatArray, size: FloatArray) -> BoolArray:
    """Mark the costs within the tie tolerance of the least; ``size`` is that of what they are made of."""
    least_cost = int(np.argmin(cost))
    return np.asarray(cost - cost[least_cost] <= TIE_TOLERANCE * np.maximum(size, size[least_cost]))


def _choice(staircase: Staircase, tied: IntArray, chosen: IntArray) -> Choice:
    # Cuts that agree in both errors are one cut, so one is left.
    return Choice(
        np.asarray(chosen[0], dtype=np.int64), np.asarray(undominated(staircase, tied), dtype=np.int64)
    )
