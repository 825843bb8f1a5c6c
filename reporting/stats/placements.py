"""The area under the ROC curve through placements: variance and covariance (DeLong; methods 9.5)."""

from __future__ import annotations

import numpy as np

from reporting.stats.staircase import BoolArray, FloatArray, IntArray, RankArray


def placement_values(n_target: IntArray, n_nontarget: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return, per distinct score, the placement of a target there and of a non-target there.

    A target's placement is the share of non-targets below it (ties half), a non-target's the share
    of targets above it (ties half); the mean of either over its class is the AUC. Both classes must
    have trials.
    """
    below = np.cumsum(n_nontarget) - n_nontarget
    above = n_target.sum() - np.cumsum(n_target)
    return (
        (below + n_nontarget / 2) / n_nontarget.sum(),
        (above + n_target / 2) / n_target.sum(),
    )


def trial_placements(
    n_target: IntArray, n_nontarget: IntArray, rank: RankArray, label: BoolArray
) -> FloatArray:
    """Return the placement of every trial (shape (N,)) among the other class."""
    of_target, of_nontarget = placement_values(n_target, n_nontarget)
    return np.where(label, of_target[rank], of_nontarget[rank])


def covariance(placements: FloatArray, label: BoolArray) -> FloatArray:
    """DeLong covariance of K areas from placements of shape (K, N): S10 / N1 + S01 / N0, ddof 1.

    NaN where a class has fewer than two trials.
    """
    parts = []
    for members in (label, ~label):
        n = int(members.sum())
        if n < 2:
            return np.full((len(placements), len(placements)), np.nan)
        centred = placements[:, members]
        centred = centred - centred.mean(axis=1, keepdims=True)
        # Not a matrix product: its last bits would depend on how many threads it takes.
        products = [[(a * b).sum() for b in centred] for a in centred]
        parts.append(np.asarray(products) / (n - 1) / n)
    return np.asarray(parts[0] + parts[1])


def influence(placements: FloatArray, label: BoolArray, area: float) -> FloatArray:
    """First-order influence of every trial on the area (shape (N,)): (placement - AUC) / class size."""
    return np.asarray((placements - area) / np.where(label, label.sum(), (~label).sum()))


def clustered_se(influences: FloatArray, unit: RankArray) -> float:
    """Standard error by one-way clusters: sqrt(G / (G - 1) sum_g (sum of influences)^2); methods 8.4."""
    totals = np.bincount(unit, weights=influences)
    present = np.bincount(unit) > 0
    g = int(present.sum())
    return float(np.sqrt(g / (g - 1) * (totals[present] ** 2).sum())) if g > 1 else float("nan")
