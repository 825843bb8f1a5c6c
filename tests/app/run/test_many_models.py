"""A report of 500 models: it ends within the memory of a laptop, and its page opens."""

import json
import os
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

MODELS, TRIALS = 500, 2000


@pytest.mark.long
def test_500_models_take_less_than_three_gigabytes(tmp_path):
    rng = np.random.default_rng(7)
    target, hard = np.arange(TRIALS) % 4 == 0, rng.normal(0, 0.7, TRIALS)
    split = np.where(np.arange(TRIALS) < TRIALS // 2, "dev", "test")
    common = pl.DataFrame({"trial": np.arange(TRIALS).astype(str), "split": split, "label": target})
    parts = [
        common.with_columns(
            pl.lit(f"S{k:03d}").alias("model"),
            pl.Series("score", np.round((3 - k / 250) * target + hard + rng.normal(0, 0.7, TRIALS), 1)),
        )
        for k in range(MODELS)
    ]
    pl.concat(parts).write_parquet(tmp_path / "trials.parquet")
    config = tmp_path / "report.yaml"
    config.write_text("title: Many\ntrials: {source: trials.parquet}\n")
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "reporting", "run", config, "--no-cache"], stdout=log, stderr=log
        )
        _, status, usage = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0, (tmp_path / "log").read_text()
    folder = tmp_path / "report"
    timings = json.loads((folder / "timings.json").read_text())
    gigabytes = max(usage.ru_maxrss * 1024 / 1e9, timings["total"]["peak_mb"] / 1e3)
    page = (folder / "report.html").stat().st_size / 1e6
    print(f"{gigabytes:.2f} GB, {page:.1f} MB, {timings['total']}")
    assert gigabytes < 3
    assert page < 15
    ranks = pl.read_parquet(folder / "frames" / "ranking.parquet")
    assert len(ranks) == MODELS
    assert ranks["rank_low"].null_count() == 0
