"""Models judged within groups of the test trials at thresholds chosen on all dev trials, as deployed.

Groups and their rests are counted under the weights that all models share, each class by group and decision
in one table of cells: replicates of groups belong together, and a unit with trials in several groups is drawn
once for all of them. The rest of a group is every trial outside it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse

from reporting.cache.cache import Cache
from reporting.codes import CiMethod, Status
from reporting.counts.ranks import Ranks, crossed
from reporting.engine.error_rates import FALSE_ALARMS, MISSES, ErrorRates
from reporting.engine.model_runs import ModelRuns, teams
from reporting.engine.operations import JudgedModel
from reporting.engine.parts import MOST_GROUPS, Part, group_name
from reporting.engine.study import AcrossPlan, Study
from reporting.engine.values import status_of
from reporting.errors import ConfigError, did_you_mean, listed, quoted
from reporting.execution import Executor
from reporting.measures.measure import Measure
from reporting.significance.bootstrap import BinnedCells, Place, Replicates, Task
from reporting.significance.cached import cached_resample
from reporting.significance.cell_tables import cells_of
from reporting.significance.estimate import NO_INTERVAL, ModelInterval, interval_within, rate_interval, spread
from reporting.significance.units import Units
from reporting.stats.confusion import Share
from reporting.stats.disparities import GroupValues, Limits
from reporting.stats.effective_size import EffectiveRate, square_and_add
from reporting.stats.staircase import BoolArray, FloatArray, IntArray

FEW_UNITS = 10
"""Units (trials or clusters) with trials of a class, below which a group takes no part in claims."""
FEW_ERRORS = 5
"""Errors that a group would have at the rate of all trials, below which it takes no part in claims."""
UNDEFINED_SHARE = 0.01
"""Replicates without a value, of which a group may have no larger share if it takes part."""


@dataclass(frozen=True, eq=False)
class Grouping:
    """The groups of the test trials by some columns: their values, and that of every trial (shape (N,))."""

    columns: tuple[str, ...]
    values: list[tuple[str, ...]]
    code: IntArray

    @classmethod
    def of(cls, ranks: Ranks, columns: tuple[str, ...]) -> Grouping:
        """Return the groups that have trials, in the order of their values."""
        code, values = crossed([ranks.attributes[column] for column in columns])
        if len(values) > MOST_GROUPS:
            raise ConfigError(
                f"across: {' and '.join(map(repr, columns))} would make {len(values)} groups;"
                f" at most {MOST_GROUPS} are compared"
            )
        return cls(columns, values, code)

    @property
    def n(self) -> int:
        """Number of groups."""
        return len(self.values)

    @cached_property
    def names(self) -> list[str]:
        """The names of the groups, as in breakdowns."""
        return [group_name(self.columns, values) for values in self.values]

    @cached_property
    def members(self) -> list[IntArray]:
        """The trials of every group, by their indices."""
        order = np.argsort(self.code, kind="stable")
        bounds = np.searchsorted(self.code[order], np.arange(self.n + 1))
        return [order[low:high] for low, high in itertools.pairwise(bounds)]

    def rest(self, group: int) -> IntArray:
        """Return the trials outside a group, by their indices."""
        return np.flatnonzero(self.code != group)

    def place_of(self, reference: tuple[str, ...] | None) -> int | None:
        """Return which group has the values of a reference; None without one."""
        return self.values.index(reference) if reference in self.values else None

    def shared(self, units: Units) -> BoolArray:
        """Return which two groups share units, shape (G, G); of pair trials any may."""
        if units.ends is not None:
            return np.ones((self.n, self.n), dtype=bool)
        ones = np.ones(len(self.code), dtype=np.int64)
        at = units.of_trial, self.code
        held = sparse.coo_array((ones, at), shape=(units.n_own, self.n)).tocsr()
        return np.asarray((held.T @ held).todense() > 0)


class GroupCounts(NamedTuple):
    """Misses, false alarms, targets and non-targets of sets of trials: of shape (G,), or (M, G)."""

    misses: IntArray
    false_alarms: IntArray
    n_target: IntArray
    n_nontarget: IntArray

    @classmethod
    def of_cells(cls, target: IntArray, nontarget: IntArray) -> GroupCounts:
        """Return the counts of every group; of cells (shape (..., 2 G)) each group has rejected, accepted."""
        return cls(
            target[..., 0::2],
            nontarget[..., 1::2],
            target[..., 0::2] + target[..., 1::2],
            nontarget[..., 0::2] + nontarget[..., 1::2],
        )

    @property
    def rests(self) -> GroupCounts:
        """The counts of what is outside every group."""
        return GroupCounts(*(each.sum(axis=-1, keepdims=True) - each for each in self))

    def values(self, measure: Measure) -> FloatArray:
        """Return the measure of every set; NaN where it is undefined."""
        values = np.asarray(measure.formula(*self, **measure.arguments), dtype=np.float64)
        return np.where(np.isfinite(values), values, np.nan)


@dataclass(frozen=True, eq=False)
class GroupedRun:
    """One run of a model within the groups: counts on test, and in every replicate."""

    model: JudgedModel
    operation: str
    observed: GroupCounts
    trials: GroupCounts
    """The same of trials, whatever they weigh."""
    drawn: GroupCounts

    @property
    def accepted(self) -> BoolArray:
        """Which trials are accepted."""
        binned = self.model.binned(self.operation)
        return np.asarray(binned.bins.of_trial > binned.index[0])


RunsWithin = dict[tuple[str, str], GroupedRun]
"""The runs of models within the groups of a plan, by model and run."""


def grouped_runs(
    part: Part, plans: Sequence[AcrossPlan], study: Study, units: Units, pool: Executor, cache: Cache
) -> dict[AcrossPlan, tuple[Grouping, RunsWithin]]:
    """Return the groups of every plan, and each run of a model within them; none that has no threshold."""
    criterion, ranks = study.point_criterion, part.ranks
    if criterion is None:
        return {}
    models = [model for model in part.models if criterion in model.single]
    groupings = {plan: Grouping.of(ranks, plan.columns) for plan in plans}
    cells: dict[Place, IntArray] = {}
    tables: dict[Place, BinnedCells] = {}
    for plan, grouping in groupings.items():
        for model in models:
            binned, place = model.binned(model.single[criterion].name), _place(model, plan)
            cells[place] = 2 * grouping.code + (binned.bins.of_trial > binned.index[0])
            table = cells_of(units, ranks.label, ranks.weight, cells[place], 2 * grouping.n, part.shelf)
            tables[place] = BinnedCells(table, np.arange(2 * grouping.n - 1))
    task = Task(units, tables, {}, study.inference.seed)
    drawn = cached_resample(task, study.inference.replicates, pool, cache).errors

    def run_of(model: JudgedModel, plan: AcrossPlan, grouping: Grouping) -> GroupedRun:
        cell, n = cells[_place(model, plan)], 2 * grouping.n
        observed = _counted(cell, ranks, ranks.weight, n)
        trials = observed if ranks.weight is None else _counted(cell, ranks, None, n)
        again = _apart(drawn[_place(model, plan)])
        return GroupedRun(model, model.single[criterion].name, observed, trials, again)

    return {
        plan: (grouping, {model.id: run_of(model, plan, grouping) for model in models})
        for plan, grouping in groupings.items()
    }


def _place(model: JudgedModel, plan: AcrossPlan) -> Place:
    return model.id, f"across {plan.columns}"


def _counted(cell: IntArray, ranks: Ranks, weight: IntArray | None, n: int) -> GroupCounts:
    sides = []
    for members in (ranks.label, ~ranks.label):
        weights = None if weight is None else weight[members].astype(np.float64)  # below 2^53: exact
        sides.append(np.bincount(cell[members], weights, minlength=n).astype(np.int64))
    return GroupCounts.of_cells(*sides)


def _apart(errors: Replicates) -> GroupCounts:
    """Take counts up to every cell apart into those of the cells."""
    misses = np.hstack((np.zeros_like(errors.n_target), errors.misses, errors.n_target))
    alarms = np.hstack((errors.n_nontarget, errors.false_alarms, np.zeros_like(errors.n_nontarget)))
    return GroupCounts.of_cells(misses[:, 1:] - misses[:, :-1], alarms[:, :-1] - alarms[:, 1:])


@dataclass(frozen=True, eq=False)
class SetValue:
    """A measure on one set of trials, a group or its rest, and what its interval is made of.

    ``terms`` are the weighted rates that it is a sum of; without any, the spread of its replicates makes the
    interval. ``n_units`` are the units with trials of the class that fewer hold.
    """

    value: float
    terms: tuple[tuple[float, EffectiveRate], ...]
    se: float
    df: int | None
    bounds: tuple[float, float]
    n_units: int
    left_out: Status | None = None
    """Why a group takes no part in claims."""

    def interval(self, level: float, *, exact: bool = False) -> ModelInterval:
        """Return the interval by itself; of rates, an ``exact`` one is that of Clopper and Pearson."""
        if not math.isfinite(self.value):
            return NO_INTERVAL
        if not self.terms:
            return interval_within(self.value, self.se, self.bounds, level, self.df)
        terms = [(weight, rate._replace(few=exact or rate.few)) for weight, rate in self.terms]
        if len(terms) == 1 and terms[0][0] == 1.0:
            return rate_interval(terms[0][1], level)
        method: CiMethod = "square_and_add"
        return ModelInterval(*square_and_add(terms, level), method)


@dataclass(frozen=True, eq=False)
class GroupedMeasure:
    """A measure of one model in every group and its rest; ``within`` are the groups that take part in claims.

    ``drawn`` and ``drawn_rests`` are the replicates (shape (M, G)), those without a value among them.
    """

    measure: Measure
    grouping: Grouping
    groups: list[SetValue]
    rests: list[SetValue]
    drawn: FloatArray
    drawn_rests: FloatArray
    units: Units

    @cached_property
    def within(self) -> list[int]:
        """The groups that take part in claims, by index."""
        return [at for at, group in enumerate(self.groups) if group.left_out is None]

    @cached_property
    def kept(self) -> BoolArray:
        """The replicates in which every group that takes part has a value, shape (M,)."""
        return have_values(self.drawn, self.within)

    @cached_property
    def values(self) -> GroupValues:
        """The values of the groups that take part."""
        return self.among(self.within, self.kept)

    def among(self, groups: list[int], kept: BoolArray) -> GroupValues:
        """Return the values of some groups, by index, with those replicates that are kept (shape (M,))."""
        shares = self.grouping.shared(self.units)[groups][:, groups]
        return _values([self.groups[at] for at in groups], self.drawn[kept][:, groups], shares)

    def against_rests(self) -> tuple[GroupValues, GroupValues]:
        """Return the values of the groups that take part, and those of their rests."""
        within, kept = self.within, self.kept & have_values(self.drawn_rests, self.within)
        span = self.grouping.shared(self.units).sum(axis=1)[within] > 1
        groups, rests = (
            _values([sets[at] for at in within], drawn[kept][:, within], span)
            for sets, drawn in ((self.groups, self.drawn), (self.rests, self.drawn_rests))
        )
        return groups, rests

    def against_reference(self, reference: int) -> tuple[GroupValues, GroupValues]:
        """Return the values of the groups that take part, and as often that of the reference."""
        shares = self.grouping.shared(self.units)[reference, self.within]
        groups, references = (
            _values([self.groups[at] for at in these], self.drawn[self.kept][:, these], shares)
            for these in (self.within, [reference] * len(self.within))
        )
        return groups, references


def have_values(drawn: FloatArray, groups: list[int]) -> BoolArray:
    """Return in which replicates (shape (M, G)) all of some groups have a value, shape (M,)."""
    return np.asarray(np.isfinite(drawn[:, groups]).all(axis=1))


def _values(sets: list[SetValue], drawn: FloatArray, shares: BoolArray) -> GroupValues:
    def limits(level: float, exact: bool) -> Limits:
        intervals = [each.interval(level, exact=exact) for each in sets]
        low, high = ([getattr(each, end) for each in intervals] for end in ("low", "high"))
        return np.array(low, dtype=np.float64), np.array(high, dtype=np.float64)

    return GroupValues(
        value=np.array([each.value for each in sets]),
        deviations=drawn - drawn.mean(axis=0),
        own=lambda level: limits(level, False),
        exact=lambda level: limits(level, True),
        shares=shares,
    )


class GroupedModel:
    """A model, all its runs together, within the groups of a plan."""

    def __init__(
        self,
        team: ModelRuns,
        runs: Sequence[GroupedRun],
        grouping: Grouping,
        units: Units,
        rates: ErrorRates,
        study: Study,
    ) -> None:
        self.team, self.runs, self.grouping, self.units = team, runs, grouping, units
        self.study, self._rates = study, rates
        self._measures: dict[Measure, GroupedMeasure] = {}

    @property
    def trials(self) -> GroupCounts:
        """The trials of the first run; errors are those of its only one."""
        return self.runs[0].trials

    def of(self, measure: Measure) -> GroupedMeasure:
        """Return a measure in every group, computed once."""
        if measure not in self._measures:
            self._measures[measure] = self._of(measure)
        return self._measures[measure]

    def _of(self, measure: Measure) -> GroupedMeasure:
        groups, drawn = self._sets(measure, lambda counts: counts, lambda at: self.grouping.members[at])
        rests, drawn_rests = self._sets(measure, lambda counts: counts.rests, self.grouping.rest)
        within = [self._placed(measure, group, at, drawn[:, at]) for at, group in enumerate(groups)]
        return GroupedMeasure(measure, self.grouping, within, rests, drawn, drawn_rests, self.units)

    def _sets(
        self, measure: Measure, side: Callable[[GroupCounts], GroupCounts], members: Callable[[int], IntArray]
    ) -> tuple[list[SetValue], FloatArray]:
        """The value of every set, and the replicates of all, shape (M, G)."""
        drawn = self.team.mean([side(run.drawn).values(measure) for run in self.runs], self.study)
        values = np.mean([side(run.observed).values(measure) for run in self.runs], axis=0)
        sets = [
            self._set(measure, float(values[at]), drawn[:, at], members(at)) for at in range(self.grouping.n)
        ]
        return sets, drawn

    def _set(self, measure: Measure, value: float, drawn: FloatArray, members: IntArray) -> SetValue:
        run, shares = self.runs[0], shares_of(measure)
        rates = [self._rates.among(run.model, run.accepted, share, members) for _, share in shares]
        n_units = min(int(rate.size) if rate.df is None else rate.df + 1 for rate in rates)
        df = max(1, n_units - 1) if self.units.clustered else None
        defined = drawn[np.isfinite(drawn)]
        summed = self.team.alone and is_sum_of_rates(measure)
        return SetValue(
            value=value,
            terms=tuple((weight, rate) for (weight, _), rate in zip(shares, rates, strict=True) if summed),
            se=spread(defined, df) if len(defined) > 1 else math.nan,
            df=df,
            bounds=measure.bounds,
            n_units=n_units,
        )

    def _placed(self, measure: Measure, group: SetValue, at: int, drawn: FloatArray) -> SetValue:
        """Say why a group takes no part in claims, if so: by its size and by what all trials show.

        Its own errors have no say: groups would be left out because they do well.
        """
        counts = GroupCounts(*(each[at] for each in self.trials))
        why: Status | None = None
        if not math.isfinite(group.value):
            why = status_of(group.value, int(counts.n_target), int(counts.n_nontarget))
        elif group.n_units < FEW_UNITS or np.isnan(drawn).mean() > UNDEFINED_SHARE:
            why = "few_units"
        elif min(self._expected(share, counts) for _, share in shares_of(measure)) < FEW_ERRORS:
            why = "few_errors"
        elif not group.interval(self.study.inference.level).method:
            why = "degenerate"
        return replace(group, left_out=why)

    def _expected(self, share: Share, counts: GroupCounts) -> float:
        """The errors of a group at the rate of all trials; the right decisions, where these are fewer."""
        rate = float(share(*(each.sum() for each in self.trials)))
        _, whole = share.counts(*counts)
        return min(rate, 1 - rate) * (whole or 0)


def shares_of(measure: Measure) -> tuple[tuple[float, Share], ...]:
    """Return the rates that a measure is a sum of, with their weights; of any other FAR and FRR."""
    if measure.counted is not None:
        return ((1.0, measure.counted),)
    far, frr = measure.linear() or (1.0, 1.0)
    return tuple((weight, share) for weight, share in ((far, FALSE_ALARMS), (frr, MISSES)) if weight > 0)


def is_sum_of_rates(measure: Measure) -> bool:
    """Return whether a measure is a share of trials, or a weighted sum of FAR and FRR."""
    of_sample = measure.arguments.get("prevalence", "sample") == "sample"
    return (measure.counted is not None and of_sample) or measure.linear() is not None


def grouped_models(
    part: Part, grouping: Grouping, runs: RunsWithin, units: Units, study: Study
) -> dict[str, GroupedModel]:
    """Return every model within the groups of a plan, all its runs together, by key."""
    rates = ErrorRates(part.ranks, units)
    return {
        team.key.model: GroupedModel(team, [runs[run.id] for run in team.runs], grouping, units, rates, study)
        for team in teams(part.models)
        if all(run.id in runs for run in team.runs)
    }


def check_references(ranks_on_test: Sequence[Ranks], study: Study) -> None:
    """Raise ConfigError where no test trial is in the group of a reference."""
    for plan in study.across:
        if plan.reference is None:
            continue
        groups = {v for ranks in ranks_on_test for v in Grouping.of(ranks, plan.columns).values}
        if plan.reference in groups:
            continue
        wanted = group_name(plan.columns, plan.reference)
        names = sorted(group_name(plan.columns, values) for values in groups)
        raise ConfigError(
            f"across: no test trial is in the reference group {quoted(wanted)}{did_you_mean(wanted, names)}"
            f" (groups: {listed(names, 20)})"
        )
