"""Equivalence and non-inferiority of two models, from a difference D = V(first) - V(second) and a margin.

``level`` is that of the one-sided tests, the error rate being 1 - level. A margin is positive, in the
units of the measure, and must be chosen before the data are seen.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from reporting.stats.intervals import Interval
from reporting.stats.special import ndtr, ndtri, stdtr, stdtrit

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

    For intervals that have width where a standard error is 0, such as Newcombe's. Schuirmann 1987.
    """
    inside = interval is not None and -margin < interval.low and interval.high < margin
    return "equivalent" if inside else "not_shown_equivalent"


def not_inferior_within(interval: Interval | None, margin: float, better: Better) -> NotInferior:
    """Say whether an interval at ``equivalence_level``, or a one-sided one, excludes worse by the margin."""
    inside = interval is not None and _worsening(interval, better).high < margin
    return "not_inferior" if inside else "inferior_or_unknown"


def tost(estimate: float, se: float, margin: float, level: float, df: float | None = None) -> Equivalence:
    """Test |D| < margin by two one-sided tests, normal or Student's t with ``df`` degrees of freedom.

    p = P(T > (margin - |D|) / SE); the interval is D -+ q SE with the quantile q of ``level``. Without a
    standard error above 0 nothing is shown: no discordant trial among few is not equivalence. Schuirmann
    1987.
    """
    if not (math.isfinite(estimate) and 0 < se < math.inf):
        return Equivalence("not_shown_equivalent", math.nan, None)
    half = _quantile(level, df) * se
    interval = Interval(estimate - half, estimate + half)
    p = _upper_tail((margin - abs(estimate)) / se, df)
    return Equivalence(equivalent_within(interval, margin), p, interval)


def non_inferiority(
    estimate: float, se: float, margin: float, level: float, better: Better, df: float | None = None
) -> NonInferiority:
    """Test that the first model is not worse by the margin: D < margin where lower is better, or D > -margin.

    One-sided, normal or Student's t with ``df`` degrees of freedom; the interval reaches from the good
    side to the bound at ``level``. A margin of 0 asks for superiority. Without a standard error above 0
    nothing is shown.
    """
    if not (math.isfinite(estimate) and 0 < se < math.inf):
        return NonInferiority("inferior_or_unknown", math.nan, None)
    half = _quantile(level, df) * se
    worse = estimate if better == "lower" else -estimate
    p = _upper_tail((margin - worse) / se, df)
    one_sided = _worsening(Interval(-math.inf, worse + half), better)
    return NonInferiority(not_inferior_within(one_sided, margin, better), p, one_sided)


def _worsening(interval: Interval, better: Better) -> Interval:
    """An interval of D as one of how much worse the first is, and back."""
    return interval if better == "lower" else Interval(-interval.high, -interval.low)


def _quantile(share: float, df: float | None) -> float:
    return float(ndtri(share) if df is None else stdtrit(df, share))


def _upper_tail(t: float, df: float | None) -> float:
    return float(ndtr(-t) if df is None else stdtr(df, -t))
