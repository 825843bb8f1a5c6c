"""A statistic of one system: its value on the trials, and its resamples, whatever the design.

Every number of a report that is estimated is read off one such value: its interval (``intervals``), its band
along a curve (``curve_limits``), its difference from another system's (``pairs``), the best of several
(``joint``). A single run is a system of one run.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property, partial

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.codes import Flag, Status
from reporting.base.records import dataclass, replace
from reporting.core.criteria.criterion import Criterion
from reporting.core.curves.epc import ThresholdResult
from reporting.core.engine.model_runs import ModelRuns
from reporting.core.engine.operations import JudgedModel, why_unplaced
from reporting.core.engine.resampling import Resampling
from reporting.core.engine.study import Study
from reporting.core.engine.values import status_of, takes_own_alpha, values_at
from reporting.core.measures.measure import Measure
from reporting.core.resampling.bootstrap import Replicates
from reporting.core.resampling.design import Design
from reporting.core.resampling.paired import PairedDifference, compare_replicates
from reporting.core.resampling.settings import Estimand
from reporting.core.resampling.units import crossed_variance
from reporting.core.stats.crossed_units import CrossedVariance
from reporting.core.stats.curve_limits import LeastLimits, LimitsOfCurve, Range, curve_limits
from reporting.core.stats.paired import influences_of_one
from reporting.core.stats.placements import influence
from reporting.core.stats.readers import Variance, of_placements


@dataclass(frozen=True)
class Question:
    """A measure over the sweep, or at the thresholds that a criterion chooses."""

    measure: Measure
    criterion: Criterion | None = None
    """What chooses the threshold; None over the sweep."""
    along: bool = False
    """Whether it is asked at every alpha of the criterion's curve."""

    def operation(self, run: JudgedModel) -> ThresholdResult | None:
        """Return the thresholds of a run with what they do; None over the sweep, and where it has none."""
        if self.criterion is None:
            return None
        return (run.along if self.along else run.single).get(self.criterion)


def design_of(drawn: Resampling, study: Study) -> Design:
    """Return how the trials of a part depend on one another, at the confidence level of a report."""
    return Design.of(drawn.units, study.inference.level)


def primary_question(study: Study) -> Question:
    """Return what the report asks first."""
    measure = study.primary.measure
    return Question(measure, study.primary.criterion if measure.over == "threshold" else None)


