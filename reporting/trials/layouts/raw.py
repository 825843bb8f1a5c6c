"""What every layout makes of its sources: rows in long form, under the names that the table uses."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True, eq=False)
class Raw:
    """Rows of one source, one a trial and model, under the table's own names; lazy.

    ``name`` is what messages call the source. ``model`` is the only model it holds; None: any.
    """

    name: str
    rows: pl.LazyFrame
    model: str | None = None
