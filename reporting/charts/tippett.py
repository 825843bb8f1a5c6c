"""The Tippett plot: the shares of targets and of non-targets whose score lies above each value."""

from __future__ import annotations

import numpy as np
import polars as pl

from reporting.charts.curve import Picture, drawn
from reporting.charts.draw import Words
from reporting.charts.ticks import FARTHEST, PERCENT, nice_axis
from reporting.frames import HISTOGRAM, ROC
from reporting.report.blocks import Axis, Figure, Series
from reporting.stats.staircase import FloatArray
from reporting.wording.view import View

ABOVE = Axis("Share of trials above (%)", 0.0, 100.0, PERCENT)
TAIL = 0.1
"""So many percent of non-targets may lie below the frame, and of targets above it."""


def tippett_figure(view: View, words: Words) -> Figure:
    """Draw two falling curves per model: the upper one for targets, the lower one for non-targets."""
    found = shares_above(view)
    x_axis = _scores(view, found)
    guides = []
    if x_axis.low < 0 < x_axis.high and _ratios(view):
        guides = [Series("LLR = 0", "guide", 0, (0.0, 0.0, 0.0), (0.0, 98.0, 100.0))]
    lines = [(model, (x, y)) for model, (x, *ys) in found.items() for y in ys]
    return drawn(view, Picture("tippett", x_axis, ABOVE, lines, guides), words)


def shares_above(view: View) -> dict[str, tuple[FloatArray, FloatArray, FloatArray]]:
    """Scores, and the percentages of targets and of non-targets at or above each of them, by model.

    Exact at the thresholds of the ``roc`` frame and at the inner edges of the ``histogram`` frame;
    straight between them.
    """
    found = {}
    for model in view.results.models:
        known = pl.concat([_at_corners(view, model), _at_edges(view, model)])
        known = known.filter(pl.col("score").is_finite()).unique()
        known = known.sort("score", "targets", "nontargets", descending=[False, True, True])
        x, targets, nontargets = (known[name].to_numpy() for name in known.columns)
        if len(known) > 1 and np.isfinite([targets, nontargets]).all():
            found[model] = (np.clip(x, -FARTHEST, FARTHEST), 100 * targets, 100 * nontargets)
    return found


def _at_corners(view: View, model: str) -> pl.DataFrame:
    rows = view.part(view.results.frame(ROC)).filter(pl.col("split") == "test", pl.col("model") == model)
    return rows.select(score="threshold", targets=1 - pl.col("p_miss"), nontargets="p_fa")


def _at_edges(view: View, model: str) -> pl.DataFrame:
    nothing = pl.DataFrame(schema=dict.fromkeys(("score", "targets", "nontargets"), pl.Float64()))
    if view.results.frame(HISTOGRAM).is_empty():
        return nothing
    rows = view.part(view.results.frame(HISTOGRAM)).filter(
        pl.col("split") == "test", pl.col("model") == model
    )
    above = [pl.col(name).cum_sum(reverse=True) / pl.col(name).sum() for name in ("n_target", "n_nontarget")]
    # The first edge has the infinite scores of its bin below it: its share is not known.
    return rows.sort("low").select(score="low", targets=above[0], nontargets=above[1])[1:]


def _scores(view: View, found: dict[str, tuple[FloatArray, FloatArray, FloatArray]]) -> Axis:
    title = "Log likelihood ratio" if _ratios(view) else "Score"
    low = min(float(x[nontargets > 100 - TAIL].max(initial=x[0])) for x, _, nontargets in found.values())
    high = max(float(x[targets < TAIL].min(initial=x[-1])) for x, targets, _ in found.values())
    return nice_axis(title, low, high)


def _ratios(view: View) -> bool:
    return all(view.study.scale_of(model) == "llr" for model in view.results.models)
