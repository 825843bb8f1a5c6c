"""The decision curve: the net benefit of acting on stated probabilities (Vickers and Elkin, 2006)."""

from __future__ import annotations

import polars as pl

from reporting.charts.curve import Picture, drawn, places
from reporting.charts.draw import Words
from reporting.charts.ticks import PERCENT, nice_axis
from reporting.frames import DECISION
from reporting.report.blocks import Axis, Figure, Series
from reporting.wording.view import View

THRESHOLD = Axis("Threshold probability (%)", 0.0, 100.0, PERCENT)
BELOW = 0.1
"""The frame reaches this share of the highest benefit below zero; what does worse leaves it."""


def decision_figure(view: View, words: Words) -> Figure:
    """Draw net benefit over the threshold probability, with those of acting on all and on nobody."""
    found = net_benefits(view)
    columns = (one[name].to_numpy() for one in found.values() for name in ("net_benefit", "treat_all"))
    high = max(float(column.max()) for column in columns)
    y_axis = nice_axis(view.terms.title("net_benefit"), -100 * BELOW * high, 100 * high)
    some = next(iter(found.values()))
    everybody = some.filter(100 * pl.col("treat_all") >= 2 * y_axis.low)
    guides = [
        Series(
            "act on all",
            "guide",
            0,
            places(100 * everybody["probability"].to_numpy()),
            places(100 * everybody["treat_all"].to_numpy()),
        ),
        Series("act on nobody", "guide", 0, (0.0, 2.0, 100.0), (0.0, 0.0, 0.0)),
    ]
    lines = [
        (model, (100 * one["probability"].to_numpy(), 100 * one["net_benefit"].to_numpy()))
        for model, one in found.items()
    ]
    return drawn(view, Picture("decision", THRESHOLD, y_axis, lines, guides), words)


def net_benefits(view: View) -> dict[str, pl.DataFrame]:
    """The decision curves on test by model, of those that declare probabilities."""
    if view.results.frame(DECISION).is_empty():
        return {}
    rows = view.part(view.results.frame(DECISION)).filter(pl.col("split") == "test").drop_nulls("net_benefit")
    by_model = {model: rows.filter(pl.col("model") == model) for model in view.results.models}
    return {model: one.sort("probability") for model, one in by_model.items() if len(one)}
