"""The Tippett plot: the shares of targets and of non-targets whose score lies above each value."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.document.blocks import Axis, Series
from reporting.document.charts.axes import PERCENT, nice_axis
from reporting.document.charts.captions import by_model, empty_class, models
from reporting.document.charts.chart_spec import ChartSpec
from reporting.document.charts.picture import CurvePicture, models_chart
from reporting.document.charts.shares import shares_above
from reporting.document.numbers import significant
from reporting.document.words.phrases import listing
from reporting.document.words.view import DatasetView

SharesAbove = Mapping[str, tuple[FloatArray, FloatArray, FloatArray]]
"""Scores, and the percentages of targets and of non-targets at or above each of them, by model."""

TAIL = 0.1
"""So many percent of non-targets may be below the frame, and of targets above it."""
DIGITS = 3


def in_log10(view: DatasetView, shares: SharesAbove) -> SharesAbove:
    """Return the same over log10 LRs where all models have likelihood ratios, else unchanged."""
    factors = view.log10_factors
    return {model: (factors.get(model, 1.0) * x, above, other) for model, (x, above, other) in shares.items()}


def _draw(view: DatasetView, shares: SharesAbove) -> ChartSpec:
    """Draw two falling curves per model: the upper one for targets, the lower one for non-targets."""
    are_ratios = bool(view.log10_factors)
    shares = in_log10(view, shares)
    ends = [
        (
            view.sign(model) * float(x[nontargets > 100 - TAIL].max(initial=x[0])),
            view.sign(model) * float(x[targets < TAIL].min(initial=x[-1])),
        )
        for model, (x, targets, nontargets) in shares.items()
    ]
    title = "Log10 LR" if are_ratios else "Score"
    x_axis = nice_axis(title, min(map(min, ends)), max(map(max, ends)))
    guides = []
    if x_axis.low < 0 < x_axis.high and are_ratios:
        guides = [Series("LR = 1", "guide", 0, (0.0, 0.0, 0.0), (0.0, 98.0, 100.0))]
    lines = [(model, (view.sign(model) * x, y)) for model, (x, *ys) in shares.items() for y in ys]
    above = Axis(view.terms.title("above"), 0.0, 100.0, PERCENT)
    return models_chart(view, "tippett", x_axis, above, lines, guides)


def _halves(view: DatasetView, shares: SharesAbove) -> str:
    shares = in_log10(view, shares)
    middle = {
        model: f"{_half(view.sign(model), x, targets)} and {_half(view.sign(model), x, nontargets)}"
        for model, (x, targets, nontargets) in shares.items()
    }
    return (
        f"Half of the {view.terms.targets}, and half of the {view.terms.nontargets}, score above:"
        f" {by_model(view, middle)}."
    )


def _half(sign: int, x: FloatArray, share: FloatArray) -> str:
    """Return the score where a falling share passes a half."""
    return significant(sign * float(np.interp(-50.0, -share, x)), DIGITS)


def _caption(view: DatasetView, shares: SharesAbove) -> str:
    """Say which of two curves is which: below chance the targets have the one on the left."""
    sides: dict[str, list[str]] = {"right": [], "left": []}
    for model in (key for key in view.ranked if key in shares):
        x, targets, nontargets = shares[model]
        sides["right" if float(np.trapezoid(targets - nontargets, x)) >= 0 else "left"].append(model)
    what = f"the one on the {{}} is that of the {view.terms.targets}"
    scored = f"share of {view.terms.trials} that score above each value"
    text = f"{scored}. Of a model's two curves {what.format('right')}"
    if not sides["left"]:
        return f"{text}."
    names = listing(view.names[model] for model in sides["left"])
    if not sides["right"]:
        return f"{text.replace(what.format('right'), what.format('left'))}."
    return f"{text}, but for {names} the one on the left."


TIPPETT = CurvePicture(
    cases=lambda view: list(filter(None, [shares_above(view)])),
    draw=_draw,
    caption=_caption,
    shows=lambda view, shares: f"Tippett plot of {models(view)} on the test set",
    drawn=lambda view, shares: "Tippett plot",
    number=_halves,
    missing=lambda view: f"The Tippett plot {empty_class(view)[:-1]}, and scores that differ.",
)
