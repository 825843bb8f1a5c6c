"""Logistic regression on one variable, from weights of the two classes at each of its values."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit

from reporting.stats.staircase import FloatArray

MOST_STEPS = 100
CONVERGED = 1e-16
"""A Newton step that promises less than this share of the total weight is the last: it squares the error."""


@dataclass(frozen=True)
class Logistic:
    """P(target | x) = expit(slope x + intercept)."""

    slope: float
    intercept: float


def fit_logistic(x: FloatArray, target: FloatArray, nontarget: FloatArray) -> Logistic | None:
    """Fit slope and intercept by maximum likelihood; ``target`` and ``nontarget`` weigh the classes at x.

    All of shape (H,), in any order. None where no finite fit is best: an empty class, an infinite x
    that has weight, or a threshold that separates the classes (ties at it included).
    """
    held = target + nontarget > 0
    x, target, nontarget = x[held], target[held], nontarget[held]
    if not np.isfinite(x).all() or not _overlap(x[target > 0], x[nontarget > 0]):
        return None
    low, high = float(x.min()), float(x.max())
    centre, half = high / 2 + low / 2, high / 2 - low / 2
    if half == 0:
        return None
    total = (target + nontarget).sum()
    fit = _Newton((x - centre) / half, target / total, nontarget / total).run()
    if fit is None:
        return None
    slope = fit.slope / half
    intercept = fit.intercept - slope * centre
    return Logistic(slope, intercept) if math.isfinite(slope) and math.isfinite(intercept) else None


def _overlap(targets: FloatArray, nontargets: FloatArray) -> bool:
    if len(targets) == 0 or len(nontargets) == 0:
        return False
    return bool(targets.min() < nontargets.max() and nontargets.min() < targets.max())


class _Newton:
    """Damped Newton steps on the mean loss, for z within [-1, 1] and weights that sum to 1."""

    def __init__(self, z: FloatArray, target: FloatArray, nontarget: FloatArray) -> None:
        self.z, self.target, self.nontarget = z, target, nontarget
        self.weight = target + nontarget

    def run(self) -> Logistic | None:
        """Return the minimum of the loss; None where the steps do not arrive."""
        fit = Logistic(0.0, float(np.log(self.target.sum()) - np.log(self.nontarget.sum())))
        for _ in range(MOST_STEPS):
            step, promised = self._step(fit)
            if not math.isfinite(promised):
                return None
            fit = self._damped(fit, step, promised)
            if promised < CONVERGED:
                return fit
        return None

    def _step(self, fit: Logistic) -> tuple[Logistic, float]:
        """Return the Newton step and the decrease of the loss that it promises."""
        at = fit.slope * self.z + fit.intercept
        tail = np.exp(-np.abs(at))
        near, far = 1 / (1 + tail), tail / (1 + tail)
        pull = np.where(
            at > 0, self.target * far - self.nontarget * near, self.target * near - self.nontarget * far
        )
        curvature = self.weight * near * far
        total = curvature.sum()
        with np.errstate(divide="ignore", invalid="ignore"):
            # About the mean of z under the curvature, slope and intercept do not trade off.
            middle = (curvature * self.z).sum() / total
            away = self.z - middle
            level, tilt = pull.sum(), (pull * away).sum()
            rise, turn = level / total, tilt / (curvature * away * away).sum()
        return Logistic(float(turn), float(rise - turn * middle)), float(level * rise + tilt * turn)

    def _damped(self, fit: Logistic, step: Logistic, promised: float) -> Logistic:
        """Take the step, halved until the loss falls; a tiny one as it is, for the loss is only so exact."""
        share = 1.0
        if promised > 1e-10:
            loss = self._loss(fit)
            while share > 1e-12 and self._loss(_moved(fit, step, share)) > loss - 1e-4 * share * promised:
                share /= 2
        return _moved(fit, step, share)

    def _loss(self, fit: Logistic) -> float:
        at = fit.slope * self.z + fit.intercept
        softplus = np.maximum(at, 0) + np.log1p(np.exp(-np.abs(at)))
        return float((self.weight * softplus - self.target * at).sum())


def _moved(fit: Logistic, step: Logistic, share: float) -> Logistic:
    return Logistic(fit.slope + share * step.slope, fit.intercept + share * step.intercept)


def fit_intercept(x: FloatArray, target: FloatArray, nontarget: FloatArray) -> float | None:
    """Fit the intercept alone, the slope held at 1: sum over trials of expit(x + a) = weight of targets.

    None with an empty class or an infinite x that has weight.
    """
    held = target + nontarget > 0
    x, weight = x[held], (target + nontarget)[held]
    total, targets = float(weight.sum()), float(target.sum())
    if not 0 < targets < total or not np.isfinite(x).all():
        return None
    aim = float(logit(targets / total))

    def excess(intercept: float) -> float:
        return float((weight * expit(x + intercept)).sum()) / total - targets / total

    # Were all x equal, aim - x would solve it: the solution lies between those of the extremes.
    found = brentq(excess, aim - x.max() - 1, aim - x.min() + 1, xtol=1e-13)
    return float(found)
