"""How little would reverse a verdict: decisions that change, or units left out.

The first is the fragility index (Walsh et al. 2014) for the exact mid-p paired test; the second ranks units
by influence (Broderick, Giordano and Meager 2020), and then does leave them out.

Why the search for decisions is exact. Let G(t) be the chance, ties half, that T of ``paired.exact_p`` exceeds
t, so that p = 2 G(|T|). A changed decision on a trial of step s = w / N moves the observed T by s, and puts
a trial of step s into the law of T (``into``, one that agreed) or takes one out of it (``out``). G after
``into`` is the mean of two values of G before, and G before ``out`` that of two after: so towards zero G
never falls, away from zero it never rises, and by either kind the class of the larger step moves it at least
as far. Hence what reverses a verdict still does with more, and the fewest are in one of ``_families``. At
levels up to 1/2 no single change leaps from p < level in one direction to p < level in the other.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray
from reporting.core.stats.cluster_sizes import ClusterSizes, decisive
from reporting.core.stats.intervals import ZERO, normal_p
from reporting.core.stats.paired import Discordant, binomial_half
from reporting.core.stats.placements import clustered_se
from reporting.core.stats.rates import ratio


class Flips(NamedTuple):
    """The fewest decisions that reverse a verdict, how many of them on each class, and p with them."""

    decisions: int
    nontarget: int
    target: int
    p_after: float


class Removal(NamedTuple):
    """Units (codes, as they leave) whose removal reverses a finding, and D and its p without them."""

    units: IntArray
    difference: float
    p: float


class OfUnits(NamedTuple):
    """A difference with its standard error by units, and their sizes in the class that has fewer."""

    difference: float
    se: float
    sizes: ClusterSizes

    @property
    def p(self) -> float:
        """Two-sided p of D / SE by Student's t; NaN of too few units, and of a difference with SE 0."""
        if self.sizes.too_few:
            return math.nan
        if self.se > 0:
            return normal_p(self.difference, self.se, self.sizes.degrees_of_freedom)
        return 1.0 if abs(self.difference) <= ZERO else math.nan


Estimate = Callable[[BoolArray], OfUnits]
"""From the units kept (shape (G,)) to the difference that they alone have."""

_Enough = Callable[[float, float], bool]


def flips_to_reverse(d: Discordant, w_far: float, w_frr: float, level: float) -> Flips | None:
    """Return the fewest changed decisions that carry the p of ``paired.exact_p`` (mid) across ``level``.

    A decision is that of one model on one trial. From p < level to p >= level, or the reverse; of
    several such sets one is reported. ``level`` is in (0, 1/2]. None where no change reverses the verdict
    (too few trials), or where a class with weight is empty. Walsh et al. 2014; methods 9.2.
    """
    sides = (
        (w_far, int(d.nontarget_10), int(d.nontarget_01), int(d.n_nontarget)),
        (w_frr, int(d.target_01), int(d.target_10), int(d.n_target)),
    )
    if not (w_far or w_frr) or any(w and not n for w, *_, n in sides):
        return None
    nontarget, target = (_Class(w / n, a, b, n) if w else _Class(0.0, 0, 0, 0) for w, a, b, n in sides)
    swapped = target.step > nontarget.step
    large, small = (target, nontarget) if swapped else (nontarget, target)
    t = sum(side.step * (side.plus - side.minus) for side in (large, small))
    lower = _Search(large, small, abs(t), level, False).reversed_by((0, 0, 0, 0))
    best = beyond = (2 * (large.n + small.n) + 1, 0, 0, 0)
    p_after = math.nan
    # A verdict is undone towards zero, and reached in either direction: "plus" is where the tail is.
    for tail in (1 if t > 0 else -1,) if lower else (1, -1):
        search = _Search(large.turned(tail), small.turned(tail), tail * t, level, lower)
        before = best
        for family in _families(search.large, search.small, lower):
            best = search.fewest(family, best)
        g = search.tail(*search.after(best))
        p_after = p_after if best == before else 2 * min(g, 1 - g)
    on = sum(best[:2]), sum(best[2:])
    return Flips(sum(on), on[swapped], on[not swapped], p_after) if best != beyond else None


def units_to_reverse_verdict(influence: FloatArray, estimate: Estimate, level: float) -> Removal | None:
    """Return units whose removal carries p of t = D / SE across ``level``: an upper bound of the fewest.

    From p < level to p >= level or a difference of the other sign, or from p >= level to p < level in
    either direction. Units leave in the order of their effect on t at first order in psi / SE and its
    square, and ``estimate`` has D and SE without them. None where that never does it, SE is not above 0,
    or units are too few.
    """
    of_all = estimate(np.ones(len(influence), dtype=bool))
    if not of_all.se > 0 or of_all.sizes.too_few:
        return None
    t, scaled = of_all.difference / of_all.se, influence / of_all.se
    effect = t * scaled**2 / 2 - scaled
    if of_all.p < level:
        sign = math.copysign(1.0, t)
        return _leave_out(-sign * effect, estimate, lambda value, p: p >= level or sign * value < -ZERO)
    up = _leave_out(effect, estimate, lambda value, p: p < level and value > 0)
    down = _leave_out(-effect, estimate, lambda value, p: p < level and value < 0)
    return min(
        (removal for removal in (up, down) if removal), key=lambda removal: len(removal.units), default=None
    )


