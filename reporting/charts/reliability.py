"""The reliability diagram: how often targets occur where they are said to, with what probability."""

from __future__ import annotations

import polars as pl

from reporting.charts.curve import Picture, drawn
from reporting.charts.draw import Words
from reporting.charts.ticks import PERCENT
from reporting.frames import RELIABILITY
from reporting.report.blocks import Axis, Figure, Series
from reporting.wording.view import View

STATED = Axis("Stated probability, mean of the bin (%)", 0.0, 100.0, PERCENT)
CALIBRATED = Series("calibrated", "guide", 0, (0.0, 86.0, 100.0), (0.0, 86.0, 100.0))
MOST_BANDS = 3
"""With more models the intervals cannot be told apart."""


def reliability_figure(view: View, words: Words) -> Figure:
    """Draw observed over stated probabilities, bin by bin, with Wilson intervals for a few models."""
    found = reliabilities(view)
    columns = ("mean_probability", "observed", "ci_low", "ci_high")
    rates = {model: [100 * one[name].to_numpy() for name in columns] for model, one in found.items()}
    curves = [(model, (x, y)) for model, (x, y, _, _) in rates.items()]
    bands = [(model, (x, low, high)) for model, (x, _, low, high) in rates.items()]
    picture = Picture(
        name="reliability",
        x_axis=STATED,
        y_axis=Axis(view.terms.title("observed_share"), 0.0, 100.0, PERCENT),
        lines=curves,
        guides=[CALIBRATED],
        bands=bands if len(bands) <= MOST_BANDS else (),
        points=curves,
    )
    return drawn(view, picture, words)


def reliabilities(view: View) -> dict[str, pl.DataFrame]:
    """The bins on test by model, of those that declare probabilities."""
    if view.results.frame(RELIABILITY).is_empty():
        return {}
    rows = view.part(view.results.frame(RELIABILITY)).filter(pl.col("split") == "test").sort("low")
    by_model = {model: rows.filter(pl.col("model") == model) for model in view.results.models}
    return {model: one for model, one in by_model.items() if len(one)}
