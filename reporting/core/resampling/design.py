"""How the trials behind a number depend on one another, and the level at which something is inferred."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.base.codes import Flag
from reporting.base.records import dataclass, replace
from reporting.core.resampling.units import Units
from reporting.core.stats.crossed_units import CrossedVariance, PoolSizes
from reporting.core.stats.intervals import times_of_t
from reporting.core.stats.special import stdtrit


@dataclass(frozen=True)
class Design:
    """How the spread of resamples is read: SE = inflation SD(V*), against the normal, or t with ``df``.

    Resamples of two crossed pools come in threes, by draws of both and of each alone. Their variance is that
    of ``CrossedVariance``, and every number has degrees of freedom of its own (``reduced``).
    """

    level: float
    df: float | None = None
    """Of Student's t over clusters; None: normal."""
    inflation: float = 1.0
    unit: Literal["trial", "cluster"] = "trial"
    n_units: int = 2
    flags: tuple[Flag, ...] = ()
    too_few: bool = False
    """Whether there are too few units for limits, or one of them is too large."""
    pools: PoolSizes | None = None
    """The members of two crossed pools; None where resamples come one by one."""
    closed: bool = False
    """Whether the spread of resamples is that of a closed form, which has no Monte Carlo error."""

    @classmethod
    def of(cls, units: Units, level: float) -> Design:
        """Return the design of these units."""
        of_units = units.inflation, units.pool.name, units.n_units, tuple(units.flags), units.too_few
        return cls(level, units.degrees_of_freedom, *of_units, units.pools)

    @property
    def too_few_clusters(self) -> bool:
        """Whether units are clusters that are too few."""
        return self.unit == "cluster" and self.too_few

    @property
    def sets(self) -> int:
        """Resamples of every draw."""
        return 1 if self.pools is None else 3

    def variance(self, replicates: FloatArray) -> FloatArray:
        """Return the variance that resamples show (shape (M, ...)).

        Of two crossed pools that of the draws in which a number is defined; NaN elsewhere if one is not.
        """
        if self.pools is None:
            return np.asarray(self.inflation**2 * np.var(replicates, axis=0, ddof=1))
        return np.asarray(self._crossed(replicates).variance)

    def _crossed(self, replicates: FloatArray) -> CrossedVariance:
        assert self.pools is not None
        both, first, second = map(_variance, _apart(replicates))
        # To first order draws of both vary by what draws of each do, and by what cells add besides: by
        # equal shares of members, where ``over_pools`` has those of trials.
        cells = np.maximum(0.0, both - first - second)
        return CrossedVariance.of_squares(first, second, cells, self.pools)

    def jointly(self, replicates: FloatArray, point: Any) -> FloatArray:
        """Return resamples (shape (M, ...)) of numbers that are subtracted from one another, or compared.

        Of two crossed pools V + (V_a - V) + (V_b - V), whose variance with ``inflation``, the larger one of
        both pools, is S_A + S_B or more: never too small where a pool has variance of its own, and too large
        by no more than what cells add if both inflations are the same. Where no pool has, the variance is
        S_AB (``CrossedVariance``), which may be more.
        """
        if self.pools is None:
            return replicates
        _, first, second = _apart(replicates)
        return np.asarray(first + second - point)

    def reduced(
        self, replicates: FloatArray, point: Any, closed: CrossedVariance | None = None
    ) -> tuple[FloatArray, Design]:
        """Return resamples (shape (M,) or (M, P)) whose spread is the standard error, and their design.

        Those of two crossed pools are those of ``jointly``, as far from the value as their own variance asks,
        or a ``closed`` form of it. Of P numbers the least degrees of freedom count; those with more lie so
        much nearer that their limits at this level are their own.
        """
        if self.pools is None:
            return replicates, self
        variance, df = self._crossed(replicates) if closed is None else closed
        least = float(np.min(df, initial=np.inf))
        beta = (1 + self.level) / 2
        reach = np.sqrt(variance) * (stdtrit(df, beta) / stdtrit(least, beta))
        away = self.jointly(replicates, point) - point
        sd = np.sqrt(_variance(away))
        times = np.divide(reach, sd, out=np.zeros_like(sd), where=sd > 0)
        own = replace(self, df=least, inflation=1.0, pools=None, closed=closed is not None)
        return point + times * away, own

    @property
    def factor(self) -> float:
        """What clusters add to the reach of a normal interval: inflation, and t over normal quantile."""
        return self.inflation * times_of_t(self.df, self.level)

    def least_df(self, df: float) -> float | None:
        """Return degrees of freedom that are at most those of the units; None where they are infinite."""
        least = min(df, float("inf") if self.df is None else self.df)
        return least if least < float("inf") else None


def _apart(replicates: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return resamples by draws of both pools, and of each alone; undefined where one of them is."""
    both, first, second = (replicates[of::3] for of in range(3))
    defined = np.isfinite(both) & np.isfinite(first) & np.isfinite(second)
    if defined.all():
        return both, first, second
    both, first, second = (np.where(defined, of, np.nan) for of in (both, first, second))
    return both, first, second


def _variance(values: FloatArray) -> FloatArray:
    """Return the variance of the values that are defined (shape (M, ...))."""
    defined = np.isfinite(values)
    n = np.maximum(defined.sum(axis=0), 1)
    mean = np.where(defined, values, 0.0).sum(axis=0) / n
    squares = np.where(defined, (values - mean) ** 2, 0.0).sum(axis=0)
    return np.asarray(squares / np.maximum(n - 1, 1))
