"""The mean over the runs of a model: rows of ``metrics`` and ``epc`` under the run ``mean``.

Replicates share their trials over all runs. Where runs are seeds, an interval speaks of these very runs on
other trials; where they are readers, they are a sample as well, and it speaks of other readers.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reporting.codes import Flag
from reporting.counts.ranks import cuts_of_group
from reporting.criteria.criterion import Criterion
from reporting.engine.curve_limits import limits_along
from reporting.engine.intervals import mean_at, mean_over_sweep
from reporting.engine.model_runs import ModelRuns, have_runs, teams
from reporting.engine.operations import JudgedModel, alphas, why_unplaced
from reporting.engine.parts import Part
from reporting.engine.resampling import Resampling
from reporting.engine.study import Study
from reporting.engine.values import along_alphas, defined, status_of, value_at, value_over, values_at
from reporting.errors import ConfigError
from reporting.frames.epc import EpcRow
from reporting.frames.judged import JudgedPart
from reporting.frames.metrics import MetricRow, asked_criteria, with_interval
from reporting.measures.measure import Measure
from reporting.significance.draws import blocks, stream
from reporting.significance.estimate import replicate_interval
from reporting.significance.margins import of_identical
from reporting.significance.paired import PairedDifference, compare_means
from reporting.significance.settings import Inference
from reporting.significance.units import FEW_CLUSTERS
from reporting.stats.staircase import BoolArray, FloatArray, IntArray

FEW_READERS = 5


def mean_metrics(models: list[JudgedModel], drawn: Resampling, study: Study) -> Iterator[MetricRow]:
    """Yield the mean of every measure over the runs of each model, where any model has several."""
    for team in teams(models) if have_runs(models) else ():
        for measure in study.measures:
            if measure.over != "threshold":
                yield _sweep_row(team, measure, drawn, study)
                continue
            for criterion in asked_criteria(study):
                if criterion not in study.criteria:
                    continue
                if team.has_threshold(criterion):
                    yield _row_at(team, measure, criterion, drawn, study)
                else:
                    row = _row(team, measure, math.nan, study)
                    yield replace(row, criterion=str(criterion), status=why_unplaced(criterion))


def _sweep_row(team: ModelRuns, measure: Measure, drawn: Resampling, study: Study) -> MetricRow:
    values = [run.value(measure) for run in team.runs]
    number = float(np.mean([value.number for value in values]))
    status = next((value.status for value in values if value.status), None)
    row = replace(_row(team, measure, number, study), status=status)
    if not math.isfinite(number):
        return row
    flags = sorted({*row.flags, *drawn.sweep_flags(measure, *team.runs)})
    interval = mean_over_sweep(team, measure, number, drawn, study)
    return with_interval(replace(row, flags=flags), interval, drawn, study)


def _row_at(
    team: ModelRuns, measure: Measure, criterion: Criterion, drawn: Resampling, study: Study
) -> MetricRow:
    operations = [(run, run.single[criterion]) for run in team.runs]
    values = [value_at(measure, operation.test, 0, run.test) for run, operation in operations]
    number = float(np.mean(values))
    estimand = drawn.of_interval(*operations[0], study)
    row = replace(
        _row(team, measure, number, study),
        criterion=str(criterion),
        threshold_source=operations[0][1].chosen.source,
        inference=estimand,
        status=status_of(number, *team.first.test.trials),
    )
    if not math.isfinite(number):
        return row
    return with_interval(row, mean_at(team, measure, criterion, drawn, study), drawn, study)


def _row(team: ModelRuns, measure: Measure, number: float, study: Study) -> MetricRow:
    n_target, n_nontarget = team.first.test.trials
    few = study.runs == "reader" and len(team.runs) < FEW_READERS
    return MetricRow(
        **team.mean_key._asdict(),
        measure=str(measure),
        value=defined(number),
        n_target=n_target,
        n_nontarget=n_nontarget,
        flags=["few_readers"] if few else [],
    )


def mean_curves(models: list[JudgedModel], drawn: Resampling, study: Study) -> Iterator[EpcRow]:
    """Yield the Expected Performance Curves of the means over runs, where any model has several."""
    for team in teams(models) if have_runs(models) else ():
        for criterion in team.first.along:
            for measure in study.epc.measures if study.epc else ():
                yield from _curve(team, criterion, measure, drawn, study)


def _curve(
    team: ModelRuns, criterion: Criterion, measure: Measure, drawn: Resampling, study: Study
) -> Iterator[EpcRow]:
    alpha = alphas(study)
    along = along_alphas(measure, alpha)
    operations = [(run, run.along[criterion]) for run in team.runs]
    value = np.mean([values_at(measure, o.test, run.test, **along) for run, o in operations], axis=0)
    on_dev = [values_at(measure, o.dev, run.dev, **along) for run, o in operations if o.dev and run.dev]
    at_best = [values_at(measure, o.oracle, run.test, **along) for run, o in operations if o.oracle]
    estimand = drawn.of_interval(*operations[0], study)
    limits = limits_along(team, measure, operations[0][1].name, drawn, study)
    for i, (a, limited) in enumerate(zip(alpha, limits, strict=True)):
        yield EpcRow(
            **team.mean_key._asdict(),
            criterion=str(criterion),
            alpha=float(a),
            measure=str(measure),
            value=defined(value[i]),
            **limited._asdict(),
            value_dev=_mean_of(on_dev, i),
            value_oracle=_mean_of(at_best, i),
            inference=estimand,
            status=status_of(value[i], *team.first.test.trials),
        )


def _mean_of(by_run: Sequence[FloatArray], i: int) -> float | None:
    return defined(float(np.mean([values[i] for values in by_run]))) if by_run else None


Question = tuple[Measure, Criterion | None]


@dataclass(frozen=True, eq=False)
class Macro:
    """Every measure on every value of the column: by question and model, shape (values,), NaN undefined.

    A model without a threshold has no values of a question at one.

    ``names`` key the streams from which values are drawn.
    """

    group: str
    values: dict[Question, dict[str, FloatArray]]
    names: tuple[str, ...]

    def replicates(self, values: FloatArray, inference: Inference) -> FloatArray:
        """Return the mean over as many drawn values as are defined, in every replicate."""
        there = values[~np.isnan(values)]
        n = len(there)
        drawn = (
            stream(inference.seed, "macro", *self.names, n, number).integers(0, n, (size, n))
            for number, size in blocks(inference.replicates)
        )
        return np.concatenate([there[rows].mean(axis=1) for rows in drawn])


def macro_of(part: Part, study: Study) -> Macro | None:
    """Return the macro means of a whole dataset; None where the study asks for none."""
    if study.averaged_over is None or part.group:
        return None
    if have_runs(part.models):
        raise ConfigError("averaged_over: means over a column are not supported with several runs of a model")
    attribute = part.ranks.attributes[study.averaged_over]
    order = np.argsort(attribute.code, kind="stable")
    bounds = np.searchsorted(attribute.code[order], np.arange(len(attribute.values) + 1))
    members = [order[low:high] for low, high in itertools.pairwise(bounds)]
    values: dict[Question, dict[str, FloatArray]] = {question: {} for question in _questions(study)}
    for model in part.models:
        for question, by_value in _values(model, part, members, study):
            values[question][model.key.model] = by_value
    names = (part.dataset, "test", study.averaged_over)
    return Macro(f"mean({study.averaged_over})", values, names)


def _questions(study: Study) -> Iterator[Question]:
    criteria = [criterion for criterion in asked_criteria(study) if criterion in study.criteria]
    for measure in study.measures:
        yield from ((measure, at) for at in (criteria if measure.over == "threshold" else (None,)))


def _values(
    model: JudgedModel, part: Part, members: list[IntArray], study: Study
) -> Iterator[tuple[Question, FloatArray]]:
    at_threshold = [measure for measure in study.measures if measure.over == "threshold"]
    for criterion in asked_criteria(study):
        operation = model.single.get(criterion)
        if operation is None or criterion not in study.criteria:
            continue
        binned = model.binned(operation.name)
        rejected = binned.bins.of_trial <= binned.index[0]
        counts = _counts(rejected, part, members)
        for measure in at_threshold:
            values = np.asarray(measure.formula(*counts, **measure.arguments), dtype=np.float64)
            yield (measure, criterion), np.where(np.isfinite(values), values, np.nan)
    sweeps = [measure for measure in study.measures if measure.over != "threshold"]
    if sweeps:
        by_value = [cuts_of_group(model.test, model.rank, part.ranks, those)[0] for those in members]
        for measure in sweeps:
            values = np.array([value_over(measure, cuts, model.scaling).number for cuts in by_value])
            yield (measure, None), np.where(np.isfinite(values), values, np.nan)


def _counts(rejected: Any, part: Part, members: list[IntArray]) -> tuple[IntArray, ...]:
    """Misses, false alarms, targets and non-targets of every value of the column."""
    label = part.ranks.label
    weight = np.ones(len(label), dtype=np.int64) if part.ranks.weight is None else part.ranks.weight
    each = (weight * (label & rejected), weight * (~label & ~rejected), weight * label, weight * ~label)
    return tuple(np.array([counts[those].sum() for those in members], dtype=np.int64) for counts in each)


def macro_metrics(judged: JudgedPart) -> Iterator[MetricRow]:
    """Yield the rows of ``metrics``: the mean of every measure, with a percentile interval over its units."""
    part, study = judged.part, judged.study
    macro = judged.once(macro_of, part, study)
    if macro is None:
        return
    for (measure, criterion), by_model in macro.values.items():
        for model in part.models:
            n_target, n_nontarget = model.test.trials
            row = MetricRow(
                **model.key._replace(group=macro.group)._asdict(),
                measure=str(measure),
                criterion=None if criterion is None else str(criterion),
                n_target=n_target,
                n_nontarget=n_nontarget,
            )
            if criterion is not None and criterion not in model.single:
                yield replace(row, status=why_unplaced(criterion))
                continue
            if criterion is not None:
                source = model.single[criterion].chosen.source
                row = replace(row, threshold_source=source, inference="given_thresholds")
            yield _with_mean(row, macro, by_model[model.key.model], study)


def _with_mean(row: MetricRow, macro: Macro, values: FloatArray, study: Study) -> MetricRow:
    there = ~np.isnan(values)
    if not there.any():
        return replace(row, status="degenerate")
    inference, n = study.inference, int(there.sum())
    interval = replicate_interval(macro.replicates(values, inference), inference.level, n)
    return replace(
        row,
        value=float(values[there].mean()),
        ci_low=interval.low,
        ci_high=interval.high,
        level=inference.level if interval.method else None,
        ci_method=interval.method,
        unit="cluster",
        n_units=n,
        replicates=interval.replicates,
        flags=list(_flags(there)),
    )


def _flags(there: BoolArray) -> list[Flag]:
    few: list[Flag] = ["few_clusters"] if there.sum() < FEW_CLUSTERS else []
    return few if there.all() else [*few, "undefined_left_out"]


def step_of_mean(measure: Measure, n: int) -> float | None:
    """Return how far one more of ``n`` values moves a mean, at most; None of a measure without bounds."""
    width = measure.bounds[1] - measure.bounds[0]
    return width / n if n and math.isfinite(width) else None


def macro_comparison(
    macro: Macro, question: Question, first: str, second: str, study: Study
) -> tuple[PairedDifference, int]:
    """Compare two models by the mean of their paired differences, and say over how many values.

    Only values on which both are defined enter: the difference is not always that of the two means.
    Student's t over the values, the percentile p of their bootstrap beside.
    """
    difference = macro.values[question][first] - macro.values[question][second]
    there = ~np.isnan(difference)
    n = int(there.sum())
    if n == 0:
        return PairedDifference(math.nan, status="degenerate"), 0
    replicates = macro.replicates(difference, study.inference)
    compared = compare_means(difference[there], replicates, study.inference.level)
    compared = of_identical(compared, step_of_mean(question[0], n), study.inference.level)
    return compared.flagged(*_flags(there)), n
