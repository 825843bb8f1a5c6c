"""How files that are shown are read: which table of several, which decimal sign, whether they have a header.

What the files do not show is a question under ``trials.reading``.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from reporting.app.init.classes import class_table
from reporting.app.init.columns import columns_of, is_named_key
from reporting.app.init.lines import Line
from reporting.app.init.look import SourceGroup, sample_of
from reporting.app.init.table import check_trials, table_of
from reporting.errors import DataError, SeveralTablesError, listed, quoted
from reporting.inputs.files import open_file
from reporting.inputs.formats.catalogue import Reading, word_of
from reporting.inputs.formats.copies import plain
from reporting.inputs.formats.numbers import undecided
from reporting.inputs.formats.separated import header_in_doubt
from reporting.inputs.spec import File

SAMPLED = 2_000
"""Rows by which a table is judged."""
SEPARATORS = {"csv": ",", "tsv": "\t", "text": "\t"}


def with_reading(group: SourceGroup) -> tuple[SourceGroup, list[Line]]:
    """Return files with how they are read, and the keys that say so; DataError where no table has trials."""
    lines: list[Line] = []
    for line_of in (_sheet, _header, _decimal):
        for line in line_of(group):
            lines.append(line)
            group = replace(group, reading=replace(group.reading, **{line.trail[-1]: line.value}))
    return group, lines


def _sheet(group: SourceGroup) -> Iterator[Line]:
    """Choose the table of a file that holds several: the first with trials, which is asked about."""
    try:
        for file in group.files[:1]:
            open_file(file)
    except SeveralTablesError as several:
        names = listed(map(quoted, several.names))
        likely = [name for name in several.names if _holds_trials(file, name)]
        if not likely:
            raise
        why = f"{file.name} holds {names}: which holds the trials? the others are not read"
        if len(likely) == 1:
            why = f"of {names} the only one with trials; the others are not read"
        yield Line(("trials", "reading", "sheet"), likely[0], why, is_open=len(likely) > 1)
    except DataError:
        return  # who samples the file reports that


def _holds_trials(file: File, name: str) -> bool:
    try:
        table = table_of(name, [sample_of(file, SAMPLED, Reading(sheet=name))])
        if class_table(table) is None:
            check_trials(table)
    except DataError:
        return False
    return True


def _header(group: SourceGroup) -> Iterator[Line]:
    """Ask whether the first line names the columns, where a number in it leaves that open."""
    file = group.files[0]
    separator = SEPARATORS.get(word_of(file.path.name))
    if separator is None:
        return
    try:
        first, is_header = header_in_doubt(plain(file.path), separator)
    except (DataError, OSError, ValueError, csv.Error, pl.exceptions.PolarsError):
        return  # who samples the file reports that
    if first:
        what = "the names of columns" if is_header else "values, and no names"
        why = f"is the first line, {listed(map(quoted, first), 4)}, {what}?"
        yield Line(("trials", "reading", "header"), is_header, why, is_open=True)


def _decimal(group: SourceGroup) -> Iterator[Line]:
    """Ask what the comma of numbers such as 1,234 means, where no other number shows it."""
    try:
        sample = sample_of(group.files[0], SAMPLED, group.reading)
    except DataError:
        return  # who samples the file again reports that
    texts = [
        column
        for column in columns_of(sample)
        if sample.schema[column.name] == pl.String and not is_named_key(column)
    ]
    rows = pl.DataFrame([column.text.alias(column.name) for column in texts]).lazy()
    if columns := undecided(rows, [column.name for column in texts]):
        example = next(column.values[0] for column in texts if column.name == columns[0])
        why = (
            f"{listed(map(quoted, columns), 3)}: is the comma of {quoted(example)} between thousands, or the"
            " decimal sign (',')?"
        )
        yield Line(("trials", "reading", "decimal"), ".", why, is_open=True)
