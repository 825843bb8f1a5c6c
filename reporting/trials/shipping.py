"""A trial table that other processes can read: a lazy plan over files, under whole paths."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from secrets import token_hex

import polars as pl
from polars.exceptions import PolarsError

from reporting.errors import DataError
from reporting.trials.files import first_line
from reporting.trials.spec import File, InMemory, Remote, Source, TrialSpec, readable
from reporting.trials.table import TrialTable

LARGEST_PLAN = 2**20
"""Bytes above which a plan holds rows, not only says where they are."""


def with_whole_paths(spec: TrialSpec) -> TrialSpec:
    """Return the spec with whole paths: workers may stand in another folder. Names stay as they are."""
    return replace(spec, sources=_whole(spec.sources), keys=_whole(spec.keys))


def _whole(sources: tuple[Path | Source | Remote, ...]) -> tuple[Path | Source | Remote, ...]:
    found: list[Path | Source | Remote] = []
    for one in sources:
        if isinstance(one, File):
            found.append(replace(one, path=one.path.absolute()))
        else:
            found.append(one.absolute() if isinstance(one, Path) else one)
    return tuple(found)


def ready_to_ship(table: TrialTable, folder: Path | None) -> TrialTable:
    """Return what reading a model's rows needs; rows that no file holds are written to ``folder``.

    ``folder`` None: the table stays in this process, as it is.
    """
    if folder is None:
        return table
    in_memory = any(isinstance(one, InMemory) for one in readable(table.spec.inputs))
    rows = table.rows if not in_memory and _is_light(table.rows) else _written(table.rows, folder)
    return replace(table, spec=replace(table.spec, sources=(), keys=()), rows=rows, as_read=rows)


def _is_light(rows: pl.LazyFrame) -> bool:
    try:
        return len(pickle.dumps(rows)) <= LARGEST_PLAN
    except Exception:  # a plan that calls Python may say no in many ways
        return False


def _written(rows: pl.LazyFrame, folder: Path) -> pl.LazyFrame:
    path = folder / f"trials-{token_hex(8)}.parquet"
    try:
        rows.sink_parquet(path)
    except (PolarsError, OSError) as error:
        raise DataError(f"the trial table cannot be copied to {folder}: {first_line(error)}") from None
    return pl.scan_parquet(path, glob=False)
