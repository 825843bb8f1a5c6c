"""Columns of numbers: what siunitx is told prints the very texts of the cells, on their decimal point."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.document import numbers
from reporting.document.blocks import Cell
from reporting.render.tex import escape
from reporting.render.tex_tables import number_column, read_number

TEXTS = (
    ("−12.30", "4.56", "0.00"),
    (".013", "< .001", "1.0", "> .99"),
    ("36,437", "100\u202f000", "999", "1,234"),
    ("0.123456", "0.10", "−1"),
    ("6.3 (31/495)", "16.3 (10,031/100,000)", "0.0 (0/9)"),
    ("1.234", "—", "∞", "−∞"),
    ("2.1", "10.50", "3"),
)


def column(*texts: str) -> list[Cell]:
    return [Cell(text) for text in texts]


def test_a_number_by_hand() -> None:
    read = read_number("< −1234.50")
    assert read is not None
    assert (read.comparator, read.sign, read.integer, read.decimals) == ("<", "−", "1234", "50")
    rate = read_number("6.3 (31/495)")
    assert rate is not None
    assert rate.counts == "(31/495)"
    tiny = read_number("−1.20e−05")
    assert tiny is not None
    assert tiny.exponent == "−05"


@pytest.mark.parametrize(
    "text", ["", "—", "∞", "[1, 2]", "1.2.3", "-1", "1,5", ".", "−", "1.", "12\u202f3", "x"]
)
def test_what_is_no_number(text: str) -> None:
    assert read_number(text) is None


def test_the_format_is_computed_from_the_cells() -> None:
    made = number_column(column("−1.5", "12.25", "—"))
    assert made is not None
    assert made.specification == "S[table-format=-2.2]"
    assert made.cells() == ["-1.5", "12.25", r"{\textemdash{}}"]


def test_p_values_keep_their_bare_point() -> None:
    made = number_column(column("< .001", ".41", "1.0"))
    assert made is not None
    assert made.specification == "S[table-format=<1.3,print-zero-integer=false]"
    assert made.cells() == ["<.001", ".41", "1.0"]


def test_a_bare_point_beside_a_leading_zero_is_not_for_siunitx() -> None:
    assert number_column(column(".5", "0.5")) is None
    assert number_column(column("—", "x")) is None
    assert number_column([]) is None


def test_counts_stand_flush_right_and_stay_light() -> None:
    made = number_column([Cell("16.3 (131/4950)", bold=True), Cell("6.3 (31/495)")])
    assert made is not None
    assert "table-space-text-post={\\mdseries\\ (131/\\allowbreak{}4950)}" in made.specification
    assert made.cells()[0].startswith(r"\bfseries 16.3{\mdseries\ (131/")
    assert r"{\mdseries\ \phantom{00}(31/" in made.cells()[1]


def test_a_mark_is_raised_and_has_its_room() -> None:
    made = number_column([Cell("1.5", mark="†"), Cell("2.5", bold=True), Cell("—", mark="†")])
    assert made is not None
    assert r"table-space-text-post={\textsuperscript{\textdagger{}}},detect-weight" in made.specification
    assert made.cells() == [
        r"1.5{\textsuperscript{\textdagger{}}}",
        r"\bfseries 2.5",
        r"{\textemdash{}\textsuperscript{\textdagger{}}}",
    ]


@given(
    st.lists(
        st.one_of(
            st.floats(-1e6, 1e6).map(lambda x: numbers.fixed(x, 2)),
            st.floats(-9, 9).map(lambda x: numbers.significant(x)),
            st.integers(0, 10**7).map(numbers.count),
            st.floats(0, 1).map(numbers.p_value),
            st.sampled_from(["—", "∞", "6.3 (31/495)"]),
        ),
        min_size=1,
    )
)
def test_no_digit_is_lost_or_made(texts: list[str]) -> None:
    made = number_column(column(*texts))
    if made is None:
        return
    for text, cell in zip(texts, made.cells(), strict=True):
        shown = re.sub(r"\\[A-Za-z]+(\{0*\})?|[^0-9.]", "", re.sub(r"\\phantom\{.*?\}\}?", "", cell))
        assert shown == re.sub(r"[^0-9.]", "", text.replace("—", ""))


@pytest.mark.parametrize("engine", ["pdflatex", "lualatex"])
def test_the_printed_column_is_the_column(tmp_path: Path, engine: str) -> None:
    for tool in (engine, "pdftotext"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is missing")
    made = [number_column(column(*texts)) for texts in TEXTS]
    tables = "\n\n".join(
        rf"\begin{{tabular}}{{{one.specification}}}" + r"\\".join(one.cells()) + r"\end{tabular}"
        for one in made
        if one is not None
    )
    (tmp_path / "t.tex").write_text(
        r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{lmodern}"
        r"\usepackage{textcomp,amsmath,amssymb,array,siunitx}\pagestyle{empty}\parindent0pt"
        rf"\begin{{document}}{tables}\end{{document}}",
        encoding="ascii",
    )
    subprocess.run(
        [engine, "-interaction=nonstopmode", "t.tex"], cwd=tmp_path, capture_output=True, check=True
    )
    assert "Overfull" not in (tmp_path / "t.log").read_text(errors="replace")
    printed = subprocess.run(
        ["pdftotext", "-layout", "t.pdf", "-"], cwd=tmp_path, capture_output=True, check=True
    )
    every = "".join(text for texts in TEXTS for text in texts)
    assert _bare(printed.stdout.decode()) == _bare(every.replace(",", "")), "thousands have thin spaces"


def _bare(text: str) -> str:
    return re.sub(r"\s", "", text)


def test_costs_and_priors_are_mathematics():
    assert escape("c_fa (1 − p)") == r"\ensuremath{c_{\mathrm{fa}}} (1 \textminus{} p)"
    assert escape("(C_miss") == r"(\ensuremath{C_{\mathrm{miss}}}"
    assert escape("abc_fa c_face") == r"abc\_fa c\_face"
