"""Report -> a document for Word: native headings, tables and captions, pictures with their descriptions."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, assert_never

from reporting.document.blocks import Block, Caution, Cell, Figure, Prose, Section, Table
from reporting.render.archive import day_of, without_times
from reporting.render.extras import require
from reporting.render.layout import WRAPS, Head, Layout, characters, lay_out
from reporting.render.render_input import RenderContext, ended, one_line

if TYPE_CHECKING:
    from docx.document import Document
    from docx.text.paragraph import Paragraph

ACCENT, QUIET, HELD = "0B5C8F", "5A5A5A", "B3261E"
SIZES = ((9.0, 92), (8.0, 104), (7.0, 118))
"""Type sizes in points with the characters that fill a line of the page."""
LINE = 9638
"""The width of a line in twentieths of a point: A4 with margins of 20 mm."""
PIXEL = 0.6
"""The length of a pixel of a picture, in points; wider ones fill the line."""
DEEPEST = 4
"""The lowest level of a heading."""


def docx_files(material: RenderContext) -> dict[str, bytes]:
    """Return ``report.docx``; the bytes depend on the report, the library and, in pictures, on fonts.

    Raises ConfigError where the library is not installed.
    """
    require("docx")
    file = _WordFile(material)
    file.write()
    return {"report.docx": file.bytes()}


class _WordFile:
    """Appends blocks to one document; tables and figures are counted by its fields."""

    def __init__(self, material: RenderContext) -> None:
        import docx

        self.material = material
        self.document: Document = docx.Document()
        self.counts = {"Table": 0, "Figure": 0}
        _set_page(self.document)
        _set_styles(self.document)

    def write(self) -> None:
        """Write the answer, then every section."""
        report = self.material.report
        self.paragraph("Title", report.title)
        self.paragraph("Quiet", report.on_test or report.data_line)
        for sentence in report.held:
            self.paragraph("Held", sentence)
        if report.headline:
            self.paragraph("Answer", report.headline)
        for sentence in report.short_answer:
            self.paragraph("Lead", sentence)
        for label, line in report.by_dataset:
            _add(_add(self.paragraph("List Bullet"), label, bold=True), f": {line}")
        for section in report.sections:
            self.block(section, level=1)
        self.paragraph("Quiet", f"Made on {self.material.provenance.as_of}.")
        footer = self.document.sections[0].footer.paragraphs[0]
        footer.style = self.document.styles["Quiet"]
        _add(footer, f"{report.signature} | ")
        _field(footer, "PAGE", "1")

    def bytes(self) -> bytes:
        """Return the file: its dates are the report's own."""
        core, day = self.document.core_properties, day_of(self.material.provenance.as_of)
        core.title, core.comments = one_line(self.material.report.title)[:255], ""
        core.author = core.last_modified_by = f"reporting {self.material.provenance.version}"
        core.created = core.modified = day
        file = io.BytesIO()
        self.document.save(file)
        return without_times(file.getvalue())

    def paragraph(self, style: str, text: str = "") -> Paragraph:
        """Append a paragraph in a style."""
        return _add(self.document.add_paragraph(style=style), text)

    def block(self, block: Block, level: int) -> None:
        """Append a block; a section's own are a level below its heading."""
        match block:
            case Section():
                self.paragraph(f"Heading {min(level, DEEPEST)}", block.title)
                for inner in block.blocks:
                    self.block(inner, level + 1)
            case Prose():
                start = self.paragraph("Normal")
                _add(_add(start, f"{block.title} " if block.title else "", bold=True), block.text)
            case Caution():
                self.caution(block)
            case Table():
                self.table(block)
            case Figure():
                self.figure(block)
            case _:
                assert_never(block)

    def caution(self, caution: Caution) -> None:
        """Append a caution with its title and code; of an ignored one the reason is printed."""
        start = _add(
            self.paragraph("Grave" if caution.grave else "Caution"), caution.title or "Caution.", bold=True
        )
        _add(start, f" Ignored: {caution.ignored}" if caution.ignored else f" {caution.text}")
        _add(start, f" {caution.code}" if caution.code else "", quiet=True)

    def caption(self, kind: str, *parts: tuple[str, bool]) -> Paragraph:
        """Append a caption, numbered by a field that Word keeps up; parts may be bold."""
        self.counts[kind] += 1
        start = _add(self.paragraph("Caption"), f"{kind} ", bold=True)
        _field(start, f"SEQ {kind} \\* ARABIC", str(self.counts[kind]), bold=True)
        _add(start, ". ", bold=True)
        for text, bold in parts:
            _add(start, f"{text} " if text else "", bold=bold)
        return start

    def table(self, table: Table) -> None:
        """Append a table below its caption and above its notes."""
        layout = lay_out(table)
        self.caption("Table", (layout.caption, False)).paragraph_format.keep_with_next = True
        self.document.element.body.insert_element_before(_table(layout), "w:sectPr")
        for note in (*(f"{sense}." for sense in layout.senses), *layout.notes):
            self.paragraph("Note", note)
        self.paragraph("Note")

    def figure(self, figure: Figure) -> None:
        """Append a picture above its caption."""
        from docx.shared import Pt, Twips

        picture = self.material.pictures[figure.name]
        wide = min(Pt(PIXEL * float(picture.width)), Twips(LINE))
        drawn = self.document.add_picture(io.BytesIO(picture.png), width=wide)
        properties = drawn._inline.docPr
        properties.set("name", figure.name)
        properties.set("descr", one_line(figure.alt))
        self.document.paragraphs[-1].paragraph_format.keep_with_next = True
        self.caption(
            "Figure", (ended(figure.title), True), (ended(figure.subtitle), False), (figure.caption, False)
        )


