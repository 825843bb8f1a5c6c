"""Intervals of measures that are read at the best threshold of the trials that they judge (methods 8.9)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from reporting.base.arrays import FloatArray, IntArray, RankArray
from reporting.base.records import dataclass, replace
from reporting.core.counts.ranks import Ranks
from reporting.core.measures.measure import HULL_CORRECTION, Measure, pairs_of
from reporting.core.resampling.design import Design
from reporting.core.resampling.estimate import NO_INTERVAL, ModelInterval, know_nothing, spread
from reporting.core.resampling.units import Units
from reporting.core.stats import intervals, own_cut
from reporting.core.stats.crossed_units import dyadic_se
from reporting.core.stats.effective_size import EffectiveRate, square_and_add
from reporting.core.stats.own_cut import BestCut, ByClass, effective_size
from reporting.core.stats.staircase import Staircase
from reporting.core.stats.sweep import Reader


class SweptRun(NamedTuple):
    """One run of a model: its thresholds, its resamples, and where every cost of the measure is least."""

    staircase: Staircase
    rank: RankArray
    """The place of each trial among the distinct scores (shape (N,))."""
    values: FloatArray
    """The measure of its resamples (shape (M,))."""
    cuts: Sequence[BestCut]
    """``best_cuts``."""


REPEATED = 2 ** (2 / 3) - 1
"""The share of the optimism of a least cost that its resamples repeat: near a smooth optimum that of N
trials goes with N^(-2/3), and a resample varies as N / 2 trials do."""


def shown_optimism(measure: Measure, value: float, values: FloatArray) -> float:
    """Return by how much an optimum looks better in its resamples (shape (M,)) than on the trials, or 0."""
    sign = 1 if measure.better == "higher" else -1
    shown = sign * (float(np.mean(values)) - value)
    return max(0.0, shown) if math.isfinite(shown) else 0.0


def optimism_of(measure: Measure, value: float, by_run: Sequence[FloatArray]) -> float:
    """Return how much better than the truth a least cost looks, by its resamples of every run, or 0."""
    return shown_optimism(measure, value, np.mean(by_run, axis=0)) / REPEATED


def held_name(measure: Measure) -> str:
    """The name under which resamples of a measure with its threshold, hull or map held are kept."""
    return f"held {measure}"


@dataclass(frozen=True, eq=False)
class HeldReader:
    """Reads an optimum off resamples with the threshold, hull or map of the trials; ``shift`` is added.

    Read off the trials themselves, it is the value.
    """

    read: Reader
    shift: float

    @classmethod
    def of(cls, measure: Measure, errors: tuple[IntArray, IntArray], value: float) -> HeldReader:
        """Return the reader of a measure whose trials made these errors at the thresholds of resamples."""
        assert measure.optimum is not None
        read = measure.optimum.hold(*errors, **measure.arguments)
        return cls(read, value - float(read(*errors)))

    def __call__(self, misses: Any, false_alarms: Any) -> FloatArray:
        """Return the measure of every resample."""
        return self.read(misses, false_alarms) + self.shift


def held_interval(
    measure: Measure, value: float, held: FloatArray, values: FloatArray, design: Design, level: float
) -> ModelInterval:
    """Return the interval of an optimum from resamples (shape (M,)) that hold its threshold, hull or map.

    These have its spread, and none of the optimism of which resamples that choose anew (``values``) show
    a part: ``correction`` times that is taken off on the side where the truth lies. On the logit scale of the
    range; clusters are read against t, with their inflation. Undefined where resamples do not differ, and at
    the ends of the range.
    """
    assert measure.optimum is not None
    least, most = measure.bounds[0], min(measure.bounds[1], 1.0)
    if know_nothing(held, design.n_units) or not least < value < most:
        return NO_INTERVAL
    low, high = intervals.within(value, spread(held, design), (least, most), level, design.df)
    optimism = measure.optimum.correction * shown_optimism(measure, value, values)
    ends = (low - optimism, high) if measure.better == "higher" else (low, high + optimism)
    low, high = (min(max(end, least), most) for end in ends)
    return ModelInterval(low, high, "held_cut", len(held), optimism=optimism)


def lowered(interval: ModelInterval, measure: Measure, value: float, values: FloatArray) -> ModelInterval:
    """Return the interval of a measure that is ``biased_upward``, its lower limit corrected.

    Resamples (shape (M,)) repeat .45 of what the value lies too high, and lie that much higher themselves:
    both are taken off. The upper limit stays.
    """
    rise = float(np.mean(values)) - value
    if interval.low is None or not rise > 0:
        return interval
    low = max(measure.bounds[0], interval.low - (1 + HULL_CORRECTION) * rise)
    return replace(interval, low=low, method="lowered", values=None)


def from_zero(
    interval: ModelInterval, value: float, if_calibrated: FloatArray, design: Design
) -> ModelInterval:
    """Return the interval of an index of calibration, its lower limit 0 where chance may have made the value.

    ``if_calibrated`` is the index in resamples (shape (M,)) of calibrated probabilities; those of G clusters
    reach farther by ``Design.factor``.
    """
    upper = intervals.percentile(if_calibrated, design.level)
    if interval.low is None or upper is None or value > design.factor * upper.high:
        return interval
    return replace(interval, low=0.0, method="lowered", values=None)


def best_cut_interval(
    measure: Measure, value: float, runs: Sequence[SweptRun], trials: Ranks, units: Units, level: float
) -> ModelInterval:
    """Return the interval of the mean over runs of a measure that is a least cost (``Measure.least_cost``).

    The mean of the limits of every run and cost: exact where these move together, too wide where not, but for
    the sizes of both classes, which are those of the mean. Pair trials are read against t. See
    ``core/stats/own_cut.py``.
    """
    sizes = _sizes(runs, trials, units)
    limits = [_limits(measure, run, sizes, level, units.degrees_of_freedom) for run in runs]
    low, high = (float(np.mean(ends)) for ends in zip(*limits, strict=True))
    if not (math.isfinite(low) and math.isfinite(high)):
        return NO_INTERVAL
    optimism = optimism_of(measure, value, [run.values for run in runs])
    return ModelInterval(low, high, "best_cut", len(runs[0].values), optimism=optimism)


def clustered_best_cut(
    measure: Measure,
    cuts: Sequence[BestCut],
    rates: Sequence[Sequence[EffectiveRate]],
    values: FloatArray,
    design: Design,
    level: float,
) -> ModelInterval:
    """Return the interval of a least cost of clustered trials of one run, by FAR and FRR at its thresholds.

    Of every cost both are squared and added with their correlation by cluster, and the distances lie about
    that cost: the EER of the hull is less than both rates where thresholds cross. Of several costs the mean
    limits count. Resamples (``values``, shape (M,)) re-select the threshold: where they spread more than the
    sum at the threshold held does, distances are longer by that factor.
    """
    least = measure.least_cost
    assert least is not None
    terms = [list(zip(cut.weight, both, strict=True)) for cut, both in zip(cuts, rates, strict=True)]
    moved = [w * rate.moved for of_cost in terms for w, rate in of_cost if rate.moved is not None]
    held = math.sqrt(float((np.sum(moved, axis=0) ** 2).sum())) / len(cuts)
    costs = least.cost(values - measure.constant)
    wider = max(1.0, spread(costs, design) / held) if held > 0 else 1.0
    limits = [
        square_and_add(of_cost, level, about=cut.cost, wider=wider)
        for cut, of_cost in zip(cuts, terms, strict=True)
    ]
    low, high = np.mean(limits, axis=0)
    return ModelInterval(*_on_own_scale(measure, cuts, low, high), "best_cut_clustered", len(values))


def best_cuts(measure: Measure, staircase: Staircase) -> Sequence[BestCut]:
    """Return the threshold of every cost of which a least cost is the mean. Both classes must be there."""
    assert measure.least_cost is not None
    weights = measure.least_cost.weights
    if weights is None:
        return [own_cut.equal_error(staircase)]
    return [own_cut.least_cost(staircase, *pair) for pair in pairs_of(weights, measure.arguments)]


def _limits(
    measure: Measure, run: SweptRun, sizes: ByClass, level: float, df: float | None
) -> tuple[float, float]:
    """Of one run; its minimum lies too low by what resamples show of that."""
    assert measure.least_cost is not None
    of_costs = [own_cut.limits(run.staircase, cut, sizes, level, df) for cut in run.cuts]
    lows, highs = zip(*of_costs, strict=True)
    again = float(np.mean(measure.least_cost.cost(run.values - measure.constant)))
    optimism = float(np.mean([cut.cost for cut in run.cuts])) - again
    high = float(np.mean(highs)) + max(0.0, optimism)
    return _on_own_scale(measure, run.cuts, float(np.mean(lows)), high)


def _on_own_scale(measure: Measure, cuts: Sequence[BestCut], low: float, high: float) -> tuple[float, float]:
    """Return limits of a least cost on the measure's scale, at most the cost of a constant decision."""
    assert measure.least_cost is not None
    ends = low, min(float(np.mean([cut.most for cut in cuts])), high)
    low, high = sorted(float(measure.least_cost.value(end)) + measure.constant for end in ends)
    return low, high


