"""Report -> a LaTeX document, and each table and figure as a file that a paper can take in."""

from __future__ import annotations

import dataclasses
import itertools
import unicodedata
from collections.abc import Iterator
from typing import Any, assert_never

from jinja2 import Environment

from reporting.errors import listed
from reporting.render.environment import tex_environment
from reporting.render.inventory import figures, tables
from reporting.render.render_input import Material
from reporting.render.tex import Tex, code_point, unsettable
from reporting.render.tex_figures import tex_figure
from reporting.render.tex_tables import tex_table
from reporting.report.blocks import Block, Caution, Figure, Prose, Report, Section, Table

PASTED = "methods"
"""The section whose text a paper takes in as it is."""

ON_SCREENS = ("spec", "alt", "explorer", "told", "probes", "windows", "on_dev")
"""Fields of a figure whose texts do not print here."""

HEADINGS = ("section", "subsection", "subsubsection", "paragraph")


def latex_files(material: Material) -> dict[str, bytes]:
    """Return ``report.tex``, the tables and figures that it takes in, and the methods for a paper."""
    templates = tex_environment(material.templates)
    files = {"report.tex": _document(material, templates)}
    for section in material.report.sections:
        if section.anchor == PASTED:
            files[f"{PASTED}.tex"] = _paragraphs(section, templates)
    for table in tables(material.report):
        files[f"tables/{table.name}.tex"] = table_tex(table, templates)
    for figure in figures(material.report):
        files[f"figures/{figure.name}.tex"] = _fill(templates, "figure.tex.j2", figure=tex_figure(figure))
    return {path: text.encode() for path, text in files.items()}


def table_tex(table: Table, templates: Environment) -> Tex:
    """Return the source of one table, which floats where it fits a page."""
    laid_out = tex_table(table)
    return _fill(templates, "longtable.tex.j2" if laid_out.breaks else "table.tex.j2", table=laid_out)


def _document(material: Material, templates: Environment) -> Tex:
    report = material.report
    return _fill(
        templates,
        "report.tex.j2",
        report=report,
        provenance=material.provenance,
        replaced=_replaced(report),
        sections=[_block(section, templates, depth=0) for section in report.sections],
    )


def _paragraphs(section: Section, templates: Environment) -> Tex:
    """Set what a section says, without its heading."""
    blocks = [_block(block, templates, depth=1) for block in section.blocks]
    return _fill(templates, "paragraphs.tex.j2", blocks=blocks)


def _block(block: Block, templates: Environment, depth: int) -> Tex:
    match block:
        case Section():
            return _section(block, templates, depth)
        case Prose():
            return _fill(templates, "prose.tex.j2", prose=block)
        case Caution():
            return _fill(templates, "caution.tex.j2", text=block.text)
        case Table():
            return Tex(rf"\input{{tables/{block.name}.tex}}")
        case Figure():
            return Tex(rf"\input{{figures/{block.name}.tex}}")
        case _:
            assert_never(block)


def _section(section: Section, templates: Environment, depth: int) -> Tex:
    """Set a section; what follows on its like shares a list, or a line where figures stand side by side."""
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
