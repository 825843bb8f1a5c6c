"""Where two contents of one file first differ, in one line for a reader who looks for the cause."""

from __future__ import annotations

import json
from collections.abc import Sequence
from io import BytesIO
from typing import Any

import polars as pl
from polars.exceptions import PolarsError

from reporting.errors import quoted

AGAIN = "when made again"
SHOWN = 40
"""Characters of a value that are shown; half as many of a line before the place."""


def first_difference(name: str, then: bytes, now: bytes) -> str:
    """Say where two contents of one file first differ: a cell of Parquet, a value of JSON, a line of text."""
    try:
        if name.endswith(".parquet"):
            return _cell(pl.read_parquet(BytesIO(then)), pl.read_parquet(BytesIO(now)))
        if name.endswith(".json"):
            return first_value(json.loads(then), json.loads(now))
        return _line(then.decode().split("\n"), now.decode().split("\n"))
    except (PolarsError, ValueError, RecursionError):
        return f"byte {_parting(then, now)} of {len(then)}, {len(now)} {AGAIN}"


def _cell(then: pl.DataFrame, now: pl.DataFrame) -> str:
    if then.schema != now.schema:
        return f"columns {_told(dict(then.schema), dict(now.schema))}"
    if then.height != now.height:
        return f"{then.height} rows, {now.height} {AGAIN}"
    for column in then.columns:
        unlike = (~then[column].eq_missing(now[column])).arg_true()
        if len(unlike):
            row = int(unlike[0])
            return f"row {row} column {column}: {_told(then[column][row], now[column][row])}"
    return "the same rows, written otherwise"


def first_value(then: Any, now: Any, path: str = "", again: str = AGAIN) -> str:
    """Descend to the first value of JSON that differs, and name its place; ``again`` says what ``now`` is."""
    if then == now:
        return "the same values, written otherwise"
    if isinstance(then, dict) and isinstance(now, dict):
        keys = [key for key in sorted({*then, *now}) if then.get(key, ...) != now.get(key, ...)]
        if keys[0] in then and keys[0] in now:
            return first_value(then[keys[0]], now[keys[0]], f"{path}.{keys[0]}".lstrip("."), again)
        where = f"{path}.{keys[0]}".lstrip(".")
        return f"{where}: {'not there' if keys[0] in then else 'there'} {again}"
    if isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        at = _parting(then, now)
        return first_value(then[at], now[at], f"{path}[{at}]", again)
    return f"{path}: {_told(then, now, again)}"


def _line(then: list[str], now: list[str]) -> str:
    at = _parting(then, now)
    old, new = (lines[at] if at < len(lines) else "" for lines in (then, now))
    column = _parting(old, new)
    begin = max(column - SHOWN // 2, 0)
    return f"line {at + 1} column {column + 1}: {_told(old[begin:], new[begin:])}"


def _parting(then: Sequence[object], now: Sequence[object]) -> int:
    """Return the first place at which two sequences differ, or the end of the shorter one."""
    pairs = enumerate(zip(then, now, strict=False))
    return next((at for at, (old, new) in pairs if old != new), min(len(then), len(now)))


def _told(then: object, now: object, again: str = AGAIN) -> str:
    old, new = (quoted(str(one)[:SHOWN]) for one in (then, now))
    return f"{old}, {new} {again}"
