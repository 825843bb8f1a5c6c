"""Models whose lower scores speak for the target: thresholds of frames and pictures are on the table's scale."""

import math

import numpy as np
import polars as pl
import pytest
from build import build
from reading import every_block, table

from reporting.document.blocks import Figure
from reporting.document.charts.shares import shares_above
from reporting.document.frames.contract import Frame, KeyRow
from reporting.document.frames.metrics import METRICS
from reporting.document.words.phrases import acceptance
from reporting.document.words.view import views
from reporting.features.compose import compose
from reporting.features.compute import on_own_scale
from reporting.features.curves.roc_chart import quartiles
from reporting.features.curves.threshold_chart import PRECISION_AND_RECALL, sweeps
from reporting.features.likelihood_ratios.llr_chart import optimal_llrs

ROWS = [
    {"model": model, "split": split, "trial": f"{number:03}", "label": int(number % 3 == 0), "score": score}
    for model, shift in (("a", 1.2), ("b", 0.7))
    for split, seed in (("dev", 1), ("test", 2))
    for number, score in enumerate(
        (np.random.default_rng(seed).normal(size=90) + shift * (np.arange(90) % 3 == 0)).round(2) + 0.003
    )
]
CURVES = "curves: [roc, det, roc_threshold, pr, pr_threshold, cost, histogram, llr, tippett]\n"
ASKED = "operating_points: [{name: rare, p_target: 0.1}]\nsignificance: {bands: threshold}\n" + CURVES


def turned(rows):
    """The same rows, where lower scores of b speak for the target."""
    return [{**row, "score": -row["score"] if row["model"] == "b" else row["score"]} for row in rows]


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own_scale")
    criteria = "criteria: [min_hter, 'fixed(threshold={})', 'oracle(min_hter)']\n"
    usual = build(folder / "usual", ROWS, ASKED + criteria.format(0.5))
    other = "models: {a: {}, b: {higher_is: nontarget}}\n"
    return usual, build(folder / "turned", turned(ROWS), ASKED + other + criteria.format(0.5))


SCORES = ("threshold", "low", "high")


def test_only_thresholds_and_bins_change(both):
    usual, other = (built.frames for built in both)
    assert usual.keys() == other.keys()
    for name, frame in usual.items():
        named = [
            column for column in SCORES if column in frame.columns and name in ("histogram", "roc", "bands")
        ]
        kept = frame.filter(pl.col("model") == "a") if "model" in frame.columns else frame
        same = other[name].filter(pl.col("model") == "a") if "model" in frame.columns else other[name]
        if "criterion" not in frame.columns:
            assert kept.drop(named).equals(same.drop(named)), name


def test_a_threshold_of_zero_has_no_sign():
    engine = pl.DataFrame({"model": ["a", "b", "b", "b"], "threshold": [1.0, 0.0, 2.0, None]})
    own = on_own_scale(Frame("frame", KeyRow, ("model",)), engine, {"b"})["threshold"].to_list()
    assert own == [1.0, 0.0, -2.0, None]
    assert math.copysign(1, own[1]) == 1


@pytest.mark.parametrize("name", ["metrics", "roc", "pr", "epc", "epc_steps", "dcf", "bands"])
def test_thresholds_are_the_table_s(both, name):
    usual, other = (
        built.frames[name].filter(pl.col("model") == "b", pl.col("threshold").is_not_null()) for built in both
    )
    if "threshold_source" in usual.columns:
        usual, other = (frame.filter(pl.col("threshold_source") != "fixed") for frame in (usual, other))
    assert len(usual)
    assert np.array_equal(np.sort(-usual["threshold"].to_numpy()), np.sort(other["threshold"].to_numpy()))


def test_bins_are_the_table_s(both):
    usual, other = (built.frames["histogram"].filter(model="b", split="test") for built in both)
    low, high = (-usual[name].to_numpy()[::-1] for name in ("high", "low"))
    assert np.array_equal(low, other["low"].to_numpy())
    assert np.array_equal(high, other["high"].to_numpy())
    assert usual["n_target"].to_list()[::-1] == other["n_target"].to_list()


def test_a_fixed_threshold_is_given_on_the_table_s_scale(both):
    rows = [
        row for row in both[1].rows(METRICS) if row.criterion == "fixed(threshold=0.5)" and row.model == "b"
    ]
    accepted = [
        row for row in turned(ROWS) if row["model"] == "b" and row["split"] == "test" and row["score"] <= 0.5
    ]
    assert {row.threshold for row in rows} == {0.5}
    assert {row.false_alarms for row in rows} == {sum(not row["label"] for row in accepted)}


def test_pictures_of_rates_do_not_change_and_axes_of_scores_turn(both):
    usual, other = (
        {figure.name: figure for figure in every_block(compose(built.results), Figure)} for built in both
    )
    for name in ("roc", "det", "cost", "pr"):
        of_curves = ([s for s in figures[name].series if s.kind == "line"] for figures in (usual, other))
        for one, same in zip(*of_curves, strict=True):
            assert (one.x, one.y) == (same.x, same.y), name
    histogram = usual["histogram_m2"].x_axis, other["histogram_m2"].x_axis
    assert (histogram[0].low, histogram[0].high) == (-histogram[1].high, -histogram[1].low)


def test_curves_along_the_score_are_mirrored(both):
    usual, other = (views(built.results)[0] for built in both)
    for (x, y), (mirrored, same) in (
        (optimal_llrs(usual)["b"], optimal_llrs(other)["b"]),
        tuple(PRECISION_AND_RECALL.of(sweeps(view)["b"])[0] for view in (usual, other)),
    ):
        assert np.array_equal(-x, mirrored)
        assert np.array_equal(y, same)
    shares = shares_above(usual)["b"], shares_above(other)["b"]
    assert all(np.array_equal(one, same) for one, same in zip(*shares, strict=True))
    assert quartiles(other, "b") == tuple(-score for score in quartiles(usual, "b"))[::-1]
    there, here = (sweeps(view)["b"].meeting(PRECISION_AND_RECALL)[0] for view in (other, usual))
    assert there == -here


def test_the_rule_is_printed_with_its_sign(both):
    usual, other = (views(built.results)[0] for built in both)
    assert acceptance(usual) == "A trial is accepted if its score is at or above the threshold."
    rule = "; for b, whose lower scores favour a target, if it is at or below."
    assert acceptance(other).endswith(rule)
    assert acceptance(other) in table(compose(both[1].results), "operating_points_1").notes
