"""Trials that are counted where they are: checked there by the row rules, and brought as a bundle of counts.

What travels is a survey of the rows, then one row for each cell of the counts. From there on the bundle goes
the way of those that ``reporting counts`` writes, so that both give the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from reporting.base import legible
from reporting.base.provenance import InputFile
from reporting.base.publish import parquet
from reporting.errors import ConfigError, DataError, listed, quoted, refuse, with_code
from reporting.inputs.blocks import BLOCKS
from reporting.inputs.bundle import (
    BLOCK,
    METADATA,
    NUMBER,
    About,
    Bundle,
    Clusters,
    Form,
    Read,
    content_of,
    schema_of,
    summed,
    uncountable,
)
from reporting.inputs.design import check_design, check_keys, in_words
from reporting.inputs.layouts.raw import LayoutRows, Raw
from reporting.inputs.layouts.tables import COUNT
from reporting.inputs.pushdown.engine import COUNTING, Engine, open_engine
from reporting.inputs.pushdown.statements import BLOCKS_HELD, FRAMED, KEYS, Kind, Statements
from reporting.inputs.remote.address import shown
from reporting.inputs.remote.fetch import PASTED
from reporting.inputs.rules import check_rows, resolve_values
from reporting.inputs.scan import Scan
from reporting.inputs.spec import LEAVE_DEV_OUT, File, InMemory, Remote, TrialSpec
from reporting.inputs.table import tally_of

BUNDLE = "counted.parquet"
HOLDS: Mapping[Kind, pl.DataType] = {**FRAMED, "text": pl.String(), "other": pl.Binary()}
"""What represents a column of each kind where rules look at columns alone."""


def counted_there(spec: TrialSpec, folder: Path, version: str) -> TrialSpec:
    """Count the trials of a spec at their source, and return the spec of the bundle that holds the counts.

    The rules of the rows hold as for rows that are read here. Raises ConfigError for what counts cannot
    hold, DataError where rows break a rule, RemoteError where the source does not deliver.
    """
    remote = _countable(spec)
    with open_engine(remote, folder) as engine:
        spec, bundle, travelled = _counted(spec, engine, shown(remote), version)
    return of_bundle(spec, bundle, InputFile(shown(remote), bundle.about.content, travelled), folder)


def of_bundle(spec: TrialSpec, bundle: Bundle, origin: InputFile, folder: Path) -> TrialSpec:
    """Write a bundle into ``folder`` and return the spec that reads it, with the place it comes from."""
    path = folder / BUNDLE
    path.write_bytes(parquet(bundle.rows, {METADATA: bundle.about.to_json()}))
    columns = {name: column for name, column in spec.columns.items() if name not in ("trial", "score")}
    return replace(
        spec, sources=(File(path, origin=origin),), layout="counts", columns=columns, count_at="here"
    )


def unread(spec: TrialSpec) -> Iterator[tuple[str, str]]:
    """Yield what statements do not read, each key of the config with the way out."""
    if spec.values.event:
        yield (
            "trials.values.event",
            "statements read labels unchanged; let a query make them of the numbers",
        )
    if spec.values.dates:
        yield ("trials.values.dev", "statements read splits unchanged; let a query make them of the dates")
    if spec.has_predicted:
        yield (
            "trials.columns.predicted",
            "statements count the score as it is; let a query turn it to the target's, 1 - score where"
            " another class was predicted",
        )


def _countable(spec: TrialSpec) -> Remote:
    faults = [f"{key}: {why}" for key, why in uncountable(spec)]
    faults += [f"{key}: {why}" for key, why in unread(spec)]
    if spec.layout != "long":
        faults.append(
            f"trials.layout: {spec.layout} is read here; count: there needs long, one row per trial and model"
            " (a query can put columns of scores under each other with UNION ALL)"
        )
    if spec.names_clusters:
        faults.append(
            "trials.clusters: a file or pattern is read here; name a column of clusters, or join them in a"
            " query"
        )
    remotes = [source for source in spec.sources if isinstance(source, Remote) and source.scheme in COUNTING]
    if len(remotes) != 1 or len(spec.sources) != 1:
        places = [f"{scheme}:" for scheme in COUNTING]
        pasted = [
            source.scheme for source in spec.sources if isinstance(source, Remote) and source.scheme in PASTED
        ]
        by_hand = (
            f"; 'reporting counts CONFIG --sql {pasted[0]}' prints statements to run there" if pasted else ""
        )
        sources = listed(source.name if isinstance(source, Remote) else "a file" for source in spec.inputs)
        faults.append(f"trials.count: there needs one source of {listed(places)} (found: {sources}){by_hand}")
    refuse(faults, ConfigError)
    return remotes[0]


def _counted(spec: TrialSpec, engine: Engine, name: str, version: str) -> tuple[TrialSpec, Bundle, int]:
    """Return the spec as the table needs it, its counts, and the bytes that travelled."""
    columns = engine.columns()
    if spec.may_lack_split and not spec.has("split", columns):
        spec = replace(spec, thresholds=replace(spec.thresholds, policy="none"))
    _check_columns(spec, name, columns)
    asking = Statements(spec, engine.dialect, engine.select, columns)
    survey = ordered(engine.rows(asking.survey()))
    counting = surveyed(asking, name, survey, lambda labels: map(engine.rows, asking.examples(labels)))
    if counting.has_trial:
        counted = engine.rows(counting.agreement())
        check_agreement(counting, name, counted, lambda fault: engine.rows(counting.contradictions(fault)))
    cells = engine.rows(counting.counts(spec.paired))
    if not engine.one_moment and not ordered(engine.rows(asking.survey())).equals(survey):
        raise changed(name)
    bundle = bundle_of_cells(counting, name, survey, cells, version)
    # The size of rows as CSV: what travelled, whatever the protocol wraps it in.
    size = sum(len(frame.write_csv(include_header=False).encode()) for frame in (survey, cells))
    return spec, bundle, size


def changed(name: str) -> DataError:
    """Return the error of a source whose statements saw other rows."""
    return DataError(f"{name}: changed while it was counted; run again once it stays as it is")


def ordered(survey: pl.DataFrame) -> pl.DataFrame:
    """Return a survey with the columns and types of ``rules.survey``, sorted."""
    counted = [name for name in survey.columns if name not in KEYS]
    return (
        survey.with_columns(pl.col(KEYS).cast(pl.String), pl.col(counted).cast(pl.Int64))
        .with_columns(label=pl.when(pl.col("label") != "").then("label"))
        .with_columns(not_number=pl.lit(0, dtype=pl.Int64))
        .sort(KEYS)
    )


def _check_columns(spec: TrialSpec, name: str, columns: Mapping[str, Kind]) -> None:
    scan = _scan(spec, name, pl.DataFrame(schema={column: HOLDS[kind] for column, kind in columns.items()}))
    check_keys(scan, scan.rows().collect_schema().names())
    faults = []
    score = spec.column("score")
    if columns[score] not in ("number", "whole number"):
        faults.append(
            f"{name}: {spec.called('score')} holds {columns[score]}s; count: there needs numbers:"
            " cast it in a query, or read the rows with count: here"
        )
    if spec.has(COUNT, columns):
        faults.append(
            f"{name}: {spec.called(COUNT)}: rows that represent several trials are read here; write count:"
            " none in trials.columns, or use count: here"
        )
    refuse(faults)


def surveyed(
    statements: Statements,
    name: str,
    survey: pl.DataFrame,
    examples: Callable[[Sequence[str]], Iterable[pl.DataFrame]],
) -> Statements:
    """Return the statements with what a survey shows; DataError with every rule that rows break.

    ``examples`` returns rows that break one, where there are any, given the labels that are known.
    """
    spec = statements.spec
    target, nontarget = resolve_values(spec, survey)
    labels = (*target, *nontarget)
    try:
        check_rows(_examples(statements, name, ()), survey, labels)
    except DataError:
        check_rows(_examples(statements, name, examples(labels)), survey, labels)
        raise
    check_design(spec, survey)
    scored = survey.select("model", "run").unique().sort("model", "run")
    lacking = {"unlabelled": survey["label"].null_count(), "missing": survey["missing"].sum()}
    rules = {"unlabelled": spec.unlabelled, "missing": spec.missing}
    dropped = frozenset(why for why, n in lacking.items() if n and rules[why] == "drop")
    return replace(statements, target=target, scored=tuple(scored.iter_rows()), dropped=dropped)


def _examples(statements: Statements, name: str, broken: Iterable[pl.DataFrame]) -> Scan:
    spec = statements.spec
    none = pl.DataFrame(schema=dict.fromkeys(statements.named, pl.String) | {"score": pl.Float64})
    rows = pl.concat([none, *broken], how="diagonal_relaxed").unique().sort(statements.named)
    # A column may have two uses: the cluster, and what is broken down by.
    theirs = {spec.column(our): pl.col(our) for our in statements.named}
    return _scan(spec, name, rows.select(**theirs))


def _scan(spec: TrialSpec, name: str, rows: pl.DataFrame) -> Scan:
    opened = LayoutRows([Raw(name, rows.lazy(), numbered=False)])
    return Scan(replace(spec, sources=(InMemory(rows, name),)), opened)


def check_agreement(
    statements: Statements, name: str, counted: pl.DataFrame, first: Callable[[str], pl.DataFrame]
) -> None:
    """Raise DataError where keys repeat, a model lacks trials, or models say different things of one.

    ``counted`` is the row of ``agreement``; ``first`` returns trials of one of its faults.
    """
    faults = []
    for fault, n in counted.row(0, named=True).items():
        if n:
            places = (
                f"{quoted(trial)} in {in_words((d, split))}" for d, split, trial in first(fault).iter_rows()
            )
            where = listed(places)
            column = statements.spec.called(
                fault.removeprefix("differing ") if "differing" in fault else "trial"
            )
            code, single, several, what = DISAGREEMENTS.get(
                fault, ("TR607", "trial has", "trials have", "different values in different models")
            )
            many = legible.counted(n, single, several)
            faults += with_code(code, [f"{name}: {column}: {many} {what}{where and '; first ' + where}"])
    refuse(faults)


DISAGREEMENTS = {
    "duplicates": ("TR606", "key occurs", "keys occur", "more than once for a model"),
    "lacking": ("TR607", "trial is", "trials are", "missing in some models"),
}
"""The code and the words of what ``agreement`` counts, but for columns on which models disagree."""


def bundle_of_cells(
    statements: Statements, name: str, survey: pl.DataFrame, cells: pl.DataFrame, version: str
) -> Bundle:
    """Return the bundle of a survey and of the cells that ``counts`` gave.

    DataError where they hold other trials than the survey saw.
    """
    spec = statements.spec
    form: Form = "cuts" if "key" in cells.columns else "patterns"
    sides = sum(name in statements.shared for name in ("cluster", "cluster_b"))
    about = About(
        form=form,
        bits=spec.coarse or 0,
        scores=statements.scored,
        breakdowns=spec.attributes,
        clusters=Clusters(sides, "names", spec.pools) if sides else None,
        policy=spec.thresholds.policy,
        missing=spec.missing,
        unlabelled=spec.unlabelled,
        read=tuple(Read(*row) for row in tally_of(spec, survey, statements.target).iter_rows()),
        content="",
        version=version,
        blocks=BLOCKS_HELD in cells.columns,
        turned=tuple(sorted(spec.negated & {model for model, _ in statements.scored})),
    )
    rows = _parted(cells).with_columns(pl.col("label").cast(pl.Int64).cast(pl.Boolean))
    schema = schema_of(about)
    rows = summed(about, rows.select(schema.names()).cast(schema))
    left_out = "dev" if about.policy in LEAVE_DEV_OUT else None
    n_rows = sum(read.rows_read for read in about.read if read.split != left_out)
    n_trials = n_rows // (len(about.scores) if form == "patterns" else 1)
    if not statements.dropped and rows[NUMBER].sum() != n_trials:
        raise changed(name)
    return Bundle(replace(about, content=content_of(rows)), rows)


def _parted(cells: pl.DataFrame) -> pl.DataFrame:
    """Return a row for every block of a cell, where cells hold counts by block."""
    if BLOCKS_HELD not in cells.columns:
        return cells
    held = pl.col(BLOCKS_HELD)
    block = held.str.slice(0, 3).str.to_integer(base=16) % BLOCKS
    return (
        cells.with_columns(held.str.split(" "))
        .explode(BLOCKS_HELD)
        .with_columns(block.alias(BLOCK), held.str.slice(3).cast(pl.Int64).alias(NUMBER))
    )
