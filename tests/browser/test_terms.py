"""Terms by keyboard: one tab stop for all, and arrow keys from one to the next."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

FOCUSED = "() => document.activeElement.matches('abbr.term') && document.activeElement.textContent"
SHOWN = "() => document.querySelector('#meaning:popover-open')?.textContent ?? ''"


def test_terms_are_one_tab_stop_and_arrow_keys_reach_the_next(
    browser: Any, example: Callable[[str], Path]
) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto((example("vote").with_name("report") / "report.html").as_uri())
    stops = []
    for _ in range(40):
        page.keyboard.press("Tab")
        if name := page.evaluate(FOCUSED):
            stops.append(name)
    assert len(stops) == 1
    page.locator("abbr.term[tabindex='0']").focus()
    first = page.evaluate(SHOWN)
    assert first.endswith("Arrow keys: other terms.")
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(200)
    assert page.evaluate(FOCUSED)
    assert page.evaluate(SHOWN) not in ("", first)
    assert page.locator("abbr.term[tabindex='0']").count() == 1
    page.keyboard.press("Escape")
    assert page.evaluate(SHOWN) == ""
    page.close()
