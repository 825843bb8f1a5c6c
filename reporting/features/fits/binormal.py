"""The binormal ROC curve TPR = Phi(a + b Phi^-1(FAR)): its points, areas, indices and their errors.

Where both classes are normal, a = (mu1 - mu0) / sd1 and b = sd0 / sd1, class 1 the targets. Parameters are
numbers or arrays of any shapes that broadcast (models, resamples). Undefined is NaN: a not finite, or b
not inside (0, inf). Methods 12.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray
from reporting.core.stats.special import expit, log_ndtr, logit, ndtr, ndtri, owens_t
from reporting.core.stats.sweep import mcclish_area

HOOK = 0.001
"""A crossing of the diagonal nearer than this to either corner does not count as a hook."""
TINY = 1e-200
"""An a whose quotient by the root of 1 + b^2 may vanish, and then has no sign, is taken as 0."""
STEP = 1e-4
"""Step of a difference quotient, in standard errors of the parameter."""


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

    As ``areas.pauc`` of ``Cuts``: ``mcclish`` rescales so that chance is 1/2 and the best is 1; NaN unless
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


NODES = 801
"""Nodes of the average precision over z in [-10, 10], as long as b is not small."""
REACH = 10.0
"""Beyond this z there is less than 1e-22 of the targets."""
STEEP = 0.25
"""Below this b precision turns within a fraction of a unit of z, and the nodes move closer together."""
CLOSEST = 64
"""How many times more nodes there are at most."""
BLOCK = 2**20
"""Precisions that are held at a time."""


def precision_at_z(z: Any, a: Any, b: Any, alpha: Any) -> FloatArray:
    """alpha TPR / (alpha TPR + (1 - alpha) FAR) at the threshold mu1 + sd1 z, in [0, 1], higher is better.

    Taken as expit(logit alpha + log TPR - log FAR), so that no tail is too far. At z = inf, and where both
    logarithms leave the doubles, it is ``precision_limit``.
    """
    a, b = defined(a, b)
    z, alpha = np.asarray(z, dtype=np.float64), np.asarray(alpha, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        hits, alarms = log_ndtr(-z), log_ndtr(-(z + a) / b)
        inner = expit(logit(alpha) + hits - alarms)
    beyond = np.isneginf(hits) & (np.isneginf(alarms) | np.isposinf(z))
    value = np.where(beyond, precision_limit(a, b, alpha), inner)
    return _at_ends(value, a + z, alpha)


def precision_limit(a: Any, b: Any, alpha: Any) -> FloatArray:
    """Precision as the threshold rises without end: 1 for b < 1, 0 for b > 1; methods 12.5.

    For b = 1 it is 1 where a > 0, 0 where a < 0 and alpha where a = 0, a curve on the diagonal.
    """
    a, b = defined(a, b)
    alpha = np.asarray(alpha, dtype=np.float64)
    lead = np.where(b == 1, np.sign(a), np.sign(1 - b))
    return _at_ends(np.where(lead > 0, 1.0, np.where(lead < 0, 0.0, alpha)), a, alpha)


def _at_ends(value: FloatArray, known: FloatArray, alpha: FloatArray) -> FloatArray:
    """The limits at alpha 0 and 1; NaN where alpha is no share, and where ``known`` is NaN."""
    value = np.where((alpha == 0) | (alpha == 1), alpha, value)
    return np.asarray(np.where((alpha >= 0) & (alpha <= 1) & ~np.isnan(known), value, np.nan))


def average_precision(a: Any, b: Any, alpha: Any, nodes: int = NODES) -> FloatArray:
    """Area under precision against recall, the integral of phi(z) PPV(z), in [0, 1], higher is better.

    Trapezoids over z in [-10, 10], which converge exponentially; below b = .25 their number grows as 1 / b.
    Chance (a = 0, b = 1) gives alpha. Methods 12.5.
    """
    a, b, alpha = (np.asarray(x, dtype=np.float64) for x in (a, b, alpha))
    a, b, alpha = np.broadcast_arrays(*defined(a, b), alpha)
    flat = a.ravel(), b.ravel(), alpha.ravel()
    finer = np.ceil(np.clip(np.nan_to_num(STEEP / flat[1], nan=1.0), 1, CLOSEST)).astype(np.int64)
    value = np.full(a.size, np.nan)
    for factor in np.unique(finer):
        rows = np.flatnonzero(finer == factor)
        z = np.linspace(-REACH, REACH, int(factor) * (nodes - 1) + 1)
        weight = np.exp(-z * z / 2) * (2 * REACH / (len(z) - 1) / np.sqrt(2 * np.pi))
        step = max(1, BLOCK // len(z))
        for at in range(0, len(rows), step):
            part = rows[at : at + step]
            precision = precision_at_z(z, *(x[part, None] for x in flat))
            value[part] = np.minimum((precision * weight).sum(axis=-1), 1.0)
    return value.reshape(a.shape)


def mass_of(
    far: Any, frr: Any, alpha: Any, n: float = 1.0
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Misses, false alarms, targets and non-targets of a population of mass ``n``, for any measure of counts.

    alpha FRR, (1 - alpha) FAR, alpha and 1 - alpha, times n: what ``core/stats/confusion.py`` takes.
    """
    far, frr, alpha = (np.asarray(x, dtype=np.float64) for x in (far, frr, alpha))
    alpha = np.where((alpha >= 0) & (alpha <= 1), alpha, np.nan)
    return n * alpha * frr, n * (1 - alpha) * far, n * alpha, n * (1 - alpha)


def working_hotelling_probits(
    z: FloatArray, a: float, b: float, covariance: tuple[float, float, float], level: float
) -> tuple[FloatArray, FloatArray]:
    """Return a + b z -+ q sqrt(v_a + 2 z v_ab + z^2 v_b), limits of the probit of TPR at z = Phi^-1(FPR).

    The curve is binormal, b > 0; ``covariance`` holds v_a, v_b, v_ab; q^2 = -2 ln(1 - level) is the quantile
    of chi-squared with 2 degrees of freedom. Ma, Hall 1993; methods 11.4.
    """
    v_a, v_b, v_ab = covariance
    q = math.sqrt(-2 * math.log1p(-level))
    half = q * np.sqrt(np.maximum(v_a + 2 * z * v_ab + z * z * v_b, 0.0))
    return a + b * z - half, a + b * z + half
