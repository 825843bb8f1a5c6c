"""Adjustment of p-values within a family (methods 10)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reporting.significance.settings import Correction


def adjust(p_values: Sequence[float], correction: Correction) -> list[float]:
    """Return adjusted p-values in the given order: Holm (step-down), Benjamini-Hochberg, or as they are."""
    p = np.asarray(p_values, dtype=np.float64)
    m = len(p)
    if correction == "none" or m == 0:
        return list(p_values)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(m)
    if correction == "holm":
        stepped = np.maximum.accumulate(p[order] * np.arange(m, 0, -1))
    else:
        scaled = p[order] * m / np.arange(1, m + 1)
        stepped = np.minimum.accumulate(scaled[::-1])[::-1]
    adjusted[order] = np.minimum(stepped, 1.0)
    return [float(value) for value in adjusted]
