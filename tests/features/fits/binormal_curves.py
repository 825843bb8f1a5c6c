"""Binormal curves by their formulas, and normal classes fitted to many rows of scores."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

from reporting.features.fits.binormal import auc, propagated
from reporting.features.fits.gaussian_fit import Gaussians


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
