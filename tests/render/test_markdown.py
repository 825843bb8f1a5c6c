from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from snapshot import snapshot

from reporting.base.legible import all_legible
from reporting.base.provenance import Provenance
from reporting.document.blocks import Axis, Caution, Cell, Column, Figure, Prose, Report, Section, Table
from reporting.render.markdown import BREAK, full_markdown_files, inline, markdown_files, opening
from reporting.render.pictures import DrawnFigure
from reporting.render.render_input import RenderContext, figures

MakeReport = Callable[..., Report]
Read = Callable[[str], "_Reader"]
TINY = DrawnFigure('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>', b"", "1", "1")


class _Reader(HTMLParser):
    """Collects tags and texts of the page that Markdown becomes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.in_cell = False
        self.cells: list[str] = []
        self.links: list[str | None] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in ("href", "src")]
        if tag in ("td", "th"):
            self.cells.append("")
            self.in_cell = True

    def handle_endtag(self, tag: str) -> None:
        self.in_cell = False

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.in_cell:
            self.cells[-1] += data


@pytest.fixture(scope="session")
def read() -> Read:
    """An independent reader of the dialect."""
    reader = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable(["table", "strikethrough"])
    return lambda text: _Reader(reader.render(text))


@pytest.fixture
def document(provenance: Provenance) -> Callable[[Report], str]:
    def write(report: Report) -> str:
        pictures = dict.fromkeys([figure.name for figure in figures(report)], TINY)
        material = RenderContext(all_legible(report), provenance, pictures, interactive=True)
        return full_markdown_files(material)["report-full.md"].decode()

    return write


def _only(*blocks: Table | Caution) -> Report:
    return Report("t", "data", "verdict", (Section("s", "s", blocks),), "")


def test_a_whole_document(document: Callable[[Report], str]) -> None:
    columns = (Column("model"), Column("HTER", "number", unit="%", sense="lower is better"))
    rows = (
        (Cell("min_hter | a"), Cell("2.1", bold=True, mark="†")),
        (Cell("b"), Cell("—", reason="no targets")),
    )
    table = Table("summary", "Test HTER.", columns, rows, ("† shown.",))
    report = Report(
        "Title",
        "test: 10 trials",
        "b is best, 2.1 % [1.5, 2.7].",
        (Section("Summary", "summary", (table, Caution("Few."), Caution("No dev.", grave=True))),),
        "reporting 0.1 | seed 1",
        by_dataset=(("A", "b"),),
    )
    snapshot("render/markdown_a_whole_document", document(report))


def test_hostile_names_build_the_same_page(
    make_report: MakeReport, document: Callable[[Report], str], read: Read
) -> None:
    decent, hostile = (read(document(make_report(13, hostile=bad))) for bad in (False, True))
    assert hostile.tags == decent.tags
    assert hostile.links == [f"figures/{name}.png" for name in ("epc", "det", "roc")]
    assert '<script>alert("1")</script>' in hostile.cells
    assert r"a_b % & # $ ^ ~ \ { } \input{/etc/passwd}" in hostile.cells


def test_a_comment_has_the_answer_first_and_no_more_than_fits(provenance: Provenance) -> None:
    wide = tuple((Cell(f"model {i}"), Cell("x" * 90)) for i in range(40))
    columns = (Column("model"), Column("value"))
    sections = (
        Section("Curves", "curves", tuple(_figure(name, folded=name == "b") for name in "abcd")),
        Section(
            "Summary",
            "summary",
            (
                Table("summary", "Short.", columns, wide[:3]),
                *(Caution(f"c{i}", grave=i == 4) for i in range(5)),
            ),
        ),
        Section("Ranking", "ranking", (Table("points", "Long.", columns, wide * 2),)),
        Section("Gates", "gates", (Prose("Gates: 1 passed."),)),
        Section("Data", "data", (Table("data", "Data.", columns, wide[:2]),)),
    )
    report = Report(
        "t", "data", "The verdict.", sections, "signed", headline="A is best.", answer=("By far.",)
    )
    pictures = dict.fromkeys("abcd", TINY)
    material = RenderContext(report, provenance, pictures, interactive=True, formats=("html", "markdown"))
    files = markdown_files(material)
    text = files["report.md"].decode()
    assert text.startswith(
        "# t\n\n**A is best.**\n\nBy far.\n\ndata\n\nGates: 1 passed.\n\n**Table.** Short.\n"
    )
    assert re.findall(r"\*\*Caution\.\*\* (c\d)", text) == ["c4", "c0", "c1"]
    assert text.index("> **Caution.** c4") > text.index("model 2")
    assert set(files) == {"report.md"}
    assert not re.search(r"!\[|\]\(|figures/", text)
    assert "Long." not in text
    assert "Data." not in text
    assert "Left out here: 1 table or paragraphs that are too long." in text
    assert "The whole report: report.html." in text
    assert len(text) < 8000


@pytest.mark.parametrize("length", [*range(100, 150), 333, 1000])
def test_a_comment_is_filled_up_to_its_bound(provenance: Provenance, length: int) -> None:
    texts = tuple(Prose(f"{i} {'x' * length}.") for i in range(100))
    report = Report("t", "data", "The verdict.", (Section("Summary", "summary", texts),), "signed")
    material = RenderContext(report, provenance, {}, interactive=True, formats=("markdown",))
    text = markdown_files(material)["report.md"].decode()
    assert 7_900 - (length + 10) < len(text) <= 7_900
    held = text.count("x.")
    assert f"Left out here: {100 - held} tables or paragraphs that are too long." in text


def test_sections_within_sections_are_one_deeper_and_keep_every_mark(provenance: Provenance) -> None:
    inner = Section("Inner", "inner", (Prose("Why?"),))
    report = Report("t", "data", "The verdict.", (Section("Outer", "outer", (inner,)),), "signed")
    material = RenderContext(report, provenance, {}, interactive=True, formats=("markdown-full",))
    lines = full_markdown_files(material)["report-full.md"].decode().splitlines()
    assert [line for line in lines if line.startswith("##")] == ["## Outer", "### Inner"]
    assert "Why?" in lines
    for _ in range(6):
        inner = Section("Deep", "deep", (inner,))
    report = Report("t", "data", "The verdict.", (inner,), "signed")
    material = RenderContext(report, provenance, {}, interactive=True, formats=("markdown-full",))
    lines = full_markdown_files(material)["report-full.md"].decode().splitlines()
    deep = [line for line in lines if line.startswith("##")]
    assert deep == [*(f"{'#' * depth} Deep" for depth in (2, 3, 4, 5, 6, 6)), "###### Inner"]


def _figure(name: str, folded: bool) -> Figure:
    axis = Axis("x", 0.0, 1.0, ())
    return Figure(name, "Method.", "alt", {}, (), axis, axis, title="A [1](x) wins", folded=folded)


def test_every_line_of_a_table_has_the_same_cells(
    make_report: MakeReport, document: Callable[[Report], str]
) -> None:
    lines = [line for line in document(make_report(13, hostile=True)).splitlines() if line.startswith("| ")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {7, 9}


@pytest.mark.parametrize(
    "text",
    [
        "p < .001",
        "HTER (%)",
        "95 % interval [1.5, 2.7], p = .61",
        "min_hter(p_target=0.01, c_miss=10)",
        "A & B",
        "α ≥ 0.5 − 1",
        "31/495",
        "test: all, 36,437 trials",
        "reporting 0.1.0 | seed 1 | data 03d59d69",
    ],
)
def test_what_is_harmless_stays_as_it_is(text: str) -> None:
    assert opening(text) == text


@pytest.mark.parametrize(
    ("text", "quiet"),
    [
        ("@octocat", f"@{BREAK}octocat"),
        ("me@x.org", f"me@{BREAK}x.org"),
        ("see #12", f"see #{BREAK}12"),
        ("gh-7", f"gh-{BREAK}7"),
        ("https://x.org", f"https:{BREAK}//x.org"),
        ("www.x.org", f"www{BREAK}.x.org"),
        (":tada: a", f":{BREAK}tada: a"),
        ("$x$", r"\$x\$"),
        ("a\nb\t c", "a b c"),
    ],
)
def test_what_a_site_makes_of_names_does_not_happen(text: str, quiet: str) -> None:
    assert inline(text) == quiet


MARKS = st.text(st.sampled_from([*"`*_~<>[]()!#|\\&;:=+-.$@{}^'\"/ \n\t", *"a1xé中α", "\u202f"]), max_size=24)


@given(MARKS)
@example("\\")
@example("\\|")
@example("# a #")
@example("1. a")
@example("[a]: http://b")
@example("[a](b)")
@example("![a](b)")
@example("__a__")
@example("&lt;")
@example("<!-- a -->")
@example("```")
@example("---")
@example("- a")
@example("~~a~~")
def test_any_text_is_read_as_it_is(read: Read, text: str) -> None:
    plain = " ".join(text.replace("\u202f", "x").split())
    text = text.replace("\u202f", "x")
    for line, tags in (
        (f"{opening(text)}\n", ["p"]),
        (f"## {inline(text)}\n", ["h2"]),
        (f"- {opening(text)}\n", ["ul", "li"]),
        (f"> **Caution.** {inline(text)}\n", ["blockquote", "p", "strong"]),
    ):
        page = read(line)
        assert page.tags == (tags if plain or tags[0] != "p" else [])
        said = " ".join(page.text.replace(BREAK, "").replace("Caution.", "").split())
        assert said == plain


@given(MARKS)
@example("\\")
@example("a\\|b")
@example("|")
def test_any_text_stays_in_its_cell(read: Read, text: str) -> None:
    text = text.replace("\u202f", "x")
    cell = inline(text).replace("|", r"\|")
    page = read(f"| m | n |\n| :-- | --: |\n| {cell} | 1 |\n")
    assert page.tags == ["table", "thead", "tr", "th", "th", "tbody", "tr", "td", "td"]
    assert " ".join(page.cells[2].replace(BREAK, "").split()) == " ".join(text.split())
    assert page.cells[3].strip() == "1"


def test_columns_align_in_a_terminal(document: Callable[[Report], str]) -> None:
    names = ("中文", "a", "e\u0301", "x" * 60)
    rows = tuple((Cell(name), Cell("1")) for name in names)
    report = _only(Table("t", "", (Column("model"), Column("n", "number")), rows))
    lines = [line for line in document(report).splitlines() if line.startswith("|")]
    assert lines == [
        "| model |   n |",
        "| :---- | --: |",
        "| 中文  |   1 |",
        "| a     |   1 |",
        "| e\u0301     |   1 |",
        f"| {'x' * 60} |   1 |",
    ]


@pytest.mark.parametrize("mark", ["#", ">", "+", "-", "=", ":", "|", "["])
def test_what_would_open_a_block_is_escaped_once(mark: str) -> None:
    assert opening(f"{mark} a") == f"\\{mark} a"
