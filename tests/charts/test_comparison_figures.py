"""Pictures of comparisons: bootstrap differences, pairs of curves with their p-values, and bands."""

import json
import math
import xml.etree.ElementTree as ET

import numpy as np
import polars as pl
import pytest
import vl_convert
from simulated_results import World, simulate

from reporting.charts.difference import MOST, bins, difference_figure, difference_figures
from reporting.charts.epc import EpcCurve, epc_figure, epc_figures
from reporting.charts.epc_pair import SMALLEST_P, PairOfCurves, epc_pair_figure, epc_pair_figures
from reporting.frames import COMPARISONS, DIFFERENCES, EPC
from reporting.measures.sweep import AUC
from reporting.measures.threshold import HTER, WEIGHTED_ERROR
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
    for blocks in (difference_figures(view), epc_pair_figures(view)):
        *figures, note = blocks
        assert [type(block) for block in figures] == [Figure] * MOST
        assert isinstance(note, Prose)
        who = "against the baseline M2" if baseline else f"of the leader {view.ranked[0]}"
        assert f"of the first {MOST} of 6 pairs {who} are drawn" in note.text
    assert len(difference_figures(scope_of())) == len(epc_pair_figures(scope_of())) == 1


def test_the_pair_is_named_first_in_each_caption():
    view = scope_of(models=("a", "b"), step=1.0)
    (figure,) = difference_figures(view)
    assert figure.caption.startswith("b − a: HTER at min-HTER thresholds chosen on dev, judged on test. 2000")
    assert "trials resampled, thresholds chosen again on resampled dev." in figure.caption
    row = contrast(view, "b", "a").row
    assert "leaves zero out" in figure.alt or row.ci_high > 0
    (pair,) = epc_pair_figures(view)
    assert pair.caption.startswith(
        "b and a: HTER on test at thresholds of min weighted error for each α; below"
    )
    assert "The models, thresholds chosen again on resampled dev" in pair.caption


def test_under_given_thresholds_captions_say_whom_they_compare():
    view = scope_of(comparisons="given_thresholds")
    assert "; these two tuned systems." in difference_figures(view)[0].caption
    assert "It compares the two tuned systems, thresholds held as chosen" in epc_pair_figures(view)[0].caption


def pair_of(view, measure=HTER):
    models = tuple(view.ranked[:2])
    return PairOfCurves(EpcCurve(view, view.study.epc.criteria[0], measure, (), models), models)


def with_bands(view, bands):
    """The view with these bands (by alpha) of the first pair's difference in HTER; elsewhere they hold 0."""
    along = pl.col("parameter").is_not_null()
    low = pl.col("parameter").replace_strict({a: b[0] for a, b in bands.items()}, default=-1.0)
    high = pl.col("parameter").replace_strict({a: b[1] for a, b in bands.items()}, default=1.0)
    rows = view.results.frame(COMPARISONS).with_columns(
        band_low=pl.when(along).then(low), band_high=pl.when(along).then(high)
    )
    return views(view.results.with_frames({COMPARISONS: rows}))[0]


def test_grey_runs_from_half_way_to_half_way_where_the_band_leaves_zero_out():
    above, below, held = (0.1, 0.2), (-0.2, -0.1), (-0.1, 0.1)
    view = with_bands(
        scope_of(), {0.0: above, 0.2: above, 0.3: below, 0.5: held, 0.7: (0.0, 0.1), 0.9: below, 1.0: below}
    )
    stretches = pair_of(view).stretches
    assert stretches == [
        pytest.approx((0.0, 0.05)), pytest.approx((0.15, 0.35)), pytest.approx((0.85, 1.0)),
    ]  # fmt: skip
    figure = epc_pair_figure(pair_of(view), 1)
    grey = of_kind(figure, "band")
    assert [(series.label, *series.x) for series in grey] == [("", *ends) for ends in stretches]
    assert all(series.y == (figure.y_axis.low,) * 2 for series in grey)
    (made,) = epc_pair_figures(view)
    assert "differ for α from 0 to 0.05, 0.15 to 0.35 and 0.85 to 1." in made.alt
    assert "Grey: where the 95 % sup-t band of the difference" in made.caption


def test_pointwise_intervals_never_shade():
    view = scope_of(step=3.0, strength=1.0)
    rows = view.results.frame(COMPARISONS)
    assert (rows.filter(pl.col("parameter").is_between(0.2, 0.8))["ci_high"] < 0).any()
    without = rows.with_columns(band_low=pl.lit(None, pl.Float64), band_high=pl.lit(None, pl.Float64))
    again = views(view.results.with_frames({COMPARISONS: without}))[0]
    assert pair_of(again).stretches == []
    (figure,) = epc_pair_figures(again)
    assert not of_kind(figure, "band")
    assert "Grey" not in figure.caption


