"""All output formats by name. Adding one is a file in this room, its templates, and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from reporting.base.provenance import Provenance
from reporting.document.blocks import Report
from reporting.errors import ConfigError, did_you_mean, listed
from reporting.render.csv import table_csv
from reporting.render.docx import docx_files
from reporting.render.drawing import Awaited, submit
from reporting.render.html import html_files
from reporting.render.json import json_files
from reporting.render.latex import latex_files
from reporting.render.markdown import full_markdown_files, markdown_files
from reporting.render.pictures import draw
from reporting.render.render_input import (
    Numbers,
    RenderContext,
    all_legible,
    check_names,
    figures,
    png_files,
    tables,
)
from reporting.render.typst import typst_files
from reporting.render.xlsx import xlsx_files

Files = dict[str, bytes]

FORMATS: Mapping[str, Callable[[RenderContext], Files]] = {
    "html": html_files,
    "latex": latex_files,
    "markdown": markdown_files,
    "markdown-full": full_markdown_files,
    "json": json_files,
    "pdf": typst_files,
    "docx": docx_files,
    "xlsx": xlsx_files,
    "png": lambda material: png_files(material, figures(material.report)),
}


def render_all(
    report: Report,
    provenance: Provenance,
    formats: Sequence[str],
    *,
    interactive: bool,
    templates: Path | None = None,
    frames: Mapping[str, Numbers] | None = None,
) -> dict[str, bytes]:
    """Return the content of every output file, keyed by its path in the output directory.

    Tables as CSV and figures as SVG and PDF come with any choice of formats. ``templates`` is a folder of
    the user's own, which take precedence; ``frames`` become sheets of a workbook.
    """
    # The page waits for every picture: what is written before it is written meanwhile.
    writers = [_writer(name) for name in sorted(formats, key="html".__eq__)]
    check_names(report)
    shown = all_legible(report)
    pictures = Awaited({figure.name: submit(draw, figure.spec) for figure in figures(shown)})
    material = RenderContext(
        shown, all_legible(provenance), pictures, interactive, templates, tuple(formats), frames or {}
    )
    files: Files = {}
    for writer in writers:
        files |= writer(material)
    return files | _common_files(material)


def _writer(name: str) -> Callable[[RenderContext], Files]:
    if name not in FORMATS:
        raise ConfigError(
            f"report.formats: {name!r} is no format{did_you_mean(name, FORMATS)} (allowed: {listed(FORMATS)})"
        )
    return FORMATS[name]


def _common_files(material: RenderContext) -> Files:
    files = {f"tables/{table.name}.csv": table_csv(table) for table in tables(material.report)}
    for name, picture in material.pictures.items():
        files[f"figures/{name}.svg"] = picture.svg.encode()
        files[f"figures/{name}.pdf"] = picture.pdf
    return files
