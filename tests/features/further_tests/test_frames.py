"""The further tests from a config: two tables by hand, laws on tied data, what is refused and why."""

import json
import math
from fractions import Fraction
from typing import get_args

import numpy as np
import polars as pl
import pytest
from build import build
from from_config import frames_from, only
from scipy import stats

from reporting.base.execution import ThreadExecutor
from reporting.core.resampling.draws import stream
from reporting.core.resampling.settings import Test
from reporting.core.stats.cluster_sizes import ClusterSizes, decisive
from reporting.core.stats.intervals import normal_p
from reporting.core.stats.paired import Discordant, exact_p
from reporting.document.frames.tests import TESTED, TESTS
from reporting.features.further_tests.frame import further_test_rows
from reporting.features.further_tests.permutation import area_difference, equal_curves, permutation_test

EVERY = ", ".join(get_args(Test))
ASKED = f"epc: none\nsignificance: {{tests: [{EVERY}], margin: 0.05}}\n"
CLUSTERED = "trials: {source: trials.parquet, columns: {cluster: speaker}}\n"
GIVEN = "significance.comparisons=given_thresholds"


def asking(*tests, more=""):
    margin = ", margin: 0.05" if {"equivalence", "non_inferiority"} & set(tests) else ""
    return f"epc: none\nsignificance: {{tests: [{', '.join(tests)}]{margin}}}\n{more}"


def frame_from(folder, rows, config, *overrides, pool=None):
    """The frame of a table and its config, with 199 replicates unless an override says how many."""
    built = build(folder, rows, config, "significance.replicates=199", *overrides)
    parts = [built.judged(at, pool) for at in range(len(built.parts))]
    return TESTS.build([row for judged in parts for row in further_test_rows(judged)])


def decided(targets, nontargets, models=("a", "b")):
    """Test trials with the decisions of the models as scores 0 and 1; dev puts all thresholds at 1/2.

    ``targets`` and ``nontargets`` count the patterns of decisions, such as {(1, 0): 8}.
    """
    rows = []
    for split, classes in (("dev", {True: {(1,) * 9: 2}, False: {(0,) * 9: 2}}),
                           ("test", {True: targets, False: nontargets})):  # fmt: skip
        for label, patterns in classes.items():
            trials = [pattern for pattern, n in patterns.items() for _ in range(n)]
            rows += [
                {"model": model, "split": split, "trial": f"{label}{i}", "label": label, "score": float(pattern[k])}
                for i, pattern in enumerate(trials)
                for k, model in enumerate(models)
            ]  # fmt: skip
    return rows


def table(both, first, second, neither):
    return {(1, 1): both, (1, 0): first, (0, 1): second, (0, 0): neither}


# Methods 8.6: accepted by both, by a only, by b only, by neither.
T1 = decided(table(80, 6, 12, 2), table(15, 10, 30, 245))
T2 = decided(table(150, 8, 26, 16), table(18, 16, 34, 732))
BASE_B = "baseline: b\n"
"""The tables are of a less b."""


def test_mcnemar_of_the_anchor_tables(tmp_path):
    frame = frame_from(tmp_path / "2", T2, asking("mcnemar", more=BASE_B))
    known = {
        "targets": ("frr", 200, 8, Fraction(26 - 8, 200), 0.0029350556433200836, 0.0018782254774123409),
        "nontargets": ("far", 800, 16, Fraction(16 - 34, 800), 0.015346677832630107, 0.010973562899720523),
        "both": ("error_rate", 1000, 42, 0, 1, 1),
    }
    assert frame.height == 3
    for part, (measure, n, k, estimate, p, mid) in known.items():
        row = only(frame, part=part)
        assert (row["measure"], row["n_units"], row["statistic"]) == (measure, n, k)
        assert row["estimate"] == pytest.approx(float(estimate), abs=1e-15)
        assert (row["p_value"], row["p_mid"]) == (pytest.approx(p, abs=1e-13), pytest.approx(mid, abs=1e-13))
        assert (row["criterion"], row["inference"], row["unit"]) == ("min_hter", "given_thresholds", "trial")
        assert (row["model"], row["baseline"], row["status"], row["flags"]) == ("a", "b", None, [])
    accuracy = only(frame_from(tmp_path / "1", T1, asking("mcnemar", more=BASE_B)), part="both")
    assert accuracy["p_value"] == pytest.approx(0.08694889972991102, abs=1e-13)
    assert accuracy["p_mid"] == pytest.approx(0.0674446119007891, abs=1e-13)


@pytest.mark.parametrize(("rows", "z", "p"), [(T2, 2.2156, 0.0267157), (T1, -0.14072, 0.88809)])
def test_null_z_of_the_anchor_tables(tmp_path, rows, z, p):
    row = only(frame_from(tmp_path, rows, asking("null_z", more=BASE_B)))
    assert (row["measure"], row["statistic"]) == ("hter", pytest.approx(z, abs=5e-5))
    assert row["p_value"] == pytest.approx(p, abs=5e-6)


def test_proportion_z_sees_no_difference_where_the_classes_cancel(tmp_path):
    row = only(frame_from(tmp_path / "2", T2, asking("proportion_z", more=BASE_B)))
    assert (row["measure"], row["estimate"], row["statistic"], row["p_value"]) == ("error_rate", 0, 0, 1)
    row = only(frame_from(tmp_path / "1", T1, asking("proportion_z", more=BASE_B)))
    pooled = Fraction(14 + 25 + 8 + 45, 800)
    z = (Fraction(39 - 53, 400)) / math.sqrt(pooled * (1 - pooled) / 200)
    assert row["statistic"] == pytest.approx(z, abs=1e-14)
    assert row["p_value"] == pytest.approx(2 * stats.norm.cdf(-abs(z)), abs=1e-14)


