"""The bands of expected performance curves."""

import json
import xml.etree.ElementTree as ET

import numpy as np
import polars as pl
import pytest
import vl_convert
from simulated_results import World, simulate

from reporting.document.frames.epc import EPC
from reporting.document.words.view import views
from reporting.features.epc.chart import epc_figures
from reporting.features.epc.winners import WINNERS

HOSTILE = ("<script>alert(1)</script>", "$x^2$ \\input{a} %", "p", "datum.x", "a'b\"c`d")


def scope_of(**world):
    return views(simulate(World(**({"alphas": 11} | world))))[0]


def shown(figure):
    svg = vl_convert.vegalite_to_svg(figure.spec, vl_version="6.1")
    return [element.text for element in ET.fromstring(svg).iter() if element.text]


def of_kind(figure, kind):
    return [series for series in figure.series if series.kind == kind]


def test_hostile_names_stay_text():
    view = scope_of(models=HOSTILE, baseline="p", step=0.3)
    for figure in epc_figures(view):
        json.dumps(figure.spec, allow_nan=False)
        assert set(HOSTILE) <= {series.label for series in figure.series}
        assert view.names[view.ranked[0]] in figure.caption
        shown(figure)


def test_the_first_in_rank_has_its_simultaneous_band_and_no_other_model():
    view = scope_of(models=("a", "b", "c", "d"), baseline="a", step=0.2)
    for figure in epc_figures(view):
        bands = of_kind(figure, "band")
        assert [series.label for series in bands] == [view.names[view.ranked[0]]]
        level = f"Shading: 95% simultaneous band of {bands[0].label} (thresholds"
        assert level in figure.caption
        assert "pointwise" not in figure.caption


def test_the_band_is_that_of_the_frame():
    view = scope_of(models=("a", "b"))
    leader = view.ranked[0]
    figure = epc_figures(view)[0]
    (band,) = of_kind(figure, "band")
    rows = view.results.frame(EPC).filter(
        pl.col("alpha").is_between(0, 1, closed="none"), model=leader, measure="weighted_error"
    )
    alpha = rows["alpha"].to_numpy()
    least = np.minimum(alpha, 1 - alpha)
    # What is beyond the frame is moved near it.
    wanted = np.minimum(rows["band_high"].to_numpy() / least, figure.y_axis.high * 1.02)
    assert np.interp(np.log10(alpha / (1 - alpha)), band.x, band.y_high) == pytest.approx(wanted, rel=1e-2)
    assert min(band.y) >= 0


def test_bands_end_where_a_rate_must():
    view = scope_of(models=("a", "b"), strength=5.0)
    assert view.results.frame(EPC)["band_low"].min() < 0
    for figure in epc_figures(view):
        assert min(min(band.y) for band in of_kind(figure, "band")) == 0
        assert figure.y_axis.low == 0


def test_intervals_that_cover_the_choice_say_so():
    view = scope_of()
    epc = view.results.frame(EPC).with_columns(inference=pl.lit("procedure"))
    again = views(view.results.with_frames({EPC: epc}))[0]
    for figure in epc_figures(again):
        assert "(thresholds re-selected in each resample, " in figure.caption
    for figure in epc_figures(view):
        assert "(thresholds fixed, " in figure.caption


def test_titles_name_all_that_are_equal():
    """A model is called the lowest at every alpha only where no other is as low everywhere."""
    view = scope_of(models=("a", "b"), step=0.5)
    columns = [pl.col("value").first().over("measure", "alpha")]
    frames = {frame: view.results.frame(frame).with_columns(columns) for frame in (EPC, WINNERS)}
    (alike,) = views(view.results.with_frames(frames))
    both = " and ".join(alike.names[model] for model in alike.results.models)
    titles = [figure.title for figure in epc_figures(alike)]
    assert titles[0] == f"{both} have the same observed cost, the lowest, at every cost ratio"
    assert any(title.startswith(f"{both} share the lowest ") and " at every α" in title for title in titles)
