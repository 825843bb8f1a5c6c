"""Pictures against those of the report; every kind is drawn, of trials and of frames."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import altair as alt
import polars as pl
import pytest
import vl_convert

import reporting
from reporting.errors import ConfigError, DataError
from reporting.features.catalogue import CURVES

SAID: dict[str, Any] = {
    "baseline": "B",
    "criteria": ["min_hter", "eer", "fixed(threshold=1)"],
    "measures": ["hter", "far", "frr", "auc", "eer_rocch"],
    "significance": {"replicates": 99},
}
EPC_CURVES = {
    "criteria": ["weighted_error", "target_far"],
    "measures": ["hter", "weighted_error"],
    "alphas": 5,
}


def undescribed(spec: dict[str, Any]) -> dict[str, Any]:
    """A spec without its text for those who do not see it: its digits follow the intervals of all measures."""
    return {key: value for key, value in spec.items() if key != "description"}


@pytest.mark.parametrize("kind", ["roc", "det", "pr", "roc_threshold", "pr_threshold"])
def test_a_picture_is_that_of_the_report(report, kind):
    chart = reporting.plot(report.trials, kind, **SAID)
    assert undescribed(chart.to_dict()) == undescribed(report.specs[kind])


def test_expected_performance_curves_are_those_of_the_report(report):
    spec = reporting.plot(report.trials, "epc", epc=EPC_CURVES, **SAID).to_dict()
    names = [name for name in report.specs if name.startswith(("epc", "expected")) and "pair" not in name]
    found = [one["layer"] for one in spec["vconcat"]]
    # The report draws the weighted error with the models in contention, as one picture.
    assert (len(found), len(names)) == (5, 4)
    assert [layer for layer in found if layer in [report.specs[name]["layer"] for name in names]] == [
        report.specs[name]["layer"] for name in names
    ]
    for name in names:
        assert report.specs[name]["datasets"].items() <= spec["datasets"].items()


@pytest.mark.parametrize("kind", ["epc", *(kind for kind in CURVES if kind != "roc_mean")])
def test_every_kind_is_drawn_without_intervals(report, kind):
    scales = {"A": {"scale": "logit"}, "B": {"scale": "logit"}}
    chart = reporting.plot(report.trials, kind, intervals=False, models=scales, trials={"prevalence": 0.3})
    assert vl_convert.vegalite_to_svg(chart.to_dict()).startswith("<svg")


def test_a_frame_is_drawn_as_it_is(report):
    corners, curves = reporting.roc(report.trials), reporting.epc(report.trials, alphas=5, intervals=False)
    for kind in ("roc", "det", "llr", "roc_log", "roc_error"):
        assert vl_convert.vegalite_to_svg(reporting.plot(corners, kind).to_dict()).startswith("<svg")
    # The frame alone ranks no model: in the order of the ranking it is the same picture, colours and all.
    ranked = {"models": {"A": {}, "B": {}}}
    spec = reporting.plot(curves, "epc", **ranked).to_dict()
    whole = reporting.plot(report.trials, "epc", epc={"alphas": 5}, intervals=False, **ranked).to_dict()
    assert spec["datasets"] == whole["datasets"]
    assert undescribed(spec) == undescribed(whole)


@pytest.mark.parametrize("name", ["pr", "cost", "histogram"])
def test_the_frames_of_a_report_are_drawn(report, name):
    kind = {"pr": "pr", "cost": "nbe", "histogram": "tippett"}[name]
    chart = reporting.plot(report.frame(name), kind)
    assert vl_convert.vegalite_to_svg(chart.to_dict()).startswith("<svg")


def test_without_dev_there_are_curves(report):
    chart = reporting.plot(report.trials.filter(split="test"), "det", intervals=False)
    assert vl_convert.vegalite_to_svg(chart.to_dict()).startswith("<svg")


def test_what_cannot_be_drawn_is_told(report):
    with pytest.raises(
        ConfigError, match=r"kind \(reporting.plot\): 'rok' is no picture; did you mean 'roc'\?"
    ):
        reporting.plot(report.trials, "rok")
    with pytest.raises(DataError, match="'pr' is drawn of the frame 'pr', found 'roc'"):
        reporting.plot(reporting.roc(report.trials), "pr")
    with pytest.raises(DataError, match="there is no 'reliability' to draw: .* probabilit"):
        reporting.plot(report.trials, "reliability", intervals=False)
    targets = report.trials.filter(pl.col("label"), split="test")
    with pytest.raises(DataError, match="there is no 'roc' to draw"):
        reporting.plot(targets, "roc", intervals=False)


def test_a_notebook_draws_without_the_network(report):
    """Altair's own output loads scripts from elsewhere."""
    for trials in (report.trials, _in_two_datasets(report.trials)):
        chart = reporting.plot(trials, "det", intervals=False)
        shown = chart._repr_mimebundle_()
        assert set(shown) == {"image/svg+xml", "text/plain"}
        picture = ElementTree.fromstring(shown["image/svg+xml"])
        assert len([each for each in picture.iter() if each.tag.endswith("path")]) > 4
        addresses = set(re.findall(r"https?://[^\"'<> ]+", shown["image/svg+xml"]))
        assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
        assert shown == chart._repr_mimebundle_()


def _in_two_datasets(trials):
    return pl.concat([trials.with_columns(dataset=pl.lit(name)) for name in ("near", "far")])


def test_who_chooses_a_renderer_gets_it(report):
    chart = reporting.plot(report.trials, "det", intervals=False)
    with alt.renderers.enable("mimetype"):
        assert any("vegalite" in kind for kind in chart._repr_mimebundle_()[0])


def test_a_saved_chart_may_need_no_network(report, tmp_path):
    reporting.plot(report.trials, "det", intervals=False).save(tmp_path / "chart.html", inline=True)
    assert 'src="http' not in (tmp_path / "chart.html").read_text()
