"""Whether test errs at the chosen thresholds as dev did: counts by hand, clusters, weights, the family."""

import numpy as np
import pytest
from build import build
from scipy import stats

from reporting.core.stats.drift import drift_tails
from reporting.document.frames.metrics import METRICS
from reporting.features.drift.frame import DRIFT

CONFIG = "measures: [hter, far, frr]\ncriteria: [min_hter]\nepc: none\ncurves: []\n"


def rows_of(shift=0.0, n=(300, 300), models=("a",), clusters=None, d=2.0, seed=1, **columns):
    """Normal scores; on test both classes are ``shift`` higher. ``clusters`` share half of the variance."""
    rng, rows = np.random.default_rng(seed), []
    for split, size, moved in (("dev", n[0], 0.0), ("test", n[1], shift)):
        label, unit = np.arange(size) % 3 == 0, np.arange(size) // 3 % (clusters or size)
        for model in models:
            of_unit = rng.normal(size=(2, size)) if clusters else np.zeros((2, size))
            score = rng.normal(size=size) + of_unit[label.astype(int), unit] + d * label + moved
            rows += [
                {"trial": f"{split}{i}", "model": model, "split": split, "label": bool(label[i])}
                | {"score": float(score[i]), "speaker": f"{split}{unit[i]}", **columns}
                for i in range(size)
            ]
    return rows


def drift_of(folder, rows, config=CONFIG, *overrides):
    folder.mkdir(exist_ok=True)
    built = build(folder, rows, config, *overrides)
    return {(row.model, row.rate): row for row in DRIFT.rows(built.only(DRIFT)["drift"])}


def test_errors_are_those_at_the_chosen_threshold(tmp_path):
    built = build(tmp_path, rows_of(shift=1.0), CONFIG)
    found = {row.rate: row for row in built.rows(DRIFT)}
    dev, test = (
        next(row for row in built.rows(METRICS) if (row.split, row.criterion) == (split, "min_hter"))
        for split in ("dev", "test")
    )
    assert (found["frr"].errors_dev, found["frr"].errors) == (dev.misses, test.misses)
    assert (found["far"].errors_dev, found["far"].errors) == (dev.false_alarms, test.false_alarms)
    assert (found["frr"].trials_dev, found["far"].trials_dev) == (dev.n_target, dev.n_nontarget) == (100, 200)
    assert found["far"].rate_test == found["far"].errors / 200
    assert found["far"].rate_dev == found["far"].errors_dev / 200
    assert {row.design_effect for row in found.values()} == {1.0}
    assert {row.criterion for row in found.values()} == {"min_hter"}


@pytest.mark.parametrize("shift", [0.6, -0.6])
def test_p_is_fishers_the_larger_of_the_chosen_threshold_and_that_of_test(tmp_path, shift):
    rows = rows_of(shift=shift)
    found = drift_of(tmp_path, rows)
    score, label, dev = (np.array([row[name] for row in rows]) for name in ("score", "label", "split"))
    dev = dev == "dev"

    def least(split):
        at = np.sort(score[split])
        hter = [
            (label & split & (score < t)).sum() / 100 + (~label & split & (score >= t)).sum() / 200
            for t in at
        ]
        return at[np.argmin(hter)]

    sides = []
    for threshold in (least(dev), least(~dev)):
        wrong = ~label & (score >= threshold)
        table = [[(wrong & side).sum(), 200 - (wrong & side).sum()] for side in (dev, ~dev)]
        sides.append([stats.fisher_exact(table, alternative=way).pvalue for way in ("less", "greater")])
    larger = np.max(sides, axis=0)
    assert found["a", "far"].p_value == pytest.approx(2 * larger.min())
    assert found["a", "far"].p_value > 2 * np.min(sides)


def test_one_population_is_quiet_and_a_shift_is_loud(tmp_path):
    quiet = drift_of(tmp_path / "quiet", rows_of(models=("a", "b"), seed=2))
    loud = drift_of(tmp_path / "loud", rows_of(shift=1.5, models=("a", "b")))
    assert min(row.p_adjusted for row in quiet.values()) > 0.05
    assert max(row.p_adjusted for row in loud.values()) < 0.05
    assert {(m, r): row.rate_test > row.rate_dev for (m, r), row in loud.items()} == {
        ("a", "far"): True, ("a", "frr"): False, ("b", "far"): True, ("b", "frr"): False,
    }  # fmt: skip


