"""One pair of models on one dataset: every difference between them, first minus second in key order.

The order makes draws and numbers the same whichever of the two the report calls the baseline.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from reporting.counts.outcomes import pair_outcomes
from reporting.frames.operations import Operating
from reporting.frames.resampling import Resampling, stream_names
from reporting.frames.study import Study
from reporting.frames.values import value_at
from reporting.measures.measure import Measure
from reporting.significance.collapsed import pair_discordants, resample_pair
from reporting.significance.compare import (
    Comparison,
    compare_areas,
    compare_decisions,
    compare_replicates,
    compare_studentized,
    decide_alike,
    discordant_flags,
)
from reporting.stats.paired import Discordant
from reporting.stats.paired_counts import difference_of, standard_error_of
from reporting.stats.placements import covariance
from reporting.stats.staircase import IntArray


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
    """A pair at the thresholds of one operation each, resampled once for every measure asked of them."""

    def __init__(self, pair: Pair, name: str, drawn: Resampling, study: Study) -> None:
        self.pair, self.drawn, self.level = pair, drawn, study.inference.level
        models = pair.ordered
        self.operations = [m.operation(name) for m in models]
        binned = [m.binned[o.name] for m, o in zip(models, self.operations, strict=True)]
        outcome = pair_outcomes(drawn.ranks.label, binned[0].bins, binned[1].bins)
        at = binned[0].index, binned[1].index
        self.observed = pair_discordants(outcome, at)
        if drawn.collapsed:
            self._resample(outcome, at, study)
        else:
            self.redrawn = any(drawn.at(m, o).redrawn for m, o in zip(models, self.operations, strict=True))

    def _resample(self, outcome: IntArray, at: tuple[IntArray, IntArray], study: Study) -> None:
        names = stream_names(*self.pair.ordered)
        settings = study.inference
        self.resampled, self.redrawn = resample_pair(outcome, at, settings.seed, names, settings.replicates)

    def compare(self, measure: Measure, at: int) -> Comparison:
        """Compare at the operation's threshold ``at``; an undefined value has no comparison."""
        values = [
            value_at(measure, operation.test, at, model.test)
            for model, operation in zip(self.pair.ordered, self.operations, strict=True)
        ]
        point = values[0] - values[1]
        if math.isnan(point):
            return Comparison(math.nan)
        observed = self.observed.column(at)
        weights = measure.linear()
        if not self.drawn.collapsed:
            made = self._by_units(measure, point, observed, at)
        elif weights is not None:
            made = compare_decisions(observed, self.resampled.column(at), weights, self.level)
        else:
            made = self._studentized(measure, point, observed, at)
        return made.flagged(*discordant_flags(observed, weights or (1.0, 1.0))).drawn_again(self.redrawn)

    def _studentized(self, measure: Measure, point: float, observed: Discordant, at: int) -> Comparison:
        formula, again = partial(measure.formula, **measure.arguments), self.resampled.column(at)
        return compare_studentized(
            point,
            float(standard_error_of(formula, observed)),
            difference_of(formula, again),
            standard_error_of(formula, again),
            self.level,
            alike=decide_alike(observed),
        )

    def _by_units(self, measure: Measure, point: float, observed: Discordant, at: int) -> Comparison:
        """By weights on units: clusters, or trials that do not all weigh the same."""
        values = [
            self.drawn.at(m, o).columns(np.array([at])).values(measure)[:, 0]
            for m, o in zip(self.pair.ordered, self.operations, strict=True)
        ]
        independent = None
        if self.drawn.clustered and self.drawn.ranks.weight is None:
            formula = partial(measure.formula, **measure.arguments)
            independent = float(standard_error_of(formula, observed)) * _clusters_root(self.drawn)
        return compare_replicates(
            point, values[0] - values[1], self.level, alike=decide_alike(observed), independent_se=independent
        )


def compare_sweeps(pair: Pair, measure: Measure, drawn: Resampling, study: Study) -> Comparison:
    """Compare by a measure over the sweep: DeLong for areas of independent trials, else bootstrap normal."""
    models = pair.ordered
    values = [m.value(measure) for m in models]
    point = values[0].number - values[1].number
    if not math.isfinite(point):
        status = next((value.status for value in values if value.status), None)
        return Comparison(math.nan, status=status)
    replicates = [drawn.sweeps[m.key.model][measure] for m in models]
    differences = replicates[0] - replicates[1]
    alike = np.array_equal(models[0].rank, models[1].rank) and values[0] == values[1]
    independent = None
    if measure.of_area is not None and drawn.ranks.weight is None:
        independent = abs(measure.of_area[1]) * _area_se(models, drawn)
    level = study.inference.level
    if independent is not None and not drawn.clustered:
        made = compare_areas(point, independent, differences, level, alike=alike)
    else:
        scaled = independent * _clusters_root(drawn) if independent else None
        made = compare_replicates(point, differences, level, alike=alike, independent_se=scaled)
    return made.drawn_again(drawn.sweeps_redrawn)


def _clusters_root(drawn: Resampling) -> float:
    """sqrt((G - 1) / G): a bootstrap of G clusters lacks that factor of the standard error (8.8)."""
    g = drawn.units.n_units
    return math.sqrt((g - 1) / g)


def _area_se(models: tuple[Operating, Operating], drawn: Resampling) -> float:
    covariances = covariance(np.stack([drawn.placements(m) for m in models]), drawn.ranks.label)
    contrast = np.array([1.0, -1.0])
    return float(np.sqrt(max(0.0, contrast @ covariances @ contrast)))
