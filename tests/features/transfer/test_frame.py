"""What moving a threshold costs: two datasets on paper, laws on tied data, and what has no rows."""

import itertools
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from build import build
from from_config import frames_from, only
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression
from tied import labelled, score_lists

from reporting.core.counts.count import Counts
from reporting.core.counts.cuts import Key, count_cuts
from reporting.core.counts.ranks import Ranks
from reporting.core.criteria.catalogue import read_criterion
from reporting.core.criteria.rates import EER, MIN_HTER, WEIGHTED_ERROR
from reporting.core.engine.parts import parts
from reporting.core.engine.study import EpcPlan, Primary, Study
from reporting.core.measures.sweep import AUC
from reporting.core.measures.threshold import F1, FAR, FRR, HTER, PRECISION
from reporting.core.measures.threshold import WEIGHTED_ERROR as WER
from reporting.document.frames.transfer import TRANSFER
from reporting.features.transfer.frame import transfer_rows

EPC = EpcPlan(
    (WEIGHTED_ERROR, *map(read_criterion, ("target_far", "target_frr"))), (HTER, WER, FRR), alphas=3
)
STUDY = Study("Transfer", Primary(HTER, MIN_HTER), (MIN_HTER, EER), (HTER, FAR, FRR, AUC), EPC)


def in_memory(datasets, study=STUDY):
    """The frame of one model from lists: dataset -> split -> (targets, non-targets)."""
    cuts, ranks = {}, {}
    for dataset, splits in datasets.items():
        for split, lists in splits.items():
            score, label = labelled(*lists)
            cuts[Key("m", "0", dataset, split)], rank = count_cuts(score, label)
            ranks[dataset, split] = Ranks(label=label, unit_a=None, rank={("m", "0"): rank}, paired=True)
    counts = Counts(cuts, ranks, {}, {dataset: dataset for dataset in datasets})
    return TRANSFER.build(list(transfer_rows(list(parts(counts, study)), study)))


def from_table(folder, rows, config=""):
    """The frame of a table and its config."""
    built = build(folder, rows, config)
    return TRANSFER.build(list(transfer_rows(built.parts, built.study)))


def trials(dataset, shift=1.5, seed=1, splits=("dev", "test"), models=("a", "b"), n=60, **more):
    """Tied scores of two models on the trials of one dataset."""
    rows = []
    for split in splits:
        label = np.random.default_rng(1).random(n) < 0.4
        label[:4] = True, False, True, False
        for number, model in enumerate(models):
            score = np.round(np.random.default_rng([seed, number]).normal(size=n) + shift * label, 1)
            for i in range(n):
                key = {"model": model, "dataset": dataset, "split": split, "trial": f"{split}{i}"}
                values = {"label": bool(label[i]), "score": float(score[i]), "gender": "fm"[i % 2]}
                rows.append(key | values | more)
    return rows


HAND = {
    # Methods 7.9: min HTER -0.75 on dev; the weighted error moves to 1.25 from alpha = 5/9 on.
    "A": {
        "dev": ([-0.5, 0.5, 1.5, 2.5], [-3, -2, -1, 0, 1]),
        "test": ([-1, 0.6, 1.7, 3], [-2.5, -1.5, 0.25, 0.75, 2]),
    },
    # 2.5 separates the classes of dev at every alpha.
    "B": {"dev": ([3, 4], [0, 1, 2]), "test": ([2, 4], [0, 1, 3])},
}
F = Fraction
PAIRS = [("A", "A"), ("A", "B"), ("B", "A"), ("B", "B")]


def at(frame, pair, over, criterion, measure):
    asked = {"over": over, "criterion": criterion, "measure": measure}
    return only(frame, dev_dataset=pair[0], test_dataset=pair[1], **asked)


def told(row):
    names = ("value", "value_own", "value_oracle", "cost", "threshold_shift", "discrimination")
    return [row[name] for name in names]


def exact(value, own, best, best_at_home):
    """All six numbers from the four that are counted."""
    return [value, own, best, value - own, value - best, best - best_at_home]


