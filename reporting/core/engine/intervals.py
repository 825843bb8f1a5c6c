"""The interval of a sample: by which method, by the measure, its thresholds, and how trials depend.

``OVER_SWEEP`` and ``AT_THRESHOLDS`` list the methods: the interval is that of the first which applies.
``significance.interval`` names another method for all of it. Weights make trials fewer (``EffectiveRate``);
noise on the counts makes shares, sums of FAR and FRR, and areas wider, and leaves anything else without.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.core.engine.error_rates import FALSE_ALARMS, MISSES
from reporting.core.engine.item_means import item_scores, score_limits
from reporting.core.engine.operations import JudgedModel
from reporting.core.engine.probability_cells import calibrated_name, share_of, smooth_curve
from reporting.core.engine.sample import Sample
from reporting.core.measures.measure import Measure, pairs_of
from reporting.core.measures.sweep import EER_INTERP, LEAST_ALLOWED, allows_fewer
from reporting.core.resampling import best_cut, estimate
from reporting.core.resampling.design import Design
from reporting.core.stats.confusion import Share
from reporting.core.stats.effective_size import EffectiveRate, square_and_add
from reporting.core.stats.multiplicity import BandLevel
from reporting.core.stats.paired import influences_of_one
from reporting.core.stats.readers import reader_spread
from reporting.core.stats.skewness import Costs, skewed_t
from reporting.core.stats.smooth_calibration import GAP_INDICES, emax

Method = Callable[[Sample, int, float], estimate.ModelInterval | None]
"""From a sample, one of its thresholds and a level to the interval; None where the method does not apply."""


def interval(of: Sample, at: int = 0, level: float | None = None) -> estimate.ModelInterval:
    """Return the interval of a sample at one of its thresholds, at the report's level or another.

    None of clusters too few, or too unequal, to represent others.
    """
    value, at_level = float(of.point[at]), of.level if level is None else level
    if not math.isfinite(value):
        return estimate.NO_INTERVAL
    if of.design.too_few_clusters:
        return estimate.TOO_FEW_CLUSTERS
    methods = AT_THRESHOLDS if of.operations else OVER_SWEEP
    limits = next(limits for method in methods if (limits := method(of, at, at_level)) is not None)
    limits = limits.of(value, of.measures[at].bounds)
    noisy = limits.method is None and of.drawn.ranks.noise is not None
    return replace(limits, withheld="noise_left_out") if noisy else limits


def unknown(of: Sample, at: int, level: float) -> estimate.ModelInterval | None:
    """Return none for a rate that these trials cannot resolve, and where the effect of noise is unknown."""
    if allows_fewer(1, of.measure, *of.system.first.test.trials):
        return estimate.NO_INTERVAL
    known = of.measure.of_area is not None and of.automatic and of.system.alone
    return None if of.drawn.ranks.noise is None or known else estimate.NO_INTERVAL


def withheld(of: Sample, at: int, level: float) -> estimate.ModelInterval | None:
    """Return none where it would miss the truth too often.

    Resamples cannot reach a rate where another is fixed that allows less than 4 errors; and see
    ``Measure.unknown_of_pairs``.
    """
    too_few = allows_fewer(LEAST_ALLOWED, of.measure, *of.system.first.test.trials)
    of_pairs = of.measure.unknown_of_pairs and of.drawn.ranks.unit_b is not None
    return estimate.WITHHELD if (too_few or of_pairs) and of.automatic else None


def of_area(of: Sample, at: int, level: float) -> estimate.ModelInterval | None:
    """Return the logit interval of an AUC, or a + b AUC: by DeLong's standard error, or by clusters and t.

    Of independent trials with weights by the linearised standard error; of clusters with weights none.
    """
    if of.measure.of_area is None or not of.closed:
        return None
    a, b = of.measure.of_area
    model, drawn = of.system.first, of.drawn
    area, cuts, noise = (float(of.point[at]) - a) / b, model.test, drawn.ranks.noise
    if drawn.ranks.weight is not None:
        if drawn.clustered or drawn.ranks.mix is not None or drawn.ranks.in_blocks:
            return None
        limits = estimate.weighted_auc_interval(area, drawn.placements(model), drawn.ranks, level)
    else:
        added = noise.of_area(model.id, cuts.score, cuts.n_target, cuts.n_nontarget, area) if noise else 0.0
        limits = estimate.auc_interval(area, drawn.placements(model), drawn.ranks, level, of.design, added)
    if limits.low is None or limits.high is None:
        return limits
    low, high = sorted((a + b * limits.low, a + b * limits.high))
    return replace(limits, low=low, high=high, se=None if limits.se is None else abs(b) * limits.se)


def at_best_cut(of: Sample, at: int, level: float) -> estimate.ModelInterval | None:
    """Return the interval of a least cost: that of its error rates at the best threshold.

    Of clusters the mean limits of runs, of anything else lowered by their optimism.
    """
    if of.measure.least_cost is None or not of.fixed:
        return None
    if of.drawn.clustered and (of.drawn.ranks.unit_b is None or of.design.pools is not None):
        return _best_cut_of_clusters(of, at, level)
    swept = [
        best_cut.SweptRun(
            run.test.staircase, run.rank, values[:, 0], best_cut.best_cuts(of.measure, run.test.staircase)
        )
        for run, values in zip(of.system.runs, of.replicates_by_run, strict=True)
    ]
    value = float(of.point[at])
    return best_cut.best_cut_interval(of.measure, value, swept, of.drawn.ranks, of.drawn.units, level)


def _best_cut_of_clusters(of: Sample, at: int, level: float) -> estimate.ModelInterval:
    measure, limits, again = of.measure, [], []
    for run, drawn, value in zip(of.system.runs, of.replicates_by_run, of.by_run, strict=True):
        values, design = of.design.reduced(drawn[:, 0], float(value[0]))
        cuts = best_cut.best_cuts(measure, run.test.staircase)
        rates = [of.drawn.error_rates.rejecting(run, cut.rejected) for cut in cuts]
        limits.append(best_cut.clustered_best_cut(measure, cuts, rates, values, design, level))
        again.append(values)
    optimism = best_cut.optimism_of(measure, float(of.point[at]), again)
    return replace(mean_of_limits(limits), optimism=optimism)


def with_cut_held(of: Sample, at: int, level: float) -> estimate.ModelInterval | None:
    """Return the interval of another optimum by resamples that keep its threshold, hull or map."""
    optimum = of.measure.optimum
    if optimum is None or not of.fixed:
        return None
    for run in of.system.runs:
        if run.value(EER_INTERP).number * min(run.test.trials) < optimum.least_errors:
            return estimate.WITHHELD
    held = [of.drawn.sweeps[run.id][best_cut.held_name(of.measure)] for run in of.system.runs]
    mean, value = of.system.mean(held, of.study), float(of.point[at])
    again, (mean, design) = of.reduced(at)[0], of.design.reduced(mean, value)
    return best_cut.held_interval(of.measure, value, mean, again, design, level)


def of_bayes_decisions(of: Sample, at: int, level: float) -> estimate.ModelInterval | None:
    """Return the interval of a mean cost of Bayes decisions: the mean limits of these costs.

    Each is a sum of error rates at a threshold that no trial moved. Over runs too: exact where errors of
    several thresholds come together, too wide where not.
    """
    measure, drawn = of.measure, of.drawn
    if measure.bayes_costs is None or measure.calibration != "none" or not of.fixed:
        return None
    limits = []
    for run in of.system.runs:
        llr = run.scaling.llr(run.test.score)
        assert llr is not None
        for weights in pairs_of(measure.bayes_costs, measure.arguments):
            cut = int(np.searchsorted(llr, math.log(weights[0] / weights[1])))
            rates = [drawn.error_rates.at_cut(run, cut, share) for share in (FALSE_ALARMS, MISSES)]
            limits.append(square_and_add(list(zip(weights, rates, strict=True)), level))
    low, high = np.mean(limits, axis=0)
    return estimate.ModelInterval(float(low), float(high), "square_and_add")


def of_item_means(of: Sample, at: int, level: float) -> estimate.ModelInterval | None:
    """Return the limits of a mean score over items, each the mean of its runs, or over clusters."""
    if not (of.measure.of_grades and of.fixed):
        return None
    scores = item_scores(of.system, of.drawn.ranks)
    return None if scores is None else score_limits(scores, of.drawn.ranks, of.drawn.units, level)


def of_mean_costs(of: Sample, at: int, level: float) -> estimate.ModelInterval | None:
    """Return the limits of a mean cost of independent trials by Student's t, corrected for their skewness.

    Where trials are drawn by class, the mean over all of them is that of both classes at their shares.
    """
    measure, drawn = of.measure, of.drawn
    if measure.mean_costs is None or drawn.clustered or drawn.ranks.weight is not None or not of.closed:
        return None
    run = of.system.first
    score = run.scaling.scores_for(measure, run.test.score)
    missed, alarmed, weights = measure.mean_costs(score, **measure.arguments)
    counts = [
        np.asarray(of_class, dtype=np.float64) for of_class in (run.test.n_target, run.test.n_nontarget)
    ]
    if weights is None and of.study.inference.stratify == "label":
        n1, n0 = run.test.totals
        weights = n1 / (n1 + n0), n0 / (n1 + n0)
    if weights is None:
        classes = [Costs(1.0, np.concatenate((missed, alarmed)), np.concatenate(counts))]
    else:
        classes = [Costs(*each) for each in zip(weights, (missed, alarmed), counts, strict=True)]
    limits = skewed_t(classes, level)
    return None if limits is None else estimate.ModelInterval(*limits, "skewed_t")


def of_highest(of: Sample, at: int, level: float) -> estimate.ModelInterval | None:
    """Return Wilson's interval of a share of the highest scores, in as many trials as resamples show."""
    measure = of.measure
    if measure.highest is None or of.drawn.ranks.weight is not None or not of.closed:
        return None
    most = measure.highest(sum(of.system.first.test.trials), **measure.arguments)
    return estimate.share_interval(float(of.point[at]), of.column(at), most, of.design, level)


