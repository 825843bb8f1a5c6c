"""SciPy's solvers, imported where one is called: that takes longer than the rest of SciPy together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def root(of: Callable[[float], float], low: float, high: float, within: float = 2e-12) -> float:
    """Return where a function of different signs at both ends is 0 (Brent)."""
    from scipy.optimize import brentq

    return float(brentq(of, low, high, xtol=within))


def rising_blocks(values: Array, weights: Array) -> npt.NDArray[np.intp]:
    """Return where the blocks of the isotonic regression of values begin, and the end of the last one."""
    from scipy.optimize import isotonic_regression

    return isotonic_regression(values, weights=weights).blocks
