"""Evidence that may be looked at every night: bets against a hypothesis, and the wealth they have made.

x in {-1, 0, 1} is a trial's outcome: the error of the first model less that of the second; against a limit,
x in {0, 1} is the error itself. Trials come in classes c of n_c trials each, with weights w_c >= 0, and

    theta = sum over c of w_c E[mean of x over the class].

*One look.* A unit g, a trial or a cluster, has m_gc trials of each class, whose x sum to d_gc. Against
theta <= b, with fixed b_c such that sum w_c b_c = b, and for a fixed number t > 0,

    e(t) = prod over g of (1 + t y_g),   y_g = sum over c of w_c (d_gc - m_gc b_c) / n_c.

Units are independent, so E e(t) = prod (1 + t E y_g) <= exp(t sum E y_g) = exp(t (theta - b)) <= 1 under the
hypothesis, whatever the split of theta between the classes, whatever the sizes of classes and clusters, and
although units need not be alike: 1 + u <= exp(u) alone is used. It is the product over both classes that is
an e-value, of the one hypothesis on the weighted sum. Factors stay positive as |y_g| is at most twice the
share r_g = sum over c of w_c m_gc / n_c, and t r_g <= 1/2 for every unit. A mean of e-values is one: that
over several t covers not knowing the best one. e depends on counts alone, never on the order of trials.
Near the best t, log e grows like (theta - b)^2 / (2 SE^2), the SE of the weighted difference: nothing is lost
against the normal test but the price of looking always. Waudby-Smith, Ramdas 2024.

*Many looks.* ``Capital`` E_0 = 1. Before look k a share 1 / (k (k + 1)) of the first stake joins the game,

    S_k = (S_(k-1) + 1 / (k (k + 1))) e_k,   E_k = S_k + 1 / (k + 1),

so that a change after many quiet looks finds fresh money. If every e_k has mean <= 1 given the past, E is a
nonnegative supermartingale with E_0 = 1, and P(ever E_k >= C) <= 1 / C (Ville). Trials of a cluster that an
earlier look has seen do not have that mean: they share its history, so every cluster is bet on once. What is
above a ceiling is laid aside, which lowers E and spares later looks the memory of old triumphs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.base.records import dataclass, replace
from reporting.core.stats.solvers import root
from reporting.core.stats.special import logsumexp, xlog1py

BETS = 12
"""How many sizes of bets share the wealth of a look."""
MOST = 0.5
LARGEST_LOG = 700.0
"""Beyond it exp overflows."""


@dataclass(frozen=True, eq=False)
class Night:
    """The new units of one look, in kinds of units that say the same.

    ``weight`` has shape (C,), a class each; ``net`` (the sum of x) and ``size`` (trials) of a unit of each
    kind have shape (C, K); ``times`` is how many units are of each kind, of shape (..., K).
    """

    weight: FloatArray
    net: FloatArray
    size: FloatArray
    times: FloatArray

    @classmethod
    def of_trials(cls, weight: Sequence[float], counts: Sequence[Sequence[Any]]) -> Night:
        """Return the look at single trials; ``counts``: how many of each class are 1, 0 and -1."""
        classes = np.eye(len(weight))
        times = np.moveaxis(
            np.array([count for of_class in counts for count in of_class], dtype=float), 0, -1
        )
        size = np.repeat(classes, 3, axis=1)
        net = size * np.tile([1.0, 0.0, -1.0], len(weight))
        return cls(np.array(weight, dtype=float), net, size, times)

    @classmethod
    def of_clusters(cls, weight: Sequence[float], net: Any, size: Any) -> Night:
        """Return the look at clusters; the sum of each, and its trials, have shape (C, K)."""
        net, size = (np.asarray(each, dtype=np.float64) for each in (net, size))
        return cls(np.array(weight, dtype=float), net, size, np.ones(net.shape[1]))

    @property
    def n_units(self) -> int:
        """Units of all kinds."""
        return int(self.times.sum())

    @property
    def n_trials(self) -> int:
        """Trials of all units."""
        return int((self.times * self.size).sum())

    @property
    def n(self) -> FloatArray:
        """Trials of each class, shape (..., C)."""
        return np.asarray(self.times @ self.size.T)

    @property
    def reversed(self) -> Night:
        """The same trials with the two models exchanged."""
        return replace(self, net=0.0 - self.net)


def together(nights: Sequence[Night]) -> Night:
    """Return the units of several looks as those of one."""
    net, size = (np.hstack([getattr(night, of) for night in nights]) for of in ("net", "size"))
    return Night(nights[0].weight, net, size, np.concatenate([night.times for night in nights]))


def pooled(nights: Sequence[Night]) -> tuple[float, float]:
    """Return the weighted sum of the means of x over all looks, and its standard error by units.

    SE^2 = sum over g of (sum over c of w_c (d_gc - mean_c m_gc) / n_c)^2; NaN where a class is empty.
    """
    if not nights:
        return math.nan, math.nan
    every = together(nights)
    weight, n, counted = every.weight, every.size @ every.times, every.weight > 0
    if not n[counted].all():
        return math.nan, math.nan
    share = np.divide(weight, n, out=np.zeros_like(weight), where=counted)
    mean = np.divide(every.net @ every.times, n, out=np.zeros_like(weight), where=counted)
    influence = share @ (every.net - mean[:, None] * every.size)
    return float(weight @ mean), math.sqrt(float(every.times @ influence**2))


def times_to_gain(night: Night, bound: float, wanted: float, most: float) -> float:
    """Return how many times the units of a look win a log e-value against theta <= bound in the next look.

    So many times each unit, each with so much less of its class: a bet may then be as many times larger, up
    to what the largest unit allows. At least 1 / ``most``; infinite where ``most`` times do not win it.
    """

    def lacking(log_times: float) -> float:
        again = replace(night, times=math.exp(log_times) * night.times)
        return wanted - float(log_e(again, bound))

    end = math.log(most)
    if lacking(end) > 0:
        return math.inf
    return math.exp(root(lacking, -end, end, 1e-9)) if lacking(-end) > 0 else 1 / most


def log_e(night: Night, bound: float) -> FloatArray:
    """Log of the e-value against theta <= bound, by the mean over ``BETS`` bets; 0 where nothing can be bet.

    Falls as the bound rises. Classes without weight may be empty; with an empty class that counts, or a bound
    that theta cannot pass, nothing is bet. Shape: that of ``times`` without its last axis.
    """
    share, n, counted = bound / float(night.weight.sum()), night.n, night.weight > 0
    if not -1 <= share <= 1 or (n[..., counted] <= 0).any():
        return np.zeros(n.shape[:-1])
    per_trial = np.divide(night.weight, n, out=np.zeros(n.shape), where=np.broadcast_to(counted, n.shape))
    reach, says = per_trial @ night.size, per_trial @ night.net
    t = bets(reach, night.times)
    gain = t[..., None] * (says - share * reach)[..., None, :]
    # Sorted, so that exchanged models and another order of units give the same bits.
    gained = np.sort(xlog1py(night.times[..., None, :], gain), axis=-1).sum(axis=-1)
    return np.asarray(logsumexp(gained, axis=-1) - math.log(BETS))


def bets(reach: FloatArray, times: FloatArray) -> FloatArray:
    """Return the bets t, the last axis: evenly on the log scale, by the sizes of units alone.

    ``reach`` is what a unit of each kind (of which there are ``times``) holds of all classes, r_g. From the
    largest bet that no unit can ruin down to that which is best where theta - b is an SE of trials that are
    all discordant: smaller ones could not win.
    """
    most = MOST / np.where(times > 0, reach, 0.0).max(axis=-1)
    least = np.minimum(most, np.reciprocal(np.sqrt((times * reach**2).sum(axis=-1))))
    return np.asarray(most[..., None] * (least / most)[..., None] ** (np.arange(BETS) / (BETS - 1)))


def log_e_above(night: Night, bound: float) -> FloatArray:
    """Log of the e-value against theta >= bound: that of the exchanged models against -theta <= -bound."""
    return log_e(night.reversed, -bound)


def stake(look: int) -> float:
    """The share of the initial wealth that joins the game at a look, counted from 1: 1 / (k (k + 1))."""
    return 1.0 / (look * (look + 1))


class Capital(NamedTuple):
    """E after so many looks; begins as 1 after none."""

    value: float = 1.0
    looks: int = 0

    def after(self, gained: float, ceiling: float = math.inf) -> Capital:
        """Return the wealth after a look that gained so much on the log scale, at most ``ceiling`` >= 1."""
        look = self.looks + 1
        playing = max(0.0, self.value - 1.0 / look) + stake(look)
        value = playing * math.exp(min(float(gained), LARGEST_LOG)) + 1.0 / (look + 1)
        return Capital(min(value, ceiling), look)


def log_capital(nights: Sequence[Night], bound: float, ceiling: float = math.inf) -> float:
    """Log of the wealth against theta <= bound after all looks; falls as the bound rises."""
    capital = Capital()
    for night in nights:
        capital = capital.after(float(log_e(night, bound)), ceiling)
    return math.log(capital.value)


def lower_limit(nights: Sequence[Night], log_threshold: float, ceiling: float = math.inf) -> float:
    """The largest bound with ``log_capital`` at or above the threshold: theta is above it; else -sum w.

    The limits after every look are a confidence sequence where theta is the same at each: the chance that it
    is ever below one of them is at most exp(-threshold).
    """
    reach = float(nights[0].weight.sum())
    low, high = -reach, reach
    if not log_capital(nights, low, ceiling) >= log_threshold:
        return low
    if log_capital(nights, high, ceiling) >= log_threshold:
        return high
    return root(lambda bound: log_capital(nights, bound, ceiling) - log_threshold, low, high, 1e-12)


def upper_limit(nights: Sequence[Night], log_threshold: float, ceiling: float = math.inf) -> float:
    """The smallest bound that theta is significantly below; sum w where none is."""
    return 0.0 - lower_limit([night.reversed for night in nights], log_threshold, ceiling)
