"""Workbooks of Excel and OpenDocument: the table of one sheet, formulas by the values saved with them.

A value is text as in a CSV file: 1 for a whole number, else the shortest decimals that read back the same.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
from python_calamine import CalamineError, CalamineWorkbook, SheetVisibleEnum

from reporting.errors import listed, quoted
from reporting.inputs.formats.catalogue import Reader, Reading
from reporting.inputs.formats.numbers import with_points
from reporting.inputs.formats.separated import kept_columns, numbered
from reporting.inputs.formats.whole import MEGABYTE, ManyTablesError, check_growth, check_size

Rows = list[list[str]]
MOST_CELLS = 50_000_000
"""Cells of a sheet between its first and its last: all of them are held in memory."""
FAR = "more cells than are read; delete what is far from the table, or save it as CSV"
CELL = re.compile(rb'<c [^>]*?r="([A-Z]{1,3})([0-9]{1,7})"')
OVERLAP = 64
PART = re.compile(rb"<table:(table|table-row|table-cell|covered-table-cell)(?=[\s/>])([^>]*)>")
ROWS_REPEATED, COLUMNS_REPEATED = (
    re.compile(rb'table:number-%b-repeated="([0-9]{1,18})' % each) for each in (b"rows", b"columns")
)


def scan_sheet(path: Path, reading: Reading) -> pl.LazyFrame:
    """Return the table of a workbook; ValueError where several sheets hold one, or where it is damaged."""
    check_size(path.stat().st_size)
    if zipfile.is_zipfile(path):
        _check_members(path)
    try:
        with CalamineWorkbook.from_path(path) as book:
            rows = _chosen(book, reading.sheet)
    except (CalamineError, zipfile.BadZipFile) as error:
        if "Cell limit" in str(error):
            raise ValueError(f"a sheet spans {FAR}") from None
        raise ValueError(_no_workbook(path) or f"it is damaged: {error}") from None
    above = _above(rows)
    names = [name.strip() for name in rows[above]]
    body = rows[above + 1 :]
    if reading.header is False:
        names, body = numbered(len(names)), rows[above:]
    body = [row for row in body if any(row)]
    kept = kept_columns(names, body)
    if not kept or not body:
        raise ValueError("its sheet holds no row under the names of columns")
    table = pl.LazyFrame(
        {name: [row[at] or None for row in body] for at, name in kept.items()},
        schema=dict.fromkeys(kept.values(), pl.String()),
    )
    return with_points(table, [name for name in kept.values() if name not in reading.names], reading.decimal)


def _no_workbook(path: Path) -> str:
    """Say what an archive holds without any part of a workbook; else an empty text."""
    if not zipfile.is_zipfile(path):
        return ""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
    if any(name.startswith("xl/") or name == "content.xml" for name in names):
        return ""
    held = listed(map(quoted, names), 3) or "nothing"
    return f"it is a ZIP archive and no workbook (it holds {held}); name it .zip where a table is in it"


def _check_members(path: Path) -> None:
    """Unpack every part of a workbook once, a piece at a time: it may hold more than it promises."""
    size, unpacked = path.stat().st_size, 0
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                largest, tail, repeated = [0, 0], b"", RepeatedCells()
                with archive.open(member) as file:
                    while piece := file.read(MEGABYTE):
                        unpacked += len(piece)
                        check_growth(unpacked, size)
                        if "worksheets/" in member.filename:
                            _note_largest(largest, tail + piece)
                            tail = piece[-OVERLAP:]
                        if member.filename == "content.xml":
                            tail = repeated.note(tail + piece)
                            largest = [repeated.height, repeated.width]
                if largest[0] * largest[1] > MOST_CELLS:
                    raise ValueError(f"a sheet spans {largest[0]:,} rows and {largest[1]:,} columns, {FAR}")
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise ValueError(f"it is damaged, or needs a password: {error}") from None


@dataclasses.dataclass
class RepeatedCells:
    """How far the largest sheet of OpenDocument reaches; rows and cells say how often they are repeated."""

    height: int = 0
    width: int = 0
    row: int = 0
    times: int = 1
    column: int = 0

    def note(self, xml: bytes) -> bytes:
        """Read what is whole of a piece of XML, and return the rest."""
        end = xml.rfind(b"<")
        for kind, attributes in PART.findall(xml[:end]):
            if kind == b"table":
                self.row, self.times = 0, 0
            elif kind == b"table-row":
                self.row, self.times, self.column = (
                    self.row + self.times,
                    _times(ROWS_REPEATED, attributes),
                    0,
                )
            else:
                self.column += _times(COLUMNS_REPEATED, attributes)
                if b"office:" in attributes:
                    self.height = max(self.height, self.row + self.times)
                    self.width = max(self.width, self.column)
        return xml[end:]


def _times(repeated: re.Pattern[bytes], attributes: bytes) -> int:
    held = repeated.search(attributes)
    return int(held[1]) if held else 1


def _note_largest(largest: list[int], xml: bytes) -> None:
    for letters, row in CELL.findall(xml):
        column = 0
        for letter in letters:
            column = column * 26 + letter - 64
        largest[:] = max(largest[0], int(row)), max(largest[1], column)


def _chosen(book: CalamineWorkbook, sheet: str) -> Rows:
    tables = _tables(book, sheet)
    if sheet:
        if sheet not in book.sheet_names:
            held = listed(map(quoted, book.sheet_names))
            raise ValueError(f"it has no sheet {quoted(sheet)} (found: {held})")
        return tables.get(sheet) or [[]]
    if len(tables) > 1:
        raise ManyTablesError("it holds the sheets", tables)
    if not tables:
        raise ValueError("none of its sheets holds a table")
    return next(iter(tables.values()))


def _tables(book: CalamineWorkbook, sheet: str = "") -> dict[str, Rows]:
    """Return the sheets that are seen and hold a table of two columns or more; else those with one column."""
    wide, narrow = dict[str, Rows](), dict[str, Rows]()
    for each in book.sheets_metadata:
        if sheet and each.name != sheet:
            continue
        if not sheet and each.visible != SheetVisibleEnum.Visible:
            continue
        try:
            held = book.get_sheet_by_name(each.name).to_python(skip_empty_area=True)
        except CalamineError:  # a sheet of charts
            continue
        rows = [list(map(_text, row)) for row in held]
        if sum(any(row) for row in rows) > 1:
            (wide if max(map(_width, rows)) > 1 else narrow)[each.name] = rows
    return wide or narrow


def _width(row: Sequence[str]) -> int:
    return sum(map(bool, row))


def _above(rows: Rows) -> int:
    """Return how many rows are above the names of columns, which are as many as the widest row has cells.

    Else the first row is taken that has more than half of them.
    """
    widest = max(map(_width, rows), default=0)
    number = re.compile(r"-*\d+\.?\d*|-*\.\d+")
    full = (
        at for at, row in enumerate(rows) if _width(row) == widest and not any(map(number.fullmatch, row))
    )
    some = (at for at, row in enumerate(rows) if _width(row) * 2 > widest)
    return next(full, next(some, 0))


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
    if isinstance(value, dt.datetime) and value.time() == dt.time():
        value = value.date()
    return value.isoformat() if isinstance(value, dt.date | dt.time) else str(value)


SHEETS = Reader(scan_sheet, lambda path: "")
