"""What every picture is before it is drawn: rows of a frame, lines by model, tooltips, words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np
import polars as pl

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.extensions import attribute
from reporting.core.engine.curves import CURVES
from reporting.document.blocks import (
    Axis,
    Block,
    Figure,
    Placed,
    Prose,
    Series,
    SeriesKind,
    TooltipSeries,
    Window,
)
from reporting.document.charts.axes import (
    PAGE_PIXELS,
    PRINT_PIXELS,
    cut_off,
    near,
    places,
    reduce,
    spread,
)
from reporting.document.charts.captions import test_set, which_are_drawn
from reporting.document.charts.draw import PAPER_SIDE, SIDE, SMALL_SIDE, Shades, draw
from reporting.document.charts.labels import Square, labels
from reporting.document.frames.contract import Frame
from reporting.document.numbers import significant
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView

CELLS = 60
"""Places a reader can point at lie about this share of a frame apart."""
DIGITS = 5
"""Tooltips print numbers to so many digits."""

Vertices = tuple[FloatArray, ...]
"""x and y of a polyline in drawn units; of a band x, its lower and its upper y. All finite."""

Strokes = Sequence[tuple[str, Vertices]]
"""Polylines by the model they belong to; a model may have several."""


def rows_on_test(view: DatasetView, frame: Frame[Any]) -> pl.DataFrame:
    """Return the rows of a frame on test that belong to a view."""
    return view.part(view.results.frame(frame)).filter(pl.col("split") == "test")


def per_model(view: DatasetView, rows: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return the rows of every model that is drawn and has any, in the report's order."""
    of_model = rows.partition_by("model", as_dict=True)
    return {model: of_model[(model,)] for model in view.drawn if (model,) in of_model}


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


def probes(
    tooltips: Sequence[Tooltips], names: Mapping[str, str]
) -> tuple[tuple[str, ...], tuple[TooltipSeries, ...]]:
    """Return the titles of all tooltips and one probe for each curve, under printed names."""
    titles = tuple(dict.fromkeys(title for of_curve in tooltips for title in of_curve.texts))
    probes = []
    for of_curve in tooltips:
        nothing = ("",) * len(of_curve.x)
        texts = tuple(tuple(of_curve.texts.get(title, nothing)) for title in titles)
        x, y = (tuple(round(float(v), 5) for v in values) for values in (of_curve.x, of_curve.y))
        probes.append(TooltipSeries(names[of_curve.model], x, y, texts))
    return titles, tuple(probes)


def pointed(x: FloatArray, y: FloatArray, x_axis: Axis, y_axis: Axis) -> IntArray:
    """Return the vertices a reader can point at."""
    return spread(x, y, x_axis, y_axis, CELLS)


def printed(values: pl.Series) -> list[str]:
    """Print numbers to a few digits; what is undefined has no tooltip."""
    return ["" if value is None else significant(value, DIGITS) for value in values]


@dataclass(frozen=True)
class Sketch:
    """A picture before it is drawn: ``page`` becomes the spec, ``printed`` the plain series."""

    name: str
    page: Sequence[Series]
    printed: Sequence[Series]
    x_axis: Axis
    y_axis: Axis
    shades: Shades | None = None
    probes: tuple[Sequence[str], Sequence[TooltipSeries]] = ((), ())
    """The titles of the tooltips, and the places that have some."""
    windows: Sequence[Window] = ()
    on_dev: Sequence[Series] = ()
    bands: tuple[str, Sequence[Series]] = ("", ())
    """What bands are, and those that are drawn on request."""


