"""A group of trials as the waist of its own: cuts and ranks of a part, without sorting a score again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reporting.counts.cuts import Cuts
from reporting.counts.ranks import Ranks
from reporting.stats.hull import hull_cuts
from reporting.stats.staircase import BoolArray, IntArray, RankArray


def cuts_of_group(cuts: Cuts, rank: RankArray, ranks: Ranks, members: IntArray) -> tuple[Cuts, RankArray]:
    """Return the cuts of some trials of one model, and their ranks among the distinct scores left.

    ``members`` are the indices of the trials (shape (G,)), in canonical order.
    """
    mine, label = rank[members], ranks.label[members]
    present = np.zeros(len(cuts.score), dtype=bool)
    present[mine] = True
    new_rank = (np.cumsum(present, dtype=np.int64) - 1)[mine].astype(np.uint32)
    n = int(present.sum())
    weight = None if ranks.weight is None else ranks.weight[members]
    n_target, n_nontarget = _count(new_rank, label, weight, n)
    raw = None if weight is None else _count(new_rank, label, None, n)
    hull = hull_cuts(n_target, n_nontarget)
    return Cuts(cuts.score[present], n_target, n_nontarget, hull, raw), new_rank


def _count(rank: RankArray, label: BoolArray, weight: IntArray | None, n: int) -> tuple[IntArray, IntArray]:
    """Targets and non-targets at each of n distinct scores; bincount adds weights below 2^53 exactly."""
    both = []
    for members in (label, ~label):
        weights = None if weight is None else weight[members].astype(np.float64)
        both.append(np.bincount(rank[members], weights, minlength=n).astype(np.int64))
    return both[0], both[1]


def ranks_of_group(ranks: Ranks, members: IntArray, rank: dict[tuple[str, str], RankArray]) -> Ranks:
    """Return the ranks of some trials; ``rank`` holds their ranks among the scores of the group."""
    return replace(
        ranks,
        label=ranks.label[members],
        unit_a=None if ranks.unit_a is None else ranks.unit_a[members],
        unit_b=None if ranks.unit_b is None else ranks.unit_b[members],
        weight=None if ranks.weight is None else ranks.weight[members],
        fold=None if ranks.fold is None else ranks.fold[members],
        attributes={name: attribute.of(members) for name, attribute in ranks.attributes.items()},
        rank=rank,
    )
