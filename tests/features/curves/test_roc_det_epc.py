"""Every picture as a real spec, converted for real, and as plain series."""

import json
import re
import xml.etree.ElementTree as ET

import numpy as np
import polars as pl
import pytest
import vl_convert
from curve_results import picture
from scipy.special import ndtri
from simulated_results import World, simulate

from reporting.core.measures.threshold import HTER, WEIGHTED_ERROR
from reporting.document.charts.picture import Words, render
from reporting.document.charts.probit import window
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.roc import ROC
from reporting.document.words.view import views
from reporting.features.curves.det_chart import DET
from reporting.features.epc.chart import EpcCurve, curves_asked, epc_figure

HOSTILE = ("<script>alert(1)</script>", "$x^2$ \\input{a} %", "a'b\"c`d", "=1+1", "日本 Ω", "datum.x", "")


def every_figure(results):
    for view in views(results):
        yield picture("roc", view)
        yield picture("det", view)
        for criterion, measure in curves_asked(view):
            yield epc_figure(EpcCurve(view, criterion, measure, view.results.models[:6]))


def epc_curve(view, measure, banded):
    return EpcCurve(view, view.study.epc.criteria[0], measure, banded)


def named(count):
    return tuple(f"M{number}" for number in range(count))


def texts_of(svg):
    return [element.text for element in ET.fromstring(svg).iter() if element.text]


def series_of(figure, kind, label):
    return next(s for s in figure.series if s.kind == kind and s.label == label)


@pytest.mark.parametrize("count", [1, 2, 6, 14])
@pytest.mark.parametrize("baseline", [None, "M0"])
def test_every_spec_is_plain_json_and_converts(count, baseline):
    results = simulate(World(models=named(count), baseline=baseline, step=0.1))
    for figure in every_figure(results):
        json.dumps(figure.spec, allow_nan=False)
        shown = texts_of(vl_convert.vegalite_to_svg(figure.spec, vl_version="6.1"))
        # Of more than five models in grey none has a name.
        assert set(named(count) if count <= 7 else ()) <= set(shown)
        assert {text for _, text in figure.x_axis.ticks} <= set(shown)
        assert {text for _, text in figure.y_axis.ticks} <= set(shown)


@pytest.mark.parametrize(
    "world",
    [
        World(strength=9, step=0),
        World(strength=-2, step=0),
        World(strength=0, step=0, decimals=0),
        World(n_target=1, n_nontarget=1),
        World(n_target=3, n_nontarget=5000, strength=1),
        World(alphas=11),
        World(same_scores=True),
        World(datasets=("b", "a")),
    ],
    ids=["perfect", "reversed", "chance", "tiny", "rare", "coarse", "equal", "datasets"],
)
def test_extreme_data_are_drawn(world):
    for figure in every_figure(simulate(world)):
        json.dumps(figure.spec, allow_nan=False)
        vl_convert.vegalite_to_svg(figure.spec, vl_version="6.1")
        for series in figure.series:
            assert np.isfinite((*series.x, *series.y, *series.y_high)).all()


def test_hostile_names_stay_text():
    results = simulate(World(models=HOSTILE, step=0.1))
    for figure in every_figure(results):
        shown = texts_of(vl_convert.vegalite_to_svg(figure.spec, vl_version="6.1"))
        for name in HOSTILE[:-1]:
            assert name in shown


def test_a_spec_is_the_same_each_time():
    world = World(models=named(3))
    first, again = ([json.dumps(f.spec) for f in every_figure(simulate(world))] for _ in range(2))
    assert first == again


def test_figures_of_datasets_have_their_own_names():
    names = [figure.name for figure in every_figure(simulate(World(datasets=("../x", "a"))))]
    assert names == [
        "roc_x",
        "det_x",
        "epc_x",
        "epc_weighted_error_x",
        "roc_a",
        "det_a",
        "epc_a",
        "epc_weighted_error_a",
    ]


def test_names_of_files_stay_apart_whatever_datasets_are_called():
    datasets = ("A b", "a_b", "日本", "1", "x" * 60)
    names = [view.unique_name("det") for view in views(simulate(World(datasets=datasets, pictures=False)))]
    assert len(set(names)) == len(datasets)
    assert all(re.fullmatch(r"det_[a-z0-9-]{1,43}", name) for name in names)