def figure(sketch: Sketch, words: Words) -> Figure:
    """Make the picture twice, for screens and for print."""
    page = draw(sketch.name, sketch.page, sketch.x_axis, sketch.y_axis, sketch.shades)
    shown = [(window.x_axis, window.y_axis) for window in sketch.windows]
    titles, probes = sketch.probes
    return Figure(
        sketch.name,
        words.caption,
        words.alt,
        page | {"description": words.alt},
        tuple(sketch.printed),
        sketch.x_axis,
        sketch.y_axis,
        tooltip_titles=tuple(titles),
        probes=tuple(probes),
        windows=tuple(sketch.windows),
        on_dev=tuple(sketch.on_dev),
        bands_title=sketch.bands[0],
        bands=tuple(sketch.bands[1]),
        title=words.title,
        subtitle=words.subtitle,
        labels=labels(sketch.printed, Square(sketch.x_axis, sketch.y_axis, PAPER_SIDE)),
        placed=tuple(
            Placed(
                labels(sketch.page, Square(*axes, SIDE, margin=True)),
                labels(sketch.page, Square(*axes, SMALL_SIDE)),
            )
            for axes in shown or [(sketch.x_axis, sketch.y_axis)]
        ),
    )


@dataclass(frozen=True)
class Picture:
    """One curve per model on two axes, in drawn units and by model key; colours and pixels come later.

    ``thin`` lines are dashed and have the colour of their model but no place in the legend. ``labels``
    replaces printed names of models in this picture. ``guides`` are baselines with a name of their own.
    """

    name: str
    x_axis: Axis
    y_axis: Axis
    lines: Strokes
    guides: Sequence[Series] = ()
    thin: Strokes = ()
    bands: Strokes = ()
    points: Strokes = ()
    rings: Strokes = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    shades: Shades | None = None
    smooth: Strokes = ()
    """Fitted curves, thin and darker over those of the trials."""
    tooltips: Sequence[Tooltips] = ()
    windows: Sequence[Window] = ()
    """Other ranges to look through on a page, in which the curves are as exact."""
    on_dev: Strokes = ()
    on_request: tuple[str, Strokes] = ("", ())
    """What bands are that pages draw when asked to, and the bands."""


def drawn(view: DatasetView, picture: Picture, words: Words) -> Figure:
    """Draw a picture with the words given."""
    return figure(sketched(view, picture), words)


def sketched(view: DatasetView, picture: Picture) -> Sketch:
    """Return each model in its own style, with as many vertices as the pixels can show."""
    names = view.names | dict(picture.labels)
    return Sketch(
        name=view.unique_name(picture.name),
        page=_series(view, picture, names, PAGE_PIXELS),
        printed=_series(view, picture, names, PRINT_PIXELS),
        x_axis=picture.x_axis,
        y_axis=picture.y_axis,
        shades=picture.shades,
        probes=probes(picture.tooltips, names),
        windows=picture.windows,
        on_dev=[
            Series(names[model], "line", view.styles[model], *_kept(vertices, picture, PAGE_PIXELS))
            for model, vertices in _drawn(picture.on_dev)
        ],
        bands=(
            picture.on_request[0],
            [
                Series(names[model], "band", view.styles[model], *_kept(vertices, picture, PAGE_PIXELS))
                for model, vertices in _drawn(picture.on_request[1])
            ],
        ),
    )


def _series(view: DatasetView, picture: Picture, names: Mapping[str, str], pixels: int) -> list[Series]:
    styles, series = view.styles, list(picture.guides)
    for model, vertices in _in_order(view, picture.thin):
        series.append(Series("", "guide", styles[model], *_kept(vertices, picture, pixels)))
    strokes: Sequence[tuple[SeriesKind, Strokes]] = (
        ("band", picture.bands),
        ("line", picture.lines),
        ("smooth", picture.smooth),
    )
    for kind, of_models in strokes:
        for model, vertices in _in_order(view, of_models):
            series.append(Series(names[model], kind, styles[model], *_kept(vertices, picture, pixels)))
    marks: Sequence[tuple[SeriesKind, Strokes]] = (("points", picture.points), ("rings", picture.rings))
    for kind, of_models in marks:
        for model, (x, y) in of_models:
            inside = near(x, picture.x_axis, 0.0), near(y, picture.y_axis, 0.0)
            series.append(Series(names[model], kind, styles[model], *map(places, inside)))
    return series


