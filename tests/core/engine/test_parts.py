"""Datasets, groups, weights, macro means and threshold policies, on tables small enough for paper."""

import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from build import build
from from_config import frames_from, only
from scipy.stats import ttest_rel

from reporting.core.engine.parts import group_name, members_of
from reporting.core.stats.calibration import fit_affine, fit_pav
from reporting.core.stats.special import expit
from reporting.document.frames.comparisons import COMPARISONS
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.trials import TRIALS


def trials(model="a", seed=1, n=160, shift=1.5):
    """Dev and test trials with a query and a gender; the models' scores differ, the trials do not."""
    common, own = np.random.default_rng(1), np.random.default_rng([seed, 5])
    rows = []
    for split in ("dev", "test"):
        label = common.random(n) < 0.4
        label[:4] = True, False, True, False
        score = np.round(own.normal(size=n) + shift * label, 1)
        for i in range(n):
            rows.append(
                {
                    "model": model, "split": split, "trial": f"{split}{i}", "label": bool(label[i]),
                    "score": float(score[i]), "gender": "fm"[i % 2], "channel": "GSM"[i % 3], "query": f"q{i % 7}",
                }
            )  # fmt: skip
    return rows


def two_models():
    return trials("a", 1) + trials("b", 2, shift=1.2)


def test_a_group_holds_the_trials_that_have_all_its_values(tmp_path):
    ranks = build(tmp_path, trials(n=12), "by: [[gender, channel]]").counts.ranks["all", "dev"]
    gender, channel = (
        [attribute.values[code] for code in attribute.code]
        for attribute in (ranks.attributes[name] for name in ("gender", "channel"))
    )
    for g in "fm":
        assert members_of(ranks, ("gender",), (g,)).tolist() == [i for i in range(12) if gender[i] == g]
        inside = [i for i in range(12) if (gender[i], channel[i]) == (g, "S")]
        assert len(inside) == 2
        assert members_of(ranks, ("gender", "channel"), (g, "S")).tolist() == inside
    assert members_of(ranks, ("gender",), ("x",)).tolist() == []


def test_a_group_is_the_report_of_its_own_trials_at_the_thresholds_of_the_whole(tmp_path):
    rows = two_models()
    frames = frames_from(tmp_path / "by", rows, "by: [gender, [gender, channel]]")
    alone = frames_from(tmp_path / "f", [r for r in rows if r["gender"] == "f"])
    metrics = frames["metrics"]
    groups = metrics["group"].unique().sort().to_list()
    assert groups == [
        "",
        *sorted(f"channel={c},gender={g}" for c in "GSM" for g in "fm"),
        "gender=f",
        "gender=m",
    ]
    for measure in ("auc", "eer_rocch", "mindcf"):
        row = only(metrics, measure=measure, model="a", split="test", group="gender=f")
        own = only(alone["metrics"], measure=measure, model="a", split="test", group="")
        assert (row["value"], row["n_target"]) == (own["value"], own["n_target"])
    for criterion in ("min_hter", "eer"):
        parts = [
            only(metrics, measure="far", criterion=criterion, model="a", split="test", group=f"gender={g}")
            for g in "fm"
        ]
        whole = only(metrics, measure="far", criterion=criterion, model="a", split="test", group="")
        assert {p["threshold"] for p in parts} == {whole["threshold"]}
        assert sum(p["false_alarms"] for p in parts) == whole["false_alarms"]
        assert sum(p["n_nontarget"] for p in parts) == whole["n_nontarget"]
    families = frames["comparisons"].filter(pl.col("group") != "")["family"].unique().to_list()
    assert families == ["descriptive"]


def test_the_whole_is_the_same_with_and_without_breakdowns(tmp_path):
    plain = frames_from(tmp_path / "plain", two_models())
    by = frames_from(tmp_path / "by", two_models(), "by: [gender]")
    for name in ("metrics", "comparisons", "epc", "roc", "areas"):
        assert by[name].filter(group="").equals(plain[name])


