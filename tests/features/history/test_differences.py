"""Then and now: paired on shared trials against numbers by hand, unpaired against published ones."""

import math

import numpy as np
import polars as pl
import pytest
from snapshot import snapshot
from weeks import MODELS, decided, facts, frames_from, frames_of

from reporting.base.provenance import InputFile
from reporting.core.resampling.bootstrap import pair_discordants, resample_pair
from reporting.core.resampling.paired import compare_decisions
from reporting.features.decided_trials import decisions_of
from reporting.features.history.differences import changes, differences
from reporting.features.history.frame import ChangeRow
from reporting.features.history.outcomes import Remembered
from reporting.features.history.phrases import change_phrase

LABEL = np.arange(20) < 10
KEYS = [f"k{i}" for i in range(20)]


def remembered(week, frames, **said):
    return Remembered(facts(week, **said), frames)


def of(now, then, measures=None, **said):
    frame = differences(remembered(1, now, **said), remembered(0, then, **said), measures)
    return {(row["model"], row["measure"]): row for row in frame.to_dicts()}


def run_with(errors, keys=KEYS, label=LABEL, clusters=None):
    """Frames of one model that decides these trials wrongly."""
    wrong = np.isin(np.arange(len(keys)), errors)
    return frames_from(keys, label, {"TC1": label ^ wrong}, clusters)


def test_trials_that_are_kept_several_times_are_one_each():
    """So earlier versions kept them where measures mix two kinds of non-targets."""
    then = run_with([0])
    then["outcomes"] = pl.concat([then["outcomes"]] * 3)
    found = changes(remembered(1, run_with([])), remembered(0, then)).filter(
        pl.col("kind").str.starts_with("trials")
    )
    assert found.select("kind", "count").rows() == [("trials.shared", 20)]


def test_a_paired_difference_by_hand():
    """Three false alarms and two misses of 10 and 10 go: D = -(3/10 + 2/10) / 2, mid-p = (2 / 2^5) / 2."""
    row = of(run_with([]), run_with([0, 1, 10, 11, 12]))["TC1", "hter"]
    assert row["difference"] == pytest.approx(-0.25, abs=1e-15)
    assert row["p_value"] == pytest.approx(1 / 32, abs=1e-12)
    assert (row["pairing"], row["p_method"], row["n_shared"]) == ("paired", "exact_midp", 20)


def test_pairing_is_that_of_the_comparisons_of_models():
    keys, label, decisions = decided(0)
    now, then = decisions["TC3"], decisions["TC1"]
    row = of(frames_from(keys, label, {"TC1": now}), frames_from(keys, label, {"TC1": then}))["TC1", "hter"]
    code = label * 4 + now * 2 + then
    outcome = np.bincount(code, minlength=8).reshape(2, 2, 2)
    at = np.array([0]), np.array([0])
    names = "all", "test", "", "now", "TC1", "then", "TC1"
    drawn, _ = resample_pair(outcome, at, 1, names, 1000)
    expected = compare_decisions(pair_discordants(outcome, at).column(0), drawn.column(0), (0.5, 0.5), 0.95)
    assert (row["difference"], row["ci_low"], row["ci_high"]) == (
        expected.difference,
        expected.low,
        expected.high,
    )
    assert row["p_value"] == expected.p_value
    assert row["difference"] == pytest.approx(row["value"] - row["value_then"], abs=1e-12)


def test_a_measure_that_is_not_linear_is_studentized_and_one_of_the_sweep_unpaired():
    rows = of(frames_of(5), frames_of(0), ["hter", "far", "auc"])
    assert rows["TC3", "far"]["p_method"] == "exact_midp"
    assert rows["TC3", "auc"]["pairing"] == "unpaired"
    assert rows["TC3", "hter"]["family_size"] == 3
    assert rows["TC3", "far"]["p_adjusted"] is None


def test_p_values_are_adjusted_over_the_models():
    rows = of(frames_of(5), frames_of(0))
    assert rows["TC3", "hter"]["p_adjusted"] == pytest.approx(3 * rows["TC3", "hter"]["p_value"])
    assert rows["TC1", "hter"]["flags"] == ["identical_decisions"]


