"""Gates that look at earlier runs: those against an accepted one, and always valid ones on new trials.

Runs before this one are plain frames, oldest first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from reporting.base.codes import Status
from reporting.base.records import dataclass, replace
from reporting.core.counts.ranks import Ranks
from reporting.core.criteria.criterion import Criterion
from reporting.core.engine.model_runs import MEAN
from reporting.core.measures.measure import Measure
from reporting.core.resampling.settings import Inference
from reporting.core.stats.intervals import quantile
from reporting.core.stats.paired import Discordant
from reporting.document.frames.gates import GATES, GateRow
from reporting.document.frames.metrics import METRICS
from reporting.document.runs import PastRun
from reporting.features.compared_decisions import difference_of_decisions
from reporting.features.decided_trials import ACCEPTED
from reporting.features.gates.betting import Night
from reporting.features.gates.bounds import Apart, AtEveryLevel
from reporting.features.gates.collect import GateData, GateTarget, data_of_difference
from reporting.features.gates.evidence import Looks, State, look
from reporting.features.gates.keys import REFERENCE, Gate

NO_REFERENCE: Status = "no_reference"
SAME = ("gate", "model", "dataset", "group", "kind", "against", "reference", "measure", "criterion", "level",
        "side", "bound", "unit")  # fmt: skip
"""What must be as before for the wealth of a gate to be carried on."""


def last_accepted(past: Sequence[PastRun], model: str) -> PastRun | None:
    """Return the latest run in which no gate of the model counts as failed; None where there is none.

    A gate that failed only for want of a reference does not count: the first run could never become one.
    """
    for run in reversed(past):
        judged = run.rows(GATES, model=model)
        if judged and not any(row.counts_as == "fail" and row.status != NO_REFERENCE for row in judged):
            return run
    return None


class Carried(NamedTuple):
    """What a gate carries on: its wealth, the new units of each look, and digests of all it has seen."""

    state: State
    nights: tuple[Night, ...]
    seen: pl.DataFrame


def carried_on(
    gate: Gate, spot: GateTarget, question: GateRow, today: CurrentRun, weights: tuple[float, float]
) -> Carried | None:
    """Return what the looks of a gate have left; None where one left no ``outcomes``.

    Then it is not known which trials are new.
    """
    looks, by_cluster = list(_looks(today.past, question)), question.unit == "cluster"
    if not all("outcomes" in run.frames for run, _ in looks):
        return None
    seen, nights = pl.DataFrame(schema={"trial": pl.Binary(), "cluster": pl.Binary()}), []
    for run, _ in reversed(looks):
        outcomes = run.frames["outcomes"]
        earlier = today.past[: today.past.index(run)]
        trials = with_other(gate, spot, replace(today, outcomes=outcomes, past=earlier))
        if trials is not None:
            nights.append(night_of(unseen(trials, seen, by_cluster), weights, by_cluster))
        own = outcomes.filter(pl.col("dataset") == spot.dataset).select(seen.columns)
        seen = pl.concat([seen, own]).unique()
    state = looks[0][1] if looks else State()
    return Carried(state, tuple(night for night in nights if night.n_units), seen)


def unseen(trials: pl.DataFrame, seen: pl.DataFrame, by_cluster: bool) -> pl.DataFrame:
    """Return the trials that no earlier look has seen, nor any other trial of their cluster."""
    new = trials.join(seen, on="trial", how="anti")
    return new.join(seen, on="cluster", how="anti") if by_cluster else new


def _looks(past: Sequence[PastRun], question: GateRow) -> Iterator[tuple[PastRun, State]]:
    """The runs since the gate began to ask just this, latest first, each with the wealth it left."""
    where = {name: getattr(question, name) for name in ("gate", "model", "dataset", "group")}
    for run in reversed(past):
        for row in run.rows(GATES, **where):
            if row.e_pass is None or row.e_fail is None or row.looks is None or row.trials_used is None:
                return
            if any(getattr(row, name) != getattr(question, name) for name in SAME):
                return
            yield run, State(row.e_pass, row.e_fail, row.looks, row.trials_used)


ENOUGH_IN_COMMON = 0.5
"""The share of trials that must have been in the reference for a paired comparison with it."""
MODEL, OTHER = "first", "second"


@dataclass(frozen=True, eq=False)
class CurrentRun:
    """The decisions of this run in the form in which the history keeps them, and how they may be read.

    ``outcomes`` has a row for each test trial: dataset, trial (digest), label, cluster, and ``accepted:`` and
    a model's key, at the dev threshold of the primary criterion. None: it was not made.
    """

    outcomes: pl.DataFrame | None
    past: Sequence[PastRun] = ()
    criterion: Criterion | None = None
    """The primary criterion."""
    clustered: bool = False
    """Whether clusters are the resampling unit."""
    weighted: bool = False
    pairs: bool = False
    """Whether trials are pairs of cluster members."""
    averaged: str = ""
    """The group of the means over a column that gates on all trials judge; empty: they judge the pool."""

    def decided(self, dataset: str, model: str) -> pl.DataFrame | None:
        """Return the trials of a dataset with what a model decided; None where that is not known."""
        return None if self.outcomes is None else _decided(self.outcomes, dataset, model)


def _decided(outcomes: pl.DataFrame, dataset: str, model: str) -> pl.DataFrame | None:
    column = f"{ACCEPTED}{model}"
    if column not in outcomes.columns:
        return None
    trials = outcomes.filter(pl.col("dataset") == dataset, pl.col(column).is_not_null())
    kept = trials.select("trial", "label", "cluster", pl.col(column).alias(MODEL))
    return kept if len(kept) else None


def with_other(gate: Gate, spot: GateTarget, today: CurrentRun) -> pl.DataFrame | None:
    """Return the trials of a model next to the decisions of what it is compared with; None where unknown.

    Against a limit, the other is a model without errors.
    """
    mine = today.decided(spot.dataset, spot.model)
    if mine is None:
        return None
    if gate.against is None:
        return mine.with_columns(pl.col("label").alias(OTHER))
    if gate.against == REFERENCE:
        run = last_accepted(today.past, spot.model)
        frame = None if run is None else run.frames.get("outcomes")
        other = None if frame is None else _decided(frame, spot.dataset, spot.model)
    else:
        other = today.decided(spot.dataset, gate.against)
    if other is None:
        return None
    return mine.join(other.select("trial", pl.col(MODEL).alias(OTHER)), on="trial")


def count_discordant(trials: pl.DataFrame) -> Discordant:
    """Count how both decide the trials of either class."""
    label, first, second = (trials[name].to_numpy() for name in ("label", MODEL, OTHER))

    def count(of: bool, by_first: bool, by_second: bool) -> int:
        return int(((label == of) & (first == by_first) & (second == by_second)).sum())

    return Discordant(
        nontarget_10=count(False, True, False),
        nontarget_01=count(False, False, True),
        target_10=count(True, True, False),
        target_01=count(True, False, True),
        n_target=int(label.sum()),
        n_nontarget=int((~label).sum()),
    )


def night_of(trials: pl.DataFrame, weights: tuple[float, float], by_cluster: bool) -> Night:
    """Return the errors of the first less those of the second, trial by trial or cluster by cluster."""
    if not by_cluster:
        return trials_of_night(count_discordant(trials), weights)
    accepts_more = pl.col(MODEL).cast(pl.Int64) - pl.col(OTHER).cast(pl.Int64)
    nontarget, target = ~pl.col("label"), pl.col("label")
    counted = trials.group_by("cluster").agg(
        accepts_more.filter(nontarget).sum().alias("far"),
        (-accepts_more).filter(target).sum().alias("frr"),
        nontarget.sum().cast(pl.Int64).alias("nontargets"),
        target.sum().cast(pl.Int64).alias("targets"),
    )
    rows = counted.sort("cluster").drop("cluster").to_numpy().T
    return Night.of_clusters(weights, rows[:2], rows[2:])


def trials_of_night(d: Discordant, weights: tuple[float, float]) -> Night:
    """Return the errors of the first less those of the second, class by class: FAR is of non-targets."""
    far = d.nontarget_10, d.n_nontarget - d.nontarget_10 - d.nontarget_01, d.nontarget_01
    frr = d.target_01, d.n_target - d.target_10 - d.target_01, d.target_10
    return Night.of_trials(weights, (far, frr))


def all_looks(
    gate: Gate, spot: GateTarget, question: GateRow, today: CurrentRun, ceiling: float
) -> tuple[Looks | None, Status | None]:
    """Return all looks of an always valid gate after tonight, or why there is none."""
    weights = gate.measure.linear()
    by_cluster = question.unit == "cluster"
    if today.averaged or (by_cluster and today.pairs):
        return None, "clustered"
    if today.weighted or weights is None:
        return None, "weighted"
    if gate.against == REFERENCE and last_accepted(today.past, spot.model) is None:
        return None, NO_REFERENCE
    trials, before = with_other(gate, spot, today), carried_on(gate, spot, question, today, weights)
    if trials is None or before is None:
        return None, "no_outcomes"
    night = night_of(unseen(trials, before.seen, by_cluster), weights, by_cluster)
    lacks = (night.n == 0) & (night.weight > 0)
    if not before.state.looks and lacks.any():
        return None, "no_targets" if not night.n[1] else "no_nontargets"
    return look(before.state, before.nights, night, gate.side, gate.bound, ceiling), None


def against_reference(
    gate: Gate, spot: GateTarget, data: GateData, today: CurrentRun, inference: Inference
) -> tuple[GateData, str | None]:
    """Return model - the same model in the last accepted run, and that run's name.

    Paired where enough trials were there already and their decisions are known; else the difference of two
    values, their errors taken as independent: on the same trials that is too careful.
    """
    run = last_accepted(today.past, spot.model)
    if run is None:
        return GateData(None, NO_REFERENCE, data.unit, data.n_units), None
    trials, mine = with_other(gate, spot, today), today.decided(spot.dataset, spot.model)
    common = 0.0 if trials is None or mine is None else len(trials) / len(mine)
    pooled = not (gate.group or today.averaged or today.weighted or today.pairs or gate.measure.mixed)
    known = pooled and gate.criterion == today.criterion
    if trials is not None and known and common >= ENOUGH_IN_COMMON:
        of_pairs = paired(trials, (spot.dataset, spot.model), gate.measure, today, inference)
        if of_pairs.evidence is not None:
            return of_pairs, run.name
    return _apart(gate, replace(spot, group=spot.group or today.averaged), data, run), run.name


def paired(
    trials: pl.DataFrame, names: tuple[str, str], measure: Measure, today: CurrentRun, inference: Inference
) -> GateData:
    """Return the difference of decisions on the same trials, as of two models of one report."""
    trials = trials.sort("trial")
    label, first, second = (trials[name].to_numpy() for name in ("label", MODEL, OTHER))
    unit = trials["cluster"].rank("dense").to_numpy().astype(np.uint32) if today.clustered else None
    ranks = Ranks(label=label, unit_a=unit, rank={}, paired=True)
    return data_of_difference(difference_of_decisions(ranks, (first, second), names, measure, inference))


def _apart(gate: Gate, spot: GateTarget, data: GateData, run: PastRun) -> GateData:
    """The difference of two values, their errors taken as independent.

    The limits of the earlier one, known at one level, reach as much farther at others as normal ones do.
    """
    at = None if gate.criterion is None else str(gate.criterion)
    where = {"model": spot.model, "dataset": spot.dataset, "group": spot.group, "split": "test"}
    rows = run.rows(METRICS, **where, measure=str(gate.measure), criterion=at)
    rows = [row for row in rows if row.run == MEAN] or rows
    earlier, now = rows[0] if len(rows) == 1 else None, data.evidence
    if now is None or now.se == 0 or earlier is None or earlier.value is None:
        return GateData(None, data.status or "degenerate", data.unit, data.n_units)
    if earlier.ci_low is None or earlier.ci_high is None or earlier.level is None:
        return GateData(None, data.status or "degenerate", data.unit, data.n_units)
    value, ends, level = earlier.value, (earlier.ci_low, earlier.ci_high), earlier.level

    def limits(other: float) -> tuple[float, float]:
        times = quantile(other, None) / quantile(level, None)
        low, high = (value + times * (end - value) for end in ends)
        return low, high

    before = AtEveryLevel(value, limits, "two_runs")
    return GateData(Apart(now, before), None, data.unit, data.n_units, data.inference)
