"""The ROC of one model coloured by threshold: which scores stand behind which errors."""

from __future__ import annotations

import numpy as np
import polars as pl

from reporting.charts.curve import Picture, drawn, places
from reporting.charts.decimate import PAGE_PIXELS, reduce
from reporting.charts.draw import Shades, Words
from reporting.charts.histogram import bins
from reporting.charts.rates import curves_told
from reporting.charts.roc import CHANCE, roc_drawing
from reporting.charts.tippett import shares_above
from reporting.frames import ROC
from reporting.report.blocks import Figure
from reporting.report.numbers import significant
from reporting.wording.view import View

STEPS = 128
"""Colours along the whole curve."""


def threshold_roc_figure(view: View, model: str, words: Words) -> Figure:
    """Draw one model's ROC with the quantile of the threshold as colour, blue-violet low and yellow high.

    Thresholds are ranked by the share of trials they reject: equal steps of colour are equal numbers of
    trials, whatever the scale.
    """
    rows = coloured(view, model)
    rejected = rows["rejected"].to_numpy()
    x, y = 100 * rows["p_fa"].to_numpy(), 100 - 100 * rows["p_miss"].to_numpy()
    # Between two corners the counts run straight: so does the colour.
    steps = np.arange(STEPS + 1) / STEPS
    at = np.union1d(rejected, steps)
    along, up = np.interp(at, rejected, x), np.interp(at, rejected, y)
    drawing = roc_drawing(view, "roc_threshold")
    axes = drawing.x_axis, drawing.y_axis
    # Where the curve runs straight, the steps of the colour are corners enough.
    kept = np.union1d(reduce(along, (up,), *axes, PAGE_PIXELS), np.searchsorted(at, steps))
    shades = Shades(
        "Threshold",
        places(along[kept]),
        places(up[kept]),
        places((at[kept][1:] + at[kept][:-1]) / 2),
        tuple(significant(value, 3) for value in quartiles(view, model)),
    )
    told = [one for one in curves_told(view, drawing) if one.model == model]
    lines = [(model, (x, y))]
    picture = Picture(drawing.name, *axes, lines, [CHANCE], shades=shades, told=told)
    return drawn(view, picture, words)


def coloured(view: View, model: str) -> pl.DataFrame:
    """The corners of a model on test with the share of trials each threshold rejects.

    None of them where a class is empty, or where there are not two finite thresholds to tell apart.
    """
    rows = view.part(view.results.frame(ROC)).filter(pl.col("split") == "test", pl.col("model") == model)
    trials = pl.col("misses").max() + pl.col("false_alarms").max()
    rejected = (pl.col("misses") + pl.col("false_alarms").max() - pl.col("false_alarms")) / trials
    drawable = (
        rows["threshold"].is_finite().sum() > 1
        and not rows["p_miss", "p_fa"].null_count().sum_horizontal()[0]
    )
    return rows.sort("threshold").with_columns(rejected=rejected) if drawable else rows.clear()


def quartiles(view: View, model: str) -> tuple[float, ...]:
    """The least finite score, the quartiles of all trials, and the greatest, as far as the frames tell."""
    score, targets, nontargets = shares_above(view)[model]
    rows = coloured(view, model)
    n_target, n_nontarget = (float(rows[name].to_numpy().max()) for name in ("misses", "false_alarms"))
    accepted = (n_target * targets + n_nontarget * nontargets) / (n_target + n_nontarget)
    inner = np.interp((0.25, 0.5, 0.75), 1 - accepted / 100, score)
    edges = bins(view, model)
    low, high = (edges["low"][0], edges["high"][-1]) if len(edges) else (score[0], score[-1])
    return (float(low), *inner.tolist(), float(high))
