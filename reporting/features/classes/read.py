"""The scores of every class, read by the rules of the trials themselves, with the class of each trial."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.records import dataclass, replace
from reporting.core.counts.count import Counts, count_trials
from reporting.core.counts.cuts import Key
from reporting.core.counts.ranks import Ranks, ranks_of_group
from reporting.core.engine.partition import Partition
from reporting.core.engine.study import Study
from reporting.document.frames.judged import JudgedRun
from reporting.errors import DataError, listed, quoted, repeated
from reporting.features.classes.keys import CLASSES_KEY
from reporting.inputs.table import read_trials


class ModelRun(NamedTuple):
    """A run of a model."""

    model: str
    run: str


@dataclass(frozen=True, eq=False)
class ClassTrials:
    """The test trials of a dataset with their classes: ``truth`` (shape (N,)) are places in ``labels``."""

    dataset: str
    labels: tuple[str, ...]
    ranks: Ranks
    truth: IntArray
    scores: dict[ModelRun, FloatArray]
    """Of every model and run, shape (N, K)."""
    group: str = ""
    """The name of a group of the trials of the dataset; empty for all."""

    def partitions(self, study: Study) -> Iterator[Partition]:
        """Yield the breakdowns, but of columns that describe targets or non-targets alone."""
        for columns in study.by:
            if not study.one_class_of(columns):
                yield Partition.of(self.ranks, columns, key="by")

    def groups(self, study: Study) -> Iterator[ClassTrials]:
        """Yield the groups of all breakdowns."""
        for partition in self.partitions(study):
            for name, members in zip(partition.names, partition.members, strict=True):
                yield self.among(members, name)

    def among(self, members: IntArray, group: str) -> ClassTrials:
        """Return some of the trials (their indices), by the name of their group."""
        scores = {run: score[members] for run, score in self.scores.items()}
        ranks = ranks_of_group(self.ranks, members, {})
        return replace(self, ranks=ranks, truth=self.truth[members], scores=scores, group=group)


def check_classes(run: JudgedRun) -> None:
    """Raise DataError where the key ``classes`` does not suit the trials."""
    class_trials(run)


def class_trials(run: JudgedRun) -> list[ClassTrials]:
    """Return the test trials of every dataset, each before its groups.

    DataError where they do not suit the key ``classes``.
    """
    plan, spec = CLASSES_KEY.of(run.study), run.table.spec
    assert plan is not None
    columns, label = plan.columns(run.table.models), spec.column("label")
    every = [column for of_model in columns.values() for column in of_model]
    if twice := repeated(every):
        raise DataError(
            f"classes.scores: column {quoted(twice[0])} would be the scores of two classes or models"
        )
    of_classes = replace(
        spec,
        scores={column: column for column in every} if spec.layout == "wide" else {},
        of_each_class=True,
        negated=frozenset(column for model in spec.negated for column in columns.get(model, ())),
        probabilities=frozenset(),
        attributes=tuple(dict.fromkeys((*spec.attributes, label))),
    )
    counts = count_trials(read_trials(of_classes), run.pool, run.counts.shelf, run.cache)
    if not all(ranks.paired for ranks in counts.ranks.values()):
        raise DataError("classes: a column that names the trials is needed (trials.columns.trial)")
    datasets = sorted(dataset for dataset, split in counts.ranks if split == "test")
    wholes = [_trials_of(dataset, counts, columns, label, plan.labels) for dataset in datasets]
    return [each for whole in wholes for each in (whole, *whole.groups(run.study))]


def _trials_of(
    dataset: str, counts: Counts, columns: dict[str, tuple[str, ...]], label: str, labels: tuple[str, ...]
) -> ClassTrials:
    ranks = counts.ranks[dataset, "test"]
    held = ranks.attributes[label]
    if unknown := [held.values[code] for code in np.unique(held.code) if held.values[code] not in labels]:
        shown = listed(list(map(quoted, unknown)))
        raise DataError(
            f"classes.labels: column {quoted(label)} also holds {shown}; name every label, with its columns"
            " of scores"
        )
    place = np.array([labels.index(value) if value in labels else -1 for value in held.values])
    scores = {}
    for model, of_classes in columns.items():
        for column, run in ranks.rank:
            if column == of_classes[0]:
                by_class = [
                    counts.cuts[Key(each, run, dataset, "test")].score[ranks.rank[each, run]]
                    for each in of_classes
                ]
                scores[ModelRun(model, run)] = np.stack(by_class, axis=1)
    return ClassTrials(dataset, labels, ranks, place[held.code], dict(sorted(scores.items())))
