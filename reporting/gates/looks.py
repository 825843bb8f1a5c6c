"""Always valid gates: tonight's new trials, and what they add to the capital of earlier looks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True)
class State:
    """What earlier looks have left: the capital against either side, the looks, and the trials they used."""

    e_pass: float = 1.0
    e_fail: float = 1.0
    looks: int = 0
    trials_used: int = 0


@dataclass(frozen=True)
class Looks:
    """All looks so far. ``streams`` are tonight's new trials by class; ``estimate`` and ``se`` are of them.

    Limits are those of tonight's trials alone: look k takes the share 1 / (k (k + 1)) of the error, so that
    with the confidence told they hold at all looks together. The verdict rests on the capital of all looks,
    and may decide where tonight's limits do not.
    """

    state: State
    streams: tuple[Stream, ...]
    estimate: float
    se: float
    method: str = "betting"

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

    @property
    def n_new(self) -> int:
        """Trials of this look that no earlier one has used."""
        return sum(int(one.n) for one in self.streams)

    def upper(self, tail: float) -> float:
        """The limit above tonight's number; NaN without new trials."""
        return upper_limit(self.streams, self._threshold(tail)) if self.n_new else math.nan

    def lower(self, tail: float) -> float:
        """The limit below tonight's number; NaN without new trials."""
        return lower_limit(self.streams, self._threshold(tail)) if self.n_new else math.nan

    def _threshold(self, tail: float) -> float:
        return -math.log(tail * stake(max(1, self.state.looks)))

    def times_more(self, bound: float, tail: float, owned: float) -> float:
        """How many times tonight's trials it takes: each time log E grows by (D - b)^2 / (2 SE^2)."""
        if not (self.se > 0 and math.isfinite(self.estimate)):
            return math.nan
        growth = ((self.estimate - bound) / self.se) ** 2 / 2
        lacking = max(-math.log(tail) - math.log(max(owned, stake(self.state.looks + 1))), 0.1)
        return lacking / growth if growth > 0 else math.inf


def look(
    before: State,
    streams: Sequence[Stream],
    side: Side,
    bound: float,
    estimate: float,
    se: float,
    ceiling: float,
) -> Looks:
    """Add tonight's new trials to the capital; without any, nothing changes and no look is counted.

    ``ceiling`` is the capital that decides the gate on its own among all gates of a report: more is not
    carried on, so that a verdict does not outlive what the next looks find.
    """
    kept = tuple(streams)
    if not sum(int(one.n) for one in kept):
        return Looks(before, kept, estimate, se)
    against_low, against_high = float(log_e(kept, bound)), float(log_e_above(kept, bound))
    gained_pass, gained_fail = (against_high, against_low) if side == "below" else (against_low, against_high)
    passing = Capital(before.e_pass, before.looks).after(gained_pass, ceiling)
    failing = Capital(before.e_fail, before.looks).after(gained_fail, ceiling)
    used = before.trials_used + sum(int(one.n) for one in kept)
    return Looks(State(passing.value, failing.value, passing.looks, used), kept, estimate, se)
