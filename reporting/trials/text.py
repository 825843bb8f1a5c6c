"""Text files line by line, packed or not, for what Polars does not tell of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
from polars.exceptions import ComputeError

AT_ONCE = 10_000
MARK = "\ufeff"
"""The byte order mark that some programs write first."""


def lines_of(path: Path) -> Iterator[str]:
    """Read the lines of a UTF-8 text, without their ends, a few at a time."""
    for batch in pl.scan_lines(path, glob=False).collect_batches(chunk_size=AT_ONCE, lazy=True):
        yield from batch.to_series()


def not_utf8(path: Path) -> str:
    """Say which line is the first that is not UTF-8; an empty text where all are."""
    with path.open("rb") as file:
        packed = file.read(4).startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd"))
    return _in_packed(path) if packed else _in_plain(path)


def _is_text(path: Path) -> bool:
    try:
        return all(True for _ in lines_of(path))
    except ComputeError:
        return False


def _in_plain(path: Path) -> str:
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                return _told(f"byte 0x{line[error.start]:02x} in line {number}")
    return ""


def _in_packed(path: Path) -> str:
    """Find a line by the sign that takes the place of what is not UTF-8."""
    if _is_text(path):
        return ""
    lines = pl.scan_csv(
        path,
        glob=False,
        has_header=False,
        infer_schema=False,
        separator="\x01",
        quote_char=None,
        encoding="utf8-lossy",
        new_columns=["line"],
        row_index_name="number",
        row_index_offset=1,
    )
    found = lines.filter(pl.col("line").str.contains("\ufffd", literal=True)).head(1).collect()
    return _told(f"in line {found['number'][0]}") if found.height else ""


def _told(where: str) -> str:
    return f"not UTF-8 text ({where}); save as UTF-8"
