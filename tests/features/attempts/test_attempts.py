"""pass^k and pass@k of items that are attempted repeatedly."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from command import reporting
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import reporting as api
from reporting.features.attempts.formulas import all_of, any_of

FEW = {"significance": {"replicates": 99}}


def solved_table(solved, names=("a", "b")):
    """Write attempts (shape (models, items, attempts)) as a row each."""
    rows = [
        {"model": names[m], "task": f"t{i:03}", "family": f"f{i // 4}", "epoch": r, "reward": int(ok)}
        for m, items in enumerate(solved)
        for i, runs in enumerate(items)
        for r, ok in enumerate(runs)
    ]
    return pl.DataFrame(rows)


def attempted(counts, n):
    """Return attempts of which the first c of n solve each item."""
    return [[at < c for at in range(n)] for c in counts]


def test_fractions_by_hand():
    # c of 4 attempts; pairs that all solve: C(3, 2) / 6 = 1/2, 0, 0, 1; of which one does: 1, 1/2, 0, 1.
    solved = np.array([3, 1, 0, 4])
    assert [Fraction(x).limit_denominator() for x in all_of(solved, 4, 2)] == [Fraction(1, 2), 0, 0, 1]
    assert [Fraction(x).limit_denominator() for x in any_of(solved, 4, 2)] == [1, Fraction(1, 2), 0, 1]
    assert Fraction(all_of(solved, 4, 3).mean()).limit_denominator() == Fraction(5, 16)  # 1/4, 0, 0, 1


@given(st.integers(1, 8).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_they_are_means_over_all_sets_of_k_attempts(drawn):
    n, c, k = drawn
    attempts = [at < c for at in range(n)]
    sets = list(itertools.combinations(attempts, k))
    assert all_of(np.array([c]), n, k)[0] == pytest.approx(sum(map(all, sets)) / len(sets))
    assert any_of(np.array([c]), n, k)[0] == pytest.approx(sum(map(any, sets)) / len(sets))


@given(st.integers(1, 30).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_pass_at_k_is_that_of_the_human_eval_paper(drawn):
    """Chen and others 2021, figure 3: 1 if n - c < k, else 1 - prod(1 - k / i for i from n - c + 1 to n)."""
    n, c, k = drawn
    expected = 1.0 if n - c < k else 1.0 - np.prod(1.0 - k / np.arange(n - c + 1, n + 1))
    assert any_of(np.array([c]), n, k)[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_they_are_unbiased(k):
    """The mean over all outcomes of 4 attempts that succeed with chance p is p^k, and 1 - (1 - p)^k."""
    p, n = 0.3, 4
    chances = stats.binom.pmf(np.arange(n + 1), n, p)
    assert float(chances @ all_of(np.arange(n + 1), n, k)) == pytest.approx(p**k)
    assert float(chances @ any_of(np.arange(n + 1), n, k)) == pytest.approx(1 - (1 - p) ** k)


COUNTS = np.array([[4, 3, 3, 2, 1, 4, 0, 2, 4, 4, 3, 1], [2, 3, 1, 0, 1, 4, 0, 1, 3, 4, 1, 1]])


@pytest.fixture(scope="module")
def report():
    return api.make_report(solved_table([attempted(counts, 4) for counts in COUNTS]), **FEW)


def test_the_frame_has_every_k(report):
    frame = report.frames["attempts"].filter(group="")
    assert len(frame) == 2 * 2 * 4
    assert {*frame["items"]} == {*frame["units"]} == {12}
    for row in frame.iter_rows(named=True):
        of = {"all": all_of, "any": any_of}[row["kind"]]
        assert row["value"] == pytest.approx(of(COUNTS["ab".index(row["model"])], 4, row["k"]).mean())
        assert row["ci_low"] <= row["value"] <= row["ci_high"]
    once = frame.filter(model="a", k=1)["value"].to_list()
    recall = (
        report.frames["metrics"].filter(model="a", run="mean", measure="recall", group="")["value"].item()
    )
    assert once == [pytest.approx(recall)] * 2


def test_a_difference_is_that_of_the_same_items(report):
    row = report.frames["attempt_differences"].filter(kind="all", k=2).row(0, named=True)
    apart = all_of(COUNTS[1], 4, 2) - all_of(COUNTS[0], 4, 2)
    expected = stats.ttest_1samp(apart, 0)
    assert (row["model"], row["baseline"]) == ("b", "a")
    assert row["difference"] == pytest.approx(apart.mean())
    assert row["p_value"] == pytest.approx(expected.pvalue)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(tuple(expected.confidence_interval(0.95)))


def test_clusters_are_the_independent_units():
    table = solved_table([attempted(counts, 4) for counts in COUNTS])
    frames = api.make_report(table, cluster="family", **FEW).frames
    assert {*frames["attempts"]["units"]} == {3}
    row = frames["attempt_differences"].filter(kind="any", k=3).row(0, named=True)
    apart = (any_of(COUNTS[1], 4, 3) - any_of(COUNTS[0], 4, 3)).reshape(3, 4).mean(axis=1)
    assert row["p_value"] == pytest.approx(stats.ttest_1samp(apart, 0).pvalue)


def test_the_error_of_a_mean_is_in_the_limits(report):
    """Wilson's limits with n = p (1 - p) / se^2 items and Student's t."""
    row = report.frames["attempts"].filter(model="a", kind="all", k=2).row(0, named=True)
    values = all_of(COUNTS[0], 4, 2)
    p, se, t = values.mean(), values.std(ddof=1) / math.sqrt(12), stats.t.ppf(0.975, 11)
    n = p * (1 - p) / se**2
    for limit in (row["ci_low"], row["ci_high"]):
        assert (p - limit) ** 2 == pytest.approx(t**2 * limit * (1 - limit) / n)


def test_equal_models_have_no_p_and_the_reason():
    frames = api.make_report(solved_table([attempted(COUNTS[0], 4)] * 2), **FEW).frames
    row = frames["attempt_differences"].row(0, named=True)
    assert (row["difference"], row["ci_low"], row["p_value"], row["status"]) == (0, None, None, "degenerate")


def test_all_solved_has_limits_of_counts():
    frames = api.make_report(solved_table([attempted([3] * 20, 3), attempted([0] * 20, 3)]), **FEW).frames
    both = frames["attempts"].filter(kind="all", k=3).sort("model")
    assert both["value"].to_list() == [1.0, 0.0]
    assert 0.7 < both["ci_low"][0] < 0.9
    assert both["ci_high"][1] == pytest.approx(1 - both["ci_low"][0])


OTHERS = {
    "one attempt": solved_table([attempted(counts, 4) for counts in COUNTS]).filter(epoch=0).drop("epoch"),
    "labels": solved_table([attempted(counts, 4) for counts in COUNTS]).with_columns(
        label=pl.col("task").str.slice(-1).is_in(["1", "3", "5"])
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_tables_have_no_such_question(name):
    keys = {"thresholds": {"policy": "none"}, "primary": "auc"} if name == "labels" else {}
    trials = {"columns": {"trial": "task", "run": "epoch", "score": "reward"}} if name == "labels" else {}
    report = api.make_report(OTHERS[name], trials=trials, **keys, **FEW)
    assert "attempts" not in report.frames


def test_results_of_tau_bench_through_the_program(tmp_path):
    lines = [
        json.dumps({"task_id": i, "trial": r, "reward": float(r < c), "model": "agent"})
        for i, c in enumerate(COUNTS[0])
        for r in range(4)
    ]
    (tmp_path / "tau.jsonl").write_text("\n".join(lines) + "\n")
    assert reporting("init", "tau.jsonl", cwd=tmp_path).returncode == 0
    config = tmp_path / "report.yaml"
    config.write_text(config.read_text() + "\n")
    end = reporting(
        "run", "report.yaml", "-o", "out", "--set", "report.formats=[markdown-full]", cwd=tmp_path
    )
    assert end.returncode == 0, end.stderr
    text = (tmp_path / "out" / "report-full.md").read_text()
    assert "all k solve it (pass^k)" in text
    frame = pl.read_parquet(tmp_path / "out" / "frames" / "attempts.parquet").filter(kind="all", k=4)
    assert frame["value"].to_list() == [pytest.approx(4 / 12)]


def test_a_group_of_targets_is_decided_at_the_thresholds_of_its_folds(tmp_path):
    """Across folds every trial has the threshold of its own; the group's share of accepted trials is its recall."""
    draw = np.random.default_rng(2)
    rows = [
        {"model": "a", "run": run, "trial": f"t{at:02}", "label": at < 20, "kind": "x" if at < 10 else "y",
         "fold": f"f{at % 4}", "score": round(float(draw.normal() + (at < 20)), 1)}
        for run in ("0", "1") for at in range(40)
    ]  # fmt: skip
    pl.DataFrame(rows).write_csv(tmp_path / "trials.csv")
    (tmp_path / "report.yaml").write_text(
        "trials: {source: trials.csv}\nby: [kind]\nthresholds: {policy: kfold, column: fold}\nepc: none\n"
        "measures: [recall]\nprimary: {measure: recall, criterion: min_hter}\nsignificance: {replicates: 99}\n"
    )
    frames = api.make_report(tmp_path / "report.yaml").frames
    once = frames["attempts"].filter(group="kind=x", kind="all", k=1)["value"].item()
    recall = frames["metrics"].filter(group="kind=x", run="mean", measure="recall", criterion="min_hter")
    assert once == pytest.approx(recall.filter(split="test")["value"].item())
