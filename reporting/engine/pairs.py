"""One pair of models on one dataset: every difference between them, first minus second in key order.

The order makes draws and numbers the same whichever of the two the report calls the baseline.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from reporting.codes import Flag, Status
from reporting.criteria.criterion import Criterion
from reporting.curves.epc import Operation
from reporting.engine.model_runs import ModelRuns
from reporting.engine.operations import JudgedModel, a_priori, why_unplaced
from reporting.engine.pairing import Pair
from reporting.engine.resampling import Resampling, stream_names
from reporting.engine.study import Study
from reporting.engine.values import along_alphas, at_alpha, status_of, values_at
from reporting.measures.measure import Measure
from reporting.significance.bootstrap import Replicates
from reporting.significance.cached import cached_pair
from reporting.significance.estimate import Influence
from reporting.significance.margins import Normal, Score, of_identical, step_of, tested_at_zero
from reporting.significance.paired import (
    PairedDifference,
    Spread,
    compare_areas,
    compare_by,
    compare_readers,
    compare_replicates,
    compare_swapped,
    compare_tuned,
    decide_alike,
    discordant_flags,
    error_of_counts,
    exact_weights,
    formula_of,
    one_more,
    spread_of,
)
from reporting.significance.settings import Estimand
from reporting.stats.intervals import ZERO
from reporting.stats.multiplicity import Simultaneous, sup_t
from reporting.stats.paired import (
    Discordant,
    difference_of,
    influences,
    null_variance,
    standard_error_of,
)
from reporting.stats.placements import area_se
from reporting.stats.readers import (
    ReaderSpread,
    ReaderVariances,
    Variance,
    of_replicates,
    reader_spread,
    spread_of_others,
)
from reporting.stats.staircase import BoolArray, FloatArray, IntArray
from reporting.stats.swap import Swaps


class Decisions:
    """A pair at the thresholds of one operation each, resampled once for every measure asked of them.

    Under ``given_thresholds`` the thresholds stay, under ``procedure`` each replicate has its own. Of
    several runs the mean is compared.
    """

    def __init__(self, pair: Pair, name: str, estimand: Estimand, drawn: Resampling, study: Study) -> None:
        self.pair, self.drawn, self.estimand, self.study = pair, drawn, estimand, study
        self.name = name
        self.level = study.inference.level
        self.operations = [team.operations(name) for team in pair.ordered]
        self.observed: Discordant | None = None
        self.redrawn = False
        self.by_outcomes = drawn.collapsed and estimand == "given_thresholds" and pair.alone
        self.swapped = drawn.swapped_of(pair, name) if estimand == "procedure" else []
        self._differences: dict[Measure, FloatArray] = {}
        self._readers: dict[Measure, ReaderSpread] = {}
        self._points: dict[Measure, FloatArray] = {}
        if pair.alone:
            self.observed = pair.outcomes(name).discordant
        if self.by_outcomes:
            names = stream_names(*(team.first for team in pair.ordered))
            self.resampled, self.redrawn = cached_pair(
                *pair.outcomes(name), names, study.inference, drawn.cache
            )
        elif not self.swapped:
            self.redrawn = any(again.redrawn for team in self._replicates() for again in team)

    def _replicates(self) -> list[list[Replicates]]:
        """The replicates of every run of both models, by weights on units."""
        return [
            [self.drawn.by_weights(run, operation, self.estimand) for run, operation in team]
            for team in self.operations
        ]

    @cached_property
    def _spread(self) -> Spread:
        """How the spread of replicates of these units is read."""
        return spread_of(self.drawn.units, self.level)

    @property
    def holds_folds(self) -> bool:
        """True where thresholds chosen across folds of the judged trials are not chosen again."""
        return holds_folds(self.operations, self.estimand)

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
            first, second = (np.mean(team, axis=0) for team in self._values(measure))
            self._points[measure] = first - second
        return self._points[measure]

    def _values(self, measure: Measure) -> list[list[FloatArray]]:
        """The measure of every run of both models at every threshold, each of shape (P,)."""
        along = self._along(measure)
        return [
            [values_at(measure, o.test, run.test, **along) for run, o in team] for team in self.operations
        ]

    def differences(self, measure: Measure) -> FloatArray:
        """The difference in every replicate at every threshold: shape (M, P).

        Of exchanges, the difference itself and what centred ones give instead of none.
        """
        if measure not in self._differences:
            # One measure at a time: the next one needs the room.
            # Columns lie whole in memory: they are looked at threshold by threshold.
            self._differences = {measure: np.asfortranarray(self._differ(measure))}
        return self._differences[measure]

    def _differ(self, measure: Measure) -> FloatArray:
        if self.swapped:
            point, exchanged = float(self.points(measure)[0]), self.exchanged(measure)[:, 0]
            return (point + Swaps.of(point, exchanged, self.drawn.imbalance).centred)[:, None]
        if self.by_outcomes:
            formula = partial(measure.formula, **(measure.arguments | self._along(measure)))
            return difference_of(formula, self.resampled)
        first, second = (
            team.mean(drawn, self.study)
            for team, drawn in zip(self.pair.ordered, self._by_run(measure), strict=True)
        )
        return np.asarray(first - second)

    def _by_run(self, measure: Measure) -> list[list[FloatArray]]:
        """The measure of every run of both models in every replicate, each of shape (M, P)."""
        along = self._along(measure)
        return [[drawn.values(measure, **along) for drawn in team] for team in self._replicates()]

    def _over_readers(self, measure: Measure) -> ReaderSpread:
        """The spread of the difference of means over readers, at every threshold."""
        if measure not in self._readers:
            of_cases = self._by_run(measure), of_replicates(self.drawn.units.inflation)
            spread = over_readers(self.pair, self._values(measure), *of_cases)
            self._readers = {measure: spread}
        return self._readers[measure]

    def by_reader(self, measure: Measure) -> tuple[list[list[FloatArray]], list[list[FloatArray]]]:
        """The measure of every run of both models at every threshold, and its replicates."""
        return self._values(measure), self._by_run(measure)

    def exchanged(self, measure: Measure) -> FloatArray:
        """The difference after every exchange of the two models at every threshold: shape (M, P)."""
        values = [errors.values(measure) for errors in self.swapped]
        return np.asarray(np.mean([both[0::2] - both[1::2] for both in values], axis=0))

    def band(self, measure: Measure) -> Simultaneous | None:
        """The band of the difference along the thresholds that holds at all of them at once."""
        differences = self.differences(measure)
        points = self.points(measure)
        factor = self._spread.factor
        return sup_t(points, points + factor * (differences - points), self.level)

    def compare(self, measure: Measure, at: int) -> PairedDifference:
        """Compare at the threshold ``at``; identical decisions have the limits that trials allow."""
        compared = self._compare(measure, at)
        if "identical_decisions" not in compared.flags:
            return compared
        observed = self.pair.outcomes(self.name).discordant.column(at)
        moved = self.drawn.moved_by_one()
        return of_identical(
            compared,
            step_of(self.at(measure, at), self.pair.model.first.test.totals, observed, moved),
            self.level,
        )

    def _compare(self, measure: Measure, at: int) -> PairedDifference:
        """Compare at the operation's threshold ``at``; an undefined value has no comparison.

        Where thresholds that the judged trials chose themselves, across folds, are held, there is neither
        interval nor p: no test knows how far those choices are from others (``tests/studies/folding.md``).
        """
        point = float(self.points(measure)[at])
        if math.isnan(point):
            return PairedDifference(math.nan)
        if self.holds_folds:
            return PairedDifference(point, flags=("held_folds",))
        own = self.at(measure, at)
        if self.swapped:
            return self._by_exchange(own, point, self.exchanged(measure)[:, at], at)
        if self.observed is None:
            of_readers = self._over_readers(measure) if self.pair.read_by(self.study) else None
            differences = self.differences(measure)[:, at]
            compared = _compare_runs(point, differences, of_readers, at, self._spread)
            return compared.drawn_again(self.redrawn)
        observed = self.observed.column(at)
        if self.by_outcomes:
            compared = compare_tuned(point, observed, self.resampled.column(at), own, self.level)
        else:
            compared = self._by_units(own, point, observed, self.differences(measure)[:, at])
        compared = self._by_method(compared, own, measure, at)
        few = discordant_flags(observed, own.linear() or (1.0, 1.0))
        return compared.flagged(*few).drawn_again(self.redrawn)

    def _by_exchange(self, own: Measure, point: float, swapped: FloatArray, at: int) -> PairedDifference:
        """By exchanging the two models, unit by unit, on dev and on test."""
        observed = None if self.observed is None else self.observed.column(at)
        alike = (observed is None or decide_alike(observed)) and point == 0 and not swapped.any()
        weights = own.linear()
        few = () if observed is None else discordant_flags(observed, weights or (1.0, 1.0))
        further = 0.0
        # Counts by cluster do not pair trials, and must give the limits of trials that are paired.
        if few and weights is not None and not self.drawn.clustered:
            further = one_more(weights, self.drawn.class_units(self.pair.model.first))
        imbalance = self.drawn.imbalance
        compared = compare_swapped(point, swapped, imbalance, self.level, alike=alike, further=further)
        return compared.flagged(*few)

    def _by_method(
        self, compared: PairedDifference, own: Measure, measure: Measure, at: int
    ) -> PairedDifference:
        """By the config's own method, if it names one."""
        method = self.study.inference.interval
        if method == "auto" or self.observed is None:
            return compared
        influence = None
        if self.by_outcomes:
            formula = formula_of(own)
            observed, again = self.observed.column(at), self.resampled.column(at)
            influence = Influence(partial(influences, formula, observed), partial(influences, formula, again))
        return compare_by(method, compared, self.differences(measure)[:, at], self.level, influence)

    def _by_units(
        self, measure: Measure, point: float, observed: Discordant, differences: FloatArray
    ) -> PairedDifference:
        """By weights on units: clusters, trials of different weight, or thresholds chosen again."""
        independent = None
        if self.drawn.clustered and self.drawn.ranks.weight is None and self.estimand == "given_thresholds":
            independent = float(standard_error_of(formula_of(measure), observed))
        alike = decide_alike(observed) and (self.estimand == "given_thresholds" or not differences.any())
        return compare_replicates(
            point, differences, replace(self._spread, independent_se=independent), alike=alike
        )


