"""Pictures of comparisons: bootstrap differences, and bands along a curve."""

import json
import xml.etree.ElementTree as ET

import numpy as np
import polars as pl
import pytest
import vl_convert
from simulated_results import World, simulate

from reporting.charts.difference import MOST, bins, difference_figure, difference_figures
from reporting.charts.epc import epc_figures
from reporting.frames import DIFFERENCES, EPC
from reporting.measures.sweep import AUC
from reporting.report.blocks import Figure, Prose
from reporting.wording.oriented import contrast, primary_rows
from reporting.wording.view import views

HOSTILE = ("<script>alert(1)</script>", "$x^2$ \\input{a} %", "p", "datum.x", "a'b\"c`d")


def scope_of(**world):
    return views(simulate(World(**({"alphas": 11} | world))))[0]


def shown(figure):
    svg = vl_convert.vegalite_to_svg(figure.spec, vl_version="6.1")
    return [element.text for element in ET.fromstring(svg).iter() if element.text]


def of_kind(figure, kind):
    return [series for series in figure.series if series.kind == kind]


def histogram(view, number=1):
    (row,) = primary_rows(view)
    return row, difference_figure(view, row, number)


def test_the_bars_hold_all_replicates_and_the_interval_is_that_of_the_row():
    row, figure = histogram(scope_of())
    view = scope_of()
    band = of_kind(figure, "band")[0]
    rows = bins(view, row)
    width = 100 * (rows["high"] - rows["low"])[0]
    area = np.trapezoid(band.y_high, band.x)
    assert area / width == pytest.approx(100.0, rel=1e-3)
    interval = next(series for series in of_kind(figure, "line") if "interval" in series.label)
    assert min(interval.x) == pytest.approx(100 * row.ci_low)
    assert max(interval.x) == pytest.approx(100 * row.ci_high)
    assert of_kind(figure, "points")[0].x == (pytest.approx(100 * row.difference),)
    assert figure.x_axis.low < min(0.0, *interval.x)
    assert figure.x_axis.high > max(0.0, *interval.x)
    assert {"no difference", "replicates", "difference, 95 % interval"} <= set(shown(figure))


def test_a_measure_in_numbers_has_no_points():
    _, figure = histogram(scope_of(primary=AUC))
    assert figure.x_axis.title == "Difference in AUC on test"
    json.dumps(figure.spec, allow_nan=False)


def test_replicates_without_spread_have_no_histogram():
    view = scope_of(same_scores=True)
    (row,) = primary_rows(view)
    flat = view.results.frame(DIFFERENCES).with_columns(high=pl.col("low"))
    again = views(view.results.with_frames({DIFFERENCES: flat}))[0]
    assert bins(again, row).is_empty()
    assert difference_figures(again) == ()
    without = views(view.results.with_frames({DIFFERENCES: DIFFERENCES.empty}))[0]
    assert difference_figures(without) == ()


@pytest.mark.parametrize("baseline", [None, "M2"])
def test_only_the_first_pairs_are_drawn_and_the_rest_is_said(baseline):
    view = scope_of(models=tuple(f"M{k}" for k in range(7)), baseline=baseline, step=0.1)
    *figures, note = difference_figures(view)
    assert [type(block) for block in figures] == [Figure] * MOST
    assert isinstance(note, Prose)
    who = "against the baseline M2" if baseline else f"of the leader {view.ranked[0]}"
    assert f"of the first {MOST} of 6 pairs {who} are drawn" in note.text
    assert len(difference_figures(scope_of())) == 1


def test_the_pair_is_named_first_in_each_caption():
    view = scope_of(models=("a", "b"), step=1.0)
    (figure,) = difference_figures(view)
    assert figure.caption.startswith("b − a: HTER at min-HTER thresholds chosen on dev, judged on test. 2000")
    assert "trials resampled, thresholds chosen again on resampled dev." in figure.caption
    row = contrast(view, "b", "a").row
    assert "leaves zero out" in figure.alt or row.ci_high > 0


def test_under_given_thresholds_captions_say_whom_they_compare():
    view = scope_of(comparisons="given_thresholds")
    assert "; these two tuned systems." in difference_figures(view)[0].caption


def test_hostile_names_stay_text():
    view = scope_of(models=HOSTILE, baseline="p", step=0.3)
    figures = [block for block in difference_figures(view) if isinstance(block, Figure)]
    assert len(figures) == MOST
    for figure in figures:
        json.dumps(figure.spec, allow_nan=False)
        shown(figure)
    said = " ".join(figure.caption for figure in figures)
    assert all(name in said for name in HOSTILE)


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
