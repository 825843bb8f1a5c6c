"""Limits of Cllr, ECE, Brier score and log loss in a report: of few independent trials, and of any others."""

import numpy as np
import pytest
from build import build
from scipy.special import expit

from reporting.core.stats.skewness import Costs, skewed_t
from reporting.document.frames.comparisons import COMPARISONS
from reporting.document.frames.metrics import METRICS

CONFIG = """
models: {a: {scale: llr}, b: {scale: llr}, p: {scale: logit}}
measures: [cllr, "ece(p_target=0.5)", "ece(p_target=0.1)", brier, "brier(prevalence=0.5)", log_loss, auc]
primary: {measure: cllr}
thresholds: {policy: none}
epc: none
"""
MEAN_COSTS = ("cllr", "ece(p_target=0.5)", "ece(p_target=0.1)", "brier", "brier(prevalence=0.5)", "log_loss")


def table(models="ap", n=40, runs=("0",)):
    """Targets are every fourth trial; tied scores with a heavy tail, the same of both; ten trials a speaker."""
    rows = []
    for number, model in enumerate(models):
        for run in runs:
            rng = np.random.default_rng([number if "b" in models else 7, int(run)])
            for at in range(n):
                label = at % 4 == 0
                score = round(float(rng.standard_t(3) + (1.5 if label else -1.5)), 1)
                row = {"model": model, "run": run, "split": "test", "trial": f"t{at:03}", "label": int(label)}
                rows.append(row | {"score": score, "speaker": f"s{at // 10}", "stratum": "xy"[at % 4 // 2]})
    return rows


def rows_of(folder, rows, *overrides):
    """The row of each measure that is defined, of the mean over runs where there are several."""
    built = build(folder, rows, CONFIG.replace(", b: {scale: llr}", ""), *overrides)
    run = "mean" if "1" in {row["run"] for row in rows} else "0"
    every = [row for row in built.rows(METRICS) if row.run == run and row.value is not None]
    return {row.measure: row for row in every}


def limits(row):
    return row.ci_low, row.ci_high


def test_they_are_those_of_the_trials_costs(tmp_path):
    rows = table()
    found, rows = rows_of(tmp_path, rows), rows[:40]
    score, label = np.array([row["score"] for row in rows]), np.array([row["label"] for row in rows]) == 1
    sign = np.where(label, -1.0, 1.0)

    def by_class(weight, cost):
        return skewed_t(
            [Costs(w, cost[of], np.ones(of.sum())) for w, of in zip(weight, (label, ~label), strict=True)],
            0.95,
        )

    def together(cost):
        return skewed_t([Costs(1.0, cost, np.ones(len(cost)))], 0.95)

    bits, squares = np.log2(1 + np.exp(sign * score)), (expit(score) - label) ** 2
    at_tenth = np.log2(1 + np.exp(sign * (score - np.log(9))))
    wanted = {
        "cllr": by_class((0.5, 0.5), bits),
        "ece(p_target=0.5)": by_class((0.5, 0.5), bits),
        "ece(p_target=0.1)": by_class((0.1, 0.9), at_tenth),
        "brier": together(squares),
        "brier(prevalence=0.5)": by_class((0.5, 0.5), squares),
        "log_loss": together(np.log(2) * bits),
    }
    for name, expected in wanted.items():
        row = found[name]
        assert limits(row) == pytest.approx((max(0.0, expected.low), expected.high), rel=1e-9), name
        assert (row.ci_method, row.unit, row.replicates, row.level) == ("skewed_t", "trial", None, 0.95)
        assert row.ci_low <= row.value <= row.ci_high


def test_trials_drawn_by_class_have_fixed_shares(tmp_path):
    plain, by_class = (
        rows_of(tmp_path / of, table(), f"significance.stratify={of}") for of in ("none", "label")
    )
    assert limits(plain["cllr"]) == limits(by_class["cllr"])
    assert limits(plain["brier"]) != limits(by_class["brier"])
    assert limits(by_class["brier(prevalence=0.5)"]) == limits(plain["brier(prevalence=0.5)"])


@pytest.mark.parametrize(
    ("changed", "rows", "method"),
    [
        ("trials={source: trials.parquet, columns: {cluster: speaker}}", table(), "t"),
        (
            "trials={source: trials.parquet, weights: {stratum: {x: 1, y: 3}}}",
            table(),
            "percentile",
        ),
        (
            "trials={source: trials.parquet, columns: {run: run}}",
            table(runs="01"),
            "percentile",
        ),
        ("significance.interval=percentile", table(), "percentile"),
        ("significance.level=0.9", table(n=8), "percentile"),
    ],
    ids=["clusters", "weights", "runs", "asked", "two targets"],
)
def test_other_trials_have_replicates(tmp_path, changed, rows, method):
    """Two trials of a class have no third moment; of both classes together there are enough."""
    found = rows_of(tmp_path, rows, changed)
    two = len(rows) == 16
    for name in MEAN_COSTS:
        row = found[name]
        if two and name in ("brier", "log_loss"):
            assert row.ci_method == "skewed_t"
        elif row.ci_method is not None or not two:
            assert row.ci_method.endswith(method), (name, row.ci_method)
            assert row.replicates == 99


def test_differences_are_as_ever(tmp_path):
    built = build(tmp_path, table("ab"), CONFIG.replace(", p: {scale: logit}", ""))
    (row,) = [row for row in built.rows(COMPARISONS) if row.measure == "cllr"]
    assert (row.ci_method, row.p_method) == ("normal", "normal")
