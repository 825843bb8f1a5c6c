"""The ranking: a row a model in order of value, its value left and its rank right, both with limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from reporting.base.records import dataclass, replace
from reporting.document.blocks import Axis, Figure, Label, Series
from reporting.document.charts.axes import interval_axis, nice_axis
from reporting.document.charts.beyond import side
from reporting.document.charts.captions import test_set
from reporting.document.charts.chart_spec import ChartSpec
from reporting.document.charts.interval_rows import (
    AXIS_ROWS,
    MARK,
    THICK,
    THIN,
    Bar,
    bar_rows,
    left_of,
    pixels,
)
from reporting.document.charts.picture import Words, render, shortened
from reporting.document.frames.ranking import RANKING, RankingRow
from reporting.document.words.decisions import answer
from reporting.document.words.phrases import level_text, question
from reporting.document.words.tables import limits
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView

ROWS = 30
"""So many models are in one picture; more have several."""
WIDTH, GAP, SLIVER = 1.0, 0.12, 0.006
"""The width of either panel, the way between them, and half the width of the mark of a value."""
MOST_LETTERS = 24
"""Letters of a name that are shown."""
PARTS = 4
"""Either axis has about so many steps."""


@dataclass(frozen=True, eq=False)
class RankingChart:
    """The ranked models of one dataset, from the best value on, and the two axes that they lie on."""

    view: DatasetView
    rows: Sequence[RankingRow]

    @cached_property
    def value_axis(self) -> Axis:
        """The values, in printed units."""
        printed = self.view.printing(self.view.study.primary.measure)
        ends = [
            [
                printed.scale * end
                for end in (row.value, *self.alone(row), row.band_low, row.band_high)
                if end is not None
            ]
            for row in self.rows
        ]
        low, high = (printed.scale * end for end in self.view.study.primary.measure.bounds)
        return nice_axis("", *interval_axis(ends, (low, high)), parts=PARTS)

    @cached_property
    def rank_axis(self) -> Axis:
        """The ranks, each as wide as its place."""
        n = self.rows[0].n_models
        within = nice_axis("", 0.0, float(n), parts=PARTS)
        ticks = ((1.0, "1"), *(tick for tick in within.ticks if 1 < tick[0] <= n))
        return Axis("", 0.5, n + 0.5, ticks)

    @property
    def limited(self) -> bool:
        """Whether the ranks have limits."""
        return any(row.tier is not None for row in self.rows)

    def alone(self, row: RankingRow) -> tuple[float | None, float | None]:
        """Return the interval of a model's value alone."""
        return limits(self.view.primary(row.model))


def ladder(view: DatasetView) -> RankingChart | None:
    """Return the ranked models of a view; None where nothing ranks them."""
    rows = {row.model: row for row in view.rows(RANKING, "test") if row.rank is not None}
    ordered = sorted(rows, key=lambda model: (rows[model].rank, view.ranked.index(model)))
    return RankingChart(view, [rows[model] for model in ordered]) if view.whole and len(rows) > 1 else None


def ranking_figures(ranked: RankingChart) -> Iterator[Figure]:
    """Yield the pictures of all models, ``ROWS`` of them in each; those behind the first are folded."""
    for start in range(0, len(ranked.rows), ROWS):
        yield _figure(ranked, ranked.rows[start : start + ROWS], start)


def _figure(ranked: RankingChart, rows: Sequence[RankingRow], start: int) -> Figure:
    view, first = ranked.view, start == 0
    name = view.unique_name("ranking" if first else f"ranking_{start // ROWS + 1}")
    height = len(rows) + 2 * AXIS_ROWS
    labels = shortened([view.names[row.model] for row in rows], MOST_LETTERS)
    ticks = tuple((height - AXIS_ROWS - at - 0.5, label) for at, label in enumerate(labels))[::-1]
    axes = Axis("", 0.0, 2 * WIDTH + GAP, _ticks(ranked)), Axis("", 0.0, height, ticks)
    bars = list(_bars(ranked, rows, height))
    guides = [Series("", "guide", 0, (WIDTH + GAP / 2,) * 2, (0.0, height))]
    if start < (n_best := _may_be_best(ranked)) < start + len(rows):
        below = height - AXIS_ROWS - (n_best - start)
        guides.append(Series("", "guide", 0, (0.0, 2 * WIDTH + GAP), (below,) * 2))
    chart = ChartSpec(
        name,
        *axes,
        guides,
        bars=bar_rows(bars, height),
        height=pixels(height),
        left=left_of(labels),
        beyond=list(_arrows(ranked, rows, height)),
    )
    return replace(render(chart, _words(ranked, rows, start)), folded=not first)


