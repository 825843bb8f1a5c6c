"""Frames of tables small enough to compute on paper, and their edge cases."""

import math

import numpy as np
import polars as pl
import pytest
from build import build

from reporting.base.execution import SerialExecutor
from reporting.core.counts.count import count_trials
from reporting.core.criteria.catalogue import CRITERIA, read_criterion
from reporting.core.engine.study import EpcPlan, Primary, Study
from reporting.core.measures.catalogue import MEASURES
from reporting.core.resampling.settings import Inference
from reporting.core.stats.intervals import newcombe_auc
from reporting.document.frames.comparisons import ComparisonRow
from reporting.document.frames.metrics import METRICS
from reporting.features.catalogue import CURVES
from reporting.features.comparisons.frame import with_adjusted
from reporting.features.compute import compute_frames
from reporting.inputs.spec import TrialSpec
from reporting.inputs.table import read_trials

DEV = ([-0.5, 0.5, 1.5, 2.5], [-3, -2, -1, 0, 1])
TEST = ([-1, 0.6, 1.7, 3], [-2.5, -1.5, 0.25, 0.75, 2])


def rows_of(model, split, targets, nontargets):
    return [
        {"model": model, "split": split, "trial": f"{kind}{i}", "label": kind == "t", "score": float(s)}
        for kind, scores in (("t", targets), ("n", nontargets))
        for i, s in enumerate(scores)
    ]


USUAL = ("far", "frr", "hter", "weighted_error", "eer_rocch", "eer_interp", "auc", "mindcf")


def frames_of(
    tmp_path, rows, criteria=("min_hter", "eer"), alphas=5, baseline=None, measures=USUAL, **inference
):
    path = tmp_path / "trials.parquet"
    pl.DataFrame(rows).write_parquet(path)
    chosen = tuple(read_criterion(c) for c in criteria)
    asked = tuple(MEASURES[key] for key in measures)
    epc = EpcPlan((CRITERIA["weighted_error"],), (MEASURES["hter"], MEASURES["weighted_error"]), alphas)
    settings = Inference(**({"replicates": 99, "comparisons": "given_thresholds"} | inference))
    study = Study(
        "hand",
        Primary(MEASURES["hter"], chosen[0]),
        chosen,
        asked,
        epc,
        curves=(CURVES["roc"], CURVES["det"]),
        baseline=baseline,
        inference=settings,
    )
    table = read_trials(TrialSpec((path,)))
    return compute_frames(table, count_trials(table, SerialExecutor()), study, SerialExecutor())


def one_model(tmp_path, dev=DEV, test=TEST, **settings):
    return frames_of(tmp_path, rows_of("a", "dev", *dev) + rows_of("a", "test", *test), **settings)


def metric(frames, measure, criterion, split="test", model="a"):
    found = frames["metrics"].filter(
        pl.col("measure") == measure,
        pl.col("criterion").eq_missing(criterion),
        pl.col("split") == split,
        pl.col("model") == model,
    )
    return found.row(0, named=True)


def test_the_hand_set_of_the_expected_performance_curve(tmp_path):
    frames = one_model(tmp_path, alphas=10)
    curve = frames["epc"].filter(measure="hter").sort("alpha")
    assert curve["threshold"].to_list() == [-0.75] * 5 + [0.25] + [1.25] * 4  # alpha = 5/9 ties exactly
    assert curve["value"].to_list() == pytest.approx([0.425] * 5 + [(0.6 + 0.25) / 2] + [0.35] * 4)
    weighted = frames["epc"].filter(measure="weighted_error").sort("alpha")
    expected = [
        a * far + (1 - a) * frr
        for a, (far, frr) in zip(np.arange(10) / 9, [(0.6, 0.25)] * 6 + [(0.2, 0.5)] * 4, strict=True)
    ]
    assert weighted["value"].to_list() == pytest.approx(expected)
    assert metric(frames, "hter", "eer")["threshold"] == 0.25
    assert metric(frames, "hter", "eer", "dev")["value"] == pytest.approx(0.225)
    for criterion in ("eer", "min_hter"):
        assert metric(frames, "hter", criterion)["value"] == pytest.approx(0.425)


def test_counts_stand_beside_rates(tmp_path):
    row = metric(one_model(tmp_path), "far", "min_hter")
    assert (row["false_alarms"], row["misses"], row["n_nontarget"], row["n_target"]) == (3, 1, 5, 4)
    assert (row["threshold_source"], row["ci_method"], row["inference"]) == (
        "dev",
        "wilson",
        "given_thresholds",
    )
    assert row["flags"] == ["below_rule_of_30", "tiny_dev"]


