"""What curves show, in words that are true of their frame: over which stretch one model is in the lead."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.base.records import dataclass
from reporting.document.charts.beyond import plain

ENOUGH = 0.4
"""A lead is worth a title where it takes so much of the axis."""

Curves = Mapping[str, tuple[FloatArray, FloatArray]]
"""x, which never falls, and y by model: straight between their corners, vertical where x stays."""


@dataclass(frozen=True)
class Lead:
    """A stretch of x over which one model is ahead of all others, or has reached what none can exceed."""

    model: str
    low: float
    high: float


def lead(
    curves: Curves, low: float, high: float, place: Callable[[float], float], *, best: float, highest: bool
) -> Lead | None:
    """Return the longest lead between two places, by its length on the axis; None below ``ENOUGH`` of it.

    ``best`` is the value that no curve can exceed: a model that has it is ahead although others have it too,
    but not where another has it as far.
    """
    if len(curves) < 2:
        return None
    sign = -1.0 if highest else 1.0
    at, ends = _between_corners(curves, low, high, sign)
    of_others = _least_of_others(ends)
    stretches = [
        Lead(model, float(at[first]), float(at[last]))
        for model, mine in ends.items()
        for first, last in _runs(np.all((mine < of_others[model]) | (mine <= sign * best), axis=0))
    ]
    length = {run: place(run.high) - place(run.low) for run in stretches}
    longest = max(stretches, key=length.__getitem__, default=None)
    if longest is None or length[longest] < ENOUGH * (place(high) - place(low)):
        return None
    there = [run for run in stretches if (run.low, run.high) == (longest.low, longest.high)]
    # Two that both have the best value are not ahead of each other.
    return longest if len(there) == 1 else None


def on_balance(curves: Curves, model: str, low: float, high: float, *, highest: bool) -> bool:
    """Return whether a model is ahead of the best of all others by the area between the curves.

    A lead over a long stretch means little where it is a trial or two, and another leads by more elsewhere.
    """
    sign = -1.0 if highest else 1.0
    at, ends = _between_corners(curves, low, high, sign)
    ahead = (_least_of_others(ends)[model] - ends[model]).mean(axis=0)
    return float(ahead @ np.diff(at)) > 0


def _between_corners(
    curves: Curves, low: float, high: float, sign: float
) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Return the corners of all curves between two places, and what each curve has around every gap."""
    at = np.unique(np.concatenate([[low, high], *(x for x, _ in curves.values())]))
    at = at[(at >= low) & (at <= high)]
    return at, {model: _ends(x, sign * y, at) for model, (x, y) in curves.items()}


def _ends(x: FloatArray, y: FloatArray, at: FloatArray) -> FloatArray:
    """Return the values just after the left end and just before the right end of every gap between places."""
    left, right = at[:-1], at[1:]
    after = np.clip(np.searchsorted(x, (left + right) / 2), 1, len(x) - 1)
    x0, x1, y0, y1 = x[after - 1], x[after], y[after - 1], y[after]
    slope = (y1 - y0) / np.where(x1 > x0, x1 - x0, 1.0)
    ends = [y0 + slope * (np.clip(place, x0, x1) - x0) for place in (left, right)]
    return np.asarray(ends, dtype=np.float64)


def _least_of_others(ends: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    first, second, leader = None, None, None
    for number, values in enumerate(ends.values()):
        if first is None or second is None or leader is None:
            first, second = values, np.full_like(values, np.inf)
            leader = np.zeros(values.shape, dtype=np.int64)
            continue
        ahead = values < first
        second = np.where(ahead, first, np.minimum(second, values))
        first, leader = np.where(ahead, values, first), np.where(ahead, number, leader)
    if first is None or second is None or leader is None:
        return {}
    return {model: np.where(leader == number, second, first) for number, model in enumerate(ends)}


def _runs(inside: FloatArray) -> list[tuple[int, int]]:
    """Return first and last place of every run of gaps that are inside."""
    padded = np.concatenate(([0], inside.astype(np.int64), [0]))
    changes = np.flatnonzero(np.diff(padded))
    return [(int(a), int(b)) for a, b in zip(changes[::2], changes[1::2], strict=True)]


def between(ahead: Lead, low: float, high: float, printed: Callable[[float, bool], str]) -> str:
    """Return where a lead is, of what runs from ``low`` to ``high``, to follow ``at every ...``."""
    start, end = printed(ahead.low, True), printed(ahead.high, False)
    if ahead.low <= low and ahead.high >= high:
        return ""
    if ahead.high >= high:
        return f" above {start}"
    return f" below {end}" if ahead.low <= low else f" from {start} to {end}"


def percent_inward(share: float, upwards: bool) -> str:
    """Print a share in percent to two digits, rounded so that a stretch that it ends becomes no longer."""
    return f"{inward(100 * share, upwards)}%"


def inward(value: float, upwards: bool) -> str:
    """Print a number to two digits, rounded so that a stretch that it ends becomes no longer."""
    if value == 0:
        return "0"
    step = 10.0 ** (math.floor(math.log10(abs(value))) - 1)
    steps = math.ceil(value / step - 1e-9) if upwards else math.floor(value / step + 1e-9)
    return plain(steps * step, 2)
