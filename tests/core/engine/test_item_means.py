"""Mean scores of a report: limits and differences over items, clusters and repeated epochs."""

import math
from fractions import Fraction

import numpy as np
import pytest
from build import build
from in_r import printed_by_r
from scipy.stats import t as student

from reporting.document.frames.comparisons import COMPARISONS
from reporting.document.frames.metrics import METRICS
from reporting.errors import ConfigError
from reporting.features.ranking.frame import RANKING

CONFIG = """
trials:
  source: trials.parquet
  columns: {label: none, trial: item, score: grade}
primary: {measure: mean_score}
"""
CLUSTERED = CONFIG.replace("grade}", "grade, cluster: topic}")
RANKED = "report.sections=[summary, ranking]"
EPOCHS = CONFIG.replace("grade}", "grade, run: epoch}")


def table(n=24, epochs=1, models="ab", shift=0.5):
    """Grades from 0 to 5, many of them tied; four items of each topic are alike."""
    rng, rows = np.random.default_rng(59), []
    hard = rng.normal(0, 0.8, n // 4).repeat(4) + rng.normal(0, 0.5, n)
    for number, model in enumerate(models):
        for epoch in range(epochs):
            grades = np.clip(np.round(2.5 + shift * number + hard + rng.normal(0, 0.7, n)), 0, 5)
            rows += [
                {"model": model, "item": f"q{at:02}", "topic": f"t{at // 4}", "epoch": epoch, "grade": grade}
                for at, grade in enumerate(grades.tolist())
            ]
    return rows


def mean_of(built, model):
    """The row of a model, of the mean over runs where there are several."""
    rows = [row for row in built.rows(METRICS) if row.model == model and not row.group]
    return next((row for row in rows if row.run == "mean"), rows[0])


def grades_of(rows, model):
    """Mean grade over epochs of each item, in order."""
    names = sorted({row["item"] for row in rows})
    return np.array(
        [np.mean([r["grade"] for r in rows if (r["model"], r["item"]) == (model, name)]) for name in names]
    )


def test_by_hand(tmp_path):
    # a: 1, 2, 2, 5; b: 2, 2, 3, 5. Means 5/2 and 3; differences 1, 0, 1, 0.
    rows = [
        {"model": model, "item": f"q{at}", "grade": float(grade)}
        for model, grades in {"a": (1, 2, 2, 5), "b": (2, 2, 3, 5)}.items()
        for at, grade in enumerate(grades)
    ]
    built = build(tmp_path, rows, CONFIG)
    row, (pair,) = mean_of(built, "a"), built.rows(COMPARISONS)
    squares = sum((grade - Fraction(5, 2)) ** 2 for grade in (1, 2, 2, 5))
    half = student.ppf(0.975, 3) * math.sqrt(squares / 3 / 4)
    assert (row.value, row.ci_method) == (2.5, "item_t")
    assert (row.ci_low, row.ci_high) == pytest.approx((2.5 - half, 2.5 + half), rel=1e-12)
    se = math.sqrt(Fraction(1, 3) / 4)
    assert (pair.difference, pair.se) == pytest.approx((0.5, se), rel=1e-12)
    assert pair.p_value == pytest.approx(2 * student.sf(0.5 / se, 3), rel=1e-12)


def test_paired_differences_of_items_and_of_equal_clusters_are_those_of_r(tmp_path):
    rows = table()
    a, b = grades_of(rows, "a"), grades_of(rows, "b")
    for config, unit in ((CONFIG, 1), (CLUSTERED, 4)):
        first, second = (of.reshape(-1, unit).mean(axis=1).tolist() for of in (b, a))
        text = printed_by_r(
            f"a <- t.test(c({','.join(map(repr, first))}), c({','.join(map(repr, second))}), paired=TRUE);"
            " cat(sprintf('%.12f', c(a$estimate, a$conf.int, a$p.value)))",
            "R",
        )
        (pair,) = build(tmp_path / str(unit), rows, config).rows(COMPARISONS)
        found = (pair.difference, pair.ci_low, pair.ci_high, pair.p_value)
        assert found == pytest.approx(tuple(map(float, text.split())), rel=1e-9)


def test_epochs_are_averaged_within_items_first(tmp_path):
    rows = table(epochs=3)
    built = build(tmp_path / "all", rows, EPOCHS)
    mean = [
        {"model": model, "item": f"q{at:02}", "grade": grade}
        for model in "ab"
        for at, grade in enumerate(grades_of(rows, model))
    ]
    alone = build(tmp_path / "mean", mean, CONFIG)
    for model in "ab":
        several, single = mean_of(built, model), mean_of(alone, model)
        assert (several.value, several.ci_low, several.ci_high) == pytest.approx(
            (single.value, single.ci_low, single.ci_high), rel=1e-12
        )
    one, other = built.rows(COMPARISONS)[0], alone.rows(COMPARISONS)[0]
    assert (one.difference, one.ci_low, one.p_value) == pytest.approx(
        (other.difference, other.ci_low, other.p_value), rel=1e-9
    )


@pytest.mark.parametrize("change", [lambda x: x + 10, lambda x: 2 * x])
def test_limits_move_with_the_scores(tmp_path, change):
    rows = table()
    moved = [row | {"grade": change(row["grade"])} for row in rows]
    before, after = build(tmp_path / "a", rows, CLUSTERED), build(tmp_path / "b", moved, CLUSTERED)
    one, two = mean_of(before, "a"), mean_of(after, "a")
    assert (two.ci_low, two.ci_high) == pytest.approx((change(one.ci_low), change(one.ci_high)), rel=1e-9)
    assert after.rows(COMPARISONS)[0].p_value == pytest.approx(before.rows(COMPARISONS)[0].p_value, rel=1e-9)


def test_clusters_that_are_not_to_be_resampled_are_not_counted(tmp_path):
    rows = table()
    alone = build(tmp_path / "a", rows, CONFIG).rows(COMPARISONS)[0]
    trial = build(tmp_path / "b", rows, CLUSTERED, "significance.unit=trial").rows(COMPARISONS)[0]
    assert (trial.se, trial.p_value) == (alone.se, alone.p_value)


def test_one_item_and_equal_grades_have_no_limits_and_the_reason(tmp_path):
    one = build(tmp_path / "one", table(4)[:1] + table(4)[4:5], CONFIG)
    alike = build(tmp_path / "alike", [row | {"grade": 3.1} for row in table()], CONFIG)
    for built in (one, alike):
        row = mean_of(built, "a")
        assert row.value is not None
        assert (row.ci_low, row.ci_high, row.flags) == (None, None, ["values_alike"])


def test_less_is_better_of_a_mean_cost(tmp_path):
    rows = table(shift=3)
    built = {
        word: build(tmp_path / word, rows, CONFIG.replace("mean_score", word), RANKED)
        for word in ("mean_score", "mean_cost")
    }
    best = {word: min(of.rows(RANKING), key=lambda row: row.rank).model for word, of in built.items()}
    assert best == {"mean_score": "b", "mean_cost": "a"}


def test_ranks_of_items_alone_have_the_degrees_of_freedom_of_items(tmp_path):
    # Non-targets, of which a benchmark has none, leave one degree of freedom to nobody.
    built = build(tmp_path, table(60, shift=2), CONFIG, "significance.replicates=999", RANKED)
    assert [row.tier for row in sorted(built.rows(RANKING), key=lambda row: row.rank)] == [1, 2]


def test_a_mean_of_rejected_scores_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="'mean_score' has no number for a score that is missing"):
        build(tmp_path, table(), CONFIG, "trials.missing=reject")


def test_trials_without_labels_have_the_profile_of_grades(tmp_path):
    plan = build(tmp_path, table(), CONFIG).plan
    assert plan.study.profile == "grades"
    assert [str(measure) for measure in plan.study.measures] == ["mean_score"]
    assert not plan.study.curves
