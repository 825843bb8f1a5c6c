"""Charts that answer: what is told is what the frames hold, and all charts move together."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest
from simulated_results import World, simulate

from reporting.document.blocks import colour, darkened, in_colour, in_context, is_context
from reporting.document.frames.epc import EPC
from reporting.document.frames.roc import BANDS, ROC
from reporting.document.numbers import significant
from reporting.document.words.view import views

PLACES = [(0.2, 0.2), (0.15, 0.1), (0.25, 0.12), (0.35, 0.5), (0.6, 0.6), (0.3, 0.8), (0.75, 0.75)]
HOSTILE = (
    "<script>alert(1)</script>",
    "$x^2$ | a",
    "a'b\"c`d",
    "=1+1",
    "日本 Ω 😀",
    "datum.x",
    "__proto__",
    "",
)


def curves(page, figure):
    """The ink of every curve of a chart by its colour, as a sum over its paths."""
    paths = page.eval_on_selector_all(
        f"#figure-{figure} .drawing .mark-line path",
        "all => all.map((one) => [one.getAttribute('stroke'), Number(one.getAttribute('opacity') ?? 1)])",
    )
    found = {}
    for ink, opacity in paths:
        found[ink] = found.get(ink, 0) + opacity
    return found


def ink(results, model):
    return colour(views(results)[0].styles[model])


def ticks(page, figure):
    return page.locator(f"#figure-{figure} .drawing .role-axis-label text").all_text_contents()


def row_told(results, told):
    """The row of the frame ``roc`` that has the counts and threshold told."""
    misses, alarms = (int(told[title].split("/")[0].replace(",", "")) for title in ("Misses", "False alarms"))
    rows = (
        results.frame(ROC).filter(model=told[""], split="test", misses=misses, false_alarms=alarms).to_dicts()
    )
    assert len(rows) == 1
    return rows[0]


def test_every_chart_is_drawn_and_none_complains(open_page, html):
    watched = open_page(html)
    watched.show_all()
    figures = watched.page.query_selector_all("figure")
    assert len(figures) >= 4
    for figure in figures:
        assert figure.query_selector(".drawing svg .mark-line path") is not None
        assert not figure.query_selector("img").is_visible()
        assert figure.query_selector(".drawing").get_attribute("aria-label")


@pytest.mark.parametrize("figure", ["roc", "det"])
def test_a_place_on_a_curve_tells_the_row_of_the_frame(open_page, html, results, figure):
    watched = open_page(html)
    watched.show_all()
    seen = []
    for place in PLACES:
        told = watched.point(figure, *place)
        if not told or "Chosen" in told:
            continue
        row = row_told(results, told)
        assert told["Threshold"] == significant(row["threshold"], 4)
        assert told["FAR (%)"] == significant(100 * row["p_fa"], 3)
        assert told["FRR (%)"] == significant(100 * row["p_miss"], 3)
        assert told["Misses"].endswith("/300")
        assert told["False alarms"].endswith("/700")
        seen.append(told)
    assert len(seen) >= 2


def test_what_is_told_is_near_the_pointer(open_page, html):
    watched = open_page(html)
    watched.show_all()
    told = watched.point("roc", 0.2, 0.2)
    watched.settle()
    ring = watched.page.locator("#figure-roc .drawing .mark-symbol path").last.get_attribute("transform")
    frame = watched.page.locator("#figure-roc .drawing .background").first.get_attribute("d")
    side = float(re.search(r"h([\d.]+)v", frame)[1])
    # The curves are strong: the picture is the corner of 20 % errors of either kind.
    x, y = (20 * float(text) / side for text in re.findall(r"[\d.]+", ring))
    assert x == pytest.approx(float(told["FAR (%)"]), abs=0.01)
    assert y == pytest.approx(float(told["FRR (%)"]), abs=0.01)
    box = watched.page.locator("#figure-roc .drawing svg").bounding_box()
    tip = watched.page.locator("#figure-roc .tip").bounding_box()
    assert abs(tip["y"] - box["y"] - 0.2 * box["height"]) < 48 + 12
    assert abs(tip["x"] - box["x"] - 0.2 * box["width"]) < 48 + 14


def rounded_alike(value: float, text: str) -> str:
    """Print a value with as many decimals as a text has, of which there is one at least."""
    decimals = len(text.partition(".")[2])
    assert decimals
    return f"{value:.{decimals}f}"


def test_the_epc_tells_its_frame(open_page, html, results):
    watched = open_page(html)
    watched.show_all()
    told = watched.point("epc", 0.5, 0.7)
    rows = (
        results.frame(EPC)
        .filter(model=told[""], measure="hter")
        .filter(pl.col("alpha").is_between(float(told["α"]) - 1e-4, float(told["α"]) + 1e-4))
    )
    (row,) = rows.to_dicts()
    assert told["Threshold"] == significant(row["threshold"], 4)
    for title, column in {
        "HTER on test (%)": "value",
        "HTER on development (%)": "value_dev",
        "HTER tuned on test (%)": "value_oracle",
    }.items():
        assert told[title] == rounded_alike(100 * row[column], told[title])
    low, high = told["HTER on test (%), CI"].split(" to ")
    assert low == rounded_alike(100 * row["ci_low"], low)
    assert high == rounded_alike(100 * row["ci_high"], high)


def test_a_model_switched_off_is_off_everywhere_and_no_axis_moves(open_page, html, results):
    watched = open_page(html)
    watched.show_all()
    page = watched.page
    before = {name: (curves(page, name), ticks(page, name)) for name in ("epc", "det", "roc")}
    page.locator('#figure-det .models button[data-model="TC2"]').click()
    page.mouse.move(0, 0)
    page.locator("h1").click()
    watched.settle()
    for name, (inks, axis) in before.items():
        now = curves(page, name)
        assert now[ink(results, "TC2")] == 0 < inks[ink(results, "TC2")]
        assert now[ink(results, "TC3")] == inks[ink(results, "TC3")]
        assert ticks(page, name) == axis
        button = page.locator(f'#figure-{name} .models button[data-model="TC2"]')
        assert button.get_attribute("aria-pressed") == "false"
    assert all(watched.point("roc", *place).get("") != "TC2" for place in PLACES)


def test_a_model_pointed_at_in_one_legend_stands_out_in_all(open_page, html, results):
    watched = open_page(html)
    watched.show_all()
    page = watched.page
    page.locator('#figure-epc .models button[data-model="TC3"]').focus()
    watched.settle()
    for name in ("epc", "det", "roc"):
        inks = curves(page, name)
        assert inks[ink(results, "TC3")] >= 1
        assert inks[ink(results, "TC2")] < 0.5
        assert inks[ink(results, "TC1")] < 0.5
    page.locator('#figure-epc .models button[data-model="TC3"]').blur()
    watched.settle()
    assert curves(page, "det")[ink(results, "TC2")] >= 1


def test_keys_walk_along_a_curve_and_switch_models(open_page, html, results):
    watched = open_page(html)
    watched.show_all()
    page = watched.page
    page.locator("#figure-roc .plot").focus()
    seen = []
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "ArrowDown"):
        page.keyboard.press(key)
        seen.append(watched.told("roc"))
    assert [one[""] for one in seen] == ["TC1"] * 4 + ["TC2"]
    assert seen[1] == seen[3] != seen[2]
    assert float(seen[2]["FAR (%)"]) >= float(seen[1]["FAR (%)"])
    page.keyboard.press("Enter")
    watched.settle()
    assert curves(page, "det")[ink(results, "TC1")] < 0.5
    page.keyboard.press("Escape")
    watched.settle()
    assert curves(page, "det")[ink(results, "TC2")] >= 1
    assert watched.told("roc") == {}


def test_dev_is_drawn_beside_test_when_asked_for(open_page, html, results):
    watched = open_page(html)
    watched.show_all()
    page = watched.page
    dashed = "all => all.filter((one) => one.getAttribute('stroke-dasharray') === '5,4').map((one) => one.getAttribute('opacity'))"
    for name in ("det", "roc"):
        assert page.eval_on_selector_all(f"#figure-{name} .drawing path", dashed) == ["0"] * 3
    page.locator("#figure-roc .tools input[data-shows=dev]").check()
    watched.settle()
    for name in ("det", "roc"):
        assert page.eval_on_selector_all(f"#figure-{name} .drawing path", dashed) == ["0.9"] * 3
        assert page.locator(f"#figure-{name} .tools input[data-shows=dev]").is_checked()


def test_the_det_can_be_seen_through_other_windows(open_page, html):
    watched = open_page(html)
    watched.show_all()
    page = watched.page
    assert "2" in ticks(page, "det")
    options = page.locator("#figure-det select option").all_inner_texts()
    assert options[:3] == ["as far as the trials reach", "0.001 to 40%", "0.1 to 50%"]
    page.select_option("#figure-det select", label=options[-1])
    watched.settle()
    assert {"90", "99"} <= set(ticks(page, "det"))
    told = watched.point("det", 0.3, 0.65)
    assert told[""] in {"TC1", "TC2", "TC3"}


def test_the_data_of_a_chart_can_be_saved(open_page, html, results, tmp_path):
    watched = open_page(html)
    watched.show_all()
    with watched.page.expect_download() as caught:
        watched.page.locator("#figure-roc .tools button", has_text="Data").click()
    assert caught.value.suggested_filename == "roc.csv"
    caught.value.save_as(tmp_path / "saved.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "saved.csv").read_text(encoding="utf-8"))))
    assert {row["Model"] for row in rows} == {"TC1", "TC2", "TC3"}
    for row in rows[::25]:
        if not row["Chosen"]:
            assert row["Threshold"] == significant(
                row_told(results, row | {"": row["Model"]})["threshold"], 4
            )


def test_the_policy_is_in_force(open_page, html):
    watched = open_page(html)
    watched.show_all()
    page = watched.page
    page.evaluate(
        "() => { const one = document.createElement('script'); one.textContent = 'window.injected = 1';"
        " document.body.append(one); }"
    )
    page.evaluate(
        "() => { document.body.insertAdjacentHTML('beforeend', '<img src=x: onerror=\"window.injected = 1\">'); }"
    )
    watched.settle()
    assert page.evaluate("() => window.injected") is None
    assert watched.complaints
    assert all("Content Security Policy" in one for one in watched.complaints)
    watched.complaints.clear()
    watched.requests[:] = watched.requests[:1]


def test_a_static_page_shows_its_pictures_without_a_script(open_page, page_of, results):
    watched = open_page(page_of(results, interactive=False))
    page = watched.page
    assert page.locator("script").count() == 0
    assert page.locator("figure img").count() >= 4
    loaded = "all => all.every((one) => one.complete && one.naturalWidth > 100)"
    assert page.eval_on_selector_all("figure img", loaded)


def test_pictures_stand_there_where_scripts_are_off(open_page, html):
    watched = open_page(html, java_script_enabled=False)
    assert watched.page.locator("figure img").count() >= 4
    assert watched.page.locator("figure img").first.is_visible()


def test_hostile_names_stay_text(open_page, page_of):
    names = dict(zip("abcdefgh", HOSTILE, strict=True))
    watched = open_page(page_of(simulate(World(models=tuple(names), names=names, step=0.1))))
    watched.show_all()
    shown = watched.page.locator("#figure-det .models button").all_text_contents()
    assert sorted(shown) == sorted(name.replace("😀", "□") or "(no name)" for name in HOSTILE)
    told = {watched.point("roc", *place).get("") for place in PLACES}
    assert told - {None} <= {name.replace("😀", "□") for name in HOSTILE}
    watched.page.locator("#figure-roc .models summary").click()
    for button in watched.page.locator("#figure-roc .models button").all():
        button.click()
    watched.settle()
    assert all(
        text == "false"
        for text in watched.page.eval_on_selector_all(
            "#figure-det .models button", "all => all.map((one) => one.getAttribute('aria-pressed'))"
        )
    )
    with watched.page.expect_download() as caught:
        watched.page.locator("#figure-roc .tools button", has_text="Data").click()
    text = Path(caught.value.path()).read_text(encoding="utf-8")
    assert '"\'=1+1"' in text
    assert '"=1+1"' not in text


@pytest.mark.parametrize("width", [390, 1440])
def test_charts_fit_the_page_and_follow_the_dark(open_page, html, width):
    watched = open_page(html, viewport={"width": width, "height": 800}, color_scheme="dark")
    watched.show_all()
    page = watched.page
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    inks = page.eval_on_selector_all(
        "#figure-det .drawing .role-axis-label text", "all => all.map((one) => getComputedStyle(one).fill)"
    )
    assert set(inks) == {"rgb(213, 217, 222)"}
    curve = page.eval_on_selector(
        f'#figure-det .drawing path[stroke="{colour(1)}"]', "one => getComputedStyle(one).stroke"
    )
    assert curve == "rgb(219, 106, 30)"


def test_every_dark_ink_is_lit_in_the_dark():
    root = Path(__file__).parents[2]
    style = (root / "templates" / "html" / "chart_dark.css").read_text(encoding="utf-8")
    ruled = set(re.findall(r'\[stroke="(#\w{6})"\]', style))
    styles = (*range(-4, 7), in_context(1))
    assert {*map(darkened, styles), *map(colour, range(7))} <= ruled


def test_all_models_have_colours_when_asked_for(open_page, html, results):
    watched = open_page(html)
    watched.show_all()
    page = watched.page
    view = views(results)[0]
    (grey,) = (style for style in view.styles.values() if is_context(style))
    assert colour(grey) in curves(page, "det")
    assert colour(in_colour(grey)) not in curves(page, "det")
    page.locator("#figure-roc .tools input[data-shows=hues]").check()
    watched.settle()
    for name in ("det", "roc"):
        assert colour(in_colour(grey)) in curves(page, name)
        assert page.locator(f"#figure-{name} .tools input[data-shows=hues]").is_checked()
        samples = "all => all.map((one) => one.getAttribute('stroke'))"
        inks = page.eval_on_selector_all(f"#figure-{name} .models line", samples)
        assert inks == [colour(in_colour(view.styles[model])) for model in view.ranked]


def test_bands_are_drawn_when_asked_for(open_page, page_of, results):
    watched = open_page(page_of(with_bands(results)))
    watched.show_all()
    page = watched.page
    drawn = "all => all.map((one) => Number(one.getAttribute('opacity')))"
    areas = "#figure-det .drawing .mark-area path"
    assert page.eval_on_selector_all(areas, drawn) == [0, 0]
    box = page.locator("#figure-det label:has(input[data-shows=bands])")
    assert box.inner_text() == "95% simultaneous bands (fixed width)"
    box.locator("input").check()
    watched.settle()
    assert page.eval_on_selector_all(areas, drawn) == [0.15, 0.15]


def with_bands(results):
    """The results with bands a tenth above and below the curves on test."""
    rows = results.frame(ROC).filter(pl.col("split") == "test")
    keys = {name: rows[name] for name in ("dataset", "split", "group", "model", "run")}
    limits = {"p_miss_low": 0.9 * rows["p_miss"], "p_miss_high": (1.1 * rows["p_miss"]).clip(0, 1)}
    columns = keys | limits | {"p_fa": rows["p_fa"]}
    bands = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return results.with_frames(
        {BANDS: BANDS.build({"kind": "fixed_width", "simultaneous": True} | row for row in bands)}
    )


def test_names_in_a_picture_are_those_of_its_size(open_page, html):
    for width in (1440, 390):
        watched = open_page(html, viewport={"width": width, "height": 800})
        watched.show_all()
        shown = watched.page.locator("#figure-det .drawing .mark-text text").all_text_contents()
        assert {"TC1", "TC2", "TC3", "FAR = FRR"} <= set(shown)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_picture_is_given_away_with_its_words(open_page, html, scheme):
    watched = open_page(html, color_scheme=scheme)
    watched.show_all()
    tools = watched.page.locator("#figure-roc .tools")
    for kind in ("SVG", "PNG"):
        with watched.page.expect_download() as caught:
            tools.get_by_role("button", name=f"{kind} of this picture", exact=True).click()
        assert caught.value.suggested_filename == f"roc.{kind.lower()}"
        made = Path(caught.value.path()).read_bytes()
        if kind == "PNG":
            assert made.startswith(b"\x89PNG")
            assert len(made) > 10_000
            continue
        texts = "".join(ElementTree.fromstring(made).itertext())
        assert "ROC curves" in texts
        assert "simulated" in texts
        assert set(re.findall(r"TC\d", texts)) == {"TC1", "TC2", "TC3"}
        assert b"http" not in made.replace(b"http://www.w3.org/", b"")


@pytest.mark.parametrize("width", [1440, 390])
def test_a_picture_is_at_most_480_pixels_high_and_its_letters_keep_their_size(open_page, html, width):
    watched = open_page(html, viewport={"width": width, "height": 900})
    watched.show_all()
    for svg in watched.page.query_selector_all(".drawing svg"):
        box = svg.bounding_box()
        assert box["height"] <= 480
        assert box["width"] == pytest.approx(float(svg.get_attribute("width")), abs=0.5)
