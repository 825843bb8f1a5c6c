"""Report -> one HTML file that needs no network: styles, script and pictures are inside it."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, assert_never
from urllib.parse import quote

from markupsafe import Markup

from reporting.base.records import dataclass, replace
from reporting.base.resources import folder
from reporting.document.blocks import (
    Block,
    Caution,
    Cell,
    Column,
    Figure,
    LiveTable,
    Prose,
    Report,
    Section,
    Table,
    colour,
)
from reporting.render.drawing import Awaited, submit
from reporting.render.environment import house_style, html_environment
from reporting.render.explained import Explained
from reporting.render.formulas import mathml, parts
from reporting.render.latex import table_tex
from reporting.render.layout import PlacedMark, heads_of_numbers, lay_out, mark
from reporting.render.live import SharedColumns, bundle, compact, live_chart, live_spec
from reporting.render.pictures import DrawnFigure, in_tags, vega_of
from reporting.render.render_input import RenderContext, figures, tables


def html_files(material: RenderContext) -> dict[str, bytes]:
    """Return the page as ``report.html``."""
    return {"report.html": _Page(material).render().encode()}


class _Page:
    """Renders blocks with one environment, so that nested sections can call back."""

    def __init__(self, material: RenderContext) -> None:
        self.material = material
        self.terms = Explained(material.report)
        self.templates = html_environment(material.templates, self.terms, self.terms.named)
        self.columns = SharedColumns()
        self.host = _host(material.report)
        shown = figures(material.report) if material.interactive else []
        self.compiled = Awaited({figure.name: submit(vega_of, live_spec(figure)) for figure in shown})
        self.dark = self._source("chart_dark.css")

    def render(self) -> str:
        style = self._style()
        script = "\n".join(self._scripts())
        sections = [self._block(section, depth=2) for section in self.material.report.sections]
        if self._is_live():
            sections.append(self._fill("told.html.j2", columns=Markup(self.columns.as_json())))
        return self._fill(
            "report.html.j2",
            report=self.material.report,
            below=() if self.host else self.material.report.below,
            provenance=self.material.provenance,
            policy=_policy(style, script),
            style=Markup(style),
            script=Markup(script),
            sections=sections,
        )

    def _style(self) -> str:
        """The styles of the page, its controls, and live charts in the dark; the user's own come last."""
        parts = [self._source(name) for name in ("style.css", "charts.css", "slider.css")]
        rows = [row for table in tables(self.material.report) for row in table.rows]
        chips = any(cell.style is not None for row in rows for cell in row)
        dark = [self.dark] if self._is_live() or chips else []
        dark += [self._source("recompute.css")] if self._recomputes() else []
        own = [text] if (text := house_style(self.material.templates)) else []
        return "\n".join([*parts, *dark, *own])

    def _is_live(self) -> bool:
        return self.material.interactive and bool(figures(self.material.report))

    def _recomputes(self) -> bool:
        live = any(isinstance(table, LiveTable) for table in tables(self.material.report))
        return self.material.interactive and live

    def _scripts(self) -> list[str]:
        """The sources of the scripts that this page has a use for; none where viewers run none."""
        report = self.material.report
        if not self.material.interactive:
            return []
        wanted = {
            "chart_parts.js": self._is_live(),
            "charts.js": self._is_live(),
            "page.js": True,
            "sort.js": bool(tables(report)),
            "slider.js": any(figure.explorer is not None for figure in figures(report)),
            "recompute.js": self._recomputes(),
        }
        own = [self._source(name) for name, is_wanted in wanted.items() if is_wanted]
        return [bundle(), *own] if self._is_live() else own

    def _block(self, block: Block, depth: int) -> Markup:
        match block:
            case Section():
                if depth == 2:
                    self.terms.begin()
                inner = [self._block(each, depth + 1) for each in block.blocks]
                inner = [self._followed(each, text) for each, text in zip(block.blocks, inner, strict=True)]
                pairs = zip(block.blocks, inner, strict=True)
                cautions = [(each, text) for each, text in pairs if isinstance(each, Caution)]
                cautions.sort(key=lambda pair: not pair[0].grave)
                return self._fill(
                    "section.html.j2",
                    section=block,
                    blocks=inner,
                    cautions=cautions,
                    brief=in_brief([each for each, _ in cautions if not each.ignored]),
                    summaries=_with_notes(block),
                    level=str(min(depth, 6)),
                )
            case Prose():
                text = Markup().join(
                    self.terms(part) if isinstance(part, str) else mathml(part) for part in parts(block)
                )
                return self._fill("prose.html.j2", prose=block, text=text)
            case Caution():
                return self._fill("caution.html.j2", caution=block)
            case LiveTable() if self.material.interactive:
                return self._recomputed(block)
            case Table():
                tex = str(table_tex(block, self.material)) if self.material.interactive else ""
                return self._fill("table.html.j2", table=block, tex=tex, **_table_parts(block))
            case Figure():
                picture = self._picture(block, self.material.pictures[block.name])
                explorer = self._explorer(block)
                live = ""
                if self.material.interactive:
                    live = live_chart(block, self.compiled[block.name], self.columns)
                return self._fill(
                    "figure.html.j2", figure=block, picture=picture, explorer=explorer, live=Markup(live)
                )
            case _:
                assert_never(block)

    def _followed(self, block: Block, text: Markup) -> Markup:
        """Return a block with the sentences of the answer that are below it."""
        below = self.material.report.below
        return text + self._fill("below.html.j2", below=below) if block is self.host and below else text

    def _picture(self, figure: Figure, picture: DrawnFigure) -> Markup:
        """Embed a picture; the only place that decides how."""
        # Its style follows the reader's choice of light or dark.
        style = f"<style>{self.dark}</style>"
        svg = re.sub(r"<svg[^>]*>", lambda head: head[0] + style, lightened(picture.svg), count=1)
        # Quotation marks, ampersands and angle brackets are encoded: nothing in it can end the attribute.
        source = Markup("data:image/svg+xml," + quote(svg, safe=PLAIN))
        return self._fill("picture.html.j2", source=source, alt=figure.alt, picture=picture)

    def _explorer(self, figure: Figure) -> Markup:
        """What lets a reader ask the figure's data other questions; nothing where no script runs."""
        if figure.explorer is None or not self.material.interactive:
            return Markup()
        return self._fill("explorer.html.j2", figure=figure, data=Markup(compact(figure.explorer)))

    def _recomputed(self, table: LiveTable) -> Markup:
        """A table below what recomputes it; on a phone it is not folded, which would hide the answer."""
        data = Markup(compact(table.held))
        control = self._fill("recompute.html.j2", table=table, words=table.held["words"], data=data)
        return control + self._fill("table.html.j2", table=table, **{**_table_parts(table), "opening": ""})

    def _fill(self, template: str, **values: Any) -> Markup:
        # What a template returns has been escaped by it.
        return Markup(self.templates.get_template(template).render(**values))

    def _source(self, name: str) -> str:
        return (folder("templates") / "html" / name).read_text(encoding="utf-8")


