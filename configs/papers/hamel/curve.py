"""Drawing the curve: the points that a grid of thresholds loses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from configs.papers.hamel.plane import CHANCE, FPR_AXIS, TPR_AXIS
from configs.papers.hamel.read import CLAIMS, Corners, corners, fixed
from configs.papers.paper import Claim
from reporting.base.arrays import FloatArray
from reporting.core.stats.sweep import auc
from reporting.document import Cell, Column, Figure, Prose, Section, Table, numbers
from reporting.document.charts.chart_spec import ChartSpec, Mark
from reporting.document.charts.picture import Words, render
from reporting.document.charts.shares import shares_above
from reporting.document.words.view import DatasetView
from reporting.features.curves.histogram_chart import bins

STEP = 0.01
PROBABILITIES = ("llr", "logit", "probability")
"""Scales of scores that are probabilities, or become some at even odds."""

MOST_DRAWN = 2


Known = tuple[FloatArray, FloatArray, FloatArray]
"""Ascending scores, and the true and the false positive rate of accepting from each of them on."""


class Drawn(NamedTuple):
    """What the algorithm draws: its points, the corners of the curve, and how many it can meet."""

    fpr: FloatArray
    tpr: FloatArray
    corners: int
    within_reach: int
    area: float
    auc: float

    @property
    def ends(self) -> tuple[bool, bool]:
        """Whether it reaches (0, 0), and (1, 1)."""
        return bool(self.fpr[0] == 0 == self.tpr[0]), bool(self.fpr[-1] == 1 == self.tpr[-1])


def grid_thresholds() -> FloatArray:
    """The thresholds of the paper's loop: from 1 down by .01 while they are at least 0, as doubles add up."""
    found, threshold = [], 1.0
    while threshold >= 0:
        found.append(threshold)
        threshold -= STEP
    return np.array(found)


def drawn_by_grid(found: Corners, known: Known, scale: str) -> Drawn:
    """Return what the loop draws of a curve, and the area under that line of it.

    ``known`` are scores with the rates at them; between two of them trials are taken to come evenly.
    """
    thresholds = grid_thresholds()
    score, tpr, fpr = known
    at, inner = _probability(score, scale), _probability(found.threshold[1:-1], scale)
    x, y = _rate(thresholds, at, fpr), _rate(thresholds, at, tpr)
    area = float((np.diff(x) * (y[1:] + y[:-1]) / 2).sum())
    met = np.searchsorted(inner, thresholds)
    within_reach = min(len(thresholds), len(np.union1d(met, met + 1)))
    return Drawn(x, y, len(found.fpr), within_reach, area, float(auc(found.misses, found.false_alarms)))


def _probability(score: FloatArray, scale: str) -> FloatArray:
    return score if scale == "probability" else np.asarray(expit(score))


def _rate(thresholds: FloatArray, at: FloatArray, rate: FloatArray) -> FloatArray:
    """Above the highest known score nothing is accepted, at the lowest and below all is."""
    return np.asarray(np.interp(thresholds, at, rate, left=1.0, right=0.0))


def known_rates(view: DatasetView, model: str) -> Known | None:
    """Scores with the rates of both classes at or above them: corners, and where bins begin."""
    found = shares_above(view).get(model)
    if found is None:
        return None
    score, *rates = found[0], found[1] / 100, found[2] / 100
    edges = bins(view, model)
    if len(edges) and edges["low"][0] < score[0]:
        score, rates = np.append(edges["low"][0], score), [np.append(1.0, one) for one in rates]
    return score, rates[0], rates[1]


def by_model(view: DatasetView) -> dict[str, Drawn]:
    """What the loop draws of every model whose scores are probabilities, or become some."""
    drawn = {}
    for model in view.results.models:
        found = corners(view, model)
        scale = view.study.scale_of(model)
        known = known_rates(view, model) if scale in PROBABILITIES else None
        if found is not None and known is not None:
            drawn[model] = drawn_by_grid(found, known, scale)
    return drawn


