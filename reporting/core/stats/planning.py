"""How many trials would settle it: power, sample sizes and the differences within reach.

Tests are two-sided at ``level``, by the normal approximation, unless a function differs. Power answers
for a true difference that is named beforehand; at the estimated one it only repeats p. Standard
errors fall as the root of the number of units, trials of either class at their present ratio or clusters, if
all parts of the error grow alike: under the procedure of choosing thresholds the development set too.

Rates are planned in ``planned_rates``, areas and other numbers of whole curves in ``planned_areas``.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from reporting.core.stats.solvers import root
from reporting.core.stats.special import nctdtr, ndtr, ndtri, stdtrit

LARGEST = 2**62
"""More trials than this are not searched for."""
SLACK = 1e-9
"""A number of units this little above a whole one is that one."""


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


def power_of_bound(distance: float, se: float, level: float, df: float | None = None) -> float:
    """Power of a one-sided test at ``level`` whose bound is a true ``distance`` away: Phi(distance / SE - z).

    Of non-inferiority the distance is the margin less the true worsening. With ``df`` that of Student's test,
    by the noncentral t. 1 - level at a distance of 0; NaN unless SE is above 0.
    """
    if not 0 < se < math.inf:
        return math.nan
    if df is None:
        return float(ndtr(distance / se - float(ndtri(level))))
    return float(1 - nctdtr(df, distance / se, float(stdtrit(df, level))))


def times_to_bound(distance: float, se: float, tail: float, wanted: float) -> float:
    """How many times the present units give ``power_of_bound`` a power: ((z_tail + z_power) SE / distance)^2.

    Distances below 1e-9 standard errors are taken as such.
    """
    return (float(ndtri(1 - tail) + ndtri(wanted)) / max(distance / se, 1e-9)) ** 2


def fewest(enough: Callable[[int], bool], least: int = 1) -> int | None:
    """The smallest whole number from ``least`` on that is enough; None if none up to ``LARGEST`` is.

    What is enough must stay so for every larger number.
    """
    high = least
    while not enough(high):
        high = 2 * high + 1
        if high > LARGEST:
            return None
    low = max(least - 1, (high - 1) // 2) if high > least else least - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def of_other_class(n_target: float, ratio: float) -> int:
    """Non-targets that go with a number of targets, at ``ratio`` of them a target; rounded up."""
    return max(1, math.ceil(ratio * n_target - SLACK))


def cluster_effect(size: float, correlation: float) -> float:
    """Design effect of clusters of one size: 1 + (m - 1) r, r the correlation within them. Kish 1965."""
    return 1 + (size - 1) * correlation


def crossed_effect(clusters: float, per_pair: float, correlation: float) -> float:
    """Design effect of all pairs of S clusters, with K trials a pair: 1 + 2 r (K - 1 + K (S - 2)).

    r is the correlation of two trials that share one cluster; two trials of one pair share both, and have
    2 r, as where the effects of clusters add up. r is at most 1/2.
    """
    return 1 + 2 * correlation * (per_pair * (clusters - 1) - 1)


def pairs_of(clusters: int, per_pair: int) -> int:
    """Trials of all pairs of S clusters: K S (S - 1) / 2."""
    return per_pair * clusters * (clusters - 1) // 2


def worth(n: float, effect: float, df: float | None, tail: float) -> float:
    """Independent trials that n dependent ones are worth to an interval: n / effect (z / t)^2.

    ``effect`` is the design effect; z and t leave ``tail`` above them, t with ``df`` degrees of freedom
    (None: normal). Korn, Graubard 1998; ``EffectiveRate`` has the same.
    """
    z = float(ndtri(1 - tail))
    return n / effect * (1.0 if df is None else (z / float(stdtrit(df, 1 - tail))) ** 2)
