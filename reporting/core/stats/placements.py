"""The area under the ROC curve through placements: variance and covariance (DeLong; methods 9.5)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray, RankArray
from reporting.core.stats.intervals import ZERO
from reporting.core.stats.rates import ratio
from reporting.core.stats.special import chdtrc, ndtri


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
    placements: FloatArray = of_nontarget[rank]
    placements[label] = of_target[rank[label]]
    return placements


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


def clustered_se(influences: FloatArray, unit: RankArray, inflation: float) -> float:
    """Standard error by one-way clusters: ``inflation`` sqrt(sum_g (sum of influences)^2); methods 8.4.

    NaN of a single cluster.
    """
    totals = np.bincount(unit, weights=influences)[np.bincount(unit) > 0]
    return inflation * float(np.sqrt((totals**2).sum())) if len(totals) > 1 else float("nan")


SPREADLESS = 1e-14
"""A standard error below this is rounding. Trading one pair among 10^6 trials a class makes one of 10^-12."""
SINGULAR = 1e-12
"""An eigenvalue of a correlation matrix below this, per row, is rounding."""
ALONG = 1e-6
"""A z value beyond this has no place in a direction of zero variance."""


class Wald(NamedTuple):
    """A Wald chi-squared statistic, its degrees of freedom and p."""

    statistic: float
    df: int
    p: float


UNDEFINED = Wald(float("nan"), 0, float("nan"))


def equal_areas(placements: FloatArray, label: BoolArray) -> Wald:
    """Test that all K areas are equal: ``contrast_test`` of each model after the first against the first.

    K - 1 degrees of freedom, fewer where models rank all trials alike. One model alone has p = 1.
    """
    k = len(placements)
    return contrast_test(placements, label, np.hstack([-np.ones((k - 1, 1)), np.eye(k - 1)]))


def contrast_test(placements: FloatArray, label: BoolArray, contrasts: Any) -> Wald:
    """Test L A = 0 for the K areas A and contrasts L (shape (Q, K)): ``wald`` of L A with L S L^T.

    L may have redundant rows, and models may be identical. Undefined where a class has fewer than two
    trials, and where a constant contrast differs from 0, as of a perfect model and a constant one.
    """
    # Placements are contrasted, not the covariance matrix: there nearly identical models would cancel.
    # The sums have a fixed order: the bits of a matrix product depend on threads.
    lines = np.asarray(contrasts, dtype=np.float64)
    rows = [sum((w * row for w, row in zip(line, placements, strict=True)), 0.0) for line in lines]
    contrasted = np.asarray(rows, dtype=np.float64).reshape(len(lines), placements.shape[1])
    values = np.asarray([row[label].sum() for row in contrasted]) / max(int(label.sum()), 1)
    return wald(values, covariance(contrasted, label).reshape(len(values), len(values)))


def wald(estimates: Any, variances: Any) -> Wald:
    """Test that estimates d (shape (Q,)) with covariance V (shape (Q, Q)) are all 0: chi2 = d V^- d.

    V^- is a generalised inverse and the degrees of freedom are the rank of V: directions of zero variance
    are dropped where d has none either, and leave the test undefined where it has. Rank 0 has p = 1.
    """
    d, v = np.asarray(estimates, dtype=np.float64), np.asarray(variances, dtype=np.float64)
    if not (np.isfinite(d).all() and np.isfinite(v).all()):
        return UNDEFINED
    se = np.sqrt(np.maximum(np.diagonal(v), 0.0))
    kept = se > SPREADLESS
    if (np.abs(d[~kept]) > ZERO).any():
        return UNDEFINED
    z, se = d[kept] / se[kept], se[kept]
    # Of the correlations and not of V: contrasts may differ in scale by many orders.
    spread, direction = np.linalg.eigh(v[np.ix_(kept, kept)] / np.outer(se, se))
    along = (direction * z[:, None]).sum(axis=0)
    lost = spread <= SINGULAR * len(z)
    if (np.abs(along[lost]) > ALONG).any():
        return UNDEFINED
    df, statistic = int((~lost).sum()), float((along[~lost] ** 2 / spread[~lost]).sum())
    return Wald(statistic, df, float(chdtrc(df, statistic)) if df else 1.0)


def hanley_mcneil_se(area: Any, n_target: Any, n_nontarget: Any) -> FloatArray:
    """Standard error of an area A from class sizes alone, of any broadcast shape; for planning only.

    SE^2 = [A (1 - A) + (N1 - 1) (Q1 - A^2) + (N0 - 1) (Q2 - A^2)] / (N1 N0), Q1 = A / (2 - A),
    Q2 = 2 A^2 / (1 + A): that of exponential scores, whose ROC curve is not symmetric: Q1 goes with the
    targets. 0 at A = 1, NaN with an empty class. Hanley, McNeil 1982.
    """
    a, n1, n0 = (np.asarray(x, dtype=np.float64) for x in (area, n_target, n_nontarget))
    q1, q2 = a / (2 - a), 2 * a * a / (1 + a)
    part = a * (1 - a) + (n1 - 1) * (q1 - a * a) + (n0 - 1) * (q2 - a * a)
    return np.asarray(np.sqrt(np.maximum(ratio(part, n1 * n0), 0.0)))