def holds_folds(operations: Iterable[Sequence[tuple[JudgedModel, Operation]]], estimand: Estimand) -> bool:
    """Return whether thresholds chosen across folds of the judged trials are not chosen again."""
    across = any(operation.chosen.source == "cv" for team in operations for _, operation in team)
    return across and estimand == "given_thresholds"


def compare_sweeps(pair: Pair, measure: Measure, drawn: Resampling, study: Study) -> PairedDifference:
    """Compare by a measure over the sweep; identical rankings have the limits that trials allow."""
    compared = _compare_sweeps(pair, measure, drawn, study)
    if "identical_decisions" not in compared.flags:
        return compared
    return of_identical(
        compared,
        step_of(measure, pair.model.first.test.totals, None, drawn.moved_by_one()),
        study.inference.level,
    )


def _compare_sweeps(pair: Pair, measure: Measure, drawn: Resampling, study: Study) -> PairedDifference:
    """Compare by a measure over the sweep: DeLong for areas of independent trials, else by bootstrap."""
    level = study.inference.level
    values = [[run.value(measure) for run in team.runs] for team in pair.ordered]
    status = next((value.status for team in values for value in team if value.status), None)
    if status is not None:
        return PairedDifference(math.nan, status=status)
    first, second = (np.mean([value.number for value in team]) for team in values)
    point = float(first - second)
    differences = sweep_differences(pair, measure, drawn, study)
    cautions = drawn.sweep_flags(measure, *(run for team in pair.ordered for run in team.runs))
    if not pair.alone:
        spread, of_readers = spread_of(drawn.units, level), None
        if pair.read_by(study):
            numbers = [[np.array([value.number]) for value in team] for team in values]
            of_readers = over_readers(pair, numbers, *_noise_of_sweeps(pair, measure, drawn))
        closed = drawn.by_placements(measure)
        compared = _compare_runs(point, differences, of_readers, 0, spread, closed=closed)
        return compared.flagged(*cautions).drawn_again(drawn.sweeps_redrawn)
    models = pair.ordered[0].first, pair.ordered[1].first
    alike = np.array_equal(models[0].rank, models[1].rank) and values[0] == values[1]
    independent = None
    if measure.of_area is not None and drawn.ranks.weight is None:
        independent = _area_se(models, measure, drawn)
    if independent is not None and not drawn.clustered:
        compared, cautions = compare_areas(point, independent, differences, level, alike=alike), []
    else:
        spread = spread_of(drawn.units, level, independent)
        compared = compare_replicates(point, differences, spread, alike=alike)
    if study.inference.interval != "auto":
        compared = compare_by(study.inference.interval, compared, differences, level)
    return compared.flagged(*cautions).drawn_again(drawn.sweeps_redrawn)


