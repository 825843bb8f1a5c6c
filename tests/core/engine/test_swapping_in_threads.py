"""Exchanges of many scores in threads: groups of a report whose cells are counted side by side."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import numpy as np
import polars as pl
from build import build

from reporting.base.execution import ThreadExecutor

LONGEST = 120.0
"""Seconds; it takes about one."""


def test_threads_do_not_wait_for_one_another(tmp_path: Path) -> None:
    rng, n = np.random.default_rng(1), 20_000
    label, trial = rng.random(n) < 0.2, np.arange(n)
    table = pl.concat(
        pl.DataFrame(
            {
                "model": [model] * n,
                "split": np.where(trial % 2, "test", "dev"),
                "trial": trial,
                "label": label,
                "kind": np.array(list("abcd"))[trial % 4],
                "score": 1.5 * label + rng.normal(size=n),
            }
        )
        for model in "abc"
    )
    pool = ThreadExecutor(2)
    built = build(tmp_path / "r", table, "epc: none\ncurves: []\nby: [kind]\nbaseline: a\n", pool=pool)
    work = Thread(target=lambda: built.frames, daemon=True)
    work.start()
    work.join(LONGEST)
    assert not work.is_alive()
    pool.close()
