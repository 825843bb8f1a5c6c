"""The panel that recomputes, in a browser: what it shows at random settings is what the program computes."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from build import Built, build
from reading import every_block
from simulated_parts import rows_of

from reporting.document.blocks import LiveTable, Report, Section
from reporting.features.compose import compose
from reporting.features.recompute.formulas import Setting, alpha_of, compared, rates, share_of_targets
from reporting.features.recompute.held import HeldSet, held_sets
from reporting.features.recompute.section import MEASURES, start, what_if
from reporting.render.formats import render_all

playwright = pytest.importorskip("playwright.sync_api")

MODELS = ("plain", "<img src=x onerror=alert(1)>", "αβ </script> & \\ \u202e\u2067中文'\"", "{model} {p}")
GROUPS = {"f": "</script><b>f", "m": "'\"\u202em"}
CONFIG = """
criteria: [min_hter, eer]
measures: [hter, far, frr]
significance: {intervals: given_thresholds}
by: [gender]
epc: none
curves: []
"""
TRIALS = "trials: {source: trials.parquet%s}\n"
WEIGHTS = {f"{split}{at}": 1 + at % 3 for split in ("dev", "test") for at in range(15)}
DESIGNS = {
    "independent": "",
    "clustered": TRIALS % ", columns: {cluster: speaker}",
    "too few clusters": TRIALS % ", columns: {cluster: gender}",
    "pairs of clusters": TRIALS % ", columns: {cluster: [speaker, other]}",
    "crossed pools": TRIALS % ", columns: {cluster: [speaker, other]}, clusters: {pools: two}",
    "weighted": TRIALS % f", weights: {{stratum: {json.dumps(WEIGHTS)}}}",
}
NAMES = ("far", "frr", "precision", "npv", "weighted_error")
READ = """
() => [...document.querySelectorAll("#table-what_if tbody tr")].map((row) =>
  [...row.cells].slice(1).map(({dataset: d}) => [d.order, d.low, d.high].map((x) => x === undefined ? null : Number(x))))
