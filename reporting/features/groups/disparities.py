"""The frames ``disparities`` and ``disparity_comparisons``: how far groups lie apart, in which model more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated

import numpy as np

from reporting.base.records import dataclass, field, replace
from reporting.core.engine.model_runs import ModelRuns
from reporting.core.engine.operations import why_unplaced
from reporting.core.engine.pairing import Pair, model_pairs
from reporting.core.engine.partition import MOST_CONTRASTED
from reporting.core.engine.sample import design_of
from reporting.core.engine.values import defined
from reporting.core.measures.measure import Measure
from reporting.core.measures.threshold import FAR, FRR
from reporting.core.stats.multiplicity import sup_t
from reporting.document.frames.contract import KEY, Frame, Group, KeyRow, PlaceRow, pair_of
from reporting.document.frames.judged import JudgedPart
from reporting.document.frames.recipe import frame_of
from reporting.features.groups import formulas
from reporting.features.groups.group_metrics import PlanGroups, plan_groups
from reporting.features.groups.members import MeasureByMember, SystemByMember


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

STATISTICS: dict[str, Callable[[formulas.GroupValues, float], formulas.Gap]] = {
    "maximum": formulas.maximum,
    "minimum": formulas.minimum,
    "range": formulas.spread,
    "ratio": formulas.largest_ratio,
    "maximum_to_geometric_mean": formulas.maximum_to_geometric_mean,
    "gini": formulas.gini_gap,
}
"""What is reported of the values of one measure; the last three of measures that cannot be below 0."""
OF_SIZES = ("ratio", "maximum_to_geometric_mean", "gini")


def disparity_rows(judged: JudgedPart) -> Iterator[DisparityRow]:
    """Yield how far the groups lie apart, for every plan, model and measure.

    Limits are projections of those of the groups and of all pairs (``formulas``). They hold for
    one statistic of one measure and model at a time, at ``level``. A model without a threshold has a row of
    its range.
    """
    for groups in plan_groups(judged):
        for system in groups.placed:
            for measure in groups.plan.measures:
                yield from _of_measure(groups, system, measure, judged)
            if {FAR, FRR} <= {*groups.plan.measures}:
                yield from _of_both_rates(groups, system, judged)
        for team in groups.unplaced:
            for measure in groups.plan.measures:
                row = _row(groups, team, [], judged)
                why = why_unplaced(groups.criterion)
                yield replace(row, statistic="range", measure=str(measure), status=why)


def _of_measure(
    groups: PlanGroups, system: SystemByMember, measure: Measure, judged: JudgedPart
) -> Iterator[DisparityRow]:
    by_group = system.of(measure)
    row = replace(_row(groups, system.system, [by_group], judged), measure=str(measure))
    for name, statistic in STATISTICS.items():
        if name in OF_SIZES and measure.bounds[0] < 0:
            continue
        named = replace(row, statistic=name)
        if len(by_group.within) < 2:
            yield replace(named, status="one_group")
        else:
            yield _with_gap(named, statistic(by_group.values, row.level), _ends(groups, by_group))


def _of_both_rates(groups: PlanGroups, system: SystemByMember, judged: JudgedPart) -> Iterator[DisparityRow]:
    far, frr = system.of(FAR), system.of(FRR)
    row, alpha = _row(groups, system.system, [far, frr], judged), groups.plan.alpha
    odds, garbe_row = replace(row, statistic="equalised_odds"), replace(row, statistic="garbe", alpha=alpha)
    if min(len(far.within), len(frr.within)) < 2:
        yield from (replace(each, status="one_group") for each in (odds, garbe_row))
        return
    larger = frr if np.ptp(frr.values.value) > np.ptp(far.values.value) else far
    yield _with_gap(odds, formulas.larger_spread([far.values, frr.values], row.level), _ends(groups, larger))
    yield _with_gap(garbe_row, formulas.garbe(far.values, frr.values, alpha, row.level), (None, None))


def _row(
    groups: PlanGroups, team: ModelRuns, measured: list[MeasureByMember], judged: JudgedPart
) -> DisparityRow:
    n = min((len(each.within) for each in measured), default=0)
    return DisparityRow(
        **team.key._asdict(),
        group_columns=groups.columns,
        statistic="",
        criterion=str(groups.criterion),
        level=judged.study.inference.level,
        n_groups=n,
        n_left_out=groups.partition.n - n,
        unit=judged.drawn.units.name,
        replicates=min((int(each.kept.sum()) for each in measured), default=None),
        flags=sorted(judged.drawn.units.flags) if measured else [],
    )


def _ends(groups: PlanGroups, by_group: MeasureByMember) -> tuple[str | None, str | None]:
    """The names of the groups with the largest and with the smallest value, the first of equal ones."""
    values, names = by_group.values.value, [groups.partition.names[at] for at in by_group.within]
    return names[int(values.argmax())], names[int(values.argmin())]


def _with_gap(row: DisparityRow, gap: formulas.Gap, ends: tuple[str | None, str | None]) -> DisparityRow:
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
    the spread of the paired resamples, max-T over all groups together (Student's t over clusters).
    """
    for groups in plan_groups(judged):
        placed = {system.system.key.model: system for system in groups.placed}
        for pair in model_pairs(judged.models, judged.study):
            both = [placed.get(team.key.model) for team in (pair.model, pair.baseline)]
            for measure in groups.plan.measures if any(both) else ():
                measured = [of.of(measure) for of in both if of is not None]
                yield from _compared(groups, pair, measure, measured, judged)