PLAIN = " !$'()*+,-./:;=?@[]_{|}~"
"""What need not be encoded in an address within quotation marks."""


IDLE = re.compile(r' (?:role|aria-[a-z]+|pointer-events)="[^"]*"')
"""What only matters to pictures inside the page itself: this one is described by its alt text."""


def lightened(svg: str) -> str:
    """Leave out what no screen resolves (a tenth of a pixel is enough) and what an image has no use for."""
    rounded = in_tags(svg, r' d="[^"]*"', lambda path: re.sub(r"(\.\d)\d+", r"\1", path[0]))
    return in_tags(rounded, IDLE, "")


def _policy(style: str, script: str) -> str:
    """Allow this very style and script, pictures inside the page, and nothing else."""
    allowed = ["default-src 'none'", f"style-src {_digest(style)}", "img-src data:"]
    if script:
        allowed.append(f"script-src {_digest(script)}")
    return "; ".join([*allowed, "base-uri 'none'", "form-action 'none'"])


def _digest(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode('ascii')}'"


@dataclass(frozen=True)
class Chip:
    """The colour of a model."""

    colour: str


@dataclass(frozen=True)
class _Datum:
    column: Column
    cell: Cell
    order: str
    mark: PlacedMark | None
    heads_row: bool
    chip: Chip | None
    label: str
    """What a number is called on a card."""