def test_cochran_by_hand(tmp_path):
    """Targets with 2, 1 and 0 errors of three models with 2, 1, 0: Q = 3 on 2 df; non-targets all rejected."""
    targets = {(0, 0, 1): 1, (0, 1, 1): 1, (1, 1, 1): 1}
    rows = decided(targets, {(0, 0, 0): 4}, models=("a", "b", "c"))
    frame = frame_from(tmp_path, rows, asking("cochran_q"))
    for part, n in (("targets", 3), ("both", 7)):
        row = only(frame, part=part)
        assert (row["statistic"], row["df"], row["n_models"], row["n_units"]) == (3, 2, 3, n)
        assert row["p_value"] == pytest.approx(math.exp(-1.5), abs=1e-15)
        assert (row["model"], row["baseline"]) == (None, None)
    alike = only(frame, part="nontargets")
    assert (alike["statistic"], alike["p_value"]) == (0, 1)


def test_cochran_of_two_models_is_the_square_of_mcnemars_z(tmp_path):
    frame = frame_from(tmp_path, T2, asking("cochran_q"))
    q = {row["part"]: row["statistic"] for row in frame.to_dicts()}
    expected = {"targets": 18**2 / 34, "nontargets": 18**2 / 50, "both": 0}
    assert q == pytest.approx(expected, abs=1e-12)


def test_fragility_of_the_anchor_tables(tmp_path):
    """T2, p .0262: one changed decision on a target gives .037 or .043, two .052; a non-target moves less."""
    row = only(frame_from(tmp_path / "2", T2, asking("fragility", more=BASE_B)))
    assert row["p_value"] == pytest.approx(0.0261879, abs=5e-8)
    after = [
        exact_p(Discordant(16, 34, *changed, 200, 800), 0.5, 0.5, mid=True)
        for changed in ((8, 25), (9, 26), (8, 24), (9, 25), (10, 26))
    ]
    assert max(after[:2]) < 0.05 <= min(after[2:])
    assert (row["statistic"], row["needed_targets"], row["needed_nontargets"]) == (2, 2, 0)
    assert min(abs(row["p_after"] - p) for p in after[2:]) < 1e-12
    assert (row["verdict"], row["unit"], row["status"]) == ("different", "trial", None)
    row = only(frame_from(tmp_path / "1", T1, asking("fragility", more=BASE_B)))
    assert (row["verdict"], row["needed_targets"] + row["needed_nontargets"]) == (
        "not_shown_different",
        row["statistic"],
    )
    assert row["p_after"] < 0.05 < row["p_value"]


SE_T2 = math.sqrt((Fraction(50, 800) - Fraction(18, 800) ** 2) / 3200 + (Fraction(34, 200) - Fraction(18, 200) ** 2) / 800)  # fmt: skip


def reach_of(d, variance, step, z, tail):
    """The largest root of r^3 = (z^2 v + L^2 h^2) r + L^2 h^2 d, L = log(1 / tail)."""
    least = (math.log(tail) * step) ** 2
    return max(np.roots([1, 0, -(z * z * variance + least), -least * d]).real)


def test_equivalence_and_power_of_t2_by_hand(tmp_path):
    """D = .03375 with the standard error .0148912 of methods 8.6, given thresholds; margin .065."""
    assert pytest.approx(0.014891207, abs=5e-10) == SE_T2
    config = asking("equivalence", "non_inferiority", "power", more=BASE_B)
    frame = frame_from(tmp_path, T2, config, GIVEN, "significance.margin=0.065")
    z = stats.norm.ppf(0.95)
    row = only(frame, test="equivalence")
    assert (row["estimate"], row["se"], row["df"]) == (pytest.approx(0.03375), pytest.approx(SE_T2), None)
    # 50 discordant of 800 non-targets and 34 of 200 targets; one more of these moves HTER by 1 / 400.
    null, step = 50 / 1600**2 + 34 / 400**2, 1 / 400
    high = 0.03375 + reach_of(0.03375, null, step, z, 0.05)
    assert (row["low"], row["high"]) == pytest.approx((0.03375 - z * math.sqrt(null), high))
    p = row["p_value"]
    assert reach_of(0.03375, null, step, stats.norm.isf(p), p) == pytest.approx(0.065 - 0.03375)
    assert p > stats.norm.sf((0.065 - 0.03375) / SE_T2)
    assert (row["level"], row["margin"], row["verdict"]) == (pytest.approx(0.9), 0.065, "equivalent")
    row = only(frame, test="non_inferiority")
    assert (row["low"], row["high"]) == (None, pytest.approx(high))
    assert (row["level"], row["verdict"]) == (0.95, "not_inferior")
    row = only(frame, test="power")
    reach = (stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) * SE_T2
    assert row["detectable"] == pytest.approx(reach, rel=1e-4)
    times = (row["detectable"] / 0.03375) ** 2
    assert row["times"] == pytest.approx(times, rel=1e-12)
    assert [row[f"needed_{of}"] for of in ("targets", "nontargets", "units")] == [306, 1223, 1528]
    assert (row["n_units"], row["power"], row["verdict"]) == (1000, 0.8, "more_needed")


