"""The optimal log likelihood ratio over the score: what every stretch of the scale is worth on test."""

from __future__ import annotations

import numpy as np
import polars as pl

from reporting.charts.curve import Picture, Vertices, drawn
from reporting.charts.draw import Words
from reporting.charts.ticks import FARTHEST, nice_axis
from reporting.frames import ROC
from reporting.report.blocks import Figure, Series
from reporting.wording.view import View

PAD = 0.15
"""Room above and below the finite steps, as a share of their range: infinite ones leave the frame."""


def llr_figure(view: View, words: Words) -> Figure:
    """Draw the steps of all models, with the identity where scores are said to be likelihood ratios."""
    steps = optimal_llrs(view)
    scores = np.concatenate([x for x, _ in steps.values()])
    finite = np.concatenate([y[np.isfinite(y)] for _, y in steps.values()])
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (-1.0, 1.0)
    pad = PAD * max(high - low, 1.0)
    x_axis = nice_axis("Score", float(scores.min()), float(scores.max()))
    y_axis = nice_axis("Optimal log likelihood ratio", low - pad, high + pad)
    outside = y_axis.high - y_axis.low
    guides = []
    if any(view.study.scale_of(model) == "llr" for model in steps):
        ends = max(x_axis.low, y_axis.low), min(x_axis.high, y_axis.high)
        if ends[0] < ends[1]:
            line = (ends[0], ends[0] + 0.03 * (ends[1] - ends[0]), ends[1])
            guides = [Series("score = LLR", "guide", 0, line, line)]
    lines = [
        (model, (x, np.clip(y, y_axis.low - outside, y_axis.high + outside)))
        for model, (x, y) in steps.items()
    ]
    return drawn(view, Picture("llr", x_axis, y_axis, lines, guides), words)


def optimal_llrs(view: View) -> dict[str, Vertices]:
    """Corners of the steps by model: scores between two vertices of the hull share one likelihood ratio.

    Infinite where trials of one class alone lie below, or above; models whose hull has no finite
    threshold are left out.
    """
    found: dict[str, Vertices] = {}
    rows = view.part(view.results.frame(ROC)).filter(pl.col("split") == "test", pl.col("on_hull"))
    finite = view.part(view.results.frame(ROC)).filter(
        pl.col("split") == "test", pl.col("threshold").is_finite()
    )
    for model in view.results.models:
        one = rows.filter(pl.col("model") == model).sort("threshold")
        ratios = one["llr"][:-1]
        inner = one["threshold"].to_numpy()[1:-1]
        if len(ratios) < 2 or ratios.null_count() or not np.isfinite(inner).all():
            continue
        reach = finite.filter(pl.col("model") == model)["threshold"].to_numpy()
        reach, inner = (np.clip(values, -FARTHEST, FARTHEST) for values in (reach, inner))
        span = max(float(reach.max() - reach.min()), 1.0)
        ends = (min(reach.min(), inner[0] - 0.02 * span), max(reach.max(), inner[-1] + 0.02 * span))
        x = np.concatenate((ends[:1], np.repeat(inner, 2), ends[1:]))
        found[model] = (x, np.repeat(ratios.to_numpy(), 2))
    return found
