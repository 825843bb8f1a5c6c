"""The canonical order of trials: by the UTF-8 bytes of their key, the same for every model.

The first model read sets the reference; every other model is brought into its order and must hold
the same trials with the same labels, clusters, strata and breakdowns. Rules that need keys are
checked here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from polars.exceptions import PolarsError

from reporting.errors import DataError, listed, quoted
from reporting.stats.staircase import BoolArray, FloatArray, IntArray
from reporting.trials.design import Place, in_words
from reporting.trials.files import first_line
from reporting.trials.folds import fold_codes
from reporting.trials.spec import ACROSS_FOLDS
from reporting.trials.table import TrialTable


@dataclass(frozen=True, eq=False)
class Reference:
    """The trials of one dataset and split in canonical order, and the order they had in the file.

    ``shared`` holds what all models must agree on: cluster, stratum and breakdowns, by our names.
    """

    in_file: pl.Series | None
    order: IntArray
    trial: pl.Series | None
    label: BoolArray
    shared: dict[str, pl.Series]
    weight: IntArray | None
    """The weight of every trial; None where all weigh the same."""
    fold: IntArray | None
    """The fold of every trial, 0 and up, where thresholds are chosen across folds."""


def read_model(table: TrialTable, model: str) -> dict[Place, pl.DataFrame]:
    """Read all rows of one model, split by dataset and split, in file order."""
    columns = ["trial"] * table.has_trial + [*table.shared, "label", "score"]
    try:
        rows = table.rows.filter(pl.col("model") == model).select("dataset", "split", *columns).collect()
    except (PolarsError, OSError) as error:
        raise DataError(f"model {quoted(model)}: its rows cannot be read: {first_line(error)}") from None
    return {
        (dataset, split): rows.filter((pl.col("dataset") == dataset) & (pl.col("split") == split)).select(
            columns
        )
        for dataset, split in table.parts
    }


def reference_of(table: TrialTable, model: str, rows: dict[Place, pl.DataFrame]) -> dict[Place, Reference]:
    """Make one model's trials the reference; DataError for duplicate keys or an empty class in dev."""
    faults: list[str] = []
    references = {}
    for place, part in rows.items():
        trial = part["trial"] if table.has_trial else None
        order = _canonical(part)
        sorted_trial = trial.gather(order) if trial is not None else None
        if sorted_trial is not None:
            faults += _duplicates(table, model, place, sorted_trial)
        label = part["label"].to_numpy()[order]
        faults += _emptiness(table, model, place, label)
        shared = {name: part[name].gather(order) for name in table.shared}
        weight = _weight(table, shared)
        references[place] = Reference(trial, order, sorted_trial, label, shared, weight, None)
    if faults:
        raise DataError(*faults)
    return _with_folds(table, references)


def _weight(table: TrialTable, shared: dict[str, pl.Series]) -> IntArray | None:
    weights = table.spec.weights
    if set(weights.values()) <= {0, 1}:
        return None
    return shared["stratum"].replace_strict(dict(weights), return_dtype=pl.Int64).to_numpy()


def _with_folds(table: TrialTable, references: dict[Place, Reference]) -> dict[Place, Reference]:
    if table.spec.policy not in ACROSS_FOLDS:
        return references
    return {
        place: replace(
            one, fold=fold_codes(table.spec, place, one.label, one.shared.get("cluster"), one.trial)
        )
        for place, one in references.items()
    }


def _canonical(part: pl.DataFrame) -> IntArray:
    """The permutation into canonical order; without keys that is by label, then score."""
    if "trial" not in part.columns:
        score, label = part["score"].to_numpy() + 0.0, part["label"].to_numpy()
        return np.lexsort((score, label)).astype(np.int64)
    return part["trial"].arg_sort().cast(pl.Int64).to_numpy()