def _table_parts(table: Table) -> Mapping[str, Any]:
    layout, first = lay_out(table, drawn=True), first_sentence(table.caption)
    cards = table.name.startswith(CARDS)
    labels = heads_of_numbers(table)
    return {
        "layout": layout,
        "groups": [
            (group.title, [_data(table, labels, row) for row in group.rows]) for group in layout.groups
        ],
        "summary": first if table.folded else "",
        "repeated": table.folded and first == table.caption,
        "opening": first,
        "cards": cards,
        "notes": table.drawn_notes if cards and not table.folded else layout.notes,
        "long": any(len(row[0].text) > LONG for row in table.rows),
        "short": len(table.rows) < SHORT,
    }


OPENING = ("summary", "ranking")
"""Sections whose first table or picture the answer in words belongs to."""


def _host(report: Report) -> Block | None:
    """Return the table or the picture of the first screen, if the page opens with one."""
    first = report.sections[0] if report.sections else None
    if first is None or first.anchor not in OPENING:
        return None
    parts = [block for block in first.blocks if isinstance(block, Section) and not block.folded]
    blocks = (*first.blocks, *(block for part in parts for block in part.blocks))
    return next((block for block in blocks if isinstance(block, Table | Figure)), None)


CARDS = "summary"
"""On a phone every row of such a table is a card; other tables open at a tap."""

TWO_LINES = 230
"""Letters of cautions that are shown; the rest is folded."""


def in_brief(cautions: Sequence[Caution]) -> list[tuple[Caution, str]]:
    """Return the first clauses of as many cautions as fit two lines, at least one, then titles alone."""
    brief, room, fits = list[tuple[Caution, str]](), TWO_LINES, True
    for each in cautions:
        clause = re.split(r";\s", first_sentence(each.text), maxsplit=1)[0].removesuffix(".") + "."
        fits = fits and (not brief or len(each.title) + len(clause) < room)
        if not fits and not 0 < len(each.title) < room:
            break
        room -= len(each.title) + 2 + (len(clause) if fits else 0)
        brief.append((each, clause if fits else ""))
    return brief


def _with_notes(section: Section) -> list[Table]:
    """Return how the tables of a first screen were made: their notes, but for those on what is drawn."""
    summaries = (each for each in section.blocks if isinstance(each, Table) and not each.folded)
    return [
        replace(table, notes=(table.caption, *lay_out(table).notes))
        for table in summaries
        if table.name.startswith(CARDS)
    ]


LONG = 28
"""A longer name may take a second line."""

SHORT = 20
"""A table of fewer rows stays on one page in print."""


def first_sentence(text: str) -> str:
    """Return what opens a folded block: its caption up to the first full stop before an upper-case letter."""
    return re.split(r"(?<=[^.]\.)\s+(?=[A-Z])", text, maxsplit=1)[0]


def _data(table: Table, labels: Sequence[str], row: tuple[Cell, ...]) -> list[_Datum]:
    return [
        _Datum(
            column=column,
            cell=cell,
            order="" if cell.order is None else repr(cell.order),
            mark=mark(column, cell.drawn),
            heads_row=i == 0 and column.kind == "text",
            chip=chip_of(cell),
            label=label if column.kind in ("number", "interval") and cell.text else "",
        )
        for i, (column, cell, label) in enumerate(zip(table.columns, row, labels, strict=True))
    ]


def chip_of(cell: Cell) -> Chip | None:
    """Return the dot before a model's name; None where a cell names none."""
    return None if cell.style is None else Chip(colour(cell.style))
