"""Files of rows, opened lazily: what they hold, under the names they give it."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import polars as pl
from polars.exceptions import PolarsError

from reporting.errors import DataError, listed, quoted
from reporting.trials.spec import InMemory, Source


def open_file(source: Source) -> pl.LazyFrame:
    """Scan one source, exactly that one (a name may look like a glob), with what its path says of its rows.

    DataError where it cannot be read. A table in memory is taken as it is.
    """
    if isinstance(source, InMemory):
        return source.frame.lazy()
    try:
        raw = _scan_file(source.path)
        schema = raw.collect_schema()
    except (PolarsError, OSError, UnicodeError) as error:
        raise DataError(f"{source.name}: cannot be read: {cause(source, error)}") from None
    for name, _ in source.said:
        if name in schema:
            raise DataError(f"{source.name}: column {quoted(name)} is in the file, and its path says it too")
    return raw.with_columns(pl.lit(text).alias(name) for name, text in source.said)


def _scan_file(path: Path) -> pl.LazyFrame:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise DataError(f"{str(path)!a}: its path is not UTF-8, rename the file or folder") from None
    if path.suffix.lower() != ".csv":
        return pl.scan_parquet(path, glob=False)
    names = _checked_header(path)
    raw = pl.scan_csv(path, infer_schema=False, glob=False)
    if len(names) == len(raw.collect_schema()):
        # Polars leaves a doubled quote in a name double.
        raw = pl.scan_csv(path, infer_schema=False, glob=False, new_columns=names)
    return raw.filter(~pl.all_horizontal(pl.all().is_null()))  # blank lines


def _checked_header(path: Path) -> list[str]:
    """Return the names of a CSV file's columns.

    Polars would rename a column that stands twice, and read one that is separated otherwise as one.
    """
    with path.open(encoding="utf-8-sig", newline="") as file:
        names = next(filter(None, csv.reader(file)), [])
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice:
        raise DataError(
            f"{path.name}: column {listed(map(quoted, twice))} stands more than once in the header"
        )
    separators = {";": "semicolons", "\t": "tabs", "|": "bars"}
    for separator, word in separators.items():
        if len(names) == 1 and separator in names[0]:
            raise DataError(f"{path.name}: the columns are separated by {word}; commas are expected")
    return names


def cause(source: Source, error: Exception) -> str:
    """Say why a file cannot be read: what a CSV file does wrong where, or else the reader's own message."""
    if isinstance(source, InMemory) or source.path.suffix.lower() != ".csv":
        return first_line(error)
    path = source.path
    try:
        return _first_fault(path) or first_line(error)
    except UnicodeDecodeError:
        return f"not UTF-8 text{_where(path)}; save as UTF-8"
    except (OSError, csv.Error):
        return first_line(error)


def _first_fault(path: Path) -> str:
    """Find the first row with another number of fields than the header; rows count from 1, blank ones not."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = filter(None, csv.reader(file))
        width = len(next(rows, []))
        for number, fields in enumerate(rows, start=1):
            if len(fields) != width:
                return (
                    f"row {number} has another number of fields than the header: {len(fields)}, not {width}"
                )
    return ""


def _where(path: Path) -> str:
    """Find the first line that is not UTF-8."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                return f" (byte 0x{line[error.start]:02x} in line {number})"
    return ""


def first_line(error: Exception) -> str:
    """Return the first line of another library's message."""
    return str(error).strip().partition("\n")[0]