def sweep_differences(pair: Pair, measure: Measure, drawn: Resampling, study: Study) -> FloatArray:
    """The difference of a measure over the sweep in every replicate: shape (M,)."""
    first, second = (
        team.mean([drawn.sweeps[run.id][measure] for run in team.runs], study) for team in pair.ordered
    )
    return np.asarray(first - second)


def _noise_of_sweeps(
    pair: Pair, measure: Measure, drawn: Resampling
) -> tuple[list[list[FloatArray]], Variance]:
    """The noise of a measure over the sweep of every run of both models, and how its variance is made."""
    return [drawn.noise_of_sweep(measure, team.runs) for team in pair.ordered], drawn.variance_of(measure)


def over_readers(
    pair: Pair, values: Sequence[list[FloatArray]], noise: Sequence[list[FloatArray]], variance: Variance
) -> ReaderSpread:
    """Return the spread of a difference of means over readers, the same of both models or others."""
    if not pair.same_readers:
        return spread_of_others((values[0], values[1]), (noise[0], noise[1]), variance)
    differ = [[a - b for a, b in zip(*both, strict=True)] for both in (values, noise)]
    return reader_spread(differ[0], differ[1], variance)


def reader_variances(pair: Pair, drawn: Resampling, study: Study) -> ReaderVariances:
    """Return what a difference in the primary measure varies by, over readers that both models have."""
    measure = study.primary.measure
    if measure.over == "threshold":
        name = pair.ordered[0].first.single[study.primary.criterion].name
        decisions = Decisions(pair, name, headline(pair, name, drawn, study), drawn, study)
        values, noise = decisions.by_reader(measure)
        variance = of_replicates(drawn.units.inflation)
    else:
        values = [[np.array([run.value(measure).number]) for run in team.runs] for team in pair.ordered]
        noise, variance = _noise_of_sweeps(pair, measure, drawn)
    differ = [[a - b for a, b in zip(*both, strict=True)] for both in (values, noise)]
    return ReaderVariances.estimated(differ[0], differ[1], variance)


