"""How a table is laid out before TeX sees it: type size, columns of a paper, heads, groups of rows."""

from __future__ import annotations

import dataclasses
import re

import pytest

from reporting.document.blocks import Cell, Column, Table
from reporting.render.tex import width
from reporting.render.tex_tables import GAP, WIDE, Extent, fitted, tex_table

LONG = "dcf(p_target=0.0123,c_miss=10)"


def table(columns: tuple[Column, ...], *rows: tuple[str, ...]) -> Table:
    return Table("t", "T.", columns, tuple(tuple(Cell(text) for text in row) for row in rows))


def test_widths_by_hand() -> None:
    assert width("100") == pytest.approx(1.5)
    assert width("−1.5") == pytest.approx(0.75 + 0.5 + 0.278 + 0.5)
    assert width("é") == width("e")
    assert width("中") > 4
    assert width("kqvxyJ") == pytest.approx(6 * 0.53)
    assert width("ago/*\u2013") == pytest.approx(6 * 0.5)
    assert width("[il]") == pytest.approx(4 * 0.278)


def test_a_small_table_fits_a_column_of_a_paper() -> None:
    made = tex_table(table((Column("model"), Column("HTER", "number", "%")), ("TC1", "2.1"), ("TC2", "13.4")))
    assert made.narrow
    assert (made.columns, made.size) == ("lS[table-format=2.1]", "small")


def test_a_wide_table_stands_over_both_columns_and_wraps_its_texts_first() -> None:
    columns = (Column("model"), *(Column(f"rate {i}", "number") for i in range(8)))
    made = tex_table(table(columns, ("a name of a good many words that would fill a line", *["12.34"] * 8)))
    assert not made.narrow
    assert made.size == "small"
    assert made.columns.startswith(r">{\raggedright\arraybackslash}p{")


def test_what_is_laid_out_fills_no_more_than_the_page() -> None:
    extents = [Extent(30.0, 5.0), Extent(20.0, 5.0), Extent(6.0, 6.0)]
    fit = fitted(extents)
    taken = [wrap or each.natural for wrap, each in zip(fit.wrap, extents, strict=True)]
    assert sum(taken) + 2 * GAP <= dict(WIDE)[fit.size]


@pytest.mark.parametrize(
    "title", [LONG, "x" * 80, f"threshold chosen by {LONG}", "difference to x_y-z/w" * 3]
)
def test_the_head_of_a_long_name_may_break_and_is_complete(title: str) -> None:
    made = tex_table(table((Column("model"), Column(title, "number")), ("m", "1.0")))
    ((_, head),) = made.heads
    room, text = re.fullmatch(r"\{\\reporthead\{(.+?)em\}\{\\centering\}\{(.*)\}\}", head).groups()  # type: ignore[union-attr]
    text = text.replace(r"\ensuremath{c_{\mathrm{miss}}}", "c_miss")
    assert made.broken
    assert float(room) <= 11.2
    assert max(map(width, re.split(r"\\allowbreak\{\}|\\\\| ", text))) <= float(room)
    assert re.sub(r"\\allowbreak|[{}\\ ]", "", text) == title.replace(" ", "")


def test_a_head_of_many_lines_is_wider_where_there_is_room() -> None:
    title = "difference from Party identification (percentage points)"
    few = tex_table(table((Column("model"), Column(title, "number")), ("m", "1.0")))
    assert r"\reporthead{9.1em}" in few.heads[0][1]
    many = (Column("model"), *(Column(f"rate {i}", "number") for i in range(10)), Column(title, "number"))
    assert r"\reporthead{6.6em}" in tex_table(table(many, ("m", *["12.34"] * 11))).heads[0][-1]


def test_sentences_under_a_head_of_numbers_wrap() -> None:
    said = "hand set at 1.5: FRR 0.60, FAR 0.33; accepted there 0.20, rejected there 0.60"
    made = tex_table(table((Column("claim"), Column("here", "number")), ("a", "0.5"), ("b", said)))
    assert made.lines[1].cells[1] == said
    assert "S[" not in made.columns


def test_a_unit_stays_on_its_line() -> None:
    columns = (Column("model"), Column("misses", "number", unit="of 1,271"))
    made = tex_table(table(columns, ("A", "12")))
    assert made.heads[0][1] == r"{\reporthead{6.6em}{\centering}{misses\\(of~1\,271)}}"


def test_groups_of_equal_first_cells_are_set_apart() -> None:
    def gaps(*rows: tuple[str, str]) -> list[bool]:
        columns = (Column("measure"), Column("test", "number"))
        return [line.gap for line in tex_table(table(columns, *rows)).lines]

    rows = [("FAR", "1"), ("FAR", "2"), ("FRR", "3"), ("FRR", "4")]
    assert gaps(*rows) == [False, True, False, False]
    assert gaps(*rows[1:3]) == [False, False]
    assert gaps() == []


def test_notes_on_drawings_are_left_out_with_them() -> None:
    drawn = table((Column("model"), Column("", "drawn", axis=(0.0, 1.0))), ("A", ""))
    explained = dataclasses.replace(drawn, notes=("Small is good.",), drawn_notes=("Thin: limits.",))
    assert tex_table(explained).notes == ["Small is good."]


def test_rows_with_second_lines_are_set_apart_and_keep_them() -> None:
    rows = ((Cell("TC1"), Cell("−0.2", beneath="[−0.6, 0.2]")), (Cell("TC2"), Cell("0.5")))
    lines = tex_table(Table("t", "T.", (Column("model"), Column("TC2", "number")), rows)).lines
    assert lines[1].cells == ["", r"{\scriptsize {[}\textminus{}0.6, 0.2]}"]
    assert [(line.gap, line.kept) for line in lines] == [(False, True), (True, False), (False, False)]


def test_a_table_without_rows() -> None:
    made = tex_table(table((Column("model"), Column("HTER", "number"))))
    assert (made.lines, made.columns) == ([], "lr")


def test_intervals_have_columns_of_their_own_where_a_page_has_the_room() -> None:
    heads = (
        Column("model"),
        Column("HTER", "number", "%"),
        *(Column(f"rate {i}", "number") for i in range(5)),
    )
    row = (
        Cell("a" * 16),
        Cell("10.8", 10.8, beneath="[7.9, 15.1]"),
        *(Cell("12.34", 12.34) for _ in range(5)),
    )
    made = tex_table(Table("t", "A table.", heads, (row,)))
    assert not made.narrow
    assert made.heads[0][2] == "CI"
    assert [line.cells[1:3] for line in made.lines] == [["10.8", "{[}7.9, 15.1]"]]


def test_they_stay_beneath_where_it_has_not() -> None:
    heads = (Column("model"), *(Column(f"rate {i}", "number") for i in range(8)))
    row = (Cell("a"), *(Cell("10.8", 10.8, beneath="[7.9, 15.1]") for _ in range(8)))
    made = tex_table(Table("t", "A table.", heads, (row,)))
    assert len(made.lines) == 2
    assert len(made.heads[0]) == 9
