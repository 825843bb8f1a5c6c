"""The frames ``bands`` and ``curve_differences`` as contracts, beside those of other curves."""

from __future__ import annotations

import polars as pl

from reporting.frames.schemas import INTEGER, KEY, NUMBER, TEXT, TRUTH, FrameContract

BANDS = FrameContract(
    "bands",
    pl.Schema(
        KEY
        | {
            "kind": TEXT,
            "simultaneous": TRUTH,
            "threshold": NUMBER,
            "p_fa": NUMBER,
            "p_miss": NUMBER,
            "p_miss_low": NUMBER,
            "p_miss_high": NUMBER,
            "p_fa_low": NUMBER,
            "p_fa_high": NUMBER,
            "level": NUMBER,
            "replicates": INTEGER,
            "unit": TEXT,
            "status": TEXT,
        }
    ),
    (*KEY, "kind", "p_fa", "threshold"),
)

PLACE = {"dataset": TEXT, "split": TEXT, "group": TEXT, "model": TEXT, "baseline": TEXT}

CURVE_DIFFERENCES = FrameContract(
    "curve_differences",
    pl.Schema(
        PLACE
        | {
            "kind": TEXT,
            "simultaneous": TRUTH,
            "p_fa": NUMBER,
            "difference": NUMBER,
            "band_low": NUMBER,
            "band_high": NUMBER,
            "level": NUMBER,
            "replicates": INTEGER,
            "unit": TEXT,
            "status": TEXT,
        }
    ),
    (*PLACE, "p_fa"),
)

CONTRACTS = {contract.name: contract for contract in (BANDS, CURVE_DIFFERENCES)}
