"""The frames of what lies behind the comparisons as contracts, beside those of ``frames/schemas.py``."""

from __future__ import annotations

import polars as pl

from reporting.frames.schemas import INTEGER, KEY, NUMBER, TEXT, TRUTH, FrameContract

QUESTION = {
    "dataset": TEXT,
    "split": TEXT,
    "group": TEXT,
    "measure": TEXT,
    "criterion": TEXT,
    "model": TEXT,
    "baseline": TEXT,
    "inference": TEXT,
}
"""The columns that name a comparison, as in the frame ``comparisons``."""

DIFFERENCES = FrameContract(
    "differences",
    pl.Schema(QUESTION | {"low": NUMBER, "high": NUMBER, "count": INTEGER}),
    (*QUESTION, "low"),
)

STANDING = FrameContract(
    "standing",
    pl.Schema(
        KEY
        | {
            "measure": TEXT,
            "criterion": TEXT,
            "value": NUMBER,
            "p_best": NUMBER,
            "may_be_best": TRUTH,
            "n_models": INTEGER,
            "level": NUMBER,
            "inference": TEXT,
            "replicates": INTEGER,
        }
    ),
    (*KEY, "measure", "criterion"),
)

CONTRACTS = {contract.name: contract for contract in (DIFFERENCES, STANDING)}
