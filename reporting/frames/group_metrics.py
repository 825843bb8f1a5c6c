"""The frame ``group_metrics``: measures within groups, against the rest or a reference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Annotated, NamedTuple

import numpy as np

from reporting.codes import Status
from reporting.engine.grouped_models import (
    GroupedMeasure,
    GroupedModel,
    Grouping,
    grouped_models,
    grouped_runs,
)
from reporting.engine.model_runs import ModelRuns, teams
from reporting.engine.operations import why_unplaced
from reporting.engine.parts import group_name
from reporting.engine.study import AcrossPlan, Study
from reporting.engine.values import defined
from reporting.frames.contract import KEY, Frame, GroupColumns, GroupValues, KeyRow
from reporting.frames.judged import JudgedPart
from reporting.measures.measure import Measure
from reporting.stats.disparities import against

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
    """A plan with its groups on the test trials of a dataset, and every model within them, by key."""

    plan: AcrossPlan
    grouping: Grouping
    models: dict[str, GroupedModel]
    unplaced: tuple[ModelRuns, ...] = ()
    """The models without a threshold, where others have one."""

    @property
    def columns(self) -> list[str]:
        """The columns that make the groups, in text order."""
        return sorted(self.plan.columns)


def plan_groups(judged: JudgedPart) -> list[PlanGroups]:
    """Return the groups of every plan of a whole dataset; nothing of its groups, or without a threshold."""
    return judged.once(_plan_groups, judged) if judged.study.across and not judged.part.group else []


def _plan_groups(judged: JudgedPart) -> list[PlanGroups]:
    part, study, units = judged.part, judged.study, judged.drawn.units
    runs = grouped_runs(part, study.across, study, units, judged.pool, judged.rechoosing.cache)
    every, groups = teams(part.models), []
    for plan, (grouping, of_models) in runs.items():
        models = grouped_models(part, grouping, of_models, units, study)
        without = tuple(team for team in every if team.key.model not in models) if models else ()
        groups.append(PlanGroups(plan, grouping, models, without))
    return groups


def group_metric_rows(judged: JudgedPart) -> Iterator[GroupMetricRow]:
    """Yield a row for every group, model and measure of every plan.

    ``joint_*`` hold for the values of the ``n_groups`` groups that take part together, and so do the limits
    of the differences and those of the ratios: max-T over the draws of units that everything else rests on,
    three families of one measure, model and plan. A group takes no part where it has fewer than ten units
    with trials of a class that counts, or would have fewer than five errors at the rate of all trials.
    """
    for groups in plan_groups(judged):
        for model in groups.models.values():
            for measure in groups.plan.measures:
                yield from _rows(groups, model, model.of(measure), judged.study)
        for team in groups.unplaced:
            for measure in groups.plan.measures:
                yield from _unplaced(groups, team, measure, judged)


def _rows(
    groups: PlanGroups, model: GroupedModel, judged: GroupedMeasure, study: Study
) -> Iterator[GroupMetricRow]:
    rows = [_row(groups, model, judged, at, study) for at in range(groups.grouping.n)]
    if judged.within:
        low, high = judged.values.joint(study.inference.level)
        for place, at in enumerate(judged.within):
            rows[at] = replace(
                rows[at],
                joint_low=defined(low[place]),
                joint_high=defined(high[place]),
                n_groups=len(judged.within),
                replicates=int(judged.kept.sum()),
            )
    reference = groups.grouping.place_of(groups.plan.reference)
    if groups.plan.reference is not None:
        other = None if reference is None else defined(judged.groups[reference].value)
        rows = [replace(row, other=other) for row in rows]
    why = _why_not(groups.plan, judged, reference)
    if why is None:
        _contrast(rows, judged, reference, study.inference.level)
    yield from (replace(row, status=row.left_out or why) for row in rows)


def _unplaced(
    groups: PlanGroups, team: ModelRuns, measure: Measure, judged: JudgedPart
) -> Iterator[GroupMetricRow]:
    """Yield a row a group of a model that has no threshold."""
    grouping, study, units = groups.grouping, judged.study, judged.drawn.units
    criterion = study.point_criterion
    assert criterion is not None
    label = team.first.ranks.label
    n_target, n_nontarget = (np.bincount(grouping.code[of], minlength=grouping.n) for of in (label, ~label))
    for at, name in enumerate(grouping.names):
        values = dict(zip(grouping.columns, grouping.values[at], strict=True))
        yield GroupMetricRow(
            **team.key._replace(group=name)._asdict(),
            group_columns=groups.columns,
            group_values=[values[column] for column in groups.columns],
            measure=str(measure),
            criterion=str(criterion),
            against=against_of(groups.plan),
            level=study.inference.level,
            n_groups=0,
            unit=units.name,
            n_units=0,
            n_target=int(n_target[at]),
            n_nontarget=int(n_nontarget[at]),
            status=why_unplaced(criterion),
        )


def _why_not(plan: AcrossPlan, judged: GroupedMeasure, reference: int | None) -> Status | None:
    """Say why no group is held against anything."""
    if plan.reference is not None and reference is None:
        return "no_such_group"
    if reference is not None and reference not in judged.within:
        return "reference_left_out"
    return "one_group" if len(judged.within) < 2 else None


def _contrast(
    rows: list[GroupMetricRow], judged: GroupedMeasure, reference: int | None, level: float
) -> None:
    """Add to the rows of the groups that take part what they are away from the rest, or the reference."""
    both = judged.against_rests() if reference is None else judged.against_reference(reference)
    contrast = against(*both, level)
    values, others = (each.value for each in both)
    ratios = np.divide(values, others, out=np.full_like(values, np.nan), where=others > 0)
    for place, at in enumerate(judged.within):
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


def _row(
    groups: PlanGroups, model: GroupedModel, judged: GroupedMeasure, at: int, study: Study
) -> GroupMetricRow:
    """Return what is known of a group by itself."""
    grouping, group, counts = groups.grouping, judged.groups[at], model.trials
    criterion, level = study.point_criterion, study.inference.level
    assert criterion is not None
    interval, alone = group.interval(level), model.team.alone
    values = dict(zip(grouping.columns, grouping.values[at], strict=True))
    return GroupMetricRow(
        **model.team.key._replace(group=grouping.names[at])._asdict(),
        group_columns=groups.columns,
        group_values=[values[column] for column in groups.columns],
        measure=str(judged.measure),
        criterion=str(criterion),
        threshold_source=model.team.first.single[criterion].chosen.source,
        value=defined(group.value),
        ci_low=interval.low,
        ci_high=interval.high,
        ci_method=interval.method,
        against=against_of(groups.plan),
        other=defined(judged.rests[at].value),
        level=level,
        n_groups=0,
        unit=model.units.name,
        n_units=group.n_units,
        misses=int(counts.misses[at]) if alone else None,
        false_alarms=int(counts.false_alarms[at]) if alone else None,
        n_target=int(counts.n_target[at]),
        n_nontarget=int(counts.n_nontarget[at]),
        left_out=group.left_out,
        flags=sorted(model.units.flags),
    )


def against_of(plan: AcrossPlan) -> str:
    """Return what the groups of a plan are held against: the rest, or the name of the reference."""
    return REST if plan.reference is None else group_name(plan.columns, plan.reference)
