"""The layouts of tables with a column for each class; the column's name is the label.

``classes``: a column of scores for each class; columns of the fewer trials end in empty cells. ``histogram``:
one row per score or bin, and a column for each class with its number of trials. A file is of one model, which
its path or a column names; else it is called as the file is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import PurePath

import polars as pl
from polars.selectors import by_name

from reporting.errors import instead, listed, quoted, refuse
from reporting.inputs.files import open_file
from reporting.inputs.layouts.raw import LayoutRows, Raw, path_values, size_of, source_name
from reporting.inputs.layouts.tables import COUNT
from reporting.inputs.spec import COLUMNS, InMemory, Source, TrialSpec, readable
from reporting.inputs.values import NO_NUMBERS


def _rows(spec: TrialSpec, of_class: Callable[[TrialSpec, pl.LazyFrame, str], pl.LazyFrame]) -> LayoutRows:
    """Return the rows of every source once a class; DataError where a class has no column."""
    pieces: list[Raw] = []
    faults: list[str] = []
    for source in readable(spec.sources):
        rows = open_file(source, spec.reading)
        schema = rows.collect_schema()
        classes, broken = _classes(spec, schema)
        if spec.layout == "histogram" and spec.column("score") not in schema:
            broken.append(_missing(schema, spec.column("score"), spec.called("score")))
        faults += [f"{source_name(source)}: {fault}" for fault in broken]
        model = spec.column("model")
        named = [] if model in schema else [pl.lit(_stem(source), dtype=pl.String).alias(model)]
        alone = path_values(source).get(model) or (_stem(source) if named else None)
        pieces += [
            Raw(
                f"{source_name(source)}, column {quoted(column)}",
                of_class(spec, rows, column).with_columns(
                    pl.lit(column, dtype=pl.String).alias(spec.column("label")), *named
                ),
                alone,
                source,
                0 if at else size_of(source),
            )
            for at, column in enumerate(classes * (not broken))
        ]
    refuse(faults)
    return LayoutRows(pieces)


def _stem(source: Source) -> str:
    return "scores" if isinstance(source, InMemory) else PurePath(source.name).name.partition(".")[0]


def _classes(spec: TrialSpec, schema: pl.Schema) -> tuple[list[str], list[str]]:
    used = {spec.column(name) for name in (*COLUMNS, *spec.columns)} | {*spec.further}
    left = [name for name in schema if name not in used | {*spec.values.target}]
    nontarget = spec.values.nontarget
    if nontarget is None and len(left) > 1:
        return [], [
            f"which of the columns {listed(map(quoted, left))} are non-targets? name them as values.nontarget"
        ]
    words = {
        "target": spec.values.target,
        "nontarget": nontarget if isinstance(nontarget, tuple) else tuple(left),
    }
    columns = {name: [column for column in schema if column in texts] for name, texts in words.items()}
    faults = [
        _missing(schema, words[name][0] if words[name] else name, f"the column of trials.values.{name}")
        for name, held in columns.items()
        if not held
    ]
    return [column for held in columns.values() for column in held], faults


def _missing(schema: pl.Schema, wanted: str, what: str) -> str:
    shown = what if quoted(wanted) in what else f"{what}, {quoted(wanted)},"
    return f"{shown} is missing{instead(wanted, schema.names())}"


def _others(spec: TrialSpec, rows: pl.LazyFrame) -> pl.LazyFrame:
    """Return the columns that say something of a whole row, which has a trial of each class."""
    kept = {spec.column(name) for name in ("model", "run", "dataset", "split", "cluster")}
    return rows.select(by_name(*(name for name in rows.collect_schema() if name in kept)))


def _scores(spec: TrialSpec, rows: pl.LazyFrame, column: str) -> pl.LazyFrame:
    held = by_name(column).as_expr()
    text = held.cast(pl.String).str.strip_chars()
    is_score = held.is_not_null() & ~text.is_in(NO_NUMBERS)
    place = pl.int_range(pl.len())
    others = _others(spec, rows).collect_schema().names()
    filled = rows.filter(place <= place.filter(is_score).max())
    return filled.select(by_name(*others), held.alias(spec.column("score")))


def _counts(spec: TrialSpec, rows: pl.LazyFrame, column: str) -> pl.LazyFrame:
    others = _others(spec, rows).collect_schema().names()
    return rows.select(
        by_name(*others), by_name(spec.column("score")), by_name(column).as_expr().alias(spec.column(COUNT))
    )


class_rows: Callable[[TrialSpec], LayoutRows] = partial(_rows, of_class=_scores)
histogram_rows: Callable[[TrialSpec], LayoutRows] = partial(_rows, of_class=_counts)
