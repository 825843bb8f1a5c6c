"""Contrasts over groups: each against the rest or a reference, how far they lie apart, in which model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import polars as pl

from reporting.base.legible import elided
from reporting.core.engine.study import AcrossPlan
from reporting.core.measures.catalogue import read_measure
from reporting.core.measures.measure import Measure
from reporting.core.measures.threshold import FRR
from reporting.document import numbers
from reporting.document.blocks import UNDEFINED, Block, Caution, Cell, Column, Section, Table
from reporting.document.frames.results import Results
from reporting.document.words.phrases import level_text, listing, question, reason, sense, units
from reporting.document.words.printing import Printing
from reporting.document.words.tables import ByRow, ColumnOf, DrawnInterval, TableOf, blank_where, second_line
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView, views
from reporting.features.groups import FEATURE
from reporting.features.groups.chart import groups_figure
from reporting.features.groups.disparities import (
    DISPARITIES,
    DISPARITY_COMPARISONS,
    DisparityComparisonRow,
    DisparityRow,
)
from reporting.features.groups.group_metrics import GROUP_METRICS, GroupMetricRow

FROM_DEV = "Thresholds are set on the full development set, as deployed, and held fixed."
IN_ADVANCE = "Thresholds were set in advance."
RULE = (
    "A group takes part if it has at least 10 {units} of each class that counts, and would have at least 5"
    " errors at the rate of all {trials}; its own errors do not affect inclusion."
)
BIASED = (
    "The range of several estimates is too large on average, and so are ratio and Gini coefficient; their"
    " limits allow for it. The largest and the smallest value have theirs in the table of groups."
)
GINI = (
    "Gini coefficient: 0 where all groups have the same value, 1 where one group has it all. Largest / mean:"
    " the largest value over the geometric mean of all groups."
)
ODDS = (
    "Equalised odds difference: the larger of the ranges of {far} and {frr}. GARBE: {alpha} of the Gini"
    " coefficient of {far} and {rest} of that of {frr}."
)
BETWEEN = (
    "Ranges of two models: paired, on the same resamples; the limits allow for not knowing which groups lie"
    " farthest apart."
)
MOST_IN_LINE = 3
"""So many groups are named in the line of the first screen."""
MOST_NAMED = 6
"""So many groups that are left out have their names in the caution."""


def groups(results: Results) -> Section | None:
    """Return the pictures and tables of the groups of every plan; nothing where the config asks for none."""
    return FEATURE.section("groups").per_view(views(results), _blocks)


def _blocks(view: DatasetView) -> tuple[Block, ...]:
    return tuple(
        block
        for number, plan in enumerate(view.study.across, start=1)
        for block in _of_plan(view, plan, number)
    )


def _of_plan(view: DatasetView, plan: AcrossPlan, number: int) -> Iterator[Block]:
    rows = group_rows(view, plan)
    if not rows:
        return
    yield groups_figure(view, plan, [row for row in rows if row.measure == str(plan.measures[0])], number)
    for at, measure in enumerate(plan.measures, start=1):
        of_measure = [row for row in rows if row.measure == str(measure)]
        yield replace(_contrasts(view, plan, measure, of_measure, f"{number}_{at}"), folded=at > 1)
    yield from _gaps(view, plan, number)
    yield from _between(view, plan, number)


def group_rows(view: DatasetView, plan: AcrossPlan) -> list[GroupMetricRow]:
    """Return the rows of a plan's groups, the best model first."""
    frame = view.results.frame(GROUP_METRICS).filter(dataset=view.dataset, run=view.run)
    rows = [row for row in GROUP_METRICS.rows(frame) if row.group_columns == sorted(plan.columns)]
    return sorted(rows, key=lambda row: view.ranked.index(row.model))


def group_lines(results: Results) -> Iterator[str]:
    """Yield what is decided of the groups of every plan, by its first measure."""
    for view in (each for each in views(results) if each.whole):
        for plan in view.study.across:
            rows = [row for row in group_rows(view, plan) if row.measure == str(plan.measures[0])]
            tested = [row for row in rows if row.difference_low is not None and not row.left_out]
            if tested:
                where = f"On {view.where}, by" if view.where else "By"
                columns = " and ".join(map(elided, plan.columns))
                yield f"{where} {columns}: {_decided(view, plan, tested)}."


