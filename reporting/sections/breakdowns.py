"""The primary measure within groups of trials, and as a mean over the values of a column."""

from __future__ import annotations

import polars as pl

from reporting.frames.results import Results
from reporting.frames.schemas import METRICS, MetricRow
from reporting.report import numbers
from reporting.report.blocks import UNDEFINED, Block, Cell, Column, Section, Table
from reporting.sections.operating_points import value_cell
from reporting.wording.phrases import level_text, question, sense
from reporting.wording.printing import Printing
from reporting.wording.view import View, per_view

Groups = list[tuple[str, dict[str, MetricRow]]]
"""The name of every group and its row of ``metrics`` by model."""


def breakdowns(results: Results) -> Section | None:
    """Return a table for each breakdown and one for the macro means, of every dataset."""
    return per_view("Breakdowns", "breakdowns", results, _blocks)


def _blocks(view: View) -> tuple[Block, ...]:
    rows = _rows(view)
    whole = {row.model: row for row in view.metrics if _is_primary(view, row)}
    tables = []
    for number, columns in enumerate(view.study.by, start=1):
        names = [name for name in rows if _columns_of(name) == sorted(columns)]
        groups: Groups = [("all trials", whole), *((name, rows[name]) for name in names)]
        caption = f"{_asked(view)} by {' and '.join(columns)}: {SAME_THRESHOLDS}"
        tables.append(_table(view, f"breakdown_{number}", " and ".join(columns), caption, groups))
    macro = f"mean({view.study.averaged_over})"
    if macro in rows:
        tables.append(_macro_table(view, whole, rows[macro]))
    return tuple(tables)


def _macro_table(view: View, whole: dict[str, MetricRow], means: dict[str, MetricRow]) -> Table:
    """The mean over the values of the column beside the pooled number, with how many values it is of."""
    measure, column = view.study.primary.measure, view.study.averaged_over
    printed = view.printing(measure)
    interval = Column(f"{level_text(view.study.inference.level)} interval", "interval", printed.unit)
    left_out = any("undefined_left_out" in row.flags or row.value is None for row in means.values())
    return Table(
        name=view.called("macro_means"),
        caption=f"{_asked(view)}: the mean over {column}, each value that has one counting the same.",
        columns=(
            Column("model"),
            Column(f"pooled {view.terms.measure(measure)}", "number", printed.unit, sense(measure)),
            Column("values averaged", "number"),
            Column(f"mean {view.terms.measure(measure)}", "number", printed.unit, sense(measure)),
            interval,
        ),
        rows=tuple(
            (
                Cell(view.names[model]),
                value_cell(view, whole.get(model), printed),
                Cell(numbers.count(row.n_units or 0), row.n_units or 0),
                value_cell(view, row, printed),
                Cell(printed.interval(row.ci_low, row.ci_high), reason="no interval is computed for it"),
            )
            for model in view.results.models
            if (row := means.get(model)) is not None
        ),
        notes=(view.terms.say(LEFT_OUT),) if left_out else (),
    )


LEFT_OUT = "Values on which the measure is undefined, for want of targets or non-targets say, are left out."


SAME_THRESHOLDS = (
    "thresholds are those of the whole; what is taken over all thresholds is taken over those of the group."
)


def _asked(view: View) -> str:
    asked = view.study.primary
    return f"Test {question(asked.measure, asked.criterion, view.study)}"


def _is_primary(view: View, row: MetricRow) -> bool:
    asked = view.study.primary
    criterion = str(asked.criterion) if asked.measure.over == "threshold" else None
    wanted = str(asked.measure), criterion, "test"
    return (row.measure, row.criterion, row.split) == wanted


def _rows(view: View) -> dict[str, dict[str, MetricRow]]:
    """The primary rows of every group, by its name in the order of the frame, and by model."""
    frame = view.results.metrics.filter(
        (pl.col("dataset") == view.dataset) & (pl.col("run") == view.run) & (pl.col("group") != "")
    )
    found: dict[str, dict[str, MetricRow]] = {}
    for row in METRICS.rows(frame.sort("group")):
        if _is_primary(view, row):
            found.setdefault(row.group, {})[row.model] = row
    return found


def _columns_of(name: str) -> list[str]:
    """The columns of a group's name; a sign of ours in a value stands behind a backslash."""
    columns, word, plain, at = [], "", True, 0
    while at < len(name):
        if name[at] == "\\":
            word += name[at + 1 : at + 2] if plain else ""
            at += 2
            continue
        if name[at] == "=" and plain:
            columns.append(word)
            word, plain = "", False
        elif name[at] == "," and not plain:
            plain = True
        elif plain:
            word += name[at]
        at += 1
    return sorted(columns)


def _table(view: View, name: str, head: str, caption: str, groups: Groups) -> Table:
    measure = view.study.primary.measure
    printed, spoken = view.printing(measure), view.terms
    return Table(
        name=view.called(name),
        caption=caption,
        columns=(
            Column(head),
            Column("model"),
            Column(spoken.targets, "number"),
            Column(spoken.nontargets, "number"),
            Column(spoken.measure(measure), "number", printed.unit, sense(measure)),
            Column(f"{level_text(view.study.inference.level)} interval", "interval", printed.unit),
        ),
        rows=tuple(
            _cells(view, group, model, row, printed)
            for group, rows in groups
            for model in view.results.models
            if (row := rows.get(model)) is not None
        ),
        notes=("Groups are described, not tested: no p-value here is part of the report's family.",),
    )


def _cells(view: View, group: str, model: str, row: MetricRow, printed: Printing) -> tuple[Cell, ...]:
    interval = printed.interval(row.ci_low, row.ci_high)
    return (
        Cell(group),
        Cell(view.names[model]),
        Cell(numbers.count(row.n_target), row.n_target),
        Cell(numbers.count(row.n_nontarget), row.n_nontarget),
        value_cell(view, row, printed),
        Cell(interval, reason="no interval is computed for it" if interval == UNDEFINED else ""),
    )
