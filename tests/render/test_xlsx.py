"""report.xlsx as two independent readers find it: openpyxl sees formulas, calamine what a program reads."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import polars as pl
import pytest

from reporting.base.legible import all_legible
from reporting.base.provenance import Provenance
from reporting.document.blocks import Cell, Column, Report, Section, Table
from reporting.render import xlsx
from reporting.render.render_input import RenderContext
from reporting.render.xlsx import sheet_name, xlsx_files

openpyxl = pytest.importorskip("openpyxl")
pytest.importorskip("xlsxwriter")
MakeReport = Callable[..., Report]
STARTS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "＝1", '=HYPERLINK("http://x.example")', "http://x.example"]
FRAME = pl.DataFrame(
    {
        "=model": [*STARTS, None],
        "value": [0.1, 1e-300, -2.5, None, math.inf, -math.inf, 12345678.9, 0.0, 1 / 3],
        "n": [1, 2**53, 2**53 + 2, None, -5, 0, 7, 8, 9],
        "flag": [True, False, None, True, True, True, True, True, True],
        "flags": [["a", "b"], [], None, ["c"], [], [], [], [], []],
        "day": [date(2026, 1, 2), *[None] * 8],
    },
    schema_overrides={"flags": pl.List(pl.String)},
)


def _written(report: Report, provenance: Provenance, frames: dict[str, pl.DataFrame]) -> bytes:
    material = RenderContext(all_legible(report), provenance, {}, interactive=False, frames=frames)
    return xlsx_files(material)["report.xlsx"]


@pytest.fixture
def written(make_report: MakeReport, provenance: Provenance) -> bytes:
    return _written(make_report(6), provenance, {"metrics": FRAME})


def test_numbers_are_numbers_texts_texts_and_null_is_empty(written: bytes) -> None:
    sheet = openpyxl.load_workbook(io.BytesIO(written))["metrics"]
    head, *rows = sheet.iter_rows()
    assert [cell.value for cell in head] == FRAME.columns
    assert {cell.data_type for cell in head} == {"s"}
    for row, expected in zip(rows, FRAME.iter_rows(named=True), strict=True):
        model, value, n, flag, flags, day = row
        assert model.value == expected["=model"]
        assert model.data_type == ("n" if expected["=model"] is None else "s")
        number = expected["value"]
        assert value.value == (str(number) if number is not None and math.isinf(number) else number)
        exact = expected["n"] is None or abs(expected["n"]) <= 2**53
        assert n.value == (expected["n"] if exact else str(expected["n"]))
        assert flag.value is expected["flag"]
        assert (flags.value or "") == ", ".join(expected["flags"] or [])
        assert day.value == (None if expected["day"] is None else "2026-01-02")
        assert not any(cell.hyperlink for cell in row)
    assert sheet.freeze_panes == "A2"


def test_a_text_like_a_formula_stays_a_text_where_it_is_edited(written: bytes) -> None:
    sheet = openpyxl.load_workbook(io.BytesIO(written))["metrics"]
    quoted = [sheet.cell(i, 1).quotePrefix for i in range(2, 2 + len(STARTS))]
    assert quoted == [True] * (len(STARTS) - 1) + [False]


def test_another_reader_finds_the_same(written: bytes, tmp_path: Path) -> None:
    calamine: Any = pytest.importorskip("python_calamine")
    (tmp_path / "report.xlsx").write_bytes(written)
    book = calamine.CalamineWorkbook.from_path(tmp_path / "report.xlsx")
    assert book.sheet_names == ["answer", "metrics"]
    _, *rows = book.get_sheet_by_name("metrics").to_python()
    assert [row[0] or None for row in rows] == FRAME["=model"].to_list()
    assert rows[8][1] == 1 / 3
    assert rows[3][1] == ""


def test_the_first_sheet_has_the_answer_its_cautions_tables_and_methods(
    make_report: MakeReport, provenance: Provenance
) -> None:
    report = replace(make_report(6), headline="TC1 is best.", answer=("First.",))
    book = openpyxl.load_workbook(io.BytesIO(_written(report, provenance, {})))
    assert book.sheetnames == ["answer"]
    rows = [[cell.value for cell in row if cell.value is not None] for row in book["answer"].iter_rows()]
    assert rows[:4] == [[report.title], [report.data_line], ["TC1 is best."], ["First."]]
    assert ["Caution. Dev and test differ."] in rows
    assert ["TC1", 2.1, "[1.5, 2.8]", -0.0, "< .001", "not shown to differ"] in rows
    assert any("percentiles of 10,000 bootstrap replicates" in str(row) for row in rows)
    assert [f"Made on {provenance.as_of}."] in rows
    short = replace(report, below=("HTER.",), on_test="Test: 9.")
    book = openpyxl.load_workbook(io.BytesIO(_written(short, provenance, {})))
    rows = [[cell.value for cell in row if cell.value is not None] for row in book["answer"].iter_rows()]
    assert rows[:4] == [[report.title], ["Test: 9."], ["TC1 is best."], ["HTER."]]


def test_what_holds_the_run_back_comes_before_the_answer(
    make_report: MakeReport, provenance: Provenance
) -> None:
    report = replace(make_report(6), held=("Held back: A is worse.",), headline="A is best.")
    sheet = openpyxl.load_workbook(io.BytesIO(_written(report, provenance, {})))["answer"]
    assert [sheet.cell(row, 1).value for row in (3, 4)] == ["Held back: A is worse.", "A is best."]


@pytest.mark.parametrize(
    ("text", "value", "digits"),
    [
        ("12.50", 12.5, "0.00"),
        ("−3", -3, "0"),
        ("1,234.5", 1234.5, "#,##0.0"),
        (".048", 0.048, ".000"),
        ("< .001", "< .001", "General"),
        ("—", "—", "General"),
        ("", None, "General"),
        ("−", "−", "General"),
        ("12 + 35", "12 + 35", "General"),
    ],
)
def test_a_printed_number_keeps_its_digits(
    provenance: Provenance, text: str, value: object, digits: str
) -> None:
    table = Table("t", "T.", (Column("m"), Column("x", "number")), ((Cell("a"), Cell(text)),))
    report = Report("t", "", "", (Section("s", "summary", (table,)),), "")
    sheet = openpyxl.load_workbook(io.BytesIO(_written(report, provenance, {})))["answer"]
    (cell,) = (row[1] for row in sheet.iter_rows() if row[0].value == "a")
    assert (cell.value or None, cell.number_format) == (value, digits)


def test_names_of_sheets_are_legal_and_differ_in_more_than_case() -> None:
    taken: set[str] = set()
    names = ["a" * 40, "A" * 40, "a" * 31, "x/y:z?*[]\\", "'q'", "", "History", "answer", "Answer", "\x00"]
    made = [sheet_name(name, taken) for name in names]
    assert made[:4] == ["a" * 31, "A" * 29 + " 2", "a" * 29 + " 3", "x_y_z_____"]
    assert len({name.lower() for name in made}) == len(made) == len(taken)
    for name in made:
        assert 1 <= len(name) <= 31
        assert not set(name) & set("[]:*?/\\\x00")
        assert name.strip("'") == name
        assert name.lower() != "history"


def test_a_frame_beyond_the_rows_of_a_sheet_goes_on_in_another(
    make_report: MakeReport, provenance: Provenance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xlsx, "MOST_ROWS", 5)
    frames = {"roc": pl.DataFrame({"x": range(9)}), "none": pl.DataFrame({"x": []})}
    book = openpyxl.load_workbook(io.BytesIO(_written(make_report(1), provenance, frames)))
    assert book.sheetnames == ["answer", "roc", "roc 2", "roc 3", "none"]
    assert [[row[0].value for row in book[name].iter_rows()] for name in ("roc 3", "none")] == [
        ["x", 8],
        ["x"],
    ]


def test_long_and_illegible_texts_fit_a_cell(make_report: MakeReport, provenance: Provenance) -> None:
    frame = pl.DataFrame({"x": ["y" * 40_000, "a\x00b\x1b", "_x0041_", "two\nlines"]})
    book = openpyxl.load_workbook(
        io.BytesIO(_written(make_report(13, hostile=True), provenance, {"f": frame}))
    )
    values = [row[0].value for row in book["f"].iter_rows()][1:]
    # Excel reads _x0041_ as A; openpyxl shows the sign that keeps it from that.
    assert values == ["y" * 32_766 + "…", "a␀b␛", "_x005F_x0041_", "two\nlines"]
    assert {cell.data_type for row in book["answer"].iter_rows() for cell in row} <= {"n", "s"}


def test_the_file_has_no_time_but_the_report_s_own(
    make_report: MakeReport, provenance: Provenance, written: bytes
) -> None:
    assert _written(make_report(6), provenance, {"metrics": FRAME}) == written
    with ZipFile(io.BytesIO(written)) as archive:
        assert {each.date_time for each in archive.infolist()} == {(1980, 1, 31, 0, 0, 0)}
    properties = openpyxl.load_workbook(io.BytesIO(written)).properties
    assert properties.created.date().isoformat() == provenance.as_of
