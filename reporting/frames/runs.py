"""The mean over the runs of a model: rows of ``metrics`` and ``epc`` under the run ``mean``.

Replicates share their trials over all runs. Where runs are seeds, an interval speaks of these very runs on
other trials; where they are readers, readers are drawn too, and it speaks of other readers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from reporting.criteria.criterion import Criterion
from reporting.engine.model_runs import ModelRuns, have_runs, teams
from reporting.engine.operations import JudgedModel, alphas
from reporting.engine.resampling import Resampling
from reporting.engine.study import Study
from reporting.engine.values import along_alphas, defined, status_of, value_at, values_at
from reporting.frames.epc import limits_along
from reporting.measures.measure import Measure
from reporting.significance.estimate import estimate_by
from reporting.stats.staircase import FloatArray

FEW_READERS = 5


def mean_metrics(models: list[JudgedModel], drawn: Resampling, study: Study) -> Iterator[dict[str, Any]]:
    """Yield the mean of every measure over the runs of each model, where any model has several."""
    for team in teams(models) if have_runs(models) else ():
        for measure in study.measures:
            if measure.over != "threshold":
                yield _sweep_row(team, measure, drawn, study)
                continue
            for criterion in study.criteria:
                if criterion in team.first.single:
                    yield _row_at(team, measure, criterion, drawn, study)


def _sweep_row(team: ModelRuns, measure: Measure, drawn: Resampling, study: Study) -> dict[str, Any]:
    values = [run.value(measure) for run in team.runs]
    number = float(np.mean([value.number for value in values]))
    status = next((value.status for value in values if value.status), None)
    row = _row(team, measure, number, study) | {"status": status}
    if not math.isfinite(number):
        return row
    replicates = team.mean([drawn.sweeps[run.id][measure] for run in team.runs], study)
    found = row | _interval(number, replicates, drawn, study)
    return found | {"flags": sorted({*found["flags"], *drawn.sweep_flags(measure, *team.runs)})}


def _row_at(
    team: ModelRuns, measure: Measure, criterion: Criterion, drawn: Resampling, study: Study
) -> dict[str, Any]:
    operations = [(run, run.single[criterion]) for run in team.runs]
    values = [value_at(measure, operation.test, 0, run.test) for run, operation in operations]
    number = float(np.mean(values))
    estimand = drawn.estimand(*operations[0], study.inference.intervals)
    row = _row(team, measure, number, study) | {
        "criterion": str(criterion),
        "threshold_source": operations[0][1].chosen.source,
        "inference": estimand,
        "status": status_of(number, *team.first.test.trials),
    }
    if not math.isfinite(number):
        return row
    by_run = [
        drawn.by_weights(run, operation, estimand).values(measure)[:, 0] for run, operation in operations
    ]
    return row | _interval(number, team.mean(by_run, study), drawn, study)


def _row(team: ModelRuns, measure: Measure, number: float, study: Study) -> dict[str, Any]:
    n_target, n_nontarget = team.first.test.trials
    few = study.runs == "reader" and len(team.runs) < FEW_READERS
    return {
        **team.mean_key._asdict(),
        "measure": str(measure),
        "value": defined(number),
        "n_target": n_target,
        "n_nontarget": n_nontarget,
        "flags": ["few_readers"] if few else [],
    }


def _interval(value: float, replicates: FloatArray, drawn: Resampling, study: Study) -> dict[str, Any]:
    settings = study.inference
    made = estimate_by(settings.interval, value, replicates, settings.level, drawn.units.n_units)
    if made.method is None:
        return {}
    return {
        "ci_low": made.low,
        "ci_high": made.high,
        "level": study.inference.level,
        "ci_method": made.method,
        "unit": drawn.units.name,
        "n_units": drawn.units.n_units,
        "replicates": made.replicates,
    }


def mean_curves(models: list[JudgedModel], drawn: Resampling, study: Study) -> Iterator[dict[str, Any]]:
    """Yield the Expected Performance Curves of the means over runs, where any model has several."""
    for team in teams(models) if have_runs(models) else ():
        for criterion in team.first.along:
            for measure in study.epc.measures if study.epc else ():
                yield from _curve(team, criterion, measure, drawn, study)


def _curve(
    team: ModelRuns, criterion: Criterion, measure: Measure, drawn: Resampling, study: Study
) -> Iterator[dict[str, Any]]:
    alpha = alphas(study)
    along = along_alphas(measure, alpha)
    operations = [(run, run.along[criterion]) for run in team.runs]
    value = np.mean([values_at(measure, o.test, run.test, **along) for run, o in operations], axis=0)
    on_dev = [values_at(measure, o.dev, run.dev, **along) for run, o in operations if o.dev and run.dev]
    at_best = [values_at(measure, o.oracle, run.test, **along) for run, o in operations if o.oracle]
    estimand = drawn.estimand(*operations[0], study.inference.intervals)
    by_run = [drawn.by_weights(run, o, estimand).values(measure, **along) for run, o in operations]
    replicates = team.mean(by_run, study)
    limits = limits_along(value, replicates, drawn, study)
    for i, (a, limited) in enumerate(zip(alpha, limits, strict=True)):
        yield {
            **team.mean_key._asdict(),
            "criterion": str(criterion),
            "alpha": float(a),
            "measure": str(measure),
            "value": defined(value[i]),
            **limited,
            "value_dev": _mean_of(on_dev, i),
            "value_oracle": _mean_of(at_best, i),
            "inference": estimand,
            "status": status_of(value[i], *team.first.test.trials),
        }


def _mean_of(by_run: Sequence[FloatArray], i: int) -> float | None:
    return defined(float(np.mean([values[i] for values in by_run]))) if by_run else None