def _duplicates(table: TrialTable, model: str, place: Place, trial: pl.Series) -> list[str]:
    again = trial.filter(trial.eq(trial.shift(1)).fill_null(False))
    if again.is_empty():
        return []
    first = listed(map(quoted, again.unique(maintain_order=True).head(3)))
    return [
        f"{table.spec.called('trial')}: {len(again)} duplicate keys of model {quoted(model)} in"
        f" {in_words(place)}; first {first}"
    ]


def _emptiness(table: TrialTable, model: str, place: Place, label: BoolArray) -> list[str]:
    if len(label) == 0:
        dataset, split = place
        read = table.tally.filter(model=model, dataset=dataset, split=split)["rows_read"].sum()
        why = "none is left after dropping" if read else "the table has none"
        if read:
            why = _by_weight(table.weighted_nought(place)) or why
        return [f"model {quoted(model)} has no rows in {in_words(place)}: {why}"]
    if place[1] != "dev":
        return []
    classes = (("targets", True), ("non-targets", False))
    lacking = [(word, which) for word, which in classes if not (label == which).any()]
    causes = [_by_weight(table.weighted_nought(place, which)) for _, which in lacking]
    return [
        f"{in_words(place)}: no {word}{cause and ' left: ' + cause}; a threshold cannot be chosen there"
        for (word, _), cause in zip(lacking, causes, strict=True)
    ]


def _by_weight(strata: list[str]) -> str:
    """Blame the weights that leave strata out."""
    return f"trials.weights leaves out stratum {listed(map(quoted, strata))} (weight 0)" if strata else ""


def align(
    table: TrialTable, model: str, rows: dict[Place, pl.DataFrame], references: dict[Place, Reference]
) -> dict[Place, FloatArray]:
    """Return one model's scores in the reference order; their labels are then the reference's.

    DataError where its keys repeat, its trial set differs, or labels or what is shared disagree.
    """
    faults: list[str] = []
    aligned = {}
    for place, part in rows.items():
        reference = references[place]
        if reference.in_file is None:
            order = _canonical(part)
            broken = _other_numbers(model, place, part, reference)
        elif part["trial"].equals(reference.in_file):
            order = reference.order  # the common case: models in one file order need no second sort
            broken = []
        else:
            order = _canonical(part)
            broken = _other_trials(table, model, place, part["trial"].gather(order), reference)
        faults += broken
        if broken:
            continue
        if reference.trial is not None:
            faults += _disagreements(table, model, place, part, order, reference)
        aligned[place] = part["score"].to_numpy()[order]
    if faults:
        raise DataError(*faults)
    return aligned


def _other_numbers(model: str, place: Place, part: pl.DataFrame, reference: Reference) -> list[str]:
    (ours, n), (theirs, m) = ((int(y.sum()), len(y)) for y in (part["label"], reference.label))
    if (ours, n) == (theirs, m):
        return []
    return [
        f"model {quoted(model)} in {in_words(place)}: {ours} targets and {n - ours} non-targets, where the"
        f" other models have {theirs} and {m - theirs}; without a trial key the numbers must agree"
    ]


def _other_trials(
    table: TrialTable, model: str, place: Place, trial: pl.Series, reference: Reference
) -> list[str]:
    assert reference.trial is not None
    repeated = _duplicates(table, model, place, trial)
    if repeated or trial.equals(reference.trial):
        return repeated
    lacking = reference.trial.filter(~reference.trial.is_in(trial.implode()))
    extra = trial.filter(~trial.is_in(reference.trial.implode()))
    found = [
        f"{len(keys)} {word}, first {listed(map(quoted, keys.head(3)))}"
        for word, keys in (("missing", lacking), ("not in the other models", extra))
        if len(keys)
    ]
    return [
        f"model {quoted(model)} in {in_words(place)}: its trials differ from those of the other models:"
        f" {'; '.join(found)}"
    ]


def _disagreements(
    table: TrialTable, model: str, place: Place, part: pl.DataFrame, order: IntArray, reference: Reference
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
                f"{table.spec.called(name)}: {int(differs.sum())} trials of model"
                f" {quoted(model)} in {in_words(place)} disagree with the other models; first {first}"
            )
    return faults
