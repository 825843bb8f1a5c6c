"""The frames of fits as contracts."""

from __future__ import annotations

import polars as pl

from reporting.frames.schemas import FLAGS, KEY, NUMBER, TEXT, FrameContract

FITS = FrameContract(
    "fits",
    pl.Schema(
        KEY
        | {
            "fit": TEXT,
            "parameter": TEXT,
            "value": NUMBER,
            "se": NUMBER,
            "ci_low": NUMBER,
            "ci_high": NUMBER,
            "level": NUMBER,
            "ci_method": TEXT,
            "status": TEXT,
            "flags": FLAGS,
        }
    ),
    (*KEY, "fit", "parameter"),
)

FIT_METRICS = FrameContract(
    "fit_metrics",
    pl.Schema(
        KEY
        | {
            "fit": TEXT,
            "measure": TEXT,
            "criterion": TEXT,
            "threshold": NUMBER,
            "prevalence": NUMBER,
            "value": NUMBER,
            "observed": NUMBER,
            "status": TEXT,
        }
    ),
    (*KEY, "fit", "measure", "criterion"),
)

FIT_CURVES = FrameContract(
    "fit_curves",
    pl.Schema(
        KEY
        | {
            "fit": TEXT,
            "p_fa": NUMBER,
            "p_miss": NUMBER,
            "p_miss_low": NUMBER,
            "p_miss_high": NUMBER,
            "precision": NUMBER,
            "f1": NUMBER,
        }
    ),
    (*KEY, "fit", "p_fa", "p_miss"),
)
