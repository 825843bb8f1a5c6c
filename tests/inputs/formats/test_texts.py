"""Values as programs and people write them: encodings, separators, headers, comments, numbers."""

from __future__ import annotations

import codecs
import re

import pytest
from inputs.formats.opened import table

from reporting.errors import DataError

TRIALS = {"id": ["a", "Ü", "c"], "label": ["yes", "no", "yes"], "score": ["0.5", "-1", "2e-3"]}


def text(separator: str, end: str = "\n") -> str:
    rows = [list(TRIALS), *map(list, zip(*TRIALS.values(), strict=True))]
    return end.join(separator.join(row) for row in rows) + end


@pytest.mark.parametrize("name", ["t.txt", "t.csv", "t.tsv", "t.dat", "t.tab"])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " "])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_separators_and_ends_of_lines(tmp_path, name, separator, end):
    (tmp_path / name).write_bytes(text(separator, end).encode())
    assert table(tmp_path / name) == TRIALS


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp1252"]
)
def test_encodings(tmp_path, encoding):
    mark = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}.get(encoding, b"")
    (tmp_path / "t.txt").write_bytes(mark + text("\t").encode(encoding))
    assert table(tmp_path / "t.txt") == TRIALS


def test_a_damaged_letter_makes_no_other_encoding(tmp_path):
    (tmp_path / "t.csv").write_bytes(text(",").encode() + b"\xe9,yes,1\n")
    with pytest.raises(DataError, match="not UTF-8 text .byte 0xe9 in line 5.; save as UTF-8"):
        table(tmp_path / "t.csv")


@pytest.mark.parametrize(
    "above", ["# system A\n# of March\n", "% made by hand\n\n", "// x\n", "Results of March\n\n", "sep=;\n"]
)
def test_what_is_above_the_table(tmp_path, above):
    (tmp_path / "t.csv").write_text(above + text(";"))
    assert table(tmp_path / "t.csv") == TRIALS


def test_comments_between_rows_and_a_header_in_one(tmp_path):
    (tmp_path / "t.txt").write_text("# made by savetxt\n# label score\n1 0.5\n# half\n0 0.25\n")
    assert table(tmp_path / "t.txt") == {"label": ["1", "0"], "score": ["0.5", "0.25"]}
    (tmp_path / "u.csv").write_text("id,score\n#1,0.5\n")
    assert table(tmp_path / "u.csv") == {"id": ["#1"], "score": ["0.5"]}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("0.5\n1\n", {"score": ["0.5", "1"]}),
        ("1\n1\n", {"score": ["1", "1"]}),
        ("1,0.5\n0,0.25\n", {"column 1": ["1", "0"], "column 2": ["0.5", "0.25"]}),
        ("a 1 0.5\nb 0 0.25\n", {"column 1": ["a", "b"], "column 2": ["1", "0"], "column 3": ["0.5", "0.25"]}),
        ("a,yes,3\nb,no,4\nc,yes,5\n", {"column 1": ["a", "b", "c"], "column 2": ["yes", "no", "yes"], "column 3": ["3", "4", "5"]}),
        ("0,1\n0.25,0.75\n", {"0": ["0.25"], "1": ["0.75"]}),
        ("0.0,1.0\n0.25,0.75\n", {"0.0": ["0.25"], "1.0": ["0.75"]}),
        ("target,score\ntarget,0.5\nnontarget,1\n", {"target": ["target", "nontarget"], "score": ["0.5", "1"]}),
        ("id,2026\na,5\n", {"id": ["a"], "2026": ["5"]}),
    ],
)  # fmt: skip
def test_files_without_a_header(tmp_path, content, expected):
    (tmp_path / "t.txt").write_text(content)
    assert table(tmp_path / "t.txt") == expected


def test_a_config_knows_the_header_better(tmp_path):
    (tmp_path / "t.csv").write_text("1,2\n3,4\n")
    assert table(tmp_path / "t.csv") == {"1": ["3"], "2": ["4"]}
    assert table(tmp_path / "t.csv", header=False) == {"column 1": ["1", "3"], "column 2": ["2", "4"]}
    (tmp_path / "u.csv").write_text("0.5,2\n3,4\n")
    assert table(tmp_path / "u.csv", header=True) == {"0.5": ["3"], "2": ["4"]}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a,b,\n1,2,\n3,4,\n", {"a": ["1", "3"], "b": ["2", "4"]}),
        ("a,b\n1,2,\n3,4,\n", {"a": ["1", "3"], "b": ["2", "4"]}),
        ("a,a,b\n1,1,2\n3,3,4\n", {"a": ["1", "3"], "b": ["2", "4"]}),
        ("a,a,b\n1,1,2\n3,0,4\n", {"a (1)": ["1", "3"], "a (2)": ["1", "0"], "b": ["2", "4"]}),
        ("a,,b,\n1,x,2,\n3,,4,\n", {"a": ["1", "3"], "column 2": ["x", None], "b": ["2", "4"]}),
        ('"a" "b"\n"1" x 2\n"2" y 4\n', {"row": ["1", "2"], "a": ["x", "y"], "b": ["2", "4"]}),
    ],
)
def test_names_and_ends_of_rows(tmp_path, content, expected):
    (tmp_path / "t.csv").write_text(content)
    assert table(tmp_path / "t.csv") == expected


