"""Tables by columns, Parquet and Arrow: their first and last bytes show what is wrong with one."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import polars as pl

from reporting.inputs.formats.catalogue import ARROW, PARQUET, Format, Reader


def fault_at_ends(path: Path, kind: Format) -> str:
    """Find a file that is truncated, or of another kind, by its first and last bytes."""
    with path.open("rb") as file:
        first = file.read(8)
        file.seek(-min(8, path.stat().st_size), 2)
        last = file.read()
    if first.startswith(b"FEA1"):
        return "it is of version 1 of Feather; save it as version 2"
    if first.startswith(b"\xff\xff\xff\xff") and kind is ARROW:
        return "it is a stream of Arrow records; save it as an Arrow file"
    (mark,) = kind.begins
    if not first.startswith(mark):
        return f"it is not {kind.word.capitalize()}: {mark.decode()} is missing at its beginning"
    return "" if last.endswith(mark) else f"it is cut off: {mark.decode()} is missing at its end"


OF_PARQUET = Reader(
    lambda path, _: pl.scan_parquet(path, glob=False, hive_partitioning=False),
    partial(fault_at_ends, kind=PARQUET),
)
OF_ARROW = Reader(
    lambda path, _: pl.scan_ipc(path, glob=False, hive_partitioning=False), partial(fault_at_ends, kind=ARROW)
)
