"""Plain series -> Vega-Lite, written as JSON is; every picture goes through it.

Series and axes are in drawn units (percent, probits, alpha), so a spec, a PGFPlots file and a data
file show the same picture without any of them computing. Keys are in alphabetical order: it decides in
which order a picture describes its marks.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reporting.charts.labels import GUIDE_SIZE, SIZE, Square, labels
from reporting.report.blocks import GUIDE, Axis, Label, Series, colour, darkened, dash, is_context

SIDE, SMALL_SIDE, PAPER_SIDE = 460, 300, 240
"""The side of a frame in pixels on wide pages, on phones, and on paper, where letters are larger for it."""
FONT = "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.4.1.json"

Spec = dict[str, Any]
"""A Vega-Lite spec, a part of one, or a row of its data."""


@dataclass(frozen=True)
class Shades:
    """A curve whose colour runs along it, on screens only: ``shade`` in [0, 1] of each of its segments.

    ``ticks`` are the texts of equally spaced shades from 0 to 1, for the legend called ``title``.
    """

    title: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    shade: tuple[float, ...]
    ticks: tuple[str, ...]


def draw(
    name: str,
    series: Sequence[Series],
    x_axis: Axis,
    y_axis: Axis,
    shades: Shades | None = None,
) -> Spec:
    """Return a self-contained Vega-Lite spec; a legend names the lines that have no room for their names."""
    named = labels(series, Square(x_axis, y_axis, SIDE, margin=True))
    brush = _Brush(name, series, x_axis, y_axis, named)
    layers = [
        *brush.guides([s for s in series if s.kind == "guide"]),
        *brush.bands([s for s in series if s.kind == "band"]),
        *brush.lines([s for s in series if s.kind == "line"]),
        *brush.smooth([s for s in series if s.kind == "smooth"]),
        *brush.shades(shades),
        *brush.marks([s for s in series if s.kind == "points"], filled=True),
        *brush.marks([s for s in series if s.kind == "rings"], filled=False),
        *brush.names(named),
    ]
    spec: Spec = {
        "config": LOOK,
        "layer": layers,
        "background": "white",
        "height": SIDE,
        "width": SIDE,
        "$schema": SCHEMA,
        "datasets": brush.tables,
    }
    json.dumps(spec, allow_nan=False)  # browsers reject NaN and Infinity: fail here, not on the page
    return spec


def draw_cells(
    name: str,
    guides: Sequence[Series],
    axes: tuple[Axis, Axis],
    table: str,
    cells: list[Spec],
    *,
    mark: Spec,
    looks: tuple[Spec, Spec],
    channels: Spec | None = None,
    text: Spec | None = None,
) -> Spec:
    """Return a spec of rectangles under guides, on the same axes, which get the ``looks``.

    Each cell has corners (``x``, ``x2``, ``y``, ``y2``) and a ``fill``, and with a mark for it a ``text`` in
    its middle.
    """
    spec = draw(name, guides, *axes)
    drawn = spec["layer"][0]["encoding"]
    for axis, look in zip("xy", looks, strict=True):
        drawn[axis] = drawn[axis] | {"axis": drawn[axis]["axis"] | look}
    corners = {"x": drawn["x"], "x2": {"field": "x2"}, "y": drawn["y"], "y2": {"field": "y2"}}
    fill = {"color": {"field": "fill", "type": "nominal", "scale": None, "legend": None}}
    data: Spec = {"data": {"name": table}}
    layers = [data | {"mark": mark, "encoding": corners | fill | (channels or {})}, *spec["layer"]]
    if text is not None:
        middle = {axis: drawn[axis] | {"field": f"middle_{axis}"} for axis in ("x", "y")}
        shown = {"text": {"field": "text", "type": "nominal"}}
        layers.append(data | {"mark": text, "encoding": middle | shown})
    spec |= {"layer": layers, "datasets": spec["datasets"] | {table: cells}}
    json.dumps(spec, allow_nan=False)
    return spec


class _Brush:
    """The encodings that all layers of one picture share."""

    def __init__(
        self, name: str, series: Sequence[Series], x_axis: Axis, y_axis: Axis, named: Sequence[Label]
    ) -> None:
        self.name = name
        self.tables: dict[str, list[Spec]] = {}
        self.style = {s.label: s.style for s in series if s.kind == "line"}
        self.owner = {style: label for label, style in reversed(self.style.items())}
        self.unnamed = [label for label in self.style if label not in {label.owner for label in named}]
        self.axes = {"x": _axis("x", x_axis), "y": _axis("y", y_axis)}

    def guides(self, series: list[Series]) -> list[Spec]:
        """Thin dashed lines: baselines, and other curves of a model, which have its colour."""
        layers = []
        for guide in series:
            owned = not guide.label and guide.style in self.owner
            ink = self._colour() if owned else {"value": GUIDE if guide.label else colour(guide.style)}
            mark = {"type": "line", "clip": True, "opacity": 0.8, "strokeDash": [3, 3], "strokeWidth": 1}
            layers.append(self._layer(self._values([guide]), mark, {"color": ink, "order": IN_ORDER}))
        return layers

    def names(self, named: Sequence[Label]) -> list[Spec]:
        """The names of lines in a darker shade of their colour, and of guides in grey."""
        rows = {of_line: [name for name in named if name.of_line == of_line] for of_line in (False, True)}
        return [self._names(some, of_line) for of_line, some in rows.items() if some]

    def _names(self, named: Sequence[Label], of_line: bool) -> Spec:
        mark = {
            "type": "text",
            "align": {"expr": "datum.ends ? 'right' : 'left'"},
            "baseline": "middle",
            "fontSize": SIZE if of_line else GUIDE_SIZE,
            "fontWeight": 600 if of_line else 400,
        }
        ink = {"field": "ink", "legend": None, "scale": None, "type": "nominal"}
        channels = {"text": {"field": "text", "type": "nominal"}, "color": ink}
        table = self._named([_row(label) for label in named])
        return self._layer(table, mark, channels, "names" if of_line else "guide_names")

    def bands(self, series: list[Series]) -> list[Spec]:
        """Light areas between two curves; those of no model are grey."""
        layers = []
        for grey in (True, False):
            chosen = [band for band in series if (not band.label) == grey]
            if not chosen:
                continue
            mark = {"type": "area", "clip": True, "opacity": 0.2 if grey else 0.13}
            ink = {"value": GUIDE} if grey else self._colour()
            channels = {"y2": {"field": "y2"}, "detail": BY_PART, "color": ink}
            layers.append(self._layer(self._values(chosen), mark, channels))
        return layers

    def lines(self, series: list[Series]) -> list[Spec]:
        """Return the curves, one per model, with the legend."""
        if not series:
            return []
        behind = sorted(series, key=lambda line: not is_context(line.style))
        mark = {"type": "line", "clip": True, "strokeJoin": "round"}
        dashes = self._by_model([list(dash(style)) for style in self.style.values()])
        weights = self._by_model([_weight(style) for style in self.style.values()]) | {"type": "ordinal"}
        channels = {
            "color": self._colour(),
            "strokeDash": _model_channel(dashes, self.legend),
            "strokeWidth": _model_channel(weights, None),
            "detail": BY_PART,
            "order": IN_ORDER,
        }
        return [self._layer(self._values(behind), mark, channels, "curves")]

    def smooth(self, series: list[Series]) -> list[Spec]:
        """Fitted curves: thin, and darker than the curves of the trials that they run over."""
        layers = []
        for curve in series:
            mark = {"type": "line", "clip": True, "color": darkened(curve.style), "strokeWidth": 1.1}
            layers.append(self._layer(self._values([curve]), mark, {"order": IN_ORDER}))
        return layers

    def shades(self, shades: Shades | None) -> list[Spec]:
        """Segments whose colour runs along the curve; a channel of their own leaves that of the models."""
        if shades is None:
            return []
        x, y = shades.x, shades.y
        ends = zip(x[:-1], y[:-1], x[1:], y[1:], shades.shade, strict=True)
        rows = [dict(zip(("x", "y", "x2", "y2", "shade"), row, strict=True)) for row in ends]
        mark = {"type": "rule", "clip": True, "strokeCap": "round", "strokeWidth": 5}
        stroke = {
            "field": "shade",
            "legend": _shade_legend(shades),
            "scale": {"domain": [0, 1], "scheme": "viridis"},
            "type": "quantitative",
        }
        channels = {"stroke": stroke, "x2": {"field": "x2"}, "y2": {"field": "y2"}}
        return [self._layer(self._named(rows), mark, channels)]

    def marks(self, series: list[Series], filled: bool) -> list[Spec]:
        """Dots, or rings around nothing."""
        if not series:
            return []
        mark = {"type": "point", "filled": filled, "size": 45 if filled else 110, "strokeWidth": 1.6}
        tooltip = [{"field": "model", "type": "nominal"}]
        return [self._layer(self._values(series), mark, {"color": self._colour(), "tooltip": tooltip})]

    def _layer(self, table: str, mark: Spec, channels: Spec, name: str = "") -> Spec:
        """Return the marks of a table on the axes of the picture."""
        encoding = dict(sorted((channels | self.axes).items()))
        layer: Spec = {"data": {"name": table}, "mark": mark, "encoding": encoding}
        return layer | {"name": f"{self.name}_{name}"} if name else layer

    def _colour(self) -> Spec:
        return _model_channel(self._by_model([colour(style) for style in self.style.values()]), self.legend)

    def _by_model(self, values: list[Any]) -> Spec:
        return {"domain": list(self.style), "range": values}

    def _values(self, series: Sequence[Series]) -> str:
        """Lay rows aside under a name; ``n`` keeps the order of vertices, which is not that of x."""
        rows: list[Spec] = []
        parts: dict[str, int] = {}
        for line in series:
            # A thin line without a name of its own belongs to the model of its style.
            is_thin = line.kind == "guide" and not line.label
            model = self.owner.get(line.style, "") if is_thin else line.label
            upper = line.y_high or (None,) * len(line.x)
            part = parts[line.label] = parts.get(line.label, -1) + 1
            for n, (x, y, high) in enumerate(zip(line.x, line.y, upper, strict=True)):
                row = {"model": model, "n": n, "x": x, "y": y}
                row |= {"part": part} if part else {}
                rows.append(row if high is None else row | {"y2": high})
        return self._named(rows)

    def _named(self, rows: list[Spec]) -> str:
        name = f"{self.name}_{len(self.tables)}"
        self.tables[name] = rows
        return name

    @property
    def legend(self) -> Spec | None:
        """Below the picture, in as many columns as names allow; none where all lines are named."""
        if not self.unnamed:
            return None
        longest = max(len(name) for name in self.unnamed)
        return {
            "columns": max(1, min(4, SIDE // (45 + 7 * min(longest, 40)))),
            "labelLimit": 300,
            "orient": "bottom",
            "symbolOpacity": 1,
            "symbolSize": 500,
            "symbolType": "stroke",
            "title": None,
            "values": self.unnamed,
        }


IN_ORDER = {"field": "n", "type": "quantitative"}
BY_PART = {"field": "part", "type": "nominal"}


def _model_channel(scale: Spec, legend: Spec | None) -> Spec:
    return {"field": "model", "legend": legend, "scale": scale, "type": "nominal"}


def _row(label: Label) -> Spec:
    ink = darkened(label.style) if label.of_line else GUIDE
    return {"text": label.text, "x": label.x, "y": label.y, "ends": label.ends, "ink": ink}


def _weight(style: int) -> float:
    """Return the width of a model's line: that of the context is thin."""
    return 1.3 if is_context(style) else 2.4


