"""The layout ``wide``: one row a trial, and a column of scores for every model."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from reporting.errors import DataError, did_you_mean, listed, quoted
from reporting.trials.files import open_file
from reporting.trials.layouts.raw import Raw, said_by, told
from reporting.trials.spec import COLUMNS, Source, TrialSpec, readable

MADE = ("model", "score")
"""Our columns that this layout makes."""


def wide_rows(spec: TrialSpec) -> list[Raw]:
    """Return the rows of every source once a model; a model's rows read no other model's scores.

    DataError where a column of scores is missing, or one that is left over cannot be one.
    """
    found: list[Raw] = []
    faults: list[str] = []
    for source in readable(spec.sources):
        rows = open_file(source)
        schema = rows.collect_schema()
        scores = spec.scores or _left_over(spec, source, schema)
        broken = [*_made_twice(spec, schema, scores), *_score_faults(spec, schema, scores)]
        faults += [f"{told(source)}: {fault}" for fault in broken]
        if not broken:
            found += _one_a_model(spec, source, rows, scores)
    if faults:
        raise DataError(*faults)
    return found


def _left_over(spec: TrialSpec, source: Source, schema: pl.Schema) -> dict[str, str]:
    """The columns that have no other use, each the scores of a model of its name."""
    used = {spec.column(name) for name in (*COLUMNS, "count")} | {*spec.attributes, spec.averaged_over}
    return {name: name for name in schema if name not in used | said_by(source).keys()}


def _made_twice(spec: TrialSpec, schema: pl.Schema, scores: Mapping[str, str]) -> list[str]:
    return [
        f"column {quoted(spec.column(name))} is in the table or its path, and layout wide makes one of that"
        f" name; if it holds scores, list it in trials.scores, else say another trials.columns.{name}"
        for name in MADE
        if spec.column(name) in schema and spec.column(name) not in scores.values()
    ]


def _score_faults(spec: TrialSpec, schema: pl.Schema, scores: Mapping[str, str]) -> list[str]:
    if not scores:
        return [f"no column is left for scores: all have another use (found: {listed(schema.names())})"]
    if spec.scores:
        return [
            f"column {quoted(column)} (the scores of model {quoted(model)}) is missing"
            f"{did_you_mean(column, schema.names())} (found: {listed(schema.names())})"
            for model, column in scores.items()
            if column not in schema
        ]
    untyped = set(schema.values()) == {pl.String()}  # as in CSV, where the row rules look at every text
    return [
        f"column {quoted(name)} has no other use, but holds {schema[name]}, not scores;"
        " list the columns of scores in trials.scores"
        for name in scores
        if not schema[name].is_numeric() and not (untyped and schema[name] == pl.String)
    ]


def _one_a_model(spec: TrialSpec, source: Source, rows: pl.LazyFrame, scores: Mapping[str, str]) -> list[Raw]:
    made = {spec.column(name) for name in MADE}
    others = [pl.col(name) for name in rows.collect_schema() if name not in made]
    return [
        Raw(
            f"{told(source)}, column {quoted(column)}",
            rows.select(
                *others,
                pl.lit(model, dtype=pl.String).alias(spec.column("model")),
                pl.col(column).alias(spec.column("score")),
            ),
            model,
            source,
        )
        for model, column in scores.items()
    ]
