"""Figure -> what a page draws it from when scripts run: compiled Vega, data by columns, and what is shown.

The names of models are data throughout: no expression holds one.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

import vl_convert

from reporting.base.publish import replacing
from reporting.document.blocks import (
    GUIDE,
    Axis,
    Figure,
    Label,
    Series,
    Spec,
    TooltipSeries,
    colour,
    darkened,
    dash,
    in_colour,
    is_context,
)
from reporting.document.charts.chart_spec import CURVES_LAYER, NAMES_LAYER
from reporting.document.charts.labels import SIZE, letters
from reporting.render.pictures import VEGA_LITE, within_one_unit

SCREEN = 20_000
"""Steps of a coordinate across a frame: a fortieth of a pixel."""
BETWEEN = "|"
"""Separates the texts of a column; in a text a bar of another kind takes its place."""

ON_DEV, ON_REQUEST, POINTED = "on_dev", "bands", "pointed"
NAMES = {True: "names", False: "guide_names"}
"""The layers of names: of lines, and of guides."""
SHARED_BY_ROWS = ("model", "part")
REQUESTS = ("dev", "bands", "hues")
"""What a page shows when asked to: dev, bands, all models in colour."""
UNASKED: Spec = {"test": "!bands", "value": 0}
OFF = {"test": "indexof(off, datum.model) >= 0", "value": 0}
LIT = {"test": "lit === datum.model"}
DIMMED = {"test": "lit !== null && datum.model !== ''"}
BEHIND = 0.08
"""The opacity of all other models while one is singled out."""


@cache
def bundle() -> str:
    """Return the drawing library as one script, which hides its names but one: ``vegaEmbed``.

    It takes a second to make and is the same for every report: the user's cache folder keeps it.
    """
    with suppress(OSError, ValueError, RuntimeError):
        digest, _, script = _kept_bundle().read_bytes().partition(b"\n")
        if digest.decode() == hashlib.sha256(script).hexdigest():
            return script.decode()
    source = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=VEGA_LITE)
    script = f"(() => {{{source}}})();".replace("</script", "<\\/script").encode()
    with suppress(OSError, RuntimeError):
        path = _kept_bundle()
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as new:
            new.write_bytes(hashlib.sha256(script).hexdigest().encode() + b"\n" + script)
    return script.decode()


def _kept_bundle() -> Path:
    folder = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    name = f"vega-embed-{version('vl-convert-python')}-{VEGA_LITE}.js"
    return folder / "trial-reporting" / name


class SharedColumns:
    """Columns of texts, each stored once for all charts of a page."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, str], int] = {}

    def number_of(self, texts: Sequence[str]) -> int:
        """Return the number of a column; the total that all counts of a column share is there once."""
        tails = {text[text.find("/") :] if "/" in text else "" for text in texts if text}
        tail = tails.pop() if len(tails) == 1 else ""
        joined = BETWEEN.join(text.removesuffix(tail).replace(BETWEEN, "¦") for text in texts)
        return self.known.setdefault((joined, tail), len(self.known))

    def as_json(self) -> str:
        """Return all columns in the order of their numbers."""
        return compact(list(self.known))


def live_chart(figure: Figure, compiled: Spec, columns: SharedColumns) -> str:
    """Return the JSON of one chart for the script of the page; ``compiled`` is its live spec as Vega."""
    models = _models(figure)
    vega = _without_idle(compiled)
    _colour_on_request(vega, models)
    chart = {
        "vega": vega,
        "data": {name: _blocks(rows, figure) for name, rows in figure.spec.get("datasets", {}).items()},
        "axes": [figure.x_axis.title, figure.y_axis.title],
        "grid": {name: [axis.low, _step(axis)] for name, axis in _by_letter(figure).items()},
        "models": models,
        "told": figure.tooltip_titles,
        "probes": [_probe(probe, figure, columns) for probe in figure.probes],
    }
    if figure.on_dev:
        chart["data"][ON_DEV] = [_curve(series, figure) for series in figure.on_dev]
    if figure.bands:
        chart["data"][ON_REQUEST] = [_curve(series, figure) for series in figure.bands]
    if figure.bands or _has_shading(figure):
        chart["bands"] = figure.bands_title or "show shading"
    chart["room"] = _room(figure)
    if figure.placed:
        chart["names"] = [[_names(some) for some in (each.wide, each.small)] for each in figure.placed]
    if len(figure.windows) > 1:
        chart["windows"] = [
            {"label": window.label, "x": _axis(window.x_axis), "y": _axis(window.y_axis)}
            for window in figure.windows
        ]
    return compact(chart)


