"""Report -> Markdown that reads as plain text in a terminal and fits into a pull request.

GitHub's dialect. Texts stay as read wherever that is safe: a mark is escaped where it would act.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import Any, assert_never

from jinja2 import Environment

from reporting.base.records import dataclass
from reporting.document.blocks import Block, Caution, Cell, Figure, Prose, Report, Section, Table
from reporting.render import render_input
from reporting.render.environment import environment
from reporting.render.layout import ARROWS, Layout, behind, lay_out

WIDEST = 48
"""Columns are padded up to this many characters; longer cells are out of line."""

BREAK = "\u200b"
"""Parts what a site would turn into a link or a picture after all escapes are gone: ``@name``, ``#1``."""


class Markdown(str):
    """Text that is Markdown already."""


def full_markdown_files(material: render_input.RenderContext) -> dict[str, bytes]:
    """Return ``report-full.md``: every block of the report; and its pictures."""
    templates = markdown_environment(material.templates)
    sections = [_block(section, templates, depth=2) for section in material.report.sections]
    return {
        **_paper_files(material, templates),
        **render_input.png_files(material, render_input.figures(material.report)),
        "report-full.md": _document("report-full.md.j2", material, templates, sections=sections),
    }


def _paper_files(material: render_input.RenderContext, templates: Environment) -> dict[str, bytes]:
    """Return the tables for a paper, each as a file."""
    return {
        f"tables/{table.name}.md": f"{_block(table, templates, depth=2)}\n".encode()
        for table in render_input.for_papers(material.report)
    }


def markdown_files(material: render_input.RenderContext) -> dict[str, bytes]:
    """Return ``report.md``, a comment for a pull request: the answer with its gates, tables and cautions.

    It has neither pictures nor links, because a comment has no files next to it. What would make it longer
    than ``LONGEST`` is left out and counted; ``report-full.md`` has all of it.
    """
    templates = markdown_environment(material.templates)
    room = LONGEST - len(_document("report.md.j2", material, templates, parts=[], left_out=99).decode())
    blocks = _foremost(material.report)
    kept: list[tuple[bool, Markdown]] = []
    for block in blocks:
        text = _block(block, templates, depth=3)
        if len(text) + 2 <= room:
            kept.append((isinstance(block, Caution), text))
            room -= len(text) + 2
    # Cautions get their room first; on the page they follow the numbers.
    shown = [text for _, text in sorted(kept, key=itemgetter(0))]
    left_out = len(blocks) - len(kept)
    return {
        **_paper_files(material, templates),
        "report.md": _document("report.md.j2", material, templates, parts=shown, left_out=left_out),
    }


LONGEST = 7_900
"""The most characters of ``report.md``."""
FOREMOST = ("gates", "summary", "ranking", "since-last")
"""The sections that come first, by their anchors."""
MOST_CAUTIONS = 3


def _foremost(report: Report) -> list[Block]:
    """Return the gravest cautions, then the tables and sentences that answer."""
    sections = {section.anchor: section for section in report.sections}
    held = [block for name in FOREMOST if name in sections for block in render_input.within(sections[name])]
    cautions = [block for block in held if isinstance(block, Caution)]
    cautions.sort(key=lambda caution: not caution.grave)
    return [*cautions[:MOST_CAUTIONS], *(block for block in held if isinstance(block, Table | Prose))]


def _document(
    template: str, material: render_input.RenderContext, templates: Environment, **values: Any
) -> bytes:
    others = {name: path for name, path in ELSEWHERE.items() if name in material.formats}
    text = _fill(
        templates,
        template,
        report=material.report,
        provenance=material.provenance,
        others=list(others.values()),
        **values,
    )
    return f"{text}\n".encode()


ELSEWHERE = {"html": "report.html", "markdown-full": "report-full.md", "pdf": "report.pdf"}
"""Where the whole report is, by format."""


def inline(text: str) -> Markdown:
    """Return a text for the middle of a line: no mark-up, no HTML, no link, no mention."""
    return Markdown(_ACTIVE.sub(_quiet, render_input.one_line(text)))


def opening(text: str) -> Markdown:
    """Return a text that opens a line: it starts no heading, list, quotation, rule or definition."""
    quiet = inline(text)
    if quiet.startswith(_OPENING):
        return Markdown(f"\\{quiet}")
    return Markdown(_NUMBERED.sub(r"\1\\\2", quiet))


_OPENING = ("#", ">", "+", "-", "=", ":", "|", "[")
_NUMBERED = re.compile(r"\A(\d{1,9})([.)])(?= |\Z)")

_ACTIVE = re.compile(
    r"""
    (?P<mark>
        [`*~$] | \\(?=[!-/:-@\[-`{-~]|\Z) | <(?=[A-Za-z/!?]|\Z) | &(?=[A-Za-z\#]) | \](?=\() | \#(?=\#*\Z)
    )
    | (?P<low> _+ )
    | (?P<joint> @(?=\w) | \#(?=\d) | \bGH-(?=\d) | :(?=//) | \bwww(?=\.) | :(?=[\w+-]*[a-z+-][\w+-]*:) )
    """,
    re.VERBOSE | re.IGNORECASE,
)