def _shade_legend(shades: Shades) -> Spec:
    steps = len(shades.ticks) - 1
    return {
        "gradientLength": SIDE // 2,
        "labelExpr": f"{json.dumps(shades.ticks)}[round(datum.value * {steps})]",
        "orient": "bottom",
        "title": shades.title,
        "values": [k / steps for k in range(steps + 1)],
    }


def _axis(field: str, axis: Axis) -> Spec:
    return {
        "axis": _ticks(axis),
        "field": field,
        "scale": {"domain": [axis.low, axis.high], "nice": False, "zero": False},
        "title": axis.title.split("\n") if "\n" in axis.title else axis.title,
        "type": "quantitative",
    }


def _ticks(axis: Axis) -> Spec:
    """Our ticks with our texts: Vega numbers them by their share of the last index."""
    texts = [text for _, text in axis.ticks]
    label = f"{json.dumps(texts)}[round(datum.index * {len(axis.ticks) - 1})]"
    return {
        "labelExpr": rf"split({label}, '\n')" if any("\n" in text for text in texts) else label,
        "values": [place for place, _ in axis.ticks],
    }


INK = "#888888"
LOOK: Spec = {
    "view": {"continuousWidth": 300, "continuousHeight": 300, "stroke": INK},
    "axis": {
        "domainColor": INK,
        "gridColor": "#E8E8E8",
        "labelFlush": False,
        "labelFontSize": 12,
        "labelSeparation": 4,
        "tickColor": INK,
        "titleFontSize": 13,
        "titleFontWeight": "normal",
    },
    "font": FONT,
    "legend": {"labelFontSize": 12},
}
"""The config of every spec."""
