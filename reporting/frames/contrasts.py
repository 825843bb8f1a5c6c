"""One pair of models on one dataset: every difference between them, first minus second in key order.

The order makes draws and numbers the same whichever of the two the report calls the baseline.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from reporting.counts.outcomes import pair_outcomes
from reporting.frames.epc import along_alphas, at_alpha
from reporting.frames.operations import Operating
from reporting.frames.resampling import Resampling, stream_names
from reporting.frames.study import Study
from reporting.frames.values import value_at
from reporting.measures.measure import Measure
from reporting.significance.collapsed import pair_discordants, resample_pair
from reporting.significance.compare import (
    Comparison,
    Spread,
    compare_areas,
    compare_decisions,
    compare_replicates,
    compare_studentized,
    decide_alike,
    discordant_flags,
)
from reporting.significance.settings import Estimand
from reporting.stats.multiplicity import Simultaneous, sup_t
from reporting.stats.paired import Discordant
from reporting.stats.paired_counts import difference_of, standard_error_of
from reporting.stats.placements import covariance
from reporting.stats.staircase import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Pair:
    """Two models on one dataset, as the report names them."""

    model: Operating
    baseline: Operating

    @property
    def ordered(self) -> tuple[Operating, Operating]:
        """Both models, in key order."""
        first, second = sorted((self.model, self.baseline), key=lambda m: m.key)
        return first, second

    def turned(self, comparison: Comparison) -> Comparison:
        """Turn first - second into model - baseline."""
        return comparison if self.ordered[0] is self.model else comparison.reversed()


class Decisions:
    """A pair at the thresholds of one operation each, resampled once for every measure asked of them.

    Under ``given_thresholds`` the thresholds stay, under ``procedure`` each replicate has its own.
    """

    def __init__(self, pair: Pair, name: str, estimand: Estimand, drawn: Resampling, study: Study) -> None:
        self.pair, self.drawn, self.estimand, self.level = pair, drawn, estimand, study.inference.level
        models = pair.ordered
        self.operations = [m.operation(name) for m in models]
        binned = [m.binned[o.name] for m, o in zip(models, self.operations, strict=True)]
        outcome = pair_outcomes(drawn.ranks.label, binned[0].bins, binned[1].bins)
        at = binned[0].index, binned[1].index
        self.observed = pair_discordants(outcome, at)
        self.by_outcomes = drawn.collapsed and estimand == "given_thresholds"
        self._differences: dict[Measure, FloatArray] = {}
        if self.by_outcomes:
            self._resample(outcome, at, study)
        else:
            self.redrawn = any(again.redrawn for again in self._replicates())

    def _resample(self, outcome: IntArray, at: tuple[IntArray, IntArray], study: Study) -> None:
        names = stream_names(*self.pair.ordered)
        settings = study.inference
        by_class = settings.stratify == "label"
        self.resampled, self.redrawn = resample_pair(
            outcome, at, settings.seed, names, settings.replicates, by_class=by_class
        )

    def _replicates(self) -> list[Any]:
        models = zip(self.pair.ordered, self.operations, strict=True)
        return [self.drawn.at(m, o, self.estimand) for m, o in models]

    @property
    def _alpha(self) -> FloatArray | None:
        return self.operations[0].chosen.alpha

    def at(self, measure: Measure, at: int) -> Measure:
        """The measure as it stands at one threshold: a bare one takes that threshold's alpha."""
        return measure if self._alpha is None else at_alpha(measure, float(self._alpha[at]))

    def point(self, measure: Measure, at: int) -> float:
        """The difference on the trials themselves; NaN where it is undefined."""
        first, second = (
            value_at(self.at(measure, at), operation.test, at, model.test)
            for model, operation in zip(self.pair.ordered, self.operations, strict=True)
        )
        return first - second

    def differences(self, measure: Measure) -> FloatArray:
        """The difference in every replicate at every threshold: shape (M, P)."""
        if measure not in self._differences:
            alpha = self._alpha
            along = {} if alpha is None else along_alphas(measure, alpha)
            if self.by_outcomes:
                formula = partial(measure.formula, **(measure.arguments | along))
                found = difference_of(formula, self.resampled)
            else:
                first, second = (again.values(measure, **along) for again in self._replicates())
                found = first - second
            self._differences = {measure: found}  # one at a time: the next measure needs the room
        return self._differences[measure]

    def band(self, measure: Measure) -> Simultaneous | None:
        """The band of the difference along the thresholds that holds at all of them at once."""
        differences = self.differences(measure)
        points = np.array([self.point(measure, at) for at in range(differences.shape[1])])
        return sup_t(points, differences, self.level)

    def compare(self, measure: Measure, at: int) -> Comparison:
        """Compare at the operation's threshold ``at``; an undefined value has no comparison."""
        point = self.point(measure, at)
        if math.isnan(point):
            return Comparison(math.nan)
        observed, own = self.observed.column(at), self.at(measure, at)
        weights = own.linear()
        if not self.by_outcomes:
            made = self._by_units(own, point, observed, self.differences(measure)[:, at])
        elif weights is not None:
            made = compare_decisions(observed, self.resampled.column(at), weights, self.level)
        else:
            made = self._studentized(own, point, observed, at)
        return made.flagged(*discordant_flags(observed, weights or (1.0, 1.0))).drawn_again(self.redrawn)

    def _studentized(self, measure: Measure, point: float, observed: Discordant, at: int) -> Comparison:
        formula, again = _formula(measure), self.resampled.column(at)
        return compare_studentized(
            point,
            float(standard_error_of(formula, observed)),
            difference_of(formula, again),
            standard_error_of(formula, again),
            self.level,
            alike=decide_alike(observed),
        )

    def _by_units(
        self, measure: Measure, point: float, observed: Discordant, differences: FloatArray
    ) -> Comparison:
        """By weights on units: clusters, trials of different weight, or thresholds chosen again."""
        independent = None
        if self.drawn.clustered and self.drawn.ranks.weight is None and self.estimand == "given_thresholds":
            independent = float(standard_error_of(_formula(measure), observed))
        alike = decide_alike(observed) and (self.estimand == "given_thresholds" or not differences.any())
        return compare_replicates(
            point, differences, spread_of(self.drawn, self.level, independent), alike=alike
        )