def _decided(view: DatasetView, plan: AcrossPlan, rows: Sequence[GroupMetricRow]) -> str:
    """Return which groups have a higher or a lower value than the rest, and of which models."""
    name, other = view.terms.measure(plan.measures[0]), _against(plan)
    models: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        word = _verdict(view, row)
        if word in ("higher", "lower"):
            group = ", ".join(map(elided, row.group_values))
            models.setdefault((word, group), []).append(view.names[row.model])
    if not models:
        return f"no group is shown to differ from {other} in {name}"
    every = len({row.model for row in rows})
    parts: dict[str, list[str]] = {}
    for (word, group), of in models.items():
        parts.setdefault(word, []).append(group if len(of) == every else f"{group} ({listing(of)})")
    clauses = (f"{word} for {listing(of, MOST_IN_LINE)}" for word, of in parts.items())
    than = f" than for {other}" if plan.reference is not None else ""
    return f"{name} is {' and '.join(clauses)}{than}"


def groups_left_out(view: DatasetView) -> Iterator[Caution]:
    """Yield which groups take no part in claims, and why."""
    for plan in view.study.across:
        rows = [row for row in group_rows(view, plan) if row.left_out]
        measures: dict[str, dict[str, None]] = {}
        for row in rows:
            name = view.terms.measure(read_measure(row.measure))
            measures.setdefault(", ".join(map(elided, row.group_values)), {})[name] = None
        together: dict[tuple[str, ...], list[str]] = {}
        for group, names in measures.items():
            together.setdefault(tuple(names), []).append(group)
        if rows:
            groups = [f"{listing(names, MOST_NAMED)} ({listing(of)})" for of, names in together.items()]
            why = dict.fromkeys(reason(row.left_out, view.terms) for row in rows)
            yield FEATURE.caution(
                view,
                "groups_left_out",
                columns=" and ".join(map(elided, plan.columns)),
                groups="; ".join(groups),
                reasons=listing(why, last="or"),
            )


def _contrasts(
    view: DatasetView, plan: AcrossPlan, measure: Measure, rows: Sequence[GroupMetricRow], number: str
) -> Table:
    """One row per group and model: its value, and how it lies to the rest or to the reference."""
    table = TableOf[GroupMetricRow](view)
    several = len({row.model for row in rows}) > 1
    level, name = table.level, view.terms.measure(measure)
    columns = " and ".join(map(elided, plan.columns))
    nontargets = table.count(view.terms.nontargets, lambda row: row.n_nontarget)
    drawn = table.build(
        f"groups_{number}",
        f"{capitalised(question(measure, view.study.point_criterion, view.study))}, by {columns};"
        f" {sense(measure)}.",
        rows,
        (
            *(table.text(elided(column), _value_of(column)) for column in plan.columns),
            table.count(view.terms.targets, lambda row: row.n_target),
            *([nontargets] if any(row.n_nontarget for row in rows) else []),
            *_value_columns(table, measure, rows),
            *_contrast_columns(table, plan, measure),
        ),
        (
            f"In brackets: {level} CIs of {name}, each of a single group. All other {level} limits hold for"
            f" all groups of a model together (max-T), not over models or measures. {_held(view)}",
            RULE.format(units=units(view.results, rows[0].unit), trials=view.terms.trials),
        ),
        group=(lambda row: view.names[row.model]) if several else None,
    )
    lines = f"Thick: {level} CI. Thin: for all groups of a model together."
    return replace(drawn, drawn_notes=(lines,))


def _value_columns(
    table: TableOf[GroupMetricRow], measure: Measure, rows: Sequence[GroupMetricRow]
) -> tuple[ColumnOf[GroupMetricRow], ...]:
    """Return the values drawn and in numbers, with the limits of each group and of all together."""
    view, printed = table.view, table.view.printing(measure)

    def interval(row: GroupMetricRow) -> DrawnInterval | None:
        ends = row.ci_low, row.ci_high, row.joint_low, row.joint_high
        return None if row.value is None else DrawnInterval(row.value, *ends)

    def own_limits(row: GroupMetricRow) -> str:
        return "" if row.ci_low is None else printed.interval(row.ci_low, row.ci_high)

    def joint(row: GroupMetricRow) -> Cell:
        if row.joint_low is None:
            return table.undefined(row, reason(row.left_out, view.terms))
        return Cell(printed.interval(row.joint_low, row.joint_high))

    values = table.number(view.terms.measure(measure), lambda row: row.value, printed, sense=sense(measure))
    on_axis = [row for row in rows if row.left_out is None] or rows
    return (
        table.drawn(on_axis, interval, printed, measure.bounds),
        second_line(values, own_limits),
        ColumnOf(Column("all groups together", "interval", printed.unit), joint),
    )