def linear_units(surplus: IntArray, size: IntArray, weight: FloatArray) -> tuple[FloatArray, Estimate]:
    """Return the influence of units (shape (G,)) on D = V(first) - V(second), and D and its clustered SE.

    V = w_far FAR + w_frr FRR, ``weight`` both. In each unit ``size`` (shape (2, G)) counts non-targets and
    targets, ``surplus`` the false alarms and the misses of the first model less those of the second.
    Methods 8.4. D is NaN where a class with weight is left without trials.
    """
    used = np.flatnonzero(weight)

    def parts(kept: BoolArray) -> tuple[FloatArray, float]:
        x, n, w = surplus[used][:, kept], size[used][:, kept], weight[used][:, None]
        total = n.sum(axis=1, keepdims=True)
        rate = ratio(x.sum(axis=1, keepdims=True), total)
        return np.asarray((w * ratio(x - rate * n, total)).sum(axis=0)), float((w * rate).sum())

    def estimate(kept: BoolArray) -> OfUnits:
        influence, difference = parts(kept)
        sizes = decisive(map(ClusterSizes.of, size[used][:, kept]))
        units = np.arange(len(influence), dtype=np.uint32)
        return OfUnits(difference, clustered_se(influence, units, sizes.inflation), sizes)

    return parts(np.ones(surplus.shape[1], dtype=bool))[0], estimate


def _leave_out(order: FloatArray, estimate: Estimate, enough: _Enough) -> Removal | None:
    """Leave out units from the largest ``order`` down, until D and p are enough or one is left."""
    leaving = np.argsort(-order, kind="stable")[:-1]
    kept = np.ones(len(order), dtype=bool)
    for at, unit in enumerate(leaving, start=1):
        kept[unit] = False
        left = estimate(kept)
        if enough(left.difference, left.p):
            return Removal(leaving[:at], left.difference, left.p)
    return None


class _Class(NamedTuple):
    """One class: step w / N of a trial, errors of the first and of the second model only, and N."""

    step: float
    plus: int
    minus: int
    n: int

    @property
    def m(self) -> int:
        return self.plus + self.minus

    def turned(self, tail: int) -> _Class:
        return self if tail > 0 else self._replace(plus=self.minus, minus=self.plus)


_Moves = tuple[int, int, int, int]
"""Decisions ``into`` and ``out`` of the discordant trials, on the class of the larger step and the other."""


class _Family(NamedTuple):
    """The moves base + u U + v V, each v one decision, with u <= most and v <= free + tied u.

    Where tied, u and v are ``out`` and ``into`` of one class: a trial taken out can come in again.
    """

    base: _Moves
    by_u: _Moves
    by_v: _Moves
    most: int
    free: int
    tied: int = 0

    def at(self, u: int, v: int) -> _Moves:
        a, b, c, d = (x + u * y + v * z for x, y, z in zip(self.base, self.by_u, self.by_v, strict=True))
        return a, b, c, d

    def v_within(self, cost: int, u_allowed: int, u_paid: int) -> int:
        """The most v that u_allowed leaves room for, and u_paid leaves decisions for."""
        return min(self.free + self.tied * u_allowed, cost - sum(self.base) - u_paid * sum(self.by_u))


def _families(large: _Class, small: _Class, lower: bool) -> tuple[_Family, ...]:
    """Return all moves that can be fewest: on the small class only what the large one has no room for."""
    room = [(side.n - side.m, side.plus if lower else side.minus) for side in (large, small)]
    (free, out), (free_small, out_small) = room
    return (
        _Family((0, 0, 0, 0), (0, 1, 0, 0), (1, 0, 0, 0), out, free, 1),
        _Family((free, 0, 0, 0), (1, 1, 0, 0), (0, 0, 1, 0), out, free_small),
        _Family((0, out, 0, 0), (1, 0, 0, 0), (0, 0, 0, 1), free + out, out_small),
        _Family((free + out, out, 0, 0), (0, 0, 0, 1), (0, 0, 1, 0), out_small, free_small, 1),
    )


