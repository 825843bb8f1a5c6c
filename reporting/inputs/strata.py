"""Strata of a sampling design: parts of a population from each of which a fixed number of units was drawn."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.legible import counted
from reporting.base.records import dataclass, replace


@dataclass(frozen=True, eq=False)
class UnitStrata:
    """The stratum of every unit (shape (U,)), and how many units the sample has of each (shape (H,)).

    Units that are not here, as those without trials of a group, have no part in sums: they add 0.
    """

    of_unit: IntArray
    sizes: IntArray

    def moved(self, sums: npt.NDArray[Any]) -> FloatArray:
        """Return sums by unit, less the mean of their stratum, times sqrt(n / (n - 1)) of its n units.

        Then one number for each stratum, of all its units that are not here: shape (U + H,).
        """
        means = np.bincount(self.of_unit, sums, len(self.sizes)) / np.maximum(self.sizes, 1)
        absent = self.sizes - np.bincount(self.of_unit, minlength=len(self.sizes))
        factors = np.sqrt(self.sizes / np.maximum(self.sizes - 1, 1))
        here = (sums - means[self.of_unit]) * factors[self.of_unit]
        return np.concatenate((here, -means * np.sqrt(absent) * factors))

    def variance(self, sums: npt.NDArray[Any]) -> float:
        """Return the variance of a sum over units: sum over strata n / (n - 1) sum (z - mean z)^2.

        As of units drawn with replacement. Lumley 2010, Complex Surveys, section 2.3.
        """
        return float((self.moved(sums) ** 2).sum())

    def number(self, held: npt.NDArray[Any]) -> int:
        """Return how many strata have units that hold something (shape (U,))."""
        return len(np.unique(self.of_unit[held > 0]))

    def draw(self, rng: np.random.Generator, replicates: int) -> npt.NDArray[np.uint16]:
        """Return how often each unit is drawn in resamples (shape (U, R)), in every stratum n times.

        Strata come in the order of their first units, so that their names do not matter.
        """
        weights = np.zeros((len(self.of_unit), replicates), dtype=np.uint16)
        for members in self._members:
            n = int(self.sizes[self.of_unit[members[0]]])
            weights[members] = drawn_within(n, len(members), rng, replicates)
        return weights

    @cached_property
    def _members(self) -> list[IntArray]:
        """The units of each stratum, which every draw needs."""
        present, first = np.unique(self.of_unit, return_index=True)
        ends = np.cumsum(np.bincount(self.of_unit)[present])[:-1]
        members = np.split(np.argsort(self.of_unit, kind="stable"), ends)
        return [members[at] for at in np.argsort(first)]


def counted_strata(n: int, least: int) -> str:
    """Return how many strata there are, and of how many units: ``8 strata of at least 2``."""
    return f"{counted(n, 'stratum')} of {'at least ' * (n > 1)}{least:,}"


def drawn_within(n: int, kept: int, rng: np.random.Generator, replicates: int) -> IntArray:
    """Return how often the first ``kept`` of n units are drawn (shape (kept, R)); n >= 2.

    Each of n draws takes one of them; in some resamples, half of them count twice, in place of the
    other half. The n weights are whole, sum to n, and have variance 1 and covariance -1 / (n - 1) (methods
    8.13), as those of Rao and Wu 1988, Journal of the American Statistical Association 83, 231-241.
    """
    half = n // 2
    drawn = rng.integers(0, n, (replicates, n))
    twice = rng.random(replicates) < n / (2 * half * (n - 1))
    drawn[twice, half : 2 * half] = drawn[twice, :half]
    drawn += n * np.arange(replicates)[:, None]
    return np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape)[:, :kept].T


@dataclass(frozen=True, eq=False)
class Strata:
    """The stratum of every trial of a set or of a group of it (shape (N,)), as codes that all sets share."""

    code: IntArray
    trials: IntArray
    """How many trials the whole set has of each stratum, shape (H,)."""
    cluster: IntArray
    """The clusters of the whole set, by the codes that all sets share; empty where none are declared."""
    of_cluster: IntArray
    """The stratum of each of them."""

    def of(self, members: IntArray) -> Strata:
        """Return the strata of some trials; the sample stays that of the whole set."""
        return replace(self, code=self.code[members])

    @property
    def of_trials(self) -> UnitStrata:
        """The strata where trials are drawn."""
        return UnitStrata(self.code, self.trials)

    @property
    def sizes(self) -> IntArray:
        """How many units the whole set has of each of its strata: clusters, or trials without any."""
        units = np.bincount(self.of_cluster) if len(self.cluster) else self.trials
        return units[units > 0]

    def of_clusters(self, population: IntArray, *others: Strata) -> UnitStrata:
        """Return the strata where clusters are drawn (shape (U,)), together with those of other sets."""
        every = (self, *others)
        stratum = np.full(1 + max(int(of.cluster.max()) for of in every), -1)
        for of in every:
            stratum[of.cluster] = of.of_cluster
        return UnitStrata(stratum[population], np.bincount(stratum[stratum >= 0], minlength=len(self.trials)))
