"""Thresholds: one model's trials of one dataset and split as integer counts per distinct score."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray, RankArray
from reporting.base.execution.array_store import ArrayStore, opened
from reporting.base.records import dataclass
from reporting.base.remembering import keeps_latest
from reporting.core.stats.staircase import Staircase, cumulate, group_ties, hull_cuts


class Key(NamedTuple):
    """What every row of every frame is about; ``group`` is "" for all trials."""

    model: str
    run: str
    dataset: str
    split: str
    group: str = ""

    @property
    def id(self) -> tuple[str, str]:
        """The model and its run."""
        return self.model, self.run


@dataclass(frozen=True, eq=False)
class Cuts:
    """Distinct scores in ascending order, targets and non-targets at each (shape (H,)), and the hull.

    Integer, tie-grouped, independent of row order; ``hull`` holds the thresholds on the lower-left hull of
    (FAR, FRR). Threshold k in 0..H rejects the k lowest scores. Where strata have weights, targets and
    non-targets are weighted whole numbers, and ``raw`` counts the trials themselves.
    """

    score: FloatArray
    n_target: IntArray
    n_nontarget: IntArray
    hull: IntArray
    raw: tuple[IntArray, IntArray] | None = None
    """Targets and non-targets at each score as trials; None: every trial weighs 1."""

    @cached_property
    def staircase(self) -> Staircase:
        """Misses and false alarms at every threshold, weighted."""
        return Staircase(*cumulate(self.n_target, self.n_nontarget), self.hull)

    @cached_property
    def totals(self) -> tuple[int, int]:
        """Targets and non-targets, weighted: the denominators of rates."""
        return int(self.n_target.sum()), int(self.n_nontarget.sum())

    @cached_property
    def trials(self) -> tuple[int, int]:
        """Target and non-target trials."""
        n_target, n_nontarget = self.raw or (self.n_target, self.n_nontarget)
        return int(n_target.sum()), int(n_nontarget.sum())

    def errors(self, cut: Any) -> tuple[IntArray, IntArray]:
        """Return missed targets and falsely accepted non-targets, as trials, at thresholds of any shape."""
        if self.raw is None:
            staircase = self.staircase
            return staircase.misses[cut], staircase.false_alarms[cut]
        misses, false_alarms = self._trial_errors
        return misses[cut], false_alarms[cut]

    def in_bins(self, start: IntArray) -> tuple[IntArray, IntArray]:
        """Return the targets and the non-targets of bins that begin at some thresholds."""
        return np.add.reduceat(self.n_target, start), np.add.reduceat(self.n_nontarget, start)

    @cached_property
    def _trial_errors(self) -> tuple[IntArray, IntArray]:
        assert self.raw is not None
        return cumulate(*self.raw)


def count_cuts(score: FloatArray, label: BoolArray, weight: IntArray | None = None) -> tuple[Cuts, RankArray]:
    """Return the thresholds of one set of scores and the rank of every trial among the distinct scores.

    ``weight`` (shape (N,)) holds integers of at least 1.
    """
    distinct, n_target, n_nontarget, rank = group_ties(score, label)
    if weight is None:
        return Cuts(distinct, n_target, n_nontarget, hull_cuts(n_target, n_nontarget)), rank
    raw = n_target, n_nontarget
    weighted = (np.bincount(rank[of], weight[of].astype(np.float64), len(distinct)) for of in (label, ~label))
    n_target, n_nontarget = (each.astype(np.int64) for each in weighted)  # below 2^53: exact in any order
    return Cuts(distinct, n_target, n_nontarget, hull_cuts(n_target, n_nontarget), raw), rank


class ShelvedCuts(Cuts):
    """Thresholds whose large arrays lie on the shelf: each look at one opens it anew, and nothing is kept."""

    def __init__(self, cuts: Cuts, shelf: ArrayStore) -> None:
        score, n_target, n_nontarget = cuts.score, narrow(cuts.n_target), narrow(cuts.n_nontarget)
        vars(self).update(
            _score=shelf.store(score),
            _n_target=shelf.keep(n_target),
            _n_nontarget=shelf.keep(n_nontarget),
            hull=cuts.hull,
            raw=None,
        )

    @property
    def score(self) -> FloatArray:
        """The distinct scores."""
        return opened(vars(self)["_score"])

    @property
    def n_target(self) -> IntArray:
        """Targets at each score."""
        return np.asarray(opened(vars(self)["_n_target"]), dtype=np.int64)

    @property
    def n_nontarget(self) -> IntArray:
        """Non-targets at each score."""
        return np.asarray(opened(vars(self)["_n_nontarget"]), dtype=np.int64)

    @property
    def staircase(self) -> Staircase:
        """Misses and false alarms at every threshold."""
        return _latest_staircase(self)


@keeps_latest(2)
def _latest_staircase(cuts: ShelvedCuts) -> Staircase:
    """The staircases looked at last: the same one is looked at many times in a row."""
    return Staircase(*cumulate(cuts.n_target, cuts.n_nontarget), cuts.hull)


IN_FULL = 5
"""Arrays of thresholds in memory: scores, both counts, misses and false alarms."""


def narrow(counts: IntArray) -> Any:
    """Return whole numbers in as few bytes as the largest needs, and the least where it is negative."""
    least, largest = int(counts.min(initial=0)), int(counts.max(initial=0))
    return counts.astype(np.result_type(np.min_scalar_type(largest), np.min_scalar_type(least)))


def shelved(cuts: Cuts, shelf: ArrayStore) -> Cuts:
    """Return the same thresholds, what is large on the shelf; those of weighted trials stay in memory."""
    return ShelvedCuts(cuts, shelf) if cuts.raw is None and shelf.takes(cuts.score, IN_FULL) else cuts
