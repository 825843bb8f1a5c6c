"""How large a packed file may become: a few kilobytes can hold more text than any memory."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

import polars as pl
from polars.exceptions import PolarsError

from reporting.errors import refuse
from reporting.inputs.formats.catalogue import ARCHIVES
from reporting.inputs.formats.copies import COPIED, beyond_limit, is_archive, plain
from reporting.inputs.formats.whole import MEGABYTE
from reporting.inputs.spec import File

MOST_PACKED = {".gz": 1_032, ".zst": 32_768}
"""How many bytes one packed byte may become: deflate's bound, and zstd's block of 128 kB from four bytes."""
UNPACKED_FIRST = (*ARCHIVES, *COPIED)
"""Files that are unpacked before they are read, which bounds them."""


def check_unpacked(files: Iterable[File], megabytes: int, member: str = "") -> None:
    """Raise DataError for packed files that hold more than so many megabytes of text each.

    DataError also for archives that do not hold the table ``member``, or one table. Of the others, only those
    large enough for it are unpacked for this, a piece at a time, and no further than the bound.
    """
    for file in files:
        if file.path.suffix.lower() in UNPACKED_FIRST:
            plain(file.path, megabytes, member if is_archive(file.path) else "")
    refuse(
        beyond_limit(file.name, megabytes)
        for file in files
        if file.path.suffix in MOST_PACKED and _exceeds(file.path, megabytes)
    )


def _exceeds(path: Path, megabytes: int) -> bool:
    try:
        status = path.stat()
    except OSError:
        return False  # who reads it reports that
    if status.st_size * MOST_PACKED[path.suffix] <= megabytes * MEGABYTE:
        return False
    return _unpacks_beyond(path, megabytes * MEGABYTE, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=1024)
def _unpacks_beyond(path: Path, most: int, modified: int, size: int) -> bool:
    unpacked = 0
    try:
        for length in _lengths(path):
            unpacked += length
            if unpacked > most:
                return True
    except (OSError, EOFError, zlib.error, PolarsError):
        return False  # who reads it reports what is wrong
    return False


def _lengths(path: Path) -> Iterator[int]:
    """The bytes of one piece after another; a line of a .zst file is in memory whole."""
    if path.suffix == ".gz":
        with gzip.open(path) as text:
            while piece := text.read(MEGABYTE):
                yield len(piece)
        return
    lines = pl.scan_lines(path, glob=False).select(pl.all().str.len_bytes() + 1)
    for batch in lines.collect_batches(lazy=True):
        yield int(batch.to_series().sum())
