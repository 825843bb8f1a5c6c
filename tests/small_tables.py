"""Small trial tables for tests: columns of one good table, changed, and written as CSV or Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from reporting.base.execution import SerialExecutor
from reporting.core.counts.count import Counts, count_trials
from reporting.errors import DataError
from reporting.inputs.spec import TrialSpec
from reporting.inputs.table import TrialTable, read_trials

TRIALS = ["t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8"]
GOOD: dict[str, list[Any]] = {
    "model": ["a"] * 8 + ["b"] * 8,
    "split": (["dev"] * 4 + ["test"] * 4) * 2,
    "trial": TRIALS * 2,
    "label": ["1", "1", "0", "0"] * 4,
    "score": ["4", "1", "2", "0", "5", "2", "3", "2", "3", "4", "1", "2", "0", "1", "2", "3"],
    "gender": ["f", "m", "f", "m"] * 4,
    "cond": ["x", "x", "y", "x", "y", "x", "x", "z"] * 2,
    "cluster": ["A", "A", "B", "B", "C", "D", "C", "D"] * 2,
}


def write(
    folder: Path,
    suffix: str = "csv",
    *,
    good: dict[str, list[Any]] = GOOD,
    name: str = "trials",
    shuffled: int | None = None,
    **changes: Any,
) -> Path:
    """Write the good table: columns replaced, cells changed (``score={3: "x"}``) or left out (None)."""
    columns = {key: list(values) for key, values in good.items()}
    for key, change in changes.items():
        if change is None:
            del columns[key]
        elif isinstance(change, dict):
            for row, value in change.items():
                columns[key][row] = value
        else:
            columns[key] = change
    frame = pl.DataFrame(columns)
    if shuffled is not None:
        frame = frame.sample(fraction=1, shuffle=True, seed=shuffled)
    path = folder / f"{name}.{suffix}"
    frame.write_csv(path) if suffix == "csv" else frame.write_parquet(path)
    return path


def counted(spec: TrialSpec) -> tuple[TrialTable, Counts]:
    """Read and count a table."""
    table = read_trials(spec)
    return table, count_trials(table, SerialExecutor())


def faults_of(spec: TrialSpec) -> list[str]:
    """Return the faults that reading or counting raises."""
    with pytest.raises(DataError) as caught:
        counted(spec)
    assert all("\n" not in fault for fault in caught.value.faults)
    return list(caught.value.faults)
