"""The ROC in percent: hit rate over false acceptance on a square, errors alone, or a logarithmic axis."""

from __future__ import annotations

import math

import numpy as np

from reporting.charts.curve import places
from reporting.charts.draw import Words
from reporting.charts.rates import Drawing, Transform, rates_drawn
from reporting.charts.ticks import PERCENT
from reporting.report.blocks import Axis, Figure, Series
from reporting.stats.staircase import FloatArray
from reporting.wording.terms import DETECTION
from reporting.wording.view import View

HITS = Axis(DETECTION.title("hits"), 0.0, 100.0, PERCENT)
CHANCE = Series("chance", "guide", 0, (0.0, 60.0, 100.0), (0.0, 60.0, 100.0))
FALLING_CHANCE = Series("chance", "guide", 0, (0.0, 40.0, 100.0), (100.0, 60.0, 0.0))
MOST_DECADES = 7
"""The logarithmic axis reaches at most this far below 100 %."""


def roc_figure(view: View, words: Words) -> Figure:
    """Draw the ROC curves of all models on test, with their chosen points."""
    return rates_drawn(view, roc_drawing(view, "roc"), words)


def roc_drawing(view: View, name: str) -> Drawing:
    """Return the axes of the ROC."""
    return Drawing(name, false_acceptance(view), hits(view), percent, _hits, CHANCE, rings=False)


def false_acceptance(view: View) -> Axis:
    """Return the axis of false acceptance."""
    return Axis(view.terms.title("far"), 0.0, 100.0, PERCENT)


def hits(view: View) -> Axis:
    """Return the axis of the hit rate."""
    return Axis(view.terms.title("hits"), 0.0, 100.0, PERCENT)


def error_roc_figure(view: View, words: Words) -> Figure:
    """Draw false rejection over false acceptance: the ROC upside down, the origin perfect."""
    misses = Axis(view.terms.title("frr"), 0.0, 100.0, PERCENT)
    drawing = Drawing(
        "roc_error", false_acceptance(view), misses, percent, percent, FALLING_CHANCE, rings=False
    )
    return rates_drawn(view, drawing, words)


def log_roc_figure(view: View, words: Words) -> Figure:
    """Draw hit rate over the logarithm of false acceptance, down to what the non-targets resolve."""
    low = 2.0 - decades(view)
    ticks = tuple((float(k), f"{10.0**k:.10g}") for k in range(int(low), 3))
    far = Axis(view.terms.title("far"), low, 2.0, ticks)
    return rates_drawn(
        view,
        Drawing("roc_log", far, hits(view), _logarithm(low), _hits, _log_chance(low), rings=False),
        words,
    )


def decades(view: View) -> int:
    """Return how many powers of ten below 100 % a single false acceptance lies, at least 2."""
    most = view.most_nontargets or 100
    return min(MOST_DECADES, max(2, math.ceil(math.log10(most))))


def _log_chance(low: float) -> Series:
    named = 1.5
    at = np.concatenate((np.linspace(low, named, 100), np.linspace(named, 2.0, 101)))
    return Series("chance", "guide", 0, places(at), places(10.0**at))


def percent(rate: FloatArray) -> FloatArray:
    """Return a rate in percent."""
    return 100 * rate


def _logarithm(low: float) -> Transform:
    """A rate of 0 lies a decade beyond the frame."""
    return lambda far: np.log10(np.maximum(100 * far, 10.0 ** (low - 1)))


def _hits(frr: FloatArray) -> FloatArray:
    return 100 * (1 - frr)
