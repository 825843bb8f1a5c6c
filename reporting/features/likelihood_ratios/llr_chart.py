"""The optimal log-likelihood ratio against the score: what each part of the scale is worth on test."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import polars as pl

from reporting.document.blocks import Series
from reporting.document.charts.axes import FARTHEST, nice_axis
from reporting.document.charts.captions import by_model, models
from reporting.document.charts.chart_spec import ChartSpec, Vertices
from reporting.document.charts.picture import CurvePicture, models_chart, per_model, rows_on_test
from reporting.document.charts.rates import from_accept_all
from reporting.document.frames.roc import ROC
from reporting.document.numbers import significant
from reporting.document.words.view import DatasetView

Steps = Mapping[str, Vertices]
"""The corners of the steps by model."""

PAD = 0.15
"""Room above and below the finite steps, as a share of their range: infinite ones leave the frame."""
DIGITS = 3


def optimal_llrs(view: DatasetView) -> dict[str, Vertices]:
    """Corners of the steps by model: scores between two vertices of the hull share one likelihood ratio.

    Infinite where trials of one class alone lie below, or above; models whose hull has no finite
    threshold are left out.
    """
    steps: dict[str, Vertices] = {}
    rows = rows_on_test(view, ROC)
    finite = per_model(view, rows.filter(pl.col("threshold").is_finite()))
    for model, hull in per_model(view, from_accept_all(rows.filter(pl.col("on_hull")))).items():
        ratios, sign = hull["llr"][:-1], view.sign(model)
        inner = sign * hull["threshold"].to_numpy()[1:-1]
        if len(ratios) < 2 or ratios.null_count() or not np.isfinite(inner).all():
            continue
        reach = sign * finite[model]["threshold"].to_numpy()
        reach, inner = (np.clip(values, -FARTHEST, FARTHEST) for values in (reach, inner))
        span = max(float(reach.max() - reach.min()), 1.0)
        ends = (min(reach.min(), inner[0] - 0.02 * span), max(reach.max(), inner[-1] + 0.02 * span))
        x = np.concatenate((ends[:1], np.repeat(inner, 2), ends[1:]))
        steps[model] = (sign * x, np.repeat(ratios.to_numpy(), 2))
    return steps


def _draw(view: DatasetView, steps: Steps) -> ChartSpec:
    """Draw the steps of all models in log10 LRs, with the identity where scores are likelihood ratios."""
    factors = view.log10_factors
    steps = {model: (factors.get(model, 1.0) * x, y / math.log(10)) for model, (x, y) in steps.items()}
    scores = np.concatenate([x for x, _ in steps.values()])
    finite = np.concatenate([y[np.isfinite(y)] for _, y in steps.values()])
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (-1.0, 1.0)
    pad = PAD * max(high - low, 1.0)
    x_axis = nice_axis("Log10 LR" if factors else "Score", float(scores.min()), float(scores.max()))
    y_axis = nice_axis("Optimal log10 LR", low - pad, high + pad)
    outside = y_axis.high - y_axis.low
    guides = []
    if factors:
        ends = max(x_axis.low, y_axis.low), min(x_axis.high, y_axis.high)
        if ends[0] < ends[1]:
            line = (ends[0], ends[0] + 0.03 * (ends[1] - ends[0]), ends[1])
            guides = [Series("LR = optimal LR", "guide", 0, line, line)]
    lines = [
        (model, (x, np.clip(y, y_axis.low - outside, y_axis.high + outside)))
        for model, (x, y) in steps.items()
    ]
    return models_chart(view, "llr", x_axis, y_axis, lines, guides)


def _zeros(view: DatasetView, steps: Steps) -> str:
    zeros = {
        model: significant(float(x[np.argmax(y >= 0)]), DIGITS)
        for model, (x, y) in steps.items()
        if y[-1] >= 0
    }
    if not zeros:
        return ""
    return f"They favour the {view.terms.target} from this score on: {by_model(view, zeros)}."


LLR = CurvePicture(
    cases=lambda view: list(filter(None, [optimal_llrs(view)])),
    draw=_draw,
    caption=lambda view, steps: (
        "optimal log10 likelihood ratio of each score (isotonic regression on the test set). Steps leaving"
        " the frame are infinite: only one class has such scores."
    ),
    shows=lambda view, steps: (
        f"Optimal log-likelihood ratios of {models(view)} against their scores on the test set"
    ),
    number=_zeros,
    drawn=lambda view, steps: "Optimal log-likelihood ratios against scores",
    missing=lambda view: "The optimal likelihood ratios need a hull with at least two edges on test.",
)
