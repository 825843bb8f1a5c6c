"""The frame ``transfer`` as a contract, beside those of ``frames/curve_schemas.py``."""

from __future__ import annotations

import polars as pl

from reporting.frames.schemas import INTEGER, NUMBER, TEXT, FrameContract

PAIR = {"model": TEXT, "run": TEXT, "dev_dataset": TEXT, "test_dataset": TEXT}
"""Whose thresholds, chosen on which dataset's dev, judged on which dataset's test."""

TRANSFER = FrameContract(
    "transfer",
    pl.Schema(
        PAIR
        | {
            "over": TEXT,
            "criterion": TEXT,
            "measure": TEXT,
            "threshold": NUMBER,
            "value": NUMBER,
            "value_own": NUMBER,
            "value_oracle": NUMBER,
            "cost": NUMBER,
            "threshold_shift": NUMBER,
            "discrimination": NUMBER,
            "low": NUMBER,
            "high": NUMBER,
            "n_target": INTEGER,
            "n_nontarget": INTEGER,
            "misses": INTEGER,
            "false_alarms": INTEGER,
            "status": TEXT,
        }
    ),
    (*PAIR, "over", "criterion", "measure"),
)
