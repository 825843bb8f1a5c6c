"""Lines of UTF-8 text, which may be packed, and what is wrong with a text that cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
from polars.exceptions import ComputeError

from reporting.errors import repeated

AT_ONCE = 10_000
PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
"""What files packed by gzip and Zstandard begin with."""
MARK = "\ufeff"
"""The byte order mark that some programs write first."""


def lines_of(path: Path) -> Iterator[str]:
    """Read the lines of a text, without their ends, a few at a time."""
    for batch in pl.scan_lines(path, glob=False).collect_batches(chunk_size=AT_ONCE, lazy=True):
        yield from batch.to_series()


def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object of JSON; ValueError where a name occurs twice in it, of which JSON takes the last."""
    for name in repeated(name for name, _ in pairs):
        raise ValueError(f"{name!r} occurs twice in an object")
    return dict(pairs)


def fault_in_text(path: Path) -> str:
    """Say which line is the first that is not UTF-8, or that all are blank; else an empty text."""
    with path.open("rb") as file:
        packed = file.read(4).startswith(PACKED)
    where = _strange_in_packed(path) if packed else _strange_byte(path)
    if where:
        return f"not UTF-8 text ({where}); save as UTF-8"
    return "" if any(line.strip() for line in lines_of(path)) else "it holds nothing"


def _strange_byte(path: Path) -> str:
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                return f"byte 0x{line[error.start]:02x} in line {number}"
    return ""


def _strange_in_packed(path: Path) -> str:
    try:
        for _ in lines_of(path):
            pass
    except ComputeError:
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
        strange = lines.filter(pl.col("line").str.contains("\ufffd", literal=True)).head(1).collect()
        return f"in line {strange['number'][0]}" if strange.height else ""
    return ""
