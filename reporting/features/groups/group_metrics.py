"""The frame ``group_metrics``: measures within groups, against the rest or a reference."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, NamedTuple

import numpy as np

from reporting.base.codes import Status
from reporting.base.records import dataclass, field, replace
from reporting.core.criteria.criterion import Criterion
from reporting.core.engine.model_runs import ModelRuns, models_with_runs
from reporting.core.engine.operations import why_unplaced
from reporting.core.engine.partition import Partition, group_name
from reporting.core.engine.study import AcrossPlan
from reporting.core.engine.values import defined
from reporting.core.measures.measure import Measure
from reporting.document.frames.contract import KEY, Frame, Group, GroupColumns, GroupValues, KeyRow
from reporting.document.frames.judged import JudgedPart
from reporting.document.frames.recipe import frame_of
from reporting.features.groups.formulas import against
from reporting.features.groups.members import MeasureByMember, SystemByMember, systems_by_member

REST = "rest"
"""What a group is held against where no reference is named: all test trials outside it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupMetricRow(KeyRow):
    """A row of ``group_metrics``."""

    group_columns: GroupColumns = field(default_factory=list)
    group_values: GroupValues = field(default_factory=list)
    measure: Annotated[str, "name of the measure with its parameters"]
    criterion: Annotated[str, "what chose the threshold, on the full development set"]
    threshold_source: Annotated[str | None, "dev, cv, fixed or bayes; null without a threshold"] = None
    value: Annotated[float | None, "the measure in the group; null where undefined"] = None
    ci_low: Annotated[float | None, "lower limit of this group alone; null without one"] = None
    ci_high: Annotated[float | None, "upper limit of this group alone; null without one"] = None
    ci_method: Annotated[str | None, "how that interval was made; null without one"] = None
    joint_low: Annotated[float | None, "lower limit, all groups together; null if left out"] = None
    joint_high: Annotated[float | None, "upper limit, all groups together; null if left out"] = None
    against: Annotated[str, "rest, or the name of the reference group"] = REST
    other: Annotated[float | None, "the measure in the rest or the reference; null where undefined"] = None
    difference: Annotated[float | None, "value less other; null if left out"] = None
    difference_low: Annotated[float | None, "lower limit, all groups together; null without one"] = None
    difference_high: Annotated[float | None, "upper limit, all groups together; null without one"] = None
    ratio: Annotated[float | None, "value over other; null if left out, or where other is 0"] = None
    ratio_low: Annotated[float | None, "lower limit, all groups together; null without one"] = None
    ratio_high: Annotated[float | None, "upper limit, all groups together; null where unbounded"] = None
    level: Annotated[float, "confidence level of all these limits"]
    n_groups: Annotated[int, "groups that the joint limits hold for"]
    inference: Annotated[str, "given_thresholds: the thresholds are taken as fixed"] = "given_thresholds"
    unit: Annotated[str, "unit of inference, trial or cluster"]
    n_units: Annotated[int, "units in the group, of the class that fewer hold, among those that count"]
    replicates: Annotated[int | None, "resamples in which all groups have a value; null if left out"] = None
    misses: Annotated[int | None, "rejected targets; null of a mean over runs"] = None
    false_alarms: Annotated[int | None, "accepted non-targets; null of a mean over runs"] = None
    n_target: Annotated[int, "targets in the group"]
    n_nontarget: Annotated[int, "non-targets in the group"]
    left_out: Annotated[str | None, "why the group takes no part in joint limits; null if it does"] = None
    status: Annotated[str | None, "why there is no difference; null where there is one"] = None
    flags: Annotated[list[str], "cautions about this row, sorted"] = field(default_factory=list)


GROUP_METRICS = Frame("group_metrics", GroupMetricRow, (*KEY, "measure", "criterion"))


class PlanGroups(NamedTuple):
    """A plan with its groups on the test trials of a dataset, and every model within them."""

    plan: AcrossPlan
    criterion: Criterion
    partition: Partition
    placed: list[SystemByMember]
    unplaced: list[ModelRuns]
    """The models without a threshold, where others have theirs."""

    @property
    def columns(self) -> list[str]:
        """The columns that make the groups, in text order."""
        return sorted(self.plan.columns)

    @property
    def reference(self) -> int | None:
        """Which group the others are held against; None: the rest, or a group that is not there."""
        values, wanted = self.partition.values, self.plan.reference
        return values.index(wanted) if wanted in values else None

    @property
    def against(self) -> str:
        """What groups are held against: the rest, or the name of the reference."""
        return REST if self.plan.reference is None else group_name(self.plan.columns, self.plan.reference)


def plan_groups(judged: JudgedPart) -> list[PlanGroups]:
    """Return the groups of every plan of a whole dataset; nothing of its groups, or without a threshold."""
    return judged.once(_plan_groups, judged) if judged.study.across and not judged.part.group else []


