"""Tables in one value of JSON: a list of objects, columns, or columns and rows apart."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl

from reporting.base.legible import counted
from reporting.errors import listed, quoted, repeated
from reporting.inputs.formats import text
from reporting.inputs.formats.catalogue import Reader, Reading
from reporting.inputs.formats.whole import MEGABYTE, MOST, check_size

Columns = dict[str, list[Any]]
EXPECTED = (
    'expected a list of objects, such as [{"label": 1, "score": 0.5}], columns, such as {"label": [1],'
    ' "score": [0.5]}, or columns and rows, such as {"columns": ["label", "score"], "data": [[1, 0.5]]}'
)


def scan_json_table(path: Path, reading: Reading) -> pl.LazyFrame:
    """Return the rows of a JSON file, whose values are text as in files of JSON lines.

    ValueError where it is not JSON, or no table.
    """
    check_size(path.stat().st_size)
    columns = table_in(_parsed(path))
    if columns is None:
        raise ValueError(f"it is no table; {EXPECTED}")
    lengths = {len(values) for values in columns.values()}
    if len(lengths) > 1:
        shown = listed(f"{quoted(name)}: {len(values)}" for name, values in columns.items())
        raise ValueError(f"its columns differ in length ({shown})")
    texts = {
        name: [value if isinstance(value, str | None) else json.dumps(value) for value in values]
        for name, values in columns.items()
    }
    return pl.LazyFrame(texts, schema=dict.fromkeys(columns, pl.String()))


def _parsed(path: Path) -> Any:
    try:
        return json.loads("\n".join(text.lines_of(path)).removeprefix(text.MARK), object_pairs_hook=text.once)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(
            f"it is not JSON (line {error.lineno}, character {error.colno}: {error.msg})"
        ) from None


def table_in(held: Any) -> Columns | None:
    """Return the columns of a table; None where a value is none.

    A single value among columns is that of all rows. Of an object with one list of objects, that is taken.
    """
    if isinstance(held, list):
        return _of_records(held)
    if not isinstance(held, dict):
        return None
    if isinstance(held.get("columns"), list) and isinstance(held.get("data"), list):
        return _of_split(held["columns"], held["data"])
    if by_number := _numbered(held):
        return by_number
    lists = {name: value for name, value in held.items() if isinstance(value, list)}
    records = [value for value in lists.values() if value and all(isinstance(row, dict) for row in value)]
    if len(records) == 1:
        return _of_records(records[0])
    others = {name: value for name, value in held.items() if name not in lists}
    if not lists or any(isinstance(value, dict | list) for value in chain(others.values(), *lists.values())):
        return None
    n = max(map(len, lists.values()))
    return {**lists, **{name: [value] * n for name, value in others.items()}}


def is_table_of_scores(held: Mapping[str, Any]) -> bool:
    """Return whether a value is a table with a column of numbers, more than two, and another of others."""
    try:
        columns = table_in(held) or {}
    except ValueError:
        return False
    n_scores = 0
    for values in columns.values():
        numbers = [value for value in values if isinstance(value, int | float)]
        n_scores += len(set(numbers)) > 2 and all(value is None or value in numbers for value in values)
    return 0 < n_scores < len(columns)


def _of_records(rows: Sequence[Any]) -> Columns | None:
    if not rows or not all(isinstance(row, dict) for row in rows):
        return None
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _of_split(columns: Sequence[Any], rows: Sequence[Any]) -> Columns | None:
    """Return what pandas calls ``split``, and MLflow writes of an evaluation."""
    names = [str(name) for name in columns]
    if twice := repeated(names):
        raise ValueError(f"column {listed(map(quoted, twice))} occurs more than once")
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, list) or len(row) != len(names):
            raise ValueError(
                f"row {number} of 'data' has not {counted(len(names), 'value')}, as 'columns' names"
            )
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


def _numbered(held: Mapping[str, Any]) -> Columns | None:
    """Return what pandas writes by default, columns of rows by number; or rows by number."""
    if not held or not all(isinstance(value, dict) and value for value in held.values()):
        return None
    if all(key.isdecimal() for key in held):
        return _of_records(list(held.values()))
    keys = {tuple(value) for value in held.values()}
    if len(keys) == 1 and all(key.isdecimal() for key in next(iter(keys))):
        return {name: list(value.values()) for name, value in held.items()}
    return None


def _fault(path: Path) -> str:
    """Look for what is wrong with a file that is read at all."""
    return "" if path.stat().st_size > MOST * MEGABYTE else text.fault_in_text(path)


JSON = Reader(scan_json_table, _fault)