def _set_page(document: Document) -> None:
    from docx.shared import Mm

    page = document.sections[0]
    page.page_width, page.page_height = Mm(210), Mm(297)
    page.left_margin = page.right_margin = page.top_margin = page.bottom_margin = Mm(20)


STYLES = {
    "Normal": (10.0, "", False, 6.0),
    "Title": (20.0, "000000", True, 6.0),
    "Heading 1": (15.0, ACCENT, True, 6.0),
    "Heading 2": (12.0, ACCENT, True, 4.0),
    "Heading 3": (11.0, ACCENT, True, 4.0),
    "Heading 4": (10.0, ACCENT, True, 4.0),
    "Caption": (9.0, "000000", False, 4.0),
    "Held": (13.0, HELD, True, 4.0),
    "Answer": (14.0, "000000", True, 4.0),
    "Lead": (11.0, "000000", False, 4.0),
    "Quiet": (8.5, QUIET, False, 6.0),
    "Note": (8.0, QUIET, False, 2.0),
    "Caution": (9.5, "000000", False, 6.0),
    "Grave": (9.5, "000000", False, 6.0),
}
"""Type size in points, colour, weight and the space below, by style; those that Word lacks are added."""
BARS = {"Caution": ("D9B98A", "12"), "Grave": ("B45309", "24")}
"""The bar left of a caution: its colour, and its width in eighths of a point."""
FONT = "Calibri"


def _set_styles(document: Document) -> None:
    from docx.enum.style import WD_STYLE_TYPE
    from docx.shared import Pt, RGBColor

    styles = document.styles
    known = {style.name for style in styles}
    for name, (size, ink, bold, below) in STYLES.items():
        style: Any = styles[name] if name in known else styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
        style.font.name, style.font.size, style.font.bold = FONT, Pt(size), bold
        fonts = style.element.rPr.rFonts
        for theme in [key for key in fonts.attrib if key.endswith("Theme")]:
            del fonts.attrib[theme]
        if ink:
            style.font.color.rgb = RGBColor.from_string(ink)
        style.paragraph_format.space_after = Pt(below)
        if name in BARS:
            colour, width = BARS[name]
            bar = _element("w:left", val="single", sz=width, space="8", color=colour)
            style.element.get_or_add_pPr().append(_element("w:pBdr", bar))
    for border in styles["Title"].element.xpath("./w:pPr/w:pBdr"):
        border.getparent().remove(border)


def _add(paragraph: Paragraph, text: str, *, bold: bool = False, quiet: bool = False) -> Paragraph:
    """Append a text in one line, its spaces kept; without a text nothing."""
    if text:
        paragraph._p.append(_run(text, bold=bold, ink=QUIET if quiet else ""))
    return paragraph


def _field(paragraph: Paragraph, code: str, shown: str, *, bold: bool = False) -> None:
    paragraph._p.append(_element("w:fldSimple", _run(shown, bold=bold), instr=code))


def _run(text: str, *, bold: bool = False, ink: str = "", size: float = 0, raised: bool = False) -> Any:
    """Return a run of text; ``size`` is in points, 0 being that of its style."""
    marks = [
        *([_element("w:b")] if bold else []),
        *([_element("w:color", val=ink)] if ink else []),
        *([_element("w:sz", val=f"{2 * size:g}")] if size else []),
        *([_element("w:vertAlign", val="superscript")] if raised else []),
    ]
    words = _element("w:t")
    words.text = one_line(f"|{text}|")[1:-1]
    words.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    return _element("w:r", *([_element("w:rPr", *marks)] if marks else []), words)


