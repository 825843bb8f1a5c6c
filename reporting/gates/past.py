"""Runs before this one as plain frames, oldest first: the reference, and what was looked at already."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from reporting.gates.looks import State

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
