"""Likelihood ratios from scores: declared scales, and maps fitted to counts of the two classes.

A map is a frozen value with ``apply``, from scores of any shape to natural-log likelihood ratios. Fitted
on one set it may be applied to any other. Scores that share a likelihood ratio, or swap their order,
after a map are put in order again by ``regroup``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, logit

from reporting.stats.hull import hull_cuts
from reporting.stats.regression import fit_logistic
from reporting.stats.staircase import FloatArray, IntArray, threshold_of


def to_llr(score: Any, scale: str, prevalence: float | None) -> FloatArray | None:
    """Return scores of a declared scale as natural-log likelihood ratios; None where they are none.

    ``llr`` is itself, ``log10_llr`` times ln 10; ``logit`` and ``probability`` are posterior, and need
    the share of targets they were stated for: LLR = logit(p) - logit(prevalence). None for plain
    scores, for a posterior without a declared share, and for probabilities outside [0, 1].
    """
    score = np.asarray(score, dtype=np.float64)
    if scale == "llr":
        return np.asarray(score)
    if scale == "log10_llr":
        with np.errstate(over="ignore"):  # beyond the largest number evidence is infinite
            return np.asarray(score * math.log(10))
    if scale == "score" or prevalence is None:
        return None
    if scale == "logit":
        return np.asarray(score - logit(prevalence))
    return np.asarray(logit(score) - logit(prevalence)) if _probabilities(score) else None


def to_probability(score: Any, scale: str, prevalence: float | None) -> FloatArray | None:
    """Return scores of a declared scale as probabilities of the target; None where they are none.

    ``probability`` is itself, ``logit`` its expit; likelihood ratios need the declared share of
    targets: expit(LLR + logit(prevalence)). None for plain scores, for likelihood ratios without a
    declared share, and for probabilities outside [0, 1].
    """
    score = np.asarray(score, dtype=np.float64)
    if scale == "probability":
        return np.asarray(score) if _probabilities(score) else None
    if scale == "logit":
        return np.asarray(expit(score))
    llr = to_llr(score, scale, None)
    return None if llr is None or prevalence is None else np.asarray(expit(llr + logit(prevalence)))


def _probabilities(score: FloatArray) -> bool:
    return bool(((score >= 0) & (score <= 1)).all())


@dataclass(frozen=True)
class AffineMap:
    """LLR = slope * score + offset. A negative slope is legal: scores below chance."""

    slope: float
    offset: float

    def apply(self, score: Any) -> FloatArray:
        """Return natural-log likelihood ratios; infinite scores stay infinite unless the slope is 0."""
        score = np.asarray(score, dtype=np.float64)
        if self.slope == 0:
            return np.full(score.shape, self.offset)
        with np.errstate(over="ignore"):
            return np.asarray(self.slope * score + self.offset)


def fit_affine(score: Any, n_target: Any, n_nontarget: Any, prior: float = 0.5) -> AffineMap | None:
    """Fit LLR = slope * score + offset by logistic regression in which each class weighs its prior.

    Minimises ECE(prior) of the result over all affine maps (prior 1/2: Cllr). Takes distinct scores
    with the trials of each class at each (shape (H,)). None with an empty class, under two distinct
    scores, an infinite one, or classes that a threshold separates (no finite slope is best then).
    Brümmer, du Preez 2006.
    """
    n_target, n_nontarget = np.asarray(n_target), np.asarray(n_nontarget)
    n1, n0 = n_target.sum(), n_nontarget.sum()
    if n1 == 0 or n0 == 0:
        return None
    weights = prior * n_target / n1, (1 - prior) * n_nontarget / n0
    fit = fit_logistic(np.asarray(score, dtype=np.float64), *weights)
    return None if fit is None else AffineMap(fit.slope, fit.intercept - float(logit(prior)))


@dataclass(frozen=True, eq=False)
class StepMap:
    """LLR of B blocks of scores (shape (B,), ascending), parted by B - 1 thresholds."""

    threshold: FloatArray
    llr: FloatArray

    def apply(self, score: Any) -> FloatArray:
        """Return the likelihood ratio of the block of each score; one at a threshold is above it."""
        return np.asarray(self.llr[np.searchsorted(self.threshold, score, side="right")])


def fit_pav(score: Any, n_target: Any, n_nontarget: Any) -> StepMap | None:
    """Fit the non-decreasing map with the least Cllr, its ends tempered so that no LLR is infinite.

    Takes ascending distinct scores with the trials of each class at each (shape (H,)). Blocks part at
    the midpoint between neighbouring scores (methods 1.4). None with an empty class. Methods 4.2.
    """
    score, n_target, n_nontarget = np.asarray(score), np.asarray(n_target), np.asarray(n_nontarget)
    if not n_target.any() or not n_nontarget.any():
        return None
    held = n_target + n_nontarget > 0
    blocks = pav(n_target[held], n_nontarget[held], laplace=True)
    kept = np.flatnonzero(blocks.n_target + blocks.n_nontarget)
    return StepMap(threshold_of(score[held], blocks.start[kept[1:]]), blocks.llr[kept])


@dataclass(frozen=True, eq=False)
class Blocks:
    """PAV blocks in ascending order (all of shape (B,)).

    ``start`` is the first cell of a block; ``llr`` is log(P_b / N1) - log(M_b / N0).
    """

    start: IntArray
    n_target: IntArray
    n_nontarget: IntArray
    llr: FloatArray


def pav(n_target: IntArray, n_nontarget: IntArray, laplace: bool = False) -> Blocks:
    """Pool cells (shape (H,), ascending scores, none empty) until the share of targets increases.

    LLRs strictly increase, +-inf at pure ends. ``laplace`` adds a target and a non-target below and
    above all cells before pooling, so that every LLR is finite, and takes them away again; a block at
    either end may then hold no trial. Both classes must be there. Methods 4.1, 4.2.
    """
    n1, n0 = int(n_target.sum()), int(n_nontarget.sum())
    if laplace:
        # The target stands below the non-target at either end, so that the two always pool.
        n_target = np.concatenate(([1, 0], n_target, [1, 0]))
        n_nontarget = np.concatenate(([0, 1], n_nontarget, [0, 1]))
    start = hull_cuts(n_target, n_nontarget)[:-1]
    targets, nontargets = np.add.reduceat(n_target, start), np.add.reduceat(n_nontarget, start)
    with np.errstate(divide="ignore"):
        llr = np.log(targets / n1) - np.log(nontargets / n0)
    if laplace:
        start = np.maximum(start - 2, 0)
        for counts in (targets, nontargets):
            counts[0] -= 1
            counts[-1] -= 1
    return Blocks(start, targets, nontargets, llr)


def regroup(score: Any, n_target: Any, n_nontarget: Any) -> tuple[FloatArray, Any, Any]:
    """Put scores (shape (H,)) in ascending order and merge equal ones, with their counts (..., H)."""
    score = np.asarray(score, dtype=np.float64)
    counts = [np.asarray(n_target), np.asarray(n_nontarget)]
    if not (score[1:] >= score[:-1]).all():
        order = np.argsort(score, kind="stable")
        score, counts = score[order], [held[..., order] for held in counts]
    if not (score[1:] > score[:-1]).all():
        first = np.flatnonzero(np.concatenate(([True], score[1:] > score[:-1])))
        score, counts = score[first], [np.add.reduceat(held, first, axis=-1) for held in counts]
    return score, counts[0], counts[1]