def test_holm_runs_over_models_rates_and_datasets(tmp_path):
    rows = [
        *rows_of(shift=0.5, models=("a", "b"), dataset="one"),
        *rows_of(0.2, dataset="two", models=("a", "b")),
    ]
    built = build(tmp_path, rows, CONFIG)
    found = sorted(built.rows(DRIFT), key=lambda row: row.p_value)
    assert len(found) == 8
    assert found[0].p_adjusted == pytest.approx(8 * found[0].p_value)
    assert found[1].p_adjusted == pytest.approx(max(7 * found[1].p_value, found[0].p_adjusted))


def test_clusters_make_the_same_errors_less_surprising(tmp_path):
    rows = rows_of(shift=0.8, n=(600, 600), clusters=25)
    alone = drift_of(tmp_path / "alone", rows)["a", "far"]
    within = drift_of(tmp_path / "within", rows, CONFIG, "trials.columns.cluster=speaker")["a", "far"]
    assert (alone.errors_dev, alone.errors) == (within.errors_dev, within.errors)
    assert alone.design_effect == 1.0
    # By hand: G / (G - 1) times the squared sums of residuals in clusters, over the binomial variances.
    built = build(tmp_path / "within", rows, CONFIG, "trials.columns.cluster=speaker")
    (threshold,) = {row.threshold for row in built.rows(METRICS) if row.criterion == "min_hter"}
    of_clusters, plain = 0.0, 0.0
    for split, rate in (("dev", within.rate_dev), ("test", within.rate_test)):
        sums = dict.fromkeys((f"{split}{g}" for g in range(25)), 0.0)
        for row in rows:
            if row["split"] == split and not row["label"]:
                sums[row["speaker"]] += ((row["score"] >= threshold) - rate) / 400
        of_clusters += 25 / 24 * sum(total**2 for total in sums.values())
        plain += rate * (1 - rate) / 400
    assert within.design_effect == pytest.approx(of_clusters / plain)
    assert within.design_effect > 1.5
    assert within.p_value > alone.p_value
    at_least = drift_tails(
        within.errors_dev, within.trials_dev, within.errors, within.trials, within.design_effect
    )
    assert within.p_value >= at_least.student(24).p > at_least.p


def test_weights_make_for_fewer_trials(tmp_path):
    rows = rows_of(shift=0.8)
    for i, row in enumerate(rows):
        row["stratum"] = "xy"[i % 2]
    weighted = CONFIG + (
        "trials: {source: trials.parquet, columns: {stratum: stratum}, weights: {stratum: {x: 1, y: 3}}}\n"
    )
    found = drift_of(tmp_path, rows, weighted)["a", "far"]
    # Kish: n sum w^2 / (sum w)^2 = (1 + 9) / 2 / 4, if weights have nothing to do with errors.
    assert found.design_effect == pytest.approx(1.25, rel=0.15)
    assert found.rate_test != found.errors / found.trials
    as_seen = drift_tails(found.errors_dev, found.trials_dev, found.errors, found.trials)
    assert found.p_value > as_seen.p


def test_fixed_thresholds_are_judged_where_they_are(tmp_path):
    config = (
        CONFIG.replace("[min_hter]", "['fixed(threshold=1)']")
        + "primary: {measure: hter, criterion: 'fixed(threshold=1)'}\n"
    )
    row = drift_of(tmp_path, rows_of(shift=0.6), config)["a", "far"]
    assert row.criterion == "fixed(threshold=1)"
    assert row.p_value == pytest.approx(drift_tails(row.errors_dev, 200, row.errors, 200).p)


@pytest.mark.parametrize("policy", ["train", "kfold"])
def test_no_rows_where_dev_is_no_guide_or_there_is_none(tmp_path, policy):
    rows = [row for row in rows_of() if policy == "train" or row["split"] == "test"]
    if policy == "kfold":
        rows = [{key: value for key, value in row.items() if key != "split"} for row in rows]
    assert not drift_of(tmp_path, rows, CONFIG, f"thresholds.policy={policy}")


def test_groups_are_left_out(tmp_path):
    assert {row.group for row in drift_of(tmp_path, rows_of(gender="f"), CONFIG, "by=[gender]").values()} == {
        ""
    }


def test_within_clusters_p_is_read_against_t(tmp_path):
    config = CONFIG.replace("[min_hter]", "['fixed(threshold=1)']")
    config += "primary: {measure: hter, criterion: 'fixed(threshold=1)'}\n"
    rows = rows_of(shift=1.5, n=(600, 600), clusters=10)  # of 20 targets and 40 non-targets each
    row = drift_of(tmp_path, rows, config, "trials.columns.cluster=speaker")["a", "far"]
    tails = drift_tails(row.errors_dev, row.trials_dev, row.errors, row.trials, row.design_effect)
    assert row.p_value == pytest.approx(tails.student(9).p)
    assert row.p_value > 1.05 * tails.p
