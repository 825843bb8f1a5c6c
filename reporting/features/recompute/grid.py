"""Which thresholds of a model are held: those of its criteria, and some that spread over both error rates."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from reporting.base.arrays import IntArray
from reporting.core.counts.cuts import Cuts
from reporting.core.stats.special import ndtr, ndtri

MOST_THRESHOLDS = 100
"""Held besides those of criteria and the two that accept and reject all."""


def held_cuts(cuts: Cuts, chosen: Iterable[int], least: int = 1) -> IntArray:
    """Return the thresholds to hold, as numbers of rejected distinct scores in ascending order.

    All where they are few; else those whose rates are nearest to steps of equal size in normal deviates, half
    of them of each rate, so that rare errors have as many as frequent ones. Next to ``chosen`` ones, which
    are always there, a threshold needs ``least`` trials of either class between it and the next one held,
    or none.
    """
    score = len(cuts.score)
    misses, false_alarms = cuts.staircase.misses, cuts.staircase.false_alarms
    wanted = np.arange(score + 1)
    if score >= MOST_THRESHOLDS:
        rejected = false_alarms[0] - false_alarms
        wanted = np.concatenate([_spread(misses), _spread(rejected)])
    held = {0, score, *chosen}
    between = (misses, false_alarms[0] - false_alarms)
    for cut in sorted({*wanted.tolist()} - held):
        below, above = max(c for c in held if c < cut), min(c for c in held if c > cut)
        gaps = (int(of[high] - of[low]) for of in between for low, high in ((below, cut), (cut, above)))
        if all(gap == 0 or gap >= least for gap in gaps):
            held.add(cut)
    return np.array(sorted(held), dtype=np.int64)


def _spread(errors: IntArray) -> IntArray:
    """Return the thresholds whose errors, rising from 0 to all, are nearest to steps of normal deviates."""
    n = int(errors[-1])
    if n == 0:
        return np.zeros(0, dtype=np.int64)
    ends = float(ndtri(min(0.5, 1 / (2 * n))))
    rates = ndtr(np.linspace(ends, -ends, MOST_THRESHOLDS // 2))
    return np.searchsorted(errors, rates * n)
