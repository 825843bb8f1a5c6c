"""The ``trials`` frame: what was read, kept and counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, NamedTuple

import polars as pl

from reporting.counts.count import Counts
from reporting.counts.cuts import Cuts, Key
from reporting.counts.ranks import Ranks
from reporting.engine.parts import Part
from reporting.frames.contract import KEY, Frame, Group, GroupColumns, GroupValues, KeyRow, group_of
from reporting.frames.judged import JudgedRun
from reporting.significance.units import class_sizes, shared_clusters
from reporting.stats.cluster_sizes import decisive
from reporting.trials.table import TrialTable


@dataclass(frozen=True, kw_only=True, slots=True)
class TrialsRow(KeyRow):
    """A row of ``trials``."""

    n_target: Annotated[int, "targets"]
    n_nontarget: Annotated[int, "non-targets"]
    n_unlabelled: Annotated[int, "rows without a label"]
    n_missing: Annotated[int, "rows without a score"]
    n_infinite: Annotated[int, "rows with an infinite score"]
    rows_read: Annotated[int, "rows read from the table"]
    rows_dropped: Annotated[int, "rows read that are not trials here"]
    n_clusters: Annotated[int | None, "distinct clusters; null without a cluster column"] = None
    effective_clusters: Annotated[
        float | None,
        "clusters of equal size that are worth as much, of the class with fewer; null of pairs",
    ] = None
    largest_cluster: Annotated[
        float | None, "share of the trials of that class in its largest cluster; null of pairs"
    ] = None
    shared_clusters: Annotated[
        int | None,
        "of a test set, clusters that its development set has too; null without both, and of two populations",
    ] = None
    prevalence: Annotated[float | None, "share of targets, from 0 to 1; null without trials"] = None
    n_distinct: Annotated[int, "distinct scores"]
    n_missing_target: Annotated[
        int | None, "rows of targets without a score; null in files of counts of earlier versions"
    ] = None
    n_missing_nontarget: Annotated[
        int | None, "those of non-targets; null in files of counts of earlier versions"
    ] = None
    group_columns: GroupColumns = field(default_factory=list)
    group_values: GroupValues = field(default_factory=list)


TRIALS = Frame("trials", TrialsRow, KEY)


PLACE = ("model", "run", "dataset", "split")


class Tally(NamedTuple):
    """What was read at one place, kept or not."""

    n_unlabelled: int = 0
    n_missing: int = 0
    n_infinite: int = 0
    rows_read: int = 0
    n_missing_target: int | None = 0
    n_missing_nontarget: int | None = 0

    def plus(self, other: Tally) -> Tally:
        """Return what was read at either place."""
        every = zip(self, other, strict=True)
        return Tally(*(None if mine is None or its is None else mine + its for mine, its in every))  # type: ignore[arg-type]


def trials_of(run: JudgedRun) -> Iterator[TrialsRow]:
    """Yield what was read and counted of every model, and of every group of the breakdowns."""
    yield from trial_rows(run.table, run.counts)
    yield from group_trial_rows(run.table, [part for part in run.parts if part.group])


def trial_rows(table: TrialTable, counts: Counts) -> Iterator[TrialsRow]:
    """Yield one row per model, run, dataset and split; counts are of trials, whatever they weigh.

    A split that the threshold policy leaves out has no trials, and all its rows are dropped.
    """
    for place, tally in _tallies(table.tally, PLACE).items():
        key = Key(*place)
        ranks = counts.ranks_of(key)
        row = _row(key, tally, counts.cuts.get(key), ranks, Group([], []))
        dev = counts.dev_of.get(key.dataset) if key.split == "test" and not counts.folds else None
        chosen_on = None if dev is None else counts.ranks.get((dev, "dev"))
        if ranks and chosen_on and ranks.unit_a is not None and ranks.pools == "one":
            (shared,) = shared_clusters(ranks, chosen_on)
            row = replace(row, shared_clusters=shared)
        yield row


def group_trial_rows(table: TrialTable, groups: list[Part]) -> Iterator[TrialsRow]:
    """Yield the same of every group of the breakdowns, on dev and on test."""
    read: dict[tuple[str, ...], dict[tuple[str | None, ...], Tally]] = {}
    for part in groups:
        if part.columns not in read:
            by = [f"by {column}" for column in part.columns]
            read[part.columns] = _tallies(table.tally_by(part.columns), [*PLACE, *by])
        for model in part.models:
            sides = ((model.dev_key, model.dev, part.dev_ranks), (model.key, model.test, part.ranks))
            for key, cuts, ranks in sides:
                if key is None or cuts is None or ranks is None:
                    continue
                tally = read[part.columns].get((*key[:4], *part.values), Tally())
                if part.one_class:
                    # The trials of the other class, whom the column does not describe, are in every group.
                    others = (
                        None if column in part.one_class else value
                        for column, value in zip(part.columns, part.values, strict=True)
                    )
                    tally = tally.plus(read[part.columns].get((*key[:4], *others), Tally()))
                yield _row(key, tally, cuts, ranks, group_of(part))


def _tallies(frame: pl.DataFrame, keys: Sequence[str]) -> dict[tuple[Any, ...], Tally]:
    """What was read, by the values of some columns."""
    rows = frame.select(*keys, *Tally._fields).iter_rows()
    return {row[: len(keys)]: Tally(*row[len(keys) :]) for row in rows}


def _row(key: Key, tally: Tally, cuts: Cuts | None, ranks: Ranks | None, group: Group) -> TrialsRow:
    n_target, n_nontarget = cuts.trials if cuts else (0, 0)
    kept, sizes = n_target + n_nontarget, None
    if ranks is not None and ranks.unit_a is not None and ranks.unit_b is None:
        sizes = decisive(class_sizes(ranks))
    return TrialsRow(
        **key._asdict(),
        **tally._asdict(),
        n_target=n_target,
        n_nontarget=n_nontarget,
        rows_dropped=tally.rows_read - kept,
        n_clusters=ranks.n_clusters if ranks else None,
        effective_clusters=sizes.effective if sizes else None,
        largest_cluster=sizes.largest if sizes else None,
        prevalence=n_target / kept if kept else None,
        n_distinct=len(cuts.score) if cuts else 0,
        **group._asdict(),
    )
