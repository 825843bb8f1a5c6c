"""The difference of two samples: on the trials themselves, in resamples, tested, and against margins.

It is first minus second in key order: draws and numbers are then the same whichever of the two the report
calls the baseline.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property, partial

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.base.codes import Status
from reporting.base.records import dataclass, replace
from reporting.core.engine.item_means import item_mean, item_scores
from reporting.core.engine.pairing import Pair
from reporting.core.engine.resampling import Resampling, stream_names
from reporting.core.engine.sample import Question, Sample, common_estimand, sample
from reporting.core.engine.study import Study
from reporting.core.measures.measure import Measure
from reporting.core.resampling import margins, paired
from reporting.core.resampling.bootstrap import Replicates
from reporting.core.resampling.design import Design
from reporting.core.resampling.estimate import Influence
from reporting.core.resampling.settings import Estimand
from reporting.core.stats.intervals import ZERO
from reporting.core.stats.multiplicity import Simultaneous, sup_t
from reporting.core.stats.paired import (
    Discordant,
    difference_of,
    influences,
    null_variance,
    standard_error_of,
)
from reporting.core.stats.placements import area_se
from reporting.core.stats.readers import ReaderSpread, ReaderVariances, reader_spread, spread_of_others
from reporting.core.stats.swap import Swaps


@dataclass(frozen=True, eq=False)
class Difference:
    """A measure of one system less that of another, at P thresholds or over the sweep (P = 1).

    Of several runs the means are compared, as those of these very seeds or of readers drawn from many.
    """

    pair: Pair
    first: Sample
    second: Sample

    @property
    def measure(self) -> Measure:
        """The measure."""
        return self.first.measure

    @property
    def estimand(self) -> Estimand | None:
        """The estimand; None where no threshold is involved."""
        return self.first.estimand

    @property
    def drawn(self) -> Resampling:
        """The resamples of the trials."""
        return self.first.drawn

    @property
    def name(self) -> str:
        """The name of the operation that has the thresholds; empty over the sweep."""
        return self.first.operations[0][1].name if self.first.operations else ""

    @cached_property
    def point(self) -> FloatArray:
        """The difference on the trials themselves, shape (P,); NaN where it is undefined."""
        return self.first.point - self.second.point

    def status(self, at: int = 0) -> Status | None:
        """Return why there is no difference; None where there is one."""
        if not self.drawn.ranks.paired:
            return "no_trial_key"
        return self.first.status(at) or self.second.status(at)

    @property
    def measured(self) -> bool:
        """Whether there are resamples of both."""
        return self.first.measured and self.second.measured

    def observed(self, at: int = 0) -> Discordant | None:
        """Return how the first runs of both decide every trial, counted; None over the sweep.

        Of models that are paired by block, the models disagree on as few trials as possible.
        """
        return self.pair.outcomes(self.name).discordant.column(at) if self.name else None

    @property
    def holds_folds(self) -> bool:
        """Whether thresholds that the judged trials chose across folds are held in resamples.

        There is then neither interval nor p: no test knows how far those choices are from others
        (``tests/research/studies/folding.md``).
        """
        return (self.first.across_folds or self.second.across_folds) and self.estimand == "given_thresholds"

    @property
    def too_few_clusters(self) -> bool:
        """Whether clusters are too few, or too unequal, to represent others: no interval, no p.

        Exchanges of the two models ask nothing of how many clusters there are, or of their sizes.
        """
        return self.first.design.too_few_clusters and not self.swapped

    @cached_property
    def swapped(self) -> list[Replicates]:
        """The errors of each two runs after exchanges; nothing where the pair takes no swap test."""
        places = [((*first.id, *second.id), self.name) for first, second in self.pair.run_pairs]
        swapped = self.drawn.swapped if self.estimand == "procedure" else {}
        return [swapped[place] for place in places if place in swapped]

    @property
    def by_outcomes(self) -> bool:
        """Whether resamples are drawn from the joint outcomes of independent trials."""
        independent = self.drawn.collapsed and not self.drawn.ranks.in_blocks
        return independent and self.estimand == "given_thresholds" and self.pair.alone

    @property
    def by_delong(self) -> bool:
        """Whether it is one of two areas with DeLong's error: of single runs, by independent trials."""
        return self.drawn.by_placements(self.measure) and self.pair.alone

    @cached_property
    def outcomes_again(self) -> tuple[Discordant, bool]:
        """Joint outcomes drawn again, and whether draws had lost a class."""
        names = stream_names(self.first.system.first, self.second.system.first)
        return self.pair.resampled(self.name, names, self.first.study.inference, self.drawn.cache)

    @cached_property
    def replicates(self) -> FloatArray:
        """The difference in every resample, shape (M, P).

        Of exchanges, the difference itself and what centred ones give instead of none.
        """
        if self.swapped:
            point = float(self.point[0])
            return (point + Swaps.of(point, self.exchanged[:, 0], self.drawn.imbalance).centred)[:, None]
        if not self.by_outcomes:
            return self._along[0]
        formula = partial(self.measure.formula, **(self.measure.arguments | self.first.along()))
        return np.asfortranarray(difference_of(formula, self.outcomes_again[0]))

    @cached_property
    def _along(self) -> tuple[FloatArray, Design]:
        """The difference of weighted resamples along all thresholds, with its design."""
        drawn = self.first.replicates - self.second.replicates
        differences, design = self.first.design.reduced(drawn, self.point)
        # Columns lie whole in memory: they are looked at threshold by threshold.
        return np.asfortranarray(differences), design

    def reduced(self, at: int) -> tuple[FloatArray, Design]:
        """Return the difference at one threshold in every resample (shape (M,)), with its design."""
        if self.first.design.pools is None:
            return self.replicates[:, at], self.first.design
        drawn, closed = self.first.column(at) - self.second.column(at), self.first.crossed(at, self.second)
        return self.first.design.reduced(drawn, float(self.point[at]), closed)

    @cached_property
    def exchanged(self) -> FloatArray:
        """The difference after every exchange of the two models, shape (M, P)."""
        values = [errors.values(self.measure) for errors in self.swapped]
        return np.asarray(np.mean([both[0::2] - both[1::2] for both in values], axis=0))

    @property
    def _by_run(self) -> tuple[list[list[FloatArray]], list[list[FloatArray]]]:
        """The values of every run of both, and the noise that goes with them."""
        return [self.first.by_run, self.second.by_run], [self.first.noise, self.second.noise]

    @property
    def _by_reader(self) -> tuple[list[FloatArray], list[FloatArray]]:
        """The differences of readers that both have, and the noise that goes with them."""
        values, noise = ([a - b for a, b in zip(*both, strict=True)] for both in self._by_run)
        return values, noise

    @cached_property
    def over_readers(self) -> ReaderSpread:
        """The spread of a difference of means over readers, the same of both models or others."""
        if self.pair.same_readers:
            return reader_spread(*self._by_reader, self.first.variance)
        values, noise = self._by_run
        return spread_of_others((values[0], values[1]), (noise[0], noise[1]), self.first.variance)

    @property
    def reader_variances(self) -> ReaderVariances:
        """What the difference varies by, over readers that both models have."""
        return ReaderVariances.estimated(*self._by_reader, self.first.variance)

    def band(self) -> Simultaneous | None:
        """Return the simultaneous band along the thresholds; None of too few clusters."""
        if self.too_few_clusters:
            return None
        factor = self.first.design.factor if self.first.design.pools is None else self._along[1].factor
        farther = self.point + factor * (self.replicates - self.point)
        return sup_t(self.point, farther, self.first.level)

    def estimate(self) -> paired.PairedDifference:
        """Return the difference with its standard error, not tested: in closed form where there is one."""
        if status := self.status():
            return paired.PairedDifference(math.nan, status=status)
        if not (self.measured or self.by_delong):
            return paired.PairedDifference(math.nan, status="not_measured")
        point, observed = float(self.point[0]), self.observed()
        if self.holds_folds:
            return replace(self.tested(), status="folds_held")
        if self.too_few_clusters:
            return self.tested()
        if self.by_outcomes and observed is not None:
            return paired.PairedDifference(point, paired.error_of_counts(observed, self.measure))
        if self.swapped or not self.pair.alone:
            return self.tested()
        if self.by_delong:
            se = self.area_se()
            return paired.PairedDifference(point, 0.0 if se <= ZERO else se)
        return paired.with_spread(point, *self.reduced(0))

    def tested(self, at: int = 0) -> paired.PairedDifference:
        """Return the difference at a threshold with interval and p, as the report shows it.

        Models that decide, or rank, every trial alike have the limits that trials allow all the same.
        """
        if status := self.status(at):
            return paired.PairedDifference(math.nan, status=status)
        if self.holds_folds:
            return paired.PairedDifference(float(self.point[at]), flags=("held_folds",))
        if self.too_few_clusters:
            return paired.PairedDifference(float(self.point[at]), status="too_few_clusters")
        if not self.measured:
            return self.estimate().tested(self.first.level, "delong" if self.by_delong else None)
        compared = next(tested for test in TESTS if (tested := test(self, at)) is not None)
        if "identical_decisions" in compared.flags:
            totals, moved = self.first.system.first.test.totals, self.drawn.moved_by_one()
            step = margins.step_of(self.first.measures[at], totals, self.observed(at), moved)
            compared = margins.of_identical(compared, step, self.first.level)
        if self.swapped:
            return compared
        redrawn = self.outcomes_again[1] if self.by_outcomes else self.first.redrawn or self.second.redrawn
        cautions = [] if self.by_delong else [*self.first.flags, *self.second.flags]
        if redrawn and compared.replicates:
            cautions.append("redrawn_empty_class")
        return compared.flagged(*cautions)

    def alike(self, at: int) -> bool:
        """Return whether two single runs decide, or rank, every trial alike."""
        observed = self.observed(at)
        if observed is not None:
            given = self.estimand == "given_thresholds"
            return paired.decide_alike(observed) and (given or not self.replicates[:, at].any())
        first, second = self.first.system.first, self.second.system.first
        return np.array_equal(first.rank, second.rank) and float(self.point[0]) == 0

    def area_se(self) -> float:
        """Standard error of the difference in an area, or a multiple of one, by DeLong."""
        assert self.measure.of_area is not None
        first, second = (self.drawn.placements(of.system.first) for of in (self.first, self.second))
        return abs(self.measure.of_area[1]) * area_se(first - second, self.drawn.ranks.label)

    def bounded(self) -> margins.Normal | margins.Score | margins.Exchanged | None:
        """Return model minus baseline with its limits at every tail; None where these have no width."""
        estimate, observed = self.pair.turned(self.estimate()), self.observed()
        totals = self.first.system.first.test.totals
        if observed is None and not (estimate.se == 0 and "identical_decisions" in self.tested().flags):
            return margins.Normal.of(estimate) if estimate.se > 0 else None
        surplus = None if observed is None else self.first.accepted() - self.second.accepted()
        undefined = math.isnan(estimate.se)  # in a resample the measure has no number
        if undefined or (
            estimate.se == 0 and (estimate.difference != 0 or (surplus is not None and surplus.any()))
        ):
            return None
        by_one = margins.step_of(self.measure, totals, observed, self.drawn.moved_by_one(surplus))
        if by_one is None:
            return margins.Normal.of(estimate) if estimate.se > 0 else None
        score = margins.Score(estimate.difference, estimate.se**2, by_one, estimate.df)
        if observed is None:
            return score
        if estimate.swaps is not None:
            score = replace(score, variance=estimate.swaps.se**2)
        elif self.by_outcomes and (weights := paired.exact_weights(self.measure, observed)) is not None:
            score = replace(score, variance=float(null_variance(observed, *weights)))
        p = self.tested().p_value
        score = score if p is None else margins.tested_at_zero(score, p)
        if estimate.swaps is None:
            return score
        # The lowest and the highest difference of each exchange: bounds are judged as the two-sided test is.
        low, high = self.measure.bounds
        ranges = np.clip(np.concatenate(estimate.swaps.ranges), low - high, high - low)
        return margins.Exchanged(margins.Percentile(estimate.difference, ranges, "swap"), score)


