from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from reporting.app.config.read import read_plan
from reporting.base.legible import all_legible
from reporting.base.provenance import Provenance
from reporting.document.blocks import Caution, Cell, Column, IntervalMark, Prose, Report, Section, Table
from reporting.errors import ConfigError
from reporting.render import extras
from reporting.render.pictures import FONT_FAMILY, DrawnFigure, draw, in_tags
from reporting.render.render_input import RenderContext, figures
from reporting.render.typst import FONT, typst_files

MakeReport = Callable[..., Report]
OWN_FONTS = (FONT, "New Computer Modern", "DejaVu Sans Mono")
SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="500" height="400" viewBox="0 0 500 400">
<text x="9" y="90" font-family="Nonexistent, sans-serif" font-size="11">in the picture</text></svg>"""
HINT = "'pdf' needs typst, which is not installed; pip install 'trial-reporting[pdf]' brings it"


@pytest.fixture(scope="module")
def decent(make_report: MakeReport, provenance: Provenance) -> RenderContext:
    report = make_report(6)
    picture = draw(figures(report)[-1].spec)
    pictures = {figure.name: picture for figure in figures(report)}
    return RenderContext(report, provenance, pictures, interactive=False)


@pytest.fixture(scope="module")
def hostile(make_report: MakeReport, provenance: Provenance) -> RenderContext:
    report = all_legible(make_report(13, hostile=True))
    pictures = {figure.name: DrawnFigure(SVG, b"", "500", "400") for figure in figures(report)}
    return RenderContext(report, provenance, pictures, interactive=False)


def _pdf(material: RenderContext) -> bytes:
    pytest.importorskip("typst")
    return typst_files(material)["report.pdf"]


def _told(pdf: bytes, folder: Path, program: str, *options: str) -> str:
    found = shutil.which(program) or pytest.skip(f"{program} is missing")
    (folder / "report.pdf").write_bytes(pdf)
    words = [found, *options, str(folder / "report.pdf"), *(["-"] if program == "pdftotext" else [])]
    return subprocess.run(words, capture_output=True, text=True, errors="replace", check=True).stdout


def _squeezed(text: str) -> str:
    return "".join(text.replace("\u200b", "").split())


def test_two_documents_are_the_same_bytes(hostile: RenderContext) -> None:
    assert _pdf(hostile) == _pdf(hostile)


def test_every_text_stands_in_it(decent: RenderContext, tmp_path: Path) -> None:
    text = _squeezed(_told(_pdf(decent), tmp_path, "pdftotext"))
    for said in (
        "Speaker verification, EVALITA 2009",
        "test: all, 36,437 trials, 495 targets, 40 speakers",
        "At min-HTER thresholds chosen on dev, TC6 has the lowest test HTER, 2.1 % [1.5, 2.7].",
        "Table 1: HTER (a priori) at min-HTER thresholds of dev.",
        "— no targets in test: TC2 (HTER)",
        "Caution. Dev and test differ.",
        "Figure 2: DET: dots are dev-chosen points on test, rings the best possible.",
        "α ≤ θ × 2 — 1–2, “x”, −3.5",
        "reporting 0.1.0 | seed 1 | M 10000 | data 01234567",
        "Made on 2026-11-20.",
        "1 / 2",
    ):
        assert _squeezed(said) in text, said


def test_hostile_names_stay_text(hostile: RenderContext, tmp_path: Path) -> None:
    text = _squeezed(_told(_pdf(hostile), tmp_path, "pdftotext"))
    for name in (
        '<script>alert("1")</script>',
        r"a_b % & # $ ^ ~ \ { } \input{/etc/passwd}",
        "*starred [bracket] {{ jinja }} {% raw %} << v >>",
        "x" * 80,
        "speaker_verification_system_with_a_long_name_and_many_underscores_and_more_words",
        "in the picture",
    ):
        assert _squeezed(name) in text


def test_western_letters_need_no_font_of_the_machine(decent: RenderContext, tmp_path: Path) -> None:
    fonts = _told(_pdf(decent), tmp_path, "pdffonts").splitlines()[2:]
    names = [line.split()[0].partition("+")[2] for line in fonts]
    assert names
    assert all(name.startswith(tuple(font.replace(" ", "") for font in OWN_FONTS)) for name in names), names


def test_pages_are_a4(decent: RenderContext, tmp_path: Path) -> None:
    told = _told(_pdf(decent), tmp_path, "pdfinfo")
    assert "(A4)" in told
    assert "Title:           Speaker verification, EVALITA 2009" in told
    assert "CreationDate" not in told


def test_nothing_runs_over_the_margins(hostile: RenderContext, tmp_path: Path) -> None:
    _check_margins(_pdf(hostile), tmp_path)


def test_a_word_longer_than_the_page_breaks(provenance: Provenance, tmp_path: Path) -> None:
    word = "m" * 300
    table = Table("t", word, (Column(word), Column(word, "number")), ((Cell(word), Cell("1")),), (word,))
    section = Section(word, "s", (table, Prose(word), Caution(word)))
    report = Report(word, word, word, (section,), word, by_dataset=((word, word),))
    pdf = _pdf(RenderContext(report, provenance, {}, interactive=False))
    _check_margins(pdf, tmp_path)
    assert _squeezed(_told(pdf, tmp_path, "pdftotext")).count("m") >= 300 * 11


def _check_margins(pdf: bytes, folder: Path) -> None:
    boxes = _told(pdf, folder, "pdftotext", "-bbox")
    left, right = ([float(x) for x in re.findall(rf'xM{side}="([\d.]+)"', boxes)] for side in ("in", "ax"))
    assert min(left) >= 20 / 25.4 * 72 - 1
    assert max(right) <= (210 - 20) / 25.4 * 72 + 1


def test_pictures_take_the_font_of_the_text() -> None:
    svg = '<svg><text font-family="A, &quot;B&quot;, serif">font-family="A"</text></svg>'
    assert in_tags(svg, FONT_FAMILY, FONT) == f'<svg><text font-family="{FONT}">font-family="A"</text></svg>'


def test_without_the_typesetter_the_config_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "trials.csv").write_text("model,split,label,score\n")
    config = tmp_path / "report.yaml"
    config.write_text("trials: {source: trials.csv}\nreport: {formats: [json, pdf]}\n")
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(ConfigError) as refused:
        read_plan(config)
    assert refused.value.faults == (f"report.formats[1] ({config}:2:26): {HINT}",)


def test_without_the_typesetter_no_document_is_tried(
    decent: RenderContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(ConfigError) as refused:
        typst_files(decent)
    assert refused.value.faults == (f"report.formats: {HINT}",)
    assert extras.missing("pdf") == HINT


def test_the_typesetter_loads_only_when_asked() -> None:
    code = "import sys, reporting.render.formats; print('typst' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_value_beyond_its_axis_is_an_arrow(decent: RenderContext) -> None:
    head = Column("", "drawn", axis=(0.0, 1.0))
    rows = tuple((Cell("", value, drawn=IntervalMark(value, 0.1, 0.9)),) for value in (-3.0, 0.5, 4.0))
    sections = (Section("t", "t", (Table("t", "t", (head,), rows),)),)
    pdf = _pdf(replace(decent, report=replace(decent.report, sections=sections)))
    assert pdf.startswith(b"%PDF")
