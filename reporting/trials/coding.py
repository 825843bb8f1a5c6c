"""Texts as integer codes, and digests of whole columns."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

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


@dataclass(frozen=True, eq=False)
class Coded:
    """A column of texts: the distinct ones in byte order, and the position of every row's among them."""

    names: pl.Series
    code: RankArray

    def among(self, names: pl.Series) -> RankArray:
        """Return the position of every row's text among more distinct names."""
        return codes_of(self.names, names)[self.code]


def coded(column: pl.Series) -> Coded:
    """Return a column as codes, at 4 bytes a row."""
    names = column.unique().sort()
    return Coded(names, codes_of(column, names))


def digest_of(column: pl.Series) -> bytes:
    """Return what tells a column of texts in its order from any other, by 64 bits a row."""
    return hashlib.sha256(column.hash(seed=0).to_numpy().tobytes()).digest()
