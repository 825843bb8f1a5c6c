"""How many trials would settle it: power, sample sizes and the differences within reach.

Tests are two-sided at ``level``, by the normal approximation. Power answers for a true difference that is
named beforehand; at the estimated one it only says p in other words. Standard errors fall as the root of
the number of units, trials of either class at their present ratio or clusters, if all parts of the error
grow alike: under the procedure of choosing thresholds the development set too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

from reporting.stats.placements import hanley_mcneil_se
from reporting.stats.solvers import root
from reporting.stats.special import nctdtr, ndtr, ndtri, owens_t, stdtrit

LARGEST = 2**62
"""More trials than this are not searched for."""
SLACK = 1e-9
"""A number of units this little above a whole one is that one."""

AreaError = Literal["normal", "hanley_mcneil", "obuchowski"]


class Trials(NamedTuple):
    """Numbers of trials of either class."""

    n_target: int
    n_nontarget: int


def scaled_se(se: float, n: float, planned: float) -> float:
    """Standard error with a planned number of units in place of n: SE sqrt(n / n'); planned > 0."""
    return se * math.sqrt(n / planned)


def power(
    difference: float, se: float, level: float, null_se: float | None = None, df: float | None = None
) -> float:
    """Power against a true difference: Phi((|D| - z SE0) / SE) + Phi((-|D| - z SE0) / SE).

    With ``df`` that of Student's test, by the noncentral t (SE0 = SE).

    SE is the standard error at D and SE0 (``null_se``) that without a difference, SE unless given.
    1 - level at D = 0 where the two agree; NaN unless both are above 0.
    """
    null_se = se if null_se is None else null_se
    if not (0 < se < math.inf and 0 < null_se < math.inf):
        return math.nan
    if df is not None:
        quantile, away = float(stdtrit(df, (1 + level) / 2)), abs(difference) / se
        other_side = float(
            nctdtr(df, away, -quantile)
        )  # at most Phi(-away); NaN where SciPy finds it too small
        return float(1 - nctdtr(df, away, quantile) + (0.0 if math.isnan(other_side) else other_side))
    reach = float(ndtri((1 + level) / 2)) * null_se
    return float(ndtr((abs(difference) - reach) / se) + ndtr((-abs(difference) - reach) / se))


def detectable(
    se: float, level: float, wanted: float = 0.8, null_se: float | None = None, df: float | None = None
) -> float:
    """The smallest true difference that is found with the wanted power: z SE0 + z_power SE, less a trifle.

    The trifle is the tail on the other side. At least 0; NaN unless the errors are above 0 and the power
    in (0, 1).
    """
    relative = 1.0 if null_se is None or not se > 0 else null_se / se
    reached = power(0.0, se, level, null_se, df)
    if not (0 < wanted < 1) or math.isnan(reached):
        return math.nan
    if reached >= wanted:
        return 0.0
    beyond = 1.0
    while power(beyond, 1.0, level, relative, df) < wanted:
        beyond *= 2
    return se * root(lambda d: power(d, 1.0, level, relative, df) - wanted, 0.0, beyond, 1e-12)


def times_needed(
    difference: float,
    se: float,
    level: float,
    wanted: float = 0.8,
    null_se: float | None = None,
    df: float | None = None,
) -> float:
    """How many times the present units find a true difference with the wanted power: (``detectable`` / D)^2.

    Below 1 where fewer would do; infinite at D = 0, NaN where ``detectable`` is. At a power of 1/2 the
    interval of D just excludes 0, if D stays what it is.
    """
    within = detectable(se, level, wanted, null_se, df)
    if difference == 0:
        return math.nan if math.isnan(within) else math.inf
    return (within / difference) ** 2


def needed(n: int, times: float) -> int | None:
    """The number of trials of a class, or of clusters, that is at least ``times`` n; None unless finite."""
    return math.ceil(n * times - SLACK) if math.isfinite(times) else None


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
    return power(p_10 - p_01, se, level, null_se)


def discordant_trials(p_10: float, p_01: float, level: float, wanted: float = 0.8) -> int | None:
    """Trials of a class at which McNemar's test has the wanted power, as ``discordant_power`` says.

    n = [z sqrt(q) + z_power sqrt(q - d^2)]^2 / d^2. None where p_10 = p_01, and where one of them is 1.
    Connor 1987.
    """
    se, null_se = discordant_errors(p_10, p_01, 1.0)
    return needed(1, times_needed(p_10 - p_01, se, level, wanted, null_se))


def discordant_detectable(discordant: float, n: float, level: float, wanted: float = 0.8) -> float:
    """The smallest paired difference of rates found with the wanted power at a share of discordant trials.

    In [0, discordant]; NaN where even all of them on one side are too few.
    """

    def lacking(d: float) -> float:
        return discordant_power((discordant + d) / 2, (discordant - d) / 2, n, level) - wanted

    if not (0 < discordant < 1 and 0 < wanted < 1 and lacking(discordant) >= 0):
        return math.nan
    return root(lacking, 0.0, discordant) if lacking(0.0) < 0 else 0.0


def area_se(area: float, n_target: float, n_nontarget: float, error: AreaError = "normal") -> float:
    """Planned standard error of an AUC A from class sizes; where scores are at hand, scale theirs instead.

    ``normal``: SE^2 = [A (1 - A) + (N1 + N0 - 2) (Q - A^2)] / (N1 N0), exact for two normal classes of one
    variance: Q is the chance that two normal variables of correlation 1/2 are both below Phi^-1(A).
    ``hanley_mcneil``: exponential scores; at an AUC of .8 and three non-targets a target 13 % above that.
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
    both = area - 2 * float(owens_t(h, math.sqrt(1 / 3))) - area * area
    part = area * (1 - area) + (n_target + n_nontarget - 2) * both
    return math.sqrt(part / (n_target * n_nontarget))


def area_power(
    area: float,
    n_target: float,
    n_nontarget: float,
    level: float,
    null: float = 0.5,
    error: AreaError = "normal",
) -> float:
    """Power to tell an AUC from a ``null`` one, chance unless given, with the errors that either has."""
    se, null_se = (area_se(a, n_target, n_nontarget, error) for a in (area, null))
    return power(area - null, se, level, null_se)


def area_trials(
    area: float,
    ratio: float,
    level: float,
    wanted: float = 0.8,
    null: float = 0.5,
    error: AreaError = "normal",
) -> Trials | None:
    """The fewest trials with ``ratio`` non-targets a target at which ``area_power`` is the wanted one.

    None where the AUC is the null one, and where either is 0 or 1, which have no planned error.
    """
    return _fewest(
        ratio, lambda n1, n0: area != null and area_power(area, n1, n0, level, null, error) >= wanted
    )


def area_trials_for_width(
    area: float, half_width: float, ratio: float, level: float, error: AreaError = "normal"
) -> Trials | None:
    """The fewest trials with ``ratio`` non-targets a target at which z SE of an AUC is ``half_width``."""
    z = float(ndtri((1 + level) / 2))
    return _fewest(ratio, lambda n1, n0: z * area_se(area, n1, n0, error) <= half_width)


def areas_se(
    first: float,
    second: float,
    correlation: float,
    n_target: float,
    n_nontarget: float,
    error: AreaError = "normal",
) -> float:
    """Planned standard error of a difference of AUCs on the same trials: sqrt(V1 + V2 - 2 r sqrt(V1 V2)).

    r is the correlation of the two estimated areas, as of DeLong's covariance, not of the scores.
    Hanley, McNeil 1983.
    """
    se_1, se_2 = (area_se(area, n_target, n_nontarget, error) for area in (first, second))
    return math.sqrt(max(se_1 * se_1 + se_2 * se_2 - 2 * correlation * se_1 * se_2, 0.0))


def areas_power(
    first: float,
    second: float,
    correlation: float,
    n_target: float,
    n_nontarget: float,
    level: float,
    error: AreaError = "normal",
) -> float:
    """Power to tell two AUCs on the same trials apart; the error is ``areas_se``, as of DeLong's test."""
    se = areas_se(first, second, correlation, n_target, n_nontarget, error)
    return power(first - second, se, level)


def areas_trials(
    first: float,
    second: float,
    correlation: float,
    ratio: float,
    level: float,
    wanted: float = 0.8,
    error: AreaError = "normal",
) -> Trials | None:
    """The fewest trials with ``ratio`` non-targets a target at which ``areas_power`` is the wanted one.

    None where the AUCs are equal, and where their difference has no planned error.
    """
    return _fewest(
        ratio,
        lambda n1, n0: (
            first != second and areas_power(first, second, correlation, n1, n0, level, error) >= wanted
        ),
    )


def _fewest(ratio: float, enough: Callable[[int, int], bool]) -> Trials | None:
    """The smallest classes that are enough, non-targets rounded up; None if no number of trials is."""

    def at(n1: int) -> Trials:
        return Trials(n1, math.ceil(ratio * n1 - SLACK))

    high = 1
    while not enough(*at(high)):
        high *= 2
        if high > LARGEST:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(*at(middle)) else (middle, high)
    return at(high)


def wilson_trials(rate: float, half_width: float, level: float) -> int | None:
    """Trials of a class at which the Wilson interval of a rate has at most this half-width.

    z^2 [p q - 2 h^2 + sqrt(p^2 q^2 - 4 p q h^2 + h^2)] / (2 h^2), rounded up; at least 1. None unless
    0 < h and the rate is in [0, 1].
    """
    if not (half_width > 0 and 0 <= rate <= 1):
        return None
    z, pq, h2 = float(ndtri((1 + level) / 2)), rate * (1 - rate), half_width**2
    # The root is real: p q <= 1 / 4.
    n = z * z * (pq - 2 * h2 + math.sqrt(pq * pq + h2 * (1 - 4 * pq))) / (2 * h2)
    return max(1, math.ceil(n - SLACK))


def trials_for_errors(rate: float, errors: int = 30) -> int | None:
    """Trials of a class that are expected to show so many errors: errors / rate; None at a rate of 0.

    The rule of 30: then the rate is within 30 % of its estimate at a level of 90 %. Doddington 1998.
    """
    return math.ceil(errors / rate - SLACK) if 0 < rate <= 1 else None


def trials_without_errors(rate: float, level: float) -> int | None:
    """Trials of a class that, all without error, bound the rate from above: log(1 - level) / log(1 - rate).

    About 3 / rate at 95 %, the rule of 3: the inverse of ``intervals.bound_without_errors``. None at 0.
    """
    if not 0 < rate <= 1:
        return None
    return 1 if rate == 1 else max(1, math.ceil(math.log1p(-level) / math.log1p(-rate) - SLACK))
