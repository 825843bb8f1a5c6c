"""Files that are read whole, into memory: how large they may be."""

from __future__ import annotations

MEGABYTE = 2**20
MOST = 2_048
"""Megabytes of a table that is read whole."""


def check_size(size: int) -> None:
    """Raise ValueError for a file, or what it unpacks to, of more bytes than are read whole."""
    if size > MOST * MEGABYTE:
        raise ValueError(
            f"it holds {size // MEGABYTE:,} MB, and a file of this kind is read whole, up to {MOST:,} MB;"
            " save it as Parquet"
        )
