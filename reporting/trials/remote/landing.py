"""Rows of a database become Parquet files of texts, and one digest whatever their order."""

from __future__ import annotations

import csv
import hashlib
import io
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import polars as pl
from polars.exceptions import PolarsError

from reporting.errors import DataError, listed, quoted
from reporting.report.provenance import InputFile
from reporting.trials.spec import File

Line = bytes | bytearray | memoryview
CHUNK = 32 << 20
"""Bytes of rows that are held before they become a file."""


def land(
    lines: Iterable[Line], columns: Sequence[str], folder: Path, name: str, booleans: Collection[str] = ()
) -> list[File]:
    """Write rows to Parquet files of texts in ``folder``; every line is the CSV of one row.

    Memory holds one chunk of them. In ``booleans`` t and f become true and false. The digest is the sha256
    of the header, the number of rows, and the sum of the sha256 of all lines modulo 2^256: equal for the
    same rows in any order. The size is that of header and lines in bytes.
    """
    check_columns(columns, name)
    header, chunk, paths = _header(columns), bytearray(), list[Path]()
    count, total, size = 0, 0, len(header)
    for line in lines:
        chunk += line
        total += int.from_bytes(hashlib.sha256(line).digest(), "big")
        count, size = count + 1, size + len(line)
        if len(chunk) >= CHUNK:
            paths.append(_written(chunk, columns, booleans, folder / f"{len(paths):06}.parquet", name))
            chunk = bytearray()
    if chunk or not paths:
        paths.append(_written(chunk, columns, booleans, folder / f"{len(paths):06}.parquet", name))
    content = header + count.to_bytes(8, "big") + (total % 2**256).to_bytes(32, "big")
    origin = InputFile(name, hashlib.sha256(content).hexdigest(), size)
    return [File(path, origin=origin) for path in paths]


def check_columns(columns: Sequence[str], name: str) -> None:
    """Raise DataError where a result has no columns, or two of one name."""
    if not columns:
        raise DataError(f"{name}: the result has no columns; one SELECT is expected")
    twice = [column for column, n in Counter(columns).items() if n > 1]
    if twice:
        raise DataError(f"{name}: column {listed(map(quoted, twice))} stands more than once in the result")


def _header(columns: Sequence[str]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(columns)
    return text.getvalue().encode()


def _written(
    chunk: bytearray, columns: Sequence[str], booleans: Collection[str], path: Path, name: str
) -> Path:
    words = {"t": "true", "f": "false"}
    try:
        rows = pl.read_csv(
            bytes(chunk),
            has_header=False,
            schema=dict.fromkeys(columns, pl.String),
            infer_schema=False,
            raise_if_empty=False,
        )
    except PolarsError as error:
        first = str(error).strip().partition("\n")[0]
        raise DataError(f"{name}: its rows cannot be read as text: {first}") from None
    rows.with_columns(pl.col(column).replace(words) for column in booleans).write_parquet(path)
    return path
