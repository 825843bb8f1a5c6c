"""Counts are remembered by the files they come from: the same bytes, whatever was counted before."""

from __future__ import annotations

import os

import numpy as np
import polars as pl
import pytest

from reporting.base.cache.cache import NO_CACHE, Cache
from reporting.base.execution import SerialExecutor, ThreadExecutor
from reporting.base.execution.array_store import IN_MEMORY
from reporting.core.counts.count import count_trials
from reporting.errors import DataError
from reporting.inputs.spec import File, InMemory, TrialSpec
from reporting.inputs.table import read_trials


def rows(model, n=40, shift=0.0):
    rng = np.random.default_rng([ord(model)])
    label = np.arange(n) % 3 == 0
    return pl.DataFrame(
        {
            "model": model,
            "split": np.where(np.arange(n) % 2 == 0, "dev", "test"),
            "trial": [f"t{k:02}" for k in range(n)],
            "label": label,
            "speaker": [f"s{k // 4}" for k in range(n)],
            "stratum": [f"w{k // 2 % 2}" for k in range(n)],
            "score": np.round(rng.normal(label), 1) + shift,
        }
    )


class Tables:
    """A file a model, and a cache beside them."""

    def __init__(self, folder):
        self.folder = folder
        for model in "ABC":
            self.write(model)

    def write(self, model, **changes):
        rows(model, **changes).write_parquet(self.folder / f"{model}.parquet")

    def spec(self, models="AB", **more):
        return TrialSpec(tuple(self.folder / f"{model}.parquet" for model in models), **more)

    def cache(self):
        return Cache(self.folder / "cache")

    def count(self, spec, pool=None):
        """Return counts as values, and how many models were found and made."""
        cache = self.cache()
        counts = values(count_trials(read_trials(spec), pool or SerialExecutor(), IN_MEMORY, cache))
        assert counts == values(count_trials(read_trials(spec), SerialExecutor(), IN_MEMORY, NO_CACHE))
        return cache.found, cache.made


def values(counts):
    cuts = {
        key: [(a.dtype.str, a.tolist()) for a in (c.score, c.n_target, c.n_nontarget, c.hull, *(c.raw or ()))]
        for key, c in counts.cuts.items()
    }
    ranks = {
        place: {model: (rank.dtype.str, rank.tolist()) for model, rank in r.rank.items()}
        for place, r in counts.ranks.items()
    }
    return cuts, ranks


@pytest.fixture
def tables(tmp_path):
    return Tables(tmp_path)


@pytest.mark.parametrize("models", ["AB", "BA", "ABC", "B"])
def test_models_in_any_order_find_what_was_counted(tables, models):
    assert tables.count(tables.spec("AB")) == (0, 2)
    known = len(set("AB") & set(models))
    assert tables.count(tables.spec(models)) == (known, len(models) - known)
    assert tables.count(tables.spec(models)) == (len(models), 0)


def test_threads_find_them_too(tables):
    with ThreadExecutor(2) as pool:
        assert tables.count(tables.spec("ABC"), pool) == (0, 3)
        assert tables.count(tables.spec("ABC"), pool) == (3, 0)


def test_a_file_of_other_scores_is_counted_anew_and_others_are_not(tables):
    tables.count(tables.spec())
    tables.write("B", shift=1.0)
    assert tables.count(tables.spec()) == (1, 1)


CHANGES = [
    {"negated": frozenset("B")},
    {"coarse": 20},
    {"columns": {"cluster": "speaker"}},
    {"weights": {"w0": 1, "w1": 3}},
    {"weights": {"w0": 1, "w1": 0}},
    {"attributes": ("speaker",)},
    {"missing": "reject"},
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_another_question_of_the_rows_is_counted_anew(tables, change):
    tables.count(tables.spec())
    assert tables.count(tables.spec(**change)) == (0, 2)
    assert tables.count(tables.spec(**change)) == (2, 0)


def test_trials_that_another_model_lacks_are_another_count(tables):
    tables.count(tables.spec(missing="drop"))
    lacking = pl.when(pl.col("trial") == "t07").then(None).otherwise(pl.col("score")).alias("score")
    rows("B").with_columns(lacking).write_parquet(tables.folder / "B.parquet")
    assert tables.count(tables.spec(missing="drop")) == (0, 2)


def test_what_a_path_says_belongs_to_the_content(tables):
    for model in "AB":
        rows("A").drop("model").write_parquet(tables.folder / f"{model}.parquet")

    def named(*models):
        files = (
            File(tables.folder / f"{m}.parquet", (("model", name),))
            for m, name in zip("AB", models, strict=True)
        )
        return TrialSpec(tuple(files))

    assert tables.count(named("x", "y")) == (0, 2)
    assert tables.count(named("x", "z")) == (1, 1)


def test_faults_are_found_as_before(tables):
    tables.count(tables.spec("AB"))
    rows("C").with_columns(label=~pl.col("label")).write_parquet(tables.folder / "C.parquet")
    for cache in (NO_CACHE, tables.cache()):
        with pytest.raises(DataError, match="40 trials|20 trials"):
            count_trials(read_trials(tables.spec("ABC")), SerialExecutor(), IN_MEMORY, cache)


def test_tables_in_memory_are_not_remembered(tables):
    spec = TrialSpec((InMemory(pl.concat([rows("A"), rows("B")])),))
    assert tables.count(spec) == (0, 0)


@pytest.mark.parametrize("how", ["written", "replaced", "gone"])
def test_a_file_that_changes_while_it_is_read_is_noticed(tables, how):
    table = read_trials(tables.spec())
    table.scan.check_unchanged()
    path = tables.folder / "B.parquet"
    if how == "written":
        os.utime(path, ns=(1, 1))
    elif how == "replaced":
        (tables.folder / "C.parquet").rename(path)
    else:
        path.unlink()
    with pytest.raises(DataError, match=r"^B\.parquet: changed while it was read; run again"):
        table.scan.check_unchanged()
