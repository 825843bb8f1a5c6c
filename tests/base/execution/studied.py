"""A small study that asks for almost everything, and the bytes of its frames."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import numpy as np
import polars as pl
from build import built_from

from reporting.base.execution import Executor

CONFIG = """\
trials: {source: trials.parquet, columns: {cluster: speaker}}
by: [gender]
criteria: [min_hter, "target(measure=frr, value=0.2)"]
measures: [hter, accuracy, auc, pauc]
epc: {criteria: [weighted_error, precision_recall], measures: [weighted_error], alphas: 21}
curves: [roc, pr]
significance: {replicates: 300, comparisons: procedure, tests: [mcnemar, delong, permutation]}
"""
FAST = (
    "significance.replicates=99",
    "epc=none",
    "report.formats=[json]",
    "curves=[roc]",
    "significance.tests=[]",
)
"""A report that is made soon."""
OTHERWISE = ("by=[]", "significance.bands=threshold", "significance.unit=trial")
"""Another way through the program: independent trials, whose errors are drawn from outcomes."""


def study(folder: Path) -> Path:
    """Write the study's table and config, and return the config."""
    rng = np.random.default_rng(5)
    rows = []
    for model in "ABC":
        for run in ("1", "2") if model == "B" else ("1",):
            for split in ("dev", "test"):
                label = np.arange(60) % 3 == 0
                score = np.round(rng.normal(label * 1.2, 1), 1)
                rows.append(
                    pl.DataFrame(
                        {
                            "model": model,
                            "run": run,
                            "split": split,
                            "trial": [f"{split}{k:03}" for k in range(60)],
                            "label": label,
                            "score": score,
                            "speaker": [f"s{k // 4}" for k in range(60)],
                            "gender": ["f" if k % 8 < 4 else "m" for k in range(60)],
                        }
                    )
                )
    pl.concat(rows).write_parquet(folder / "trials.parquet")
    (folder / "report.yaml").write_text(CONFIG)
    return folder / "report.yaml"


def digests(config: Path, pool: Executor, *overrides: str) -> dict[str, str]:
    """Return the sha256 of every frame as it is written."""
    frames = built_from(config, *overrides, pool=pool).frames
    return {name: _digest(frame) for name, frame in frames.items()}


def _digest(frame: pl.DataFrame) -> str:
    written = io.BytesIO()
    frame.write_parquet(written, compression="zstd", statistics=True)
    return hashlib.sha256(written.getvalue()).hexdigest()