# HTER at min HTER: of the thresholds -0.75 and 2.5, and the least on either test, 3/10 and 1/6.
HTERS = {
    ("A", "A"): exact((F(3, 5) + F(1, 4)) / 2, F(17, 40), F(3, 10), F(3, 10)),
    ("A", "B"): exact((F(1) + 0) / 2, F(5, 12), F(1, 6), F(3, 10)),
    ("B", "A"): exact((0 + F(3, 4)) / 2, F(17, 40), F(3, 10), F(1, 6)),
    ("B", "B"): exact((F(1, 3) + F(1, 2)) / 2, F(5, 12), F(1, 6), F(1, 6)),
}
# Areas of the weighted error; over [0, 5/9] alpha has the area 25/162 and 1 - alpha 65/162, above it 56/162
# and 16/162. Refinement: the tests' own hulls break at 5/9 (of collinear points) and at 3/5.
AREA_AA = (F(3, 5) * 25 + F(1, 4) * 65 + F(1, 5) * 56 + F(1, 2) * 16) / 162
REFINED_A, REFINED_B = (F(3, 5) * 25 + F(3, 4) * 16) / 162, F(1, 10)
AREAS = {
    ("A", "A"): exact(AREA_AA, AREA_AA, REFINED_A, REFINED_A),
    ("A", "B"): exact((F(25) + F(1, 3) * 56) / 162, F(5, 12), REFINED_B, REFINED_A),
    ("B", "A"): exact(F(3, 8), AREA_AA, REFINED_A, REFINED_B),
    ("B", "B"): exact(F(5, 12), F(5, 12), REFINED_B, REFINED_B),
}


@pytest.mark.parametrize("pair", PAIRS)
def test_two_datasets_on_paper(pair):
    frame = in_memory(HAND)
    row = at(frame, pair, "threshold", "min_hter", "hter")
    assert told(row) == pytest.approx([float(x) for x in HTERS[pair]], abs=1e-15)
    assert row["threshold"] == {"A": -0.75, "B": 2.5}[pair[0]]
    assert (row["n_target"], row["n_nontarget"]) == {"A": (4, 5), "B": (2, 3)}[pair[1]]
    errors = {("A", "A"): (1, 3), ("A", "B"): (0, 3), ("B", "A"): (3, 0), ("B", "B"): (1, 1)}
    assert (row["misses"], row["false_alarms"]) == errors[pair]
    area = at(frame, pair, "area", "weighted_error", "weighted_error")
    assert told(area) == pytest.approx([float(x) for x in AREAS[pair]], abs=1e-15)
    assert [area[name] for name in ("threshold", "low", "high", "misses", "false_alarms")] == [None] * 5
    for found, numbers in ((row, HTERS), (area, AREAS)):
        value, _, best, _, shift, discrimination = numbers[pair]
        assert numbers[pair[0], pair[0]][2] + discrimination + shift == value
        assert (best, found["status"]) == (numbers[pair[1], pair[1]][2], None)


def test_a_threshold_from_elsewhere_may_serve_better_than_the_own_one():
    """On paper: 2.5 of B costs A -1/20, less than nothing."""
    assert HTERS["B", "A"][3] == F(-1, 20)
    assert at(in_memory(HAND), ("B", "A"), "threshold", "min_hter", "hter")["cost"] < 0


def test_rates_and_their_sums_have_the_interval_of_the_metrics(tmp_path):
    rows = trials("A") + trials("B", shift=2.0, seed=3)
    config = "measures: [far, frr, hter, f1]"
    frame, frames = (make(tmp_path, rows, config) for make in (from_table, frames_from))
    asked = {"model": "a", "criterion": "eer"}

    def own_limits(made, measure):
        row = only(made["metrics"], dataset="B", split="test", measure=measure, **asked)
        return row["ci_low"], row["ci_high"]

    def limits(frame, measure):
        row = only(frame, dev_dataset="B", test_dataset="B", measure=measure, **asked)
        return row["low"], row["high"]

    for measure in ("far", "frr", "hter"):
        assert limits(frame, measure) == own_limits(frames, measure) != (None, None)
    assert limits(frame, "f1") == (None, None)
    clustered = config + "\ntrials: {source: trials.parquet, columns: {cluster: speaker}}"
    rows = [r | {"speaker": f"s{r['trial'][-1]}"} for r in rows]
    frame, by_speaker = (make(tmp_path, rows, clustered) for make in (from_table, frames_from))
    for measure in ("far", "hter"):
        assert limits(frame, measure) == own_limits(by_speaker, measure) != own_limits(frames, measure)
    frame = from_table(tmp_path, rows, clustered + "\nsignificance: {unit: trial}")
    assert limits(frame, "hter") == own_limits(frames, "hter")


DATASET = st.fixed_dictionaries(
    {split: st.tuples(score_lists(most=12), score_lists(most=12)) for split in ("dev", "test")}
)
THREE = st.fixed_dictionaries(dict.fromkeys("ABC", DATASET))


