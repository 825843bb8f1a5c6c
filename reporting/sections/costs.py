"""Detection costs at the operating points: actual ones beside the least possible."""

from __future__ import annotations

from reporting.charts.scope import Row, Scope
from reporting.charts.words import terms_of
from reporting.frames.results import Results
from reporting.report import numbers
from reporting.report.blocks import UNDEFINED, Block, Cell, Column, Section, Table
from reporting.sections.by_scope import by_scope
from reporting.sections.wording import level_text, reason

DECIMALS = 3
SOURCES = {"dev": "chosen on dev", "bayes": "Bayes threshold", "cv": "chosen across folds"}


def costs(results: Results) -> Section | None:
    """Return one table for each dataset; nothing without operating points."""
    return by_scope("Detection costs", "costs", results, _blocks)


def _blocks(scope: Scope) -> tuple[Block, ...]:
    if scope.results.dcf is None:
        return ()
    rows = [row for row in scope.part(scope.results.dcf).to_dicts() if row["split"] == "test"]
    if not rows:
        return ()
    interval = Column(f"{level_text(scope.study.inference.level)} interval", "interval")
    return (
        Table(
            name=scope.called("costs"),
            caption="Detection costs on test at the operating points, over that of deciding without scores.",
            columns=(
                Column("operating point"),
                Column("model"),
                Column("threshold"),
                Column("actual DCF", "number", sense="lower is better"),
                interval,
                Column("minimum DCF", "number", sense="lower is better"),
                interval,
            ),
            rows=tuple(_cells(scope, row) for row in sorted(rows, key=lambda row: _place(scope, row))),
            notes=(_points(scope), MINIMUM),
        ),
    )


MINIMUM = "The minimum is read at the best cut of test itself (a posteriori)."


def _points(scope: Scope) -> str:
    said = "; ".join(
        f"{p.name}: p_target {p.p_target:g}, c_miss {p.c_miss:g}, c_fa {p.c_fa:g}"
        + ("" if p.normalised else ", not normalised")
        for p in scope.study.operating_points
    )
    return f"{said}."


def _place(scope: Scope, row: Row) -> tuple[int, int, str]:
    names = [point.name for point in scope.study.operating_points]
    return names.index(row["name"]), list(scope.results.models).index(row["model"]), row["threshold_source"]


def _cells(scope: Scope, row: Row) -> tuple[Cell, ...]:
    return (
        Cell(row["name"]),
        Cell(scope.names[row["model"]]),
        Cell(SOURCES[row["threshold_source"]]),
        _value(scope, row["actual"], row["status"]),
        _interval(row, "actual"),
        _value(scope, row["minimum"], row["status"]),
        _interval(row, "minimum"),
    )


def _value(scope: Scope, value: float | None, status: str | None) -> Cell:
    if value is None:
        return Cell(UNDEFINED, reason=reason(status, terms_of(scope)))
    return Cell(numbers.fixed(value, DECIMALS), value)


def _interval(row: Row, name: str) -> Cell:
    text = numbers.bracket(row[f"{name}_ci_low"], row[f"{name}_ci_high"], DECIMALS)
    return Cell(text, reason="no interval is computed for it" if text == UNDEFINED else "")
