"""What a criterion is: a frozen rule that chooses a cut, on dev (a priori) or on test (a posteriori)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reporting.contents import Named
from reporting.stats.selection import Choice
from reporting.stats.staircase import Staircase, Ties


@dataclass(frozen=True, kw_only=True)
class Criterion(Named):
    """A rule that chooses one cut of a staircase, or one per value of its ``swept`` parameter.

    ``select`` takes ``(staircase, ties, **parameters)``; a swept parameter may be an array.
    """

    label: str
    select: Callable[..., Choice]
    swept: str = ""
    """The parameter along which an Expected Performance Curve of this criterion runs."""
    oracle: bool = False
    """Chosen on the very split on which it is judged: always printed "a posteriori"."""
    definition: str = ""
    source: str = ""

    def __str__(self) -> str:
        name = super().__str__()
        return f"oracle({name})" if self.oracle else name

    def __repr__(self) -> str:
        return str(self)

    def choose(self, staircase: Staircase, ties: Ties, **swept: object) -> Choice:
        """Return the chosen cut; ``swept`` replaces parameters by arrays for a whole curve."""
        return self.select(staircase, ties, **(self.arguments | swept))
