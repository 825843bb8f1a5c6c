"""The ``metrics`` frame: every measure of every model on either set, with intervals on the test set."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.base.codes import Flag, Status
from reporting.core.counts.cuts import Cuts, Key
from reporting.core.criteria.catalogue import oracle
from reporting.core.criteria.criterion import Criterion
from reporting.core.curves.epc import Errors, ThresholdResult, best_on_test
from reporting.core.engine.intervals import interval
from reporting.core.engine.macro import macro_of
from reporting.core.engine.model_runs import ModelRuns, have_runs, models_with_runs
from reporting.core.engine.operations import JudgedModel, a_priori, asked_criteria, dev_flags, why_unplaced
from reporting.core.engine.resampling import Resampling
from reporting.core.engine.sample import Question, Sample, sample
from reporting.core.engine.scales import Scaling
from reporting.core.engine.study import Study
from reporting.core.engine.values import Value, defined, status_of, value_at
from reporting.core.measures import sweep
from reporting.core.measures.measure import OF_PROBABILITIES, Measure
from reporting.core.resampling.best_cut import best_cuts
from reporting.core.resampling.design import Design
from reporting.core.resampling.estimate import ModelInterval
from reporting.core.stats.staircase import Staircase, cut_at
from reporting.document.frames.contract import Columns
from reporting.document.frames.judged import JudgedPart
from reporting.document.frames.metrics import METRICS, MetricRow
from reporting.document.frames.recipe import each, frame_of, in_group, together

FLAGGED = ("train", "cv_test")
"""Policies whose thresholds flatter the models: every number at them shows it."""
FEW_READERS = 5
ROUNDING = 1e-6
"""How far a rate times its trials may be off a whole number of errors."""


def metric_rows(model: JudgedModel, drawn: Resampling, study: Study) -> Iterator[MetricRow]:
    """Yield the rows of one model on one dataset and group."""
    for measure in study.measures:
        if measure.over != "threshold":
            yield from _sweep_rows(model, measure, drawn, study)
            continue
        for criterion in a_priori(study.criteria):
            operation = model.single.get(criterion)
            if criterion in study.criteria:
                yield from _placed_rows(model, measure, criterion, operation, drawn, study)
            if not criterion.has_oracle:
                continue
            if operation is not None:
                best = operation.oracle, operation.oracle_threshold
            else:
                rules, seen = (study.ties, study.threshold_at), model.mixes.get(criterion.mix)
                best = best_on_test(criterion, model.test, *rules, best_on=seen)
            yield oracle_row(model, measure, criterion, *best)


def mean_metrics(models: list[JudgedModel], drawn: Resampling, study: Study) -> Iterator[MetricRow]:
    """Yield the mean of every measure over the runs of each model, where any model has several.

    Resamples share their trials over all runs. Where runs are seeds, an interval speaks of these runs on
    other trials; where they are readers, they are a sample as well, and it speaks of other readers.
    """
    for team in models_with_runs(models) if have_runs(models) else ():
        for measure in study.measures:
            for criterion in asked_criteria(study) if measure.over == "threshold" else (None,):
                yield _mean_row(sample(team, Question(measure, criterion), drawn, study))


def _mean_row(of: Sample) -> MetricRow:
    value, criterion = Value(float(of.point[0]), of.status()), of.question.criterion
    few = of.study.runs == "reader" and len(of.system.runs) < FEW_READERS
    row = _row(
        *(of.system.mean_key, of.measure, value, of.system.first.test),
        criterion=None if criterion is None else str(criterion),
        threshold_source=of.operations[0][1].chosen.source if of.operations else None,
        inference=of.estimand,
    )
    if not math.isfinite(value.number):
        return replace(row, flags=["few_readers"] if few else [])
    flags = {*(["few_readers"] if few else []), *of.flags}
    return _with_interval(replace(row, flags=sorted(flags)), of.design, interval(of))


def macro_metrics(judged: JudgedPart) -> Iterator[MetricRow]:
    """Yield the mean of every measure over the values of a column, which are its units."""
    macro = judged.once(macro_of, judged.part, judged.study)
    for question, means in macro.means.items():
        criterion = question.criterion
        for model in judged.models:
            key, of = model.key._replace(group=macro.group), means.get(model.key.model)
            if of is None and criterion is not None:
                yield unplaced_row(
                    replace(model, key=key), question.measure, criterion, why_unplaced(criterion)
                )
            if of is None:
                continue
            row = _row(
                *(key, question.measure, Value(of.point, of.status), model.test),
                criterion=None if criterion is None else str(criterion),
                threshold_source=None if criterion is None else model.single[criterion].chosen.source,
                inference=of.estimand,
            )
            if not of.status:
                row = replace(row, unit=of.design.unit, n_units=of.n, flags=sorted(of.design.flags))
                row = _with_interval(row, of.design, of.interval())
            yield row


def _takes_share_of_dev(scaling: Scaling, measure: Measure) -> bool:
    """Return whether the share of the development set replaces one that is not declared."""
    mapped = measure.needs in OF_PROBABILITIES and measure.calibration != "none"
    return mapped and scaling.prevalence is None and scaling.share_of_dev is not None


def _sweep_rows(model: JudgedModel, measure: Measure, drawn: Resampling, study: Study) -> Iterator[MetricRow]:
    if model.dev is not None and model.dev_key is not None:
        yield _row(model.dev_key, measure, model.value(measure, "dev"), model.dev)
    value = model.value(measure)
    flags = _sweep_flags(measure, value.number, model.test)
    if value.status is None and _takes_share_of_dev(model.scaling, measure):
        flags.append("share_of_dev")
    # The EER that speech papers quote, along the curve, next to that of the hull.
    along = defined(model.value(sweep.EER_INTERP).number) if measure == sweep.EER_ROCCH else None
    row = replace(_row(model.key, measure, value, model.test), along_curve=along)
    of = sample(ModelRuns((model,)), Question(measure), drawn, study)
    estimate = interval(of)
    yield _flagged(row, of, estimate, [*flags, *(of.flags if estimate.replicates else ())])


def _sweep_flags(measure: Measure, value: float, cuts: Cuts) -> list[Flag]:
    flags: list[Flag] = ["below_chance"] if measure.below_chance(value) else []
    if sweep.below_rule_of_30(measure, *cuts.trials) or _few_at_own_cut(measure, value, cuts):
        flags.append("below_rule_of_30")
    return [*flags, "unresolvable"] if sweep.allows_fewer(1, measure, *cuts.trials) else flags


def _few_at_own_cut(measure: Measure, value: float, cuts: Cuts) -> bool:
    """Under 30 misses or false alarms where a measure is read: at its least cost, or the equal error rate."""
    if not math.isfinite(value):
        return False
    if measure.least_cost is not None:
        errors = fewest_errors(measure, cuts.staircase, *cuts.trials)
    elif measure.key in (sweep.EER_INTERP.key, sweep.EER_DISCRETE.key):
        errors = value * min(cuts.trials)
    else:
        return False
    return errors < sweep.RULE_OF_30 - ROUNDING


def fewest_errors(measure: Measure, staircase: Staircase, n_target: int, n_nontarget: int) -> float:
    """Return the misses or the false alarms, whichever are fewer, at the best threshold of a least cost.

    At the equal error rate of the hull they are that rate times the trials. Both classes must be there.
    """
    cuts = best_cuts(measure, staircase)
    return min(min(cut.rate.nontarget * n_nontarget, cut.rate.target * n_target) for cut in cuts)


def _placed_rows(
    model: JudgedModel,
    measure: Measure,
    criterion: Criterion,
    operation: ThresholdResult | None,
    drawn: Resampling,
    study: Study,
) -> Iterator[MetricRow]:
    """Yield the rows at the thresholds of a criterion, on either set, or say why there are none."""
    if operation is None:
        yield unplaced_row(model, measure, criterion, why_unplaced(criterion))
        return
    threshold = float(operation.chosen.shared[0])
    # None where every fold has its own.
    placed = None if math.isnan(threshold) else threshold, operation.chosen.source
    if operation.dev is not None and model.dev is not None and model.dev_key is not None:
        yield _row_at(model.dev_key, measure, criterion, model.dev, operation.dev, *placed)
    row = _row_at(model.key, measure, criterion, model.test, operation.test, *placed)
    policy = study.thresholds.policy
    flags = dev_flags(model, operation) + ([policy] if policy in FLAGGED else [])
    of = sample(ModelRuns((model,)), Question(measure, criterion), drawn, study)
    if of.across_folds and of.estimand == "given_thresholds":
        flags.append("held_folds")
    row = replace(row, inference=of.estimand, **_of_folds(operation, model.test))
    yield _flagged(row, of, interval(of), flags)


def unplaced_row(model: JudgedModel, measure: Measure, criterion: Criterion, why: Status) -> MetricRow:
    """Return the row of a criterion that has no threshold."""
    return _row(model.key, measure, Value(math.nan, why), model.test, criterion=str(criterion))


def oracle_row(
    model: JudgedModel,
    measure: Measure,
    criterion: Criterion,
    errors: Errors | None,
    threshold: FloatArray | None,
) -> MetricRow:
    """Return the row of a criterion that chose on the test set: its errors and threshold, if it had any."""
    best = oracle(criterion)
    if errors is None or threshold is None:
        undefined = Value(math.nan, status_of(math.nan, *model.test.trials))
        where = {"criterion": str(best), "threshold_source": "oracle"}
        return _row(model.key, measure, undefined, model.test, **where, flags=["oracle"])
    row = _row_at(model.key, measure, best, model.test, errors, float(threshold[0]), "oracle")
    return replace(row, flags=sorted({*row.flags, "oracle"}))


def _row_at(
    key: Key,
    measure: Measure,
    criterion: Criterion,
    cuts: Cuts,
    errors: Errors,
    threshold: float | None,
    source: str,
) -> MetricRow:
    misses, false_alarms = int(errors.missed_trials[0]), int(errors.false_alarm_trials[0])
    number = value_at(measure, errors, 0, cuts)
    status = status_of(number, *cuts.trials)
    # Few where an error that enters the measure occurs under 30 times (methods 5.3).
    far, frr = measure.linear() or (1.0, 1.0)
    few = (far > 0 and false_alarms < sweep.RULE_OF_30) or (frr > 0 and misses < sweep.RULE_OF_30)
    return _row(
        key,
        measure,
        Value(number, measure.unreached if status == "degenerate" else status),
        cuts,
        criterion=str(criterion),
        threshold=threshold,
        threshold_source=source,
        misses=misses,
        false_alarms=false_alarms,
        flags=["below_rule_of_30"] if few else [],
    )


def _of_folds(operation: ThresholdResult, cuts: Cuts) -> Columns:
    """The columns on thresholds of folds: how many, from where to where, and what that moves."""
    if not operation.chosen.by_fold:
        return {}
    of_fold = operation.chosen.threshold[:, 0]
    low, high = float(of_fold.min()), float(of_fold.max())
    misses, false_alarms = cuts.errors(cut_at(cuts.score, np.array([low, high])))
    moved = int(misses[1] - misses[0] + false_alarms[0] - false_alarms[1])
    return {"folds": len(of_fold), "threshold_low": low, "threshold_high": high, "between": moved}


def _row(key: Key, measure: Measure, value: Value, cuts: Cuts, **columns: Any) -> MetricRow:
    n_target, n_nontarget = cuts.trials
    return MetricRow(
        **key._asdict(),
        measure=str(measure),
        value=defined(value.number),
        n_target=n_target,
        n_nontarget=n_nontarget,
        status=value.status,
        ruled_out_targets=value.ruled_out[0],
        ruled_out_nontargets=value.ruled_out[1],
        **columns,
    )


def _with_interval(row: MetricRow, design: Design, estimate: ModelInterval) -> MetricRow:
    """Return the row with its interval and what was resampled for it; where it has none, with the reason."""
    if estimate.method is None:
        return replace(row, flags=sorted({*row.flags, *filter(None, [estimate.withheld])}))
    return replace(
        row,
        ci_low=estimate.low,
        ci_high=estimate.high,
        level=design.level,
        ci_method=estimate.method,
        unit=design.unit,
        n_units=design.n_units,
        replicates=estimate.replicates,
        se=estimate.se,
        optimism=estimate.optimism,
    )


def _flagged(row: MetricRow, of: Sample, estimate: ModelInterval, flags: Iterable[str]) -> MetricRow:
    """Return the row with its interval and all its cautions."""
    row = _with_interval(row, of.design, estimate)
    again = {"redrawn_empty_class"} if estimate.method and estimate.replicates and of.redrawn else set()
    return replace(row, flags=sorted({*row.flags, *flags, *of.design.flags, *again}))


RECIPES = (
    frame_of(
        METRICS,
        in_group(each(metric_rows)),
        in_group(together(mean_metrics)),
        in_group(macro_metrics),
        keeps_empty=True,
        under_noise=True,
        of="all measures",
    ),
)
