"""The smooth calibration curve: observed frequencies against predicted probabilities, with a band."""

from __future__ import annotations

from reporting.core.measures.catalogue import MEASURES
from reporting.document.blocks import Axis
from reporting.document.charts.axes import PERCENT
from reporting.document.charts.captions import how_many
from reporting.document.charts.chart_spec import ChartSpec
from reporting.document.charts.limits import shading, shading_in_words
from reporting.document.charts.picture import ByModel, CurvePicture, curve_rows, in_percent, models_chart
from reporting.document.words.view import DatasetView
from reporting.features.calibration_and_benefit.calibration_frame import CALIBRATION as CALIBRATION_FRAME
from reporting.features.calibration_and_benefit.probabilities_chart import (
    CALIBRATED,
    largest_gaps,
    why_undrawn,
    without_probabilities,
)

STATED = Axis("Predicted probability (%)", 0.0, 100.0, PERCENT)
ICI = MEASURES["ici"]


def _draw(view: DatasetView, curves: ByModel) -> ChartSpec:
    return models_chart(
        view,
        name="calibration",
        x_axis=STATED,
        y_axis=Axis(view.terms.title("observed_share"), 0.0, 100.0, PERCENT),
        lines=in_percent(curves, "probability", "frequency"),
        guides=[CALIBRATED],
        bands=shading(view, curves, "probability"),
    )


def _caption(view: DatasetView, curves: ByModel) -> str:
    return (
        f"observed frequency of {view.terms.targets} against predicted probability, by local regression"
        f" (loess, span 0.75).{shading_in_words(view, curves)}{without_probabilities(view, curves)}"
    )


def _lowest_ici(view: DatasetView, curves: ByModel) -> str:
    """Return which model has the lowest ICI, where the report has it and one is lower as it is printed."""
    rows = {key: view.metric(key, ICI, None) for key in view.ranked}
    values = {key: row.value for key, row in rows.items() if row is not None and row.value is not None}
    printed = {key: view.printing(ICI).value(value) for key, value in values.items()}
    if len(values) < max(2, len(curves)):
        return ""
    first = min(values, key=values.__getitem__)
    if list(printed.values()).count(printed[first]) > 1:
        return ""
    return f"{view.names[first]} has the lowest observed integrated calibration index, {printed[first]}"


# Austin and Steyerberg (2014).
CALIBRATION = CurvePicture(
    cases=lambda view: list(filter(None, [curve_rows(view, CALIBRATION_FRAME, "probability", "frequency")])),
    draw=_draw,
    caption=_caption,
    shows=lambda view, curves: f"Smooth calibration curves of {how_many(curves)} on the test set",
    drawn=lambda view, curves: "Smooth calibration curves",
    finding=_lowest_ici,
    number=lambda view, curves: largest_gaps(view, curves, "frequency", "probability"),
    missing=lambda view: f"The calibration curve {why_undrawn(view, CALIBRATION_FRAME)}",
)
