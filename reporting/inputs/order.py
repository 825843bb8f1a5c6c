"""The canonical order of trials: by the UTF-8 bytes of their key, the same for every model.

The first run of the first model sets the reference; every other run of every model is brought into its
order and must hold the same trials with the same labels, clusters, strata and breakdowns. Where runs are
folds, the test trials of all folds are pooled, and the dev of each fold has an order of its own. Rules
that need keys are checked here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from reporting.base.arrays import BoolArray, FloatArray, IntArray, RankArray
from reporting.errors import DataError, listed, quoted, refuse, with_code
from reporting.inputs.blocks import MOST_ALONE, BlockArray, blocks_in, blocks_of
from reporting.inputs.design import TrialSet
from reporting.inputs.files import UNREADABLE, first_line
from reporting.inputs.folds import fold_codes, named_folds
from reporting.inputs.spec import ACROSS_FOLDS, BREAKDOWN, FOLD
from reporting.inputs.table import TrialTable
from reporting.inputs.values import Coded, coded, codes_of, digest_of


class ColumnDigests(NamedTuple):
    """Digests of a column of texts: in the order of the file, and in canonical order."""

    in_file: bytes
    in_order: bytes


@dataclass(frozen=True, eq=False)
class Reference:
    """A set of trials in canonical order, and the order they had in the file.

    Of keys and of what all models and runs must agree on only digests are kept, with codes: memory holds
    the texts of one model at a time.
    """

    digests: dict[str, ColumnDigests]
    """The trial key, if there is one, and what is ``shared``."""
    order: RankArray
    label: BoolArray
    shared: dict[str, Coded]
    """By our names: cluster, the second cluster of pair trials, stratum, fold and breakdowns."""
    weight: IntArray | None
    """The weight of every trial; None where all weigh the same."""
    fold: IntArray | None
    """The fold of every trial, 0 and up, where thresholds are chosen across folds or runs are folds."""
    block: BlockArray | None
    """The block of every trial; None where they have no keys, and are few enough to be drawn one by one."""


Rows = dict[tuple[str, TrialSet], pl.DataFrame]
"""The rows of one model by run and set of trials."""


def read_model(table: TrialTable, model: str) -> Rows:
    """Read all rows of one model, by run and set of trials, in file order."""
    columns = ["trial"] * table.has_trial + [*table.shared, "label", "score"]
    keys = ["run"] * table.several_runs
    places = (pl.col(name).cast(pl.Enum(table.tally[name].unique().sort())) for name in ("dataset", "split"))
    try:
        rows = table.rows_of(model).select(*keys, *places, *columns).collect()
    except UNREADABLE as error:
        raise DataError(f"model {quoted(model)}: its rows cannot be read: {first_line(error)}") from None
    by_run = rows.partition_by("run", as_dict=True) if table.several_runs else {}
    parts = {}
    for run, trials in table.parts_of(model):
        mine = by_run.get((run,), rows.clear()) if table.several_runs else rows
        inside = (pl.col("dataset") == trials.dataset) & (pl.col("split") == trials.split)
        parts[run, trials] = mine.filter(inside).select(columns)
    return parts


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
        order = _canonical(part)
        trial = part["trial"].gather(order) if table.has_trial else None
        if trial is not None:
            faults += with_code("TR606", _duplicates(table, whose, trials, part, trial))
        label = part["label"].to_numpy()[order]
        broken = _emptiness(table, (model, run), trials, label)
        faults += with_code("TR608", broken)
        if broken:
            continue
        shared = {name: coded(part[name].gather(order)) for name in table.shared}
        digests = {
            name: ColumnDigests(digest_of(part[name]), digest_of(part[name].gather(order)))
            for name in part.columns
            if name not in ("label", "score")
        }
        fold = _fold(table, trials, label, shared, trial)
        weight, block = _weight(table, shared), _block(table, trial, len(label))
        references[trials] = Reference(digests, order, label, shared, weight, fold, block)
    refuse(faults)
    return references


def _whose(table: TrialTable, model: str, run: str) -> str:
    """Name a model in a message, and its run where others occur; a fold is named with its trials."""
    names_run = table.several_runs and not table.has_folds
    return f"model {quoted(model)}" + (f", run {quoted(run)}" if names_run else "")


def _weight(table: TrialTable, shared: dict[str, Coded]) -> IntArray | None:
    weights = table.spec.weights
    if set(weights.values()) <= {0, 1}:
        return None
    stratum = shared["stratum"]
    return np.array([weights[name] for name in stratum.names], dtype=np.int64)[stratum.code]


def _fold(
    table: TrialTable, trials: TrialSet, label: BoolArray, shared: dict[str, Coded], trial: pl.Series | None
) -> IntArray | None:
    if table.spec.thresholds.policy in ACROSS_FOLDS:
        cluster, column = shared.get("cluster"), table.spec.thresholds.column
        if column is not None:
            return named_folds(table.spec, trials.place, label, shared[BREAKDOWN + column], cluster)
        return fold_codes(table.spec, trials.place, label, cluster, trial)
    if table.has_folds and trials.split == "test":
        return shared[FOLD].code.astype(np.int64)
    return None


def _block(table: TrialTable, trial: pl.Series | None, n: int) -> BlockArray | None:
    """Return the block of every trial by its key, or as counted; without keys by place in canonical order."""
    if trial is not None:
        counted = table.bundle is not None and table.bundle.about.blocks
        return blocks_in(trial) if counted else blocks_of(trial)
    return None if n <= MOST_ALONE else blocks_of(map(str, range(n)))


def _canonical(part: pl.DataFrame) -> RankArray:
    """The permutation into canonical order; without keys that is by label, then score."""
    if "trial" not in part.columns:
        score, label = part["score"].to_numpy() + 0.0, part["label"].to_numpy()
        return np.lexsort((score, label)).astype(np.uint32)
    return part["trial"].arg_sort().cast(pl.UInt32).to_numpy()


def _duplicates(
    table: TrialTable, whose: str, trials: TrialSet, part: pl.DataFrame, trial: pl.Series
) -> list[str]:
    """Keys that repeat among the sorted ones; of pooled folds, those that occur in several come first."""
    again = trial.filter(trial.eq(trial.shift(1)).fill_null(False))
    if again.is_empty():
        return []
    if FOLD in part.columns:
        apart = part.group_by("trial").agg(pl.col(FOLD).unique().sort()).filter(pl.col(FOLD).list.len() > 1)
        for first, folds in apart.sort("trial").head(1).iter_rows():
            return [
                f"{table.spec.called(FOLD)}: {len(apart)} trials of {whose} in {trials.words} occur in more"
                f" than one fold; first {quoted(first)}, in {listed(map(quoted, folds))}"
            ]
    keys = again.unique(maintain_order=True)
    # A column that repeats need not be the key, where nothing else needs one.
    is_idle = table.spec.layout in ("long", "wide") and not table.shared
    idle = "; if the column names something else, write trial: none in trials.columns" if is_idle else ""
    several = f"{len(keys)} keys occur" if len(keys) > 1 else "one key occurs"
    return [
        f"{table.spec.called('trial')}: {several} more than once for {whose} in {trials.words}:"
        f" {listed(map(quoted, keys), 3)}{idle}"
    ]


def _emptiness(table: TrialTable, of: tuple[str, str], trials: TrialSet, label: BoolArray) -> list[str]:
    if len(label) == 0:
        model, run = of
        dataset, split = trials.place
        tally = table.tally.filter(model=model, run=run, dataset=dataset, split=split)
        read = tally["rows_read"].sum()
        why = "none is left after dropping" if read else "the table has none"
        if read:
            why = _by_weight(table, trials) or why
        return [f"{_whose(table, model, run)} has no rows in {trials.words}: {why}"]
    if trials.split != "dev":
        return []
    classes = (("targets", True), ("non-targets", False))
    lacking = [(word, which) for word, which in classes if not (label == which).any()]
    causes = [_by_weight(table, trials, which) for _, which in lacking]
    return [
        f"{trials.words}: no {word}{cause and ' left: ' + cause}; a threshold cannot be chosen there"
        for (word, _), cause in zip(lacking, causes, strict=True)
    ]


def _by_weight(table: TrialTable, trials: TrialSet, label: bool | None = None) -> str:
    """Blame the weights that leave trials out."""
    strata = table.weighted_nought(trials, label)
    if strata and table.spec.row_weights:
        return f"{table.spec.called('stratum')} is 0 in each row"
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
        key = reference.digests.get("trial")
        if key is None:
            order = _canonical(part)
            broken = _other_numbers(table, whose, trials, part, reference)
        elif digest_of(part["trial"]) == key.in_file:
            order = reference.order  # the common case: models in one file order need no second sort
            broken = []
        else:
            order = _canonical(part)
            broken = _other_trials(table, whose, trials, part, part["trial"].gather(order), reference)
        faults += with_code("TR607", broken)
        if broken:
            continue
        if key is not None:
            faults += with_code("TR607", _disagreements(table, whose, trials, part, order, reference))
        aligned[run, trials] = part["score"].to_numpy()[order]
    refuse(faults)
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
    repeated = _duplicates(table, whose, trials, part, trial)
    if repeated or digest_of(trial) == reference.digests["trial"].in_order:
        return repeated
    rows = read_model(table, table.models[0])
    theirs = next(keys["trial"].sort() for (_, each), keys in rows.items() if each == trials)
    lacking = theirs.filter(~theirs.is_in(trial.implode()))
    extra = trial.filter(~trial.is_in(theirs.implode()))
    others = _others(table)
    differences = [
        f"{len(keys)} {word}, first {listed(map(quoted, keys.head(3)))}"
        for word, keys in (("missing", lacking), (f"not in the {others}", extra))
        if len(keys)
    ]
    return [
        f"{whose} in {trials.words}: its trials differ from those of the {others}: {'; '.join(differences)}"
    ]


def _disagreements(
    table: TrialTable,
    whose: str,
    trials: TrialSet,
    part: pl.DataFrame,
    order: RankArray,
    reference: Reference,
) -> list[str]:
    differing = {"label": part["label"].to_numpy()[order] != reference.label}
    in_file = order is reference.order
    for name, theirs in reference.shared.items():
        digests = reference.digests[name]
        column = part[name] if in_file else part[name].gather(order)
        if digest_of(column) != (digests.in_file if in_file else digests.in_order):
            ours = codes_of(
                part[name].gather(order), pl.concat([theirs.names, part[name]]).unique(maintain_order=True)
            )
            differing[name] = ours != theirs.code
    trial = part["trial"].gather(order)
    return [
        f"{table.spec.called(name)}: {int(differs.sum())} trials of {whose} in {trials.words}"
        f" disagree with the {_others(table)};"
        f" first {listed(map(quoted, trial.filter(pl.Series(differs)).head(3)))}"
        for name, differs in differing.items()
        if differs.any()
    ]
