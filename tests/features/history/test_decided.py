"""From trials to what is kept: the decisions give the report's own errors, and runs are paired by them."""

import dataclasses
import hashlib

import numpy as np
import polars as pl
import pytest
from build import build

from reporting.document.frames.history import SINCE_LAST
from reporting.features.decided_trials import ACCEPTED, decisions, salted
from reporting.features.history.differences import differences
from reporting.features.history.keys import History
from reporting.features.history.memory import HistoryMemory
from reporting.features.history.outcomes import Remembered
from reporting.features.history.past import facts_of, past_of, remember
from reporting.features.history.store import open_store
from reporting.inputs.scan import inputs_of

CONFIG = """
title: Weekly
trials: {source: trials.parquet, columns: {cluster: speaker}}
criteria: [min_hter]
measures: [hter, far, frr, mcc, auc]
epc: none
significance: {comparisons: given_thresholds, unit: UNIT}
"""


def table_of(seed, drift):
    """Two models on 60 trials a split; one gets better, rounded scores tie."""
    rng = np.random.default_rng(3)
    rows = []
    for split in ("dev", "test"):
        label = np.arange(60) % 3 == 0
        base = rng.normal(size=60) + 1.2 * label
        for model, gain in (("a", 0.0), ("b", drift)):
            score = np.round(
                base + gain * label + 0.3 * np.random.default_rng(seed).normal(size=60) * (model == "b"), 1
            )
            rows += [
                {
                    "model": model,
                    "split": split,
                    "trial": f"t{i}",
                    "label": int(label[i]),
                    "score": score[i],
                    "speaker": f"s{i % 12}",
                }
                for i in range(60)
            ]
    return pl.DataFrame(rows).sample(fraction=1, shuffle=True, seed=seed)


def built_of(folder, table, unit="trial"):
    """All of a run on the way to its report."""
    config = CONFIG if "speaker" in table.columns else CONFIG.replace(", columns: {cluster: speaker}", "")
    return build(folder, table, config.replace("UNIT", unit), "significance.replicates=199")


def report_of(folder, table, unit="trial"):
    """Plan, results, and frames with outcomes."""
    built = built_of(folder, table, unit)
    outcomes = decisions(built.table, built.counts, built.results)
    return built.plan, built.results, built.frames | ({} if outcomes is None else {"outcomes": outcomes})


def facts_for(plan, results, as_of):
    return facts_of(results, plan.resolved, inputs_of(plan.trials), as_of)


def errors(outcomes, model):
    rows = outcomes.select("label", accepted=f"{ACCEPTED}{model}")
    misses = rows.filter(pl.col("label") & ~pl.col("accepted")).height
    return misses, rows.filter(~pl.col("label") & pl.col("accepted")).height


def test_the_decisions_make_the_reports_own_errors(tmp_path):
    _, _, frames = report_of(tmp_path, table_of(1, 0.5))
    for model in "ab":
        row = (
            frames["metrics"]
            .filter(model=model, measure="hter", split="test", threshold_source="dev")
            .to_dicts()[0]
        )
        assert errors(frames["outcomes"], model) == (row["misses"], row["false_alarms"])
    assert frames["outcomes"]["cluster"].n_unique() == 12


def test_every_trial_has_its_own_label_cluster_and_decision(tmp_path):
    table = table_of(1, 0.5)
    _, _, frames = report_of(tmp_path, table)
    asked = {"model": "b", "measure": "hter", "split": "test", "threshold_source": "dev"}
    threshold = frames["metrics"].filter(**asked)["threshold"][0]
    found = {row["trial"]: row for row in frames["outcomes"].to_dicts()}
    assert len(found) == 60
    for row in table.filter(model="b", split="test").to_dicts():
        kept = found[digest(row["trial"])]
        assert (kept["label"], kept["cluster"]) == (bool(row["label"]), digest(row["speaker"]))
        assert kept[f"{ACCEPTED}b"] == (row["score"] >= threshold)


def digest(key):
    return hashlib.sha256(key.encode()).digest()[:16]