@dataclass(frozen=True, eq=False)
class Sample:
    """A measure of one system at P thresholds, or over the sweep (P = 1): values and M resamples of them.

    Of several runs the mean counts; where these are readers, they are a sample of many. A system without a
    threshold has the value NaN, and a ``status`` with the reason.
    """

    system: ModelRuns
    question: Question
    estimand: Estimand | None
    """None where no threshold is involved."""
    drawn: Resampling
    study: Study
    shared: bool = False
    """Whether resamples are those of weights that all systems share."""

    @property
    def measure(self) -> Measure:
        """The measure."""
        return self.question.measure

    @property
    def level(self) -> float:
        """The confidence level."""
        return self.study.inference.level

    @cached_property
    def design(self) -> Design:
        """How the trials depend on one another, at the confidence level.

        Of a rate at thresholds that none of these trials chose, the trials of its class do.
        """
        given = self.estimand == "given_thresholds" and not self.across_folds
        units = self.drawn.units.counting(self.measure.one_class if given else None)
        return Design.of(units, self.level)

    @property
    def over_readers(self) -> bool:
        """Whether the runs are readers, drawn from many."""
        return self.study.runs == "reader" and not self.system.alone

    @property
    def automatic(self) -> bool:
        """Whether the quantity determines how its interval is made, and not the config."""
        return self.study.inference.interval == "auto"

    @property
    def fixed(self) -> bool:
        """Whether closed forms of these very runs serve: of a single one, or of seeds."""
        return self.automatic and not self.over_readers

    @property
    def closed(self) -> bool:
        """Whether closed forms of a single run serve."""
        return self.automatic and self.system.alone

    @cached_property
    def operations(self) -> list[tuple[JudgedModel, ThresholdResult]]:
        """Every run with its thresholds; none over the sweep, and where a run has none."""
        of_runs = [(run, self.question.operation(run)) for run in self.system.runs]
        placed = [(run, operation) for run, operation in of_runs if operation is not None]
        return placed if len(placed) == len(of_runs) else []

    @property
    def across_folds(self) -> bool:
        """Whether the thresholds are those of folds of the judged trials."""
        return any(operation.chosen.source == "cv" for _, operation in self.operations)

    @property
    def alpha(self) -> FloatArray | None:
        """The alpha of every threshold of a curve, shape (P,)."""
        return self.operations[0][1].chosen.alpha if self.operations else None

    @cached_property
    def measures(self) -> list[Measure]:
        """The measure at every threshold: a bare one takes the alpha of that threshold."""
        swept = ((name, value) for name, along in self.along().items() for value in along.tolist())
        return [self.measure.at(**{name: value}) for name, value in swept] or [self.measure] * len(self.point)

    def along(self, at: IntArray | None = None) -> dict[str, FloatArray]:
        """Return the parameter that a bare measure takes along a curve, at all thresholds or some."""
        if self.alpha is None or not takes_own_alpha(self.measure):
            return {}
        return {self.measure.swept: self.alpha if at is None else self.alpha[at]}

    @cached_property
    def by_run(self) -> list[FloatArray]:
        """The measure of every run on the trials themselves, each of shape (P,)."""
        if self.question.criterion is None:
            return [np.array([run.value(self.measure).number]) for run in self.system.runs]
        along = self.along()
        placed = [values_at(self.measure, of.test, run.test, **along) for run, of in self.operations]
        return placed or [np.array([math.nan])] * len(self.system.runs)

    @cached_property
    def point(self) -> FloatArray:
        """The mean over runs of the measure on the trials themselves, shape (P,); NaN where undefined."""
        return np.asarray(np.mean(self.by_run, axis=0))

    def status(self, at: int = 0) -> Status | None:
        """Return why the value at a threshold is undefined; None where it is defined."""
        if self.question.criterion is None:
            values = (run.value(self.measure) for run in self.system.runs)
            return next((value.status for value in values if value.status), None)
        if not self.operations:
            return why_unplaced(self.question.criterion)
        return status_of(float(self.point[at]), *self.system.first.test.trials)

    @property
    def errors(self) -> list[Replicates]:
        """The errors of every run in every resample; none over the sweep."""
        shared, estimand = self.shared or not self.system.alone, self.estimand
        assert estimand is not None or not self.operations
        return [self.drawn.at(*each, estimand, shared=shared) for each in self.operations if estimand]

    def accepted(self, at: int = 0) -> FloatArray:
        """Return the share of the runs that accept each trial at a threshold, shape (N,)."""
        return np.asarray(np.mean([run.binned(of.name).accepted(at) for run, of in self.operations], axis=0))

    @property
    def measured(self) -> bool:
        """Whether there are resamples of it: not of a measure over the sweep that is not reported."""
        sweeps = self.drawn.sweeps
        return bool(self.operations) or all(self.measure in sweeps[run.id] for run in self.system.runs)

    def draws(self, at: IntArray | None = None) -> list[FloatArray]:
        """Return the measure of every run in every resample, at all thresholds or some: (M, P) each."""
        if self.operations:
            errors = self.errors if at is None else [each.columns(at) for each in self.errors]
            return [each.values(self.measure, **self.along(at)) for each in errors]
        unknown = np.full(self.design.sets * self.study.inference.replicates, np.nan)
        sweeps = (self.drawn.sweeps[run.id].get(self.measure, unknown) for run in self.system.runs)
        return [values[:, None] for values in sweeps]

    @cached_property
    def replicates_by_run(self) -> list[FloatArray]:
        """The measure of every run in every resample, each of shape (M, P)."""
        return self.draws()

    @cached_property
    def replicates(self) -> FloatArray:
        """The mean over runs in every resample, shape (M, P)."""
        return self.system.mean(self.replicates_by_run, self.study)

    def column(self, at: int) -> FloatArray:
        """Return the mean over runs in every resample at one threshold, shape (M,)."""
        return self.system.mean([of_run[:, at] for of_run in self.replicates_by_run], self.study)

    def influences(self, at: int = 0) -> FloatArray | None:
        """Return what every trial moves the value by (shape (N,)), where a formula gives it.

        At thresholds that are given, and of an area by placements; of several runs the mean. None of anything
        else, of weighted areas, and where non-targets are mixed or counts carry noise.
        """
        ranks, measure = self.drawn.ranks, self.measures[at]
        if ranks.mix is not None or ranks.noise is not None or self.over_readers:
            return None
        if self.operations and self.estimand == "given_thresholds" and not self.across_folds:
            return np.asarray(np.mean([self._of_counts(*each, at) for each in self.operations], axis=0))
        if self.operations or measure.of_area is None or ranks.weight is not None or ranks.in_blocks:
            return None
        a, b = measure.of_area
        areas = zip(self.system.runs, self.by_run, strict=True)
        moved = [
            b * influence(self.drawn.placements(run), ranks.label, (float(value[at]) - a) / b)
            for run, value in areas
        ]
        return np.asarray(np.mean(moved, axis=0))

    def _of_counts(self, run: JudgedModel, operation: ThresholdResult, at: int) -> FloatArray:
        ranks, measure = self.drawn.ranks, self.measures[at]
        counts = int(operation.test.misses[at]), int(operation.test.false_alarms[at]), *run.test.totals
        outcomes = influences_of_one(partial(measure.formula, **measure.arguments), counts)
        missed, hit, accepted, rejected = (float(psi) for _, psi in outcomes)
        accepts = run.binned(operation.name).accepted(at)
        moved = np.where(ranks.label, np.where(accepts, hit, missed), np.where(accepts, accepted, rejected))
        return moved if ranks.weight is None else moved * ranks.weight

    def crossed(self, at: int = 0, less: Sample | None = None) -> CrossedVariance | None:
        """Return the variance over two crossed pools, of a difference where another sample is subtracted.

        None where there is no ``influences``.
        """
        if self.design.pools is None or (moved := self.influences(at)) is None:
            return None
        if less is not None:
            if (other := less.influences(at)) is None:
                return None
            moved = moved - other
        return crossed_variance(moved, self.drawn.ranks)

    def reduced(self, at: int = 0) -> tuple[FloatArray, Design]:
        """Return the resamples at one threshold (shape (M,)) with their design (``Design.reduced``)."""
        return self.design.reduced(self.column(at), float(self.point[at]), self.crossed(at))

    @property
    def redrawn(self) -> bool:
        """Whether resamples had lost a class and were drawn again."""
        if self.question.criterion is None:
            return self.drawn.sweeps_redrawn
        return any(errors.redrawn for errors in self.errors)

    @property
    def flags(self) -> list[Flag]:
        """Cautions about resamples over the sweep."""
        coarse = any(run.id in self.drawn.binned for run in self.system.runs)
        return ["coarse_test"] if coarse and self.measure.over == "sweep" and self.measure.sees_runs else []

    @property
    def noise(self) -> list[FloatArray]:
        """What the variance of every run is made of: its resamples, or of an area its placements."""
        if self.by_placements:
            return [self.drawn.placements(run) for run in self.system.runs]
        return self.replicates_by_run

    @property
    def variance(self) -> Variance:
        """How the variance is made of the noise."""
        if self.by_placements and self.measure.of_area is not None:
            return of_placements(self.drawn.ranks.label, self.measure.of_area[1])
        return self.design.variance

    @property
    def by_placements(self) -> bool:
        """Whether its noise is that of placements: of an area of independent trials."""
        return not self.operations and self.drawn.by_placements(self.measure)


