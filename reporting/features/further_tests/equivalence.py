"""Equivalence and non-inferiority of two models, from a difference D = V(first) - V(second) and a margin.

``level`` is that of the one-sided tests, the error rate being 1 - level. A margin is positive, in the
units of the measure, and must be chosen before the data are seen.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from reporting.core.stats.intervals import Bounded, Interval

Better = Literal["lower", "higher"]
Equivalent = Literal["equivalent", "not_shown_equivalent"]
NotInferior = Literal["not_inferior", "inferior_or_unknown"]


class Equivalence(NamedTuple):
    """The verdict on |D| < margin, its p, and the interval dual to it."""

    verdict: Equivalent
    p: float
    interval: Interval | None


class NonInferiority(NamedTuple):
    """The verdict on "the first is not worse by the margin", its p, and the one-sided interval of D."""

    verdict: NotInferior
    p: float
    interval: Interval | None


def equivalence_level(level: float) -> float:
    """The level of the two-sided interval dual to two one-sided tests at ``level``: 1 - 2 (1 - level)."""
    return 2 * level - 1


def equivalent_within(interval: Interval | None, margin: float) -> Equivalent:
    """Say whether an interval at ``equivalence_level`` lies strictly within -margin and margin.

    Schuirmann 1987.
    """
    inside = interval is not None and -margin < interval.low and interval.high < margin
    return "equivalent" if inside else "not_shown_equivalent"


def not_inferior_within(interval: Interval | None, margin: float, better: Better) -> NotInferior:
    """Say whether an interval at ``equivalence_level``, or a one-sided one, excludes worse by the margin."""
    inside = interval is not None and (interval.high if better == "lower" else -interval.low) < margin
    return "not_inferior" if inside else "inferior_or_unknown"


def tost(difference: Bounded | None, margin: float, level: float) -> Equivalence:
    """Test |D| < margin by two one-sided tests; None shows nothing.

    p is the larger of the two, and the interval is that of ``equivalence_level``. Schuirmann 1987.
    """
    if difference is None:
        return Equivalence("not_shown_equivalent", math.nan, None)
    interval = Interval(difference.lower(1 - level), difference.upper(1 - level))
    p = max(difference.p_below(margin), difference.p_above(-margin))
    return Equivalence(equivalent_within(interval, margin), p, interval)


def non_inferiority(
    difference: Bounded | None, margin: float, level: float, better: Better
) -> NonInferiority:
    """Test that the first model is not worse by the margin: D < margin where lower is better, or D > -margin.

    The interval reaches from the good side to the bound at ``level``. A margin of 0 asks for superiority.
    None shows nothing.
    """
    if difference is None:
        return NonInferiority("inferior_or_unknown", math.nan, None)
    if better == "lower":
        p, one_sided = difference.p_below(margin), Interval(-math.inf, difference.upper(1 - level))
    else:
        p, one_sided = difference.p_above(-margin), Interval(difference.lower(1 - level), math.inf)
    return NonInferiority(not_inferior_within(one_sided, margin, better), p, one_sided)
