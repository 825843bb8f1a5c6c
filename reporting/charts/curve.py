"""One curve per model on two axes: what every picture of curves is before it is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from reporting.charts.decimate import PAGE_PIXELS, PRINT_PIXELS, decimate
from reporting.charts.draw import Shades, Sketch, Words, figure
from reporting.charts.scope import Scope
from reporting.report.blocks import Axis, Figure, Series
from reporting.stats.staircase import FloatArray

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


def drawn(scope: Scope, picture: Picture, words: Words) -> Figure:
    """Draw a picture: each model in its own style, as many vertices as the pixels can show."""
    sketch = Sketch(
        page=_series(scope, picture, PAGE_PIXELS),
        printed=_series(scope, picture, PRINT_PIXELS),
        x_axis=picture.x_axis,
        y_axis=picture.y_axis,
        faded=scope.faded,
        shades=picture.shades,
    )
    return figure(scope.called(picture.name), words, sketch)


def _series(scope: Scope, picture: Picture, pixels: int) -> list[Series]:
    names, styles = scope.names | dict(picture.labels), scope.styles
    series = list(picture.guides)
    for model, vertices in picture.thin:
        x, y = _kept(vertices, picture, pixels)
        series.append(Series("", "guide", styles[model], x, y))
    for model, vertices in picture.bands:
        x, low, high = _kept(vertices, picture, pixels)
        series.append(Series(names[model], "band", styles[model], x, low, high))
    for model, vertices in picture.lines:
        x, y = _kept(vertices, picture, pixels)
        series.append(Series(names[model], "line", styles[model], x, y))
    for model, vertices in picture.smooth:
        x, y = _kept(vertices, picture, pixels)
        series.append(Series(names[model], "smooth", styles[model], x, y))
    for model, vertices in picture.points:
        series.append(Series(names[model], "points", styles[model], *_inside(vertices, picture)))
    for model, vertices in picture.rings:
        series.append(Series(names[model], "rings", styles[model], *_inside(vertices, picture)))
    return series


def _kept(vertices: Vertices, picture: Picture, pixels: int) -> list[tuple[float, ...]]:
    """The vertices that show, none farther out than a frame's width: printers know no huge lengths."""
    x, *ys = vertices
    kept = decimate(x, tuple(ys), picture.x_axis, picture.y_axis, pixels)
    axes = (picture.x_axis, *[picture.y_axis] * len(ys))
    return [places(_near(values[kept], axis, 1.0)) for values, axis in zip(vertices, axes, strict=True)]


def _inside(vertices: Vertices, picture: Picture) -> tuple[tuple[float, ...], tuple[float, ...]]:
    x, y = vertices
    return places(_near(x, picture.x_axis, 0.0)), places(_near(y, picture.y_axis, 0.0))


def _near(values: FloatArray, axis: Axis, frames: float) -> FloatArray:
    room = frames * (axis.high - axis.low)
    return np.clip(values, axis.low - room, axis.high + room)


def places(values: FloatArray) -> tuple[float, ...]:
    """Drawn coordinates as plain numbers, to a ten-thousandth of a pixel and no longer than that."""
    return tuple(float(v) for v in np.round(values, 5))
