"""The frame ``winners`` as a contract, beside those of ``frames/inference_schemas.py``."""

from __future__ import annotations

import polars as pl

from reporting.frames.schemas import INTEGER, KEY, NUMBER, TEXT, TRUTH, FrameContract

WINNERS = FrameContract(
    "winners",
    pl.Schema(
        KEY
        | {
            "criterion": TEXT,
            "measure": TEXT,
            "alpha": NUMBER,
            "value": NUMBER,
            "ci_low": NUMBER,
            "ci_high": NUMBER,
            "p_best": NUMBER,
            "may_be_best": TRUTH,
            "p_best_joint": NUMBER,
            "may_be_best_joint": TRUTH,
            "n_models": INTEGER,
            "n_alphas": INTEGER,
            "level": NUMBER,
            "inference": TEXT,
            "replicates": INTEGER,
            "status": TEXT,
        }
    ),
    (*KEY, "criterion", "measure", "alpha"),
)