def _bars(ranked: RankingChart, rows: Sequence[RankingRow], height: float) -> Iterator[Bar]:
    view = ranked.view
    scale = view.printing(view.study.primary.measure).scale
    values, ranks = ranked.value_axis, ranked.rank_axis
    for at, row in enumerate(rows):
        style, middle = view.styles[row.model], height - AXIS_ROWS - at - 0.5
        for ends, half in (((row.band_low, row.band_high), THIN), (ranked.alone(row), THICK)):
            low, high = ends
            if low is not None and high is not None:
                yield style, _along(values, scale * low), _along(values, scale * high), middle, half
        if row.value is not None and not side(scale * row.value, values):
            place = _along(values, scale * row.value)
            yield style, max(place - SLIVER, 0.0), min(place + SLIVER, WIDTH), middle, MARK
        of_rank = [(row.rank_low, row.rank_high, THICK), (row.rank, row.rank, MARK)]
        for first, last, half in of_rank:
            if first is not None and last is not None:
                low, high = (WIDTH + GAP + _along(ranks, end) for end in (first - 0.5, last + 0.5))
                yield style, low, high, middle, half


def _arrows(ranked: RankingChart, rows: Sequence[RankingRow], height: float) -> Iterator[Label]:
    """The values that lie beyond their axis, and the limits that do of values within it."""
    view, axis = ranked.view, ranked.value_axis
    printed = view.printing(view.study.primary.measure)
    for at, row in enumerate(rows):
        limits = [end for end in (row.band_low, row.band_high, *ranked.alone(row)) if end is not None]
        out = [end for end in (row.value, *limits) if end is not None and side(printed.scale * end, axis)]
        name, middle = view.names[row.model], height - AXIS_ROWS - at - 0.5
        if row.value in out:
            out = [row.value]
        for way in (-1, 1):
            beyond = [end for end in out if side(printed.scale * end, axis) == way]
            if beyond:
                number = printed.value(max(beyond, key=lambda end: way * end))
                text = number if row.value in out else f"limit {number}"
                arrow = f"← {text}" if way < 0 else f"{text} →"
                yield Label(
                    arrow, view.styles[row.model], WIDTH * (way > 0), middle, way > 0, True, name, True
                )


def _along(axis: Axis, value: float) -> float:
    """Return the place of a value in the panel of an axis, at most at its ends."""
    share = (value - axis.low) / (axis.high - axis.low)
    return WIDTH * min(max(share, 0.0), 1.0)


def _ticks(ranked: RankingChart) -> tuple[tuple[float, str], ...]:
    """The ticks of both panels; the one in the middle of each has its title beneath."""
    view = ranked.view
    measure = view.study.primary.measure
    unit = view.printing(measure).unit
    value = f"{capitalised(view.terms.measure(measure))}{f' ({unit})' if unit else ''}"
    ticks: list[tuple[float, str]] = []
    for axis, title, start in ((ranked.value_axis, value, 0.0), (ranked.rank_axis, "Rank", WIDTH + GAP)):
        middle = len(axis.ticks) // 2
        ticks += [
            (start + _along(axis, tick), f"{label}\n{title}" if at == middle else label)
            for at, (tick, label) in enumerate(axis.ticks)
        ]
    return tuple(ticks)


def _words(ranked: RankingChart, rows: Sequence[RankingRow], start: int) -> Words:
    view, n = ranked.view, rows[0].n_models
    level, primary = level_text(view.study.inference.level), view.study.primary
    names = [view.names[row.model] for row in rows]
    part = "" if len(rows) == len(ranked.rows) else f", {start + 1} to {start + len(rows)} of {n} by value"
    drawn = f"{n} models by {view.terms.measure(primary.measure)}{part}"
    what = capitalised(question(primary.measure, primary.criterion, view.study))
    caption = (
        f"{what}, and the rank among {n} models; best first. Left: thick, {level} CIs of each model; thin,"
        f" limits that hold for all models together. Right: {level} limits of the ranks, which hold for all"
        " models together."
    )
    if start < _may_be_best(ranked) < start + len(rows):
        caption += " Above the dashed line: models that may be best."
    first, last = rows[0], rows[-1]
    alt = f"{drawn}. " + " ".join(
        f"{name}: rank {row.rank}"
        + ("." if row.rank_low is None else f", between {row.rank_low} and {row.rank_high}.")
        for name, row in ((names[0], first), (names[-1], last))
    )
    title = _finding(ranked) if start == 0 else f"{drawn[0].upper()}{drawn[1:]}"
    return Words(caption, alt, title, f"Values and ranks with limits, {test_set(view)}")


def _may_be_best(ranked: RankingChart) -> int:
    """Return how many of the first rows may be best; 0 where others may, too, or where nothing decides."""
    outcome = answer(ranked.view)
    candidates = set(outcome.candidates) if outcome.question == "best" else set()
    n = len(candidates)
    return n if {row.model for row in ranked.rows[:n]} == candidates else 0


def _finding(ranked: RankingChart) -> str:
    """Return how many models are in the first tier."""
    first = [row for row in ranked.rows if row.tier == 1]
    if not first:
        return f"{len(ranked.rows)} models in order of value"
    if len(first) == 1:
        return f"{ranked.view.names[first[0].model]} alone is in the first tier"
    outcome = answer(ranked.view)
    best = len(set(outcome.candidates) & {row.model for row in first})
    # The answer rules out more: the tiers hold for all pairs together.
    narrower = f"; {best} of them may be best" if outcome.question == "best" and best < len(first) else ""
    return f"{len(first)} of {len(ranked.rows)} models are in the first tier{narrower}"