@pytest.mark.parametrize(
    ("margin", "equivalent", "inferior"),
    [("0.0612", "equivalent", "not_inferior"), ("0.0611", "not_shown_equivalent", "inferior_or_unknown")],
)
def test_a_verdict_follows_its_interval(tmp_path, margin, equivalent, inferior):
    """The 90 % interval of T2 ends at .06118."""
    config = asking("equivalence", "non_inferiority", more=BASE_B)
    frame = frame_from(tmp_path, T2, config, GIVEN, f"significance.margin={margin}")
    assert only(frame, test="equivalence")["verdict"] == equivalent
    assert only(frame, test="non_inferiority")["verdict"] == inferior


def test_where_higher_is_better_worse_is_below(tmp_path):
    """Specificity of a less b: .0225 higher; of b less a by as much lower, more than a margin of .005."""
    config = asking("non_inferiority") + "primary: {measure: specificity}\n"
    forth = only(frame_from(tmp_path / "a", T2, config + BASE_B, GIVEN, "significance.margin=0.005"))
    assert (forth["estimate"], forth["high"], forth["verdict"]) == (
        pytest.approx(0.0225),
        None,
        "not_inferior",
    )
    assert 0 < forth["low"] < 0.0225
    back = only(frame_from(tmp_path / "b", T2, config, GIVEN, "significance.margin=0.005"))
    assert (back["estimate"], back["high"], back["verdict"]) == (
        pytest.approx(-0.0225),
        None,
        "inferior_or_unknown",
    )


def test_delong_by_hand(tmp_path):
    """Methods 9.5: labels 0, 0, 1, 1, 1, p = .31731; and a third model that makes the omnibus one of three."""
    scores = {"a": (0.1, 0.2, 0.6, 0.7, 0.8), "b": (0.3, 0.6, 0.2, 0.7, 0.9), "c": (0.3, 0.6, 0.2, 0.7, 0.9)}
    rows = [
        {"model": model, "split": split, "trial": str(i), "label": i > 1, "score": score}
        for model, values in scores.items()
        for split in ("dev", "test")
        for i, score in enumerate(values)
    ]
    frame = frame_from(tmp_path, rows, asking("delong"))
    row = only(frame, model="b", baseline="a")
    # Four of six pairs are right, of a all: 2/3 less 1; z = -1.
    assert (row["estimate"], row["statistic"]) == (pytest.approx(-1 / 3), pytest.approx(-1))
    assert row["p_value"] == pytest.approx(0.31731, abs=5e-6)
    assert (row["low"], row["high"]) == pytest.approx(
        (-1 / 3 * (1 + 1.959963984540054), -1 / 3 * (1 - 1.959963984540054))
    )
    assert (row["measure"], row["criterion"], row["inference"]) == ("auc", None, None)
    same = only(frame, model="c", baseline="b")
    assert (same["estimate"], same["statistic"], same["p_value"], same["low"]) == (0, 0, 1, None)
    together = only(frame, model=None)
    # Two models rank all trials alike: one degree of freedom is lost, and the z of the pair is left.
    assert (together["n_models"], together["df"]) == (3, 1)
    assert together["statistic"] == pytest.approx(1)


def test_permutation_of_t2_is_near_the_exact_test(tmp_path):
    frame = frame_from(
        tmp_path, T2, asking("permutation", more=BASE_B), GIVEN, "significance.replicates=2000"
    )
    row = only(frame, measure="hter")
    assert row["estimate"] == pytest.approx(0.03375)
    assert abs(row["p_value"] - 0.0290146) < 4 * row["mc_error"] < 0.016
    assert row["replicates"] == 2000
    # Of scores 0 and 1 the area is 1 less HTER.
    area = only(frame, measure="auc")
    assert (area["estimate"], area["criterion"]) == (pytest.approx(-0.03375), None)


def world(models=("a", "b"), n=90, seed=1, **more):
    """Tied scores of several models on dev and test, in clusters of a few trials."""
    rows = []
    for split in ("dev", "test"):
        rng = np.random.default_rng([seed, split == "test"])
        label, shared = rng.random(n) < 0.4, rng.normal(size=n)
        label[:2] = True, False
        for model in models:
            own = np.random.default_rng([*model.encode(), seed, split == "test"])
            score = np.round(shared + own.normal(size=n) + (1.2 + 0.1 * len(model)) * label, 1)
            for i in range(n):
                key = {"model": model, "split": split, "trial": f"t{i}", "label": bool(label[i])}
                rows.append(key | {"score": float(score[i]), "speaker": f"s{i % 23}", **more})
    return rows


SIGNED = ("mcnemar", "null_z", "proportion_z", "delong", "permutation", "equivalence", "fragility", "power")
Z = ("null_z", "proportion_z", "delong")


@pytest.mark.parametrize("trials", ["", CLUSTERED])
@pytest.mark.parametrize("primary", ["hter", "f1", "auc"])
def test_naming_the_other_model_as_baseline_negates(tmp_path, trials, primary):
    config = trials + ASKED + f"primary: {{measure: {primary}}}\n"
    forth = frame_from(tmp_path / "b", world(), config + "baseline: b\n")
    back = frame_from(tmp_path / "a", world(), config + "baseline: a\n")
    assert forth.height == back.height
    minus = lambda x: None if x is None else 0.0 - x  # noqa: E731
    for row in forth.filter(pl.col("test").is_in(SIGNED)).to_dicts():
        key = {name: row[name] for name in ("test", "measure", "part", "unit")}
        other = only(back, **key, model="b", baseline="a")
        turned = row | {
            "model": "b",
            "baseline": "a",
            "estimate": minus(row["estimate"]),
            "low": minus(row["high"]),
            "high": minus(row["low"]),
            "statistic": minus(row["statistic"]) if row["test"] in Z else row["statistic"],
        }
        assert other == turned
    same = ("cochran_q", "venkatraman")
    assert (
        forth.filter(pl.col("test").is_in(same))
        .drop("model", "baseline")
        .equals(back.filter(pl.col("test").is_in(same)).drop("model", "baseline"))
    )


