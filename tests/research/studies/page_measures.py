"""Measure pages of reports as a reader has them: ``page_measures.py REPORT.html...`` prints a table.

Screens are of 1440 by 900 pixels. Words are those of header and main text that can be seen before the first
drawing; p-values, type sizes and colours are those that can be seen without opening anything, outside pictures. Tab stops are
counted with the key itself, up to the first stop inside a table, or past it where a table has none.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from shutil import which
from typing import Any

WIDTH, HEIGHT = 1440, 900
MOST_STOPS = 200

SEEN = r"""() => {
  const drawing = document.querySelector("main svg.interval, main figure");
  const texts = [], sizes = new Set(), colours = new Set();
  let before = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, parent = node.parentElement, text = node.textContent.trim();
    if (!text || !shown(parent)) continue;
    const style = getComputedStyle(parent);
    if (!parent.closest("figure, svg")) sizes.add(style.fontSize);
    colours.add(style.color);
    if (!parent.closest("main, header")) continue;
    texts.push(text);
    if (!drawing || node.compareDocumentPosition(drawing) & Node.DOCUMENT_POSITION_FOLLOWING) {
      before += text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
    }
  }
  for (const each of document.querySelectorAll("body, body *")) {
    if (!shown(each) || each.closest("figure")) continue;
    const style = getComputedStyle(each);
    for (const colour of [style.backgroundColor, style.borderBottomWidth !== "0px" && style.borderBottomColor,
      each.closest("svg") && style.stroke, each.closest("svg") && each.tagName !== "svg" && style.fill]) {
      if (colour && colour !== "none" && colour !== "rgba(0, 0, 0, 0)") colours.add(colour);
    }
  }
  const columns = [...document.querySelectorAll("main table")].filter(shown).flatMap((table) => {
    const heads = [...[...table.tHead.rows].at(-1).cells];
    const places = heads.flatMap((head, i) => (/^(adjusted )?p\b/.test(head.textContent.trim()) ? [i] : []));
    return [...table.tBodies].flatMap((body) => [...body.rows]).flatMap((row) => places.map((i) => row.cells[i]));
  });
  const rows = [...document.querySelectorAll("[id^=table-summary] tbody tr:not(.group)")].filter(shown);
  return {
    screens: document.documentElement.scrollHeight / innerHeight,
    words: before,
    p: texts.reduce((sum, text) => sum + (text.match(/\bp\s*[=<≤>]\s*\.?\d/g) ?? []).length, 0)
      + columns.filter((cell) => cell && /\d/.test(cell.textContent)).length,
    sizes: [...sizes].sort((a, b) => parseFloat(a) - parseFloat(b)),
    tables: [...document.querySelectorAll("main table")].length,
    open: [...document.querySelectorAll("main table")].filter(shown).length,
    colours: colours.size,
    rows: rows.map((row) => Math.round(row.getBoundingClientRect().height)),
  };

  function shown(each) {
    if (!each.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true })) return false;
    for (let above = each; above; above = above.parentElement) {
      if (getComputedStyle(above).clipPath === "inset(50%)") return false;
    }
    return !each.closest(".skip, script, style, template");
  }
}"""

IN_A_TABLE = """() => {
  const focus = document.activeElement, table = document.querySelector("main .table");
  if (!table || focus === document.body) return true;
  return table.contains(focus) || !!(table.compareDocumentPosition(focus) & Node.DOCUMENT_POSITION_FOLLOWING);
}"""


def measured(page: Any) -> dict[str, Any]:
    """Return what a page of 1440 by 900 pixels measures, as it opens."""
    seen: dict[str, Any] = page.evaluate(SEEN)
    page.evaluate("() => { scrollTo(0, 0); document.activeElement.blur(); }")
    for stops in range(1, MOST_STOPS):
        page.keyboard.press("Tab")
        if page.evaluate(IN_A_TABLE):
            return {**seen, "stops": stops}
    return {**seen, "stops": MOST_STOPS}


def line(name: str, seen: dict[str, Any]) -> str:
    """Return the row of a report, as Markdown."""
    rows = seen["rows"]
    heights = f"{min(rows)} to {max(rows)}" if rows else "folded or none"
    numbers = [f"{seen['screens']:.1f}", seen["words"], seen["p"], len(seen["sizes"])]
    return " | ".join(
        map(
            str,
            [name, *numbers, f"{seen['open']} of {seen['tables']}", seen["colours"], heights, seen["stops"]],
        )
    )


HEAD = "report | screens | words before a drawing | p | type sizes | tables open | colours | rows, px | tab stops"


def main(paths: Sequence[str]) -> None:
    """Print a row for each page."""
    # Loaded here, so that the module can be read where no browser is installed.
    from playwright.sync_api import sync_playwright

    print(HEAD)
    print(" | ".join(["---"] * len(HEAD.split(" | "))))
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=_chromium(), args=["--no-sandbox"])
        for path in map(Path, paths):
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            page.goto(path.resolve().as_uri())
            page.wait_for_timeout(300)
            print(line(path.stem, measured(page)), flush=True)
            page.close()
        browser.close()


def _chromium() -> str | None:
    return next((found for name in ("chromium", "google-chrome") if (found := which(name))), None)


if __name__ == "__main__":
    main(sys.argv[1:])
