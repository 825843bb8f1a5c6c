"""The binormal ROC curve TPR = Phi(a + b Phi^-1(FAR)): its points, areas, indices and their errors.

Where both classes are normal, a = (mu1 - mu0) / sd1 and b = sd0 / sd1, class 1 the targets. Parameters are
numbers or arrays of any shapes that broadcast (models, replicates). Undefined is NaN: a not finite, or b
not inside (0, inf). Methods 12.1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri, owens_t

from reporting.stats.areas import mcclish_area
from reporting.stats.staircase import BoolArray, FloatArray

HOOK = 0.001
"""A crossing of the diagonal nearer than this to either corner does not count as a hook."""
TINY = 1e-200
"""An a whose quotient by the root of 1 + b^2 may vanish, and then has no sign, is taken as 0."""
STEP = 1e-4
"""Step of a difference quotient, in standard errors of the parameter."""


def hit_rate(far: Any, a: Any, b: Any) -> FloatArray:
    """TPR = Phi(a + b Phi^-1(FAR)), in [0, 1]; undefined for FAR outside [0, 1]."""
    a, b = defined(a, b)
    with np.errstate(over="ignore"):
        return np.asarray(ndtr(a + b * ndtri(far)))


def false_acceptance(hits: Any, a: Any, b: Any) -> FloatArray:
    """FAR = Phi((Phi^-1(TPR) - a) / b), in [0, 1]: the inverse of ``hit_rate``."""
    a, b = defined(a, b)
    with np.errstate(over="ignore"):
        return np.asarray(ndtr((ndtri(hits) - a) / b))


def llr(far: Any, a: Any, b: Any) -> FloatArray:
    """Log of the slope dTPR/dFAR at FAR, the log likelihood ratio at the threshold that gives it.

    log b + (z^2 - (a + b z)^2) / 2, z = Phi^-1(FAR). At FAR 0 and 1 it is infinite unless a = 0 and b = 1.
    """
    a, b = defined(a, b)
    z = np.asarray(ndtri(far))
    with np.errstate(over="ignore", invalid="ignore"):
        fall = np.where(b == 1, -a, (1 - b) * z - a)
        # Factors, because z^2 - z^2 is lost at the ends.
        product = np.where(fall == 0, 0.0 * a, fall * ((1 + b) * z + a))
        return np.asarray(np.where(np.isnan(z), np.nan, np.log(b) + product / 2))


def auc(a: Any, b: Any) -> FloatArray:
    """Area under the curve Phi(a / sqrt(1 + b^2)), in [0, 1], higher is better."""
    a, b = defined(a, b)
    return np.asarray(ndtr(a / np.hypot(1, b)))


def eer(a: Any, b: Any) -> FloatArray:
    """Equal error rate Phi(-a / (1 + b)), in [0, 1], lower is better."""
    a, b = defined(a, b)
    return np.asarray(ndtr(-a / (1 + b)))


def d_a(a: Any, b: Any) -> FloatArray:
    """sqrt(2) a / sqrt(1 + b^2): the d' of equal variances with this AUC; higher is better."""
    a, b = defined(a, b)
    return np.asarray(np.sqrt(2) * a / np.hypot(1, b))


def d_e(a: Any, b: Any) -> FloatArray:
    """2 a / (1 + b): the d' of equal variances with this EER; higher is better."""
    a, b = defined(a, b)
    return np.asarray(2 * a / (1 + b))


def delta_m(a: Any, b: Any) -> FloatArray:
    """a / b = (mu1 - mu0) / sd0: distance of the means in spreads of the non-targets; higher is better."""
    a, b = defined(a, b)
    with np.errstate(over="ignore"):
        return np.asarray(a / b)


def crossing(a: Any, b: Any) -> FloatArray:
    """FAR at which the curve meets the diagonal between its ends, Phi(a / (1 - b)).

    NaN for b = 1, where it never does (or, with a = 0, is the diagonal). Rounds to 0 or 1 where b is near 1.
    """
    a, b = defined(a, b)
    with np.errstate(over="ignore"):
        return np.asarray(ndtr(a / np.where(b == 1, np.nan, 1 - b)))


def has_hook(a: Any, b: Any) -> BoolArray:
    """True where the curve meets the diagonal at a FAR inside (.001, .999); false where undefined."""
    at = crossing(a, b)
    return np.asarray((at > HOOK) & (at < 1 - HOOK))


