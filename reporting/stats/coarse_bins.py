"""Bins of neighbouring scores, narrow beside the standard errors of FAR and FRR."""

from __future__ import annotations

import math

import numpy as np

from reporting.stats.staircase import IntArray, Staircase

MOST_BINS = 4096
FINEST = 0.25
"""Standard errors of FAR or FRR that a bin need not be narrower than."""


def bin_step(n_target: int, n_nontarget: int) -> float:
    """Return the width of bins in standard errors of FAR or FRR: a quarter, or wider to make at most 4096.

    asin(sqrt(rate)) runs from 0 to pi / 2 with the standard error 1 / (2 sqrt(N)) everywhere, so bins of s
    standard errors make at most pi (sqrt(N1) + sqrt(N0)) / s.
    """
    return max(FINEST, math.pi * (math.sqrt(n_target) + math.sqrt(n_nontarget)) / (MOST_BINS - 2))


def bin_starts(staircase: Staircase) -> IntArray:
    """Return the cuts at which bins begin, the first being 0.

    A bin ends where asin(sqrt(rate)) of either class has moved by ``bin_step`` standard errors.
    """
    starts = np.zeros(len(staircase.misses), dtype=bool)
    step = bin_step(staircase.n_target, staircase.n_nontarget)
    rejected = staircase.n_nontarget - staircase.false_alarms
    for errors, n in ((staircase.misses, staircase.n_target), (rejected, staircase.n_nontarget)):
        if n:
            moved = np.floor(np.arcsin(np.sqrt(errors / n)) * 2 * np.sqrt(n) / step)
            starts[1:] |= moved[1:] > moved[:-1]
    starts[0], starts[-1] = True, False
    return np.flatnonzero(starts).astype(np.int64)
