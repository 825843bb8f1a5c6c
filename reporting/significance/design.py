"""How the trials behind a number depend on one another, and the level at which something is inferred."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reporting.codes import BySpread, Flag
from reporting.significance.units import Units
from reporting.stats.special import ndtri, stdtrit


@dataclass(frozen=True)
class Design:
    """How the spread of replicates is read: SE = inflation SD(V*), against the normal, or t with ``df``."""

    level: float
    df: float | None = None
    """Of Student's t over clusters; None: normal."""
    inflation: float = 1.0
    unit: Literal["trial", "cluster"] = "trial"
    n_units: int = 2
    flags: tuple[Flag, ...] = ()
    too_few: bool = False
    """Whether units are so few, or one of them so large, that there are no limits."""

    @classmethod
    def of(cls, units: Units, level: float) -> Design:
        """Return the design of these units."""
        df, flags = units.degrees_of_freedom, tuple(units.flags)
        return cls(level, df, units.inflation, units.pool.name, units.n_units, flags, units.too_few)

    @property
    def factor(self) -> float:
        """What clusters add to the reach of a normal interval: inflation, and t over normal quantile."""
        if self.df is None:
            return self.inflation
        beta = (1 + self.level) / 2
        return self.inflation * float(stdtrit(self.df, beta) / ndtri(beta))

    @property
    def method(self) -> BySpread:
        """``normal`` or ``t``."""
        return "normal" if self.df is None else "t"

    def least_df(self, df: float) -> float | None:
        """Return degrees of freedom that are at most those of the units; None where they are infinite."""
        least = min(df, float("inf") if self.df is None else self.df)
        return least if least < float("inf") else None