def difference(
    pair: Pair, question: Question, drawn: Resampling, study: Study, estimand: Estimand | None = None
) -> Difference:
    """Return the difference of a pair; ``estimand`` None: that of the headline.

    The headline has re-selected thresholds where the study requests it and a dev set chose those of each run.
    """
    both = [sample(system, question, drawn, study, estimand, shared=True) for system in pair.ordered]
    if estimand is None and all(of.operations for of in both):
        both = [replace(of, estimand=common_estimand(both)) for of in both]
    return Difference(pair, *both)


Test = Callable[[Difference, int], paired.PairedDifference | None]
"""From a difference and one of its thresholds to interval and p; None where the test does not apply."""


def by_exchange(of: Difference, at: int) -> paired.PairedDifference | None:
    """Compare by the swap test: the two models are exchanged, unit by unit, on both sets."""
    if not of.swapped:
        return None
    weights, further = of.first.measures[at].linear(), 0.0
    observed = of.observed(at) if of.pair.alone else None
    few = () if observed is None else paired.discordant_flags(observed, weights or (1.0, 1.0))
    # Counts by cluster do not pair trials, and must give the limits of trials that are paired.
    if few and weights is not None and not of.drawn.clustered:
        further = paired.one_more(weights, of.drawn.class_units(of.pair.model.first))
    swapped, point = of.exchanged[:, at], float(of.point[at])
    alike = (observed is None or paired.decide_alike(observed)) and point == 0 and not swapped.any()
    imbalance, level = of.drawn.imbalance, of.first.level
    compared = paired.compare_swapped(point, swapped, imbalance, level, alike=alike, further=further)
    return compared.flagged(*few)


