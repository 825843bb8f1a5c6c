"""The frames of abstention: by hand, laws over whole reports, and scikit-fallback as an outside reference."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from build import Built, build, trials_of
from scipy.optimize import brentq
from scipy.stats import beta
from skfb.metrics import fallback_quality_curve

from reporting.core.stats.intervals import wilson
from reporting.errors import ConfigError
from reporting.features.abstention import samples as abstaining
from reporting.features.abstention.frame import ABSTENTION, ABSTENTION_COMPARISONS, RISK_COVERAGE
from reporting.features.abstention.samples import by_confidence, distances

DEV = (0, 0, 0, 1, 0, 1, 1, 1)
"""Labels at the scores 1 to 8."""
TEST = [(1, 0), (2, 0), (3, 1), (4, 0), (4, 1), (5, 0), (5, 1), (6, 1), (7, 0), (8, 1)]
"""Score and label."""
CONFIG = "primary: {measure: hter, criterion: min_hter}\ncriteria: [min_hter]\ncurves: []\nepc: none\n"
BY_COST = CONFIG + "abstention: {cost: {review: 0.3}}\n"


def by_hand(model: str = "a") -> list[dict[str, Any]]:
    """Return eight trials of dev and ten of test."""
    dev = [f"d{at} {model} dev {label} {at}" for at, label in enumerate(DEV, start=1)]
    test = [f"t{at} {model} test {label} {score}" for at, (score, label) in enumerate(TEST)]
    return trials_of(*dev, *test)


def values(report: Built, rule: str | None, model: str = "a", run: str = "0") -> dict[str, Any]:
    """Return the rows of one rule by quantity."""
    rows = report.rows(ABSTENTION)
    return {row.quantity: row for row in rows if (row.rule, row.model, row.run) == (rule, model, run)}


def squared_and_added(terms: list[tuple[float, int]], of: int) -> tuple[float, float]:
    """Return the limits of a sum of weights times Wilson's rates, each of so many trials."""
    value, down, up = 0.0, 0.0, 0.0
    for weight, counted in terms:
        rate, limits = counted / of, wilson(counted, of, 0.95)
        ends = sorted(weight * limit for limit in limits)
        value, down, up = (
            value + weight * rate,
            down + (weight * rate - ends[0]) ** 2,
            up + (ends[1] - weight * rate) ** 2,
        )
    return value - math.sqrt(down), value + math.sqrt(up)


def test_by_hand(tmp_path: Path) -> None:
    """Dev errs once at any one threshold; to review scores 4 and 5 costs .6 a pair, and avoids one error of 1."""
    report = build(tmp_path, by_hand(), BY_COST)
    dev = values(report, "dev")
    assert {(row.threshold_low, row.threshold_high) for row in dev.values()} == {(3.5, 5.5)}
    assert {name: row.value_dev for name, row in dev.items()} == pytest.approx(
        {
            "accepted": 3 / 8,
            "reviewed": 2 / 8,
            "rejected": 3 / 8,
            "error": 0,
            "far": 0,
            "frr": 0,
            "cost": 0.6 / 8,
            "saving": 0.4 / 8,
        }
    )
    # On test a target lies below, two of each class between, a non-target above.
    assert {name: row.value for name, row in dev.items()} == pytest.approx(
        {
            "accepted": 3 / 10,
            "reviewed": 4 / 10,
            "rejected": 3 / 10,
            "error": 2 / 6,
            "far": 1 / 3,
            "frr": 1 / 3,
            "cost": (2 + 4 * 0.3) / 10,
            "saving": (4 - 2 - 4 * 0.3) / 10,
        }
    )
    assert (dev["reviewed"].ci_low, dev["reviewed"].ci_high) == pytest.approx(tuple(wilson(4, 10, 0.95)))
    # Of five of each class one is wrong, and two are reviewed; no review errs on two targets less, two more.
    wrong, reviewed = (0.5, 1), (0.5 * 0.3, 2)
    for name, terms in (
        ("cost", [wrong, wrong, reviewed, reviewed]),
        ("saving", [(0.5, 2), (-0.5 * 0.3, 2), (-0.5 * 0.3, 2)]),
    ):
        assert (dev[name].ci_low, dev[name].ci_high) == pytest.approx(squared_and_added(terms, of=5))
        assert (dev[name].ci_method, dev[name].replicates) == ("square_and_add", None)
    alone = values(report, "no_review")
    assert (alone["cost"].value_dev, alone["cost"].value) == pytest.approx((1 / 8, 4 / 10))
    assert alone["cost"].threshold_low == alone["cost"].threshold_high == 3.5
    assert alone["reviewed"].ci_low is None  # none can be
    assert not values(report, "chow")


