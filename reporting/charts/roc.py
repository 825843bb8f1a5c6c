"""The ROC: hit rate over false acceptance rate, in percent, on a square."""

from __future__ import annotations

from reporting.charts.curve import Drawing, rates_drawn
from reporting.charts.draw import Words
from reporting.charts.scope import Scope
from reporting.report.blocks import Axis, Figure, Series
from reporting.stats.staircase import FloatArray

TICKS = tuple((float(tick), str(tick)) for tick in range(0, 101, 20))
CHANCE = Series("chance", "guide", 0, (0.0, 60.0, 100.0), (0.0, 60.0, 100.0))


def roc_figure(scope: Scope, words: Words) -> Figure:
    """Draw the ROC curves of all models on test, with their chosen points."""
    drawing = Drawing(
        name="roc",
        x_axis=Axis("False acceptance rate (%)", 0.0, 100.0, TICKS),
        y_axis=Axis("Hit rate, 1 − FRR (%)", 0.0, 100.0, TICKS),
        x_of=_percent,
        y_of=_hits,
        guide=CHANCE,
        rings=False,
    )
    return rates_drawn(scope, drawing, words)


def _percent(far: FloatArray) -> FloatArray:
    return 100 * far


def _hits(frr: FloatArray) -> FloatArray:
    return 100 * (1 - frr)
