from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from reporting.base.legible import all_legible
from reporting.base.provenance import Provenance
from reporting.document.blocks import Cell, Column, Report, Section, Table, colour
from reporting.document.blocks import dash as palette_dash
from reporting.render import tex
from reporting.render.latex import latex_files
from reporting.render.render_input import RenderContext
from reporting.render.tex import escape, unsettable

MakeReport = Callable[..., Report]

ENGINES = ("pdflatex", "lualatex")
WHOLE_REPORTS_BY = ("pdflatex", pytest.param("lualatex", marks=pytest.mark.long))

PREAMBLE = (
    r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{lmodern}"
    r"\usepackage{textcomp,amsmath,amssymb}"
)

PACKAGES = (
    r"\usepackage[T1]{fontenc}\usepackage{lmodern}\usepackage{textcomp,amsmath,amssymb}"
    r"\usepackage{adjustbox,array,booktabs,longtable,siunitx,varwidth,pgfplots}\pgfplotsset{compat=1.16}"
)

FAULTS = r"^!|Missing character|undefined|Warning: (?!Table column widths|Some font shapes)"


@pytest.mark.parametrize("engine", WHOLE_REPORTS_BY)
@pytest.mark.parametrize("models", [1, 20])
def test_a_decent_report_compiles_without_a_word(
    make_report: MakeReport, provenance: Provenance, tmp_path: Path, engine: str, models: int
) -> None:
    _write(make_report(models), provenance, tmp_path)
    log = _compile(engine, tmp_path, "report")
    assert not re.findall(rf"(?m){FAULTS}|Overfull.*|Underfull.*", log)


@pytest.mark.parametrize("engine", WHOLE_REPORTS_BY)
def test_a_hostile_report_compiles_and_says_what_it_replaced(
    make_report: MakeReport, provenance: Provenance, tmp_path: Path, engine: str
) -> None:
    _write(make_report(20, hostile=True), provenance, tmp_path)
    log = _compile(engine, tmp_path, "report")
    # A legend of twenty names of many lines is higher than a page.
    assert not re.findall(rf"(?m){FAULTS}|Overfull .hbox.*", log)
    text = (tmp_path / "report.tex").read_text(encoding="ascii")
    assert r"U+4E2D (cjk unified ideograph-4e2d)" in text
    assert "U+1F600 (grinning face)" in text
    assert "{[}U+4E2D]" in (tmp_path / "tables" / "summary.tex").read_text(encoding="ascii")


@pytest.mark.parametrize(
    ("engine", "hostile", "options"),
    [
        ("pdflatex", False, "twocolumn"),
        ("pdflatex", True, "twocolumn"),
        ("pdflatex", True, "a4paper"),
        ("lualatex", True, "twocolumn"),
    ],
)
def test_all_files_stand_in_a_paper_without_an_overfull_box(
    make_report: MakeReport, provenance: Provenance, tmp_path: Path, engine: str, hostile: bool, options: str
) -> None:
    report = make_report(3, hostile=hostile)
    _write(dataclasses.replace(report, sections=(*report.sections, _of_many_rows())), provenance, tmp_path)
    parts = sorted(path.relative_to(tmp_path) for path in tmp_path.glob("[tf]*/*.tex"))
    assert len(parts) == 7
    body = "\n\n".join(rf"\input{{{part.with_suffix('').as_posix()}}}" for part in parts)
    paper = (
        rf"\documentclass[{options}]{{article}}{PACKAGES}\begin{{document}}"
        rf"\section{{Methods}}\input{{methods}}{body}\end{{document}}"
    )
    (tmp_path / "paper.tex").write_text(paper, encoding="ascii")
    log = _compile(engine, tmp_path, "paper", runs=1)
    assert not re.findall(r"(?m)^!|Missing character|Overfull.*", log)


