"""Scores seen as numbers: on a scale with a meaning, and how they are distributed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.records import dataclass


class Scaled(NamedTuple):
    """The distinct scores of one set of trials on a scale with a meaning, and the trials at each.

    ``value`` holds log likelihood ratios or probabilities (shape (H,)), in the order of the scores; a
    map fitted on the development set may have made several of them equal.
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


THRESHOLD_PROBABILITIES = np.arange(1, 100) / 100
"""Where decision curves are computed."""