def partial_area(a: Any, b: Any, low: Any = 0.0, high: Any = 1.0, mcclish: bool = False) -> FloatArray:
    """Integral of TPR over FAR in [low, high], in [0, high - low], higher is better.

    As ``areas.pauc`` of the cuts: ``mcclish`` rescales so that chance is 1/2 and the best is 1; NaN unless
    0 <= low < high <= 1. Closed form by Owen's T, within 2e-15, be the area large or small. Methods 3.5.
    """
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    area = _between(ndtri(low), ndtri(high), a, b)
    return mcclish_area(area, (high - low) * (high + low) / 2, high - low) if mcclish else area


def partial_area_hits(a: Any, b: Any, low: Any = 0.0, high: Any = 1.0, mcclish: bool = False) -> FloatArray:
    """Integral of 1 - FAR over TPR in [low, high], in [0, high - low], higher is better.

    As ``areas.pauc_tpr``: ``partial_area`` with the classes swapped, (a, b) becoming (a / b, 1 / b).
    """
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    a, b = defined(a, b)
    with np.errstate(over="ignore"):
        area = _between(-ndtri(high), -ndtri(low), a / b, 1 / b)
    return mcclish_area(area, (high - low) * (2 - low - high) / 2, high - low) if mcclish else area


def _between(low: Any, high: Any, a: Any, b: Any) -> FloatArray:
    """Area over FAR between two probits; NaN unless they ascend."""
    a, b = defined(a, b)
    area = np.clip(_below(high, a, b) - _below(low, a, b), 0.0, ndtr(high) - ndtr(low))
    return np.asarray(np.where(low < high, area, np.nan))


def _below(z: Any, a: FloatArray, b: FloatArray) -> FloatArray:
    """Integral of phi(x) Phi(a + b x) over x <= z: a bivariate normal probability."""
    end, whole = np.isinf(z), np.isposinf(z)
    z = np.where(end, 1.0, z) + 0.0  # -0.0 would turn the sign of a quotient
    a = np.where(np.abs(a) < TINY, 0.0, a)
    k, rise = a / np.hypot(1, b), a + b * z
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        corners = owens_t(z, rise / z) + owens_t(k, (z + b * rise) / a)
    # At the origin both quotients are 0/0; the angle there is known.
    corners = np.where((z == 0) & (a == 0), 0.25 + np.arctan(b) / (2 * np.pi), corners)
    side = np.sign(z) * np.sign(k)
    apart = (side < 0) | ((side == 0) & (z + k < 0))
    inside = (ndtr(z) + ndtr(k)) / 2 - corners - np.where(apart, 0.5, 0.0)
    return np.asarray(np.where(end, np.where(whole, ndtr(k), 0.0 * k), inside))


def defined(a: Any, b: Any) -> tuple[FloatArray, FloatArray]:
    """Return the parameters as arrays, both NaN where they describe no curve."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    there = np.isfinite(a) & np.isfinite(b) & (b > 0)
    return np.where(there, a, np.nan), np.where(there, b, np.nan)


def propagated(function: Callable[[FloatArray], Any], parameters: Any, covariance: Any) -> FloatArray:
    """Standard error of a function of estimates by the delta method: sqrt(g' C g), g the gradient.

    ``parameters`` has shape (..., P), ``covariance`` (..., P, P), and ``function`` maps (..., P) to (...).
    The gradient is taken by central differences over a small part of each parameter's own standard error,
    the scale on which the method supposes the function straight. A parameter without error adds nothing.
    """
    parameters = np.asarray(parameters, dtype=np.float64)
    covariance = np.asarray(covariance, dtype=np.float64)
    spread = np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1))
    parameters, spread = np.broadcast_arrays(parameters, spread)
    slopes = []
    for at in range(parameters.shape[-1]):
        step = STEP * spread[..., at : at + 1] * (np.arange(parameters.shape[-1]) == at)
        up, down = parameters + step, parameters - step
        width = (up - down)[..., at]
        rise = np.asarray(function(up)) - np.asarray(function(down))
        slopes.append(np.where(width == 0, 0.0 * rise, rise / np.where(width == 0, 1.0, width)))
    gradient = np.stack(slopes, axis=-1)
    variance = (gradient[..., :, None] * covariance * gradient[..., None, :]).sum(axis=(-2, -1))
    return np.asarray(np.sqrt(np.maximum(variance, 0.0)))
