"""How many trials a rate needs: for the width of its interval, a bound, or the detection of a difference.

Powers are exact sums over the binomial distribution, of the tests and intervals that a report makes; the
normal approximations that are published have names of their own. Trials are independent: ``planned_sizes``
has how many independent ones those of clusters are worth. Exact power runs in teeth, because counts are
whole numbers: here a size has the least power that it and all larger ones have.
"""

from __future__ import annotations

import math
from bisect import bisect_left

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.core.stats import planning
from reporting.core.stats.effective_size import VERY_FEW, wilson_limits
from reporting.core.stats.special import betainc, betaincinv, gammaln, ndtri, xlog1py, xlogy
from reporting.features.planning import planned_sizes

FAR_OUT = 12.0
"""Counts so many standard deviations from their mean, and ``NEARBY`` more, are not summed over."""
NEARBY = 60
MANY = 1e7
"""From so large a variance of the count on, its spread no longer matters: 1e-4 of a width, or a power."""


def likely_counts(rate: float, n: int) -> tuple[IntArray, FloatArray]:
    """Counts of a binomial that can matter, and the chance of each; n >= 0."""
    room = FAR_OUT * math.sqrt(n * rate * (1 - rate)) + NEARBY
    k = np.arange(max(0, math.floor(n * rate - room)), min(n, math.ceil(n * rate + room)) + 1)
    log = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + xlogy(k, rate) + xlog1py(n - k, -rate)
    return k, np.exp(log)


def at_most(errors: int, n: int, rate: float) -> float:
    """The chance of at most so many errors in n trials; 0 for a negative number."""
    if errors < 0:
        return 0.0
    return 1.0 if errors >= n else float(betainc(n - errors, errors + 1, 1 - rate))


def expected_width(rate: float, n: int, level: float) -> float:
    """Mean width, over samples of n independent trials, of a report's interval of a rate; n > 0.

    Wilson's interval, and that of Clopper and Pearson where at most ``VERY_FEW`` are errors, or right.
    """
    z = float(ndtri((1 + level) / 2))
    if n * rate * (1 - rate) > MANY:
        low, high = wilson_limits(rate, float(n), z)
        return float(high - low)
    k, chance = likely_counts(rate, n)
    low, high = wilson_limits(k / n, float(n), z)
    widths = np.asarray(high - low)
    few = np.minimum(k, n - k) <= VERY_FEW
    tail, errors = (1 - level) / 2, k[few]
    none, all_wrong = errors == 0, errors == n
    down = np.where(none, 0.0, betaincinv(np.maximum(errors, 1), n - errors + 1, tail))
    up = np.where(all_wrong, 1.0, betaincinv(errors + 1, np.maximum(n - errors, 1), 1 - tail))
    widths[few] = up - down
    return float((chance * widths).sum() / chance.sum())


def most_errors(bound: float, n: int, level: float) -> int:
    """The most errors in n trials with which the upper limit of the rate is at most ``bound``; -1: none.

    The one-sided limit of Clopper and Pearson: P(X <= k) <= 1 - level where the rate is the bound.
    """
    if at_most(0, n, bound) > 1 - level + SLIGHT:
        return -1
    return bisect_left(range(1, n), True, key=lambda errors: at_most(errors, n, bound) > 1 - level + SLIGHT)


SLIGHT = 1e-13
"""A chance this little above an allowed one is that one."""


def trials_for_errors_within(bound: float, level: float, errors: int = 0) -> int | None:
    """The fewest trials with which so many errors still put the upper limit of a rate at ``bound``.

    Without errors log(1 - level) / log(1 - bound), about 3 / bound at 95%, the rule of 3. 0 < bound < 1.
    """
    return planned_sizes.fewest(lambda n: at_most(errors, n, bound) <= 1 - level + SLIGHT, errors + 1)


def lasting_bound_power(rate: float, bound: float, n: int, level: float) -> float:
    """The least ``bound_power`` of n trials and more, rate < bound: just before one more error is allowed.

    P(X <= k) falls with n as long as k errors are allowed, and rises where one more is.
    """
    allowed = most_errors(bound, n, level)
    if allowed < 0:
        return 0.0
    following = trials_for_errors_within(bound, level, allowed + 1)
    return 0.0 if following is None else at_most(allowed, following - 1, rate)


def against_power(rate: float, fixed: float, n: int, level: float) -> float:
    """The least power of n trials and more to find a rate other than a fixed one, two-sided at ``level``.

    The exact test that is dual to the interval of Clopper and Pearson; the far tail has no part in it.
    """
    one_sided = (1 + level) / 2
    if rate > fixed:
        return lasting_bound_power(1 - rate, 1 - fixed, n, one_sided)
    return lasting_bound_power(rate, fixed, n, one_sided)


