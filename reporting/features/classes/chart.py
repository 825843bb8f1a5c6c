"""The confusion matrix as squares whose areas are shares of a class."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from reporting.document import numbers
from reporting.document.blocks import Axis, Figure, Series, colour
from reporting.document.charts.captions import test_set
from reporting.document.charts.chart_spec import BarRows, ChartSpec, bar
from reporting.document.charts.interval_rows import left_of
from reporting.document.charts.picture import Tooltips, Words, render, shortened, tooltip_series
from reporting.document.words.phrases import level_text, listing
from reporting.document.words.view import DatasetView
from reporting.features.classes.frame import ConfusionRow

LONGEST, FULL = 14, 0.94
"""Letters of a class next to the picture, and the side of the square of a whole class."""
MOST_LETTERS = 62
"""Letters and spaces of names that fit beneath the picture; of more, columns are numbered as rows are."""
RIGHT, WRONG = 2, 1
"""The styles of right decisions and of wrong ones."""
LAYERS = 3
"""On paper: how many bands of light ink lie over each other."""


def confusion_figure(
    view: DatasetView, model: str, labels: Sequence[str], rows: Sequence[ConfusionRow]
) -> Figure:
    """Draw the shares of each class (a row) as squares by predicted class."""
    own = [row for row in rows if row.model == model]
    names, k = shortened(labels, LONGEST), len(labels)
    down = {label: k - 0.5 - at for at, label in enumerate(labels)}
    across = {label: at + 0.5 for at, label in enumerate(labels)}
    heads = names
    if k * (max(map(len, names)) + 1) > MOST_LETTERS:
        heads = [str(at) for at in range(1, k + 1)]
        names = [f"{name} ({at})" for name, at in zip(names, heads, strict=True)]
    x_axis = Axis("predicted class", 0.0, float(k), tuple(zip(across.values(), heads, strict=True)))
    y_axis = Axis("class", 0.0, float(k), tuple(zip(down.values(), names, strict=True))[::-1])
    cells, on_paper = [], []
    for row in own:
        half, style = FULL * math.sqrt(row.share) / 2, RIGHT if row.label == row.predicted else WRONG
        x, y = across[row.predicted], down[row.label]
        if half:
            cells.append(bar(x - half, x + half, y, half, colour(style)))
            ends = tuple(round(end, 6) for end in (x - half, x + half))
            low, high = round(y - half, 6), round(y + half, 6)
            on_paper += [Series("", "band", style, ends, (low, low), (high, high))] * LAYERS
    plain = {"ticks": False, "domain": False, "labelLimit": 0, "labelOverlap": False, "grid": False}
    number = view.ranked.index(model) + 1
    chart = ChartSpec(
        view.unique_name(f"confusion_{number}"),
        x_axis,
        y_axis,
        [],
        tooltips=tooltip_series([_tooltips(view, model, own, across, down)], view.names),
        bars=BarRows(cells, on_paper, (plain, plain)),
        left=left_of(names),
    )
    return render(chart, _words(view, model, own))


def _tooltips(
    view: DatasetView,
    model: str,
    rows: Sequence[ConfusionRow],
    across: dict[str, float],
    down: dict[str, float],
) -> Tooltips:
    texts = {
        "Class": [row.label for row in rows],
        "Predicted": [row.predicted for row in rows],
        "Share of the class": [f"{numbers.percent(row.share, 1)}%" for row in rows],
        f"{level_text(view.study.inference.level)} CI": [_limits(row) for row in rows],
        view.terms.trials.capitalize(): [numbers.count(row.trials) for row in rows],
    }
    x, y = np.array([across[row.predicted] for row in rows]), np.array([down[row.label] for row in rows])
    return Tooltips(model, x, y, texts)


def _limits(row: ConfusionRow) -> str:
    if row.ci_low is None or row.ci_high is None:
        return ""
    return f"[{numbers.percent(row.ci_low, 1)}, {numbers.percent(row.ci_high, 1)}]"


def _words(view: DatasetView, model: str, rows: Sequence[ConfusionRow]) -> Words:
    wrong = [row for row in rows if row.label != row.predicted]
    largest = max((row.share for row in wrong), default=0.0)
    title = f"{view.names[model]}: confusion matrix"
    if largest:
        pairs = listing((f"{row.label} for {row.predicted}" for row in wrong if row.share == largest), 2)
        title = (
            f"{view.names[model]} most often mistakes {pairs} ({numbers.percent(largest, 1)}% of the class)"
        )
    caption = (
        "Each row is a class, each column the class of the highest score. The area of a square is the share"
        f" of the class's {view.terms.trials}; on the diagonal they are right."
    )
    texts = [
        f"{row.label} predicted as {row.predicted}: {numbers.percent(row.share, 1)}%"
        for row in rows
        if row.trials
    ]
    more = f"; {len(texts) - 12} more" if len(texts) > 12 else ""
    return Words(
        caption, f"{title}. {'; '.join(texts[:12])}{more}.", title, f"Confusion matrix, {test_set(view)}"
    )
