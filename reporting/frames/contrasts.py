"""One pair of models on one dataset: every difference between them, first minus second in key order.

The order makes draws and numbers the same whichever of the two the report calls the baseline.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reporting.counts.outcomes import pair_outcomes
from reporting.frames.metrics import value_over_sweep
from reporting.frames.operations import Operating
from reporting.frames.resampling import Resampling, stream_names
from reporting.frames.study import Study
from reporting.measures.measure import Measure
from reporting.significance.collapsed import pair_discordants, resample_pair
from reporting.significance.compare import (
    Comparison,
    compare_areas,
    compare_decisions,
    compare_replicates,
    decide_alike,
    discordant_flags,
)
from reporting.stats.paired import Discordant, difference, standard_error
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
        if drawn.clustered:
            self.redrawn = any(drawn.at(m, o).redrawn for m, o in zip(models, self.operations, strict=True))
        else:
            self._resample(outcome, at, study)

    def _resample(self, outcome: IntArray, at: tuple[IntArray, IntArray], study: Study) -> None:
        names = stream_names(*self.pair.ordered)
        settings = study.inference
        self.resampled, self.redrawn = resample_pair(outcome, at, settings.seed, names, settings.replicates)

    def compare(self, measure: Measure, at: int) -> Comparison:
        """Compare at the operation's threshold ``at`` by a measure that is linear in FAR and FRR."""
        weights = measure.linear()
        if weights is None:
            raise NotImplementedError(f"comparison of {measure}, which is not linear in FAR and FRR")
        observed = self.observed.column(at)
        sizes = (observed.n_nontarget, observed.n_target)
        if any(weight != 0 and size == 0 for weight, size in zip(weights, sizes, strict=True)):
            return Comparison(math.nan)
        if self.drawn.clustered:
            made = self._by_clusters(measure, weights, observed, at)
        else:
            made = compare_decisions(observed, self.resampled.column(at), weights, self.level)
        return made.flagged(*discordant_flags(observed, weights)).drawn_again(self.redrawn)

    def _by_clusters(
        self, measure: Measure, weights: tuple[float, float], observed: Discordant, at: int
    ) -> Comparison:
        values = [
            self.drawn.at(m, o).columns(np.array([at])).values(measure)[:, 0]
            for m, o in zip(self.pair.ordered, self.operations, strict=True)
        ]
        return compare_replicates(
            float(difference(observed, *weights)),
            values[0] - values[1],
            self.level,
            alike=decide_alike(observed),
            independent_se=float(standard_error(observed, *weights)) * _clusters_root(self.drawn),
        )


def compare_sweeps(pair: Pair, measure: Measure, drawn: Resampling, study: Study) -> Comparison:
    """Compare by a measure over the sweep: DeLong for areas of independent trials, else bootstrap normal."""
    models = pair.ordered
    values = [value_over_sweep(measure, m.test) for m in models]
    point = values[0] - values[1]
    if math.isnan(point):
        return Comparison(math.nan)
    replicates = [drawn.sweeps[m.key.model][measure] for m in models]
    differences = replicates[0] - replicates[1]
    alike = np.array_equal(models[0].rank, models[1].rank)
    independent = _area_se(models, drawn) if measure.key == "auc" else None
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
