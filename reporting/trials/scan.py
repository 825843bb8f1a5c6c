"""The rows of a trial table, scanned lazily into the columns of the contract.

Keys, splits, labels, clusters, strata and breakdowns come out as text whatever the file's type (``007``
stays ``007``), breakdowns under names of their own (``by gender``), so that a column may serve twice;
the score comes out as Float64 beside ``is_number`` (false where text that is not a number stood) and
``score_text``. What a query does not select is never read.
"""

from __future__ import annotations

from dataclasses import replace
from typing import IO, cast

import polars as pl
from polars.exceptions import PolarsError

from reporting.errors import DataError, did_you_mean, listed
from reporting.report.provenance import IN_MEMORY, Digest, InputFile, input_file
from reporting.trials.files import cause, first_line
from reporting.trials.layouts.catalogue import CHECKS, LAYOUTS
from reporting.trials.layouts.raw import Raw, is_plain, source_name
from reporting.trials.layouts.tables import COUNT, check_counts, written_out
from reporting.trials.spec import DEFAULTS, InMemory, Source, TrialSpec, readable
from reporting.trials.values import is_number, number


def scan(spec: TrialSpec, model: str | None = None, *, checked: bool = False) -> pl.LazyFrame:
    """Return all rows of all sources as one lazy frame; DataError lists missing columns of every file.

    With ``model``, those that may hold its rows: others may be left out, and need not be. With ``checked``
    the rules of the layout itself are checked first, which may take a pass; DataError says which are
    broken. Counted rows are written out.
    """
    found = pieces(spec)
    if checked:
        _check(spec, found)
    wanted = [one for one in found if model is None or one.model in (None, model)]
    return written_out(pl.concat([one.rows for one in wanted or found[:1]], how="vertical"))


def _check(spec: TrialSpec, found: list[Raw]) -> None:
    """Check what rows in long form no longer show."""
    check = CHECKS.get(spec.layout)
    if check:
        check(spec)
    try:
        check_counts(spec, found)
    except (PolarsError, OSError) as error:
        raise unreadable(spec, error) from None


def pieces(spec: TrialSpec) -> list[Raw]:
    """Return the rows of every source in our words; DataError lists missing columns of every file."""
    faults: list[str] = []
    found = []
    for raw in LAYOUTS[spec.layout](spec):
        schema = raw.rows.collect_schema()
        broken = _column_faults(raw.name, spec, schema)
        if broken:
            faults += broken
        else:
            found.append(replace(raw, rows=_in_our_words(raw.rows, schema, spec)))
    if faults:
        raise DataError(*faults)
    have = [set(one.rows.collect_schema().names()) for one in found]
    for one, names in zip(found, have, strict=True):
        if names != have[0]:
            odd = listed(sorted(names ^ have[0]))
            raise DataError(f"{one.name}: column {odd} is in some of the files and not in others")
    return found


def has_column(spec: TrialSpec, name: str) -> bool:
    """Tell whether any source has one of our columns, or whatever the table calls it."""
    column = spec.column(name)
    return any(column in raw.rows.collect_schema() for raw in LAYOUTS[spec.layout](spec))


def unreadable(spec: TrialSpec, error: Exception) -> DataError:
    """Name the file that breaks a query over all of them."""
    for one in pieces(spec):
        try:
            one.rows.select(pl.all().count()).collect(engine="streaming")
        except (PolarsError, OSError) as its_own:
            if one.source is None:
                return DataError(f"{one.name}: cannot be read: {first_line(its_own)}")
            return DataError(f"{source_name(one.source)}: cannot be read: {cause(one.source, its_own)}")
    return DataError(f"the trial table cannot be read: {first_line(error)}")


def _column_faults(source: str, spec: TrialSpec, schema: pl.Schema) -> list[str]:
    """Columns that are missing, or hold what is not a value."""
    needed = [*spec.required, *(name for name in spec.columns if name not in spec.required)]
    said = {spec.column(name) for name in needed}
    needed += [name for name in spec.breakdowns if spec.column(name) not in said]
    faults = [
        f"{source}: {spec.called(name)} is missing"
        f"{did_you_mean(spec.column(name), schema.names())} (found: {listed(schema.names())})"
        for name in needed
        if spec.column(name) not in schema
    ]
    faults += [
        f"{source}: {spec.called(name)} holds {schema[spec.column(name)]};"
        " text, numbers or true and false are expected"
        for name in (*spec.wanted, COUNT)
        if spec.column(name) in schema and not is_plain(schema[spec.column(name)])
    ]
    return faults


def _in_our_words(raw: pl.LazyFrame, schema: pl.Schema, spec: TrialSpec) -> pl.LazyFrame:
    columns = [
        _text(spec.column(name), schema).alias(name)
        for name in (*spec.wanted, COUNT)
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
    text = pl.col(column).cast(pl.String)
    return number(text).alias("score"), is_number(text).alias("is_number")


def inputs_of(spec: TrialSpec) -> tuple[InputFile, ...]:
    """Return every input of a fetched spec, keys first; parts of one origin once."""
    return tuple(dict.fromkeys(_input(source, spec) for source in readable(spec.inputs)))


def _input(source: Source, spec: TrialSpec) -> InputFile:
    if not isinstance(source, InMemory):
        return source.origin or input_file(source.path, source.name)
    digest = Digest()
    write_content(source, spec, cast("IO[bytes]", digest))
    return digest.of_input(IN_MEMORY)


def write_content(table: InMemory, spec: TrialSpec, to: IO[bytes]) -> None:
    """Write what is read of a table in memory, under our names, as CSV with all its rows sorted.

    So the content has one digest, whatever the order of rows and of columns.
    """
    rows = scan(replace(spec, sources=(table,), keys=())).drop("is_number", "score_text")
    rows.sort(rows.collect_schema().names()).collect().write_csv(to)
