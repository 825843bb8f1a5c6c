"""Systems judged within the members of a partition at thresholds chosen on all dev trials, as deployed.

Members and what is outside each are counted under the weights that all models share, each class by member
and decision in one table of cells: resamples of members belong together, and a unit with trials in several
members is drawn once for all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, cached_property, partial

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray
from reporting.base.codes import Status
from reporting.base.execution import Executor
from reporting.base.records import dataclass, field
from reporting.core.criteria.criterion import Criterion
from reporting.core.engine.error_rates import FALSE_ALARMS, MISSES
from reporting.core.engine.intervals import interval_of_rates
from reporting.core.engine.model_runs import ModelRuns, models_with_runs
from reporting.core.engine.partition import Partition, errors_of_cells, finite_values
from reporting.core.engine.parts import Part
from reporting.core.engine.resampling import Resampling
from reporting.core.engine.sample import design_of
from reporting.core.engine.study import AcrossPlan, Study
from reporting.core.engine.values import status_of
from reporting.core.measures.measure import Measure
from reporting.core.resampling.bootstrap import BinnedCells, Replicates, Task, ThresholdKey
from reporting.core.resampling.cached import cached_resample
from reporting.core.resampling.cell_tables import cells_of
from reporting.core.resampling.design import Design
from reporting.core.resampling.estimate import NO_INTERVAL, TOO_FEW_CLUSTERS, ModelInterval, spread_interval
from reporting.core.stats.cluster_sizes import ClusterSizes, decisive
from reporting.core.stats.confusion import Share
from reporting.core.stats.effective_size import EffectiveRate
from reporting.features.groups.formulas import GroupValues, Limits

FEW_UNITS = 10
"""Units (trials or clusters) with trials of a class, below which a group takes no part in claims."""
FEW_ERRORS = 5
"""Errors that a group would have at the rate of all trials, below which it takes no part in claims."""
UNDEFINED_SHARE = 0.01
"""Resamples without a value, of which a group may have no larger share if it takes part."""


@dataclass(frozen=True, eq=False)
class MemberSample:
    """A measure of one system on P sets of trials, members of a partition or what is outside of each.

    A single run's share of trials, or sum of FAR and FRR, has the interval of these rates, that of a part of
    the report with the same trials. The spread of its resamples, with as many clusters as the set has, makes
    that of anything else, for limits are needed far out.
    """

    measure: Measure
    point: FloatArray
    """Shape (P,); NaN where undefined."""
    replicates: FloatArray
    """Shape (M, P); NaN where undefined."""
    rate_of: Callable[[int, Share], EffectiveRate]
    """A share of the trials of a set, by its index."""
    clustered: bool
    alone: bool = True
    """Whether the system has a single run."""

    def n_units(self, at: int) -> int:
        """Return the units with trials of the class that fewer hold, of those that the measure counts."""
        rates = self._rates(at)
        return min(int(rate.size) if rate.clusters is None else rate.clusters.number for rate in rates)

    def _rates(self, at: int) -> list[EffectiveRate]:
        return [self.rate_of(at, share) for share in shares_of(self.measure)]

    def interval(self, at: int, level: float, *, exact: bool = False) -> ModelInterval:
        """Return the interval of one set alone; ``exact``: rates have the limits of few errors."""
        value, limits = float(self.point[at]), NO_INTERVAL
        if not math.isfinite(value):
            return limits
        if self.clustered and self._sizes(at).too_few:
            return TOO_FEW_CLUSTERS
        if self.alone:
            limits = interval_of_rates(self.measure, partial(self.rate_of, at), level, exact=exact)
        drawn = self.replicates[:, at]
        defined = drawn[np.isfinite(drawn)]
        if not limits.method and len(defined) > 1:
            limits = spread_interval(value, defined, self.measure.bounds, level, self._design(at, level))
        return limits.of(value, self.measure.bounds)

    def _sizes(self, at: int) -> ClusterSizes:
        """How the trials of a set that the measure counts are spread over clusters."""
        return decisive(rate.clusters for rate in self._rates(at) if rate.clusters)

    def _design(self, at: int, level: float) -> Design:
        """How the resamples of a set are read: by the sizes of its own clusters."""
        if not self.clustered:
            return Design(level)
        sizes = self._sizes(at)
        return Design(level, sizes.degrees_of_freedom, sizes.inflation, "cluster")

    def have_values(self, at: list[int]) -> BoolArray:
        """Return in which resamples all of these sets have a value, shape (M,)."""
        return np.asarray(np.isfinite(self.replicates[:, at]).all(axis=1))

    def values(self, at: list[int], kept: BoolArray, shared: BoolArray) -> GroupValues:
        """Return the values of some sets, with those resamples that are kept (shape (M,))."""

        def limits(exact: bool, level: float) -> Limits:
            each = [self.interval(i, level, exact=exact) for i in at]
            low, high = ([getattr(of, end) for of in each] for end in ("low", "high"))
            return np.array(low, dtype=np.float64), np.array(high, dtype=np.float64)

        drawn = self.replicates[kept][:, at]
        deviations = drawn - drawn.mean(axis=0)
        return GroupValues(self.point[at], deviations, partial(limits, False), partial(limits, True), shared)


@dataclass(frozen=True, eq=False)
class MeasureByMember:
    """A measure of one system in every member and outside of each."""

    members: MemberSample
    rests: MemberSample
    left_out: list[Status | None]
    """Why a member takes no part in claims; None where it does."""
    shared: BoolArray
    """Which two members share units, shape (P, P)."""

    @cached_property
    def within(self) -> list[int]:
        """The members that take part in claims, by index."""
        return [at for at, why in enumerate(self.left_out) if why is None]

    @cached_property
    def kept(self) -> BoolArray:
        """The resamples in which every member that takes part has a value, shape (M,)."""
        return self.members.have_values(self.within)

    @cached_property
    def values(self) -> GroupValues:
        """The values of the members that take part."""
        return self.among(self.within, self.kept)

    def among(self, at: list[int], kept: BoolArray) -> GroupValues:
        """Return the values of some members, with those resamples that are kept (shape (M,))."""
        return self.members.values(at, kept, self.shared[at][:, at])

    def against(self, reference: int | None) -> tuple[GroupValues, GroupValues]:
        """Return the values of the members that take part, and those of their rests or of one of them."""
        within, kept = self.within, self.kept
        if reference is None:
            kept, shared = kept & self.rests.have_values(within), self.shared.sum(axis=1)[within] > 1
            return self.members.values(within, kept, shared), self.rests.values(within, kept, shared)
        shared = self.shared[reference, within]
        others = [reference] * len(within)
        return self.members.values(within, kept, shared), self.members.values(others, kept, shared)

    def apart(self, at: list[int], reference: int | None) -> tuple[FloatArray, FloatArray]:
        """Return how far members lie from their rest, or from one: shape (G,), and in resamples (M, G)."""
        other, where = (self.rests, at) if reference is None else (self.members, [reference])
        point = self.members.point[at] - other.point[where]
        return point, self.members.replicates[:, at] - other.replicates[:, where]


@dataclass(frozen=True, eq=False)
class SystemByMember:
    """A system, all its runs together, in the members of a partition."""

    system: ModelRuns
    accepted: BoolArray
    """The trials that the first run accepts."""
    trials: Replicates
    """The errors of the first run in trials, whatever these weigh: shape (1, P)."""
    runs: list[tuple[Replicates, Replicates]]
    """The errors of every run: on the trials (shape (1, P)), and in resamples (M, P)."""
    partition: Partition
    drawn: Resampling
    study: Study
    _measures: dict[Measure, MeasureByMember] = field(default_factory=dict)

    def of(self, measure: Measure) -> MeasureByMember:
        """Return a measure in every member, computed once."""
        if measure not in self._measures:
            every = self.partition
            members = self._sample(measure, lambda counts: counts, lambda at: every.members[at])
            rests = self._sample(measure, outside, every.rest)
            left_out = [self._why_left_out(members, at) for at in range(every.n)]
            shared = every.shared(self.drawn.units)
            self._measures[measure] = MeasureByMember(members, rests, left_out, shared)
        return self._measures[measure]

    def _sample(
        self, measure: Measure, side: Callable[[Replicates], Replicates], trials_of: Callable[[int], IntArray]
    ) -> MemberSample:
        @cache
        def rate_of(at: int, share: Share) -> EffectiveRate:
            rates, first = self.drawn.error_rates, self.system.first
            return rates.among(first, self.accepted, share, trials_of(at), apart=True)

        values = [[finite_values(side(each), measure) for each in run] for run in self.runs]
        point = np.mean([observed[0] for observed, _ in values], axis=0)
        replicates = self.system.mean([drawn for _, drawn in values], self.study)
        replicates = design_of(self.drawn, self.study).jointly(replicates, point)
        return MemberSample(
            measure, point, replicates, rate_of, self.drawn.clustered, alone=self.system.alone
        )

    def _why_left_out(self, members: MemberSample, at: int) -> Status | None:
        """Say why a member takes no part in claims, if so: by its size and by what all trials show.

        Its own errors have no say: groups would be left out because they do well.
        """
        value, counts = float(members.point[at]), [of[0, at] for of in self.trials.counts]
        if not math.isfinite(value):
            return status_of(value, int(counts[2]), int(counts[3]))
        if members.n_units(at) < FEW_UNITS or np.isnan(members.replicates[:, at]).mean() > UNDEFINED_SHARE:
            return "few_units"
        for share in shares_of(members.measure):
            # At the rate of all trials; right decisions, where these are fewer.
            rate = float(share(*(of.sum() for of in self.trials.counts)))
            _, whole = share.counts(*counts)
            if min(rate, 1 - rate) * (whole or 0) < FEW_ERRORS:
                return "few_errors"
        return None if members.interval(at, self.study.inference.level).method else "degenerate"


def shares_of(measure: Measure) -> list[Share]:
    """Return the rates that a measure is made of: a share of trials, or those of FAR and FRR that count."""
    if measure.counted is not None:
        return [measure.counted]
    weights = measure.linear() or (1.0, 1.0)
    return [share for weight, share in zip(weights, (FALSE_ALARMS, MISSES), strict=True) if weight > 0]


def systems_by_member(
    part: Part,
    plans: Sequence[AcrossPlan],
    criterion: Criterion,
    drawn: Resampling,
    study: Study,
    pool: Executor,
) -> dict[AcrossPlan, tuple[Partition, list[SystemByMember]]]:
    """Return the partition of every plan, and each system with a threshold in its members."""
    ranks, units = part.ranks, drawn.units
    placed = [system for system in models_with_runs(part.models) if system.has_threshold(criterion)]
    partitions = {plan: Partition.of(ranks, plan.columns, key="across") for plan in plans}
    accepted: dict[tuple[str, str], BoolArray] = {}
    tables: dict[ThresholdKey, BinnedCells] = {}
    for run in (run for system in placed for run in system.runs):
        accepted[run.id] = run.binned(run.single[criterion].name).accepted()
        for plan, every in partitions.items():
            cells, n = every.cells(accepted[run.id]), 2 * every.n
            table = cells_of(units, ranks.label, ranks.weight, cells, n, part.shelf)
            tables[run.id, f"across {plan.columns}"] = BinnedCells(table, np.arange(n - 1))
    task = Task(units, tables, {}, study.inference.seed)
    errors = cached_resample(task, study.inference.replicates, pool, drawn.cache).errors

    def within(system: ModelRuns, plan: AcrossPlan, every: Partition) -> SystemByMember:
        runs = [
            (
                every.counts(accepted[run.id], ranks.label, ranks.weight),
                _by_member(errors[run.id, f"across {plan.columns}"]),
            )
            for run in system.runs
        ]
        first = accepted[system.first.id]
        trials = every.counts(first, ranks.label, None)
        return SystemByMember(system, first, trials, runs, every, drawn, study)

    return {plan: (every, [within(of, plan, every) for of in placed]) for plan, every in partitions.items()}


def outside(counts: Replicates) -> Replicates:
    """Return the errors of all trials outside each member (shape (M, P))."""
    rests = [of.sum(axis=1, keepdims=True) - of for of in counts.counts]
    return Replicates(rests[0], rests[1], rests[2], rests[3], counts.redrawn)


def _by_member(errors: Replicates) -> Replicates:
    """Take counts up to every cell apart into those of the cells."""
    misses = np.hstack((np.zeros_like(errors.n_target), errors.misses, errors.n_target))
    alarms = np.hstack((errors.n_nontarget, errors.false_alarms, np.zeros_like(errors.n_nontarget)))
    return errors_of_cells(misses[:, 1:] - misses[:, :-1], alarms[:, :-1] - alarms[:, 1:])
