"""The frames ``disparities`` and ``disparity_comparisons``: how far groups lie apart, in which model more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np

from reporting.engine.grouped_models import GroupedMeasure, GroupedModel, have_values
from reporting.engine.model_runs import ModelRuns
from reporting.engine.operations import why_unplaced
from reporting.engine.pairing import Pair, model_pairs
from reporting.engine.study import Study
from reporting.engine.values import defined
from reporting.frames.contract import KEY, Frame, KeyRow, PlaceRow, place_of
from reporting.frames.group_metrics import PlanGroups, against_of, plan_groups
from reporting.frames.judged import JudgedPart
from reporting.measures.measure import Measure
from reporting.measures.threshold import FAR, FRR
from reporting.significance.design import Design
from reporting.stats.disparities import (
    MOST_COMPARED,
    Gap,
    difference_of_ranges,
    garbe,
    gini_gap,
    larger_spread,
    largest_ratio,
    maximum,
    maximum_to_geometric_mean,
    minimum,
    spread,
)
from reporting.stats.disparities import (
    GroupValues as ValuesOfGroups,
)
from reporting.stats.multiplicity import sup_t
from reporting.stats.staircase import FloatArray


@dataclass(frozen=True, kw_only=True, slots=True)
class DisparityRow(KeyRow):
    """A row of ``disparities``."""

    group_columns: Annotated[list[str], "columns that make the groups, in text order"] = field(
        default_factory=list
    )
    statistic: Annotated[
        str,
        "maximum, minimum, range, ratio (maximum over minimum), maximum_to_geometric_mean, gini,"
        " equalised_odds (larger of the ranges of FAR and FRR), garbe",
    ]
    measure: Annotated[str | None, "name of the measure; null of equalised_odds and garbe"] = None
    criterion: Annotated[str, "what chose the threshold, on the full development set"]
    alpha: Annotated[float | None, "of garbe: the weight of the FAR; null of others"] = None
    value: Annotated[float | None, "the statistic, biased upwards but for minimum; null if undefined"] = None
    low: Annotated[float | None, "lower limit; null where the statistic is"] = None
    high: Annotated[float | None, "upper limit; null where the statistic is, or where unbounded"] = None
    level: Annotated[float, "confidence level of the limits"]
    highest: Annotated[str | None, "group with the largest value; null where the statistic is"] = None
    lowest: Annotated[str | None, "group with the smallest value; null where the statistic is"] = None
    n_groups: Annotated[int, "groups that take part"]
    n_left_out: Annotated[int, "groups that are too small to take part, or where the measure is undefined"]
    inference: Annotated[str, "given_thresholds: the thresholds are taken as fixed"] = "given_thresholds"
    unit: Annotated[str, "unit of inference, trial or cluster"]
    replicates: Annotated[int | None, "bootstrap resamples; null where the statistic is"] = None
    status: Annotated[str | None, "why it is undefined; null where it is defined"] = None
    flags: Annotated[list[str], "cautions about this row, sorted"] = field(default_factory=list)


DISPARITIES = Frame("disparities", DisparityRow, (*KEY, "group_columns", "measure", "criterion", "statistic"))

STATISTICS: dict[str, Callable[[ValuesOfGroups, float], Gap]] = {
    "maximum": maximum,
    "minimum": minimum,
    "range": spread,
    "ratio": largest_ratio,
    "maximum_to_geometric_mean": maximum_to_geometric_mean,
    "gini": gini_gap,
}
"""What is told of the values of one measure; the last three of measures that cannot be below 0."""
OF_SIZES = ("ratio", "maximum_to_geometric_mean", "gini")


def disparity_rows(judged: JudgedPart) -> Iterator[DisparityRow]:
    """Yield how far the groups lie apart, for every plan, model and measure.

    Limits are projections of those of the groups and of all pairs (``stats/disparities``). They hold for one
    statistic of one measure and model at a time, at ``level``.
    """
    for groups in plan_groups(judged):
        for model in groups.models.values():
            for measure in groups.plan.measures:
                yield from _of_measure(groups, model, measure, judged.study)
            if {FAR, FRR} <= {*groups.plan.measures}:
                yield from _of_both_rates(groups, model, judged.study)
        for team in groups.unplaced:
            yield from _unplaced(groups, team, judged)


def _unplaced(groups: PlanGroups, team: ModelRuns, judged: JudgedPart) -> Iterator[DisparityRow]:
    """Yield the range of every measure of a model that has no threshold."""
    criterion, units = judged.study.point_criterion, judged.drawn.units
    assert criterion is not None
    for measure in groups.plan.measures:
        yield DisparityRow(
            **team.key._asdict(),
            group_columns=groups.columns,
            statistic="range",
            measure=str(measure),
            criterion=str(criterion),
            level=judged.study.inference.level,
            n_groups=0,
            n_left_out=groups.grouping.n,
            unit=units.name,
            status=why_unplaced(criterion),
        )


def _of_measure(
    groups: PlanGroups, model: GroupedModel, measure: Measure, study: Study
) -> Iterator[DisparityRow]:
    judged, level = model.of(measure), study.inference.level
    row = replace(_row(groups, model, [judged], study), measure=str(measure))
    for name, statistic in STATISTICS.items():
        if name in OF_SIZES and measure.bounds[0] < 0:
            continue
        named = replace(row, statistic=name)
        if len(judged.within) < 2:
            yield replace(named, status="one_group")
        else:
            yield _with_gap(named, statistic(judged.values, level), _ends(judged))


def _of_both_rates(groups: PlanGroups, model: GroupedModel, study: Study) -> Iterator[DisparityRow]:
    far, frr = model.of(FAR), model.of(FRR)
    row, level, alpha = _row(groups, model, [far, frr], study), study.inference.level, groups.plan.alpha
    odds, garbe_row = replace(row, statistic="equalised_odds"), replace(row, statistic="garbe", alpha=alpha)
    if min(len(far.within), len(frr.within)) < 2:
        yield from (replace(each, status="one_group") for each in (odds, garbe_row))
        return
    larger = frr if np.ptp(frr.values.value) > np.ptp(far.values.value) else far
    yield _with_gap(odds, larger_spread([far.values, frr.values], level), _ends(larger))
    yield _with_gap(garbe_row, garbe(far.values, frr.values, alpha, level), (None, None))


def _row(groups: PlanGroups, model: GroupedModel, judged: list[GroupedMeasure], study: Study) -> DisparityRow:
    n = min(len(each.within) for each in judged)
    return DisparityRow(
        **model.team.key._asdict(),
        group_columns=groups.columns,
        statistic="",
        criterion=str(study.point_criterion),
        level=study.inference.level,
        n_groups=n,
        n_left_out=groups.grouping.n - n,
        unit=model.units.name,
        replicates=min(int(each.kept.sum()) for each in judged),
        flags=sorted(model.units.flags),
    )


def _ends(judged: GroupedMeasure) -> tuple[str | None, str | None]:
    """The names of the groups with the largest and with the smallest value, the first of equal ones."""
    values, names = judged.values.value, [judged.grouping.names[at] for at in judged.within]
    return names[int(values.argmax())], names[int(values.argmin())]


def _with_gap(row: DisparityRow, gap: Gap, ends: tuple[str | None, str | None]) -> DisparityRow:
    if not np.isfinite(gap.value):
        return replace(row, status="zero_rate", replicates=None)
    highest, lowest = ends
    value, low, high = gap.value, defined(gap.low), defined(gap.high)
    return replace(row, value=value, low=low, high=high, highest=highest, lowest=lowest)


@dataclass(frozen=True, kw_only=True, slots=True)
class DisparityComparisonRow(PlaceRow):
    """A row of ``disparity_comparisons``."""

    model: Annotated[str, "key of the model"]
    baseline: Annotated[str, "key of the model it is compared with"]
    group_columns: Annotated[list[str], "columns that make the groups, in text order"] = field(
        default_factory=list
    )
    group_values: Annotated[list[str], "value of the group in each of them; empty of a range"] = field(
        default_factory=list
    )
    statistic: Annotated[str, "range of all groups, or difference of one group from rest or reference"]
    measure: Annotated[str, "name of the measure with its parameters"]
    criterion: Annotated[str, "what chose the thresholds, on the full development set"]
    against: Annotated[str | None, "rest, or the name of the reference group; null of a range"] = None
    value: Annotated[float | None, "the statistic of the model; null where undefined"] = None
    value_baseline: Annotated[float | None, "the statistic of the baseline; null where undefined"] = None
    difference: Annotated[float | None, "model less baseline; null where undefined"] = None
    low: Annotated[float | None, "lower limit, of differences all groups together; null without one"] = None
    high: Annotated[float | None, "upper limit, of differences all groups together; null without one"] = None
    level: Annotated[float, "confidence level of the limits"]
    n_groups: Annotated[int, "groups that take part in both models"]
    inference: Annotated[str, "given_thresholds: the thresholds are taken as fixed"] = "given_thresholds"
    unit: Annotated[str, "unit of inference, trial or cluster"]
    replicates: Annotated[int | None, "bootstrap resamples; null where undefined"] = None
    status: Annotated[str | None, "why it is undefined; null where it is defined"] = None
    flags: Annotated[list[str], "cautions about this row, sorted"] = field(default_factory=list)


DISPARITY_COMPARISONS = Frame(
    "disparity_comparisons",
    DisparityComparisonRow,
    (
        *("dataset", "split", "group_columns", "measure", "criterion", "model", "baseline", "statistic"),
        "group",
    ),
)


def disparity_comparison_rows(judged: JudgedPart) -> Iterator[DisparityComparisonRow]:
    """Yield how the gaps between groups differ between the two models of every pair.

    Ranges: the limits of ``difference_of_ranges``. Differences of a group from the rest, or the reference: by
    the spread of the paired replicates, max-T over all groups together (Student's t over clusters).
    """
    for groups in plan_groups(judged):
        for pair in model_pairs(judged.models, judged.study):
            known = {pair.model.key.model, pair.baseline.key.model} & groups.models.keys()
            for measure in groups.plan.measures if known else ():
                yield from _compared(groups, pair, measure, judged)


def _compared(
    groups: PlanGroups, pair: Pair, measure: Measure, judged: JudgedPart
) -> Iterator[DisparityComparisonRow]:
    study, units = judged.study, judged.drawn.units
    assert study.point_criterion is not None
    row = DisparityComparisonRow(
        **place_of(pair.model.first.key),
        model=pair.model.key.model,
        baseline=pair.baseline.key.model,
        group_columns=groups.columns,
        statistic="range",
        measure=str(measure),
        criterion=str(study.point_criterion),
        level=study.inference.level,
        n_groups=0,
        unit=units.name,
        flags=sorted(units.flags),
    )
    keys = pair.model.key.model, pair.baseline.key.model
    if not groups.models.keys() >= {*keys}:
        yield replace(row, status=why_unplaced(study.point_criterion))
        return
    models = [groups.models[key] for key in keys]
    both = [model.of(measure) for model in models]
    within = [at for at in both[0].within if at in both[1].within]
    row = replace(row, n_groups=len(within))
    if len(within) < 2:
        yield replace(row, status="one_group")
        return
    yield _of_ranges(row, both, within, models[0])
    yield from _of_differences(row, groups, both, within, models[0])


def _of_ranges(
    row: DisparityComparisonRow, both: list[GroupedMeasure], within: list[int], model: GroupedModel
) -> DisparityComparisonRow:
    if len(within) > MOST_COMPARED:
        return replace(row, status="too_many_groups")
    kept = have_values(both[0].drawn, within) & have_values(both[1].drawn, within)
    first, second = (judged.among(within, kept) for judged in both)
    factor = Design.of(model.units, row.level).factor
    gap = difference_of_ranges(first, second, row.level, factor)
    return replace(
        row,
        value=float(np.ptp(first.value)),
        value_baseline=float(np.ptp(second.value)),
        difference=gap.value,
        low=defined(gap.low),
        high=defined(gap.high),
        replicates=int(kept.sum()),
    )


def _of_differences(
    row: DisparityComparisonRow,
    groups: PlanGroups,
    both: list[GroupedMeasure],
    within: list[int],
    model: GroupedModel,
) -> Iterator[DisparityComparisonRow]:
    reference = groups.grouping.place_of(groups.plan.reference)
    if groups.plan.reference is not None:
        within = [at for at in within if at != reference]
        if reference is None or not all(reference in judged.within for judged in both):
            return
    values = [_from(judged, within, reference) for judged in both]
    difference, drawn = values[0][0] - values[1][0], values[0][1] - values[1][1]
    kept = have_values(drawn, list(range(len(within))))
    drawn = drawn[kept]
    factor = Design.of(model.units, row.level).factor
    centred = difference + factor * (drawn - drawn.mean(axis=0))
    limits = sup_t(difference, centred, row.level)
    for at, group in enumerate(within):
        low, high = (None, None) if limits is None else (defined(limits.low[at]), defined(limits.high[at]))
        of_columns = dict(zip(groups.grouping.columns, groups.grouping.values[group], strict=True))
        yield replace(
            row,
            group=groups.grouping.names[group],
            group_values=[of_columns[column] for column in groups.columns],
            statistic="difference",
            against=against_of(groups.plan),
            value=defined(values[0][0][at]),
            value_baseline=defined(values[1][0][at]),
            difference=defined(difference[at]),
            low=low,
            high=high,
            replicates=int(kept.sum()),
        )


def _from(judged: GroupedMeasure, within: list[int], reference: int | None) -> tuple[FloatArray, FloatArray]:
    """How far groups lie from their rest, or a reference: on the trials (shape (G,)), and in replicates."""
    value, drawn = np.array([judged.groups[at].value for at in within]), judged.drawn[:, within]
    if reference is not None:
        return value - judged.groups[reference].value, drawn - judged.drawn[:, [reference]]
    return value - np.array([judged.rests[at].value for at in within]), drawn - judged.drawn_rests[:, within]
