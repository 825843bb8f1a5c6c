"""Paired differences of V = w_far FAR + w_frr FRR between two models on the same trials.

Per class, ``10`` counts trials that only the first model accepts and ``01`` those that only the
second accepts: all that such a difference depends on. Other measures need those that both reject
too: ``00`` (see ``stats/paired_counts.py``).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.base.records import dataclass
from reporting.core.stats.special import ndtri, stdtrit


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
        sizes = "n_target", "n_nontarget"
        return Discordant(**{name: of[..., 0 if name in sizes else at] for name, of in vars(self).items()})

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
    return np.asarray(
        sum(w * (plus - minus) / n for w, plus, minus, n in classes_that_count(d, w_far, w_frr))
    )


def standard_error(d: Discordant, w_far: float, w_frr: float) -> FloatArray:
    """Plug-in standard error: sqrt(w_far^2 (q0 - d0^2) / N0 + w_frr^2 (q1 - d1^2) / N1); methods 8.4.

    q is the share of discordant trials of a class and d the difference of its rates.
    """
    variance = sum(
        w * w * ((plus + minus) / n - ((plus - minus) / n) ** 2) / n
        for w, plus, minus, n in classes_that_count(d, w_far, w_frr)
    )
    return np.asarray(np.sqrt(np.maximum(variance, 0.0)))


def null_variance(d: Discordant, w_far: float, w_frr: float) -> FloatArray:
    """Variance of V(first) - V(second) under no difference: w_far^2 m0 / N0^2 + w_frr^2 m1 / N1^2.

    m is the number of discordant trials of a class.
    """
    classes = classes_that_count(d, w_far, w_frr)
    return np.asarray(sum(w * w * (plus + minus) / (n * n) for w, plus, minus, n in classes))


def score_reach(d: float, variance: float, step: float, tail: float, df: float | None = None) -> float:
    """Return how far above a difference ``d`` its upper limit lies that leaves out ``tail``.

    As in Tango's score test the variance at a limit b is that of the likeliest discordant trials whose
    difference is b: with v that under no difference and h the step, how far one more such trial moves d,

        r^2 = (z^2 v + sqrt(z^4 v^2 + 4 L^2 h^2 b (b - d))) / 2,    r = b - d, L = log(1 / tail),

    hence r^3 = (z^2 v + L^2 h^2) r + L^2 h^2 d; between d and 0 it is z sqrt(v). L^2 in place of z^4 gives
    without any discordant trial r = L h, the rule of 3. Tango 1998;
    tests/features/gates/test_few_discordant.py has the exact error rates. z is the quantile of Student's t
    with ``df``, if given.
    """
    z = 0.0 if tail >= 0.5 else -float(ndtri(tail) if df is None else stdtrit(df, tail))
    plain, least = z * math.sqrt(variance), (math.log(tail) * step) ** 2
    if plain <= -d and d < 0:
        return plain
    total = plain**2 + least
    if not total > 0:
        return 0.0
    place = 1.5 * least * d / total * math.sqrt(3 / total)
    turn = math.cos(math.acos(max(place, -1.0)) / 3) if place <= 1 else math.cosh(math.acosh(place) / 3)
    return 2 * math.sqrt(total / 3) * turn


def classes_that_count(d: Discordant, w_far: float, w_frr: float) -> list[tuple[float, Any, Any, Any]]:
    """Weight, errors of the first only, errors of the second only and size, of each class that counts.

    A class without weight is left out, so that it may be empty.
    """
    both = [
        (w_far, d.nontarget_10, d.nontarget_01, d.n_nontarget),
        (w_frr, d.target_01, d.target_10, d.n_target),
    ]
    return [side for side in both if side[0] != 0]


def exact_p(d: Discordant, w_far: float, w_frr: float, *, mid: bool) -> float:
    """Exact two-sided p under exchangeability of the two decisions on every trial; methods 9.2.

    P(|T| >= |T_obs|) of T = w_far X0 / N0 + w_frr X1 / N1, X = 2 Bin(discordant, 1/2) - discordant.
    ``mid`` counts the mass at equality half. Without discordant trials 1.
    """
    sides = [
        (int(plus + minus), w / n, int(plus - minus))
        for w, plus, minus, n in classes_that_count(d, w_far, w_frr)
        if plus + minus > 0
    ]
    if not sides:
        return 1.0
    observed = abs(sum(step * surplus for _, step, surplus in sides))
    (n, large, _), (m, small, _) = [*sorted(sides, reverse=True), (0, 0.0, 0)][:2]
    tolerance = 1e-12 * (small * m + large * n)
    first, chance = binomial_half(m, TINY)
    shift = small * (2 * (first + np.arange(len(chance))) - m)
    at_least = _two_tails(shift, observed - tolerance, large, n)
    more = _two_tails(shift, observed + tolerance, large, n)
    # Sums in a fixed order: the last bits of a dot product depend on how many threads it takes.
    p, beyond = float((chance * at_least).sum()), float((chance * more).sum())
    return min(1.0, (p + beyond) / 2 if mid else p)


def _two_tails(shift: FloatArray, limit: float, step: float, n: int) -> FloatArray:
    """P(|shift + step X| >= limit) for X = 2 Bin(n, 1/2) - n, for every shift (step > 0)."""
    if limit <= 0:
        return np.ones(len(shift))
    first, chance = binomial_half(n, TINY)
    below = np.concatenate(([0.0], np.cumsum(chance)))  # below[k - first] = P(Bin < k); above by symmetry
    # X <= (-limit - shift) / step, i.e. Bin <= (n + that) / 2; X >= (limit - shift) / step likewise.
    low = np.floor((n + (-limit - shift) / step) / 2).astype(np.int64)
    high = np.ceil((n + (limit - shift) / step) / 2).astype(np.int64)
    at_most, at_least = (end.clip(first, first + len(chance)) - first for end in (low + 1, n - high + 1))
    return np.asarray(below[at_most] + below[at_least])


TINY = 1e-300
"""A level against which only what no float holds is nothing."""


@lru_cache(maxsize=16)
def binomial_half(m: int, level: float) -> tuple[int, FloatArray]:
    """The first place and the chances of Bin(m, 1/2), without tails that are nothing against ``level``."""
    half = math.ceil(math.sqrt(m * (40 - math.log(level)) / 2)) + 1
    low, high = max(0, m // 2 - half), min(m, m // 2 + half)
    k = np.arange(low, high)
    logs = np.concatenate(([0.0], np.cumsum(np.log((m - k) / (k + 1)))))
    chance = np.exp(logs - logs.max())
    return low, chance / chance.sum()


Formula = Callable[[Any, Any, Any, Any], FloatArray]

STEP = 1e-5
"""Step of the central differences, relative to the counts: their error is about the square of it."""


def difference_of(formula: Formula, d: Discordant) -> FloatArray:
    """V(first) - V(second); NaN where either is undefined."""
    return np.asarray(formula(*d.first) - formula(*d.second))


def standard_error_of(formula: Formula, d: Discordant) -> FloatArray:
    """Plug-in standard error sqrt(sum_r c_r psi_r^2), psi_r = dD / dc_r; trials drawn without strata.

    One psi for each joint outcome r with count c_r; methods 8.4. Derivatives are central differences.
    NaN where a derivative is undefined.
    """
    return np.asarray(np.sqrt(sum(count * psi * psi for count, psi in influences(formula, d))))


def influences(formula: Formula, d: Discordant) -> list[tuple[Any, Any]]:
    """Count c_r and influence psi_r = dD / dc_r of every joint outcome; methods 8.4."""
    first, second = _slopes(formula, d.first), _slopes(formula, d.second)
    n_target, n_nontarget = (np.asarray(n, dtype=np.float64) for n in (d.n_target, d.n_nontarget))
    targets = _joint(d.target_00, d.target_10, d.target_01, n_target)
    nontargets = _joint(d.nontarget_00, d.nontarget_10, d.nontarget_01, n_nontarget)
    # A target adds to the targets, and where it is rejected to the misses.
    of_targets = [
        (count, (1 - a) * first[0] + first[2] - (1 - b) * second[0] - second[2]) for count, a, b in targets
    ]
    # A non-target adds to the non-targets, and where it is accepted to the false alarms.
    return of_targets + [
        (count, a * first[1] + first[3] - b * second[1] - second[3]) for count, a, b in nontargets
    ]


def influences_of_one(formula: Formula, counts: tuple[Any, Any, Any, Any]) -> list[tuple[Any, Any]]:
    """Count and influence dV / dc of a model's four outcomes; ``counts`` as the measure takes them."""
    misses, false_alarms, n_target, n_nontarget = (np.asarray(count, dtype=np.float64) for count in counts)
    missed, accepted, target, nontarget = _slopes(formula, counts)
    return [
        (misses, missed + target),
        (n_target - misses, target),
        (false_alarms, accepted + nontarget),
        (n_nontarget - false_alarms, nontarget),
    ]


