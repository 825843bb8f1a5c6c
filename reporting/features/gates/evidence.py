"""What the data say of one number, and what always valid gates have seen of it in all looks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from reporting.base.codes import CiMethod
from reporting.base.records import dataclass
from reporting.features.gates import betting
from reporting.features.gates.keys import Side

HOPELESS = 1000.0
"""So many times the present data are no plan: the estimate equals the bound."""


class Evidence(Protocol):
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

    def p_below(self, bound: float) -> float:
        """One-sided p of "at least the bound"."""

    def p_above(self, bound: float) -> float:
        """One-sided p of "at most the bound"."""

    def upper(self, tail: float) -> float:
        """The limit above which the number lies with at most this chance."""

    def lower(self, tail: float) -> float:
        """The limit below which the number lies with at most this chance."""


@dataclass(frozen=True)
class State:
    """What looks have left: the wealth, how many they are, and the trials they used.

    ``e_pass`` is the wealth against "not on the good side", ``e_fail`` that against "not on the bad side".
    """

    e_pass: float = 1.0
    e_fail: float = 1.0
    looks: int = 0
    trials_used: int = 0


@dataclass(frozen=True)
class Looks:
    """All looks so far: the new units of each, and ``estimate`` and ``se`` of all of them.

    Limits are a confidence sequence. They leave out the numbers against which the wealth of all looks has
    reached 1 / tail, and so the bound where the gate passes or fails; where the number is the same at each
    look, they hold it at all of them together with the confidence stated.
    """

    state: State
    nights: tuple[betting.Night, ...]
    n_new: int
    """Units of this look that no earlier one has used."""
    ceiling: float
    estimate: float
    se: float
    method: CiMethod = "betting"

    @property
    def units_used(self) -> int:
        """Units of all looks."""
        return sum(night.n_units for night in self.nights)

    def upper(self, tail: float) -> float:
        """The limit above the number; NaN before any look."""
        return betting.upper_limit(self.nights, -math.log(tail), self.ceiling) if self.nights else math.nan

    def lower(self, tail: float) -> float:
        """The limit below the number; NaN before any look."""
        return betting.lower_limit(self.nights, -math.log(tail), self.ceiling) if self.nights else math.nan

    def times_more(self, bound: float, tail: float, owned: float) -> float:
        """How many times the units of all looks decide in the next one, by the bets that these allow."""
        if not (self.nights and self.se > 0 and math.isfinite(self.estimate)):
            return math.nan
        lacking = max(-math.log(tail) - math.log(max(owned, betting.stake(self.state.looks + 1))), 0.1)
        units = betting.together(self.nights)
        if self.estimate < bound:
            units, bound = units.reversed, 0.0 - bound
        return betting.times_to_gain(units, bound, lacking, HOPELESS)


def look(
    before: State,
    earlier: Sequence[betting.Night],
    night: betting.Night,
    side: Side,
    bound: float,
    ceiling: float,
) -> Looks:
    """Add tonight's new units to the wealth; without any, nothing changes and no look is counted.

    ``ceiling`` is the wealth that decides the gate on its own among all gates of a report: more is not
    carried on, so that a verdict does not outlive what the next looks find.
    """
    if not night.n_units:
        return Looks(before, tuple(earlier), 0, ceiling, *betting.pooled(earlier))
    against_low, against_high = float(betting.log_e(night, bound)), float(betting.log_e_above(night, bound))
    gained_pass, gained_fail = (against_high, against_low) if side == "below" else (against_low, against_high)
    passing = betting.Capital(before.e_pass, before.looks).after(gained_pass, ceiling)
    failing = betting.Capital(before.e_fail, before.looks).after(gained_fail, ceiling)
    after = State(passing.value, failing.value, passing.looks, before.trials_used + night.n_trials)
    nights = (*earlier, night)
    return Looks(after, nights, night.n_units, ceiling, *betting.pooled(nights))
