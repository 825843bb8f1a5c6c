"""A measure on the trials that one training was tested on: those of its fold."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from reporting.base.arrays import IntArray
from reporting.base.records import dataclass
from reporting.core.counts.cuts import Cuts
from reporting.core.counts.ranks import cuts_of_group
from reporting.core.engine.operations import JudgedModel, why_unplaced
from reporting.core.engine.parts import Part
from reporting.core.engine.sample import Question
from reporting.core.engine.study import Study
from reporting.core.engine.values import Value, status_of, value_over
from reporting.core.stats.confusion import trial_counts
from reporting.document.frames.judged import JudgedRun
from reporting.features.learning_procedures.keys import LEARNING_KEY
from reporting.inputs.folds import run_folds


class Fold(NamedTuple):
    """The test trials of one training."""

    run: str
    name: str
    members: IntArray
    training: int
    """How many trials it learnt from."""

    @property
    def trials(self) -> bytes:
        """What distinguishes the trials from those of other folds."""
        return self.members.tobytes()

    @property
    def ratio(self) -> float:
        """Test trials per training trial."""
        return len(self.members) / self.training


def folds_of(part: Part, judged: JudgedRun) -> list[Fold]:
    """Return the folds of all runs of a dataset, by run and name."""
    spec, value = judged.table.spec, LEARNING_KEY.of(judged.study)
    given = None if value is None else value.training
    named: dict[str, tuple[list[str], IntArray]] = {}
    if spec.run_folds is not None:
        for run, fold in run_folds(spec, judged.table.rows, part.dataset).items():
            named[run] = fold.names.to_list(), fold.code.astype(np.int64)
    elif part.ranks.fold is not None:
        column = judged.study.thresholds.column
        values = part.ranks.attributes[column].values if column else judged.counts.folds[part.dataset]
        named = {model.key.run: ([*values], part.ranks.fold) for model in part.models}
    folds = []
    for run, (names, code) in sorted(named.items()):
        for number, name in enumerate(names):
            members = np.flatnonzero(code == number)
            rest = len(code) - len(members)
            if len(members) and (given or rest):
                folds.append(Fold(run, name, members, given or rest))
    return folds


def straddling(part: Part, folds: list[Fold]) -> int:
    """Return how many clusters have trials in several folds of one run."""
    if part.ranks.unit_a is None:
        return 0
    torn: set[int] = set()
    for run in {fold.run for fold in folds}:
        within = [np.unique(part.ranks.unit_a[fold.members]) for fold in folds if fold.run == run]
        unit, times = np.unique(np.concatenate(within), return_counts=True)
        torn.update(unit[times > 1].tolist())
    return len(torn)


def questions(models: list[JudgedModel], study: Study) -> Iterator[Question]:
    """Yield every measure of the report, at each threshold that was set before the trials were seen."""
    for measure in study.measures:
        if measure.mixed:
            continue
        if measure.over != "threshold":
            yield Question(measure)
            continue
        for criterion in study.criteria:
            if not criterion.oracle and any(criterion in model.single for model in models):
                yield Question(measure, criterion)


@dataclass(frozen=True, eq=False)
class OnFold:
    """One run of a model on the trials of a fold."""

    model: JudgedModel
    fold: Fold

    @property
    def classes(self) -> tuple[int, int]:
        """Targets and non-targets of the fold."""
        label = self.model.ranks.label[self.fold.members]
        return int(label.sum()), int((~label).sum())

    @cached_property
    def cuts(self) -> Cuts:
        """The thresholds of the trials of the fold."""
        model = self.model
        return cuts_of_group(model.test, model.rank, model.ranks, self.fold.members)[0]

    def value(self, question: Question) -> Value:
        """Return a measure there; NaN with a status where it is undefined."""
        if question.criterion is None:
            return value_over(question.measure, self.cuts, self.model.scaling)
        operation, members = question.operation(self.model), self.fold.members
        if operation is None:
            return Value(math.nan, why_unplaced(question.criterion))
        ranks = self.model.ranks
        weight = None if ranks.weight is None else ranks.weight[members]
        accepted = self.model.binned(operation.name).accepted()[members]
        counts = trial_counts(ranks.label[members], accepted, weight)
        number = float(question.measure.formula(*counts, **question.measure.arguments))
        return Value(number, status_of(number, *self.classes))