def test_a_group_without_a_class_leaves_the_others_untouched(tmp_path):
    rows = two_models()
    odd = [r for r in rows if not (r["gender"] == "m" and r["label"] and r["split"] == "test")]
    frames = frames_from(tmp_path / "odd", odd, "by: [gender]")
    usual = frames_from(tmp_path / "usual", rows, "by: [gender]")
    alone = only(frames["metrics"], measure="auc", model="a", split="test", group="gender=m")
    assert (alone["value"], alone["status"]) == (None, "no_targets")
    far = only(frames["metrics"], measure="far", criterion="eer", model="a", split="test", group="gender=m")
    assert far["value"] == far["false_alarms"] / far["n_nontarget"]
    frr = only(frames["metrics"], measure="frr", criterion="eer", model="a", split="test", group="gender=m")
    assert (frr["value"], frr["status"]) == (None, "no_targets")
    keep = pl.col("group") == "gender=f"
    assert frames["metrics"].filter(keep).equals(usual["metrics"].filter(keep))


def test_signs_of_ours_in_a_value_cannot_make_two_groups_one():
    assert group_name(("b", "a"), ("1", "2")) == "a=2,b=1"
    assert group_name(("a",), ("2,b=1",)) == r"a=2\,b\=1"


def test_macro_means_give_every_value_the_same_weight(tmp_path):
    rows = two_models()
    frames = frames_from(
        tmp_path / "macro", rows, "averaged_over: query\nmeasures: [far, f1, ap_step, auc]\nby: [query]"
    )
    metrics = frames["metrics"]
    for measure, criterion in (("ap_step", None), ("auc", None), ("far", "min_hter"), ("f1", "eer")):
        asked = {"measure": measure, "criterion": criterion, "model": "a", "split": "test"}
        each = [only(metrics, group=f"query=q{q}", **asked)["value"] for q in range(7)]
        row = only(metrics, group="mean(query)", **asked)
        assert row["value"] == pytest.approx(np.mean(each), abs=1e-15)
        assert (row["n_units"], row["ci_method"], row["unit"]) == (7, "percentile", "cluster")
        assert row["ci_low"] <= row["value"] <= row["ci_high"]
    difference = only(frames["comparisons"], group="mean(query)", measure="ap_step")
    values = [
        only(metrics, group="mean(query)", measure="ap_step", model=m, split="test")["value"] for m in "ba"
    ]
    assert difference["difference"] == pytest.approx(values[0] - values[1], abs=1e-15)
    assert (difference["family"], difference["p_method"], difference["n_units"]) == ("descriptive", "t", 7)
    asked = {"measure": "ap_step", "split": "test"}
    each = [[only(metrics, group=f"query=q{q}", model=m, **asked)["value"] for q in range(7)] for m in "ba"]
    assert difference["p_value"] == pytest.approx(ttest_rel(*each).pvalue, rel=1e-9)
    assert "few_clusters" in difference["flags"]


def test_values_without_a_class_are_left_out_of_the_mean_and_said(tmp_path):
    rows = [r | {"query": "q9"} if r["trial"] == "test1" else r for r in two_models()]
    frames = frames_from(tmp_path / "macro", rows, "averaged_over: query\nmeasures: [auc]\nby: [query]")
    row = only(frames["metrics"], group="mean(query)", measure="auc", model="a", split="test")
    assert (row["n_units"], row["flags"]) == (7, ["few_clusters", "undefined_left_out"])
    made = only(frames["comparisons"], group="mean(query)", measure="auc")
    assert (made["n_units"], made["flags"], made["status"]) == (
        7,
        ["few_clusters", "undefined_left_out"],
        None,
    )
    assert made["ci_low"] < made["difference"] < made["ci_high"]


def test_macro_means_of_few_values_always_have_an_interval(tmp_path):
    """With 4 of 6 values defined, plain draws of the six would now and then hold none."""
    rows = [
        r | {"query": "q0" if r["query"] in ("q0", "q4", "q5", "q6") else r["query"]} for r in two_models()
    ]
    rows = [r | {"query": {"test1": "q8", "test3": "q9"}.get(r["trial"], r["query"])} for r in rows]
    config = "averaged_over: query\nmeasures: [auc]\nby: [query]"
    frames = frames_from(tmp_path / "few", rows, config, "significance.replicates=999")
    row = only(frames["metrics"], group="mean(query)", measure="auc", model="a", split="test")
    assert row["n_units"] == 4
    assert row["ci_low"] < row["value"] < row["ci_high"]


