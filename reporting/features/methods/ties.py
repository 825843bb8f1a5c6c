"""Thresholds that tie with the chosen one."""

from __future__ import annotations

from fractions import Fraction

import polars as pl

from reporting.core.criteria import rates
from reporting.core.criteria.criterion import Criterion
from reporting.document.frames.roc import ROC
from reporting.document.words.view import DatasetView

TIED = "tied_cut"


def cuts_as_good(view: DatasetView, criterion: Criterion, model: str) -> int | None:
    """Return how many development thresholds attain a model's least weighted sum of errors, on integers.

    Minima of such sums lie at corners, which is all that ``roc`` holds. None for other criteria, and where
    the counts are not those the criterion saw: weighted trials, another dataset's dev, means over runs.
    """
    weight = _weight(criterion)
    dev = view.results.dev_of.get(view.dataset, view.dataset)
    if weight is None or view.results.weighted or view.study.thresholds.policy != "dev":
        return None
    here = {"dataset": dev, "run": view.run, "group": "", "split": "dev", "model": model}
    rows = (
        view.results.frame(ROC).filter(**here).select(pl.col("misses", "false_alarms").cast(pl.Int64)).rows()
    )
    if not rows:
        return None
    n_target, n_nontarget = max(row[0] for row in rows), max(row[1] for row in rows)
    if not n_target or not n_nontarget:
        return None
    costs = [weight * alarms * n_target + (1 - weight) * misses * n_nontarget for misses, alarms in set(rows)]
    return costs.count(min(costs))


def _weight(criterion: Criterion) -> Fraction | None:
    """Return the weight of FAR where a criterion minimises a weighted sum of both rates, within (0, 1)."""
    if criterion.key == rates.MIN_HTER.key:
        return Fraction(1, 2)
    if criterion.key == rates.WEIGHTED_ERROR.key:
        alpha = Fraction(str(criterion.arguments["alpha"]))
        return alpha if 0 < alpha < 1 else None
    return None
