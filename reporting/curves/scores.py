"""Scores seen as numbers: on a scale with a meaning, and how they are distributed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from reporting.counts.cuts import Cuts
from reporting.stats.staircase import FloatArray, IntArray

BINS = 60


class Scaled(NamedTuple):
    """The distinct scores of one set of trials on a scale with a meaning, and the trials at each.

    ``value`` holds log likelihood ratios or probabilities (shape (H,)), in the order of the scores; a
    map fitted on dev may have made several of them equal.
    """

    value: FloatArray
    n_target: IntArray
    n_nontarget: IntArray


@dataclass(frozen=True, eq=False)
class Histogram:
    """Trials by score: bin b holds ``low <= score < high`` (shape (B,)), the last one its ``high`` too.

    Infinite scores are counted in the bin at their end.
    """

    low: FloatArray
    high: FloatArray
    n_target: IntArray
    n_nontarget: IntArray


def histogram(cuts: Cuts, bins: int = BINS) -> Histogram:
    """Count targets and non-targets in equally wide bins between the least and the greatest finite score.

    Fewer bins where floats lie too close together; one bin without width where all finite scores are
    equal, none where there is no finite score.
    """
    edges = _edges(cuts.score, bins)
    if not len(edges):
        nothing, none = np.zeros(0), np.zeros(0, dtype=np.int64)
        return Histogram(nothing, nothing, none, none)
    first = np.searchsorted(cuts.score, edges, side="left")
    first[0], first[-1] = 0, len(cuts.score)
    counts = [np.diff(np.concatenate(([0], np.cumsum(n)))[first]) for n in (cuts.n_target, cuts.n_nontarget)]
    return Histogram(edges[:-1], edges[1:], *counts)


def _edges(score: FloatArray, bins: int) -> FloatArray:
    finite = score[np.isfinite(score)]
    if not len(finite):
        return np.zeros(0)
    low, high = finite[0], finite[-1]
    if low == high:
        return np.array([low, high])
    share = np.arange(bins + 1) / bins
    # Two products, because the span of two huge scores overflows.
    return np.unique(np.clip(low * (1 - share) + high * share, low, high))