class _Search(NamedTuple):
    """A verdict to reverse: ``lower`` t until p = 2 G(t) >= level, or else raise it until p < level."""

    large: _Class
    small: _Class
    t: float
    level: float
    lower: bool

    def after(self, moves: _Moves) -> tuple[float, int, int]:
        """Return the difference, and the discordant trials of either class, with these decisions changed."""
        a, b, c, d = moves
        shift = self.large.step * (a + b) + self.small.step * (c + d)
        return self.t - shift if self.lower else self.t + shift, self.large.m + a - b, self.small.m + c - d

    def tail(self, t: float, m: int, n: int) -> float:
        """G(t), with m discordant trials of the larger step and n of the other."""
        start, of_large = binomial_half(m, self.level)
        above = np.append(np.cumsum(of_large[::-1])[::-1], 0.0)
        # The first place beyond t is the one nearest to half a place further.
        k, chance = self._nearest(self.large, self.small, t, m + 1, n)
        return float((chance * above[(k - start).clip(0, len(of_large))]).sum() / 2)

    def reversed_by(self, moves: _Moves) -> bool:
        """Return whether these decisions reverse the verdict; more never undo it. Equality is p >= level."""
        return (self.tail(*self.after(moves)) < self.level / 2 * (1 - ZERO)) != self.lower

    def fewest(self, family: _Family, best: _Moves) -> _Moves:
        """Return the fewest moves of a family that reverse the verdict where below ``best``, else ``best``.

        A range of u is out where even its highest, with the v its lowest leaves, does not reverse it.
        """
        best = self._straight(family, best) if family.tied else best
        ranges = deque([(0, family.most)])
        while ranges:
            whole = low, high = ranges.popleft()
            cost = sum(best) - 1
            high = min(high, (cost - sum(family.base)) // sum(family.by_u))
            if family.tied:
                # Below this u has no room for all v; one more of either is allowed, and never hurts.
                low = max(low, min(high, -((family.free + sum(family.base) - cost) // 2)))
            if low > high or not self.reversed_by(family.at(high, family.v_within(cost, high, low))):
                continue
            settled = family.tied > 0 and low < high and self._rises(family, low, high, cost)
            u = (low + high) // 2 if not settled else low if self.lower else high
            v = family.v_within(cost, u, u)
            if self.reversed_by(family.at(u, v)):
                best = family.at(u, self._first(partial(family.at, u), v))
                ranges.append(whole)
            elif not settled:
                ranges.extend([(low, u - 1), (u + 1, high)])
        return best

    def _rises(self, family: _Family, low: int, high: int, cost: int) -> bool:
        """Return whether at equal cost G falls as u grows, so that one end decides; False where unproven.

        Let X be the surplus in the law of the class that moves. Two trials more raise G(t) by a positive
        multiple of E[X of one trial more; T within a step of t]. Against P(X = 0 or 1), its part with X > 0
        is least with the fewest trials of the range, and that with X < 0 largest with the most.
        """
        paid = cost - sum(family.base)
        (t, *fewest), (_, *most) = (self.after(family.at(u, paid - u)) for u in (high, low))
        mine, other = (self.large, self.small), (self.small, self.large)
        which = 0 if family.by_v[0] else 1
        parts = []
        for m, sign in ((fewest[which] + 1, 1), (most[which] - 1, -1)):
            k, chance = self._nearest(mine[which], other[which], t, m, fewest[1 - which])
            start, law = binomial_half(m, self.level)
            law = np.concatenate(([0.0], law / law.max(), [0.0]))
            beside = law[(k - start + 1).clip(0, len(law) - 1)] * np.maximum(sign * (2 * k - m), 0)
            parts.append(float((chance * beside).sum()))
        return parts[0] > parts[1] + 1e-6 * self.level

    def _nearest(self, mine: _Class, other: _Class, t: float, m: int, n: int) -> tuple[IntArray, FloatArray]:
        """The k nearest to where T = t puts it in 0..m, for every R of the other class, twice; the law of R.

        At a tie, both neighbours; else the same k twice.
        """
        start, chance = binomial_half(n, self.level)
        rest = t - other.step * (2 * (start + np.arange(len(chance))) - n)
        place, slack = (m + rest / mine.step) / 2, ZERO * (m + n * other.step / mine.step) + 0.5
        return np.stack([np.ceil(place - slack), np.floor(place + slack)]).astype(np.int64), chance

    def _straight(self, family: _Family, best: _Moves) -> _Moves:
        """As ``fewest``, by ``into`` as far as there is room to lower t, by ``out`` as far to raise it."""

        def at(paid: int) -> _Moves:
            u = max(0, (paid - family.free + 1) // 2) if self.lower else min(paid, family.most)
            return family.at(u, paid - u)

        most = min(2 * family.most + family.free, sum(best) - 1 - sum(family.base))
        return at(self._first(at, most)) if most >= 0 and self.reversed_by(at(most)) else best

    def _first(self, at: Callable[[int], _Moves], high: int) -> int:
        """The first of 0..high whose moves reverse the verdict, where those at ``high`` do."""
        return bisect_left(range(high), True, key=lambda paid: self.reversed_by(at(paid)))
