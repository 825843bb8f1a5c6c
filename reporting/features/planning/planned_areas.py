"""How many trials of either class an AUC, an EER, or a sensitivity at a specificity needs.

Standard errors of planning are those of two normal classes: the score of a target is normal, that of a
non-target too, and what two models have in common is the correlation of their scores within a class. Of the
published formulas that of Hanley and McNeil and that of Obuchowski have names, and are too large.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.core.stats.intervals import logit_interval
from reporting.core.stats.rates import ratio
from reporting.core.stats.special import ndtr, ndtri, owens_t

AreaError = Literal["normal", "hanley_mcneil", "obuchowski"]


def area_se(area: float, n_target: float, n_nontarget: float, error: AreaError = "normal") -> float:
    """Planned standard error of an AUC A from class sizes; where scores are at hand, scale theirs instead.

    ``normal``: SE^2 = [A (1 - A) + (N1 + N0 - 2) (Q - A^2)] / (N1 N0), exact for two normal classes of one
    variance: Q is the chance that two normal variables of correlation 1/2 are both below Phi^-1(A).
    ``hanley_mcneil``: exponential scores; at an AUC of .8 and three non-targets a target 13% above that.
    ``obuchowski``: SE^2 = exp(-a^2 / 2) [(5 a^2 + 8) / N1 + (a^2 + 8) / N0] / (32 pi), a = sqrt(2) Phi^-1(A):
    the fitted binormal curve, its two parameters taken as uncorrelated; of continuous scores the square is
    too large by a^2 exp(-a^2 / 2) / (8 pi N1). NaN outside (0, 1). Hanley, McNeil 1982; Obuchowski 1994.
    """
    if not (0 < area < 1 and n_target > 0 and n_nontarget > 0):
        return math.nan
    if error == "hanley_mcneil":
        return float(hanley_mcneil_se(area, n_target, n_nontarget))
    h = float(ndtri(area))
    if error == "obuchowski":
        a2 = 2 * h * h
        parts = (5 * a2 + 8) / n_target + (a2 + 8) / n_nontarget
        return math.sqrt(math.exp(-a2 / 2) * parts / (32 * math.pi))
    return math.sqrt(areas_covariance(area, area, (1.0, 1.0), n_target, n_nontarget))


def areas_covariance(
    first: float, second: float, correlations: tuple[float, float], n_target: float, n_nontarget: float
) -> float:
    """Covariance of two AUCs on the same trials, both classes normal with one variance; areas in (0, 1).

    [C11 + (N0 - 1) C10 + (N1 - 1) C01] / (N1 N0), C the covariance of "a target is above a non-target" for
    the two models: of one pair of trials, of two pairs with the same target, and with the same non-target.
    Each is a bivariate normal chance less A1 A2, of a correlation (r1 + r0) / 2, r1 / 2 and r0 / 2;
    ``correlations`` are those of the scores within targets and within non-targets. With correlations of 1
    the variance of one area.
    """
    of_target, of_nontarget = correlations
    heights = float(ndtri(first)), float(ndtri(second))
    pair, target, nontarget = (
        both_below(*heights, r / 2) - first * second
        for r in (of_target + of_nontarget, of_target, of_nontarget)
    )
    part = pair + (n_nontarget - 1) * target + (n_target - 1) * nontarget
    return part / (n_target * n_nontarget)


def both_below(h: float, k: float, correlation: float) -> float:
    """The chance that two standard normal variables are below h and k; |correlation| <= 1.

    By Owen's T: [Phi(h) + Phi(k)] / 2 - T(h, (k - r h) / (h s)) - T(k, (h - r k) / (k s)) - d, s^2 = 1 - r^2,
    d = 1/2 where h and k are on different sides of 0. Owen 1956, doi:10.1214/aoms/1177728074.
    """
    r = correlation
    if abs(r) >= 1:
        return float(ndtr(min(h, k))) if r > 0 else max(0.0, float(ndtr(h) + ndtr(k)) - 1)
    if h == 0 and k == 0:
        return 0.25 + math.asin(r) / (2 * math.pi)
    s = math.sqrt(1 - r * r)
    parts = float(ndtr(h) + ndtr(k)) / 2 - _owen(h, (k - r * h) / s) - _owen(k, (h - r * k) / s)
    return parts - (0.5 if h * k < 0 or (h * k == 0 and h + k < 0) else 0.0)


def _owen(h: float, over: float) -> float:
    """Owen's T(h, over / h); at h = 0 its limit, a quarter with the sign of ``over``."""
    if h == 0:
        return math.copysign(0.25, over) if over else 0.0
    return float(owens_t(h, over / h))