def test_a_rate_finer_than_one_error_is_flagged_and_has_no_interval(tmp_path):
    frames = one_model(tmp_path, measures=("frr_at_far", "auc"))
    row = metric(frames, "frr_at_far", None)
    assert (row["value"], row["status"]) == (0.75, None)  # one of 4 targets lies above all 5 non-targets
    assert (row["ci_low"], row["ci_high"]) == (None, None)
    assert row["flags"] == ["below_rule_of_30", "unresolvable"]


def test_a_precision_that_no_threshold_has_is_the_reason(tmp_path):
    """The highest score is a non-target's: the highest precision is 3 of 4, below .9."""
    frames = one_model(tmp_path, test=([1, 2, 3], [0, 4]), measures=("recall_at", "auc"))
    row = metric(frames, "recall_at", None)
    assert (row["value"], row["status"]) == (None, "no_such_precision")


def test_a_posteriori_rows_have_no_interval_and_the_flag(tmp_path):
    row = metric(one_model(tmp_path), "hter", "oracle(min_hter)")
    assert (row["ci_low"], row["threshold_source"]) == (None, "oracle")
    assert "oracle" in row["flags"]
    assert row["value"] <= metric(one_model(tmp_path), "hter", "min_hter")["value"]


def test_oracle_alone_leaves_out_the_a_priori_rows(tmp_path):
    frames = one_model(tmp_path, criteria=("min_hter", "oracle(eer)"))
    criteria = frames["metrics"].filter(measure="far", split="test")["criterion"].to_list()
    assert criteria == ["min_hter", "oracle(eer)", "oracle(min_hter)"]


def test_a_cut_that_ties_is_flagged(tmp_path):
    frames = one_model(tmp_path, dev=([2.5, 3.5, 4.5, 5.5], [1, 2, 3, 4]))
    row = metric(frames, "hter", "min_hter")
    assert row["threshold"] == 3.25
    assert "tied_cut" in row["flags"]


def test_two_cuts_that_tie_are_flagged_too(tmp_path):
    """Accept all below the targets: cuts at 1.5 and 3.5 both cost one error of two kinds alike."""
    frames = one_model(tmp_path, dev=([2.0, 4.0], [1.0, 3.0]))
    assert "tied_cut" in metric(frames, "hter", "min_hter")["flags"]


def test_alphas_carry_the_flags_of_their_own_threshold(tmp_path):
    rows = [
        row | {"model": m, "score": row["score"] + shift * (i % 3)}
        for m, shift in (("a", 0), ("b", 0.1))
        for i, row in enumerate(
            rows_of("a", "dev", [2.5, 3.5, 4.5, 5.5], [1, 2, 3, 4]) + rows_of("a", "test", *TEST)
        )
    ]
    along = frames_of(tmp_path, rows)["comparisons"].filter(pl.col("parameter").is_not_null(), measure="hter")
    flags = dict(zip(along["parameter"], along["flags"], strict=True))
    assert all("tiny_dev" in row for row in flags.values())
    assert "tied_cut" in flags[0.5]
    assert "tied_cut" not in flags[0.25]


def test_the_roc_holds_corners_with_the_slopes_of_the_hull(tmp_path):
    test = ([0.5, 1.5, 1.5, 2.5, 3.5], [-1, 0, 0.5, 0.5, 1.5, 2])
    roc = one_model(tmp_path, test=test)["roc"].filter(split="test")
    assert list(zip(roc["false_alarms"], roc["misses"], strict=True)) == [
        (6, 0), (4, 0), (2, 1), (1, 3), (0, 3), (0, 5),
    ]  # fmt: skip
    assert roc["threshold"].to_list() == [-math.inf, 0.25, 1.0, 1.75, 2.25, math.inf]
    assert roc["on_hull"].to_list() == [True, True, True, False, True, True]
    expected = [-math.inf, math.log(0.6), math.log(1.2), None, math.inf, None]
    assert roc["llr"].to_list() == [x if x is None else pytest.approx(x) for x in expected]
    assert roc["p_miss"].to_list() == pytest.approx([0, 0, 0.2, 0.6, 0.6, 1])