def test_no_table_of_a_report_is_shrunk(
    make_report: MakeReport, provenance: Provenance, tmp_path: Path
) -> None:
    _write(make_report(6), provenance, tmp_path)
    for path in tmp_path.glob("tables/*.tex"):
        text = path.read_text(encoding="ascii")
        bare = text.replace(r"\begin{adjustbox}{max width=\linewidth}", "{").replace(r"\end{adjustbox}", "}")
        assert bare != text
        path.write_text(bare, encoding="ascii")
    assert "Overfull" not in _compile("pdflatex", tmp_path, "report", runs=1)


def test_the_methods_are_a_file_of_their_own(
    make_report: MakeReport, provenance: Provenance, tmp_path: Path
) -> None:
    _write(make_report(3), provenance, tmp_path)
    methods = (tmp_path / "methods.tex").read_text(encoding="ascii")
    assert methods.startswith("% Needs the packages")
    assert "Thresholds are chosen on dev" in methods
    assert r"\section" not in methods.split("\n\n")[0]


@pytest.mark.parametrize("engine", ENGINES)
def test_every_character_that_is_said_to_be_set_is_set(tmp_path: Path, engine: str) -> None:
    every = [chr(code) for low, high in tex._RANGES for code in range(low, high + 1)] + list(tex._OWN)
    known = [character for character in every if not unsettable([character])]
    assert len(known) > 500
    lines = "\n".join(rf"\mbox{{{escape(c)}}}\textbf{{{escape(c)}}} " for c in known)
    (tmp_path / "all.tex").write_text(
        rf"{PREAMBLE}\begin{{document}}{lines}\end{{document}}", encoding="ascii"
    )
    assert not re.findall(rf"(?m){FAULTS}", _compile(engine, tmp_path, "all", runs=1))