def by_items(of: Difference, at: int) -> paired.PairedDifference | None:
    """Compare two mean scores over the same items, each the mean of its runs, by Student's t."""
    if not (of.measure.of_grades and of.first.fixed):
        return None
    first, second = (item_scores(each.system, of.drawn.ranks) for each in (of.first, of.second))
    if first is None or second is None or of.drawn.ranks.in_blocks:
        return None
    mean = item_mean(first - second, of.drawn.ranks, of.drawn.units)
    plain = paired.PairedDifference(float(of.point[at]), mean.se, mean.df)
    alike = bool((first == second).all())
    return paired.compare_by_error(plain, of.reduced(at)[0], of.first.level, alike=alike, method="item_t")


def over_runs(of: Difference, at: int) -> paired.PairedDifference | None:
    """Compare means over runs, of these seeds or of readers drawn from many, by their standard error."""
    if of.pair.alone:
        return None
    point, (differences, design) = float(of.point[at]), of.reduced(at)
    alike = point == 0 and not differences.any()
    if not of.pair.read_by(of.first.study):
        return paired.compare_replicates(point, differences, design, alike=alike)
    se, df = float(of.over_readers.se[at]), of.first.design.least_df(float(of.over_readers.df[at]))
    plain, closed = paired.PairedDifference(point, se, df), of.drawn.by_placements(of.measure)
    return paired.compare_by_error(plain, differences, design.level, alike=alike, closed=closed)