def weighted_rows():
    """Stratum a: targets 2, 3, non-targets 0, 1; stratum b: target 1, non-target 2."""
    test = [("a", True, 2), ("a", True, 3), ("a", False, 0), ("a", False, 1), ("b", True, 1), ("b", False, 2)]
    return [
        {"model": m, "split": s, "trial": f"{s}{i}", "label": y, "score": float(x) * sign, "stratum": stratum}
        for m, sign in (("one", 1), ("two", 2))
        for s in ("dev", "test")
        for i, (stratum, y, x) in enumerate(test)
    ]


def test_rates_weigh_strata_and_counts_do_not(tmp_path):
    frames = frames_from(
        tmp_path / "w",
        weighted_rows(),
        """\
        trials: {source: trials.parquet, columns: {stratum: stratum}, weights: {stratum: {a: 1, b: 0.5}}}
        criteria: ["fixed(threshold=1.5)"]
        primary: {measure: far, criterion: "fixed(threshold=1.5)"}
        measures: [far, frr, auc]
        epc: none
        """,
    )
    asked = {"criterion": "fixed(threshold=1.5)", "split": "test", "model": "one"}
    far = only(frames["metrics"], measure="far", **asked)
    # Weighted: 0.5 of 2.5 non-targets above 1.5, 0.5 of 2.5 targets below it.
    assert (far["value"], far["false_alarms"], far["n_nontarget"]) == (0.5 / 2.5, 1, 3)
    frr = only(frames["metrics"], measure="frr", **asked)
    assert (frr["value"], frr["misses"], frr["n_target"]) == (0.5 / 2.5, 1, 3)
    auc = only(frames["metrics"], measure="auc", model="one", split="test")
    pairs = {
        (2, 0): 1,
        (2, 1): 1,
        (2, 2): 0.5,
        (3, 0): 1,
        (3, 1): 1,
        (3, 2): 1,
        (1, 0): 1,
        (1, 1): 0.5,
        (1, 2): 0,
    }
    weight = {0: 1, 1: 1, 2: Fraction(1, 2)}, {2: 1, 3: 1, 1: Fraction(1, 2)}
    total = sum(Fraction(w) * weight[1][t] * weight[0][n] for (t, n), w in pairs.items())
    assert auc["value"] == pytest.approx(float(total / Fraction(25, 4)), abs=1e-15)
    assert auc["ci_method"] == "logit_weighted"


def test_weights_of_one_change_nothing_but_the_way_to_the_interval(tmp_path):
    rows = [r | {"stratum": r["gender"]} for r in two_models()]
    plain = frames_from(tmp_path / "plain", two_models())["metrics"]
    config = "trials: {source: trials.parquet, columns: {stratum: stratum}, weights: {stratum: {f: 2, m: 2}}}"
    heavy = frames_from(tmp_path / "heavy", rows, config)["metrics"]
    for column in ("measure", "value", "misses", "false_alarms", "n_target", "threshold", "status"):
        assert heavy[column].equals(plain[column]), column


LOCO = {"A": ([1, 2], [-1, 0]), "B": ([0.5, 1.5], [0.8, -2]), "C": ([2.5, 3], [-0.5, 1.2])}


def loco_rows(**more):
    return [
        {
            "model": "m",
            "trial": f"{client}{kind}{i}",
            "label": kind == "t",
            "score": float(s),
            "client": client,
        }
        | more
        for client, both in LOCO.items()
        for kind, scores in zip("tn", both, strict=True)
        for i, s in enumerate(scores)
    ]


@pytest.mark.parametrize("policy", ["leave_one_client_out", "cv_test"])
def test_leave_one_client_out_by_hand(tmp_path, policy):
    rows = loco_rows(split="test") + (loco_rows(split="dev") if policy == "cv_test" else [])
    config = f"""\
        trials: {{source: trials.parquet, columns: {{cluster: client}}}}
        thresholds: {{policy: {policy}}}
        """
    frames = frames_from(tmp_path / policy, rows, config)
    values = {
        m: only(frames["metrics"], measure=m, criterion="min_hter", split="test")
        for m in ("far", "frr", "hter")
    }
    assert [values[m]["value"] for m in values] == pytest.approx([1 / 6, 3 / 6, 1 / 3], abs=1e-15)
    assert (values["far"]["false_alarms"], values["frr"]["misses"]) == (1, 3)
    assert (values["far"]["threshold"], values["far"]["threshold_source"]) == (None, "cv")
    # A on the trials of B and C: 1.35; B 1.6; C 0.9. Between them lie the targets 1 and 1.5, and 1.2.
    of_folds = [values["far"][name] for name in ("folds", "threshold_low", "threshold_high", "between")]
    assert of_folds == [3, pytest.approx(0.9), pytest.approx(1.6), 3]
    assert set(frames["metrics"].filter(criterion="oracle(min_hter)")["folds"]) == {None}
    best = only(frames["metrics"], measure="hter", criterion="oracle(min_hter)", split="test")
    assert (best["value"], best["threshold"]) == (pytest.approx(1 / 6), pytest.approx(0.9))
    assert frames["metrics"].filter(split="dev").is_empty()
    curve = frames["epc"].filter(measure="hter", alpha=0.5)
    assert curve["value"].to_list() == pytest.approx([1 / 3])
    assert curve["value_dev"].to_list() == [None]
    assert "areas" not in frames