def _element(tag: str, *inner: Any, **attributes: str) -> Any:
    """Return an element of the format with attributes of its namespace."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    element: Any = OxmlElement(tag)
    for name, value in attributes.items():
        element.set(qn(f"w:{name}"), value)
    element.extend(inner)
    return element


def _table(layout: Layout) -> Any:
    """Return a native table: rules above and below the head and at its end, the head on each page."""
    needed = characters(layout)
    size = next((size for size, line in SIZES if sum(needed) + 2 * len(needed) <= line), SIZES[-1][0])
    widths = _widths(needed, size)
    rules = [
        _element(f"w:{side}", val="single", sz="8", space="0", color="000000") for side in ("top", "bottom")
    ]
    return _element(
        "w:tbl",
        _element(
            "w:tblPr",
            _element("w:tblW", w=str(sum(widths)), type="dxa"),
            _element("w:tblBorders", *rules),
            _element("w:tblLayout", type="fixed"),
            _element(
                "w:tblCellMar", *(_element(f"w:{side}", w="60", type="dxa") for side in ("left", "right"))
            ),
            _element("w:tblLook", firstRow="1", noVBand="1"),
        ),
        _element("w:tblGrid", *(_element("w:gridCol", w=str(width)) for width in widths)),
        *_rows(layout, widths, size),
    )


def _widths(needed: Sequence[int], size: float) -> list[int]:
    """Return widths of columns: what their texts need, or shares of the line where that is more than it.

    Texts that wrap take the rest of the line.
    """
    line = dict(SIZES)[size]
    wanted = [count + 2 for count in needed]
    wrapping = [i for i, count in enumerate(needed) if count >= WRAPS]
    for i in wrapping:
        wanted[i] += max(0, line - sum(wanted)) // len(wrapping)
    scale = min(LINE / line, LINE / sum(wanted))
    return [int(width * scale) for width in wanted]


def _rows(layout: Layout, widths: Sequence[int], size: float) -> Iterator[Any]:
    if layout.spans:
        yield _row(
            (
                _cell(
                    [_run(span.title, bold=True, size=size)],
                    widths[span.first : span.first + span.width],
                    "center",
                )
                for span in layout.spans
            ),
            is_head=True,
        )
    heads = (
        _cell([_run(head.text, bold=True, size=size)], [width], _side(head), ruled=True)
        for head, width in zip(layout.heads, widths, strict=True)
    )
    yield _row(heads, is_head=True)
    for group in layout.groups:
        if group.title:
            yield _row([_cell([_run(group.title, bold=True, size=size)], widths, "left")])
        for row in group.rows:
            yield _row(
                _cell(_runs(cell, size), [width], _side(head))
                for cell, head, width in zip(row, layout.heads, widths, strict=True)
            )


def _side(head: Head) -> str:
    return "left" if head.column.kind == "text" else "right"


def _row(cells: Iterable[Any], *, is_head: bool = False) -> Any:
    whole = [_element("w:cantSplit"), *([_element("w:tblHeader")] if is_head else [])]
    return _element("w:tr", _element("w:trPr", *whole), *cells)


def _runs(cell: Cell, size: float) -> list[Any]:
    """Return the text of a cell, its sign, and its second line."""
    ink = QUIET if cell.is_undefined else ""
    runs = [_run(one_line(cell.text), bold=cell.bold, ink=ink, size=size)]
    if cell.mark:
        runs.append(_run(cell.mark, size=size, raised=True))
    if cell.beneath:
        runs += [_element("w:r", _element("w:br")), _run(cell.beneath, ink=QUIET, size=size)]
    return runs


def _cell(runs: Sequence[Any], widths: Sequence[int], side: str, *, ruled: bool = False) -> Any:
    """Return a cell over one or more columns; ``ruled``: with a rule below it."""
    rule = _element("w:tcBorders", _element("w:bottom", val="single", sz="4", space="0", color="000000"))
    properties = [
        _element("w:tcW", w=str(sum(widths)), type="dxa"),
        *([_element("w:gridSpan", val=str(len(widths)))] if len(widths) > 1 else []),
        *([rule] if ruled else []),
    ]
    spacing = _element("w:spacing", before="20", after="20")
    paragraph = _element("w:p", _element("w:pPr", spacing, _element("w:jc", val=side)), *runs)
    return _element("w:tc", _element("w:tcPr", *properties), paragraph)
