"""Ranks: the trials of one dataset and split in canonical order, with one integer rank per model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from reporting.base.arrays import BoolArray, IntArray, RankArray
from reporting.base.records import dataclass, field, replace
from reporting.core.counts.cuts import Cuts
from reporting.core.stats.spoofing import Mix
from reporting.core.stats.staircase import hull_cuts
from reporting.errors import DataError
from reporting.inputs.blocks import BlockArray
from reporting.inputs.spec import Pools
from reporting.inputs.strata import Strata

if TYPE_CHECKING:
    from reporting.core.counts.noise import BinNoise


@dataclass(frozen=True, eq=False)
class Attribute:
    """What one column of the table holds for every trial, as codes (shape (N,)) into its values.

    ``values`` are those that occur in the dataset and split, in the order of their UTF-8 bytes; in a
    group of its trials some of them may be without a trial.
    """

    values: tuple[str, ...]
    code: RankArray

    def of(self, members: IntArray) -> Attribute:
        """Return the attribute of some trials, by their indices; the values stay."""
        return Attribute(self.values, self.code[members])


@dataclass(frozen=True, eq=False)
class MixedKinds:
    """Two kinds of non-targets whose rates are mixed at every threshold: ``core/stats/spoofing.py``."""

    spoof: BoolArray
    """Which trials are spoofs (shape (N,)); other non-targets are zero-effort ones."""
    shares: Mix
    """How much the FAR of zero-effort trials counts, and that of spoofs."""

    def weights(self, label: BoolArray) -> IntArray:
        """Return whole weights under which FAR of all non-targets is that of the mix.

        A zero-effort trial counts a N_spoof and a spoof b N_zero, over their greatest common divisor; 0 where
        a kind is missing. DataError where products of such counts would not fit 64 bits.
        """
        n_spoof, n_target = int(self.spoof.sum()), int(label.sum())
        n_zero = len(label) - n_target - n_spoof
        zero, spoof = self.shares[0] * n_spoof, self.shares[1] * n_zero
        if not n_spoof or not n_zero:
            zero = spoof = 0
        divisor = math.gcd(zero, spoof) or 1
        zero, spoof = zero // divisor, spoof // divisor
        total = zero * n_zero + spoof * n_spoof
        if total >= MOST_MIXED or total * max(n_target, 1) >= MOST_PRODUCT:
            raise DataError(
                f"{n_zero} zero-effort trials and {n_spoof} spoofs cannot be mixed as {self.shares[0]} to"
                f" {self.shares[1]} in whole numbers; round priors and costs so that c_fa p_nontarget and"
                " c_spoof p_spoof are in a simpler proportion"
            )
        return np.where(label, 1, np.where(self.spoof, spoof, zero)).astype(np.int64)

    def of(self, members: IntArray) -> MixedKinds:
        """Return the kinds of some trials, by their indices."""
        return MixedKinds(self.spoof[members], self.shares)


MOST_MIXED, MOST_PRODUCT = 2**53, 2**62
"""Sums of weights are added as floats, and hulls multiply them by targets."""


@dataclass(frozen=True, eq=False)
class Ranks:
    """Trials in canonical key order (shape (N,)), shared by all models and runs of a dataset and split.

    ``unit_a`` is the resampling unit of each trial: a code of its cluster, the same in every split,
    or None where trials are independent. ``rank[model, run]`` is the trial's index among the distinct
    scores of that run. ``paired`` is false without a trial key: then row i is another trial in each run.
    """

    label: BoolArray
    unit_a: RankArray | None
    rank: Mapping[tuple[str, str], RankArray]
    paired: bool
    weight: IntArray | None = None
    """The whole-number weight of each trial; None where all weigh the same and there are no ``strata``."""
    fold: IntArray | None = None
    """The fold of each trial, 0 and up, where thresholds are chosen across folds or for each; else None."""
    attributes: dict[str, Attribute] = field(default_factory=dict)
    """The columns of breakdowns, by the table's names."""
    unit_b: RankArray | None = None
    """The second cluster of pair trials; None where each trial has one."""
    mix: MixedKinds | None = None
    """Two kinds of non-targets that are mixed; ``weight`` then does so on these very trials."""
    pools: Pools = "one"
    """Whether ``unit_a`` and ``unit_b`` are codes of one population, or of two, each from 0."""
    noise: BinNoise | None = None
    """The noise on the counts of trials, of which there are then no more than these say; None: no noise."""
    block: BlockArray | None = None
    """The block of every trial by its key (``inputs/blocks.py``); None where trials without keys are few."""
    in_blocks: bool = False
    """Whether rows are one trial in all models by block and class alone, as counts by block have them."""
    block_of_cluster: BlockArray | None = None
    """The block of every trial by the name of its cluster; None of pair trials."""
    in_clusters: bool = False
    """Whether rows are one trial in all models by cluster alone, as counts by cluster have them."""
    strata: Strata | None = None
    """The strata of the sampling design; None without any."""

    @property
    def n_clusters(self) -> int | None:
        """Number of clusters; None where none are declared.

        Of pair trials, the members that occur on either side; of two populations, the smaller number.
        """
        if self.unit_a is None:
            return None
        sides = [self.unit_a] if self.unit_b is None else [self.unit_a, self.unit_b]
        if self.pools == "one":
            return len(np.unique(np.concatenate(sides)))
        return min(len(np.unique(side)) for side in sides)

    @property
    def n_trials(self) -> int:
        """Number of trials."""
        return len(self.label)


