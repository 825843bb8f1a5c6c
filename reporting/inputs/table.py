"""A checked trial table, and its rows one model at a time in the canonical order of trials."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from secrets import token_hex

import polars as pl
from polars.exceptions import PolarsError

from reporting.base.records import dataclass, replace
from reporting.errors import DataError, NotInTableError, instead, quoted, refuse
from reporting.inputs.bundle import Bundle, Pairing
from reporting.inputs.design import DatasetSplit, TrialSet, check_design, check_folds, check_keys, dev_source
from reporting.inputs.files import first_line
from reporting.inputs.folds import halves
from reporting.inputs.row_weights import weights_of_rows
from reporting.inputs.rules import MISSING, check_rows, resolve_values, survey
from reporting.inputs.scan import Scan
from reporting.inputs.spec import (
    BREAKDOWN,
    FOLD,
    LEAVE_DEV_OUT,
    POOLED,
    SAMPLED,
    AnySource,
    File,
    InMemory,
    TrialSpec,
)
from reporting.inputs.values import coarse_key


@dataclass(frozen=True, eq=False)
class TrialTable:
    """A table whose rows obey the row rules; nothing but counts has been read into memory yet.

    ``tally`` counts what was read per model, run, dataset and split, also of a dev split that the policy
    leaves out. Where runs are folds, test rows of all folds are of one run, ``pooled``, in ``rows`` too.
    """

    scan: Scan
    tally: pl.DataFrame
    has_trial: bool
    has_cluster: bool
    dev_of: dict[str, str]
    """For every dataset with test trials, the dataset whose dev chooses; empty where none does."""
    target: tuple[str, ...]
    """The texts that mean target."""
    halves: pl.Expr | None = None
    """The split of every row, where the policy makes halves; None: the table's own."""

    @property
    def spec(self) -> TrialSpec:
        """Its description in the config."""
        return self.scan.spec

    @property
    def bundle(self) -> Bundle | None:
        """The counts it is unfolded from; None: it holds trials as they were scored."""
        return self.scan.opened.bundle

    @property
    def pairing(self) -> Pairing:
        """What its rows keep of pairs of models: shared trials, clusters or blocks of trials, or nothing."""
        if self.bundle is None:
            return "trials"
        about = self.bundle.about
        if about.pairing in ("none", "blocks") and self.spec.averaged_over in about.breakdowns:
            return "clusters"
        return about.pairing

    @property
    def pairs_trials(self) -> bool:
        """Whether models are paired trial by trial, and not by clusters or by blocks of trials alone."""
        return self.pairing not in ("clusters", "blocks")

    @property
    def rows(self) -> pl.LazyFrame:
        """All rows that are counted, lazily.

        Columns: model, run, dataset, split (dev or test), label (Boolean), score (Float64), and what
        ``shared`` names.
        """
        return _kept_rows(self, self._split(self.scan.rows()))

    def rows_of(self, model: str) -> pl.LazyFrame:
        """Return those of one model; sources that hold others only are not read."""
        return _kept_rows(self, self._split(self.scan.rows(model).filter(pl.col("model") == model)))

    def by_file(self, query: Callable[[pl.LazyFrame], pl.LazyFrame]) -> pl.DataFrame:
        """Run a query on all rows as they were read, file by file, and return all results together."""
        return self.scan.by_file(lambda rows: query(self._split(rows)))

    @cached_property
    def dropped(self) -> pl.DataFrame:
        """The keys of trials that every model and run goes without, because one row of them is lacking."""

        def keys(rows: pl.LazyFrame) -> pl.LazyFrame:
            return _runs(self.spec, rows).filter(_lacking(self)).select(self.key).unique()

        return self._incomplete if self.spec.missing == "shared" else self.by_file(keys).unique()

    @property
    def _incomplete(self) -> pl.DataFrame:
        """The keys of trials of which a model or run has no row, or none with a score and a label."""

        def complete(rows: pl.LazyFrame) -> pl.LazyFrame:
            left = pl.col("label").is_null() if self.spec.unlabelled == "drop" else pl.lit(value=False)
            return rows.group_by(self.key).agg((~(MISSING | left)).sum().alias("held"))

        held = self.by_file(complete).group_by(self.key).agg(pl.col("held").sum())
        runs = self.tally.group_by("dataset", "split").agg(pl.struct("model", "run").n_unique().alias("runs"))
        sides = held.with_columns(_our_split(self.spec).alias("side"))
        counted = sides.join(runs, left_on=["dataset", "side"], right_on=["dataset", "split"], how="left")
        return counted.filter(pl.col("held") < pl.col("runs")).select(self.key)

    @property
    def drops_trials(self) -> bool:
        """Return whether trials are dropped by their keys."""
        return bool(self.key and (_drops(self) or self.spec.missing == "shared"))

    @property
    def key(self) -> list[str]:
        """The columns that identify a trial; none without a trial key."""
        return ["dataset", "split", "trial", *["run"] * self.has_folds] if self.has_trial else []

    def _split(self, rows: pl.LazyFrame) -> pl.LazyFrame:
        return rows if self.halves is None else rows.with_columns(self.halves)

    @property
    def models(self) -> list[str]:
        """The models of the table in UTF-8 byte order."""
        return self.tally["model"].unique().sort().to_list()

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return int(self.tally["rows_read"].sum())

    @property
    def parts(self) -> list[DatasetSplit]:
        """The (dataset, split) pairs that are counted, sorted."""
        left_out = "dev" if self.spec.thresholds.policy in LEAVE_DEV_OUT else None
        return [place for place in _places(self.tally) if place[1] != left_out]

    @property
    def shared(self) -> list[str]:
        """The columns in which all models and runs must agree on every trial, next to its label."""
        clusters = [*["cluster"] * self.has_cluster, *["cluster_b"] * self.spec.has_pairs]
        stratum = [*["stratum"] * bool(self.spec.weights), *[SAMPLED] * self.spec.has_strata]
        fold = [FOLD] if self.has_folds else []
        return [*clusters, *stratum, *fold, *self.spec.breakdowns]

    @property
    def has_folds(self) -> bool:
        """Return whether runs are folds."""
        return self.spec.runs == "fold"

    @property
    def several_runs(self) -> bool:
        """Return whether more than one run occurs, in one model or in different ones."""
        return self.tally["run"].n_unique() > 1

    @property
    def sets(self) -> list[TrialSet]:
        """The sets of trials that all models, and all their runs, must share, sorted."""
        if not self.has_folds:
            return [TrialSet(*place) for place in self.parts]
        places = self.tally.select("dataset", "split", "run").unique().iter_rows()
        return sorted(TrialSet(d, split, "" if split == "test" else run) for d, split, run in places)

    def parts_of(self, model: str) -> list[tuple[str, TrialSet]]:
        """Return the runs of a model, each with the sets of trials it must have, sorted by run."""
        if self.has_folds:
            return [(trials.fold or POOLED, trials) for trials in self.sets]
        runs = self.tally.filter(model=model)["run"].unique().sort()
        return [(run, trials) for run in runs for trials in self.sets]

    def tally_by(self, columns: Collection[str]) -> pl.DataFrame:
        """Count what was read per model, run, dataset, split and value of columns of a breakdown, sorted.

        Columns as in ``tally``, and those of the breakdown under the table's own names after a "by "; of
        a column that describes one class, null for the rows of the other.
        """
        keys = [BREAKDOWN + column for column in columns]
        order = ["model", "run", "dataset", "split", *keys]
        is_target = pl.col("label").is_in(self.spec.values.target)
        counts = {
            "rows_read": pl.len(),
            "n_unlabelled": pl.col("label").is_null().sum(),
            "n_missing": MISSING.sum(),
            "n_infinite": pl.col("score").is_infinite().sum(),
            "n_missing_target": (MISSING & is_target).sum(),
            "n_missing_nontarget": (MISSING & ~is_target).sum(),
        }
        described = [
            pl.when(self.spec.described(key) | pl.col("label").is_null())
            .then(pl.col(key))
            # Zero-effort trials are in no group of spoofs.
            .when((self.spec.one_class[self.spec.column(key)] == "spoof") & ~is_target)
            .then(pl.lit(""))
            .alias(key)
            for key in keys
            if self.spec.column(key) in self.spec.one_class
        ]

        def count(rows: pl.LazyFrame) -> pl.LazyFrame:
            by = _runs(self.spec, rows).with_columns(described).group_by(order)
            return by.agg(count.cast(pl.Int64).alias(name) for name, count in counts.items())

        counted = self.by_file(count).with_columns(_our_split(self.spec))
        counted = counted.group_by(order).agg(pl.all().sum()).sort(order)
        return counted if self.spec.runs != "epoch" else self._with_epochs(counted, count)

    def _with_epochs(
        self, counted: pl.DataFrame, count: Callable[[pl.LazyFrame], pl.LazyFrame]
    ) -> pl.DataFrame:
        """Return counts by group with the epochs that lack a score in place of the items that do."""
        lacking = [name for name in counted.columns if name.startswith("n_missing")]
        each = self.scan.with_spec(replace(self.spec, runs="seed"))
        epochs = each.by_file(lambda rows: count(self._split(rows))).with_columns(_our_split(self.spec))
        keys = ("model", "dataset", "split")
        place = [name for name in counted.columns if name in keys or name.startswith(BREAKDOWN)]
        summed = epochs.group_by(place).agg(pl.col(lacking).sum())
        joined = counted.drop(lacking).join(
            summed, on=place, how="left", nulls_equal=True, maintain_order="left"
        )
        return joined.select(counted.columns)

    def weighted_nought(self, trials: TrialSet, label: bool | None = None) -> list[str]:
        """Return the strata of weight 0 that have trials in a set, or trials of one label there."""
        if 0 not in self.spec.weights.values():
            return []
        dataset, split, fold = trials
        strata = [stratum for stratum, weight in self.spec.weights.items() if weight == 0]
        wanted = [pl.col("dataset") == dataset, pl.col("split") == split, pl.col("stratum").is_in(strata)]
        if fold:
            wanted.append(pl.col("run") == fold)
        if label is not None:
            wanted.append(pl.col("label").is_in(self.spec.values.target) == label)

        def strata_in(rows: pl.LazyFrame) -> pl.LazyFrame:
            return rows.with_columns(_our_split(self.spec)).filter(wanted).select(pl.col("stratum").unique())

        present = set(self.by_file(strata_in)["stratum"])
        return [stratum for stratum in strata if stratum in present]


