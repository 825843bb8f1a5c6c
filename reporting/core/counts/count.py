"""From a trial table to the waist: thresholds and ranks of every model, one model in memory at a time."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from reporting.base.arrays import FloatArray, RankArray
from reporting.base.cache.cache import NO_CACHE, Arrays, Cache
from reporting.base.execution import Executor, SerialExecutor
from reporting.base.execution.array_store import IN_MEMORY, ArrayStore, Held, StoredArrays, opened
from reporting.base.records import dataclass, field, replace
from reporting.core.counts.cuts import Cuts, Key, count_cuts, shelved
from reporting.core.counts.noise import noise_in
from reporting.core.counts.ranks import Attribute, Ranks
from reporting.core.counts.remembered import as_arrays, follow_from, of_arrays
from reporting.errors import DataError, refuse
from reporting.inputs.alike import in_other_case, refuse_alike
from reporting.inputs.blocks import BlockArray, blocks_of
from reporting.inputs.design import DatasetSplit, TrialSet
from reporting.inputs.order import Reference, Rows, align, read_model, reference_of
from reporting.inputs.spec import BREAKDOWN, FOLD, Pools
from reporting.inputs.table import TrialTable, ready_to_ship
from reporting.inputs.values import Coded


@dataclass(frozen=True, eq=False)
class Counts:
    """The integer tables everything below is computed from; no score of a trial remains in them.

    Every run of a model has its thresholds and ranks. Where runs are folds, the test trials of all are
    counted together, as run ``pooled``, and the development trials of each fold as run of its name.
    """

    cuts: dict[Key, Cuts]
    ranks: dict[DatasetSplit, Ranks]
    """Of every dataset and split; where runs are folds, of test alone."""
    n_clusters: dict[DatasetSplit, int]
    """Distinct clusters per dataset and split of ``ranks``; empty where none are declared."""
    dev_of: dict[str, str] = field(default_factory=dict)
    """For every dataset with test trials, the one whose dev chooses; empty where folds of test do."""
    folds: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """For every dataset with test trials, its folds in the order of their codes; empty unless runs are."""
    fold_dev: dict[tuple[str, str], Ranks] = field(default_factory=dict)
    """The ranks of each fold's dev, by dataset and fold; empty unless runs are folds."""
    shelf: ArrayStore = IN_MEMORY
    """Where large arrays are put."""
    cased: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By our name of a column, its first two names that differ in letter case alone."""

    def ranks_of(self, key: Key) -> Ranks | None:
        """Return the ranks of the trials that a key's thresholds count; None where it has none."""
        if self.folds and key.split == "dev":
            return self.fold_dev.get((key.dataset, key.run))
        return self.ranks.get((key.dataset, key.split))


@dataclass(frozen=True, eq=False)
class Counting:
    """What is counted, where large arrays go, and where counts are remembered."""

    table: TrialTable
    references: dict[TrialSet, Reference]
    shelf: ArrayStore
    cache: Cache
    follows_from: dict[str, object]
    """What the counts of a model follow from; those of other models are not remembered."""


def count_trials(
    table: TrialTable, pool: Executor, shelf: ArrayStore = IN_MEMORY, cache: Cache = NO_CACHE
) -> Counts:
    """Read every model once and return the thresholds and ranks of its runs; large arrays go on the shelf.

    The first model is always read, and others whose counts the cache does not have.
    """
    first, *others = table.models
    rows = read_model(table, first)
    references = reference_of(table, first, rows)
    names = _names(table, references)
    refuse_alike({table.spec.called(name): column for name, column in names.items()})
    follows_from = follow_from(table, references) if cache.remembers else {}
    counting = Counting(table, references, shelf, cache, follows_from)
    counted = [_count_model(counting, first, pool.here, rows)]
    del rows
    if pool.folder is None and sum(len(of.label) for of in references.values()) >= LARGE_MODEL:
        # One model at a time, its sets side by side: memory holds the rows of one.
        others_counted = []
        for number, model in enumerate(others, start=1):
            others_counted.append(_read_and_count(counting, model, pool))
            pool.step(number, len(others), "models")
    else:
        shared = replace(counting, table=ready_to_ship(table, pool.folder))
        others_counted = pool.run(_read_and_count, shared, others, "models")
    refuse(fault for result in others_counted if isinstance(result, DataError) for fault in result.faults)
    counted += [result for result in others_counted if not isinstance(result, DataError)]
    cased = {name: pair for name, column in names.items() if (pair := in_other_case(column)) is not None}
    return replace(_assemble(table, references, counted, shelf), cased=cased)


def _names(table: TrialTable, references: dict[TrialSet, Reference]) -> dict[str, pl.Series]:
    """Return the distinct names of models, runs, datasets, and of whatever all models share."""
    shared = {
        name: pl.concat([reference.shared[name].names for reference in references.values()]).unique()
        for name in table.shared
    }
    return {name: table.tally[name].unique() for name in ("model", "run", "dataset")} | shared


LARGE_MODEL = 2**21
"""Trials of a model from which on models are read one after another."""


