"""Detection costs at the operating points: actual ones beside the least possible."""

from __future__ import annotations

from reporting.frames import DCF, DcfRow, Results
from reporting.report.blocks import Block, Section
from reporting.sections.catalogue import SECTIONS
from reporting.wording.tables import TableOf
from reporting.wording.view import View, views

SOURCES = {"dev": "chosen on dev", "bayes": "Bayes threshold", "cv": "chosen across folds"}
MINIMUM = "The minimum is read at the best cut of test itself (a posteriori)."


def costs(results: Results) -> Section | None:
    """Return one table for each dataset; nothing without operating points."""
    return SECTIONS["costs"].per_view(views(results), _blocks)


def _blocks(view: View) -> tuple[Block, ...]:
    names, models = [point.name for point in view.study.operating_points], view.results.models
    rows = view.rows(DCF, "test")
    if not rows:
        return ()
    table = TableOf[DcfRow](view)
    return (
        table.build(
            "costs",
            "Detection costs on test at the operating points, over that of deciding without scores.",
            sorted(
                rows, key=lambda row: (names.index(row.name), models.index(row.model), row.threshold_source)
            ),
            (
                table.text("operating point", lambda row: row.name),
                table.model(lambda row: row.model),
                table.text("threshold", lambda row: SOURCES[row.threshold_source]),
                table.number("actual DCF", lambda row: row.actual, 3, sense="lower is better"),
                table.interval(lambda row: (row.actual_ci_low, row.actual_ci_high), 3),
                table.number("minimum DCF", lambda row: row.minimum, 3, sense="lower is better"),
                table.interval(lambda row: (row.minimum_ci_low, row.minimum_ci_high), 3),
            ),
            (_points(view), MINIMUM),
        ),
    )


def _points(view: View) -> str:
    points = "; ".join(
        f"{point.name}: p_target {point.p_target:g}, c_miss {point.c_miss:g}, c_fa {point.c_fa:g}"
        + ("" if point.normalised else ", not normalised")
        for point in view.study.operating_points
    )
    return f"{points}."
