"""The primary measure of all models together: values, and resamples from draws that they share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray
from reporting.base.records import dataclass, replace
from reporting.core.engine.model_runs import models_with_runs
from reporting.core.engine.operations import JudgedModel
from reporting.core.engine.resampling import Resampling
from reporting.core.engine.sample import Sample, are_shared, common_estimand, primary_question, sample
from reporting.core.engine.study import Study
from reporting.core.measures.measure import Measure
from reporting.core.resampling.settings import Estimand


@dataclass(frozen=True, eq=False)
class JointValues:
    """The samples of the primary measure of K models, and resamples of draws that they share.

    Thresholds are re-selected only where they are for every model, else they are given for all.
    """

    samples: Sequence[Sample]
    replicates: FloatArray
    """Shape (M, K); no rows where models share no draws, or no trials."""

    @property
    def measure(self) -> Measure:
        """The measure."""
        return self.samples[0].measure

    @property
    def estimand(self) -> Estimand | None:
        """The estimand; None where no threshold is involved."""
        return self.samples[0].estimand

    @cached_property
    def values(self) -> FloatArray:
        """The values on the trials themselves, shape (K,); NaN where undefined."""
        return np.array([float(of.point[0]) for of in self.samples])

    @cached_property
    def sound(self) -> BoolArray:
        """Which models have a value, on the trials themselves and in every resample; shape (K,)."""
        return np.isfinite(self.values) & np.isfinite(self.replicates).all(axis=0)

    @cached_property
    def loss(self) -> FloatArray:
        """The values as numbers that are the lower the better; shape (K,)."""
        return self.measure.loss(self.values)

    @cached_property
    def losses(self) -> FloatArray:
        """The resamples as numbers that are the lower the better; shape (M, K)."""
        return self.measure.loss(self.replicates)


FEW_ERRORS = 10
"""Errors on development at the fixed rate that sets thresholds, below which their resamples spread too
little: max-T excluded a truly best model in 8 to 9% of runs, and separated equal ones in 7% (nominal 5%)."""


def few_errors_choose(model: JudgedModel, study: Study) -> bool:
    """Return whether the primary threshold fixes a rate, and few development errors make that rate.

    It is fixed beforehand, by the criterion and the size of the development set.
    """
    primary, dev = study.primary, model.dev
    fixed = primary.criterion.fixed_rate if primary.measure.over == "threshold" else None
    if fixed is None or dev is None:
        return False
    return fixed.rate * dev.trials[0 if fixed.of_targets else 1] < FEW_ERRORS


def joint_values(
    models: list[JudgedModel], drawn: Resampling, study: Study, *, swappable: bool = False
) -> JointValues | None:
    """Return the values of one dataset; None for groups, or where a model lacks the primary threshold.

    Thresholds that few errors choose are taken as given, unless swap tests replace these resamples
    (``swappable``).
    """
    if not models or models[0].key.group:
        return None
    systems, question = models_with_runs(models), primary_question(study)
    samples = [sample(system, question, drawn, study, shared=True) for system in systems]
    if question.criterion is not None:
        if not all(of.operations for of in samples):
            return None
        steady = swappable or not few_errors_choose(systems[0].first, study)
        estimand: Estimand = common_estimand(samples) if steady else "given_thresholds"
        samples = [replace(of, estimand=estimand) for of in samples]
    shared = are_shared(samples)
    if not shared:
        return JointValues(samples, np.empty((0, len(samples))))
    together = [of.design.jointly(of.replicates, of.point) for of in samples]
    return JointValues(samples, np.column_stack(together))
