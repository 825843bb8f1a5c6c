"""Power transforms that bring both classes near to normal: Box-Cox and Yeo-Johnson.

The power is chosen by the likelihood of the classes apart, each with its own mean and variance. Pooled
scores are a mixture, and a power that makes a mixture normal serves neither class. Methods 12.4; Box, Cox
1964; Yeo, Johnson 2000.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.base.records import dataclass

Kind = Literal["box_cox", "yeo_johnson"]
LIMIT = 5.0
"""Powers are looked for in [-5, 5]."""
FEW = 4096
"""With more distinct scores in a class the search begins on as many blocks of neighbours."""
NEAR = 0.05
"""How far the power of the scores is first looked for around that of the blocks."""
TOLERANCE = 1e-8
FLAT = 1e-3
"""A log likelihood that differs by less over all powers does not distinguish them."""


@dataclass(frozen=True)
class Power:
    """A fitted transform.

    ``status`` is ``at_bound`` where the likelihood still rises at -5 or 5, ``flat`` where no power is better
    than another and the scores keep their shape (lam = 1), and else ``ok``.
    """

    kind: Kind
    lam: float
    status: Literal["ok", "at_bound", "flat"]
    centre: float
    """A score in the middle of those it was fitted to."""

    def of(self, score: Any) -> FloatArray:
        """Transform scores, up to a shift and a scale: 0 at the centre, with slope 1 in its logarithm.

        Scores far from 0 and close to each other keep their digits, which plain powers lose.
        """
        score = np.asarray(score, dtype=np.float64)
        if self.kind == "box_cox":
            return _about(score, self.lam, 0.0, self.centre)
        if self.centre >= 0:
            return _yeo_johnson_about(score, self.lam, self.centre)
        return -_yeo_johnson_about(-score, 2 - self.lam, -self.centre)


def _about(score: FloatArray, lam: float, offset: float, centre: float) -> FloatArray:
    """(((offset + s) / (offset + c))^lam - 1) / lam; NaN where offset + s <= 0."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        apart = (score - centre) / (offset + centre)
        logs = np.where(
            np.abs(apart) < 0.5, np.log1p(apart), np.log(offset + score) - np.log(offset + centre)
        )
        return np.asarray(np.where(offset + score > 0, _power(logs, lam), np.nan))