def paired_power(p_10: float, p_01: float, n: int, level: float, margin: float | None = None) -> float:
    """Power of a report's test of two rates on the same n trials: exact.

    p_10 and p_01 are the shares of trials that only the first, or only the second, gets wrong; D is their
    difference, and its standard error sqrt(m - x^2 / n) / n with m discordant trials and x = n D. Two-sided
    at ``level``: |D| > z SE; without discordant trials nothing is shown. With a ``margin`` one-sided, that
    the first is not worse by it: the upper limit of ``paired.score_reach`` is below the margin. NaN where the
    shares are none of one whole.
    """
    if not (p_10 >= 0 and p_01 >= 0 and p_10 + p_01 <= 1):
        return math.nan
    if p_10 + p_01 == 0:
        return 0.0 if margin is None else float(-math.log1p(-level) < n * margin)
    if n * (p_10 + p_01) > MANY:
        se, _ = discordant_errors(p_10, p_01, n)
        d = p_10 - p_01
        return (
            planning.power(d, se, level)
            if margin is None
            else planned_sizes.power_of_bound(margin - d, se, level)
        )
    m, chance = likely_counts(p_10 + p_01, n)
    first = p_10 / (p_10 + p_01)
    if margin is None:
        z2 = float(ndtri((1 + level) / 2)) ** 2
        most = _behind(m, np.sqrt(z2 * m / (1 + z2 / n)))
        return float((chance * (_at_most(most, m, 1 - first) + _at_most(most, m, first)))[m > 0].sum())
    return float((chance * _at_most(_behind(m, _lead(m, n, level, margin)), m, first)).sum())


def _behind(m: IntArray, lead: FloatArray) -> FloatArray:
    """The most errors of the first among m discordant trials where it is ahead by more than so many."""
    return np.asarray(np.ceil((m - lead) / 2 - SLIGHT) - 1)


def _lead(m: IntArray, n: int, one_sided: float, margin: float) -> FloatArray:
    """By how many of m discordant trials the first must be ahead for an upper limit below the margin M.

    At the limit b = M of ``paired.score_reach``, the reach R in trials has R^3 = z^2 m R + L^2 n M; and
    R = z sqrt(m) where the limit is below 0.
    """
    z2m, l2nm = float(ndtri(one_sided)) ** 2 * m, math.log1p(-one_sided) ** 2 * n * margin
    third = np.sqrt(np.maximum(z2m, 1e-9) / 3)
    turn = l2nm / (2 * third**3)
    single, of_three = np.arccosh(np.maximum(turn, 1.0)), np.arccos(np.minimum(turn, 1.0))
    reach = 2 * third * np.where(turn < 1, np.cos(of_three / 3), np.cosh(single / 3))  # real roots
    return np.asarray(np.minimum(reach - n * margin, np.sqrt(z2m)))


def _at_most(errors: FloatArray, n: IntArray, rate: float) -> FloatArray:
    """The chances of at most so many errors in n trials, each with its own numbers."""
    inside = (errors >= 0) & (errors < n)
    k = np.where(inside, errors, 0.0)
    within = betainc(np.where(inside, n - k, 1.0), k + 1, 1 - rate)
    return np.where(inside, within, np.where(errors < 0, 0.0, 1.0))


def discordant_of(rate: float, other: float, correlation: float) -> tuple[float, float]:
    """Shares of trials that only the first, or only the second, gets wrong, from the correlation of errors.

    P(both) = p1 p2 + r sqrt(p1 q1 p2 q2). A share below 0 is impossible with these rates.
    """
    both = rate * other + correlation * math.sqrt(rate * (1 - rate) * other * (1 - other))
    return rate - both, other - both


def unpaired_power(rate: float, other: float, n: float, level: float, margin: float | None = None) -> float:
    """Power to find two rates of different samples, n trials each: z test, its null variance pooled.

    With a ``margin`` one-sided, that the first is not worse by it: the variance is that of both rates.
    """
    se = math.sqrt((rate * (1 - rate) + other * (1 - other)) / n)
    if margin is not None:
        return planned_sizes.power_of_bound(margin - (rate - other), se, level)
    pooled = (rate + other) / 2
    return planning.power(rate - other, se, level, math.sqrt(2 * pooled * (1 - pooled) / n))


def discordant_errors(p_10: float, p_01: float, n: float) -> tuple[float, float]:
    """Standard errors of a paired difference of rates p_10 - p_01 over n trials: at it, and without one.

    sqrt((q - d^2) / n) and sqrt(q / n), q = p_10 + p_01 the share of discordant trials; n > 0. The second
    is the error of McNemar's test. NaN where p_10 and p_01 are no shares of one whole.
    """
    if not (p_10 >= 0 and p_01 >= 0 and p_10 + p_01 <= 1):
        return math.nan, math.nan
    q, d = p_10 + p_01, p_10 - p_01
    return math.sqrt(max(q - d * d, 0.0) / n), math.sqrt(q / n)


def discordant_power(p_10: float, p_01: float, n: float, level: float) -> float:
    """Power of McNemar's test over n trials of a class, from the shares of either kind of discordant trial.

    ``power`` at ``discordant_errors``: within .03 of the mid-p test's where 20 or more discordant trials are
    expected, and above the exact test's; with 8 to 12 of them up to .1 below the former near .8. Connor 1987.
    """
    se, null_se = discordant_errors(p_10, p_01, n)
    return planning.power(p_10 - p_01, se, level, null_se)


def upper_limit(errors: int, n: int, level: float) -> float:
    """One-sided upper limit of a rate with so many errors in n trials, n > 0 (Clopper, Pearson)."""
    return 1.0 if errors >= n else float(betaincinv(errors + 1, n - errors, level))