def test_the_roc_is_the_frame_in_percent():
    results = simulate(World(n_target=20, n_nontarget=30, strength=1))
    line = series_of(picture("roc", views(results)[0]), "line", "TC1")
    rows = results.frame(ROC).filter(pl.col("model") == "TC1", pl.col("split") == "test").sort("threshold")
    np.testing.assert_allclose(line.x, 100 * rows["p_fa"].to_numpy(), atol=1e-5)
    np.testing.assert_allclose(line.y, 100 * (1 - rows["p_miss"].to_numpy()), atol=1e-5)


def test_the_det_draws_probits_dots_and_rings():
    results = simulate(World())
    figure = picture("det", views(results)[0])
    for kind, criterion in (("points", "min_hter"), ("rings", "oracle(min_hter)")):
        row = results.frame(METRICS).row(
            by_predicate=(pl.col("model") == "TC1")
            & (pl.col("split") == "test")
            & (pl.col("measure") == "hter")
            & (pl.col("criterion") == criterion),
            named=True,
        )
        point = series_of(figure, kind, "TC1")
        assert point.x == pytest.approx([ndtri(row["false_alarms"] / row["n_nontarget"])], abs=1e-5)
        assert point.y == pytest.approx([ndtri(row["misses"] / row["n_target"])], abs=1e-5)
    assert figure.x_axis.high == figure.y_axis.high
    for axis in (figure.x_axis, figure.y_axis):
        assert all(axis.low <= at <= axis.high for at, _ in axis.ticks)
        assert [text for _, text in axis.ticks][-3:] == ["10", "20", "40"]


@pytest.mark.parametrize(
    ("world", "high"),
    [
        (World(), 40),
        (World(strength=-2, step=0), 90),
        (World(strength=6.6, step=0, n_target=9000, n_nontarget=9000), 2),
    ],
)
def test_the_det_ends_well_above_equal_rates(world, high):
    assert [end for _, end in window(views(simulate(world))[0])] == [high, high]


def test_the_det_marks_30_errors_where_there_are_more_trials():
    figure = picture("det", views(simulate(World(n_target=300, n_nontarget=700)))[0])
    marks = [s for s in figure.series if s.label == "30 errors"]
    assert [s.x for s in marks[:1]] == [pytest.approx((ndtri(30 / 700),) * 3)]
    assert [s.y for s in marks[1:]] == [pytest.approx((ndtri(30 / 300),) * 3)]
    few = picture("det", views(simulate(World(n_target=30, n_nontarget=30)))[0])
    assert not [s for s in few.series if s.label == "30 errors"]


def test_strong_curves_are_seen_through_a_corner_of_the_roc_and_weak_ones_whole():
    strong = picture("roc", views(simulate(World(strength=4)))[0])
    assert (strong.x_axis.high, strong.y_axis.low) == (20, 80)
    assert [window.x_axis.high for window in strong.windows] == [20, 100]
    weak = picture("roc", views(simulate(World(strength=1)))[0])
    assert (weak.x_axis.high, weak.y_axis.low, weak.windows) == (100, 0, ())


def test_the_epc_passes_through_every_value_of_the_frame():
    view = views(simulate(World(alphas=11)))[0]
    for measure in (HTER, WEIGHTED_ERROR):
        curve = epc_curve(view, measure, ["TC1"])
        line = series_of(epc_figure(curve), "line", "TC1")
        for row in curve.rows.filter(pl.col("model") == "TC1").to_dicts():
            drawn = np.interp(row["alpha"], line.x, line.y)
            assert drawn == pytest.approx(100 * row["value"], abs=0.35 if measure == WEIGHTED_ERROR else 1e-4)


def test_bands_are_drawn_for_the_asked_models_only_and_fit_the_axis():
    view = views(simulate(World(models=named(4))))[0]
    figure = epc_figure(epc_curve(view, HTER, ["M1"]))
    bands = [s for s in figure.series if s.kind == "band"]
    assert [s.label for s in bands] == ["M1"]
    for band in bands:
        inner = [high for x, high in zip(band.x, band.y_high, strict=True) if 0.05 <= x <= 0.95]
        assert max(inner) <= figure.y_axis.high
        assert all(low <= high for low, high in zip(band.y, band.y_high, strict=True))


def test_a_split_without_targets_leaves_the_axes_standing():
    results = simulate(World())
    empty = results.frame(ROC).with_columns(p_miss=pl.lit(None, pl.Float64))
    view = views(results.with_frames({ROC: empty}))[0]
    assert not DET.figures(view)
    axes = render(DET.draw(view, {}), Words("A caption.", "An alternative text."))
    assert not [s for s in axes.series if s.kind == "line"]
    vl_convert.vegalite_to_svg(axes.spec, vl_version="6.1")
