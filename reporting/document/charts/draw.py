"""Plain series -> Vega-Lite, as plain values; every picture goes through it.

Series and axes are in drawn units (percent, probits, alpha), so a spec, a PGFPlots file and a data
file show the same picture without any of them computing.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from typing import Any

from reporting.base.legible import legible
from reporting.document import blocks
from reporting.document.blocks import Spec
from reporting.document.charts import chart_spec
from reporting.document.charts.labels import MOST_CONTEXT, SIZE, Pane, labels, letters

OUTSIDE = (
    "scale('x', datum.x) < -1 || scale('x', datum.x) > width + 1"
    " || scale('y', datum.y) < -1 || scale('y', datum.y) > height + 1"
)
"""Whether a point lies beyond the frame of the window that is looked through."""
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.4.1.json"
FONT = "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"


def draw(chart: chart_spec.ChartSpec, series: Sequence[blocks.Series], description: str) -> Spec:
    """Return a self-contained Vega-Lite spec; a legend names the lines that have no room for their names.

    Its ``usermeta`` has the role of every layer, in their order.
    """
    named = labels(series, Pane(chart.x_axis, chart.y_axis, chart_spec.SIDE, chart.high, margin=True))
    brush = LayerBuilder(chart.name, series, chart.x_axis, chart.y_axis, named)
    layers = [
        *(("guide", layer) for layer in brush.guides(brush.of("guide"))),
        *(("band", layer) for layer in brush.bands(brush.of("band"))),
        *((chart_spec.CURVES_LAYER, layer) for layer in brush.lines(brush.of("line"))),
        *(("smooth", layer) for layer in brush.smooth(brush.of("smooth"))),
        *(("shades", layer) for layer in brush.shades(chart.shades)),
        *(("points", layer) for layer in brush.marks(brush.of("points"), filled=True)),
        *(("rings", layer) for layer in brush.marks(brush.of("rings"), filled=False)),
        *(
            (chart_spec.NAMES_LAYER, layer)
            for layer in brush.names(
                [*(name for name in named if chart.is_named or not name.of_line), *chart.arrows()]
            )
        ),
    ]
    roles, drawn = zip(*layers, strict=True) if layers else ((), ())
    spec: Spec = {
        "config": _look(),
        "layer": list(drawn),
        "background": "white",
        "height": chart.high,
        "width": chart_spec.SIDE,
        "$schema": SCHEMA,
        "datasets": brush.tables,
        "usermeta": {"layers": list(roles)},
    }
    if chart.bars is not None:
        axes = spec["layer"][0]["encoding"] if layers else brush.axes
        _add_bars(spec, axes, chart.bars, f"{chart.name}_bars")
    _add_sides(spec, chart.x_axis)
    if chart.left is not None:
        spec["config"] |= {"axisY": {"minExtent": chart.left, "maxExtent": chart.left}}
    spec["description"] = description
    json.dumps(spec, allow_nan=False)  # browsers reject NaN and Infinity: fail here, not on the page
    return spec


def _add_bars(spec: Spec, axes: Spec, bars: chart_spec.BarRows, table: str) -> None:
    """Put rectangles under the guides of a spec, on the same axes."""
    for axis, look in zip("xy", bars.looks, strict=True):
        axes[axis]["axis"] |= look
    corners = {"x": axes["x"], "x2": {"field": "x2"}, "y": axes["y"], "y2": {"field": "y2"}}
    fill = {"color": {"field": "fill", "type": "nominal", "scale": None, "legend": None}}
    under = {"data": {"name": table}, "mark": {"type": "rect"}, "encoding": corners | fill}
    spec["usermeta"]["layers"].insert(0, "bars")
    spec["layer"].insert(0, under)
    spec["datasets"] |= {table: list(bars.cells)}


BELOW_NUMBERS, FOLDED = 24, 12
"""Pixels from the frame to what lies below its numbers, and its letters in a line on phones."""


def _add_sides(spec: Spec, axis: blocks.Axis) -> None:
    """Write below the numbers what the ends of an axis mean, in two lines where they would meet."""
    needed = sum(SIZE * letters(text) for text in axis.sides) + SIZE
    for text, align, x in zip(axis.sides, ("left", "right"), (0, "width"), strict=False):
        rows = [{"folded": "\n".join(textwrap.wrap(text, FOLDED))}]
        mark = {"type": "text", "align": align, "baseline": "top", "lineBreak": "\n", "dy": BELOW_NUMBERS}
        mark |= {"fontSize": SIZE, "fontWeight": 600, "color": blocks.NEUTRAL}
        narrow = {"test": f"width < {needed:.0f}", "field": "folded", "type": "nominal"}
        words_of = {"condition": narrow, "value": text}
        places = {"x": {"value": x}, "y": {"value": "height"}, "text": words_of}
        spec["layer"].append({"data": {"values": rows}, "mark": mark, "encoding": places})
        spec["usermeta"]["layers"].append("sides")


class LayerBuilder:
    """The encodings that all layers of one picture share."""

    def __init__(
        self,
        name: str,
        series: Sequence[blocks.Series],
        x_axis: blocks.Axis,
        y_axis: blocks.Axis,
        named: Sequence[blocks.Label],
    ) -> None:
        self.name = name
        self.series = series
        self.tables: dict[str, list[Spec]] = {}
        self.style = {s.label: s.style for s in series if s.kind == "line"}
        self.owner = {style: label for label, style in reversed(self.style.items())}
        named_ones = {label.owner for label in named}
        many = sum(map(blocks.is_context, self.style.values())) > MOST_CONTEXT
        self.unnamed = [
            label
            for label, style in self.style.items()
            if label not in named_ones and not (many and blocks.is_context(style))
        ]
        self.x_axis, self.y_axis = x_axis, y_axis

    @property
    def axes(self) -> Spec:
        """Both axes, anew for each layer: bars change them."""
        return {"x": _place("x", self.x_axis), "y": _place("y", self.y_axis)}

    def of(self, kind: blocks.SeriesKind) -> list[blocks.Series]:
        """Return the series that are drawn in this way."""
        return [each for each in self.series if each.kind == kind]

    def guides(self, series: list[blocks.Series]) -> list[Spec]:
        """Dashed thin lines: baselines, and other curves of a model, which have its colour."""
        layers = []
        for guide in series:
            owned = not guide.label and guide.style in self.owner
            ink = blocks.GUIDE if guide.label else blocks.colour(guide.style)
            mark = {"type": "line", "clip": True, "opacity": 0.8, "strokeDash": [3, 3], "strokeWidth": 1}
            shade = self._colour() if owned else {"value": ink}
            layers.append(self._layer(self._values([guide]), mark, color=shade, order=_field("n")))
        return layers

    def names(self, named: Sequence[blocks.Label]) -> list[Spec]:
        """The names of lines in a darker shade of their colour, and of guides in grey."""
        rows = {of_line: [name for name in named if name.of_line == of_line] for of_line in (False, True)}
        return [self._names(some, of_line) for of_line, some in rows.items() if some]

    def _names(self, named: Sequence[blocks.Label], of_line: bool) -> Spec:
        rows = [
            {
                "text": label.text,
                "x": label.x,
                "y": label.y,
                "ends": label.ends,
                "ink": blocks.darkened(label.style) if label.of_line else blocks.GUIDE,
            }
            for label in named
        ]
        mark = {
            "type": "text",
            "align": {"expr": "datum.ends ? 'right' : 'left'"},
            "baseline": "middle",
            "fontSize": SIZE,
            "fontWeight": 600 if of_line else 400,
        }
        ink = _field("ink", "nominal", scale=None, legend=None)
        layer = self._layer(rows, mark, text=_field("text", "nominal"), color=ink)
        return layer | {"name": f"{self.name}_{'names' if of_line else 'guide_names'}"}

    def bands(self, series: list[blocks.Series]) -> list[Spec]:
        """Light areas between two curves; those of no model are grey."""
        layers = []
        for grey in (True, False):
            chosen = [band for band in series if (not band.label) == grey]
            if not chosen:
                continue
            mark = {"type": "area", "clip": True, "opacity": 0.2 if grey else 0.13}
            shade = {"value": blocks.GUIDE} if grey else self._colour()
            part = _field("part", "nominal")
            layers.append(
                self._layer(self._values(chosen), mark, color=shade, detail=part, y2={"field": "y2"})
            )
        return layers

    def lines(self, series: list[blocks.Series]) -> list[Spec]:
        """Return the curves, one per model, with the legend."""
        if not series:
            return []
        behind = sorted(series, key=lambda line: not blocks.is_context(line.style))
        widths = [1.0 if blocks.is_context(s) else 2.4 for s in self.style.values()]
        layer = self._layer(
            self._values(behind),
            {"type": "line", "clip": True, "strokeJoin": "round"},
            color=self._colour(),
            detail=_field("part", "nominal"),
            order=_field("n"),
            strokeDash=self._by_model([list(blocks.dash(s)) for s in self.style.values()]),
            strokeWidth=_field(
                "model",
                "nominal",
                legend=None,
                scale={"domain": list(self.style), "range": widths, "type": "ordinal"},
            ),
        )
        return [layer | {"name": f"{self.name}_curves"}]

    def smooth(self, series: list[blocks.Series]) -> list[Spec]:
        """Fitted curves: thin, and darker than the curves of the trials that they run over."""
        layers = []
        for curve in series:
            mark = {"type": "line", "clip": True, "color": blocks.darkened(curve.style), "strokeWidth": 1.1}
            layers.append(self._layer(self._values([curve]), mark, order=_field("n")))
        return layers

    def shades(self, shades: chart_spec.Shades | None) -> list[Spec]:
        """Segments whose colour runs along the curve; a channel of their own leaves that of the models."""
        if shades is None:
            return []
        x, y = shades.x, shades.y
        ends = zip(x[:-1], y[:-1], x[1:], y[1:], shades.shade, strict=True)
        rows = [dict(zip(("x", "y", "x2", "y2", "shade"), row, strict=True)) for row in ends]
        mark = {"type": "rule", "clip": True, "strokeCap": "round", "strokeWidth": 5}
        scale = {"domain": [0, 1], "scheme": "viridis"}
        ink = _field("shade", legend=_shade_legend(shades), scale=scale)
        return [self._layer(rows, mark, stroke=ink, x2={"field": "x2"}, y2={"field": "y2"})]

    def marks(self, series: list[blocks.Series], filled: bool) -> list[Spec]:
        """Dots, or rings around nothing."""
        if not series:
            return []
        mark = {"type": "point", "filled": filled, "size": 45 if filled else 110, "strokeWidth": 1.6}
        seen = {"condition": {"test": OUTSIDE, "value": 0}, "value": 1}
        shown = [_field("model", "nominal")]
        return [self._layer(self._values(series), mark, color=self._colour(), opacity=seen, tooltip=shown)]

    def _colour(self) -> Spec:
        return self._by_model([blocks.colour(style) for style in self.style.values()])

    def _by_model(self, values: list[Any]) -> Spec:
        scale = {"domain": list(self.style), "range": values}
        return _field("model", "nominal", legend=self.legend, scale=scale)

    def _values(self, series: Sequence[blocks.Series]) -> list[Spec]:
        """Return the vertices; ``n`` keeps the order of vertices, which is not that of x."""
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
        return rows

    def _layer(self, rows: list[Spec], mark: Spec, **channels: Spec | list[Spec]) -> Spec:
        """Return a layer on the axes of all; its rows are laid aside under a name."""
        name = f"{self.name}_{len(self.tables)}"
        self.tables[name] = rows
        return {
            "data": {"name": name},
            "mark": mark,
            "encoding": dict(sorted((self.axes | channels).items())),
        }

    @property
    def legend(self) -> Spec | None:
        """Below the picture, in as many columns as names allow; none where all lines are named."""
        if not self.unnamed:
            return None
        longest = max(len(name) for name in self.unnamed)
        return {
            "columns": max(1, min(4, chart_spec.SIDE // (45 + 7 * min(longest, 40)))),
            "labelLimit": 300,
            "orient": "bottom",
            "symbolOpacity": 1,
            "symbolSize": 500,
            "symbolType": "stroke",
            "title": None,
            "values": self.unnamed,
        }


def _field(name: str, kind: str = "quantitative", **more: Any) -> Spec:
    return dict(sorted({"field": name, "type": kind, **more}.items()))


def _shade_legend(shades: chart_spec.Shades) -> Spec:
    steps = len(shades.ticks) - 1
    return {
        "gradientLength": chart_spec.SIDE // 2,
        "labelExpr": f"{json.dumps(shades.ticks)}[round(datum.value * {steps})]",
        "orient": "bottom",
        "title": shades.title,
        "values": [k / steps for k in range(steps + 1)],
    }


def _place(channel: str, axis: blocks.Axis) -> Spec:
    """Return an axis with our ticks and their texts: Vega numbers them by their share of the last index."""
    texts = [legible(text) for _, text in axis.ticks]  # before JSON turns it into escapes
    label = f"{json.dumps(texts)}[round(datum.index * {len(axis.ticks) - 1})]"
    ticks = {
        "labelExpr": rf"split({label}, '\n')" if any("\n" in text for text in texts) else label,
        "values": [place for place, _ in axis.ticks],
    }
    scale = {"domain": [axis.low, axis.high], "nice": False, "zero": False}
    title = axis.title.split("\n") if "\n" in axis.title else axis.title
    return _field(channel, axis=ticks, scale=scale, title=title)


def _look() -> Spec:
    ink = "#888888"
    return {
        "view": {"continuousWidth": 300, "continuousHeight": 300, "stroke": ink},
        "axis": {
            "domainColor": ink,
            "gridColor": "#E8E8E8",
            "labelFlush": False,
            "labelFontSize": SIZE,
            "labelSeparation": 4,
            "tickColor": ink,
            "titleFontSize": SIZE,
            "titleFontWeight": "normal",
        },
        "font": FONT,
        "legend": {"labelFontSize": SIZE},
    }
