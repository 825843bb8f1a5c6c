"""Files that are read whole, into memory: how large they may be."""

from __future__ import annotations

from collections.abc import Iterable

from reporting.errors import listed, quoted

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


MOST_TIMES = 1_000
"""How many times its own size a file may become, beyond ``FREE`` bytes."""
FREE = 64 * MEGABYTE


def check_growth(unpacked: int, size: int) -> None:
    """Raise ValueError where so many bytes come out of a file of ``size``, more than are read whole."""
    check_size(unpacked)
    if unpacked > max(FREE, MOST_TIMES * size):
        raise ValueError(
            f"it becomes more than {MOST_TIMES:,} times as large once it is unpacked; where that is meant,"
            " save it as Parquet"
        )


class ManyTablesError(ValueError):
    """A file holds several tables; ``names`` are theirs."""

    def __init__(self, what: str, names: Iterable[str]) -> None:
        self.names = tuple(names)
        shown = listed(map(quoted, self.names))
        super().__init__(f"{what} {shown}; name one, as in trials.reading: {{sheet: {self.names[0]}}}")
