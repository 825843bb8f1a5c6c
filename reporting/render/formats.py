"""All output formats by name. Adding one is a file in this room, its templates, and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Self

from reporting.base.legible import all_legible
from reporting.base.provenance import Provenance
from reporting.document.blocks import HEARS_OF_FIGURES, Figure, Report, Spec
from reporting.errors import ConfigError, did_you_mean, listed
from reporting.render.csv import table_csv
from reporting.render.docx import docx_files
from reporting.render.drawing import Awaited, submit
from reporting.render.html import html_files
from reporting.render.json import json_files
from reporting.render.latex import latex_files
from reporting.render.markdown import full_markdown_files, markdown_files
from reporting.render.pictures import DrawnFigure, draw
from reporting.render.render_input import Numbers, RenderContext, check_names, figures, png_files, tables
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


class Pictures:
    """The pictures of figures, each drawn once; within the context, as soon as a figure is made."""

    def __init__(self) -> None:
        self._of_spec: dict[int, tuple[Spec, Future[DrawnFigure]]] = {}

    def of(self, figure: Figure) -> Future[DrawnFigure]:
        """Begin to draw a figure, unless it is drawn already."""
        # The spec is kept, too: its id must stay its own.
        spec = figure.spec
        if id(spec) not in self._of_spec:
            self._of_spec[id(spec)] = spec, submit(draw, spec)
        return self._of_spec[id(spec)][1]

    def __enter__(self) -> Self:
        """Hear of figures."""
        self._heard = HEARS_OF_FIGURES.set(self.of)
        return self

    def __exit__(self, *error: object) -> None:
        """Hear of no more."""
        HEARS_OF_FIGURES.reset(self._heard)


def render_all(
    report: Report,
    provenance: Provenance,
    formats: Sequence[str],
    *,
    interactive: bool,
    templates: Path | None = None,
    frames: Mapping[str, Numbers] | None = None,
    pictures: Pictures | None = None,
) -> dict[str, bytes]:
    """Return the content of every output file, keyed by its path in the output directory.

    Tables as CSV and figures as SVG and PDF come with any choice of formats. ``templates`` is a folder of
    the user's own, which take precedence; ``frames`` become sheets of a workbook. ``pictures`` may have been
    begun while the report was composed.
    """
    # The page waits for every picture: what is written before it is written meanwhile.
    writers = [_writer(name) for name in sorted(formats, key="html".__eq__)]
    check_names(report)
    pictures = pictures or Pictures()
    drawn = Awaited({figure.name: pictures.of(figure) for figure in figures(report)})
    legible = all_legible(report), all_legible(provenance)
    material = RenderContext(*legible, drawn, interactive, templates, tuple(formats), frames or {})
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