def _sizes(runs: Sequence[SweptRun], trials: Ranks, units: Units) -> ByClass:
    """Return how many independent non-targets and targets the errors there are worth."""
    if len(runs) == 1 and not units.clustered and trials.weight is None:
        # Shared by all trials of a score: they need not be looked at one by one.
        (run,) = runs
        of_class = zip(*(cut.effect for cut in run.cuts), strict=True)
        whole = run.staircase.n_nontarget, run.staircase.n_target
        return ByClass(*map(effective_size, whole, map(max, of_class)))
    effects = [_effect(runs, trials, units, of) for of in (0, 1)]
    if units.clustered and effects == [None, None]:
        return ByClass(float(units.fewest), float(units.fewest))  # nothing shows how alike their trials are
    # A class without errors is taken to be as alike within clusters as the other.
    known = [effect for effect in effects if effect is not None] or [1.0]
    return ByClass(
        *(
            effective_size(_worth(trials, of), known[0] if effect is None else effect)
            for of, effect in enumerate(effects)
        )
    )


def _worth(trials: Ranks, of: int) -> float:
    """How many trials of one weight those of a class are worth: (sum w)^2 / sum w^2 (Kish 1965)."""
    weight = _weight(trials, of)
    return float(weight.sum()) ** 2 / float((weight * weight).sum())


