"""The picture ``predictive_value``: precision against prevalence, at the thresholds that were chosen."""

from __future__ import annotations

import numpy as np

from near_threshold import prevalence_threshold
from reporting.base.arrays import FloatArray
from reporting.core.stats.rates import ratio
from reporting.document.blocks import Axis
from reporting.document.charts.axes import PERCENT
from reporting.document.charts.captions import by_model, models, percent
from reporting.document.charts.chart_spec import ChartSpec
from reporting.document.charts.picture import CurvePicture, Tooltips, models_chart, printed
from reporting.document.charts.rates import ChosenPoint, chosen_points
from reporting.document.words.phrases import threshold_phrase
from reporting.document.words.view import DatasetView

PREVALENCE = np.linspace(0.0, 1.0, 201) ** 2
"""Denser where targets are rare, because the curves are steep there."""


def precision_at(prevalence: FloatArray, point: ChosenPoint) -> FloatArray:
    """Return p TPR / (p TPR + (1 - p) FPR); without false alarms it is 1 at any prevalence."""
    accepted_targets = prevalence * (1.0 - point.frr)
    precision = ratio(accepted_targets, accepted_targets + (1.0 - prevalence) * point.far)
    return np.nan_to_num(precision, nan=1.0)


def threshold_of(point: ChosenPoint) -> FloatArray:
    """Return the prevalence threshold of a point, shape (1,)."""
    return prevalence_threshold([point.frr], [point.far], 1, 1)


def _points(view: DatasetView) -> list[ChosenPoint]:
    """Return the chosen points of models that accept any trial."""
    return [point for point in chosen_points(view) if not point.oracle and (point.far, point.frr) != (0, 1)]


def _draw(view: DatasetView, points: list[ChosenPoint]) -> ChartSpec:
    return models_chart(
        view,
        name="predictive_value",
        x_axis=Axis("Prevalence (%)", 0.0, 100.0, PERCENT),
        y_axis=Axis(view.terms.title("precision"), 0.0, 100.0, PERCENT),
        lines=[_place(point, PREVALENCE) for point in points],
        points=[_place(point, threshold_of(point)) for point in points],
        tooltips=[_tooltips(view, point) for point in points],
    )


def _place(point: ChosenPoint, prevalence: FloatArray) -> tuple[str, tuple[FloatArray, FloatArray]]:
    return point.model, (100 * prevalence, 100 * precision_at(prevalence, point))


def _tooltips(view: DatasetView, point: ChosenPoint) -> Tooltips:
    model, (x, y) = _place(point, PREVALENCE[::4])
    texts = {"Prevalence (%)": printed(x), view.terms.title("precision"): printed(y)}
    return Tooltips(model, x, y, texts)


def _caption(view: DatasetView, points: list[ChosenPoint]) -> str:
    thresholds = threshold_phrase(points[0].criterion, view.study)
    return f"{view.terms.precision} against prevalence, with {thresholds}. Dots: prevalence threshold."


def _number(view: DatasetView, points: list[ChosenPoint]) -> str:
    thresholds = {point.model: percent(float(threshold_of(point)[0])) for point in points}
    return f"Prevalence threshold: {by_model(view, thresholds)}."


PREDICTIVE_VALUE = CurvePicture(
    cases=lambda view: list(filter(None, [_points(view)])),
    draw=_draw,
    caption=_caption,
    shows=lambda view, points: f"Predictive value of {models(view)} on the test set",
    number=_number,
    drawn=lambda view, points: "Predictive value curves",
    missing=lambda view: "The predictive value curve needs a threshold at which some trial is accepted.",
)
