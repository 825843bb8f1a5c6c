"""Tables of several trainings, and of repeated cross-validations: ``init`` offers the key ``learning``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import yaml

from reporting.app.run.check import check_report
from tests.command import reporting


def trained() -> pl.DataFrame:
    """Return three repeats of a cross-validation of two models, each with folds of its own."""
    draw = np.random.default_rng(1)
    return pl.concat(
        pl.DataFrame({"model": model, "repeat": f"r{repeat}", "fold": draw.permutation(60) % 5,
                      "trial": np.arange(60), "label": np.arange(60) % 2,
                      "score": np.round(draw.normal(np.arange(60) % 2, 1), 2)})
        for model in ("bayes", "tree")
        for repeat in range(3)
    )  # fmt: skip


@pytest.mark.parametrize(
    ("table", "offered"),
    [
        (trained(), {"folds": "fold"}),
        (trained().filter(repeat="r0").drop("repeat"), {"folds": "fold"}),
        (trained().drop("fold").rename({"repeat": "seed"}), True),
        (trained().drop("fold"), None),
        (trained().filter(repeat="r0").drop("repeat", "fold"), None),
    ],
    ids=["repeated folds", "folds", "seeds", "repeats of something", "one training"],
)
def test_folds_and_seeds_are_learning_procedures(table: pl.DataFrame, offered: Any, tmp_path: Path) -> None:
    table.write_csv(tmp_path / "trials.csv")
    ended = reporting("init", "trials.csv", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    text = (tmp_path / "report.yaml").read_text()
    assert "learning" not in yaml.safe_load(text)
    text = text.replace("# learning:", "learning:")
    assert yaml.safe_load(text).get("learning") == offered
    (tmp_path / "report.yaml").write_text(text)
    check_report(tmp_path / "report.yaml")
