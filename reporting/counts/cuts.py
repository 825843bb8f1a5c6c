"""Cuts: one model's trials of one dataset and split as integer counts per distinct score."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from reporting.stats.hull import hull_cuts
from reporting.stats.staircase import (
    BoolArray,
    FloatArray,
    IntArray,
    RankArray,
    Staircase,
    cumulate,
    group_ties,
)


class Key(NamedTuple):
    """What every row of every frame is about; ``group`` is "" for all trials."""

    model: str
    run: str
    dataset: str
    split: str
    group: str = ""


@dataclass(frozen=True, eq=False)
class Cuts:
    """Distinct scores in ascending order, targets and non-targets at each (shape (H,)), and the hull.

    Integer, tie-grouped, independent of row order; ``hull`` holds the cuts on the lower-left hull of
    (FAR, FRR). Cut k in 0..H rejects the k lowest scores.
    """

    score: FloatArray
    n_target: IntArray
    n_nontarget: IntArray
    hull: IntArray

    @cached_property
    def staircase(self) -> Staircase:
        """Misses and false alarms at every cut."""
        return Staircase(*cumulate(self.n_target, self.n_nontarget), self.hull)

    @property
    def totals(self) -> tuple[int, int]:
        """Targets and non-targets."""
        return int(self.n_target.sum()), int(self.n_nontarget.sum())


def count_cuts(score: FloatArray, label: BoolArray) -> tuple[Cuts, RankArray]:
    """Return the cuts of one set of scores and the rank of every trial among the distinct scores."""
    distinct, n_target, n_nontarget, rank = group_ties(score, label)
    return Cuts(distinct, n_target, n_nontarget, hull_cuts(n_target, n_nontarget)), rank
