"""The paired difference of the two finalists along the cost ratio, with the band that holds at all ratios."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from reporting.base.records import dataclass, replace
from reporting.core.criteria.rates import WEIGHTED_ERROR as CHOSEN_BY
from reporting.core.measures.threshold import WEIGHTED_ERROR
from reporting.document import numbers
from reporting.document.blocks import Axis, Figure, Series
from reporting.document.charts.axes import nice_axis, places
from reporting.document.charts.captions import test_set
from reporting.document.charts.chart_spec import ChartSpec
from reporting.document.charts.picture import Tooltips, Words, render, tooltip_series
from reporting.document.frames.comparisons import COMPARISONS, ComparisonRow
from reporting.document.words.phrases import level_text, units_of
from reporting.document.words.view import DatasetView
from reporting.features.epc.cost_axis import along, place, ratio_text, spans, spans_text

HEIGHT, TITLE = 140, 18
"""Pixels of the frame, and of the title next to it."""
MOST_STRETCHES = 3
WIDER = " It holds at all ratios together, so it is wider than the CI of the headline, which asks about one."
ALONE = " It is that of this pair alone, and not adjusted for other comparisons as the headline is."


@dataclass(frozen=True, eq=False)
class FinalistsAlong:
    """The comparisons of the first finalist with the second along the weights of the weighted error."""

    view: DatasetView
    models: tuple[str, str]

    @cached_property
    def rows(self) -> list[ComparisonRow]:
        """The rows within (0, 1) whose difference is defined, ascending: the first model less the second."""
        rows = COMPARISONS.rows(self.view.along(CHOSEN_BY, WEIGHTED_ERROR, *self.models))
        inside = [row for row in rows if row.difference is not None and 0 < (row.parameter or 0) < 1]
        return [row if row.model == self.models[0] else _turned(row) for row in inside]

    @cached_property
    def alphas(self) -> list[float]:
        """The weights of the rows."""
        return [row.parameter or 0.0 for row in self.rows]

    @property
    def pair(self) -> tuple[str, str]:
        """The printed names."""
        return self.view.names[self.models[0]], self.view.names[self.models[1]]

    @property
    def is_banded(self) -> bool:
        """Whether the frame holds a band."""
        return any(row.band_low is not None for row in self.rows)

    def stretches(self, *, better: bool) -> list[tuple[float, float]]:
        """Return from and to which weights the band excludes 0, on the better side or on the worse."""
        sides = [(row.band_high or 0.0) < 0 if better else (row.band_low or 0.0) > 0 for row in self.rows]
        return spans(sides, self.alphas)


def _turned(row: ComparisonRow) -> ComparisonRow:
    def less(value: float | None) -> float | None:
        return None if value is None else -value

    return replace(
        row,
        model=row.baseline,
        baseline=row.model,
        difference=less(row.difference),
        ci_low=less(row.ci_high),
        ci_high=less(row.ci_low),
        band_low=less(row.band_high),
        band_high=less(row.band_low),
    )


def cost_difference_figure(view: DatasetView, axis: Axis, left: int) -> Figure | None:
    """Draw the difference on an axis of cost ratios, so many pixels from the left.

    None without two finalists or rows of them.
    """
    if not view.whole or len(view.finalists) != 2:
        return None
    pair = FinalistsAlong(view, (view.finalists[0], view.finalists[1]))
    if len(pair.rows) < 2:
        return None
    series = _series(pair, axis)
    limits = [value for each in series for value in (*each.y, *each.y_high)]
    y_axis = nice_axis("Difference (points)", min(0.0, *limits), max(0.0, *limits), 5)
    chart = ChartSpec(
        view.unique_name("cost_difference"),
        axis,
        y_axis,
        series,
        tooltips=tooltip_series([_tooltips(pair)], {pair.models[0]: _label(pair)}),
        is_named=False,  # the only line is named by the title
        height=HEIGHT,
        left=left - TITLE,
    )
    (name, other), error = pair.pair, view.terms.measure(WEIGHTED_ERROR)
    subtitle = f"{name} minus {other}: {error}, {test_set(view)}; below 0 {name} costs less"
    return render(chart, Words(_caption(pair), _alt(pair), _title(pair), subtitle))


def _label(pair: FinalistsAlong) -> str:
    return " − ".join(pair.pair)


def _series(pair: FinalistsAlong, axis: Axis) -> list[Series]:
    style, label = pair.view.styles[pair.models[0]], _label(pair)
    x = places(along(np.array(pair.alphas)))
    line = tuple(100 * (row.difference or 0.0) for row in pair.rows)
    zero = Series("", "guide", 0, (axis.low, axis.high), (0.0, 0.0))
    series = [zero, Series(label, "line", style, x, places(np.array(line)))]
    if pair.is_banded:
        rows = [row for row in pair.rows if row.band_low is not None and row.band_high is not None]
        at = places(along(np.array([row.parameter for row in rows], dtype=np.float64)))
        low, high = (
            places(100 * np.array([getattr(row, end) for row in rows], dtype=np.float64))
            for end in ("band_low", "band_high")
        )
        series.insert(1, Series(label, "band", style, at, low, high))
    return series


def _tooltips(pair: FinalistsAlong) -> Tooltips:
    shown, level = pair.view.printing(WEIGHTED_ERROR), level_text(pair.view.study.inference.level)
    texts = {
        "Cost ratio": [ratio_text(alpha) for alpha in pair.alphas],
        "α": [numbers.significant(alpha, 3) for alpha in pair.alphas],
        "Difference (points)": [shown.value(row.difference) for row in pair.rows],
        f"{level} simultaneous band": [
            "" if row.band_low is None else shown.interval(row.band_low, row.band_high) for row in pair.rows
        ],
    }
    y = np.array([100 * (row.difference or 0.0) for row in pair.rows])
    return Tooltips(pair.models[0], along(np.array(pair.alphas)), y, texts)


def _title(pair: FinalistsAlong) -> str:
    """Say where the band excludes 0: it holds at all ratios together, not at one."""
    name, other = pair.pair
    if not pair.is_banded:
        return f"{name} minus {other} at every cost ratio"
    cheaper, dearer = pair.stretches(better=True), pair.stretches(better=False)
    if not cheaper and not dearer:
        return f"{name} against {other}: inconclusive when all cost ratios are judged together"
    parts = [
        f"costs {word} than {other} {_where(pair, spans)}"
        for word, spans in (("less", cheaper), ("more", dearer))
        if spans
    ]
    return f"{name} {' and '.join(parts)} (simultaneous band)"


def _where(pair: FinalistsAlong, spans: Sequence[tuple[float, float]]) -> str:
    if len(spans) > MOST_STRETCHES:
        inside = sum(low <= alpha <= high for low, high in spans for alpha in pair.alphas)
        return f"at {inside} of {len(pair.alphas)} cost ratios"
    return spans_text(spans, pair.alphas, "at every cost ratio")


def _caption(pair: FinalistsAlong) -> str:
    view, row = pair.view, pair.rows[0]
    if not row.replicates:
        return "Paired difference at each cost ratio."
    how = "re-selected in each" if row.inference == "procedure" else "held fixed in all"
    resampling = f"thresholds {how} of {numbers.count(row.replicates)} resamples of {units_of(view, row)}"
    if not pair.is_banded:
        return f"Paired difference at each cost ratio; {resampling}."
    level = level_text(view.study.inference.level)
    wider = "" if pair.stretches(better=True) or pair.stretches(better=False) else WIDER
    others = ALONE if len(view.headlines) > 1 else ""
    return f"Shading: {level} simultaneous band over all cost ratios; {resampling}.{wider}{others}"


def _alt(pair: FinalistsAlong) -> str:
    shown = pair.view.printing(WEIGHTED_ERROR)
    parts = []
    for wanted in (0.1, 0.5, 0.9):
        row = min(pair.rows, key=lambda row: abs(place(row.parameter or 0.5) - place(wanted)))
        band = "" if row.band_low is None else f", band {shown.interval(row.band_low, row.band_high)}"
        parts.append(
            f"{ratio_text(row.parameter or 0.5)}: {shown.difference_with_unit(row.difference or 0)}{band}"
        )
    return f"{_title(pair)}. {_label(pair)} at {'; at '.join(parts)}."
