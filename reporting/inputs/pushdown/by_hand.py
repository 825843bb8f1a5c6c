"""Counting where only a person may ask: statements to paste, and the files of their results as a bundle."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from reporting.base.provenance import InputFile, input_file
from reporting.errors import ConfigError, DataError, listed, refuse
from reporting.inputs.bundle import NUMBER, uncountable
from reporting.inputs.files import open_file
from reporting.inputs.layouts.raw import collected
from reporting.inputs.pushdown import count
from reporting.inputs.pushdown.statements import KEYS, Kind, Statements, rows_of
from reporting.inputs.spec import REQUIRED, Dialect, File, Paired, Remote, TrialSpec

SURVEY, AGREEMENT, CELLS = "survey", "agreement", "cells"
"""The statements, by the names of the files that keep their results."""
RESULTS = {"rows": SURVEY, "duplicates": AGREEMENT, NUMBER: CELLS}
"""The statement whose result has a column."""


def sql_to_paste(spec: TrialSpec, dialect: Dialect, models: Sequence[str], *, paired: Paired) -> str:
    """Return the statements that survey and count the trials of a config, each with the file of its result.

    No engine is asked what its table holds, so that columns other than model, split, label and score must be
    named in the config. ConfigError for what counts cannot hold, and where joint counts lack models.
    """
    faults = [f"{key}: {why}" for key, why in (*uncountable(spec), *count.unread(spec))]
    remotes = [source for source in spec.sources if isinstance(source, Remote)]
    if len(remotes) != 1 or remotes[0].scheme == "s3":
        faults.append("trials.source: statements need one database, with 'table' or 'query'")
    has_trial = "trial" in spec.columns
    if has_trial and not models:
        faults.append(
            "models: list every model of the table: the statement that compares their trials needs them"
        )
    if paired and not (has_trial and len(models) > 1):
        option = "--blocks" if paired == "blocks" else "--paired"
        faults.append(f"{option} needs trials.columns.trial, and every model of the table under models")
    refuse(faults, ConfigError)
    columns: dict[str, Kind] = dict.fromkeys(
        [spec.column(name) for name in (*spec.required, *spec.columns, *["split"] * spec.may_lack_split)],
        "text",
    )
    columns |= dict.fromkeys((spec.column(name) for name in spec.breakdowns), "text")
    columns[spec.column("score")] = "number"
    rules = {"unlabelled": spec.unlabelled, "missing": spec.missing}
    statements = Statements(
        spec,
        dialect,
        rows_of(remotes[0], dialect),
        columns,
        spec.values.target,
        tuple((model, "0") for model in sorted(models)),
        frozenset(why for why, rule in rules.items() if rule == "drop"),
    )
    texts = {SURVEY: statements.survey()}
    if has_trial:
        texts[AGREEMENT] = statements.agreement()
    texts[CELLS] = statements.counts(paired)
    return "\n".join(
        f"-- {number} of {len(texts)}: save the result as {name}.csv or {name}.parquet\n{text};\n"
        for number, (name, text) in enumerate(texts.items(), start=1)
    )


def bundled_results(spec: TrialSpec, files: Sequence[File], folder: Path, version: str) -> TrialSpec:
    """Write the results of statements as a bundle into ``folder``, and return the spec that reads it.

    DataError where a result is missing, belongs to other rows, or shows that rows break a rule.
    """
    if len(files) != len(spec.sources):
        raise ConfigError("trials.source: results of statements and bundles of counts cannot be added up")
    if spec.coarse is None:
        raise ConfigError("trials.coarse: name the bits with which the statements were printed")
    read = {}
    for file in files:
        rows = open_file(file)
        columns = rows.collect_schema().names()
        statement = next((RESULTS[column] for column in columns if column in RESULTS), file.name)
        read[statement] = (file.name, collected(rows, file))
    if len(read) != len(files) or not {SURVEY, CELLS} <= set(read):
        raise DataError(
            f"trials.source: expected the results {SURVEY} and {CELLS}, and {AGREEMENT} where it was printed,"
            f" each once (found: {listed(file.name for file in files)})"
        )
    (name, survey), (_, cells) = read[SURVEY], read[CELLS]
    survey = count.ordered(survey)
    has_trial = AGREEMENT in read
    # The columns of the table that was counted, as far as results show them.
    named = [name for name in ("cluster", "cluster_b", *spec.breakdowns) if name in cells.columns]
    ours = (*REQUIRED, "run", "dataset", *named, *["trial"] * has_trial)
    of_table: dict[str, Kind] = dict.fromkeys(map(spec.column, ours), "text")
    statements = count.surveyed(
        Statements(spec, "duckdb", "", of_table), name, survey, lambda labels: [_like_rows(survey)]
    )
    if has_trial:
        name, counted = read[AGREEMENT]
        count.check_agreement(statements, name, counted.cast(pl.Int64), lambda fault: NO_TRIALS)
    bundle = count.bundle_of_cells(statements, name, survey, cells, version)
    origins = [input_file(file.path, file.name) for file in files]
    origin = InputFile(
        listed(each.name for each in origins), bundle.about.content, sum(each.size for each in origins)
    )
    return count.of_bundle(spec, bundle, origin, folder)


NO_TRIALS = pl.DataFrame(schema=dict.fromkeys(("dataset", "split", "trial"), pl.String))


def _like_rows(survey: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each of a survey that breaks the rules which some of its rows break."""
    lacking = [name.removeprefix("no_") for name in survey.columns if name.startswith("no_")]
    return survey.select(
        *KEYS,
        *(pl.when(pl.col(f"no_{name}") == 0).then(pl.lit("-")).alias(name) for name in lacking),
        pl.when(pl.col("missing") == 0).then(pl.lit(0.0)).alias("score"),
    )
