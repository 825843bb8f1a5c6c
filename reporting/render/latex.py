"""Report -> a LaTeX document, and each table and figure as a file that a paper can take in.

A figure becomes a PGFPlots picture of exactly the coordinates that the screen shows.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any, assert_never

from jinja2 import Environment

from reporting.base.records import dataclass
from reporting.document.blocks import (
    GUIDE,
    Axis,
    Block,
    Caution,
    Figure,
    Label,
    Prose,
    Report,
    Section,
    Series,
    Table,
    colour,
    darkened,
    dash,
    is_context,
)
from reporting.document.charts.labels import MOST_CONTEXT
from reporting.errors import listed
from reporting.render.formulas import tex_prose
from reporting.render.render_input import RenderContext, blocks, ended, figures, for_papers, tables
from reporting.render.tex import Tex, code_point, escape, unsettable, width
from reporting.render.tex_tables import tex_table

PASTED = "methods"
"""The section whose text a paper takes in as it is."""

ON_SCREENS = (
    "spec",
    "alt",
    "explorer",
    "tooltip_titles",
    "probes",
    "windows",
    "on_dev",
    "bands",
    "bands_title",
    "placed",
)
"""Fields of a figure whose texts do not print here."""

HEADINGS = ("section", "subsection", "subsubsection", "paragraph")


def latex_files(material: RenderContext) -> dict[str, bytes]:
    """Return ``report.tex``, the tables and figures that it takes in, and the methods for a paper."""
    templates = material.tex_templates
    files = {"report.tex": _document(material, templates)}
    for block in blocks(material.report):
        if isinstance(block, Section) and block.anchor == PASTED:
            inside = [_block(each, templates, depth=1) for each in block.blocks]
            files[f"{PASTED}.tex"] = _fill(templates, "paragraphs.tex.j2", blocks=inside)
    for table in tables(material.report):
        files[f"tables/{table.name}.tex"] = table_tex(table, material)
    summaries = [
        _without_counts(table) for table in tables(material.report) if table.name.startswith(SUMMARY)
    ]
    for table in [*summaries, *for_papers(material.report)]:
        files[f"tables/{table.name}_narrow.tex"] = narrow_table_tex(table, templates)
    for figure in figures(material.report):
        files[f"figures/{figure.name}.tex"] = _fill(templates, "figure.tex.j2", figure=tex_figure(figure))
    return {path: text.encode() for path, text in files.items()}


def table_tex(table: Table, material: RenderContext) -> Tex:
    """Return the source of one table, which floats where it fits a page; it is set once for page and file."""
    if table.name not in material.tex_tables:
        laid_out = tex_table(table)
        name = "longtable.tex.j2" if laid_out.breaks else "table.tex.j2"
        material.tex_tables[table.name] = _fill(material.tex_templates, name, table=laid_out)
    return material.tex_tables[table.name]


def narrow_table_tex(table: Table, templates: Environment) -> Tex:
    """Return the source of one table for a column of a paper in two columns, set smaller where it must."""
    # Its label is its own: a paper may hold both widths.
    named = dataclasses.replace(table, name=f"{table.name}-narrow")
    laid_out = dataclasses.replace(tex_table(named), narrow=True, breaks=False)
    return _fill(templates, "table.tex.j2", table=laid_out)


SUMMARY = "summary"
"""How the names of summaries begin: they are set for one column of a paper too."""


def _without_counts(table: Table) -> Table:
    """Return a summary of models, values, differences and decisions, without the counts of errors."""
    drawn = {column.group for column in table.columns if column.kind == "drawn"}
    kept = [i for i, column in enumerate(table.columns) if not column.group or column.group in drawn]
    return dataclasses.replace(
        table,
        columns=tuple(table.columns[i] for i in kept),
        rows=tuple(tuple(row[i] for i in kept) for row in table.rows),
    )


def _document(material: RenderContext, templates: Environment) -> Tex:
    report = material.report
    return _fill(
        templates,
        "report.tex.j2",
        report=report,
        provenance=material.provenance,
        replaced=_replaced(report),
        sections=[_block(section, templates, depth=0) for section in report.sections],
    )


def _block(block: Block, templates: Environment, depth: int) -> Tex:
    match block:
        case Section():
            return _section(block, templates, depth)
        case Prose():
            return _fill(templates, "prose.tex.j2", prose=block, text=tex_prose(block))
        case Caution():
            return _fill(templates, "caution.tex.j2", caution=block)
        case Table():
            return Tex(rf"\input{{tables/{block.name}.tex}}")
        case Figure():
            return Tex(rf"\input{{figures/{block.name}.tex}}")
        case _:
            assert_never(block)


def _section(section: Section, templates: Environment, depth: int) -> Tex:
    """Set a section; what follows on its like shares a list, or a line for two figures of a pair."""
    inner: list[Tex] = []
    waiting = list(section.blocks)
    while waiting:
        cautions = list(itertools.takewhile(lambda block: isinstance(block, Caution), waiting))
        pair = section.beside and len(waiting) > 1 and all(isinstance(b, Figure) for b in waiting[:2])
        taken = waiting[: len(cautions) or 1 + pair]
        waiting = waiting[len(taken) :]
        if len(cautions) > 1:
            inner.append(_fill(templates, "cautions.tex.j2", cautions=cautions))
        elif pair:
            figures = [_block(each, templates, depth + 1) for each in taken]
            inner.append(_fill(templates, "pair.tex.j2", figures=figures))
        else:
            inner.append(_block(taken[0], templates, depth + 1))
    heading = Tex(HEADINGS[min(depth, len(HEADINGS) - 1)])
    return _fill(templates, "section.tex.j2", section=section, blocks=inner, heading=heading)


def _fill(templates: Environment, template: str, **values: Any) -> Tex:
    return Tex(templates.get_template(template).render(**values))


def _replaced(report: Report) -> str:
    """Say which characters TeX does not set, or nothing."""
    names = [
        f"{code_point(character)} ({unicodedata.name(character, 'unnamed').lower()})"
        for character in unsettable(_texts(report))
    ]
    if not names:
        return ""
    return f"The fonts of this document lack these characters, shown by number: {listed(names)}."


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts that print in this format."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _texts(item)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            if field.name not in ON_SCREENS:
                yield from _texts(getattr(value, field.name))


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

    title: Tex
    low: str
    high: str
    positions: Tex
    labels: list[Tex]


@dataclass(frozen=True)
class TexName:
    """The name of a line inside the frame."""

    text: str
    options: Tex
    x: str
    y: str


@dataclass(frozen=True)
class TexFigure:
    """The strings of the figure template."""

    name: Tex
    title: str
    subtitle: str
    caption: str
    x: TexAxis
    y: TexAxis
    plots: list[Plot]
    names: list[TexName]
    legend_columns: str
    legend_below: str
    """Where the legend begins below the frame, in points."""
    wide_legend: bool
    shape: str
    """The height of the frame over its width, and the least height in points."""
    least: str
    sides: list[str]
    beside: str
    """What titles and labels take next to the frame, in points."""


def tex_figure(figure: Figure) -> TexFigure:
    """Draw a figure for one text column; all frames are squares of one size, so that neighbours match."""
    entries = _legend(figure)
    tick_lines = max((1 + label.count("\n") for _, label in figure.x_axis.ticks), default=1)
    below = 10 * (tick_lines + bool(figure.x_axis.sides)) + 12 * _lines(figure.x_axis.title)
    labels = max((_label_width(label) for _, label in figure.y_axis.ticks), default=0.0)
    last = _label_width(figure.x_axis.ticks[-1][1]) if figure.x_axis.ticks else 0.0
    # Left of the frame, and half a tick label right of it.
    beside = 22 + 12 * _lines(figure.y_axis.title) + TICK * (labels + last / 2)
    across = int(FRAME / ENTRY / (SAMPLE + max(width(series.label) for series in figure.series)))
    return TexFigure(
        name=Tex(figure.name),
        title=ended(figure.title),
        subtitle=ended(figure.subtitle),
        caption=figure.caption,
        x=_axis(_thinned(figure.x_axis)),
        y=_axis(figure.y_axis),
        plots=[_plot(series, i in entries) for i, series in _from_below(figure.series)],
        names=[_name(label) for label in figure.labels],
        legend_columns=str(min(max(across, 1), MOST_LEGEND_COLUMNS)),
        legend_below=f"{16 + below}",
        wide_legend=across < 1,
        shape=f"{figure.shape:.4g}",
        least=f"{_rows_high(figure):.0f}",
        sides=list(figure.x_axis.sides),
        beside=f"{beside:.0f}",
    )


def _from_below(series: Sequence[Series]) -> list[tuple[int, Series]]:
    """Return the series with their positions, the lines of the context below those in colour."""

    def layer(each: tuple[int, Series]) -> int:
        kind, style = each[1].kind, each[1].style
        return 0 if kind in ("guide", "band") else 1 if kind == "line" and is_context(style) else 2

    return sorted(enumerate(series), key=layer)


def _rows_high(figure: Figure) -> float:
    """Return what the names of rows take one above the other; numbers have room in any frame."""
    named = [
        label for _, label in figure.y_axis.ticks if not label[-1:].isdigit() and not label.endswith("%")
    ]
    places = sorted(position for position, label in figure.y_axis.ticks if label in named)
    if len(places) < 2:
        return 0.0
    lines = max(1 + label.count("\n") for label in named)
    closest = min(b - a for a, b in itertools.pairwise(places))
    return TICK * 1.1 * lines * (figure.y_axis.high - figure.y_axis.low) / closest


def _lines(title: str) -> int:
    """Return how many lines a title takes along its axis."""
    return sum(max(1, math.ceil(TITLE * width(line) / (0.94 * FRAME))) for line in title.split("\n"))


def _label_width(label: str) -> float:
    return max(width(line) for line in label.split("\n"))


def _stacked(text: str) -> Tex:
    """Return the lines of a text above each other."""
    return Tex(r"\\".join(escape(line) for line in text.split("\n")))


def _thinned(axis: Axis) -> Axis:
    """Leave out the numbers below an axis that would run into their neighbours."""
    kept: list[tuple[float, str]] = []
    free = -math.inf
    for position, label in axis.ticks:
        at = FRAME * (position - axis.low) / (axis.high - axis.low)
        half = TICK * _label_width(label) / 2
        crowded = at - half < free and label[-1:].isdigit()
        kept.append((position, "" if crowded else label))
        free = free if crowded else at + half + TICK / 4
    return dataclasses.replace(axis, ticks=tuple(kept))


def _axis(axis: Axis) -> TexAxis:
    return TexAxis(
        title=_stacked(axis.title),
        low=_number(axis.low),
        high=_number(axis.high),
        positions=Tex(",".join(_number(position) for position, _ in axis.ticks) or r"\empty"),
        labels=[_stacked(label) for _, label in axis.ticks],
    )


def _name(label: Label) -> TexName:
    anchor, weight = ("east" if label.ends else "west"), (r"\bfseries" if label.of_line else "")
    ink = _mixed(darkened(label.style) if label.of_line else GUIDE)
    options = f"anchor={anchor}, inner sep=0pt, font=\\scriptsize{weight}, text={ink}"
    return TexName(label.text, Tex(options), _number(label.x), _number(label.y))


def _legend(figure: Figure) -> set[int]:
    """Return the positions of the series that represent their label: its curve, else its first drawing.

    What has its name inside the frame has no entry, and no guide has: one without a name is out of sight.
    """
    chosen: dict[str, int] = {}
    named = {label.owner for label in figure.labels if not label.beyond}
    greys = {each.label for each in figure.series if each.kind == "line" and is_context(each.style)}
    named |= greys if len(greys) > MOST_CONTEXT else set()
    for kinds in (("line", "step"), ("points", "rings"), ("band",)):
        for i, each in enumerate(figure.series):
            if each.label and each.label not in named and each.kind in kinds:
                chosen.setdefault(each.label, i)
    return set(chosen.values())


def _plot(series: Series, in_legend: bool) -> Plot:
    forget = "" if in_legend else ", forget plot"
    band = series.kind == "band"
    x, y = series.x, series.y
    if band:  # along its lower edge, and back along the upper one
        x, y = (*x, *reversed(x)), (*y, *reversed(series.y_high))
    pairs = [f"({_number(a)},{_number(b)})" for a, b in zip(x, y, strict=True)]
    return Plot(
        options=Tex(_style(series) + forget),
        coordinates=Tex("\n".join(" ".join(pairs[i : i + 5]) for i in range(0, len(pairs), 5))),
        closed=band,
        legend=series.label if in_legend else "",
    )


def _style(series: Series) -> str:
    thickness = "0.5pt" if is_context(series.style) else "1pt"
    ink, line = _mixed(colour(series.style)), f"{_dash(series.style)}, line width={thickness}"
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


def _mixed(code: str) -> str:
    red, green, blue = bytes.fromhex(code.removeprefix("#"))
    return f"{{rgb,255:red,{red};green,{green};blue,{blue}}}"


def _dash(style: int) -> str:
    lengths = dash(style)
    if len(lengths) == 2 and lengths[1] == 0:
        return "solid"
    parts = [f"{'off' if i % 2 else 'on'} {PIXEL * length:g}pt" for i, length in enumerate(lengths)]
    return f"dash pattern={' '.join(parts)}"


def _number(value: float) -> str:
    """Six digits draw finer than any printer; PGFPlots leaves out what is not finite."""
    return f"{value:.6g}"
