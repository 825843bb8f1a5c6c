"""What files do not show of how they are written is asked for, and one of several tables is named."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from openpyxl import Workbook
from snapshot import snapshot

from reporting.app.config.document import read_document
from reporting.app.init.starter import write_starter
from reporting.app.run.check import check_report
from reporting.errors import DataError

ROWS = [(f"u{at}", at % 2, round(0.1 + 0.3 * (at % 2) + at * 7 % 11 / 25, 2)) for at in range(40)]
HEAD = ("id", "label", "score")


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def begun(*names: str) -> tuple[dict, list[str]]:
    """Write the config of files, which check accepts; the keys under reading, and the questions about them."""
    text = write_starter(names, Path("report.yaml"), force=True)
    check_report(Path("report.yaml"))
    asked = [line for line in text.splitlines() if line.startswith("? trials.reading")]
    return read_document(Path("report.yaml"), []).plain()["trials"].get("reading", {}), asked


def text_of(head=HEAD, rows=ROWS) -> str:
    return "".join(",".join(map(str, row)) + "\n" for row in (head, *rows))


def workbook(**sheets) -> None:
    book = Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save("book.xlsx")


def archive(**members: str) -> None:
    with zipfile.ZipFile("trials.zip", "w") as file:
        for name, text in members.items():
            file.writestr(f"{name}.csv", text)


def test_the_only_sheet_with_trials_is_taken():
    workbook(people=[("name", "town"), ("a", "x"), ("b", "y")], trials=[HEAD, *ROWS])
    assert begun("book.xlsx") == ({"sheet": "trials"}, [])
    assert "of 'people', 'trials' the only one with trials" in Path("report.yaml").read_text()


def test_which_of_several_sheets_is_asked():
    workbook(first=[HEAD, *ROWS], second=[HEAD, *ROWS[:30]])
    reading, asked = begun("book.xlsx")
    assert reading == {"sheet": "first"}
    snapshot("init/reading_which_of_several_sheets_is_asked", "\n".join(asked))


def test_a_workbook_without_trials_is_refused():
    workbook(first=[("a", "b"), ("x", "y")], second=[("c", "d"), ("x", "y")])
    with pytest.raises(DataError, match="book.xlsx: it holds the sheets 'first', 'second'; name one"):
        begun("book.xlsx")


def test_which_table_of_an_archive_is_asked():
    archive(a=text_of(), b=text_of(rows=ROWS[:30]))
    reading, asked = begun("trials.zip")
    assert reading == {"sheet": "a.csv"}
    snapshot("init/reading_which_table_of_an_archive_is_asked", "\n".join(asked))
    config = Path("report.yaml").read_text()
    Path("report.yaml").write_text(config.replace('"a.csv"', "b.csv").replace("sheet: a.csv", "sheet: b.csv"))
    check_report(Path("report.yaml"))
    Path("report.yaml").write_text(config.replace("sheet: a.csv", "sheet: c.csv"))
    with pytest.raises(DataError, match=r"trials.zip: it holds no table 'c.csv' \(found: 'a.csv', 'b.csv'\)"):
        check_report(Path("report.yaml"))


def test_a_comma_that_may_be_either_is_asked_about():
    rows = [(key, label, f'"{1 + at % 7},{100 + at * 37 % 800}"') for at, (key, label, _) in enumerate(ROWS)]
    Path("t.csv").write_text(text_of(rows=rows))
    reading, asked = begun("t.csv")
    assert reading == {"decimal": "."}
    assert asked[0].startswith("? trials.reading.decimal: 'score': is the comma of '1,")


def test_a_first_line_with_a_whole_number_is_asked_about():
    Path("t.csv").write_text(
        text_of(head=("u99", "1", "0"), rows=[(k, y, round(s * 100)) for k, y, s in ROWS])
    )
    text = write_starter(["t.csv"], Path("report.yaml"), force=True)
    assert "? trials.reading.header: is the first line, 'u99', '1', '0', the names of columns?" in text


@pytest.mark.parametrize("head", [HEAD, ("id", "0", "1", "label"), ()])
def test_a_first_line_that_shows_it_is_not_asked_about(head):
    rows = ROWS if len(head) != 4 else [(key, round(1 - one, 2), one, y) for key, y, one in ROWS]
    Path("t.csv").write_text(text_of(head=head, rows=rows).lstrip("\n"))
    assert begun("t.csv")[1] == []