@pytest.mark.parametrize("trials", ["", CLUSTERED])
def test_nothing_depends_on_row_order_or_workers(tmp_path, trials):
    rows, config = world(("a", "b", "c")), trials + ASKED
    plain = frame_from(tmp_path / "plain", rows, config)
    shuffled = pl.DataFrame(rows).sample(fraction=1, shuffle=True, seed=3)
    with ThreadExecutor(3) as pool:
        again = frame_from(tmp_path / "again", shuffled, config, pool=pool)
    assert plain.equals(again)
    assert set(plain["test"]) == set(get_args(Test))
    assert plain.height == plain.unique(list(TESTED)).height


@pytest.mark.parametrize("trials", ["", CLUSTERED])
def test_no_pair_depends_on_other_models_nor_on_other_tests(tmp_path, trials):
    config = trials + ASKED
    two = frame_from(tmp_path / "two", world(), config)
    three = frame_from(tmp_path / "three", world(("a", "b", "0", "zz")), config)
    pair = {"model": "b", "baseline": "a"}
    assert three.filter(**pair).equals(two.filter(**pair))
    for test in ("permutation", "venkatraman", "power"):
        alone = frame_from(tmp_path / test, world(), trials + asking(test))
        assert alone.equals(two.filter(test=test))


def test_another_seed_moves_only_what_is_drawn(tmp_path):
    one, other = (
        frame_from(tmp_path / seed, world(), ASKED, GIVEN, f"significance.seed={seed}") for seed in "12"
    )
    moved = {
        a["test"]
        for a, b in zip(one.to_dicts(), other.to_dicts(), strict=True)
        if a["p_value"] != b["p_value"]
    }
    assert moved == {"venkatraman", "permutation"}


def on_test(rows):
    """Labels, scores of a and b, and speakers of the test trials, by the bytes of their keys."""
    ordered = sorted((r for r in rows if r["split"] == "test"), key=lambda r: r["trial"].encode())
    score = [np.array([r["score"] for r in ordered if r["model"] == m]) for m in "ab"]
    mine = [r for r in ordered if r["model"] == "a"]
    return np.array([r["label"] for r in mine]), *score, np.array([r["speaker"] for r in mine])


@pytest.mark.parametrize("trials", ["", CLUSTERED])
def test_permutations_draw_by_the_names_of_the_pair(tmp_path, trials):
    label, *score, speaker = on_test(world())
    unit = np.unique(speaker, return_inverse=True)[1] if trials else np.arange(90)
    ranks = [np.unique(s, return_inverse=True)[1].astype(np.uint32) for s in score]
    frame = frame_from(tmp_path, world(), trials + asking("venkatraman", "permutation"))
    pair = ("all", "test", "", "a", "0", "b", "0")
    row = only(frame, test="venkatraman")
    made = equal_curves(*ranks, label, 199, stream(1, "venkatraman", *pair), unit.astype(np.uint32))
    assert (row["statistic"], row["p_value"]) == (made.statistic, made.p)
    assert (row["measure"], row["n_units"], row["replicates"]) == (None, 23 if trials else 90, 199)
    row = only(frame, measure="auc")
    rng = stream(1, "permutation", "auc", *pair)
    swapped = permutation_test(area_difference(*score, label, unit), 199, rng)
    assert (row["estimate"], row["p_value"]) == (-swapped.statistic, swapped.p)
    assert row["mc_error"] == pytest.approx(np.sqrt(swapped.p * (1 - swapped.p) / 199), abs=1e-15)


@pytest.mark.parametrize("trials", ["", CLUSTERED])
@pytest.mark.parametrize(
    ("primary", "more"), [("hter", ()), ("hter", (GIVEN,)), ("f1", ()), ("auc", ()), ("eer_rocch", ())]
)
def test_the_headline_is_that_of_the_comparisons(tmp_path, trials, primary, more):
    config = trials + ASKED + f"primary: {{measure: {primary}}}\n"
    row = only(frame_from(tmp_path / "t", world(), config, *more), test="equivalence")
    frames = frames_from(tmp_path / "c", world(), config, "significance.replicates=199", *more)
    asked = {"measure": primary, "criterion": row["criterion"], "inference": row["inference"]}
    there = only(frames["comparisons"], **asked)
    assert there["difference"] == pytest.approx(row["estimate"], abs=1e-15)
    assert there["n_units"] == row["n_units"]
    if there["ci_method"] == "swap":
        assert (there["se"], row["df"]) == (pytest.approx(row["se"], rel=1e-12), None)
    elif there["ci_method"] != "studentized":
        p = 2 * stats.norm.sf(abs(row["estimate"]) / row["se"])
        p = p if row["df"] is None else normal_p(row["estimate"], row["se"], row["df"])
        assert there["p_value"] == pytest.approx(p, rel=1e-9)
        assert (row["df"] is None) == (trials == "")
    # The 23 speakers count as 17.1: they are of unequal size in targets.
    assert (row["unit"], "few_clusters" in row["flags"]) == ("cluster" if trials else "trial", bool(trials))


