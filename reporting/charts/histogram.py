"""How the scores of one model are distributed on test, class by class, with the threshold chosen on dev."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from reporting.charts.curve import places
from reporting.charts.draw import Sketch, Words, figure
from reporting.charts.ticks import FARTHEST, nice_axis
from reporting.frames import HISTOGRAM
from reporting.report.blocks import Figure, Series
from reporting.stats.staircase import FloatArray
from reporting.wording.view import View

MOST = 6
"""So many models are shown, each in a picture of its own: their scales differ."""

CLASSES = (("nontargets", "n_nontarget", 6), ("targets", "n_target", 5))


def histogram_figure(view: View, model: str, words: Words) -> Figure:
    """Draw the share of each class by score."""
    rows = bins(view, model)
    edges = np.append(rows["low"].to_numpy(), rows["high"].to_numpy()[-1:])
    if edges[0] == edges[-1]:
        edges = edges + np.array([-0.5, 0.5])
    classes = [(view.terms.legend(name), column, style) for name, column, style in CLASSES]
    heights = {label: _percent(rows[column].to_numpy()) for label, column, _ in classes}
    x_axis = nice_axis("Score", float(edges[0]), float(edges[-1]))
    most = max((float(height.max()) for height in heights.values()), default=100.0)
    y_axis = nice_axis("Share of the class in each bin (%)", 0.0, most or 100.0)
    outlines = [(label, style, *outline(edges, heights[label])) for label, _, style in classes]
    series = [
        *_threshold(view, model, x_axis.low, x_axis.high, y_axis.high),
        *(Series(label, "band", style, x, (0.0,) * len(x), y) for label, style, x, y in outlines),
        *(Series(label, "line", style, x, y) for label, style, x, y in outlines),
    ]
    number = view.results.models.index(model) + 1
    name = view.called(f"histogram_m{number}")
    return figure(name, words, Sketch(series, series, x_axis, y_axis, frozenset()))


def shown(view: View) -> list[str]:
    """The models that have a histogram, the first few in the report's order."""
    return [model for model in view.results.models if len(bins(view, model))][:MOST]


def bins(view: View, model: str) -> pl.DataFrame:
    """The bins of a model on test, ascending; none where an axis could not hold them."""
    if view.results.frame(HISTOGRAM).is_empty():
        return pl.DataFrame()
    rows = view.part(view.results.frame(HISTOGRAM)).filter(
        pl.col("split") == "test", pl.col("model") == model
    )
    rows = rows.sort("low", "high")
    drawable = len(rows) and max(-rows["low"][0], rows["high"][-1]) <= FARTHEST
    return rows if drawable else rows.clear()


def threshold(view: View, model: str) -> float | None:
    """The primary criterion's finite threshold chosen on dev."""
    chosen = [criterion for criterion, is_oracle in view.point_criteria() if not is_oracle]
    row = view.operating_point(model, chosen[0]) if chosen else None
    if row is None or row.threshold is None or not math.isfinite(row.threshold):
        return None
    return float(row.threshold)


def _percent(count: FloatArray) -> FloatArray:
    total = count.sum()
    return 100.0 * count / total if total else np.zeros(len(count))


def outline(edges: FloatArray, heights: FloatArray) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the corners of the bars' upper edge; neighbours of one height lose the corners between them."""
    x, y = np.repeat(edges, 2), np.concatenate(([0.0], np.repeat(heights, 2), [0.0]))
    keep = np.ones(len(x), dtype=bool)
    keep[1:-1] = (y[1:-1] != y[:-2]) | (y[1:-1] != y[2:])
    return tuple(float(v) for v in x[keep]), places(y[keep])


def _threshold(view: View, model: str, low: float, high: float, top: float) -> list[Series]:
    at = threshold(view, model)
    if at is None or not low <= at <= high:
        return []
    return [Series("threshold", "guide", 0, (at, at, at), (0.0, 0.98 * top, top))]
