"""Terms of the glossary carry their meaning where a section first uses them."""

from __future__ import annotations

import re

import pytest
from snapshot import snapshot

from reporting.document.blocks import Cell, Column, Report, Section, Table
from reporting.render.environment import html_environment
from reporting.render.explained import Explained
from reporting.render.tex import escape

ROWS = (
    ("HTER", "half total error rate: (FAR + FRR) / 2."),
    ("FAR", "alarms <of> all."),
    ("p-value", "small."),
    ("95% CI", "an interval."),
)


def explained(*terms: tuple[str, str]) -> Explained:
    rows = tuple((Cell(term), Cell(meaning)) for term, meaning in terms or ROWS)
    table = Table("glossary", "", (Column("term"), Column("meaning")), rows)
    return Explained(Report("t", "", "", (Section("How", "how", (table,)),), ""))


def marked(text: str) -> list[tuple[str, str]]:
    return re.findall(r'<abbr class="term" title="(.*?)">(.*?)</abbr>', text)


def test_the_first_use_in_a_section_is_marked() -> None:
    mark = explained()
    assert marked(mark("HTER and FAR; HTER again")) == [
        ("half total error rate: (FAR + FRR) / 2.", "HTER"),
        ("alarms &lt;of&gt; all.", "FAR"),
    ]
    assert marked(mark("HTER")) == []
    assert marked(mark("HTER, p-value")) == [("small.", "p-value")]
    assert marked(mark("1.2 (95% CI 1 to 2)")) == [("an interval.", "95%\xa0CI")]
    mark.begin()
    assert [name for _, name in marked(mark("The Half total error rate, or HTER"))] == [
        "Half total error rate"
    ]


@pytest.mark.parametrize(
    ("meaning", "name"),
    [
        ("half total error rate: the mean of two rates.", "half total error rate"),
        (f"{'x' * 59}: short enough.", "x" * 59),
        (f"{'x' * 60}: a sentence.", None),
        ("rate (FAR): a sentence.", None),
        ("half total error rate", None),
    ],
)
def test_a_meaning_that_begins_with_a_full_name(meaning: str, name: str | None) -> None:
    mark = explained(("HTER", meaning))
    assert mark.meanings == {"hter": meaning} | ({} if name is None else {name: meaning})


def test_names_stay_whole_and_harmless() -> None:
    mark = explained()
    assert marked(mark("FARs, my-FAR, FAR2 and p-values")) == []
    snapshot("render/explained_names_stay_whole_and_harmless", mark("<b>&FAR"))


def test_a_page_without_a_glossary_marks_nothing() -> None:
    assert Explained(Report("t", "", "", (), ""))("HTER <") == "HTER &lt;"


def test_no_line_ends_within_a_p_value() -> None:
    mark = explained()
    assert str(mark("worse (p = .013, p < .001), q = 1; p = x")) == (
        "worse (p\u00a0=\u00a0.013, p\u00a0&lt;\u00a0.001), q = 1; p = x"
    )
    assert escape("inconclusive, p = .60") == "inconclusive, p~=~.60"
    page = html_environment().from_string("{{ text }}").render(text="p = .60")
    assert page == "p\u00a0=\u00a0.60"
