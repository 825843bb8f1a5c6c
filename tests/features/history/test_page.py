"""The page of a store: what stands in it, and that it asks the network for nothing."""

import re

import pytest
from weeks import decided, facts, filled, frames_from

from reporting.document.blocks import Figure, Table
from reporting.errors import DataError
from reporting.features.history.page import history_report
from reporting.features.history.store import open_store
from reporting.features.history.trends import Selection
from reporting.render.formats import render_all

EVIL = '</script><img src="https://x.example/a.png">'


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = filled(open_store(tmp_path_factory.mktemp("pages")), 5)
    keys, label, decisions = decided(5)
    models = (("TC1", "TC1"), ("TC3", EVIL), ("TC4", "Four"))
    accepted = {"TC1": decisions["TC1"], "TC3": decisions["TC3"], "TC4": decisions["TC2"]}
    store.record(facts(5, models=models), frames_from(keys, label, accepted))
    return open_store(store.place.path)


@pytest.fixture(scope="module")
def page(store):
    report, provenance = history_report(store, Selection(measure="hter"))
    return render_all(report, provenance, ["html"], interactive=True)["report.html"]


def test_the_page_opens_without_a_network_and_draws_its_trends(browser, page, tmp_path):
    path = tmp_path / "history.html"
    path.write_bytes(page)
    context = browser.new_context(viewport={"width": 390, "height": 900})
    shown, asked, said = context.new_page(), [], []
    shown.on("request", lambda request: asked.append(request.url))
    shown.on("console", lambda message: said.append(message.text))
    shown.goto(path.as_uri())
    shown.wait_for_selector("figure svg:visible, figure canvas:visible")
    assert shown.evaluate("document.documentElement.scrollWidth") <= 390
    assert "In the run of 2026-10-09" in shown.inner_text("p.verdict")
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert said == []
    context.close()


def test_no_name_escapes_and_no_address_stands_in_the_page(page):
    text = page.decode()
    assert EVIL not in text
    assert not re.search(r'(?:src|href)="(?:https?:)?//', text)


def test_the_report_has_a_picture_a_measure_and_a_row_a_model(store):
    report, provenance = history_report(store, Selection())
    trends, runs = report.sections
    pictures = [block for block in trends.blocks if isinstance(block, Figure)]
    assert [picture.y_axis.title for picture in pictures] == ["HTER (%)", "AUC", "FAR (%)", "FRR (%)"]
    (values,) = (block for block in trends.blocks if isinstance(block, Table))
    assert len(values.rows) == 4 * 4
    assert values.notes == ("† not in the last run: TC2, last on 2026-10-02.",)
    assert [row[0].text for row in runs.blocks[0].rows] == [run.facts.as_of for run in reversed(store.runs())]
    assert provenance.inputs[0] == store.snapshot("9999")
    assert report.verdict.startswith(f"In the run of 2026-10-09, {EVIL} has the lowest HTER, ")


def test_lines_bands_and_dots_stand_where_the_values_are(store):
    report, _ = history_report(store, Selection(model="TC1", measure="hter"))
    picture = report.sections[0].blocks[0]
    found = {series.kind: series for series in picture.series}
    assert found["line"].x == (0, 7, 14, 21, 28, 35)
    assert found["line"].y == pytest.approx([16.0] * 6)
    assert found["band"].y[0] == pytest.approx(11.8, abs=0.05)
    assert found["band"].y_high[0] == pytest.approx(20.2, abs=0.05)
    assert picture.x_axis.ticks[0] == (0, "2026-09-04")
    assert picture.x_axis.ticks[-1] == (35, "2026-10-09")
    assert picture.probes[0].texts[2] == ("16.0",) * 6


def test_the_baseline_of_the_latest_run_has_the_first_colour_as_in_its_report(tmp_path):
    store = open_store(tmp_path, may_be_new=True)
    store.record(facts(0, config={"baseline": "TC2"}), frames_from(*decided(0)))
    report, _ = history_report(open_store(tmp_path), Selection(measure="hter"))
    styles = {series.label: series.style for series in report.sections[0].blocks[0].series}
    assert styles == {"TC2": 1, "TC1": 2, "TC3": 3}


def test_a_store_without_runs_has_no_page(tmp_path):
    with pytest.raises(DataError, match="there is no run to show"):
        history_report(open_store(tmp_path), Selection())