def test_folds_do_not_depend_on_the_order_of_rows(tmp_path):
    rows = pl.DataFrame([r for r in two_models() if r["split"] == "test"]).drop("split")
    config = "thresholds: {policy: kfold, folds: 5}"
    one = frames_from(tmp_path / "one", rows, config)
    two = frames_from(tmp_path / "two", rows.sample(fraction=1, shuffle=True, seed=3), config)
    assert all(one[name].equals(two[name]) for name in one)
    by = frames_from(tmp_path / "by", rows, config + "\nby: [gender]")["metrics"]
    whole, parts = (by.filter(pl.col("group") == g, pl.col("measure") == "hter") for g in ("", "gender=f"))
    assert by.filter(group="").equals(one["metrics"])
    assert 0 < parts["false_alarms"][0] < whole["false_alarms"][0]


def test_half_the_clients_choose_for_the_other_half(tmp_path):
    rows = pl.DataFrame(two_models()).filter(split="test").drop("split").with_columns(client=pl.col("query"))
    config = """\
        trials: {source: trials.parquet, columns: {cluster: client}}
        thresholds: {policy: split_clients}
        """
    frames = frames_from(tmp_path / "halves", rows, config)
    counts = frames["trials"].filter(model="a")
    assert counts["split"].to_list() == ["dev", "test"]
    assert counts["n_clusters"].sum() == 7
    assert counts["n_target"].sum() + counts["n_nontarget"].sum() == 160
    threshold = frames["metrics"].filter(measure="hter", criterion="min_hter", model="a")["threshold"]
    assert threshold.n_unique() == 1


def test_a_dataset_without_dev_takes_its_thresholds_from_another(tmp_path):
    rows = [r | {"dataset": "easy"} for r in two_models()]
    hard = [r | {"dataset": "hard", "score": r["score"] - 0.3} for r in two_models() if r["split"] == "test"]
    frames = frames_from(tmp_path / "one", rows + hard)
    metrics = frames["metrics"].filter(measure="hter", criterion="min_hter", model="a")
    assert metrics.select("dataset", "split").rows() == [("easy", "dev"), ("easy", "test"), ("hard", "test")]
    assert metrics["threshold"].n_unique() == 1
    values = frames["epc"].filter(measure="hter", model="a", alpha=0.5)
    assert values["value_dev"].n_unique() == 1
    other = [r | {"dataset": "far", "score": r["score"] + 9} for r in two_models()]
    named = frames_from(tmp_path / "two", rows + hard + other, "thresholds: {from: {hard: far}}")
    at = (
        named["metrics"]
        .filter(measure="hter", criterion="min_hter", model="a", split="test")
        .select("dataset", "threshold")
    )
    thresholds = dict(at.rows())
    assert thresholds["hard"] == pytest.approx(thresholds["easy"] + 9)