def test_a_run_against_itself_shows_nothing():
    for row in of(frames_of(2), frames_of(2), ["hter", "far", "auc"]).values():
        assert row["difference"] == 0
        assert row["p_value"] == 1


@pytest.mark.parametrize("clusters", [None, [f"s{i // 10}" for i in range(400)]])
def test_now_less_then_is_less_than_then_less_now(clusters):
    said = {"clustered": clusters is not None}
    one = of(frames_of(5, clusters), frames_of(0, clusters), **said)["TC3", "hter"]
    two = of(frames_of(0, clusters), frames_of(5, clusters), **said)["TC3", "hter"]
    assert one["difference"] == -two["difference"]
    assert one["p_value"] == pytest.approx(two["p_value"], rel=0.25)
    assert one["ci_low"] == pytest.approx(-two["ci_high"], abs=0.004)


def test_trials_that_move_together_say_less():
    """Ten copies of every trial are one cluster: the interval is that of the trials before copying."""
    keys, label, decisions = decided(0, 200)
    now, then = decisions["TC3"], decisions["TC1"]
    alone = of(frames_from(keys, label, {"TC1": now}), frames_from(keys, label, {"TC1": then}))["TC1", "hter"]
    many = [f"{key} {i}" for key in keys for i in range(10)]
    clusters = [key for key in keys for _ in range(10)]
    copied = [
        frames_from(many, np.repeat(label, 10), {"TC1": np.repeat(each, 10)}, clusters)
        for each in (now, then)
    ]
    row = of(*copied, clustered=True)["TC1", "hter"]
    assert row["difference"] == pytest.approx(alone["difference"], abs=1e-12)
    width = [each["ci_high"] - each["ci_low"] for each in (row, alone)]
    assert width[0] == pytest.approx(width[1], rel=0.1)
    assert (row["unit"], row["p_method"]) == ("cluster", "t")
    assert of(*copied)["TC1", "hter"]["p_value"] < row["p_value"]


def test_too_few_shared_trials_are_not_paired():
    keys, label, decisions = decided(0)
    moved = keys[81:] + [f"new {i}" for i in range(81)]
    row = of(frames_from(moved, np.roll(label, -81), decisions), frames_from(keys, label, decisions))[
        "TC1", "hter"
    ]
    assert (row["pairing"], row["n_shared"], row["n_trials"]) == ("unpaired", 319, 400)


def test_relabelled_trials_are_counted_and_left_out_of_pairs():
    other = LABEL.copy()
    other[[0, 19]] = ~other[[0, 19]]
    now, then = run_with([], label=other), run_with([])
    assert of(now, then)["TC1", "hter"]["n_shared"] == 18
    found = changes(remembered(1, now), remembered(0, then))
    counts = {row["kind"]: row["count"] for row in found.to_dicts() if row["kind"].startswith("trials")}
    assert counts == {"trials.shared": 20, "trials.relabelled": 2}


def metrics(value, low, high, **counts):
    row = (
        frames_of(0, n=40)["metrics"].filter(model="TC1", measure=counts.pop("measure", "hter")).to_dicts()[0]
    )
    frame = frames_of(0, n=40)["metrics"]
    return {
        "metrics": pl.DataFrame(
            [row | {"value": value, "ci_low": low, "ci_high": high} | counts], frame.schema
        )
    }


def test_unpaired_rates_have_newcombes_interval():
    """Newcombe 1998, table II (a): 56/70 against 48/80, method 10: 0.0524 to 0.3339."""
    now, then = (
        metrics(k / n, None, None, misses=k, n_target=n, measure="frr") for k, n in ((56, 70), (48, 80))
    )
    row = of(now, then, ["frr"])["TC1", "frr"]
    assert row["ci_method"] == "newcombe"
    assert (round(row["ci_low"], 4), round(row["ci_high"], 4)) == (0.0524, 0.3339)
    assert row["p_value"] < 0.05


