"""Pictures of a report: rows of a frame, lines by model, tooltips and words, drawn once for all media."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Generic, TypeVar

import polars as pl

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.extensions import imported
from reporting.base.records import dataclass
from reporting.core.engine.curves import Curve
from reporting.document.blocks import (
    HEARS_OF_FIGURES,
    Axis,
    Block,
    Figure,
    Label,
    Placed,
    Prose,
    Series,
    SeriesKind,
    TooltipSeries,
    Window,
    is_context,
)
from reporting.document.charts.axes import PAGE_PIXELS, PRINT_PIXELS, spread
from reporting.document.charts.beyond import NOTE
from reporting.document.charts.captions import test_set, which_are_drawn
from reporting.document.charts.chart_spec import SIDE, ChartSpec, Mark, Vertices
from reporting.document.charts.draw import draw
from reporting.document.charts.labels import MOST_CONTEXT, Pane, labels
from reporting.document.frames.contract import Frame
from reporting.document.numbers import significant
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView

SMALL_SIDE, PAPER_SIDE = 256, 240
"""Pixels across a frame on phones, and on paper, where letters are larger for it."""
CELLS = 60
"""Places a reader can point at lie about this share of a frame apart."""
DIGITS = 4
RATE_DIGITS = 3
"""Tooltips print numbers to so many digits."""

Strokes = Sequence[tuple[str, Vertices]]
"""Polylines by the model they belong to; a model may have several."""


def rows_on_test(view: DatasetView, frame: Frame[Any]) -> pl.DataFrame:
    """Return the rows of a frame on test that belong to a view."""
    return view.frame(frame).filter(pl.col("split") == "test")


def per_model(view: DatasetView, rows: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return the rows of every model that is drawn and has any, in the report's order."""
    of_model = rows.partition_by("model", as_dict=True)
    return {model: of_model[(model,)] for model in view.drawn if (model,) in of_model}


ByModel = Mapping[str, pl.DataFrame]
"""The rows of the models that have a curve."""


def curve_rows(
    view: DatasetView, frame: Frame[Any], along: str, value: str, **where: object
) -> dict[str, pl.DataFrame]:
    """Return the rows on test of every model's curve, where ``value`` is defined, ascending in ``along``."""
    rows = rows_on_test(view, frame).filter(**where).drop_nulls(value)
    return per_model(view, rows.sort(along, maintain_order=True))


def in_percent(curves: ByModel, *columns: str) -> Strokes:
    """Return lines, or bands, of columns that hold shares."""
    return [(model, tuple(100 * rows[name].to_numpy() for name in columns)) for model, rows in curves.items()]


def shortened(names: Sequence[str], most: int) -> list[str]:
    """Shorten long names; where that makes two of them one, their places distinguish them."""
    cut = [name if len(name) <= most else f"{name[: most - 1]}…" for name in names]
    if len(set(cut)) == len(cut):
        return cut
    return [f"{place} {name[: most - 3]}…" for place, name in enumerate(names, start=1)]


@dataclass(frozen=True)
class Words:
    """The texts of a picture: how it was made, a text that replaces it, its finding, what is drawn."""

    caption: str
    alt: str
    title: str = ""
    subtitle: str = ""


@dataclass(frozen=True, eq=False)
class Tooltips:
    """The tooltip of one model's curve: equally many texts under every title."""

    model: str
    x: FloatArray
    y: FloatArray
    texts: Mapping[str, Sequence[str]]


def tooltip_series(
    tooltips: Sequence[Tooltips], names: Mapping[str, str]
) -> tuple[tuple[str, ...], tuple[TooltipSeries, ...]]:
    """Return the titles of all tooltips and those of each curve, under printed names."""
    titles = tuple(dict.fromkeys(title for of_curve in tooltips for title in of_curve.texts))
    series = []
    for of_curve in tooltips:
        nothing = ("",) * len(of_curve.x)
        texts = tuple(tuple(of_curve.texts.get(title, nothing)) for title in titles)
        x, y = (tuple(round(float(v), 5) for v in values) for values in (of_curve.x, of_curve.y))
        series.append(TooltipSeries(names[of_curve.model], x, y, texts))
    return titles, tuple(series)


def pointed(x: FloatArray, y: FloatArray, x_axis: Axis, y_axis: Axis) -> IntArray:
    """Return the vertices a reader can point at."""
    return spread(x, y, x_axis, y_axis, CELLS)


def printed(values: pl.Series, digits: int = DIGITS) -> list[str]:
    """Print numbers to a few digits; what is undefined has no tooltip."""
    return ["" if value is None else significant(value, digits) for value in values]


def render(chart: ChartSpec, words: Words) -> Figure:
    """Make the picture twice, for screens and for print."""
    page, printed = (chart.series(pixels) for pixels in (PAGE_PIXELS, PRINT_PIXELS))
    titles, tooltips = chart.tooltips
    has_names = chart.is_named and any(each.kind == "line" for each in page)
    shape = chart.high / SIDE
    low = SMALL_SIDE if chart.high == SIDE else chart.high
    windows = chart.windows or [Window("", chart.x_axis, chart.y_axis)]
    arrows = [chart.arrows(window) for window in windows]

    def names(
        series: Sequence[Series], wide: float, high: float, at: int = 0, margin: bool = False
    ) -> tuple[Label, ...]:
        pane = Pane(windows[at].x_axis, windows[at].y_axis, wide, high, margin=margin)
        return (*(labels(series, pane) if has_names else ()), *arrows[at])

    figure = Figure(
        chart.name,
        f"{words.caption} {NOTE}" if any(arrows) else words.caption,
        words.alt,
        draw(chart, page, words.alt),
        printed if chart.bars is None else (*chart.bars.printed, *printed),
        chart.x_axis,
        chart.y_axis,
        tooltip_titles=tuple(titles),
        probes=tuple(tooltips),
        windows=tuple(chart.windows),
        on_dev=chart.series(PAGE_PIXELS, chart.on_dev),
        bands_title=chart.bands[0],
        bands=chart.series(PAGE_PIXELS, chart.bands[1]),
        title=words.title,
        subtitle=words.subtitle,
        labels=names(printed, PAPER_SIDE, shape * PAPER_SIDE),
        shape=shape,
        placed=tuple(
            Placed(names(page, SIDE, chart.high, at, margin=True), names(page, SMALL_SIDE, low, at))
            for at in range(len(windows))
            if has_names or any(arrows)
        ),
    )
    HEARS_OF_FIGURES.get()(figure)
    return figure