def _has_shading(figure: Figure) -> bool:
    """Whether bands lie over the curves of several models: a page draws them on request."""
    kinds = {kind: {s.label for s in figure.series if s.kind == kind and s.style > 0} for kind in BANDED}
    return bool(kinds["band"]) and len(kinds["line"]) > 1


BANDED = ("band", "line")


def _room(figure: Figure) -> list[int]:
    """Return the pixels that titles and numbers take left of the frame, and names and numbers right of it."""
    x, y = figure.x_axis, figure.y_axis
    numbers, last = (_widest([text for _, text in ticks]) for ticks in (y.ticks, x.ticks[-1:]))
    beyond = [label for label in figure.placed[0].wide if label.x > x.high] if figure.placed else []
    title = BETWEEN_TEXTS + SIZE * (1 + y.title.count("\n")) if y.title else 0.0
    right = max(last / 2, BETWEEN_TEXTS + _widest([label.text for label in beyond]) if beyond else 0.0)
    return [round(BETWEEN_TEXTS + numbers + title), round(right)]


BETWEEN_TEXTS = 12.0


def _widest(texts: Sequence[str]) -> float:
    return max((SIZE * letters(line) for text in texts for line in text.split("\n")), default=0.0)


IDLE = ("description", "defined", "sort")
"""What the compiler asks of every vertex and the rows answer: all are finite, in order, shown elsewhere."""


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


def live_spec(figure: Figure) -> Spec:
    """Return the picture without data and legend; which models are off and which one is lit are signals.

    The ``usermeta`` of its spec names the roles of the layers.
    """
    spec = {key: value for key, value in figure.spec.items() if key not in ("datasets", "params", "usermeta")}
    if "layer" not in spec:
        return spec | {"datasets": figure.spec.get("datasets", {})}
    layers = [_layer(figure.spec, layer) for layer in spec["layer"]]
    roles = figure.spec.get("usermeta", {}).get("layers", ())
    if _has_shading(figure):
        for role, layer in zip(roles, layers, strict=True):
            if role == "band" and "opacity" in layer["encoding"]:
                layer["encoding"]["opacity"]["condition"].insert(0, UNASKED)
    curves = next((layer for role, layer in zip(roles, layers, strict=False) if role == CURVES_LAYER), None)
    if roles:
        named = curves is not None  # others keep the names of their picture
        layers = [
            layer for role, layer in zip(roles, layers, strict=True) if not named or role != NAMES_LAYER
        ]
    if curves is not None:
        layers += [_dev_layer(curves)] if figure.on_dev else []
        ring = {"type": "point", "filled": False, "size": 90, "strokeWidth": 2.5, "opacity": 1}
        pointed = _beside(curves, POINTED, ring, ("x", "y", "color"))
        layers = [*([_bands_layer(curves)] if figure.bands else []), *layers, pointed]
        layers += [_names_layer(curves, of_line) for of_line in NAMES] if figure.placed else []
    signals = [{"name": "off", "value": []}, {"name": "lit", "value": None}]
    signals += [{"name": name, "value": False} for name in REQUESTS]
    return spec | {"layer": layers, "params": signals, "background": None}


def _layer(spec: Spec, layer: Spec) -> Spec:
    # A picture of one layer alone has its data at the top.
    data = layer.get("data") or spec.get("data", {})
    rows = spec.get("datasets", {}).get(data.get("name"), [])
    encoding = dict(layer["encoding"])
    for name in ("color", "strokeDash"):
        channel = encoding.get(name)
        if isinstance(channel, dict) and "field" in channel:
            encoding[name] = channel | {"legend": None}
    encoding.pop("tooltip", None)
    if rows and "model" in rows[0]:
        mark = layer["mark"]
        usual = mark.get("opacity", 1.0) if isinstance(mark, dict) else 1.0
        outside = layer["encoding"].get("opacity", {}).get("condition")  # of points beyond a window
        encoding["opacity"] = _opacity(usual, outside)
    return {key: value for key, value in layer.items() if key != "params"} | {"encoding": encoding}


def _opacity(usual: float, hidden: Spec | None = None) -> Spec:
    dimmed = DIMMED | {"value": BEHIND * usual}
    first = [hidden] if hidden else []
    return {"condition": [*first, OFF, LIT | {"value": usual}, dimmed], "value": usual}


