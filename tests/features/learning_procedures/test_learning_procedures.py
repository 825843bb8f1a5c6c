"""Means over folds and trainings with limits for the procedure that trains a model."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from build import build
from command import reporting
from hypothesis import given
from hypothesis import strategies as st
from in_r import printed_by_r
from scipy import stats

from reporting.document.frames.comparisons import COMPARISONS
from reporting.features.learning_procedures.formulas import resampled_t
from reporting.features.learning_procedures.frame import FOLDS, LEARNING

ASKED = """\
learning: {folds: fold}
measures: [accuracy, auc]
criteria: [fixed(threshold=0.5)]
primary: {measure: accuracy, criterion: fixed(threshold=0.5)}
thresholds: {policy: none}
epc: none
curves: []
"""
TRAININGS = ASKED.replace("{folds: fold}", "true")


def decided(right: dict[str, list[int]], size: int = 10, run: str = "0") -> list[dict[str, object]]:
    """Return trials of folds of one size, of which a model decides so many right in each."""
    return [
        {
            "model": model,
            "run": run,
            "fold": f"f{fold}",
            "trial": f"t{fold}-{at:02}",
            "label": at % 2 == 0,
            "score": float((at % 2 == 0) == (at < correct)),
        }
        for model, counts in right.items()
        for fold, correct in enumerate(counts)
        for at in range(size)
    ]


def learning(built, method="corrected_t", measure="accuracy", **where):
    """Return the one row of ``learning`` that is asked for."""
    wanted = {"method": method, "measure": measure} | where
    rows = [row for row in built.rows(LEARNING) if all(getattr(row, k) == v for k, v in wanted.items())]
    (row,) = rows
    return row


def test_the_corrected_t_by_hand():
    """d = 1/10, 2/10, 0, 3/10: mean 3/20, S^2 = 1/60; SE^2 = S^2 (1/4 + 1/3) = 7/720, so t^2 = 81/35."""
    d = np.array([0.1, 0.2, 0.0, 0.3])
    corrected, naive = resampled_t(d, 1 / 3, 0.95), resampled_t(d, 0.0, 0.95)
    assert Fraction(corrected.value).limit_denominator(1000) == Fraction(3, 20)
    assert Fraction(corrected.sd**2).limit_denominator(1000) == Fraction(1, 60)
    assert Fraction(corrected.se**2).limit_denominator(1000) == Fraction(7, 720)
    assert Fraction((corrected.value / corrected.se) ** 2).limit_denominator(1000) == Fraction(81, 35)
    assert Fraction(naive.se**2).limit_denominator(1000) == Fraction(1, 240)
    # Student's t of 3 degrees of freedom, in closed form.
    t = math.sqrt(81 / 35)
    tail = 0.5 - (math.atan(t / math.sqrt(3)) + math.sqrt(3) * t / (3 + t * t)) / math.pi
    assert corrected.p_value == pytest.approx(2 * tail, abs=1e-12)


def test_the_program_has_the_numbers_by_hand(tmp_path):
    # Ten trials in each of four folds: A is right on 9, 8, 7 and 10 of them, B on 8, 6, 7 and 7.
    built = build(tmp_path, decided({"a": [9, 8, 7, 10], "b": [8, 6, 7, 7]}), "baseline: b\n" + ASKED)
    row = learning(built, model="a", baseline="b")
    assert row.value == pytest.approx(3 / 20)
    assert row.se**2 == pytest.approx(7 / 720)
    assert (row.estimates, row.repeats, row.trainings, row.df) == (4, 1, 1, 3)
    assert row.ratio == pytest.approx(10 / 30)
    half = stats.t.ppf(0.975, 3) * math.sqrt(7 / 720)
    assert (row.ci_low, row.ci_high) == pytest.approx((3 / 20 - half, 3 / 20 + half))
    assert learning(built, "naive_t", model="a", baseline="b").se ** 2 == pytest.approx(1 / 240)
    alone = learning(built, model="a", baseline=None)
    assert alone.value == pytest.approx(34 / 40)
    assert alone.p_value is None
    folds = [row for row in built.rows(FOLDS) if row.model == "a" and row.measure == "accuracy"]
    assert [row.value for row in folds] == pytest.approx([0.9, 0.8, 0.7, 1.0])
    assert {(row.targets, row.nontargets, row.training) for row in folds} == {(5, 5, 30)}


def test_training_trials_may_be_named(tmp_path):
    config = ASKED.replace("{folds: fold}", "{folds: fold, training: 100}")
    row = learning(build(tmp_path, decided({"a": [9, 8, 7, 10]}), config), model="a")
    assert row.ratio == pytest.approx(0.1)
    assert row.se**2 == pytest.approx(row.sd**2 * (1 / 4 + 1 / 10))


def test_the_scikit_learn_example_is_reproduced(tmp_path):
    """scikit-learn's "Statistical comparison of models using grid search": rbf against linear, 10 x 10 folds.

    It prints mean AUC .9400 and .9300, a corrected t of .750 with the one-sided p .227, uncorrected 2.611. Its
    p is of 99 degrees of freedom, which hold the truth too seldom; here are the 9 of one partition.
    """
    datasets = pytest.importorskip("sklearn.datasets")
    from sklearn.model_selection import RepeatedStratifiedKFold
    from sklearn.svm import SVC

    x, y = datasets.make_moons(noise=0.352, random_state=1, n_samples=100)
    splits = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0).split(x, y)
    rows = []
    for at, (train, test) in enumerate(splits):
        for kernel in ("rbf", "linear"):
            scores = SVC(kernel=kernel, random_state=0).fit(x[train], y[train]).decision_function(x[test])
            rows += [
                {"model": kernel, "run": f"r{at // 10}", "fold": f"f{at % 10}", "trial": f"t{i:02}",
                 "label": bool(y[i]), "score": float(score)}
                for i, score in zip(test, scores, strict=True)
            ]  # fmt: skip
    config = ASKED.replace(
        "primary: {measure: accuracy, criterion: fixed(threshold=0.5)}", "primary: {measure: auc}"
    )
    built = build(tmp_path, rows, "baseline: linear\n" + config)
    row = learning(built, measure="auc", model="rbf", baseline="linear")
    assert (row.estimates, row.repeats, row.ratio) == (100, 10, pytest.approx(1 / 9))
    assert round(row.value / row.se, 3) == 0.750
    assert round(stats.t.sf(row.value / row.se, 99), 3) == 0.227
    assert row.df == 9
    assert row.p_value / 2 == pytest.approx(stats.t.sf(row.value / row.se, 9))
    naive = learning(built, "naive_t", measure="auc", model="rbf", baseline="linear")
    assert round(naive.value / naive.se, 3) == 2.611
    means = [learning(built, measure="auc", model=name, baseline=None).value for name in ("rbf", "linear")]
    assert [round(mean, 4) for mean in means] == [0.94, 0.93]


def test_a_computation_in_r():
    """The data of the vignette of ``correctR``: 30 resamples of 80 training and 20 test trials.

    mean(d) / sqrt(var(d) * (1 / 30 + 20 / 80)) is 2.40731807896 in R, with the p 0.02265981842 of 29 df. Here
    df are those of five folds, which hold 80 of 100 trials too: 30 splits of them hold no more.
    """
    text = printed_by_r(
        "set.seed(123); d <- rnorm(30, .6, .1) - rnorm(30, .4, .1); cat(format(d, digits = 17))", "R"
    )
    d = np.array([float(line) for line in text.split()])
    of = resampled_t(d, 20 / 80, 0.95)
    assert of.value / of.se == pytest.approx(2.40731807896, abs=1e-10)
    assert 2 * stats.t.sf(of.value / of.se, 29) == pytest.approx(0.02265981842, abs=1e-10)
    assert of.df == 4
    assert of.p_value == pytest.approx(2 * stats.t.sf(of.value / of.se, 4))


@pytest.mark.parametrize(
    ("folds", "repeats", "df"), [(10, 10, 9), (10, 1, 9), (5, 4, 4), (2, 5, 4), (3, 1, 2)]
)
def test_degrees_of_freedom_are_those_of_one_partition(folds, repeats, df):
    values = np.linspace(0, 1, folds * repeats)
    assert resampled_t(values, 1 / (folds - 1), 0.95).df == df
    assert resampled_t(values, 0.0, 0.95).df == len(values) - 1


COUNTS = st.lists(st.integers(0, 10), min_size=2, max_size=8)


@given(COUNTS, st.randoms(), st.floats(0.01, 1.0))
def test_the_order_of_folds_plays_no_part(counts, random, ratio):
    values = np.array(counts) / 10
    mixed = values.copy()
    random.shuffle(mixed)
    first, second = resampled_t(values, ratio, 0.95), resampled_t(mixed, ratio, 0.95)
    if first is None or second is None:
        assert first is second
    else:
        assert first == pytest.approx(second)


@given(COUNTS, st.floats(0.01, 1.0))
def test_the_correction_only_widens_and_differences_turn(counts, ratio):
    values = np.array(counts) / 10
    naive, corrected = resampled_t(values, 0.0, 0.95), resampled_t(values, ratio, 0.95)
    turned = resampled_t(-values, ratio, 0.95)
    if len(set(counts)) == 1:
        assert naive is corrected is turned is None
        return
    assert naive == pytest.approx(tuple(resampled_t(values, 0.0, 0.95)))
    assert corrected.low < naive.low < naive.high < corrected.high
    assert (turned.low, turned.high) == pytest.approx((-corrected.high, -corrected.low))
    expected = stats.ttest_1samp(values, 0)
    assert naive.p_value == pytest.approx(expected.pvalue)


def test_p_values_of_all_pairs_are_adjusted_as_the_config_asks(tmp_path):
    """Three models: Holm takes the smallest p times 3, the next times 2, the largest as it is."""
    right = {"a": [9, 8, 7, 10], "b": [8, 6, 7, 7], "c": [3, 1, 4, 2]}
    for correction in ("holm", "maxt", "bh", "none"):
        config = f"significance: {{correction: {correction}}}\n{ASKED}"
        built = build(tmp_path / correction, decided(right), config)
        pairs = [r for r in built.rows(LEARNING) if (r.method, r.measure) == ("corrected_t", "accuracy")]
        rows = sorted((row for row in pairs if row.baseline is not None), key=lambda row: row.p_value)
        assert {row.family_size for row in rows} == {3}
        p, adjusted = [row.p_value for row in rows], [row.p_adjusted for row in rows]
        notes = " ".join(tables_of(built)[1].notes)
        if correction == "none":
            assert adjusted == [None] * 3
            assert "not adjusted" in notes
            continue
        stepped = [3 * p[0], 2 * p[1], p[2]] if correction != "bh" else [3 * p[0], 1.5 * p[1], p[2]]
        held = (
            np.minimum.accumulate(stepped[::-1])[::-1]
            if correction == "bh"
            else np.maximum.accumulate(stepped)
        )
        assert adjusted == pytest.approx(np.minimum(held, 1))
        assert ("Benjamini-Hochberg" if correction == "bh" else "Holm") + " over the 3 pairs" in notes


def test_identical_models_do_not_differ(tmp_path):
    right = [9, 8, 7, 10]
    built = build(tmp_path, decided({"a": right, "b": right}), "baseline: b\n" + ASKED)
    row = learning(built, model="a", baseline="b")
    assert (row.value, row.p_value, row.status, row.ci_low) == (0.0, 1.0, "degenerate", None)


def repeated(*repeats: dict[str, list[int]]) -> pl.DataFrame:
    """Return repeats of a cross-validation whose partitions differ, with the same trials."""
    tables = []
    for number, right in enumerate(repeats):
        rows = pl.DataFrame(decided(right, run=f"r{number}"))
        at = pl.col("trial").str.slice(3).cast(pl.Int64)
        # Trials move to the next fold, the more of them the later the repeat.
        moved = pl.when(at < number).then(
            pl.col("fold").replace({"f0": "f1", "f1": "f2", "f2": "f3", "f3": "f0"})
        )
        tables.append(rows.with_columns(moved.otherwise("fold").alias("fold")))
    return pl.concat(tables)


def test_one_repeat_is_the_same_as_none(tmp_path):
    right = {"a": [9, 8, 7, 10], "b": [8, 6, 7, 7]}
    once = build(tmp_path / "once", decided(right), "baseline: b\n" + ASKED)
    without = pl.DataFrame(decided(right)).drop("run")
    assert (
        build(tmp_path / "without", without, "baseline: b\n" + ASKED)
        .frames["learning"]
        .equals(once.frames["learning"])
    )


def test_repeats_count_every_partition(tmp_path):
    right = {"a": [9, 8, 7, 10], "b": [8, 6, 7, 7]}
    row = learning(
        build(tmp_path, repeated(right, right, right), "baseline: b\n" + ASKED), model="a", baseline="b"
    )
    assert (row.estimates, row.repeats, row.trainings) == (12, 3, 1)
    assert row.df == 4
    assert row.sd_between is not None


def test_trainings_on_one_partition_are_averaged_first(tmp_path):
    """Two seeds of one partition give four estimates, each the mean of two, and not eight."""
    rows = [*decided({"a": [9, 8, 7, 10]}, run="s0"), *decided({"a": [7, 8, 9, 10]}, run="s1")]
    row = learning(build(tmp_path, rows, ASKED), model="a")
    expected = resampled_t(np.array([0.8, 0.8, 0.8, 1.0]), 1 / 3, 0.95)
    assert (row.estimates, row.repeats, row.trainings) == (4, 1, 2)
    assert (row.value, row.se) == pytest.approx((expected.value, expected.se))


def test_the_order_of_rows_plays_no_part(tmp_path):
    rows = repeated({"a": [9, 8, 7, 10], "b": [8, 6, 7, 7]}, {"a": [9, 9, 7, 9], "b": [7, 6, 8, 7]})
    first = build(tmp_path / "first", rows, ASKED).frames
    second = build(tmp_path / "second", rows.sample(fraction=1, shuffle=True, seed=3), ASKED).frames
    for name in ("learning", "fold_estimates"):
        assert first[name].equals(second[name])


def test_the_hashes_of_a_process_play_no_part(tmp_path):
    right = {"a": [9, 8, 7, 10], "b": [8, 6, 7, 7]}
    repeated(right, right, right).write_parquet(tmp_path / "trials.parquet")
    config = f"trials: {{source: trials.parquet}}\nreport: {{formats: [json]}}\nbaseline: b\n{ASKED}"
    (tmp_path / "report.yaml").write_text(config)
    frames = set()
    for seed in "123":
        command = [sys.executable, "-m", "reporting", "run", "-q", "report.yaml", "-o", seed]
        subprocess.run(command, cwd=tmp_path, env=os.environ | {"PYTHONHASHSEED": seed}, check=True)
        frames.add((tmp_path / seed / "frames" / "learning.parquet").read_bytes())
    assert len(frames) == 1


def test_models_that_lack_a_run_share_the_folds_that_both_have(tmp_path):
    rows = repeated({"a": [9, 8, 7, 10], "b": [8, 6, 7, 7]}, {"a": [9, 9, 7, 9], "b": [7, 6, 8, 7]})
    rows = rows.filter((pl.col("model") == "a") | (pl.col("run") == "r0"))
    built = build(tmp_path, rows, "baseline: b\n" + ASKED)
    row = learning(built, model="a", baseline="b")
    assert (row.estimates, row.repeats) == (4, 1)
    assert row.value == pytest.approx(3 / 20)
    assert learning(built, model="a", baseline=None).estimates == 8
    values, differences = tables_of(built)
    assert values.caption == "Means over test folds, with 95% CIs."
    assert [cell.text for cell in column(values, "folds")][:2] == ["8", "4"]
    assert differences.caption == "Differences of means over 4 test folds, with 95% CIs."


def tables_of(built):
    """Return the tables of the section of the one dataset."""
    from reporting.document.blocks import Table
    from reporting.document.words.view import views
    from reporting.features.learning_procedures.section import _blocks

    (view,) = (view for view in views(built.results) if view.whole)
    return [block for block in _blocks(view) if isinstance(block, Table)]


def column(table, title):
    """Return the cells of a column."""
    (at,) = (at for at, head in enumerate(table.columns) if head.title == title)
    return [row[at] for row in table.rows]


def test_a_model_with_one_training_is_compared_with_the_mean_of_several(tmp_path):
    rows = trained(QUALITIES)
    rows = rows.filter((pl.col("model") == "a") | (pl.col("run") == "s0"))
    built = build(tmp_path, rows, "baseline: b\n" + TRAININGS)
    these = learning(built, "these_trainings", measure="auc", model="a", baseline="b")
    new = learning(built, "new_trainings", measure="auc", model="a", baseline="b")
    assert these.value == new.value
    assert new.se > these.se
    assert {row.model for row in built.rows(LEARNING) if row.baseline is None} == {"a"}


def test_folds_of_policies_need_no_key_of_their_own(tmp_path):
    right = {"a": [9, 8, 7, 10], "b": [8, 6, 7, 7]}
    of_key = build(tmp_path / "key", decided(right), ASKED)
    across = TRAININGS.replace("{policy: none}", "{policy: kfold, column: fold}")
    assert (
        build(tmp_path / "kfold", decided(right), across).frames["learning"].equals(of_key.frames["learning"])
    )


def test_runs_may_be_the_folds(tmp_path):
    rows = pl.DataFrame(decided({"a": [9, 8, 7, 10], "b": [8, 6, 7, 7]})).with_columns(run="fold")
    dev = rows.with_columns(trial=pl.lit("d") + pl.col("trial"), split=pl.lit("dev"))
    table = pl.concat([rows.with_columns(split=pl.lit("test")), dev]).drop("fold")
    config = """
    trials: {source: trials.parquet, runs: fold}
    learning: true
    baseline: b
    measures: [accuracy]
    criteria: [fixed(threshold=0.5)]
    primary: {measure: accuracy, criterion: fixed(threshold=0.5)}
    """
    row = learning(build(tmp_path, table, config), model="a", baseline="b")
    assert row.value == pytest.approx(3 / 20)
    assert row.se**2 == pytest.approx(7 / 720)


def test_a_fold_without_a_class_leaves_its_measure_undefined(tmp_path):
    rows = pl.DataFrame(decided({"a": [9, 8, 7, 10]}))
    rows = rows.with_columns(label=pl.when(pl.col("fold") == "f0").then(False).otherwise("label"))
    built = build(tmp_path, rows, ASKED)
    row = learning(built, measure="auc", model="a")
    assert (row.value, row.status, row.ci_low) == (None, "no_targets", None)
    assert learning(built, model="a").value is not None


# Several trainings that test the same trials.


def trained(qualities: dict[str, list[float]], n: int = 200, seed: int = 4) -> pl.DataFrame:
    """Return trainings of some quality, which score the same trials."""
    draw = np.random.default_rng(seed)
    label, hard = np.arange(n) % 2 == 0, draw.normal(0, 0.7, n)
    rows = [
        (model, f"s{run}", f"t{at:03}", bool(label[at]), round(float(score), 2))
        for model, each in qualities.items()
        for run, quality in enumerate(each)
        for at, score in enumerate(quality * label + hard + draw.normal(0, 0.7, n))
    ]
    return pl.DataFrame(rows, schema=["model", "run", "trial", "label", "score"], orient="row")


QUALITIES = {"a": [1.2, 1.6, 0.9, 1.4], "b": [0.8, 0.9, 0.7, 0.9]}


def test_new_trainings_add_their_spread_to_that_of_trials(tmp_path):
    built = build(tmp_path, trained(QUALITIES), "baseline: b\n" + TRAININGS, "significance.replicates=399")
    these = learning(built, "these_trainings", measure="auc", model="a", baseline=None)
    new = learning(built, "new_trainings", measure="auc", model="a", baseline=None)
    assert these.value == new.value
    assert new.ci_low < these.ci_low < these.ci_high < new.ci_high
    # SE^2 = S^2 / R + c, with DeLong's covariances of the same placements.
    of = [run.value(built.study.measures[1]).number for run in built.parts[0].models if run.key.model == "a"]
    assert new.sd == pytest.approx(np.std(of, ddof=1))
    assert new.se**2 == pytest.approx(new.sd**2 / 4 + new.se_limit**2)
    assert new.se_twice**2 == pytest.approx(new.sd**2 / 8 + new.se_limit**2)
    assert new.df == pytest.approx(new.se**4 * 3 / (new.sd**2 / 4) ** 2)
    difference = learning(built, "new_trainings", measure="auc", model="a", baseline="b")
    assert (
        difference.p_value
        > learning(built, "these_trainings", measure="auc", model="a", baseline="b").p_value
    )


def test_trainings_that_are_not_paired_have_no_difference(tmp_path):
    unpaired = "trials: {source: trials.parquet, paired: false}\nbaseline: b\n" + TRAININGS
    built = build(tmp_path, trained(QUALITIES).drop("trial"), unpaired, "significance.replicates=49")
    for method in ("these_trainings", "new_trainings"):
        row = learning(built, method, measure="auc", model="a", baseline="b")
        assert (row.value, row.p_value, row.status) == (None, None, "no_trial_key")


def test_no_difference_has_no_sign(tmp_path):
    rows = trained({"a": QUALITIES["a"]})
    both = pl.concat([rows, rows.with_columns(model=pl.lit("b"))])
    built = build(tmp_path, both, TRAININGS, "significance.replicates=49")
    values = [row.value for row in built.rows(LEARNING) if row.baseline is not None]
    assert {math.copysign(1, value) for value in values if value == 0} == {1.0}


def test_they_are_what_readers_are(tmp_path):
    """A mean over trainings for new ones has the limits of a mean over as many readers."""
    rows, readers = trained(QUALITIES), "trials: {source: trials.parquet, runs: reader}\n"
    asked = TRAININGS.replace("learning: true", "baseline: b")
    of_readers = build(tmp_path / "readers", rows, readers + asked).frames
    row = learning(build(tmp_path / "seeds", rows, "baseline: b\n" + TRAININGS), "new_trainings", measure="auc",
                   model="a", baseline="b")  # fmt: skip
    (compared,) = of_readers["comparisons"].filter(measure="auc").iter_rows(named=True)
    assert (row.value, row.ci_low, row.ci_high) == pytest.approx(
        (compared["difference"], compared["ci_low"], compared["ci_high"])
    )
    assert row.p_value == pytest.approx(compared["p_value"])
    (mean,) = of_readers["metrics"].filter(measure="auc", model="a", run="mean").iter_rows(named=True)
    alone = learning(build(tmp_path / "again", rows, TRAININGS), "new_trainings", measure="auc", model="a",
                     baseline=None)  # fmt: skip
    assert (alone.ci_low, alone.ci_high) == pytest.approx((mean["ci_low"], mean["ci_high"]))


def test_one_run_shows_no_trainings(tmp_path):
    built = build(tmp_path, trained({"a": [1.0]}), TRAININGS)
    assert "learning" not in built.frames


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("trials: {source: trials.csv, runs: reader}\nlearning: true", "runs are readers"),
        (
            "trials: {source: trials.csv, runs: fold}\nlearning: {folds: fold}",
            "runs are the folds; leave folds out",
        ),
        ("learning: {training: 9}", "training needs folds"),
        ("averaged_over: group\nlearning: true", "leave averaged_over out"),
        ("trials: {source: trials.csv, columns: {trial: none}}\nlearning: {folds: fold}", "need a trial key"),
        ("learning: {fold: fold}", "folds"),
        ("learning: {folds: part}", "'part' (the fold) is missing"),
        ("learning: 3", "learning"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path, keys, message):
    pl.DataFrame(decided({"a": [9, 8]})).with_columns(group=pl.lit("g")).write_csv(tmp_path / "trials.csv")
    head = "" if "trials:" in keys else "trials: {source: trials.csv}\n"
    tail = "thresholds: {policy: none}\n" if "runs: fold" not in keys else ""
    (tmp_path / "report.yaml").write_text(f"{head}{keys}\n{tail}epc: none\n")
    done = reporting("run", str(tmp_path / "report.yaml"))
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            pl.when(pl.col("trial") == "t0-03").then(None).otherwise("fold"),
            "1 trial in split test has none",
        ),
        (
            pl.when((pl.col("trial") == "t0-03") & (pl.col("model") == "b"))
            .then(pl.lit("f1"))
            .otherwise("fold"),
            "models have different folds for 1 trial",
        ),
    ],
)
def test_folds_must_be_those_of_all_models(tmp_path, change, message):
    from reporting.errors import DataError

    rows = pl.DataFrame(decided({"a": [9, 8], "b": [7, 8]})).with_columns(change.alias("fold"))
    with pytest.raises(DataError, match=message):
        assert build(tmp_path, rows, ASKED).frames


def test_clusters_in_several_folds_are_counted(tmp_path):
    rows = pl.DataFrame(decided({"a": [9, 8, 7, 10]})).with_columns(
        cluster=pl.col("trial").str.slice(0, 2) + (pl.col("trial").str.slice(3) > "04").cast(pl.String)
    )
    row = learning(build(tmp_path / "kept", rows, ASKED), model="a")
    assert row.torn_clusters == 0
    torn = rows.with_columns(
        cluster=pl.when(pl.col("trial") == "t1-01").then(pl.lit("t0false")).otherwise("cluster")
    )
    assert learning(build(tmp_path / "torn", torn, ASKED), model="a").torn_clusters == 1


def test_the_page_says_for_whom_limits_are(tmp_path):
    from reporting.document.words.view import views
    from reporting.features.learning_procedures.section import few_trainings
    from reporting.features.learning_procedures.section import learning as section

    rows = repeated({"a": [9, 8, 7, 10], "b": [8, 6, 7, 7]}, {"a": [9, 9, 7, 9], "b": [7, 6, 8, 7]})
    built = build(tmp_path / "folds", rows, ASKED)
    text = str(section(built.results))
    assert "models trained anew on about 30 trials" in text
    assert "not for any one trained model" in text
    codes = [caution.code for view in views(built.results)[:1] for caution in few_trainings(view)]
    assert codes == ["TR341", "TR342"]
    trainings = build(tmp_path / "trainings", trained(QUALITIES), TRAININGS)
    assert "further trainings that differ as these do" in str(section(trainings.results))
    codes = [caution.code for view in views(trainings.results)[:1] for caution in few_trainings(view)]
    assert codes == ["TR341"]


# Mean curves.

DRAWN = ASKED.replace("curves: []", "curves: [roc_mean]")
SCORES = [
    # Two folds of two targets and two non-targets each; the scores of the second are those of the first plus 10.
    *((f"f0{at}", "f0", at % 2 == 0, score) for at, score in enumerate((4.0, 3.0, 2.0, 1.0))),
    *((f"f1{at}", "f1", at % 2 == 0, score) for at, score in enumerate((14.0, 13.0, 12.0, 11.0))),
]


def test_a_vertical_mean_by_hand(tmp_path):
    """Ranks are target, non-target, target, non-target in both folds: TPR is 1/2 below FPR 1/2, and 1 from there."""
    table = pl.DataFrame(SCORES, schema=["trial", "fold", "label", "score"], orient="row")
    built = build(tmp_path, table.with_columns(model=pl.lit("a")), DRAWN)
    rows = built.frames["mean_curves"]
    vertical = rows.filter(kind="vertical")
    assert vertical["p_fa"].to_list() == [0.0, *(at / 100 for at in range(101))]
    assert vertical["p_miss"].to_list() == [1.0, *[0.5] * 50, *[0.0] * 51]
    assert vertical["ci_low"].null_count() == 102  # both folds agree everywhere
    # At equal thresholds the second fold has accepted all before the first accepts anything.
    by_threshold = rows.filter(kind="threshold")
    points = list(zip(by_threshold["p_fa"], by_threshold["p_miss"], strict=True))
    steps = [
        (0.0, 1.0),
        (0.0, 0.75),
        (0.25, 0.75),
        (0.25, 0.5),
        (0.5, 0.5),
        (0.5, 0.25),
        (0.75, 0.25),
        (0.75, 0),
    ]
    assert points == [*steps, (1.0, 0.0)]
    assert by_threshold["threshold"].to_list()[:2] == [math.inf, 14.0]


def test_limits_of_the_mean_curve_are_those_of_its_points(tmp_path):
    built = build(tmp_path, graded(), DRAWN)
    rows = built.frames["mean_curves"].filter(model="a", kind="vertical").drop_nulls("ci_low")
    assert len(rows) > 50
    assert (rows["ci_low"] <= rows["p_miss"]).all()
    assert (rows["p_miss"] <= rows["ci_high"]).all()
    # The area below the vertical mean is the mean of the areas, up to its grid.
    vertical = built.frames["mean_curves"].filter(model="a", kind="vertical")
    area = np.trapezoid(1 - vertical["p_miss"].to_numpy(), vertical["p_fa"].to_numpy())
    assert area == pytest.approx(learning(built, measure="auc", model="a").value, abs=0.01)


def graded() -> pl.DataFrame:
    """Return scores of two models on five folds of 40 trials, with ties."""
    rows = trained({"a": [1.2], "b": [0.8]})
    return rows.with_columns(fold=pl.col("trial").str.slice(1).cast(pl.Int64) // 2 % 5).drop("run")


def test_the_mean_curve_is_drawn(tmp_path):
    from reporting.document.charts.picture import curve_picture
    from reporting.document.words.view import views
    from reporting.features.catalogue import CURVES

    built = build(tmp_path, graded(), DRAWN)
    (view,) = views(built.results)
    (figure,) = curve_picture(CURVES["roc_mean"]).blocks(view)
    assert figure.title == "Mean ROC curves of 2 models over the folds"
    assert "averaged at equal thresholds" in figure.caption
    kinds = [series.kind for series in figure.series]
    assert kinds.count("line") == 2
    assert kinds.count("guide") == 3  # chance, and the dashed means at equal thresholds
    assert len(figure.bands) == 2
    without = build(tmp_path / "without", graded(), DRAWN.replace("learning: {folds: fold}\n", ""))
    (view,) = views(without.results)
    (said,) = curve_picture(CURVES["roc_mean"]).blocks(view)
    assert "several trainings of each model" in said.text


# Together with what else a table may have.

RIGHT = {"a": [9, 8, 7, 10], "b": [8, 6, 7, 7]}


def test_every_dataset_has_its_own_folds(tmp_path):
    first = pl.DataFrame(decided(RIGHT)).with_columns(dataset=pl.lit("x"))
    second = pl.DataFrame(decided({"a": [5, 6, 7], "b": [4, 6, 9]})).with_columns(dataset=pl.lit("y"))
    built = build(tmp_path, pl.concat([first, second]), "baseline: b\n" + ASKED)
    assert learning(built, model="a", baseline="b", dataset="x").se ** 2 == pytest.approx(7 / 720)
    row = learning(built, model="a", baseline="b", dataset="y")
    assert (row.estimates, row.ratio, row.value) == (3, 0.5, pytest.approx(-1 / 30))


def test_groups_weights_and_pairs_leave_the_folds_as_they_are(tmp_path):
    rows = pl.DataFrame(decided(RIGHT))
    at = pl.col("trial").str.slice(3).cast(pl.Int64)
    rows = rows.with_columns(
        sex=pl.when(at < 4).then(pl.lit("f")).otherwise(pl.lit("m")),
        one=pl.lit("s") + pl.col("trial").str.slice(0, 2),
        other=pl.lit("d") + (at % 3).cast(pl.String),
    )
    columns = "trials: {source: trials.parquet, columns: {cluster: [one, other]}, clusters: {pools: two}}\n"
    built = build(tmp_path, rows, columns + "by: [sex]\nbaseline: b\n" + ASKED)
    assert learning(built, model="a", baseline="b").se ** 2 == pytest.approx(7 / 720)
    assert {row.group for row in built.rows(LEARNING)} == {""}
    weighted = "trials: {source: trials.parquet, columns: {stratum: sex}, weights: {stratum: {f: 3, m: 1}}}\n"
    row = learning(build(tmp_path / "weighted", rows, weighted + ASKED), model="a", baseline=None)
    # Of ten trials the first four count three times: c of ten right are c + 8 of 18, c >= 4.
    assert row.value == pytest.approx(np.mean([(c + 8) / 18 for c in RIGHT["a"]]))


def test_trials_without_a_score_leave_their_fold(tmp_path):
    rows = pl.DataFrame(decided(RIGHT))
    lacking = (pl.col("trial") == "t0-00") & (pl.col("model") == "b")
    rows = rows.with_columns(score=pl.when(lacking).then(None).otherwise("score"))
    head = "trials: {source: trials.parquet, missing: drop}\nbaseline: b\n"
    built = build(tmp_path, rows, head + ASKED)
    folds = {row.fold: row for row in built.rows(FOLDS) if (row.model, row.measure) == ("a", "accuracy")}
    assert (folds["f0"].value, folds["f0"].training) == (pytest.approx(8 / 9), 30)
    assert (folds["f1"].value, folds["f1"].training) == (pytest.approx(8 / 10), 29)


def test_in_a_wide_table_the_folds_are_no_model(tmp_path):
    rows = pl.DataFrame(decided(RIGHT)).pivot("model", index=["fold", "trial", "label"], values="score")
    head = "trials: {source: trials.parquet, layout: wide}\nbaseline: b\n"
    built = build(tmp_path, rows, head + ASKED)
    assert built.table.models == ["a", "b"]
    assert learning(built, model="a", baseline="b").se ** 2 == pytest.approx(7 / 720)


def test_scores_that_favour_nontargets(tmp_path):
    rows = pl.DataFrame(decided(RIGHT)).with_columns(score=1.5 * (1 - pl.col("score")))
    of = "criteria: [fixed(threshold=0.5)]"
    asked = DRAWN.replace(of, of + "\nmodels: {a: {higher_is: nontarget}, b: {higher_is: nontarget}}")
    built = build(tmp_path, rows, "baseline: b\n" + asked)
    assert learning(built, model="a", baseline="b").se ** 2 == pytest.approx(7 / 720)
    thresholds = built.frames["mean_curves"].filter(model="a", kind="threshold")["threshold"]
    assert thresholds.to_list() == [-math.inf, 0.0, 1.5]


def test_thresholds_of_a_development_set_are_kept(tmp_path):
    test = pl.DataFrame(decided(RIGHT)).with_columns(split=pl.lit("test"))
    dev = pl.DataFrame(decided({"a": [9], "b": [9]})).with_columns(
        split=pl.lit("dev"), trial=pl.lit("d") + pl.col("trial"), fold=pl.lit(None, pl.String)
    )
    asked = ASKED.replace("fixed(threshold=0.5)", "min_hter").replace("thresholds: {policy: none}\n", "")
    row = learning(build(tmp_path, pl.concat([test, dev]), "baseline: b\n" + asked), model="a", baseline="b")
    assert row.criterion == "min_hter"
    assert row.se**2 == pytest.approx(7 / 720)


def test_the_mean_curve_of_trainings(tmp_path):
    """Two trainings rank one trial of four differently: TPR at FPR 0 is 1 of one and 1/2 of the other."""
    rows = [
        ("s0", "t0", True, 4.0), ("s0", "t1", True, 3.0), ("s0", "t2", False, 2.0), ("s0", "t3", False, 1.0),
        ("s1", "t0", True, 4.0), ("s1", "t1", True, 2.0), ("s1", "t2", False, 3.0), ("s1", "t3", False, 1.0),
    ]  # fmt: skip
    table = pl.DataFrame(rows, schema=["run", "trial", "label", "score"], orient="row")
    asked = TRAININGS.replace("curves: []", "curves: [roc_mean]")
    built = build(tmp_path, table.with_columns(model=pl.lit("a")), asked)
    vertical = built.frames["mean_curves"].filter(kind="vertical")
    assert vertical["p_miss"].to_list() == [1.0, *[0.25] * 50, *[0.0] * 51]
    assert set(vertical["estimates"]) == {2}
    half = stats.t.ppf(0.975, 1) * 0.25
    assert vertical["ci_high"][1] == pytest.approx(min(0.25 + half, 1.0))
    threshold = built.frames["mean_curves"].filter(kind="threshold")
    assert threshold.select("threshold", "p_fa", "p_miss").rows() == [
        (math.inf, 0.0, 1.0), (4.0, 0.0, 0.5), (3.0, 0.25, 0.25), (2.0, 0.5, 0.0), (1.0, 1.0, 0.0),
    ]  # fmt: skip


def test_trials_that_some_run_lacks_and_weights_of_rows(tmp_path):
    rows = repeated(RIGHT, RIGHT)
    lacking = (pl.col("trial") == "t0-00") & (pl.col("model") == "b") & (pl.col("run") == "r1")
    shared = build(
        tmp_path / "shared",
        rows.filter(~lacking),
        "trials: {source: trials.parquet, missing: shared}\n" + ASKED,
    )
    folds = {(row.model, row.run, row.fold): row for row in shared.rows(FOLDS) if row.measure == "accuracy"}
    # In the second repeat the trial is in the next fold.
    assert folds["a", "r0", "f0"].value == pytest.approx(8 / 9)
    assert folds["b", "r1", "f0"].value == pytest.approx(8 / 10)
    assert folds["b", "r1", "f1"].value == pytest.approx(5 / 9)
    weight = 1.5 + 0.25 * (pl.col("trial").str.slice(4).cast(pl.Int64) % 3)
    rows = rows.with_columns(w=weight)
    head = "trials: {source: trials.parquet, weights: {column: w}}\n"
    weighted = build(tmp_path / "weighted", rows, head + ASKED)
    of = rows.filter(model="a", run="r0", fold="f1")
    is_right = (of["score"] >= 0.5) == of["label"]
    (value,) = (
        row.value
        for row in weighted.rows(FOLDS)
        if (row.model, row.run, row.fold, row.measure) == ("a", "r0", "f1", "accuracy")
    )
    assert value == pytest.approx((is_right.cast(pl.Float64) * of["w"]).sum() / of["w"].sum())


def test_limits_without_an_end_are_those_of_the_comparison(tmp_path):
    """Of so few trials some exchanges speak against no difference: limits are what two values allow."""
    rows = trained({"a": [1.0, 1.5], "b": [2.8, 1.2]}, n=16, seed=0).with_columns(
        pl.col("score").round(0),
        split=pl.when(pl.col("trial") < "t008").then(pl.lit("dev")).otherwise(pl.lit("test")),
    )
    config = """\
baseline: b
learning: true
measures: [f1, lr_positive]
criteria: [min_hter]
primary: {measure: hter, criterion: min_hter}
epc: none
curves: []
"""
    built = build(tmp_path, rows, config, "significance.replicates=49")
    seen = set()
    for row in built.rows(LEARNING):
        if row.baseline is None or row.method != "these_trainings":
            continue
        asked = row.measure, row.criterion
        compared = [of for of in built.rows(COMPARISONS) if (of.measure, of.criterion) == asked]
        assert (row.ci_low, row.ci_high) in [(of.ci_low, of.ci_high) for of in compared]
        assert (row.ci_low is None) <= (row.status is not None)
        seen.add(row.ci_high)
    assert 1.0 in seen
