"""The primary measure within groups of trials, and as a mean over the values of a column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from reporting.document.blocks import Block, Section, Table
from reporting.document.frames.metrics import METRICS, MetricRow
from reporting.document.frames.results import Results
from reporting.document.words.phrases import clusters, question, sense
from reporting.document.words.tables import ColumnOf, TableOf, by_width
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView, views
from reporting.features.groups import FEATURE
from reporting.features.groups.worst_values import worst_tables

SAME_THRESHOLDS = "Thresholds are set on the full development set and are the same in every group."
OWN_SCORES = "The measure uses all thresholds of the group's own scores."
DESCRIBED = "Groups are described, not tested."
WITHIN = (
    "A group that is one cluster has its trials taken as independent; its CI is about that cluster alone."
)
NONE_OF_ALL = "All {trials} together have no CI, because it would be about other {clusters}."
AGAINST_ALL = {
    "nontarget": "Each group has its own non-targets and all targets.",
    "spoof": "Each group has its own spoofs and all targets, without zero-effort non-targets.",
    "target": "Each group has its own targets and all non-targets.",
}
"""What a group is of a column that describes one class, by the class."""
LEFT_OUT = "Groups in which the measure is undefined are excluded from its mean."
WHOLE = ""
"""The name of the group of all trials."""

ByModel = dict[str, MetricRow]


class JudgedGroup(NamedTuple):
    """The primary values of all models within a group."""

    name: str
    rows: ByModel

    @property
    def first(self) -> MetricRow:
        """Any model's row: its trials are those of the group."""
        return next(iter(self.rows.values()))


class Means(NamedTuple):
    """The primary value of a model on all trials, and the mean over the values of a column."""

    pooled: MetricRow | None
    mean: MetricRow


def breakdowns(results: Results) -> Section | None:
    """Return a table for each breakdown and one for the macro means, of every dataset."""
    return FEATURE.section("breakdowns").per_view(views(results), _blocks)


def _blocks(view: DatasetView) -> tuple[Block, ...]:
    groups = _groups(view)
    whole = JudgedGroup(WHOLE, {row.model: row for row in view.metrics if _is_primary(view, row)})
    tables = []
    for number, columns in enumerate(view.study.by, start=1):
        of_these = [
            group for group in groups.values() if sorted(group.first.group_columns) == sorted(columns)
        ]
        of_kinds = view.study.primary.measure.mixed and view.study.one_class_of(columns)
        # A group of one kind has no cost of three.
        for part, models in enumerate([] if of_kinds else by_width(view.ranked), start=1):
            name = f"breakdown_{number}" if part == 1 else f"breakdown_{number}_{part}"
            tables.append(_table(view, name, columns, models, [whole, *of_these]))
        if view.study.one_class_of(columns):
            tables += worst_tables(view, number, columns)
    macro = groups.get(f"mean({view.study.averaged_over})")
    if macro is not None:
        means = [macro.rows[model] for model in view.ranked if model in macro.rows]
        tables.append(_macro_table(view, [Means(whole.rows.get(row.model), row) for row in means]))
    return tuple(tables)


def _is_primary(view: DatasetView, row: MetricRow) -> bool:
    primary = view.study.primary
    criterion = str(primary.criterion) if primary.measure.over == "threshold" else None
    return (row.measure, row.criterion, row.split) == (str(primary.measure), criterion, "test")


def _groups(view: DatasetView) -> dict[str, JudgedGroup]:
    """The primary rows of every group, by its name in the order of the frame."""
    frame = view.results.frame(METRICS).filter(pl.col("group") != "", dataset=view.dataset, run=view.run)
    groups: dict[str, JudgedGroup] = {}
    for row in METRICS.rows(frame.sort("group")):
        if _is_primary(view, row):
            groups.setdefault(row.group, JudgedGroup(row.group, {})).rows[row.model] = row
    return groups


def _table(
    view: DatasetView, name: str, columns: tuple[str, ...], models: Sequence[str], groups: list[JudgedGroup]
) -> Table:
    """One row per group, one column per model, the best first."""
    measure, table = view.study.primary.measure, TableOf[JudgedGroup](view)
    printed = view.printing(measure)

    def value(model: str) -> ColumnOf[JudgedGroup]:
        return table.estimate(view.names[model], lambda group: group.rows.get(model), printed)

    scope = SAME_THRESHOLDS if measure.over == "threshold" else OWN_SCORES
    of_class = next(iter(view.study.one_class_of(columns).values()), None)
    against = () if of_class is None else (view.terms.say(AGAINST_ALL[of_class]),)
    heads = tuple(_of_group(table, columns, column) for column in columns)
    nontargets = table.count(view.terms.nontargets, lambda group: group.first.n_nontarget)
    flags = {
        (group.name == WHOLE, flag) for group in groups for row in group.rows.values() for flag in row.flags
    }
    within: tuple[str, ...] = (view.terms.say(WITHIN),) if (False, "within_cluster") in flags else ()
    if within and (True, "too_few_clusters") in flags:
        within += (NONE_OF_ALL.format(trials=view.terms.trials, clusters=clusters(view.results)),)
    return table.build(
        name,
        f"{_question(view)} by {' and '.join(columns)}; {sense(measure)}.",
        [group for group in groups if group.rows],
        (
            *heads,
            table.count(view.terms.targets, lambda group: group.first.n_target),
            *([nontargets] if any(group.first.n_nontarget for group in groups if group.rows) else []),
            *(value(model) for model in models),
        ),
        (f"{table.level} CIs in brackets. {scope} {DESCRIBED}", *within, *against),
    )


def _of_group(table: TableOf[JudgedGroup], columns: tuple[str, ...], column: str) -> ColumnOf[JudgedGroup]:
    """The group's value of one column, headed by the column."""

    def text(group: JudgedGroup) -> str:
        if group.name == WHOLE:
            return f"all {table.view.terms.trials}" if column == columns[0] else ""
        return dict(zip(group.first.group_columns, group.first.group_values, strict=True))[column]

    return table.text(column, text)


def _macro_table(view: DatasetView, rows: list[Means]) -> Table:
    """The mean over the values of the column against the pooled number, with how many values it is of."""
    measure, table = view.study.primary.measure, TableOf[Means](view)
    printed, title = view.printing(measure), view.terms.measure(measure)
    left_out = any("undefined_left_out" in row.mean.flags or row.mean.value is None for row in rows)
    return table.build(
        "macro_means",
        f"{_question(view)}: mean over {view.study.averaged_over}, each value weighted equally.",
        rows,
        (
            table.model(lambda row: row.mean.model),
            table.estimate(f"mean {title}", lambda row: row.mean, printed, sense=sense(measure)),
            table.count("values averaged", lambda row: row.mean.n_units or 0),
            table.value(f"pooled {title}", lambda row: row.pooled, printed, sense=sense(measure)),
        ),
        (f"{table.level} CIs in brackets.", *((view.terms.say(LEFT_OUT),) if left_out else ())),
    )


def _question(view: DatasetView) -> str:
    primary = view.study.primary
    name = question(primary.measure, primary.criterion, view.study)
    return capitalised(name)
