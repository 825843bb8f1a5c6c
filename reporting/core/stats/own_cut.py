"""Limits of a cost that is read at the best threshold of the trials that it judges.

Its minimum over thresholds is biased low by about half a standard error where trials are few, and resamples
repeat that bias: their percentiles lie too low by one and a half of it. These limits start from the two rates
at the best threshold instead, whose spread is right, and take a bias off on the one side where it matters.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.base.records import dataclass
from reporting.core.stats.effective_size import wilson_limits
from reporting.core.stats.intervals import Interval, quantile
from reporting.core.stats.staircase import Staircase, curve_cuts

LEAST_OF_TIED = 0.3
"""The least variance of a rate on tied scores, as a share of the binomial one, that is believed."""


class ByClass(NamedTuple):
    """A number of the non-targets and one of the targets."""

    nontarget: float
    target: float


@dataclass(frozen=True, eq=False)
class BestCut:
    """Where ``w_far FAR + w_frr FRR`` is least, that cost, and both rates there.

    ``most`` is the cost of accepting all or of rejecting all, whichever is less. ``effect``
    is the variance of one trial's error there as a share of the binomial p (1 - p); 1 where nothing varies.
    ``rejected`` is the share of each distinct score (shape (H,), ascending) that is rejected: 1 below the
    threshold and 0 above, and a part of the group of scores through which the line FAR = FRR runs.
    """

    cost: float
    rate: ByClass
    weight: ByClass
    most: float
    effect: ByClass
    rejected: FloatArray


def least_cost(staircase: Staircase, w_far: float, w_frr: float) -> BestCut:
    """Return the threshold with the least cost; of tied ones the middle one. Both classes must be there."""
    far, frr = _rates(staircase)
    cost = w_far * far + w_frr * frr
    tied = np.flatnonzero(cost <= cost.min() * (1 + 1e-12))
    cut = int(tied[len(tied) // 2])
    rejected = (np.arange(len(far) - 1) < cut).astype(np.float64)
    at, weight = ByClass(float(far[cut]), float(frr[cut])), ByClass(w_far, w_frr)
    return BestCut(float(cost.min()), at, weight, min(weight), ByClass(1.0, 1.0), rejected)


def equal_error(staircase: Staircase) -> BestCut:
    """Return the threshold, or a part of one, at the equal error rate of the hull. Both classes must exist.

    EER = max over w of min over thresholds of w FRR + (1 - w) FAR. The cost is the same along the edge of the
    hull that crosses FAR = FRR, so w is dFAR / (dFAR + dFRR) of that edge; at a vertex every w between those
    of its two edges serves as well, and their mean is taken.
    """
    far, frr = _rates(staircase)
    x, y = far[staircase.hull], frr[staircase.hull]
    after = int(np.argmax(x < y))
    w_frr = _weight_along(x, y, after)
    eer = w_frr * float(y[after - 1]) + (1 - w_frr) * float(x[after - 1])
    if x[after - 1] == y[after - 1]:
        w_frr = (w_frr + _weight_along(x, y, after - 1)) / 2
    crossing = int(np.argmax(far < frr))
    before, past = far[crossing - 1] - frr[crossing - 1], frr[crossing] - far[crossing]
    rejected = (np.arange(len(far) - 1) < crossing).astype(np.float64)
    part = rejected[crossing - 1] = before / (before + past)
    effect = ByClass(
        _effect(float(far[crossing]), float(far[crossing - 1] - far[crossing]), 1 - part),
        _effect(float(frr[crossing - 1]), float(frr[crossing] - frr[crossing - 1]), part),
    )
    return BestCut(eer, ByClass(eer, eer), ByClass(1 - w_frr, w_frr), 0.5, effect, rejected)


def _weight_along(far: FloatArray, frr: FloatArray, after: int) -> float:
    """The weight of FRR with which all of the edge before a vertex costs the same."""
    fall, rise = far[after - 1] - far[after], frr[after] - frr[after - 1]
    return float(fall / (fall + rise))


def _effect(wholly: float, tied: float, part: float) -> float:
    """Of a class of which a share errs wholly, and a tied share in part."""
    rate = wholly + part * tied
    binomial = rate * (1 - rate)
    return (wholly + part * part * tied - rate * rate) / binomial if binomial > 0 else 1.0


def _rates(staircase: Staircase) -> tuple[FloatArray, FloatArray]:
    return staircase.false_alarms / staircase.n_nontarget, staircase.misses / staircase.n_target


def limits(staircase: Staircase, best: BestCut, sizes: ByClass, level: float, df: float | None) -> Interval:
    """Return the limits of the least cost, but for its optimism.

    lower = min over k of cost_k - sqrt((w_far (FAR_k - l_k))^2 + (w_frr (FRR_k - l_k'))^2), upper =
    cost + sqrt((w_far (u - FAR))^2 + (w_frr (u' - FRR))^2): l and u are Wilson limits of a rate, with
    ``sizes`` trials (effective ones), and t with ``df`` degrees of freedom where given. The lower limit is
    at most that at the true best threshold, wherever it lies; to the upper one the optimism of the minimum
    must be added. Zou, Donner 2008, doi:10.1002/sim.3095.
    """
    z = quantile(level, df)
    # Along a straight run the limit falls with the rate that falls: its corners have the least.
    shown = curve_cuts(staircase)
    far, frr = (rates[shown] for rates in _rates(staircase))
    cost = best.weight.nontarget * far + best.weight.target * frr
    below = _distances((far, frr), best.weight, sizes, z, 0)
    low, up = (_distances(best.rate, best.weight, sizes, z, of) for of in (0, 1))
    lowest = min(float((cost - below).min()), best.cost - float(low))
    return Interval(max(0.0, lowest), best.cost + float(up))


def _distances(rates: Any, weight: ByClass, sizes: ByClass, z: float, limit: int) -> FloatArray:
    """Square and add: how far one limit of a weighted sum of two rates (any shape) is from it."""
    parts = (
        w * (rate - wilson_limits(rate, n, z)[limit]) for rate, w, n in zip(rates, weight, sizes, strict=True)
    )
    return np.asarray(np.hypot(*parts))


def effective_size(n: float, effect: float) -> float:
    """n trials over their design effect, the variance of a rate as a multiple of the binomial one.

    Korn, Graubard 1998.
    """
    return n / max(LEAST_OF_TIED, effect)