def test_areas_and_curves_by_hand(tmp_path: Path) -> None:
    """The threshold is 5.5: distances 4.5, 3.5, 2.5 (two trials), 1.5 (three) and .5 (three)."""
    report = build(tmp_path, by_hand(), BY_COST)
    assert report.frames["metrics"].filter(measure="hter", criterion="min_hter")["threshold"][0] == 5.5
    # 1 right | 2 right | 8 right, 3 wrong | 7 wrong, 4 right, 4 wrong | 5 right, 5 wrong, 6 right.
    expected = [0, 0, 0.5 / 3, 1 / 4]
    expected += [(1 + 2 * j / 3) / (4 + j) for j in (1, 2, 3)] + [(3 + j / 3) / (7 + j) for j in (1, 2, 3)]
    areas = values(report, None)
    assert areas["aurc"].value == pytest.approx(np.mean(expected))
    # Targets: (8, 3 wrong), 4 wrong, (5 wrong, 6); non-targets: 1, 2, (7 wrong, 4), 5.
    assert areas["frr_discard_area"].value == pytest.approx((1 / 2 + 1 / 2 + 2 / 3 + 2.5 / 4 + 3 / 5) / 5)
    assert areas["far_discard_area"].value == pytest.approx((0.5 / 3 + 1 / 4 + 1 / 5) / 5)
    rows = [row for row in report.rows(RISK_COVERAGE) if row.measure == "error_rate"]
    at = {row.coverage: row.value for row in rows}
    assert [at[k / 10] for k in range(1, 11)] == pytest.approx(expected)
    assert at[0.05] == 0
    assert at[0.25] == pytest.approx(0.25 / 2.5)
    assert all(row.discarded == pytest.approx(1 - row.coverage) for row in rows)
    assert all(row.band_low <= row.ci_low <= row.value <= row.ci_high <= row.band_high for row in rows)


def test_infinite_scores_and_thresholds() -> None:
    score = np.array([-math.inf, 0.0, math.inf])
    assert distances(score, 0.0).tolist() == [math.inf, 0.0, math.inf]
    assert distances(score, math.inf).tolist() == [math.inf, math.inf, 0.0]
    assert distances(score, -math.inf).tolist() == [0.0, math.inf, math.inf]


