"""Columns of one key -> rows of a frame, and the rows of all keys -> the frame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl

from reporting.counts.cuts import Key
from reporting.frames.contract import Frame


def keyed(contract: Frame[Any], key: Key, columns: Mapping[str, Any]) -> pl.DataFrame:
    """Return arrays of equal length as rows of one key, NaN as null; texts hold for all rows.

    The columns are the contract's without its keys. Their order of rows is kept.
    """
    arrays = {name: column for name, column in columns.items() if not isinstance(column, str)}
    texts = key._asdict() | {name: column for name, column in columns.items() if isinstance(column, str)}
    numbers = pl.DataFrame({name: np.asarray(column) for name, column in arrays.items()})
    return (
        numbers.with_columns(pl.lit(text).alias(name) for name, text in texts.items())
        .with_columns(pl.col(pl.Float64).fill_nan(None))
        .select(contract.schema.names())
        .cast(pl.Schema(contract.schema))
    )


def stacked(contract: Frame[Any], parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Return the parts as one frame, sorted as the contract says; without parts an empty frame."""
    frame = pl.concat([pl.DataFrame(schema=contract.schema), *parts])
    return frame.sort(list(contract.sorted_by), nulls_last=False, maintain_order=True)
