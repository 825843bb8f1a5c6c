"""The differences from the baseline, or from the best model, as a forest plot: a row a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reporting.document.blocks import Axis, Figure, Series
from reporting.document.charts import interval_rows
from reporting.document.charts.axes import nice_axis
from reporting.document.charts.captions import test_set
from reporting.document.charts.chart_spec import ChartSpec
from reporting.document.charts.picture import Words, render, shortened
from reporting.document.words.decisions import Answer, Decision
from reporting.document.words.phrases import first_question, level_text
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView

FEWEST, MOST = 4, 30
"""From so many differences on a picture is drawn, of at most so many."""
MOST_LETTERS, MOST_IN_SIDE = 24, 18
"""Letters of a name that are shown in its row, and below the axis."""
SLIVER, AIR = 0.004, 0.03
"""Half the width of the mark of a value, as a share of the axis; the least that lies on either side of 0."""


def forest(view: DatasetView, outcome: Answer) -> Iterator[Figure]:
    """Yield the picture where there are enough differences; each has limits."""
    compared = [
        each
        for each in outcome.decisions.values()
        if each.contrast and None not in (each.contrast.value, each.contrast.low, each.contrast.high)
    ]
    rows = compared[:MOST]
    if outcome.reference is None or len(rows) < FEWEST:
        return
    height = len(rows) + 2 * interval_rows.AXIS_ROWS
    names = shortened([view.names[row.model] for row in rows], MOST_LETTERS)
    labels = [f"{name}{_errors(view, row.model)}" for name, row in zip(names, rows, strict=True)]
    ticks = tuple((height - interval_rows.AXIS_ROWS - at - 0.5, label) for at, label in enumerate(labels))[
        ::-1
    ]
    axis = _axis(view, outcome.reference, rows)
    chart = ChartSpec(
        view.unique_name("forest"),
        axis,
        Axis("", 0.0, height, ticks),
        [Series("", "guide", 0, (0.0, 0.0), (0.0, height))],
        bars=interval_rows.bar_rows(list(_bars(view, axis, rows, height)), height),
        height=interval_rows.pixels(height),
        left=interval_rows.left_of(labels),
    )
    yield render(chart, _words(view, outcome, rows, len(compared)))


def _errors(view: DatasetView, model: str) -> str:
    """Return the errors of a model behind its name, false alarms before misses; nothing over the sweep."""
    row = view.primary(model)
    if row is None or row.misses is None or row.false_alarms is None or view.results.weighted:
        return ""
    return f" ({row.false_alarms} + {row.misses})"


def _ends(decision: Decision) -> list[tuple[float, float, float]]:
    """Return the lower and the upper end of each bar of a row, and half its height."""
    contrast, (low, high) = decision.contrast, decision.joint
    assert contrast is not None
    bars = [(low, high, interval_rows.THIN), (contrast.low, contrast.high, interval_rows.THICK)]
    return [(low, high, half) for low, high, half in bars if low is not None and high is not None]


def _axis(view: DatasetView, reference: str, rows: Sequence[Decision]) -> Axis:
    """Return the axis of differences, which holds 0 and every limit; its sides say whom they favour."""
    measure = view.study.primary.measure
    printed = view.printing(measure)
    ends = [printed.scale * end for row in rows for low, high, _ in _ends(row) for end in (low, high)]
    unit = f" ({printed.difference_unit})" if printed.difference_unit else ""
    # A little room on either side of 0, so that both sides are there to be read.
    air = AIR * (max(0.0, *ends) - min(0.0, *ends))
    axis = nice_axis(f"Difference{unit}", min(-air, *ends), max(air, *ends))
    if measure.ideal is not None:
        return axis
    (name,) = shortened([view.names[reference]], MOST_IN_SIDE)
    sides = "the model", name
    left, right = sides if measure.better == "lower" else sides[::-1]
    sides = f"←\u00a0favours {left}", f"favours {right}\u00a0→"
    return Axis("", axis.low, axis.high, axis.ticks, sides)


def _bars(
    view: DatasetView, axis: Axis, rows: Sequence[Decision], height: float
) -> Iterator[interval_rows.Bar]:
    scale = view.printing(view.study.primary.measure).scale
    for at, row in enumerate(rows):
        style, middle = view.styles[row.model], height - interval_rows.AXIS_ROWS - at - 0.5
        for low, high, half in _ends(row):
            yield style, scale * low, scale * high, middle, half
        assert row.contrast is not None
        place, sliver = scale * (row.contrast.value or 0.0), SLIVER * (axis.high - axis.low)
        yield style, place - sliver, place + sliver, middle, interval_rows.MARK


def _words(view: DatasetView, outcome: Answer, rows: Sequence[Decision], n_compared: int) -> Words:
    reference, level = view.names[str(outcome.reference)], level_text(view.study.inference.level)
    printed = view.printing(view.study.primary.measure)
    parts = [f"{capitalised(first_question(view))}: model minus {reference}, best first"]
    parts += [f"the first {len(rows)} of {n_compared} differences"] if n_compared > len(rows) else []
    parts.append(f"thick: {level} CI of each difference alone")
    if any(row.joint[0] is not None for row in rows):
        parts.append("thin: limits that hold for all models together")
    if _errors(view, rows[0].model):
        parts.append(f"behind each name: {view.terms.false_alarms} + {view.terms.misses}")
    texts = []
    for row in rows:
        contrast = row.contrast
        assert contrast is not None
        shown = printed.off_zero(contrast.low, contrast.high)
        interval = shown.interval(contrast.low, contrast.high)
        texts.append(f"{view.names[row.model]} {shown.value(contrast.value)} {interval}, {row.word}")
    unit = f" in {printed.difference_unit}" if printed.difference_unit else ""
    measure = view.terms.measure(view.study.primary.measure)
    return Words(
        f"{'; '.join(parts)}.",
        f"Differences in {measure} from {reference}{unit}: {'; '.join(texts)}.",
        f"Differences from {reference} in {measure}",
        ", ".join(filter(None, (capitalised(printed.difference_unit), test_set(view)))),
    )