def test_operating_points_have_actual_and_minimum_costs(tmp_path):
    rows = [r | {"score": r["score"] - 0.75} for r in two_models()]
    config = """\
        models: {a: {scale: llr}, b: {}}
        measures: [hter, "dcf(p_target=0.1)", "mindcf(p_target=0.1)", "actdcf(p_target=0.1)"]
        criteria: [min_hter, "min_dcf(p_target=0.1)", "bayes(p_target=0.1)"]
        operating_points: [{name: rare, p_target: 0.1}]
        """
    frames = frames_from(tmp_path / "points", rows, config)
    dcf, metrics = frames["dcf"], frames["metrics"]
    asked = {"model": "a", "split": "test"}
    on_dev = only(dcf, name="rare", threshold_source="dev", **asked)
    cost = only(metrics, measure="dcf(p_target=0.1)", criterion="min_dcf(p_target=0.1)", **asked)
    assert (on_dev["actual"], on_dev["threshold"]) == (cost["value"], cost["threshold"])
    assert on_dev["minimum"] == only(metrics, measure="mindcf(p_target=0.1)", **asked)["value"]
    assert on_dev["actual_ci_low"] < on_dev["actual"] < on_dev["actual_ci_high"]
    bayes = only(dcf, name="rare", threshold_source="bayes", **asked)
    assert bayes["threshold"] == pytest.approx(math.log(9))
    assert bayes["actual"] == only(metrics, measure="actdcf(p_target=0.1)", **asked)["value"]
    plain = only(dcf, name="rare", threshold_source="bayes", model="b", split="test")
    assert (plain["actual"], plain["status"]) == (None, "not_calibrated_scale")
    unscaled = only(metrics, measure="hter", criterion="bayes(p_target=0.1)", model="b", split="test")
    assert (unscaled["value"], unscaled["status"]) == (None, "not_calibrated_scale")


CALIBRATED = ("brier(calibration=affine)", "log_loss(calibration=pav)")


@pytest.mark.parametrize("scale", ["score", "probability"])
def test_calibrated_probabilities_take_the_share_of_dev_unless_a_prevalence_is_declared(tmp_path, scale):
    rows = [row | {"score": 1 / (1 + math.exp(-row["score"]))} for row in two_models()]
    rows = [
        row for row in rows if not row["label"] or row["trial"] not in {f"dev{i}" for i in range(0, 160, 3)}
    ]
    dev = pl.DataFrame(rows).filter(model="a", split="dev")
    share = dev["label"].cast(pl.Int64).mean()
    assert 0.1 < share < 0.45
    keys = f"measures: [hter, {', '.join(map(repr, CALIBRATED))}]\nmodels: {{a: {{scale: {scale}}}}}"
    sampled = frames_from(tmp_path / "sample", rows, keys)["metrics"]
    declared = frames_from(tmp_path / "same", rows, keys, "trials.prevalence=0.3")["metrics"]
    for measure in CALIBRATED:
        row = only(sampled, measure=measure, model="a", split="test")
        assert "share_of_dev" in row["flags"]
        map_of = fit_affine if "affine" in measure else fit_pav
        cuts = (
            dev.group_by("score")
            .agg(pl.col("label").sum(), (~pl.col("label")).sum().alias("not"))
            .sort("score")
        )
        test = pl.DataFrame(rows).filter(model="a", split="test")
        llr = map_of(*cuts.get_columns()).apply(test["score"].to_numpy())
        p, y = expit(llr + math.log(share / (1 - share))), test["label"].cast(pl.Int64).to_numpy()
        by_hand = (
            np.mean((p - y) ** 2) if "brier" in measure else -np.mean(np.log(np.where(y == 1, p, 1 - p)))
        )
        assert row["value"] == pytest.approx(by_hand, rel=1e-12)
    assert "share_of_dev" not in {flag for flags in declared["flags"] for flag in flags}


@pytest.mark.parametrize(("scale", "measure"), [("llr", "brier"), ("probability", "cllr"), ("logit", "cllr")])
def test_a_scale_of_the_other_kind_lacks_a_prevalence(tmp_path, scale, measure):
    rows = [row | {"score": 1 / (1 + math.exp(-row["score"]))} for row in two_models()]
    keys = f"measures: [hter, {measure}]\nmodels: {{a: {{scale: {scale}}}}}"
    row = only(frames_from(tmp_path, rows, keys)["metrics"], measure=measure, model="a", split="test")
    assert (row["value"], row["status"]) == (None, "no_prevalence")


