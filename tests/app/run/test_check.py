"""What ``check`` counts of tables whose counts lie on disk."""

from __future__ import annotations

import numpy as np
import polars as pl

from reporting.app.run.check import check_report

N = 1_100_000
"""Trials whose labels alone are more than an array in memory may have."""


def test_a_table_of_a_million_distinct_scores_is_checked(tmp_path):
    label = np.arange(N) % 10 == 0
    rows = {"trial": np.arange(N), "label": label, "A": np.random.default_rng(1).normal(size=N) + label}
    pl.DataFrame(rows).write_parquet(tmp_path / "t.parquet")
    (tmp_path / "c.yaml").write_text(
        "trials: {source: t.parquet, layout: wide, scores: [A]}\nprimary: {measure: auc}\n"
        "thresholds: {policy: none}\n"
    )
    assert check_report(tmp_path / "c.yaml") == (
        f"{N:,} rows, 1 model (A): test {N:,} trials ({N // 10:,} targets)"
    )
