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

from reporting.core.counts.cuts import Key
from reporting.core.stats.staircase import cut_at
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
