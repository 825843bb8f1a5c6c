"""Every class against the rest and their means: values, resamples that all classes share, and intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray, RankArray
from reporting.base.cache.cache import NO_CACHE, Cache
from reporting.base.execution import Executor
from reporting.base.records import dataclass, field, replace
from reporting.core.counts.cuts import Cuts, Key, count_cuts
from reporting.core.counts.ranks import Ranks
from reporting.core.engine.error_rates import ErrorRates
from reporting.core.engine.intervals import interval, interval_of_rates
from reporting.core.engine.model_runs import ModelRuns
from reporting.core.engine.operations import JudgedModel
from reporting.core.engine.resampling import Resampling
from reporting.core.engine.sample import Question, Statistic, sample
from reporting.core.engine.scales import Scaling
from reporting.core.engine.study import Study
from reporting.core.engine.values import value_over
from reporting.core.measures.calibration import CALIBRATION_ERROR
from reporting.core.measures.measure import Measure
from reporting.core.measures.sweep import AP_STEP, AUC
from reporting.core.measures.threshold import ACCURACY, F1, JACCARD, PRECISION, RECALL, SPECIFICITY
from reporting.core.resampling import estimate
from reporting.core.resampling.bootstrap import ModelId, Resampled, Sweep, Task
from reporting.core.resampling.cached import cached_resample
from reporting.core.resampling.cell_tables import Summed, cells_of
from reporting.core.resampling.design import Design
from reporting.core.resampling.effective import CountedTrials
from reporting.core.resampling.paired import PairedDifference, compare_by_error
from reporting.core.resampling.units import NEVER_LOST, Ends, Units, class_sizes, cluster_units, trial_units
from reporting.core.stats.cluster_sizes import decisive
from reporting.core.stats.confusion import Share, trial_counts
from reporting.core.stats.effective_size import EffectiveRate, square_and_add
from reporting.core.stats.intervals import quantile
from reporting.core.stats.readers import reader_spread, spread_of_others
from reporting.features.classes import formulas
from reporting.features.classes.keys import CLASSES_KEY
from reporting.features.classes.read import ClassTrials, ModelRun

SWEPT = (AUC, AP_STEP)
DECIDED = (RECALL, PRECISION, SPECIFICITY, F1)
TOP_LABEL, MICRO, BY_TRUTH, BY_TOP = "top label", "micro", "by truth", "by top label"
LOST = 0.01
"""The share of plain resamples that may lose a class; where more would, trials are drawn class by class."""


class ClassQuantity(NamedTuple):
    """A measure of one class against the rest, by its place, or of all classes together."""

    measure: Measure
    average: str
    place: int | None = None


class Estimated(NamedTuple):
    """A quantity of one model: its value (NaN where undefined), resamples (shape (M,)) if any, interval."""

    value: float
    replicates: FloatArray | None = None
    interval: estimate.ModelInterval = estimate.NO_INTERVAL
    by_run: Mapping[str, OfClasses] = MappingProxyType({})
    """The value of every run with its resamples, by the name of the run."""


class OfClasses(NamedTuple):
    """A measure of each class against the rest: on the trials (shape (K,)) and in resamples (M, K)."""

    point: FloatArray
    replicates: FloatArray


@dataclass(frozen=True, eq=False)
class Against:
    """One class against the rest: its trials as targets, with every model and run on its scores."""

    ranks: Ranks
    units: Units
    models: dict[ModelRun, JudgedModel]


def class_units(trials: ClassTrials, study: Study) -> Units:
    """Return what is resampled, as in the report; no resample is without a class that the trials have."""
    ranks, names = trials.ranks, (trials.dataset, "test")
    if ranks.unit_a is None or study.inference.unit == "trial":
        units = trial_units(ranks.label, names, ranks.block, in_blocks=ranks.in_blocks)
    else:
        (units,) = cluster_units([ranks], names)
    present, n = np.unique(trials.truth, return_counts=True)
    atoms = [np.unique(units.atom_of_trial[trials.truth == place]) for place in present]
    plain = units.name == "trial" and units.dealt is None
    loses = float(((1 - n / n.sum()) ** n.sum()).sum()) > LOST
    if plain and len(present) > 1 and (loses or study.inference.stratify == "label"):
        pool = replace(units.pool, held=(), strata=tuple(atoms), forced=loses)
    else:
        ends = [
            Ends(of) if units.ends is None or units.dealt is not None else units.ends.of(of) for of in atoms
        ]
        held = tuple(of for of in ends if of.fewest < NEVER_LOST)
        pool = replace(units.pool, held=held, strata=(), forced=False)
    return replace(units, pool=pool, fewest=min(len(of) for of in atoms))


@dataclass(frozen=True, eq=False)
class MeasuredClasses:
    """The models of one dataset, judged on several classes."""

    trials: ClassTrials
    study: Study
    pool: Executor
    cache: Cache = NO_CACHE
    drawn_as: Units | None = None
    """The units of the trials where others are drawn with them; None: they are drawn alone."""
    is_whole: bool = True
    """Whether all numbers are made, and not only those by which groups are held against one another."""

    @cached_property
    def units(self) -> Units:
        """What is resampled."""
        return self.drawn_as or class_units(self.trials, self.study)

    @cached_property
    def further(self) -> tuple[Measure, ...]:
        """The further measures that the config names."""
        plan = CLASSES_KEY.of(self.study)
        return () if plan is None or not self.is_whole else plan.measures

    @cached_property
    def n(self) -> IntArray:
        """Trials of every class, shape (K,)."""
        return np.bincount(self.trials.truth, minlength=len(self.trials.labels))

    @cached_property
    def present(self) -> list[int]:
        """The places of classes that have trials."""
        return np.flatnonzero(self.n).tolist()

    @cached_property
    def top(self) -> dict[ModelRun, IntArray]:
        """The top label of every trial, shape (N,), by model and run."""
        return {run: formulas.top_label(score) for run, score in self.trials.scores.items()}

    @cached_property
    def against(self) -> dict[int, Against]:
        """Every class that has trials against the rest, by its place."""
        return {place: self._against(place) for place in self.present}

    def _against(self, place: int) -> Against:
        trials, label = self.trials, self.trials.truth == place
        counted = {
            run: count_cuts(score[:, place], label, trials.ranks.weight)
            for run, score in trials.scores.items()
        }
        ranks = replace(trials.ranks, label=label, rank={run: rank for run, (_, rank) in counted.items()})
        units = self.units
        if units.clustered and (units.pools or units.ends is None or units.ends.second is None):
            sizes = tuple(class_sizes(ranks))
            units = replace(units, sizes=decisive(sizes), by_class=() if units.pools else sizes)
        models = {
            run: JudgedModel(Key(*run, trials.dataset, "test"), None, None, cuts, ranks, self._scaling(run))
            for run, (cuts, _) in counted.items()
        }
        return Against(ranks, units, models)

    def _scaling(self, run: ModelRun) -> Scaling:
        stated = formulas.are_probabilities(self.trials.scores[run])
        return Scaling("probability" if stated else "score", None, None)

    @cached_property
    def design(self) -> Design:
        """How trials depend on one another where all classes count: by the class with the fewest clusters."""
        return self.design_with()

    def design_with(self, *others: MeasuredClasses) -> Design:
        """Return the design of what these trials and ``others`` show together, drawn with them."""
        units = self.units
        if units.clustered:
            every = [of.units.sizes for each in (self, *others) for of in each.against.values()]
            units = replace(units, sizes=decisive(every))
        return Design.of(units, self.study.inference.level)

    @cached_property
    def _is_class(self) -> BoolArray:
        """Whether each trial is of each class, one trial after the other: shape (N K,)."""
        return np.asarray(self.trials.truth[:, None] == np.arange(len(self.n))).ravel()

    @cached_property
    def _pooled(self) -> dict[ModelRun, tuple[Cuts, RankArray]]:
        """The scores of all classes as those of one question, whether a trial is of a class: (N K,) each."""
        weight = self.trials.ranks.weight
        weights = None if weight is None else np.repeat(weight, len(self.n))
        scores = self.trials.scores.items() if self.is_whole else ()
        return {run: count_cuts(score.ravel(), self._is_class, weights) for run, score in scores}

    @cached_property
    def _resampled(self) -> Resampled:
        weight = self.trials.ranks.weight
        sweeps: dict[ModelId, tuple[Sweep, ...]] = {}
        for run, top in self.top.items():
            is_right, k = top == self.trials.truth, len(self.n)
            tables = {
                name: cells_of(self.units, is_right, weight, place, k)
                for name, place in ((BY_TRUTH, self.trials.truth), (BY_TOP, top))
            }
            sweeps[*run, TOP_LABEL] = tuple(Sweep(of, {}, {name: _in_cells}) for name, of in tables.items())
        for place, of in self.against.items():
            for run, model in of.models.items():
                table = self.units, of.ranks.label, weight, model.test, model.rank
                sweeps[*run, str(place)] = _sweep(*table), *self._swept(run, *table)
        each = np.repeat(np.arange(len(self.trials.truth)), len(self.n))
        for run, (cuts, rank) in self._pooled.items():
            weights = None if weight is None else weight[each]
            table = self.units.of(each), self._is_class, weights, cuts, rank
            sweeps[*run, MICRO] = _sweep(*table), *self._swept(run, *table)
        settings = self.study.inference
        task = Task(self.units, {}, sweeps, settings.seed)
        return cached_resample(task, settings.replicates, self.pool, self.cache)

    def _swept(
        self,
        run: ModelRun,
        units: Units,
        label: BoolArray,
        weight: IntArray | None,
        cuts: Cuts,
        rank: RankArray,
    ) -> Iterator[Sweep]:
        """Yield what further measures are read off: every distinct score."""
        scaling, read = self._scaling(run), dict[Measure, FloatArray | None]()
        for measure in self.further:
            if measure.over == "threshold" or measure in SWEPT:
                continue
            if math.isfinite(value_over(measure, cuts, scaling).number):
                read[measure] = scaling.scores_for(measure, cuts.score) if measure.over == "scores" else None
        if read:
            yield Sweep(cells_of(units, label, weight, rank, len(cuts.score)), read)

    @cached_property
    def _decided(self) -> dict[ModelRun, tuple[FloatArray, ...]]:
        """Misses, false alarms, targets and non-targets of every class in resamples, shape (M, K) each.

        Wrong trials of a class are its misses, those with it as top label its false alarms: two tables of
        right and wrong trials, by class and by top label, hold all.
        """
        counts: dict[ModelRun, tuple[FloatArray, ...]] = {}
        for run in self.top:
            drawn = self._resampled.sweeps[*run, TOP_LABEL]
            misses, right = np.moveaxis(drawn[BY_TRUTH], 1, 0)
            n_target = misses + right
            n_nontarget = n_target.sum(axis=1, keepdims=True) - n_target
            counts[run] = misses, drawn[BY_TOP][:, 0], n_target, n_nontarget
        return counts

    def by_class(self, run: ModelRun, measure: Measure) -> OfClasses:
        """Return a measure of every class against the rest; NaN of a class without trials."""
        point, replicates = np.full(len(self.n), np.nan), np.full((self._draws, len(self.n)), np.nan)
        if measure.over == "threshold":
            decided = measure.formula(*self._decided[run], **measure.arguments)
            replicates[:, self.present] = decided[:, self.present]
        for place, of in self.against.items():
            model = of.models[run]
            if measure.over == "threshold":
                counts = trial_counts(of.ranks.label, self.top[run] == place, of.ranks.weight)
                point[place] = float(measure.formula(*counts, **measure.arguments))
            else:
                point[place] = model.value(measure).number
                replicates[:, place] = self._resampled.sweeps[*run, str(place)].get(measure, np.nan)
        return OfClasses(point, replicates)

    @property
    def _draws(self) -> int:
        return self.design.sets * self.study.inference.replicates

    def _together(self, run: ModelRun, measure: Measure) -> OfClasses:
        """Return a measure of all pairs of trial and class as one question, shape () and (M,)."""
        if measure.over == "threshold":
            top = (self.top[run][:, None] == np.arange(len(self.n))).ravel()
            weight = self.trials.ranks.weight
            weights = None if weight is None else np.repeat(weight, len(self.n))
            counts = trial_counts(self._is_class, top, weights)
            drawn = (of.sum(axis=1) for of in self._decided[run])
            point = float(measure.formula(*counts, **measure.arguments))
            return OfClasses(np.asarray(point), measure.formula(*drawn, **measure.arguments))
        point = value_over(measure, self._pooled[run][0], self._scaling(run)).number
        drawn_of = self._resampled.sweeps[*run, MICRO].get(measure, np.full(self._draws, np.nan))
        return OfClasses(np.asarray(point), drawn_of)

    @cached_property
    def class_totals(self) -> OfClasses:
        """Trials of every class by their weights, on the trials themselves and in resamples."""
        _, _, drawn, _ = next(iter(self._decided.values()))
        n = np.bincount(self.trials.truth, self.trials.ranks.weight, len(self.n))
        return OfClasses(n.astype(np.float64), drawn)

    def estimates(self, runs: list[ModelRun]) -> Iterator[tuple[ClassQuantity, Estimated]]:
        """Yield every quantity of a model: of its run, or the mean over its runs."""
        totals = self.class_totals
        of_accuracy = []
        for measure in dict.fromkeys((*SWEPT, *DECIDED, *self.further)):
            by_run, each = [self.by_class(run, measure) for run in runs], []
            for place in range(len(self.n)):
                values = [OfClasses(of.point[place], of.replicates[:, place]) for of in by_run]
                each.append(self._of_class(runs, measure, place, values))
                yield ClassQuantity(measure, "class", place), each[-1]
            for average, mean in (("macro", formulas.macro), ("weighted", formulas.weighted)):
                means = [
                    OfClasses(mean(of.point, totals.point), mean(of.replicates, totals.replicates))
                    for of in by_run
                ]
                whole = self._of_all(runs, measure, means)
                if average == "macro":
                    whole = whole._replace(interval=self._macro(runs, measure, each) or whole.interval)
                yield ClassQuantity(measure, average), whole
            if measure is RECALL:
                # The weighted mean of recall is the share of right top labels.
                of_accuracy = [formulas.weighted(of.replicates, totals.replicates) for of in by_run]
        for measure in dict.fromkeys((*SWEPT, *self.further)) if self.is_whole else ():
            if measure != ACCURACY:
                pooled = [self._together(run, measure) for run in runs]
                yield ClassQuantity(measure, MICRO), self._of_all(runs, measure, pooled)
        yield ClassQuantity(ACCURACY, MICRO), self._accuracy(runs, of_accuracy)
        yield from self._calibration(runs)

    def _of_class(
        self, runs: list[ModelRun], measure: Measure, place: int, values: list[OfClasses]
    ) -> Estimated:
        """Return a measure of one class: its limits are those of the same question of two classes."""
        if place not in self.against:
            return Estimated(math.nan)
        of, level = self.against[place], self.study.inference.level
        if measure.over != "threshold":
            system = ModelRuns(tuple(of.models[run] for run in runs))
            sweeps: dict[ModelId, dict[Measure | str, FloatArray]] = {
                run: {measure: each.replicates} for run, each in zip(runs, values, strict=True)
            }
            question = sample(
                system, Question(measure), Resampling(of.ranks, of.units, sweeps=sweeps), self.study
            )
            by_run = {run.run: each for run, each in zip(runs, values, strict=True)}
            return Estimated(float(question.point[0]), question.replicates[:, 0], interval(question), by_run)
        design = Design.of(of.units, level)
        whole = self._of_all(runs, measure, values, design)
        if not (math.isfinite(whole.value) and self._has_rates(runs, design)):
            return whole
        limits = self._of_rates(runs[0], measure, place)
        return whole._replace(interval=limits) if limits.method else whole

    def _of_rates(self, run: ModelRun, measure: Measure, place: int) -> estimate.ModelInterval:
        """Return the limits of a share of trials, or of what follows from one; none of other measures."""
        of, level = self.against[place], self.study.inference.level
        if measure not in (F1, JACCARD):
            return interval_of_rates(measure, partial(self._rate, run, place), level)
        either = self.top[run] == place
        limits = estimate.rate_interval(self.rate(either | of.ranks.label, either & of.ranks.label), level)
        if measure == F1 and limits.low is not None and limits.high is not None:
            # F1 = 2 J / (1 + J) of J = TP / (TP + FP + FN), a share of trials.
            limits = replace(
                limits, low=2 * limits.low / (1 + limits.low), high=2 * limits.high / (1 + limits.high)
            )
        return limits

    def _has_rates(self, runs: list[ModelRun], design: Design) -> bool:
        """Return whether limits are those of shares of trials: one run, where the config names no method."""
        return len(runs) == 1 and self.study.inference.interval == "auto" and not design.too_few_clusters

    def _rate(self, run: ModelRun, place: int, share: Share) -> EffectiveRate:
        """Return a share of trials at the decisions on a class."""
        of, everyone = self.against[place], np.arange(self.trials.ranks.n_trials)
        return ErrorRates(of.ranks, of.units).among(of.models[run], self.top[run] == place, share, everyone)

    def _macro(
        self, runs: list[ModelRun], measure: Measure, each: list[Estimated]
    ) -> estimate.ModelInterval | None:
        """Return limits of a mean over classes made of those of every class; None where one has none.

        Resamples of a class of few trials vary too little, and not at all where all of them are right.
        """
        limits = [each[place].interval for place in self.present]
        if not self._has_rates(runs, self.design) or any(of.low is None for of in limits):
            return None
        if measure is RECALL and RECALL.counted is not None:
            # Rates of different trials: of two classes the interval of 1 - HTER.
            share = RECALL.counted
            rates = [(1 / len(limits), self._rate(runs[0], place, share)) for place in self.present]
            return estimate.ModelInterval(
                *square_and_add(rates, self.study.inference.level), "square_and_add"
            )
        point = np.array([each[place].value for place in self.present])
        drawn = np.stack(
            [of.replicates for place in self.present if (of := each[place]).replicates is not None]
        )
        bounds = np.array([(of.low, of.high) for of in limits], dtype=np.float64)
        low, high = formulas.limits_of_mean(point, bounds, drawn)
        return estimate.ModelInterval(low, high, "classes_combined").of(float(point.mean()), measure.bounds)

    def _of_all(
        self, runs: list[ModelRun], measure: Measure, values: list[OfClasses], design: Design | None = None
    ) -> Estimated:
        """Return the mean over runs of a number, its limits by the spread of its resamples."""
        design, settings = design or self.design, self.study.inference
        system = ModelRuns(tuple(self.against[self.present[0]].models[run] for run in runs))
        value = float(np.mean([of.point for of in values]))
        replicates = system.mean([of.replicates for of in values], self.study)
        by_run = {run.run: each for run, each in zip(runs, values, strict=True)}
        if not math.isfinite(value):
            return Estimated(value, replicates)
        if design.too_few_clusters:
            return Estimated(value, replicates, estimate.TOO_FEW_CLUSTERS, by_run)
        if settings.interval == "auto" and self.study.runs == "reader" and len(runs) > 1:
            se, df = over_readers(values, design=design)
            limits = estimate.interval_within(value, se, measure.bounds, settings.level, df)
        elif settings.interval == "auto":
            limits = estimate.spread_interval(value, replicates, measure.bounds, settings.level, design)
        else:
            spread, reduced = design.reduced(replicates, value)
            limits = estimate.estimate_by(settings.interval, value, spread, settings.level, reduced.n_units)
        return Estimated(value, replicates, limits.of(value, measure.bounds), by_run)

    def _accuracy(self, runs: list[ModelRun], replicates: list[FloatArray]) -> Estimated:
        """Return the share of trials whose top label is right, of a single run with limits of a share."""
        right = [self.top[run] == self.trials.truth for run in runs]
        rates = [self.rate(np.ones(len(each), dtype=bool), each) for each in right]
        points = [np.asarray(rate.rate) for rate in rates]
        whole = self._of_all(runs, ACCURACY, [OfClasses(*of) for of in zip(points, replicates, strict=True)])
        if len(runs) > 1 or self.study.inference.interval != "auto" or self.design.too_few_clusters:
            return whole
        return whole._replace(interval=estimate.rate_interval(rates[0], self.study.inference.level))

    def tested(self, measure: Measure, model: Estimated, baseline: Estimated) -> PairedDifference | None:
        """Return a difference of two models with limits and p by its resamples; None where undefined.

        Of readers by Obuchowski and Rockette's standard error.
        """
        difference = model.value - baseline.value
        if model.replicates is None or baseline.replicates is None or not math.isfinite(difference):
            return None
        replicates, both = model.replicates - baseline.replicates, (model.by_run, baseline.by_run)
        if self.study.runs != "reader" or max(map(len, both)) < 2 or self.design.too_few_clusters:
            return Statistic(np.asarray(difference), replicates, self.design).tested().within(measure.bounds)
        se, df = over_readers(*([*of.values()] for of in paired_readers(*both)), design=self.design)
        plain, drawn = PairedDifference(difference, se, df), self.design.reduced(replicates, difference)[0]
        alike = difference == 0 and not replicates.any()
        level = self.study.inference.level
        return compare_by_error(plain, drawn, level, alike=alike, closed=False).within(measure.bounds)

    def rate(self, members: BoolArray, marked: BoolArray) -> EffectiveRate:
        """Return the share of the members that are marked (shape (N,) each)."""
        weight = self.trials.ranks.weight
        if self.units.clustered or weight is not None:
            return CountedTrials.among(members, self.units, weight).rate(marked, 0.0)
        n = float(members.sum())
        return EffectiveRate(float((members & marked).sum()) / n if n else math.nan, n)

    def _calibration(self, runs: list[ModelRun]) -> Iterator[tuple[ClassQuantity, Estimated]]:
        """Yield calibration errors with limits of their own: resamples of them are biased upwards."""
        stated = all(formulas.are_probabilities(self.trials.scores[run]) for run in runs)
        by_place = np.full(len(self.n), np.nan)
        for place in self.present if stated else ():
            by_place[place] = np.mean([self.bins(run, place).error for run in runs])
        totals = self.class_totals.point
        top = float(np.mean([self.bins(run, None).error for run in runs])) if stated else math.nan
        numbers: list[tuple[str, int | None, float, dict[int | None, float]]] = [
            ("macro", None, float(formulas.macro(by_place, totals)), dict.fromkeys(self.present, 1.0)),
            ("weighted", None, float(formulas.weighted(by_place, totals)), dict(enumerate(totals.tolist()))),
            ("top_label", None, top, {None: 1.0}),
        ]
        numbers[:0] = [("class", at, float(of), {at: 1.0}) for at, of in enumerate(by_place)]
        for average, at, value, shares in numbers:
            limits = self._calibration_limits(runs, shares) if math.isfinite(value) else estimate.NO_INTERVAL
            yield ClassQuantity(CALIBRATION_ERROR, average, at), Estimated(value, None, limits)

    def _calibration_limits(
        self, runs: list[ModelRun], shares: Mapping[int | None, float]
    ) -> estimate.ModelInterval:
        """Return limits of a mean of calibration errors; None among the ``shares`` is the top label."""
        design, units, truth = self.design, self.units, self.trials.truth
        if design.too_few_clusters:
            return estimate.TOO_FEW_CLUSTERS
        of_readers = self.study.runs == "reader" and len(runs) > 1
        if units.ends is not None or of_readers:  # pairs of clusters; readers are a sample, too
            return estimate.NO_INTERVAL
        total, forecasts = len(runs) * sum(shares.values()), []
        for run in runs:
            score, top = self.trials.scores[run], self.top[run]
            forecasts += [
                formulas.Forecasts(
                    score.max(axis=1) if place is None else score[:, place],
                    top == truth if place is None else truth == place,
                    share / total,
                )
                for place, share in shares.items()
            ]
        unit = np.unique(units.of_trial, return_inverse=True)[1]
        reach, weight = design.inflation * quantile(design.level, design.df), self.trials.ranks.weight
        low, high = formulas.limits_of_errors(forecasts, unit, weight, reach, clustered=units.clustered)
        return estimate.ModelInterval(low, high, "half_normal")

    def bins(self, run: ModelRun, place: int | None) -> formulas.CalibrationBins:
        """Return the calibration of the probability of a class, or of the highest one (None)."""
        score, truth, weight = self.trials.scores[run], self.trials.truth, self.trials.ranks.weight
        if place is None:
            return formulas.calibration_bins(score.max(axis=1), self.top[run] == truth, weight)
        return formulas.calibration_bins(score[:, place], truth == place, weight)


def paired_readers(
    first: Mapping[str, OfClasses], second: Mapping[str, OfClasses]
) -> tuple[Mapping[str, OfClasses], ...]:
    """Return the differences of readers that both models have; of other readers both models."""
    if first.keys() != second.keys():
        return first, second
    return (
        {run: OfClasses(*(a - b for a, b in zip(first[run], second[run], strict=True))) for run in first},
    )


def over_readers(*models: Sequence[OfClasses], design: Design) -> tuple[float, float | None]:
    """Return the standard error and df of the mean over readers, or of the difference of two such means.

    None of infinite df.
    """
    values = [[np.atleast_1d(of.point) for of in readers] for readers in models]
    noise = [[of.replicates[:, None] for of in readers] for readers in models]
    if len(models) == 1:
        spread = reader_spread(values[0], noise[0], design.variance)
    else:
        spread = spread_of_others((values[0], values[1]), (noise[0], noise[1]), design.variance)
    return float(spread.se[0]), design.least_df(float(spread.df[0]))


@dataclass(frozen=True, eq=False)
class AreaSweep(Sweep):
    """A sweep of which the areas alone are read, in one pass over the cells that hold targets."""

    targets: IntArray = field(kw_only=True)

    def values(self, summed: Summed) -> dict[Measure | str, FloatArray]:
        """Return both areas (shape (resamples,))."""
        return dict(zip(SWEPT, formulas.areas(summed.counts, self.targets), strict=True))


def _sweep(units: Units, label: BoolArray, weight: IntArray | None, cuts: Cuts, rank: RankArray) -> Sweep:
    """Return what areas are read off: targets by score, non-targets by run of scores without a target."""
    holds = cuts.n_target > 0
    cell = np.concatenate(([0], np.cumsum(holds[1:] | holds[:-1])))[: len(holds)]
    cells = cells_of(units, label, weight, cell.astype(np.uint32)[rank], int(cell[-1]) + 1)
    return AreaSweep(cells, dict.fromkeys(SWEPT), targets=cell[holds])


def _in_cells(misses: IntArray, false_alarms: IntArray) -> FloatArray:
    """Return what every cell holds of both classes (shape (M, 2, n)), non-targets first."""
    return np.stack([-np.diff(false_alarms, axis=1), np.diff(misses, axis=1)], axis=1).astype(np.float64)
