"""Captions say what is drawn and nothing else; alternative texts name every model that is drawn."""

import dataclasses

import numpy as np
import polars as pl
import pytest
from curve_results import WORDS, picture, replaced, with_curves
from simulated_results import World, simulate

from reporting.document.charts.beyond import NOTE
from reporting.document.charts.picture import curve_picture
from reporting.document.frames.histogram import HISTOGRAM
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.roc import ROC
from reporting.document.words.view import views
from reporting.features.catalogue import CURVES

SMALL = World(models=("A", "B"), n_target=60, n_nontarget=90, strength=1.5, alphas=3, baseline="A")


@pytest.fixture(scope="module")
def results():
    return with_curves(SMALL)


def one(results, word):
    return curve_picture(CURVES[word]).figures(views(results)[0])[0]


@pytest.mark.parametrize("word", ["det", "roc", "pr", "pr_threshold", "gain"])
def test_dots_are_spoken_of_where_they_are_drawn(results, word):
    figure = one(results, word)
    assert any(series.kind == "points" for series in figure.series)
    assert "Dots: thresholds set on the development set (minimum HTER)." in figure.caption


@pytest.mark.parametrize("word", ["det", "roc", "pr", "pr_threshold", "gain"])
def test_no_caption_speaks_of_dots_that_nobody_drew(results, word):
    without = results.frame(METRICS).filter(pl.col("criterion").is_null() | (pl.col("split") != "test"))
    figure = one(results.with_frames({METRICS: without}), word)
    assert not any(series.kind in ("points", "rings") for series in figure.series)
    for mark in ("Dot", "Ring", "Dashed curve"):
        assert mark not in figure.caption


def test_a_point_without_errors_of_a_kind_is_an_arrow_with_a_zero():
    assert NOTE not in one(simulate(SMALL), "det").caption
    perfect = one(simulate(dataclasses.replace(SMALL, strength=12, step=0)), "det")
    assert perfect.caption.endswith(NOTE)
    assert any(label.text in ("↙ 0, 0", "↓ 0", "← 0") for label in perfect.labels)


def turned(results, *models):
    """The same with the scores of some models turned round: targets have the low ones."""
    is_turned = pl.col("model").is_in(models)
    roc = results.frame(ROC).with_columns(
        threshold=pl.when(is_turned).then(-pl.col("threshold")).otherwise("threshold"),
        p_fa=pl.when(is_turned).then(1 - pl.col("p_fa")).otherwise("p_fa"),
        p_miss=pl.when(is_turned).then(1 - pl.col("p_miss")).otherwise("p_miss"),
    )
    bins = results.frame(HISTOGRAM).with_columns(
        low=pl.when(is_turned).then(-pl.col("high")).otherwise("low"),
        high=pl.when(is_turned).then(-pl.col("low")).otherwise("high"),
    )
    return results.with_frames({ROC: roc, HISTOGRAM: bins})


def side_of_targets(figure, model):
    targets, nontargets = (
        series for series in figure.series if (series.kind, series.label) == ("line", model)
    )
    middles = [float(np.interp(-50, -np.array(s.y), s.x)) for s in (targets, nontargets)]
    return "right" if middles[0] > middles[1] else "left"


@pytest.mark.parametrize("below", [(), ("A",), ("A", "B")])
def test_a_tippett_plot_says_on_which_side_the_targets_are(results, below):
    figure = one(turned(results, *below), "tippett")
    sides = {model: side_of_targets(figure, model) for model in ("A", "B")}
    assert sides == {model: "left" if model in below else "right" for model in ("A", "B")}
    usual = "left" if len(below) == 2 else "right"
    ending = f"the one on the {usual} is that of the targets"
    if below == ("A",):
        ending += ", but for A the one on the left"
    assert figure.caption.endswith(f"Of a model's two curves {ending}.")


def test_alternative_texts_give_a_number_for_each_model(results):
    view = views(results)[0]
    for word in WORDS:
        for figure in curve_picture(CURVES[word]).figures(view):
            if "histogram" in figure.name or word in ("roc_threshold", "risk_distribution"):
                continue
            for model in ("A", "B"):
                assert f" {model} " in figure.alt.replace(":", " "), (word, figure.alt)
            assert figure.alt.endswith(".")


def test_an_alternative_text_names_its_place_on_the_axis(results):
    assert "recall of 90%" in one(results, "pr").alt
    assert "first 20% of trials" in one(results, "gain").alt
    assert "threshold probability of 50%" in one(results, "decision").alt


@pytest.mark.parametrize("scale", ["llr", "log10_llr"])
def test_no_error_after_calibration_is_drawn_where_nothing_calibrates(scale):
    declared = with_curves(SMALL, curves=("ape",))
    models = tuple(dataclasses.replace(entry, scale=scale) for entry in declared.study.models)
    declared = dataclasses.replace(declared, study=dataclasses.replace(declared.study, models=models))
    (given,) = curve_picture(CURVES["ape"]).figures(views(declared)[0])
    assert "No model has likelihood ratios" not in given.caption


def test_a_picture_of_separated_classes_has_the_targets_on_the_right(results):
    found = views(replaced(results, [5.0, 6.0], [0.0, 1.0]))[0]
    assert side_of_targets(picture("tippett", found), "A") == "right"


def test_the_cross_entropy_has_its_three_curves_and_names_them(results):
    figure = one(results, "cross_entropy")
    assert [s.label for s in figure.series if s.kind == "line"] == ["B", "A"]
    guides = [s.label for s in figure.series if s.kind == "guide"]
    assert sorted(guides) == ["", "", "LR = 1 for every trial"]
    assert (figure.x_axis.low, figure.x_axis.high, figure.x_axis.title) == (-3, 3, "Log10 prior odds")
    assert "after isotonic regression (PAV)" in figure.caption
    assert "Bits at even odds: " in figure.alt


def test_an_infinite_cross_entropy_is_explained(results):
    figure = one(replaced(results, [-np.inf, 3.0], [0.0, 1.0]), "cross_entropy")
    assert "A and B: the cross-entropy is infinite because a target has an LR of 0" in figure.caption
    assert {s.label for s in figure.series if s.kind == "line"} == {"A (minimum)", "B (minimum)"}


def test_without_likelihood_ratios_the_least_cross_entropy_is_the_line():
    figure = one(with_curves(SMALL, scale="score"), "cross_entropy")
    assert "A and B: no likelihood ratios, so the minimum is drawn." in figure.caption


@pytest.mark.parametrize("word", ["tippett", "llr"])
def test_likelihood_ratios_are_drawn_in_log10_whatever_their_scale(results, word):
    natural = one(results, word)
    assert natural.x_axis.title == "Log10 LR"
    assert any(s.kind == "guide" and s.label in ("LR = 1", "LR = optimal LR") for s in natural.series)
    models = tuple(dataclasses.replace(entry, scale="log10_llr") for entry in results.study.models)
    study = dataclasses.replace(results.study, models=models)
    decimal = one(dataclasses.replace(results, study=study), word)
    reach = [max(s.x[-1] for s in figure.series if s.kind == "line") for figure in (natural, decimal)]
    assert reach[0] == pytest.approx(reach[1] / np.log(10), rel=1e-4)


def test_plain_scores_keep_their_scale(results):
    assert one(with_curves(SMALL, scale="score"), "tippett").x_axis.title == "Score"