def test_a_row_of_another_width_is_named_wherever_it_is(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n" + "1,2,\n" * 300 + "1,2,3\n")
    with pytest.raises(DataError, match="row 301 has another number of fields than the header: 3, not 2"):
        table(tmp_path / "t.csv")


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ('"Free\t1\ny\t2\nz\t3\n', "row 1 has another number of fields than the header: 1, not 2; a value opens"),
        ('"Free\t1\n"you\t2\nz\t3\n', 'row 1: a value opens a quote (") and does not end with it; double the quote'),
        ('x\t1\n"y" or\t2\nz\t3\n', 'row 2: a value opens a quote (") and does not end with it; double the quote'),
    ],
)  # fmt: skip
def test_a_quote_that_does_not_end_its_value_is_named(tmp_path, rows, fault):
    """As in messages of text with quotes, separated by tabs."""
    (tmp_path / "t.tsv").write_text("a\tb\n" + rows)
    with pytest.raises(DataError, match=re.escape(fault)):
        table(tmp_path / "t.tsv")


def numbers(folder, *columns, separator="\t", **reading):
    rows = [[f"c{at}" for at in range(len(columns))], *map(list, zip(*columns, strict=True))]
    (folder / "t.csv").write_text("".join(separator.join(row) + "\n" for row in rows))
    return list(table(folder / "t.csv", **reading).values())


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (["0,5", "1,234", "-3"], ["0.5", "1.234", "-3"]),
        (["1.234,5", "12", "1.234"], ["1234.5", "12", "1234"]),
        (["1,234.5", "12", "1,234"], ["1234.5", "12", "1234"]),
        (["1,234,567", "12", "1,234"], ["1234567", "12", "1234"]),
        (["1 234,5", "2 000", "3"], ["1234.5", "2000", "3"]),
        (["1'234.5", "2'000", "3"], ["1234.5", "2000", "3"]),
        (["12.5 %", "3%", "NA"], ["0.125", "0.03", "NA"]),
        (["12,5 %", "3%", "-"], ["0.125", "0.03", "-"]),
        (["−0.5", "1", "0"], ["-0.5", "1", "0"]),
        (["1,5e-3", "2", "#N/A"], ["1.5e-3", "2", "#N/A"]),
        (["1,234", "2", "3"], ["1,234", "2", "3"]),  # nothing shows what it means
        (["1,5", "2.5", "3"], ["1,5", "2.5", "3"]),  # the two contradict each other
        (["1,5", "x", "3"], ["1,5", "x", "3"]),
        (["12%", "3", "4"], ["12%", "3", "4"]),
    ],
)
def test_numbers_by_the_evidence_of_their_column(tmp_path, written, expected):
    assert numbers(tmp_path, written, ["a", "b", "c"])[0] == expected


def test_other_columns_show_what_one_does_not(tmp_path):
    assert numbers(tmp_path, ["1,234", "5"], ["0,5", "1"]) == [["1.234", "5"], ["0.5", "1"]]
    assert numbers(tmp_path, ["1,234", "5"], ["1,000.5", "1"]) == [["1234", "5"], ["1000.5", "1"]]
    # Where they contradict each other, they show nothing.
    assert numbers(tmp_path, ["1,234"], ["0,5"], ["1,000.5"]) == [["1,234"], ["0.5"], ["1000.5"]]


def test_a_config_says_what_nothing_shows(tmp_path):
    either, words = ["1,234", "1"], ["x", "y"]
    assert numbers(tmp_path, either, words, decimal=",")[0] == ["1.234", "1"]
    assert numbers(tmp_path, either, words, decimal=".")[0] == ["1234", "1"]
    assert numbers(tmp_path, either, words, names=frozenset({"c0"}), decimal=",")[0] == either
    # What contradicts it stays, and is no number.
    assert numbers(tmp_path, ["1.5", "1,5"], words, decimal=",")[0] == ["1.5", "1,5"]
    assert numbers(tmp_path, ["1.5", "1,5"], words, decimal=".")[0] == ["1.5", "1,5"]


def test_evidence_is_that_of_all_rows(tmp_path):
    many = ["1,234"] * 5_000
    words = ["x"] * 5_001
    assert numbers(tmp_path, [*many, "0,5"], words)[0][-2:] == ["1.234", "0.5"]
    assert numbers(tmp_path, [*many, "1,234.5"], words)[0][-2:] == ["1234", "1234.5"]
