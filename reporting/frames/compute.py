"""From counts to the result frames of a report."""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any

import polars as pl

from reporting.counts.count import Counts
from reporting.frames import schemas
from reporting.frames.comparisons import comparison_rows, with_adjusted
from reporting.frames.epc import epc_rows
from reporting.frames.metrics import metric_rows
from reporting.frames.operations import operating_models
from reporting.frames.resampling import resample_dataset
from reporting.frames.roc import roc_frame
from reporting.frames.study import Study
from reporting.frames.trials import trial_rows
from reporting.trials.table import TrialTable


def compute_frames(
    table: TrialTable, counts: Counts, study: Study, pool: Executor
) -> dict[str, pl.DataFrame]:
    """Return the frames ``trials``, ``metrics``, ``comparisons``, ``roc`` and ``epc`` by name."""
    metrics: list[dict[str, Any]] = []
    comparisons: list[dict[str, Any]] = []
    epc: list[dict[str, Any]] = []
    for dataset, models in operating_models(counts, study).items():
        drawn = resample_dataset(models, counts.ranks[dataset, "test"], study, pool)
        for model in models:
            metrics += metric_rows(model, drawn, study)
            epc += epc_rows(model, drawn, study)
        comparisons += comparison_rows(models, drawn, study, pool)
    return {
        "trials": schemas.TRIALS.build(trial_rows(table, counts)),
        "metrics": schemas.METRICS.build(metrics),
        "comparisons": schemas.COMPARISONS.build(with_adjusted(comparisons, study)),
        "roc": roc_frame(counts.cuts, study.threshold_at),
        "epc": schemas.EPC.build(epc),
    }