def read_trials(spec: TrialSpec) -> TrialTable:
    """Open the sources, check every row rule in one streaming pass, and return the table.

    A policy that halves the trials takes a second pass. Raises DataError with one line per broken
    rule: column, count, allowed values, first bad rows.
    """
    scan = Scan(spec)
    scan.check()
    columns = scan.rows().collect_schema().names()
    if spec.averaged_over is not None and "cluster" not in columns:
        spec = replace(spec, columns={**spec.columns, "cluster": spec.averaged_over})
        scan = scan.with_spec(spec)
        columns = scan.rows().collect_schema().names()
    if spec.may_lack_split and not scan.has_column("split"):
        spec = replace(spec, thresholds=replace(spec.thresholds, policy="none"))
        scan = scan.with_spec(spec)
    check_keys(scan, columns)
    if spec.missing == "shared" and "trial" not in columns:
        raise DataError(
            "trials.missing: shared compares the trials of all models by their keys; name their column in"
            " trials.columns.trial"
        )
    epochs = checked_epochs(scan) if spec.runs == "epoch" else None
    if spec.row_weights:
        spec = replace(spec, weights=weights_of_rows(scan))
        scan = scan.with_spec(spec)
    counted = survey(scan)
    target, nontarget = resolve_values(spec, counted)
    check_rows(scan, counted, (*target, *nontarget))
    check_design(spec, counted)
    half = halves(scan, columns) if spec.thresholds.policy == "split_clients" else None
    if half is not None:
        counted = survey(scan, half)
    tally = tally_of(spec, counted, target)
    if epochs is not None:  # an item lacks a score where none of its epochs has one
        place = ["model", "dataset", "split"]
        lacking = tally_of(spec, epochs, target).group_by(place).agg(pl.col("^n_missing.*$").sum())
        tally = tally.update(lacking, on=place)
    if scan.opened.bundle is not None:  # rows may have been dropped before they were counted
        read = [asdict(read) for read in scan.opened.bundle.about.read]
        tally = pl.DataFrame(read, tally.schema).select(tally.columns)
    needs_dev = spec.needs_dev or spec.thresholds.from_dataset or spec.runs == "fold"
    tests_alone = set(tally["split"]) == {"test"} and not needs_dev
    sources = {} if tests_alone else dev_source(scan, _places(tally))
    check_folds(spec, counted, sources)
    has_trial, has_cluster = "trial" in columns, "cluster" in columns
    return TrialTable(scan, tally, has_trial, has_cluster, sources, target, half)