@pytest.mark.parametrize("policy", ["kfold", "cv_test", "leave_one_client_out"])
def test_each_trial_is_decided_at_the_thresholds_of_its_own_fold(tmp_path, policy):
    rows = [row for row in world() if row["split"] == "test"]
    config = (
        CLUSTERED + ASKED + f"thresholds: {{policy: {policy}}}\nmeasures: [far, frr, hter, error_rate, auc]\n"
    )
    frame = frame_from(tmp_path / "t", rows, config)
    compared = frames_from(tmp_path / "c", rows, config)["comparisons"].filter(criterion="min_hter")
    for row in frame.filter(
        pl.col("test").is_in(["mcnemar", "null_z", "proportion_z", "equivalence"])
    ).to_dicts():
        there = only(compared, measure=row["measure"])
        assert row["estimate"] == pytest.approx(there["difference"], abs=1e-15)
    assert set(frame["status"]) == {None}
    assert only(frame, test="equivalence")["inference"] == "procedure"
    held = frame.filter(pl.col("flags").list.contains("held_folds"))
    assert set(held["inference"]) == {"given_thresholds"}
    assert {"mcnemar", "null_z", "proportion_z", "fragility", "permutation"} <= set(held["test"])
    at_fixed = frame_from(
        tmp_path / "f",
        rows,
        config.replace("min_hter", "fixed(threshold=0.0)"),
        "primary.criterion=fixed(threshold=0.0)",
    )
    assert not at_fixed["flags"].list.contains("held_folds").any()


def test_thresholds_of_folds_held_fixed_leave_the_difference(tmp_path):
    rows = [row for row in world() if row["split"] == "test"]
    config = CLUSTERED + asking(
        "equivalence", "non_inferiority", "power", more="thresholds: {policy: cv_test}\n"
    )
    frame = frame_from(tmp_path / "t", rows, config, GIVEN)
    compared = only(
        frames_from(tmp_path / "c", rows, config, GIVEN)["comparisons"], measure="hter", criterion="min_hter"
    )
    assert set(frame["status"]) == {"folds_held"}
    assert frame["estimate"].to_list() == [compared["difference"]] * 3
    assert frame["p_value"].to_list() == [None] * 3


def test_the_margin_and_the_interval_are_dual_by_t_over_clusters(tmp_path):
    row = only(frame_from(tmp_path, world(), CLUSTERED + asking("equivalence"), GIVEN))
    quantile = stats.t.ppf(0.95, row["df"])
    # Twenty of the speakers have the 32 targets, one to three each: sum n^2 = 60, and they count as 32^2 / 60;
    # sum n^3 = 128.
    count, lacking = 32**2 / 60, 1 - 2 * 128 / (60 * 32) + 60 / 32**2
    assert (row["df"], row["n_units"]) == (pytest.approx(count - lacking * count / (count - 1)), 23)
    # No farther than by one whole speaker more, of 20 with two targets and 23 of them all.
    least = quantile * row["se"]
    most = reach_of(abs(row["estimate"]), row["se"] ** 2, 0.5 / 15, quantile, 0.05)
    assert least < row["high"] - row["estimate"] < most
    assert row["p_value"] > stats.t.sf((0.05 - abs(row["estimate"])) / row["se"], row["df"])
    assert (row["p_value"] <= 0.05) == (row["verdict"] == "equivalent")


def test_clusters_are_used_or_their_neglect_is_said(tmp_path):
    frame = frame_from(tmp_path / "auto", world(("a", "b", "c")), CLUSTERED + ASKED)
    assuming = {"mcnemar", "null_z", "proportion_z", "cochran_q"}
    flagged = frame.filter(pl.col("flags").list.contains("assumes_independent_trials"))
    assert set(flagged["test"]) == assuming | {"fragility"}
    assert set(frame.filter(unit="trial")["test"]) == assuming | {"fragility"}
    clusters = frame.filter(unit="cluster")
    assert set(clusters["n_units"]) == {23}
    assert set(clusters["test"]) == set(get_args(Test)) - assuming
    together = only(frame, test="delong", model=None)
    assert (together["df"], together["replicates"], together["status"]) == (2, 199, None)
    power = only(frame, test="power", model="b", baseline="a")
    assert (power["needed_targets"], power["needed_nontargets"]) == (None, None)
    assert power["needed_units"] == math.ceil(23 * power["times"] - 1e-9)
    by_trial = frame_from(
        tmp_path / "t", world(("a", "b", "c")), CLUSTERED + ASKED, "significance.unit=trial"
    )
    assert set(by_trial["unit"]) == {"trial"}
    drawn = pl.col("test").is_in(["equivalence", "non_inferiority", "power"])
    unflagged = by_trial.filter(~pl.col("flags").list.contains("assumes_independent_trials"))
    assert unflagged.equals(by_trial.filter(drawn))


def test_the_omnibus_of_replicates_is_near_that_of_placements(tmp_path):
    """With every trial a cluster of its own, up to Monte Carlo error and G / (G - 1)."""
    rows = [row | {"speaker": row["trial"]} for row in world(("a", "b", "c"), n=150)]
    closed, drawn = (
        only(
            frame_from(
                tmp_path / name, rows, trials + asking("delong"), GIVEN, "significance.replicates=1500"
            ),
            model=None,
        )
        for name, trials in (("closed", ""), ("drawn", CLUSTERED))
    )
    assert drawn["statistic"] == pytest.approx(closed["statistic"], rel=0.2)
    assert drawn["replicates"] != closed["replicates"]