def _contrast_columns(
    table: TableOf[GroupMetricRow], plan: AcrossPlan, measure: Measure
) -> tuple[ColumnOf[GroupMetricRow], ...]:
    """Return the difference from the rest or the reference, the ratio, and what their limits decide."""
    other, printed = _against(plan), table.view.printing(measure)

    def off_zero(row: GroupMetricRow) -> Printing:
        return printed.off_zero(row.difference_low, row.difference_high)

    difference = table.number(
        f"difference from {other}", lambda row: row.difference, ByRow(off_zero), unit=printed.difference_unit
    )
    ratio = table.number(f"ratio to {other}", lambda row: row.ratio, _two_digits)
    return (
        blank_where(
            lambda row: row.difference is None and _is_told(row),
            second_line(
                difference, lambda row: _limits(row.difference_low, row.difference_high, off_zero(row).value)
            ),
        ),
        blank_where(
            lambda row: row.ratio is None and _is_told(row),
            second_line(ratio, lambda row: _limits(row.ratio_low, row.ratio_high, _two_digits)),
        ),
        table.text(f"against {other}", partial(_verdict, table.view)),
    )


def _held(view: DatasetView) -> str:
    """Say where the thresholds come from."""
    criterion = view.study.point_criterion
    return FROM_DEV if criterion is None or criterion.needs_dev else IN_ADVANCE


def _value_of(column: str) -> Callable[[GroupMetricRow], str]:
    return lambda row: elided(dict(zip(row.group_columns, row.group_values, strict=True))[column])


def _against(plan: AcrossPlan) -> str:
    return "the rest" if plan.reference is None else ", ".join(map(elided, plan.reference))


def _verdict(view: DatasetView, row: GroupMetricRow) -> str:
    """Say what the limits that hold for all groups together decide."""
    if row.left_out in ("few_units", "few_errors"):
        return f"too few {units(view.results, row.unit)}"
    if row.difference is None or row.difference_low is None or row.difference_high is None:
        return "" if row.status is None else UNDEFINED
    return side(row.difference_low, row.difference_high, "higher", "lower")


def side(low: float, high: float, above: str, below: str) -> str:
    """Say on which side of 0 limits lie."""
    return above if low > 0 else below if high < 0 else "inconclusive"


def _two_digits(value: float) -> str:
    return numbers.fixed(value, 2)


def _is_told(row: GroupMetricRow) -> bool:
    """Whether a row has no contrast and needs no reason: that of the reference, and of groups left out."""
    return row.left_out is not None or (row.status is None and row.difference is None)


def _limits(low: float | None, high: float | None, show: Callable[[float], str]) -> str:
    """Print limits, of which the upper one may be infinite."""
    if low is None:
        return ""
    return f"[{show(low)}, {show(high)}]" if high is not None else f"[{show(low)}, ∞)"


class Gaps(NamedTuple):
    """How far the groups lie apart, of one model and measure, or of FAR and FRR: rows by statistic."""

    model: str
    measure: str
    rows: dict[str, DisparityRow]


def _gaps(view: DatasetView, plan: AcrossPlan, number: int) -> Iterator[Table]:
    """Yield the table of every measure's gaps, and that of FAR and FRR together."""
    gaps_of: dict[tuple[str | None, str], dict[str, DisparityRow]] = {}
    for row in view.rows(DISPARITIES, "test"):
        if row.group_columns == sorted(plan.columns):
            gaps_of.setdefault((row.measure, row.model), {})[row.statistic] = row
    gaps = [
        Gaps(model, str(measure), gaps_of[str(measure), model])
        for measure in plan.measures
        for model in view.ranked
        if (str(measure), model) in gaps_of
    ]
    columns = " and ".join(map(elided, plan.columns))
    level = level_text(view.study.inference.level)
    if gaps:
        yield _gaps_of_measures(view, gaps, f"gaps_{number}", columns, level)
    both = [Gaps(model, "", gaps_of[None, model]) for model in view.ranked if (None, model) in gaps_of]
    if both:
        table, rates = TableOf[Gaps](view), view.printing(FRR).value
        weights = {"alpha": f"{plan.alpha:g}", "rest": f"{1 - plan.alpha:g}"}
        odds = ODDS.format(far=view.terms.far, frr=view.terms.frr, **weights)
        yield table.build(
            f"odds_{number}",
            f"{view.terms.far} and {view.terms.frr} together: how far the groups of {columns} lie apart.",
            both,
            (
                table.model(lambda gap: gap.model),
                _gap(table, "equalised odds difference", "equalised_odds", lambda gap: rates, "points"),
                _gap(table, "GARBE", "garbe", lambda gap: _two_digits),
            ),
            (f"In brackets: {level} limits of each number. {odds}",),
        )