def test_a_measure_that_needs_a_scale_is_null_without_it_and_right_with_it(tmp_path):
    rows = two_models()
    measures = 'measures: [hter, cllr, "cllr(calibration=affine)", "cllr(calibration=pav)", mincllr, brier]'
    plain = frames_from(tmp_path / "plain", rows, measures)["metrics"]
    assert only(plain, measure="cllr", model="a", split="test")["status"] == "not_calibrated_scale"
    assert only(plain, measure="brier", model="a", split="test")["status"] == "not_probability"
    affine = only(plain, measure="cllr(calibration=affine)", model="a", split="test")
    assert 0 < only(plain, measure="mincllr", model="a", split="test")["value"] <= affine["value"] < 1
    assert affine["ci_low"] < affine["value"] < affine["ci_high"]
    scaled = frames_from(
        tmp_path / "scaled", rows, measures + "\nmodels: {a: {scale: llr}, b: {scale: log10_llr}}"
    )
    raw = {m: only(scaled["metrics"], measure="cllr", model=m, split="test")["value"] for m in "ab"}
    for model, base in (("a", 1.0), ("b", math.log(10))):
        part = pl.DataFrame(rows).filter(model=model, split="test")
        llr, label = part["score"].to_numpy() * base, part["label"].to_numpy()
        expected = (np.logaddexp(0, -llr[label]).mean() + np.logaddexp(0, llr[~label]).mean()) / (
            2 * math.log(2)
        )
        assert raw[model] == pytest.approx(expected, abs=1e-14)
    # An affine map undoes any affine change of the scores.
    moved = [r | {"score": 3 * r["score"] - 8} for r in rows]
    again = frames_from(tmp_path / "moved", moved, measures)["metrics"]
    there = only(again, measure="cllr(calibration=affine)", model="a", split="test")["value"]
    assert there == pytest.approx(affine["value"], abs=1e-9)


def test_measures_that_are_not_linear_are_compared_by_the_studentized_bootstrap(tmp_path):
    frames = frames_from(
        tmp_path / "f1", two_models(), "primary: {measure: f1, criterion: best}\nmeasures: [precision, mcc]"
    )
    rows = frames["comparisons"].filter(
        pl.col("parameter").is_null() & (pl.col("criterion") == "best(measure=f1)")
    )
    assert set(rows.filter(pl.col("inference") == "procedure")["p_method"]) == {"swap"}
    rows = rows.filter(pl.col("inference") == "given_thresholds")
    assert rows["measure"].to_list() == ["f1", "mcc", "precision"]
    assert set(rows["p_method"]) == {"studentized"}
    assert set(rows["ci_method"]) == {"studentized"}
    assert rows["p_exact"].to_list() == [None] * 3
    assert ((rows["ci_low"] <= rows["difference"]) & (rows["difference"] <= rows["ci_high"])).all()
    assert (rows["p_value"] >= 1 / 100).all()


def test_declared_prevalence_stands_in_the_name(tmp_path):
    config = "trials: {source: trials.parquet, prevalence: 0.01}\nmeasures: [precision, hter, f1]"
    metrics = frames_from(tmp_path / "rare", two_models(), config)["metrics"]
    asked = {"criterion": "min_hter", "model": "a", "split": "test"}
    precision = only(metrics, measure="precision(prevalence=0.01)", **asked)
    tpr = 1 - precision["misses"] / precision["n_target"]
    far = precision["false_alarms"] / precision["n_nontarget"]
    assert precision["value"] == pytest.approx(0.01 * tpr / (0.01 * tpr + 0.99 * far))
    assert precision["ci_method"] == "percentile"


def test_exact_steps_and_areas_of_the_hand_set(tmp_path):
    dev = ([-0.5, 0.5, 1.5, 2.5], [-3, -2, -1, 0, 1])
    test = ([-1, 0.6, 1.7, 3], [-2.5, -1.5, 0.25, 0.75, 2])
    rows = [
        {"model": "a", "split": split, "trial": f"{split}{kind}{i}", "label": kind == "t", "score": float(s)}
        for split, both in (("dev", dev), ("test", test))
        for kind, scores in zip("tn", both, strict=True)
        for i, s in enumerate(scores)
    ]
    config = "epc: {criteria: [weighted_error, target_far, target_frr], measures: [hter, far, frr]}"
    frames = frames_from(tmp_path / "hand", rows, config, "epc.alphas=11")
    steps = frames["epc_steps"].filter(criterion="weighted_error")
    assert steps["threshold"].to_list() == [-0.75, 1.25]
    assert steps["alpha_high"].to_list() == pytest.approx([5 / 9, 1.0])
    area = {
        c: only(frames["areas"], criterion=c, measure="hter")["area"]
        for c in ("weighted_error", "target_far", "target_frr")
    }
    assert area["weighted_error"] == pytest.approx(0.3916666667)
    assert area["target_far"] == pytest.approx(0.435)  # E_FAR, a priori
    assert area["target_frr"] == pytest.approx(0.428125)
    expected = only(frames["expected"], criterion="target_far", alpha=0.2)
    assert (expected["expected"], expected["obtained"]) == (0.2, 0.6)
    assert (expected["errors_dev"], expected["trials_dev"], expected["errors"]) == (1, 5, 3)
    assert expected["band_low"] <= expected["obtained"] <= expected["band_high"]


