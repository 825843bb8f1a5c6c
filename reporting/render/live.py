"""Figure -> what a page draws it from when scripts run: compiled Vega, data by columns, and what is told.

The names of models are data throughout: no expression holds one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import Any

import vl_convert

from reporting.render.pictures import VEGA_LITE, Spec, within_one_unit
from reporting.report.blocks import Axis, Figure, Probe, Series

SCREEN = 20_000
"""Steps of a coordinate across a frame: a fortieth of a pixel."""
BETWEEN = "|"
"""Stands between the texts of a column; in a text a bar of another kind takes its place."""

ON_DEV, POINTED = "on_dev", "pointed"
SHARED_BY_ROWS = ("model", "part")
OFF = {"test": "indexof(off, datum.model) >= 0", "value": 0}
LIT = {"test": "lit === datum.model"}
DIMMED = {"test": "lit !== null && datum.model !== ''"}
BEHIND = 0.08
"""The opacity of all other models while one is singled out."""


@cache
def bundle() -> str:
    """Return the drawing library as one script, which hides its names but one: ``vegaEmbed``."""
    source = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=VEGA_LITE)
    return f"(() => {{{source}}})();".replace("</script", "<\\/script")


class SharedColumns:
    """Columns of texts, each stored once for all charts of a page."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, str], int] = {}

    def number_of(self, texts: Sequence[str]) -> int:
        """Return the number of a column; the total that all counts of a column are of stands there once."""
        tails = {text[text.find("/") :] if "/" in text else "" for text in texts if text}
        tail = tails.pop() if len(tails) == 1 else ""
        joined = BETWEEN.join(text.removesuffix(tail).replace(BETWEEN, "¦") for text in texts)
        return self.known.setdefault((joined, tail), len(self.known))

    def as_json(self) -> str:
        """Return all columns in the order of their numbers."""
        return compact(list(self.known))


def live_chart(figure: Figure, columns: SharedColumns) -> str:
    """Return the JSON of one chart for the script of the page."""
    spec = within_one_unit(_live(figure))
    chart = {
        "vega": _without_idle(vl_convert.vegalite_to_vega(spec, vl_version=VEGA_LITE)),
        "data": {name: _blocks(rows, figure) for name, rows in figure.spec.get("datasets", {}).items()},
        "axes": [figure.x_axis.title, figure.y_axis.title],
        "grid": {name: [axis.low, _step(axis)] for name, axis in _by_letter(figure).items()},
        "models": _models(figure.spec),
        "curves": f"{figure.name}_curves",
        "told": figure.told,
        "probes": [_probe(probe, figure, columns) for probe in figure.probes],
    }
    if figure.on_dev:
        chart["data"][ON_DEV] = [_on_dev(series, figure) for series in figure.on_dev]
    if len(figure.windows) > 1:
        chart["windows"] = [
            {"label": window.label, "x": _axis(window.x_axis), "y": _axis(window.y_axis)}
            for window in figure.windows
        ]
    return compact(chart)


IDLE = ("description", "defined", "sort")
"""What the compiler asks of every vertex and the rows answer: all are finite, in order, told of elsewhere."""


def _without_idle(vega: Any) -> Any:
    if isinstance(vega, list):
        return [_without_idle(item) for item in vega]
    if isinstance(vega, dict):
        return {name: _without_idle(item) for name, item in vega.items() if name not in IDLE}
    return vega


