"""Frames of a small table by way of its config, as a user gets them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from build import FAST, build

from reporting.base.execution.array_store import IN_MEMORY, ArrayStore

__all__ = ["FAST", "frames_from", "only"]


def frames_from(
    folder: Path,
    rows: list[dict[str, object]] | pl.DataFrame,
    config: str = "",
    *overrides: str,
    shelf: ArrayStore = IN_MEMORY,
) -> dict[str, pl.DataFrame]:
    """Write a table and a config that reads it, and return the frames of the report."""
    return build(folder, rows, config, *overrides, shelf=shelf).frames


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
