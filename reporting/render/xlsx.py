"""Report -> a workbook: a sheet for the answer, and every frame as a sheet with its numbers unrounded.

A text is a text: whatever it begins with, a spreadsheet reads no formula, number or address in it.
"""

from __future__ import annotations

import io
import math
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from reporting.base.legible import legible
from reporting.base.records import dataclass, replace
from reporting.document.blocks import Caution, Cell, Prose, Section, Table
from reporting.render.archive import day_of
from reporting.render.csv import FORMULA_STARTS
from reporting.render.extras import require
from reporting.render.layout import Head, behind, broken, lay_out
from reporting.render.render_input import Numbers, RenderContext, blocks, one_line, within

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.worksheet import Worksheet

ANSWER = "answer"
"""The name of the first sheet."""
SHOWN = ("summary", "gates", "methods")
"""The sections that it holds, by their anchors."""
WIDTHS, WIDE = (34, *[18] * 15), 7
"""The widths of its columns, in characters, and over how many of them a sentence goes."""
LINE, HEAD = 15, 14
"""The height of a line, in points, and the characters that a line of a head holds."""
MOST_ROWS, MOST_CHARACTERS, LONGEST_NAME = 1_048_576, 32_767, 31
"""What a sheet, a cell and the name of a sheet hold."""
EXACT = 2**53
"""Beyond it a spreadsheet rounds whole numbers."""


@dataclass(frozen=True)
class Styled:
    """A value in bold, a head or a sentence that breaks into lines, or a number with its printed digits."""

    value: object
    bold: bool = False
    digits: str = ""
    breaks: bool = False


Row = Sequence[object]
"""One row of a sheet: values, some of them ``Styled``; None leaves a cell empty."""


def xlsx_files(material: RenderContext) -> dict[str, bytes]:
    """Return ``report.xlsx``; the bytes depend on the report, its frames and the library.

    Raises ConfigError where the library is not installed.
    """
    require("xlsx")
    from xlsxwriter import Workbook

    file = io.BytesIO()
    with tempfile.TemporaryDirectory(prefix="reporting-") as room:
        # Rows are kept on disk: a frame may be large.
        book = Workbook(file, {"constant_memory": True, "tmpdir": room})
        made_by = f"reporting {material.provenance.version}"
        day = day_of(material.provenance.as_of)
        book.set_properties(
            {"title": one_line(material.report.title)[:255], "author": made_by, "created": day}
        )
        sheets = _Sheets(book)
        sheets.add_answer(_answer(material))
        for name, frame in material.frames.items():
            for number, start in enumerate(range(0, max(frame.height, 1), MOST_ROWS - 1), start=1):
                part = frame.slice(start, MOST_ROWS - 1)
                sheets.add_frame(name if number == 1 else f"{name} {number}", part)
        book.close()
    return {"report.xlsx": file.getvalue()}


def sheet_name(name: str, taken: set[str]) -> str:
    """Return a name that a sheet may have, and none of ``taken``, which are in lower case; enter it there."""
    legal = re.sub(r"[\[\]:*?/\\\x00-\x1f]", "_", legible(name)).strip("' ") or "sheet"
    for number in range(1, len(taken) + 3):
        behind_it = "" if number == 1 else f" {number}"
        free = legal[: LONGEST_NAME - len(behind_it)].rstrip("' ") + behind_it
        # Excel reserves the name History.
        if free.lower() not in taken | {"history"}:
            break
    taken.add(free.lower())
    return free