def curve_section(view: DatasetView) -> Section | None:
    """Return what the paper's algorithm draws, or None where no scores are probabilities."""
    drawn = by_model(view)
    if not drawn:
        return None
    thresholds = grid_thresholds()
    last, beyond = (numbers.significant(one, 2) for one in (thresholds[-1], thresholds[-1] - STEP))
    said = (
        f"From 1 in steps of −.01 while not below 0, a computer visits {len(thresholds)} thresholds. The last"
        f" is {last} and the next would be {beyond}, because .01 has no exact double. Scores that are log"
        " likelihood ratios are taken as probabilities at even odds."
    )
    return Section(
        "Drawing the curve", "paper-curve", (Prose(said), _figure(view, drawn), _table(view, drawn))
    )


def _figure(view: DatasetView, drawn: dict[str, Drawn]) -> Figure:
    """Draw the models of which most is lost, whole and by the grid."""
    shown = sorted(drawn, key=lambda model: drawn[model].area)[:1]
    baseline = view.study.baseline
    shown = list(dict.fromkeys([*([baseline] if baseline in drawn else []), *shown]))[:MOST_DRAWN]
    lines, dots = [], []
    for model in shown:
        found, one, style = corners(view, model), drawn[model], view.styles[model]
        assert found is not None
        lines.append(Mark.line(view.names[model], style, 100 * found.fpr, 100 * found.tpr))
        dots.append(Mark.points(view.names[model], style, 100 * one.fpr, 100 * one.tpr))
    ends = [
        f"{view.names[m]} ({numbers.percent(drawn[m].fpr[-1], 1)}, {numbers.percent(drawn[m].tpr[-1], 1)})"
        for m in shown
    ]
    caption = (
        "Dots: the points of the paper's algorithm; lines: the curves with all their corners. Beyond the"
        " last dot"
        " nothing would be drawn."
    )
    last = "; ".join(ends)
    alt = f"ROC curves and the points of a grid of thresholds on them. Last points, in per cent: {last}."
    return render(
        ChartSpec("paper_draw_roc", FPR_AXIS, TPR_AXIS, [CHANCE, *lines, *dots]), Words(caption, alt)
    )


def _table(view: DatasetView, drawn: dict[str, Drawn]) -> Table:
    rows = []
    for model, one in drawn.items():
        last = f"({numbers.fixed(one.fpr[-1], 3)}, {numbers.fixed(one.tpr[-1], 3)})"
        rows.append(
            (
                Cell(view.names[model]),
                fixed(one.corners, 0),
                fixed(one.within_reach, 0),
                fixed(_lost(one), 0),
                Cell(last, float(one.fpr[-1])),
                fixed(one.auc),
                fixed(one.area),
            )
        )
    return Table(
        name="paper_draw_roc_table",
        caption="What the paper's algorithm draws of each curve on test.",
        columns=(
            Column("model"),
            Column("corners", "number"),
            Column("met, at most", "number"),
            Column("left out, at least", "number"),
            Column("last point drawn", "number"),
            Column("AUC", "number"),
            Column("area under what is drawn", "number"),
        ),
        rows=tuple(rows),
        notes=("Points of the grid are known to within a run of one class, or a bin of the histogram.",),
    )


def _lost(one: Drawn) -> int:
    return max(0, one.corners - one.within_reach)


def curve_claims(view: DatasetView) -> list[Claim]:
    """Whether the algorithm draws the curve."""
    drawn = by_model(view)
    if not drawn:
        return []
    most = max(drawn, key=lambda model: _lost(drawn[model]))
    short = min(drawn, key=lambda model: drawn[model].fpr[-1])
    reached = sum(one.ends[1] for one in drawn.values())
    return [
        CLAIMS["thresholds"].found(
            f"{view.names[most]}: {_lost(drawn[most])} of {drawn[most].corners} corners left out; (1, 1)"
            " reached by"
            f" {reached} of {len(drawn)} models; {view.names[short]} ends at a false positive rate of"
            f" {numbers.percent(drawn[short].fpr[-1], 1)} %",
            reached == len(drawn) and not _lost(drawn[most]),
        )
    ]