def _gaps_of_measures(view: DatasetView, gaps: list[Gaps], name: str, columns: str, level: str) -> Table:
    table = TableOf[Gaps](view)

    def printed(gap: Gaps) -> Callable[[float], str]:
        return view.printing(read_measure(gap.measure)).value

    def end(title: str, of: Callable[[DisparityRow], str | None]) -> ColumnOf[Gaps]:
        def text(gap: Gaps) -> str:
            row = gap.rows["range"]
            group = of(row)
            if group is None:
                return UNDEFINED
            named = GROUP_METRICS.rows(view.results.frame(GROUP_METRICS).filter(group=group).head(1))
            return ", ".join(map(elided, named[0].group_values)) if named else elided(group)

        return table.text(title, text)

    return table.build(
        name,
        f"How far the groups of {columns} lie apart.",
        gaps,
        (
            table.model(lambda gap: gap.model),
            table.value("largest", lambda gap: gap.rows.get("maximum"), ByRow(printed)),
            end("group", lambda row: row.highest),
            table.value("smallest", lambda gap: gap.rows.get("minimum"), ByRow(printed)),
            end("group", lambda row: row.lowest),
            _gap(table, "range", "range", printed),
            _gap(table, "ratio", "ratio", lambda gap: _two_digits),
            _gap(table, "largest / mean", "maximum_to_geometric_mean", lambda gap: _two_digits),
            _gap(table, "Gini", "gini", lambda gap: _two_digits),
            table.count("groups", lambda gap: gap.rows["range"].n_groups),
        ),
        (f"In brackets: {level} limits, of one number of one model at a time. {BIASED}", GINI),
        group=lambda gap: _measure_head(view, gap.measure),
    )


def _measure_head(view: DatasetView, measure: str) -> str:
    named = read_measure(measure)
    unit = view.printing(named).unit
    return view.terms.measure(named) + (f" ({unit})" if unit else "")


def _gap(
    table: TableOf[Gaps],
    title: str,
    statistic: str,
    show: Callable[[Gaps], Callable[[float], str]],
    unit: str = "",
) -> ColumnOf[Gaps]:
    def limits(gap: Gaps) -> str:
        row = gap.rows[statistic]
        return _limits(row.low, row.high, show(gap))

    value = table.value(title, lambda gap: gap.rows.get(statistic), ByRow(show), unit=unit)
    return second_line(value, limits)


def _between(view: DatasetView, plan: AcrossPlan, number: int) -> Iterator[Table]:
    """Yield whether the groups lie less far apart in one model than in another, and which groups do."""
    if not view.whole:
        return
    frame = view.results.frame(DISPARITY_COMPARISONS).filter(pl.col("dataset") == view.dataset)
    rows = [row for row in DISPARITY_COMPARISONS.rows(frame) if row.group_columns == sorted(plan.columns)]
    order = {str(measure): at for at, measure in enumerate(plan.measures)}
    rows.sort(key=lambda row: order[row.measure])
    level, columns = level_text(view.study.inference.level), " and ".join(map(elided, plan.columns))
    ranges = [row for row in rows if row.statistic == "range"]
    if ranges:
        yield _compared(
            view,
            ranges,
            f"ranges_{number}",
            f"Range over the groups of {columns}, between models.",
            (f"In brackets: {level} limits, of one pair and measure at a time. {BETWEEN} {_held(view)}",),
        )
    of_groups = [row for row in rows if row.statistic == "difference"]
    if of_groups:
        notes = (
            f"In brackets: {level} limits that hold for all groups of a pair together (max-T), not over pairs"
            f" or measures. {_held(view)}",
        )
        title = f"Difference from {_against(plan)} of each group of {columns}, between models."
        yield replace(
            _compared(view, of_groups, f"differences_of_groups_{number}", title, notes), folded=True
        )


def _compared(
    view: DatasetView, rows: list[DisparityComparisonRow], name: str, caption: str, notes: tuple[str, ...]
) -> Table:
    table = TableOf[DisparityComparisonRow](view)

    def printed(row: DisparityComparisonRow) -> Printing:
        return view.printing(read_measure(row.measure))

    def verdict(row: DisparityComparisonRow) -> str:
        if row.low is None or row.high is None:
            return UNDEFINED
        word = side(row.low, row.high, "larger", "smaller")
        return word if word == "inconclusive" else f"{word} for {view.names[row.model]}"

    return table.build(
        name,
        caption,
        rows,
        (
            table.model(lambda row: row.model),
            table.text("against", lambda row: view.names[row.baseline]),
            table.text("group", lambda row: ", ".join(map(elided, row.group_values))),
            table.number("value", lambda row: row.value, ByRow(printed)),
            table.number("of the other", lambda row: row.value_baseline, ByRow(printed)),
            second_line(
                table.number("difference", lambda row: row.difference, ByRow(printed)),
                lambda row: _limits(row.low, row.high, printed(row).value),
            ),
            table.text("verdict", verdict),
        ),
        notes,
        group=lambda row: _measure_head(view, row.measure),
    )
