"""Detection costs at the operating points: actual ones beside the least possible."""

from __future__ import annotations

from reporting.frames.results import Results
from reporting.report import numbers
from reporting.report.blocks import UNDEFINED, Block, Cell, Column, Section, Table
from reporting.wording.phrases import level_text, reason
from reporting.wording.terms import terms_of
from reporting.wording.view import Row, View, per_view

DECIMALS = 3
SOURCES = {"dev": "chosen on dev", "bayes": "Bayes threshold", "cv": "chosen across folds"}


def costs(results: Results) -> Section | None:
    """Return one table for each dataset; nothing without operating points."""
    return per_view("Detection costs", "costs", results, _blocks)


def _blocks(view: View) -> tuple[Block, ...]:
    if view.results.dcf is None:
        return ()
    rows = [row for row in view.part(view.results.dcf).to_dicts() if row["split"] == "test"]
    if not rows:
        return ()
    interval = Column(f"{level_text(view.study.inference.level)} interval", "interval")
    return (
        Table(
            name=view.called("costs"),
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
            rows=tuple(_cells(view, row) for row in sorted(rows, key=lambda row: _place(view, row))),
            notes=(_points(view), MINIMUM),
        ),
    )


MINIMUM = "The minimum is read at the best cut of test itself (a posteriori)."


def _points(view: View) -> str:
    said = "; ".join(
        f"{p.name}: p_target {p.p_target:g}, c_miss {p.c_miss:g}, c_fa {p.c_fa:g}"
        + ("" if p.normalised else ", not normalised")
        for p in view.study.operating_points
    )
    return f"{said}."


def _place(view: View, row: Row) -> tuple[int, int, str]:
    names = [point.name for point in view.study.operating_points]
    return names.index(row["name"]), list(view.results.models).index(row["model"]), row["threshold_source"]


def _cells(view: View, row: Row) -> tuple[Cell, ...]:
    return (
        Cell(row["name"]),
        Cell(view.names[row["model"]]),
        Cell(SOURCES[row["threshold_source"]]),
        _value(view, row["actual"], row["status"]),
        _interval(row, "actual"),
        _value(view, row["minimum"], row["status"]),
        _interval(row, "minimum"),
    )


def _value(view: View, value: float | None, status: str | None) -> Cell:
    if value is None:
        return Cell(UNDEFINED, reason=reason(status, terms_of(view)))
    return Cell(numbers.fixed(value, DECIMALS), value)


def _interval(row: Row, name: str) -> Cell:
    text = numbers.bracket(row[f"{name}_ci_low"], row[f"{name}_ci_high"], DECIMALS)
    return Cell(text, reason="no interval is computed for it" if text == UNDEFINED else "")
