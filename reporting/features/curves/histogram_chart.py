"""How the scores of one model are distributed on test, class by class, with the development threshold."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl

from reporting.base.arrays import FloatArray
from reporting.core.measures.measure import Measure
from reporting.core.measures.threshold import FAR, FRR
from reporting.document import numbers
from reporting.document.blocks import Axis, Series
from reporting.document.charts.axes import FARTHEST, PERCENT, nice_axis, outline
from reporting.document.charts.captions import UNDECLARED
from reporting.document.charts.chart_spec import ChartSpec
from reporting.document.charts.picture import CurvePicture, rows_on_test
from reporting.document.frames.contract import Frame
from reporting.document.frames.histogram import HISTOGRAM as HISTOGRAM_FRAME
from reporting.document.frames.histogram import RISKS
from reporting.document.numbers import significant
from reporting.document.words.phrases import listing, threshold_phrase
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView

MOST = 6
"""So many models are shown, each in a picture of its own: their scales differ."""
CLASSES = (("nontargets", "n_nontarget", -2), ("targets", "n_target", -1))
DIGITS = 3
FEWEST = 8
"""The fewest bins drawn."""


def shown(view: DatasetView, frame: Frame[Any] = HISTOGRAM_FRAME) -> list[str]:
    """Return the models that have bins, the first few in the report's order."""
    return [model for model in view.results.models if len(bins(view, model, frame))][:MOST]


def bins(view: DatasetView, model: str, frame: Frame[Any] = HISTOGRAM_FRAME) -> pl.DataFrame:
    """Return the bins of a model on test, ascending; none where an axis could not hold them."""
    rows = rows_on_test(view, frame).filter(pl.col("model") == model).sort("low", "high")
    drawable = len(rows) and max(-rows["low"][0], rows["high"][-1]) <= FARTHEST
    return rows if drawable else rows.clear()