class _Sheets:
    """Adds sheets to a workbook."""

    def __init__(self, book: Workbook) -> None:
        self.book = book
        self.names: set[str] = set()
        self.formats: dict[tuple[bool, str, bool, bool], Any] = {}

    def add_answer(self, rows: Iterable[Row]) -> None:
        """Add the first sheet, which prints on pages of its width."""
        sheet = self._added(ANSWER, WIDTHS)
        for i, row in enumerate(rows):
            if len(row) == 1:
                self._add_sentence(sheet, i, row[0])
            else:
                texts = [str(each.value) for each in row if isinstance(each, Styled) and each.breaks]
                sheet.set_row(i, LINE * max((len(broken(text.split(), HEAD)) for text in texts), default=1))
                self._add_row(sheet, i, row)
        sheet.set_landscape()
        sheet.fit_to_pages(1, 0)

    def _add_sentence(self, sheet: Worksheet, i: int, value: object) -> None:
        """Write a text over several columns, in as many lines as it takes."""
        styled = value if isinstance(value, Styled) else Styled(value)
        text, room = _as_text(styled.value), sum(WIDTHS[:WIDE])
        sheet.set_row(i, LINE * math.ceil(max(len(text), 1) / room))
        sheet.merge_range(i, 0, i, WIDE - 1, "", self._format(replace(styled, breaks=True)))
        self._write(sheet, i, 0, replace(styled, value=text, breaks=True))

    def add_frame(self, name: str, frame: Numbers) -> None:
        """Add the sheet of a frame; its first row, the columns' names, stays in view."""
        widths = [max(9, len(column) + 2) for column in frame.columns]
        sheet = self._added(name, widths)
        self._add_row(sheet, 0, [Styled(column, bold=True) for column in frame.columns])
        for i, row in enumerate(frame.iter_rows(), start=1):
            self._add_row(sheet, i, row)
        sheet.freeze_panes(1, 0)
        if frame.width:
            sheet.autofilter(0, 0, frame.height, frame.width - 1)

    def _added(self, name: str, widths: Sequence[int]) -> Worksheet:
        sheet = self.book.add_worksheet(sheet_name(name, self.names))
        for i, width in enumerate(widths):
            sheet.set_column(i, i, width)
        return sheet

    def _add_row(self, sheet: Worksheet, i: int, row: Row) -> None:
        for j, value in enumerate(row):
            self._write(sheet, i, j, value if isinstance(value, Styled) else Styled(value))

    def _write(self, sheet: Worksheet, i: int, j: int, styled: Styled) -> None:
        value = styled.value
        match value:
            case None:
                return
            case bool():
                sheet.write_boolean(i, j, value)
            case int() | float() if math.isfinite(value) and (
                isinstance(value, float) or abs(value) <= EXACT
            ):
                sheet.write_number(i, j, value, self._format(styled))
            case _:
                text = _as_text(value)
                sheet.write_string(i, j, text, self._format(styled, quoted=text.startswith(FORMULA_STARTS)))

    def _format(self, styled: Styled, quoted: bool = False) -> Any:
        """Return the format of a cell; a ``quoted`` text stays one where somebody edits it."""
        key = (styled.bold, styled.digits, quoted, styled.breaks)
        if key not in self.formats:
            wanted = {"bold": styled.bold, "num_format": styled.digits or "General", "quote_prefix": quoted}
            breaks = {"text_wrap": True, "valign": "top"} if styled.breaks else {}
            self.formats[key] = self.book.add_format(wanted | breaks)
        return self.formats[key] if any(key) else None


def _as_text(value: object) -> str:
    """Return what a spreadsheet has no number for as text: lists joined, infinities by their names."""
    if isinstance(value, list | tuple):
        value = ", ".join(map(str, value))
    text = legible(str(value))
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 1]}…"


def _answer(material: RenderContext) -> Iterator[Row]:
    """Yield what the first sheet holds: the answer in words, its cautions and tables, and the methods."""
    report = material.report
    yield [Styled(report.title, bold=True)]
    yield [report.on_test or report.data_line]
    yield from ([Styled(sentence, bold=True)] for sentence in report.held)
    if report.headline:
        yield [Styled(report.headline, bold=True)]
    yield from ([sentence] for sentence in report.short_answer if sentence)
    yield from ([label, line] for label, line in report.by_dataset)
    for section in blocks(report):
        if isinstance(section, Section) and section.anchor in SHOWN:
            yield []
            yield [Styled(section.title, bold=True)]
            for block in list(within(section))[1:]:
                yield from _block_rows(block)
    yield []
    yield [report.signature]
    yield [f"Made on {material.provenance.as_of}."]


def _block_rows(block: object) -> Iterator[Row]:
    match block:
        case Section():
            yield [Styled(block.title, bold=True)]
        case Prose():
            yield [one_line(f"{block.title} {block.text}")]
        case Caution():
            text = f"Ignored: {block.ignored}" if block.ignored else block.text
            yield [one_line(f"{block.title or 'Caution.'} {text} {block.code}")]
        case Table():
            yield from _table_rows(block)


def _table_rows(table: Table) -> Iterator[Row]:
    """Yield a table as it is printed; a cell that is a number alone is one, with its printed digits."""
    layout = lay_out(table)
    yield []
    yield [Styled(layout.caption, bold=True)]
    names = (
        text for head in layout.heads for text in _pair(head, behind(head.group, head.text), head.beneath)
    )
    yield [Styled(text, bold=True, breaks=True) for text in names]
    for group in layout.groups:
        if group.title:
            yield [Styled(group.title, bold=True)]
        for row in group.rows:
            yield [
                value
                for head, cell in zip(layout.heads, row, strict=True)
                for value in _pair(head, _printed(head, cell), cell.beneath)
            ]
    yield from ([note] for note in layout.notes)


def _pair(head: Head, own: object, beneath: str) -> tuple[object, ...]:
    """Return what a column has, and what a column behind it has of second lines, if there are any."""
    return (own, beneath) if head.beneath else (own,)


def _printed(head: Head, cell: Cell) -> Styled:
    """Return the number that a cell prints with its digits, such as 1,234.50; any other text as it is."""
    if head.column.kind == "text":
        return Styled(cell.text, bold=cell.bold)
    printed = re.fullmatch(r"(−?)(\d[\d,]*)?(?:\.(\d+))?", cell.text)
    if cell.mark or printed is None or not (printed[2] or printed[3]):
        return Styled(f"{cell.text}{cell.mark}", bold=cell.bold)
    decimals = f".{'0' * len(printed[3])}" if printed[3] else ""
    whole = ("#,##0" if "," in (printed[2] or "") else "0") if printed[2] else ""
    number = float(f"{'-' if printed[1] else ''}{(printed[2] or '0').replace(',', '')}.{printed[3] or '0'}")
    return Styled(number, bold=cell.bold, digits=f"{whole}{decimals}")