def crossed(attributes: Sequence[Attribute]) -> tuple[IntArray, list[tuple[str, ...]]]:
    """Return the combination of values of every trial (shape (N,)), and what combinations there are.

    They are in the order of the values of the first attribute, then of the next.
    """
    code = np.zeros(len(attributes[0].code), dtype=np.int64)
    combinations: IntArray = np.zeros((1, 0), dtype=np.int64)
    # Column by column: the product of all their values may be beyond any integer.
    for attribute in attributes:
        joint = code * len(attribute.values) + attribute.code
        kept, code = np.unique(joint, return_inverse=True)
        before, last = np.divmod(kept, len(attribute.values))
        combinations = np.column_stack((combinations[before], last))
    named = [
        tuple(attribute.values[i] for attribute, i in zip(attributes, at, strict=True)) for at in combinations
    ]
    return code, named


def cuts_of_group(cuts: Cuts, rank: RankArray, ranks: Ranks, members: IntArray) -> tuple[Cuts, RankArray]:
    """Return the thresholds of some trials of one model, and their ranks among the distinct scores left.

    ``members`` are the indices of the trials (shape (G,)), in canonical order.
    """
    mine, label = rank[members], ranks.label[members]
    present = np.zeros(len(cuts.score), dtype=bool)
    present[mine] = True
    new_rank = (np.cumsum(present, dtype=np.int64) - 1)[mine].astype(np.uint32)
    n = int(present.sum())
    weight = None if ranks.weight is None else ranks.weight[members]
    n_target, n_nontarget = count_ranks(new_rank, label, weight, n)
    raw = None if weight is None else count_ranks(new_rank, label, None, n)
    hull = hull_cuts(n_target, n_nontarget)
    return Cuts(cuts.score[present], n_target, n_nontarget, hull, raw), new_rank


def count_ranks(
    rank: RankArray, label: BoolArray, weight: IntArray | None, n: int
) -> tuple[IntArray, IntArray]:
    """Targets and non-targets at each of n distinct scores; bincount adds weights below 2^53 exactly."""
    both = []
    for members in (label, ~label):
        weights = None if weight is None else weight[members].astype(np.float64)
        both.append(np.bincount(rank[members], weights, minlength=n).astype(np.int64))
    return both[0], both[1]


class WholeClusters(NamedTuple):
    """Trials counted by cluster, at most one of each, and how sizes differ."""

    counts: IntArray
    """1 for trials that count, else 0 (shape (N,))."""
    share: float
    """The mean size of a cluster divided by the largest size."""


def whole_clusters(ranks: Ranks, rank: RankArray, of: Literal["target", "nontarget"]) -> WholeClusters:
    """Count the trials of a class by cluster: its highest non-target, or lowest target, represents all.

    A threshold that this one passes right is passed right by every trial of its cluster. Trials of the other
    class all count.
    """
    assert ranks.unit_a is not None
    members = np.flatnonzero(ranks.label == (of == "target"))
    towards = rank[members].astype(np.int64) * (-1 if of == "nontarget" else 1)
    order = members[np.lexsort((towards, ranks.unit_a[members]))]
    _, first, sizes = np.unique(ranks.unit_a[order], return_index=True, return_counts=True)
    counts = np.ones(ranks.n_trials, dtype=np.int64)
    counts[members] = 0
    counts[order[first]] = 1
    return WholeClusters(counts, float(sizes.mean() / sizes.max()) if len(sizes) else 1.0)


def one_of_each_cluster(ranks: Ranks, random: np.random.Generator) -> WholeClusters:
    """Draw one trial of each cluster, of a cluster only with the chance of its size over the largest.

    Each trial is then as likely as any other, and trials that are drawn are independent.
    """
    assert ranks.unit_a is not None
    _, code, sizes = np.unique(ranks.unit_a, return_inverse=True, return_counts=True)
    order = np.lexsort((random.random(ranks.n_trials), code))
    first = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    kept = random.random(len(sizes)) < sizes / sizes.max(initial=1)
    counts = np.zeros(ranks.n_trials, dtype=np.int64)
    counts[order[first[kept]]] = 1
    return WholeClusters(counts, float(sizes.mean() / sizes.max()) if len(sizes) else 1.0)


def cuts_counted(cuts: Cuts, rank: RankArray, label: BoolArray, counts: IntArray) -> Cuts:
    """Return the thresholds of a model with each trial (shape (N,)) counted as often as ``counts`` has it."""
    n_target, n_nontarget = count_ranks(rank, label, counts, len(cuts.score))
    return Cuts(cuts.score, n_target, n_nontarget, hull_cuts(n_target, n_nontarget))


def ranks_of_group(ranks: Ranks, members: IntArray, rank: dict[tuple[str, str], RankArray]) -> Ranks:
    """Return the ranks of some trials; ``rank`` holds their ranks among the scores of the group.

    Within one cluster the trials are the units, and nothing pairs those that are paired by cluster alone.
    """
    group = replace(
        ranks,
        label=ranks.label[members],
        unit_a=None if ranks.unit_a is None else ranks.unit_a[members],
        unit_b=None if ranks.unit_b is None else ranks.unit_b[members],
        weight=None if ranks.weight is None else ranks.weight[members],
        fold=None if ranks.fold is None else ranks.fold[members],
        block=None if ranks.block is None else ranks.block[members],
        block_of_cluster=None if ranks.block_of_cluster is None else ranks.block_of_cluster[members],
        mix=None if ranks.mix is None else ranks.mix.of(members),
        strata=None if ranks.strata is None else ranks.strata.of(members),
        attributes={name: attribute.of(members) for name, attribute in ranks.attributes.items()},
        rank=rank,
    )
    alone = ranks.in_clusters and ranks.unit_b is None and group.n_clusters == 1
    return replace(group, paired=False) if alone else group
