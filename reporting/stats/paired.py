"""Paired differences of V = w_far FAR + w_frr FRR between two models on the same trials.

Per class, ``10`` counts trials that only the first model accepts and ``01`` those that only the
second accepts: all that such a difference depends on. Other measures need those that both reject
too: ``00`` (see ``stats/paired_counts.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln

from reporting.stats.staircase import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Discordant:
    """Discordant counts of non-targets and targets, and class sizes: numbers or arrays of one shape."""

    nontarget_10: Any
    nontarget_01: Any
    target_10: Any
    target_01: Any
    n_target: Any
    n_nontarget: Any
    nontarget_00: Any = 0
    target_00: Any = 0

    def column(self, at: int) -> Discordant:
        """Pick one of several comparisons along the last axis; class sizes have length 1 there."""
        return Discordant(
            nontarget_10=self.nontarget_10[..., at],
            nontarget_01=self.nontarget_01[..., at],
            target_10=self.target_10[..., at],
            target_01=self.target_01[..., at],
            n_target=self.n_target[..., 0],
            n_nontarget=self.n_nontarget[..., 0],
            nontarget_00=self.nontarget_00[..., at],
            target_00=self.target_00[..., at],
        )

    @property
    def first(self) -> tuple[Any, Any, Any, Any]:
        """Misses, false alarms, targets and non-targets of the first model."""
        accepted = self.n_nontarget - self.nontarget_00 - self.nontarget_01
        return self.target_00 + self.target_01, accepted, self.n_target, self.n_nontarget

    @property
    def second(self) -> tuple[Any, Any, Any, Any]:
        """Misses, false alarms, targets and non-targets of the second model."""
        accepted = self.n_nontarget - self.nontarget_00 - self.nontarget_10
        return self.target_00 + self.target_10, accepted, self.n_target, self.n_nontarget


def difference(d: Discordant, w_far: float, w_frr: float) -> FloatArray:
    """V(first) - V(second); false alarms of the first are non-targets only it accepts."""
    return np.asarray(sum(w * (plus - minus) / n for w, plus, minus, n in _classes(d, w_far, w_frr)))


def standard_error(d: Discordant, w_far: float, w_frr: float) -> FloatArray:
    """Plug-in standard error: sqrt(w_far^2 (q0 - d0^2) / N0 + w_frr^2 (q1 - d1^2) / N1); methods 8.4.

    q is the share of discordant trials of a class and d the difference of its rates.
    """
    variance = sum(
        w * w * ((plus + minus) / n - ((plus - minus) / n) ** 2) / n
        for w, plus, minus, n in _classes(d, w_far, w_frr)
    )
    return np.asarray(np.sqrt(np.maximum(variance, 0.0)))


def _classes(d: Discordant, w_far: float, w_frr: float) -> list[tuple[float, Any, Any, Any]]:
    """Weight, errors of the first only, errors of the second only and size, of each class that counts.

    A class without weight is left out, so that it may be empty.
    """
    both = [
        (w_far, d.nontarget_10, d.nontarget_01, d.n_nontarget),
        (w_frr, d.target_01, d.target_10, d.n_target),
    ]
    return [one for one in both if one[0] != 0]


def exact_p(d: Discordant, w_far: float, w_frr: float, *, mid: bool) -> float:
    """Exact two-sided p under exchangeability of the two decisions on every trial; methods 9.2.

    P(|T| >= |T_obs|) of T = w_far X0 / N0 + w_frr X1 / N1, X = 2 Bin(discordant, 1/2) - discordant.
    ``mid`` counts the mass at equality half. Without discordant trials 1.
    """
    sides = [
        (int(plus + minus), w / n, int(plus - minus))
        for w, plus, minus, n in _classes(d, w_far, w_frr)
        if plus + minus > 0
    ]
    if not sides:
        return 1.0
    observed = abs(sum(step * surplus for _, step, surplus in sides))
    (n, large, _), (m, small, _) = [*sorted(sides, reverse=True), (0, 0.0, 0)][:2]
    tolerance = 1e-12 * (small * m + large * n)
    shift = small * (2 * np.arange(m + 1) - m)
    at_least = _two_tails(shift, observed - tolerance, large, n)
    more = _two_tails(shift, observed + tolerance, large, n)
    chance = _binomial_half(m)
    # Sums in a fixed order: the last bits of a dot product depend on how many threads it takes.
    p, beyond = float((chance * at_least).sum()), float((chance * more).sum())
    return min(1.0, (p + beyond) / 2 if mid else p)


def _two_tails(shift: FloatArray, limit: float, step: float, n: int) -> FloatArray:
    """P(|shift + step X| >= limit) for X = 2 Bin(n, 1/2) - n, for every shift (step > 0)."""
    if limit <= 0:
        return np.ones(len(shift))
    pmf = _binomial_half(n)
    below = np.concatenate(([0.0], np.cumsum(pmf)))  # below[k] = P(Bin < k); above by symmetry
    # X <= (-limit - shift) / step, i.e. Bin <= (n + that) / 2; X >= (limit - shift) / step likewise.
    low = np.floor((n + (-limit - shift) / step) / 2).astype(np.int64)
    high = np.ceil((n + (limit - shift) / step) / 2).astype(np.int64)
    return np.asarray(below[np.clip(low + 1, 0, n + 1)] + below[np.clip(n - high + 1, 0, n + 1)])


def _binomial_half(n: int) -> FloatArray:
    """The probabilities of Bin(n, 1/2) at 0..n."""
    k: IntArray = np.arange(n + 1)
    return np.asarray(np.exp(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) - n * np.log(2.0)))
