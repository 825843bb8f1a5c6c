"""Texts as integer codes."""

from __future__ import annotations

import numpy as np
import polars as pl

from reporting.stats.staircase import RankArray


def codes_of(column: pl.Series, names: pl.Series) -> RankArray:
    """Return the position of every text (shape (N,)) among distinct names, which hold all of them."""
    codes = pl.DataFrame({"name": names, "code": np.arange(len(names), dtype=np.uint32)})
    return (
        pl.DataFrame({"name": column})
        .join(codes, on="name", how="left", maintain_order="left")["code"]
        .to_numpy()
    )
