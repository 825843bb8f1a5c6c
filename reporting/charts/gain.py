"""Gain and lift: what comes of working through the trials from the highest score down."""

from __future__ import annotations

from reporting.charts.accepted import Taken, accepted_drawn, corners, filled
from reporting.charts.curve import Vertices
from reporting.charts.draw import Words
from reporting.charts.ticks import PERCENT, nice_axis
from reporting.report.blocks import Axis, Figure, Series
from reporting.wording.view import View

SHARE = Axis("Share of trials accepted (%)", 0.0, 100.0, PERCENT)


def gain_figure(view: View, words: Words) -> Figure:
    """Draw the share of targets found over the share of trials accepted."""
    axes = SHARE, Axis(view.terms.title("found"), 0.0, 100.0, PERCENT)
    guide = Series("at random", "guide", 0, (0.0, 60.0, 100.0), (0.0, 60.0, 100.0))
    return accepted_drawn(view, "gain", axes, _gain, guide, words)


def lift_figure(view: View, words: Words) -> Figure:
    """Draw how many times more targets are found than by accepting as many trials at random."""
    most = max((_lift(filled(one))[1].max() for one in corners(view).values()), default=1.0)
    axes = SHARE, nice_axis(view.terms.title("lift"), 0.0, max(1.2, float(most)))
    guide = Series("at random", "guide", 0, (0.0, 2.0, 100.0), (1.0, 1.0, 1.0))
    return accepted_drawn(view, "lift", axes, _lift, guide, words)


def _gain(taken: Taken) -> Vertices:
    return 100 * taken.share, 100 * taken.recall


def _lift(taken: Taken) -> Vertices:
    return 100 * taken.share, taken.precision / taken.prevalence
