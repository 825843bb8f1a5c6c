"""Trial tables in files (Parquet and CSV) and in memory, scanned lazily into the columns of the contract.

Keys, splits, labels, clusters, strata and breakdowns come out as text whatever the file's type (``007``
stays ``007``), breakdowns under names of their own (``by gender``), so that a column may serve twice;
the score comes out as Float64 beside ``is_number`` (false where text that is not a number stood) and
``score_text``. What a query does not select is never read.
"""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import IO

import polars as pl
from polars.exceptions import PolarsError

from reporting.errors import DataError, did_you_mean, listed, quoted
from reporting.trials.spec import DEFAULTS, InMemory, Source, TrialSpec

MISSING_WORDS = ("", "NA", "NaN", "nan", "null", "None")


def scan(spec: TrialSpec) -> pl.LazyFrame:
    """Return all rows of all sources as one lazy frame; DataError lists missing columns of every file."""
    faults: list[str] = []
    frames = []
    for path in spec.sources:
        raw, schema = open_file(path)
        broken = _column_faults(path, spec, schema)
        if broken:
            faults += broken
        else:
            frames.append(_in_our_words(raw, schema, spec))
    if faults:
        raise DataError(*faults)
    have = [set(frame.collect_schema().names()) for frame in frames]
    for path, names in zip(spec.sources, have, strict=True):
        if names != have[0]:
            odd = listed(sorted(names ^ have[0]))
            raise DataError(f"{path.name}: column {odd} is in some of the files and not in others")
    return pl.concat(frames, how="vertical")


def open_file(path: Source) -> tuple[pl.LazyFrame, pl.Schema]:
    """Scan one file, exactly that one (a name may look like a glob); DataError where it cannot be read.

    A table in memory is taken as it is.
    """
    if isinstance(path, InMemory):
        return path.frame.lazy(), path.frame.schema
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise DataError(f"{str(path)!a}: its path is not UTF-8, rename the file or folder") from None
    try:
        if path.suffix.lower() == ".csv":
            names = _checked_header(path)
            raw = pl.scan_csv(path, infer_schema=False, glob=False)
            if len(names) == len(raw.collect_schema()):
                # Polars leaves a doubled quote in a name double.
                raw = pl.scan_csv(path, infer_schema=False, glob=False, new_columns=names)
            raw = raw.filter(~pl.all_horizontal(pl.all().is_null()))  # blank lines
        else:
            raw = pl.scan_parquet(path, glob=False)
        return raw, raw.collect_schema()
    except (PolarsError, OSError, UnicodeError) as error:
        raise DataError(f"{path.name}: cannot be read: {_cause(path, error)}") from None


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


def write_content(table: InMemory, spec: TrialSpec, to: IO[bytes]) -> None:
    """Write what is read of a table in memory, under our names, as CSV with all its rows sorted.

    So the content has one digest, whatever the order of rows and of columns.
    """
    rows = scan(replace(spec, sources=(table,))).drop("is_number", "score_text")
    rows.sort(rows.collect_schema().names()).collect().write_csv(to)


def unreadable(spec: TrialSpec, error: Exception) -> DataError:
    """Name the file that breaks a query over all of them."""
    for path in spec.sources:
        try:
            scan(replace(spec, sources=(path,))).select(pl.all().count()).collect(engine="streaming")
        except (PolarsError, OSError) as its_own:
            return DataError(f"{path.name}: cannot be read: {_cause(path, its_own)}")
    return DataError(f"the trial table cannot be read: {first_line(error)}")


def _cause(path: Source, error: Exception) -> str:
    """Say why a file cannot be read: what a CSV file does wrong where, or else the reader's own message."""
    if isinstance(path, InMemory) or path.suffix.lower() != ".csv":
        return first_line(error)
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


def _column_faults(path: Source, spec: TrialSpec, schema: pl.Schema) -> list[str]:
    """Columns that are missing, hold what is not a value, or belong to what is not built yet."""
    needed = [*spec.required, *(name for name in spec.columns if name not in spec.required)]
    said = {spec.column(name) for name in needed}
    needed += [name for name in spec.breakdowns if spec.column(name) not in said]
    faults = [
        f"{path.name}: {spec.called(name)} is missing"
        f"{did_you_mean(spec.column(name), schema.names())} (found: {listed(schema.names())})"
        for name in needed
        if spec.column(name) not in schema
    ]
    faults += [
        f"{path.name}: {spec.called(name)} holds {schema[spec.column(name)]};"
        " text, numbers or true and false are expected"
        for name in spec.wanted
        if spec.column(name) in schema and not _is_plain(schema[spec.column(name)])
    ]
    if "count" in schema:
        faults.append(f"{path.name}: column 'count': tables of counted rows are not built yet")
    return faults


def _is_plain(kind: pl.DataType) -> bool:
    return not (kind.is_nested() or kind in (pl.Binary, pl.Duration, pl.Object))


def _in_our_words(raw: pl.LazyFrame, schema: pl.Schema, spec: TrialSpec) -> pl.LazyFrame:
    columns = [
        _text(spec.column(name), schema).alias(name)
        for name in spec.wanted
        if name not in ("label", "score") and spec.column(name) in schema
    ]
    label = _text(spec.column("label"), schema)
    columns.append(pl.when(label != "").then(label).alias("label"))  # nothing said is no label
    columns += [
        pl.lit(value).alias(name)
        for name, value in (DEFAULTS | {"split": spec.values.test}).items()
        if spec.column(name) not in schema
    ]
    score = spec.column("score")
    as_text = pl.col(score).cast(pl.String).alias("score_text")
    return raw.select(*columns, *_score(score, schema), as_text)


def _text(column: str, schema: pl.Schema) -> pl.Expr:
    # A cast that changes nothing would still hide the column from the reader's row-group statistics.
    return pl.col(column) if schema[column] == pl.String else pl.col(column).cast(pl.String)


def _score(column: str, schema: pl.Schema) -> tuple[pl.Expr, pl.Expr]:
    if schema[column].is_numeric():
        return pl.col(column).cast(pl.Float64).alias("score"), pl.lit(True).alias("is_number")
    text = pl.col(column).cast(pl.String).str.strip_chars()
    score = text.cast(pl.Float64, strict=False)
    known = score.is_not_null() | text.is_null() | text.is_in(MISSING_WORDS)
    return score.alias("score"), known.alias("is_number")
