"""Figure -> the strings of a PGFPlots picture: the very coordinates that the screen shows."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

from reporting.charts.palette import colour, darkened, dash
from reporting.render.tex import Tex
from reporting.render.tex_width import width
from reporting.report.blocks import Axis, Figure, Series

PIXEL = 0.5
"""The length of one screen pixel of a dash on paper, in points."""

FRAME = 160.0
"""The side of the smallest frame that is drawn, that of a narrow column, in points."""

TITLE, TICK, ENTRY = 10.0, 8.6, 9.0
"""Type sizes of axis titles, tick labels and legend, in points."""

SAMPLE = 3.0
"""The room that line sample and space take in a legend, in em."""

MOST_LEGEND_COLUMNS = 4


@dataclass(frozen=True)
class Plot:
    """One series: its PGFPlots options, its coordinates, and its entry in the legend or ""."""

    options: Tex
    coordinates: Tex
    closed: bool
    legend: str


@dataclass(frozen=True)
class TexAxis:
    """Range, tick positions and tick labels of an axis."""

    title: str
    low: str
    high: str
    positions: Tex
    labels: list[str]


@dataclass(frozen=True)
class TexFigure:
    """The strings of the figure template."""

    name: Tex
    caption: str
    x: TexAxis
    y: TexAxis
    plots: list[Plot]
    legend_columns: str
    legend_below: str
    """Where the legend begins below the frame, in points."""
    wide_legend: bool
    beside: str
    """What titles and labels take beside the frame, in points."""


def tex_figure(figure: Figure) -> TexFigure:
    """Draw a figure for one text column; all frames are squares of one size, so that neighbours match."""
    entries = _legend(figure.series)
    across = int(FRAME / ENTRY / (SAMPLE + max(width(series.label) for series in figure.series)))
    return TexFigure(
        name=Tex(figure.name),
        caption=figure.caption,
        x=_axis(_thinned(figure.x_axis)),
        y=_axis(figure.y_axis),
        plots=[_plot(series, i in entries) for i, series in enumerate(figure.series)],
        legend_columns=str(min(max(across, 1), MOST_LEGEND_COLUMNS)),
        legend_below=f"{26 + 12 * _lines(figure.x_axis.title)}",
        wide_legend=across < 1,
        beside=f"{_beside(figure.x_axis, figure.y_axis):.0f}",
    )


def _beside(x: Axis, y: Axis) -> float:
    """Return what stands left of the frame, and half a tick label right of it."""
    labels = max((width(label) for _, label in y.ticks), default=0.0)
    last = width(x.ticks[-1][1]) if x.ticks else 0.0
    return 22 + 12 * _lines(y.title) + TICK * (labels + last / 2)


def _lines(title: str) -> int:
    """Return how many lines a title takes along its axis."""
    return max(1, math.ceil(TITLE * width(title) / (0.94 * FRAME)))


def _thinned(axis: Axis) -> Axis:
    """Leave out the numbers below an axis that would run into their neighbours."""
    kept: list[tuple[float, str]] = []
    free = -math.inf
    for position, label in axis.ticks:
        at = FRAME * (position - axis.low) / (axis.high - axis.low)
        half = TICK * width(label) / 2
        crowded = at - half < free and label[-1:].isdigit()
        kept.append((position, "" if crowded else label))
        free = free if crowded else at + half + TICK / 4
    return dataclasses.replace(axis, ticks=tuple(kept))


def _axis(axis: Axis) -> TexAxis:
    return TexAxis(
        title=axis.title,
        low=_number(axis.low),
        high=_number(axis.high),
        positions=Tex(",".join(_number(position) for position, _ in axis.ticks) or r"\empty"),
        labels=[label for _, label in axis.ticks],
    )


def _legend(series: Sequence[Series]) -> set[int]:
    """Return the positions of the series that speak for their label: its curve, else its first drawing."""
    chosen: dict[str, int] = {}
    for kinds in (("line", "step", "guide"), ("points", "rings"), ("band",)):
        for i, each in enumerate(series):
            if each.label and each.kind in kinds:
                chosen.setdefault(each.label, i)
    return set(chosen.values())


def _plot(series: Series, in_legend: bool) -> Plot:
    forget = "" if in_legend else ", forget plot"
    band = series.kind == "band"
    return Plot(
        options=Tex(_style(series) + forget),
        coordinates=Tex(_outline(series) if band else _pairs(series.x, series.y)),
        closed=band,
        legend=series.label if in_legend else "",
    )


def _style(series: Series) -> str:
    ink, line = _ink(series.style), f"{_dash(series.style)}, line width=0.8pt"
    match series.kind:
        case "line":
            return f"draw={ink}, {line}"
        case "smooth":
            return f"draw={_mixed(darkened(series.style))}, line width=0.5pt"
        case "step":
            return f"const plot, draw={ink}, {line}"
        case "band":
            return f"draw=none, fill={ink}, fill opacity=0.15, area legend"
        case "points":
            return f"only marks, mark=*, mark size=2pt, mark options={{draw=white, fill={ink}}}"
        case "rings":
            return f"only marks, mark=o, mark size=2.4pt, mark options={{draw={ink}, line width=0.8pt}}"
        case "guide":
            # Without a label of its own a guide belongs to the curve of its style.
            return f"draw={'gray' if series.label else ink}, densely dashed, line width=0.4pt"


def _ink(style: int) -> str:
    return _mixed(colour(style))


def _mixed(code: str) -> str:
    red, green, blue = bytes.fromhex(code.removeprefix("#"))
    return f"{{rgb,255:red,{red};green,{green};blue,{blue}}}"


def _dash(style: int) -> str:
    lengths = dash(style)
    if len(lengths) == 2 and lengths[1] == 0:
        return "solid"
    parts = [f"{'off' if i % 2 else 'on'} {PIXEL * length:g}pt" for i, length in enumerate(lengths)]
    return f"dash pattern={' '.join(parts)}"


def _outline(series: Series) -> str:
    """Return the closed outline of a band: along its lower edge and back along the upper one."""
    return _pairs((*series.x, *reversed(series.x)), (*series.y, *reversed(series.y_high)))


def _pairs(x: Sequence[float], y: Sequence[float]) -> str:
    pairs = [f"({_number(a)},{_number(b)})" for a, b in zip(x, y, strict=True)]
    return "\n".join(" ".join(pairs[i : i + 5]) for i in range(0, len(pairs), 5))


def _number(value: float) -> str:
    """Six digits draw finer than any printer; PGFPlots leaves out what is not finite."""
    return f"{value:.6g}"
