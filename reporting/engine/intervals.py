"""The interval of one model's number: which one, by the measure, its threshold, and how trials depend.

| number | independent trials | clusters, or pairs of them |
|---|---|---|
| share of trials at a given threshold | Wilson; Clopper-Pearson of none and all | with effective sizes, t |
| w_far FAR + w_frr FRR at a given threshold | the two of FAR and FRR, square-and-add | likewise |
| mean cost of Bayes decisions | the mean of the square-and-add limits of each | likewise |
| share of targets among the highest scores | Wilson with the size that replicates show | likewise, t |
| AUC, and what follows from it | logit DeLong; Newcombe of 0 and 1 | logit, error by clusters, t |
| optimum over thresholds | ``significance/best_cut.py`` | likewise, effective sizes, t |
| rate where another is fixed that allows less than 4 errors | none: replicates cannot reach it | none |
| recall at a fixed precision (``Measure.unknown_of_pairs``) | percentile | logit, t; none of pairs |
| mean over readers | logit (log) of its range, with Obuchowski and Rockette's error, t | likewise |
| measure of skewed replicates (``Measure.skewed``) | logit (log) of its range | likewise, t |
| index of the smooth calibration curve | percentile | likewise, as much wider as t and G clusters ask |
| with noise on the counts: a share, a sum of FAR and FRR at a given threshold, AUC | the same, wider | none |
| with noise on the counts: any other | none | none |
| anything else, and where thresholds are chosen again | percentile | logit (log) of its range, t |

Weights make trials fewer (``EffectiveRate``). Where all replicates agree, as without any error, the interval
at a threshold is that of a given one. ``significance.interval`` names another method for all of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from reporting.criteria.criterion import Criterion
from reporting.curves.epc import Operation
from reporting.engine.error_rates import FALSE_ALARMS, MISSES
from reporting.engine.model_runs import ModelRuns
from reporting.engine.operations import JudgedModel
from reporting.engine.probability_cells import calibrated_name, share_of, smooth_curve
from reporting.engine.resampling import Resampling
from reporting.engine.study import Study
from reporting.engine.values import along_alphas, at_alpha, value_at, values_at
from reporting.measures.measure import Measure
from reporting.measures.sweep import EER_INTERP, allows_too_few, unresolvable
from reporting.significance.best_cut import (
    SweptRun,
    best_cut_interval,
    from_zero,
    held_interval,
    held_name,
    lowered,
)
from reporting.significance.estimate import (
    NO_INTERVAL,
    WITHHELD,
    Influence,
    ModelInterval,
    auc_interval,
    estimate_by,
    interval_within,
    rate_interval,
    share_interval,
    spread_interval,
)
from reporting.significance.paired import spread_of
from reporting.significance.settings import Estimand
from reporting.stats.confusion import Share
from reporting.stats.effective_size import EffectiveRate, square_and_add
from reporting.stats.paired import influences_of_one
from reporting.stats.readers import Variance, of_replicates, reader_spread
from reporting.stats.smooth_calibration import GAP_INDICES, emax
from reporting.stats.staircase import FloatArray


def interval_over_sweep(
    model: JudgedModel, measure: Measure, value: float, drawn: Resampling, study: Study
) -> ModelInterval:
    """Return the interval of a measure over the sweep."""
    return _over_sweep(model, measure, value, drawn, study).of(value, measure.bounds)


def _over_sweep(
    model: JudgedModel, measure: Measure, value: float, drawn: Resampling, study: Study
) -> ModelInterval:
    if not math.isfinite(value) or unresolvable(measure, *model.test.trials):
        return NO_INTERVAL
    noise = drawn.ranks.noise
    if noise is not None and (measure.of_area is None or study.inference.interval != "auto"):
        return NO_INTERVAL
    unknown = allows_too_few(measure, *model.test.trials) or (
        measure.unknown_of_pairs and drawn.ranks.unit_b is not None
    )
    if unknown and study.inference.interval == "auto":
        return WITHHELD
    if measure.of_area is not None and drawn.ranks.weight is None and study.inference.interval == "auto":
        # The interval of a + b AUC, from that of the AUC.
        a, b = measure.of_area
        placements, df = drawn.placements(model), drawn.units.degrees_of_freedom
        area, cuts = (value - a) / b, model.test
        added = noise.of_area(model.id, cuts.score, cuts.n_target, cuts.n_nontarget, area) if noise else 0.0
        interval = auc_interval(area, placements, drawn.ranks, study.inference.level, df, added)
        if interval.low is None or interval.high is None:
            return interval
        low, high = sorted((a + b * interval.low, a + b * interval.high))
        return replace(interval, low=low, high=high, se=None if interval.se is None else abs(b) * interval.se)
    if (measure.least_cost or measure.optimum) and study.inference.interval == "auto":
        return _at_best([model], measure, value, drawn, study, lambda by_run: by_run[0])
    if _of_bayes_decisions(measure, drawn, study):
        return _of_costs([model], measure, drawn, study)
    values = drawn.sweeps[model.id][measure]
    if measure.highest is not None and drawn.ranks.weight is None and study.inference.interval == "auto":
        most = measure.highest(sum(model.test.trials), **measure.arguments)
        return share_interval(value, values, most, drawn.units.degrees_of_freedom, study.inference.level)
    interval = interval_of_replicates(measure, value, values, drawn, study)
    return _from_zero(interval, [model], measure, value, drawn, study) if measure.smooth else interval


def _from_zero(
    interval: ModelInterval,
    runs: Sequence[JudgedModel],
    measure: Measure,
    value: float,
    drawn: Resampling,
    study: Study,
) -> ModelInterval:
    """Return the interval of an index of calibration, or its mean over runs, with 0 where chance may do."""
    if study.inference.interval != "auto":
        return interval
    at, name = GAP_INDICES.index(measure.formula), calibrated_name(measure)
    by_chance = np.mean([drawn.sweeps[run.id][name][:, at] for run in runs], axis=0)
    level = study.inference.level
    interval = from_zero(interval, value, by_chance, spread_of(drawn.units, level))
    if measure.formula is not emax or interval.low is None:
        return interval
    # One point decides, most often an outer one, where few trials make replicates that spread too little.
    gaps = [_least_gap(run, measure, drawn, level) for run in runs]
    return replace(interval, low=min(interval.low, float(np.mean(gaps))))


def _least_gap(model: JudgedModel, measure: Measure, drawn: Resampling, level: float) -> float:
    """Return the least Emax that the simultaneous band of the smooth curve holds; 0 without a band."""
    curve = smooth_curve(model, measure.calibration, share_of(measure))
    limits = curve.limits(drawn.sweeps[model.id][curve.name], level, drawn.units.degrees_of_freedom)
    return 0.0 if limits is None else curve.least_gap(limits)


def _of_bayes_decisions(measure: Measure, drawn: Resampling, study: Study) -> bool:
    """Return whether the value is a sum of error rates at thresholds that no trial moved."""
    fixed = measure.bayes_costs is not None and measure.calibration == "none"
    return fixed and study.inference.interval == "auto" and not (drawn.clustered and drawn.units.n_units < 2)


def _of_costs(
    runs: Sequence[JudgedModel], measure: Measure, drawn: Resampling, study: Study
) -> ModelInterval:
    """Return the interval of a mean of costs of Bayes decisions, over runs too: the mean of their limits.

    Exact where errors of several thresholds come together, too wide where not.
    """
    assert measure.bayes_costs is not None
    limits = []
    for run in runs:
        llr = run.scaling.llr(run.test.score)
        assert llr is not None
        for weights in measure.bayes_costs(**measure.arguments):
            cut = int(np.searchsorted(llr, math.log(weights[0] / weights[1])))
            rates = [drawn.error_rates.at_cut(run, cut, share) for share in (FALSE_ALARMS, MISSES)]
            limits.append(square_and_add(list(zip(weights, rates, strict=True)), study.inference.level))
    low, high = np.mean(limits, axis=0)
    return ModelInterval(float(low), float(high), "square_and_add")


def _at_best(
    runs: Sequence[JudgedModel],
    measure: Measure,
    value: float,
    drawn: Resampling,
    study: Study,
    mean: Callable[[Sequence[FloatArray]], FloatArray],
) -> ModelInterval:
    """Return the interval of a measure, or its mean over runs, that is read at the best cut of its trials."""
    level = study.inference.level
    by_run = [drawn.sweeps[run.id][measure] for run in runs]
    if measure.least_cost is not None:
        swept = [
            SweptRun(run.test.staircase, run.rank, values) for run, values in zip(runs, by_run, strict=True)
        ]
        return best_cut_interval(measure, value, swept, drawn.ranks, drawn.units, level)
    if any(_has_too_few_errors(measure, run) for run in runs):
        return WITHHELD
    held = [drawn.sweeps[run.id][held_name(measure)] for run in runs]
    return held_interval(measure, value, mean(held), mean(by_run), drawn.units, level)


def _has_too_few_errors(measure: Measure, model: JudgedModel) -> bool:
    """Return whether a class has too few errors at the equal error rate for an interval of an optimum."""
    errors = model.value(EER_INTERP).number * min(model.test.trials)
    return measure.optimum is not None and errors < measure.optimum.least_errors


def interval_at(
    model: JudgedModel,
    measure: Measure,
    value: float | None,
    operation: Operation,
    drawn: Resampling,
    study: Study,
) -> ModelInterval:
    """Return the interval of a measure at the only threshold of an operation."""
    values = np.array([math.nan if value is None else value])
    return intervals_along(model, measure, values, operation, drawn, study)[0]


def intervals_along(
    model: JudgedModel,
    measure: Measure,
    values: FloatArray,
    operation: Operation,
    drawn: Resampling,
    study: Study,
) -> list[ModelInterval]:
    """Return the interval of a measure at every threshold of an operation; ``values`` has shape (P,).

    A bare measure takes the alpha of each threshold.
    """
    estimand, replicates, intervals = drawn.of_interval(model, operation, study), None, []
    for at, value in enumerate(values.tolist()):
        if not math.isfinite(value):
            intervals.append(NO_INTERVAL)
            continue
        own = at_own_alpha(measure, operation, at)
        of_rates = interval_of_rates(model, own, operation, drawn, study, at)
        # Across folds the thresholds saw these very trials.
        if of_rates.method and operation.chosen.source != "cv" and estimand == "given_thresholds":
            intervals.append(of_rates.of(value, own.bounds))
            continue
        if drawn.ranks.noise is not None:
            intervals.append(NO_INTERVAL)
            continue
        place, here = _drawn_alone(model, operation, at, drawn, estimand) or (operation, at)
        if place is not operation:
            column = drawn.at(model, place, estimand).values(own)[:, here]
        else:
            if replicates is None:
                replicates = drawn.at(model, operation, estimand).values(measure, **swept(measure, operation))
            column = replicates[:, here]
        influence = _influence(model, own, place, drawn, here) if estimand == "given_thresholds" else None
        of_replicates = interval_of_replicates(own, value, column, drawn, study, influence)
        interval = of_replicates if of_replicates.method else of_rates
        intervals.append(interval.of(value, own.bounds))
    return intervals


def _drawn_alone(
    model: JudgedModel, operation: Operation, at: int, drawn: Resampling, estimand: Estimand
) -> tuple[Operation, int] | None:
    """Return a single criterion that decides the test trials as one point of a curve does; None without one.

    Outcomes of independent trials are drawn for each operation: with the draws of the single one, both have
    one interval.
    """
    if not drawn.collapsed or estimand != "given_thresholds" or operation.chosen.alpha is None:
        return None
    errors = operation.test.misses[at], operation.test.false_alarms[at]
    alike = (o for o in model.single.values() if (o.test.misses[0], o.test.false_alarms[0]) == errors)
    single = next(alike, None)
    return None if single is None else (single, 0)


def swept(measure: Measure, operation: Operation) -> dict[str, FloatArray]:
    """The swept parameter of a bare measure along an operation."""
    alpha = operation.chosen.alpha
    return {} if alpha is None else along_alphas(measure, alpha)


def at_own_alpha(measure: Measure, operation: Operation, at: int) -> Measure:
    """Return the measure at one threshold of an operation, with the alpha of that threshold."""
    alpha = operation.chosen.alpha
    return measure if alpha is None else at_alpha(measure, float(alpha[at]))


def mean_over_sweep(
    team: ModelRuns, measure: Measure, value: float, drawn: Resampling, study: Study
) -> ModelInterval:
    """Return the interval of the mean of a measure over runs; of one run, its own."""
    if team.alone and study.runs != "reader":
        return interval_over_sweep(team.first, measure, value, drawn, study)
    return _mean_over_sweep(team, measure, drawn, study).of(value, measure.bounds)


def _mean_over_sweep(team: ModelRuns, measure: Measure, drawn: Resampling, study: Study) -> ModelInterval:
    if drawn.ranks.noise is not None:
        return NO_INTERVAL
    fixed = study.inference.interval == "auto" and study.runs != "reader"
    values = [run.value(measure).number for run in team.runs]
    value = float(np.mean(values))
    if fixed and (measure.least_cost or measure.optimum):
        return _at_best(team.runs, measure, value, drawn, study, lambda values: team.mean(values, study))
    if fixed and _of_bayes_decisions(measure, drawn, study):
        return _of_costs(team.runs, measure, drawn, study)
    by_run = [drawn.sweeps[run.id][measure] for run in team.runs]
    noise = drawn.noise_of_sweep(measure, team.runs), drawn.variance_of(measure)
    interval = _of_mean(team, measure, values, by_run, drawn, study, noise)
    return _from_zero(interval, team.runs, measure, value, drawn, study) if measure.smooth else interval


def mean_at(
    team: ModelRuns, measure: Measure, criterion: Criterion, drawn: Resampling, study: Study
) -> ModelInterval:
    """Return the interval of the mean over runs of a measure at a threshold; of one run, its own."""
    if team.alone and study.runs != "reader":
        operation = team.first.single[criterion]
        value = value_at(measure, operation.test, 0, team.first.test)
        return interval_at(team.first, measure, value, operation, drawn, study)
    return means_along(team, measure, team.first.single[criterion].name, drawn, study)[0]


def means_along(
    team: ModelRuns, measure: Measure, name: str, drawn: Resampling, study: Study
) -> list[ModelInterval]:
    """Return the interval of the mean over runs of a measure, at every threshold of an operation.

    Where replicates say nothing of it, as where no run errs, its limits are the means of those of the runs.
    Readers who differ have none then.
    """
    operations = team.operations(name)
    if drawn.ranks.noise is not None:
        return [NO_INTERVAL] * len(operations[0][1].chosen.shared)
    estimand, along = drawn.of_interval(*operations[0], study), swept(measure, operations[0][1])
    by_run = [drawn.by_weights(run, o, estimand).values(measure, **along) for run, o in operations]
    values = [values_at(measure, o.test, run.test, **along) for run, o in operations]
    intervals = []
    for at, of_runs in enumerate(zip(*values, strict=True)):
        own, again = at_own_alpha(measure, operations[0][1], at), [of_run[:, at] for of_run in by_run]
        interval = NO_INTERVAL
        if np.isfinite(of_runs).all():
            noise = [of_run[:, None] for of_run in again], of_replicates(drawn.units.inflation)
            interval = _of_mean(team, own, list(of_runs), again, drawn, study, noise)
            if not interval.method and (study.runs != "reader" or len(set(of_runs)) == 1):
                interval = mean_of_limits(
                    [interval_of_rates(run, own, o, drawn, study, at) for run, o in operations]
                )
        intervals.append(interval.of(float(np.mean(of_runs)), own.bounds))
    return intervals


def mean_of_limits(intervals: Sequence[ModelInterval]) -> ModelInterval:
    """Return the mean limits of runs, exact where all err alike and too wide where not; none without any."""
    limits = [(of.low, of.high) for of in intervals if of.low is not None and of.high is not None]
    if len(limits) < len(intervals):
        return NO_INTERVAL
    low, high = np.mean(limits, axis=0).tolist()
    return replace(intervals[0], low=low, high=high)


def _of_mean(
    team: ModelRuns,
    measure: Measure,
    values: list[float],
    by_run: list[FloatArray],
    drawn: Resampling,
    study: Study,
    noise: tuple[Sequence[FloatArray], Variance],
) -> ModelInterval:
    """Return the interval of a mean over runs; readers are a sample of many, as trials are."""
    level, value = study.inference.level, float(np.mean(values))
    if study.inference.interval != "auto" or study.runs != "reader":
        return interval_of_replicates(measure, value, team.mean(by_run, study), drawn, study)
    spread = reader_spread([np.array([value]) for value in values], *noise)
    degrees = drawn.units.degrees_of_freedom
    df = min(float(spread.df[0]), math.inf if degrees is None else degrees)
    interval = interval_within(value, float(spread.se[0]), measure.bounds, level, df)
    return replace(interval, replicates=len(by_run[0])) if interval.method else interval


def interval_of_rates(
    model: JudgedModel,
    measure: Measure,
    operation: Operation,
    drawn: Resampling,
    study: Study,
    at: int = 0,
    *,
    exact: bool = False,
) -> ModelInterval:
    """Return the interval of a share of trials, or of a sum of FAR and FRR, at one of several thresholds.

    None of any other measure. ``exact``: every rate has the limits of few errors.
    """
    share, level = measure.counted, study.inference.level
    if study.inference.interval != "auto" or (drawn.clustered and drawn.units.n_units < 2):
        return NO_INTERVAL

    def limited(rate: EffectiveRate) -> EffectiveRate:
        return rate._replace(few=True) if exact else rate

    def rate_of(share: Share) -> EffectiveRate:
        return limited(drawn.error_rates.at(model, operation, share, at))

    if share is not None and measure.arguments.get("prevalence", "sample") == "sample":
        return rate_interval(rate_of(share), level)
    weights = measure.rate_weights()
    if weights is None:
        return NO_INTERVAL
    far, frr = weights
    terms = [(frr, rate_of(MISSES))]
    if measure.mix is None:
        terms.insert(0, (far, rate_of(FALSE_ALARMS)))
    else:
        # A cost of three kinds of trials.
        for share_of_kind, spoof in zip(measure.mix, (False, True), strict=True):
            kind = drawn.error_rates.of_kind(model, operation, at, spoof=spoof)
            terms.insert(-1, (far * share_of_kind / sum(measure.mix), limited(kind)))
    low, high = square_and_add(terms, level)
    # The sum of both rates ends at 0, and the cost at its constant.
    return ModelInterval(low + measure.constant, high + measure.constant, "square_and_add")


def interval_of_replicates(
    measure: Measure,
    value: float,
    values: FloatArray,
    drawn: Resampling,
    study: Study,
    influence: Influence | None = None,
) -> ModelInterval:
    """Return the interval of a number from its replicates (shape (M,))."""
    settings, df = study.inference, drawn.units.degrees_of_freedom
    # Readers drawn from many may carry a replicate beyond what the measure can be.
    values = np.clip(values, *measure.bounds)
    interval, spread_out = NO_INTERVAL, values
    if settings.interval == "auto" and measure.smooth:
        spread_out = value + spread_of(drawn.units, settings.level).factor * (values - value)
    elif settings.interval == "auto" and (df is not None or measure.skewed):
        interval = spread_interval(value, values, measure.bounds, settings.level, df)
    if not interval.method:
        n_units = drawn.units.n_units
        interval = estimate_by(settings.interval, value, spread_out, settings.level, n_units, influence)
    return (
        lowered(interval, measure, value, values)
        if measure.raised and settings.interval == "auto"
        else interval
    )


def _influence(
    model: JudgedModel, measure: Measure, operation: Operation, drawn: Resampling, at: int
) -> Influence | None:
    """The influence of the outcomes of independent trials on a measure; None where trials are not that."""
    if not drawn.collapsed:
        return None
    formula, errors = partial(measure.formula, **measure.arguments), operation.test
    observed = int(errors.misses[at]), int(errors.false_alarms[at]), *model.test.totals
    again = drawn.at(model, operation)
    counts = again.misses[:, at], again.false_alarms[:, at], again.n_target[:, 0], again.n_nontarget[:, 0]
    return Influence(
        partial(influences_of_one, formula, observed), partial(influences_of_one, formula, counts)
    )