def test_leaving_out_the_clusters_that_are_said_turns_the_verdict(tmp_path):
    """D and its error by clusters from the rows; the number that leaves is an upper bound."""
    frame = frame_from(tmp_path, world(), CLUSTERED + asking("fragility"))
    row = only(frame, unit="cluster")
    label, *score, speaker = on_test(world())
    wrong = []
    metrics = frames_from(tmp_path / "m", world(), CLUSTERED + "epc: none\n")["metrics"]
    for model, values in zip("ab", score, strict=True):
        at = {"model": model, "split": "test", "measure": "hter", "criterion": "min_hter"}
        wrong.append((values >= only(metrics, **at)["threshold"]) != label)
    extra = wrong[1].astype(float) - wrong[0]
    rate = np.where(label, extra[label].mean(), extra[~label].mean())
    influence = 0.5 * (extra - rate) / np.where(label, label.sum(), (~label).sum())
    _, unit = np.unique(speaker, return_inverse=True)
    w = np.bincount(unit[label]) / label.sum()
    factor = 1 / (1 - 2 * (w**3).sum() / (w**2).sum() + (w**2).sum())
    se = math.sqrt(factor * (np.bincount(unit, influence) ** 2).sum())
    estimate = (extra[label].mean() + extra[~label].mean()) / 2
    assert (row["estimate"], row["se"]) == (pytest.approx(estimate), pytest.approx(se))
    assert row["estimate"] == pytest.approx(only(frame, unit="trial")["estimate"], abs=1e-15)
    df = decisive(ClusterSizes.of(np.bincount(unit, of)) for of in (label, ~label)).degrees_of_freedom
    assert (row["df"], row["p_value"]) == (
        pytest.approx(df),
        pytest.approx(2 * stats.t.sf(abs(estimate) / se, df)),
    )
    assert (row["p_value"] < 0.05) == (row["verdict"] == "different")
    assert row["status"] is None
    assert row["statistic"] == row["needed_units"] > 0
    assert (row["p_after"] < 0.05) != (row["p_value"] < 0.05)


def runs():
    return [row | {"run": run} for seed, run in ((1, "1"), (1, "2")) for row in world(seed=seed)]


def keyless():
    return [{name: value for name, value in row.items() if name != "trial"} for row in world()]


def strata():
    return [row | {"stratum": "xy"[int(row["trial"][1:]) % 2]} for row in world()]


RUNS = "trials: {source: trials.parquet, columns: {run: run}}\n"
WEIGHTS = "trials: {source: trials.parquet, columns: {stratum: stratum}, weights: {stratum: {x: 1, y: 3}}}\n"
COUNTING = {"mcnemar", "null_z", "proportion_z", "cochran_q", "venkatraman", "permutation", "fragility"}
NUMBERS = [name for name, kind in TESTS.schema.items() if kind == pl.Float64]


@pytest.mark.parametrize(
    ("rows", "config", "status"), [(keyless(), ASKED, "no_trial_key"), (runs(), RUNS + ASKED, "several_runs")]
)
def test_what_cannot_be_paired_is_refused_row_by_row(tmp_path, rows, config, status):
    frame = frame_from(tmp_path, rows, config)
    assert set(frame["test"]) == set(get_args(Test))
    if status == "several_runs":  # their mean is compared all the same
        compared = {"equivalence", "non_inferiority", "power"}
        assert set(frame.filter(pl.col("status").is_null())["test"]) == compared
        frame = frame.filter(~pl.col("test").is_in(compared))
    assert set(frame["status"]) == {status}
    assert frame.select(NUMBERS).null_count().row(0) == (frame.height,) * len(NUMBERS)
    assert frame["verdict"].null_count() == frame.height


def test_a_margin_of_several_runs_is_that_of_their_comparison(tmp_path):
    built = build(tmp_path, runs(), RUNS + asking("equivalence", "power"), "significance.replicates=199")
    compared = only(built.frames["comparisons"], family="primary")
    for test in ("equivalence", "power"):
        row = only(built.frames["tests"], test=test)
        assert (row["estimate"], row["se"]) == pytest.approx((compared["difference"], compared["se"]))
        assert (row["inference"], row["status"]) == (compared["inference"], None)


def test_identical_models_are_equivalent_once_there_are_enough_trials(tmp_path):
    for size, verdict in ((25, "not_shown_equivalent"), (40, "equivalent")):
        rows = decided({(1, 1): size}, {(0, 0): 2 * size})
        frame = frame_from(tmp_path / str(size), rows, asking("equivalence"), GIVEN)
        row = only(frame, test="equivalence")
        # The rule of 3: log(1 / 0.05) w / n of the smaller class, against the margin of 0.05.
        assert (row["low"], row["high"]) == pytest.approx(
            (math.log(0.05) / 2 / size, -math.log(0.05) / 2 / size)
        )
        assert (row["verdict"], row["status"], row["flags"]) == (verdict, None, ["identical_decisions"])


def test_tests_that_count_are_refused_where_strata_weigh(tmp_path):
    frame = frame_from(tmp_path, strata(), WEIGHTS + ASKED)
    assert set(frame.filter(status="weighted")["test"]) == COUNTING
    others = frame.filter(pl.col("status").is_null())
    assert set(others["test"]) == set(get_args(Test)) - COUNTING
    assert only(others, test="delong")["replicates"] == 199


