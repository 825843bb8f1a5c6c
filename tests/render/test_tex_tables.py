"""How a table is laid out before TeX sees it: type size, columns of a paper, heads, groups of rows."""

from __future__ import annotations

import dataclasses
import re

import pytest

from reporting.document.blocks import Cell, Column, Table
from reporting.render.tex import width
from reporting.render.tex_tables import GAP, HEAD_LINE, WIDE, Extent, lay_out, tex_table

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
    layout = lay_out(extents)
    taken = [wrap or each.natural for wrap, each in zip(layout.wrap, extents, strict=True)]
    assert sum(taken) + 2 * GAP <= dict(WIDE)[layout.size]


@pytest.mark.parametrize(
    "title", [LONG, "x" * 80, f"threshold chosen by {LONG}", "difference to x_y-z/w" * 3]
)
def test_the_head_of_a_long_name_is_broken_and_complete(title: str) -> None:
    made = tex_table(table((Column("model"), Column(title, "number")), ("m", "1.0")))
    lines = [re.sub(r"\\allowbreak|[{}\\]", "", row[1]) for row in made.heads]
    assert len(lines) > 1
    assert max(map(width, lines)) <= HEAD_LINE
    assert "".join(lines).replace(" ", "") == title.replace(" ", "")


def test_sentences_under_a_head_of_numbers_wrap() -> None:
    said = "hand set at 1.5: FRR 0.60, FAR 0.33; accepted there 0.20, rejected there 0.60"
    made = tex_table(table((Column("claim"), Column("here", "number")), ("a", "0.5"), ("b", said)))
    assert made.rows[1][1] == said
    assert "S[" not in made.columns


def test_a_unit_stays_on_its_line() -> None:
    columns = (Column("model"), Column("misses", "number", unit="of 1,271"))
    made = tex_table(table(columns, ("A", "12")))
    assert [row[1] for row in made.heads] == ["{misses}", "{(of 1\\,271)}"]


def test_groups_of_equal_first_cells_are_set_apart() -> None:
    columns = (Column("measure"), Column("test", "number"))
    rows = [("FAR", "1"), ("FAR", "2"), ("FRR", "3"), ("FRR", "4")]
    assert tex_table(table(columns, *rows)).gaps == [False, True, False, False]
    assert tex_table(table(columns, *rows[1:3])).gaps == [False, False]
    assert tex_table(table(columns)).gaps == []


def test_notes_on_drawings_are_left_out_with_them() -> None:
    drawn = table((Column("model"), Column("", "drawn", axis=(0.0, 1.0))), ("A", ""))
    explained = dataclasses.replace(drawn, notes=("Small is good.",), drawn_notes=("Thin: limits.",))
    assert tex_table(explained).notes == ["Small is good."]


def test_cells_of_two_lines_keep_them() -> None:
    made = tex_table(table((Column("model"), Column("TC2")), ("TC1", "−0.2\n[−0.6, 0.2]"), ("TC2", "0.5")))
    assert made.rows[0][1] == r"\textminus{}0.2\newline {[}\textminus{}0.6, 0.2]"
    assert r"\centering\arraybackslash}p{" in made.columns
    assert made.gaps == [True, False]


def test_a_table_without_rows() -> None:
    made = tex_table(table((Column("model"), Column("HTER", "number"))))
    assert (made.rows, made.columns) == ([], "lr")