def obuchowski_covariance(
    first: float, second: float, correlations: tuple[float, float], n_target: float, n_nontarget: float
) -> float:
    """Covariance of two AUCs of fitted binormal curves of equal variances.

    f1 f2 (r1 + r0 / k + r1^2 A1 A2 / 2) + g1 g2 (r0^2 + k r1^2) / (2 k) + r1^2 (f1 g2 A1 + f2 g1 A2) / 2,
    over N1. Obuchowski, McClish 1997, eq. 4, 5, with k = N0 / N1, A = sqrt(2) Phi^-1(area),
    f = exp(-A^2 / 4) / sqrt(4 pi) and g = -A f / 2.
    """
    r1, r0 = correlations
    k = n_nontarget / n_target
    (a, f, g), (other_a, other_f, other_g) = map(_binormal, (first, second))
    part = f * other_f * (r1 + r0 / k + r1 * r1 * a * other_a / 2)
    part += g * other_g * (r0 * r0 + k * r1 * r1) / (2 * k)
    part += r1 * r1 * (f * other_g * a + other_f * g * other_a) / 2
    return part / n_target


def _binormal(area: float) -> tuple[float, float, float]:
    """A of a binormal curve of equal variances, and the area's derivatives by A and B."""
    a = math.sqrt(2) * float(ndtri(area))
    f = math.exp(-a * a / 4) / math.sqrt(4 * math.pi)
    return a, f, -a * f / 2


def logit_width(value: float, se: float, level: float) -> float:
    """Width of a report's interval of a number in (0, 1): symmetric on the logit scale."""
    low, high = logit_interval(value, se, level)
    return high - low


def sensitivity_se(
    sensitivity: float, specificity: float, n_target: float, n_nontarget: float, spread: float = 1.0
) -> float:
    """Planned standard error of a sensitivity at the threshold where the same non-targets have a specificity.

    Both classes normal, ``spread`` the standard deviation of non-targets divided by that of targets:
    Se (1 - Se) / N1 + slope^2 Sp (1 - Sp) / N0, slope that of the ROC curve there,
    spread phi(Phi^-1(Se)) / phi(Phi^-1(1 - Sp)). NaN outside (0, 1). Greenhouse, Mantel 1950; Linnet 1987.
    """
    if not (0 < sensitivity < 1 and 0 < specificity < 1 and n_target > 0 and n_nontarget > 0):
        return math.nan
    up, along = float(ndtri(sensitivity)), float(ndtri(1 - specificity))
    slope = spread * math.exp((along * along - up * up) / 2)
    of_threshold = slope * slope * specificity * (1 - specificity) / n_nontarget
    return math.sqrt(sensitivity * (1 - sensitivity) / n_target + of_threshold)


def eer_se(eer: float, n_target: float, n_nontarget: float) -> float:
    """Planned standard error of an equal error rate of two normal classes of one variance.

    SE^2 = E (1 - E) (1 / N1 + 1 / N0) / 4: where miss and false alarm rate meet, both change alike with the
    threshold, so that the noise of either counts half. NaN outside (0, 1).
    """
    if not (0 < eer < 1 and n_target > 0 and n_nontarget > 0):
        return math.nan
    return math.sqrt(eer * (1 - eer) * (1 / n_target + 1 / n_nontarget)) / 2


def eers_covariance(
    first: float, second: float, correlations: tuple[float, float], n_target: float, n_nontarget: float
) -> float:
    """Covariance of two equal error rates on the same trials, of normal scores as in ``eer_se``.

    [C1 / N1 + C0 / N0] / 4, C the covariance of two errors on one trial, of a bivariate normal chance;
    ``correlations`` are those of the scores within targets and within non-targets.
    """
    heights = float(ndtri(first)), float(ndtri(second))
    of_target, of_nontarget = (both_below(*heights, r) - first * second for r in correlations)
    return (of_target / n_target + of_nontarget / n_nontarget) / 4


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
