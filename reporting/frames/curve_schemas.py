"""The frames of curves and costs as contracts, beside those of ``frames/schemas.py``."""

from __future__ import annotations

import polars as pl

from reporting.frames.schemas import INTEGER, KEY, NUMBER, TEXT, TRUTH, FrameContract

DCF = FrameContract(
    "dcf",
    pl.Schema(
        KEY
        | {
            "name": TEXT,
            "p_target": NUMBER,
            "c_miss": NUMBER,
            "c_fa": NUMBER,
            "normalised": TRUTH,
            "actual": NUMBER,
            "actual_ci_low": NUMBER,
            "actual_ci_high": NUMBER,
            "minimum": NUMBER,
            "minimum_ci_low": NUMBER,
            "minimum_ci_high": NUMBER,
            "threshold": NUMBER,
            "threshold_source": TEXT,
            "status": TEXT,
        }
    ),
    (*KEY, "name", "threshold_source"),
)

PR = FrameContract(
    "pr",
    pl.Schema(
        KEY
        | {
            "threshold": NUMBER,
            "precision": NUMBER,
            "recall": NUMBER,
            "true_positives": INTEGER,
            "false_alarms": INTEGER,
        }
    ),
    (*KEY, "threshold"),
)

COST = FrameContract(
    "cost",
    pl.Schema(
        KEY
        | {
            "calibration": TEXT,
            "prior_log_odds": NUMBER,
            "bayes_error": NUMBER,
            "min_bayes_error": NUMBER,
            "trivial": NUMBER,
        }
    ),
    (*KEY, "calibration", "prior_log_odds"),
)

AREAS = FrameContract(
    "areas",
    pl.Schema(
        KEY
        | {
            "criterion": TEXT,
            "measure": TEXT,
            "low": NUMBER,
            "high": NUMBER,
            "area": NUMBER,
            "mean": NUMBER,
            "value_oracle": NUMBER,
            "status": TEXT,
        }
    ),
    (*KEY, "criterion", "measure", "low", "high"),
)

STEPS = FrameContract(
    "epc_steps",
    pl.Schema(
        KEY
        | {
            "criterion": TEXT,
            "alpha_low": NUMBER,
            "alpha_high": NUMBER,
            "threshold": NUMBER,
            "misses": INTEGER,
            "false_alarms": INTEGER,
        }
    ),
    (*KEY, "criterion", "alpha_low"),
)

EXPECTED = FrameContract(
    "expected",
    pl.Schema(
        KEY
        | {
            "criterion": TEXT,
            "rate": TEXT,
            "alpha": NUMBER,
            "expected": NUMBER,
            "obtained": NUMBER,
            "band_low": NUMBER,
            "band_high": NUMBER,
            "errors_dev": INTEGER,
            "trials_dev": INTEGER,
            "errors": INTEGER,
            "trials": INTEGER,
            "status": TEXT,
        }
    ),
    (*KEY, "criterion", "rate", "alpha"),
)

HISTOGRAM = FrameContract(
    "histogram",
    pl.Schema(KEY | {"low": NUMBER, "high": NUMBER, "n_target": INTEGER, "n_nontarget": INTEGER}),
    (*KEY, "low", "high"),
)

RELIABILITY = FrameContract(
    "reliability",
    pl.Schema(
        KEY
        | {
            "low": NUMBER,
            "high": NUMBER,
            "mean_probability": NUMBER,
            "observed": NUMBER,
            "ci_low": NUMBER,
            "ci_high": NUMBER,
            "n_target": INTEGER,
            "n_nontarget": INTEGER,
        }
    ),
    (*KEY, "low"),
)

DECISION = FrameContract(
    "decision",
    pl.Schema(KEY | {"probability": NUMBER, "net_benefit": NUMBER, "treat_all": NUMBER}),
    (*KEY, "probability"),
)

CONTRACTS = {
    contract.name: contract
    for contract in (DCF, PR, COST, HISTOGRAM, RELIABILITY, DECISION, STEPS, AREAS, EXPECTED)
}