@settings(max_examples=20)
@given(THREE)
def test_the_parts_of_every_value_add_up_whatever_the_ties(datasets):
    study = Study("Law", STUDY.primary, (MIN_HTER, EER), (HTER, FAR, FRR, F1, PRECISION), EPC)
    frame = in_memory(datasets, study)
    found = {
        (r["dev_dataset"], r["test_dataset"], r["over"], r["criterion"], r["measure"]): r
        for r in frame.to_dicts()
    }
    questions = {key[2:] for key in found}
    assert len(found) == 9 * len(questions) == frame.height
    for (a, b, *question), row in found.items():
        at_home, own = found[(a, a, *question)], found[(b, b, *question)]
        assert (row["value_own"], row["value_oracle"]) == (own["value"], own["value_oracle"])
        parts_of = [at_home["value_oracle"], row["discrimination"], row["threshold_shift"]]
        if None in parts_of:
            assert question[2] in ("f1", "precision")
            continue
        assert sum(parts_of) == pytest.approx(row["value"], abs=1e-15)
        assert row["cost"] is None or row["value_own"] + row["cost"] == pytest.approx(row["value"], abs=1e-15)
        if a == b:
            assert (row["cost"], row["discrimination"]) == (0, 0)
        if question[1:] in (["min_hter", "hter"], ["weighted_error", "weighted_error"]):
            assert row["threshold_shift"] >= -1e-15
    for question in questions:
        there = found[("A", "B", *question)]["discrimination"]
        back = found[("B", "A", *question)]["discrimination"]
        by_way = (
            found[("A", "C", *question)]["discrimination"],
            found[("C", "B", *question)]["discrimination"],
        )
        if there is not None:
            assert there == -back
        if there is not None and None not in by_way:
            assert there == pytest.approx(sum(by_way), abs=1e-15)


@settings(max_examples=30)
@given(DATASET, DATASET)
def test_rates_and_least_values_are_those_of_plain_counting(one, other):
    datasets = {"A": one, "B": other}
    frame = in_memory(datasets)
    for a, b in PAIRS:
        positive, negative = datasets[b]["test"]
        row = at(frame, (a, b), "threshold", "min_hter", "hter")
        theta, home = row["threshold"], at(frame, (a, a), "threshold", "min_hter", "hter")
        assert theta == home["threshold"]
        misses, false_alarms = sum(s < theta for s in positive), sum(s >= theta for s in negative)
        assert (row["misses"], row["false_alarms"]) == (misses, false_alarms)

        def hter(t, positive=positive, negative=negative):
            missed, passed = sum(s < t for s in positive), sum(s >= t for s in negative)
            return (F(missed, len(positive)) + F(passed, len(negative))) / 2

        assert row["value"] == pytest.approx(float(hter(theta)), abs=1e-15)
        cuts = [*positive, *negative, np.inf]
        assert row["value_oracle"] == pytest.approx(float(min(map(hter, cuts))), abs=1e-15)


@settings(max_examples=30)
@given(DATASET, DATASET)
def test_the_refinement_part_is_the_balanced_brier_score_of_isotonic_posteriors(one, other):
    """Methods 7.5, against scikit-learn: each class weighs one half."""
    frame = in_memory({"A": one, "B": other})
    for a, b in PAIRS:
        row = at(frame, (a, b), "area", "weighted_error", "weighted_error")
        score, label = labelled(*{"A": one, "B": other}[b]["test"])
        weight = np.where(label, 1 / label.sum(), 1 / (~label).sum()) / 2
        posterior = IsotonicRegression(out_of_bounds="clip").fit_transform(score, label, sample_weight=weight)
        brier = (weight * (posterior - label) ** 2).sum()
        assert row["value_oracle"] == pytest.approx(brier, abs=1e-7)


def test_a_monotone_map_of_all_scores_changes_thresholds_only():
    def mapped(lists):
        return tuple([2.0 * s + 8 for s in scores] for scores in lists)

    moved = {d: {split: mapped(lists) for split, lists in by.items()} for d, by in HAND.items()}
    left, right = in_memory(HAND), in_memory(moved)
    assert left.drop("threshold").equals(right.drop("threshold"))
    kept = left["threshold"].drop_nulls()
    assert right["threshold"].drop_nulls().to_list() == (2 * kept + 8).to_list()


