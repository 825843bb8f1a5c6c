"""The canonical order of trials: by the UTF-8 bytes of their key, the same for every model.

The first run of the first model sets the reference; every other run of every model is brought into its
order and must hold the same trials with the same labels, clusters, strata and breakdowns. Where runs are
folds, the test trials of all folds are pooled, and the dev of each fold has an order of its own. Rules
that need keys are checked here.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl

from reporting.base.arrays import BoolArray, FloatArray, IntArray, RankArray
from reporting.base.legible import counted
from reporting.base.records import dataclass, replace
from reporting.errors import DataError, listed, quoted, refuse, with_code
from reporting.inputs.blocks import MOST_ALONE, BlockArray, blocks_in, blocks_of
from reporting.inputs.design import TrialSet
from reporting.inputs.files import UNREADABLE, first_line
from reporting.inputs.folds import fold_codes, named_folds
from reporting.inputs.sampling import strata_of
from reporting.inputs.spec import ACROSS_FOLDS, BREAKDOWN, FOLD
from reporting.inputs.strata import Strata
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
    """By our names: cluster, the second cluster of pair trials, strata, fold and breakdowns."""
    weight: IntArray | None
    """The weight of every trial; None where all weigh the same."""
    fold: IntArray | None
    """The fold of every trial, 0 and up, where thresholds are chosen across folds or runs are folds."""
    block: BlockArray | None
    """The block of every trial; None where they have no keys, and are few enough to be drawn one by one."""
    strata: Strata | None = None
    """The strata of the sampling design; None without any. Each trial then has a weight, be it 1."""


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


@dataclass(frozen=True, eq=False)
class RunRows:
    """The rows of one run of a model in one set of trials, in file order, and what they break."""

    table: TrialTable
    model: str
    run: str
    trials: TrialSet
    rows: pl.DataFrame

    @cached_property
    def order(self) -> RankArray:
        """The permutation into canonical order; without keys that is by label, then score."""
        if "trial" in self.rows.columns:
            return self.rows["trial"].arg_sort().cast(pl.UInt32).to_numpy()
        score, label = self.rows["score"].to_numpy() + 0.0, self.rows["label"].to_numpy()
        return np.lexsort((score, label)).astype(np.uint32)

    @property
    def whose(self) -> str:
        """The model in a message, and its run where others occur; a fold is named with its trials."""
        names_run = self.table.several_runs and not self.table.has_folds
        return f"model {quoted(self.model)}" + (f", run {quoted(self.run)}" if names_run else "")

    def _trials(self, n: int, single: str, several: str) -> str:
        """Say what so many of its trials do: ``1 trial of model 'a' in split test occurs``."""
        whose = f"of {self.whose} in {self.trials.words}"
        return counted(n, f"trial {whose} {single}", f"trials {whose} {several}")

    @property
    def others(self) -> str:
        """What a run must agree with, in a message."""
        all_runs = self.table.several_runs and not self.table.has_folds
        return "other models and runs" if all_runs else "other models"

    def duplicates(self, trial: pl.Series) -> list[str]:
        """Name keys that repeat among the sorted ones; of pooled folds those that occur in several first."""
        again, spec = trial.filter(trial.eq(trial.shift(1)).fill_null(False)), self.table.spec
        if again.is_empty():
            return []
        if FOLD in self.rows.columns:
            by_trial = self.rows.group_by("trial").agg(pl.col(FOLD).unique().sort())
            apart = by_trial.filter(pl.col(FOLD).list.len() > 1)
            for first, folds in apart.sort("trial").head(1).iter_rows():
                return [
                    f"{spec.called(FOLD)}: {self._trials(len(apart), 'occurs', 'occur')}"
                    f" in more than one fold; first {quoted(first)}, in {listed(map(quoted, folds))}"
                ]
        keys = again.unique(maintain_order=True)
        if spec.runs == "epoch":
            shared = listed(map(spec.called, (*["label"] * spec.has_labels, *self.table.shared)))
            return [
                f"{self.whose} in {self.trials.words}: rows of one item differ in what all its epochs share"
                f" ({shared}); first {listed(map(quoted, keys.head(3)))}"
            ]
        # A column that repeats need not be the key, where nothing else needs one.
        is_idle = spec.layout in ("long", "wide") and not self.table.shared
        idle = "; if the column names something else, write trial: none in trials.columns" if is_idle else ""
        several = f"{len(keys)} keys occur" if len(keys) > 1 else "one key occurs"
        return [
            f"{spec.called('trial')}: {several} more than once for {self.whose} in {self.trials.words}:"
            f" {listed(map(quoted, keys), 3)}{idle}"
        ]

    def emptiness(self, label: BoolArray) -> list[str]:
        """Say that there are no rows, or on the development set none of a class."""
        if len(label) == 0:
            dataset, split = self.trials.place
            tally = self.table.tally.filter(model=self.model, run=self.run, dataset=dataset, split=split)
            why = "the table has none"
            if tally["rows_read"].sum():
                why = self._by_weight() or "none is left after dropping"
            return [f"{self.whose} has no rows in {self.trials.words}: {why}"]
        faults = []
        for word, which in (("targets", True), ("non-targets", False)) if self.trials.split == "dev" else ():
            if not (label == which).any():
                cause = self._by_weight(which)
                faults.append(
                    f"{self.trials.words}: no {word}{cause and ' left: ' + cause}; a threshold cannot be"
                    " chosen there"
                )
        return faults

    def _by_weight(self, label: bool | None = None) -> str:
        """Blame the weights that leave trials out."""
        strata, spec = self.table.weighted_nought(self.trials, label), self.table.spec
        if strata and spec.row_weights:
            return f"{spec.called('stratum')} is 0 in each row"
        return f"trials.weights leaves out stratum {listed(map(quoted, strata))} (weight 0)" if strata else ""

    def other_numbers(self, reference: Reference) -> list[str]:
        """Compare the numbers of both classes, where trials have no keys."""
        (ours, n), (theirs, m) = ((int(y.sum()), len(y)) for y in (self.rows["label"], reference.label))
        if (ours, n) == (theirs, m):
            return []
        return [
            f"{self.whose} in {self.trials.words}: {counted(ours, 'target')} and"
            f" {counted(n - ours, 'non-target')}, where the"
            f" {self.others} have {theirs} and {m - theirs}; without a trial key the numbers must agree"
        ]

    def other_trials(self, reference: Reference) -> list[str]:
        """Compare the keys of trials, in canonical order."""
        trial = self.rows["trial"].gather(self.order)
        repeated = self.duplicates(trial)
        if repeated or digest_of(trial) == reference.digests["trial"].in_order:
            return repeated
        rows = read_model(self.table, self.table.models[0])
        theirs = next(keys["trial"].sort() for (_, each), keys in rows.items() if each == self.trials)
        lacking = theirs.filter(~theirs.is_in(trial.implode()))
        extra = trial.filter(~trial.is_in(theirs.implode()))
        differences = [
            f"{len(keys)} {word}, first {listed(map(quoted, keys.head(3)))}"
            for word, keys in (("missing", lacking), (f"not in the {self.others}", extra))
            if len(keys)
        ]
        spec = self.table.spec
        uneven = not spec.has_labels and spec.runs == "seed" and self.table.several_runs
        averaged = (
            "; of scores whose mean counts, trials.runs: epoch averages those of an item first" * uneven
        )
        return [
            f"{self.whose} in {self.trials.words}: its trials differ from those of the {self.others}:"
            f" {'; '.join(differences)}{averaged or self.in_common}"
        ]

    @property
    def in_common(self) -> str:
        """How to compare the trials that all have, where rows show which these are."""
        of_rows = self.table.spec.runs != "fold" and self.table.bundle is None
        return "; trials.missing: shared compares the trials that all have" * of_rows

    def disagreements(self, order: RankArray, reference: Reference) -> list[str]:
        """Compare labels and what is shared, of the same trials in an order of the rows."""
        differing = {"label": self.rows["label"].to_numpy()[order] != reference.label}
        in_file = order is reference.order
        for name, theirs in reference.shared.items():
            digests = reference.digests[name]
            column = self.rows[name] if in_file else self.rows[name].gather(order)
            if digest_of(column) != (digests.in_file if in_file else digests.in_order):
                names = pl.concat([theirs.names, self.rows[name]]).unique(maintain_order=True)
                differing[name] = codes_of(self.rows[name].gather(order), names) != theirs.code
        trial = self.rows["trial"].gather(order)
        return [
            f"{self.table.spec.called(name)}: {self._trials(int(differs.sum()), 'disagrees', 'disagree')}"
            f" with the {self.others};"
            f" first {listed(map(quoted, trial.filter(pl.Series(differs)).head(3)))}"
            for name, differs in differing.items()
            if differs.any()
        ]


def reference_of(table: TrialTable, model: str, rows: Rows) -> dict[TrialSet, Reference]:
    """Make the trials of a model's first run the reference of each set.

    DataError for duplicate keys and for an empty class in dev.
    """
    faults: list[str] = []
    references: dict[TrialSet, Reference] = {}
    for (run, trials), part in rows.items():
        if trials in references:
            continue
        mine = RunRows(table, model, run, trials, part)
        trial = part["trial"].gather(mine.order) if table.has_trial else None
        if trial is not None:
            faults += with_code("TR606", mine.duplicates(trial))
        label = part["label"].to_numpy()[mine.order]
        broken = mine.emptiness(label)
        faults += with_code("TR608", broken)
        if broken:
            continue
        shared = {name: coded(part[name].gather(mine.order)) for name in table.shared}
        digests = {
            name: ColumnDigests(digest_of(part[name]), digest_of(part[name].gather(mine.order)))
            for name in part.columns
            if name not in ("label", "score")
        }
        fold = _fold(table, trials, label, shared, trial)
        weight, block = _weight(table, shared), _block(table, trial, len(label))
        references[trials] = Reference(digests, mine.order, label, shared, weight, fold, block)
    refuse(faults)
    strata = strata_of(table.spec, {trials: of.shared for trials, of in references.items()})
    for trials, of_design in strata.items():
        weight = references[trials].weight
        weight = np.ones(len(of_design.code), dtype=np.int64) if weight is None else weight
        references[trials] = replace(references[trials], strata=of_design, weight=weight)
    return references


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


def align(
    table: TrialTable, model: str, rows: Rows, references: dict[TrialSet, Reference]
) -> dict[tuple[str, TrialSet], FloatArray]:
    """Return the scores of one model's runs in the reference order; their labels are then the reference's.

    DataError where keys of a run repeat, its trials differ, or labels or what is shared disagree.
    """
    faults: list[str] = []
    aligned = {}
    for (run, trials), part in rows.items():
        mine, reference = RunRows(table, model, run, trials, part), references[trials]
        key = reference.digests.get("trial")
        if key is not None and digest_of(part["trial"]) == key.in_file:
            order, broken = reference.order, list[str]()  # models in one file order need no second sort
        else:
            order = mine.order
            broken = mine.other_numbers(reference) if key is None else mine.other_trials(reference)
        faults += with_code("TR607", broken)
        if broken:
            continue
        if key is not None:
            faults += with_code("TR607", mine.disagreements(order, reference))
        aligned[run, trials] = part["score"].to_numpy()[order]
    refuse(faults)
    return aligned
