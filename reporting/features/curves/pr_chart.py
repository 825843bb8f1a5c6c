"""Precision, the false discovery rate and F1 against recall, and precision gain against recall gain."""

from __future__ import annotations

import math

import numpy as np

from reporting.document.blocks import Axis, Series
from reporting.document.charts.axes import PERCENT
from reporting.document.charts.captions import percent
from reporting.document.charts.chart_spec import Vertices
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView
from reporting.features.curves import accepted_chart

STEP = 20.0
LEAST = -1.0
"""Gains fall without bound as fewer targets are accepted; a frame's width outside is far enough."""


def _level(label: str, level: float) -> Series:
    return Series(label, "guide", 0, (0.0, 2.0, 100.0), (level,) * 3)


def _against_recall(view: DatasetView, title_of_y: str) -> tuple[Axis, Axis]:
    return Axis(view.terms.title("recall"), 0.0, 100.0, PERCENT), Axis(title_of_y, 0.0, 100.0, PERCENT)


def _precision_axis(view: DatasetView, corners: accepted_chart.Corners) -> Axis:
    """Return the axis of precision, from the round number below all that is drawn."""
    least = min((100 * float(accepted.precision.min()) for accepted in corners.values()), default=0.0)
    low = STEP * math.floor(min(least, 100 * accepted_chart.prevalence(corners)) / STEP)
    ticks = tuple(tick for tick in PERCENT if tick[0] >= low)
    return Axis(view.terms.title("precision"), low, 100.0, ticks)


def _precision_at(accepted: accepted_chart.AcceptedTrials, recall: float) -> float:
    return float(accepted_chart.reached(accepted, true_positives=recall * accepted.n_target).precision[0])


def _f1_of_all(corners: accepted_chart.Corners, scale: float = 1) -> float:
    share = accepted_chart.prevalence(corners)
    return scale * 2 * share / (1 + share)


# Curved between the corners, above the share of targets.
PR = accepted_chart.accepted_curve(
    key="pr",
    name="precision-recall curve",
    axes=lambda view, corners: (_against_recall(view, "")[0], _precision_axis(view, corners)),
    coordinates=lambda accepted: (100 * accepted.recall, 100 * accepted.precision),
    guide=lambda view, corners: _level(view.terms.legend("share"), 100 * accepted_chart.prevalence(corners)),
    caption=lambda spoken, corners: (
        f"{spoken.precision} against {spoken.recall}, interpolated by counts between thresholds. Dashed:"
        f" {spoken.share}, {percent(accepted_chart.prevalence(corners))}."
    ),
    finding=accepted_chart.along_recall(lambda spoken: f"highest observed {spoken.precision}"),
    at=lambda spoken: f"{capitalised(spoken.precision)} at a {spoken.recall} of 90%",
    number=lambda accepted: percent(_precision_at(accepted, 0.9)),
)

# The share of non-targets among the accepted.
FDR = accepted_chart.accepted_curve(
    key="fdr",
    name="false discovery curve",
    axes=lambda view, corners: _against_recall(view, view.terms.title("false_discovery")),
    coordinates=lambda accepted: (100 * accepted.recall, 100 - 100 * accepted.precision),
    guide=lambda view, corners: _level(
        view.terms.legend("nontarget_share"), 100 - 100 * accepted_chart.prevalence(corners)
    ),
    caption=lambda spoken, corners: (
        f"share of {spoken.nontargets} among the accepted {spoken.trials} against {spoken.recall}. Dashed:"
        f" accepting all, {percent(1 - accepted_chart.prevalence(corners))}."
    ),
    finding=accepted_chart.along_recall(lambda spoken: "lowest observed false discovery rate"),
    at=lambda spoken: f"False discovery rate at a {spoken.recall} of 90%",
    number=lambda accepted: percent(1 - _precision_at(accepted, 0.9)),
)

F1 = accepted_chart.accepted_curve(
    key="f1",
    name="F1 curve",
    axes=lambda view, corners: _against_recall(view, "F1 (%)"),
    coordinates=lambda accepted: (100 * accepted.recall, 100 * accepted.f1),
    guide=lambda view, corners: _level("accept all", _f1_of_all(corners, 100)),
    caption=lambda spoken, corners: (
        f"F1 against {spoken.recall}, interpolated by counts between thresholds. Dashed: F1 of accepting all,"
        f" {percent(_f1_of_all(corners))}."
    ),
    finding=accepted_chart.along_recall(lambda spoken: "highest observed F1"),
    at=lambda spoken: "Best F1",
    number=lambda accepted: percent(float(accepted.f1.max())),
)


def gains(accepted: accepted_chart.AcceptedTrials) -> Vertices:
    """Return 100 (1 - pi/(1 - pi) FN/TP) and 100 (1 - pi/(1 - pi) FP/TP), from the first target on.

    Both are straight in 1/TP between two corners, so that the curve is straight as well.
    """
    has_hits = accepted.hits > 0
    hits, alarms = accepted.hits[has_hits], accepted.alarms[has_hits]
    odds = accepted.n_target / accepted.n_nontarget
    recall_gain = 1 - odds * (accepted.n_target - hits) / hits
    precision_gain = 1 - odds * alarms / hits
    seen = recall_gain >= LEAST
    return 100 * recall_gain[seen], 100 * np.maximum(precision_gain[seen], LEAST)


def _precision_gain_at_half(accepted: accepted_chart.AcceptedTrials) -> str:
    """Recall gain is 1/2 where FN/TP is half the odds against the target."""
    hits = accepted.n_target / (1 + 0.5 * accepted.n_nontarget / accepted.n_target)
    _, precision_gain = gains(accepted_chart.reached(accepted, true_positives=hits))
    return percent(float(precision_gain[0]) / 100)


# Flach and Kull (2015): accepting all is the zero of either axis; straight between the corners.
PRG = accepted_chart.accepted_curve(
    key="prg",
    name="precision-recall-gain curve",
    axes=lambda view, corners: (
        Axis("Recall gain (%)", 0.0, 100.0, PERCENT),
        Axis("Precision gain (%)", 0.0, 100.0, PERCENT),
    ),
    coordinates=gains,
    guide=lambda view, corners: Series(
        "F1 of accepting all", "guide", 0, (0.0, 20.0, 100.0), (100.0, 80.0, 0.0)
    ),
    caption=lambda spoken, corners: (
        f"precision gain against recall gain. 0 on either axis is the {spoken.share},"
        f" {percent(accepted_chart.prevalence(corners))}. Dashed: F1 of accepting all."
    ),
    at=lambda spoken: "Precision gain at a recall gain of 50%",
    number=_precision_gain_at_half,
)
