"""Ringnorm, exactly: two normal classes about one place, of which one is a ring around the other.

In d dimensions non-targets are N(0, 4 I) and targets N((a, ..., a), I). Breiman's problem has d = 20, for
which two definitions of a circulate: 2 / sqrt(20) and 1 / sqrt(20). All depends on d and on the squared
distance of the means, d a^2. The best score is the log likelihood ratio, which falls with the distance from
4 a / 3:

    LLR = d ln 2 + d a^2 / 6 - 3/8 |x - 4 a / 3|^2.

Methods 13.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import betainc, chndtr, gammaln, ndtr, xlogy

from reporting.base.arrays import FloatArray

TERMS = 200
"""So many terms of a Poisson mixture are summed: beyond any mean that is used here."""


class BayesErrors(NamedTuple):
    """FAR and FRR where the likelihood ratio decides at even odds, and their mean."""

    far: float
    frr: float
    mean: float


class Binormal(NamedTuple):
    """a = difference of the means and b = sd of the non-targets, both over the sd of the targets; the AUC."""

    a: float
    b: float
    auc: float


def llr(x: FloatArray, shift: float) -> FloatArray:
    """Log likelihood ratio of points (shape (N, d)) for the target, shape (N,); ``shift`` is a."""
    d = x.shape[1]
    from_centre = ((x - 4 * shift / 3) ** 2).sum(axis=1)
    return np.asarray(d * math.log(2) + d * shift**2 / 6 - 0.375 * from_centre)


def bayes_errors(squared_distance: float, dimensions: int = 20) -> BayesErrors:
    """Errors of the best decisions where both classes are equally frequent, each in [0, 1].

    Accepted is |x - 4 a / 3|^2 < R^2 = 8/3 (d ln 2 + |a|^2 / 6): noncentral chi-squared in both classes,
    with noncentrality 4 |a|^2 / 9 and |a|^2 / 9. At 20 dimensions 1.2397 % for |a|^2 = 4, 1.4965 % for 1.
    """
    radius = 8 / 3 * (dimensions * math.log(2) + squared_distance / 6)
    far = float(chndtr(radius / 4, dimensions, 4 * squared_distance / 9))
    frr = 1 - float(chndtr(radius, dimensions, squared_distance / 9))
    return BayesErrors(far, frr, (far + frr) / 2)


def bayes_auc(squared_distance: float, dimensions: int = 20) -> float:
    """AUC of the likelihood ratio, in [1/2, 1]: the chance that the target is the nearer to 4 a / 3.

    At 20 dimensions .9989708 for |a|^2 = 4, .9985813 for 1.
    """
    return _nearer(dimensions, squared_distance / 9, 4 * squared_distance / 9)


def length_auc(squared_distance: float, dimensions: int = 20) -> float:
    """AUC of the length |x| as a score, in [0, 1]: below 1/2 unless the means lie far apart."""
    return 1 - _nearer(dimensions, squared_distance, 0.0)


def sum_binormal(squared_distance: float) -> Binormal:
    """The binormal ROC of the sum of all coordinates: a = |a|, b = 2, AUC = Phi(a / sqrt(5)); any d.

    b is not 1: the curve is not concave. Where |a|^2 = 4 the AUC is .8144533. Methods 12.1.
    """
    a = math.sqrt(squared_distance)
    return Binormal(a, 2.0, float(ndtr(a / math.sqrt(5))))


def _nearer(dimensions: int, target: float, nontarget: float) -> float:
    """P(T < 4 U) of independent noncentral chi-squared T and U, by their noncentralities.

    Both are Poisson mixtures of central ones, and the share T / (T + U) of these is a beta variable.
    """
    i, half = np.arange(float(TERMS)), dimensions / 2
    share = betainc(half + i[:, None], half + i[None, :], 0.8)
    weights = _poisson(i, target / 2)[:, None] * _poisson(i, nontarget / 2)[None, :]
    return float((weights * share).sum())


def _poisson(i: FloatArray, mean: float) -> FloatArray:
    return np.asarray(np.exp(xlogy(i, mean) - mean - gammaln(i + 1)))