def test_p_lies_on_its_own_logarithmic_axis_below_the_curves():
    view = scope_of(models=("a", "b"))
    pair = pair_of(view)
    figure = epc_pair_figure(pair, 1)
    places = [place for place, _ in figure.y_axis.ticks]
    assert places == sorted(places)
    assert [text for _, text in figure.y_axis.ticks][:5] == ["10⁻⁴", ".001", ".01", ".1", "1"]
    steps = np.diff([place for place, _ in figure.y_axis.ticks[:5]])
    assert steps == pytest.approx([steps[0]] * 4)
    line = next(series for series in of_kind(figure, "line") if series.label == "p")
    assert max(line.y) < pair.curve.y_axis.low
    assert min(line.y) >= figure.y_axis.low - 1e-9
    assert pair.of_p(0.0) == pair.of_p(SMALLEST_P)
    at_half = pair.rows.filter(parameter=0.5)["p_value"][0]
    drawn = np.interp(0.5, line.x, line.y)
    assert drawn == pytest.approx(pair.of_p(max(at_half, SMALLEST_P)), abs=1e-4)
    level = next(series for series in of_kind(figure, "guide") if series.label == "p = .05")
    assert level.y[0] == pytest.approx(pair.of_p(0.05))
    assert math.isclose(pair.level, 0.05)


@pytest.mark.parametrize("measure", [HTER, WEIGHTED_ERROR])
def test_both_curves_pass_through_the_frame(measure):
    view = scope_of()
    figure = epc_pair_figure(pair_of(view, measure), 1)
    lines = {series.label: series for series in of_kind(figure, "line")}
    for model in view.ranked:
        for row in pair_of(view, measure).curve.rows.filter(model=model).to_dicts():
            line = lines[view.names[model]]
            assert np.interp(row["alpha"], line.x, line.y) == pytest.approx(100 * row["value"], abs=0.35)


def test_hostile_names_stay_text_and_no_model_is_taken_for_p():
    view = scope_of(models=HOSTILE, baseline="p", step=0.3)
    figures = [
        block for block in (*difference_figures(view), *epc_pair_figures(view)) if isinstance(block, Figure)
    ]
    assert len(figures) == 2 * MOST
    for figure in figures:
        json.dumps(figure.spec, allow_nan=False)
        texts = shown(figure)
        if figure.name.startswith("epc_pair"):
            labels = [series.label for series in of_kind(figure, "line")]
            assert len(set(labels)) == 3
            assert {"p", *labels[:2]} <= set(texts)
    said = " ".join(figure.caption for figure in figures)
    assert all(name in said for name in HOSTILE)


def test_few_models_have_both_bands_and_many_those_of_the_verdict():
    view = scope_of(models=("a", "b"))
    (first, *_) = epc_figures(view)
    bands = of_kind(first, "band")
    assert [series.label for series in bands] == ["a", "a", "b", "b"]
    for outer, inner in (bands[:2], bands[2:]):
        at = np.linspace(0.1, 0.9, 9)
        assert (np.interp(at, outer.x, outer.y) <= np.interp(at, inner.x, inner.y) + 0.1).all()
        assert (np.interp(at, outer.x, outer.y_high) >= np.interp(at, inner.x, inner.y_high) - 0.1).all()
        assert min(outer.y) >= 0
    assert "darker, 95 % percentile intervals at each α by itself (pointwise)" in first.caption
    assert "lighter, the 95 % sup-t band, which holds at every α at once" in first.caption
    many = scope_of(models=("a", "b", "c", "d"), baseline="a", step=0.2)
    drawn = {series.label for series in of_kind(epc_figures(many)[0], "band")}
    assert drawn == {"a", next(model for model in many.ranked if model != "a")}


def test_bands_end_where_a_rate_must():
    view = scope_of(models=("a", "b"), strength=5.0)
    assert view.results.frame(EPC)["band_low"].min() < 0
    figure = epc_figures(view)[0]
    assert min(min(band.y) for band in of_kind(figure, "band")) == 0
    assert figure.y_axis.low == 0


def test_two_bands_of_one_model_are_two_areas():
    view = scope_of(models=("a", "b"))
    curve = EpcCurve(view, view.study.epc.criteria[0], HTER, ["a"])
    spec = epc_figure(curve).spec
    area = next(layer for layer in spec["layer"] if layer["mark"]["type"] == "area")
    assert area["encoding"]["detail"]["field"] == "part"
    rows = spec["datasets"][area["data"]["name"]]
    assert {row.get("part", 0) for row in rows} == {0, 1}
    assert "detail" in area["encoding"]


def test_intervals_that_cover_the_choice_say_so():
    view = scope_of()
    epc = view.results.frame(EPC).with_columns(inference=pl.lit("procedure"))
    again = views(view.results.with_frames({EPC: epc}))[0]
    assert "; thresholds chosen again in every replicate, trials resampled" in epc_figures(again)[0].caption
    assert "; given the thresholds, trials resampled" in epc_figures(view)[0].caption
