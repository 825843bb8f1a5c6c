"""How long a report is to read: screens, tables, figures, p-values and words of pages that stand in folders.

    python -m tests.research.studies.page_measures REPORT_DIR...

A folder is one that ``reporting run`` has written, or any above such folders.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

SIZES = {"screens": (1440, 900), "phone": (390, 844)}
GOALS = {"vote": 6, "ru2009": 8, "vote_in_depth": 14}
"""Most screens of 1440 x 900 before anything is unfolded."""

COUNT = r"""
() => {
  const P = /(?<![\d.])(?:< )?\.\d{2,3}(?!\d)|(?:^|[ (])p [=<>] ?\S+|^1\.0$/g;
  const seen = (each) => each.checkVisibility({contentVisibilityAuto: true});
  const tables = [...document.querySelectorAll("main table")];
  const cells = tables.flatMap((table) => [...table.querySelectorAll("tbody td")]);
  const height = document.documentElement.scrollHeight;
  const comparisons = document.querySelector("#comparisons");
  const words = document.body.innerText.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  return {
    height,
    comparisons: (comparisons?.getBoundingClientRect().height ?? 0) / height,
    p_values: counted(cells), open_p_values: counted(cells.filter(seen)),
    tables: tables.length, open_tables: tables.filter(seen).length,
    figures: document.querySelectorAll("main figure").length,
    open_figures: [...document.querySelectorAll("main figure")].filter(seen).length,
    words: words.length,
  };
  function counted(cells) {
    return cells.flatMap((cell) => isP(cell) ? cell.textContent.match(P) ?? [] : []).length;
  }
  function isP(cell) {
    const head = [...cell.closest("table").tHead.rows].at(-1).cells[cell.cellIndex].textContent;
    return /\bp\b/.test(head) || /p [=<]/.test(cell.textContent);
  }
}
"""


@dataclass(frozen=True)
class Measured:
    """What one page takes; ``open_`` counts what is seen before anything is unfolded."""

    screens: float
    phone: float
    comparisons: str
    p_values: int
    open_p_values: int
    tables: int
    open_tables: int
    figures: int
    open_figures: int
    words: int
    markdown: str


def main(arguments: Sequence[str]) -> None:
    """Print a line for each report under the folders."""
    # Loaded here, so that the module can be read where no browser is installed.
    from playwright.sync_api import sync_playwright

    names = [field.name for field in fields(Measured)]
    print("| report |", " | ".join(name.replace("_", " ") for name in names), "|")
    print("|---|" + "--:|" * len(names))
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for folder in _reports(arguments):
            values = [str(getattr(measured(browser, folder), name)) for name in names]
            name = folder.parent.name if folder.name.startswith("report") else folder.name
            goal = f" (goal {GOALS[name]})" if name in GOALS else ""
            print(f"| {name}{goal} |", " | ".join(values), "|")
        browser.close()


def _reports(arguments: Sequence[str]) -> Iterator[Path]:
    for argument in arguments:
        yield from sorted(page.parent for page in Path(argument).rglob("report.html"))


def measured(browser: Any, folder: Path) -> Measured:
    """Return the measures of one report."""
    wide, narrow = (_counted(browser, folder / "report.html", *size) for size in SIZES.values())
    text = folder / "report.md"
    return Measured(
        screens=round(wide["height"] / SIZES["screens"][1], 1),
        phone=round(narrow["height"] / SIZES["phone"][1], 1),
        comparisons=f"{wide['comparisons']:.0%}",
        p_values=wide["p_values"],
        open_p_values=wide["open_p_values"],
        tables=wide["tables"],
        open_tables=wide["open_tables"],
        figures=wide["figures"],
        open_figures=wide["open_figures"],
        words=wide["words"],
        markdown=str(len(text.read_text(encoding="utf-8"))) if text.is_file() else "",
    )


def _counted(browser: Any, path: Path, width: int, height: int) -> dict[str, float]:
    page = browser.new_page(viewport={"width": width, "height": height})
    page.goto(path.resolve().as_uri())
    page.wait_for_timeout(500)
    counted: dict[str, float] = page.evaluate(COUNT)
    page.close()
    return counted


if __name__ == "__main__":
    main(sys.argv[1:])