def _beside(curves: Spec, name: str, mark: Spec, axes: tuple[str, ...], **channels: Spec) -> Spec:
    """Return a layer of other data on the axes of the curves, with these of their channels."""
    shared = {channel: curves["encoding"][channel] for channel in axes}
    return {"data": {"name": name}, "mark": mark, "encoding": shared | channels}


def _dev_layer(curves: Spec) -> Spec:
    """The development curves: thin and dashed in the colours of their models, hidden until requested."""
    mark = {"type": "line", "clip": True, "strokeWidth": 1.3, "strokeDash": [5, 4]}
    hidden = _opacity(0.9, {"test": "!dev", "value": 0})
    return _beside(curves, ON_DEV, mark, ("x", "y", "color", "detail", "order"), opacity=hidden)


def _bands_layer(curves: Spec) -> Spec:
    """Bands in the colours of their models, hidden until requested."""
    mark, opacity = {"type": "area", "clip": True}, _opacity(0.15, UNASKED)
    return _beside(curves, ON_REQUEST, mark, ("x", "y", "color"), y2={"field": "y2"}, opacity=opacity)


def _names_layer(curves: Spec, of_line: bool) -> Spec:
    """The names of lines, which are off and dim with them, or of guides."""
    plain: Spec = {"type": "nominal", "scale": None, "legend": None}
    shade = plain | {"field": "ink", "condition": plain | {"test": "hues", "field": "hue"}}
    channels = {"text": {"field": "text", "type": "nominal"}, "color": shade}
    mark: Spec = {"type": "text", "baseline": "middle", "align": {"expr": "datum.ends ? 'right' : 'left'"}}
    mark |= {"fontSize": SIZE, "fontWeight": 600} if of_line else {"fontSize": SIZE}
    opacity = {"opacity": _opacity(1.0)} if of_line else {}
    return _beside(curves, NAMES[of_line], mark, ("x", "y"), **channels, **opacity)


def _names(labels: Sequence[Label]) -> Spec:
    """Names as rows of their layers; ``hue`` is the ink where all models are in colour."""
    rows: Spec = {name: [] for name in NAMES.values()}
    for label in labels:
        row = {"text": label.text, "x": label.x, "y": label.y, "ends": label.ends}
        if label.of_line:
            inks = {"ink": darkened(label.style), "hue": darkened(in_colour(label.style))}
            row |= {"model": label.owner} | inks
        else:
            row |= {"ink": GUIDE, "hue": GUIDE}
        rows[NAMES[label.of_line]].append(within_one_unit(row))
    return rows


def _colour_on_request(vega: Spec, models: list[Spec]) -> None:
    """Let the scale of colours have its greys, or a colour for each model."""
    for scale in vega.get("scales", ()):
        if scale["name"] == "color" and models:
            greys, hues = ([model[ink] for model in models] for ink in ("colour", "hue"))
            scale["range"] = {"signal": f"hues ? {json.dumps(hues)} : {json.dumps(greys)}"}


def _models(figure: Figure) -> list[Spec]:
    """Name, colours and dash of every curve in the order of the legend."""
    styles = {series.label: series.style for series in figure.series if series.kind == "line"}
    return [
        {
            "name": within_one_unit(name),
            "colour": colour(style),
            "hue": colour(in_colour(style)),
            "dash": dash(style),
            "grey": is_context(style),
        }
        for name, style in styles.items()
    ]


def _blocks(rows: list[Spec], figure: Figure) -> list[Spec]:
    """Rows by columns: one block for each run of rows of the same model."""
    if not rows or "n" not in rows[0]:
        return [{"rows": within_one_unit(rows)}]
    blocks = []
    axes = _by_letter(figure).items()
    for shared, same in groupby(rows, key=lambda row: {name: row.get(name) for name in SHARED_BY_ROWS}):
        block = {name: value for name, value in shared.items() if value is not None}
        run = list(same)
        places = {name: _steps([row[name] for row in run], axis) for name, axis in axes if name in run[0]}
        blocks.append(within_one_unit(block) | places)
    return blocks


def _by_letter(figure: Figure) -> dict[str, Axis]:
    return {"x": figure.x_axis, "y": figure.y_axis, "y2": figure.y_axis}


def _curve(series: Series, figure: Figure) -> Spec:
    places = {"x": _steps(series.x, figure.x_axis), "y": _steps(series.y, figure.y_axis)}
    upper = {"y2": _steps(series.y_high, figure.y_axis)} if series.y_high else {}
    return {"model": within_one_unit(series.label)} | places | upper


def _probe(probe: TooltipSeries, figure: Figure, columns: SharedColumns) -> Spec:
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