def models_chart(
    view: DatasetView,
    name: str,
    x_axis: Axis,
    y_axis: Axis,
    lines: Strokes,
    guides: Sequence[Series] = (),
    *,
    thin: Strokes = (),
    bands: Strokes = (),
    points: Strokes = (),
    rings: Strokes = (),
    smooth: Strokes = (),
    labels: Mapping[str, str] = MappingProxyType({}),
    tooltips: Sequence[Tooltips] = (),
    on_dev: Strokes = (),
    on_request: tuple[str, Strokes] = ("", ()),
    **more: Any,
) -> ChartSpec:
    """Return a curve for each model in its own style, in drawn units, with what else is a model's.

    ``thin`` lines are dashed and have the colour of their model but no place in the legend; ``smooth`` ones
    are fitted curves, thin and darker over those of the trials. ``labels`` replaces printed names of models
    in this picture. ``guides`` are baselines with a name of their own. ``on_request`` names bands that pages
    draw when asked to. ``more`` are fields of the spec.
    """
    names = view.names | dict(labels)

    def marks(kind: SeriesKind, strokes: Strokes) -> list[Mark]:
        # Of a trial or two, some strokes have no vertex.
        return [
            Mark("" if kind == "guide" else names[model], kind, view.styles[model], vertices)
            for model, vertices in strokes
            if len(vertices[0])
        ]

    # The points of many models in grey would cover the lines of those in colour.
    grey = [model for model, _ in lines if is_context(view.styles[model])]
    pointed_at = {*view.results.models} - ({*grey} if len(grey) > MOST_CONTEXT else set())

    def ranked(strokes: Strokes) -> Strokes:
        return sorted(strokes, key=lambda stroke: view.ranked.index(stroke[0]))

    return ChartSpec(
        view.unique_name(name),
        x_axis,
        y_axis,
        [
            *guides,
            *marks("guide", ranked(thin)),
            *marks("band", ranked(bands)),
            *marks("line", ranked(lines)),
            *marks("smooth", ranked(smooth)),
            *marks("points", [each for each in points if each[0] in pointed_at]),
            *marks("rings", [each for each in rings if each[0] in pointed_at]),
        ],
        tooltips=tooltip_series(tooltips, names),
        on_dev=marks("line", on_dev),
        bands=(on_request[0], marks("band", on_request[1])),
        **more,
    )


D = TypeVar("D")


@dataclass(frozen=True, kw_only=True, eq=False)
class CurvePicture(Generic[D]):
    """How a curve is drawn and described.

    ``cases`` returns what each of its figures shows; where that is nothing, ``missing`` explains why in a
    sentence (none where the cautions do). ``caption``: how it was made; the alternative text is what the
    picture ``shows``, and the ``number`` that summarises each curve.
    """

    cases: Callable[[DatasetView], Sequence[D]]
    draw: Callable[[DatasetView, D], ChartSpec]
    caption: Callable[[DatasetView, D], str]
    shows: Callable[[DatasetView, D], str]
    number: Callable[[DatasetView, D], str]
    missing: Callable[[DatasetView], str]
    drawn: Callable[[DatasetView, D], str]
    """What is drawn, such as ``DET curves``."""
    finding: Callable[[DatasetView, D], str] = lambda view, case: ""
    """What the curves show of these models, which is true of the frame; empty where nothing simple is."""
    more: Callable[[DatasetView], str] = lambda view: ""
    """What is left out next to the figures that are drawn."""

    def figures(self, view: DatasetView) -> tuple[Figure, ...]:
        """Return the figures of a view."""
        return tuple(self._figure(view, case) for case in self.cases(view))

    def _figure(self, view: DatasetView, case: D) -> Figure:
        alt = f"{self.shows(view, case)}. {self.number(view, case)}".rstrip()
        # A finding on the models that are drawn need not be true of all.
        finding = self.finding(view, case) if len(view.drawn) == len(view.results.models) else ""
        title = finding or self.shows(view, case).removesuffix(" on the test set")
        subtitle = f"{self.drawn(view, case)}, {test_set(view)}"
        caption = f"{capitalised(self.caption(view, case))} {which_are_drawn(view)}".rstrip()
        return render(self.draw(view, case), Words(caption, alt, title, subtitle))

    def blocks(self, view: DatasetView) -> tuple[Block, ...]:
        """Return the figures, and in a sentence what cannot be drawn."""
        figures = self.figures(view)
        sentence = self.more(view) if figures else self.missing(view)
        return (*figures, Prose(sentence)) if sentence else figures


def curve_picture(curve: Curve) -> CurvePicture[Any]:
    """Return how a curve is drawn, importing it now."""
    picture: CurvePicture[Any] = imported(f"{curve.drawn_in}:{curve.key.upper()}")
    return picture