def _compared(
    groups: PlanGroups, pair: Pair, measure: Measure, both: list[MeasureByMember], judged: JudgedPart
) -> Iterator[DisparityComparisonRow]:
    row = DisparityComparisonRow(
        **pair_of(pair),
        group_columns=groups.columns,
        statistic="range",
        measure=str(measure),
        criterion=str(groups.criterion),
        level=judged.study.inference.level,
        n_groups=0,
        unit=judged.drawn.units.name,
        flags=sorted(judged.drawn.units.flags),
    )
    if len(both) < 2:
        yield replace(row, status=why_unplaced(groups.criterion))
        return
    within = [at for at in both[0].within if at in both[1].within]
    row, factor = replace(row, n_groups=len(within)), design_of(judged.drawn, judged.study).factor
    if len(within) < 2:
        yield replace(row, status="one_group")
        return
    yield _of_ranges(row, both, within, factor)
    yield from _of_differences(row, groups, both, within, factor)


def _of_ranges(
    row: DisparityComparisonRow, both: list[MeasureByMember], within: list[int], factor: float
) -> DisparityComparisonRow:
    if len(within) > MOST_CONTRASTED:
        return replace(row, status="too_many_groups")
    kept = both[0].members.have_values(within) & both[1].members.have_values(within)
    first, second = (of.among(within, kept) for of in both)
    gap = formulas.difference_of_ranges(first, second, row.level, factor)
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
    both: list[MeasureByMember],
    within: list[int],
    factor: float,
) -> Iterator[DisparityComparisonRow]:
    reference = groups.reference
    if groups.plan.reference is not None:
        within = [at for at in within if at != reference]
        if reference is None or not all(reference in of.within for of in both):
            return
    (first, drawn), (second, drawn_too) = (of.apart(within, reference) for of in both)
    difference, apart = first - second, drawn - drawn_too
    apart = apart[np.isfinite(apart).all(axis=1)]
    limits = sup_t(difference, difference + factor * (apart - apart.mean(axis=0)), row.level)
    for at, member in enumerate(within):
        low, high = (None, None) if limits is None else (defined(limits.low[at]), defined(limits.high[at]))
        yield replace(
            row,
            group=groups.partition.names[member],
            group_values=Group.of(groups.plan.columns, groups.partition.values[member]).group_values,
            statistic="difference",
            against=groups.against,
            value=defined(first[at]),
            value_baseline=defined(second[at]),
            difference=defined(difference[at]),
            low=low,
            high=high,
            replicates=len(apart),
        )


RECIPES = (frame_of(DISPARITIES, disparity_rows), frame_of(DISPARITY_COMPARISONS, disparity_comparison_rows))