def by_joint_outcomes(of: Difference, at: int) -> paired.PairedDifference | None:
    """Compare two systems with fixed thresholds by their decisions: exact mid-p, or studentized."""
    observed = of.observed(at)
    if not of.by_outcomes or observed is None:
        return None
    own, again = of.first.measures[at], of.outcomes_again[0].column(at)
    compared = paired.compare_tuned(float(of.point[at]), observed, again, own, of.first.level)
    formula = paired.formula_of(own)
    influence = Influence(partial(influences, formula, observed), partial(influences, formula, again))
    return _by_named_method(of, at, compared, influence)


def by_areas(of: Difference, at: int) -> paired.PairedDifference | None:
    """Compare two areas by DeLong's standard error."""
    if not of.by_delong:
        return None
    plain, level = paired.PairedDifference(float(of.point[at]), of.area_se()), of.first.level
    compared = paired.compare_by_error(
        plain, of.replicates[:, at], level, alike=of.alike(at), method="delong"
    )
    return _by_named_method(of, at, compared)


def by_units(of: Difference, at: int) -> paired.PairedDifference:
    """Compare by the standard error of resamples, against the normal or Student's t."""
    own, observed, independent = of.first.measures[at], of.observed(at), None
    if of.drawn.ranks.weight is None:
        if observed is not None and of.drawn.clustered and of.estimand == "given_thresholds":
            independent = float(standard_error_of(paired.formula_of(own), observed))
        elif observed is None and own.of_area is not None and not of.drawn.ranks.in_blocks:
            independent = of.area_se()
    compared = paired.compare_replicates(
        float(of.point[at]), *of.reduced(at), alike=of.alike(at), independent_se=independent
    )
    return _by_named_method(of, at, compared)


TESTS: tuple[Test, ...] = (by_exchange, by_items, over_runs, by_joint_outcomes, by_areas, by_units)
"""How two systems are compared: by the first test that applies."""


def _by_named_method(
    of: Difference, at: int, compared: paired.PairedDifference, influence: Influence | None = None
) -> paired.PairedDifference:
    """Return the difference of two single runs by the config's own method, if it names one."""
    method, observed = of.first.study.inference.interval, of.observed(at)
    if method != "auto":
        compared = paired.compare_by(method, compared, of.reduced(at)[0], of.first.level, influence)
    weights = of.first.measures[at].linear() or (1.0, 1.0)
    return compared if observed is None else compared.flagged(*paired.discordant_flags(observed, weights))