def _formula(measure: Measure) -> Callable[..., Any]:
    return partial(measure.formula, **measure.arguments)


def spread_of(drawn: Resampling, level: float, independent_se: float | None = None) -> Spread:
    """How the spread of replicates becomes an interval and a p: normal, or Student's t over clusters."""
    g = drawn.units.n_units
    # A bootstrap of G clusters lacks the factor G / (G - 1) of the variance (methods 8.8).
    inflation = math.sqrt(g / (g - 1)) if drawn.clustered and g > 1 else 1.0
    return Spread(level, drawn.degrees_of_freedom, inflation, independent_se)


def compare_sweeps(pair: Pair, measure: Measure, drawn: Resampling, study: Study) -> Comparison:
    """Compare by a measure over the sweep: DeLong for areas of independent trials, else by bootstrap."""
    models, level = pair.ordered, study.inference.level
    values = [m.value(measure) for m in models]
    point = values[0].number - values[1].number
    if not math.isfinite(point):
        status = next((value.status for value in values if value.status), None)
        return Comparison(math.nan, status=status)
    differences = sweep_differences(pair, measure, drawn)
    alike = np.array_equal(models[0].rank, models[1].rank) and values[0] == values[1]
    independent = None
    if measure.of_area is not None and drawn.ranks.weight is None:
        independent = abs(measure.of_area[1]) * _area_se(models, drawn)
    if independent is not None and not drawn.clustered:
        made = compare_areas(point, independent, differences, level, alike=alike)
    else:
        made = compare_replicates(point, differences, spread_of(drawn, level, independent), alike=alike)
    return made.drawn_again(drawn.sweeps_redrawn)


def sweep_differences(pair: Pair, measure: Measure, drawn: Resampling) -> FloatArray:
    """The difference of a measure over the sweep in every replicate: shape (M,)."""
    first, second = (drawn.sweeps[m.id][measure] for m in pair.ordered)
    return np.asarray(first - second)


def _area_se(models: tuple[Operating, Operating], drawn: Resampling) -> float:
    covariances = covariance(np.stack([drawn.placements(m) for m in models]), drawn.ranks.label)
    contrast = np.array([1.0, -1.0])
    return float(np.sqrt(max(0.0, contrast @ covariances @ contrast)))
