"""One curve per model on two axes: what every picture of curves is before it is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from reporting.charts.decimate import PAGE_PIXELS, PRINT_PIXELS, reduce
from reporting.charts.draw import Shades, Sketch, Words, figure
from reporting.charts.tell import Told, probes
from reporting.report.blocks import Axis, Figure, Series, Window
from reporting.stats.staircase import FloatArray
from reporting.wording.view import View

Vertices = tuple[FloatArray, ...]
"""x and y of a polyline in drawn units; of a band x, its lower and its upper y. All finite."""

Strokes = Sequence[tuple[str, Vertices]]
"""Polylines by the model they belong to; a model may have several."""


@dataclass(frozen=True)
class Picture:
    """What a picture shows, in drawn units and by model key; names, colours and pixels come later.

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
    told: Sequence[Told] = ()
    windows: Sequence[Window] = ()
    """Other ranges to look through on a page, in which the curves are as exact."""
    on_dev: Strokes = ()


def drawn(view: View, picture: Picture, words: Words) -> Figure:
    """Draw a picture: each model in its own style, as many vertices as the pixels can show."""
    sketch = Sketch(
        page=_series(view, picture, PAGE_PIXELS),
        printed=_series(view, picture, PRINT_PIXELS),
        x_axis=picture.x_axis,
        y_axis=picture.y_axis,
        faded=view.faded,
        shades=picture.shades,
        probes=probes(picture.told, view.names | dict(picture.labels)),
        windows=picture.windows,
        on_dev=_lines(view, picture, picture.on_dev, PAGE_PIXELS),
    )
    return figure(view.called(picture.name), words, sketch)


def _series(view: View, picture: Picture, pixels: int) -> list[Series]:
    names, styles = view.names | dict(picture.labels), view.styles
    series = list(picture.guides)
    for model, vertices in picture.thin:
        x, y = _kept(vertices, picture, pixels)
        series.append(Series("", "guide", styles[model], x, y))
    for model, vertices in picture.bands:
        x, low, high = _kept(vertices, picture, pixels)
        series.append(Series(names[model], "band", styles[model], x, low, high))
    series += _lines(view, picture, picture.lines, pixels)
    for model, vertices in picture.smooth:
        x, y = _kept(vertices, picture, pixels)
        series.append(Series(names[model], "smooth", styles[model], x, y))
    for model, vertices in picture.points:
        series.append(Series(names[model], "points", styles[model], *_inside(vertices, picture)))
    for model, vertices in picture.rings:
        series.append(Series(names[model], "rings", styles[model], *_inside(vertices, picture)))
    return series


def _lines(view: View, picture: Picture, strokes: Strokes, pixels: int) -> list[Series]:
    names = view.names | dict(picture.labels)
    found = []
    for model, vertices in strokes:
        x, y = _kept(vertices, picture, pixels)
        found.append(Series(names[model], "line", view.styles[model], x, y))
    return found


def _kept(vertices: Vertices, picture: Picture, pixels: int) -> list[tuple[float, ...]]:
    """The vertices that show, and where the strokes between them leave the frame."""
    x, *ys = vertices
    windows = [(picture.x_axis, picture.y_axis)]
    if pixels == PAGE_PIXELS:
        windows += [(window.x_axis, window.y_axis) for window in picture.windows]
    found = [reduce(x, tuple(ys), *window, pixels) for window in windows]
    kept = np.unique(np.concatenate(found))
    x_axis, y_axis = (_around([window[i] for window in windows]) for i in (0, 1))
    axes = (x_axis, *[y_axis] * len(ys))
    return [places(values) for values in cut_off([values[kept] for values in vertices], axes)]


def _around(axes: Sequence[Axis]) -> Axis:
    """The range that holds those of all the axes."""
    return Axis("", min(axis.low for axis in axes), max(axis.high for axis in axes), ())


def _inside(vertices: Vertices, picture: Picture) -> tuple[tuple[float, ...], tuple[float, ...]]:
    x, y = vertices
    return places(near(x, picture.x_axis, 0.0)), places(near(y, picture.y_axis, 0.0))


MARGIN = 0.02


def cut_off(columns: Sequence[FloatArray], axes: Sequence[Axis]) -> list[FloatArray]:
    """Return a polyline, or a band, that shows the same within the frame and stays near it.

    Where a stroke crosses a line just outside the frame it gets a vertex, and what lies beyond is moved onto
    that line. Pictures of far-off vertices take long to draw, and printers know no huge lengths.
    """
    # What is one frame's width away is far enough to keep the direction of a stroke to infinity.
    columns = [near(values, axis, 1.0) for values, axis in zip(columns, axes, strict=True)]
    at = [np.arange(len(columns[0]), dtype=np.float64)]
    for values, axis in zip(columns, axes, strict=True):
        room = MARGIN * (axis.high - axis.low)
        for line in (axis.low - room, axis.high + room):
            crossed = np.flatnonzero((values[:-1] < line) != (values[1:] < line))
            at.append(crossed + (line - values[crossed]) / (values[crossed + 1] - values[crossed]))
    order = np.unique(np.concatenate(at))
    return [
        near(np.interp(order, at[0], values), axis, MARGIN)
        for values, axis in zip(columns, axes, strict=True)
    ]


def near(values: FloatArray, axis: Axis, frames: float) -> FloatArray:
    """Return places no farther out of an axis than so many times its length."""
    room = frames * (axis.high - axis.low)
    return np.clip(values, axis.low - room, axis.high + room)


def places(values: FloatArray) -> tuple[float, ...]:
    """Drawn coordinates as plain numbers, to a ten-thousandth of a pixel and no longer than that."""
    return tuple(float(v) for v in np.round(values, 5))
