"""The ``trials`` frame: what was read, kept and counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from reporting.counts.count import Counts
from reporting.counts.cuts import Cuts, Key
from reporting.engine.parts import Part
from reporting.frames.contract import KEY, Frame, GroupColumns, GroupValues, KeyRow, group_of
from reporting.frames.judged import JudgedRun
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
    prevalence: Annotated[float | None, "share of targets, from 0 to 1; null without trials"] = None
    n_distinct: Annotated[int, "distinct scores"]
    group_columns: GroupColumns = field(default_factory=list)
    group_values: GroupValues = field(default_factory=list)


TRIALS = Frame("trials", TrialsRow, KEY)


READ = ("n_unlabelled", "n_missing", "n_infinite", "rows_read")


def trials_of(run: JudgedRun) -> Iterator[dict[str, Any]]:
    """Yield what was read and counted of every model, and of every group of the breakdowns."""
    yield from trial_rows(run.table, run.counts)
    yield from group_trial_rows(run.table, [part for part in run.parts if part.group])


def trial_rows(table: TrialTable, counts: Counts) -> Iterator[dict[str, Any]]:
    """Yield one row per model, run, dataset and split; counts are of trials, whatever they weigh.

    A split that the threshold policy leaves out has no trials, and all its rows are dropped.
    """
    for tally in table.tally.iter_rows(named=True):
        key = Key(tally["model"], tally["run"], tally["dataset"], tally["split"])
        yield _row(
            key, tally, counts.cuts.get(key), ranks.n_clusters if (ranks := counts.ranks_of(key)) else None
        ) | {"group_columns": [], "group_values": []}


def group_trial_rows(table: TrialTable, groups: list[Part]) -> Iterator[dict[str, Any]]:
    """Yield the same of every group of the breakdowns, on dev and on test."""
    read: dict[tuple[str, ...], dict[Any, dict[str, Any]]] = {}
    for part in groups:
        tallies = read.setdefault(part.columns, _read(table, part.columns))
        for model in part.models:
            sides = ((model.dev_key, model.dev, part.dev_ranks), (model.key, model.test, part.ranks))
            for key, cuts, ranks in sides:
                if key is None or cuts is None or ranks is None:
                    continue
                tally = tallies.get((*key[:4], *part.values))
                yield _row(key, tally or dict.fromkeys(READ, 0), cuts, ranks.n_clusters) | group_of(part)


def _read(table: TrialTable, columns: tuple[str, ...]) -> dict[Any, dict[str, Any]]:
    """What was read of every model, run, dataset, split and values of the columns."""
    tally = table.tally_by(columns)
    keys = ["model", "run", "dataset", "split", *(f"by {column}" for column in columns)]
    return {tuple(row[name] for name in keys): row for row in tally.iter_rows(named=True)}


def _row(key: Key, tally: Mapping[str, Any], cuts: Cuts | None, n_clusters: int | None) -> dict[str, Any]:
    n_target, n_nontarget = cuts.trials if cuts else (0, 0)
    kept = n_target + n_nontarget
    return {
        **key._asdict(),
        **{name: tally[name] for name in READ},
        "n_target": n_target,
        "n_nontarget": n_nontarget,
        "rows_dropped": tally["rows_read"] - kept,
        "n_clusters": n_clusters,
        "prevalence": n_target / kept if kept else None,
        "n_distinct": len(cuts.score) if cuts else 0,
    }
