"""The cost curve (Drummond and Holte, 2006): expected cost over the share of it that misses can make up."""

from __future__ import annotations

import numpy as np
import polars as pl

from reporting.charts.curve import Picture, Vertices, drawn
from reporting.charts.draw import Words
from reporting.charts.priors import MOST_THIN, asked_guides
from reporting.charts.rates import Chosen, chosen_points
from reporting.charts.ticks import PERCENT, nice_axis
from reporting.frames import ROC
from reporting.report.blocks import Axis, Figure, Series
from reporting.stats.staircase import FloatArray
from reporting.wording.view import View


def cost_figure(view: View, words: Words) -> Figure:
    """Draw the lower envelope of every model's cuts, and thin the line of its threshold chosen on dev."""
    found = envelopes(view)
    points = fixed_thresholds(view)
    most = max((float(y.max()) for _, y in found.values()), default=50.0)
    most = max([most, *(50 * (point.far + point.frr) for point in points)])
    y_axis = nice_axis("Normalised expected cost (%)", 0.0, min(50.0, 1.1 * most))
    named = 0.8 * min(y_axis.high, 50.0)
    rising = (0.0, named / 2, named, 50.0)
    guide = Series("without scores", "guide", 0, (*rising, 100.0), (*rising, 0.0))
    picture = Picture(
        name="cost",
        x_axis=Axis(view.terms.title("weight_of_misses"), 0.0, 100.0, PERCENT),
        y_axis=y_axis,
        lines=list(found.items()),
        guides=[guide, *_asked(view, y_axis)],
        thin=[
            (point.model, (np.array([0.0, 100.0]), 100 * np.array([point.far, point.frr])))
            for point in points
        ],
    )
    return drawn(view, picture, words)


def fixed_thresholds(view: View) -> list[Chosen]:
    """The thresholds chosen on dev whose straight lines are drawn: those of few enough models."""
    found = [point for point in chosen_points(view) if not point.oracle]
    return found if len(found) <= MOST_THIN else []


def _asked(view: View, y_axis: Axis) -> list[Series]:
    unit = Axis("", 0.0, 1.0, ())
    return [
        Series(one.label, one.kind, one.style, tuple(100 * x for x in one.x), one.y)
        for one in asked_guides(view, y_axis, unit, log_odds=False)
    ]


def envelopes(view: View) -> dict[str, Vertices]:
    """The least cost in percent by model, as the vertices of a polyline: it is straight in between."""
    found: dict[str, Vertices] = {}
    rows = view.part(view.results.frame(ROC)).filter(pl.col("split") == "test", pl.col("on_hull"))
    for model in view.results.models:
        one = rows.filter(pl.col("model") == model).sort("threshold")
        if len(one) and one["p_fa"].null_count() + one["p_miss"].null_count() == 0:
            x, y = envelope(one["p_fa"].to_numpy(), one["p_miss"].to_numpy())
            found[model] = (100 * x, 100 * y)
    return found


def envelope(far: FloatArray, frr: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return where the cheapest cut changes, w = dFAR / (dFAR + dFRR), and min w FRR + (1 - w) FAR there.

    Takes the vertices of the hull from accept all to reject all; both ends of the weight are put in.
    """
    fall, rise = far[:-1] - far[1:], frr[1:] - frr[:-1]
    weight = fall / (fall + rise)
    cost = weight * frr[:-1] + (1 - weight) * far[:-1]
    # From accept all on misses weigh less and less: the polyline runs the other way.
    x = np.concatenate(([0.0], weight[::-1], [1.0]))
    y = np.concatenate(([0.0], cost[::-1], [0.0]))
    return x, y