def checked_epochs(scan: Scan) -> pl.DataFrame:
    """Return a survey of the rows of which items are the means.

    DataError where a row breaks a rule that any row has, or an epoch of an item repeats.
    """
    spec = scan.spec
    for name in ("trial", "run"):
        if not scan.has_column(name):
            raise DataError(
                f"trials.runs: epoch averages the runs of each item; name the column in trials.columns.{name}"
            )
    each = scan.with_spec(replace(spec, runs="seed"))
    counted = survey(each)
    target, nontarget = resolve_values(spec, counted)
    check_rows(each, counted, (*target, *nontarget))
    epoch = ["model", "run", "dataset", "split", "trial"]
    rows = each.by_file(lambda rows: rows.group_by(epoch).len()).group_by(epoch).agg(pl.col("len").sum())
    for model, run, _, _, trial, n in rows.filter(pl.col("len") > 1).sort(epoch).head(1).iter_rows():
        raise DataError(
            f"{spec.called('trial')}: {quoted(trial)} occurs {n} times in run {quoted(run)} of model"
            f" {quoted(model)}; an epoch attempts an item once"
        )
    return counted


def tally_of(spec: TrialSpec, counted: pl.DataFrame, target: tuple[str, ...]) -> pl.DataFrame:
    """Add up a survey whose rows obey the rules: what was read per model, run, dataset and split, sorted."""
    is_target = pl.col("label").is_in(target)
    return (
        counted.with_columns(_our_split(spec), _our_run(spec))
        .group_by("model", "run", "dataset", "split")
        .agg(
            pl.col("rows").sum().alias("rows_read"),
            pl.col("rows").filter(pl.col("label").is_null()).sum().alias("n_unlabelled"),
            pl.col("missing").sum().alias("n_missing"),
            pl.col("infinite").sum().alias("n_infinite"),
            pl.col("missing").filter(is_target).sum().alias("n_missing_target"),
            pl.col("missing").filter(~is_target).sum().alias("n_missing_nontarget"),
        )
        .sort("model", "run", "dataset", "split")
    )