def _quiet(match: re.Match[str]) -> str:
    if match["joint"]:
        return match[0] + BREAK
    before, after = match.string[: match.start()][-1:], match.string[match.end() :][:1]
    if match["low"] and before.isalnum() and after.isalnum():  # within a word an underscore marks nothing
        return match[0]
    return "".join(f"\\{mark}" for mark in match[0])


def markdown_environment(overrides: Path | None = None) -> Environment:
    """Make harmless whatever is not Markdown already; ``opening`` is the filter of texts that open a line."""
    templates = environment(
        "markdown",
        overrides,
        finalize=lambda value: value if isinstance(value, Markdown) else inline(str(value)),
        autoescape=False,
    )
    templates.filters["opening"] = opening
    return templates


def _block(block: Block, templates: Environment, depth: int) -> Markdown:
    match block:
        case Section():
            inner = [_block(each, templates, depth + 1) for each in block.blocks]
            level = Markdown("#" * min(depth, 6))
            return _fill(templates, "section.md.j2", section=block, blocks=inner, level=level)
        case Prose():
            return _fill(templates, "prose.md.j2", prose=block)
        case Caution():
            return _fill(templates, "caution.md.j2", caution=block)
        case Table():
            layout = lay_out(block)
            notes = [*(f"{sense}." for sense in layout.senses), *layout.notes]
            return _fill(templates, "table.md.j2", table=block, lines=_lines(layout), notes=notes)
        case Figure():
            return _figure(block, templates)
        case _:
            assert_never(block)


def _figure(figure: Figure, templates: Environment) -> Markdown:
    heads = [render_input.ended(text) for text in (figure.title, figure.subtitle) if text] or ["Figure."]
    # In the text of a picture any bracket would act that is not escaped yet.
    text = inline(figure.title or figure.subtitle or figure.alt)
    alt = Markdown(_BRACKETS.sub(lambda mark: mark[0] if mark[0].startswith("\\") else f"\\{mark[0]}", text))
    link = Markdown(f"figures/{figure.name}.png")
    return _fill(templates, "figure.md.j2", figure=figure, heads=heads, alt=alt, link=link)


_BRACKETS = re.compile(r"\\.|[\[\]]")


def _fill(templates: Environment, template: str, **values: Any) -> Markdown:
    return Markdown(templates.get_template(template).render(**values).strip("\n"))


@dataclass(frozen=True)
class _Column:
    """One column in print: its cells, and how they align."""

    texts: list[str]
    to_the_right: bool

    @cached_property
    def width(self) -> int:
        return max([3, *(width for width in map(_width, self.texts) if width <= WIDEST)])

    def padded(self, row: int) -> str:
        text = self.texts[row]
        gap = " " * (self.width - _width(text))
        return f"{gap}{text}" if self.to_the_right else f"{text}{gap}"

    def rule(self) -> str:
        return "-" * (self.width - 1) + ":" if self.to_the_right else ":" + "-" * (self.width - 1)


def _lines(layout: Layout) -> list[Markdown]:
    """Return head, rule and rows as lines of pipes, padded so that columns align as plain text too."""
    rows: list[tuple[Cell, ...]] = []
    for group in layout.groups:
        if group.title:
            rows.append((Cell(group.title, bold=True), *(Cell("") for _ in layout.heads[1:])))
        rows += group.rows
    columns = []
    for i, head in enumerate(layout.heads):
        title = f"{behind(head.group, head.text)} {ARROWS[head.column.sense]}".strip(" ")
        texts = [_in_cell(title), *(_cell(row[i]) for row in rows)]
        columns.append(_Column(texts, to_the_right=head.column.kind != "text"))
    lines = [_piped([column.padded(i) for column in columns]) for i in range(len(rows) + 1)]
    return [lines[0], _piped([column.rule() for column in columns]), *lines[1:]]


def _cell(cell: Cell) -> str:
    text = _in_cell(cell.text.strip() if cell.bold else cell.text)
    strong = f"**{text}**" if cell.bold and text else text
    marked = f"{strong} {_in_cell(cell.mark)}" if cell.mark else strong
    if not cell.beneath:
        return marked
    below = _in_cell(cell.beneath)
    return f"{marked} {below}" if below.startswith("[") else f"{marked} ({below})"


def _in_cell(text: str) -> str:
    return inline(text).replace("|", r"\|")


def _piped(cells: Sequence[str]) -> Markdown:
    return Markdown(f"| {' | '.join(cells)} |")


def _width(text: str) -> int:
    """Return how many columns of a terminal a text fills."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.category(character) in ("Mn", "Me", "Cf") for character in text)
