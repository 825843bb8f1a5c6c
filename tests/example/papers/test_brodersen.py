"""The sample of decision values: same bytes, sizes and law, and the config from example to report."""

from __future__ import annotations

import json
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from reporting.example.papers import brodersen as example


@pytest.fixture(scope="module")
def table():
    return example.trials()


def test_the_same_bytes_twice(table):
    first, second = BytesIO(), BytesIO()
    table.write_parquet(first)
    example.trials().write_parquet(second)
    assert first.getvalue() == second.getvalue()
    assert (table["score"] == table["score"].round(6)).all()


def test_sizes_and_pairing(table):
    assert table.columns == ["model", "split", "trial", "label", "score"]
    sizes = table.group_by("model", "split", "label").len().sort("model", "split", "label")
    assert sizes["len"].to_list() == [60, 40] * 4
    assert table.select("model", "split", "trial").is_unique().all()
    one, other = (table.filter(model=model).drop("model", "score") for model in ("values", "exponentials"))
    assert one.equals(other)


def test_one_model_is_an_increasing_function_of_the_other(table):
    """No ties by rounding, so that every rank is the same."""
    for split in ("dev", "test"):
        value, power = (
            table.filter(model=model, split=split)["score"].to_numpy() for model in ("values", "exponentials")
        )
        assert len(np.unique(value)) == len(np.unique(power)) == 100
        assert np.array_equal(np.argsort(value), np.argsort(power))
        np.testing.assert_allclose(power, np.exp(value / 2), atol=1e-6, rtol=1e-6)


def test_the_law(table):
    """Means and spreads of 80 targets and 120 non-targets within three standard errors."""
    for label, mean in ((1, 1.0), (0, -1.0)):
        score = table.filter(model="values", label=label)["score"].to_numpy()
        assert abs(score.mean() - mean) < 3 * 2 / np.sqrt(len(score))
        assert abs(score.std(ddof=1) - 2) < 3 * 2 / np.sqrt(2 * len(score))


def reporting(*arguments):
    """Run a command as a user does and return the last line it prints."""
    ran = subprocess.run(
        [sys.executable, "-m", "reporting", *arguments], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()[-1]


def test_the_config_from_example_to_report(tmp_path: Path):
    config = reporting("example", "brodersen", str(tmp_path / "example"))
    page = Path(reporting("run", config))
    text = page.read_text()
    for said in ("The paper", "10.1109/ICPR.2010.1036", "Figure 1a", "Figure 1b", "Figure 1c", "Figure 2"):
        assert said in text
    frames = page.parent / "frames"
    assert pl.read_parquet(frames / "ap_estimators.parquet").height == 14 * 7
    assert pl.read_parquet(frames / "fits.parquet")["fit"].n_unique() == 3
    outputs = json.loads((page.parent / "manifest.json").read_text())["outputs"]
    for name in ("paper_claims", "paper_areas", "paper_bias", "paper_rmse"):
        assert f"tables/{name}.tex" in outputs
