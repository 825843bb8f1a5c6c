"""The share of scores above every threshold, by class."""

from __future__ import annotations

import numpy as np
import polars as pl

from reporting.base.arrays import FloatArray
from reporting.document.charts.axes import FARTHEST
from reporting.document.charts.picture import rows_on_test
from reporting.document.frames.histogram import HISTOGRAM
from reporting.document.frames.roc import ROC
from reporting.document.words.view import DatasetView


def shares_above(view: DatasetView) -> dict[str, tuple[FloatArray, FloatArray, FloatArray]]:
    """Return what is known of the shares by model, at scores that ascend towards the target.

    Exact at the thresholds of the ``roc`` frame and at the inner edges of the ``histogram`` frame;
    straight between them.
    """
    shares = {}
    for model in view.drawn:
        known = pl.concat([_at_corners(view, model), _at_edges(view, model)])
        known = known.filter(pl.col("score").is_finite()).unique()
        known = known.sort("score", "targets", "nontargets", descending=[False, True, True])
        x, targets, nontargets = (known[name].to_numpy() for name in known.columns)
        if len(known) > 1 and np.isfinite([targets, nontargets]).all():
            shares[model] = (np.clip(x, -FARTHEST, FARTHEST), 100 * targets, 100 * nontargets)
    return shares


def _at_corners(view: DatasetView, model: str) -> pl.DataFrame:
    rows = rows_on_test(view, ROC).filter(pl.col("model") == model)
    score = view.sign(model) * pl.col("threshold")
    return rows.select(score=score, targets=1 - pl.col("p_miss"), nontargets="p_fa")


def _at_edges(view: DatasetView, model: str) -> pl.DataFrame:
    rows = rows_on_test(view, HISTOGRAM).filter(pl.col("model") == model)
    edge = "low" if view.sign(model) > 0 else "high"
    above = [pl.col(name).cum_sum(reverse=True) / pl.col(name).sum() for name in ("n_target", "n_nontarget")]
    # The first edge has the infinite scores of its bin below it: its share is not known.
    rows = rows.with_columns(score=view.sign(model) * pl.col(edge)).sort("score")
    return rows.select("score", targets=above[0], nontargets=above[1])[1:]
