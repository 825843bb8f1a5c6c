"""Concavities: found on dev, tested on test, and compared with the random line."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from configs.papers.hamel.concavities import InsideTest, concavities, inside_test
from configs.papers.hamel.plane import CHANCE, FPR_AXIS, TPR_AXIS
from configs.papers.hamel.read import CLAIMS, Corners, corners, fixed
from configs.papers.paper import Claim
from reporting.base.arrays import FloatArray, IntArray
from reporting.core.resampling.paired import adjust
from reporting.document import Cell, Column, Figure, Prose, Section, Table, numbers
from reporting.document.charts.chart_spec import ChartSpec, Mark
from reporting.document.charts.picture import Words, render
from reporting.document.words.view import DatasetView

LEVEL = 0.05


class Concave(NamedTuple):
    """The largest concavity of a model on dev: its scores, its area, and its test on test.

    ``p_adjusted`` is Holm's over the models; ``inside`` marks the corners of test in there, and ``below`` is
    the share of them on or below the random line.
    """

    low: float
    high: float
    area: float
    test: InsideTest
    p_adjusted: float
    below: float
    inside: IntArray

    @property
    def confirmed(self) -> bool:
        """Whether scores inside rank worse than random."""
        return bool(self.test.auc < 0.5 and self.p_adjusted < LEVEL)


def found_and_tested(view: DatasetView) -> dict[str, Concave]:
    """Find the largest concavity of every model on dev and test its ranking on test."""
    found = {model: one for model in view.results.models if (one := _one(view, model)) is not None}
    adjusted = adjust([1.0 if math.isnan(one.test.p) else one.test.p for one in found.values()], "holm")
    return {
        model: one._replace(p_adjusted=p) for (model, one), p in zip(found.items(), adjusted, strict=True)
    }


def _one(view: DatasetView, model: str) -> Concave | None:
    dev, test = corners(view, model, "dev"), corners(view, model)
    if dev is None or test is None:
        return None
    worst = next(iter(concavities(dev.staircase)), None)
    if worst is None:
        return None
    low, high = float(dev.threshold[worst.low]), float(dev.threshold[worst.high])
    # Between two corners the frame holds no counts: the range goes from its first to its last corner of test.
    inside = np.flatnonzero((test.threshold >= low) & (test.threshold <= high)).astype(np.int64)
    tested = inside_test(*trials_between(test, inside))
    below = float((test.tpr[inside] <= test.fpr[inside]).mean()) if len(inside) else 0.0
    return Concave(low, high, worst.area, tested, 1.0, below, inside)


def trials_between(found: Corners, inside: IntArray) -> tuple[IntArray, IntArray]:
    """Targets and non-targets by ascending score between corners; a run of one class has as many scores."""
    steps = np.diff(found.misses[inside]), -np.diff(found.false_alarms[inside])
    mixed = (steps[0] > 0) & (steps[1] > 0)
    times = np.where(mixed, 1, steps[0] + steps[1])
    n_target, n_nontarget = (np.repeat(np.where(mixed, one, np.minimum(one, 1)), times) for one in steps)
    return n_target.astype(np.int64), n_nontarget.astype(np.int64)


def concave_section(view: DatasetView) -> Section | None:
    """Return what was found on dev, what test says of it, and a picture of the largest that holds."""
    found = found_and_tested(view)
    if not found:
        return None
    said = (
        "Every sample has concavities by chance. So for each model the edge of the convex hull of dev with"
        " the most"
        " area below it is taken, and the trials of test within the same scores are ranked: p is that of an"
        " area no"
        f" smaller than one half in there, one-sided, adjusted by Holm over {len(found)} models."
    )
    blocks = (Prose(said), _table(view, found))
    shown = shown_model(view, found)
    return Section(
        "Concavities",
        "paper-concavities",
        (*blocks, *((_figure(view, shown, found[shown]),) if shown else ())),
    )


def shown_model(view: DatasetView, found: dict[str, Concave]) -> str | None:
    """The model whose concavity is confirmed and least below the random line."""
    held = [model for model, one in found.items() if one.confirmed]
    return min(held, key=lambda model: found[model].below, default=None)


def _table(view: DatasetView, found: dict[str, Concave]) -> Table:
    rows = []
    for model, one in found.items():
        test = one.test
        between = f"{numbers.significant(one.low, 3)} to {numbers.significant(one.high, 3)}"
        verdict = "worse than random" if one.confirmed else "not shown"
        p = numbers.p_value(None if np.isnan(test.p) else one.p_adjusted)
        rows.append(
            (
                Cell(view.names[model]),
                Cell(between, one.low),
                fixed(one.area, 5),
                Cell(f"{test.targets} + {test.nontargets}", float(test.targets + test.nontargets)),
                fixed(test.auc),
                Cell(p, one.p_adjusted),
                Cell(verdict),
                Cell(numbers.percent(one.below, 0), one.below),
            )
        )
    return Table(
        name="paper_concavities_table",
        caption="The largest concavity of each model on dev, and the ranking of the test trials inside it.",
        columns=(
            Column("model"),
            Column("scores", "number"),
            Column("area on dev", "number"),
            Column("trials of test inside", "number"),
            Column("AUC inside", "number"),
            Column("p, adjusted", "number"),
            Column("ranking inside"),
            Column("not above the random line, %", "number"),
        ),
        rows=tuple(rows),
        notes=(
            "Trials inside: targets + non-targets. p is exact for at most 2000 pairs of them, else by"
            " DeLong's error."
            " The last column: corners inside on or below the random line of the whole plane.",
        ),
    )


def _figure(view: DatasetView, model: str, one: Concave) -> Figure:
    test = corners(view, model)
    assert test is not None
    name, style = view.names[model], view.styles[model]
    x, y = 100 * test.fpr, 100 * test.tpr
    ends = one.inside[[0, -1]]
    lines = [
        Mark.line(name, style, x, y),
        Mark.line("within the concavity", 6 if style != 6 else 3, x[one.inside], y[one.inside]),
        Mark.line("random ranking in there", 9, x[ends], y[ends]),
    ]
    dots = [Mark.points("random ranking in there", 9, x[ends], y[ends])]
    more = " The random line lies below most of it." if one.below < 0.5 else ""
    caption = (
        f"{name} on test. Within the scores of the concavity that dev shows, ranking at random would follow"
        f" the dashed chord; AUC inside is {numbers.fixed(one.test.auc, 3)}.{more}"
    )
    alt = (
        f"ROC curve of {name}; its concavity runs from {_place(x, y, ends[0])} to"
        f" {_place(x, y, ends[1])} per cent, below the chord between these points."
    )
    return render(
        ChartSpec("paper_concavity", FPR_AXIS, TPR_AXIS, [CHANCE, *lines, *dots]), Words(caption, alt)
    )


def _place(x: FloatArray, y: FloatArray, at: int) -> str:
    return f"({numbers.fixed(float(x[at]), 0)}, {numbers.fixed(float(y[at]), 0)})"


def concave_claims(view: DatasetView) -> list[Claim]:
    """Whether a concavity is below the random line."""
    found = found_and_tested(view)
    shown = shown_model(view, found)
    if shown is None:
        tried = f"no concavity of {len(found)} models is confirmed on test"
        return [CLAIMS["concave"].found(tried, None)] if found else []
    one = found[shown]
    ours = (
        f"{view.names[shown]}: AUC {numbers.fixed(one.test.auc, 3)} within the range, adjusted"
        f" {numbers.equation(one.p_adjusted)}, yet {numbers.percent(1 - one.below, 0)} % of its corners"
        " there lie"
        " above the random line"
    )
    return [CLAIMS["concave"].found(ours, one.below == 1)]
