"""The primary measure within groups of trials, and as a mean over the values of a column."""

from __future__ import annotations

import polars as pl

from reporting.charts.scope import Row, Scope
from reporting.charts.words import terms_of
from reporting.frames.results import Results
from reporting.report import numbers
from reporting.report.blocks import UNDEFINED, Block, Cell, Column, Section, Table
from reporting.sections.by_scope import by_scope
from reporting.sections.operating_points import value_cell
from reporting.sections.printing import Printing, printing
from reporting.sections.wording import level_text, question, sense

Groups = list[tuple[str, dict[str, Row]]]
"""The name of every group and its row of ``metrics`` by model."""


def breakdowns(results: Results) -> Section | None:
    """Return a table for each breakdown and one for the macro means, of every dataset."""
    return by_scope("Breakdowns", "breakdowns", results, _blocks)


def _blocks(scope: Scope) -> tuple[Block, ...]:
    rows = _rows(scope)
    whole = {row["model"]: row for row in scope.metrics if _is_primary(scope, row)}
    tables = []
    for number, columns in enumerate(scope.study.by, start=1):
        names = [name for name in rows if _columns_of(name) == sorted(columns)]
        groups: Groups = [("all trials", whole), *((name, rows[name]) for name in names)]
        caption = f"{_asked(scope)} by {' and '.join(columns)}: {SAME_THRESHOLDS}"
        tables.append(_table(scope, f"breakdown_{number}", " and ".join(columns), caption, groups))
    macro = f"mean({scope.study.averaged_over})"
    if macro in rows:
        tables.append(_macro_table(scope, whole, rows[macro]))
    return tuple(tables)


def _macro_table(scope: Scope, whole: dict[str, Row], means: dict[str, Row]) -> Table:
    """The mean over the values of the column beside the pooled number, with how many values it is of."""
    measure, column = scope.study.primary.measure, scope.study.averaged_over
    printed = printing(scope, measure)
    interval = Column(f"{level_text(scope.study.inference.level)} interval", "interval", printed.unit)
    left_out = any("undefined_left_out" in row["flags"] or row["value"] is None for row in means.values())
    return Table(
        name=scope.called("macro_means"),
        caption=f"{_asked(scope)}: the mean over {column}, each value that has one counting the same.",
        columns=(
            Column("model"),
            Column(f"pooled {terms_of(scope).measure(measure)}", "number", printed.unit, sense(measure)),
            Column("values averaged", "number"),
            Column(f"mean {terms_of(scope).measure(measure)}", "number", printed.unit, sense(measure)),
            interval,
        ),
        rows=tuple(
            (
                Cell(scope.names[model]),
                value_cell(scope, whole.get(model), printed),
                Cell(numbers.count(row["n_units"] or 0), row["n_units"] or 0),
                value_cell(scope, row, printed),
                Cell(
                    printed.interval(row["ci_low"], row["ci_high"]), reason="no interval is computed for it"
                ),
            )
            for model in scope.results.models
            if (row := means.get(model)) is not None
        ),
        notes=(terms_of(scope).say(LEFT_OUT),) if left_out else (),
    )


LEFT_OUT = "Values on which the measure is undefined, for want of targets or non-targets say, are left out."


SAME_THRESHOLDS = (
    "thresholds are those of the whole; what is taken over all thresholds is taken over those of the group."
)


def _asked(scope: Scope) -> str:
    asked = scope.study.primary
    return f"Test {question(asked.measure, asked.criterion, scope.study)}"


def _is_primary(scope: Scope, row: Row) -> bool:
    asked = scope.study.primary
    criterion = str(asked.criterion) if asked.measure.over == "threshold" else None
    wanted = str(asked.measure), criterion, "test"
    return (row["measure"], row["criterion"], row["split"]) == wanted


def _rows(scope: Scope) -> dict[str, dict[str, Row]]:
    """The primary rows of every group, by its name in the order of the frame, and by model."""
    frame = scope.results.metrics.filter(
        (pl.col("dataset") == scope.dataset) & (pl.col("run") == scope.run) & (pl.col("group") != "")
    )
    found: dict[str, dict[str, Row]] = {}
    for row in frame.sort("group").to_dicts():
        if _is_primary(scope, row):
            found.setdefault(row["group"], {})[row["model"]] = row
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


def _table(scope: Scope, name: str, head: str, caption: str, groups: Groups) -> Table:
    measure = scope.study.primary.measure
    printed, spoken = printing(scope, measure), terms_of(scope)
    return Table(
        name=scope.called(name),
        caption=caption,
        columns=(
            Column(head),
            Column("model"),
            Column(spoken.targets, "number"),
            Column(spoken.nontargets, "number"),
            Column(spoken.measure(measure), "number", printed.unit, sense(measure)),
            Column(f"{level_text(scope.study.inference.level)} interval", "interval", printed.unit),
        ),
        rows=tuple(
            _cells(scope, group, model, row, printed)
            for group, rows in groups
            for model in scope.results.models
            if (row := rows.get(model)) is not None
        ),
        notes=("Groups are described, not tested: no p-value here is part of the report's family.",),
    )


def _cells(scope: Scope, group: str, model: str, row: Row, printed: Printing) -> tuple[Cell, ...]:
    interval = printed.interval(row["ci_low"], row["ci_high"])
    return (
        Cell(group),
        Cell(scope.names[model]),
        Cell(numbers.count(row["n_target"]), row["n_target"]),
        Cell(numbers.count(row["n_nontarget"]), row["n_nontarget"]),
        value_cell(scope, row, printed),
        Cell(interval, reason="no interval is computed for it" if interval == UNDEFINED else ""),
    )
