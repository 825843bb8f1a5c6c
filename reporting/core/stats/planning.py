"""How many trials would settle it: power, sample sizes and the differences within reach.

Tests are two-sided at ``level``, by the normal approximation, unless a function differs. Power answers
for a true difference that is named beforehand; at the estimated one it only repeats p. Standard
errors fall as the root of the number of units, trials of either class at their present ratio or clusters, if
all parts of the error grow alike: under the procedure of choosing thresholds the development set too.

Rates are planned in ``planned_rates``, areas and other numbers of whole curves in ``planned_areas``.
"""

from __future__ import annotations

import math

from reporting.core.stats.solvers import root
from reporting.core.stats.special import nctdtr, ndtr, ndtri, stdtrit

LARGEST = 2**62
"""More trials than this are not searched for."""
SLACK = 1e-9
"""A number of units this little above a whole one is that one."""


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
