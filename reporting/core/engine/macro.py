"""Means over the values of a column: these are the units, a sample of many values."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.base.codes import Flag, Status
from reporting.base.records import dataclass, replace
from reporting.core.counts.ranks import cuts_of_group
from reporting.core.engine.model_runs import have_runs
from reporting.core.engine.operations import JudgedModel, asked_criteria
from reporting.core.engine.partition import Partition, finite_values
from reporting.core.engine.parts import Part
from reporting.core.engine.sample import Question
from reporting.core.engine.study import Study
from reporting.core.engine.values import value_over
from reporting.core.resampling.design import Design
from reporting.core.resampling.draws import streams
from reporting.core.resampling.estimate import ModelInterval, estimate_by
from reporting.core.resampling.margins import of_identical
from reporting.core.resampling.paired import PairedDifference, compare_by_error
from reporting.core.resampling.settings import Estimand
from reporting.core.resampling.units import FEW_CLUSTERS
from reporting.errors import ConfigError


@dataclass(frozen=True, eq=False)
class MacroMean:
    """The mean of a measure of one model, or of its difference from another, over the values of a column.

    Values where it is undefined are left out: a difference has those that both models have, and is not always
    that of the two means.
    """

    question: Question
    values: FloatArray
    """On the trials of every value of the column, shape (values,); NaN where undefined."""
    names: tuple[str, ...]
    """What keys the streams from which values are drawn."""
    study: Study

    def __sub__(self, other: MacroMean) -> MacroMean:
        return replace(self, values=self.values - other.values)

    @cached_property
    def defined(self) -> FloatArray:
        """The values that enter the mean."""
        return self.values[~np.isnan(self.values)]

    @property
    def n(self) -> int:
        """How many values enter the mean."""
        return len(self.defined)

    @property
    def point(self) -> float:
        """The mean; NaN where no value is defined."""
        return float(self.defined.mean()) if self.n else math.nan

    @property
    def status(self) -> Status | None:
        """Why there is no mean; None where there is one."""
        return None if self.n else "degenerate"

    @property
    def estimand(self) -> Estimand | None:
        """Thresholds are given; None where no threshold is involved."""
        return None if self.question.criterion is None else "given_thresholds"

    @property
    def alike(self) -> bool:
        """Whether values are all equal, or there is only one: resamples of them say nothing."""
        return self.n > 0 and bool(self.defined.min() == self.defined.max())

    @property
    def design(self) -> Design:
        """Values are the units: Student's t over them."""
        flags: list[Flag] = ["few_clusters"] if self.n < FEW_CLUSTERS else []
        flags += ["undefined_left_out"] if self.n < len(self.values) else []
        return Design(self.study.inference.level, self.n - 1, 1.0, "cluster", self.n, tuple(flags))

    @cached_property
    def replicates(self) -> FloatArray:
        """The mean over as many drawn values as are defined, in every resample: shape (M,)."""
        settings = self.study.inference
        every = streams(settings.replicates, settings.seed, "macro", *self.names, self.n)
        drawn = (random.integers(0, self.n, (size, self.n)) for random, size in every)
        return np.concatenate([self.defined[rows].mean(axis=1) for rows in drawn])

    def interval(self) -> ModelInterval:
        """Return the percentile interval of drawn values."""
        if self.alike:
            return ModelInterval(withheld="values_alike")
        return estimate_by("percentile", self.point, self.replicates, self.design.level, self.n)

    def tested(self) -> PairedDifference:
        """Return a mean of differences with Student's t over the values, and the p of their draws."""
        if self.status:
            return PairedDifference(math.nan, status=self.status)
        se = float(np.std(self.defined, ddof=1)) / math.sqrt(self.n) if self.n > 1 else 0.0
        plain = PairedDifference(self.point, se, self.n - 1)
        alike, level = not self.defined.any(), self.design.level
        compared = compare_by_error(plain, self.replicates, level, alike=alike)
        return of_identical(compared, self.step, level).flagged(*self.design.flags)

    @property
    def step(self) -> float | None:
        """How far one more value moves the mean, at most; None of a measure without bounds."""
        low, high = self.question.measure.bounds
        return (high - low) / self.n if math.isfinite(high - low) else None


@dataclass(frozen=True, eq=False)
class Macro:
    """The means of a dataset: every question by model. One without a threshold has no mean at one."""

    group: str
    means: dict[Question, dict[str, MacroMean]]


def macro_of(part: Part, study: Study) -> Macro:
    """Return the macro means of a whole dataset; none of a group, and where the study asks for none."""
    column = study.averaged_over
    if column is None or part.group:
        return Macro("", {})
    if have_runs(part.models):
        raise ConfigError("averaged_over: means over a column are not supported with several runs of a model")
    every, names = Partition.of(part.ranks, (column,)), (part.dataset, "test", column)
    means: dict[Question, dict[str, MacroMean]] = {}
    for measure in study.measures:
        for criterion in asked_criteria(study) if measure.over == "threshold" else (None,):
            question = Question(measure, criterion)
            means[question] = {
                model.key.model: MacroMean(question, values, names, study)
                for model in part.models
                for values in values_by_member(model, part, every, question)
            }
    return Macro(f"mean({column})", means)


def values_by_member(
    model: JudgedModel, part: Part, every: Partition, question: Question
) -> Iterator[FloatArray]:
    """Yield a measure in every member, shape (P,), NaN where undefined; nothing without a threshold."""
    measure, ranks, operation = question.measure, part.ranks, question.operation(model)
    if operation is not None:
        accepted = model.binned(operation.name).accepted()
        yield finite_values(every.counts(accepted, ranks.label, ranks.weight), measure)[0]
    elif question.criterion is None:
        by_value = (cuts_of_group(model.test, model.rank, ranks, those)[0] for those in every.members)
        values = np.array([value_over(measure, cuts, model.scaling).number for cuts in by_value])
        yield np.where(np.isfinite(values), values, np.nan)