def test_three_datasets_make_nine_pairs_and_the_diagonal_is_the_other_frames(tmp_path):
    rows = [r for n, d in enumerate("ABC") for r in trials(d, shift=1 + 0.4 * n, seed=n)]
    config = "epc: {criteria: [weighted_error, target_far, target_frr], bounds: [0, 0.5]}"
    frame, frames = (make(tmp_path, rows, config) for make in (from_table, frames_from))
    assert frame.schema == TRANSFER.schema
    pairs = set(itertools.product("ab", "ABC", "ABC"))
    assert set(frame.select("model", "dev_dataset", "test_dataset").rows()) == pairs
    key = ["model", "run", "dev_dataset", "test_dataset", "over", "criterion", "measure"]
    assert frame.equals(frame.sort(key))
    assert frame.select(key).is_unique().all()
    home = frame.filter(pl.col("dev_dataset") == pl.col("test_dataset"))
    metrics, areas = frames["metrics"].filter(split="test"), frames["areas"].filter(low=0, high=1)
    for row in home.to_dicts():
        asked = {"model": row["model"], "dataset": row["test_dataset"], "measure": row["measure"]}
        if row["over"] == "area":
            other = only(areas, criterion=row["criterion"], **asked)
            assert (row["value"], row["value_oracle"]) == (other["area"], other["value_oracle"])
            continue
        other = only(metrics, criterion=row["criterion"], **asked)
        best = only(metrics, criterion=f"oracle({row['criterion']})", **asked)
        assert (row["value"], row["value_oracle"]) == (other["value"], best["value"])
        for name in ("threshold", "misses", "false_alarms", "n_target", "n_nontarget"):
            assert row[name] == other[name]
    assert home.filter(over="area").height == areas.height
    assert set(home.filter(over="area")["criterion"]) == set(areas["criterion"])
    assert "target_far+target_frr" in set(areas["criterion"])


def test_every_criterion_of_dev_and_every_measure_at_a_threshold_and_no_other(tmp_path):
    config = """\
        criteria: [min_hter, "oracle(eer)", "fixed(threshold=1)", "target_far(far=0.1)"]
        measures: [hter, auc, f1, mindcf]
        operating_points: [{name: rare, p_target: 0.1}]
        epc: none
        """
    frame = from_table(tmp_path, trials("A") + trials("B"), config)
    assert set(frame["criterion"]) == {"min_hter", "target_far(far=0.1)"}
    assert set(frame["measure"]) == {"hter", "f1"}
    assert set(frame["over"]) == {"threshold"}


def test_a_criterion_that_promises_has_costs_but_nothing_a_posteriori(tmp_path):
    config = 'criteria: [min_hter, "guarantee(far=0.3)"]\nepc: none'
    frame = from_table(tmp_path, trials("A") + trials("B", shift=2.2, seed=2), config)
    row = only(
        frame, model="a", dev_dataset="A", test_dataset="B", criterion="guarantee(far=0.3)", measure="hter"
    )
    assert row["cost"] == row["value"] - row["value_own"]
    assert [row[name] for name in ("value_oracle", "threshold_shift", "discrimination", "status")] == [
        None
    ] * 4


def test_a_dataset_without_a_class_is_undefined_and_leaves_the_others_as_they_are(tmp_path):
    rows = [r for n, d in enumerate("ABC") for r in trials(d, seed=n)]
    odd = [r for r in rows if (r["dataset"], r["split"], r["label"]) != ("C", "test", True)]
    usual = from_table(tmp_path / "usual", rows)
    frame = from_table(tmp_path / "odd", odd)
    untouched = ~(pl.col("test_dataset").eq("C") | pl.col("dev_dataset").eq("C"))
    assert frame.filter(untouched).equals(usual.filter(untouched))
    asked = {"model": "a", "criterion": "min_hter", "over": "threshold"}
    for measure, status in (("hter", "no_targets"), ("frr", "no_targets"), ("far", None)):
        row = only(frame, dev_dataset="A", test_dataset="C", measure=measure, **asked)
        assert row["status"] == status
        assert (row["value"] is None) == (row["cost"] is None) == (status is not None)
        assert [row[n] for n in ("value_oracle", "threshold_shift", "discrimination")] == [None] * 3
        assert (row["n_target"], row["misses"]) == (0, 0)
        # C's thresholds serve A as ever; how much harder A is than C, nobody knows.
        back = only(frame, dev_dataset="C", test_dataset="A", measure=measure, **asked)
        before = only(usual, dev_dataset="C", test_dataset="A", measure=measure, **asked)
        assert back == before | {"discrimination": None}
    area = only(frame, model="a", dev_dataset="A", test_dataset="C", over="area", measure="weighted_error")
    assert (area["value"], area["status"]) == (None, "no_targets")
    numbers = [n for n, kind in TRANSFER.schema.items() if kind == pl.Float64]
    assert not frame.select(pl.col(*numbers).is_nan().any()).row(0).count(True)


