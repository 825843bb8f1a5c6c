"""Scores that give probability 0 to an outcome that occurred, and those that are certain and right."""

import math
import warnings

import pytest
from build import build

from reporting.document.frames.comparisons import COMPARISONS
from reporting.document.frames.metrics import METRICS
from reporting.document.words.view import views
from reporting.features.cautions import cautions

LABELS = [1, 0, 1, 0, 1, 0, 1, 0]
FINE = [0.7, 0.2, 0.8, 0.4, 0.3, 0.6, 0.9, 0.1]
MEASURES = ["log_loss", "calibration_slope", "calibration_intercept"]
CONFIG = """
    thresholds: {policy: none}
    primary: {measure: log_loss}
    measures: [log_loss, calibration_slope, calibration_intercept]
    models: {a: {scale: probability}, b: {scale: probability}}
    curves: []
"""


def rows_of(a, b, labels=LABELS, **columns):
    return [
        {"trial": f"t{at}", "model": model, "label": bool(label), "score": score}
        | {name: values[at] for name, values in columns.items()}
        for model, scores in (("a", a), ("b", b))
        for at, (label, score) in enumerate(zip(labels, scores, strict=True))
    ]


def by_measure(built, model):
    return {row.measure: row for row in built.rows(METRICS) if row.model == model}


def test_trials_that_were_ruled_out_are_counted_and_named(tmp_path):
    built = build(tmp_path, rows_of([0.0, *FINE[1:]], [0.7, 1.0, 0.8, 1.0, 0.3, 0.6, 1.0, 0.0]), CONFIG)
    for model, counted in (("a", (1, 0)), ("b", (0, 2))):
        for measure in MEASURES:
            row = by_measure(built, model)[measure]
            assert (row.value, row.status) == (None, "ruled_out")
            assert (row.ruled_out_targets, row.ruled_out_nontargets) == counted
    (view,) = views(built.results)
    (found,) = [each for each in cautions(view) if each.title == "Undefined values."]
    assert "targets with probability 0: 1 of a; non-targets with probability 1: 2 of b" in found.text
    assert found.code == "TR144"
    (comparison,) = [row for row in built.rows(COMPARISONS) if row.measure == "log_loss"]
    assert (comparison.difference, comparison.status) == (None, "ruled_out")


def test_a_survivor_with_probability_0_is_no_reason(tmp_path):
    built = build(tmp_path, rows_of([*FINE[:-1], 0.0], FINE), CONFIG)
    survivors = by_measure(
        build(tmp_path / "without", rows_of(FINE[:-1], FINE[:-1], LABELS[:-1]), CONFIG), "a"
    )
    for measure, row in by_measure(built, "a").items():
        assert row.status is None
        assert row.ruled_out_targets is None
        if measure != "log_loss":
            assert row.value == survivors[measure].value


def test_weights_do_not_change_how_many_were_ruled_out(tmp_path):
    weighted = CONFIG + "    trials: {source: trials.parquet, weights: {stratum: {x: 3, y: 1}}}\n"
    built = build(tmp_path, rows_of([0.0, *FINE[1:]], FINE, stratum=list("xyxyxyxy")), weighted)
    assert by_measure(built, "a")["log_loss"].ruled_out_targets == 1


@pytest.mark.parametrize("runs", [False, True])
def test_two_infinite_costs_have_no_difference_and_no_warning(tmp_path, runs):
    """Targets that were rejected have a log likelihood ratio of minus infinity, in both models."""
    config = """
        thresholds: {policy: none}
        trials: {source: trials.parquet, missing: reject}
        primary: {measure: cllr}
        measures: [cllr]
        models: {a: {scale: llr}, b: {scale: llr}}
        curves: []
    """
    rows = rows_of([None, *FINE[1:]], [None, *FINE[1:]])
    if runs:
        rows = [row | {"run": run} for run in ("1", "2") for row in rows]
        config = config.replace("missing: reject", "missing: reject, runs: seed")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        built = build(tmp_path, rows, config)
        (row,) = built.rows(COMPARISONS)
    assert (row.difference, row.status) == (None, "ruled_out")
    assert {row.status for row in built.rows(METRICS)} == {"ruled_out"}


def test_the_log_loss_of_logits_is_that_of_their_cllr(tmp_path):
    """Of equal classes, at prior 1/2, log loss is Cllr in nats, however large the log odds are."""
    config = """
        thresholds: {policy: none}
        trials: {source: trials.parquet, prevalence: 0.5}
        primary: {measure: log_loss}
        measures: [log_loss, cllr]
        models: {a: {scale: logit}, b: {scale: llr}}
        curves: []
    """
    scores = [50.0, -60.0, -40.0, 3.0, 2.0, 700.0, 800.0, -900.0]
    values = {
        (row.model, row.measure.split("(")[0]): row.value
        for row in build(tmp_path, rows_of(scores, scores), config).rows(METRICS)
    }
    for model in "ab":
        assert values[model, "log_loss"] == pytest.approx(values[model, "cllr"] * math.log(2), rel=1e-14)
    assert values["a", "log_loss"] == values["b", "log_loss"]
