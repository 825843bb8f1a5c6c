"""Runs before this one as plain frames, oldest first: the reference, and what was looked at already."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from reporting.criteria.criterion import Criterion
from reporting.gates.collect import Found, Spot
from reporting.gates.evidence import Evidence, Looks, Normal, Nothing, State, look
from reporting.gates.gate import REFERENCE, Gate
from reporting.stats.betting import Stream
from reporting.stats.fragility import linear_units
from reporting.stats.intervals import student
from reporting.stats.paired import Discordant, difference, standard_error

Row = dict[str, Any]
ACCEPTED = "accepted:"
"""Begins the columns of decisions in the frame ``outcomes``; the key of the model follows."""
NO_REFERENCE = "no_reference"
SAME = ("gate", "model", "dataset", "group", "kind", "against", "reference", "measure", "criterion", "level",
        "side", "bound")  # fmt: skip
"""What must be as before for the capital of a gate to be carried on."""


@dataclass(frozen=True, eq=False)
class PastRun:
    """One run of the history, with those of the frames ``gates``, ``metrics``, ``outcomes`` that it has."""

    name: str
    frames: Mapping[str, pl.DataFrame]

    def rows(self, frame: str, **where: object) -> list[Row]:
        """Return the rows of a frame that have these values; none where the run has no such frame."""
        if frame not in self.frames:
            return []
        wanted = [pl.col(name).eq_missing(pl.lit(value)) for name, value in where.items()]
        return self.frames[frame].filter(*wanted).to_dicts()


def last_accepted(past: Sequence[PastRun], model: str) -> PastRun | None:
    """Return the latest run in which no gate of the model counts as failed; None where there is none.

    A gate that failed only for want of a reference does not count: the first run could never become one.
    """
    for run in reversed(past):
        judged = run.rows("gates", model=model)
        if judged and not any(row["counts_as"] == "fail" and row["status"] != NO_REFERENCE for row in judged):
            return run
    return None


def state_of(past: Sequence[PastRun], row: Row) -> tuple[State, pl.DataFrame] | None:
    """Return the capital that a gate carries on, and the trials (digests) its looks have seen.

    None where a look left no ``outcomes``: nobody can tell then which trials are new.
    """
    looked = list(_looked(past, row))
    none = pl.DataFrame(schema={"trial": pl.Binary()})
    if not looked:
        return State(), none
    if not all("outcomes" in run.frames for run, _ in looked):
        return None
    last, dataset = looked[0][1], pl.col("dataset") == row["dataset"]
    state = State(last["e_pass"], last["e_fail"], last["looks"], last["trials_used"])
    seen = [run.frames["outcomes"].filter(dataset).select("trial") for run, _ in looked]
    return state, pl.concat([none, *seen]).unique()


def _looked(past: Sequence[PastRun], row: Row) -> Iterator[tuple[PastRun, Row]]:
    """The runs since the gate began to ask just this, latest first, each with its row."""
    named = {name: row[name] for name in ("gate", "model", "dataset", "group")}
    for run in reversed(past):
        for found in run.rows("gates", **named):
            if found["looks"] is None or any(found[name] != row[name] for name in SAME):
                return
            yield run, found


ENOUGH_IN_COMMON = 0.5
"""The share of trials that must have been in the reference for a paired comparison with it."""
MODEL, OTHER = "first", "second"


@dataclass(frozen=True, eq=False)
class Today:
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


def with_other(gate: Gate, spot: Spot, today: Today) -> pl.DataFrame | None:
    """Return the trials of a model beside the decisions of what it is compared with; None where unknown.

    Against a limit, the model that errs nowhere stands beside.
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


def counted(trials: pl.DataFrame) -> Discordant:
    """Count how both decide the trials of either class."""
    label, first, second = (trials[name].to_numpy() for name in ("label", MODEL, OTHER))

    def count(of: bool, one: bool, two: bool) -> int:
        return int(((label == of) & (first == one) & (second == two)).sum())

    return Discordant(
        nontarget_10=count(False, True, False),
        nontarget_01=count(False, False, True),
        target_10=count(True, True, False),
        target_01=count(True, False, True),
        n_target=int(label.sum()),
        n_nontarget=int((~label).sum()),
    )


def streams_of(d: Discordant, weights: tuple[float, float]) -> tuple[Stream, Stream]:
    """Return the errors of the first less those of the second, class by class: FAR is of non-targets."""
    far = d.nontarget_10, d.n_nontarget - d.nontarget_10 - d.nontarget_01, d.nontarget_01
    frr = d.target_01, d.n_target - d.target_10 - d.target_01, d.target_10
    return Stream(weights[0], *far), Stream(weights[1], *frr)


