"""Ten snippets of other tools become reports with three changed lines, and the number stays."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

import pytest

from docs.build import PAGES
from docs.snippets import Block, blocks

PAGE = (PAGES / "from" / "ten_snippets.md").read_text(encoding="utf-8")
SECTIONS = dict(
    zip(re.findall(r"^## (.+)$", PAGE, re.M), re.split(r"^## .+$", PAGE, flags=re.M)[1:], strict=True)
)
MOST_LINES = 3


def changed_lines(before: list[str], after: list[str]) -> int:
    """Lines that have to be typed or removed to turn one snippet into another."""
    steps = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return sum(
        max(last - first, last_after - first_after)
        for kind, first, last, first_after, last_after in steps
        if kind != "equal"
    )


def statements(block: Block) -> list[str]:
    """The lines of a snippet without what they print."""
    lines = block.text.strip().splitlines()
    return [line for line in lines if line.startswith((">>>", "..."))] if ">>>" in block.text else lines


def snippets(section: str) -> tuple[Block, Block]:
    """The snippet of the other tool, and the one that makes a report."""
    theirs, ours, *_ = (block for block in blocks(section) if block.kind in {"python", "text", "r"})
    return theirs, ours


def numbers(text: str) -> list[str]:
    """The decimal numbers on the lines of a section that a statement or a program printed."""
    shown = [
        line
        for block in blocks(text)
        if block.kind in {"python", "text", "console"}
        for line in block.text.splitlines()
        if not line.startswith((">>>", "...", "$"))
    ]
    return re.findall(r"\d\.\d+", "\n".join(shown))


def test_there_are_ten_of_three_tools() -> None:
    assert len(SECTIONS) == 10
    assert {re.findall(r"\((.+)\)$", title)[0] for title in SECTIONS} == {
        "scikit-learn",
        "pROC",
        "bob.measure",
    }


@pytest.mark.parametrize("title", SECTIONS)
def test_three_changed_lines_make_a_report(title: str) -> None:
    theirs, ours = map(statements, snippets(SECTIONS[title]))
    assert 0 < changed_lines(theirs, ours) <= MOST_LINES
    assert any("reporting" in line for line in ours)
    assert not any("reporting" in line for line in theirs)


@pytest.mark.parametrize("title", SECTIONS)
def test_the_number_stays(title: str) -> None:
    shown = list(map(float, numbers(SECTIONS[title])))
    half = len(shown) // 2
    assert shown[:half] == shown[half:] != []


def test_changed_lines_are_counted() -> None:
    assert changed_lines(["a", "b"], ["a", "c", "d"]) == 2
    assert changed_lines(["a", "b", "c"], ["a"]) == 2
    assert changed_lines(["a"], ["a"]) == 0
