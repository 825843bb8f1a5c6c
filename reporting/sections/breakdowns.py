"""The primary measure within groups of trials, and as a mean over the values of a column."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from reporting.frames import METRICS, MetricRow, Results
from reporting.report.blocks import Block, Section, Table
from reporting.sections.catalogue import SECTIONS
from reporting.wording.phrases import question, sense
from reporting.wording.tables import TableOf, limits
from reporting.wording.view import View, views

SAME_THRESHOLDS = (
    "thresholds are those of the whole; what is taken over all thresholds is taken over those of the group."
)
DESCRIBED = "Groups are described, not tested: no p-value here is part of the report's family."
LEFT_OUT = "Values on which the measure is undefined, for want of targets or non-targets say, are left out."

ByModel = dict[str, MetricRow]


class GroupValue(NamedTuple):
    """The primary value of a model within a group."""

    group: str
    row: MetricRow


class Means(NamedTuple):
    """The primary value of a model on all trials, and the mean over the values of a column."""

    pooled: MetricRow | None
    mean: MetricRow


def breakdowns(results: Results) -> Section | None:
    """Return a table for each breakdown and one for the macro means, of every dataset."""
    return SECTIONS["breakdowns"].per_view(views(results), _blocks)


def _blocks(view: View) -> tuple[Block, ...]:
    groups = _groups(view)
    whole = {row.model: row for row in view.metrics if _is_primary(view, row)}
    tables = []
    for number, columns in enumerate(view.study.by, start=1):
        names = [name for name, rows in groups.items() if _columns_of(rows) == sorted(columns)]
        values = [
            GroupValue(name, rows[model])
            for name, rows in [("all trials", whole), *((name, groups[name]) for name in names)]
            for model in view.results.models
            if model in rows
        ]
        tables.append(_table(view, f"breakdown_{number}", " and ".join(columns), values))
    macro = f"mean({view.study.averaged_over})"
    if macro in groups:
        means = [groups[macro][model] for model in view.results.models if model in groups[macro]]
        tables.append(_macro_table(view, [Means(whole.get(row.model), row) for row in means]))
    return tuple(tables)


def _is_primary(view: View, row: MetricRow) -> bool:
    primary = view.study.primary
    criterion = str(primary.criterion) if primary.measure.over == "threshold" else None
    return (row.measure, row.criterion, row.split) == (str(primary.measure), criterion, "test")


def _groups(view: View) -> dict[str, ByModel]:
    """The primary rows of every group, by its name in the order of the frame."""
    frame = view.results.frame(METRICS).filter(pl.col("group") != "", dataset=view.dataset, run=view.run)
    groups: dict[str, ByModel] = {}
    for row in METRICS.rows(frame.sort("group")):
        if _is_primary(view, row):
            groups.setdefault(row.group, {})[row.model] = row
    return groups


def _columns_of(rows: ByModel) -> list[str]:
    """The columns whose values make a group."""
    return next(iter(rows.values())).group_columns


def _table(view: View, name: str, columns: str, values: list[GroupValue]) -> Table:
    measure, table = view.study.primary.measure, TableOf[GroupValue](view)
    printed = view.printing(measure)
    return table.build(
        name,
        f"{_question(view)} by {columns}: {SAME_THRESHOLDS}",
        values,
        (
            table.text(columns, lambda value: value.group),
            table.model(lambda value: value.row.model),
            table.count(view.terms.targets, lambda value: value.row.n_target),
            table.count(view.terms.nontargets, lambda value: value.row.n_nontarget),
            table.value(view.terms.measure(measure), lambda value: value.row, printed, sense=sense(measure)),
            table.interval(lambda value: limits(value.row), printed),
        ),
        (DESCRIBED,),
    )


def _macro_table(view: View, rows: list[Means]) -> Table:
    """The mean over the values of the column beside the pooled number, with how many values it is of."""
    measure, table = view.study.primary.measure, TableOf[Means](view)
    printed, title = view.printing(measure), view.terms.measure(measure)
    left_out = any("undefined_left_out" in row.mean.flags or row.mean.value is None for row in rows)
    return table.build(
        "macro_means",
        f"{_question(view)}: the mean over {view.study.averaged_over}, each value that has one counting"
        " the same.",
        rows,
        (
            table.model(lambda row: row.mean.model),
            table.value(f"pooled {title}", lambda row: row.pooled, printed, sense=sense(measure)),
            table.count("values averaged", lambda row: row.mean.n_units or 0),
            table.value(f"mean {title}", lambda row: row.mean, printed, sense=sense(measure)),
            table.interval(lambda row: limits(row.mean), printed),
        ),
        (view.terms.say(LEFT_OUT),) if left_out else (),
    )


def _question(view: View) -> str:
    primary = view.study.primary
    return f"Test {question(primary.measure, primary.criterion, view.study)}"
