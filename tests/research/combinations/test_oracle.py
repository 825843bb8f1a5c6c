"""Reports of generated combinations against the oracle, and what it finds where a number is changed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from build import built_from

from tests.research.combinations import definitions as d
from tests.research.combinations.generator import Combination, make
from tests.research.combinations.oracle import disagreements, effective

SEEDS = (1, 2, 3, 4, 5, 6, 7, 9, 11, 19, 22, 25, 27, 28, 35, 36, 37, 38, 39, 41, 45, 48, 49, 59, 143, 558,
         575, 576, 611)  # fmt: skip
"""These have most of the features and take little time."""


def framed(seed: int, folder: Path) -> Combination:
    """Write a combination and the frames of its report."""
    combination = make(seed, folder)
    (folder / "frames").mkdir()
    for name, frame in built_from(folder / "report.yaml").frames.items():
        frame.write_parquet(folder / "frames" / f"{name}.parquet")
    return combination


def test_every_number_is_that_of_the_oracle(tmp_path):
    """``python -m tests.research.combinations.campaign --laws`` compares more."""
    compared, found = 0, []
    for seed in SEEDS:
        n, differing = disagreements(framed(seed, tmp_path / str(seed)), tmp_path / str(seed))
        compared += n
        found += [f"{seed}: {one}" for one in differing]
    assert found == []
    assert compared > 20_000


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """A report with models, thresholds and curves."""
    folder = tmp_path_factory.mktemp("report")
    return framed(2, folder), folder


@pytest.mark.parametrize(
    ("name", "column", "change"),
    [
        ("metrics", "value", pl.col("value") + 1e-6),
        ("metrics", "threshold", pl.col("threshold") + 0.1),
        ("metrics", "misses", pl.col("misses") + 1),
        ("metrics", "value", pl.lit(None, pl.Float64)),
        ("trials", "n_target", pl.col("n_target") - 1),
        ("epc", "value_oracle", pl.col("value_oracle") + 1e-6),
        ("roc", "p_fa", pl.col("p_fa") * 0.999),
        ("comparisons", "difference", -pl.col("difference")),
    ],
)
def test_a_changed_number_is_found(report, tmp_path, name, column, change):
    """One column of one frame is changed in one row that has a number there; nothing else differs."""
    combination, folder = report
    (tmp_path / "frames").mkdir()
    for path in (folder / "frames").iterdir():
        frame = pl.read_parquet(path)
        if path.stem == name:
            numbered = (
                pl.col(column).is_not_null()
                & (pl.col(column) != 0)
                & pl.col(column).cast(pl.Float64).is_finite()
            )
            first = frame.with_row_index().filter(numbered)["index"][0]
            changed = pl.when(pl.int_range(pl.len()) == first).then(change).otherwise(column)
            frame = frame.with_columns(changed.alias(column))
        frame.write_parquet(tmp_path / "frames" / path.name)
    _, found = disagreements(combination, tmp_path)
    assert len(found) == 1
    assert found[0].startswith(f"{name} {column}")


def trials(scores: list[float], targets: list[int]) -> d.Trials:
    n = len(scores)
    return d.Trials(np.array(scores), np.array(targets, bool), np.ones(n), np.zeros(n, bool))


def test_measures_without_a_class():
    """Where all trials are targets, lift is 1 at every share; the Brier score has nothing to be held against."""
    alone = trials([0.1, 0.6, 0.9], [1, 1, 1])
    assert d.value_over(d.Sweep(alone), "lift_at", {"share": 0.5}) == 1
    assert d.value_over(d.Sweep(trials([0.1, 0.9], [0, 0])), "lift_at", {"share": 0.5}) is None
    weights = np.full(3, 1 / 3)
    with pytest.raises(d.UndefinedError):
        d.OF_PROBABILITIES["brier_skill"](alone.score, alone, weights, {})


def test_certain_trials_allow_no_falling_slope():
    """A target of log odds +inf has likelihood 0 at any slope below 0: the best slope is not attained."""
    falling = trials([-1.0, 0.5, 1.0, 0.0], [1, 1, 0, 0])
    assert d.logistic(falling.score, falling, np.full(4, 0.25), slope=True) < 0
    certain = trials([-1.0, 0.5, 1.0, 0.0, np.inf], [1, 1, 0, 0, 1])
    with pytest.raises(d.UndefinedError):
        d.logistic(certain.score, certain, np.full(5, 0.2), slope=True)


def test_weighted_trials_tell_as_much_as_fewer():
    """2 of 5 of equal weight have the variance p (1 - p) / 4 of a sample; unweighted ones are counted."""
    part = np.array([True, True, False, False, False])
    assert effective(part, np.ones(5), weighted=False) == pytest.approx((2, 5))
    assert effective(part, np.full(5, 2.0), weighted=True) == pytest.approx((0.4 * 4, 4))
    none = np.zeros(3, bool)
    assert effective(none, np.array([1.0, 1.0, 2.0]), weighted=True) == pytest.approx((0, 16 / 6))