@pytest.mark.parametrize("step", [0.05, 0.1, 0.01, 1 / 3, 0.0625])
def test_scores_on_a_grid_are_equally_far_on_both_sides(step: float) -> None:
    """Twenty lie on either side of a threshold half-way between two; in binary fractions up to nine pairs differ."""
    score = np.arange(40) * step
    threshold = float(score[19:21].mean())
    expected = np.abs(2 * np.arange(40) - 39)
    assert by_confidence(score, threshold).tolist() == ((39 - expected) // 2).tolist()
    turned = by_confidence(score[::-1], threshold)
    assert turned.tolist() == by_confidence(score, threshold)[::-1].tolist()


def test_confidence_beside_infinite_scores_and_thresholds() -> None:
    score = np.array([-math.inf, 0.0, 1.0, math.inf])
    assert by_confidence(score, 0.0).tolist() == [0, 2, 1, 0]
    assert by_confidence(score, math.inf).tolist() == [0, 0, 0, 1]
    assert by_confidence(np.array([1.0, 1.0 + 1e-9, 3.0]), 1.0).tolist() == [2, 1, 0]


def simulated(n: int = 300, clusters: int = 0, **models: float) -> pl.DataFrame:
    """Return models that part the classes by so many standard deviations; scores are rounded, so tied."""
    draw = np.random.default_rng(3)
    tables = []
    for split in ("dev", "test"):
        label = draw.random(n) < 0.4
        common = draw.normal(0, 1, n)
        for model, d in models.items():
            own = np.round(d * label + 0.6 * common + 0.8 * draw.normal(0, 1, n), 1)
            table = {"model": model, "split": split, "trial": np.arange(n), "label": label, "score": own}
            if clusters:
                table["who"] = np.arange(n) % clusters
            tables.append(pl.DataFrame(table))
    return pl.concat(tables)


PLAN = "abstention: {cost: {false_negative: 2, review: 0.2}, capacity: 0.15}\n"


def test_the_sign_of_scores_and_the_order_of_pairs_change_nothing(tmp_path: Path) -> None:
    rows = simulated(a=1.0, b=2.0)
    first = build(tmp_path / "1", rows, CONFIG + PLAN)
    turned = rows.with_columns(
        pl.when(pl.col("model") == "b").then(-pl.col("score")).otherwise(pl.col("score")).alias("score")
    )
    second = build(tmp_path / "2", turned, CONFIG + PLAN + "models: {b: {higher_is: nontarget}, a: {}}\n")
    for one, two in zip(first.rows(ABSTENTION), second.rows(ABSTENTION), strict=True):
        assert (one.model, one.quantity, one.value) == (two.model, two.quantity, two.value)
        if one.model == "b" and one.threshold_low is not None:
            assert (one.threshold_low, one.threshold_high) == (-two.threshold_high, -two.threshold_low)
    columns = pl.exclude("model", "baseline")
    assert first.frames["risk_coverage"].equals(second.frames["risk_coverage"])
    one, two = (each.frames["abstention_comparisons"] for each in (first, second))
    assert one["model"].unique().to_list() == ["b"]
    assert two["model"].unique().to_list() == ["a"]
    assert (one.select(columns)["difference"] + two.select(columns)["difference"]).abs().max() == 0
    assert one["p_value"].to_list() == pytest.approx(two["p_value"].to_list())
    assert one["value"].to_list() == two["value_baseline"].to_list()


def test_neither_rows_nor_models_change_a_number(tmp_path: Path) -> None:
    rows = simulated(a=1.0, b=2.0, c=1.5)
    whole = build(tmp_path / "1", rows, CONFIG + PLAN)
    fewer = build(
        tmp_path / "2",
        rows.filter(pl.col("model") != "c").sample(fraction=1, shuffle=True, seed=1),
        CONFIG + PLAN,
    )
    for name in ("abstention", "risk_coverage"):
        assert whole.frames[name].filter(pl.col("model") != "c").equals(fewer.frames[name])
    pair = whole.frames["abstention_comparisons"].filter(model="b", baseline="a")
    family = pl.exclude("p_adjusted", "family_size")
    assert pair.select(family).equals(fewer.frames["abstention_comparisons"].select(family))
    assert set(whole.frames["abstention_comparisons"]["family_size"]) == {3}
    assert (pair["p_adjusted"] >= pair["p_value"]).all()


def test_a_model_against_its_double_is_alike(tmp_path: Path) -> None:
    rows = simulated(a=1.0)
    double = rows.with_columns(model=pl.lit("b"), score=2 * pl.col("score"))
    report = build(tmp_path, pl.concat([rows, double]), CONFIG + PLAN)
    for row in report.rows(ABSTENTION_COMPARISONS):
        assert (row.difference, row.p_value, row.p_adjusted) == (0, 1, 1)


def test_a_better_model_is_better_in_all(tmp_path: Path) -> None:
    report = build(tmp_path, simulated(a=1.0, b=3.0), CONFIG + PLAN, "significance.replicates=499")
    rows = report.rows(ABSTENTION_COMPARISONS)
    assert [row.quantity for row in rows] == sorted(
        ["cost", "error", "aurc", "far_discard_area", "frr_discard_area"]
    )
    for row in rows:
        rule = "dev" if row.quantity in ("cost", "error") else None
        own, other = (values(report, rule, model)[row.quantity].value for model in ("b", "a"))
        assert (row.value, row.value_baseline, row.difference) == (own, other, own - other)
        assert row.ci_high < 0
        assert row.p_adjusted < 0.05


def test_the_capacity_holds_on_dev_and_costs_no_less(tmp_path: Path) -> None:
    costs = []
    for at, capacity in enumerate((0.0, 0.05, 0.15, 0.4)):
        plan = f"abstention: {{cost: {{review: 0.1}}, capacity: {capacity}}}\n"
        rows = values(build(tmp_path / str(at), simulated(a=1.0), CONFIG + plan), "dev")
        assert rows["reviewed"].value_dev <= capacity
        costs.append(rows["cost"].value_dev)
    assert costs == sorted(costs, reverse=True)
    assert costs[0] > costs[2]
    free = build(tmp_path / "free", simulated(a=1.0), CONFIG + "abstention: {cost: {review: 0.1}}\n")
    assert values(free, "dev")["cost"].value_dev <= costs[-1]


def test_without_room_for_review_both_thresholds_are_one(tmp_path: Path) -> None:
    report = build(tmp_path, simulated(a=1.0), CONFIG + "abstention: {capacity: 0}\n")
    two, one = values(report, "dev"), values(report, "no_review")
    assert two["saving"].value == 0
    assert two["reviewed"].value == 0
    assert {name: one[name].value for name in one} == {name: two[name].value for name in one}


@pytest.mark.parametrize("prevalence", [None, 0.1])
def test_chow_for_likelihood_ratios(tmp_path: Path, prevalence: float | None) -> None:
    rows = simulated(n=2000, a=2.0).with_columns(
        score=2 * pl.col("score") - 2
    )  # the ratio of N(2, 1) to N(0, 1)
    plan = (
        "abstention: {cost: {false_positive: 1, false_negative: 3, review: 0.2}}\nmodels: {a: {scale: llr}}\n"
    )
    share = "" if prevalence is None else f"trials: {{source: trials.parquet, prevalence: {prevalence}}}\n"
    report = build(tmp_path, rows, CONFIG + plan + share)
    chow, dev = values(report, "chow"), values(report, "dev")
    target = rows.filter(split="dev")["label"].mean() if prevalence is None else prevalence
    prior = math.log(target / (1 - target))
    assert chow["cost"].threshold_low == pytest.approx(math.log((0.2 / 3) / (1 - 0.2 / 3)) - prior)
    assert chow["cost"].threshold_high == pytest.approx(math.log(0.8 / 0.2) - prior)
    assert dev["cost"].value_dev <= chow["cost"].value_dev
    assert chow["cost"].value == pytest.approx(dev["cost"].value, abs=0.02)
    shares = [chow[name].value for name in ("accepted", "reviewed", "rejected")]
    assert sum(shares) == pytest.approx(1)
    limited = build(tmp_path / "c", rows, CONFIG + plan.replace("}}", "}, capacity: 0.1}", 1) + share)
    assert not values(limited, "chow")  # it knows no capacity


def test_areas_are_those_of_scikit_fallback(tmp_path: Path) -> None:
    """Theirs has no ties and leaves out the first of the trials as they come: they come by confidence."""
    draw = np.random.default_rng(5)
    label = draw.random(400) < 0.5
    score = np.clip(draw.normal(0.2 * label, 0.15, 400) + 0.4, 0.01, 0.99) + draw.uniform(-1e-6, 1e-6, 400)
    rows = pl.DataFrame(
        {"model": "a", "split": "test", "trial": np.arange(400), "label": label, "score": score}
    )
    dev = rows.with_columns(split=pl.lit("dev"))
    config = (
        "primary: {measure: hter, criterion: 'fixed(threshold=0.5)'}\ncriteria: ['fixed(threshold=0.5)']\n"
        "curves: []\nepc: none\nabstention: {capacity: 0.1}\n"
    )
    report = build(tmp_path, pl.concat([dev, rows]), config)
    order = np.argsort(np.abs(score - 0.5))
    p, y = score[order], label[order].astype(int)
    theirs = fallback_quality_curve(y, np.column_stack((1 - p, p)), max_fallback_rate=1.0)
    assert values(report, None)["aurc"].value == pytest.approx(1 - np.mean(theirs.scores))
    coverage = 1 - np.array(theirs.fallback_rates)
    ours = {row.coverage: row.value for row in report.rows(RISK_COVERAGE) if row.measure == "error_rate"}
    for at, accuracy in zip(coverage, theirs.scores, strict=True):
        if round(at, 9) in ours:
            assert ours[round(at, 9)] == pytest.approx(1 - accuracy)


def test_replicates_of_merged_groups_are_those_of_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = simulated(n=600, a=1.5, b=2.0)
    exact = build(tmp_path / "1", rows, CONFIG + PLAN, "significance.replicates=499")
    expected = exact.frames["abstention"], exact.frames["risk_coverage"]
    monkeypatch.setattr(abstaining, "MOST_GROUPS", 20)
    merged = build(tmp_path / "2", rows, CONFIG + PLAN, "significance.replicates=499")
    assert merged.frames["abstention"]["value"].equals(expected[0]["value"])
    assert merged.frames["risk_coverage"]["value"].equals(expected[1]["value"])
    for name in ("aurc", "far_discard_area", "frr_discard_area"):
        own, other = (values(report, None)[name] for report in (exact, merged))
        width = own.ci_high - own.ci_low
        assert other.ci_low == pytest.approx(own.ci_low, abs=0.15 * width)
        assert other.ci_high == pytest.approx(own.ci_high, abs=0.15 * width)


def test_clusters_widen_the_intervals(tmp_path: Path) -> None:
    rows = simulated(clusters=12, a=1.0, b=1.5)
    plain = build(tmp_path / "1", rows, CONFIG + PLAN)
    clustered = build(
        tmp_path / "2", rows, "trials: {source: trials.parquet, columns: {cluster: who}}\n" + CONFIG + PLAN
    )
    for one, other in zip(plain.rows(ABSTENTION), clustered.rows(ABSTENTION), strict=True):
        assert one.value == other.value
        assert (one.unit, other.unit) == ("trial", "cluster")
        assert "few_clusters" in other.flags
    methods = {row.ci_method for row in clustered.rows(ABSTENTION) if row.ci_method}
    assert methods <= {"wilson_effective", "korn_graubard", "logit_t", "t", "square_and_add"}


@pytest.mark.parametrize("clusters", [0, 15])
def test_areas_have_the_exact_interval_of_what_they_are_worth(tmp_path: Path, clusters: int) -> None:
    """Without an error that of FRR without review, all of them decided; else as many as replicates show."""
    rows = simulated(clusters=clusters, a=1.0).with_columns(
        score=pl.when(pl.col("label") & (pl.col("split") == "test")).then(99.0).otherwise("score")
    )
    config = "trials: {source: trials.parquet, columns: {cluster: who}}\n" if clusters else ""
    report = build(tmp_path, rows, config + CONFIG + PLAN)
    areas, frr = values(report, None), values(report, "no_review")["frr"]
    row, n_target = areas["frr_discard_area"], rows.filter(pl.col("label"), split="test").height
    assert (row.value, row.ci_low, row.ci_high) == (0, 0, frr.ci_high)
    if clusters:
        assert row.ci_high > 1 - 0.025 ** (1 / n_target)
    else:
        assert row.ci_high == pytest.approx(1 - 0.025 ** (1 / n_target))
    row = areas["far_discard_area"]
    # Both limits are of one number of trials (fractions of errors are usual there).
    size = brentq(lambda n: beta.isf(0.025, row.value * n + 1, (1 - row.value) * n) - row.ci_high, 5, 1e5)
    assert row.ci_low == pytest.approx(beta.ppf(0.025, row.value * size, (1 - row.value) * size + 1))
    assert {each.ci_method for each in areas.values()} == {"korn_graubard" if clusters else "clopper_pearson"}


def test_runs_have_a_mean(tmp_path: Path) -> None:
    rows = simulated(a=1.0, b=2.0)
    noise = np.random.default_rng(9).normal(0, 0.3, len(rows))
    again = rows.with_columns(score=pl.col("score") + pl.Series(noise))
    both = pl.concat([rows.with_columns(run=pl.lit("1")), again.with_columns(run=pl.lit("2"))])
    report = build(tmp_path, both, CONFIG + PLAN)
    one, two, mean = (values(report, "dev", run=run) for run in ("1", "2", "mean"))
    for name, row in mean.items():
        assert row.value == pytest.approx((one[name].value + two[name].value) / 2)
        assert row.threshold_low is None
    assert mean["cost"].ci_low < mean["cost"].value < mean["cost"].ci_high
    assert {row.family_size for row in report.rows(ABSTENTION_COMPARISONS)} == {1}
    curve = [row for row in report.rows(RISK_COVERAGE) if row.run == "mean" and row.model == "a"]
    assert len(curve) == 300


def test_all_is_left_to_review(tmp_path: Path) -> None:
    """The dearest errors, and a review that costs next to nothing."""
    rows = trials_of(
        *(f"d{at} a dev {at % 2} {at // 2}" for at in range(8)),
        *(f"t{at} a test {at % 2} 1.5" for at in range(6)),
    )
    report = build(tmp_path, rows, CONFIG + "abstention: {cost: {review: 0.001}}\n")
    by_quantity = values(report, "dev")
    assert by_quantity["reviewed"].value == 1
    assert by_quantity["cost"].value == pytest.approx(0.001)
    for name in ("error", "far", "frr"):
        assert (by_quantity[name].value, by_quantity[name].status) == (None, "nothing_decided")
    assert by_quantity["error"].ci_low is None


def test_a_model_that_decides_nothing_leaves_the_value_of_the_other(tmp_path: Path) -> None:
    """Of a model without an error on dev nothing is left to review; the other one reviews every test trial."""
    rows = trials_of(
        *(f"d{at} {model} dev {at % 2} {score}" for at in range(8) for model, score in (("a", at // 2), ("b", at % 2))),
        *(f"t{at} {model} test {at % 2} {score}" for at in range(6) for model, score in (("a", 1.5), ("b", 1))),
    )  # fmt: skip
    report = build(tmp_path, rows, CONFIG + "abstention: {cost: {review: 0.001}}\n")
    error = next(row for row in report.rows(ABSTENTION_COMPARISONS) if row.quantity == "error")
    assert (error.model, error.value, error.value_baseline, error.difference) == ("b", 0.5, None, None)
    assert error.status == "nothing_decided"


def test_where_there_is_nothing_to_choose_on(tmp_path: Path) -> None:
    only = [row | {"label": True} for row in by_hand() if row["split"] == "test"]
    dev = [row for row in by_hand() if row["split"] == "dev"]
    report = build(tmp_path / "1", [*dev, *only], BY_COST)
    (row,) = report.rows(ABSTENTION)
    assert (row.value, row.status) == (None, "no_nontargets")
    assert {row.status for row in report.rows(RISK_COVERAGE)} == {"no_nontargets"}
    two = build(tmp_path / "2", simulated(a=1.0, b=2.0).drop("trial"), CONFIG + PLAN)
    assert {row.status for row in two.rows(ABSTENTION_COMPARISONS)} == {"no_trial_key"}
    own = {(row.model, row.quantity, row.rule): row.value for row in two.rows(ABSTENTION)}
    for row in two.rows(ABSTENTION_COMPARISONS):
        assert row.difference is None
        for model, value in ((row.model, row.value), (row.baseline, row.value_baseline)):
            assert value is not None
            assert value in {
                each for (name, quantity, _), each in own.items() if (name, quantity) == (model, row.quantity)
            }
    no_criterion = "primary: {measure: auc}\ncriteria: []\nmeasures: [auc]\ncurves: []\nepc: none\n"
    three = build(tmp_path / "3", simulated(a=1.0), no_criterion + PLAN)
    assert {row.status for row in three.rows(RISK_COVERAGE)} == {"no_criterion"}
    assert values(three, "dev")["cost"].value is not None
    assert not values(three, None)


def test_without_the_key_there_are_no_frames(tmp_path: Path) -> None:
    report = build(tmp_path, by_hand(), CONFIG)
    assert not {"abstention", "risk_coverage", "abstention_comparisons"} & report.frames.keys()
    assert "abstention" not in report.plan.resolved


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "expected a cost, such as cost: {review: 0.2}, a capacity"),
        ("{cost: {false_positive: 2}}", "a review that costs nothing is always the cheapest decision"),
        ("{cost: {false_positive: 0}, capacity: 0.1}", "expected at least 1e-12"),
        ("{capacity: 10}", "expected at most 1"),
        ("{capacity: -0.1}", "expected at least 0"),
        ("{capacity: many}", "expected a number"),
        ("{cost: {reveiw: 0.1}}", "did you mean 'review'?"),
        ("{capacity: 0.1}\nthresholds: {policy: kfold}", "two thresholds are chosen on one development set"),
        ("{capacity: 0.1}\nthresholds: {policy: none}", "'none' has not"),
    ],
)
def test_bad_input(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        build(tmp_path, by_hand(), f"abstention: {text}\n")
    (fault,) = caught.value.faults
    assert message in fault
    assert "abstention" in fault
    assert "report.yaml:2:" in fault


def test_a_table_without_dev_is_refused(tmp_path: Path) -> None:
    rows = [{name: value for name, value in row.items() if name != "split"} for row in by_hand()]
    with pytest.raises(Exception, match="split"):
        build(tmp_path, rows, BY_COST).frames  # noqa: B018
