"""The ``epc`` frame: the measure on test at the development threshold of every alpha."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.core.counts.cuts import Key
from reporting.core.engine.model_runs import ModelRuns, have_runs, models_with_runs
from reporting.core.engine.operations import JudgedModel, alphas
from reporting.core.engine.resampling import Resampling
from reporting.core.engine.sample import Question, Sample, sample
from reporting.core.engine.study import Study
from reporting.core.engine.values import defined, values_at
from reporting.document.frames.epc import EPC, EpcRow
from reporting.document.frames.recipe import frame_of, together
from reporting.features.epc.limits import limits_along


def epc_rows(models: list[JudgedModel], drawn: Resampling, study: Study) -> Iterator[EpcRow]:
    """Yield the curves of every run, and of the means over runs where any model has several."""
    systems = [(ModelRuns((run,)), run.key) for run in models]
    if have_runs(models):
        systems += [(team, team.mean_key) for team in models_with_runs(models)]
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


RECIPES = (frame_of(EPC, together(epc_rows), keeps_empty=True, under_noise=True, of="all measures"),)
