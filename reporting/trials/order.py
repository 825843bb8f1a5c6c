"""The canonical order of trials: by the UTF-8 bytes of their key, the same for every model.

The first run of the first model sets the reference; every other run of every model is brought into its
order and must hold the same trials with the same labels, clusters, strata and breakdowns. Where runs are
folds, the test trials of all folds are pooled, and the dev of each fold has an order of its own. Rules
that need keys are checked here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from polars.exceptions import PolarsError

from reporting.errors import DataError, listed, quoted
from reporting.stats.staircase import BoolArray, FloatArray, IntArray
from reporting.trials.coding import codes_of
from reporting.trials.design import TrialSet
from reporting.trials.files import first_line
from reporting.trials.folds import fold_codes
from reporting.trials.spec import ACROSS_FOLDS, FOLD
from reporting.trials.table import TrialTable


@dataclass(frozen=True, eq=False)
class Reference:
    """A set of trials in canonical order, and the order they had in the file.

    ``shared`` holds what all models and runs must agree on, by our names: cluster, the second cluster of
    pair trials, stratum, fold and breakdowns.
    """

    in_file: pl.Series | None
    order: IntArray
    trial: pl.Series | None
    label: BoolArray
    shared: dict[str, pl.Series]
    weight: IntArray | None
    """The weight of every trial; None where all weigh the same."""
    fold: IntArray | None
    """The fold of every trial, 0 and up, where thresholds are chosen across folds or runs are folds."""


Rows = dict[tuple[str, TrialSet], pl.DataFrame]
"""The rows of one model by run and set of trials."""


def read_model(table: TrialTable, model: str) -> Rows:
    """Read all rows of one model, by run and set of trials, in file order."""
    columns = ["trial"] * table.has_trial + [*table.shared, "label", "score"]
    keys = ["run"] * table.several_runs + ["dataset", "split"]
    try:
        rows = table.rows.filter(pl.col("model") == model).select(*keys, *columns).collect()
    except (PolarsError, OSError) as error:
        raise DataError(f"model {quoted(model)}: its rows cannot be read: {first_line(error)}") from None
    by_run = rows.partition_by("run", as_dict=True) if table.several_runs else {}
    found = {}
    for run, trials in table.parts_of(model):
        mine = by_run.get((run,), rows.clear()) if table.several_runs else rows
        inside = (pl.col("dataset") == trials.dataset) & (pl.col("split") == trials.split)
        found[run, trials] = mine.filter(inside).select(columns)
    return found


def reference_of(table: TrialTable, model: str, rows: Rows) -> dict[TrialSet, Reference]:
    """Make the trials of a model's first run the reference of each set.

    DataError for duplicate keys and for an empty class in dev.
    """
    faults: list[str] = []
    references: dict[TrialSet, Reference] = {}
    for (run, trials), part in rows.items():
        if trials in references:
            continue
        whose = _whose(table, model, run)
        trial = part["trial"] if table.has_trial else None
        order = _canonical(part)
        sorted_trial = trial.gather(order) if trial is not None else None
        if sorted_trial is not None:
            faults += _duplicates(table, whose, trials, part, sorted_trial)
        label = part["label"].to_numpy()[order]
        faults += _emptiness(table, (model, run), trials, label)
        shared = {name: part[name].gather(order) for name in table.shared}
        weight = _weight(table, shared)
        references[trials] = Reference(trial, order, sorted_trial, label, shared, weight, None)
    if faults:
        raise DataError(*faults)
    return _with_folds(table, references)


def _whose(table: TrialTable, model: str, run: str) -> str:
    """Name a model in a message, and its run where others occur; a fold is named with its trials."""
    told = table.several_runs and not table.has_folds
    return f"model {quoted(model)}" + (f", run {quoted(run)}" if told else "")


def _weight(table: TrialTable, shared: dict[str, pl.Series]) -> IntArray | None:
    weights = table.spec.weights
    if set(weights.values()) <= {0, 1}:
        return None
    return shared["stratum"].replace_strict(dict(weights), return_dtype=pl.Int64).to_numpy()


def _with_folds(table: TrialTable, references: dict[TrialSet, Reference]) -> dict[TrialSet, Reference]:
    def fold_of(trials: TrialSet, one: Reference) -> IntArray | None:
        if table.spec.policy in ACROSS_FOLDS:
            return fold_codes(table.spec, trials.place, one.label, one.shared.get("cluster"), one.trial)
        if table.has_folds and trials.split == "test":
            column = one.shared[FOLD]
            return codes_of(column, column.unique().sort()).astype(np.int64)
        return None

    return {trials: replace(one, fold=fold_of(trials, one)) for trials, one in references.items()}


def _canonical(part: pl.DataFrame) -> IntArray:
    """The permutation into canonical order; without keys that is by label, then score."""
    if "trial" not in part.columns:
        score, label = part["score"].to_numpy() + 0.0, part["label"].to_numpy()
        return np.lexsort((score, label)).astype(np.int64)
    return part["trial"].arg_sort().cast(pl.Int64).to_numpy()


def _duplicates(
    table: TrialTable, whose: str, trials: TrialSet, part: pl.DataFrame, trial: pl.Series
) -> list[str]:
    """Keys that repeat among the sorted ones; of pooled folds, those that stand in several are told first."""
    again = trial.filter(trial.eq(trial.shift(1)).fill_null(False))
    if again.is_empty():
        return []
    if FOLD in part.columns:
        apart = part.group_by("trial").agg(pl.col(FOLD).unique().sort()).filter(pl.col(FOLD).list.len() > 1)
        for first, folds in apart.sort("trial").head(1).iter_rows():
            return [
                f"{table.spec.called(FOLD)}: {len(apart)} trials of {whose} in {trials.words} stand in more"
                f" than one fold; first {quoted(first)}, in {listed(map(quoted, folds))}"
            ]
    first = listed(map(quoted, again.unique(maintain_order=True).head(3)))
    return [
        f"{table.spec.called('trial')}: {len(again)} duplicate keys of {whose} in {trials.words};"
        f" first {first}"
    ]


def _emptiness(table: TrialTable, of: tuple[str, str], trials: TrialSet, label: BoolArray) -> list[str]:
    if len(label) == 0:
        model, run = of
        dataset, split = trials.place
        tally = table.tally.filter(model=model, run=run, dataset=dataset, split=split)
        read = tally["rows_read"].sum()
        why = "none is left after dropping" if read else "the table has none"
        if read:
            why = _by_weight(table.weighted_nought(trials)) or why
        return [f"{_whose(table, model, run)} has no rows in {trials.words}: {why}"]
    if trials.split != "dev":
        return []
    classes = (("targets", True), ("non-targets", False))
    lacking = [(word, which) for word, which in classes if not (label == which).any()]
    causes = [_by_weight(table.weighted_nought(trials, which)) for _, which in lacking]
    return [
        f"{trials.words}: no {word}{cause and ' left: ' + cause}; a threshold cannot be chosen there"
        for (word, _), cause in zip(lacking, causes, strict=True)
    ]


def _by_weight(strata: list[str]) -> str:
    """Blame the weights that leave strata out."""
    return f"trials.weights leaves out stratum {listed(map(quoted, strata))} (weight 0)" if strata else ""


def align(
    table: TrialTable, model: str, rows: Rows, references: dict[TrialSet, Reference]
) -> dict[tuple[str, TrialSet], FloatArray]:
    """Return the scores of one model's runs in the reference order; their labels are then the reference's.

    DataError where keys of a run repeat, its trials differ, or labels or what is shared disagree.
    """
    faults: list[str] = []
    aligned = {}
    for (run, trials), part in rows.items():
        reference, whose = references[trials], _whose(table, model, run)
        if reference.in_file is None:
            order = _canonical(part)
            broken = _other_numbers(table, whose, trials, part, reference)
        elif part["trial"].equals(reference.in_file):
            order = reference.order  # the common case: models in one file order need no second sort
            broken = []
        else:
            order = _canonical(part)
            broken = _other_trials(table, whose, trials, part, part["trial"].gather(order), reference)
        faults += broken
        if broken:
            continue
        if reference.trial is not None:
            faults += _disagreements(table, whose, trials, part, order, reference)
        aligned[run, trials] = part["score"].to_numpy()[order]
    if faults:
        raise DataError(*faults)
    return aligned


def _others(table: TrialTable) -> str:
    """What a run must agree with, in a message."""
    return "other models and runs" if table.several_runs and not table.has_folds else "other models"


def _other_numbers(
    table: TrialTable, whose: str, trials: TrialSet, part: pl.DataFrame, reference: Reference
) -> list[str]:
    (ours, n), (theirs, m) = ((int(y.sum()), len(y)) for y in (part["label"], reference.label))
    if (ours, n) == (theirs, m):
        return []
    return [
        f"{whose} in {trials.words}: {ours} targets and {n - ours} non-targets, where the"
        f" {_others(table)} have {theirs} and {m - theirs}; without a trial key the numbers must agree"
    ]


def _other_trials(
    table: TrialTable,
    whose: str,
    trials: TrialSet,
    part: pl.DataFrame,
    trial: pl.Series,
    reference: Reference,
) -> list[str]:
    assert reference.trial is not None
    repeated = _duplicates(table, whose, trials, part, trial)
    if repeated or trial.equals(reference.trial):
        return repeated
    lacking = reference.trial.filter(~reference.trial.is_in(trial.implode()))
    extra = trial.filter(~trial.is_in(reference.trial.implode()))
    others = _others(table)
    found = [
        f"{len(keys)} {word}, first {listed(map(quoted, keys.head(3)))}"
        for word, keys in (("missing", lacking), (f"not in the {others}", extra))
        if len(keys)
    ]
    return [f"{whose} in {trials.words}: its trials differ from those of the {others}: {'; '.join(found)}"]


def _disagreements(
    table: TrialTable,
    whose: str,
    trials: TrialSet,
    part: pl.DataFrame,
    order: IntArray,
    reference: Reference,
) -> list[str]:
    assert reference.trial is not None
    faults = []
    pairs = [("label", part["label"].to_numpy()[order] != reference.label)]
    pairs += [
        (name, (part[name].gather(order) != theirs).to_numpy()) for name, theirs in reference.shared.items()
    ]
    for name, differs in pairs:
        if differs.any():
            first = listed(map(quoted, reference.trial.filter(pl.Series(differs)).head(3)))
            faults.append(
                f"{table.spec.called(name)}: {int(differs.sum())} trials of {whose} in {trials.words}"
                f" disagree with the {_others(table)}; first {first}"
            )
    return faults
