"""Rows separated by commas, tabs, semicolons or bars; every value is text as written."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import polars as pl
from polars.selectors import by_name

from reporting.errors import UnreadableError, listed, quoted
from reporting.inputs.formats import text
from reporting.inputs.formats.catalogue import Reader

SEPARATORS = (",", ";", "\t", "|")
DECIMAL_COMMA = r"^\s*[+-]?[0-9]+,[0-9]+([eE][+-]?[0-9]+)?\s*$"
FIRST_BYTES = 2**16


class TextForm(NamedTuple):
    """How the rows of a text are written: what separates columns, what ends lines, the header."""

    separator: str
    end: str
    names: list[str]


def scan_separated(path: Path, names: Collection[str] = (), *, separator: str) -> pl.LazyFrame:
    """Scan a file whose values are all text; blank lines are no rows.

    Where the header shows one column, and several by another separator, that one is taken. Between semicolons
    a comma is the decimal point of a number, except in columns of ``names``: a key 1,5 is not 1.5.
    """
    form = _form_of(path, separator)
    twice = [name for name, n in Counter(form.names).items() if n > 1]
    if twice:  # Polars would rename it
        raise UnreadableError(
            f"{path.name}: column {listed(map(quoted, twice))} occurs more than once in the header"
        )
    scan = partial(
        pl.scan_csv, path, separator=form.separator, eol_char=form.end, infer_schema=False, glob=False
    )
    raw = scan()
    if len(form.names) == len(raw.collect_schema()):
        raw = scan(new_columns=form.names)  # Polars leaves a doubled quote in a name double
    if form.separator == ";":
        numbers = by_name([name for name in raw.collect_schema() if name not in names]).as_expr()
        with_point = numbers.str.replace(",", ".", literal=True)
        raw = raw.with_columns(
            pl.when(numbers.str.contains(DECIMAL_COMMA)).then(with_point).otherwise(numbers)
        )
    return raw.filter(~pl.all_horizontal(pl.all().is_null()))  # blank lines


def _form_of(path: Path, separator: str) -> TextForm:
    end = "\r" if _ends_in_returns(path) else "\n"
    names = next(_rows(path, separator, end), [])
    if len(names) == 1:
        by_others = {other: next(_rows(path, other, end), []) for other in SEPARATORS if other in names[0]}
        separator, names = max(by_others.items(), key=lambda it: len(it[1]), default=(separator, names))
    return TextForm(separator, end, names)


def _ends_in_returns(path: Path) -> bool:
    """Return whether lines end in carriage returns alone, as far as the beginning of a file shows."""
    with path.open("rb") as file:
        start = file.read(FIRST_BYTES)
    if start.startswith(text.PACKED):
        return "\r" in next(text.lines_of(path), "").rstrip("\r")
    return b"\r" in start.rstrip(b"\r") and b"\n" not in start


def _rows(path: Path, separator: str, end: str) -> Iterator[list[str]]:
    """Read the rows that are not blank, the header first."""
    parts = (part for line in text.lines_of(path) for part in ([line] if end == "\n" else line.split("\r")))
    lines = (line.removeprefix(text.MARK) + "\n" for line in parts)
    return filter(None, csv.reader(lines, delimiter=separator))


def fault_in_separated(path: Path, separator: str) -> str:
    """Find the first row with another number of fields than the header; rows count from 1, blank ones not."""
    if fault := text.fault_in_text(path):
        return fault
    try:
        form = _form_of(path, separator)
        rows = _rows(path, form.separator, form.end)
        width = len(next(rows, []))
        for number, fields in enumerate(rows, start=1):
            if len(fields) != width:
                return (
                    f"row {number} has another number of fields than the header: {len(fields)}, not {width}"
                )
    except csv.Error as error:
        return str(error)
    return ""


COMMAS, TABS = (
    Reader(partial(scan_separated, separator=sign), partial(fault_in_separated, separator=sign))
    for sign in (",", "\t")
)
