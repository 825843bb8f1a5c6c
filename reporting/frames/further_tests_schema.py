"""The frame ``tests`` as a contract, beside those of ``frames/schemas.py``."""

from __future__ import annotations

import polars as pl

from reporting.frames.schemas import FLAGS, INTEGER, NUMBER, TEXT, FrameContract

TESTED = {
    "dataset": TEXT,
    "split": TEXT,
    "group": TEXT,
    "test": TEXT,
    "measure": TEXT,
    "criterion": TEXT,
    "inference": TEXT,
    "model": TEXT,
    "baseline": TEXT,
    "part": TEXT,
    "unit": TEXT,
}
"""What is tested, on which trials (``part``: targets, nontargets, both), counted in which unit."""

TESTS = FrameContract(
    "tests",
    pl.Schema(
        TESTED
        | {
            "n_units": INTEGER,
            "statistic": NUMBER,
            "df": NUMBER,
            "estimate": NUMBER,
            "se": NUMBER,
            "low": NUMBER,
            "high": NUMBER,
            "level": NUMBER,
            "p_value": NUMBER,
            "p_mid": NUMBER,
            "p_after": NUMBER,
            "margin": NUMBER,
            "power": NUMBER,
            "detectable": NUMBER,
            "times": NUMBER,
            "needed_targets": INTEGER,
            "needed_nontargets": INTEGER,
            "needed_units": INTEGER,
            "replicates": INTEGER,
            "mc_error": NUMBER,
            "n_models": INTEGER,
            "verdict": TEXT,
            "status": TEXT,
            "flags": FLAGS,
        }
    ),
    tuple(TESTED),
)
