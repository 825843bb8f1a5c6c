"""Files of rows, opened lazily: what they hold, under the names they give it, and what is wrong with them."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import polars as pl
from polars.exceptions import PanicException, PolarsError

from reporting.errors import UnreadableError, quoted
from reporting.inputs.formats.catalogue import PARQUET, Format, Reading, format_of
from reporting.inputs.formats.contents import contradiction
from reporting.inputs.formats.copies import is_archive, plain, several_tables
from reporting.inputs.formats.whole import ManyTablesError
from reporting.inputs.spec import InMemory, Source

UNREADABLE = (PolarsError, PanicException, OSError)
"""What reading a file raises; over some damage its reader panics."""


AS_IT_IS = Reading()


def open_file(source: Source, reading: Reading = AS_IT_IS) -> pl.LazyFrame:
    """Scan one source, exactly that one (a name may look like a glob), with what its path gives of its rows.

    Kinds of text are read as text: nothing is guessed of what it means, but how the numbers of a column are
    written, in all columns but the ``names`` of ``reading``. DataError where it cannot be read. A table in
    memory is taken as it is.
    """
    if isinstance(source, InMemory):
        return source.frame.lazy()
    try:
        str(source.path).encode()
    except UnicodeEncodeError:
        raise UnreadableError(
            f"{str(source.path)!a}: its path is not UTF-8, rename the file or folder"
        ) from None
    try:
        check_content(source.path, source.name)
        path = plain(source.path, member=reading.sheet if is_archive(source.path) else "")
        check_content(path, source.name)
        raw = _format(path).opened.scan(path, replace(reading, sheet="") if path != source.path else reading)
        schema = raw.collect_schema()
    except ManyTablesError as fault:
        raise several_tables(source.name, fault) from None
    except (*UNREADABLE, ValueError, csv.Error) as error:
        raise UnreadableError(f"{source.name}: cannot be read: {cause(source, error)}") from None
    for name, _ in source.path_values:
        if name in schema:
            raise UnreadableError(f"{source.name}: column {quoted(name)} is both in the file and in its path")
    return raw.with_columns(pl.lit(text).alias(name) for name, text in source.path_values)


def check_content(path: Path, name: str) -> None:
    """Raise DataError where the first bytes of a file contradict the end of its name."""
    if fault := contradiction(path, _format(path)):
        raise UnreadableError(f"{name}: {fault}")


def _format(path: Path) -> Format:
    return format_of(path.name) or PARQUET


def cause(source: Source, error: Exception) -> str:
    """Say why a file cannot be read: what is wrong with it where, or else the reader's own message."""
    if isinstance(source, InMemory):
        return first_line(error)
    try:
        path = plain(source.path)
        if path.stat().st_size == 0:
            return "it is empty"
        return _format(path).opened.fault(path) or first_line(error)
    except OSError as its_own:
        # Put in the user's words what the system reports.
        if isinstance(its_own, PermissionError):
            return "permission denied"
        packed = ("unexpected end of file", "incomplete frame")
        return "it is cut off" if str(its_own) in packed else first_line(its_own)
    except (PolarsError, UnreadableError):
        return first_line(error)


def first_line(error: Exception) -> str:
    """Return the first line of another library's message; one that ends in a panic has none for readers."""
    if isinstance(error, PanicException):
        return "it is damaged inside: its bytes do not hold together"
    return str(error).strip().partition("\n")[0]
