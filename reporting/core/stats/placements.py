"""The area under the ROC curve through placements: variance and covariance (DeLong; methods 9.5)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray, RankArray
from reporting.core.stats.special import ndtri
from reporting.inputs.strata import UnitStrata


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
    both = np.stack((of_nontarget, of_target), axis=1).ravel()  # looked up once for every trial
    return np.asarray(both[2 * rank.astype(np.int64) + label])


def normal_scores(n_target: IntArray, n_nontarget: IntArray, rank: RankArray, label: BoolArray) -> FloatArray:
    """Return Phi^-1 of the share of a trial's own class below it, ties half (shape (N,)).

    ``rank`` is that of its score among the distinct ones, of which the counts say how many trials have them.
    """
    levels = [ndtri((np.cumsum(n) - n / 2) / max(int(n.sum()), 1)) for n in (n_nontarget, n_target)]
    return np.where(label, levels[1][rank], levels[0][rank])


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


def area_se(placements: FloatArray, label: BoolArray) -> float:
    """DeLong standard error of an area, or of a difference of two: of placements, or of their differences.

    Placements are subtracted (shape (N,)), not covariances: there nearly identical models would cancel. NaN
    where a class has fewer than two trials.
    """
    return float(np.sqrt(covariance(placements[None], label)[0, 0]))


def influence(placements: FloatArray, label: BoolArray, area: float) -> FloatArray:
    """First-order influence of every trial on the area (shape (N,)): (placement - AUC) / class size."""
    return np.asarray((placements - area) / np.where(label, label.sum(), (~label).sum()))


class WeightedArea(NamedTuple):
    """The linearised standard error of a weighted area, and degrees of freedom."""

    se: float
    df: float


def weighted_area_error(
    placements: FloatArray, label: BoolArray, area: float, weight: IntArray, strata: UnitStrata | None = None
) -> WeightedArea:
    """Return the error of the area of independent trials with weights w, by Taylor linearisation.

    se^2 = sum over classes n / (n - 1) sum (w (placement - AUC) / sum w)^2, of strata that of their sum
    (``UnitStrata``), with one degree of freedom less than the smaller of both classes' (sum w)^2 / sum w^2.
    NaN where a class has fewer than two trials.
    """
    moved, variance, effective = np.zeros(len(label)), 0.0, math.inf
    for of_class in (label, ~label):
        w, n = weight[of_class].astype(np.float64), int(of_class.sum())
        if n < 2:
            return WeightedArea(math.nan, math.nan)
        moved[of_class] = w * (placements[of_class] - area) / w.sum()
        variance += n / (n - 1) * float((moved[of_class] ** 2).sum())
        effective = min(effective, float(w.sum() ** 2 / (w**2).sum()))
    variance = variance if strata is None else strata.variance(moved)
    return WeightedArea(math.sqrt(variance), max(effective - 1, 1.0))


def clustered_se(influences: FloatArray, unit: RankArray, inflation: float) -> float:
    """Standard error by one-way clusters: ``inflation`` sqrt(sum_g (sum of influences)^2); methods 8.4.

    NaN of a single cluster.
    """
    totals = np.bincount(unit, weights=influences)[np.bincount(unit) > 0]
    return inflation * float(np.sqrt((totals**2).sum())) if len(totals) > 1 else float("nan")
