"""The bootstrap differences in pictures: what lies behind an interval and a p."""

from __future__ import annotations

from reporting.charts.difference import MOST, bins, difference_figure
from reporting.charts.draw import Words
from reporting.frames.schemas import ComparisonRow
from reporting.report import numbers
from reporting.report.blocks import Block, Figure
from reporting.sections.figure_words import more_pairs, pairs_to_draw, the_test
from reporting.wording.oriented import contrast
from reporting.wording.phrases import (
    AFRESH,
    TUNED_SYSTEMS,
    drawn_units,
    interval_name,
    is_tuned,
    level_text,
    question,
)
from reporting.wording.view import View


def difference_figures(view: View) -> tuple[Block, ...]:
    """Return the histograms of the first pairs, and how many there are more."""
    made = [contrast(view, *pair) for pair in pairs_to_draw(view)]
    rows = [one.row for one in made if one is not None and len(bins(view, one.row))]
    figures = tuple(_figure(view, row, number) for number, row in enumerate(rows[:MOST], start=1))
    return (*figures, *more_pairs("Histograms of differences", view, len(rows), MOST))


def _figure(view: View, row: ComparisonRow, number: int) -> Figure:
    level = level_text(view.study.inference.level)
    return difference_figure(view, row, number, Words(_caption(view, row), _alt(view, row)), level)


def _caption(view: View, row: ComparisonRow) -> str:
    asked = view.study.primary
    what = question(asked.measure, asked.criterion, view.study)
    count = f"{numbers.count(row.replicates)} replicates" if row.replicates else "Replicates"
    drawn = f"{count}, {drawn_units(view, row.unit)} resampled{_how(row)}"
    said = f"{_pair(view, row)}: {what}, judged on {the_test(view)}. {drawn}."
    if row.ci_low is not None:
        said += f" Interval: {interval_name(row)}."
    return said


def _how(row: ComparisonRow) -> str:
    if row.inference == "procedure":
        return f", {AFRESH}"
    return f"; {TUNED_SYSTEMS}" if is_tuned(row) else ""


def _alt(view: View, row: ComparisonRow) -> str:
    printed = view.printing(view.study.primary.measure)
    rows = bins(view, row)
    low, high = (printed.value(rows[end][at]) for end, at in (("low", 0), ("high", -1)))
    said = (
        f"Histogram of the bootstrap differences {_pair(view, row)} in {len(rows)} bins from {low} to"
        f" {high}. Difference: {printed.difference_with_unit(row.difference or 0.0)}"
    )
    if row.ci_low is None:
        return f"{said}."
    outside = row.ci_low > 0 or (row.ci_high or 0.0) < 0
    zero = "leaves zero out" if outside else "holds zero"
    return f"{said}, interval {printed.interval(row.ci_low, row.ci_high)}, which {zero}."


def _pair(view: View, row: ComparisonRow) -> str:
    return f"{view.names[row.model]} − {view.names[row.baseline]}"
