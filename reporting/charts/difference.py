"""How the bootstrap differences of two models are distributed: what lies behind an interval and a p."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from reporting.charts.axes import nice_axis, outline
from reporting.charts.captions import more_pairs, pairs_to_draw, the_test
from reporting.charts.picture import Sketch, Words, figure, rows_on_test
from reporting.frames import DIFFERENCES, ComparisonRow
from reporting.measures.catalogue import read_measure
from reporting.report import numbers
from reporting.report.blocks import Block, Figure, Series
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

MOST = 4
"""So many differences have a picture."""

REPLICATES, ZERO = 5, 0
"""Styles of the bars and of the line at zero; the interval is in a colour of its own."""
INTERVAL = 6
AIR = 0.04
"""Space on either side, as a share of what is drawn: the line at zero never lies on the frame."""
HEIGHT = 0.07
"""Where the interval lies, as a share of the height."""


def difference_figures(view: View) -> tuple[Block, ...]:
    """Return the histograms of the first pairs, and how many there are more."""
    contrasts = [contrast(view, *pair) for pair in pairs_to_draw(view)]
    rows = [pair.row for pair in contrasts if pair is not None and len(bins(view, pair.row))]
    figures = tuple(difference_figure(view, row, number) for number, row in enumerate(rows[:MOST], start=1))
    return (*figures, *more_pairs("Histograms of differences", view, len(rows), MOST))


def difference_figure(view: View, row: ComparisonRow, number: int) -> Figure:
    """Draw the share of replicates by difference, for one row of ``comparisons``."""
    measure = read_measure(row.measure)
    percent = measure.printed_in == "percent"
    scale = 100.0 if percent else 1.0
    rows = bins(view, row)
    edges = scale * np.append(rows["low"].to_numpy(), rows["high"].to_numpy()[-1:])
    count = rows["count"].to_numpy()
    heights = 100.0 * count / count.sum()
    ends = [0.0, *(scale * end for end in (row.difference, row.ci_low, row.ci_high) if end is not None)]
    title = f"Difference in {view.terms.measure(measure)} on test{' (points)' if percent else ''}"
    low, high = min(*ends, float(edges[0])), max(*ends, float(edges[-1]))
    air = AIR * (high - low)
    x_axis = nice_axis(title, low - air, high + air)
    y_axis = nice_axis("Share of replicates in each bin (%)", 0.0, float(heights.max()))
    top = y_axis.high
    x, y = outline(edges, heights)
    series = [
        Series("no difference", "guide", ZERO, (0.0, 0.0, 0.0), (0.0, 0.98 * top, top)),
        Series("replicates", "band", REPLICATES, x, (0.0,) * len(x), y),
        Series("replicates", "line", REPLICATES, x, y),
        *_interval(row, scale, HEIGHT * top, level_text(view.study.inference.level)),
    ]
    sketch = Sketch(view.called(f"difference_{number}"), series, series, x_axis, y_axis)
    return figure(sketch, Words(_caption(view, row), _alt(view, row)))


def _interval(row: ComparisonRow, scale: float, height: float, level: str) -> Sequence[Series]:
    at = scale * (row.difference or 0.0)
    if row.ci_low is None or row.ci_high is None:
        return [Series("difference", "points", INTERVAL, (at,), (height,))]
    name = f"difference, {level} interval"
    low, high = scale * row.ci_low, scale * row.ci_high
    cap = 0.35 * height
    path = [(low, -cap), (low, cap), (low, 0.0), (high, 0.0), (high, -cap), (high, cap)]
    x, y = zip(*((place, height + off) for place, off in path), strict=True)
    return [Series(name, "line", INTERVAL, x, y), Series(name, "points", INTERVAL, (at,), (height,))]


def bins(view: View, row: ComparisonRow) -> pl.DataFrame:
    """Return the bins of one comparison, ascending; none where all replicates are alike."""
    comparison = [
        pl.col(name).eq_missing(pl.lit(getattr(row, name), pl.String))
        for name in ("measure", "criterion", "model", "baseline", "inference")
    ]
    rows = rows_on_test(view, DIFFERENCES).filter(*comparison).sort("low")
    return rows.filter(pl.col("high") > pl.col("low")) if row.difference is not None else rows.clear()


def _caption(view: View, row: ComparisonRow) -> str:
    primary = view.study.primary
    what = question(primary.measure, primary.criterion, view.study)
    count = f"{numbers.count(row.replicates)} replicates" if row.replicates else "Replicates"
    drawn = f"{count}, {drawn_units(view, row.unit)} resampled{_how(row)}"
    interval = f" Interval: {interval_name(row)}." if row.ci_low is not None else ""
    return f"{_pair(view, row)}: {what}, judged on {the_test(view)}. {drawn}.{interval}"


def _how(row: ComparisonRow) -> str:
    if row.inference == "procedure":
        return f", {AFRESH}"
    return f"; {TUNED_SYSTEMS}" if is_tuned(row) else ""


def _alt(view: View, row: ComparisonRow) -> str:
    printed = view.printing(view.study.primary.measure)
    rows = bins(view, row)
    low, high = (printed.value(rows[end][at]) for end, at in (("low", 0), ("high", -1)))
    alt = (
        f"Histogram of the bootstrap differences {_pair(view, row)} in {len(rows)} bins from {low} to"
        f" {high}. Difference: {printed.difference_with_unit(row.difference or 0.0)}"
    )
    if row.ci_low is None:
        return f"{alt}."
    outside = row.ci_low > 0 or (row.ci_high or 0.0) < 0
    zero = "leaves zero out" if outside else "holds zero"
    return f"{alt}, interval {printed.interval(row.ci_low, row.ci_high)}, which {zero}."


def _pair(view: View, row: ComparisonRow) -> str:
    return f"{view.names[row.model]} − {view.names[row.baseline]}"
