"""Laws of every frame that takes two models apart, in every design that trials can have.

A model less itself is nothing; A less B is B less A turned round, limits and p likewise. What one row must keep
(limits around the difference, within its range, at one with p, joint ones never inside) is in
``tests/research/combinations/laws.py``.
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from build import build

from tests.research.combinations.laws import broken_frames

PAIRED = {
    "comparisons": ("ci_low", "ci_high", "band_low", "band_high", "p_value", "p_adjusted"),
    "curve_differences": ("band_low", "band_high"),
    "net_benefit_differences": ("ci_low", "ci_high", "band_low", "band_high"),
    "disparity_comparisons": ("low", "high"),
    "abstention_comparisons": ("ci_low", "ci_high", "p_value", "p_adjusted"),
}
ASKED = """
measures: [hter, f1, auc]
criteria: [min_hter, 'target_far(far=0.1)']
by: [site]
across: site
epc: {alphas: 5}
curves: [roc, benefit_difference]
abstention: {cost: {review: 0.2}}
"""


def table(n=60, models=("a", "b"), runs=("0",), seed=2, twin=False):
    """Rows of two models on dev and test, ties included; a twin has the scores of the first model."""
    rng, rows = np.random.default_rng(seed), []
    for split in ("dev", "test"):
        label = np.arange(n) % 5 < 2
        site, person, other = np.arange(n) // 5 % 2, rng.integers(0, 12, n), rng.integers(0, 9, n)
        common = rng.normal(size=n)
        for run in runs:
            drawn = {}
            for model in models:
                odds = 1.5 * label + 0.7 * common + rng.normal(size=n) - 0.75
                drawn[model] = (1 / (1 + np.exp(-odds))).round(2)
            if twin:
                drawn = dict.fromkeys(models, drawn[models[0]])
            rows += [
                {
                    "model": model, "run": run, "split": split, "trial": f"{split}{i}", "label": bool(label[i]),
                    "score": float(score[i]), "site": f"s{site[i]}", "person": f"p{person[i]}",
                    "other": f"o{other[i]}", "corpus": f"d{i % 2}",
                }
                for model, score in drawn.items()
                for i in range(n)
            ]  # fmt: skip
    return pl.DataFrame(rows)


def of(columns="", more=""):
    return f"trials: {{source: trials.parquet{more}, columns: {{{columns}}}}}\n"


DESIGNS = {
    "trials": (of(), ("0",)),
    "clusters": (of("cluster: person"), ("0",)),
    "two clusters": (of("cluster: [person, other]"), ("0",)),
    "weights": (of("stratum: site", ", weights: {stratum: {s0: 1, s1: 3}}"), ("0",)),
    "datasets": (of("dataset: corpus"), ("0",)),
    "seeds": (of("run: run", ", runs: seed"), ("0", "1", "2")),
    "a run lacks": (of("run: run", ", runs: seed"), ("0", "1", "2")),
    "other readers": (of("run: run", ", runs: reader"), ("0", "1", "2")),
    "readers": (of("run: run", ", runs: reader"), ("0", "1", "2")),
    "readers in clusters": (of("run: run, cluster: person", ", runs: reader"), ("0", "1", "2")),
    "folds": (of() + "thresholds: {policy: kfold, folds: 3}\n", ("0",)),
    "given": (of() + "significance: {comparisons: given_thresholds}\n", ("0",)),
    "jointly": (of() + "significance: {correction: maxt}\n", ("0",)),
    "percentiles": (of() + "significance: {interval: percentile}\n", ("0",)),
}


UNEVEN = ("a run lacks", "other readers")
"""Designs in which the second model lacks a run: other runs than the first's make its mean."""


def rows_of(design, folder, rows, *more):
    config, _ = DESIGNS[design]
    asked = ASKED if design != "folds" else ASKED.replace("abstention: {cost: {review: 0.2}}\n", "")
    if design == "folds":
        rows = rows.filter(split="test").drop("split")
    if design in UNEVEN:
        rows = rows.filter((pl.col("model") == "a") | (pl.col("run") != "2"))
    return build(
        folder, rows, config + asked, "models={a: {scale: probability}, b: {scale: probability}}", *more
    ).frames