def test_other_unpaired_values_add_the_squares_of_their_intervals():
    row = of(metrics(0.2, 0.1, 0.4), metrics(0.5, 0.45, 0.6))["TC1", "hter"]
    assert row["difference"] == pytest.approx(-0.3)
    assert row["ci_low"] == pytest.approx(-0.3 - math.hypot(0.1, 0.1))
    assert row["ci_high"] == pytest.approx(-0.3 + math.hypot(0.2, 0.05))
    assert row["p_value"] == pytest.approx(
        math.erfc(0.3 * 1.959964 / math.hypot(0.2, 0.05) / math.sqrt(2)), rel=1e-5
    )
    assert row["pairing"] == "unpaired"


def test_without_an_interval_there_is_a_difference_and_no_p():
    row = of(metrics(0.2, None, None), metrics(0.5, 0.45, 0.6))["TC1", "hter"]
    assert row["difference"] == pytest.approx(-0.3)
    assert row["p_value"] is row["ci_low"] is None


def test_what_lies_behind_is_listed():
    now = remembered(
        1, frames_of(1), models=(("TC1", "One"), ("TC4", "Four")), config={"a": {"b": 1}, "c": [2]}
    )
    then = remembered(0, frames_of(0, n=390), models=tuple((m, m) for m in MODELS), config={"a": {"b": 0}})
    found = {
        (row["kind"], row["name"]): (row["then"], row["now"], row["count"])
        for row in changes(now, then).to_dicts()
    }
    assert found["config", "a.b"] == ("0", "1", None)
    assert found["config", "c"] == (None, "[2]", None)
    assert found["model", "TC4"] == (None, "Four", None)
    assert found["model", "TC2"] == ("TC2", None, None)
    assert found["trials.new", "all"][2] == 10
    assert found["input", "trials.parquet"][0] != found["input", "trials.parquet"][1]


def test_inputs_of_one_name_are_all_listed():
    """Two folders have a file of the same name each; one of the two was dropped."""
    before, after = (tuple(InputFile("a.csv", digest, 1) for digest in digests) for digests in ("pq", "prs"))
    listed = changes(remembered(1, {}, inputs=after), remembered(0, {}, inputs=before)).filter(kind="input")
    assert listed.select("name", "then", "now").rows() == [("a.csv", "q", "r"), ("a.csv", None, "s")]


@pytest.mark.parametrize("pools", ["one", "two"])
def test_trials_of_pairs_hang_on_both_members(pools):
    keys, label, decisions = decided(0)
    both = [f"s{i % 20}" for i in range(400)], [f"s{i // 20}" for i in range(400)]
    runs = []
    for model in ("TC3", "TC1"):
        frames = frames_from(keys, label, {"TC1": decisions[model]})
        runs.append(frames | {"outcomes": decisions_of("all", keys, label, {"TC1": decisions[model]}, *both)})
    row = of(*runs, clustered=True, pools=pools)["TC1", "hter"]
    alone = of(*runs)["TC1", "hter"]
    assert row["p_method"] == "t"
    assert row["difference"] == pytest.approx(alone["difference"], abs=1e-12)
    assert row["ci_high"] - row["ci_low"] > alone["ci_high"] - alone["ci_low"]


def test_another_test_of_the_primary_comparisons_is_a_change():
    def tested(*methods):
        rows = [{"family": "primary", "p_method": method} for method in methods]
        return {"comparisons": pl.DataFrame([*rows, {"family": "descriptive", "p_method": "exact_midp"}])}

    now, then, again = (
        run_with([]) | tested(*methods) for methods in (("swap", "swap"), ("normal",), ("swap",))
    )
    (row,) = changes(remembered(1, now), remembered(0, then)).filter(kind="test").to_dicts()
    assert (row["name"], row["then"], row["now"]) == ("primary comparisons", "normal", "swap")
    snapshot(
        "history/differences_another_test_of_the_primary_comparisons_is_a_change",
        change_phrase(ChangeRow(**row)),
    )
    for same in (again, run_with([])):
        assert changes(remembered(1, now), remembered(0, same)).filter(kind="test").is_empty()