def test_a_measure_that_is_undefined_at_a_moved_threshold_says_so():
    """All of B is rejected by A's threshold: no precision, hence no cost; HTER has both."""
    high = {split: ([12.0, 13.0], [10.0, 11.0]) for split in ("dev", "test")}
    low = {split: ([2.0, 3.0], [0.0, 1.0]) for split in ("dev", "test")}
    study = Study("Precision", STUDY.primary, (MIN_HTER,), (HTER, PRECISION), None)
    frame = in_memory({"A": high, "B": low}, study)
    row = at(frame, ("A", "B"), "threshold", "min_hter", "precision")
    assert (row["value"], row["value_own"], row["cost"], row["status"]) == (None, 1, None, "degenerate")
    assert (row["threshold_shift"], row["discrimination"]) == (None, 0)
    hter = at(frame, ("A", "B"), "threshold", "min_hter", "hter")
    assert told(hter) == [0.5, 0, 0, 0.5, 0.5, 0]


HOSTILE = ["<script>alert(1)</script>", "$x^2$ \\input{a} %", "a'b\"c`d", "日本 Ω", "=1+1", "all", "../x"]


def test_hostile_names_are_names(tmp_path):
    rows = [r for n, name in enumerate(HOSTILE) for r in trials(name, seed=n, models=("a",), n=20)]
    frame = from_table(tmp_path, rows, "epc: none")
    ordered = sorted(HOSTILE, key=str.encode)
    asked = frame.filter(criterion="eer", measure="hter")
    assert asked.select("dev_dataset", "test_dataset").rows() == list(itertools.product(ordered, ordered))


def test_only_whole_datasets_have_rows(tmp_path):
    rows = trials("A") + trials("B", seed=2)
    plain = from_table(tmp_path / "plain", rows)
    by = from_table(tmp_path / "by", rows, "by: [gender]")
    assert plain.equals(by)


def test_weights_of_strata_enter_the_rates_and_not_the_counts(tmp_path):
    rows = [r | {"stratum": r["gender"]} for r in trials("A") + trials("B", seed=2)]
    config = "trials: {source: trials.parquet, columns: {stratum: stratum}, weights: {stratum: {f: 1, m: 3}}}"
    frame = from_table(tmp_path, rows, config)
    asked = {"model": "b", "measure": "far", "criterion": "eer"}
    row = only(frame, dev_dataset="A", test_dataset="B", **asked)
    test = [
        r for r in rows if (r["model"], r["dataset"], r["split"]) == ("b", "B", "test") and not r["label"]
    ]
    passed = [r for r in test if r["score"] >= row["threshold"]]
    weight = {"f": 1, "m": 3}
    shares = [sum(weight[r["gender"]] for r in some) for some in (passed, test)]
    assert row["value"] == shares[0] / shares[1]
    assert (row["false_alarms"], row["n_nontarget"]) == (len(passed), len(test))
    assert row["low"] < row["value"] < row["high"]
    judged = {
        r["trial"]: r for r in rows if (r["model"], r["dataset"], r["split"]) == ("b", "B", "test")
    }.values()
    assert row["misses"] == sum(r["label"] and r["score"] < row["threshold"] for r in judged)


@pytest.mark.parametrize(
    ("rows", "config"),
    [
        (trials("A"), ""),
        (trials("A") + trials("B", splits=("test",)), ""),
        (trials("A") + trials("B"), "thresholds: {from: {B: A}}"),
        (
            trials("A", splits=("test",)) + trials("B", splits=("test",)),
            "thresholds: {policy: kfold, folds: 5}",
        ),
    ],
    ids=["one dataset", "one dev for both", "own dev unused", "no dev"],
)
def test_fewer_than_two_datasets_with_a_dev_of_their_own_have_no_rows(tmp_path, rows, config):
    assert from_table(tmp_path, rows, config).is_empty()


def test_a_dataset_that_borrows_its_thresholds_is_left_out(tmp_path):
    rows = trials("A") + trials("B", seed=2) + trials("C", splits=("test",), seed=3)
    rows += trials("D", splits=("dev",), seed=4) + trials("E", splits=("test",), seed=5)
    frame = from_table(tmp_path, rows, "thresholds: {from: {C: A, E: D}}")
    assert set(frame["dev_dataset"]) == set(frame["test_dataset"]) == {"A", "B"}
