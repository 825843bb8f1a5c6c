"""Scores for tests: ties always occur, and infinities and neighbouring floats often do."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from reporting.core.stats.staircase import Staircase, cumulate, group_ties, hull_cuts
from reporting.features.fits.binormal import auc, propagated
from reporting.features.fits.gaussian_fit import Gaussians

COARSE = st.integers(-4, 4).map(lambda k: k / 2)
ODD = st.sampled_from(
    [
        -np.inf,
        np.inf,
        0.0,
        -0.0,
        1.0,
        float(np.nextafter(1, 2)),
        float(np.nextafter(1, 0)),
        5e-324,
        1e300,
        -1e300,
    ]
)


def score_lists(odd: bool = False, least: int = 1, most: int = 25) -> st.SearchStrategy[list[float]]:
    """Lists of tied scores; ``odd`` mixes in infinities and neighbouring floats."""
    return st.lists(COARSE | ODD if odd else COARSE, min_size=least, max_size=most)


def labelled(targets: list[float], nontargets: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Scores and labels of two lists."""
    score = np.array([*targets, *nontargets], dtype=np.float64)
    return score, np.array([True] * len(targets) + [False] * len(nontargets))


def staircase_of(targets: list[float], nontargets: list[float]) -> tuple[np.ndarray, Staircase]:
    """Distinct scores and the staircase of two lists."""
    distinct, p, n, _ = group_ties(*labelled(targets, nontargets))
    return distinct, Staircase(*cumulate(p, n), hull_cuts(p, n))


def rates(staircase: Staircase) -> list[tuple[Fraction, Fraction]]:
    """(FAR, FRR) at every cut, exactly."""
    return [
        (Fraction(int(a), staircase.n_nontarget), Fraction(int(m), staircase.n_target))
        for m, a in zip(staircase.misses, staircase.false_alarms, strict=True)
    ]


def auc_se(fit):
    """Standard error of the area of a rank fit, as the report takes it."""
    return float(propagated(lambda p: auc(p[..., 0], p[..., 1]), (fit.a, fit.b), fit.covariance))


def refitted(target, nontarget, ddof=0):
    """Two normal classes by the moments of rows of scores, (..., N1) and (..., N0)."""
    moments = [f for rows in (target, nontarget) for f in (np.mean(rows, -1), np.std(rows, -1, ddof=ddof))]
    return Gaussians(*moments, np.shape(target)[-1], np.shape(nontarget)[-1], ddof)


def hit_rate(far, a, b):
    """TPR = Phi(a + b Phi^-1(FAR)) of a binormal curve."""
    return ndtr(np.asarray(a) + np.asarray(b) * ndtri(far))


def false_acceptance(hits, a, b):
    """FAR = Phi((Phi^-1(TPR) - a) / b) of a binormal curve."""
    return ndtr((ndtri(hits) - a) / b)
