"""What the table as a whole must offer: keys, runs and splits that suit the config."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

import polars as pl

from reporting.errors import instead, listed, quoted, refuse
from reporting.inputs.scan import Scan
from reporting.inputs.spec import ACROSS_FOLDS, MOST_WEIGHTED, POOLED, SAMPLED, TrialSpec

MOST_NAMED = 12
"""So many strata are named."""
WITHOUT_PARTS = ("dev", "train", "none")
"""Policies that leave every trial in the split it has."""

DatasetSplit = tuple[str, str]
"""A dataset and a split."""


class TrialSet(NamedTuple):
    """Trials that models share: those of a dataset and split, or of the dev of one fold."""

    dataset: str
    split: str
    fold: str = ""
    """The run whose dev it is, where runs are folds; else empty."""

    @property
    def place(self) -> DatasetSplit:
        """The dataset and split."""
        return self.dataset, self.split

    @property
    def words(self) -> str:
        """The set in a message."""
        return in_words(self.place) + (f" of fold {quoted(self.fold)}" if self.fold else "")


def in_words(place: DatasetSplit) -> str:
    """Name a dataset and a split in a message."""
    dataset, split = place
    return f"split {split}" if dataset == "all" else f"dataset {quoted(dataset)}, split {split}"


def check_keys(scan: Scan, columns: Collection[str]) -> None:
    """Raise DataError where columns, policy and runs need what is not there, or do not go together."""
    spec = scan.spec
    faults = [*_pair_faults(scan), *_run_key_faults(scan, columns)]
    if "trial" not in columns:
        clusters = [name for name in ("cluster", "cluster_b") if name in columns]
        strata = [*["stratum"] * bool(spec.weights), *[SAMPLED] * spec.has_strata]
        needing = [*clusters, *strata, *spec.breakdowns]
        # A column that serves twice is called by its first use.
        first = {spec.column(name): name for name in reversed(needing)}
        faults += [
            f"{spec.called(name)} needs a trial key too: without one, rows of different models cannot be put"
            f" in one order; {_remedy(scan, name)}"
            for name in reversed(first.values())
        ]
    needs = _needs(spec, columns)
    if needs:
        by_key = "" if scan.has_column("count") else "name it in trials.columns, or "
        faults.append(
            f"thresholds.policy: {spec.thresholds.policy!r} needs {needs}; {by_key}choose none, which sets no"
            " thresholds"
        )
    refuse(faults)


def _remedy(scan: Scan, name: str) -> str:
    is_cluster = name in ("cluster", "cluster_b")
    without = "write cluster: none in trials.columns" if is_cluster else "leave it out"
    if scan.has_column("count"):
        return f"rows that represent several trials have none: {without}, or give each trial a row"
    return (
        "add a column that names trials, the same in every model, and name it in trials.columns.trial, or"
        f" {without} (in layout wide rows need no key)"
    )


def _pair_faults(scan: Scan) -> Iterator[str]:
    spec = scan.spec
    policy = spec.thresholds.policy
    if spec.has_pairs and policy not in WITHOUT_PARTS:
        needing = ", or dev where the table has dev rows" if scan.has_column("split") else ""
        yield (
            f"thresholds.policy: {policy!r} parts trials by their cluster, and with two cluster columns"
            f" a trial may belong to two parts; choose none, which sets no thresholds{needing}; or name one"
            " column in trials.columns.cluster"
        )


def _run_key_faults(scan: Scan, columns: Collection[str]) -> Iterator[str]:
    spec = scan.spec
    if spec.runs != "fold":
        return
    if spec.thresholds.policy != "dev":
        yield (
            "trials.runs: with fold, each fold's thresholds are chosen on its own dev rows, so"
            f" thresholds.policy must be dev, found {spec.thresholds.policy!r}"
        )
    if "trial" not in columns:
        yield "trials.runs: fold needs a trial key; name it in trials.columns"
    if not scan.has_column("run"):
        yield f"trials.runs: fold needs a run column ({_column(spec, 'run')}); name it in trials.columns"


def _needs(spec: TrialSpec, columns: Collection[str]) -> str:
    if "cluster" in columns or spec.thresholds.policy in WITHOUT_PARTS:
        return ""
    if spec.thresholds.policy == "leave_one_client_out":
        return "a cluster"
    return "" if "trial" in columns else "a cluster or a trial key"


def check_design(spec: TrialSpec, counted: pl.DataFrame) -> None:
    """Raise DataError for runs that cannot be folds, splits without a use, and weights beyond exactness."""
    refuse([*_fold_faults(spec, counted), *_split_faults(spec, counted), *_weight_faults(spec, counted)])


def _fold_faults(spec: TrialSpec, counted: pl.DataFrame) -> Iterator[str]:
    """Runs that are folds have the same names in every model, at least two."""
    if spec.runs != "fold":
        return
    runs: dict[str, list[str]] = {}
    for model, run in counted.select("model", "run").unique().sort("model", "run").iter_rows():
        runs.setdefault(model, []).append(run)
    first, *others = runs
    called = spec.called("run")
    for model in others:
        if runs[model] != runs[first]:
            yield (
                f"{called}: model {quoted(model)} has folds {listed(map(quoted, runs[model]))},"
                f" model {quoted(first)} {listed(map(quoted, runs[first]))};"
                " trials.runs: fold needs the same in all models"
            )
    if max(map(len, runs.values())) == 1:
        yield f"{called}: one fold found ({quoted(runs[first][0])}); trials.runs: fold needs at least two"
    if POOLED in runs[first]:
        yield f"{called}: {POOLED!r} is what all folds together are called; rename the fold"


def check_folds(spec: TrialSpec, counted: pl.DataFrame, dev_of: dict[str, str]) -> None:
    """Raise DataError where a fold has test rows and no dev rows to choose its thresholds on, or no test."""
    if spec.runs != "fold":
        return
    have: dict[DatasetSplit, set[str]] = {}
    for dataset, split, run in counted.select("dataset", "split", "run").iter_rows():
        word = "dev" if split == spec.values.dev else "test"
        have.setdefault((dataset, word), set()).add(run)
    idle = {source: set(have[source, "dev"]) for source in dev_of.values()}
    faults = []
    for dataset, source in sorted(dev_of.items()):
        tested, developed = have[dataset, "test"], have[source, "dev"]
        faults += [
            _half_a_fold(spec, run, (dataset, "test"), f"none in {in_words((source, 'dev'))}")
            for run in sorted(tested - developed)
        ]
        idle[source] -= tested
    for source, runs in sorted(idle.items()):
        faults += [_half_a_fold(spec, run, (source, "dev"), "no test rows") for run in sorted(runs)]
    refuse(faults)


def _half_a_fold(spec: TrialSpec, run: str, has: DatasetSplit, lacks: str) -> str:
    return (
        f"{spec.called('run')}: fold {quoted(run)} has rows in {in_words(has)} and {lacks}; with trials.runs:"
        " fold, the thresholds of a fold are chosen on its dev rows and evaluated on its test rows"
    )


def _split_faults(spec: TrialSpec, counted: pl.DataFrame) -> Iterator[str]:
    splits = set(counted["split"])
    if spec.thresholds.policy == "split_clients" and len(splits) > 1:
        yield (
            f"{spec.called('split')}: the table already has both splits, and thresholds.policy split_clients"
            " would split it again; leave the policy at dev, or use a table with one split"
        )
    if spec.thresholds.policy in ("leave_one_client_out", "kfold") and spec.values.dev in splits:
        rows = int(counted.filter(pl.col("split") == spec.values.dev)["rows"].sum())
        yield (
            f"{spec.called('split')}: {rows} of {counted['rows'].sum()} rows are dev, which thresholds.policy"
            f" {spec.thresholds.policy} does not use; leave the policy at dev, or use a table of test rows"
        )


def _weight_faults(spec: TrialSpec, counted: pl.DataFrame) -> Iterator[str]:
    """Beyond the limit, products of counts would no longer fit 64 bits."""
    sums: dict[tuple[str, str, str], int] = {}
    if spec.weights:
        for model, dataset, split, stratum, rows in counted.select(
            "model", "dataset", "split", "stratum", "rows"
        ).iter_rows():
            place = (model, dataset, split)
            sums[place] = sums.get(place, 0) + rows * spec.weights[stratum]
    heaviest = max(sums.values(), default=0)
    if heaviest > MOST_WEIGHTED:
        yield (
            f"trials.weights: they make {heaviest} weighted trials of one model in one split; at most"
            f" {MOST_WEIGHTED} can be counted exactly: {_rounding(spec.weights, heaviest)}"
        )


def _rounding(weights: Mapping[str, int], heaviest: int) -> str:
    """Say by which factor to round weights so that they can be counted, and by how much that moves them."""
    factor = -(-heaviest // MOST_WEIGHTED)
    rounded = {
        name: max(1, (2 * weight + factor) // (2 * factor)) for name, weight in weights.items() if weight
    }
    moved = max(abs(rounded[name] * factor / weights[name] - 1) for name in rounded)
    instead = ", ".join(f"{quoted(name)}: {rounded.get(name, 0)}" for name in list(weights)[:MOST_NAMED])
    more = ", ..." if len(weights) > MOST_NAMED else ""
    return (
        f"divide them by {factor} and round, to {{{instead}{more}}} (no weight moves by more than"
        f" {100 * moved:.3g}%)"
    )


def dev_source(scan: Scan, parts: Collection[DatasetSplit]) -> dict[str, str]:
    """Return, for every dataset with test trials, the dataset whose dev chooses its thresholds.

    That is the one ``from_dataset`` names, else its own dev, else the only dev there is; empty under a
    policy that chooses across folds of test. DataError where a dataset has none, where nothing is to
    be judged, and for names that do not fit.
    """
    spec = scan.spec
    tested, developed = (sorted(d for d, split in parts if split == wanted) for wanted in ("test", "dev"))
    faults = [*_misnamed(scan, tested, developed)]
    if not tested:
        faults += [_has_no(scan, dataset, "test") for dataset in developed]
    if spec.thresholds.policy in (*ACROSS_FOLDS, "none"):
        sources = {}
    else:
        only = developed[0] if len(developed) == 1 else None
        own = {dataset: dataset if dataset in developed else only for dataset in tested}
        sources = own | {d: source for d, source in spec.thresholds.from_dataset.items() if d in tested}
    choice = f"; name the dataset to use in thresholds.from (with dev rows: {listed(developed)})"
    faults += [
        _has_no(scan, d, "dev") + (choice if developed else "")
        for d, source in sources.items()
        if source is None
    ]
    refuse(faults)
    return {dataset: source for dataset, source in sources.items() if source is not None}


def _misnamed(scan: Scan, tested: list[str], developed: list[str]) -> Iterator[str]:
    spec, datasets = scan.spec, sorted({*tested, *developed})
    if spec.thresholds.from_dataset and datasets == ["all"] and not scan.has_column("dataset"):
        yield (
            f"thresholds.from: the table has no dataset column ({_column(spec, 'dataset')}), so there is"
            " nothing to choose from; leave it out"
        )
        return
    for dataset, source in spec.thresholds.from_dataset.items():
        unknown = [name for name in (dataset, source) if name not in datasets]
        for name in unknown:
            yield (
                f"thresholds.from: {quoted(name)} is not a dataset of the trial table"
                f"{instead(name, datasets)}"
            )
        if unknown:
            continue
        if dataset not in tested:
            yield f"thresholds.from: dataset {dataset!r} has no test rows, so it takes no thresholds"
        if source not in developed:
            yield (
                f"thresholds.from: dataset {source!r} has no dev rows, so {dataset!r} cannot take its"
                f" thresholds there (with dev rows: {listed(developed) or 'none'})"
            )


def _column(spec: TrialSpec, name: str) -> str:
    return f"column {quoted(spec.column(name))}"


def _has_no(scan: Scan, dataset: str, split: str) -> str:
    spec = scan.spec
    word = spec.values.dev if split == "dev" else spec.values.test
    if dataset == "all" and not scan.has_column("dataset"):
        called = f", called {word!r}" if word != split else ""
        return f"the table has no {split} rows ({_column(spec, 'split')}{called}); {_otherwise(scan, split)}"
    called = f" (called {word!r})" if word != split else ""
    return (
        f"{spec.called('split')}: dataset {quoted(dataset)} has no {split} rows{called};"
        " thresholds are chosen on dev rows and evaluated on test rows"
    )


def _otherwise(scan: Scan, split: str) -> str:
    if split == "test":
        return "thresholds are chosen on dev rows and evaluated on test rows"
    columns = scan.rows().collect_schema().names()
    policies = scan.spec.policies_without_dev(columns)
    if policies == ["none"]:
        return "thresholds.policy none does without: no thresholds are set"
    return f"thresholds.policy offers choices without them: {listed(policies)}"
