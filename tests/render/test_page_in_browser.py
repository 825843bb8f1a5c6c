"""The page in a headless browser: it fits its window, and tables are copied, saved, sorted and printed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from reporting.base.provenance import Provenance
from reporting.document.blocks import Caution, Cell, Column, Report, Section, Table
from reporting.render.formats import render_all

FORMATS = ("html", "latex")
Show = Callable[..., Any]


@pytest.fixture(scope="session")
def files(make_report: Callable[..., Report], provenance: Provenance) -> dict[str, bytes]:
    """A report of twenty models with long names, hostile texts, and more cautions than stand open; no figures."""
    whole = make_report(20, hostile=True)
    tables = [block for section in whole.sections for block in section.blocks if isinstance(block, Table)]
    said = [Caution(f"A caution that says something of length, number {i}.", grave=i == 1) for i in range(6)]
    section = Section("Summary", "summary", (*(marked(table) for table in tables), *said))
    last = Section("Last", "last", (Caution("the end"),))
    report = dataclasses.replace(
        whole, title="A title", data_line="data", sections=(section, last), signature="s"
    )
    return render_all(report, provenance, FORMATS, interactive=True)


def marked(table: Table) -> Table:
    """Give every number a dagger, which no data file holds."""
    rows = tuple(
        tuple(dataclasses.replace(cell, mark="†" if cell.order else "") for cell in row) for row in table.rows
    )
    return dataclasses.replace(table, rows=rows)


@pytest.fixture
def show(browser: Any, files: dict[str, bytes], tmp_path: Path) -> Iterator[Show]:
    opened: list[Any] = []
    (tmp_path / "report.html").write_bytes(files["report.html"])

    def showing(width: int = 1440, **options: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        opened.append(context)
        page = context.new_page()
        page.goto((tmp_path / "report.html").as_uri())
        return page

    yield showing
    for context in opened:
        context.close()


def until(page: Any, condition: str) -> None:
    """Wait for what a browser does in its own time; the page's policy forbids to evaluate inside it."""
    for _ in range(100):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(30)
    raise AssertionError(f"never: {condition}")


@pytest.mark.parametrize("width", [320, 390, 768, 1024, 1200, 1440, 1920])
def test_the_page_never_scrolls_sideways(show: Show, width: int) -> None:
    page = show(width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_summary_fits_a_wide_window_whatever_the_names(show: Show) -> None:
    room, needed = show().evaluate(
        "(() => { const one = document.querySelector('#table-summary .scroll');"
        " return [one.clientWidth, one.scrollWidth]; })()"
    )
    assert needed <= room


def test_only_what_scrolls_is_a_stop_for_the_keyboard(show: Show) -> None:
    stops = "document.querySelectorAll('.scroll[tabindex]').length"
    assert show(1920).evaluate(stops) == 0
    page = show(390)
    which = "[...document.querySelectorAll('.scroll[tabindex]')].map((one) => one.parentElement.className)"
    page.evaluate("for (const each of document.querySelectorAll('details.tap')) each.open = true")
    page.evaluate("dispatchEvent(new Event('resize'))")
    assert page.evaluate(which) == ["tap"]


@pytest.mark.parametrize("name", ["summary", "operating_points"])
def test_a_table_is_saved_as_its_data_file(show: Show, files: dict[str, bytes], name: str) -> None:
    page = show()
    page.get_by_text("How the numbers were made").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name=f"Data (CSV) of table {name}", exact=True).click()
    assert waiting.value.suggested_filename == f"{name}.csv"
    assert Path(waiting.value.path()).read_bytes() == files[f"tables/{name}.csv"]


@pytest.mark.parametrize("name", ["summary", "operating_points"])
def test_a_table_is_copied_as_its_latex_file(show: Show, files: dict[str, bytes], name: str) -> None:
    page = show(permissions=["clipboard-read", "clipboard-write"])
    page.get_by_text("How the numbers were made").click()
    page.get_by_role("button", name=f"Copy LaTeX of table {name}", exact=True).click()
    until(page, f"document.getElementById('said').textContent === 'LaTeX of table {name} copied'")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == files[f"tables/{name}.tex"].decode()
    assert copied.startswith("%") or "\\begin" in copied


def test_a_copy_works_without_a_clipboard_of_its_own(show: Show) -> None:
    page = show(permissions=["clipboard-read"])
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.get_by_text("How the numbers were made").click()
    page.get_by_role("button", name="Copy LaTeX of table summary", exact=True).click()
    until(page, "document.getElementById('said').textContent.endsWith('copied')")


def test_the_contents_show_where_the_reader_is(show: Show) -> None:
    page = show(390)
    current = "[...document.querySelectorAll('nav [aria-current]')].map((link) => link.textContent)"
    page.evaluate("document.getElementById('summary').scrollIntoView()")
    until(page, f"{current}.join() === 'Summary'")
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    until(page, f"{current}.join() === 'Last'")


def test_the_contents_stay_in_sight_on_a_wide_window(show: Show) -> None:
    page = show()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    assert 0 <= page.locator("nav").bounding_box()["y"] < 10


def test_the_first_stop_of_the_keyboard_leads_to_the_report(show: Show) -> None:
    page = show()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
    page.keyboard.press("Enter")
    until(page, "document.activeElement.id === 'main'")


def test_print_opens_what_is_folded_and_hides_what_is_only_for_screens(show: Show) -> None:
    page = show()
    folded = page.locator(".cautions details li").first
    assert not folded.is_visible()
    page.emulate_media(media="print")
    for hidden in ("nav", ".table-tools", ".skip"):
        assert page.evaluate(f"getComputedStyle(document.querySelector('{hidden}')).display") == "none"
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert folded.is_visible()
    assert page.evaluate("document.querySelectorAll('details:not([open])').length") == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate("document.querySelectorAll('details[open]:not(.tap)').length") == 0


def test_a_head_without_a_title_is_no_head(browser: Any, provenance: Provenance) -> None:
    table = Table("t", "c", (Column(""), Column("b")), ((Cell("x"), Cell("y")),))
    report = Report("t", "", "", (Section("S", "s", (table,)),), "")
    page = browser.new_page()
    page.set_content(render_all(report, provenance, ["html"], interactive=True)["report.html"].decode())
    assert page.evaluate("[...document.querySelectorAll('th button')].map((one) => one.textContent)") == ["b"]
    page.close()


@pytest.mark.parametrize("width", [390, 1440])
def test_a_long_name_wraps_beside_its_sample_of_the_line(
    browser: Any, provenance: Provenance, tmp_path: Path, width: int
) -> None:
    name = "A model whose name takes several lines in the first column of a table"
    table = Table("summary", "C.", (Column("model"),), ((Cell(name, style=0),),))
    report = Report("t", "d", "v", (Section("Summary", "summary", (table,)),), "s")
    (tmp_path / "report.html").write_bytes(
        render_all(report, provenance, ("html",), interactive=True)["report.html"]
    )
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto((tmp_path / "report.html").as_uri())
    sample, text = page.locator(".named > svg").bounding_box(), page.locator(".named > span").bounding_box()
    page.close()
    assert text["height"] > 30
    assert text["x"] >= sample["x"] + sample["width"]
    assert sample["y"] + sample["height"] < text["y"] + 25
