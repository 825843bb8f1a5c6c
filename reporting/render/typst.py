"""Report -> a PDF without TeX: the texts go over as JSON, so that none of them can affect the document."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, assert_never

from reporting.base.resources import folder, read_templates
from reporting.document.blocks import Block, Caution, Cell, Column, Figure, Prose, Section, Table, colour
from reporting.errors import ConfigError
from reporting.render.extras import require
from reporting.render.layout import HEAD_LINE, Head, broken, characters, lay_out, mark
from reporting.render.pictures import FONT_FAMILY, in_tags
from reporting.render.render_input import RenderContext, ended, one_line

FONT = "Libertinus Serif"
"""The text font of the typesetter itself: the same on every machine."""

SIZES = ((9.0, 122), (8.0, 138), (7.0, 158))
"""Type sizes in points with the characters that fill a line of the page."""

GAP = 3
"""The space between two columns, in characters."""

WHOLE = 24
"""Tables of more rows may break across pages."""

Data = dict[str, Any]


def typst_files(material: RenderContext) -> dict[str, bytes]:
    """Return ``report.pdf``; the bytes depend on the report, the typesetter and, beyond its own fonts'
    letters, on the fonts of the machine.

    Raises ConfigError where the typesetter is not installed.
    """
    require("pdf")
    import typst

    with tempfile.TemporaryDirectory(prefix="reporting-") as name:
        room = Path(name)
        for path, content in _sources(material):
            (room / path).parent.mkdir(exist_ok=True)
            (room / path).write_bytes(content)
        try:
            return {"report.pdf": typst.compile(str(room / "report.typ"), root=name)}
        except typst.TypstError as refused:
            raise ConfigError(f"report.pdf: the template typst/report.typ fails: {refused}") from None


def _sources(material: RenderContext) -> Iterator[tuple[str, bytes]]:
    """Yield the files that the typesetter sees; no others. The user's templates replace the program's."""
    for path in sorted((folder("templates") / "typst").iterdir()):
        yield path.name, path.read_bytes()
    if material.templates is not None:
        for name, text in read_templates(material.templates).of("typst").items():
            yield name, text.encode()
    for name, picture in material.pictures.items():
        yield f"figures/{name}.svg", in_tags(picture.svg, FONT_FAMILY, FONT).encode()
    document = _on_one_line(_document(material))
    yield "report.json", json.dumps(document, ensure_ascii=False, allow_nan=False).encode()


def _on_one_line(value: Any) -> Any:
    """Return the same data with every text in one line."""
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, list):
        return [_on_one_line(item) for item in value]
    return {key: _on_one_line(item) for key, item in value.items()} if isinstance(value, dict) else value


def _document(material: RenderContext) -> Data:
    report = material.report
    return {
        "title": report.title,
        "data_line": report.data_line,
        "verdict": report.verdict,
        "held": list(report.held),
        "headline": report.headline,
        "answer": list(report.answer),
        "by_dataset": [list(pair) for pair in report.by_dataset],
        "signature": report.signature,
        "as_of": material.provenance.as_of,
        "font": FONT,
        "sections": [_section(section, material, level=1) for section in report.sections],
    }


def _block(block: Block, material: RenderContext, level: int) -> Data:
    match block:
        case Section():
            return _section(block, material, level)
        case Prose():
            return {"kind": "prose", "title": block.title, "text": block.text}
        case Caution():
            return {"kind": "caution", **vars(block)}
        case Table():
            return _table(block)
        case Figure():
            return _figure(block, material)
        case _:
            assert_never(block)


def _section(section: Section, material: RenderContext, level: int) -> Data:
    """Return a section; two neighbours share a line where it has pairs of figures."""
    inner: list[Data] = []
    for block in section.blocks:
        data = _block(block, material, level + 1)
        waits = inner and inner[-1]["kind"] == "figures" and len(inner[-1]["figures"]) == 1
        if isinstance(block, Figure) and section.beside and waits:
            inner[-1]["figures"].append(data)
        else:
            inner.append({"kind": "figures", "figures": [data]} if isinstance(block, Figure) else data)
    return {"kind": "section", "title": section.title, "level": level, "blocks": inner}


def _figure(figure: Figure, material: RenderContext) -> Data:
    picture = material.pictures[figure.name]
    return {
        "kind": "figure",
        "file": f"figures/{figure.name}.svg",
        "title": ended(figure.title),
        "subtitle": ended(figure.subtitle),
        "caption": figure.caption,
        "alt": figure.alt,
        "width": float(picture.width),
    }


def _table(table: Table) -> Data:
    layout = lay_out(table, drawn=True)
    needed = sum(characters(layout)) + GAP * (len(layout.heads) - 1)
    return {
        "kind": "table",
        "caption": layout.caption,
        "columns": [_column(head) for head in layout.heads],
        "spans": [{"title": span.title, "width": span.width} for span in layout.spans],
        "groups": [
            {"title": group.title, "rows": [list(map(_cell, table.columns, row)) for row in group.rows]}
            for group in layout.groups
        ],
        "notes": list(layout.notes),
        # The largest type in which numbers keep their line, else the smallest.
        "size": next((size for size, line in SIZES if needed <= line), SIZES[-1][0]),
        "breaks": len(table.rows) > WHOLE,
    }


def _column(head: Head) -> Data:
    column = head.column
    return {
        "kind": column.kind,
        "head": broken(head.text.split(), HEAD_LINE),
        "sense": broken(column.sense.split(), HEAD_LINE) if column.kind != "drawn" else [],
        "ends": list(head.ends),
    }


def _cell(column: Column, cell: Cell) -> Data:
    drawn = mark(column, cell.drawn)
    places = {name: place for name, place in vars(drawn).items() if place} if drawn else {}
    return {
        "text": cell.text,
        "sign": cell.mark,
        "bold": cell.bold,
        "undefined": cell.is_undefined,
        "drawn": {name: _place(place) for name, place in places.items()},
        "beneath": cell.beneath,
        "chip": "" if cell.style is None else colour(cell.style),
    }


def _place(text: str) -> float | list[list[float]]:
    """Return a position along the row, or the corners of an arrow."""
    corners = [[float(side) for side in corner.split(",")] for corner in text.split()]
    return corners[0][0] if len(corners) == 1 else corners
