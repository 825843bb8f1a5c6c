"""Files of rows, opened lazily: what they hold, under the names they give it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import polars as pl
from polars.exceptions import PolarsError

from reporting.errors import DataError, quoted
from reporting.trials import csv_files, json_lines
from reporting.trials.kinds import Kind, kind_of
from reporting.trials.spec import InMemory, Source
from reporting.trials.text import lines_of, not_utf8


def open_file(source: Source) -> pl.LazyFrame:
    """Scan one source, exactly that one (a name may look like a glob), with what its path says of its rows.

    Kinds of text are read as text: nothing is guessed of what it means. DataError where it cannot be read.
    A table in memory is taken as it is.
    """
    if isinstance(source, InMemory):
        return source.frame.lazy()
    try:
        str(source.path).encode()
    except UnicodeEncodeError:
        raise DataError(f"{str(source.path)!a}: its path is not UTF-8, rename the file or folder") from None
    try:
        raw = _OPENED[_kind(source.path)](source.path)
        schema = raw.collect_schema()
    except (PolarsError, OSError, ValueError) as error:
        raise DataError(f"{source.name}: cannot be read: {cause(source, error)}") from None
    for name, _ in source.said:
        if name in schema:
            raise DataError(f"{source.name}: column {quoted(name)} is in the file, and its path says it too")
    return raw.with_columns(pl.lit(text).alias(name) for name, text in source.said)


def _kind(path: Path) -> Kind:
    return kind_of(path.name) or "parquet"


_OPENED: Mapping[Kind, Callable[[Path], pl.LazyFrame]] = {
    "parquet": lambda path: pl.scan_parquet(path, glob=False, hive_partitioning=False),
    "ipc": lambda path: pl.scan_ipc(path, glob=False, hive_partitioning=False),
    "csv": lambda path: csv_files.scan(path, ","),
    "tsv": lambda path: csv_files.scan(path, "\t"),
    "ndjson": json_lines.scan,
}


def cause(source: Source, error: Exception) -> str:
    """Say why a file cannot be read: what is wrong with it where, or else the reader's own message."""
    if isinstance(source, InMemory):
        return first_line(error)
    path, kind = source.path, _kind(source.path)
    try:
        return _fault(path, kind) or first_line(error)
    except OSError as its_own:
        return _plainly(its_own)
    except PolarsError:
        return first_line(error)


def _fault(path: Path, kind: Kind) -> str:
    """Look for what is wrong with a file; an empty text where nothing is found."""
    if path.stat().st_size == 0:
        return "it is empty"
    if kind in ("parquet", "ipc"):
        return _ends(path, kind)
    if strange := not_utf8(path):
        return strange
    if not any(line.strip() for line in lines_of(path)):
        return "it holds nothing"
    return json_lines.first_fault(path) if kind == "ndjson" else csv_files.first_fault(path, _SEPARATED[kind])


_SEPARATED: Mapping[Kind, str] = {"csv": ",", "tsv": "\t"}
_MARKS: Mapping[Kind, tuple[bytes, str]] = {"parquet": (b"PAR1", "Parquet"), "ipc": (b"ARROW1", "Arrow")}
"""What files of a kind begin and end with."""


def _ends(path: Path, kind: Kind) -> str:
    """Tell a file that is cut off, or another kind of file, by its first and last bytes."""
    mark, word = _MARKS[kind]
    with path.open("rb") as file:
        first = file.read(8)
        file.seek(-min(8, path.stat().st_size), 2)
        last = file.read()
    if first.startswith(b"FEA1"):
        return "it is of version 1 of Feather; save it as version 2"
    if first.startswith(b"\xff\xff\xff\xff") and kind == "ipc":
        return "it is a stream of Arrow records; save it as an Arrow file"
    if not first.startswith(mark):
        return f"it is not {word}: {mark.decode()} is missing at its beginning"
    return "" if last.endswith(mark) else f"it is cut off: {mark.decode()} is missing at its end"


def _plainly(error: OSError) -> str:
    """Say in the user's words what the system says."""
    if isinstance(error, PermissionError):
        return "permission denied"
    packed = ("unexpected end of file", "incomplete frame")
    return "it is cut off" if str(error) in packed else first_line(error)


def first_line(error: Exception) -> str:
    """Return the first line of another library's message."""
    return str(error).strip().partition("\n")[0]
