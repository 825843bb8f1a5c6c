"""What the table as a whole must offer: keys, one run a model, splits that suit the policy."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import polars as pl

from reporting.errors import DataError, did_you_mean, listed, quoted
from reporting.trials.files import open_file
from reporting.trials.spec import ACROSS_FOLDS, TrialSpec
from reporting.trials.weights import MOST_WEIGHTED

WITHOUT_DEV = ("split_clients", "kfold", "leave_one_client_out")
"""Policies for a table of test rows alone."""

Place = tuple[str, str]
"""A dataset and a split."""


def in_words(place: Place) -> str:
    """Name a dataset and a split in a message."""
    dataset, split = place
    return f"split {split}" if dataset == "all" else f"dataset {quoted(dataset)}, split {split}"


def check_keys(spec: TrialSpec, columns: Collection[str]) -> None:
    """Raise DataError where a column or policy needs a trial key or a cluster that is not there."""
    faults = []
    if "trial" not in columns:
        needing = ["cluster"] * ("cluster" in columns) + ["stratum"] * bool(spec.weights)
        faults += [
            f"{called} needs a trial key too:"
            " without one, rows of different models cannot be put in one order"
            for called in _once(spec, [*needing, *spec.breakdowns])
        ]
    needs = _needs(spec, columns)
    if needs:
        faults.append(f"thresholds.policy: {spec.policy!r} needs {needs}; name it in trials.columns")
    if faults:
        raise DataError(*faults)


def _once(spec: TrialSpec, names: list[str]) -> list[str]:
    """Name columns in a message, one that serves twice by its first use."""
    called = {spec.column(name): spec.called(name) for name in reversed(names)}
    return list(reversed(called.values()))


def _needs(spec: TrialSpec, columns: Collection[str]) -> str:
    if "cluster" in columns or spec.policy in ("dev", "train"):
        return ""
    if spec.policy == "leave_one_client_out":
        return "a cluster"
    return "" if "trial" in columns else "a cluster or a trial key"


def check_design(spec: TrialSpec, counted: pl.DataFrame) -> None:
    """Raise DataError for several runs, for splits a policy cannot use, and for weights beyond exactness."""
    faults = [*_run_faults(spec, counted), *_split_faults(spec, counted), *_weight_faults(spec, counted)]
    if faults:
        raise DataError(*faults)


def _run_faults(spec: TrialSpec, counted: pl.DataFrame) -> Iterator[str]:
    runs = counted["run"].drop_nulls().unique().sort().to_list()
    if len(runs) > 1:
        yield (
            f"{spec.called('run')}: {len(runs)} runs found ({listed(runs)});"
            " more than one run of a model is not built yet"
        )


def _split_faults(spec: TrialSpec, counted: pl.DataFrame) -> Iterator[str]:
    found = set(counted["split"])
    if spec.policy == "split_clients" and len(found) > 1:
        yield (
            f"{spec.called('split')}: the table has dev and test rows, and thresholds.policy split_clients"
            " would halve them anew; leave the policy at dev, or use a table with one split"
        )
    if spec.policy in ("leave_one_client_out", "kfold") and spec.values.dev in found:
        rows = int(counted.filter(pl.col("split") == spec.values.dev)["rows"].sum())
        yield (
            f"{spec.called('split')}: {rows} of {counted['rows'].sum()} rows are dev, which thresholds.policy"
            f" {spec.policy} has no use for; leave the policy at dev, or use a table of test rows"
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
            f" {MOST_WEIGHTED} can be counted exactly: say the weights with fewer digits"
        )


def dev_source(spec: TrialSpec, parts: Collection[Place]) -> dict[str, str]:
    """Return, for every dataset with test trials, the dataset whose dev chooses its thresholds.

    That is the one ``from_dataset`` names, else its own dev, else the only dev there is; empty under a
    policy that chooses across folds of test. DataError where a dataset has none, where nothing is to
    be judged, and for names that do not fit.
    """
    tested, developed = (sorted(d for d, split in parts if split == wanted) for wanted in ("test", "dev"))
    faults = [*_misnamed(spec, tested, developed)]
    if not tested:
        faults += [_has_no(spec, dataset, "test") for dataset in developed]
    if spec.policy in ACROSS_FOLDS:
        sources = {}
    else:
        only = developed[0] if len(developed) == 1 else None
        own = {dataset: dataset if dataset in developed else only for dataset in tested}
        sources = own | {d: source for d, source in spec.from_dataset.items() if d in tested}
    faults += [
        _has_no(spec, d, "dev") + _choice(developed) for d, source in sources.items() if source is None
    ]
    if faults:
        raise DataError(*faults)
    return {dataset: source for dataset, source in sources.items() if source is not None}


def _misnamed(spec: TrialSpec, tested: list[str], developed: list[str]) -> Iterator[str]:
    found = sorted({*tested, *developed})
    if spec.from_dataset and found == ["all"] and not _has_datasets(spec):
        yield (
            f"thresholds.from: the table has no dataset column ({_column(spec, 'dataset')}), so there is"
            " nothing to choose from; leave it out"
        )
        return
    for dataset, source in spec.from_dataset.items():
        unknown = [name for name in (dataset, source) if name not in found]
        for name in unknown:
            yield (
                f"thresholds.from: {quoted(name)} is not a dataset of the trial table"
                f"{did_you_mean(name, found)} (found: {listed(found)})"
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


def _has_datasets(spec: TrialSpec) -> bool:
    return any(spec.column("dataset") in open_file(path)[1] for path in spec.sources)


def _column(spec: TrialSpec, name: str) -> str:
    return f"column {quoted(spec.column(name))}"


def _has_no(spec: TrialSpec, dataset: str, split: str) -> str:
    word = spec.values.dev if split == "dev" else spec.values.test
    if dataset == "all" and not _has_datasets(spec):
        called = f", called {word!r}" if word != split else ""
        otherwise = (
            f"thresholds.policy can choose thresholds otherwise: {listed(WITHOUT_DEV)}"
            if split == "dev"
            else "thresholds are chosen on dev and judged on test"
        )
        return f"the table has no {split} rows ({_column(spec, 'split')}{called}); {otherwise}"
    called = f" (called {word!r})" if word != split else ""
    return (
        f"{spec.called('split')}: dataset {quoted(dataset)} has no {split} rows{called};"
        " thresholds are chosen on dev and judged on test"
    )


def _choice(developed: list[str]) -> str:
    if not developed:
        return ""
    return f"; thresholds.from says which dev serves it (with dev rows: {listed(developed)})"