def compact(value: Any) -> str:
    """Print JSON for a script element."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def _live(figure: Figure) -> Spec:
    """The picture without data and legend; which models are off and which one is lit are signals."""
    spec = {key: value for key, value in figure.spec.items() if key not in ("datasets", "params")}
    if "layer" not in spec:
        return spec | {"datasets": figure.spec.get("datasets", {})}
    layers = [_layer(layer, _rows(figure.spec, layer)) for layer in spec["layer"]]
    curves = next((layer for layer in layers if layer.get("name") == f"{figure.name}_curves"), None)
    if curves is not None:
        layers += [_dev_layer(curves)] if figure.on_dev else []
        layers.append(_pointed_layer(curves))
    signals = [{"name": "off", "value": []}, {"name": "lit", "value": None}, {"name": "dev", "value": False}]
    return spec | {"layer": layers, "params": signals, "background": None}


def _rows(spec: Spec, layer: Spec) -> list[Spec]:
    # A picture of one layer alone has its data at the top.
    data = layer.get("data") or spec.get("data", {})
    rows: list[Spec] = spec.get("datasets", {}).get(data.get("name"), [])
    return rows


def _layer(layer: Spec, rows: list[Spec]) -> Spec:
    encoding = {name: _without_legend(name, channel) for name, channel in layer["encoding"].items()}
    encoding.pop("tooltip", None)
    if rows and "model" in rows[0]:
        mark = layer["mark"]
        usual = mark.get("opacity", 1.0) if isinstance(mark, dict) else 1.0
        encoding["opacity"] = _opacity(usual)
    return {key: value for key, value in layer.items() if key != "params"} | {"encoding": encoding}


def _without_legend(name: str, channel: Any) -> Any:
    if name in ("color", "strokeDash") and isinstance(channel, dict) and "field" in channel:
        return channel | {"legend": None}
    return channel


def _opacity(usual: float) -> Spec:
    dimmed = DIMMED | {"value": BEHIND * usual}
    return {"condition": [OFF, LIT | {"value": usual}, dimmed], "value": usual}


def _dev_layer(curves: Spec) -> Spec:
    """The curves on dev: thin and dashed in the colours of their models, unseen until asked for."""
    places = {name: curves["encoding"][name] for name in ("x", "y", "color", "detail", "order")}
    hidden = {"test": "!dev", "value": 0}
    opacity = _opacity(0.9)
    opacity["condition"] = [hidden, *opacity["condition"]]
    mark = {"type": "line", "clip": True, "strokeWidth": 1.3, "strokeDash": [5, 4]}
    return {"data": {"name": ON_DEV}, "mark": mark, "encoding": places | {"opacity": opacity}}


def _pointed_layer(curves: Spec) -> Spec:
    """A ring around the place that is told of."""
    places = {name: curves["encoding"][name] for name in ("x", "y", "color")}
    mark = {"type": "point", "filled": False, "size": 90, "strokeWidth": 2.5, "opacity": 1}
    return {"data": {"name": POINTED}, "mark": mark, "encoding": places}


def _models(spec: Spec) -> list[Spec]:
    """Name, colour and dash of every curve in the order of the legend."""
    for layer in spec.get("layer", ()):
        colour, dash = (layer["encoding"].get(name, {}) for name in ("color", "strokeDash"))
        if "scale" in dash and colour.get("scale"):
            names, inks = (colour["scale"][part] for part in ("domain", "range"))
            named = zip(within_one_unit(names), inks, dash["scale"]["range"], strict=True)
            return [{"name": name, "colour": ink, "dash": gaps} for name, ink, gaps in named]
    return []


def _blocks(rows: list[Spec], figure: Figure) -> list[Spec]:
    """Rows by columns: one block for each run of rows of the same model."""
    if not rows or "n" not in rows[0]:
        return [{"rows": within_one_unit(rows)}]
    blocks = []
    for shared, run in groupby(rows, key=lambda row: {name: row.get(name) for name in SHARED_BY_ROWS}):
        block = {name: value for name, value in shared.items() if value is not None}
        blocks.append(within_one_unit(block) | _places(list(run), figure))
    return blocks


def _places(run: list[Spec], figure: Figure) -> Mapping[str, Any]:
    axes = _by_letter(figure).items()
    return {name: _steps([row[name] for row in run], axis) for name, axis in axes if name in run[0]}


def _by_letter(figure: Figure) -> dict[str, Axis]:
    return {"x": figure.x_axis, "y": figure.y_axis, "y2": figure.y_axis}


def _on_dev(series: Series, figure: Figure) -> Spec:
    x, y = _steps(series.x, figure.x_axis), _steps(series.y, figure.y_axis)
    return {"model": within_one_unit(series.label), "x": x, "y": y}


def _probe(probe: Probe, figure: Figure, columns: SharedColumns) -> Spec:
    return {
        "model": within_one_unit(probe.label),
        "x": _steps(probe.x, figure.x_axis),
        "y": _steps(probe.y, figure.y_axis),
        "texts": [columns.number_of(texts) for texts in probe.texts],
    }


def _axis(axis: Axis) -> Spec:
    ticks, texts = zip(*axis.ticks, strict=True) if axis.ticks else ((), ())
    return {"domain": [axis.low, axis.high], "ticks": ticks, "texts": texts}


def _steps(values: Sequence[float], axis: Axis) -> list[int]:
    """Return coordinates as whole steps from one to the next, the first from the lower end of the axis."""
    at = [round((value - axis.low) / _step(axis)) for value in values]
    return [here - before for before, here in zip([0, *at], at, strict=False)]


def _step(axis: Axis) -> float:
    return (axis.high - axis.low) / SCREEN
