"""report.docx as an independent reader finds it: texts, native tables, pictures, numbers of captions."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from zipfile import ZipFile

import pytest

from reporting.base.legible import all_legible
from reporting.base.provenance import Provenance
from reporting.document.blocks import Caution, Cell, Column, Prose, Report, Section, Table
from reporting.errors import ConfigError
from reporting.render import extras
from reporting.render.docx import LINE, docx_files
from reporting.render.pictures import DrawnFigure
from reporting.render.render_input import RenderContext, figures, one_line, tables

docx = pytest.importorskip("docx")
MakeReport = Callable[..., Report]
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"/>'


@pytest.fixture
def written(provenance: Provenance) -> Callable[[Report], bytes]:
    def write(report: Report) -> bytes:
        shown = all_legible(report)
        pictures = {figure.name: DrawnFigure(SVG, b"", "90", "60") for figure in figures(shown)}
        return docx_files(RenderContext(shown, provenance, pictures, interactive=False))["report.docx"]

    return write


def _read(content: bytes) -> Any:
    return docx.Document(io.BytesIO(content))


def _only(*blocks: Any) -> Report:
    return Report("t", "data", "", (Section("s", "s", blocks),), "signature")


def test_what_holds_the_run_back_comes_before_the_answer(
    make_report: MakeReport, written: Callable[[Report], bytes]
) -> None:
    report = replace(make_report(6), held=("Held back: A is worse.",), headline="A is best.")
    texts = [(each.style.name, each.text) for each in _read(written(report)).paragraphs]
    assert texts[2:4] == [("Held", "Held back: A is worse."), ("Answer", "A is best.")]


def test_the_short_answer_of_a_page_comes_first(
    make_report: MakeReport, written: Callable[[Report], bytes]
) -> None:
    report = replace(make_report(6), headline="A is best.", answer=("Its value is 2.",))
    report = replace(
        report, lead=("By age: no group.",), below=("HTER.", "Development set: 5."), on_test="Test: 9."
    )
    texts = [(each.style.name, each.text) for each in _read(written(report)).paragraphs]
    lead = [("Lead", text) for text in ("By age: no group.", "HTER.", "Development set: 5.")]
    assert texts[1:6] == [("Quiet", "Test: 9."), ("Answer", "A is best."), *lead]
    assert ("Lead", "Its value is 2.") not in texts


def test_titles_sentences_and_captions_are_read_back(
    make_report: MakeReport, written: Callable[[Report], bytes]
) -> None:
    report = replace(make_report(6), headline="A is best.", answer=("First.", "Second."))
    document = _read(written(report))
    texts = [(each.style.name, each.text) for each in document.paragraphs]
    assert texts[:5] == [
        ("Title", report.title),
        ("Quiet", report.data_line),
        ("Answer", "A is best."),
        ("Lead", "First."),
        ("Lead", "Second."),
    ]
    assert [text for style, text in texts if style == "Heading 1"] == [each.title for each in report.sections]
    assert ("Caution", "Caution. Dev and test differ.") in texts
    assert document.sections[0].footer.paragraphs[0].text.startswith(report.signature)
    # A field holds the number of a caption, so that Word keeps it up.
    xml = document.element.xml
    assert re.findall(r'w:instr="SEQ (\w+) [^"]*">\s*<w:r>\s*(?:<w:rPr>.*?</w:rPr>\s*)?<w:t[^>]*>(\d)', xml, re.S) == [
        ("Table", "1"), ("Figure", "1"), ("Figure", "2"), ("Table", "2"), ("Figure", "3"),
    ]  # fmt: skip


@pytest.mark.parametrize("hostile", [False, True])
def test_every_printed_cell_is_in_a_native_table(
    make_report: MakeReport, written: Callable[[Report], bytes], hostile: bool
) -> None:
    report = all_legible(make_report(13, hostile=hostile))
    document = _read(written(report))
    expected = tables(report)
    assert len(document.tables) == len(expected)
    for table, read in zip(expected, document.tables, strict=True):
        shown = [i for i, column in enumerate(table.columns) if column.kind != "drawn"]
        cells = [[cell.text for cell in row.cells] for row in read.rows]
        assert cells[1:] == [[one_line(row[i].text) for i in shown] for row in table.rows]
        widths = [int(column.get(docx.oxml.ns.qn("w:w"))) for column in read._tbl.tblGrid]
        assert len(widths) == len(shown)
        assert sum(widths) <= LINE
        assert read._tbl.xpath("./w:tr[1]/w:trPr/w:tblHeader")


def test_shared_heads_groups_signs_and_second_lines(written: Callable[[Report], bytes]) -> None:
    columns = (Column("m"), Column("a", "number", group="both"), Column("b", "number", group="both"))
    row = (Cell("x  y\n", bold=True), Cell("1.0", mark="†", beneath="[0, 2]"), Cell("—", reason="none there"))
    table = Table("t", "Caption.", columns, (row, row), row_groups=((1, "second"),), notes=("A note.",))
    document = _read(written(_only(table)))
    (read,) = document.tables
    assert [[cell.text for cell in each.cells] for each in read.rows] == [
        ["", "both", "both"],
        ["m", "a", "b"],
        ["x y", "1.0†\n[0, 2]", "—"],
        ["second", "second", "second"],
        ["x y", "1.0†\n[0, 2]", "—"],
    ]
    notes = [each.text for each in document.paragraphs if each.style.name == "Note" and each.text]
    assert notes == ["A note.", "— none there: x y (both: b)"]
    raised = read.rows[2].cells[1].paragraphs[0].runs[1]
    assert raised.font.superscript


def test_pictures_have_their_description_and_no_line_is_wider_than_the_page(
    make_report: MakeReport, written: Callable[[Report], bytes]
) -> None:
    report = make_report(2)
    document = _read(written(report))
    assert len(document.inline_shapes) == len(figures(report))
    described = [shape._inline.docPr.get("descr") for shape in document.inline_shapes]
    assert described == [figure.alt for figure in figures(report)]
    assert all(shape.width.twips <= LINE for shape in document.inline_shapes)


def test_an_ignored_caution_has_its_reason_and_code(written: Callable[[Report], bytes]) -> None:
    caution = Caution("Only 7.", title="Few clusters.", code="TR210", ignored="a pilot")
    document = _read(written(_only(caution, Caution("Bad.", grave=True), Prose("Text.", title="Data."))))
    texts = {(each.style.name, each.text) for each in document.paragraphs}
    assert {
        ("Caution", "Few clusters. Ignored: a pilot TR210"),
        ("Grave", "Caution. Bad."),
        ("Normal", "Data. Text."),
    } <= texts


def test_the_file_has_no_time_but_the_report_s_own(
    make_report: MakeReport, written: Callable[[Report], bytes], provenance: Provenance
) -> None:
    content = written(make_report(3, hostile=True))
    assert written(make_report(3, hostile=True)) == content
    with ZipFile(io.BytesIO(content)) as archive:
        assert {each.date_time for each in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    core = _read(content).core_properties
    assert core.created == core.modified
    assert core.created.date().isoformat() == provenance.as_of


@pytest.mark.parametrize("name", ["docx", "xlsx"])
def test_without_the_library_the_message_says_what_brings_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda module: None)
    with pytest.raises(
        ConfigError, match=rf"'{name}' needs .*pip install 'trial-reporting\[office\]' brings it"
    ):
        extras.require(name)
