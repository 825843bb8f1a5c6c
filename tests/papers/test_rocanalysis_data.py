"""The trials of the walk-through: their law, sizes and bytes; and the report that they make."""

from __future__ import annotations

import hashlib
import io

import numpy as np
import polars as pl
import pytest
from scipy import stats

from configs.papers.rocanalysis.data import FACTORS, SIZES, trials


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    return trials()


def scores(table: pl.DataFrame, label: str, split: str = "test", model: str = "calibrated") -> np.ndarray:
    return table.filter(model=model, split=split, label=label)["score"].to_numpy()


def test_sizes_are_the_readme_s(table: pl.DataFrame) -> None:
    assert table.columns == ["model", "split", "trial", "label", "score"]
    counted = {row[:3]: row[3] for row in table.group_by("model", "split", "label").len().rows()}
    assert counted == {
        (model, split, label): size
        for model in FACTORS
        for split in ("test", "dev")
        for label, size in (("target", 1_000), ("nontarget", 100_000))
    }
    assert SIZES["test"] == (1_000, 100_000)
    assert table.select("model", "split", "trial").is_unique().all()


@pytest.mark.parametrize("split", ["test", "dev"])
@pytest.mark.parametrize(("label", "mean"), [("target", 2.0), ("nontarget", -2.0)])
def test_scores_follow_the_readme_s_law(table: pl.DataFrame, split: str, label: str, mean: float) -> None:
    one = scores(table, label, split)
    assert stats.kstest(one, stats.norm(mean, 2).cdf).pvalue > 0.001
    assert stats.kstest(one, stats.norm(mean, 1.6).cdf).pvalue < 0.01


def test_dev_is_another_draw(table: pl.DataFrame) -> None:
    assert not np.isin(scores(table, "target"), scores(table, "target", "dev")).any()


def test_doubled_scores_are_exactly_twice(table: pl.DataFrame) -> None:
    for label in ("target", "nontarget"):
        once, twice = (scores(table, label, model=model) for model in ("calibrated", "doubled"))
        assert (twice == 2 * once).all()
        assert (np.round(once, 6) == once).all()


def test_the_bytes_are_the_same_each_time(table: pl.DataFrame) -> None:
    assert digest(trials()) == digest(table)


def digest(table: pl.DataFrame) -> str:
    file = io.BytesIO()
    table.write_parquet(file)
    return hashlib.sha256(file.getvalue()).hexdigest()
