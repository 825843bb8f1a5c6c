"""The site holds together: links lead somewhere, nothing comes from elsewhere, and all values have their entry."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import pytest
from english import faults
from fits_of_questions import FITS
from read_site import dead_links, external_files, pages

import reporting
from docs.build import texts_alone
from docs.gallery import audits
from docs.gallery import page as gallery
from docs.gallery.cards import CARDS
from docs.markdown import anchor, plain
from docs.reference import curves
from docs.reference.codes import ORDERS, sentence
from docs.reference.formats import KINDS
from reporting.core.criteria.catalogue import CRITERIA
from reporting.core.measures.catalogue import MEASURES
from reporting.document.words.codes import CI_METHODS, CORRECTIONS, P_METHODS
from reporting.features.catalogue import CURVES
from reporting.features.codes import codes
from reporting.features.frames import FRAMES
from reporting.inputs.formats.catalogue import FORMATS
from reporting.inputs.spec import LAYOUT_CONTENTS, Layout

METHODS_IN_ORDER = [method for methods in ORDERS.values() for method in methods]
MADE = dict.fromkeys(CARDS, "")
TEXTS = {**texts_alone(), **curves.pages({}), **gallery.pages(MADE), **audits.pages({})}
SIZES = {"wide": (1440, 900), "phone": (390, 844)}
CHECKED = ("index", "tasks/threshold", "reference/config", "methods")


def test_no_link_is_dead(site: Path) -> None:
    assert len(pages(site)) > 30
    assert list(dead_links(site)) == []


def test_a_dead_link_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<a href='b.html'></a><a href='#there'></a><a href='https://x.org'></a>")
    assert list(dead_links(tmp_path)) == ["a.html: #there has no such place", "a.html: b.html"]


def test_nothing_is_loaded_from_elsewhere(site: Path, browser: Any) -> None:
    assert list(external_files(site)) == []
    context = browser.new_context()
    page = context.new_page()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    for name in ("index.html", "reference/config.html", "search.html?q=threshold"):
        page.goto(f"{site.as_uri()}/{name}")
    context.close()
    assert requests
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []


def test_what_is_loaded_from_elsewhere_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<script src='https://x.org/y.js'></script><img src='b.png'>")
    (tmp_path / "a.css").write_text("@import '//x.org/a.css'; p { background: url(b.png) }")
    assert list(external_files(tmp_path)) == ["a.html: https://x.org/y.js", "a.css: //x.org/a.css"]


def test_the_page_of_methods_lists_what_the_program_goes_through() -> None:
    text = TEXTS["reference/methods.md"]
    assert len(METHODS_IN_ORDER) > 15
    assert [method for method in METHODS_IN_ORDER if plain(sentence(method)) not in text] == []


@pytest.mark.parametrize(("size", "scheme"), [("wide", "light"), ("phone", "dark")])
def test_pages_are_accessible_and_fit_the_screen(
    site: Path, browser: Any, axe: str, size: str, scheme: str
) -> None:
    width, height = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    serious = []
    for name in CHECKED:
        page.goto(f"{site.as_uri()}/{name}.html")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        page.evaluate(axe)
        violations = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        serious += [
            f"{name}: {each['id']}: {[node['html'][:120] for node in each['nodes'][:3]]}"
            for each in violations
            if each["impact"] in ("serious", "critical")
        ]
    context.close()
    assert serious == []


@pytest.mark.parametrize("width", [1440, 390])
def test_no_page_is_wider_than_the_screen(site: Path, browser: Any, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900})
    page = context.new_page()
    for name in (*CHECKED, "gallery", "tasks/pull_request", "tasks/weekly_gate", "reference/codes"):
        page.goto(f"{site.as_uri()}/{name}.html")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        cut = "[...document.querySelectorAll('pre')].filter(each => each.scrollWidth > each.clientWidth + 1).length"
        assert page.evaluate(cut) == 0, name
    context.close()


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("fairness", "tasks/groups.html"),
        ("sample size", "tasks/plan.html"),
        ("equal error rate", "reference/measures_over_thresholds.html"),
        ("pull request", "tasks/pull_request.html"),
        ("excel", "guide/report.html"),
    ],
)
def test_a_search_finds_the_page_first(site: Path, browser: Any, words: str, place: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{site.as_uri()}/search.html?q={words}")
    first = page.wait_for_selector("ul.search li a")
    assert first.get_attribute("href").partition("?")[0].partition("#")[0] == place
    context.close()


ENTRIES = {
    **{
        f"reference/{page}.html": [anchor(kind, name) for name, measure in MEASURES.items() if measure.over == kind]
        for kind, page in {
            "threshold": "measures_at_a_threshold",
            "sweep": "measures_over_thresholds",
            "scores": "measures_of_scores",
        }.items()
    },
    "reference/criteria.html": [anchor("criterion", name) for name in CRITERIA],
    "reference/fits.html": [anchor("fit", name) for name in FITS],
    "reference/curves.html": [anchor("curve", name) for name in CURVES],
    "reference/frames.html": [anchor("frame", name) for name in FRAMES],
    "reference/codes.html": [place for code in codes().values() for place in (anchor(code.key), anchor(code.kind, code.name))],
    "reference/methods.html": [
        *(anchor("ci_method", name) for name in CI_METHODS),
        *(anchor("p_method", name) for name in P_METHODS),
        *(anchor("correction", name) for name in CORRECTIONS),
    ],
    "reference/python.html": [anchor("python", name) for name in reporting.__all__ if name != "__version__"],
}  # fmt: skip


@pytest.mark.parametrize("name", ENTRIES)
def test_every_value_has_a_place_of_its_own(site: Path, name: str) -> None:
    assert ENTRIES[name]
    assert set(ENTRIES[name]) - pages(site)[site / name].anchors == set()


def test_every_column_and_every_key_is_described() -> None:
    columns = {column.name for recipe in FRAMES.values() for column in recipe.frame.columns}
    assert {name for name in columns if f"| `{name}` |" not in TEXTS["reference/frames.md"]} == set()
    for key in ("baseline", "threshold_at", "pools", "always_valid", "cache_limit", "c_miss", "interactive"):
        assert f"| `{key}` |" in TEXTS["reference/config.md"], key
    assert "mincllr" not in TEXTS["reference/config.md"]  # measures are a link, not a list


def test_every_format_and_layout_is_on_their_page() -> None:
    text = TEXTS["reference/formats.md"]
    for each in FORMATS:
        assert each.holds
        assert all(f"`{suffix}`" in text for suffix in each.suffixes), each.word
    assert {*LAYOUT_CONTENTS} == {*get_args(Layout)} == {word for _, words in KINDS for word in words}
    assert all(f"| `{word}` | {plain(holds)} |" in text for word, holds in LAYOUT_CONTENTS.items())


def test_the_list_for_programs_names_every_page(site: Path) -> None:
    listed = re.findall(r"\]\(([^)]+)\)", (site / "llms.txt").read_text())
    assert sorted(listed) == sorted(f"_sources/{name}" for name in TEXTS if "codes/" not in name)
    assert [name for name in listed if not (site / name).is_file()] == []


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_pages_speak_the_language_of_the_reports(name: str) -> None:
    text = re.sub(r"^```.*?^```$", "", TEXTS[name], flags=re.M | re.S)
    prose = re.sub(r"`[^`]*`|\]\([^)]*\)|<!--.*?-->", "", text)
    # A study calls a row so; the page explains the bands.
    assert faults(prose.replace("| sup-t |", "")) == []
