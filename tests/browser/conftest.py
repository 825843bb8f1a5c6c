"""Pages of simulated results in a headless browser, which must stay silent and never reach out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from simulated_results import PROVENANCE, World, simulate

from reporting.base.legible import all_legible
from reporting.document.blocks import Figure, Report
from reporting.document.frames.results import Results
from reporting.features.pictures import curve_figures
from reporting.render.html import html_files
from reporting.render.pictures import DrawnFigure, svg_of
from reporting.render.render_input import RenderContext


@dataclass
class Watched:
    """An open page with what it complained of and what it asked the network for."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def show_all(self) -> None:
        """Open what is folded, bring every figure into view, and wait until it answers."""
        self.page.eval_on_selector_all("details", "all => all.forEach((one) => { one.open = true; })")
        for figure in self.page.query_selector_all("figure"):
            figure.scroll_into_view_if_needed()
            figure.wait_for_selector(".plot.live")

    def point(self, figure: str, x: float, y: float) -> dict[str, str]:
        """Point at a share of the width and height of a drawing and return what is told."""
        self.page.eval_on_selector(f"#figure-{figure}", "one => one.scrollIntoView({block: 'center'})")
        box = self.page.locator(f"#figure-{figure} .drawing svg").bounding_box()
        self.page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"])
        return self.told(figure)

    def told(self, figure: str) -> dict[str, str]:
        """Return what is told now: the model under "", then text by title."""
        tip = self.page.locator(f"#figure-{figure} .tip")
        if not tip.inner_text():
            return {}
        pairs = zip(tip.locator("dt").all_inner_texts(), tip.locator("dd").all_inner_texts(), strict=True)
        return {"": tip.locator("strong").inner_text(), **dict(pairs)}

    def settle(self) -> None:
        """Wait until what was asked for is drawn."""
        self.page.evaluate("() => new Promise((done) => setTimeout(done, 150))")


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Watched]]:
    """Open pages that complained of nothing and asked for nothing by the end of the test."""
    opened: list[Watched] = []

    def opening(html: bytes, **how: Any) -> Watched:
        path = tmp_path / f"report{len(opened)}.html"
        path.write_bytes(html)
        watched = Watched(browser.new_page(**how))
        opened.append(watched)
        watched.page.on("console", lambda said: watched.complaints.append(said.text))
        watched.page.on("pageerror", lambda error: watched.complaints.append(str(error)))
        watched.page.on("request", lambda one: watched.requests.append(one.url))
        watched.page.goto(path.as_uri())
        return watched

    yield opening
    for watched in opened:
        watched.page.close()
        assert watched.complaints == []
        assert [url for url in watched.requests if not url.startswith(("data:", "file:", "blob:"))] == []
        assert sum(url.startswith("file:") for url in watched.requests) == 1


@pytest.fixture(scope="session")
def results() -> Results:
    """Three models on dev and test."""
    return simulate(World(models=("TC1", "TC2", "TC3"), baseline="TC1"))


@pytest.fixture(scope="session")
def html(results: Results) -> bytes:
    """The page of their curves."""
    return _page_of(results)


@pytest.fixture(scope="session")
def page_of() -> Callable[..., bytes]:
    """Return the page with the curves of some results."""
    return _page_of


def _page_of(results: Results, *, interactive: bool = True) -> bytes:
    section = curve_figures(results)
    assert section is not None
    report = all_legible(Report("Curves", "simulated", "None.", (section,), "signature"))
    figures = [block for block in report.sections[0].blocks if isinstance(block, Figure)]
    pictures = {one.name: DrawnFigure(svg_of(one.spec), b"", "514", "541") for one in figures}
    return html_files(RenderContext(report, PROVENANCE, pictures, interactive))["report.html"]
