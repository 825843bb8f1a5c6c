"""What stands around the charts: verdicts, cautions, tables, and their order on the page."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable

import pytest

from reporting.base.provenance import Provenance
from reporting.document.blocks import Caution, Cell, Column, Report, Section, Table
from reporting.render.formats import render_all

Page = Callable[..., str]


@pytest.fixture
def page(provenance: Provenance) -> Page:
    def build(*blocks: object, interactive: bool = False, **fields: object) -> str:
        report = Report("t", "data", "The verdict.", (Section("S", "s", blocks),), "")  # type: ignore[arg-type]
        shown = dataclasses.replace(report, **fields)  # type: ignore[arg-type]
        return render_all(shown, provenance, ["html"], interactive=interactive)["report.html"].decode()

    return build


def body(text: str) -> str:
    return text[text.index("<main") : text.index("</main>")]


def open_and_folded(text: str) -> tuple[list[str], list[str]]:
    before, _, after = body(text).partition("<details>")
    brief = re.findall(r'<span class="brief">(.*?)</span>', before)
    return brief, re.findall(r"<li[^>]*>(.*?)</li>", after)


def test_few_cautions_stand_in_one_open_box(page: Page) -> None:
    text = page(Caution("one"), Table("t", "", (Column("a"),), ()), Caution("two", grave=True))
    assert text.count('class="cautions"') == 1
    assert open_and_folded(text) == (["two.", "one."], ["two", "one"])
    assert body(text).index("one") < body(text).index("<table>")
    assert "<summary>In full</summary>" in text


def test_cautions_are_cut_to_two_lines_the_grave_ones_first(page: Page) -> None:
    rest = "but this much is too long to be read, " * 2
    text = page(*(Caution(f"c{i}, {rest}; and more. Rest.", grave=i in (1, 4)) for i in range(6)))
    brief, full = open_and_folded(text)
    assert [each[:2] for each in brief] == ["c1", "c4"]
    assert not any("and more" in each for each in brief)
    assert [each[:2] for each in full] == ["c1", "c4", "c0", "c2", "c3", "c5"]
    assert all(each.endswith("and more. Rest.") for each in full)
    assert "<summary>4 more</summary>" in text


def test_cautions_that_do_not_fit_are_named(page: Page) -> None:
    text = page(*(Caution(f"{'long ' * 30}. Rest.", title=f"Title {i}.") for i in range(9)))
    brief, _ = open_and_folded(text)
    assert [each.strip() for each in brief[1:]] == [
        f"<strong>Title {i}.</strong>" for i in range(1, len(brief))
    ]
    assert 3 < len(brief) < 9
    assert f"<summary>{9 - len(brief)} more</summary>" in text


def test_the_title_of_a_caution_is_bold(page: Page) -> None:
    assert "<li><strong>Few &lt;errors&gt;.</strong> Only 12.</li>" in page(
        Caution("Only 12.", title="Few <errors>.")
    )


def test_one_dataset_has_a_paragraph_and_several_a_line_each(page: Page) -> None:
    assert '<p class="verdict">The verdict.</p>' in page()
    text = page(by_dataset=(("one <1>", "first"), ("two", "second & last")))
    assert re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", text) == [
        ("one &lt;1&gt;", "first"),
        ("two", "second &amp; last"),
    ]
    assert "The verdict." not in text


def test_a_mark_stands_raised_behind_its_value(page: Page) -> None:
    table = Table(
        "t", "", (Column("a"), Column("b", "number")), ((Cell("x<", mark="*"), Cell("1.0", mark="†")),)
    )
    text = page(table)
    assert "x&lt;<sup>*</sup></th>" in text
    assert "1.0<sup>†</sup></td>" in text


def test_only_the_first_level_of_sections_is_a_landmark(page: Page) -> None:
    text = page(Section("Inner", "inner", ()))
    assert re.findall(r"<section[^>]*>", text) == [
        '<section id="s" aria-labelledby="s-title">',
        '<section id="inner">',
    ]
    assert '<h3 id="inner-title">Inner</h3>' in text


@pytest.mark.parametrize("interactive", [True, False])
def test_what_is_announced_needs_a_script(page: Page, interactive: bool) -> None:
    assert (
        'role="status"' in page(Table("t", "", (Column("a"),), ()), interactive=interactive)
    ) == interactive
