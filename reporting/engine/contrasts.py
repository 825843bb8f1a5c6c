"""One pair of models on one dataset: every difference between them, first minus second in key order.

The order makes draws and numbers the same whichever of the two the report calls the baseline.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from reporting.counts.outcomes import pair_outcomes
from reporting.engine.model_runs import ModelRuns
from reporting.engine.operations import JudgedModel
from reporting.engine.resampling import Resampling, stream_names
from reporting.engine.study import Study
from reporting.engine.values import along_alphas, at_alpha, values_at
from reporting.measures.measure import Measure
from reporting.significance.bootstrap import Replicates, pair_discordants, resample_pair
from reporting.significance.estimate import Influence
from reporting.significance.paired import (
    Comparison,
    Spread,
    compare_areas,
    compare_by,
    compare_decisions,
    compare_replicates,
    compare_studentized,
    decide_alike,
    discordant_flags,
)
from reporting.significance.settings import Estimand
from reporting.stats.crossed_units import reader_spread
from reporting.stats.multiplicity import Simultaneous, sup_t
from reporting.stats.paired import Discordant, difference_of, influences, standard_error_of
from reporting.stats.placements import covariance
from reporting.stats.staircase import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Pair:
    """Two models on one dataset, as the report names them."""

    model: ModelRuns
    baseline: ModelRuns

    @property
    def alone(self) -> bool:
        """True where both have a single run."""
        return self.model.alone and self.baseline.alone

    @property
    def ordered(self) -> tuple[ModelRuns, ModelRuns]:
        """Both models, in key order."""
        first, second = sorted((self.model, self.baseline), key=lambda m: m.key)
        return first, second

    def turned(self, comparison: Comparison) -> Comparison:
        """Turn first - second into model - baseline."""
        return comparison if self.ordered[0] is self.model else comparison.reversed()


class Decisions:
    """A pair at the thresholds of one operation each, resampled once for every measure asked of them.

    Under ``given_thresholds`` the thresholds stay, under ``procedure`` each replicate has its own. Of
    several runs the mean is compared.
    """

    def __init__(self, pair: Pair, name: str, estimand: Estimand, drawn: Resampling, study: Study) -> None:
        self.pair, self.drawn, self.estimand, self.study = pair, drawn, estimand, study
        self.level = study.inference.level
        self.operations = [team.operations(name) for team in pair.ordered]
        self.observed: Discordant | None = None
        self.by_outcomes = drawn.collapsed and estimand == "given_thresholds" and pair.alone
        self._differences: dict[tuple[Measure, bool], FloatArray] = {}
        self._points: dict[Measure, FloatArray] = {}
        if pair.alone:
            self._observe(name)
        if not self.by_outcomes:
            self.redrawn = any(again.redrawn for team in self._replicates() for again in team)

    def _observe(self, name: str) -> None:
        """Count how the two decide every trial, and resample that where it is all that is needed."""
        binned = [team.first.binned(name) for team in self.pair.ordered]
        outcome = pair_outcomes(self.drawn.ranks.label, binned[0].bins, binned[1].bins)
        at = binned[0].index, binned[1].index
        self.observed = pair_discordants(outcome, at)
        if self.by_outcomes:
            self._resample(outcome, at, self.study)

    def _resample(self, outcome: IntArray, at: tuple[IntArray, IntArray], study: Study) -> None:
        names = stream_names(*(team.first for team in self.pair.ordered))
        settings = study.inference
        by_class = settings.stratify == "label"
        self.resampled, self.redrawn = resample_pair(
            outcome, at, settings.seed, names, settings.replicates, by_class=by_class
        )

    def _replicates(self) -> list[list[Replicates]]:
        """The replicates of every run of both models, by weights on units."""
        return [
            [self.drawn.by_weights(run, operation, self.estimand) for run, operation in team]
            for team in self.operations
        ]

    @property
    def _alpha(self) -> FloatArray | None:
        return self.operations[0][0][1].chosen.alpha

    def at(self, measure: Measure, at: int) -> Measure:
        """The measure as it stands at one threshold: a bare one takes that threshold's alpha."""
        return measure if self._alpha is None else at_alpha(measure, float(self._alpha[at]))

    def _along(self, measure: Measure) -> dict[str, FloatArray]:
        return {} if self._alpha is None else along_alphas(measure, self._alpha)

    def points(self, measure: Measure) -> FloatArray:
        """The difference on the trials themselves at every threshold (shape (P,)); NaN where undefined."""
        if measure not in self._points:
            first, second = (
                np.mean(
                    [values_at(measure, o.test, run.test, **self._along(measure)) for run, o in team], axis=0
                )
                for team in self.operations
            )
            self._points[measure] = first - second
        return self._points[measure]

    def differences(self, measure: Measure, *, readers: bool = True) -> FloatArray:
        """The difference in every replicate at every threshold: shape (M, P), readers drawn too or not."""
        if (measure, readers) not in self._differences:
            along = self._along(measure)
            if self.by_outcomes:
                formula = partial(measure.formula, **(measure.arguments | along))
                found = difference_of(formula, self.resampled)
            else:
                first, second = (
                    team.mean([v.values(measure, **along) for v in drawn], self.study, readers=readers)
                    for team, drawn in zip(self.pair.ordered, self._replicates(), strict=True)
                )
                found = first - second
            # One measure at a time: the next one needs the room.
            kept = {asked: one for asked, one in self._differences.items() if asked[0] == measure}
            self._differences = kept | {(measure, readers): found}
        return self._differences[measure, readers]

    def band(self, measure: Measure) -> Simultaneous | None:
        """The band of the difference along the thresholds that holds at all of them at once."""
        differences = self.differences(measure)
        points = self.points(measure)
        factor = spread_of(self.drawn, self.level).factor
        return sup_t(points, points + factor * (differences - points), self.level)

    def compare(self, measure: Measure, at: int) -> Comparison:
        """Compare at the operation's threshold ``at``; an undefined value has no comparison."""
        point = float(self.points(measure)[at])
        if math.isnan(point):
            return Comparison(math.nan)
        own = self.at(measure, at)
        weights = own.linear()
        if self.observed is None:
            both, cases = (self.differences(measure, readers=which)[:, at] for which in (True, False))
            made = _compare_runs(point, both, cases, self.pair, self.drawn, self.study)
            return made.drawn_again(self.redrawn)
        observed = self.observed.column(at)
        if not self.by_outcomes:
            made = self._by_units(own, point, observed, self.differences(measure)[:, at])
        elif weights is not None:
            made = compare_decisions(observed, self.resampled.column(at), weights, self.level)
        else:
            made = self._studentized(own, point, observed, at)
        made = self._by_method(made, own, measure, at)
        return made.flagged(*discordant_flags(observed, weights or (1.0, 1.0))).drawn_again(self.redrawn)

    def _by_method(self, made: Comparison, own: Measure, measure: Measure, at: int) -> Comparison:
        """By the config's own method, if it names one."""
        method = self.study.inference.interval
        if method == "auto" or self.observed is None:
            return made
        influence = None
        if self.by_outcomes:
            formula = _formula(own)
            observed, again = self.observed.column(at), self.resampled.column(at)
            influence = Influence(partial(influences, formula, observed), partial(influences, formula, again))
        return compare_by(method, made, self.differences(measure)[:, at], self.level, influence)

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
    level = study.inference.level
    values = [[run.value(measure) for run in team.runs] for team in pair.ordered]
    first, second = (np.mean([value.number for value in team]) for team in values)
    point = float(first - second)
    if not math.isfinite(point):
        status = next((value.status for team in values for value in team if value.status), None)
        return Comparison(math.nan, status=status)
    differences = sweep_differences(pair, measure, drawn, study)
    cautions = drawn.sweep_flags(measure, *(run for team in pair.ordered for run in team.runs))
    if not pair.alone:
        cases = sweep_differences(pair, measure, drawn, study, readers=False)
        made = _compare_runs(point, differences, cases, pair, drawn, study)
        return made.flagged(*cautions).drawn_again(drawn.sweeps_redrawn)
    models = pair.ordered[0].first, pair.ordered[1].first
    alike = np.array_equal(models[0].rank, models[1].rank) and values[0] == values[1]
    independent = None
    if measure.of_area is not None and drawn.ranks.weight is None:
        independent = abs(measure.of_area[1]) * _area_se(models, drawn)
    if independent is not None and not drawn.clustered:
        made, cautions = compare_areas(point, independent, differences, level, alike=alike), []
    else:
        made = compare_replicates(point, differences, spread_of(drawn, level, independent), alike=alike)
    if study.inference.interval != "auto":
        made = compare_by(study.inference.interval, made, differences, level)
    return made.flagged(*cautions).drawn_again(drawn.sweeps_redrawn)


