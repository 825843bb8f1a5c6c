"""The ``epc`` frame: the measure on test at the threshold chosen on dev, for every alpha."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from reporting.criteria.criterion import Criterion
from reporting.curves.epc import Operation
from reporting.engine.curve_limits import limits_along
from reporting.engine.model_runs import ModelRuns
from reporting.engine.operations import JudgedModel, alphas
from reporting.engine.resampling import Resampling
from reporting.engine.study import Study
from reporting.engine.values import along_alphas, defined, status_of, values_at
from reporting.frames.contract import KEY, Frame, KeyRow
from reporting.measures.measure import Measure


@dataclass(frozen=True, kw_only=True, slots=True)
class EpcRow(KeyRow):
    """A row of ``epc``."""

    criterion: Annotated[str, "what chose the threshold"]
    alpha: Annotated[float, "weight or aim of the criterion, from 0 to 1"]
    threshold: Annotated[float | None, "threshold, on the scale of the trial table; null without one"] = None
    measure: Annotated[str, "name of the measure with its parameters"]
    value: Annotated[float | None, "the measure; null where undefined"] = None
    ci_low: Annotated[float | None, "lower limit of the interval; null without one"] = None
    ci_high: Annotated[float | None, "upper limit of the interval; null without one"] = None
    band_low: Annotated[float | None, "lower simultaneous limit over all alphas; null without one"] = None
    band_high: Annotated[float | None, "upper simultaneous limit over all alphas; null without one"] = None
    value_dev: Annotated[
        float | None, "the measure on the development set at the same threshold; null without dev"
    ] = None
    value_oracle: Annotated[float | None, "the measure, thresholds chosen on test; null without one"] = None
    inference: Annotated[str | None, "procedure or given_thresholds; null without a threshold"] = None
    status: Annotated[str | None, "why the value is undefined; null where it is defined"] = None
    misses: Annotated[int | None, "rejected targets of test; null for a mean over runs"] = None
    false_alarms: Annotated[int | None, "accepted non-targets of test; null for a mean over runs"] = None
    misses_dev: Annotated[int | None, "rejected targets of the development set there; null without dev"] = (
        None
    )
    false_alarms_dev: Annotated[
        int | None, "accepted non-targets of the development set there; null without dev"
    ] = None


EPC = Frame("epc", EpcRow, (*KEY, "criterion", "measure", "alpha"))


def epc_rows(model: JudgedModel, drawn: Resampling, study: Study) -> Iterator[EpcRow]:
    """Yield the rows of one model on one dataset, for every criterion, measure and alpha."""
    for criterion, operation in model.along.items():
        for measure in study.epc.measures if study.epc else ():
            yield from _curve_rows(model, criterion, operation, measure, drawn, study)


def _curve_rows(
    model: JudgedModel,
    criterion: Criterion,
    operation: Operation,
    measure: Measure,
    drawn: Resampling,
    study: Study,
) -> Iterator[EpcRow]:
    alpha, threshold = alphas(study), operation.chosen.shared
    along = along_alphas(measure, alpha)
    value = values_at(measure, operation.test, model.test, **along)
    unknown = np.full(len(alpha), np.nan)
    on_dev, at_best = unknown, unknown
    if operation.dev is not None and model.dev is not None:
        on_dev = values_at(measure, operation.dev, model.dev, **along)
    if operation.oracle is not None:
        at_best = values_at(measure, operation.oracle, model.test, **along)
    limits = limits_along(ModelRuns((model,)), measure, operation.name, drawn, study)
    dev, test = operation.dev, operation.test
    for i, (a, limited) in enumerate(zip(alpha, limits, strict=True)):
        yield EpcRow(
            **model.key._asdict(),
            criterion=str(criterion),
            alpha=float(a),
            threshold=None if math.isnan(threshold[i]) else float(threshold[i]),
            measure=str(measure),
            value=defined(value[i]),
            **limited._asdict(),
            value_dev=defined(on_dev[i]),
            value_oracle=defined(at_best[i]),
            inference=drawn.of_interval(model, operation, study),
            status=status_of(value[i], *model.test.trials),
            misses=int(test.missed_trials[i]),
            false_alarms=int(test.false_alarm_trials[i]),
            misses_dev=None if dev is None else int(dev.missed_trials[i]),
            false_alarms_dev=None if dev is None else int(dev.false_alarm_trials[i]),
        )
