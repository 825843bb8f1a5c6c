"""Rows separated by commas or tabs."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from reporting.errors import DataError, listed, quoted
from reporting.trials.text import MARK, lines_of

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


def scan(path: Path, separator: str) -> pl.LazyFrame:
    """Scan a file whose values are all text; blank lines are no rows."""
    names = _checked_header(path, separator)
    raw = pl.scan_csv(path, separator=separator, infer_schema=False, glob=False)
    if len(names) == len(raw.collect_schema()):
        # Polars leaves a doubled quote in a name double.
        raw = pl.scan_csv(path, separator=separator, infer_schema=False, glob=False, new_columns=names)
    return raw.filter(~pl.all_horizontal(pl.all().is_null()))  # blank lines


def _checked_header(path: Path, separator: str) -> list[str]:
    """Return the names of a file's columns.

    Polars would rename a column that stands twice, and read one that is separated otherwise as one.
    """
    names = next(_rows(path, separator), [])
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice:
        raise DataError(
            f"{path.name}: column {listed(map(quoted, twice))} stands more than once in the header"
        )
    for other, word in SEPARATORS.items():
        if len(names) == 1 and other != separator and other in names[0]:
            raise DataError(
                f"{path.name}: the columns are separated by {word}; {SEPARATORS[separator]} are expected"
            )
    return names


def _rows(path: Path, separator: str) -> Iterator[list[str]]:
    """Read the rows that are not blank, the header first."""
    lines = (line.removeprefix(MARK) + "\n" for line in lines_of(path))
    return filter(None, csv.reader(lines, delimiter=separator))


def first_fault(path: Path, separator: str) -> str:
    """Find the first row with another number of fields than the header; rows count from 1, blank ones not."""
    try:
        rows = _rows(path, separator)
        width = len(next(rows, []))
        for number, fields in enumerate(rows, start=1):
            if len(fields) != width:
                return (
                    f"row {number} has another number of fields than the header: {len(fields)}, not {width}"
                )
    except csv.Error as error:
        return str(error)
    return ""