def test_every_group_counts_what_was_read_of_it(tmp_path):
    rows = [r | {"label": None if r["trial"] == "test7" else r["label"]} for r in two_models()]
    config = "trials: {source: trials.parquet, unlabelled: drop}\nby: [gender]"
    counts = frames_from(tmp_path / "by", rows, config)["trials"].filter(model="a", split="test")
    whole, f, m = (counts.row(i, named=True) for i in range(3))
    assert [row["group"] for row in (whole, f, m)] == ["", "gender=f", "gender=m"]
    for column in ("rows_read", "n_target", "n_nontarget", "n_unlabelled", "rows_dropped"):
        assert whole[column] == f[column] + m[column]
    assert (f["n_unlabelled"], m["n_unlabelled"], m["rows_dropped"]) == (0, 1, 1)


def test_areas_over_declared_bounds_and_both_ways(tmp_path):
    config = "epc: {criteria: [target_far, target_frr], measures: [hter], bounds: [0.1, 0.5]}"
    areas = frames_from(tmp_path / "areas", two_models(), config)["areas"].filter(model="a")
    whole = dict(areas.filter(low=0).select("criterion", "area").rows())
    assert whole["target_far+target_frr"] == pytest.approx((whole["target_far"] + whole["target_frr"]) / 2)
    part = only(areas, criterion="target_far", low=0.1)
    assert (part["high"], part["mean"]) == (0.5, pytest.approx(part["area"] / 0.4))
    assert 0 < part["area"] < whole["target_far"]


def test_a_guarantee_names_the_model_and_what_it_needs(tmp_path):
    from reporting.errors import ConfigError, DataError

    with pytest.raises(
        DataError,
        match=r"model 'a': 'guarantee' \(far=0.01, confidence=0.95\): the development set has"
        r" \d+ non-targets; at least 299 are",
    ):
        frames_from(tmp_path / "few", two_models(), 'criteria: [min_hter, "guarantee(far=0.01)"]')
    rows = [r | {"stratum": r["gender"]} for r in two_models()]
    config = """\
        trials: {source: trials.parquet, columns: {stratum: stratum}, weights: {stratum: {f: 2, m: 1}}}
        criteria: [min_hter, "guarantee(far=0.2)"]
        """
    with pytest.raises(ConfigError, match="weigh the same"):
        frames_from(tmp_path / "weights", rows, config)


def test_the_curve_of_precision_has_the_declared_prevalence(tmp_path):
    config = "trials: {source: trials.parquet, prevalence: 0.01}\ncurves: [pr]"
    curve = frames_from(tmp_path / "rare", two_models(), config)["pr"].filter(model="a", split="test")
    tpr = curve["recall"].to_numpy()
    far = curve["false_alarms"].to_numpy() / curve["false_alarms"].max()
    expected = np.divide(
        0.01 * tpr, 0.01 * tpr + 0.99 * far, where=tpr + far > 0, out=np.full(len(tpr), np.nan)
    )
    np.testing.assert_allclose(curve["precision"].fill_null(np.nan).to_numpy(), expected, rtol=1e-12)


def test_images_of_the_area_share_its_standard_error(tmp_path):
    frames = frames_from(tmp_path / "areas", two_models(), "measures: [auc, error_area, gini]")
    names = ("auc", "error_area", "gini")
    auc, error, gini = (only(frames["metrics"], measure=m, model="a", split="test") for m in names)
    assert (error["ci_low"], error["ci_high"]) == pytest.approx((1 - auc["ci_high"], 1 - auc["ci_low"]))
    assert (gini["ci_low"], gini["ci_high"]) == pytest.approx((2 * auc["ci_low"] - 1, 2 * auc["ci_high"] - 1))
    p = {m: only(frames["comparisons"], measure=m)["p_value"] for m in names}
    assert p["error_area"] == pytest.approx(p["auc"], rel=1e-9)
    assert p["gini"] == pytest.approx(p["auc"], rel=1e-9)


