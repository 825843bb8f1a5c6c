"""What simulated tables keep of a report's trials: by hand on tiny tables, and as laws."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from build import Built, build
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from reporting.base.execution import SerialExecutor
from reporting.core.counts.cuts import Key
from reporting.core.stats.staircase import cut_at
from reporting.features.passport.simulate import headline
from reporting.features.passport.world import Kernel, World, world_of

SCORES = np.array([[0.0, 1.0, 3.0, 4.0, 2.0, 5.0, 7.0, 6.5]])
LABEL = np.array([False] * 4 + [True] * 4)


def rows(scores: dict[str, list[float]], label: list[int], **columns: list[Any]) -> pl.DataFrame:
    """Return the same trials on development and on test, in the layout of the table."""
    every = []
    for split in ("dev", "test"):
        names = {name: [f"{split}{value}" for value in values] for name, values in columns.items()}
        for model, score in scores.items():
            trial = [f"{split}{number}" for number in range(len(score))]
            columns_of = {"trial": trial, "label": label, "score": score, **names}
            every.append(pl.DataFrame({"model": model, "split": split, **columns_of}))
    return pl.concat(every)


def world(built: Built) -> World:
    return world_of(built.counts, built.study)


@given(st.lists(st.floats(-50, 50), min_size=8, max_size=8), st.booleans())
def test_a_kernel_keeps_mean_and_variance_of_each_class(scores: list[float], clustered: bool) -> None:
    score = np.array([scores])
    unit = np.array([0, 0, 1, 1, 2, 2, 3, 3], dtype=np.uint32) if clustered else None
    label = np.array([True, False] * 4)
    kernel = Kernel.around(score, label, unit)
    for of_class in (0, 1):
        members = label == bool(of_class)
        if not kernel.free[:, members].all():
            continue
        noise = kernel.own[of_class, 0, 0] ** 2 + kernel.shared[of_class, 0, 0] ** 2
        kept = kernel.centre[0, members]
        assert kept.mean() == pytest.approx(score[0, members].mean(), abs=1e-6)
        assert kept.var() + noise == pytest.approx(score[0, members].var(), rel=1e-6, abs=1e-6)


MAYBE = st.one_of(st.none(), st.integers(-9, 9))


@given(st.lists(st.tuples(MAYBE, MAYBE, st.integers(0, 2)), min_size=6, max_size=12))
def test_models_that_lack_scores_have_a_kernel_together(
    trials: list[tuple[int | None, int | None, int]],
) -> None:
    score = np.array([row[:2] for row in trials], dtype=np.float64).T
    of_trials = np.array([row[2] for row in trials], dtype=np.uint32)
    kernel = Kernel.around(score, np.arange(len(trials)) % 2 == 0, of_trials)
    for factor in (kernel.own, kernel.shared):
        size = np.sqrt((factor**2).sum(axis=2))
        alike = np.abs(np.einsum("cik,cjk->cij", factor, factor)[:, 0, 1])
        assert np.isfinite(factor).all()
        assert (alike <= size[:, 0] * size[:, 1] * (1 + 1e-9)).all()


def test_a_population_has_the_error_rates_of_its_kernel(tmp_path: Path) -> None:
    built = build(tmp_path, rows({"a": SCORES[0].tolist()}, LABEL.astype(int).tolist()))
    made = world(built)
    kernel = made.kernels["all", "test"]
    cuts = made.population("all", ("a", "0"))
    threshold = 2.6
    misses, alarms = cuts.errors(cut_at(cuts.score, threshold))
    for of_class, errors, total in ((1, misses, cuts.trials[0]), (0, alarms, cuts.trials[1])):
        below = ndtr((threshold - kernel.centre[0, bool(of_class) == LABEL]) / kernel.own[of_class, 0, 0])
        wanted = below.mean() if of_class else 1 - below.mean()
        assert int(errors) / total == pytest.approx(wanted, abs=0.005)


def test_grades_stay_grades_and_a_trial_keeps_its_scores(tmp_path: Path) -> None:
    scores = {"a": [0, 1, 1, 2, 1, 2, 2, 0], "b": [1, 1, 0, 2, 2, 1, 2, 0]}
    built = build(tmp_path, rows(scores, [0, 0, 0, 0, 1, 1, 1, 1]))
    made, pairs = world(built), set(zip(scores["a"], scores["b"], strict=True))
    for number in range(20):
        drawn = made.table(number)
        ranks = drawn.ranks["all", "test"]
        held = [drawn.cuts[Key(m, "0", "all", "test")].score[ranks.rank[m, "0"]] for m in "ab"]
        assert set(zip(*held, strict=True)) <= pairs


def test_clusters_are_drawn_whole_and_missing_scores_stay(tmp_path: Path) -> None:
    score = [0.1, 0.2, 0.35, 1.4, 1.1, float("nan"), 2.3, 0.7]
    table = rows({"a": score}, [0, 1, 0, 1, 0, 1, 1, 1], cluster=[1, 1, 2, 2, 2, 3, 3, 3])
    built = build(tmp_path, table, "trials: {source: trials.parquet, missing: reject}")
    made, sizes = world(built), {2: 1, 3: 2}
    assert [len(of) for of in made.clusters] == [3, 3]  # those of development, and those of test
    for number in range(10):
        drawn = made.table(number)
        for split in ("dev", "test"):
            ranks = drawn.ranks["all", split]
            _, held = np.unique(ranks.unit_a, return_counts=True)
            assert len(held) == 3
            assert set(held) <= set(sizes)
            lowest = drawn.cuts[Key("a", "0", "all", split)]
            lacking = int(np.isneginf(lowest.score[ranks.rank["a", "0"]]).sum())
            of_third = sum(1 for size, label in _contents(ranks) if size == 3 and label == 3)
            assert lacking == of_third  # every draw of the third cluster, which alone has three targets


def _contents(ranks: Any) -> list[tuple[int, int]]:
    return [
        (int((ranks.unit_a == unit).sum()), int(ranks.label[ranks.unit_a == unit].sum()))
        for unit in np.unique(ranks.unit_a)
    ]


def test_exchanged_models_have_each_others_places(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    scores = {"a": rng.normal(size=40).tolist(), "b": (100 * rng.normal(size=40)).tolist()}
    built = build(tmp_path, rows(scores, [0, 1] * 20), "baseline: a")
    made = world(built)
    assert made.by_places
    plain, dealt = (_scores(made, made.table(1, exchanged=exchanged)) for exchanged in (False, True))
    placed = made.scales.placed(plain)
    assert np.array_equal(np.sort(dealt, axis=0), np.sort(placed, axis=0))
    moved = (dealt != placed).any(axis=0).mean()
    assert 0.2 < moved < 0.8


def _scores(made: World, drawn: Any) -> Any:
    """Return the scores of every model on test, shape (K, N)."""
    ranks = drawn.ranks["all", "test"].rank
    return np.stack([drawn.cuts[Key(*model, "all", "test")].score[ranks[model]] for model in made.models])


def test_twice_as_many_of_a_split_are_drawn(tmp_path: Path) -> None:
    built = build(tmp_path, rows({"a": SCORES[0].tolist()}, LABEL.astype(int).tolist()))
    drawn = world(built).table(0, more={"dev": 2})
    assert {place[1]: ranks.n_trials for place, ranks in drawn.ranks.items()} == {"dev": 16, "test": 8}


def test_the_same_number_is_the_same_table_and_another_seed_another(tmp_path: Path) -> None:
    built = build(tmp_path, rows({"a": SCORES[0].tolist()}, LABEL.astype(int).tolist()))
    made, key = world(built), Key("a", "0", "all", "test")
    other = replace(made, study=replace(made.study, inference=replace(made.study.inference, seed=2)))
    first, again, another = (each.table(5).cuts[key].score for each in (made, made, other))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, another)


IN_FOLDS = {"a": [1, 2, 1, 2, 2, 3, 3, 1, 11, 12, 11, 11, 12, 13, 13, 12]}
"""Grades of two trainings: those of the second, fold v, are 10 higher."""
OF_FOLDS = [0, 0, 0, 0, 1, 1, 1, 1] * 2


def in_folds(tmp_path: Path, policy: str, **columns: list[Any]) -> Built:
    table = rows(IN_FOLDS, OF_FOLDS, **columns).filter(split="test").drop("split")
    return build(
        tmp_path, table, f"thresholds: {{{policy}}}\nprimary: {{measure: hter, criterion: min_hter}}\n"
    )


def truth(made: World, built: Built, counts: Any) -> float:
    found = headline(counts, built.study, SerialExecutor(), world=made).truth
    return found["all", "a"]


def test_named_folds_keep_their_trials_and_their_scores(tmp_path: Path) -> None:
    built = in_folds(tmp_path, "policy: kfold, column: fold", fold=["u"] * 8 + ["v"] * 8)
    made = world(built)
    for number in range(20):
        drawn = made.table(number)
        ranks, score = drawn.ranks["all", "test"], _scores(made, drawn)[0]
        assert np.bincount(ranks.fold).tolist() == [8, 8]
        assert np.array_equal(score > 5, ranks.fold == 1)


def test_new_trials_of_a_named_fold_meet_its_own_threshold(tmp_path: Path) -> None:
    """Grades are no kernel: the population is the table, and at the table's thresholds its HTER is the report's."""
    built = in_folds(tmp_path, "policy: kfold, column: fold", fold=["u"] * 8 + ["v"] * 8)
    value = built.frames["metrics"].filter(measure="hter", split="test", criterion="min_hter")["value"][0]
    # Fold u is judged at a threshold of v, above all its scores; v at one of u, below all of its own.
    assert value == 0.5
    assert truth(world(built), built, built.counts) == value


def test_new_trials_meet_the_thresholds_of_all_dealt_folds_equally_often(tmp_path: Path) -> None:
    built = in_folds(tmp_path, "policy: kfold, folds: 4")
    made = world(built)
    (part,) = (part for part in built.parts if not part.group)
    (operation,) = (model.single[built.study.primary.criterion] for model in part.models)
    cuts, errors = built.counts.cuts[Key("a", "0", "all", "test")], []
    for threshold in operation.chosen.threshold[:, 0]:
        misses, alarms = cuts.errors(cut_at(cuts.score, threshold))
        errors.append((misses / 8 + alarms / 8) / 2)
    assert len(errors) == 4
    assert truth(made, built, built.counts) == pytest.approx(np.mean(errors), abs=1e-4)


@pytest.mark.parametrize("clustered", [False, True])
def test_folds_are_dealt_anew_and_evenly_and_no_cluster_is_in_two(tmp_path: Path, clustered: bool) -> None:
    columns = {"cluster": [number // 2 for number in range(16)]} if clustered else {}
    made = world(in_folds(tmp_path, "policy: kfold, folds: 4", **columns))
    dealt = [made.table(number).ranks["all", "test"] for number in range(10)]
    for ranks in dealt:
        assert np.bincount(ranks.fold).tolist() == [4, 4, 4, 4]
        if clustered:
            assert len({*zip(ranks.unit_a, ranks.fold, strict=True)}) == len({*ranks.unit_a}) == 8
    assert len({tuple(ranks.fold) for ranks in dealt}) == 10


def test_each_drawn_cluster_is_a_fold_where_each_is_one(tmp_path: Path) -> None:
    built = in_folds(tmp_path, "policy: leave_one_client_out", cluster=[number // 2 for number in range(16)])
    ranks = world(built).table(3).ranks["all", "test"]
    assert np.array_equal(ranks.fold, ranks.unit_a)