"""
SET = """
([name, side, value]) => {
  const root = document.querySelector(".recompute");
  const field = (side === null ? root : root.querySelectorAll(".side")[side]).querySelector(`[data-name=${name}]`);
  field.value = value;
  field.dispatchEvent(new Event(["INPUT"].includes(field.tagName) ? "input" : "change"));
}
"""

SET_ALL_AND_READ = f"(fields) => {{ fields.forEach({SET}); return ({READ})(); }}"


def page_of(results: Any) -> bytes:
    section = what_if(results)
    assert section is not None
    report = Report("What if", "test", "verdict", (section,), "signature")
    return render_all(report, results.provenance, ("html",), interactive=True)["report.html"]


@pytest.fixture(scope="module", params=[*DESIGNS])
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    config = CONFIG + DESIGNS[request.param]
    rows = [
        row
        | {"stratum": row["speaker"], "gender": GROUPS[row["gender"]]}
        | {"other": f"{row['split']}{int(str(row['trial'])[len(row['split']) :]) * 7 // 3 % 11}"}
        for row in rows_of(models=MODELS, step=0.3, n=160)
    ]
    return build(tmp_path_factory.mktemp("whatif"), rows, config, "report.recompute=true")


def as_the_program_has_it(
    sets: list[HeldSet], held: HeldSet, chosen: list[int], places: list[int], setting: Setting
) -> list[list[list[float | None]]]:
    """Value and limits of every row: of both models, of their difference, and its p."""
    models = [held.models[at] for at in chosen]
    at = [model.at(place) for model, place in zip(models, places, strict=True)]
    of = [rates(each, setting) for each in at]
    alpha = alpha_of(share_of_targets(at[0], setting), setting)
    differences: dict[str, Any] = {}
    if held.joint and tuple(chosen) == held.pair:
        differences = compared(held.discordant((places[0], places[1])), alpha, setting.level)
    if held.joint and tuple(reversed(chosen)) == held.pair:
        turned = compared(held.discordant((places[1], places[0])), alpha, setting.level)
        differences = {k: (-d.value, -d.high, -d.low, d.p) for k, d in turned.items()}
    shown = []
    for name in NAMES:
        pairs = [[None if math.isnan(x) else x for x in each[name]] for each in of]
        value = differences.get(name)
        plain = of[0][name].value - of[1][name].value
        difference = [*value[:3]] if value else [None if math.isnan(plain) else plain, None, None]
        p = [[value[3] if value else None, None, None]] if start(sets[0]).differences else []
        shown.append([*pairs, difference, *p])
    return shown


@pytest.mark.parametrize("settings", [50, pytest.param(200, marks=pytest.mark.long)])
def test_settings_are_those_of_the_program(
    built: Built, open_page: Callable[..., Any], settings: int
) -> None:
    """A fault that one setting in twenty shows escapes 50 in 8% of cases, and those of six designs in 3e-7."""
    page, sets, rng = open_page(page_of(built.results)).page, held_sets(built.results), random.Random(1)
    assert len(sets) >= 3
    largest, compared_numbers = 0.0, 0
    for _ in range(settings):
        number = rng.randrange(len(sets))
        held = sets[number]
        chosen = rng.sample(range(len(held.models)), 2) if rng.random() < 0.6 else [*held.pair]
        places = [rng.randrange(len(held.models[at].rows)) for at in chosen]
        percent = rng.choice((None, rng.uniform(0.01, 99), rng.uniform(20, 60)))
        miss, alarm = (10 ** rng.uniform(-2, 2) for _ in range(2))
        level = rng.choice((95, 90, rng.uniform(50, 99.9)))
        fields: list[list[Any]] = [["set", None, number]]
        for side in (0, 1):
            fields += [["model", side, chosen[side]], ["place", side, places[side]]]
        fields += [
            [name, None, repr(value)] for name, value in (("c_miss", miss), ("c_fa", alarm), ("level", level))
        ]
        fields.append(["prevalence", None, "" if percent is None else repr(percent)])
        setting = Setting(None if percent is None else percent / 100, miss, alarm, level / 100)
        right = as_the_program_has_it(sets, held, chosen, places, setting)
        for shown, known in zip(page.evaluate(SET_ALL_AND_READ, fields), right, strict=True):
            for cell, numbers in zip(shown, known, strict=True):
                assert [x is None for x in cell] == [x is None for x in numbers], (chosen, places, setting)
                both = [(a, b) for a, b in zip(cell, numbers, strict=True) if a is not None]
                largest = max([largest, *(abs(a - b) for a, b in both)])
                compared_numbers += len(both)
    print(f"{compared_numbers:,} numbers, largest difference {largest:.1e}")
    assert compared_numbers > 10 * settings
    assert largest <= 1e-9


def test_the_page_begins_with_the_table_of_the_other_formats(
    built: Built, open_page: Callable[..., Any]
) -> None:
    html = page_of(built.results)
    section = what_if(built.results)
    assert section is not None
    (table,) = every_block(Report("", "", "", (section,), ""), LiveTable)
    page = open_page(html).page
    shown = page.evaluate(
        """() => [...document.querySelectorAll("#table-what_if tbody tr")].map((row) => [...row.cells].map((cell) =>
          [[...cell.childNodes].filter((n) => !n.classList?.contains("beneath") && !n.classList?.contains("unseen"))
            .map((n) => n.textContent).join(""), cell.querySelector(".beneath")?.textContent ?? ""]))"""
    )
    assert shown == [[[cell.text, cell.beneath] for cell in row] for row in table.rows]


def test_hostile_names_are_text(built: Built, open_page: Callable[..., Any]) -> None:
    watched = open_page(page_of(built.results))
    page = watched.page
    said = []
    page.on("dialog", lambda dialog: said.append(dialog.message))
    options = page.locator(".side").nth(0).locator("[data-name=model] option").all_text_contents()
    assert sorted(options)[0].startswith("<img src=x")
    assert "{model} {p}" in options
    assert not any(
        mark in text
        for text in [*options, *page.locator("[data-name=set] option").all_text_contents()]
        for mark in "\u202e\u2067"
    )
    for at in range(len(options)):
        page.evaluate(SET, ["model", 0, at])
        assert options[at] in page.locator("#table-what_if thead").inner_text()
        assert options[at] in page.locator(".recompute .answer").inner_text() or at
    groups = page.locator("[data-name=set] option").all_text_contents()
    assert [text for text in groups if "</script><b>f" in text]
    assert page.locator(".recompute :is(img, b)").count() == 0
    assert said == []


def test_by_keyboard(built: Built, open_page: Callable[..., Any]) -> None:
    page = open_page(page_of(built.results)).page
    slider = page.locator(".side").nth(0).locator("[type=range]")
    before, place = page.evaluate(READ), int(slider.input_value())
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert int(slider.input_value()) == place + 1
    assert page.evaluate(READ) != before
    assert page.locator(".side").nth(0).locator("[data-name=rule]").input_value() == ""
    assert (
        slider.get_attribute("aria-valuetext") == page.locator(".side").nth(0).locator("output").inner_text()
    )
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.act") == "reset":
            break
    page.keyboard.press("Enter")
    assert page.evaluate(READ) == before


def test_a_wrong_setting_is_named_and_changes_nothing(built: Built, open_page: Callable[..., Any]) -> None:
    page = open_page(page_of(built.results)).page
    before = page.evaluate(READ)
    for name, value in (("prevalence", "100"), ("c_miss", "0"), ("level", "20"), ("c_fa", "")):
        page.evaluate(SET, [name, None, value])
        assert page.locator(f".recompute [data-name={name}]").get_attribute("aria-invalid") == "true"
        assert page.evaluate(READ) == before
    assert "costs above 0" in page.locator(".recompute .wrong").inner_text()
    page.get_by_role("button", name="As in the report").click()
    assert page.locator(".recompute .wrong").inner_text() == ""


def test_the_first_screen_is_checked_and_a_changed_number_is_found(
    tmp_path: Path, open_page: Callable[..., Any]
) -> None:
    built = build(tmp_path, rows_of(n=160), CONFIG, "report.recompute=true")
    report = compose(built.results)
    kept = tuple(s for s in report.sections if isinstance(s, Section) and s.anchor in ("summary", "what-if"))
    html = render_all(
        Report("What if", "test", "verdict", kept, "signature"),
        built.results.provenance,
        ("html",),
        interactive=True,
    )["report.html"]
    page = open_page(html).page
    page.get_by_role("button", name="Check the first screen").click()
    agreed, every = page.locator(".recompute").get_attribute("data-agreed").split("/")
    assert agreed == every
    assert int(every) >= 10
    page.evaluate(
        "document.querySelector('#table-summary td.number[data-order]').firstChild.textContent = '9.9'"
    )
    page.get_by_role("button", name="Check the first screen").click()
    agreed, every = page.locator(".recompute").get_attribute("data-agreed").split("/")
    assert int(agreed) == int(every) - 1
    assert page.locator(".recompute .checked.bad").count() == 1


def test_on_paper_the_setting_is_gone_and_the_numbers_stay(
    built: Built, open_page: Callable[..., Any]
) -> None:
    page = open_page(page_of(built.results)).page
    page.locator(".recompute [data-name=prevalence]").fill("2.5")
    page.emulate_media(media="print")
    caption = page.locator("#table-what_if caption").inner_text()
    assert "prevalence 2.5%" in caption
    assert caption.count(" at ") >= 2
    assert not page.locator(".recompute fieldset").is_visible()
    assert page.locator("#table-what_if table").is_visible()
    assert page.locator(".recompute .answer").is_visible()


def test_on_a_phone_rows_are_stacked_and_nothing_lies_beside(
    built: Built, open_page: Callable[..., Any]
) -> None:
    page = open_page(page_of(built.results), viewport={"width": 390, "height": 800}).page
    wide = page.evaluate(
        "(e => e.scrollWidth - e.clientWidth)(document.querySelector('#table-what_if .scroll'))"
    )
    assert wide <= 0
    cells = page.locator("#table-what_if tbody tr").nth(0).locator("td:visible")
    labels = [cells.nth(at).get_attribute("data-label") for at in range(cells.count())]
    assert labels[2].startswith("difference")
    assert labels[0].removesuffix(" (%)") == page.locator(".side [data-name=model]").nth(0).evaluate(
        "it => it.selectedOptions[0].text"
    )
    boxes = [cells.nth(at).bounding_box() for at in range(3)]
    assert boxes[2]["x"] == boxes[0]["x"]
    assert boxes[2]["y"] > boxes[0]["y"]


def test_without_scripts_the_table_alone_is_there(built: Built) -> None:
    section = what_if(built.results)
    assert section is not None
    report = Report("What if", "test", "verdict", (section,), "signature")
    html = render_all(report, built.results.provenance, ("html",), interactive=False)["report.html"].decode()
    assert 'class="recompute"' not in html
    assert "table-what_if" in html
    assert "<script" not in html


def test_measures_are_those_of_the_script() -> None:
    assert tuple(measure.key for measure in MEASURES) == NAMES
