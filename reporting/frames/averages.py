"""Means over the values of a column: rows of ``metrics``, and the comparisons that they have."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reporting.codes import Flag
from reporting.counts.ranks import cuts_of_group
from reporting.criteria.criterion import Criterion
from reporting.engine.model_runs import have_runs
from reporting.engine.operations import JudgedModel, why_unplaced
from reporting.engine.parts import Part
from reporting.engine.study import Study
from reporting.engine.values import value_over
from reporting.errors import ConfigError
from reporting.frames.judged import JudgedPart
from reporting.frames.metrics import MetricRow, asked_criteria
from reporting.measures.measure import Measure
from reporting.significance.draws import blocks, stream
from reporting.significance.estimate import estimate_by
from reporting.significance.margins import of_identical
from reporting.significance.paired import PairedDifference, compare_by_error
from reporting.significance.settings import Inference
from reporting.significance.units import FEW_CLUSTERS
from reporting.stats.staircase import BoolArray, FloatArray, IntArray

MacroQuestion = tuple[Measure, Criterion | None]


@dataclass(frozen=True, eq=False)
class Macro:
    """Every measure on every value of the column: by question and model, shape (values,), NaN undefined.

    A model without a threshold has no values of a question at one.

    ``names`` key the streams from which values are drawn.
    """

    group: str
    values: dict[MacroQuestion, dict[str, FloatArray]]
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
    values: dict[MacroQuestion, dict[str, FloatArray]] = {question: {} for question in _questions(study)}
    for model in part.models:
        for question, by_value in _values(model, part, members, study):
            values[question][model.key.model] = by_value
    names = (part.dataset, "test", study.averaged_over)
    return Macro(f"mean({study.averaged_over})", values, names)


def _questions(study: Study) -> Iterator[MacroQuestion]:
    criteria = [criterion for criterion in asked_criteria(study) if criterion in study.criteria]
    for measure in study.measures:
        yield from ((measure, at) for at in (criteria if measure.over == "threshold" else (None,)))


def _values(
    model: JudgedModel, part: Part, members: list[IntArray], study: Study
) -> Iterator[tuple[MacroQuestion, FloatArray]]:
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
    mean, replicates = float(values[there].mean()), macro.replicates(values, inference)
    interval = estimate_by("percentile", mean, replicates, inference.level, n)
    return replace(
        row,
        value=mean,
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
    macro: Macro, question: MacroQuestion, first: str, second: str, study: Study
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
    se = float(np.std(difference[there], ddof=1)) / math.sqrt(n) if n > 1 else 0.0
    plain = PairedDifference(float(difference[there].mean()), se, n - 1)
    alike, level = not difference[there].any(), study.inference.level
    compared = compare_by_error(plain, replicates, level, alike=alike)
    compared = of_identical(compared, step_of_mean(question[0], n), study.inference.level)
    return compared.flagged(*_flags(there)), n
