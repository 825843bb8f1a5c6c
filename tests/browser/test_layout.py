"""No head of a table is clipped, and no word is broken, at any usual width."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

FAULTS = r"""() => {
  const faults = [];
  document.querySelectorAll("details").forEach((each) => { each.open = true; });
  for (const cell of document.querySelectorAll("main th, main td")) {
    if (!cell.offsetParent || cell.closest("#table-inputs")) continue;
    if (cell.classList.contains("drawn") || (innerWidth < 641 && cell.closest(".cards thead"))) continue;
    if (cell.scrollWidth > cell.clientWidth + 1) faults.push(`clipped: ${cell.textContent}`);
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      for (const word of walker.currentNode.textContent.matchAll(/[\p{L}\p{N}.]+/gu)) {
        const range = document.createRange();
        range.setStart(walker.currentNode, word.index);
        range.setEnd(walker.currentNode, word.index + word[0].length);
        const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
        if (lines.size > 1) faults.push(`broken: ${word[0]}`);
      }
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push("the page scrolls sideways");
  return faults;
}"""


@pytest.fixture(scope="module")
def address(example: Callable[[str], Path]) -> str:
    return (example("vote").with_name("report") / "report.html").as_uri()


@pytest.fixture(params=[1440, 1280, 1024, 390])
def page(request: pytest.FixtureRequest, browser: Any, address: str) -> Iterator[Any]:
    opened = browser.new_page(viewport={"width": request.param, "height": 900})
    opened.goto(address)
    yield opened
    opened.close()


def test_no_head_is_clipped_and_no_word_broken(page: Any) -> None:
    assert page.evaluate(FAULTS) == []


def test_the_measure_finds_faults(browser: Any, address: str) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(address)
    page.evaluate(
        "for (const each of document.querySelectorAll('th')) {"
        " each.style.display = 'block'; each.style.width = '20px'; each.style.overflowWrap = 'anywhere'; }"
    )
    assert any(fault.startswith("broken") for fault in page.evaluate(FAULTS))
    page.close()