def _places(tally: pl.DataFrame) -> list[DatasetSplit]:
    return sorted(set(tally.select("dataset", "split").iter_rows()))


def _our_split(spec: TrialSpec) -> pl.Expr:
    return (
        pl.when(pl.col("split") == spec.values.dev)
        .then(pl.lit("dev"))
        .otherwise(pl.lit("test"))
        .alias("split")
    )


def _our_run(spec: TrialSpec) -> pl.Expr:
    """The run; where runs are folds, one for the test rows of all. Before the splits have our names."""
    if spec.runs != "fold":
        return pl.col("run")
    dev = pl.col("split") == spec.values.dev
    return pl.when(dev).then(pl.col("run")).otherwise(pl.lit(POOLED)).alias("run")


def _kept_rows(table: TrialTable, rows: pl.LazyFrame) -> pl.LazyFrame:
    """Some rows without those that are dropped; what is dropped is decided on the rows of all models."""
    spec = table.spec
    if spec.thresholds.policy in LEAVE_DEV_OUT:
        rows = rows.filter(pl.col("split") == spec.values.test)
    if 0 in spec.weights.values():
        rows = rows.filter(pl.col("stratum").is_in([key for key, weight in spec.weights.items() if weight]))
    if spec.runs == "fold":
        rows = rows.with_columns(_our_run(spec), pl.col("run").alias(FOLD))
    if table.drops_trials:
        rows = rows.join(table.dropped.lazy(), on=table.key, how="anti")
    elif _drops(table):
        rows = rows.filter(~_lacking(table))
    score = pl.when(MISSING).then(-float("inf")).otherwise(_oriented(spec))
    score = score if spec.coarse is None else coarse_key(score, spec.coarse)
    return rows.select(
        "model",
        "run",
        "dataset",
        _our_split(spec),
        *["trial"] * table.has_trial,
        *(name for name in (*table.shared, *spec.kept) if name != FOLD),
        *[FOLD] * (spec.runs == "fold"),
        pl.col("label").is_in(table.target).alias("label"),
        score.alias("score"),
    )