def _compare_runs(
    point: float,
    differences: FloatArray,
    readers: ReaderSpread | None,
    at: int,
    spread: Spread,
    *,
    closed: bool = False,
) -> PairedDifference:
    """Compare means over runs: of these very seeds, or of readers drawn from many."""
    alike = point == 0 and not differences.any()
    if readers is None:
        return compare_replicates(point, differences, spread, alike=alike)
    degrees = min(float(readers.df[at]), math.inf if spread.df is None else spread.df)
    df = degrees if math.isfinite(degrees) else None
    se = float(readers.se[at])
    return compare_readers(point, se, df, differences, spread.level, alike=alike, closed=closed)


def _area_se(models: Sequence[JudgedModel], measure: Measure, drawn: Resampling) -> float:
    """Standard error of the difference of two models in an area, or a multiple of one, by DeLong."""
    assert measure.of_area is not None
    first, second = (drawn.placements(model) for model in models)
    return abs(measure.of_area[1]) * area_se(first - second, drawn.ranks.label)


def headline(pair: Pair, name: str, drawn: Resampling, study: Study) -> Estimand:
    """Return the estimand of a comparison's headline; thresholds that no dev chose are given."""
    runs = (*pair.model.operations(name), *pair.baseline.operations(name))
    wanted = study.inference.comparisons
    estimands = {drawn.estimand(run, operation, wanted) for run, operation in runs}
    return wanted if estimands == {wanted} else "given_thresholds"


def _score(difference: PairedDifference, by_one: float) -> Score:
    return Score(difference.difference, difference.se**2, by_one, difference.df)


GIVEN: Estimand = "given_thresholds"
INDEPENDENT: Flag = "assumes_independent_trials"
"""Flags a test that takes trials as independent although clusters are declared."""


