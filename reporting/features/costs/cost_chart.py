"""The cost curve (Drummond and Holte, 2006): expected cost over the share of it that misses can make up."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from reporting.base.arrays import FloatArray
from reporting.document.blocks import Axis, Series
from reporting.document.charts.axes import PERCENT, nice_axis
from reporting.document.charts.captions import by_model, empty_class, models, percent
from reporting.document.charts.chart_spec import ChartSpec, Vertices
from reporting.document.charts.picture import CurvePicture, models_chart, per_model, rows_on_test
from reporting.document.charts.priors import MOST_THIN, asked_guides, asked_in_words
from reporting.document.charts.rates import ChosenPoint, chosen_points, from_accept_all
from reporting.document.frames.roc import ROC
from reporting.document.words.phrases import threshold_phrase
from reporting.document.words.view import DatasetView

Envelopes = Mapping[str, Vertices]


def _draw(view: DatasetView, envelopes: Envelopes) -> ChartSpec:
    """Draw the lower envelope of every model's thresholds, and a thin line for its development threshold."""
    points = fixed_thresholds(view)
    most = max((float(y.max()) for _, y in envelopes.values()), default=50.0)
    most = max([most, *(50 * (point.far + point.frr) for point in points)])
    y_axis = nice_axis("Normalised expected cost (%)", 0.0, min(50.0, 1.1 * most))
    named = 0.8 * min(y_axis.high, 50.0)
    rising = (0.0, named / 2, named, 50.0)
    guide = Series("ignoring the scores", "guide", 0, (*rising, 100.0), (*rising, 0.0))
    unit = Axis("", 0.0, 1.0, ())
    points_asked = [
        Series(line.label, line.kind, line.style, tuple(100 * x for x in line.x), line.y)
        for line in asked_guides(view, y_axis, unit, log_odds=False)
    ]
    return models_chart(
        view,
        name="cost",
        x_axis=Axis(view.terms.title("weight_of_misses"), 0.0, 100.0, PERCENT),
        y_axis=y_axis,
        lines=list(envelopes.items()),
        guides=[guide, *points_asked],
        thin=[
            (point.model, (np.array([0.0, 100.0]), 100 * np.array([point.far, point.frr])))
            for point in points
        ],
    )


def fixed_thresholds(view: DatasetView) -> list[ChosenPoint]:
    """Return the development thresholds whose straight lines are drawn: those of few enough models."""
    points = [point for point in chosen_points(view) if not point.oracle]
    return points if len(points) <= MOST_THIN else []


def cost_envelopes(view: DatasetView) -> dict[str, Vertices]:
    """Return the least cost in percent by model, as the vertices of a polyline: it is straight in between."""
    envelopes: dict[str, Vertices] = {}
    for model, hull in per_model(view, rows_on_test(view, ROC).filter(pl.col("on_hull"))).items():
        if hull["p_fa"].null_count() + hull["p_miss"].null_count() == 0:
            rows = from_accept_all(hull)
            x, y = envelope(rows["p_fa"].to_numpy(), rows["p_miss"].to_numpy())
            envelopes[model] = (100 * x, 100 * y)
    return envelopes


def envelope(far: FloatArray, frr: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return where the cheapest threshold changes, w = dFAR / (dFAR + dFRR), and min w FRR + (1 - w) FAR.

    Takes the vertices of the hull from accept all to reject all; both ends of the weight are put in.
    """
    fall, rise = far[:-1] - far[1:], frr[1:] - frr[:-1]
    weight = fall / (fall + rise)
    cost = weight * frr[:-1] + (1 - weight) * far[:-1]
    # From accept all on misses weigh less and less: the polyline runs the other way.
    x = np.concatenate(([0.0], weight[::-1], [1.0]))
    y = np.concatenate(([0.0], cost[::-1], [0.0]))
    return x, y


def _caption(view: DatasetView) -> str:
    thin, criterion = "", view.point_criterion
    if fixed_thresholds(view) and criterion is not None:
        thin = f" Dashed lines: {threshold_phrase(criterion, view.study)}."
    return (
        f"normalised expected cost over the weight of {view.terms.misses}, at the best threshold of the"
        f" test set for"
        f" each weight ({view.terms.hindsight}).{thin}{asked_in_words(view)}"
    )


COST = CurvePicture(
    cases=lambda view: list(filter(None, [cost_envelopes(view)])),
    draw=_draw,
    caption=lambda view, envelopes: _caption(view),
    shows=lambda view, envelopes: f"Cost curves of {models(view)} on test",
    number=lambda view, envelopes: (
        "Highest least cost: "
        f"{by_model(view, {model: percent(float(y.max()) / 100) for model, (_, y) in envelopes.items()})}."
    ),
    drawn=lambda view, envelopes: "Cost curves",
    missing=lambda view: f"The cost curve {empty_class(view)}",
)
