"""The keys that say what trials weigh, where thresholds come from, and how the report is broken down."""

from __future__ import annotations

import json

import pytest
from snapshot import snapshot

from reporting.core.criteria.catalogue import read_criterion
from reporting.core.measures.catalogue import read_measure
from reporting.core.measures.costs import PRESETS, OperatingPoint
from reporting.inputs.spec import ThresholdPlan

BARE = "trials: {source: trials.parquet}\n"
WHOLE = """\
trials:
  source: trials.parquet
  columns: {stratum: cond}
  prevalence: 0.010
  weights: {stratum: {"a, b": 1, 007: 0.50, off: 0}}
models: {A: {scale: probability}, B: {higher_is: nontarget, scale: llr}}
primary: {measure: precision}
measures: [accuracy, f1, precision, "precision(prevalence=0.01)", "precision(prevalence=0.5)", hter]
criteria: ["best(measure=accuracy)", min_hter]
operating_points: [SRE16, {name: SRE10}, {name: mine, p_target: 0.2, normalised: false}, VoxSRC]
thresholds: {policy: split_clients, folds: 7, from: {vox-H: vox-O, 1: 2}}
curves: [tippett, lift, roc]
epc: {measures: [accuracy, weighted_error]}
significance: {seed: 5}
by: [gender, [gender, "a, b"], 7]
averaged_over: query
"""


def test_everything_said_of_the_data(read):
    plan = read(WHOLE)
    spec, study = plan.trials, plan.study
    assert spec.columns == {"stratum": "cond"}
    assert spec.weights == {"a, b": 2, "007": 1, "off": 0}
    assert (spec.thresholds.policy, spec.thresholds.folds, spec.seed) == ("split_clients", 7, 5)
    assert spec.thresholds.from_dataset == {"vox-H": "vox-O", "1": "2"}
    assert spec.attributes == ("gender", "a, b", "7", "query")
    assert spec.averaged_over == study.averaged_over == "query"
    assert (spec.probabilities, spec.negated) == ({"A"}, {"B"})
    assert study.by == (("gender",), ("gender", "a, b"), ("7",))
    assert study.thresholds == ThresholdPlan("split_clients", {"vox-H": "vox-O", "1": "2"}, 7)
    assert [curve.key for curve in study.curves] == ["tippett", "lift", "roc"]


def test_known_evaluations_are_written_out_as_points(read):
    points = read(WHOLE).study.operating_points
    assert points == (
        OperatingPoint("SRE16 (0.01)", 0.01, norm="miss"),
        OperatingPoint("SRE16 (0.005)", 0.005, norm="miss"),
        OperatingPoint("SRE10", 0.001),
        OperatingPoint("mine", 0.2, normalised=False),
        OperatingPoint("VoxSRC", 0.05),
    )


@pytest.mark.parametrize("name", PRESETS)
def test_every_known_evaluation_may_be_named(read, name):
    points = read(BARE + f"operating_points: [{name}]\n").study.operating_points
    assert [point.p_target for point in points] == [point.p_target for point in PRESETS[name].points]
    assert len({point.name for point in points}) == len(points)


def test_a_declared_prevalence_stands_in_every_name_that_has_one(read):
    plan = read(WHOLE)
    study = plan.study
    assert study.prevalence == 0.01
    assert [str(measure) for measure in study.measures] == [
        "accuracy(prevalence=0.01)", "f1(prevalence=0.01)", "precision(prevalence=0.01)",
        "precision(prevalence=0.5)", "hter",
    ]  # fmt: skip
    assert study.primary.measure == read_measure("precision(prevalence=0.01)")
    assert study.epc is not None
    assert study.epc.measures == (read_measure("accuracy(prevalence=0.01)"), read_measure("weighted_error"))
    assert study.criteria[0] == read_criterion("best(measure=accuracy(prevalence=0.01))")
    assert plan.resolved["trials"]["prevalence"] == 0.01
    assert plan.resolved["primary"]["measure"] == "precision(prevalence=0.01)"


def test_the_prevalence_of_the_sample_leaves_names_alone(read):
    study = read(BARE + "measures: [accuracy]\n").study
    assert study.prevalence is None
    assert [str(measure) for measure in study.measures] == ["hter", "accuracy"]


@pytest.mark.parametrize("text", [WHOLE, BARE + "primary: {measure: cllr}\n"])
def test_the_resolved_config_gives_the_same_plan(read, text):
    plan = read(text)
    written = json.dumps(plan.resolved, allow_nan=False)
    assert json.loads(written) == plan.resolved
    assert read(written) == plan


@pytest.mark.parametrize(
    ("said", "whole"),
    [
        ("a: 1, b: 0.5", {"a": 2, "b": 1}),
        ("a: 0.1, b: 0.25, c: 3", {"a": 2, "b": 5, "c": 60}),
        ("a: 0.333333, b: 1", {"a": 333333, "b": 1000000}),
        ("a: 6, b: 4, c: 0", {"a": 3, "b": 2, "c": 0}),
        ("a: 1e-3, b: .5e1, c: 2.", {"a": 1, "b": 5000, "c": 2000}),
        ("a: 7.25", {"a": 1}),
    ],
)
def test_weights_become_the_smallest_whole_numbers_of_the_same_proportions(read, said, whole):
    spec = read(f"trials: {{source: trials.parquet, weights: {{stratum: {{{said}}}}}}}\n").trials
    assert spec.weights == whole


def test_a_key_of_weights_that_is_not_known(faults):
    snapshot(
        "config/data_keys_a_key_of_weights_that_is_not_known",
        "\n".join(faults("trials: {source: a.csv, weights: {a: 1}}\n")),
    )


def test_columns_of_rows_are_known_by_the_tables_own_names(faults, read):
    text = "trials: {source: a.csv, columns: {score: llr}}\n"
    snapshot(
        "config/data_keys_columns_of_rows_are_known_by_the_tables_own_names",
        "\n".join(faults(text + "by: [[gender, llr]]\n")),
    )
    assert read(text + "by: [score]\n").study.by == (("score",),)