def _yeo_johnson_about(score: FloatArray, lam: float, centre: float) -> FloatArray:
    """(psi(s) - psi(c)) / (1 + c)^lam for a centre of at least 0, psi as ``yeo_johnson``."""
    above = _about(np.maximum(score, 0.0), lam, 1.0, centre)
    negative = np.minimum(score, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        below = yeo_johnson(negative, lam) * np.exp(-lam * np.log1p(centre))
    # About a huge centre the factor is infinite, and 0 times it undefined.
    return np.asarray(above + np.where(negative < 0, below, 0.0))


def yeo_johnson(score: Any, lam: Any) -> FloatArray:
    """Box-Cox of 1 + s for s >= 0, and minus Box-Cox of 1 - s with power 2 - lam for s < 0: increasing."""
    score, lam = np.asarray(score, dtype=np.float64), np.asarray(lam, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        bent = _power(np.log1p(np.abs(score)), np.where(score < 0, 2 - lam, lam))
    return np.asarray(np.where(score < 0, -bent, bent))


def _power(log: FloatArray, exponent: Any) -> FloatArray:
    """(e^(exponent log) - 1) / exponent, and its limit ``log`` at exponent 0."""
    exponent = np.asarray(exponent, dtype=np.float64)
    flat = np.abs(exponent) < 1e-150
    return np.asarray(np.where(flat, log, np.expm1(exponent * log) / np.where(flat, 1.0, exponent)))


def log_likelihood(kind: Kind, score: Any, n_target: Any, n_nontarget: Any, lam: float) -> float:
    """Profile log likelihood of a power: over both classes, -(n / 2) log var + the log Jacobian.

    Variances have ddof 0; constants are left out. ``score`` holds distinct scores, shape (H,), and the counts
    are of shape (H,) too. NaN where ``fit_power`` is None.
    """
    sides = _sides(kind, score, n_target, n_nontarget)
    return float("nan") if sides is None else sum(side.at(lam) + side.constant for side in sides)


def fit_power(kind: Kind, score: Any, n_target: Any, n_nontarget: Any) -> Power | None:
    """Return the power in [-5, 5] of the largest ``log_likelihood``.

    None where the transform or a variance is undefined: a class with fewer than two distinct scores or with
    an infinite one, and for Box-Cox a score that is not positive (scores without trials do not count).
    """
    sides = _sides(kind, score, n_target, n_nontarget)
    if sides is None:
        return None
    blocks = [side.in_blocks() for side in sides]
    grid = np.linspace(-LIMIT, LIMIT, 41)
    heights = np.array([_total(blocks, lam) for lam in grid])
    if heights.max() - heights.min() < FLAT:
        return Power(kind, 1.0, "flat", _middle(score, n_target, n_nontarget))
    best = float(grid[heights.argmax()])
    lam = _largest(blocks, best - 0.25, best + 0.25)
    if any(len(side.place) > FEW for side in sides):
        low, high = lam - NEAR, lam + NEAR
        lam = _largest(sides, low, high)
        if not low + TOLERANCE * 100 < lam < high - TOLERANCE * 100:
            lam = _largest(sides, -LIMIT, LIMIT)
    bound = LIMIT - abs(lam) < 1e-6
    power = float(np.sign(lam) * LIMIT) if bound else lam
    return Power(kind, power, "at_bound" if bound else "ok", _middle(score, n_target, n_nontarget))


def _middle(score: Any, n_target: Any, n_nontarget: Any) -> float:
    """The score in the middle of those that have trials."""
    held = np.sort(np.asarray(score, dtype=np.float64)[np.asarray(n_target) + np.asarray(n_nontarget) > 0])
    return float(held[len(held) // 2])


def _largest(sides: list[_Side], low: float, high: float) -> float:
    from scipy.optimize import minimize_scalar  # here: it takes long to import

    bounds = max(low, -LIMIT), min(high, LIMIT)
    optimum = minimize_scalar(
        lambda lam: -_total(sides, lam), bounds=bounds, method="bounded", options={"xatol": TOLERANCE}
    )
    return float(optimum.x)


def _total(sides: list[_Side], lam: float) -> float:
    return sum(side.at(lam) for side in sides)


@dataclass(frozen=True, eq=False)
class _Side:
    """One class: distinct places in ascending order, how often each occurs, and how they bend.

    ``constant`` is what the log likelihood has besides ``at``.
    """

    place: FloatArray
    weight: FloatArray
    bend: Callable[[FloatArray, float], tuple[FloatArray, float]]
    slope: float
    constant: float

    def at(self, lam: float) -> float:
        """-(n / 2) log var of the transformed places + slope lam."""
        n = self.weight.sum()
        value, log_unit = self.bend(self.place, lam)
        value -= (self.weight * value).sum() / n
        largest = max(value.max(), -value.min())
        if not largest > 0:
            return -np.inf
        value /= largest  # or the squares of the smallest scores would vanish
        value *= value
        variance = (self.weight * value).sum() / n
        return float(self.slope * lam - n * (np.log(variance) / 2 + np.log(largest) + log_unit))

    def in_blocks(self) -> _Side:
        """The same class with neighbouring places merged into their mean, at most ``FEW`` of them."""
        if len(self.place) <= FEW:
            return self
        starts = np.arange(FEW) * len(self.place) // FEW
        weight = np.add.reduceat(self.weight, starts)
        place = np.add.reduceat(self.weight * self.place, starts) / weight
        return _Side(place, weight, self.bend, self.slope, self.constant)


def _sides(kind: Kind, score: Any, n_target: Any, n_nontarget: Any) -> list[_Side] | None:
    score = np.asarray(score, dtype=np.float64)
    order = None if (score[1:] > score[:-1]).all() else np.argsort(score)
    sides = []
    for counts in (np.asarray(n_target), np.asarray(n_nontarget)):
        there = np.flatnonzero(counts > 0) if order is None else order[counts[order] > 0]
        side = _side(kind, score[there], counts[there].astype(np.float64))
        if side is None:
            return None
        sides.append(side)
    return sides


def _side(kind: Kind, score: FloatArray, weight: FloatArray) -> _Side | None:
    """One class of ascending scores; None where it has no likelihood."""
    if len(score) < 2 or not np.isfinite(score[[0, -1]]).all() or score[0] == score[-1]:
        return None
    if kind == "box_cox":
        return None if score[0] <= 0 else _one_sided(score, weight, 0.0, _straight)
    if score[0] >= 0:
        return _one_sided(score, weight, 1.0, _straight)
    if score[-1] <= 0:
        # Scores below 0 bend with power 2 - lam; negated, which leaves their variance.
        return _one_sided(-score[::-1], weight[::-1], 1.0, lambda place, lam: _straight(place, 2 - lam))
    place = np.sign(score) * np.log1p(np.abs(score))
    total = float((weight * place).sum())
    return _Side(place, weight, _two_sided, total, -total)


def _one_sided(
    score: FloatArray, weight: FloatArray, offset: float, bend: Callable[..., Any]
) -> _Side | None:
    """A class whose scores plus ``offset`` are positive: their logs about the mean log.

    A power of c s has the variance of a power of s, but for a factor that the Jacobian takes back. So logs
    may be centred, which leaves their differences all their digits: ``log1p`` of (s - c) / (offset + c).
    """
    centre = score[len(score) // 2]
    with np.errstate(over="ignore"):
        apart = (score - centre) / (offset + centre)
    near = np.abs(apart) < 0.5
    place = np.where(near, np.log1p(np.where(near, apart, 0.0)), 0.0)
    place[~near] = np.log(offset + score[~near]) - np.log(offset + centre)
    place -= (weight * place).sum() / weight.sum()
    if not place[0] < place[-1]:
        return None
    logs = np.log1p(score) if offset else np.log(score)
    return _Side(place, weight, bend, 0.0, -float((weight * logs).sum()))


def _straight(place: FloatArray, lam: float) -> tuple[FloatArray, float]:
    """Powers ``lam`` of e^place in a unit that keeps them finite, and the log of that unit."""
    top = float(max(lam * place[0], lam * place[-1]))
    if max(abs(lam * place[0]), abs(lam * place[-1])) < 1:
        return _power(place, lam), 0.0
    return np.exp(lam * place - top), top - float(np.log(abs(lam)))


def _two_sided(place: FloatArray, lam: float) -> tuple[FloatArray, float]:
    """Yeo-Johnson of a class on both sides of 0, from sgn(s) log(1 + |s|)."""
    top = max(0.0, lam * float(place[-1]), (lam - 2) * float(place[0]))
    zero = int(np.searchsorted(place, 0.0))
    halves = -_lifted(-place[:zero], 2 - lam, top), _lifted(place[zero:], lam, top)
    return np.concatenate(halves), top


def _lifted(log: FloatArray, exponent: float, top: float) -> FloatArray:
    """``_power`` over e^top, without overflow."""
    if top < 1 or abs(exponent) < 1e-3:
        return np.asarray(_power(log, exponent) * np.exp(-top))
    return np.asarray((np.exp(exponent * log - top) - np.exp(-top)) / exponent)
