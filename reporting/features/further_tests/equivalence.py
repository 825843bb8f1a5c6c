"""Equivalence and non-inferiority of two models, from a difference D = V(first) - V(second) and a margin.

``level`` is that of the one-sided tests, the error rate being 1 - level. A margin is positive, in the
units of the measure, and must be chosen before the data are seen.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from reporting.core.resampling.margins import OneSided
from reporting.core.stats.intervals import Interval

Better = Literal["lower", "higher"]
Verdict = Literal["equivalent", "not_shown_equivalent", "not_inferior", "inferior_or_unknown"]


class AgainstMargin(NamedTuple):
    """The verdict on a difference and a margin, its p, and the interval dual to it."""

    verdict: Verdict
    p: float
    interval: Interval | None


def equivalence_level(level: float) -> float:
    """The level of the two-sided interval dual to two one-sided tests at ``level``: 1 - 2 (1 - level)."""
    return 2 * level - 1


def tost(difference: OneSided | None, margin: float, level: float) -> AgainstMargin:
    """Test |D| < margin by two one-sided tests; None shows nothing.

    p is the larger of the two, and the interval is that of ``equivalence_level``: the models are equivalent
    where it lies strictly within -margin and margin. Schuirmann 1987.
    """
    if difference is None:
        return AgainstMargin("not_shown_equivalent", math.nan, None)
    interval = Interval(difference.lower(1 - level), difference.upper(1 - level))
    p = max(difference.p_below(margin), difference.p_above(-margin))
    inside = -margin < interval.low and interval.high < margin
    return AgainstMargin("equivalent" if inside else "not_shown_equivalent", p, interval)


def non_inferiority(
    difference: OneSided | None, margin: float, level: float, better: Better
) -> AgainstMargin:
    """Test that the first model is not worse by the margin: D < margin where lower is better, or D > -margin.

    The interval reaches from the good side to the bound at ``level``. A margin of 0 asks for superiority.
    None shows nothing.
    """
    if difference is None:
        return AgainstMargin("inferior_or_unknown", math.nan, None)
    if better == "lower":
        p, interval = difference.p_below(margin), Interval(-math.inf, difference.upper(1 - level))
        inside = interval.high < margin
    else:
        p, interval = difference.p_above(-margin), Interval(difference.lower(1 - level), math.inf)
        inside = -margin < interval.low
    return AgainstMargin("not_inferior" if inside else "inferior_or_unknown", p, interval)
