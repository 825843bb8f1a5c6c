"""Where two contents first differ: a cell, a value, a line; by hand first, then for any two texts."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.app.run.verify import first_difference, first_value


def parquet(**columns: list[Any]) -> bytes:
    to = BytesIO()
    pl.DataFrame(columns).write_parquet(to)
    return to.getvalue()


@pytest.mark.parametrize(
    ("name", "then", "now", "told"),
    [
        ("a.csv", b"x,y\n1,2\n", b"x,y\n1,3\n", "line 2 column 3: '1,2', '1,3' when made again"),
        ("a.csv", b"x\n", b"x\ny\n", "line 2 column 1: '', 'y' when made again"),
        ("a.tex", b"x\n", b"x", "line 2 column 1: '', '' when made again"),
        ("a.json", b'{"a": {"b": [1, 2]}}', b'{"a": {"b": [1, 3]}}', "a.b[1]: '2', '3' when made again"),
        ("a.json", b'{"a": 1}', b'{"a": 1, "b": 2}', "b: there when made again"),
        ("a.json", b'{"a": {"b": 2}}', b'{"a": {}}', "a.b: not there when made again"),
        ("a.json", b"{}", b"{ }", "the same values, written otherwise"),
        ("a.json", b"{", b"{}", "byte 1 of 1, 2 when made again"),
        ("a.svg", b"\xff0", b"\xff1", "byte 1 of 2, 2 when made again"),
        ("a.parquet", b"PAR1", parquet(a=[1]), "byte 4 of 4, "),
        (
            "a.parquet",
            parquet(a=[1, None], b=[0, 1]),
            parquet(a=[1, 2], b=[9, 1]),
            "row 1 column a: 'None', '2'",
        ),
        ("a.parquet", parquet(a=[1, 2]), parquet(a=[3, 4]), "row 0 column a: '1', '3' when made again"),
        ("a.parquet", parquet(a=[1]), parquet(a=[1, 2]), "1 row, 2 when made again"),
        ("a.parquet", parquet(a=[1]), parquet(b=[1]), "columns "),
        ("a.parquet", parquet(a=[["x"]]), parquet(a=[["y"]]), "row 0 column a: "),
    ],
)
def test_the_place_is_told(name, then, now, told):
    assert first_difference(name, then, now).startswith(told)


@given(st.text(alphabet="ab\n", max_size=9), st.text(alphabet="ab\n", max_size=9))
def test_two_texts_are_alike_up_to_the_place_that_is_told(then, now):
    if then != now:
        said = first_difference("a.txt", then.encode(), now.encode())
        line, column = (int(said.split()[place].rstrip(":")) - 1 for place in (1, 3))
        one, other = then.split("\n"), now.split("\n")
        assert one[:line] == other[:line]
        old, new = (lines[line] if line < len(lines) else None for lines in (one, other))
        assert old != new
        assert (old or "")[:column] == (new or "")[:column]


plain = st.recursive(
    st.integers(0, 1),
    lambda below: st.lists(below, max_size=2) | st.dictionaries(st.sampled_from("ab"), below),
)


@given(plain, plain)
def test_any_two_values_are_told_apart(then, now):
    said = first_value(then, now)
    assert (said == "the same values, written otherwise") == (then == now)
    assert "\n" not in said
