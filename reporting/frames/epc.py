"""The ``epc`` frame: the measure on test at the threshold chosen on dev, for every alpha."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from reporting.counts.cuts import Key
from reporting.engine.curve_limits import limits_along
from reporting.engine.model_runs import ModelRuns, have_runs, teams
from reporting.engine.operations import JudgedModel, alphas
from reporting.engine.resampling import Resampling
from reporting.engine.sample import Question, Sample, sample
from reporting.engine.study import Study
from reporting.engine.values import defined, values_at
from reporting.frames.contract import KEY, Frame, KeyRow
from reporting.stats.staircase import FloatArray


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


def epc_rows(models: list[JudgedModel], drawn: Resampling, study: Study) -> Iterator[EpcRow]:
    """Yield the curves of every run, and of the means over runs where any model has several."""
    systems = [(ModelRuns((run,)), run.key) for run in models]
    if have_runs(models):
        systems += [(team, team.mean_key) for team in teams(models)]
    for system, key in systems:
        for criterion in system.first.along:
            for measure in study.epc.measures if study.epc else ():
                question = Question(measure, criterion, along=True)
                yield from _curve_rows(sample(system, question, drawn, study), key)


def _curve_rows(of: Sample, key: Key) -> Iterator[EpcRow]:
    """Yield the rows of a curve; one of a mean over runs has no thresholds and errors of its own."""
    along, operations = of.along(), of.operations
    on_dev = [values_at(of.measure, o.dev, run.dev, **along) for run, o in operations if o.dev and run.dev]
    at_best = [values_at(of.measure, o.oracle, run.test, **along) for run, o in operations if o.oracle]
    (_, chosen), *_ = operations
    dev, test = chosen.dev, chosen.test
    for i, (alpha, limited) in enumerate(zip(alphas(of.study), limits_along(of), strict=True)):
        row = EpcRow(
            **key._asdict(),
            criterion=str(of.question.criterion),
            alpha=float(alpha),
            measure=str(of.measure),
            value=defined(of.point[i]),
            **limited._asdict(),
            value_dev=_mean_of(on_dev, i),
            value_oracle=_mean_of(at_best, i),
            inference=of.estimand,
            status=of.status(i),
        )
        if key != of.system.first.key:
            yield row
            continue
        threshold = float(chosen.chosen.shared[i])
        yield replace(
            row,
            threshold=None if math.isnan(threshold) else threshold,
            misses=int(test.missed_trials[i]),
            false_alarms=int(test.false_alarm_trials[i]),
            misses_dev=None if dev is None else int(dev.missed_trials[i]),
            false_alarms_dev=None if dev is None else int(dev.false_alarm_trials[i]),
        )


def _mean_of(by_run: Sequence[FloatArray], i: int) -> float | None:
    return defined(float(np.mean([values[i] for values in by_run]))) if by_run else None
