"""Halves and folds of trials, the same for every model, row order and machine.

Clusters, or trials where no cluster is declared, are in the order of a hash of their name and the
seed; so nothing in the table about them decides where they go.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable

import numpy as np
import polars as pl

from reporting.base.arrays import BoolArray, IntArray
from reporting.base.legible import counted, plural
from reporting.errors import DataError, TooFewError, listed, quoted, refuse
from reporting.inputs.design import DatasetSplit, in_words
from reporting.inputs.files import UNREADABLE
from reporting.inputs.scan import Scan
from reporting.inputs.spec import BREAKDOWN, TrialSpec
from reporting.inputs.values import Coded, coded


def hash_order(seed: int, names: Iterable[str]) -> list[str]:
    """Return names in the order of SHA-256 of (seed, name), ties by name."""

    def key(name: str) -> tuple[bytes, str]:
        return hashlib.sha256(json.dumps([seed, name]).encode()).digest(), name

    return sorted(names, key=key)


def halves(scan: Scan, columns: Collection[str]) -> pl.Expr:
    """Return the split that makes the first half of the clusters (or trials) dev, rounded down, others test.

    All rows of a cluster go to one side, in every model and dataset. Methods 7.10 (i).
    """
    spec, unit = scan.spec, "cluster" if "cluster" in columns else "trial"
    try:
        names = scan.by_file(lambda rows: rows.select(pl.col(unit).unique()))[unit].unique().to_list()
    except UNREADABLE as error:
        raise scan.unreadable(error) from None
    if len(names) < 2:
        raise TooFewError(
            f"{spec.called(unit)}: all rows have the same value;"
            f" thresholds.policy {spec.thresholds.policy} needs two"
        )
    first = pl.Series(hash_order(spec.seed, names)[: len(names) // 2], dtype=pl.String)
    side = pl.when(pl.col(unit).is_in(first.implode())).then(pl.lit(spec.values.dev))
    return side.otherwise(pl.lit(spec.values.test)).alias("split")


def fold_codes(
    spec: TrialSpec, place: DatasetSplit, label: BoolArray, cluster: Coded | None, trial: pl.Series | None
) -> IntArray:
    """Return the fold of every trial (shape (N,)): 0, 1, ..., without gaps.

    A fold is a cluster, in the byte order of names, or for ``kfold`` and without clusters one of
    ``folds`` to which clusters (or trials) are dealt in turn. DataError where there are too few of
    them, or where a class would be empty outside a fold. Methods 7.10 (ii).
    """
    one_each = cluster is not None and spec.thresholds.policy != "kfold"
    if cluster is None:
        assert trial is not None
        cluster_or_trial = coded(trial)
    else:
        cluster_or_trial = cluster
    names, fold = cluster_or_trial.names, cluster_or_trial.code.astype(np.int64)
    if one_each and len(names) == 1:
        raise TooFewError(
            f"{in_words(place)}: all rows have the same cluster ({spec.called('cluster')});"
            f" thresholds.policy {spec.thresholds.policy} needs two"
        )
    if not one_each:
        unit = "cluster" if cluster is not None else "trial"
        fold = _dealt(spec, place, names.to_list(), unit)[fold]
    refuse(_one_sided(place, label, fold, names.to_list() if one_each else None), TooFewError)
    return fold


def named_folds(
    spec: TrialSpec, place: DatasetSplit, label: BoolArray, fold: Coded, cluster: Coded | None
) -> IntArray:
    """Return the fold of every trial (shape (N,)) as a column of the table names it, in byte order.

    DataError where there is one fold alone, where a cluster is in several, or where a class would be empty
    outside a fold.
    """
    names, code = fold.names.to_list(), fold.code.astype(np.int64)
    called = spec.called(BREAKDOWN + str(spec.thresholds.column))
    if len(names) == 1:
        raise TooFewError(
            f"{in_words(place)}: all trials have the same fold ({called}); at least 2 are needed"
        )
    if cluster is not None:
        folds_of: dict[int, set[int]] = {}
        for unit, at in zip(cluster.code.tolist(), code.tolist(), strict=True):
            folds_of.setdefault(unit, set()).add(at)
        apart = [unit for unit, folds in folds_of.items() if len(folds) > 1]
        if apart:
            first = min(apart)
            raise TooFewError(
                f"{in_words(place)}: {len(apart)} of {len(folds_of)} clusters ({spec.called('cluster')})"
                f" are in several folds ({called}); first {quoted(cluster.names[first])}, in"
                f" {listed(quoted(names[at]) for at in sorted(folds_of[first]))}. Their own trials would then"
                " choose the thresholds; keep each cluster in one fold, as GroupKFold does, or leave it out"
            )
    refuse(_one_sided(place, label, code, names, "fold"), TooFewError)
    return code


def _dealt(spec: TrialSpec, place: DatasetSplit, names: list[str], unit: str) -> IntArray:
    """The fold of every name: they are dealt out in their hash order."""
    if len(names) == 1:
        raise TooFewError(
            f"{in_words(place)}: 1 {unit} ({spec.called(unit)}) cannot be folded; at least 2 are needed"
        )
    folds = spec.thresholds.folds
    if len(names) < folds:
        raise TooFewError(
            f"{in_words(place)}: {len(names)} {plural(unit)} ({spec.called(unit)}) cannot make {folds} folds;"
            f" thresholds.folds may be at most {len(names)}"
        )
    position = {name: at % folds for at, name in enumerate(hash_order(spec.seed, names))}
    return np.array([position[name] for name in names], dtype=np.int64)


def _one_sided(
    place: DatasetSplit, label: BoolArray, fold: IntArray, named: list[str] | None, kind: str = "cluster"
) -> list[str]:
    """A threshold for a fold is chosen on the trials outside it, which must hold both classes."""
    faults = []
    for word, members in (("targets", label), ("non-targets", ~label)):
        inside = np.bincount(fold[members], minlength=int(fold.max(initial=0)) + 1)
        alone = np.flatnonzero(inside == inside.sum())
        if len(alone):
            first = f"{kind} {named[alone[0]]!r}" if named else f"fold {alone[0] + 1}"
            faults.append(
                f"{in_words(place)}: no {word} are left without {first}; a threshold cannot be chosen for it"
            )
    return faults


def run_folds(spec: TrialSpec, rows: pl.LazyFrame, dataset: str) -> dict[str, Coded]:
    """Return the fold in which each run tested every trial of a dataset, in canonical order, by run.

    Of the column ``TrialSpec.run_folds``, which models must share and runs need not. DataError where models
    disagree, and where a fold is empty.
    """
    column, there = BREAKDOWN + str(spec.run_folds), in_words((dataset, "test"))
    called = spec.called(column)
    on_test = rows.filter((pl.col("dataset") == dataset) & (pl.col("split") == "test"))
    fold = pl.col(column).fill_null("")
    held = on_test.select("run", "trial", fold).unique().sort("run", "trial").collect()
    empty = held.filter(pl.col(column) == "")
    if len(empty):
        first = quoted(empty["trial"][0])
        raise DataError(
            f"{called}: {counted(len(empty), f'trial in {there} has', f'trials in {there} have')} none;"
            f" first {first}"
        )
    again = held.filter(pl.struct("run", "trial").is_duplicated())
    if len(again):
        run, trial, *_ = again.row(0)
        raise DataError(
            f"{called}: models have different folds for"
            f" {counted(again.select('run', 'trial').n_unique(), 'trial')} in"
            f" {there}; first {quoted(trial)} of run {quoted(run)}. Folds may differ between runs, and must"
            " be the same for all models of a run"
        )
    by_run = held.partition_by("run", as_dict=True)
    return {str(run): coded(of_run[column]) for (run,), of_run in by_run.items()}