def of_index(of: Sample, at: int, level: float) -> estimate.ModelInterval | None:
    """Return the interval of an index of the calibration curve, down to 0 where chance explains it."""
    if not of.measure.smooth or not of.automatic:
        return None
    limits = of_readers(of, at, level) or of_replicates(of, at, level)
    names, value = calibrated_name(of.measure), float(of.point[at])
    place = GAP_INDICES.index(of.measure.formula)
    by_chance = np.mean([of.drawn.sweeps[run.id][names][:, place] for run in of.system.runs], axis=0)
    by_chance = by_chance[:: of.design.sets]  # of two pools by draws of both, which spread too much
    limits = best_cut.from_zero(limits, value, by_chance, Design.of(of.drawn.units, level))
    if of.measure.formula is not emax or limits.low is None:
        return limits
    # One point decides, most often an outer one, where few trials make resamples that spread too little.
    gaps = [_least_gap(run, of, level) for run in of.system.runs]
    return replace(limits, low=min(limits.low, float(np.mean(gaps))))


def _least_gap(run: JudgedModel, of: Sample, level: float) -> float:
    """Return the least Emax that the simultaneous band of the smooth curve holds; 0 without a band."""
    curve = smooth_curve(run, of.measure.calibration, share_of(of.measure))
    limits = curve.limits(of.drawn.sweeps[run.id][curve.name], of.design, level)
    return 0.0 if limits is None else curve.least_gap(limits)


