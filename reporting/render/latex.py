"""Report -> a LaTeX document, and each table and figure as a file that a paper can take in."""

from __future__ import annotations

import dataclasses
import unicodedata
from collections.abc import Iterator
from typing import Any, assert_never

from jinja2 import Environment

from reporting.errors import listed
from reporting.render.environment import tex_environment
from reporting.render.inventory import figures, tables
from reporting.render.material import Material
from reporting.render.tex import Tex, code_point, unsettable
from reporting.render.tex_figures import tex_figure
from reporting.render.tex_tables import tex_table
from reporting.report.blocks import Block, Caution, Figure, Prose, Report, Section, Table

HEADINGS = ("section", "subsection", "subsubsection", "paragraph")


def latex_files(material: Material) -> dict[str, bytes]:
    """Return ``report.tex`` and the tables and figures that it takes in."""
    templates = tex_environment(material.templates)
    files = {"report.tex": _document(material, templates)}
    for table in tables(material.report):
        laid_out = tex_table(table)
        template = "longtable.tex.j2" if laid_out.breaks else "table.tex.j2"
        files[f"tables/{table.name}.tex"] = _fill(templates, template, table=laid_out)
    for figure in figures(material.report):
        files[f"figures/{figure.name}.tex"] = _fill(templates, "figure.tex.j2", figure=tex_figure(figure))
    return {path: text.encode() for path, text in files.items()}


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
    """Set a section; where its figures stand side by side, two neighbours share a line."""
    inner: list[Tex] = []
    waiting = list(section.blocks)
    while waiting:
        block = waiting.pop(0)
        if section.beside and isinstance(block, Figure) and waiting and isinstance(waiting[0], Figure):
            pair = [_block(each, templates, depth + 1) for each in (block, waiting.pop(0))]
            inner.append(_fill(templates, "pair.tex.j2", figures=pair))
        else:
            inner.append(_block(block, templates, depth + 1))
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
    """Yield the texts that print in this format: those of specs and of picture descriptions do not."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _texts(item)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            if field.name not in ("spec", "alt"):
                yield from _texts(getattr(value, field.name))
