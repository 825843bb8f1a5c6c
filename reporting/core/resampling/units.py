"""What is resampled: trials, clusters, or the members of pair trials; of one split, or of two together.

A pool holds the units and draws them. The trials of a split are grouped into atoms, which always have
one weight: a trial, a cluster, or the pair trials of two members. Where development and test share clusters,
the atoms of both hang on one pool, so that a unit is drawn once for both. More than ``MOST_ALONE`` trials or
clusters are dealt into blocks by their keys, and the blocks are drawn: random groups of units.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray
from reporting.base.codes import Flag
from reporting.base.records import dataclass, replace
from reporting.core.counts.ranks import Ranks
from reporting.core.resampling.draws import WORD, Exchanges, WeightArray, draw_units, loses_a_class, stream
from reporting.core.stats.cluster_sizes import NONE, ClusterSizes, decisive
from reporting.core.stats.crossed_units import CrossedVariance, PoolSizes, over_pools, pool_sizes
from reporting.inputs.blocks import MOST_ALONE, BlockArray
from reporting.inputs.strata import Strata, UnitStrata

FEW_CLUSTERS = 20
NEVER_LOST = 64
"""A class held by k units is lost by a resample with a chance below exp(-k): from 64 on, 2e-28, never."""


class Ends(NamedTuple):
    """The units on which atoms hang, as indices into populations: one each, or two (pair trials)."""

    first: IntArray
    second: IntArray | None = None

    def of(self, members: IntArray | BoolArray) -> Ends:
        """Return the ends of some atoms."""
        return Ends(self.first[members], None if self.second is None else self.second[members])

    @property
    def fewest(self) -> int:
        """Distinct units on the side that has fewer."""
        return min(len(np.unique(end)) for end in self if end is not None)


@dataclass(frozen=True, eq=False)
class Pool:
    """The units drawn together: n draws over the n units of each population, in every resample.

    ``held`` lists, for every class that a resample could lose, the ends of its atoms. ``strata`` holds
    the units of each class where trials are drawn by class.
    """

    name: Literal["trial", "cluster"]
    sizes: tuple[int, ...]
    names: tuple[str, ...]
    """What keys the stream, with the seed."""
    held: tuple[Ends, ...] = ()
    strata: tuple[IntArray, ...] = ()
    forced: bool = False
    """True where trials are drawn by class though the config does not request it."""
    sampled: UnitStrata | None = None
    """The strata of the sampling design, in which units are drawn; None without any."""

    def draw(self, seed: int, block: int, size: int, lanes: int) -> Iterator[tuple[list[WeightArray], int]]:
        """Yield the weights of a block of resamples, some ``lanes`` of them at a time, and redraws.

        Each population has its array (shape (units, resamples)). A resample that loses a class is drawn
        again, from a stream of its own.
        """
        rng = stream(seed, "weights", *self.names, block)
        for start in range(0, size, lanes):
            drawn = self._draw(rng, min(lanes, size - start))
            redrawn = 0
            for lane in self._lost(drawn):
                again = stream(seed, "again", *self.names, block, start + lane)
                while self._loses(drawn, lane):
                    redrawn += 1
                    for weights, lone in zip(drawn, self._draw(again, 1), strict=True):
                        weights[:, lane] = lone[:, 0]
            yield drawn, redrawn

    def _draw(self, rng: np.random.Generator, lanes: int) -> list[WeightArray]:
        if self.strata:
            return [self._draw_by_class(rng, lanes)]
        if self.sampled is not None:
            return [self.sampled.draw(rng, lanes)]
        return [draws.count() for draws in draw_units(self.sizes, rng, lanes)]

    def _draw_by_class(self, rng: np.random.Generator, lanes: int) -> WeightArray:
        weights = np.zeros((self.sizes[0], lanes), dtype=np.uint8)
        for lane in range(lanes):
            for members in self.strata:
                (draws,) = draw_units((len(members),), rng, 1)
                weights[members, lane] = draws.count()[:, 0]
        return weights

    def _lost(self, drawn: list[WeightArray]) -> list[int]:
        lost: set[int] = set()
        for ends in self.held:
            lost.update(np.flatnonzero(~weigh(ends, drawn).any(axis=0)).tolist())
        return sorted(lost)

    def _loses(self, drawn: list[WeightArray], lane: int) -> bool:
        lone = [weights[:, lane : lane + 1] for weights in drawn]
        return any(not weigh(ends, lone).any() for ends in self.held)


@dataclass(frozen=True, eq=False)
class Coins(Pool):
    """Units each of which is exchanged between two models, or not, with chance 1/2."""

    def draw(self, seed: int, block: int, size: int, lanes: int) -> Iterator[tuple[list[Any], int]]:
        """Yield which units are exchanged (``Exchanges``) in a block of resamples."""
        raw = stream(seed, "exchange", *self.names, block).bit_generator.random_raw
        at_once = max(1, lanes // WORD) * WORD
        for start in range(0, size, at_once):
            replicates = min(at_once, size - start)
            words = np.asarray(raw(-(-replicates // WORD) * self.sizes[0]), dtype="<u8")
            yield [Exchanges(words.reshape(-1, self.sizes[0]), replicates)], 0


def exchanging(units: Units) -> Units:
    """Return the same units, to be exchanged between two models instead of drawn."""
    pool = Coins(units.pool.name, units.pool.sizes, units.pool.names)
    return replace(units, pool=pool, pools=None)


def weigh(ends: Ends, drawn: list[WeightArray]) -> WeightArray:
    """Return the weights of atoms (shape (atoms, resamples)) from those of the units they hang on.

    With two ends the product; where both are one member of one population, its weight (methods 8.8).
    """
    weights = drawn[0][ends.first]
    if ends.second is None:
        return weights
    product = weights.astype(np.uint16) * drawn[-1][ends.second]
    if len(drawn) == 1:
        same = ends.first == ends.second
        product[same] = weights[same]
    return product


@dataclass(frozen=True, eq=False)
class Units:
    """The trials of one split as atoms of a pool: for every trial its atom, and how often classes occur."""

    pool: Pool
    of_trial: IntArray
    """The unit of every trial, or the two members it hangs on, as one number."""
    ends: Ends | None
    """None where the atoms are the units of the pool themselves."""
    n_units: int
    """Units that have trials in this split; of two populations, the smaller number."""
    fewest: int
    """Units that hold the class which fewer units hold."""
    sizes: ClusterSizes = NONE
    """Of the clusters that hold the class with fewer effective ones, or of the members of either pool, where
    two are crossed; members of pairs of one pool count alike."""
    by_class: tuple[ClusterSizes, ...] = ()
    """Of the clusters that hold non-targets, and of those that hold targets; empty of pairs."""
    within_cluster: bool = False
    """Whether these are the trials of one cluster, though clusters are declared."""
    dealt: IntArray | None = None
    """The block of every unit, where blocks are drawn; None where units are."""
    pools: PoolSizes | None = None
    """How the trials are spread over the members of two crossed pools; None of anything else."""

    @property
    def strata(self) -> UnitStrata | None:
        """The strata of the sampling design of the units; None without any."""
        return self.pool.sampled

    @property
    def sets(self) -> int:
        """Resamples of every draw: of two crossed pools one of both, and one of each alone."""
        return 1 if self.pools is None else 3

    @property
    def atom_of_trial(self) -> IntArray:
        """The atom of every trial: what has one weight in a resample."""
        return self.of_trial if self.dealt is None else self.dealt[self.of_trial]

    @property
    def name(self) -> str:
        """``trial`` or ``cluster``."""
        return self.pool.name

    @property
    def clustered(self) -> bool:
        """Whether clusters are drawn."""
        return self.name == "cluster"

    @property
    def _in_spread(self) -> Sequence[ClusterSizes]:
        """What the spread of resamples is read by: of two crossed pools the less certain one."""
        return self.pools or (self.sizes,)

    @property
    def inflation(self) -> float:
        """What the spread of a bootstrap lacks as a factor (methods 8.8)."""
        return max(sizes.inflation for sizes in self._in_spread) if self.clustered else 1.0

    @property
    def degrees_of_freedom(self) -> float | None:
        """Those of the sizes of clusters, G - 1 of G equal ones; None where trials are independent."""
        return min(sizes.degrees_of_freedom for sizes in self._in_spread) if self.clustered else None

    @property
    def too_few(self) -> bool:
        """Whether these units allow no limits: fewer than two, or at most two effective clusters."""
        return self.n_units < 2 or (self.clustered and self.sizes.too_few)

    @property
    def too_few_clusters(self) -> bool:
        """Whether these are clusters, too few or too unequal to represent others."""
        return self.clustered and self.too_few

    @property
    def flags(self) -> list[Flag]:
        """The cautions that hold for everything resampled by these units."""
        if self.within_cluster:
            return ["within_cluster"]
        if self.too_few_clusters:
            return ["too_few_clusters"]
        return ["few_clusters"] if self.clustered and self.sizes.effective < FEW_CLUSTERS else []

    @property
    def n_atoms(self) -> int:
        """Number of atoms."""
        return self.pool.sizes[0] if self.ends is None else len(self.ends.first)

    @property
    def n_own(self) -> int:
        """Number of units, or of pairs of them, whether or not they are drawn in blocks."""
        return self.n_atoms if self.dealt is None else len(self.dealt)

    def counting(self, one_class: bool | None) -> Units:
        """Return the same units, whose sizes are those in the only class that counts; None: both do."""
        if one_class is None or not self.by_class or not self.by_class[one_class].number:
            return self
        return replace(self, sizes=self.by_class[one_class])

    def of(self, members: IntArray) -> Units:
        """Return the same units, drawn as before, over some of the trials (their indices)."""
        return replace(self, of_trial=self.of_trial[members])

    def weights(self, drawn: list[WeightArray]) -> WeightArray:
        """Return the weights of the atoms: shape (atoms, resamples); ``sets`` of them for every draw."""
        if self.ends is None:
            return drawn[0]
        weights = weigh(self.ends, drawn)
        if self.pools is None:
            return weights
        alone = [of[end] for of, end in zip(drawn, self.ends, strict=True)]
        return np.asarray(np.stack([weights, *alone], axis=2).reshape(len(weights), -1), dtype=np.uint16)


def trial_units(
    label: BoolArray,
    names: tuple[str, ...],
    block: BlockArray | None = None,
    *,
    by_class: bool = False,
    in_blocks: bool = False,
    strata: Strata | None = None,
) -> Units:
    """Every trial is a unit; drawn by class on request, or where plain draws would too often lose one.

    ``block`` holds the block of every trial (shape (N,)), in which trials are drawn where they are many, or
    in any case (``in_blocks``); by class, a block has the trials of one class. In strata there are no blocks.
    """
    n = len(label)
    sizes = [int(label.sum()), n - int(label.sum())]
    stratified = strata is None and (by_class or loses_a_class(sizes[1], sizes[0]))
    dealt, n_atoms, atoms = None, n, np.arange(n)
    if strata is None and block is not None and n > (0 if in_blocks else MOST_ALONE):
        code = block.astype(np.int64) * 2 + label if stratified else block.astype(np.int64)
        present = np.bincount(code) > 0
        dealt, n_atoms = (np.cumsum(present) - 1)[code], int(present.sum())
        atoms = dealt
    classes = [np.flatnonzero(np.bincount(atoms[of], minlength=n_atoms)) for of in (label, ~label)]
    by_label = tuple(c for c in classes if len(c)) if stratified else ()
    held = () if stratified else tuple(Ends(c) for c in classes if 0 < len(c) < NEVER_LOST)
    sampled = None if strata is None else strata.of_trials
    pool = Pool("trial", (n_atoms,), names, held, by_label, stratified and not by_class, sampled)
    return Units(pool, np.arange(n), None, n, min(filter(None, sizes), default=0), dealt=dealt)


def cluster_units(splits: Sequence[Ranks], names: tuple[str, ...]) -> list[Units]:
    """Draw the clusters of all these splits together: one pool, and the atoms of each split.

    Units have the order of the cluster codes. Pair trials hang on two members of one population, or
    on one of each of two.
    """
    populations = _populations(splits)
    atoms = [_atoms(split, populations) for split in splits]
    dealt = _dealt(splits, populations, [of_trial for of_trial, _ in atoms])
    held = []
    for split, (of_trial, ends) in zip(splits, atoms, strict=True):
        for label in (True, False):
            members = np.unique(of_trial[split.label == label])
            drawn = ends.of(members) if dealt is None else Ends(np.unique(dealt[members]))
            if len(members) and drawn.fewest < NEVER_LOST:
                held.append(drawn)
    sizes = map(len, populations) if dealt is None else [int(dealt.max()) + 1]
    designs = [split.strata for split in splits if split.strata is not None]
    sampled = designs[0].of_clusters(populations[0], *designs[1:]) if designs else None
    pool = Pool("cluster", tuple(sizes), names, tuple(held), sampled=sampled)
    return [
        replace(_units(pool, split, of_trial, ends), dealt=dealt)
        for split, (of_trial, ends) in zip(splits, atoms, strict=True)
    ]


def shared_clusters(first: Ranks, second: Ranks) -> list[int]:
    """Return how many clusters have trials in both splits, of each population."""
    both = zip(_populations([first]), _populations([second]), strict=True)
    return [len(np.intersect1d(a, b)) for a, b in both]


def _populations(splits: Sequence[Ranks]) -> list[IntArray]:
    first = [split.unit_a for split in splits if split.unit_a is not None]
    second = [split.unit_b for split in splits if split.unit_b is not None]
    groups = [first, second] if second and splits[0].pools == "two" else [first + second]
    return [np.unique(np.concatenate(group)).astype(np.int64) for group in groups]


def _atoms(split: Ranks, populations: list[IntArray]) -> tuple[IntArray, Ends]:
    """The atom of every trial, and the ends of the atoms."""
    assert split.unit_a is not None
    a = np.searchsorted(populations[0], split.unit_a)
    if split.unit_b is None:
        return a, Ends(np.arange(len(populations[0])))
    b = np.searchsorted(populations[-1], split.unit_b)
    n = len(populations[-1])
    code, of_trial = np.unique(a * n + b, return_inverse=True)
    return of_trial, Ends(code // n, code % n)


def _dealt(splits: Sequence[Ranks], populations: list[IntArray], of_trial: list[IntArray]) -> IntArray | None:
    """Return the block of every cluster; None where these are few or in strata, or trials hang on two."""
    n, alone = len(populations[0]), (s.unit_b is not None or s.strata is not None for s in splits)
    if n <= MOST_ALONE or any(alone) or any(s.block_of_cluster is None for s in splits):
        return None
    block = np.zeros(n, dtype=np.int64)
    for split, units in zip(splits, of_trial, strict=True):
        assert split.block_of_cluster is not None
        block[units] = split.block_of_cluster
    return np.asarray(np.unique(block, return_inverse=True)[1])


def class_sizes(ranks: Ranks) -> list[ClusterSizes]:
    """Return how the trials of every class, by their weights, are spread over clusters: one a trial.

    Or over the members of two crossed pools: of the pool with fewer effective ones.
    """
    assert ranks.unit_a is not None
    weight = np.ones(ranks.n_trials) if ranks.weight is None else ranks.weight
    sides = [side for side in (ranks.unit_a, ranks.unit_b) if side is not None]
    if ranks.strata is not None:
        held = [np.bincount(ranks.unit_a, weight * of) for of in (~ranks.label, ranks.label)]
        strata = ranks.strata.of_clusters(np.arange(len(held[0])))
        return [ClusterSizes.of(of).in_strata(strata.number(of)) for of in held]
    return [
        decisive(ClusterSizes.of(np.bincount(side, weight * of)) for side in sides)
        for of in (~ranks.label, ranks.label)
    ]


def crossed_variance(influences: FloatArray, ranks: Ranks) -> CrossedVariance:
    """Return the variance of a number by the influences of trials (shape (N,)) that two pools share."""
    assert ranks.unit_a is not None
    assert ranks.unit_b is not None
    return over_pools(influences, ranks.unit_a, ranks.unit_b, _balanced(ranks))


def _balanced(ranks: Ranks) -> FloatArray:
    """The weights of trials, times those of the other class: both classes then weigh the same."""
    weight = np.ones(ranks.n_trials) if ranks.weight is None else ranks.weight.astype(np.float64)
    whole = [max(1.0, float(weight[of].sum())) for of in (ranks.label, ~ranks.label)]
    return np.asarray(weight * np.where(ranks.label, whole[1], whole[0]))


def _units(pool: Pool, split: Ranks, of_trial: IntArray, ends: Ends) -> Units:
    by_class = [ends.of(np.unique(of_trial[split.label == label])) for label in (True, False)]
    fewest = min((held.fewest for held in by_class if len(held.first)), default=0)
    paired = ends.second is not None
    present = ends.of(np.unique(of_trial))
    if paired and len(pool.sizes) == 1:
        n_units = len(np.unique(np.concatenate([end for end in present if end is not None])))
    else:
        n_units = present.fewest if len(present.first) else 0
    pools = None
    if split.pools == "two" and split.unit_a is not None and split.unit_b is not None:
        pools = pool_sizes(split.unit_a, split.unit_b, _balanced(split))
    by_class_sizes = () if paired and pools is None else tuple(class_sizes(split))
    sizes = decisive(by_class_sizes) if by_class_sizes else ClusterSizes.equal(fewest)
    own, held = (() if paired else by_class_sizes), (ends if paired else None)
    return Units(pool, of_trial, held, n_units, fewest, sizes, own, pools=pools)
