"""How the bootstrap differences of two models are distributed, with the difference and its interval."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from reporting.charts.draw import Sketch, Words, figure
from reporting.charts.histogram import outline
from reporting.charts.ticks import nice_axis
from reporting.frames import DIFFERENCES
from reporting.frames.schemas import ComparisonRow
from reporting.measures.catalogue import read_measure
from reporting.report.blocks import Figure, Series
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


def difference_figure(view: View, row: ComparisonRow, number: int, words: Words, level: str) -> Figure:
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
        *_interval(row, scale, HEIGHT * top, level),
    ]
    name = view.called(f"difference_{number}")
    return figure(name, words, Sketch(series, series, x_axis, y_axis, frozenset()))


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
    """The bins of one comparison, ascending; none where all replicates are alike."""
    frame = view.results.frame(DIFFERENCES)
    if frame.is_empty() or row.difference is None:
        return pl.DataFrame()
    asked = [
        pl.col(name).eq_missing(pl.lit(getattr(row, name), pl.String))
        for name in ("measure", "criterion", "model", "baseline", "inference")
    ]
    rows = view.part(frame).filter(pl.col("split") == "test", *asked).sort("low")
    return rows.filter(pl.col("high") > pl.col("low"))