@pytest.mark.parametrize(("unit", "method"), [("trial", {"exact_midp", "studentized"}), ("auto", {"t"})])
def test_two_runs_are_paired_from_table_to_difference(tmp_path, unit, method):
    store = open_store(tmp_path / "h")
    plan, results, frames = report_of(tmp_path / "x", table_of(1, 0.0), unit)
    assert store.record(facts_for(plan, results, "2026-11-13"), frames)
    plan, results, frames = report_of(tmp_path / "y", table_of(2, 1.5), unit)
    facts = facts_for(plan, results, "2026-11-20")
    past = past_of(open_store(tmp_path / "h"), facts, frames, "h")
    (a, b) = past.frames["since_last"].sort("model").to_dicts()
    assert a["flags"] == (["identical_decisions"] if unit == "trial" else a["flags"])
    assert a["difference"] == 0
    assert b["difference"] == pytest.approx(b["value"] - b["value_then"], abs=1e-12)
    assert b["p_method"] in method
    assert (b["pairing"], b["n_shared"], b["unit"]) == (
        "paired",
        60,
        "trial" if unit == "trial" else "cluster",
    )
    assert [row["name"] for row in past.frames["changes"].filter(kind="input").to_dicts()] == [
        "trials.parquet"
    ]


def test_measures_of_three_kinds_leave_every_trial_once(tmp_path):
    """Such a measure has parts of its own: their trials were kept again for each of them."""
    config = CONFIG.replace("UNIT", "trial").replace(
        "columns: {cluster: speaker}", "values: {target: t, nontarget: n, spoof: s}"
    )
    costs = '"minadcf(p_spoof=0.3, p_nontarget=0.1)", "minadcf(p_spoof=0.02, p_nontarget=0.1)"'
    label = (
        pl.when(pl.col("label") == 1)
        .then(pl.lit("t"))
        .when(pl.col("trial").str.ends_with("1"))
        .then(pl.lit("s"))
    )
    table = table_of(1, 0.5).drop("speaker").with_columns(label=label.otherwise(pl.lit("n")))
    built = build(
        tmp_path, table, config.replace("hter, far", f"hter, {costs}, far"), "significance.replicates=199"
    )
    outcomes = decisions(built.table, built.counts, built.results)
    assert (outcomes.height, outcomes["trial"].n_unique()) == (60, 60)


def test_without_keys_there_are_no_outcomes(tmp_path):
    _, _, frames = report_of(tmp_path, table_of(1, 0.0).drop("trial", "speaker"))
    assert "outcomes" not in frames


def test_without_a_threshold_there_are_no_outcomes(tmp_path):
    """The rows of test alone, and no threshold that is set in advance."""
    built = build(tmp_path, table_of(1, 0.0).filter(split="test"), NO_THRESHOLDS)
    assert decisions(built.table, built.counts, built.results) is None
    at = build(tmp_path / "at", table_of(1, 0.0).filter(split="test"), NO_THRESHOLDS + FIXED)
    assert decisions(at.table, at.counts, at.results).height == 60


NO_THRESHOLDS = """
title: Weekly
trials: {source: trials.parquet}
thresholds: {policy: none}
significance: {replicates: 199}
"""
FIXED = "primary: {measure: hter, criterion: fixed(threshold=0.5)}\n"


def test_a_measure_that_is_not_linear_is_paired_by_the_studentized_bootstrap(tmp_path):
    runs = []
    for name, seed, drift in (("x", 1, 0.0), ("y", 2, 1.5)):
        plan, results, frames = report_of(tmp_path / name, table_of(seed, drift))
        runs.append(Remembered(facts_for(plan, results, f"2026-11-{10 + seed}"), frames))
    rows = {
        (row["model"], row["measure"]): row
        for row in differences(runs[1], runs[0], ["mcc", "auc"]).to_dicts()
    }
    assert (rows["b", "mcc"]["pairing"], rows["b", "mcc"]["p_method"]) == ("paired", "studentized")
    assert rows["b", "mcc"]["difference"] == pytest.approx(
        rows["b", "mcc"]["value"] - rows["b", "mcc"]["value_then"]
    )
    assert rows["b", "auc"]["pairing"] == "unpaired"


