"""The bootstrap differences in pictures: what lies behind an interval and a p."""

from __future__ import annotations

from reporting.charts.difference import MOST, bins, difference_figure
from reporting.charts.draw import Words
from reporting.charts.scope import Row, Scope
from reporting.report import numbers
from reporting.report.blocks import Block, Figure
from reporting.sections.contrast import contrast
from reporting.sections.figure_words import more_pairs, pairs_to_draw, the_test
from reporting.sections.printing import printing
from reporting.sections.wording import (
    AFRESH,
    TUNED_SYSTEMS,
    drawn_units,
    interval_name,
    is_tuned,
    level_text,
    question,
)


def difference_figures(scope: Scope) -> tuple[Block, ...]:
    """Return the histograms of the first pairs, and how many there are more."""
    made = [contrast(scope, *pair) for pair in pairs_to_draw(scope)]
    rows = [one.row for one in made if one is not None and len(bins(scope, one.row))]
    figures = tuple(_figure(scope, row, number) for number, row in enumerate(rows[:MOST], start=1))
    return (*figures, *more_pairs("Histograms of differences", scope, len(rows), MOST))


def _figure(scope: Scope, row: Row, number: int) -> Figure:
    level = level_text(scope.study.inference.level)
    return difference_figure(scope, row, number, Words(_caption(scope, row), _alt(scope, row)), level)


def _caption(scope: Scope, row: Row) -> str:
    asked = scope.study.primary
    what = question(asked.measure, asked.criterion, scope.study)
    count = f"{numbers.count(row['replicates'])} replicates" if row["replicates"] else "Replicates"
    drawn = f"{count}, {drawn_units(scope, row)} resampled{_how(row)}"
    said = f"{_pair(scope, row)}: {what}, judged on {the_test(scope)}. {drawn}."
    if row["ci_low"] is not None:
        said += f" Interval: {interval_name(row)}."
    return said


def _how(row: Row) -> str:
    if row["inference"] == "procedure":
        return f", {AFRESH}"
    return f"; {TUNED_SYSTEMS}" if is_tuned(row) else ""


def _alt(scope: Scope, row: Row) -> str:
    printed = printing(scope, scope.study.primary.measure)
    rows = bins(scope, row)
    low, high = (printed.value(rows[end][at]) for end, at in (("low", 0), ("high", -1)))
    said = (
        f"Histogram of the bootstrap differences {_pair(scope, row)} in {len(rows)} bins from {low} to"
        f" {high}. Difference: {printed.difference_with_unit(row['difference'])}"
    )
    if row["ci_low"] is None:
        return f"{said}."
    outside = row["ci_low"] > 0 or row["ci_high"] < 0
    zero = "leaves zero out" if outside else "holds zero"
    return f"{said}, interval {printed.interval(row['ci_low'], row['ci_high'])}, which {zero}."


def _pair(scope: Scope, row: Row) -> str:
    return f"{scope.names[row['model']]} − {scope.names[row['baseline']]}"