@dataclass(frozen=True, eq=False)
class TestContext:
    """Models that are tested together on one dataset, in key order."""

    teams: tuple[ModelRuns, ...]
    drawn: Resampling
    study: Study
    pair: Pair | None = field(default=None, kw_only=True)

    @cached_property
    def models(self) -> list[JudgedModel]:
        """The first run of every model: its only one, where it can be tested."""
        return [team.first for team in self.teams]

    @cached_property
    def criterion(self) -> Criterion | None:
        """Whose thresholds decide: the primary one, or the first of the report where that has none."""
        if self.study.primary.measure.over == "threshold":
            return self.study.primary.criterion
        return next(iter(a_priori(self.study.criteria)), None)

    @property
    def weights(self) -> tuple[float, float] | None:
        """``(w_far, w_frr)`` of the primary measure; None where it is no such sum at a threshold."""
        return self.study.primary.measure.linear()

    @property
    def given(self) -> Estimand | None:
        """The estimand of a test at given thresholds; None of a measure that has none."""
        return GIVEN if self.study.primary.measure.over == "threshold" else None

    @property
    def declared(self) -> list[Flag]:
        """The caution of a test that assumes independent trials."""
        return [INDEPENDENT] if self.drawn.ranks.unit_a is not None else []

    def refused(
        self, *, counted: bool = False, decided: bool = False, linear: bool = False, alone: bool = True
    ) -> Status | None:
        """Say why these models cannot be tested; None where they can.

        ``counted``: by counting trials; ``decided``: by what is decided at thresholds; ``linear``: by V =
        w_far FAR + w_frr FRR; ``alone``: by single runs.
        """
        if not self.drawn.ranks.paired:
            return "no_trial_key"
        if alone and not all(team.alone for team in self.teams):
            return "several_runs"
        if counted and self.drawn.ranks.weight is not None:
            return "weighted"
        if linear and self.weights is None:
            return "not_linear"
        if decided and self.criterion is None:
            return "no_criterion"
        if (
            decided
            and self.criterion is not None
            and any(self.criterion not in model.single for model in self.models)
        ):
            return why_unplaced(self.criterion)
        return None

    def undefined(self, number: float) -> Status | None:
        """Say why a number of these trials is undefined; None where it is defined."""
        return status_of(number, *self.models[0].test.trials)

    def accepted(self, model: JudgedModel) -> BoolArray:
        """Which trials a model accepts at its given threshold, shape (N,)."""
        assert self.criterion is not None
        binned = model.binned(model.single[self.criterion].name)
        return np.asarray(binned.bins.of_trial > binned.index[0])