def _weight(trials: Ranks, of: int) -> FloatArray:
    """The weights of the non-targets (0) or targets (1), and 0 for the others."""
    members = trials.label if of else ~trials.label
    return members.astype(np.float64) if trials.weight is None else np.where(members, trials.weight, 0.0)


def _effect(runs: Sequence[SweptRun], trials: Ranks, units: Units, of: int) -> float | None:
    """The design effect of a class, from the mean of its errors over runs and costs; None where none varies.

    Pairs of members never make trials worth more than independent ones are.
    """
    weight = _weight(trials, of) / _weight(trials, of).sum()
    influences, binomial = np.zeros(len(weight)), 0.0
    for run in runs:
        for cut in run.cuts:
            rejected = cut.rejected[run.rank]
            error = rejected if of else 1 - rejected
            rate = min(1.0, float((weight * error).sum()))
            influences += cut.weight[of] * weight * (error - rate)
            binomial += cut.weight[of] * math.sqrt(rate * (1 - rate))
    if not binomial > 0:
        return None
    variance = float((influences**2).sum())
    if units.clustered:
        assert trials.unit_a is not None
        assert trials.unit_b is not None  # other clusters, and two pools, have ``clustered_best_cut``
        variance = max(variance, dyadic_se(influences, trials.unit_a, trials.unit_b) ** 2)
    return variance * _worth(trials, of) / binomial**2
