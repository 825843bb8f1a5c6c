"""The primary measure of all models together: values, and replicates from draws that they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from reporting.engine.model_runs import ModelRuns, teams
from reporting.engine.operations import JudgedModel
from reporting.engine.resampling import Resampling
from reporting.engine.study import Study
from reporting.engine.values import value_at
from reporting.measures.measure import Measure
from reporting.significance.settings import Estimand
from reporting.stats.staircase import BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class JointValues:
    """The primary measure of K models on the trials themselves and in M replicates; of several runs the mean.

    Thresholds are chosen again only where they are for every model, else they are given for all.
    """

    model_runs: Sequence[ModelRuns]
    measure: Measure
    estimand: Estimand | None
    """None where no threshold is involved."""
    values: FloatArray
    """Shape (K,); NaN where undefined."""
    replicates: FloatArray
    """Shape (M, K); no rows where models share no draws, or no trials."""

    @property
    def shared(self) -> bool:
        """Whether there are replicates that all models share."""
        return len(self.replicates) > 0

    @cached_property
    def sound(self) -> BoolArray:
        """Which models have a value, on the trials themselves and in every replicate; shape (K,)."""
        return np.isfinite(self.values) & np.isfinite(self.replicates).all(axis=0)

    @cached_property
    def loss(self) -> FloatArray:
        """The values as numbers that are the lower the better; shape (K,)."""
        return badness(self.measure, self.values)

    @cached_property
    def losses(self) -> FloatArray:
        """The replicates as numbers that are the lower the better; shape (M, K)."""
        return badness(self.measure, self.replicates)


FEW_ERRORS = 10
"""Errors on dev at the fixed rate that sets thresholds, below which their resamples spread too little: max-T
excluded a truly best model in 8 to 9 % of runs, and separated equal ones in 7 % (nominal 5 %)."""


def few_errors_choose(model: JudgedModel, study: Study) -> bool:
    """Return whether the primary threshold is where a rate is fixed, and few errors of dev make that rate.

    It is fixed beforehand, by the criterion and the size of dev.
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

    Thresholds that few errors choose are taken as given, unless swap tests replace these replicates
    (``swappable``).
    """
    if not models or models[0].key.group:
        return None
    model_runs, measure, criterion = teams(models), study.primary.measure, study.primary.criterion
    if measure.over != "threshold":
        values = [float(np.mean([run.value(measure).number for run in team.runs])) for team in model_runs]
        swept = [_swept(team, measure, drawn, study) for team in model_runs] if drawn.ranks.paired else []
        return JointValues(model_runs, measure, None, np.array(values), _columns(swept, len(values)))
    if not all(team.has_threshold(criterion) for team in model_runs):
        return None
    by_team = [[(run, run.single[criterion]) for run in team.runs] for team in model_runs]
    values = [
        float(np.mean([value_at(measure, operation.test, 0, run.test) for run, operation in runs]))
        for runs in by_team
    ]
    wanted = study.inference.comparisons
    rechosen = all(drawn.estimand(*operated, wanted) == wanted for team in by_team for operated in team)
    steady = swappable or not few_errors_choose(model_runs[0].first, study)
    estimand: Estimand = wanted if rechosen and steady else "given_thresholds"
    each_its_own = estimand == "given_thresholds" and drawn.collapsed and not drawn.joint
    replicated = (
        team.mean([drawn.by_weights(*operated, estimand).values(measure)[:, 0] for operated in runs], study)
        for team, runs in zip(model_runs, by_team, strict=True)
    )
    # No replicates know thresholds that the judged trials chose across folds and that are held.
    across = any(operation.chosen.source == "cv" for runs in by_team for _, operation in runs)
    held = across and estimand == "given_thresholds"
    shared = [] if each_its_own or held or not drawn.ranks.paired else list(replicated)
    return JointValues(model_runs, measure, estimand, np.array(values), _columns(shared, len(values)))


def _columns(replicates: list[FloatArray], n_models: int) -> FloatArray:
    return np.column_stack(replicates) if replicates else np.empty((0, n_models))


def _swept(team: ModelRuns, measure: Measure, drawn: Resampling, study: Study) -> FloatArray:
    """The mean over the runs of a model; NaN where the measure is undefined on test."""
    unknown = np.full(study.inference.replicates, np.nan)
    return team.mean([drawn.sweeps[run.id].get(measure, unknown) for run in team.runs], study)


def badness(measure: Measure, values: FloatArray) -> FloatArray:
    """Return numbers that are the lower the better, as ``Measure.badness`` has them."""
    if measure.ideal is not None:
        return np.abs(values - measure.ideal)
    return values if measure.better == "lower" else -values