def test_the_design_effect_of_the_cluster_anchor(tmp_path):
    """Clusters of ten non-targets with 2, 0, 1, 5, 0 errors of one model, none of the other: 3.20 (methods 8.8)."""
    rows = []
    for split in ("dev", "test"):
        for c, errors in enumerate([2, 0, 1, 5, 0]):
            for i in range(11):
                row = {"split": split, "trial": f"{c}-{i}", "cluster": str(c), "label": i == 10}
                wrong = split == "test" and i < errors
                rows += [
                    row | {"model": "a", "score": 1.0 if i == 10 or wrong else 0.0},
                    row | {"model": "b", "score": 1.0 if i == 10 else 0.0},
                ]
    found = frames_of(tmp_path, rows, replicates=8000)["comparisons"]
    far = found.filter(measure="far", criterion="min_hter").row(0, named=True)
    assert far["difference"] == pytest.approx(-8 / 50)
    assert far["design_effect"] == pytest.approx((0.09273618 / 0.05184593) ** 2, rel=0.05)


def test_an_empty_class_in_test_has_statuses(tmp_path):
    for test, status, defined in (
        (([], TEST[1]), "no_targets", "far"),
        ((TEST[0], []), "no_nontargets", "frr"),
    ):
        rows = rows_of("a", "dev", *DEV) + rows_of("a", "test", *test)
        rows += [r | {"model": "b", "score": r["score"] + 0.1} for r in rows]
        frames = frames_of(tmp_path, rows)
        assert metric(frames, defined, "min_hter")["status"] is None
        assert metric(frames, defined, "min_hter")["ci_method"] is not None
        for measure, criterion in (
            ("hter", "min_hter"),
            ("auc", None),
            ("eer_rocch", None),
            ("mindcf", None),
            ("hter", "oracle(eer)"),
        ):
            row = metric(frames, measure, criterion)
            assert (row["value"], row["status"], row["ci_low"]) == (None, status, None)
        hter = frames["comparisons"].filter(measure="hter")
        together = frames["comparisons"].filter(
            pl.col("parameter").is_in([0.0, 1.0]), measure="weighted_error"
        )
        assert together["status"].null_count() == 1
        assert hter["status"].unique().to_list() == [status]
        assert hter["p_value"].null_count() == len(hter)
        rate = frames["comparisons"].filter(measure=defined)
        assert rate["status"].null_count() == len(rate)
        assert rate["p_value"].null_count() == 0
        ends = pl.col("alpha").is_in([0.0, 1.0]) & (pl.col("measure") == "weighted_error")
        assert set(frames["epc"].filter(~ends)["status"]) == {status}
        assert set(frames["epc"].filter(ends)["status"]) == {status, None}  # one class has all the weight


def test_perfect_separation_and_equal_scores(tmp_path):
    perfect = one_model(tmp_path, ([3, 4], [0, 1]), ([3, 4, 5], [0, 1]))
    assert metric(perfect, "auc", None)["value"] == 1
    area = metric(perfect, "auc", None)
    limits = newcombe_auc(1.0, 3, 2, 0.95)
    assert (area["ci_low"], area["ci_high"], area["ci_method"]) == (*limits, "newcombe")
    assert metric(perfect, "far", "min_hter")["ci_method"] == "clopper_pearson"
    assert metric(perfect, "eer_rocch", None)["value"] == 0
    equal = one_model(tmp_path, ([1, 1], [1, 1]), ([1, 1, 1], [1, 1]))
    assert metric(equal, "auc", None)["value"] == 0.5
    assert metric(equal, "hter", "min_hter")["threshold"] == math.inf


def test_below_chance_is_a_flag_and_nothing_is_turned(tmp_path):
    row = metric(one_model(tmp_path, test=([0, 1], [2, 3])), "auc", None)
    assert (row["value"], row["flags"]) == (0.0, ["below_chance"])


def test_one_trial_of_a_class_in_test(tmp_path):
    frames = one_model(tmp_path, test=([1.0], [-2, 2, 3]))
    assert metric(frames, "auc", None)["ci_method"] == "newcombe"
    assert metric(frames, "hter", "min_hter")["ci_method"] == "square_and_add"
    row = metric(frames, "eer_rocch", None)
    assert row["ci_method"] == "best_cut"
    assert "redrawn_empty_class" in row["flags"]