def _joint(neither: Any, first: Any, second: Any, n: Any) -> tuple[tuple[Any, int, int], ...]:
    """Counts of one class by whether the first and the second model accept."""
    return (neither, 0, 0), (first, 1, 0), (second, 0, 1), (n - neither - first - second, 1, 1)


def _slopes(formula: Formula, counts: tuple[Any, Any, Any, Any]) -> list[FloatArray]:
    """Partial derivatives of a measure by its four counts."""
    at = [np.asarray(count, dtype=np.float64) for count in counts]
    n_target, n_nontarget = (STEP * np.maximum(n, 1.0) for n in at[2:])
    # F1 and its kin add up errors of both classes: a step is small only relative to the smaller one.
    errors = np.minimum(n_target, n_nontarget)
    slopes = []
    for which, step in enumerate((errors, errors, n_target, n_nontarget)):
        up, down = list(at), list(at)
        up[which], down[which] = at[which] + step, at[which] - step
        with np.errstate(invalid="ignore"):  # beyond the edge of what can be counted a root is NaN
            slopes.append((np.asarray(formula(*up)) - np.asarray(formula(*down))) / (2 * step))
    return slopes


Trials = Literal["nontarget", "target", "all"]


def discordant_errors(d: Discordant, trials: Trials) -> tuple[int, int]:
    """Return the errors that only the first and only the second model makes, on one class or on all trials.

    Accepting alone is an error on a non-target, and right on a target.
    """
    pairs = {
        "nontarget": (int(d.nontarget_10), int(d.nontarget_01)),
        "target": (int(d.target_01), int(d.target_10)),
    }
    if trials != "all":
        return pairs[trials]
    return pairs["nontarget"][0] + pairs["target"][0], pairs["nontarget"][1] + pairs["target"][1]