ModelCounts = dict[tuple[Key, TrialSet], tuple[Cuts, Held]]


def _read_and_count(counting: Counting, model: str, pool: Executor | None = None) -> ModelCounts | DataError:
    """Return the counts of a model, or its faults: those of all models are reported together."""
    try:
        return _count_model(counting, model, pool or SerialExecutor())
    except DataError as error:
        return error


def _count_model(counting: Counting, model: str, pool: Executor, rows: Rows | None = None) -> ModelCounts:
    """Return the counts of a model as the cache has them, else of its rows, which are read if need be."""
    sets = counting.table.parts_of(model)

    def count(shelf: ArrayStore) -> list[tuple[Cuts, Held]]:
        part_rows = read_model(counting.table, model) if rows is None else rows
        aligned = align(counting.table, model, part_rows, counting.references)
        del part_rows
        return pool.run(_count_set, (aligned, counting.references, shelf), sets)

    def arrays(_: Sequence[str]) -> dict[str, Arrays]:
        return {model: as_arrays((cuts, opened(rank)) for cuts, rank in count(IN_MEMORY))}

    if model in counting.follows_from:
        kept = counting.cache.fill("counts", [model], counting.follows_from.get, arrays)[model]
        counted = [(shelved(c, counting.shelf), counting.shelf.keep(r)) for c, r in of_arrays(kept)]
    else:
        counted = count(counting.shelf)
    return {(Key(model, run, *of.place), of): counts for (run, of), counts in zip(sets, counted, strict=True)}


Aligned = dict[tuple[str, TrialSet], FloatArray]


def _count_set(
    shared: tuple[Aligned, dict[TrialSet, Reference], ArrayStore], run_and_trials: tuple[str, TrialSet]
) -> tuple[Cuts, Held]:
    aligned, references, shelf = shared
    trials = references[run_and_trials[1]]
    cuts, rank = count_cuts(aligned.pop(run_and_trials), trials.label, trials.weight)
    return shelved(cuts, shelf), shelf.keep(rank)


def _assemble(
    table: TrialTable, references: dict[TrialSet, Reference], counted: list[ModelCounts], shelf: ArrayStore
) -> Counts:
    together = {key: value for model in counted for key, value in model.items()}
    first, second = _cluster_codes(references, table.spec.pools)
    noise = None if table.bundle is None else noise_in(table.bundle)
    every = {
        trials: Ranks(
            label=reference.label,
            unit_a=first.get(trials),
            unit_b=second.get(trials),
            pools=table.spec.pools,
            rank=StoredArrays(
                {(key.model, key.run): rank for (key, of), (_, rank) in together.items() if of == trials}
            ),
            paired=table.has_trial and table.pairing != "none",
            weight=reference.weight,
            strata=reference.strata,
            fold=reference.fold,
            attributes=_attributes(reference),
            noise=noise,
            block=reference.block,
            in_blocks=table.pairing == "blocks",
            in_clusters=table.pairing == "clusters",
            block_of_cluster=_blocks_of_clusters(reference) if trials not in second else None,
        )
        for trials, reference in references.items()
    }
    ranks = {trials.place: ranks_there for trials, ranks_there in every.items() if not trials.fold}
    return Counts(
        cuts={key: cuts for (key, _), (cuts, _) in together.items()},
        ranks=ranks,
        n_clusters={
            place: n for place, ranks_there in ranks.items() if (n := ranks_there.n_clusters) is not None
        },
        dev_of=table.dev_of,
        folds={
            t.dataset: tuple(r.shared[FOLD].names)
            for t, r in references.items()
            if FOLD in r.shared and not t.fold
        },
        fold_dev={
            (trials.dataset, trials.fold): ranks_there for trials, ranks_there in every.items() if trials.fold
        },
        shelf=shelf,
    )


def _blocks_of_clusters(reference: Reference) -> BlockArray | None:
    cluster = reference.shared.get("cluster")
    return None if cluster is None else blocks_of(cluster.names)[cluster.code]


def _attributes(reference: Reference) -> dict[str, Attribute]:
    return {
        name.removeprefix(BREAKDOWN): Attribute(tuple(column.names), column.code)
        for name, column in reference.shared.items()
        if name.startswith(BREAKDOWN)
    }


Codes = dict[TrialSet, RankArray]


def _cluster_codes(references: dict[TrialSet, Reference], pools: Pools) -> tuple[Codes, Codes]:
    """Number the clusters of all datasets and splits together; of pair trials, those of either column."""
    first, second = (
        {
            trials: reference.shared[name]
            for trials, reference in references.items()
            if name in reference.shared
        }
        for name in ("cluster", "cluster_b")
    )
    if pools == "two":
        return _numbered(first, first), _numbered(second, second)
    return _numbered(first, first, second), _numbered(second, first, second)


def _numbered(columns: dict[TrialSet, Coded], *population: dict[TrialSet, Coded]) -> Codes:
    if not columns:
        return {}
    members = [column.names for side in population for column in side.values()]
    names = pl.concat(members).unique().sort()
    return {trials: column.among(names) for trials, column in columns.items()}
