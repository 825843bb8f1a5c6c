"""Trends: a picture of every measure that was there before, in the report's colours and printing."""

import polars as pl
import pytest
from build import build
from simulated_results import World, simulate

from reporting.document.blocks import Figure, Prose, Report
from reporting.document.frames.metrics import METRICS
from reporting.document.words.view import views
from reporting.features.history.frame import HISTORY
from reporting.features.history.store import Facts
from reporting.features.history.trends import values_of
from reporting.features.history.trends_section import MOST, trends
from reporting.render.formats import render_all

MODELS = ("TC1", "TC2", "TC9")


def facts(as_of):
    return Facts(as_of, "0.1.0", "t", "hter", "min_hter", tuple((m, m) for m in MODELS), ())


def history(results, *before):
    """The values of this run, and of worlds before it."""
    worlds = [*before, results]
    days = [f"2026-11-{13 - 7 * (len(before) - 1 - n):02}" for n in range(len(before))] + ["2026-11-20"]
    frames = [values_of(facts(day), world.frame(METRICS)) for day, world in zip(days, worlds, strict=True)]
    return pl.concat(frames).sort(HISTORY.sorted_by)


@pytest.fixture(scope="module")
def results():
    now = simulate(World(models=("TC1", "TC2"), names={"TC2": "Two"}, baseline="TC1", pictures=False))
    then = simulate(World(models=("TC1", "TC2", "TC9"), seed=2, pictures=False))
    return now.with_frames({HISTORY: history(now, then)})


def test_there_are_no_trends_without_an_earlier_run(results):
    assert trends(simulate(World(pictures=False))) is None
    alone = results.with_frames({HISTORY: results.frame(HISTORY).filter(as_of="2026-11-20")})
    assert trends(alone) is None


def test_pictures_follow_the_reports_order_and_the_rest_is_named(results):
    found = trends(results)
    pictures = [block for block in found.blocks if isinstance(block, Figure)]
    assert [picture.y_axis.title for picture in pictures] == ["HTER (%)", "FAR (%)", "FRR (%)", "EER (%)"][
        :MOST
    ]
    assert found.blocks[-1].text.startswith("AUC and ")
    assert found.beside


def test_a_model_keeps_its_name_and_style_and_one_that_is_gone_is_not_drawn(results):
    picture = next(block for block in trends(results).blocks if isinstance(block, Figure))
    view = views(results)[0]
    drawn = {series.label: series.style for series in picture.series}
    assert drawn == {view.names[model]: view.styles[model] for model in ("TC1", "TC2")}
    assert drawn == {"TC1": 1, "Two": 2}


def test_the_last_dots_are_the_reports_own_values(results):
    picture = next(block for block in trends(results).blocks if isinstance(block, Figure))
    view = views(results)[0]
    for series in picture.series:
        if series.kind == "points":
            model = {"TC1": "TC1", "Two": "TC2"}[series.label]
            assert series.y[-1] == pytest.approx(100 * view.primary(model).value)
            assert series.x == (0.0, 7.0)


def test_the_sentence_gives_range_and_last_value(results):
    said = next(block.text for block in trends(results).blocks if isinstance(block, Prose))
    assert said.startswith("HTER (%) in 2 runs from 2026-11-13 to 2026-11-20: TC1 8.2 to 10.8")
    assert said.count(", now ") == 2


def test_every_format_takes_the_section(results):
    one = results.with_frames({HISTORY: results.frame(HISTORY).filter(measure="hter")})
    report = Report("t", "", "", (trends(one),), "")
    files = render_all(report, results.provenance, ["html", "latex", "markdown"], interactive=True)
    assert "figures/trend_1.svg" in files
    assert b"2026-11-13" in files["figures/trend_1.svg"]


def test_trends_at_thresholds_that_no_development_set_chose(tmp_path):
    rows = [
        {"model": "m", "trial": f"t{i}", "split": "test", "label": i % 2, "score": i % 5} for i in range(20)
    ]
    built = build(tmp_path, rows, "thresholds: {policy: none}\nepc: none\n")
    frame, facts_then = built.results.frame(METRICS), (facts("2026-11-13"), facts("2026-11-20"))
    now = pl.concat([values_of(each, frame) for each in facts_then]).sort(HISTORY.sorted_by)
    found = trends(built.results.with_frames({HISTORY: now}))
    captions = [block.caption for block in found.blocks if isinstance(block, Figure)]
    assert captions
    assert not any("threshold" in caption for caption in captions)