@pytest.mark.parametrize("design", DESIGNS)
def test_a_less_b_is_b_less_a_turned_round(tmp_path, design):
    rows = table(runs=DESIGNS[design][1])
    forth, back = (rows_of(design, tmp_path / base, rows, f"baseline={base}") for base in "ab")
    compared = 0
    for name, limits in PAIRED.items():
        first, second = forth.get(name), back.get(name)
        if first is None or first.is_empty():
            continue
        turned = ["difference", *(limit for limit in limits if "p_" not in limit)]
        keys = [
            key
            for key in first.columns
            if key in ("dataset", "group", "measure", "criterion", "parameter", "inference", "kind", "p_fa",
                       "simultaneous", "probability", "standardised", "statistic", "group_columns", "quantity",
                       "against")
        ]  # fmt: skip
        first, second = (
            frame.with_columns(
                pl.col(k).list.join("|") for k in keys if frame.schema[k] == pl.List(pl.String)
            ).sort(keys)
            for frame in (first, second)
        )
        assert first.select(keys).equals(second.select(keys), null_equal=True), name
        for column in turned:
            other = {"low": "high", "high": "low"}.get(column.split("_")[-1])
            their = column if other is None else column.removesuffix(column.split("_")[-1]) + other
            np.testing.assert_allclose(
                first[column].cast(pl.Float64).to_numpy(), -second[their].cast(pl.Float64).to_numpy(), atol=1e-9,
                err_msg=f"{name}.{column}",
            )  # fmt: skip
        for column in set(limits) - set(turned):
            np.testing.assert_allclose(
                first[column].cast(pl.Float64).to_numpy(), second[column].cast(pl.Float64).to_numpy(), atol=1e-9,
                err_msg=f"{name}.{column}",
            )  # fmt: skip
        compared += first["difference"].count()
    assert compared > 10
    # A difference without spread has a value, and the status says why there are no limits.
    laws = [law for law in broken_frames(forth) if not law.startswith("a status with a value")]
    assert not [law for law in laws if any(f"{name}." in law for name in (*PAIRED, "tests"))]


@pytest.mark.parametrize("design", [name for name in DESIGNS if name not in UNEVEN])
def test_a_model_less_itself_is_nothing(tmp_path, design):
    rows = table(runs=DESIGNS[design][1], twin=True)
    frames = rows_of(design, tmp_path, rows, "baseline=a")
    for name, limits in PAIRED.items():
        for row in frames[name].iter_rows(named=True) if name in frames else ():
            assert row["difference"] in (0.0, None), row
            low, high = row[limits[0]], row[limits[1]]
            assert low is None or low <= 0 <= high, row
            assert math.isclose(row.get("p_value") or 1.0, 1.0), row


def test_joint_limits_of_few_clusters_end_at_what_two_values_can_differ_by(tmp_path):
    """Four persons, fourteen trials: max-T reaches far beyond a difference of two rates."""
    rows = table(n=14).with_columns(
        person="p" + (pl.col("trial").str.slice(-1).cast(pl.Int64) % 4).cast(pl.String)
    )
    config = (
        of("cluster: person") + "significance: {correction: maxt, family: all}\nmeasures: [far, frr, hter]\n"
    )
    frames = build(tmp_path, rows, config + "epc: none\n").frames
    joint = frames["comparisons"].filter(pl.col("band_low").is_not_null())
    assert joint.filter((pl.col("band_low") == -1) | (pl.col("band_high") == 1)).height > 0
    assert joint.filter((pl.col("band_low") < -1) | (pl.col("band_high") > 1)).is_empty()


def test_the_mean_of_one_run_has_the_interval_of_that_run(tmp_path):
    rows = table(runs=("0", "1")).filter((pl.col("model") == "a") | (pl.col("run") == "0"))
    config = of("run: run") + "measures: [hter, far, f1, auc, mindcf]\nepc: {alphas: 3, measures: [hter]}\n"
    frames = build(tmp_path, rows, config).frames
    keys = ["measure", "criterion", "value", "ci_low", "ci_high", "ci_method"]
    of_b = (
        frames["metrics"]
        .filter(pl.col("ci_method").is_not_null(), model="b", split="test")
        .sort("measure", "criterion")
    )
    assert of_b.filter(run="mean").select(keys).equals(of_b.filter(run="0").select(keys))
    (at_half,) = frames["epc"].filter(model="b", run="mean", alpha=0.5).iter_rows(named=True)
    (same,) = of_b.filter(run="mean", measure="hter", criterion="min_hter").iter_rows(named=True)
    assert (at_half["ci_low"], at_half["ci_high"]) == (same["ci_low"], same["ci_high"])
