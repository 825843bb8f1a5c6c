"""What is told where a reader points: rows of the frames, each exactly."""

import polars as pl
import pytest
from curve_results import picture, with_curves
from simulated_results import World, simulate

from reporting.core.measures.threshold import HTER
from reporting.document.charts.probit import windows
from reporting.document.frames.epc import EPC
from reporting.document.frames.roc import ROC
from reporting.document.numbers import significant
from reporting.document.words.view import views
from reporting.features.curves.roc_frame import PR
from reporting.features.epc.chart import EpcCurve, epc_figure


@pytest.fixture(scope="module")
def view():
    return views(simulate(World(models=("A", "B", "C"), baseline="A", n_target=2000, n_nontarget=3000)))[0]


def texts(figure, probe):
    return dict(zip(figure.tooltip_titles, probe.texts, strict=True))


def test_every_place_of_the_roc_is_a_row_of_the_frame(view):
    figure = picture("roc", view)
    known = {
        (row["model"], row["misses"], row["false_alarms"]): row
        for row in view.results.frame(ROC).filter(pl.col("split") == "test").to_dicts()
    }
    curves = [probe for probe in figure.probes if len(probe.x) > 1]
    assert [probe.label for probe in curves] == ["A", "B", "C"]
    for probe in curves:
        said = texts(figure, probe)
        assert len(probe.x) > 60
        for i, (x, y) in enumerate(zip(probe.x, probe.y, strict=True)):
            counts = (
                int(said[title][i].split("/")[0].replace(",", "")) for title in ("Misses", "False alarms")
            )
            row = known[probe.label, *counts]
            assert said["Threshold"][i] == significant(row["threshold"])
            assert (x, 100 - y) == pytest.approx((100 * row["p_fa"], 100 * row["p_miss"]), abs=1e-4)


def test_every_place_of_precision_and_recall_over_the_threshold_is_a_row_of_the_frame():
    found = views(with_curves(World(models=("A", "B"), n_target=200, n_nontarget=300)))[0]
    figure = picture("pr_threshold", found)
    assert [probe.label for probe in figure.probes] == ["A", "A", "B", "B"]
    for probe, column in zip(figure.probes, ("precision", "recall") * 2, strict=True):
        frame = found.results.frame(PR).filter(model=probe.label, split="test")
        known = {(row["true_positives"], row["false_alarms"]): row for row in frame.to_dicts()}
        said = texts(figure, probe)
        assert len(probe.x) > 20
        for i, (x, y) in enumerate(zip(probe.x, probe.y, strict=True)):
            hits, alarms = said["Targets accepted"][i], said["False alarms"][i]
            row = known[int(hits.removesuffix("/200")), int(alarms.removesuffix("/300"))]
            assert (x, y) == pytest.approx((row["threshold"], 100 * row[column]), abs=1e-4)
            assert said["Threshold"][i] == significant(row["threshold"])


def test_roc_and_det_tell_the_same_texts(view):
    roc, det = picture("roc", view), picture("det", view)
    for one, other in zip(roc.probes[:3], det.probes[:3], strict=True):
        assert one.texts == other.texts


def test_dots_and_rings_say_how_they_were_chosen(view):
    figure = picture("det", view)
    chosen = [texts(figure, probe)["Chosen"][0] for probe in figure.probes if len(probe.x) == 1]
    assert chosen == ["minimum HTER, set on development"] * 3 + ["minimum HTER, tuned on test"] * 3


def test_the_epc_tells_every_alpha(view):
    curve = EpcCurve(view, view.study.epc.criteria[0], HTER, ["A"])
    figure = epc_figure(curve)
    rows = curve.rows.filter(pl.col("model") == "B")
    said = texts(figure, figure.probes[1])
    assert said["HTER on development (%)"] == tuple(map(view.printing(HTER).value, rows["value_dev"]))
    assert figure.probes[1].x == tuple(round(alpha, 5) for alpha in rows["alpha"])


def test_undefined_values_are_not_told(view):
    epc = view.results.frame(EPC).with_columns(value_dev=pl.lit(None, pl.Float64))
    other = views(view.results.with_frames({EPC: epc}))[0]
    figure = epc_figure(EpcCurve(other, other.study.epc.criteria[0], HTER, ["A"]))
    assert set(texts(figure, figure.probes[0])["HTER on development (%)"]) == {""}


def test_dev_goes_along_and_windows_differ(view):
    figure = picture("det", view)
    assert [series.label for series in figure.on_dev] == ["A", "B", "C"]
    edges = windows(view)
    assert len(set(edges)) == len(edges) == len(figure.windows) > 1
    assert (figure.windows[0].x_axis, figure.windows[0].y_axis) == (figure.x_axis, figure.y_axis)
    rows = view.results.frame(ROC).filter(model="B", split="dev")
    corners = set(zip((100 * rows["p_fa"]).round(5), (100 - 100 * rows["p_miss"]).round(5), strict=True))
    dev = picture("roc", view).on_dev[1]
    assert len(dev.x) > 50
    assert set(zip(dev.x, dev.y, strict=True)) <= corners
