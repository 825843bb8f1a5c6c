"""The result frames as contracts: columns, types and sort keys of every file in ``frames/``.

Long and tidy, keys first. Counts are Int64, numbers Float64, ``flags`` a sorted list of text;
an undefined number is null with a ``status``. Infinite values stand in ``threshold`` and ``llr`` only.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

TEXT, INTEGER, NUMBER, TRUTH = pl.String(), pl.Int64(), pl.Float64(), pl.Boolean()
FLAGS = pl.List(pl.String())

KEY = {"model": TEXT, "run": TEXT, "dataset": TEXT, "split": TEXT, "group": TEXT}


@dataclass(frozen=True)
class FrameContract:
    """A frame's schema and the columns by which its rows are sorted."""

    name: str
    schema: pl.Schema
    sorted_by: tuple[str, ...]

    def build(self, rows: list[dict[str, object]]) -> pl.DataFrame:
        """Return the rows as a frame of this schema, sorted by key (nulls first)."""
        frame = pl.DataFrame(rows, schema=self.schema, orient="row")
        return frame.sort(list(self.sorted_by), nulls_last=False, maintain_order=True)


TRIALS = FrameContract(
    "trials",
    pl.Schema(
        KEY
        | {
            "n_target": INTEGER,
            "n_nontarget": INTEGER,
            "n_unlabelled": INTEGER,
            "n_missing": INTEGER,
            "n_infinite": INTEGER,
            "rows_read": INTEGER,
            "rows_dropped": INTEGER,
            "n_clusters": INTEGER,
            "prevalence": NUMBER,
            "n_distinct": INTEGER,
        }
    ),
    tuple(KEY),
)

METRICS = FrameContract(
    "metrics",
    pl.Schema(
        KEY
        | {
            "measure": TEXT,
            "criterion": TEXT,
            "threshold": NUMBER,
            "threshold_source": TEXT,
            "value": NUMBER,
            "ci_low": NUMBER,
            "ci_high": NUMBER,
            "level": NUMBER,
            "ci_method": TEXT,
            "inference": TEXT,
            "unit": TEXT,
            "n_units": INTEGER,
            "replicates": INTEGER,
            "misses": INTEGER,
            "false_alarms": INTEGER,
            "n_target": INTEGER,
            "n_nontarget": INTEGER,
            "status": TEXT,
            "flags": FLAGS,
        }
    ),
    (*KEY, "measure", "criterion"),
)

COMPARISONS = FrameContract(
    "comparisons",
    pl.Schema(
        {
            "dataset": TEXT,
            "split": TEXT,
            "group": TEXT,
            "measure": TEXT,
            "criterion": TEXT,
            "parameter": NUMBER,
            "model": TEXT,
            "baseline": TEXT,
            "inference": TEXT,
            "unit": TEXT,
            "difference": NUMBER,
            "ci_low": NUMBER,
            "ci_high": NUMBER,
            "band_low": NUMBER,
            "band_high": NUMBER,
            "level": NUMBER,
            "ci_method": TEXT,
            "p_value": NUMBER,
            "p_method": TEXT,
            "p_percentile": NUMBER,
            "p_exact": NUMBER,
            "p_adjusted": NUMBER,
            "correction": TEXT,
            "family": TEXT,
            "family_size": INTEGER,
            "replicates": INTEGER,
            "mc_error": NUMBER,
            "n_units": INTEGER,
            "design_effect": NUMBER,
            "status": TEXT,
            "flags": FLAGS,
        }
    ),
    ("dataset", "split", "group", "measure", "criterion", "parameter", "model", "baseline", "inference"),
)

ROC = FrameContract(
    "roc",
    pl.Schema(
        KEY
        | {
            "threshold": NUMBER,
            "misses": INTEGER,
            "false_alarms": INTEGER,
            "p_miss": NUMBER,
            "p_fa": NUMBER,
            "on_hull": TRUTH,
            "llr": NUMBER,
        }
    ),
    (*KEY, "threshold"),
)

EPC = FrameContract(
    "epc",
    pl.Schema(
        KEY
        | {
            "criterion": TEXT,
            "alpha": NUMBER,
            "threshold": NUMBER,
            "measure": TEXT,
            "value": NUMBER,
            "ci_low": NUMBER,
            "ci_high": NUMBER,
            "band_low": NUMBER,
            "band_high": NUMBER,
            "value_dev": NUMBER,
            "value_oracle": NUMBER,
            "inference": TEXT,
            "status": TEXT,
        }
    ),
    (*KEY, "criterion", "measure", "alpha"),
)

CONTRACTS = {contract.name: contract for contract in (TRIALS, METRICS, COMPARISONS, ROC, EPC)}
