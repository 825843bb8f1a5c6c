"""Trials that are counted where they are: checked there by the row rules, and brought as a bundle of counts.

What travels is a survey of the rows, then one row for each cell of the counts. From there on the bundle goes
the way of those that ``reporting counts`` writes, so that both give the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

import polars as pl

from reporting.errors import ConfigError, DataError, listed, quoted, with_code
from reporting.publish import parquet
from reporting.report.provenance import InputFile
from reporting.trials.bundle import (
    METADATA,
    NUMBER,
    About,
    Bundle,
    Clusters,
    Form,
    content_of,
    key_columns,
    read_of,
    schema_of,
    summed,
    uncountable,
)
from reporting.trials.design import check_design, check_keys, in_words
from reporting.trials.layouts.raw import LayoutRows, Raw
from reporting.trials.layouts.tables import COUNT
from reporting.trials.pushdown.engine import COUNTING, Engine, open_engine
from reporting.trials.pushdown.statements import PLACE, Kind, Statements
from reporting.trials.remote.address import shown
from reporting.trials.rules import SHOWN, check_rows, resolve_values
from reporting.trials.scan import Scan
from reporting.trials.spec import File, InMemory, Remote, TrialSpec

BUNDLE = "counted.parquet"
HOLDS: dict[Kind, pl.DataType] = {
    "number": pl.Float64(),
    "whole number": pl.Int64(),
    "text": pl.String(),
    "truth value": pl.Boolean(),
    "other": pl.Binary(),
}


def counted_there(spec: TrialSpec, folder: Path, version: str) -> TrialSpec:
    """Count the trials of a spec at their source, and return the spec of the bundle that holds the counts.

    The rules of the rows hold as for rows that are read here. Raises ConfigError for what counts cannot
    hold, DataError where rows break a rule, RemoteError where the source does not deliver.
    """
    remote = _countable(spec)
    with open_engine(remote, folder) as engine:
        spec, bundle, travelled = _counted(spec, engine, shown(remote), version)
    path = folder / BUNDLE
    path.write_bytes(parquet(bundle.rows, {METADATA: bundle.about.to_json()}))
    origin = InputFile(f"{shown(remote)}, counted there", bundle.about.content, travelled)
    columns = {name: column for name, column in spec.columns.items() if name not in ("trial", "score")}
    return replace(
        spec, sources=(File(path, origin=origin),), layout="counts", columns=columns, count_at="here"
    )


def _countable(spec: TrialSpec) -> Remote:
    """Return the one place whose engine counts; ConfigError for what it cannot count."""
    faults = [f"{key}: {why}" for key, why in uncountable(spec)]
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
        faults.append(f"trials.count: there needs one source of {listed(places)} (found: {_places(spec)})")
    if faults:
        raise ConfigError(*faults)
    return remotes[0]


def _places(spec: TrialSpec) -> str:
    return listed(source.name if isinstance(source, Remote) else "a file" for source in spec.inputs)


def _counted(spec: TrialSpec, engine: Engine, name: str, version: str) -> tuple[TrialSpec, Bundle, int]:
    """Return the spec as the table needs it, its counts, and the bytes that travelled."""
    columns = engine.columns()
    if spec.may_lack_split and not spec.has("split", columns):
        spec = replace(spec, thresholds=replace(spec.thresholds, policy="none"))
    _check_columns(spec, name, columns)
    surveying = Statements(spec, engine.dialect, engine.select, columns)
    survey = _ordered(engine.rows(surveying.survey()))
    target = _check_rows(surveying, engine, name, survey)
    counting = replace(
        surveying,
        target=target,
        scored=tuple(survey.select("model", "run").unique().sort("model", "run").iter_rows()),
        dropped=_dropped(spec, survey),
    )
    _check_agreement(counting, engine, name)
    paired = spec.paired and counting.has_trial and len(counting.scored) > 1
    cells = engine.rows(counting.patterns() if paired else counting.cuts())
    if not engine.one_moment and not _ordered(engine.rows(surveying.survey())).equals(survey):
        raise DataError(f"{name}: changed while it was counted; run again once it stays as it is")
    bundle = bundle_of_cells(counting, survey, cells, "patterns" if paired else "cuts", version)
    _check_totals(counting, survey, bundle, name)
    return spec, bundle, sum(_bytes(frame) for frame in (survey, cells))


def _ordered(survey: pl.DataFrame) -> pl.DataFrame:
    """Return a survey with the columns and types of ``rules.survey``, sorted."""
    keys = ["model", "run", *PLACE, "label"]
    counted = [name for name in survey.columns if name not in keys]
    return (
        survey.with_columns(pl.col(keys).cast(pl.String), pl.col(counted).cast(pl.Int64))
        .with_columns(not_number=pl.lit(0, dtype=pl.Int64))
        .sort(keys)
    )


def _check_columns(spec: TrialSpec, name: str, columns: dict[str, Kind]) -> None:
    """Raise DataError for columns that are missing or of no use, and ConfigError for what does not suit."""
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
    if faults:
        raise DataError(*faults)


def _check_rows(statements: Statements, engine: Engine, name: str, survey: pl.DataFrame) -> tuple[str, ...]:
    """Raise DataError with every rule that rows break; return the texts that mean target."""
    spec = statements.spec
    target, nontarget = resolve_values(spec, survey)
    labels = (*target, *nontarget)
    try:
        check_rows(_examples(statements, name, []), survey, labels)
    except DataError:
        broken = [engine.rows(statement) for statement in statements.examples(labels)]
        check_rows(_examples(statements, name, broken), survey, labels)
        raise
    check_design(spec, survey)
    return target


def _examples(statements: Statements, name: str, broken: list[pl.DataFrame]) -> Scan:
    """Return rows of the table, those that break a rule, under the table's own names."""
    spec = statements.spec
    none = pl.DataFrame(schema=dict.fromkeys(statements.named, pl.String) | {"score": pl.Float64})
    rows = pl.concat([none, *broken], how="vertical_relaxed").unique().sort(statements.named)
    return _scan(spec, name, rows.select(pl.col(our).alias(spec.column(our)) for our in statements.named))


