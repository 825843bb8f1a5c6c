"""A checked trial table, and its rows one model at a time in the canonical order of trials."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from reporting.errors import DataError, did_you_mean, listed
from reporting.trials.files import scan
from reporting.trials.rules import MISSING, check_rows, resolve_values, survey
from reporting.trials.spec import TrialSpec


@dataclass(frozen=True, eq=False)
class TrialTable:
    """A table whose rows obey the row rules; nothing but counts has been read into memory yet.

    ``rows`` is lazy: model, run, dataset, split (dev or test), label (Boolean), score (Float64), and
    trial and cluster where declared. ``tally`` counts what was read per model, run, dataset and split.
    """

    spec: TrialSpec
    rows: pl.LazyFrame
    tally: pl.DataFrame
    has_trial: bool
    has_cluster: bool

    @property
    def models(self) -> list[str]:
        """The models of the table in UTF-8 byte order."""
        return self.tally["model"].unique().sort().to_list()

    @property
    def parts(self) -> list[tuple[str, str]]:
        """The (dataset, split) pairs of the table, sorted."""
        return sorted(set(self.tally.select("dataset", "split").iter_rows()))


def read_trials(spec: TrialSpec) -> TrialTable:
    """Open the sources, check every row rule in one streaming pass, and return the table.

    Raises DataError with one line per broken rule: column, count, allowed values, first bad rows.
    """
    rows = scan(spec)
    columns = rows.collect_schema().names()
    if "cluster" in columns and "trial" not in columns:
        raise DataError(
            f"column {spec.column('cluster')!r} (the cluster) needs a trial key too:"
            " without one, rows of different models cannot be put in one order"
        )
    counted = survey(spec, rows)
    target, nontarget = resolve_values(spec, counted)
    check_rows(spec, counted, (*target, *nontarget))
    tally = _tally(spec, counted, target)
    kept = _kept_rows(spec, rows, columns, target)
    return TrialTable(spec, kept, tally, "trial" in columns, "cluster" in columns)


def _tally(spec: TrialSpec, counted: pl.DataFrame, target: tuple[str, ...]) -> pl.DataFrame:
    return (
        counted.with_columns(_our_split(spec))
        .group_by("model", "run", "dataset", "split")
        .agg(
            pl.col("rows").sum().alias("rows_read"),
            pl.col("rows").filter(pl.col("label").is_null()).sum().alias("n_unlabelled"),
            pl.col("missing").sum().alias("n_missing"),
            pl.col("infinite").sum().alias("n_infinite"),
        )
        .sort("model", "run", "dataset", "split")
    )


def _our_split(spec: TrialSpec) -> pl.Expr:
    return (
        pl.when(pl.col("split") == spec.values.dev)
        .then(pl.lit("dev"))
        .otherwise(pl.lit("test"))
        .alias("split")
    )


def _kept_rows(
    spec: TrialSpec, rows: pl.LazyFrame, columns: list[str], target: tuple[str, ...]
) -> pl.LazyFrame:
    if spec.unlabelled == "drop":
        rows = _without(rows, pl.col("label").is_null(), "trial" in columns)
    if spec.missing == "drop":
        rows = _without(rows, MISSING, "trial" in columns)
    score = pl.when(MISSING).then(-float("inf")).otherwise(_oriented(spec))
    optional = [name for name in ("trial", "cluster") if name in columns]
    return rows.select(
        "model",
        "run",
        "dataset",
        _our_split(spec),
        *optional,
        pl.col("label").is_in(target).alias("label"),
        score.alias("score"),
    )


def _without(rows: pl.LazyFrame, lacking: pl.Expr, has_trial: bool) -> pl.LazyFrame:
    """Drop a trial for every model where one model's row is lacking, so that pairing survives."""
    if not has_trial:
        return rows.filter(~lacking)
    key = ["dataset", "split", "trial"]
    dropped = rows.filter(lacking).select(key).unique()
    return rows.join(dropped, on=key, how="anti")


def _oriented(spec: TrialSpec) -> pl.Expr:
    if not spec.negated:
        return pl.col("score")
    negated = pl.col("model").is_in(sorted(spec.negated))
    return pl.when(negated).then(-pl.col("score")).otherwise(pl.col("score"))


def check_names(table: TrialTable, models: list[str], baseline: str | None) -> None:
    """Raise DataError where the config names a model that the table does not hold."""
    named = [("models", name) for name in models] + ([("baseline", baseline)] if baseline else [])
    faults = [
        f"{where}: {name!r} is not a model of the trial table"
        f"{did_you_mean(name, table.models)} (found: {listed(table.models)})"
        for where, name in named
        if name not in table.models
    ]
    if faults:
        raise DataError(*faults)
