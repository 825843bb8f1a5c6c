"""The frame of the simulated estimators: its contract, its streams, its numbers by plain NumPy."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import average_precision_score

from configs.papers.brodersen import ap_estimators as frames
from configs.papers.brodersen.ap_estimators import ALPHAS, AP_ESTIMATORS, SIMULATIONS, ap_estimators_frame
from configs.papers.brodersen.estimators import ESTIMATORS
from reporting.core.resampling.draws import stream


def made(seed=1):
    return ap_estimators_frame(seed)


@pytest.fixture(scope="module")
def frame():
    return made()


def test_the_contract(frame):
    assert frame.schema == AP_ESTIMATORS.schema
    assert frame.height == len(ALPHAS) * len(ESTIMATORS) == frame.n_unique(("alpha", "estimator"))
    assert frame.sort("alpha", "estimator").equals(frame)
    assert frame["n"].unique().to_list() == [100]
    assert frame["simulations"].unique().to_list() == [SIMULATIONS] == [1000]
    assert (frame["n_target"] == (100 * frame["alpha"]).round().cast(pl.Int64)).all()
    assert len(ALPHAS) == 14
    assert [alpha for alpha in ALPHAS if alpha in (0, 1)] == [0, 1]


def test_the_ends_are_degenerate_and_nothing_else_is(frame):
    ends = pl.col("alpha").is_in([0.0, 1.0])
    numbers = ["truth", "mean", "bias", "bias_se", "rmse", "rmse_se"]
    assert frame.filter(ends)["status"].unique().to_list() == ["degenerate"]
    assert frame.filter(ends)["undefined"].unique().to_list() == [SIMULATIONS]
    assert frame.filter(ends).select(numbers).null_count().row(0) == (2 * len(ESTIMATORS),) * len(numbers)
    assert frame.filter(~ends)["status"].null_count() == 12 * len(ESTIMATORS)
    assert frame.filter(~ends).select(numbers).null_count().sum_horizontal().item() == 0
    assert not frame.select(pl.col(numbers).is_nan().any()).sum_horizontal().item()


def test_bias_and_error_fit_together(frame):
    there = frame.drop_nulls("truth")
    assert (there["mean"] - there["truth"] - there["bias"]).abs().max() < 1e-12
    spread = there["bias_se"] ** 2 * (SIMULATIONS - 1)
    assert (there["rmse"] ** 2 - there["bias"] ** 2 - spread).abs().max() < 1e-12


def test_a_share_has_a_stream_of_its_own(frame, monkeypatch):
    monkeypatch.setattr(frames, "ALPHAS", (0.1,))
    assert made().equals(frame.filter(alpha=0.1))
    other = made(seed=2)
    assert not other.equals(made())
    monkeypatch.setattr(frames, "ALPHAS", (0.1, 0.9))
    both = made()
    assert not np.isclose(
        *(both.filter(alpha=alpha, estimator="step")["bias"].item() for alpha in (0.1, 0.9))
    )


def test_the_steps_by_plain_numpy(frame):
    """Its own rows from the same stream, scored one by one."""
    noise = 2 * stream(1, "ap_estimators", 5).standard_normal((SIMULATIONS, 100))
    label = np.arange(100) < 5
    score = noise + np.where(label, 1, -1)
    areas = np.array([average_precision_score(label, row) for row in score])
    row = frame.filter(alpha=0.05, estimator="step")
    assert row["mean"].item() == pytest.approx(areas.mean(), abs=1e-12)
    assert row["bias"].item() == pytest.approx(areas.mean() - 0.1733147995, abs=1e-9)
    assert row["rmse"].item() == pytest.approx(np.sqrt(np.mean((areas - 0.1733147995) ** 2)), abs=1e-9)
