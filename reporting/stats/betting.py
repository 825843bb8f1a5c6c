"""Evidence that may be looked at every night: bets against a hypothesis, and the capital they have made.

x in {-1, 0, 1} is what one trial says: the error of the first model less that of the second; against a limit,
x in {0, 1} is the error itself. Trials come in classes c of n_c trials each, with weights w_c >= 0, and

    theta = sum over c of w_c E[mean of x over the class].

*One look.* Against theta <= b, with fixed b_c such that sum w_c b_c = b, and for a fixed number t > 0,

    e(t) = prod over c, i of (1 + a_c (x_i - b_c)),   a_c = t w_c / n_c.

Trials are independent, so E e(t) = prod (1 + a_c (E x_i - b_c)) <= exp(sum a_c (E x_i - b_c))
= exp(t (theta - b)) <= 1 under the hypothesis, whatever the split of theta between the classes, whatever
their sizes, and although trials of one class need not be alike: 1 + u <= exp(u) alone is used. It is the
product over both classes that is an e-value, of the one hypothesis on the weighted sum. Factors stay positive
as a_c <= 1/2 and |b_c| <= 1. A mean of e-values is one: that over several t stands for not knowing the best
one. e depends on counts alone, never on the order of trials. Near the best t, log e grows
like (theta - b)^2 / (2 SE^2), the SE of the weighted difference: nothing is lost against the normal test but
the price of looking always. Waudby-Smith, Ramdas 2024.

*Many looks.* Capital E_0 = 1. Before look k a share 1 / (k (k + 1)) of the first stake joins the game,

    S_k = (S_(k-1) + 1 / (k (k + 1))) e_k,   E_k = S_k + 1 / (k + 1),

so that a change after many quiet looks finds fresh money. If every e_k has mean <= 1 given the past, E is a
nonnegative supermartingale with E_0 = 1, and P(ever E_k >= C) <= 1 / C (Ville). What is above a ceiling is
laid aside, which lowers E and spares later looks the memory of old triumphs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from reporting.stats.solvers import root
from reporting.stats.special import logsumexp, xlog1py
from reporting.stats.staircase import FloatArray

BETS = 12
"""How many sizes of bets share the capital of a look."""
MOST = 0.5
LARGEST_LOG = 700.0
"""Beyond it exp overflows."""


class Stream(NamedTuple):
    """The trials of one class: its weight, and how many say 1, 0 and -1; numbers or arrays of one shape."""

    weight: float
    plus: Any
    zero: Any
    minus: Any

    @property
    def n(self) -> Any:
        """Number of trials."""
        return self.plus + self.zero + self.minus

    @property
    def reversed(self) -> Stream:
        """The same trials with the two models exchanged."""
        return Stream(self.weight, self.minus, self.zero, self.plus)


def log_e(streams: Sequence[Stream], bound: float) -> FloatArray:
    """Log of the e-value against theta <= bound, by the mean over ``BETS`` bets; 0 where nothing can be bet.

    Falls as the bound rises. Classes without weight may be empty; with an empty class that counts, or a bound
    that theta cannot pass, nothing is bet.
    """
    classes = [stream for stream in streams if stream.weight > 0]
    share = bound / sum(stream.weight for stream in classes)
    sizes = [np.asarray(stream.n, dtype=np.float64) for stream in classes]
    if not -1 <= share <= 1 or any((n <= 0).any() for n in sizes):
        return np.zeros(np.broadcast_shapes(*(n.shape for n in sizes)))
    t = bets([stream.weight for stream in classes], sizes)
    gained = sum(
        _gain(stream, t * stream.weight / n[..., None], share)
        for stream, n in zip(classes, sizes, strict=True)
    )
    return np.asarray(logsumexp(gained, axis=-1) - math.log(BETS))


def bets(weights: Sequence[float], sizes: Sequence[FloatArray]) -> FloatArray:
    """Return the bets t on classes of these sizes, the last axis: evenly on the log scale, by sizes alone.

    From the largest that no trial can ruin down to that which is best where theta - b is an SE of trials that
    are all discordant: smaller ones could not win.
    """
    pairs = list(zip(weights, sizes, strict=True))
    most = MOST * np.minimum.reduce([n / w for w, n in pairs])
    least = np.minimum(most, np.reciprocal(np.sqrt(sum(w * w / n for w, n in pairs))))
    return np.asarray(most[..., None] * (least / most)[..., None] ** (np.arange(BETS) / (BETS - 1)))


def log_e_above(streams: Sequence[Stream], bound: float) -> FloatArray:
    """Log of the e-value against theta >= bound: that of the exchanged models against -theta <= -bound."""
    return log_e([stream.reversed for stream in streams], -bound)


def _gain(stream: Stream, a: FloatArray, share: float) -> FloatArray:
    plus, zero, minus = (np.asarray(count, dtype=np.float64)[..., None] for count in stream[1:])
    return np.asarray(
        xlog1py(plus, a * (1 - share)) + xlog1py(zero, -a * share) + xlog1py(minus, -a * (1 + share))
    )


def stake(look: int) -> float:
    """The share of the first capital that joins the game at a look, counted from 1: 1 / (k (k + 1))."""
    return 1.0 / (look * (look + 1))


class Capital(NamedTuple):
    """E after so many looks; begins as 1 after none."""

    value: float = 1.0
    looks: int = 0

    def after(self, gained: float, ceiling: float = math.inf) -> Capital:
        """Return the capital after a look that gained so much on the log scale, at most ``ceiling`` >= 1."""
        look = self.looks + 1
        playing = max(0.0, self.value - 1.0 / look) + stake(look)
        value = playing * math.exp(min(float(gained), LARGEST_LOG)) + 1.0 / (look + 1)
        return Capital(min(value, ceiling), look)


def log_capital(looks: Sequence[Sequence[Stream]], bound: float, ceiling: float = math.inf) -> float:
    """Log of the capital against theta <= bound after all looks; falls as the bound rises."""
    capital = Capital()
    for streams in looks:
        capital = capital.after(float(log_e(streams, bound)), ceiling)
    return math.log(capital.value)


def lower_limit(looks: Sequence[Sequence[Stream]], log_threshold: float, ceiling: float = math.inf) -> float:
    """The largest bound with ``log_capital`` at or above the threshold: theta is above it; else -sum w.

    The limits after every look are a confidence sequence where theta is the same at each: the chance that it
    is ever below one of them is at most exp(-threshold).
    """
    reach = sum(stream.weight for stream in looks[0])
    low, high = -reach, reach
    if not log_capital(looks, low, ceiling) >= log_threshold:
        return low
    if log_capital(looks, high, ceiling) >= log_threshold:
        return high
    return root(lambda bound: log_capital(looks, bound, ceiling) - log_threshold, low, high, 1e-12)


def upper_limit(looks: Sequence[Sequence[Stream]], log_threshold: float, ceiling: float = math.inf) -> float:
    """The smallest bound that theta is shown to be below; sum w where none is."""
    exchanged = [[stream.reversed for stream in streams] for streams in looks]
    return 0.0 - lower_limit(exchanged, log_threshold, ceiling)
