"""Headline, titles of figures, folds, shared heads, groups of rows and second lines, in every format."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from reporting.base.legible import all_legible
from reporting.base.provenance import Provenance
from reporting.document.blocks import (
    Axis,
    Caution,
    Cell,
    Column,
    Figure,
    IntervalMark,
    Report,
    Section,
    Series,
    Table,
    colour,
)
from reporting.render.csv import table_csv
from reporting.render.formats import FORMATS
from reporting.render.layout import lay_out
from reporting.render.pictures import DrawnFigure
from reporting.render.render_input import RenderContext, figures
from reporting.render.tex_tables import tex_table

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
COLUMNS = (
    Column("model"),
    Column("HTER on test", "drawn", axis=(0.0, 10.0), group="HTER <%>"),
    Column("HTER", "number", group="HTER <%>", beneath="95% CI"),
    Column("", "drawn", axis=(-10.0, 10.0), zero_line=True, group="behind A"),
    Column("difference", "number", group="behind A"),
    Column("verdict"),
)
GROUPS = ((0, "one & all"), (2, "=two"))


def _row(name: str, i: int) -> tuple[Cell, ...]:
    return (
        Cell(name, style=i),
        Cell("", drawn=IntervalMark(4.0 + i, 3.0 + i, 5.0 + i)),
        Cell(f"{4 + i}.0", order=4.0 + i, beneath=f"{3 + i}.0 to {5 + i}.0"),
        Cell("", drawn=IntervalMark(float(i), i - 1.0, i + 1.0, i - 2.0, i + 2.0)),
        Cell(f"{i}.5", order=float(i)),
        Cell("ruled out"),
    )


TABLE = Table(
    "main",
    "HTER of A vs. b. Best first.",
    COLUMNS,
    tuple(_row(name, i) for i, name in enumerate("ABCD")),
    row_groups=GROUPS,
)


def _figure(name: str, **fields: object) -> Figure:
    axis = Axis("x", 0.0, 1.0, ())
    line = Series("A", "line", 1, (0.0, 1.0), (0.0, 1.0))
    return Figure(name, "Method.", "alt", {}, (line,), axis, axis, **fields)  # type: ignore[arg-type]


def _section(anchor: str, *blocks: object, **fields: object) -> Section:
    return Section(f"Title of {anchor}", anchor, blocks, **fields)  # type: ignore[arg-type]


IGNORED = Caution("Only 7 <b>.", title="Few clusters.", code="TR210", ignored="a pilot & no more")
REPORT = Report(
    "t",
    "data",
    "The whole verdict.",
    (
        _section("open", Caution("Only 12.", title="Few errors.", code="TR205"), IGNORED, TABLE),
        _section(
            "shut",
            dataclasses.replace(TABLE, name="folded", caption="One sentence", folded=True),
            folded=True,
        ),
        _section(
            "drawn",
            _figure("det", title="A misses <least>", subtitle="DET curves"),
            _figure("hist", title="All & sundry", subtitle="Scores", folded=True),
        ),
    ),
    "signature",
    headline="A & B are best.",
    answer=("First <sentence>.", "Second one."),
)


@pytest.fixture
def rendered(provenance: Provenance) -> Callable[..., dict[str, bytes]]:
    def render(*formats: str, report: Report = REPORT) -> dict[str, bytes]:
        pictures = {each.name: DrawnFigure(SVG, b"", "9", "9") for each in figures(report)}
        material = RenderContext(all_legible(report), provenance, pictures, interactive=False)
        files: dict[str, bytes] = {}
        for name in formats:
            files |= FORMATS[name](material)
        return files

    return render


@pytest.fixture
def page(rendered: Callable[..., dict[str, bytes]]) -> str:
    return rendered("html")["report.html"].decode()


def test_the_page_opens_with_the_headline_in_place_of_the_verdict(page: str) -> None:
    headline = re.findall(r'<h2 class="headline">(.*?)</h2>', page)
    assert re.sub(r"<[^>]*>", "", *headline) == "A &amp; B are best."
    assert f'fill="{colour(1)}"/></svg>B</span></b>' in headline[0]
    assert re.findall(r'<p class="lead">(.*?)</p>', page) == ["First &lt;sentence&gt;.", "Second one."]
    assert "The whole verdict." not in page
    assert '<p class="verdict">' not in page


def test_every_format_prints_codes_and_the_reason_of_a_caution_that_is_folded_away(
    page: str, rendered: Callable[..., dict[str, bytes]]
) -> None:
    assert '<strong>Few errors.</strong> Only 12. <span class="code">TR205</span>' in page
    folded = page[page.index("<summary>In full, 1 ignored</summary>") :]
    ignored = 'Only 7 &lt;b&gt;. <em>Ignored: a pilot &amp; no more</em> <span class="code">TR210</span>'
    assert folded.index(ignored) < folded.index("</details>")
    tex = rendered("latex")["report.tex"].decode()
    assert r"\textbf{Few errors.} Only 12. {\scriptsize TR205}" in tex
    assert r"\textbf{Few clusters.} Ignored: a pilot \& no more {\scriptsize TR210}" in tex
    markdown = rendered("markdown-full")["report-full.md"].decode()
    assert "> **Few errors.** Only 12. (TR205)" in markdown
    assert "> **Few clusters.** Ignored: a pilot & no more (TR210)" in markdown
    blocks = json.loads(rendered("json")["report.json"])["sections"][0]["blocks"]
    assert [(block["code"], block["ignored"]) for block in blocks[:2]] == [
        ("TR205", ""),
        ("TR210", "a pilot & no more"),
    ]


def test_neighbours_share_a_head_on_the_page(page: str) -> None:
    assert re.findall(r'<th scope="colgroup" colspan="(\d)">(.*?)</th>', page)[:2] == [
        ("2", "HTER &lt;%&gt;"),
        ("2", "behind A"),
    ]
    table = page[page.index("<thead>") : page.index("</thead>")]
    assert table.count("<tr") == 2


def test_groups_of_rows_have_a_body_and_a_head_each(page: str) -> None:
    table = page[page.index('id="table-main"') : page.index("</table>")]
    bodies = table.split("<tbody>")[1:]
    assert [len(re.findall(r'<th scope="row"', body)) for body in bodies] == [2, 2]
    assert re.findall(r'<th scope="rowgroup" colspan="6">(.*?)</th>', table) == ["one &amp; all", "=two"]


def test_a_model_carries_its_colour_before_its_name(page: str) -> None:
    chips = re.findall(
        r'<th scope="row" class="text"><span class="named"><svg class="chip".*?<circle [^>]*fill="(#\w+)"',
        page,
    )
    assert chips[:4] == [colour(i) for i in range(4)]


def test_the_second_line_of_a_cell_and_the_outer_interval_are_shown(page: str) -> None:
    assert '4.0<span class="beneath">3.0 to 5.0</span></td>' in page
    first = page[page.index('class="outer"') :]
    # From -2 to 2 on an axis from -10 to 10 over 164 of 176 pixels.
    assert first.startswith('class="outer" x1="71.6" x2="104.4"')


def test_folded_parts_open_on_request_and_repeat_no_caption(page: str) -> None:
    found = re.findall(r"<details([^>]*)>\s*<summary>(.*?)</summary>", page, re.S)
    summaries = [re.sub(r"<[^>]*>", "", text) for kind, text in found if "tap" not in kind]
    assert summaries == [
        "In full, 1 ignored",
        "Title of shut",
        "One sentence",
        "All &amp; sundry Scores",
    ]
    assert '<caption id="caption-folded" class="unseen">One sentence</caption>' in page
    assert '<caption id="caption-main">' in page
    assert [kind for kind, _ in found if "open" in kind] == [' class="tap" open']


def test_a_figure_says_its_finding_then_what_it_is(page: str) -> None:
    figure = page[page.index('id="figure-det"') : page.index('id="figure-hist"')]
    told = [figure.index(text) for text in ("A misses &lt;least&gt;", "DET curves", "<img", "Method.")]
    assert told == sorted(told)
    folded = page[page.index('id="figure-hist"') :]
    assert "All &amp; sundry" not in folded[: folded.index("</figure>")]


def test_heads_and_groups_by_hand() -> None:
    drawn = lay_out(TABLE, drawn=True)
    assert [(span.title, span.first, span.width) for span in drawn.spans] == [
        ("", 0, 1),
        ("HTER <%>", 1, 2),
        ("behind A", 3, 2),
        ("", 5, 1),
    ]
    assert [(group.title, len(group.rows)) for group in drawn.groups] == [("one & all", 2), ("=two", 2)]
    late = lay_out(dataclasses.replace(TABLE, row_groups=((1, "later"),)))
    assert [(group.title, len(group.rows)) for group in late.groups] == [("", 1), ("later", 3)]
    alone = Table("t", "T.", COLUMNS[:1], ())
    assert lay_out(alone).spans == ()


def test_a_data_file_has_a_column_for_groups_and_for_second_lines() -> None:
    head, *rows = csv.reader(io.StringIO(table_csv(TABLE).decode()))
    assert head == [
        "group",
        "model",
        "HTER <%>: HTER",
        "HTER <%>: HTER: 95% CI",
        "behind A: difference",
        "verdict",
    ]
    assert rows[0] == ["one & all", "A", "4.0", "3.0 to 5.0", "0.5", "ruled out"]
    assert rows[3] == ["'=two", "D", "7.0", "6.0 to 8.0", "3.5", "ruled out"]


def test_markdown_holds_all_of_it_in_lines(rendered: Callable[..., dict[str, bytes]]) -> None:
    text = rendered("markdown-full")["report-full.md"].decode()
    assert text.startswith("# t\n\n**A & B are best.**\n\nFirst \\<sentence>. Second one.\n\ndata\n")
    assert "> **Few errors.** Only 12." in text
    assert "| HTER <%> | behind A |" in re.sub(" +", " ", text)
    assert "| **one & all** | | | |" in re.sub(" +", " ", text)
    assert "| A | 4.0 (3.0 to 5.0) | 0.5 | ruled out |" in re.sub(" +", " ", text)
    assert "**A misses \\<least>.** DET curves. Method." in text


def test_latex_sets_shared_heads_groups_and_second_lines(rendered: Callable[..., dict[str, bytes]]) -> None:
    files = rendered("latex")
    table = files["tables/main.tex"].decode()
    assert r"model & {HTER \textless{}\%\textgreater{}} & {behind A} & verdict \\" in table
    assert r"\cmidrule" not in table
    counted = tex_table(COUNTED)
    assert counted.heads[0] == ["", "", "", "", r"\multicolumn{1}{c}{errors}"]
    assert counted.rules == r"\cmidrule(lr){5-5}"
    assert r"\multicolumn{4}{@{}l}{\textit{one \& all}} \\*" in table
    assert "A & 4.0 & 0.5 & ruled out \\\\*\n & {\\scriptsize 3.0 to 5.0} &  &  \\\\" in table
    assert tex_table(TABLE).narrow
    assert r"\textbf{Few errors.} Only 12." in files["report.tex"].decode()
    assert r"\caption{\textbf{A misses \textless{}least\textgreater{}.} DET curves. Method.}" in (
        files["figures/det.tex"].decode()
    )


COUNTED = dataclasses.replace(
    TABLE,
    name="summary",
    columns=(*TABLE.columns, Column("false alarms", "number", "of 1,000", group="errors")),
    rows=tuple((*row, Cell("12", 12.0)) for row in TABLE.rows),
)


def test_a_summary_for_one_column_of_a_paper_has_no_counts(
    rendered: Callable[..., dict[str, bytes]], tmp_path: Path
) -> None:
    report = dataclasses.replace(REPORT, sections=(_section("summary", COUNTED),))
    files = rendered("latex", report=report)
    whole, narrow = (files[f"tables/summary{end}.tex"].decode() for end in ("", "_narrow"))
    assert "false alarms" in whole
    assert "false alarms" not in narrow
    assert "errors" not in narrow
    assert "A & 4.0 & 0.5 & ruled out \\\\*\n & {\\scriptsize 3.0 to 5.0} &  &  \\\\" in narrow
    assert r"\providecommand{\reporttable}{table}" in narrow
    log = compiled(files, tmp_path, "twocolumn", r"\input{tables/summary_narrow}")
    assert not re.findall(r"(?m)^!|Overfull.*", log), log[-2000:]


def compiled(files: dict[str, bytes], folder: Path, options: str, body: str) -> str:
    """Return what TeX logs of a paper that takes some of the files in."""
    engine = shutil.which("pdflatex") or pytest.skip("pdflatex is missing")
    for name, content in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    (folder / "paper.tex").write_text(
        rf"\documentclass[{options}]{{article}}\usepackage[T1]{{fontenc}}\usepackage{{lmodern}}"
        r"\usepackage{textcomp,amsmath,amssymb,adjustbox,array,booktabs,longtable,siunitx,varwidth,pgfplots}"
        rf"\pgfplotsset{{compat=1.16}}\begin{{document}}{body}\end{{document}}"
    )
    done = subprocess.run(
        [engine, "-interaction=nonstopmode", "paper"], cwd=folder, capture_output=True, check=False
    )
    return done.stdout.decode(errors="replace")


@pytest.mark.parametrize("options", ["twocolumn", "a4paper"])
def test_latex_compiles_without_an_overfull_box(
    rendered: Callable[..., dict[str, bytes]], tmp_path: Path, options: str
) -> None:
    log = compiled(rendered("latex"), tmp_path, options, r"\input{tables/main}\input{tables/folded}")
    assert not re.findall(r"(?m)^!|Overfull.*", log), log[-2000:]


def test_the_typeset_document_holds_all_of_it(
    rendered: Callable[..., dict[str, bytes]], tmp_path: Path
) -> None:
    pytest.importorskip("typst")
    program = shutil.which("pdftotext") or pytest.skip("pdftotext is missing")
    (tmp_path / "report.pdf").write_bytes(rendered("pdf")["report.pdf"])
    done = subprocess.run([program, "-layout", tmp_path / "report.pdf", "-"], capture_output=True, check=True)
    text = " ".join(done.stdout.decode().replace("\u200b", "").split())
    for part in (
        "A & B are best. First <sentence>. Second one.",
        "Few errors. Only 12.",
        "HTER <%> behind A",
        "one & all",
        "3.0 to 5.0",
        "A misses <least>. DET curves. Method.",
    ):
        assert part in text, part