def evidence_of(d: Discordant, weights: tuple[float, float]) -> Evidence | None:
    """Return what paired counts of independent trials say of a difference; None where it has no error."""
    needed = zip(weights, (d.n_nontarget, d.n_target), strict=True)
    if any(weight > 0 and not n for weight, n in needed):
        return None
    point, se = float(difference(d, *weights)), float(standard_error(d, *weights))
    if se > 0:
        return Normal(point, se)
    if any((d.nontarget_10, d.nontarget_01, d.target_10, d.target_01)):
        return None
    return Nothing(weights, (int(d.n_nontarget), int(d.n_target)), signed=True)


def looked(gate: Gate, spot: Spot, row: Row, today: Today, ceiling: float) -> tuple[Looks | None, str | None]:
    """Return all looks of an always valid gate after tonight, or why there is none."""
    weights = gate.measure.linear()
    if today.clustered or today.weighted or weights is None:
        return None, "clustered" if today.clustered else "weighted"
    if gate.against == REFERENCE and last_accepted(today.past, spot.model) is None:
        return None, NO_REFERENCE
    trials, before = with_other(gate, spot, today), state_of(today.past, row)
    if trials is None or before is None:
        return None, "no_outcomes"
    state, seen = before
    d = counted(trials.join(seen, on="trial", how="anti"))
    shown = d if d.n_target + d.n_nontarget else counted(trials)
    found = evidence_of(shown, weights)
    estimate, se = (found.estimate, found.se) if found else (math.nan, math.nan)
    if found is None and not state.looks:
        return None, "no_targets" if not shown.n_target else "no_nontargets"
    return look(state, streams_of(d, weights), gate.side, gate.bound, estimate, se, ceiling), None


def against_reference(gate: Gate, spot: Spot, found: Found, today: Today) -> tuple[Found, str | None]:
    """Return model - the same model in the last accepted run, and that run's name.

    Paired where enough trials were there already and the measure is a weighted sum of FAR and FRR; else the
    difference of two values, their errors taken as independent: on the same trials that is too careful.
    """
    run = last_accepted(today.past, spot.model)
    if run is None:
        return Found(None, NO_REFERENCE, found.unit, found.n_units), None
    weights, trials = gate.measure.linear(), with_other(gate, spot, today)
    mine = today.decided(spot.dataset, spot.model)
    common = 0.0 if trials is None or mine is None else len(trials) / len(mine)
    known = not gate.group and gate.criterion == today.criterion and not today.weighted and not today.pairs
    if trials is not None and weights and known and common >= ENOUGH_IN_COMMON:
        made = _paired(trials, weights, today)
        if made is not None:
            n = trials["cluster"].n_unique() if today.clustered else len(trials)
            return Found(made, None, found.unit, n, "given_thresholds"), run.name
    return _apart(gate, spot, found, run), run.name


def _paired(trials: pl.DataFrame, weights: tuple[float, float], today: Today) -> Evidence | None:
    if not today.clustered:
        return evidence_of(counted(trials), weights)
    label, first, second = (trials[name].to_numpy() for name in ("label", MODEL, OTHER))
    _, unit = np.unique(trials["cluster"].to_numpy(), return_inverse=True)
    surplus = first.astype(np.int64) - second.astype(np.int64)
    sides = ((~label, 1), (label, -1))
    # Accepting alone is an error on a non-target and right on a target; whole numbers add up exactly.
    errors = np.array([np.bincount(unit, sign * surplus * of) for of, sign in sides]).astype(np.int64)
    sizes = np.array([np.bincount(unit, of) for of, _ in sides]).astype(np.int64)
    _, estimate = linear_units(errors, sizes, np.array(weights))
    point, se = estimate(np.ones(errors.shape[1], dtype=bool))
    df = max(1, int(min((size > 0).sum() for size in sizes)) - 1)
    return Normal(point, se, df, "t") if se > 0 and math.isfinite(point) else None


def _apart(gate: Gate, spot: Spot, found: Found, run: PastRun) -> Found:
    at = None if gate.criterion is None else str(gate.criterion)
    where = {"model": spot.model, "dataset": spot.dataset, "group": spot.group, "split": "test"}
    rows = run.rows("metrics", **where, measure=str(gate.measure), criterion=at)
    row = rows[0] if len(rows) == 1 else {}
    if found.evidence is None or found.evidence.se == 0 or row.get("ci_low") is None:
        return Found(None, found.status or "degenerate", found.unit, found.n_units)
    reach = student(0.0, 1.0, 1e9, row["level"]).high
    theirs = (row["ci_high"] - row["ci_low"]) / 2 / reach
    se = math.hypot(found.evidence.se, theirs)
    made = Normal(found.evidence.estimate - row["value"], se, method="two_runs")
    return Found(made, None, found.unit, found.n_units, found.inference)
