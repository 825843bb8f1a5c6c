"""Limits of frames hold their values and lie within the bounds of the measure, in designs that come together."""

import math
import sys
import warnings
from dataclasses import astuple
from fractions import Fraction

import numpy as np
import pytest
from build import build
from proportions import clopper_pearson

from reporting.core.measures.catalogue import MEASURES, read_measure
from reporting.core.stats.intervals import wilson
from reporting.document.frames.comparisons import COMPARISONS
from reporting.document.frames.metrics import METRICS
from reporting.features.abstention.frame import ABSTENTION, ABSTENTION_COMPARISONS, RISK_COVERAGE
from reporting.features.abstention.keys import ABSTENTION_KEY
from reporting.features.calibration_and_benefit.net_benefit_frame import (
    NET_BENEFIT,
    NET_BENEFIT_DIFFERENCES,
)
from reporting.features.groups.group_metrics import GROUP_METRICS

NEAR = 1e-9
OF_KINDS = {key for key, measure in MEASURES.items() if measure.mixed} | {"tdcf", "mintdcf"}
EVERY = {str(measure): measure for key, measure in MEASURES.items() if key not in OF_KINDS}


def tied(seed, *, scale="llr", n=14, runs=1, infinite=False, rejected=False):
    """Rows of two models with few distinct scores, ``n`` of each split; runs differ by noise."""
    rng, rows = np.random.default_rng(seed), []
    for split in ("dev", "test"):
        label = rng.random(n) < 0.5
        label[:2] = True, False
        for model in "ab":
            for run in range(runs):
                score = (1.2 * label + rng.normal(0, 1, n)).round()
                if scale == "probability":
                    score = (1 / (1 + np.exp(-score))).round(2)
                if infinite:
                    score[2:4] = math.inf if label[2] else -math.inf, -math.inf
                for at in range(n):
                    known = not (rejected and at == 4)
                    rows.append(
                        {
                            **{"trial": f"{split}{at}", "model": model, "run": str(run), "split": split},
                            **{"label": bool(label[at]), "score": float(score[at]) if known else None},
                            **{"person": f"p{at % 5}", "site": "xy"[at % 2], "sex": "fm"[at // 2 % 2]},
                        }
                    )
    return rows


DESIGNS = {
    "independent": ("{source: trials.parquet}", {}),
    "infinite scores": ("{source: trials.parquet}", {"infinite": True}),
    "rejected scores": ("{source: trials.parquet, missing: reject}", {"rejected": True}),
    "clusters": ("{source: trials.parquet, columns: {cluster: person}}", {"scale": "probability"}),
    "weights": (
        "{source: trials.parquet, columns: {stratum: site}, weights: {stratum: {x: 1, y: 3}}}",
        {"scale": "logit"},
    ),
    "seeds": ("{source: trials.parquet, runs: seed}", {"runs": 2}),
    "readers": ("{source: trials.parquet, runs: reader}", {"runs": 2}),
}
METHODS = ("auto", "percentile", "centred", "basic", "studentized", "bca")


def config_of(trials, scale, more):
    return (
        f"trials: {trials}\nmodels: {{a: {{scale: {scale}}}, b: {{scale: {scale}}}}}\n"
        f"primary: {{measure: hter, criterion: min_hter}}\nepc: none\ncurves: []\n{more}"
    )


def are_sound(low, high, value, bounds):
    if low is None or high is None:
        return low is None and high is None
    return bounds[0] - NEAR <= low <= value + NEAR and value - NEAR <= high <= bounds[1] + NEAR


@pytest.mark.parametrize(("design", "number"), [(name, at) for at, name in enumerate(DESIGNS)])
@pytest.mark.parametrize("offset", range(2))
def test_every_measure_in_every_design(tmp_path, design, number, offset):
    """Each design with two methods; all of them come up, and all measures in each."""
    trials, given = DESIGNS[design]
    method, scale = METHODS[(2 * number + offset) % 6], given.get("scale", "llr")
    without = {"weights": "of_total", "rejected scores": "of_grades"}.get(design)
    measures = [name for name, measure in EVERY.items() if without is None or not getattr(measure, without)]
    asked = f"criteria: [min_hter]\nmeasures: {measures}\nsignificance: {{interval: {method}, family: all}}\n"
    built = build(tmp_path, tied(number, **given), config_of(trials, scale, asked))
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        frames = built.only(METRICS, COMPARISONS)
    rows = METRICS.rows(frames["metrics"])
    assert {row.ci_method for row in rows} - {None}
    for row in rows:
        bounds = read_measure(row.measure).bounds
        assert row.value is None or bounds[0] - NEAR <= row.value <= bounds[1] + NEAR
        assert are_sound(row.ci_low, row.ci_high, row.value, bounds), row
        assert "interval_unsound" not in row.flags or row.ci_low is None
    for row in COMPARISONS.rows(frames["comparisons"]):
        widest = float(np.subtract(*read_measure(row.measure).bounds[::-1]))
        assert row.difference is None or abs(row.difference) <= widest + NEAR
        assert are_sound(row.ci_low, row.ci_high, row.difference, (-widest, widest)), row


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("cost", ["{capacity: 0.3}", "{cost: {review: 0.05, false_positive: 3}}"])
def test_abstention_and_groups_in_every_design(tmp_path, design, cost):
    trials, given = DESIGNS[design]
    asked = f"criteria: [min_hter]\nabstention: {cost}\nacross: sex\n"
    built = build(tmp_path, tied(3, n=60, **given), config_of(trials, given.get("scale", "llr"), asked))
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        frames = built.only(ABSTENTION, RISK_COVERAGE, ABSTENTION_COMPARISONS, GROUP_METRICS)
    dearest = max(astuple(ABSTENTION_KEY.of(built.study).costs))
    bounds = {"cost": (0, dearest), "saving": (-dearest, dearest)}
    for row in ABSTENTION.rows(frames["abstention"]):
        assert are_sound(row.ci_low, row.ci_high, row.value, bounds.get(row.quantity, (0, 1))), row
    for row in RISK_COVERAGE.rows(frames["risk_coverage"]):
        assert are_sound(row.ci_low, row.ci_high, row.value, (0, 1)), row
        assert are_sound(row.band_low, row.band_high, row.value, (0, 1)), row
    for row in ABSTENTION_COMPARISONS.rows(frames["abstention_comparisons"]):
        widest = dearest if row.quantity == "cost" else 1
        assert row.difference is None or row.difference == row.value - row.value_baseline
        assert are_sound(row.ci_low, row.ci_high, row.difference, (-widest, widest)), row
    for row in GROUP_METRICS.rows(frames["group_metrics"]):
        least, most = read_measure(row.measure).bounds
        assert are_sound(row.ci_low, row.ci_high, row.value, (least, most)), row
        assert are_sound(row.joint_low, row.joint_high, row.value, (least, most)), row
        assert are_sound(
            row.difference_low, row.difference_high, row.difference, (least - most, most - least)
        )
        if row.ratio is not None:
            assert row.ratio_low is None or 0 <= row.ratio_low <= row.ratio + NEAR
            assert row.ratio_high is None or row.ratio - NEAR <= row.ratio_high


def test_a_mean_over_runs_has_limits_of_its_own(tmp_path):
    """NPV at .5: run 1 rejects a target and 2 non-targets, 2/3; run 2 two targets and one non-target, 1/3.

    A resample without any rejected trial leaves the mean undefined: the limits are the means of Wilson's.
    """
    labels, scores = (1, 1, 1, 0, 0, 0), ((0.1, 0.9, 0.9, 0.2, 0.2, 0.8), (0.1, 0.2, 0.9, 0.2, 0.8, 0.8))
    rows = [
        {"trial": f"t{at}", "model": "a", "run": str(run), "label": bool(label), "score": score}
        for run, of_run in enumerate(scores, start=1)
        for at, (label, score) in enumerate(zip(labels, of_run, strict=True))
    ]
    asked = """
        trials: {source: trials.parquet, runs: seed}
        thresholds: {policy: none}
        criteria: ["fixed(threshold=0.5)"]
        primary: {measure: npv, criterion: "fixed(threshold=0.5)"}
        measures: [npv]
        curves: []
        epc: none
        significance: {replicates: 999}
    """
    built = build(tmp_path, rows, asked, "significance.replicates=999")
    by_run = {row.run: row for row in built.rows(METRICS)}
    assert by_run["mean"].value == float((Fraction(2, 3) + Fraction(1, 3)) / 2)
    limits = wilson(2, 3, 0.95), wilson(1, 3, 0.95)
    low, high = ((one + other) / 2 for one, other in zip(*limits, strict=True))
    assert (by_run["mean"].ci_low, by_run["mean"].ci_high) == pytest.approx((low, high), abs=1e-12)
    assert by_run["mean"].ci_method == "wilson"


def test_runs_without_an_error_share_one_interval(tmp_path):
    rows = [
        {"trial": f"t{at}", "model": "a", "run": run, "label": at < 5, "score": 0.9 if at < 5 else 0.1}
        for run in "12"
        for at in range(10)
    ]
    asked = """
        trials: {source: trials.parquet, runs: seed}
        thresholds: {policy: none}
        criteria: ["fixed(threshold=0.5)"]
        primary: {measure: frr, criterion: "fixed(threshold=0.5)"}
        measures: [frr]
        curves: []
        epc: none
    """
    (row,) = [row for row in build(tmp_path, rows, asked).rows(METRICS) if row.run == "mean"]
    assert (row.ci_low, row.ci_high) == pytest.approx(tuple(clopper_pearson(0, 5, 0.95)), abs=1e-12)
    assert row.ci_method == "clopper_pearson"


def test_nobody_above_a_threshold_probability_gains_nothing_there(tmp_path):
    """All p are below .4. At .99 B is 0; B is at most what finding Wilson's upper share of targets adds."""
    rng = np.random.default_rng(1)
    p = rng.uniform(0, 0.4, 1000).round(4)
    label = rng.random(1000) < p
    rows = [
        {"trial": f"t{at}", "model": model, "label": bool(label[at]), "score": float(p[at])}
        for model in "ab"
        for at in range(1000)
    ]
    asked = """
        thresholds: {policy: none}
        models: {a: {scale: probability}, b: {scale: probability}}
        primary: {measure: auc}
        measures: [auc]
        epc: none
        curves: [standardised_benefit, benefit_difference]
    """
    frames = build(tmp_path, rows, asked, "significance.replicates=199").only(
        NET_BENEFIT, NET_BENEFIT_DIFFERENCES
    )
    share = label.mean()
    for row in NET_BENEFIT.rows(frames["net_benefit"]):
        if row.probability > 0.4:
            unit = share if row.standardised else 1.0
            assert row.net_benefit == 0
            assert row.ci_high * unit <= share * wilson(0, int(label.sum()), 0.95).high + NEAR
            assert row.band_high * unit < share / 10
            odds = row.probability / (1 - row.probability)
            assert row.ci_low * unit == pytest.approx(
                -(1 - share) * odds * wilson(0, int((~label).sum()), 0.95).high
            )


@pytest.mark.parametrize("declared", ["sample", "0.3"])
@pytest.mark.parametrize("cluster", ["", ", columns: {cluster: person}"])
def test_net_benefits_are_within_what_is_possible(tmp_path, declared, cluster):
    asked = f"""
        trials: {{source: trials.parquet, prevalence: {declared}{cluster}}}
        thresholds: {{policy: none}}
        models: {{a: {{scale: probability}}, b: {{scale: probability}}}}
        primary: {{measure: auc}}
        measures: [auc]
        epc: none
        curves: [standardised_benefit, benefit_difference]
    """
    rows = [row for row in tied(5, scale="probability", n=20) if row["split"] == "test"]
    frames = build(tmp_path, rows, asked).only(NET_BENEFIT, NET_BENEFIT_DIFFERENCES)
    label = [row["label"] for row in rows if row["model"] == "a"]
    # An estimated share is at most 1; limits of fewer than all trials reach farther than Wilson's.
    shares = (float(declared),) * 2 if declared != "sample" else (0.0, 1.0)
    if declared == "sample" and not cluster:
        shares = wilson(sum(label), len(label), 0.95)
    least_share, share = shares
    for frame, name in ((NET_BENEFIT, "net_benefit"), (NET_BENEFIT_DIFFERENCES, "difference")):
        for row in frame.rows(frames[frame.name]):
            odds = row.probability / (1 - row.probability)
            if row.standardised:
                least = -(1 - least_share) / max(least_share, sys.float_info.min) * odds
                most = 1.0
            else:
                least, most = -(1 - least_share) * odds, share
            bounds = (least, most) if name == "net_benefit" else (least - most, most - least)
            assert are_sound(row.ci_low, row.ci_high, getattr(row, name), bounds)
            assert row.band_low <= row.ci_low <= row.ci_high <= row.band_high