def test_a_report_remembers_itself_once_and_the_next_one_depends_on_it(tmp_path):
    kept = []
    for day in (20, 21, 21):
        built = built_of(tmp_path, table_of(day, 0.1 * day - 1.5))
        plan, trials, counts, results = built.plan, built.table, built.counts, built.results
        provenance = dataclasses.replace(results.provenance, as_of=f"2026-11-{day}")
        later = dataclasses.replace(results, provenance=provenance)
        store = open_store(tmp_path / "h", may_be_new=True)
        made = remember(store, "h", None, (trials, counts), later, plan.resolved)
        kept.append(made.keep())
    assert kept == [True, True, False]
    assert [source.name for source in made.results.provenance.inputs] == ["trials.parquet", "history h"]
    assert made.results.frame(SINCE_LAST)["as_of"].unique().to_list() == ["2026-11-20"]
    assert sorted(open_store(tmp_path / "h").runs()[0].files) == [
        "comparisons",
        "epc",
        "metrics",
        "outcomes",
        "trials",
    ]
    assert len(open_store(tmp_path / "h").runs()[1].facts.inputs) == 1


def keep(folder, store, day):
    """A run of a day, remembered and kept; its results."""
    built = built_of(folder, table_of(day, 0.1 * day - 1.5))
    provenance = dataclasses.replace(built.results.provenance, as_of=f"2026-11-{day}")
    results = dataclasses.replace(built.results, provenance=provenance)
    made = remember(
        open_store(store, may_be_new=True),
        "h",
        None,
        (built.table, built.counts),
        results,
        built.plan.resolved,
    )
    assert made.keep()
    return made.results


def digests(run):
    frame = run.frame("outcomes")
    return {*frame["trial"], *frame["cluster"]}


def test_two_stores_of_the_same_trials_have_no_digest_in_common(tmp_path):
    for day in (20, 22):
        keep(tmp_path, tmp_path / "one", day)
    keep(tmp_path, tmp_path / "other", 21)
    first, second = open_store(tmp_path / "one").runs()
    (elsewhere,) = open_store(tmp_path / "other").runs()
    assert len(digests(first)) == 60 + 12
    assert digests(first) == digests(second)
    assert not digests(first) & digests(elsewhere)
    assert not digests(first) & {digest(f"t{i}") for i in range(60)}


@pytest.mark.parametrize("unsalted", [False, True])
def test_a_salt_changes_no_number(tmp_path, unsalted):
    """A run that an earlier version kept without a salt is paired with, and so is one with a salt."""
    results = keep(tmp_path / "x", tmp_path / "h", 20)
    if unsalted:
        built = built_of(tmp_path / "x", table_of(20, 0.5))
        (run,) = open_store(tmp_path / "h").runs()
        frames = {name: frame for name in run.files if (frame := run.frame(name)) is not None}
        frames["outcomes"] = decisions(built.table, built.counts, results)
        store = open_store(tmp_path / "old", may_be_new=True)
        assert store.record(dataclasses.replace(run.facts, salt=""), frames)
        (tmp_path / "h").rename(tmp_path / "gone")
        (tmp_path / "old").rename(tmp_path / "h")
    later = keep(tmp_path / "y", tmp_path / "h", 21)
    assert set(later.frame(SINCE_LAST)["n_shared"]) == {60}
    expected = differences_without_salt(tmp_path)
    drawn = ["model", "measure", "difference", "ci_low", "ci_high", "p_value"]
    assert later.frame(SINCE_LAST).select(drawn).equals(expected.select(drawn))
    last = keep(tmp_path / "z", tmp_path / "h", 22)
    runs = HistoryMemory(History(str(tmp_path / "h")), tmp_path).earlier(last)
    assert len(runs) == 2
    assert set(runs[0].frames["outcomes"]["trial"]) == set(runs[1].frames["outcomes"]["trial"])


def differences_without_salt(tmp_path):
    """The differences of the runs of days 21 and 20 in memory."""
    runs = []
    for name, day in (("u", 20), ("v", 21)):
        plan, results, frames = report_of(tmp_path / name, table_of(day, 0.1 * day - 1.5))
        runs.append(Remembered(facts_for(plan, results, f"2026-11-{day}"), frames))
    return differences(runs[1], runs[0])


def test_salted_digests_by_hand():
    frame = pl.DataFrame({"dataset": ["d"], "trial": [b"k"], "cluster": [None], "cluster_b": [b"c"]})
    frame = frame.with_columns(pl.col("cluster").cast(pl.Binary))
    (row,) = salted(frame, "s").to_dicts()
    assert row["trial"] == hashlib.sha256(b"sk").digest()[:16]
    assert row["cluster"] is None
    assert salted(frame, "").equals(frame)