def _scan(spec: TrialSpec, name: str, rows: pl.DataFrame) -> Scan:
    opened = LayoutRows([Raw(name, rows.lazy(), numbered=False)])
    return Scan(replace(spec, sources=(InMemory(rows, name),)), opened)


def _dropped(spec: TrialSpec, survey: pl.DataFrame) -> frozenset[Literal["unlabelled", "missing"]]:
    reasons: set[Literal["unlabelled", "missing"]] = set()
    if spec.unlabelled == "drop" and survey["label"].null_count():
        reasons.add("unlabelled")
    if spec.missing == "drop" and survey["missing"].sum():
        reasons.add("missing")
    return frozenset(reasons)


def _check_agreement(statements: Statements, engine: Engine, name: str) -> None:
    """Raise DataError where keys repeat, a model lacks trials, or models say different things of one."""
    if not statements.has_trial:
        return
    counted = engine.rows(statements.agreement()).row(0, named=True)
    faults = [
        _contradiction(statements, name, fault, int(n), engine.rows(statements.contradictions(fault, SHOWN)))
        for fault, n in counted.items()
        if n
    ]
    if faults:
        raise DataError(*faults)


def _contradiction(statements: Statements, name: str, fault: str, n: int, first: pl.DataFrame) -> str:
    spec = statements.spec
    trials = listed(
        f"{quoted(trial)} in {in_words((dataset, split))}" for dataset, split, trial in first.iter_rows()
    )
    if fault == "duplicates":
        (message,) = with_code(
            "TR606",
            [f"{name}: {spec.called('trial')}: {n} keys occur more than once for a model; first {trials}"],
        )
        return message
    what = (
        f"{n} trials are missing in some models and present in others"
        if fault == "lacking"
        else f"models disagree on {n} trials"
    )
    column = spec.called("trial" if fault == "lacking" else fault.removeprefix("differing "))
    (message,) = with_code("TR607", [f"{name}: {column}: {what}; first {trials}"])
    return message


def bundle_of_cells(
    statements: Statements, survey: pl.DataFrame, cells: pl.DataFrame, form: Form, version: str
) -> Bundle:
    """Return the bundle of a survey and of the cells that ``cuts`` or ``patterns`` gave."""
    spec = statements.spec
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
        read=tuple(_read(spec, survey)),
        content="",
        version=version,
    )
    rows = cells.with_columns(pl.col("label").cast(pl.Int64).cast(pl.Boolean), pl.col(NUMBER).cast(pl.Int64))
    rows = rows.with_columns(pl.col(key_columns(about)).cast(pl.Float64)).select(schema_of(about).names())
    rows = summed(about, rows)
    return Bundle(replace(about, content=content_of(rows)), rows)


def _read(spec: TrialSpec, survey: pl.DataFrame) -> Iterator[object]:
    split = pl.when(pl.col("split") == spec.values.dev).then(pl.lit("dev")).otherwise(pl.lit("test"))
    read = (
        survey.with_columns(split.alias("split"))
        .group_by("model", "run", "dataset", "split")
        .agg(
            pl.col("rows").sum(),
            pl.col("rows").filter(pl.col("label").is_null()).sum().alias("unlabelled"),
            pl.col("missing").sum(),
            pl.col("infinite").sum(),
        )
        .sort("model", "run", "dataset", "split")
    )
    for row in read.iter_rows():
        yield read_of(row)


def _check_totals(statements: Statements, survey: pl.DataFrame, bundle: Bundle, name: str) -> None:
    """Raise DataError where the cells hold other trials than the survey saw, none of which are dropped."""
    if statements.dropped:
        return
    left_out = ("dev",) if statements.spec.thresholds.policy in ("cv_test", "none") else ()
    surveyed = sum(read.rows_read for read in bundle.about.read if read.split not in left_out)
    times = len(bundle.about.scores) if bundle.about.form == "patterns" else 1
    if bundle.rows[NUMBER].sum() * times != surveyed:
        raise DataError(f"{name}: changed while it was counted; run again once it stays as it is")


def _bytes(frame: pl.DataFrame) -> int:
    """The size of rows as CSV: what travelled, whatever the protocol wraps it in."""
    return len(frame.write_csv(include_header=False).encode())
