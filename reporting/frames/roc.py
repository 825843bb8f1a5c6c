"""The ``roc`` frame: counts and rates at the corners of every staircase."""

from __future__ import annotations

import numpy as np
import polars as pl

from reporting.counts.cuts import Cuts, Key
from reporting.curves.roc import roc_curve
from reporting.frames.schemas import ROC
from reporting.stats.rates import ratio
from reporting.stats.staircase import ThresholdAt


def roc_frame(cuts: dict[Key, Cuts], at: ThresholdAt) -> pl.DataFrame:
    """Return the corners of every model, run, dataset and split, from accept all to reject all."""
    return pl.concat([_corners(key, cuts[key], at) for key in sorted(cuts)])


def _corners(key: Key, cuts: Cuts, at: ThresholdAt) -> pl.DataFrame:
    curve = roc_curve(cuts, at)
    n_target, n_nontarget = cuts.totals
    misses, false_alarms = cuts.errors(curve.cut)
    columns = {
        "threshold": curve.threshold,
        "misses": misses,
        "false_alarms": false_alarms,
        "p_miss": ratio(curve.misses, n_target),
        "p_fa": ratio(curve.false_alarms, n_nontarget),
        "on_hull": curve.on_hull,
        "llr": curve.llr,
    }
    numbers = pl.DataFrame({name: np.asarray(column) for name, column in columns.items()})
    keys = [pl.lit(value).alias(name) for name, value in key._asdict().items()]
    return (
        numbers.with_columns(*keys, pl.col("p_miss", "p_fa", "llr").fill_nan(None))
        .select(ROC.schema.names())
        .cast(ROC.schema)
    )
