"""Frames of a small table by way of its config, as a user gets them."""

from __future__ import annotations

import textwrap
from pathlib import Path

import polars as pl

from reporting.config.read import read_plan
from reporting.counts.count import count_trials
from reporting.execution import SerialExecutor
from reporting.execution.array_store import IN_MEMORY, ArrayStore
from reporting.frames.compute import compute_frames
from reporting.run.inputs import open_trials

FAST = ("significance.replicates=99", "epc.alphas=5")


def frames_from(
    folder: Path,
    rows: list[dict[str, object]] | pl.DataFrame,
    config: str = "",
    *overrides: str,
    shelf: ArrayStore = IN_MEMORY,
) -> dict[str, pl.DataFrame]:
    """Write a table and a config that reads it, and return the frames of the report."""
    folder.mkdir(exist_ok=True)
    frame = rows if isinstance(rows, pl.DataFrame) else pl.DataFrame(rows)
    frame.write_parquet(folder / "trials.parquet")
    said = textwrap.dedent(config)
    trials = "" if "trials:" in said else "trials: {source: trials.parquet}\n"
    (folder / "report.yaml").write_text(trials + said)
    epc = () if "epc: none" in said else FAST[1:]
    plan = read_plan(folder / "report.yaml", (*FAST[:1], *epc, *overrides))
    table = open_trials(plan)
    pool = SerialExecutor()
    return compute_frames(table, count_trials(table, pool, shelf), plan.study, pool)


def only(frame: pl.DataFrame, **values: object) -> dict[str, object]:
    """Return the one row that has these values."""
    conditions = [pl.col(name).eq_missing(pl.lit(value)) for name, value in values.items()]
    return (
        frame.filter(*conditions).row(0, named=True)
        if frame.filter(*conditions).height == 1
        else _none(frame, conditions)
    )


def _none(frame: pl.DataFrame, conditions: list[pl.Expr]) -> dict[str, object]:
    raise AssertionError(f"{frame.filter(*conditions).height} rows: {frame.filter(*conditions)}")