def test_a_score_at_the_bayes_threshold_is_accepted_by_both_roads(tmp_path):
    scored = [(0.5, 1), (0.5, 0), (0.9, 1), (0.1, 0), (0.25, 1), (0.2, 0), (0.75, 1), (1, 1), (0, 0), (1, 0)]
    rows = [
        {"model": "a", "split": split, "trial": f"{split}{i}", "label": bool(y), "score": float(p)}
        for split in ("dev", "test")
        for i, (p, y) in enumerate(scored)
    ]
    config = """\
        trials: {source: trials.parquet, prevalence: 0.1}
        models: {a: {scale: probability}}
        criteria: [min_hter, bayes]
        measures: [dcf, actdcf]
        epc: {criteria: [bayes], measures: [far]}
        """
    frames = frames_from(tmp_path / "bayes", rows, config)
    dcf = only(frames["metrics"], measure="dcf", criterion="bayes", split="test")
    actual = only(frames["metrics"], measure="actdcf", split="test")
    assert dcf["value"] == actual["value"] == pytest.approx(0.8)
    assert only(frames["epc"], alpha=1.0)["threshold"] == math.inf


def test_g_needs_both_rates_aimed_at_in_the_same_way(tmp_path):
    config = 'epc: {criteria: [target_far, "target_far(how=at_most)"], measures: [hter]}'
    names = frames_from(tmp_path / "far", two_models(), config)["areas"]["criterion"].unique().to_list()
    assert sorted(names) == ["target_far", "target_far(how=at_most)"]


def test_probabilities_are_judged_at_the_declared_share(tmp_path):
    rows = [r | {"score": 1 / (1 + math.exp(-r["score"]))} for r in two_models()]
    config = """\
        trials: {source: trials.parquet, prevalence: 0.1}
        models: {a: {scale: probability}, b: {scale: probability}}
        measures: [hter, brier]
        """
    frames = frames_from(tmp_path / "brier", rows, config)
    part = pl.DataFrame(rows).filter(model="a", split="test")
    y, p = part["label"].to_numpy(), part["score"].to_numpy()
    expected = 0.1 * ((1 - p[y]) ** 2).mean() + 0.9 * (p[~y] ** 2).mean()
    row = only(frames["metrics"], measure="brier(prevalence=0.1)", model="a", split="test")
    assert row["value"] == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("policy", ["train", "cv_test"])
def test_thresholds_that_flatter_say_so_in_every_row(tmp_path, policy):
    frames = frames_from(tmp_path / policy, two_models(), f"thresholds: {{policy: {policy}}}")
    rows = frames["metrics"].filter(split="test", measure="hter", criterion="min_hter")
    assert all(policy in flags for flags in rows["flags"])


def test_a_crossing_of_many_columns_makes_only_the_groups_there_are(tmp_path):
    rows = [
        r | {f"k{j}": f"v{int(''.join(filter(str.isdigit, r['trial']))) % 4}" for j in range(40)}
        for r in two_models()
    ]
    frames = frames_from(tmp_path / "many", rows, f"by: [[{', '.join(f'k{j}' for j in range(40))}]]")
    groups = frames["metrics"]["group"].unique().sort().to_list()
    assert len(groups) == 5  # 4 ** 40 would be beyond any integer


def test_rows_of_groups_tell_their_columns_and_values(tmp_path):
    # By column in text order, as in the group's name, however `by` orders them; values as the table has them.
    rows = [
        {"model": m, "split": s, "trial": f"{s}{i}", "label": i % 4 < 2, "score": i * (1 + (m == "a")) % 7, "age": "old",
         "sex": ("f,m", "m", "x=y")[i % 3]}
        for m in "ab" for s in ("dev", "test") for i in range(24)
    ]  # fmt: skip
    built = build(tmp_path, rows, "by: [[sex, age], sex]\naveraged_over: sex")
    groups = {"": ([], [])}
    for sex, name in (("f,m", r"f\,m"), ("m", "m"), ("x=y", r"x\=y")):
        groups |= {f"sex={name}": (["sex"], [sex]), f"age=old,sex={name}": (["age", "sex"], ["old", sex])}
    for frame in (TRIALS, METRICS, COMPARISONS):
        expected = groups | ({} if frame is TRIALS else {"mean(sex)": ([], [])})
        assert {row.group: (row.group_columns, row.group_values) for row in built.rows(frame)} == expected