def test_a_model_with_runs_refuses_its_own_pairs_alone(tmp_path):
    rows = [row | {"run": "0"} for row in world()] + [
        row | {"model": "c"} for row in runs() if row["model"] == "a"
    ]
    frame = frame_from(tmp_path, rows, RUNS + asking("mcnemar", "delong"))
    refused = frame.filter(status="several_runs")
    assert set(zip(refused["model"], refused["baseline"], strict=True)) == {
        ("c", "a"), ("c", "b"), (None, None),
    }  # fmt: skip
    assert frame.filter(model="b", baseline="a")["status"].null_count() == 4


@pytest.mark.parametrize(
    ("primary", "refused"),
    [
        ("{measure: f1}", {("null_z", "f1"), ("permutation", "f1"), ("fragility", "f1")}),
        ("{measure: eer_rocch}", {(test, "eer_rocch") for test in ("null_z", "permutation", "fragility")}),
        ("{measure: auc}", {("null_z", "auc"), ("fragility", "auc")}),
    ],
)
def test_a_measure_that_is_no_sum_of_rates(tmp_path, primary, refused):
    frame = frame_from(tmp_path, world(), ASKED + f"primary: {primary}\n")
    rows = frame.filter(status="not_linear")
    assert set(zip(rows["test"], rows["measure"], strict=True)) == refused
    assert frame.filter(pl.col("status").is_not_null()).height == rows.height
    # The thresholds of the others are then those of the report's first criterion.
    assert set(frame.filter(test="mcnemar")["criterion"]) == {"min_hter"}
    assert set(frame.filter(test="equivalence")["inference"]) == {
        None if "f1" not in primary else "procedure"
    }


def test_no_criterion_at_all(tmp_path):
    frame = frame_from(tmp_path, world(), ASKED + "primary: {measure: auc}\ncriteria: []\n")
    rows = frame.filter(status="no_criterion")
    assert set(rows["test"]) == {"mcnemar", "proportion_z", "cochran_q"}
    assert set(rows["criterion"]) == {None}


def test_thresholds_that_need_likelihood_ratios(tmp_path):
    frame = frame_from(tmp_path, world(), ASKED + 'primary: {criterion: "bayes(p_target=0.1)"}\n')
    rows = frame.filter(status="not_calibrated_scale")
    assert set(rows["test"]) == set(get_args(Test)) - {"delong", "venkatraman"}
    assert frame.filter(test="permutation", measure="auc")["status"].to_list() == [None]


def test_an_empty_class(tmp_path):
    rows = [row for row in world(("a", "b", "c")) if row["split"] == "dev" or not row["label"]]
    frame = frame_from(tmp_path, rows, ASKED)
    defined = frame.filter(pl.col("status").is_null())
    assert set(zip(defined["test"], defined["part"], strict=True)) == {
        ("mcnemar", "nontargets"), ("mcnemar", "both"), ("proportion_z", "both"),
        ("cochran_q", "nontargets"), ("cochran_q", "both"),
    }  # fmt: skip
    assert set(frame["status"]) == {None, "no_targets"}


def test_areas_whose_replicates_nobody_asked_for(tmp_path):
    config = asking("delong") + "measures: [hter]\n"
    rows = world(("a", "b", "c"))
    assert set(frame_from(tmp_path / "c", rows, CLUSTERED + config)["status"]) == {"not_measured"}
    assert set(frame_from(tmp_path / "t", rows, config)["status"]) == {None}


@pytest.mark.parametrize("pools", ["one", "two"])
def test_pair_trials_are_exchanged_one_by_one_and_left_out_by_no_cluster(tmp_path, pools):
    rows = [row | {"heard": f"s{int(row['trial'][1:]) * 7 % 19}"} for row in world()]
    trials = f"trials: {{source: trials.parquet, columns: {{cluster: [speaker, heard]}}, clusters: {{pools: {pools}}}}}\n"
    frame = frame_from(tmp_path, rows, trials + ASKED)
    drawn = frame.filter(pl.col("test").is_in(["venkatraman", "permutation"]))
    assert set(drawn["unit"]) == {"trial"}
    assert set(map(tuple, drawn["flags"])) == {("assumes_independent_trials",)}
    assert only(frame, test="fragility", unit="cluster")["status"] == "pair_trials"
    assert only(frame, test="equivalence")["unit"] == "cluster"


def test_no_direction_for_a_measure_with_an_ideal(tmp_path):
    config = asking("equivalence", "non_inferiority") + "primary: {measure: det_slope}\n"
    frame = frame_from(tmp_path, world(), config)
    assert only(frame, test="non_inferiority")["status"] == "no_direction"
    assert only(frame, test="equivalence")["p_value"] is not None


def test_models_that_decide_alike(tmp_path):
    rows = world(("a",)) + [row | {"model": "b"} for row in world(("a",))]
    frame = frame_from(tmp_path, rows, ASKED)
    tested = frame.filter(~pl.col("test").is_in(["equivalence", "non_inferiority", "power"]))
    assert set(tested["p_value"]) == {1}
    assert set(tested["status"]) == {None}
    assert only(frame, test="equivalence")["flags"] == ["identical_decisions"]
    assert (only(frame, test="power")["status"], only(frame, test="power")["times"]) == ("degenerate", None)
    assert only(frame, test="fragility")["verdict"] == "not_shown_different"