@dataclass(frozen=True, eq=False)
class Statistic:
    """A number that is no measure of errors at thresholds, or a curve of such numbers, and resamples of it.

    Means over runs, and differences of two systems, are estimates themselves.
    """

    point: FloatArray
    """On the trials themselves: shape (P,), or () of a single number."""
    replicates: FloatArray
    """Shape (M, P), or (M,)."""
    design: Design

    @classmethod
    def over_runs(
        cls,
        system: ModelRuns,
        of_runs: Iterable[tuple[FloatArray, FloatArray]],
        drawn: Resampling,
        study: Study,
    ) -> Statistic:
        """Return the mean over the runs of a system, each with its point and its resamples."""
        points, replicates = zip(*of_runs, strict=True)
        return cls(np.mean(points, axis=0), system.mean(replicates, study), design_of(drawn, study))

    def __sub__(self, other: Statistic) -> Statistic:
        return replace(self, point=self.point - other.point, replicates=self.replicates - other.replicates)

    def tested(self) -> PairedDifference:
        """Return a single difference with interval and p, by the standard error of its resamples."""
        difference = float(self.point)
        alike = difference == 0 and not self.replicates.any()
        return compare_replicates(difference, *self.design.reduced(self.replicates, difference), alike=alike)

    def limits(
        self,
        floor: FloatArray,
        bounds: Range,
        at_least: LeastLimits | None = None,
        *,
        one_sided: bool = False,
    ) -> LimitsOfCurve | None:
        """Return the limits along a curve (``curve_limits``); None where resamples show nothing of them."""
        replicates, design = self.design.reduced(self.replicates, self.point)
        if design.too_few:
            return None
        given = self.point, replicates, floor, design.level, bounds, design.df, at_least
        return curve_limits(*given, inflation=design.inflation, one_sided=one_sided)


def sample(
    system: ModelRuns,
    question: Question,
    drawn: Resampling,
    study: Study,
    estimand: Estimand | None = None,
    *,
    shared: bool = False,
) -> Sample:
    """Return a measure of a system with its resamples; ``estimand`` None: that of its interval."""
    operation = question.operation(system.first)
    if operation is not None and estimand is None:
        estimand = drawn.of_interval(system.first, operation, study)
    return Sample(system, question, None if operation is None else estimand, drawn, study, shared)


def common_estimand(samples: Iterable[Sample]) -> Estimand:
    """Return the estimand that several samples share.

    Thresholds are re-selected only where they are for every run, else they are given for all.
    """
    wanted = [
        of.study.inference.comparisons == "procedure" and of.drawn.rechosen(*operated)
        for of in samples
        for operated in of.operations
    ]
    return "procedure" if wanted and all(wanted) else "given_thresholds"


def are_shared(samples: Iterable[Sample]) -> bool:
    """Return whether samples have resamples of the same draws, of the same trials.

    Where trials are independent and thresholds given, each may have draws of its own; and no resamples know
    thresholds that the judged trials chose across folds and that are held.
    """
    for of in samples:
        its_own = of.across_folds or not of.drawn.joint
        if not of.drawn.ranks.paired or (of.estimand == "given_thresholds" and its_own):
            return False
    return True