def _runs(spec: TrialSpec, rows: pl.LazyFrame) -> pl.LazyFrame:
    return rows.with_columns(_our_run(spec)) if spec.runs == "fold" else rows


def _drops(table: TrialTable) -> list[pl.Expr]:
    spec, tally = table.spec, table.tally
    reasons = (
        (spec.unlabelled, "n_unlabelled", pl.col("label").is_null()),
        (spec.missing, "n_missing", MISSING),
    )
    return [lacking for rule, n, lacking in reasons if rule in ("drop", "shared") and tally[n].sum()]


def _lacking(table: TrialTable) -> pl.Expr:
    return pl.any_horizontal(_drops(table))


def _oriented(spec: TrialSpec) -> pl.Expr:
    if not spec.negated:
        return pl.col("score")
    negated = pl.col("model").is_in(sorted(spec.negated))
    return pl.when(negated).then(-pl.col("score")).otherwise(pl.col("score"))


def check_names(table: TrialTable, models: list[str], baseline: str | None) -> None:
    """Raise DataError where the config names a model that the table does not hold."""
    named = [("models", name) for name in models] + ([("baseline", baseline)] if baseline else [])
    faults = [
        f"{where}: {quoted(name)} is not a model of the trial table{instead(name, table.models)}"
        for where, name in named
        if name not in table.models
    ]
    refuse(faults, NotInTableError)


def with_whole_paths(spec: TrialSpec) -> TrialSpec:
    """Return the spec with whole paths: workers may be in another folder. Names stay unchanged."""

    def whole(source: AnySource) -> AnySource:
        if isinstance(source, File):
            return replace(source, path=source.path.absolute())
        return source.absolute() if isinstance(source, Path) else source

    return spec.with_each_source(whole)


def ready_to_ship(table: TrialTable, folder: Path | None) -> TrialTable:
    """Return the table with all its rows in files; those of a table in memory are written to ``folder``.

    ``folder`` None: the table stays in this process, as it is.
    """
    if folder is None:
        return table

    def in_file(source: AnySource) -> AnySource:
        if not isinstance(source, InMemory):
            return source
        path = folder / f"trials-{token_hex(8)}.parquet"
        try:
            source.frame.write_parquet(path)
        except (PolarsError, OSError) as error:
            raise DataError(f"the trial table cannot be copied to {folder}: {first_line(error)}") from None
        return File(path)

    return replace(table, scan=Scan(table.spec.with_each_source(in_file)))