@dataclass(frozen=True, eq=False)
class PairedTest(TestContext):
    """A pair of models; numbers are turned to model minus baseline by ``signed``."""

    pair: Pair = field(kw_only=True)

    def signed(self, number: float) -> float:
        """Turn first - second into model - baseline."""
        return number if self.pair.forward else 0.0 - number

    @cached_property
    def discordant(self) -> Discordant:
        """How the two decide every trial at the given thresholds, counted."""
        assert self.criterion is not None
        return self.pair.outcomes(self.models[0].single[self.criterion].name).discordant.column(0)

    def observed(self, measure: Measure) -> float:
        """The difference at the given thresholds, first less second; NaN where it is undefined."""
        return float(difference_of(formula_of(measure), self.discordant))

    @cached_property
    def exchanged(self) -> tuple[Mapping[str, Any], IntArray]:
        """What a permutation exchanges: clusters, where each trial has one, else trials (shape (N,))."""
        ranks = self.drawn.ranks
        if not self.drawn.clustered or ranks.unit_a is None or ranks.unit_b is not None:
            return {"flags": self.declared}, np.arange(ranks.n_trials)
        _, code = np.unique(ranks.unit_a, return_inverse=True)
        units = {"unit": "cluster", "n_units": self.drawn.units.n_units, "flags": self.drawn.flags}
        return units, code.astype(np.int64)

    @cached_property
    def estimand(self) -> Estimand | None:
        """The estimand of the headline comparison; None where no threshold is involved."""
        if self.study.primary.measure.over != "threshold":
            return None
        if self.criterion is None or any(self.criterion not in model.single for model in self.models):
            return self.study.inference.comparisons
        return headline(self.pair, self.models[0].single[self.criterion].name, self.drawn, self.study)

    @cached_property
    def headline(self) -> PairedDifference:
        """Model minus baseline as in the headline comparison, with its standard error; not tested yet."""
        if self.estimand is None:
            return self.swept(self.study.primary.measure)
        why = self.refused(decided=True, alone=False)
        return PairedDifference(math.nan, status=why) if why else self._at_thresholds(self.estimand)

    @property
    def compared(self) -> PairedDifference:
        """The headline comparison with the limits and the p that the report shows of it."""
        compared = self.headline
        if compared.status or compared.ci_method:
            return compared
        if self.estimand is not None and self._in_closed_form:
            return self.pair.turned(self._decisions.compare(self.study.primary.measure, 0))
        if not compared.se > 0:
            return compared
        by_delong = self.estimand is None and self._has_delong(self.study.primary.measure)
        return compared.tested(self.study.inference.level, "delong" if by_delong else None)

    @cached_property
    def bounded(self) -> Normal | Score | None:
        """The headline difference with its limits at every tail; None where these have no width."""
        compared, measure = self.headline, self.study.primary.measure
        totals = self.models[0].test.totals
        if self.estimand is None or compared.status:
            alike = "identical_decisions" in compared.flags
            if self.estimand is None and self.pair.alone:
                same_ranks = np.array_equal(self.models[0].rank, self.models[1].rank)
                alike = same_ranks and compared.se == 0 and compared.difference == 0
            if not alike:
                return Normal.of(compared) if compared.se > 0 else None
            by_one = step_of(measure, totals, None, self.drawn.moved_by_one())
            return None if by_one is None else _score(compared, by_one)
        surplus, discordant = self._surplus, self.discordant
        if compared.se == 0 and (compared.difference != 0 or surplus.any()):
            return None
        by_one = step_of(measure, totals, discordant, self.drawn.moved_by_one(surplus))
        if by_one is None:
            return Normal.of(compared) if compared.se > 0 else None
        score = _score(compared, by_one)
        if compared.swaps is not None:
            score = replace(score, variance=compared.swaps.se**2)
        elif self._in_closed_form and (weights := exact_weights(measure, discordant)) is not None:
            score = replace(score, variance=float(null_variance(discordant, *weights)))
        p = self._decisions.compare(measure, 0).p_value if compared.swaps is None else compared.p_value
        return score if p is None else tested_at_zero(score, p)

    @property
    def _decisions(self) -> Decisions:
        assert self.criterion is not None
        assert self.estimand is not None
        name = self.models[0].single[self.criterion].name
        return Decisions(self.pair, name, self.estimand, self.drawn, self.study)

    @property
    def _surplus(self) -> FloatArray:
        """What the first model accepts less what the second does, of several runs on average (shape (N,))."""
        first, second = (
            np.mean([self.accepted(run) for run in team.runs], axis=0) for team in self.pair.ordered
        )
        return np.asarray(first - second)

    @property
    def _in_closed_form(self) -> bool:
        return self.estimand == GIVEN and self.drawn.collapsed and self.pair.alone

    def _at_thresholds(self, estimand: Estimand) -> PairedDifference:
        """By the closed form where trials are independent and thresholds given, else by replicates."""
        measure = self.study.primary.measure
        assert self.criterion is not None
        name = self.models[0].single[self.criterion].name
        if holds_folds([team.operations(name) for team in self.pair.ordered], estimand):
            held = self.pair.turned(self._decisions.compare(measure, 0))
            return replace(held, status="folds_held")
        if self._in_closed_form:
            point = self.observed(measure)
            if math.isnan(point):
                return PairedDifference(math.nan, status=self.undefined(point))
            return self.pair.turned(PairedDifference(point, error_of_counts(self.discordant, measure)))
        decisions = self._decisions
        if decisions.swapped or not self.pair.alone:
            compared = self.pair.turned(decisions.compare(measure, 0))
            return replace(compared, status=compared.status or self.undefined(compared.difference))
        return self._by_replicates(float(decisions.points(measure)[0]), decisions.differences(measure)[:, 0])

    def _has_delong(self, measure: Measure) -> bool:
        """Whether the difference of two areas has DeLong's error: of single runs, by independent trials."""
        independent = not self.drawn.clustered and self.drawn.ranks.weight is None
        return measure.of_area is not None and independent and self.pair.alone

    def _by_replicates(self, point: float, differences: FloatArray) -> PairedDifference:
        spread = spread_of(self.drawn.units, self.study.inference.level)
        return replace(self.pair.turned(spread.of(point, differences)), status=self.undefined(point))

    def swept(self, measure: Measure) -> PairedDifference:
        """The difference in a measure over the sweep: by DeLong's error for areas, else by replicates."""
        why = self.refused(alone=False)
        if not why and not self.pair.alone:
            compared = compare_sweeps(self.pair, measure, self.drawn, self.study)
            return self.pair.turned(compared)
        values = [model.value(measure) for model in self.models]
        why = why or values[0].status or values[1].status
        if why:
            return PairedDifference(math.nan, status=why)
        point = values[0].number - values[1].number
        if self._has_delong(measure):
            se = _area_se(self.models, measure, self.drawn)
            return self.pair.turned(PairedDifference(point, 0.0 if se <= ZERO else se))
        if any(measure not in self.drawn.sweeps[model.id] for model in self.models):
            return PairedDifference(math.nan, status="not_measured")
        return self._by_replicates(point, sweep_differences(self.pair, measure, self.drawn, self.study))
