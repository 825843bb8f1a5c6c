"""How unequal clusters are, and what that does to sums of squares over them and to Student's t."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

TOO_FEW = 2
"""Fewer effective clusters do not represent others: limits would be nearly empty, or too narrow."""


class ClusterSizes(NamedTuple):
    """The shares w of G clusters in the trials of one class, summed up."""

    number: int
    """G."""
    effective: float
    """K = 1 / sum w^2: as many clusters of equal size have the same sum (Kish 1965)."""
    largest: float
    """The largest w."""
    lacking: float
    """1 - 2 sum w^3 / sum w^2 + sum w^2: the share of the variance of a mean that a sum of squares has.

    Let clusters have means m of one variance, and M = sum w m: E sum (w (m - M))^2 is this share of Var M.
    (G - 1) / G where sizes are equal, 0 of a single cluster.
    """
    factor: float
    """1 / ``lacking``, infinite of a single cluster."""
    degrees_of_freedom: float
    """K - lacking K / (K - 1), at least 1: G - 1 where sizes are equal, and less of any others.

    What the mean takes is taken off K: with small clusters next to large ones G is as large as one likes.
    """

    @classmethod
    def of(cls, sizes: Any) -> ClusterSizes:
        """Sum up the sizes of clusters (shape (G,), whole numbers); those of 0 do not count."""
        distinct, times = np.unique(np.asarray(sizes).astype(np.int64), return_counts=True)
        return cls._counted([(n, k) for n, k in zip(distinct.tolist(), times.tolist(), strict=True) if n])

    @classmethod
    def equal(cls, number: int) -> ClusterSizes:
        """Sum up clusters of one size."""
        return cls._counted([(1, number)] if number else [])

    @classmethod
    def _counted(cls, pairs: list[tuple[int, int]]) -> ClusterSizes:
        """Sum up sizes, in rising order, each with how many clusters have it."""
        # Whole numbers: equal clusters give (G - 1) / G and G to the last bit.
        total, squares, cubes = (sum(k * n**power for n, k in pairs) for power in (1, 2, 3))
        if not total:
            return NONE
        whole = squares * total**2
        left, apart = whole - 2 * cubes * total + squares**2, total**2 - squares
        df = (total**2 * apart - left) / (squares * apart) if apart else 1.0
        number, factor = sum(k for _, k in pairs), whole / left if left else math.inf
        return cls(number, total**2 / squares, pairs[-1][0] / total, left / whole, factor, max(1.0, df))

    def in_strata(self, number: int) -> ClusterSizes:
        """Return the same clusters drawn within H strata: sums of squares lack nothing; G - H df if equal."""
        df = max(1.0, self.degrees_of_freedom * (self.number - number) / max(1, self.number - 1))
        return self._replace(lacking=1.0, factor=1.0, degrees_of_freedom=df)

    @property
    def too_few(self) -> bool:
        """Whether these clusters, or one of them that has nearly all trials, allow no limits."""
        return self.effective <= TOO_FEW

    @property
    def inflation(self) -> float:
        """What a standard error by clusters, or the spread of their bootstrap, lacks as a factor.

        sqrt(G / (G - 1)) where sizes are equal. A single cluster, which shows nothing of it, counts as two.
        """
        return math.sqrt(self.factor if self.number > 1 else 2.0)


def decisive(classes: Iterable[ClusterSizes]) -> ClusterSizes:
    """Return the sizes of the class, or pool, that has fewer effective clusters, of those with trials."""
    return min((each for each in classes if each.number), key=lambda each: each.effective, default=NONE)


NONE = ClusterSizes(0, 0.0, 0.0, 0.0, math.inf, 1.0)
