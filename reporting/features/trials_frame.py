"""The ``trials`` frame: what was read, kept and counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import polars as pl

from reporting.core.counts.count import Counts
from reporting.core.counts.cuts import Cuts, Key
from reporting.core.counts.ranks import Ranks
from reporting.core.engine.parts import Part
from reporting.core.resampling.units import class_sizes, shared_clusters
from reporting.core.stats.cluster_sizes import ClusterSizes, decisive
from reporting.document.frames.contract import Group, group_of
from reporting.document.frames.judged import JudgedRun
from reporting.document.frames.recipe import frame_of
from reporting.document.frames.trials import TRIALS, TrialsRow
from reporting.inputs.table import TrialTable

PLACE = ("model", "run", "dataset", "split")


class Tally(NamedTuple):
    """What was read at one place, kept or not; None where counts do not show it."""

    n_unlabelled: int | None = 0
    n_missing: int | None = 0
    n_infinite: int | None = 0
    rows_read: int | None = 0
    n_missing_target: int | None = 0
    n_missing_nontarget: int | None = 0

    def plus(self, other: Tally) -> Tally:
        """Return what was read at either place."""
        every = zip(self, other, strict=True)
        return Tally(*(None if mine is None or its is None else mine + its for mine, its in every))


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
    """Yield the same of every group of the breakdowns, on either set.

    Counts of trials do not show which group lacks scores or labels: rows are left out before, of every
    model where one lacks a score, or have the worst score.
    """
    unknown = set()
    if table.bundle is not None:
        lacking = table.tally.filter((pl.col("n_missing") > 0) | (pl.col("n_unlabelled") > 0))
        unknown = {*lacking.select("dataset", "split").iter_rows()}
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
                if (key.dataset, key.split) in unknown:
                    tally = UNKNOWN
                yield _row(key, tally, cuts, ranks, group_of(part))


UNKNOWN = Tally(*(None for _ in Tally._fields))


def _tallies(frame: pl.DataFrame, keys: Sequence[str]) -> dict[tuple[Any, ...], Tally]:
    """What was read, by the values of some columns."""
    rows = frame.select(*keys, *Tally._fields).iter_rows()
    return {row[: len(keys)]: Tally(*row[len(keys) :]) for row in rows}


def _row(key: Key, tally: Tally, cuts: Cuts | None, ranks: Ranks | None, group: Group) -> TrialsRow:
    n_target, n_nontarget = cuts.trials if cuts else (0, 0)
    kept, sizes = n_target + n_nontarget, None
    if ranks is not None and ranks.unit_a is not None and ranks.unit_b is None:
        sizes = decisive(class_sizes(ranks))
    strata = None if ranks is None or ranks.strata is None else ranks.strata.sizes
    of_weights = [_effective(ranks, target=target) for target in (True, False)]
    return TrialsRow(
        **key._asdict(),
        **tally._asdict(),
        n_target=n_target,
        n_nontarget=n_nontarget,
        rows_dropped=None if tally.rows_read is None else tally.rows_read - kept,
        n_clusters=ranks.n_clusters if ranks else None,
        effective_clusters=sizes.effective if sizes else None,
        largest_cluster=sizes.largest if sizes else None,
        n_strata=None if strata is None else len(strata),
        least_stratum=None if strata is None else int(strata.min()),
        prevalence=n_target / kept if kept else None,
        n_distinct=len(cuts.score) if cuts else 0,
        effective_target=of_weights[0],
        effective_nontarget=of_weights[1],
        **group._asdict(),
    )


def _effective(ranks: Ranks | None, *, target: bool) -> float | None:
    """Return (sum w)^2 / sum w^2 over a class. Kish 1965, Survey Sampling, section 11.7."""
    if ranks is None or ranks.weight is None or ranks.mix is not None:
        return None
    return ClusterSizes.of(ranks.weight[ranks.label == target]).effective or None


RECIPES = (frame_of(TRIALS, run=trials_of, keeps_empty=True, under_noise=True),)