def _in_order(view: DatasetView, strokes: Strokes) -> Strokes:
    """Return the strokes of the models from the best on."""
    return sorted(_drawn(strokes), key=lambda stroke: view.ranked.index(stroke[0]))


def _drawn(strokes: Strokes) -> Strokes:
    """Return the strokes that have a vertex: of a trial or two, some have none."""
    return [(model, vertices) for model, vertices in strokes if len(vertices[0])]


def _kept(vertices: Vertices, picture: Picture, pixels: int) -> list[tuple[float, ...]]:
    """Return the vertices that show, and where the strokes between them leave the frame."""
    x, *ys = vertices
    windows = [(picture.x_axis, picture.y_axis)]
    if pixels == PAGE_PIXELS:
        windows += [(window.x_axis, window.y_axis) for window in picture.windows]
    kept = np.unique(np.concatenate([reduce(x, tuple(ys), *window, pixels) for window in windows]))
    x_axis, y_axis = (
        Axis("", min(window[i].low for window in windows), max(window[i].high for window in windows), ())
        for i in (0, 1)
    )
    axes = (x_axis, *[y_axis] * len(ys))
    return [places(values) for values in cut_off([values[kept] for values in vertices], axes)]


@dataclass(frozen=True, eq=False)
class Stroke:
    """A named line of no model, in drawn units; ``style`` as in ``document/blocks``, 0 the neutral dark."""

    label: str
    style: int
    x: FloatArray
    y: FloatArray


def plain_figure(
    name: str,
    axes: tuple[Axis, Axis],
    words: Words,
    lines: Sequence[Stroke],
    points: Sequence[Stroke] = (),
    others: Sequence[Series] = (),
) -> Figure:
    """Draw named lines and points; ``others`` (guides, bands, rings) lie below and are drawn unchanged."""
    dots = [
        Series(
            dots.label,
            "points",
            dots.style,
            places(near(dots.x, axes[0], 1.0)),
            places(near(dots.y, axes[1], 1.0)),
        )
        for dots in points
    ]
    page, printed = (
        [*others, *(_plain_line(line, axes, pixels) for line in lines), *dots]
        for pixels in (PAGE_PIXELS, PRINT_PIXELS)
    )
    return figure(Sketch(name, page, printed, *axes), words)


def _plain_line(line: Stroke, axes: tuple[Axis, Axis], pixels: int) -> Series:
    kept = reduce(line.x, (line.y,), *axes, pixels)
    return Series(line.label, "line", line.style, *map(places, cut_off((line.x[kept], line.y[kept]), axes)))


D = TypeVar("D")


@dataclass(frozen=True, kw_only=True, eq=False)
class CurvePicture(Generic[D]):
    """How a curve of ``CURVES`` is drawn and described.

    ``cases`` returns what each of its figures shows; where that is nothing, ``missing`` explains why in a
    sentence (none where the cautions do). ``caption``: how it was made; the alternative text is what the
    picture ``shows``, and the ``number`` that summarises each curve.
    """

    cases: Callable[[DatasetView], Sequence[D]]
    draw: Callable[[DatasetView, D], Sketch]
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
        return figure(self.draw(view, case), Words(caption, alt, title, subtitle))

    def blocks(self, view: DatasetView) -> tuple[Block, ...]:
        """Return the figures, and in a sentence what cannot be drawn."""
        figures = self.figures(view)
        sentence = self.more(view) if figures else self.missing(view)
        return (*figures, Prose(sentence)) if sentence else figures


def curve_picture(word: str) -> CurvePicture[Any]:
    """Return the picture of a word of ``curves:``."""
    picture: CurvePicture[Any] = attribute(CURVES[word].drawn_in, word.upper())
    return picture
