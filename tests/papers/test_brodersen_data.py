"""The sample of decision values: same bytes, sizes and law, and the config from example to report."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest

from configs.papers.brodersen import data as example


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