def sweep_differences(
    pair: Pair, measure: Measure, drawn: Resampling, study: Study, *, readers: bool = True
) -> FloatArray:
    """The difference of a measure over the sweep in every replicate: shape (M,)."""
    first, second = (
        team.mean([drawn.sweeps[run.id][measure] for run in team.runs], study, readers=readers)
        for team in pair.ordered
    )
    return np.asarray(first - second)


def _compare_runs(
    point: float, both: FloatArray, cases: FloatArray, pair: Pair, drawn: Resampling, study: Study
) -> Comparison:
    """Compare means over runs: of these very seeds, or of readers drawn from many.

    ``both`` are replicates of trials and readers, ``cases`` of trials alone.
    """
    spread = spread_of(drawn, study.inference.level)
    if study.runs == "reader" and both.std() > 0:
        n = min(len(team.runs) for team in pair.ordered if not team.alone)
        se, df = reader_spread(both, cases, n)
        clusters = math.inf if spread.df is None else spread.df
        degrees = min(df, clusters)
        factor = spread.inflation * se / float(np.std(both, ddof=1))
        spread = replace(spread, df=degrees if math.isfinite(degrees) else None, inflation=factor)
    alike = point == 0 and not both.any()
    return compare_replicates(point, both, spread, alike=alike)


def _area_se(models: tuple[JudgedModel, JudgedModel], drawn: Resampling) -> float:
    covariances = covariance(np.stack([drawn.placements(m) for m in models]), drawn.ranks.label)
    contrast = np.array([1.0, -1.0])
    return float(np.sqrt(max(0.0, contrast @ covariances @ contrast)))


def headline(pair: Pair, name: str, drawn: Resampling, study: Study) -> Estimand:
    """Return the estimand of a comparison's headline; thresholds that no dev chose are given."""
    runs = (*pair.model.operations(name), *pair.baseline.operations(name))
    wanted = study.inference.comparisons
    found = {drawn.estimand(run, operation, wanted) for run, operation in runs}
    return wanted if found == {wanted} else "given_thresholds"
