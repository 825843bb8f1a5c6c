"""Report -> a PDF without TeX: the texts go over as JSON, so that none of them can affect the document."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any, assert_never

from reporting.base.resources import folder, read_templates
from reporting.document.blocks import (
    UNDEFINED,
    Block,
    Caution,
    Cell,
    Column,
    Figure,
    Prose,
    Section,
    Table,
    colour,
)
from reporting.errors import ConfigError
from reporting.render.render_input import RenderContext, ended
from reporting.render.tables import axis_ends, head, mark, row_groups, spans, undefined_notes

FONT = "Libertinus Serif"
"""The text font of the typesetter itself: the same on every machine."""

SIZES = ((9.0, 122), (8.0, 138), (7.0, 158))
"""Type sizes in points with the characters that fill a line of the page."""

GAP = 3
DRAWN = 18
"""The space between two columns, and a drawn column, in characters."""

CHIP = "---- "
"""What the sample of a model's line takes before its name."""

WRAPS = 36
"""Texts wrap rather than make the type smaller, beyond this many characters."""

HEAD_LINE = 13
WHOLE = 24
"""Tables of more rows may break across pages."""

Data = dict[str, Any]


def typst_files(material: RenderContext) -> dict[str, bytes]:
    """Return ``report.pdf``; the bytes depend on the report, the typesetter and, beyond its own fonts'
    letters, on the fonts of the machine.

    Raises ConfigError where the typesetter is not installed.
    """
    if fault := missing():
        raise ConfigError(f"report.formats: {fault}")
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


def missing() -> str:
    """Say what ``pdf`` lacks and how to get it, or nothing."""
    if find_spec("typst") is not None:
        return ""
    return "'pdf' needs typst, which is not installed; pip install 'trial-reporting[pdf]' brings it"


def _sources(material: RenderContext) -> Iterator[tuple[str, bytes]]:
    """Yield the files that the typesetter sees; no others. The user's templates replace the program's."""
    for path in sorted((folder("templates") / "typst").iterdir()):
        yield path.name, path.read_bytes()
    if material.templates is not None:
        for name, text in read_templates(material.templates).of("typst").items():
            yield name, text.encode()
    for name, picture in material.pictures.items():
        yield f"figures/{name}.svg", _in_our_font(picture.svg).encode()
    document = _on_one_line(_document(material))
    yield "report.json", json.dumps(document, ensure_ascii=False, allow_nan=False).encode()


def _on_one_line(value: Any) -> Any:
    """Close up white space, as a page does: here a line end in a name would be one on paper."""
    if isinstance(value, str):
        return re.sub(r"[ \t\n\r\f\v\x1c-\x1f\x85\u2028\u2029]+", " ", value).strip(" ")
    if isinstance(value, list):
        return [_on_one_line(item) for item in value]
    return {key: _on_one_line(item) for key, item in value.items()} if isinstance(value, dict) else value


def _in_our_font(svg: str) -> str:
    return re.sub(r"<[^<>]*>", lambda tag: re.sub(r'(?<= font-family=")[^"]*', FONT, tag[0]), svg)


def _document(material: RenderContext) -> Data:
    report = material.report
    return {
        "title": report.title,
        "data_line": report.data_line,
        "verdict": report.verdict,
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
    columns = [_column(column) for column in table.columns]
    texts = [[_longest(row[i]) for row in table.rows] for i in range(len(columns))]
    return {
        "kind": "table",
        "caption": table.caption,
        "columns": columns,
        "spans": [{"title": span.title, "width": span.width} for span in spans(table.columns)],
        "groups": [
            {
                "title": group.title,
                "rows": [
                    [_cell(*pair) for pair in zip(table.columns, row, strict=True)] for row in group.rows
                ],
            }
            for group in row_groups(table)
        ],
        "notes": [*table.notes, *table.drawn_notes, *undefined_notes(table)],
        "size": _size(columns, texts),
        "breaks": len(table.rows) > WHOLE,
    }


def _column(column: Column) -> Data:
    ends = axis_ends(column)
    return {
        "kind": column.kind,
        "head": _broken(head(column)),
        "sense": _broken(column.sense) if column.kind != "drawn" else [],
        "ends": list(ends) if ends else [],
    }


def _broken(title: str) -> list[str]:
    """Break a head into short lines."""
    lines: list[str] = []
    for word in title.split():
        if lines and len(lines[-1]) + len(word) < HEAD_LINE:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _cells(table: Table, row: tuple[Cell, ...]) -> list[Data]:
    return [_cell(column, cell) for column, cell in zip(table.columns, row, strict=True)]


def _cell(column: Column, cell: Cell) -> Data:
    drawn = mark(column, cell.drawn)
    positions = {name: _place(place) for name, place in asdict(drawn).items() if place} if drawn else {}
    grey = bool(cell.reason) or cell.text == UNDEFINED
    return {
        "text": cell.text,
        "sign": cell.mark,
        "bold": cell.bold,
        "undefined": grey,
        "drawn": positions,
        "beneath": cell.beneath,
        "chip": "" if cell.style is None else colour(cell.style),
    }


def _place(text: str) -> float | list[list[float]]:
    """Return a position along the row, or the corners of an arrow."""
    corners = [[float(side) for side in corner.split(",")] for corner in text.split()]
    return corners[0][0] if len(corners) == 1 else corners


def _longest(cell: Cell) -> str:
    chip = "" if cell.style is None else CHIP
    return max(chip + cell.text + cell.mark, cell.beneath, key=len)


def _size(columns: Sequence[Data], texts: Sequence[Sequence[str]]) -> float:
    """Return the largest type in which numbers keep their line, else the smallest."""
    needed = sum(_characters(column, cells) + GAP for column, cells in zip(columns, texts, strict=True)) - GAP
    return next((size for size, line in SIZES if needed <= line), SIZES[-1][0])


def _characters(column: Data, cells: Sequence[str]) -> int:
    if column["kind"] == "drawn":
        return DRAWN
    widest = max((len(text) for text in [*column["head"], *column["sense"], *cells]), default=0)
    return min(widest, WRAPS) if column["kind"] == "text" else widest
