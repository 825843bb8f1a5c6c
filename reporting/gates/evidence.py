"""What the data say of one number, and what always valid gates have seen of it in all looks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from reporting.codes import CiMethod
from reporting.gates.gate import Side
from reporting.stats.betting import (
    Capital,
    Stream,
    log_e,
    log_e_above,
    lower_limit,
    stake,
    upper_limit,
)
from reporting.stats.equivalence import Bounded


class Evidence(Bounded, Protocol):
    """An estimate with its standard error, tests and limits; a limit is NaN where the data allow none."""

    @property
    def estimate(self) -> float:
        """The number itself."""

    @property
    def se(self) -> float:
        """Its standard error, for planning; 0 where there is none."""

    @property
    def method(self) -> CiMethod:
        """How limits are made."""


@dataclass(frozen=True)
class State:
    """What earlier looks have left: the capital against either side, the looks, and the trials they used."""

    e_pass: float = 1.0
    e_fail: float = 1.0
    looks: int = 0
    trials_used: int = 0


Night = tuple[Stream, ...]
"""The new trials of one look, by class."""


@dataclass(frozen=True)
class Looks:
    """All looks so far: the new trials of each, and ``estimate`` and ``se`` of all of them.

    Limits are a confidence sequence. They leave out the numbers against which the capital of all looks has
    reached 1 / tail, and so the bound where the verdict says so; where the number is the same at each look,
    they hold it at all of them together with the confidence stated.
    """

    state: State
    nights: tuple[Night, ...]
    n_new: int
    """Trials of this look that no earlier one has used."""
    ceiling: float
    estimate: float
    se: float
    method: CiMethod = "betting"

    @property
    def e_pass(self) -> float:
        """The capital against "not on the good side"."""
        return self.state.e_pass

    @property
    def e_fail(self) -> float:
        """The capital against "not on the bad side"."""
        return self.state.e_fail

    @property
    def trials_used(self) -> int:
        """Trials of all looks."""
        return self.state.trials_used

    def upper(self, tail: float) -> float:
        """The limit above the number; NaN before any look."""
        return upper_limit(self.nights, -math.log(tail), self.ceiling) if self.nights else math.nan

    def lower(self, tail: float) -> float:
        """The limit below the number; NaN before any look."""
        return lower_limit(self.nights, -math.log(tail), self.ceiling) if self.nights else math.nan

    def times_more(self, bound: float, tail: float, owned: float) -> float:
        """How many times the trials of all looks it takes: with each log E grows by (D - b)^2 / (2 SE^2)."""
        if not (self.se > 0 and math.isfinite(self.estimate)):
            return math.nan
        growth = ((self.estimate - bound) / self.se) ** 2 / 2
        lacking = max(-math.log(tail) - math.log(max(owned, stake(self.state.looks + 1))), 0.1)
        return lacking / growth if growth > 0 else math.inf


def look(
    before: State,
    earlier: Sequence[Night],
    streams: Sequence[Stream],
    side: Side,
    bound: float,
    ceiling: float,
) -> Looks:
    """Add tonight's new trials to the capital; without any, nothing changes and no look is counted.

    ``ceiling`` is the capital that decides the gate on its own among all gates of a report: more is not
    carried on, so that a verdict does not outlive what the next looks find.
    """
    kept, nights = tuple(streams), tuple(earlier)
    n_new = sum(int(stream.n) for stream in kept)
    if not n_new:
        return Looks(before, nights, 0, ceiling, *_of_all(nights))
    against_low, against_high = float(log_e(kept, bound)), float(log_e_above(kept, bound))
    gained_pass, gained_fail = (against_high, against_low) if side == "below" else (against_low, against_high)
    passing = Capital(before.e_pass, before.looks).after(gained_pass, ceiling)
    failing = Capital(before.e_fail, before.looks).after(gained_fail, ceiling)
    after = State(passing.value, failing.value, passing.looks, before.trials_used + n_new)
    nights = (*nights, kept)
    return Looks(after, nights, n_new, ceiling, *_of_all(nights))


def _of_all(nights: Sequence[Night]) -> tuple[float, float]:
    """The weighted sum of the means of x over both classes of all looks, and its standard error."""
    estimate, variance = 0.0, 0.0
    for of_class in zip(*nights, strict=True):
        weight = of_class[0].weight
        if weight > 0:
            plus, minus, n = (sum(int(getattr(s, name)) for s in of_class) for name in ("plus", "minus", "n"))
            mean = (plus - minus) / n if n else math.nan
            estimate += weight * mean
            variance += weight**2 * ((plus + minus) / n - mean**2) / n if n else math.nan
    return (estimate, math.sqrt(max(variance, 0.0))) if nights else (math.nan, math.nan)
