"""The frame ``winners``: its numbers against other frames and formulas, and where nothing can be said."""

import numpy as np
import polars as pl
import pytest
from from_config import frames_from
from simulated_parts import resampled, rows_of

from reporting.core.measures.costs import OperatingPoint
from reporting.core.measures.threshold import WEIGHTED_ERROR
from reporting.document.frames.comparisons import STANDING
from reporting.features.comparisons.best_set import standing_rows
from reporting.features.epc.formulas import best_along
from reporting.features.epc.winners import SAME, WINNERS, alpha_of, winner_rows

CONFIG = """
measures: [hter]
criteria: [min_hter]
epc: {criteria: [weighted_error], measures: [weighted_error], alphas: 5}
operating_points:
  - {name: rare, p_target: 0.01, c_miss: 10}
  - {name: even, p_target: 0.5}
  - {name: dear, p_target: 0.05, c_fa: 10}
"""
THREE = ("a", "b", "c")
RARE, DEAR = 0.99 / 1.09, 9.5 / 9.55


def winners(tmp_path, *overrides, config=CONFIG, **table):
    part, drawn, study = resampled(tmp_path, config, *overrides, **({"models": THREE} | table))
    return WINNERS.build(list(winner_rows(part.models, drawn, study))), part, drawn, study


def test_alpha_is_the_weight_of_false_acceptance():
    assert alpha_of(OperatingPoint("even")) == 0.5
    assert alpha_of(OperatingPoint("rare", 0.01, 10)) == pytest.approx(RARE)
    assert alpha_of(OperatingPoint("dear", 0.05, 1, 10)) == pytest.approx(DEAR)


def test_alphas_are_those_inside_the_curve_and_of_the_operating_points(tmp_path):
    frame, *_ = winners(tmp_path)
    for model in THREE:
        alphas = frame.filter(model=model)["alpha"].to_list()
        assert alphas == pytest.approx([0.25, 0.5, 0.75, RARE, DEAR])
    assert set(frame["n_alphas"]) == {5}
    assert set(frame["inference"]) == {"procedure"}
    assert set(frame["n_models"]) == {3}
    assert set(frame["replicates"]) == {99}
    assert frame.schema == WINNERS.schema


def test_values_and_intervals_are_those_of_the_curve_and_the_costs(tmp_path):
    frames = frames_from(tmp_path, rows_of(THREE), CONFIG)
    found = frames["winners"]
    keys = ["model", "run", "dataset", "split", "group", "alpha"]
    on_curve = found.join(frames["epc"], on=keys, suffix="_epc")
    assert on_curve.height == 9
    for column in ("value", "ci_low", "ci_high"):
        assert on_curve[column].to_list() == on_curve[f"{column}_epc"].to_list()
    costs = frames["dcf"].filter(split="test", threshold_source="dev", name="rare")
    at_point = found.filter((pl.col("alpha") - RARE).abs() <= SAME)
    least = 1 - RARE
    for column, other in (("value", "actual"), ("ci_low", "actual_ci_low"), ("ci_high", "actual_ci_high")):
        assert (at_point[column] / least).to_list() == pytest.approx(costs[other].to_list())


def test_values_follow_from_the_steps_of_the_curve(tmp_path):
    frames = frames_from(tmp_path, rows_of(THREE), CONFIG, "epc.alphas=11")
    # A point near an alpha of the curve has a row of its own.
    assert set(frames["winners"]["n_alphas"]) == {9 + 2}
    sizes = frames["trials"].filter(split="test", model="a").row(0, named=True)
    for row in frames["winners"].iter_rows(named=True):
        step = frames["epc_steps"].filter(
            pl.col("model") == row["model"],
            pl.col("criterion") == "weighted_error",
            pl.col("alpha_low") <= row["alpha"],
            pl.col("alpha_high") > row["alpha"],
        )
        far, frr = step["false_alarms"][0] / sizes["n_nontarget"], step["misses"][0] / sizes["n_target"]
        assert row["value"] == pytest.approx(row["alpha"] * far + (1 - row["alpha"]) * frr)


def test_at_equal_weights_the_set_is_that_of_standing(tmp_path):
    frame, part, drawn, study = winners(tmp_path, step=1.2)
    at_half = frame.filter(alpha=0.5)
    standing = STANDING.build(standing_rows(part.models, drawn, study))
    assert at_half["value"].to_list() == pytest.approx(standing["value"].to_list())
    assert at_half["p_best"].to_list() == pytest.approx(standing["p_best"].to_list())
    assert at_half["may_be_best"].to_list() == standing["may_be_best"].to_list()
    assert False in at_half["may_be_best"].to_list()