def _plan_groups(judged: JudgedPart) -> list[PlanGroups]:
    part, study, criterion = judged.part, judged.study, judged.study.point_criterion
    if criterion is None:
        return []
    systems = models_with_runs(part.models)
    unplaced = [system for system in systems if not system.has_threshold(criterion)]
    unplaced = unplaced if len(unplaced) < len(systems) else []
    by_plan = systems_by_member(part, study.across, criterion, judged.drawn, study, judged.pool)
    return [PlanGroups(plan, criterion, *within, unplaced) for plan, within in by_plan.items()]


def group_metric_rows(judged: JudgedPart) -> Iterator[GroupMetricRow]:
    """Yield a row for every group, model and measure of every plan.

    ``joint_*`` hold for the values of the ``n_groups`` groups that take part together, and so do the limits
    of the differences and those of the ratios: max-T over the draws of units that everything else rests on,
    three families of one measure, model and plan. A group takes no part where it has fewer than ten units
    with trials of a class that counts, or would have fewer than five errors at the rate of all trials.
    """
    for groups in plan_groups(judged):
        for system in groups.placed:
            for measure in groups.plan.measures:
                yield from _rows(groups, system, measure, judged)
        for team in groups.unplaced:
            for measure in groups.plan.measures:
                for row in _plain_rows(groups, team, measure, judged):
                    yield replace(row, status=why_unplaced(groups.criterion))


def _plain_rows(
    groups: PlanGroups, team: ModelRuns, measure: Measure, judged: JudgedPart
) -> list[GroupMetricRow]:
    """Return a row a group with what it holds, of any model."""
    every, label = groups.partition, judged.part.ranks.label
    trials = every.counts(np.zeros_like(label), label, None)
    return [
        GroupMetricRow(
            **team.key._replace(group=name)._asdict(),
            **Group.of(every.columns, every.values[at])._asdict(),
            measure=str(measure),
            criterion=str(groups.criterion),
            against=groups.against,
            level=judged.study.inference.level,
            n_groups=0,
            unit=judged.drawn.units.name,
            n_units=0,
            n_target=int(trials.n_target[0, at]),
            n_nontarget=int(trials.n_nontarget[0, at]),
        )
        for at, name in enumerate(every.names)
    ]


def _rows(
    groups: PlanGroups, system: SystemByMember, measure: Measure, judged: JudgedPart
) -> Iterator[GroupMetricRow]:
    by_group, level, reference = system.of(measure), judged.study.inference.level, groups.reference
    rows = [
        _of_group(row, groups, system, by_group, at)
        for at, row in enumerate(_plain_rows(groups, system.system, measure, judged))
    ]
    if by_group.within:
        low, high = by_group.values.joint(level)
        for place, at in enumerate(by_group.within):
            rows[at] = replace(
                rows[at],
                joint_low=defined(low[place]),
                joint_high=defined(high[place]),
                n_groups=len(by_group.within),
                replicates=int(by_group.kept.sum()),
            )
    why = _why_not(groups, by_group)
    if why is None:
        _contrast(rows, by_group, reference, level)
    yield from (replace(row, status=row.left_out or why) for row in rows)


def _of_group(
    row: GroupMetricRow, groups: PlanGroups, system: SystemByMember, by_group: MeasureByMember, at: int
) -> GroupMetricRow:
    members, alone, reference = by_group.members, system.system.alone, groups.reference
    other = by_group.rests.point[at]
    if groups.plan.reference is not None:
        other = math.nan if reference is None else members.point[reference]
    interval = members.interval(at, row.level)
    return replace(
        row,
        threshold_source=system.system.first.single[groups.criterion].chosen.source,
        value=defined(members.point[at]),
        ci_low=interval.low,
        ci_high=interval.high,
        ci_method=interval.method,
        other=defined(other),
        n_units=members.n_units(at),
        misses=int(system.trials.misses[0, at]) if alone else None,
        false_alarms=int(system.trials.false_alarms[0, at]) if alone else None,
        left_out=by_group.left_out[at],
        flags=sorted(system.drawn.units.flags),
    )


def _why_not(groups: PlanGroups, by_group: MeasureByMember) -> Status | None:
    reference = groups.reference
    if groups.plan.reference is not None and reference is None:
        return "no_such_group"
    if reference is not None and reference not in by_group.within:
        return "reference_left_out"
    return "one_group" if len(by_group.within) < 2 else None


def _contrast(
    rows: list[GroupMetricRow], by_group: MeasureByMember, reference: int | None, level: float
) -> None:
    """Add to the rows of the groups that take part how far they are from the rest, or the reference."""
    both = by_group.against(reference)
    contrast = against(*both, level)
    values, others = (each.value for each in both)
    ratios = np.divide(values, others, out=np.full_like(values, np.nan), where=others > 0)
    for place, at in enumerate(by_group.within):
        if at != reference:
            rows[at] = replace(
                rows[at],
                difference=defined(values[place] - others[place]),
                difference_low=defined(contrast.differences[0][place]),
                difference_high=defined(contrast.differences[1][place]),
                ratio=defined(ratios[place]),
                ratio_low=defined(contrast.ratios[0][place]),
                ratio_high=defined(contrast.ratios[1][place]),
            )


RECIPES = (frame_of(GROUP_METRICS, group_metric_rows),)