def test_identical_models(tmp_path):
    rows = rows_of("a", "dev", *DEV) + rows_of("a", "test", *TEST)
    frames = frames_of(tmp_path, rows + [r | {"model": "b"} for r in rows])
    comparisons = frames["comparisons"]
    assert set(comparisons["difference"]) == {0.0}
    assert set(comparisons["p_value"]) == {1.0}
    assert all("identical_decisions" in flags for flags in comparisons["flags"])


@pytest.mark.parametrize("unit", ["trial", "cluster"])
def test_naming_the_other_model_as_baseline_turns_every_sign(tmp_path, unit):
    rng = np.random.default_rng(1)
    rows = []
    for split in ("dev", "test"):
        for i in range(60):
            target = i % 3 == 0
            row = {"split": split, "trial": str(i), "label": target, "cluster": str(i // 4)}
            for model in "ab":
                rows.append(row | {"model": model, "score": round(float(rng.normal() + 1.2 * target), 1)})
    a, b = (frames_of(tmp_path, rows, baseline=base, unit=unit)["comparisons"] for base in "ab")
    key = ["measure", "criterion", "parameter"]
    both = a.join(b, on=key, nulls_equal=True, suffix="_b", validate="1:1")
    assert len(both) == len(a) == len(b)
    for left, right in (("difference", "difference_b"), ("ci_low", "ci_high_b"), ("ci_high", "ci_low_b")):
        assert both[left].to_list() == [None if x is None else -x for x in both[right]]
    for column in ("p_value", "p_percentile", "p_exact", "p_adjusted", "flags", "ci_method"):
        assert both[column].to_list() == both[f"{column}_b"].to_list()


def test_the_family_is_the_primary_question_unless_all_is_said(tmp_path):
    rng = np.random.default_rng(2)
    rows = [
        {"model": m, "split": s, "trial": str(i), "label": i % 2 == 0, "score": float(rng.normal() + (i % 2 == 0))}
        for m in "abc" for s in ("dev", "test") for i in range(40)
    ]  # fmt: skip
    primary = frames_of(tmp_path, rows)["comparisons"]
    family = primary.filter(family="primary")
    assert set(family["measure"]) == {"hter"}
    assert set(family["criterion"]) == {"min_hter"}
    assert family["family_size"].to_list() == [3, 3, 3]
    assert primary.filter(family="descriptive")["p_adjusted"].null_count() == len(primary) - 3
    every = frames_of(tmp_path, rows, family="all", correction="bh")["comparisons"]
    assert set(every.filter(pl.col("parameter").is_null())["family"]) == {"all"}
    assert set(every.filter(pl.col("parameter").is_not_null())["family"]) == {"descriptive"}


def test_several_datasets_stand_side_by_side(tmp_path):
    rows = [
        r | {"dataset": d}
        for d in ("clean", "noisy")
        for r in rows_of("a", "dev", *DEV) + rows_of("a", "test", *TEST)
    ]
    rows += [r | {"model": "b", "score": r["score"] * 0.5} for r in rows]
    frames = frames_of(tmp_path, rows)
    clean, noisy = (
        frames["metrics"].filter(dataset=d).drop("dataset", "ci_low", "ci_high", "optimism", "flags")
        for d in ("clean", "noisy")
    )
    assert clean.equals(noisy)
    assert frames["comparisons"].filter(family="primary")["family_size"].to_list() == [2, 2]


def test_a_comparison_without_a_test_keeps_its_place_in_the_family(tmp_path):
    rows = [
        ComparisonRow(dataset="all", split="test", group="", measure="hter", criterion="min_hter", model=m, baseline="z",
                      family="primary", p_value=p, status=status)
        for m, p, status in (("a", 0.02, None), ("b", None, "degenerate"), ("c", 0.04, None))
    ]  # fmt: skip
    chosen = (CRITERIA["min_hter"],)
    study = Study("t", Primary(MEASURES["hter"], chosen[0]), chosen, (MEASURES["hter"],), None)
    adjusted = with_adjusted(rows, study)
    assert [row.p_adjusted for row in adjusted] == [pytest.approx(0.06), None, pytest.approx(0.08)]
    assert {row.family_size for row in adjusted} == {3}


def test_criteria_that_choose_one_cut_give_one_set_of_numbers(tmp_path):
    rng = np.random.default_rng(5)
    rows = [
        {"model": m, "split": s, "trial": str(i), "label": i % 2 == 0, "score": float(i % 2 == 0) + round(rng.normal() / 3)}
        for m in "ab" for s in ("dev", "test") for i in range(60)
    ]  # fmt: skip
    frames = frames_of(tmp_path, rows, criteria=("min_hter", "weighted_error(alpha=0.499)"))
    for name in ("metrics", "comparisons"):
        hter = frames[name].filter(pl.col("criterion").is_not_null(), measure="hter")
        if name == "comparisons":
            hter = hter.filter(pl.col("parameter").is_null())
        one, other = (
            hter.filter(criterion=c).drop(
                "criterion",
                "flags",
                "family",
                "p_adjusted",
                "correction",
                "family_size",
                "band_low",
                "band_high",
                strict=False,
            )
            for c in ("min_hter", "weighted_error(alpha=0.499)")
        )
        assert len(one) > 0
        assert one.equals(other)


EDGES = {
    "all equal": ([1, 1], [1, 1, 1]),
    "perfect": ([2, 3, 4], [-1, 0, 1]),
    "reversed": ([-1, 0, 1], [2, 3, 4]),
    "no targets": ([], [0, 1, 2]),
    "no non-targets": ([0, 1, 2], []),
    "one target": ([1.0], [-2, 2, 3]),
    "one non-target": ([-2, 2, 3], [1.0]),
    "infinite": ([-math.inf, 1, math.inf], [-math.inf, 0, math.inf]),
    "neighbouring floats": ([1.0, np.nextafter(1, 2)], [1.0, np.nextafter(1, 0)]),
}


@pytest.mark.parametrize("test", EDGES.values(), ids=EDGES)
def test_every_measure_survives_every_edge(tmp_path, test):
    """No NaN, no infinity, and a status wherever a value is null, and only there."""
    frames = one_model(tmp_path, test=test, measures=tuple(MEASURES), criteria=("min_hter", "best"))
    rows = frames["metrics"]
    assert set(rows["measure"]) == set(map(str, MEASURES.values()))
    for column in ("value", "ci_low", "ci_high"):
        assert rows[column].is_nan().sum() == 0
        assert rows[column].is_infinite().sum() == 0
    assert rows.filter(pl.col("value").is_null() & pl.col("status").is_null()).is_empty()
    assert rows.filter(pl.col("value").is_not_null() & pl.col("status").is_not_null()).is_empty()
    bounds = {str(measure): measure.bounds for measure in MEASURES.values()}
    for row in rows.drop_nulls("value").iter_rows(named=True):
        low, high = bounds[row["measure"]]
        assert low - 1e-12 <= row["value"] <= high + 1e-12, row["measure"]


def test_the_standard_error_that_made_an_interval_stands_beside_it(tmp_path):
    # Every test score twice, so that more than two trials of the smaller class are misplaced.
    rows = rows_of("a", "dev", *DEV) + rows_of("a", "test", *(2 * scores for scores in TEST))
    config = "measures: [auc, gini, far, f1, ap_step]\ncriteria: [min_hter]\nsignificance: {intervals: given_thresholds"

    def errors(folder, more=""):
        found = build(tmp_path / folder, rows, config + more + "}").rows(METRICS)
        kept = {row.measure: row for row in found if row.split == "test" and row.threshold_source != "oracle"}
        return {name: (row.ci_method, row.se) for name, row in kept.items()}, kept

    # Placements of the four targets: 2/5, 3/5, 4/5 and 1; of the five non-targets: 1, 3/4, 3/4, 1/2 and 1/4.
    usual, kept = errors("usual")
    placed = [2 * [0.4, 0.6, 0.8, 1], 2 * [1, 1, 0.75, 0.5, 0.25]]
    se = math.sqrt(sum(np.var(v, ddof=1) / len(v) for v in placed))
    assert kept["auc"].value == pytest.approx(np.mean(placed[0])) == pytest.approx(np.mean(placed[1]))
    assert usual["auc"] == ("logit_delong", pytest.approx(se))
    assert usual["gini"] == ("logit_delong", pytest.approx(2 * se))
    reach = 1.959964 * se / (0.7 * 0.3)
    assert kept["auc"].ci_high == pytest.approx(1 / (1 + 3 / 7 * math.exp(-reach)), abs=1e-6)
    assert usual["far"] == ("wilson", None)
    assert usual["ap_step"][0] == "logit_normal"
    assert usual["f1"][1] is None

    studentized, kept = errors("studentized", ", interval: studentized")
    far = kept["far"].value
    assert studentized["far"] == ("studentized", pytest.approx(math.sqrt(far * (1 - far) / 10)))
    assert studentized["ap_step"] == ("percentile", None)
