"""What scores floored to coarse keys can change: ties come about, and nothing else does."""

from __future__ import annotations

import math

from reporting.stats.staircase import IntArray


def area_bound(n_target: IntArray, n_nontarget: IntArray) -> float:
    """Return how far the AUC of tied scores may lie from that of the scores before they were tied.

    sum_k p_k n_k / (2 N1 N0), half the tied mass, over targets p_k and non-targets n_k at every key (shape
    (H,)): each tied pair counts half, and it was 0, half or 1 before. NaN where a class is empty.
    """
    pairs = int(n_target.sum()) * int(n_nontarget.sum())
    return int((n_target * n_nontarget).sum()) / (2 * pairs) if pairs else math.nan