def of_readers(of: Sample, at: int, level: float) -> estimate.ModelInterval | None:
    """Return the interval of a mean over readers by Obuchowski and Rockette's standard error, and t.

    At a threshold where resamples show nothing, as where no reader errs, the mean limits of readers alike.
    """
    if not (of.over_readers and of.automatic):
        return None
    value, here = float(of.point[at]), slice(at, at + 1)
    noise = [of_run[:, here] for of_run in of.noise] if of.operations else of.noise
    spread = reader_spread([values[here] for values in of.by_run], noise, of.variance)
    df = min(float(spread.df[0]), math.inf if of.design.df is None else of.design.df)
    limits = estimate.interval_within(value, float(spread.se[0]), of.measures[at].bounds, level, df)
    if limits.method:
        return replace(limits, replicates=len(of.replicates_by_run[0]) // of.design.sets)
    alike = len({float(values[at]) for values in of.by_run}) == 1
    return rates_interval(of, at, level) if of.operations and alike else limits


def of_rates(of: Sample, at: int, level: float) -> estimate.ModelInterval | None:
    """Return the interval of a share of trials, or of a sum of FAR and FRR, at a given threshold.

    Of one run, and not across folds, whose thresholds saw these very trials.
    """
    if not of.system.alone or of.estimand != "given_thresholds" or of.across_folds:
        return None
    limits = rates_interval(of, at, level)
    return limits if limits.method else None


def no_more_noise(of: Sample, at: int, level: float) -> estimate.ModelInterval | None:
    """Return none where counts carry noise: its effect on other numbers is unknown."""
    return None if of.drawn.ranks.noise is None else estimate.NO_INTERVAL


def of_replicates(of: Sample, at: int, level: float) -> estimate.ModelInterval:
    """Return the percentile interval of resamples; of clusters and skewed ones, by their standard error.

    At a threshold where all resamples agree, as without any error, the interval is that of a given one.
    """
    settings = of.study.inference
    measure, value = of.measures[at], float(of.point[at])
    column, influence, design = _replicates(of, at)
    # Readers drawn from many may carry a resample beyond what the measure can be; of two pools their spread
    # counts, and it is not truncated.
    values = column if of.design.pools is not None else np.clip(column, *measure.bounds)
    limits, spread_out = estimate.NO_INTERVAL, values
    if of.automatic and measure.smooth:
        spread_out = value + replace(design, level=level).factor * (values - value)
    elif of.automatic and (design.df is not None or measure.skewed):
        limits = estimate.spread_interval(value, values, measure.bounds, level, design)
    if not limits.method:
        limits = estimate.estimate_by(
            settings.interval, value, spread_out, level, of.design.n_units, influence
        )
    if measure.biased_upward and of.automatic:
        limits = best_cut.lowered(limits, measure, value, values)
    return limits if limits.method or not of.operations else rates_interval(of, at, level)


OVER_SWEEP: tuple[Method, ...] = (
    unknown,
    withheld,
    of_area,
    at_best_cut,
    with_cut_held,
    of_bayes_decisions,
    of_item_means,
    of_mean_costs,
    of_highest,
    of_index,
    of_readers,
    of_replicates,
)
"""How a number over the sweep gets its interval."""
AT_THRESHOLDS: tuple[Method, ...] = (of_rates, no_more_noise, of_readers, of_replicates)
"""How a number at a threshold gets its interval."""


def _replicates(of: Sample, at: int) -> tuple[FloatArray, estimate.Influence | None, Design]:
    """Return the resamples at a threshold, with what outcomes of independent trials contribute to them.

    Outcomes of independent trials are drawn for each operation. Where a single criterion decides the test
    trials as a point of a curve does, its draws serve for both, and both get the same interval.
    """
    collapsed = of.drawn.collapsed and of.estimand == "given_thresholds" and of.system.alone
    if not collapsed:
        column, design = of.reduced(at)
        return column, None, design
    ((model, operation),), measure = of.operations, of.measures[at]
    errors, again, here = operation.test, of.errors[0], at
    if of.alpha is not None:
        decided = errors.misses[at], errors.false_alarms[at]
        single = (o for o in model.single.values() if (o.test.misses[0], o.test.false_alarms[0]) == decided)
        if (alike := next(single, None)) is not None:
            again, here = of.drawn.at(model, alike), 0
    column = of.column(at) if again is of.errors[0] else again.values(measure)[:, here]
    formula = partial(measure.formula, **measure.arguments)
    observed = int(errors.misses[at]), int(errors.false_alarms[at]), *model.test.totals
    drawn = again.misses[:, here], again.false_alarms[:, here], again.n_target[:, 0], again.n_nontarget[:, 0]
    influence = estimate.Influence(
        partial(influences_of_one, formula, observed), partial(influences_of_one, formula, drawn)
    )
    return column, influence, of.design


def rates_interval(
    of: Sample, at: int, level: float | BandLevel, *, exact: bool = False
) -> estimate.ModelInterval:
    """Return the interval of a share of trials, or a sum of FAR and FRR, at a given threshold.

    Wilson's, of none and all that of Clopper and Pearson; of a sum those of both rates, squared and added;
    with effective sizes and t where trials depend. None of any other measure. Of runs the mean limits.
    ``exact``: every rate has the limits of few errors.
    """
    if not of.automatic:
        return estimate.NO_INTERVAL
    of_runs = [_of_run(of, run, at, level, exact) for run in range(len(of.operations))]
    return of_runs[0] if len(of_runs) == 1 else mean_of_limits(of_runs)


def _of_run(of: Sample, run: int, at: int, level: float | BandLevel, exact: bool) -> estimate.ModelInterval:
    (model, operation), rates = of.operations[run], of.drawn.error_rates
    return interval_of_rates(
        of.measures[at],
        lambda share: rates.at(model, operation, share, at),
        level,
        exact=exact,
        of_kind=lambda spoof: rates.of_kind(model, operation, at, spoof=spoof),
    )


def interval_of_rates(
    measure: Measure,
    rate_of: Callable[[Share], EffectiveRate],
    level: float | BandLevel,
    *,
    exact: bool = False,
    of_kind: Callable[[bool], EffectiveRate] | None = None,
) -> estimate.ModelInterval:
    """Return the interval of a share of trials, or a sum of FAR and FRR; none of any other measure.

    ``of_kind``: how often zero-effort trials, or spoofs, are accepted, of which a measure may be a sum.
    """

    if measure.counted is not None and measure.arguments.get("prevalence", "sample") == "sample":
        rate = rate_of(measure.counted)
        return estimate.rate_interval(rate._replace(few=True) if exact else rate, level)
    weights = measure.rate_weights()
    if weights is None or (measure.mix is not None and of_kind is None):
        return estimate.NO_INTERVAL
    far, frr = weights
    terms = [(frr, rate_of(MISSES))]
    if measure.mix is None or of_kind is None:
        terms.insert(0, (far, rate_of(FALSE_ALARMS)))
    else:
        # A cost of three kinds of trials.
        for share_of_kind, spoof in zip(measure.mix, (False, True), strict=True):
            terms.insert(-1, (far * share_of_kind / sum(measure.mix), of_kind(spoof)))
    low, high = square_and_add(terms, level, exact=exact)
    # The sum of both rates ends at 0, and the cost at its constant.
    return estimate.ModelInterval(low + measure.constant, high + measure.constant, "square_and_add")


def mean_of_limits(intervals: Sequence[estimate.ModelInterval]) -> estimate.ModelInterval:
    """Return the mean limits of runs, exact where all err alike and too wide where not; none without any."""
    limits = [(of.low, of.high) for of in intervals if of.low is not None and of.high is not None]
    if len(limits) < len(intervals):
        return estimate.NO_INTERVAL
    low, high = np.mean(limits, axis=0).tolist()
    return replace(intervals[0], low=low, high=high)