def test_too_few_trials_for_any_verdict_but_one(tmp_path):
    """Of 2 targets and 2 non-targets the least mid-p is 1/32 + 1/32, all four decided differently."""
    rows = decided({(1, 0): 1, (1, 1): 1}, {(0, 0): 2})
    row = only(frame_from(tmp_path, rows, asking("fragility")))
    assert (row["verdict"], row["status"], row["statistic"]) == (
        "not_shown_different",
        "not_reversible",
        None,
    )


def test_a_difference_of_nothing_is_never_resolved(tmp_path):
    rows = decided(table(5, 3, 3, 5), table(5, 4, 4, 5))
    row = only(frame_from(tmp_path, rows, asking("power"), GIVEN))
    assert (row["estimate"], row["verdict"], row["times"], row["status"]) == (0, "no_difference", None, None)
    assert [row[f"needed_{of}"] for of in ("targets", "nontargets", "units")] == [None] * 3
    assert row["detectable"] > 0


def test_rounding_is_no_difference(tmp_path):
    """HTER (0 + 3/10) / 2 against (1/10 + 2/10) / 2: equal but for the last bit."""
    rows = decided({(1, 1): 6, (0, 1): 2, (1, 0): 1, (0, 0): 1}, {(0, 0): 9, (0, 1): 1})
    row = only(frame_from(tmp_path, rows, asking("power", more=BASE_B), GIVEN))
    assert 0 < abs(row["estimate"]) < 1e-15
    assert (row["verdict"], row["times"], row["needed_units"]) == ("no_difference", None, None)


def test_more_trials_than_can_be_counted(tmp_path):
    """Misses are alike and false alarms, which hardly weigh, are not: a difference of 1e-10."""
    rows = decided({(1, 0): 3, (0, 1): 3, (1, 1): 4}, {(0, 0): 9, (0, 1): 1})
    config = asking("power") + 'primary: {measure: "weighted_error(alpha=1e-9)"}\n'
    row = only(frame_from(tmp_path, rows, config, GIVEN))
    assert row["estimate"] == pytest.approx(1e-10)
    assert row["times"] > 1e18
    assert (row["verdict"], row["needed_units"], row["needed_targets"]) == ("more_needed", None, None)


def test_enough_is_enough(tmp_path):
    rows = decided(table(5, 0, 90, 5), table(5, 90, 0, 5))
    row = only(frame_from(tmp_path, rows, asking("power"), GIVEN))
    assert row["verdict"] == "enough"
    assert 0 < row["times"] < 1
    assert row["needed_targets"] <= 100
    assert row["detectable"] < abs(row["estimate"])


@pytest.mark.parametrize(
    ("rows", "config"),
    [
        (world(("a",)), ASKED),
        (world(), "epc: none\n"),
        (world(), "epc: none\nsignificance: {tests: []}\n"),
    ],
)
def test_one_model_or_no_word_gives_no_rows(tmp_path, rows, config):
    assert frame_from(tmp_path, rows, config).is_empty()


def test_groups_have_none_and_datasets_their_own(tmp_path):
    rows = [row | {"gender": "fm"[int(row["trial"][1:]) % 2]} for row in world()]
    plain = frame_from(tmp_path / "plain", rows, ASKED)
    assert frame_from(tmp_path / "by", rows, ASKED + "by: [gender]\n").equals(plain)
    two = frame_from(tmp_path / "two", [row | {"dataset": d} for d in "xy" for row in world()], ASKED)
    assert two.height == 2 * plain.height
    one, other = (two.filter(dataset=d).drop("dataset") for d in "xy")
    drawn = pl.col("test").is_in(["venkatraman", "permutation", "equivalence", "non_inferiority", "power"])
    assert one.filter(~drawn).equals(other.filter(~drawn))


@pytest.mark.parametrize("trials", ["", CLUSTERED])
def test_no_number_is_without_its_reason(tmp_path, trials):
    frame = frame_from(tmp_path, world(("a", "b", "c"), n=24), trials + ASKED)
    assert not any(frame.select(pl.col(NUMBERS).is_nan().any()).row(0))
    assert not any(frame.select(pl.col(NUMBERS).is_infinite().any()).row(0))
    tested = frame.filter(pl.col("test") != "power")
    assert tested.filter(pl.col("p_value").is_null() & pl.col("status").is_null()).is_empty()
    assert (
        frame.filter(test="power").filter(pl.col("verdict").is_null(), pl.col("status").is_null()).is_empty()
    )
    assert frame.schema == TESTS.schema
    assert json.loads(frame.write_json())


def test_few_clusters_are_flagged_where_their_spread_counts(tmp_path):
    rows = [row | {"speaker": f"s{int(row['trial'][1:]) % 7}"} for row in world()]
    frame = frame_from(tmp_path, rows, CLUSTERED + ASKED)
    few = pl.col("flags").list.contains("few_clusters")
    assert frame.filter(few).equals(frame.filter(unit="cluster"))


HOSTILE = ("<script>alert(1)</script>", "$x^2$ \\input{a} %", "日本 Ω", "=1+1", "a\nb")


def test_hostile_names_are_names(tmp_path):
    frame = frame_from(tmp_path, world(HOSTILE, n=30), ASKED)
    assert set(frame["model"]) | set(frame["baseline"]) == {*HOSTILE, None}
    assert set(frame.filter(pl.col("model").is_not_null())["status"]) <= {
        None,
        "not_reversible",
        "degenerate",
    }