def test_what_is_printed_is_what_was_written(tmp_path: Path) -> None:
    texts = [
        r"a_b % & # $ ^ ~ \ { } < > | [x] *",
        "--x-- `` ,, << >> ?` !`",
        "−1.5 ≤ × α θ — – é ß",
        "two\nlines",
    ]
    body = "\n\n".join(escape(text) for text in texts)
    (tmp_path / "t.tex").write_text(rf"{PREAMBLE}\pagestyle{{empty}}\begin{{document}}{body}\end{{document}}")
    _compile("pdflatex", tmp_path, "t", runs=1)
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext is missing")
    done = subprocess.run(
        ["pdftotext", "t.pdf", "-"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    printed = [line for line in done.stdout.split("\n") if line.strip("\f")]
    assert printed == [text.replace("\n", " ") for text in texts]


def test_escaping_by_hand() -> None:
    assert escape("a_b-c, d") == r"a\_b-c, d"
    assert escape("a--b") == "a-{}-b"
    assert escape("36\u202f437") == r"36\,437"
    assert escape("of 1,234,567.") == r"of 1\,234\,567."
    for text in ("1,23", "a1,234", "0.1,234", "1,234,5", "1,2345", "1,234.5"):
        assert escape(text) == text
    assert escape("中") == "{[}U+4E2D]"
    assert escape("abcd", longest=3) == r"a\allowbreak{}b\allowbreak{}c\allowbreak{}d"
    assert escape("ab_cd-e", longest=3) == r"ab\_\allowbreak{}cd-\allowbreak{}e"
    assert escape("ab_cdef", longest=3) == r"ab\_\allowbreak{}c\allowbreak{}d\allowbreak{}e\allowbreak{}f"
    assert unsettable(["aé中", "θ😀"]) == ["中", "😀"]


def test_what_tex_sets_by_its_code() -> None:
    """Where ranges of characters end: the first beyond each has no macro in every document."""
    last = "~\u017e\u03ce\u2015\u2022\u2026\u2030\u2034\u203a\u2044\u20ac\u2113\u2122\u2199\u21d5\u221e\u2297\u22c5\u230b"
    beyond = "\u0180\u03cf\u2016\u2023\u2027\u2031\u2035\u203b\u2045\u20ad\u2114\u2123\u219a\u21d6\u221f\u2298\u22c6\u230c"
    assert unsettable(last) == []
    assert unsettable(beyond) == list(beyond)
    assert unsettable("\xad\xb8\u0138\u0149\u017f\u0390") == list("\xad\xb8\u0138\u0149\u017f\u0390")


def test_a_drawn_column_is_left_out_and_the_head_keeps_unit_and_sense(
    make_report: MakeReport, provenance: Provenance, tmp_path: Path
) -> None:
    _write(make_report(3), provenance, tmp_path)
    table = (tmp_path / "tables" / "summary.tex").read_text(encoding="ascii")
    number = r"S[table-format=-1.1]"
    bold = r"S[table-format=1.1,detect-weight]"
    p = r"S[table-format=<0.3,print-zero-integer=false]"
    assert rf"\begin{{tabular}}{{@{{}}l{bold}r{number}{p}l@{{}}}}" in table
    assert r"{HTER (\%)\,\ensuremath{\downarrow}}" in table
    assert r"\ensuremath{\downarrow} lower is better.\par" in table
    assert r"TC1 & \bfseries 2.1 & {[}1.5, 2.8] & -0.0 & <.001 & " in table
    assert r"\textemdash{} no targets in test: TC2 (HTER)" in table


def test_a_model_keeps_colour_and_dash_of_the_screen(
    make_report: MakeReport, provenance: Provenance, tmp_path: Path
) -> None:
    _write(make_report(10), provenance, tmp_path)
    figure = (tmp_path / "figures" / "det.tex").read_text(encoding="ascii")
    assert figure.startswith("% Input this file where a figure may stand")
    lines = re.findall(
        r"draw=\{rgb,255:red,(\d+);green,(\d+);blue,(\d+)\}, (solid|dash pattern=[^,]*),", figure
    )
    assert len(lines) == 10
    for style, (red, green, blue, dash) in enumerate(lines):
        assert f"#{int(red):02X}{int(green):02X}{int(blue):02X}" == colour(style)
        assert (dash == "solid") == (palette_dash(style)[1] == 0)


def test_a_long_table_breaks_across_pages(provenance: Provenance, tmp_path: Path) -> None:
    rows = tuple((Cell(f"row {i}"), Cell(str(i))) for i in range(100))
    table = Table("t", "Long.", (Column("Name"), Column("Value", "number")), rows, ("A note.",))
    _write(Report("t", "", "", (Section("s", "s", (table,)),), ""), provenance, tmp_path)
    log = _compile("pdflatex", tmp_path, "report")
    assert not re.findall(rf"(?m){FAULTS}|Overfull.*", log)
    assert "(3 pages" in log or "(2 pages" in log


def _of_many_rows() -> Section:
    rows = tuple((Cell(f"row {i}"), Cell(str(i))) for i in range(50))
    return Section("s", "many", (Table("many", "Many.", (Column("Name"), Column("Value", "number")), rows),))


def _write(report: Report, provenance: Provenance, folder: Path) -> None:
    material = RenderContext(all_legible(report), all_legible(provenance), pictures={}, interactive=False)
    for path, content in latex_files(material).items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_bytes(content)


def _compile(engine: str, folder: Path, name: str, runs: int = 2) -> str:
    """Compile twice, as references and long tables ask, and return the last log: of the run that prints."""
    if shutil.which(engine) is None:
        pytest.skip(f"{engine} is missing")
    for draft in (*["-draftmode"] * (runs - 1), ""):
        done = subprocess.run(
            [engine, "-interaction=nonstopmode", "-halt-on-error", *draft.split(), f"{name}.tex"],
            cwd=folder,
            capture_output=True,
            timeout=300,
        )
        log = (folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")
        assert done.returncode == 0, log[-2000:]
    return log
