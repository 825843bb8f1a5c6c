"""Precision gain over recall gain (Flach and Kull, 2015), where accepting all is the zero of either."""

from __future__ import annotations

import numpy as np

from reporting.charts.accepted import Taken, accepted_drawn
from reporting.charts.curve import Vertices
from reporting.charts.draw import Words
from reporting.charts.ticks import PERCENT
from reporting.report.blocks import Axis, Figure, Series
from reporting.wording.view import View

LEAST = -1.0
"""Gains fall without bound as fewer targets are accepted; a frame's width outside is far enough."""


def prg_figure(view: View, words: Words) -> Figure:
    """Draw precision gain over recall gain; straight between the corners, and 0 at the share of targets."""
    axes = Axis("Recall gain (%)", 0.0, 100.0, PERCENT), Axis("Precision gain (%)", 0.0, 100.0, PERCENT)
    guide = Series("F1 of accepting all", "guide", 0, (0.0, 20.0, 100.0), (100.0, 80.0, 0.0))
    return accepted_drawn(view, "prg", axes, gains, guide, words)


def gains(taken: Taken) -> Vertices:
    """Return 100 (1 - pi/(1 - pi) FN/TP) and 100 (1 - pi/(1 - pi) FP/TP), from the first target on.

    Both are straight in 1/TP between two corners, so that the curve is straight as well.
    """
    found = taken.hits > 0
    hits, alarms = taken.hits[found], taken.alarms[found]
    odds = taken.n_target / taken.n_nontarget
    recall_gain = 1 - odds * (taken.n_target - hits) / hits
    precision_gain = 1 - odds * alarms / hits
    seen = recall_gain >= LEAST
    return 100 * recall_gain[seen], 100 * np.maximum(precision_gain[seen], LEAST)
