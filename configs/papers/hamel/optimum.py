"""Operating points called optimal: each by the name of what it optimises."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from configs.papers.hamel.plane import (
    CHANCE,
    FPR_AXIS,
    TPR_AXIS,
    A,
    O,
    Point,
    cheaper_below,
    paper_points,
)
from configs.papers.hamel.read import at_threshold, corners, fixed
from reporting.base.arrays import FloatArray
from reporting.core.criteria.criterion import Criterion
from reporting.document import Block, Cell, Column, Figure, Prose, Section, Series, Table, numbers
from reporting.document.charts.chart_spec import ChartSpec, Mark
from reporting.document.charts.picture import Words, render
from reporting.document.words.view import DatasetView

WEAK = "sum"


def optimum_section(view: DatasetView) -> Section:
    """Return the paper's two points, and ours by name."""
    criteria = [one for one in view.study.criteria if not one.oracle]
    shown = view.study.baseline or view.results.models[0]
    figures = [one for one in (optimum_figure(view), optima_figure(view, shown, criteria)) if one is not None]
    blocks: list[Block] = [
        Prose(_said(view)),
        paper_points(),
        *figures,
        named_optima(view, shown, criteria),
    ]
    return Section("Optimum operating points", "paper-optimum", tuple(blocks), beside=True)


def _said(view: DatasetView) -> str:
    where = (
        " The ROC coloured by threshold, in the curves below, tells which threshold lies behind each of its"
        " points."
        if view.study.draws("roc_threshold")
        else ""
    )
    return f"No point is optimal without a name: what is optimised decides.{where}"


def optimum_figure(view: DatasetView) -> Figure | None:
    """Draw O and A with the line on which both cost the same, and the circles of equal distance."""
    model = WEAK if WEAK in view.results.models else view.results.models[0]
    found = corners(view, model)
    if found is None:
        return None
    slope = cheaper_below(O, A)
    ends = np.array([0.0, min(1.0, (1 - (A.tpr - slope * A.fpr)) / slope)])
    same = Series(
        "", "guide", 0, tuple((100 * ends).tolist()), tuple((100 * (A.tpr + slope * (ends - A.fpr))).tolist())
    )
    lines = [
        Mark.line(view.names[model], view.styles[model], 100 * found.fpr, 100 * found.tpr),
        *(Mark.line(f"as far from (0, 1) as {p.name}", style, *_circle(p)) for p, style in ((O, 6), (A, 5))),
    ]
    dots = [
        Mark.points(
            f"as far from (0, 1) as {p.name}", style, np.array([100 * p.fpr]), np.array([100 * p.tpr])
        )
        for p, style in ((O, 6), (A, 5))
    ]
    names = [Series(p.name, "guide", 0, *(((100 * v,) * 3) for v in (p.fpr, p.tpr))) for p in (O, A)]
    apart = [float(np.hypot(found.fpr - p.fpr, found.tpr - p.tpr).min()) for p in (O, A)]
    caption = (
        f"The paper's points O and A with their circles around the perfect corner, and the ROC of"
        f" {view.names[model]}, which passes near both. On the dashed line O and A cost the same: m ="
        f" {numbers.fixed(slope, 2)}."
    )
    alt = (
        f"O at (45, 95) and A at (35, 90) per cent; A is nearer to the perfect corner. {view.names[model]}"
        " passes"
        f" {numbers.percent(apart[0], 1)} and {numbers.percent(apart[1], 1)} points from them."
    )
    return render(
        ChartSpec("paper_optimum", FPR_AXIS, TPR_AXIS, [CHANCE, same, *names, *lines, *dots]),
        Words(caption, alt),
    )


def _circle(point: Point) -> tuple[FloatArray, FloatArray]:
    angle = np.linspace(0, np.pi / 2, 91)
    return 100 * point.distance * np.sin(angle), 100 - 100 * point.distance * np.cos(angle)


def optima_figure(view: DatasetView, model: str, criteria: list[Criterion]) -> Figure | None:
    """Draw one curve with the point that each criterion chose on dev, each by its name."""
    found = corners(view, model)
    if found is None:
        return None
    dots = []
    for style, one in enumerate(criteria, start=1):
        row = at_threshold(view, model, one)
        if row is not None:
            x, y = 100 * row.false_alarms / row.n_nontarget, 100 - 100 * row.misses / row.n_target
            dots.append(Mark.points(view.terms.criterion(one), style, np.array([x]), np.array([y])))
    line = Mark.line(view.names[model], view.styles[model], 100 * found.fpr, 100 * found.tpr)
    caption = f"{view.names[model]} on test, and the point of each criterion, its threshold chosen on dev."
    said = "; ".join(
        f"{one.label} ({', '.join(numbers.fixed(float(v[0]), 0) for v in one.vertices)})" for one in dots
    )
    alt = f"ROC of {view.names[model]} with the points, in per cent: {said}."
    # Each point is named as a line of one place.
    named = [replace(each, kind="line") for each in dots]
    return render(
        ChartSpec("paper_optima_named", FPR_AXIS, TPR_AXIS, [CHANCE, line, *named, *dots]),
        Words(caption, alt),
    )


def named_optima(view: DatasetView, model: str, criteria: list[Criterion]) -> Table:
    """Return the thresholds that dev chose for one model, by criterion, with the scalarisations on test."""
    rows = []
    for one in criteria:
        row = at_threshold(view, model, one)
        if row is None:
            continue
        point = Point(str(one), row.false_alarms / row.n_nontarget, 1 - row.misses / row.n_target)
        at = Cell(numbers.significant(row.threshold, 3), row.threshold)
        rows.append(
            (
                Cell(view.terms.criterion(one)),
                at,
                fixed(point.fpr),
                fixed(point.tpr),
                fixed(point.youden),
                fixed(point.distance),
            )
        )
    return Table(
        name="paper_optima",
        caption=f"{view.names[model]}: one curve, and as many optima as readings. Thresholds chosen on dev.",
        columns=(
            Column("optimum"),
            Column("threshold", "number"),
            Column("FPR on test", "number"),
            Column("TPR on test", "number"),
            Column("Youden", "number"),
            Column("distance", "number"),
        ),
        rows=tuple(rows),
    )
