"""The layouts of plain tables, whose rows may represent a number of equal trials.

``long``: one row per trial and model. ``wide``: one row per trial, and a column of scores for every model.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
from polars.selectors import by_name

from reporting.errors import DataError, instead, listed, quoted, refuse
from reporting.inputs.files import open_file
from reporting.inputs.layouts.raw import LayoutRows, Raw, is_plain, path_values, size_of, source_name
from reporting.inputs.spec import BETWEEN, COLUMNS, OWN_KEY, Source, TrialSpec, readable
from reporting.inputs.values import number


def long_rows(spec: TrialSpec) -> LayoutRows:
    """Return the rows of every source unchanged; a path may name their model.

    Where they are of several classes, those of the target, or of each class as a model: DataError without it.
    """
    column = spec.column("model")
    return LayoutRows(
        [
            Raw(
                source_name(source),
                _of_class(spec, source),
                None if spec.of_each_class else path_values(source).get(column),
                source,
                size_of(source),
                numbered=spec.class_column is None or spec.of_each_class,
            )
            for source in readable(spec.sources)
        ]
    )


def _of_class(spec: TrialSpec, source: Source) -> pl.LazyFrame:
    rows = open_file(source, spec.reading)
    if spec.class_column is None:
        return rows
    held = rows.collect_schema().names()
    for name, what in ((spec.class_column, "the class of a score"), (spec.column("model"), "the model")):
        if name not in held:
            raise DataError(
                f"{source_name(source)}: column {quoted(name)} ({what}) is missing{instead(name, held)}"
            )
    of = by_name(spec.class_column).as_expr().cast(pl.String)
    if spec.own_class is not None:
        rows = _with_own_class(spec, source, rows, spec.own_class)
    if not spec.of_each_class:
        return rows.filter(of.is_in(spec.values.target))
    model = by_name(spec.column("model")).as_expr().cast(pl.String)
    return rows.with_columns(pl.concat_str(model, of, separator=BETWEEN).alias(spec.column("model")))


def _with_own_class(
    spec: TrialSpec, source: Source, rows: pl.LazyFrame, own: tuple[str, ...]
) -> pl.LazyFrame:
    """Return rows whose label is the class of their trial: that of its one row labelled as right.

    DataError where no row is, or several of one model and trial. A trial without such a row has no label.
    """
    held, label = rows.collect_schema().names(), spec.column("label")
    # Rows of a trial may have been scored on several dates.
    places = [of for of in PLACE_OF_TRIAL if of != "split" or spec.values.dates is None]
    key = [name for of in places if (name := spec.column(of)) in held]
    for name, what in ((label, "whether the class is right"), (spec.column("trial"), "the trial")):
        if name not in held:
            raise DataError(
                f"{source_name(source)}: column {quoted(name)} ({what}) is missing{instead(name, held)}"
            )
    of = by_name(str(spec.class_column)).as_expr().cast(pl.String)
    right = of.filter(by_name(label).as_expr().cast(pl.String).is_in(own))
    counted = rows.group_by(key).agg(right.n_unique().alias("its classes")).sort("its classes", *key)
    most = counted.tail(1).collect()
    if not len(most) or not most["its classes"].item():
        raise DataError(f"{source_name(source)}: no row has the label {quoted(own[0])} (classes.one_vs_rest)")
    if most["its classes"].item() > 1:
        trial = most[spec.column("trial")].item()
        raise DataError(
            f"{source_name(source)}: trial {quoted(str(trial))} has the label {quoted(own[0])} with"
            f" {most['its classes'].item()} classes; a trial has one class"
        )
    return rows.with_columns(right.first().over(key).alias(label))


PLACE_OF_TRIAL = ("dataset", "split", "model", "run", "trial")
MADE = ("model", "score")
"""Our columns that this layout makes."""


def wide_rows(spec: TrialSpec) -> LayoutRows:
    """Return the rows of every source once a model; a model's rows read no other model's scores.

    DataError where a column of scores is missing, or one that is left over cannot be one.
    """
    pieces: list[Raw] = []
    faults: list[str] = []
    used = {spec.column(name) for name in (*COLUMNS, *spec.columns, "count")} | {*spec.further}
    used |= {"trial"} if spec.column("trial") == OWN_KEY else set()
    for source in readable(spec.sources):
        rows = open_file(source, spec.reading)
        schema = rows.collect_schema()
        # Columns that have no other use are each the scores of a model of its name.
        left_over = {name: name for name in schema if name not in used | path_values(source).keys()}
        scores = spec.scores or left_over
        broken = [*_made_twice(spec, schema, scores), *_score_faults(spec, schema, scores)]
        faults += [f"{source_name(source)}: {fault}" for fault in broken]
        if not broken:
            pieces += _by_model(spec, source, rows, scores)
    refuse(faults)
    return LayoutRows(pieces)


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
            f"{instead(column, schema.names())}"
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


def _by_model(spec: TrialSpec, source: Source, rows: pl.LazyFrame, scores: Mapping[str, str]) -> list[Raw]:
    made_columns, schema = {spec.column(name) for name in MADE}, rows.collect_schema()
    others: list[pl.Expr] = [by_name(name) for name in schema if name not in made_columns]
    if not any(spec.has(name, schema) for name in ("trial", COUNT)):
        plain = [name for name, kind in schema.items() if is_plain(kind)]
        # What a row holds, and its number among equal ones: no key depends on the order of rows.
        texts = [by_name(name).cast(pl.String).fill_null("") for name in plain]
        content = pl.concat_str(texts, separator="\x1f")
        place = pl.int_range(pl.len()).over(content).cast(pl.String)
        others.append(pl.concat_str(content, place, separator="\x1f").alias(spec.column("trial")))
    return [
        Raw(
            f"{source_name(source)}, column {quoted(column)}",
            rows.select(
                *others,
                pl.lit(model, dtype=pl.String).alias(spec.column("model")),
                by_name(column).alias(spec.column("score")),
            ),
            model,
            source,
            0 if at else size_of(source),
        )
        for at, (model, column) in enumerate(scores.items())
    ]


COUNT = "count"
NUMBER = number(pl.col(COUNT))
MOST_TRIALS = 10**9
"""Trials of a table of counted rows: they are written out when they are counted."""
SHOWN = 3


def written_out(rows: pl.LazyFrame) -> pl.LazyFrame:
    """Repeat every row as often as its count gives, lazily; a count of 0 leaves it out."""
    if COUNT not in rows.collect_schema():
        return rows
    times = pl.int_ranges(0, NUMBER.cast(pl.Int64)).alias(COUNT)
    return rows.with_columns(times).explode(COUNT, empty_as_null=False).drop(COUNT)


def check_counts(spec: TrialSpec, pieces: list[Raw]) -> None:
    """Raise DataError where rows in our words have a count and a trial key, or one that is no number."""
    have = pieces[0].rows.collect_schema()
    if COUNT not in have:
        return
    if "trial" in have:
        raise DataError(
            f"{spec.called(COUNT)}: rows with a trial key (column {quoted(spec.column('trial'))}) are one"
            " trial each; name the count's column otherwise, or write count: none in trials.columns"
        )
    refuse(_strange(spec, pieces) or _too_many(spec, pieces))


def _strange(spec: TrialSpec, pieces: list[Raw]) -> list[str]:
    whole = NUMBER.is_finite() & (NUMBER >= 0) & (NUMBER.floor() == NUMBER)
    strange = []
    for piece in pieces:
        rows = piece.rows.with_row_index("row", offset=1).filter(~whole.fill_null(False))
        strange.append((piece, rows.select("row", COUNT).collect().sort("row")))
    n = sum(len(bad) for _, bad in strange)
    if not n:
        return []
    first = [
        (f"{quoted(text)} at " if text is not None else "") + f"row {row} of {piece.name}"
        for piece, bad in strange
        for row, text in bad.head(SHOWN).rows()
    ]
    every = sum(piece.rows.select(pl.len()).collect(engine="streaming").item() for piece in pieces)
    what = "are not whole numbers of at least 0"
    return [f"{spec.called(COUNT)}: {n} of {every} rows {what}; first {', '.join(first[:SHOWN])}"]


def _too_many(spec: TrialSpec, pieces: list[Raw]) -> list[str]:
    n = sum(piece.rows.select(NUMBER.sum()).collect(engine="streaming").item() for piece in pieces)
    if n <= MOST_TRIALS:
        return []
    return [f"{spec.called(COUNT)}: the rows represent {n:.0f} trials; at most {MOST_TRIALS} are counted"]
