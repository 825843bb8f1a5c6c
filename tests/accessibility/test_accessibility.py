"""axe-core finds nothing serious on whole pages: wide and narrow, light and dark."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reporting.app.run.report import make_report

HERE = Path(__file__).parent
FAST = ("significance.replicates=199", "report.formats=[html]")
SIZES = {"wide": (1440, 900), "phone": (390, 844)}
EVERY_DAY = (
    ("vote", "wide", "light"),
    ("ru2009", "phone", "dark"),
    ("what_if", "phone", "light"),
    ("what_if", "wide", "dark"),
)
VIEWS = [
    pytest.param(*view, marks=() if view in EVERY_DAY else pytest.mark.long)
    for view in itertools.product(("vote", "ru2009", "vote_in_depth", "what_if"), SIZES, ("light", "dark"))
]
Pages = Callable[[str], str]


@pytest.fixture(scope="session")
def pages(
    tmp_path_factory: pytest.TempPathFactory,
    example: Callable[[str], Path],
    request: pytest.FixtureRequest,
) -> Pages:
    made: dict[str, str] = {}

    def report_of(name: str) -> Path:
        if name == "what_if":
            folder = tmp_path_factory.mktemp(name) / "out"
            return make_report(example("vote"), folder, (*FAST, "report.recompute=true", "by=[education]"))
        if name != "ru2009":
            return example(name).with_name("report")
        request.getfixturevalue("shared")
        return make_report(HERE.parent / "ru2009.yaml", tmp_path_factory.mktemp(name) / "out", FAST)

    def page(name: str) -> str:
        if name not in made:
            made[name] = (report_of(name) / "report.html").as_uri()
        return made[name]

    return page


@pytest.mark.parametrize(("name", "size", "scheme"), VIEWS)
def test_nothing_serious_is_found(
    pages: Pages, browser: Any, axe: str, name: str, size: str, scheme: str
) -> None:
    width, height = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    page.goto(pages(name))
    if name == "what_if":
        page.get_by_role("button", name="Check the first screen").click()
        page.locator(".recompute [data-name=level]").fill("0")
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    context.close()
    serious = [
        f"{each['impact']}: {each['id']}: {each['help']}: {[node['html'][:120] for node in each['nodes'][:3]]}"
        for each in found
        if each["impact"] in ("serious", "critical")
    ]
    assert not serious, "\n".join(serious)


def test_the_checker_does_find_something(browser: Any, axe: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.set_content("<html><body><img src='data:,'><p style='color: #ccc'>faint</p></body></html>")
    page.evaluate(axe)
    found = page.evaluate("axe.run()")["violations"]
    context.close()
    assert {"image-alt", "color-contrast", "html-has-lang"} <= {each["id"] for each in found}
