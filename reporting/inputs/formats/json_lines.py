"""Files in which every line is an object of JSON."""

from __future__ import annotations

import glob
import json
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NoReturn

import polars as pl
from polars.exceptions import PolarsError

from reporting.inputs.formats import text
from reporting.inputs.formats.catalogue import Reader


def scan_json_lines(path: Path) -> pl.LazyFrame:
    """Scan a file whose values become text as written, so that a key ``"007"`` stays what it is.

    A number comes out as the shortest text that reads back the same, a list or mapping as JSON; a name that
    an object lacks is null.
    """
    status = path.stat()
    names = _names(path, status.st_mtime_ns, status.st_size)
    if not names:
        raise ValueError("no line holds a value")
    return pl.scan_ndjson(glob.escape(str(path)), schema=dict.fromkeys(names, pl.String()))


@lru_cache(maxsize=1024)
def _names(path: Path, modified: int, size: int) -> tuple[str, ...]:
    """Return the names that occur in any object; ValueError for the first line that is none.

    All lines are read, once as long as the file stays what it is. One by one where values are of several
    kinds, and where a name may occur twice in an object, of which Polars would take the first.
    """
    try:
        names = tuple(pl.scan_ndjson(glob.escape(str(path)), infer_schema_length=None).collect_schema())
        line = pl.col("line")
        twice = [line.str.count_matches(rf"{re.escape(json.dumps(name))}\s*:") > 1 for name in names]
        lines = pl.scan_lines(path, glob=False).select(pl.any_horizontal(twice).any())
    except PolarsError:
        names, may_repeat = (), True
    else:
        may_repeat = bool(lines.collect(engine="streaming").item())
    return tuple(dict.fromkeys(name for row in _objects(path) for name in row)) if may_repeat else names


def fault_in_json_lines(path: Path) -> str:
    """Say which line is the first that is not a JSON object; an empty text where all are."""
    if fault := text.fault_in_text(path):
        return fault
    if "\r" in next(line for line in text.lines_of(path) if line.strip()).rstrip("\r"):
        return "its lines end in carriage returns alone; save it with line feeds"
    try:
        for _ in _objects(path):
            pass
    except ValueError as error:
        return str(error)
    return ""


def _objects(path: Path) -> Iterator[dict[str, object]]:
    """Read the objects; ValueError for the first fault, with the number of its line, from 1."""
    decode = json.JSONDecoder(parse_constant=_refuse, object_pairs_hook=text.once).decode
    for number, line in enumerate(text.lines_of(path), start=1):
        if line.startswith(text.MARK):
            raise ValueError("it begins with a byte order mark, which JSON has not; save it without")
        if not line.strip():
            continue
        try:
            row = decode(line)
        except RecursionError:
            raise ValueError(f"line {number} is nested too deeply") from None
        except json.JSONDecodeError as error:
            raise ValueError(f"line {number} is not JSON (character {error.pos + 1}: {error.msg})") from None
        except ValueError as error:
            raise ValueError(f"line {number} is not JSON: {error}") from None
        if not isinstance(row, dict):
            raise ValueError(f"line {number} is not an object, such as {_example(row)}")
        yield row


def _example(row: object) -> str:
    """Return how to write a line; for a list of classes with scores, with a column of each."""
    classes = row if isinstance(row, list) else []
    if classes and all(isinstance(it, dict) and it.keys() == {"label", "score"} for it in classes):
        pairs = {"truth": "...", **{str(it["label"]): it["score"] for it in classes[:2]}}
        return f"{json.dumps(pairs)}: one line per text, with its true label and the score of each class"
    return '{"model": "A", "score": 0.5}'


def _refuse(word: str) -> NoReturn:
    raise ValueError(f'{word} is not a number in JSON; write null, or "{word}" in quotes')


JSON_LINES = Reader(lambda path, _: scan_json_lines(path), fault_in_json_lines)
