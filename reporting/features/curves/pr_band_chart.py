"""Precision against recall, with limits at every recall and a band that holds for the whole curve."""

from __future__ import annotations

import math

import polars as pl

from reporting.document.blocks import Axis
from reporting.document.charts.axes import PERCENT
from reporting.document.charts.captions import by_model, empty_class, how_many, percent
from reporting.document.charts.chart_spec import ChartSpec
from reporting.document.charts.limits import shading, shading_in_words
from reporting.document.charts.picture import ByModel, CurvePicture, curve_rows, in_percent, models_chart
from reporting.document.frames.precision_bands import PRECISION_BANDS
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView

STEP = 20.0
"""The axis of precision begins at a multiple of this."""


def _draw(view: DatasetView, curves: ByModel) -> ChartSpec:
    bands = shading(view, curves, "recall")
    heights = [100 * rows["precision"].to_numpy() for rows in curves.values()]
    heights += [low for _, (_, low, _) in bands]
    low = STEP * math.floor(min(float(height.min()) for height in heights) / STEP)
    return models_chart(
        view,
        name="pr_band",
        x_axis=Axis(view.terms.title("recall"), 0.0, 100.0, PERCENT),
        y_axis=Axis(
            view.terms.title("precision"), low, 100.0, tuple(tick for tick in PERCENT if tick[0] >= low)
        ),
        lines=in_percent(curves, "recall", "precision"),
        bands=bands,
    )


def _caption(view: DatasetView, curves: ByModel) -> str:
    spoken = view.terms
    return (
        f"{spoken.precision} against {spoken.recall}, interpolated by counts between thresholds, from 1% to"
        f" 99% of {spoken.recall}.{shading_in_words(view, curves)}"
    )


def _at_four_fifths(view: DatasetView, curves: ByModel) -> str:
    spoken = view.terms
    texts = {
        model: percent(rows.filter(pl.col("recall") == 0.8)["precision"][0]) for model, rows in curves.items()
    }
    return f"{capitalised(spoken.precision)} at a {spoken.recall} of 80%: {by_model(view, texts)}."


PR_BAND = CurvePicture(
    cases=lambda view: list(filter(None, [curve_rows(view, PRECISION_BANDS, "recall", "precision")])),
    draw=_draw,
    caption=_caption,
    shows=lambda view, curves: f"Precision-recall curves of {how_many(curves)} on the test set",
    drawn=lambda view, curves: "Precision-recall curves with a band",
    number=_at_four_fifths,
    missing=lambda view: f"The precision-recall band {empty_class(view)}",
)