def joined(view: DatasetView, model: str, frame: Frame[Any] = HISTOGRAM_FRAME) -> pl.DataFrame:
    """Return the bins that are drawn: neighbours are joined until they are wide enough for the trials."""
    rows = bins(view, model, frame)
    if len(rows) < 2:
        return rows
    width = rows["high"][0] - rows["low"][0]
    wanted = min(_usual_width(rows, column) for _, column, _ in CLASSES) / width
    sizes = [n for n in range(1, max(1, len(rows) // FEWEST) + 1) if len(rows) % n == 0]
    size = next((n for n in sizes if n >= wanted), sizes[-1])
    group = pl.int_range(pl.len()) // size
    return rows.group_by(group.alias("group"), maintain_order=True).agg(
        low=pl.col("low").first(),
        high=pl.col("high").last(),
        n_target=pl.col("n_target").sum(),
        n_nontarget=pl.col("n_nontarget").sum(),
    )


def _usual_width(rows: pl.DataFrame, column: str) -> float:
    """Return the width of bins for one class, 2 IQR / cube root of n (Freedman and Diaconis, 1981)."""
    n = float(rows[column].sum())
    if not n:
        return math.inf
    below = np.concatenate([[0.0], np.cumsum(rows[column].to_numpy())]) / n
    edges = np.append(rows["low"].to_numpy(), rows["high"].to_numpy()[-1:])
    quarter, three_quarters = np.interp([0.25, 0.75], below, edges)
    return float(2 * (three_quarters - quarter) / np.cbrt(n))


def threshold(view: DatasetView, model: str) -> float | None:
    """Return the primary criterion's development threshold where it is finite."""
    chosen = [criterion for criterion, is_oracle in view.point_criteria() if not is_oracle]
    row = view.operating_point(model, chosen[0]) if chosen else None
    if row is None or row.threshold is None or not math.isfinite(row.threshold):
        return None
    return float(row.threshold)


def _draw(view: DatasetView, model: str) -> ChartSpec:
    rows = joined(view, model)
    edges = _edges(rows)
    if edges[0] == edges[-1]:
        edges = edges + np.array([-0.5, 0.5])
    x_axis = nice_axis("Score", float(edges[0]), float(edges[-1]))
    return _shares(view, "histogram", model, edges, x_axis, threshold(view, model))


def _edges(rows: pl.DataFrame) -> FloatArray:
    return np.append(rows["low"].to_numpy(), rows["high"].to_numpy()[-1:])


def _shares(
    view: DatasetView,
    name: str,
    model: str,
    edges: FloatArray,
    x_axis: Axis,
    at: float | None,
    frame: Frame[Any] = HISTOGRAM_FRAME,
) -> ChartSpec:
    """Draw the share of each class between edges; ``at`` is where a threshold is.

    All models have the same shares on their axes.
    """
    classes = [(view.terms.legend(name), column, style) for name, column, style in CLASSES]
    every = {each: joined(view, each, frame) for each in shown(view, frame)}
    heights = {label: _percent(every[model][column].to_numpy()) for label, column, _ in classes}
    most = max(
        float(_percent(rows[column].to_numpy()).max()) for rows in every.values() for _, column, _ in classes
    )
    y_axis = nice_axis("Share of the class in each bin (%)", 0.0, most or 100.0)
    outlines = [(label, style, *outline(edges, heights[label])) for label, _, style in classes]
    top = y_axis.high
    inside = at is not None and x_axis.low <= at <= x_axis.high
    series = [
        *(
            [Series("threshold", "guide", 0, (at,) * 3, (0.0, 0.98 * top, top))]
            if at is not None and inside
            else []
        ),
        *(Series(label, "band", style, x, (0.0,) * len(x), y) for label, style, x, y in outlines),
        *(Series(label, "line", style, x, y) for label, style, x, y in outlines),
    ]
    number = view.results.models.index(model) + 1
    return ChartSpec(view.unique_name(f"{name}_m{number}"), x_axis, y_axis, series)


def _percent(count: FloatArray) -> FloatArray:
    total = count.sum()
    return 100.0 * count / total if total else np.zeros(len(count))


def _caption(view: DatasetView, model: str) -> str:
    line, criterion = "", view.point_criterion
    if threshold(view, model) is not None and criterion is not None:
        chosen = threshold_phrase(criterion, view.study).replace("thresholds", "threshold")
        line = f" Vertical line: {chosen}."
    return f"{len(joined(view, model))} equal bins, each class scaled to 100%.{line}"


def _finding(view: DatasetView, model: str) -> str:
    """Return what the threshold makes of the two distributions, or nothing."""
    criterion = view.point_criterion
    far, frr = view.rates_at(model, criterion) if criterion is not None else (None, None)
    if threshold(view, model) is None or far is None or frr is None:
        return ""
    rates = f"{view.terms.far} is {_rate(view, FAR, far)} and {view.terms.frr} {_rate(view, FRR, frr)}"
    return f"{view.names[model]}: at its threshold {rates}"


def _rate(view: DatasetView, measure: Measure, value: float) -> str:
    return view.printing(measure).value_with_unit(value)


def _shows(view: DatasetView, model: str) -> str:
    rows = bins(view, model)
    low, high = significant(rows["low"][0], DIGITS), significant(rows["high"][-1], DIGITS)
    trials = f"{_trials(view, rows)} from {low} to {high}"
    return f"Score distribution of {view.names[model]} on the test set: {trials}"


def _trials(view: DatasetView, rows: pl.DataFrame) -> str:
    spoken = view.terms
    n_target, n_nontarget = int(rows["n_target"].sum()), int(rows["n_nontarget"].sum())
    return f"{spoken.counted('target', n_target)} and {spoken.counted('nontarget', n_nontarget)}"


def _more(view: DatasetView, what: str = "Histograms", frame: Frame[Any] = HISTOGRAM_FRAME) -> str:
    left = sum(len(bins(view, model, frame)) > 0 for model in view.results.models) - len(shown(view, frame))
    return f"{what} of {left} more models are left out; the first {MOST} are drawn." if left else ""


HISTOGRAM = CurvePicture(
    cases=shown,
    draw=_draw,
    caption=_caption,
    shows=_shows,
    number=lambda view, model: (
        "" if (at := threshold(view, model)) is None else f"Chosen threshold: {significant(at, DIGITS)}."
    ),
    missing=lambda view: "A histogram needs finite scores on test.",
    drawn=lambda view, model: f"Score distribution of {view.names[model]}",
    finding=_finding,
    more=_more,
)


def _draw_risks(view: DatasetView, model: str) -> ChartSpec:
    edges = 100 * _edges(joined(view, model, RISKS))
    axis = Axis("Predicted probability (%)", 0.0, 100.0, PERCENT)
    return _shares(view, "risk_distribution", model, edges, axis, None, RISKS)


def _medians(view: DatasetView, model: str) -> dict[str, float]:
    """Return the median probability of each class that has trials, to the middle of its bin."""
    rows, middles = bins(view, model, RISKS), {}
    for name, column, _ in CLASSES:
        up_to = rows[column].cum_sum().to_numpy()
        at = int(np.searchsorted(2 * up_to, up_to[-1]))
        if up_to[-1]:
            middles[name] = float(rows["low"][at] + rows["high"][at]) / 2
    return middles


def _medians_in_words(view: DatasetView, model: str) -> str:
    medians, called = (
        _medians(view, model),
        {"targets": view.terms.targets, "nontargets": view.terms.nontargets},
    )
    texts = [f"{numbers.percent(medians[name], 0)}% for {called[name]}" for name in called if name in medians]
    return f"median predicted probability: about {listing(texts)}" if texts else ""


RISK_DISTRIBUTION = CurvePicture(
    cases=lambda view: shown(view, RISKS),
    draw=_draw_risks,
    caption=lambda view, model: (
        f"predicted probabilities by outcome, in {len(joined(view, model, RISKS))} equal bins, each class"
        " scaled to 100%."
    ),
    shows=lambda view, model: (
        f"Predicted probabilities of {view.names[model]} by outcome on the test set:"
        f" {_trials(view, bins(view, model, RISKS))}"
    ),
    finding=lambda view, model: (
        f"{view.names[model]}: {_medians_in_words(view, model)}"
        if len(_medians(view, model)) == len(CLASSES)
        else ""
    ),
    number=lambda view, model: f"{capitalised(text)}." if (text := _medians_in_words(view, model)) else "",
    missing=lambda view: f"The distribution of predicted probabilities {UNDECLARED}",
    drawn=lambda view, model: f"Predicted probabilities of {view.names[model]} by outcome",
    more=lambda view: _more(view, "Distributions", RISKS),
)
