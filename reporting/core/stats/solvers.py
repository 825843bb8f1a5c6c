"""Roots, bisection; SciPy's isotonic regression, imported where it is called: a tenth of a small report."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from reporting.base.arrays import BoolArray, IntArray

Array = npt.NDArray[np.float64]
Place = tuple[float, float]
"""An argument and the value there."""

RELATIVE = 4 * math.ulp(1.0)


def root(of: Callable[[float], float], low: float, high: float, within: float = 2e-12) -> float:
    """Return where a function of different signs at both ends is 0 (Brent 1973, chapter 4).

    To the bit what SciPy's ``brentq`` returns, and without its import. ValueError unless the signs
    at the ends differ, and where a value is NaN.
    """
    before, now = _value(of, low), _value(of, high)
    if 0 in (before[1], now[1]):
        return low if before[1] == 0 else high
    if (before[1] < 0) == (now[1] < 0):
        raise ValueError("a root lies between values of different signs")
    across, step, last = before, 0.0, 0.0
    while True:
        if (before[1] < 0) != (now[1] < 0) and before[1] != 0:
            across, step = before, now[0] - before[0]
            last = step
        if abs(across[1]) < abs(now[1]):
            before, now, across = now, across, now
        enough, half = (within + RELATIVE * abs(now[0])) / 2, (across[0] - now[0]) / 2
        if now[1] == 0 or abs(half) < enough:
            return now[0]
        wanted = half
        if abs(last) > enough and abs(now[1]) < abs(before[1]):
            wanted = _interpolated(before, now, across)
            if not 2 * abs(wanted) < min(abs(last), 3 * abs(half) - enough):
                wanted = half
        last, step = (half if wanted is half else step), wanted
        before = now
        now = _value(of, now[0] + (step if abs(step) > enough else math.copysign(enough, half)))


def _value(of: Callable[[float], float], x: float) -> Place:
    value = float(of(x))
    if math.isnan(value):
        raise ValueError(f"the value at {x} is NaN")
    return x, value


def _interpolated(before: Place, now: Place, across: Place) -> float:
    """Return the step to where a line through two places, or an inverse parabola through three, is 0."""
    (a, f_a), (b, f_b), (c, f_c) = before, now, across
    if a == c:
        return -f_b * (b - a) / (f_b - f_a)
    to_a, to_c = (f_a - f_b) / (a - b), (f_c - f_b) / (c - b)
    return -f_b * (f_c * to_c - f_a * to_a) / (to_c * to_a * (f_c - f_a))


def first_where(holds: Callable[[IntArray], BoolArray], low: IntArray, high: IntArray) -> IntArray:
    """Return the first whole numbers of [low, high] from which something holds, high where it never does.

    Arrays of one shape; it is asked below ``high``, by bisection.
    """
    most = np.maximum(high - 1, low)
    while (left := low < high).any():
        middle = np.minimum((low + high) // 2, most)
        there = holds(middle)
        low, high = np.where(left & ~there, middle + 1, low), np.where(left & there, middle, high)
    return low


def rising_blocks(values: Array, weights: Array) -> npt.NDArray[np.intp]:
    """Return where the blocks of the isotonic regression of values begin, and the end of the last one."""
    from scipy.optimize import isotonic_regression

    return isotonic_regression(values, weights=weights).blocks
