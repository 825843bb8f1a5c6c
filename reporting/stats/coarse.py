"""Bins of neighbouring scores, narrow beside the standard errors of FAR and FRR."""

from __future__ import annotations

import math

import numpy as np

from reporting.stats.staircase import IntArray, Staircase, corners

MOST_BINS = 4096
FINEST = 0.25
"""Standard errors of FAR or FRR that a bin need not be narrower than."""


def bin_step(n_target: int, n_nontarget: int, most: int = MOST_BINS) -> float:
    """Return the width of bins in standard errors of FAR or FRR: a quarter, or more to make at most ``most``.

    asin(sqrt(rate)) runs from 0 to pi / 2 with the standard error 1 / (2 sqrt(N)) everywhere, so bins of s
    standard errors make at most pi (sqrt(N1) + sqrt(N0)) / s.
    """
    return max(FINEST, math.pi * (math.sqrt(n_target) + math.sqrt(n_nontarget)) / (most - 2))


def bin_starts(staircase: Staircase, most: int = MOST_BINS) -> IntArray:
    """Return the cuts at which bins begin, the first being 0.

    A bin ends where asin(sqrt(rate)) of either class has moved by ``bin_step`` standard errors.
    """
    starts = np.zeros(len(staircase.misses), dtype=bool)
    step = bin_step(staircase.n_target, staircase.n_nontarget, most)
    rejected = staircase.n_nontarget - staircase.false_alarms
    for errors, n in ((staircase.misses, staircase.n_target), (rejected, staircase.n_nontarget)):
        if n:
            moved = np.floor(np.arcsin(np.sqrt(errors / n)) * 2 * np.sqrt(n) / step)
            starts[1:] |= moved[1:] > moved[:-1]
    starts[0], starts[-1] = True, False
    return np.flatnonzero(starts).astype(np.int64)


MOST_DRAWN = 2**15
"""Cuts of a thinned curve, beside the vertices of its hull."""
DRAWN_WHOLE = 2**17
"""Distinct scores up to which a curve has all its corners."""


def curve_cuts(staircase: Staircase) -> IntArray:
    """Return the cuts that show a curve: its corners, or of very many scores the hull and starts of bins."""
    if len(staircase.misses) - 1 <= DRAWN_WHOLE:
        return np.flatnonzero(corners(staircase.misses, staircase.false_alarms)).astype(np.int64)
    shown = np.zeros(len(staircase.misses), dtype=bool)
    shown[bin_starts(staircase, MOST_DRAWN)] = True
    shown[staircase.hull] = True
    return np.flatnonzero(shown).astype(np.int64)


def area_bound(n_target: IntArray, n_nontarget: IntArray) -> float:
    """Return how far the AUC of tied scores may lie from that of the scores before they were tied.

    sum_k p_k n_k / (2 N1 N0), half the tied mass, over targets p_k and non-targets n_k at every key (shape
    (H,)): each tied pair counts half, and it was 0, half or 1 before. NaN where a class is empty.
    """
    pairs = int(n_target.sum()) * int(n_nontarget.sum())
    return int((n_target * n_nontarget).sum()) / (2 * pairs) if pairs else math.nan