def test_both_sets_come_from_the_joint_replicates(tmp_path):
    frame, part, drawn, _ = winners(tmp_path, "operating_points=[]", step=1.2)
    inside = slice(1, 4)
    losses, replicates = [], []
    for model in part.models:
        operation = next(iter(model.along.values()))
        losses.append(frame.filter(model=model.key.model)["value"].to_numpy())
        again = drawn.at(model, operation, "procedure")
        replicates.append(again.values(WEIGHTED_ERROR, alpha=np.linspace(0, 1, 5))[:, inside].T)
    found = best_along(np.stack(losses, axis=1), np.stack(replicates, axis=1), 0.95)
    for k, model in enumerate(THREE):
        rows = frame.filter(model=model)
        assert rows["p_best"].to_list() == found.p[:, k].tolist()
        assert rows["p_best_joint"].to_list() == found.p_joint[:, k].tolist()
        assert rows["may_be_best"].to_list() == found.member[:, k].tolist()
        assert rows["may_be_best_joint"].to_list() == found.member_joint[:, k].tolist()


def test_clusters_reach_farther(tmp_path):
    clusters = "trials: {source: trials.parquet, columns: {cluster: speaker}}\n" + CONFIG
    frame, part, drawn, study = winners(tmp_path, config=clusters)
    assert drawn.clustered
    standing = STANDING.build(standing_rows(part.models, drawn, study))
    assert frame.filter(alpha=0.5)["p_best"].to_list() == pytest.approx(standing["p_best"].to_list())
    assert (frame["p_best_joint"] >= frame["p_best"]).all()


def test_without_joint_replicates_only_values_are_told(tmp_path):
    unknown = ["p_best", "may_be_best", "p_best_joint", "may_be_best_joint", "inference", "replicates"]
    fixed = "significance.comparisons=given_thresholds"
    for name, made in {
        "fixed": winners(tmp_path / "fixed", fixed)[0],
        "keyless": winners(tmp_path / "keyless", keyed=False)[0],
        "one": winners(tmp_path / "one", models=("a",))[0],
    }.items():
        assert made["value"].null_count() == 0, name
        assert made.filter(alpha=0.5)["ci_low"].null_count() == 0, name
        assert all(made[column].null_count() == made.height for column in unknown), name
    joint, *_ = winners(tmp_path / "maxt", fixed, "significance.correction=maxt")
    assert set(joint["inference"]) == {"given_thresholds"}
    assert joint["may_be_best"].null_count() == 0


def test_the_mean_over_runs_stands_for_the_model(tmp_path):
    config = "trials: {source: trials.parquet, columns: {run: run}}\n" + CONFIG
    frame, part, _, _ = winners(tmp_path, config=config, runs=("1", "2"))
    assert set(frame["run"]) == {"mean"}
    of_a = [m for m in part.models if m.key.model == "a"]
    at_half = [m.along[next(iter(m.along))] for m in of_a]
    n_target, n_nontarget = of_a[0].test.totals
    by_run = [(o.test.false_alarms[2] / n_nontarget + o.test.misses[2] / n_target) / 2 for o in at_half]
    assert frame.filter(model="a", alpha=0.5)["value"].item() == pytest.approx(np.mean(by_run))
    assert frame["may_be_best"].any()


def test_other_plans_and_groups_have_none(tmp_path):
    none = CONFIG.replace("{criteria: [weighted_error], measures: [weighted_error], alphas: 5}", "none")
    assert winners(tmp_path / "none", config=none)[0].is_empty()
    far = CONFIG.replace("criteria: [weighted_error]", "criteria: [target_far]")
    assert winners(tmp_path / "far", config=far)[0].is_empty()
    part, drawn, study = resampled(tmp_path / "group", CONFIG + "by: [gender]\n", at=1, models=THREE)
    assert list(winner_rows(part.models, drawn, study)) == []


def test_a_model_more_changes_no_number_of_another(tmp_path):
    rows = rows_of(THREE)
    three = frames_from(tmp_path / "three", rows, CONFIG)["winners"]
    two = frames_from(tmp_path / "two", [row for row in rows if row["model"] != "c"], CONFIG)["winners"]
    columns = ["model", "alpha", "value", "ci_low", "ci_high"]
    assert two.select(columns).equals(three.filter(pl.col("model") != "c").select(columns))


def test_the_order_of_rows_changes_nothing(tmp_path):
    rows = rows_of(THREE)
    made = [frames_from(tmp_path / str(n), turned, CONFIG) for n, turned in enumerate((rows, rows[::-1]))]
    assert made[0]["winners"].equals(made[1]["winners"])
    assert made[0]["winners"]["may_be_best_joint"].null_count() == 0
