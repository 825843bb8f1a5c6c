"""From a trial table to the waist: cuts and ranks of every model, one model in memory at a time."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from reporting.counts.cuts import Cuts, Key, count_cuts
from reporting.counts.ranks import Attribute, Ranks
from reporting.errors import DataError
from reporting.stats.staircase import RankArray
from reporting.trials.coding import codes_of
from reporting.trials.design import Place
from reporting.trials.order import Reference, align, read_model, reference_of
from reporting.trials.spec import BREAKDOWN
from reporting.trials.table import TrialTable


@dataclass(frozen=True, eq=False)
class Counts:
    """The integer tables everything below is computed from; no score of a trial remains in them."""

    cuts: dict[Key, Cuts]
    ranks: dict[Place, Ranks]
    n_clusters: dict[Place, int]
    """Distinct clusters per dataset and split; empty where none are declared."""
    dev_of: dict[str, str] = field(default_factory=dict)
    """For every dataset with test trials, the one whose dev chooses; empty where folds of test do."""


def count_trials(table: TrialTable, pool: Executor) -> Counts:
    """Read every model once and return its cuts and ranks; DataError for rules broken between models."""
    first, *others = table.models
    rows = read_model(table, first)
    references = reference_of(table, first, rows)
    counted = [_count_model(table, first, rows, references)]
    tasks = [pool.submit(_read_and_count, table, model, references) for model in others]
    faults: list[str] = []
    for task in tasks:
        try:
            counted.append(task.result())
        except DataError as error:
            faults += error.faults
    if faults:
        raise DataError(*faults)
    return _assemble(table, references, counted)


ModelCounts = dict[Key, tuple[Cuts, RankArray]]


def _read_and_count(table: TrialTable, model: str, references: dict[Place, Reference]) -> ModelCounts:
    return _count_model(table, model, read_model(table, model), references)


def _count_model(
    table: TrialTable, model: str, rows: dict[Place, pl.DataFrame], references: dict[Place, Reference]
) -> ModelCounts:
    run = table.tally.filter(pl.col("model") == model)["run"][0]
    return {
        Key(model, run, *place): count_cuts(score, references[place].label, references[place].weight)
        for place, score in align(table, model, rows, references).items()
    }


def _assemble(table: TrialTable, references: dict[Place, Reference], counted: list[ModelCounts]) -> Counts:
    together = {key: value for model in counted for key, value in model.items()}
    units = _cluster_codes(references)
    ranks = {
        place: Ranks(
            label=reference.label,
            unit_a=units.get(place),
            rank={
                (key.model, key.run): rank
                for key, (_, rank) in together.items()
                if (key.dataset, key.split) == place
            },
            paired=table.has_trial,
            weight=reference.weight,
            fold=reference.fold,
            attributes=_attributes(reference),
        )
        for place, reference in references.items()
    }
    n_clusters = {place: len(np.unique(codes)) for place, codes in units.items()}
    return Counts({key: cuts for key, (cuts, _) in together.items()}, ranks, n_clusters, table.dev_of)


def _attributes(reference: Reference) -> dict[str, Attribute]:
    found = {}
    for name, column in reference.shared.items():
        if name.startswith(BREAKDOWN):
            values = column.unique().sort()
            found[name.removeprefix(BREAKDOWN)] = Attribute(tuple(values), codes_of(column, values))
    return found


def _cluster_codes(references: dict[Place, Reference]) -> dict[Place, RankArray]:
    """Number the clusters of all datasets and splits together, in the byte order of their names."""
    columns = {place: r.shared["cluster"] for place, r in references.items() if "cluster" in r.shared}
    if not columns:
        return {}
    names = pl.concat(list(columns.values())).unique().sort()
    return {place: codes_of(column, names) for place, column in columns.items()}
