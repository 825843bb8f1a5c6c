"""Means over items, the trials that all models and runs share: of scores, and of attempts."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.core.counts.ranks import Ranks
from reporting.core.engine.model_runs import ModelRuns
from reporting.core.resampling.estimate import NO_INTERVAL, ModelInterval
from reporting.core.resampling.units import Units
from reporting.core.stats.cluster_sizes import ClusterSizes
from reporting.core.stats.intervals import normal
from reporting.core.stats.placements import clustered_se
from reporting.core.stats.skewness import Costs, skewed_t


class ItemMean(NamedTuple):
    """The mean of a number over items, by their weights, and its standard error by independent units."""

    value: float
    se: float
    df: float
    units: int


def item_mean(values: FloatArray, ranks: Ranks, units: Units) -> ItemMean:
    """Return the mean of ``values`` (shape (N,)) over items, with its error by clusters, or by items.

    se^2 = f sum over units of (sum of w (x - mean))^2, w the shares of items, and f = G / (G - 1) of G items,
    or of clusters of one size (``ClusterSizes``); in strata that of ``UnitStrata``. NaN of a single unit.
    """
    weight = np.ones(len(values)) if ranks.weight is None else ranks.weight.astype(np.float64)
    share = weight / weight.sum()
    unit: Any = units.of_trial if units.clustered else np.arange(len(values))
    sizes = ClusterSizes.of(np.bincount(unit, weight))
    if not units.clustered:
        sizes = sizes._replace(factor=ClusterSizes.equal(sizes.number).factor)
    mean = float((weight * values).sum() / weight.sum())
    if units.strata is not None:
        held, moved = (np.bincount(unit, of, units.n_own) for of in (weight, share * (values - mean)))
        sizes, se = sizes.in_strata(units.strata.number(held)), math.sqrt(units.strata.variance(moved))
        return ItemMean(mean, se, sizes.degrees_of_freedom, sizes.number)
    se = (
        clustered_se(share * (values - mean), unit, math.sqrt(sizes.factor)) if sizes.number > 1 else math.nan
    )
    return ItemMean(mean, se, sizes.degrees_of_freedom, sizes.number)


def item_scores(system: ModelRuns, ranks: Ranks) -> FloatArray | None:
    """Return the mean score over runs of each item (shape (N,)), on the scale of the table.

    None where items belong to two clusters or counts carry noise: their mean has no closed form.
    """
    if ranks.unit_b is not None or ranks.noise is not None:
        return None
    scores = [run.scaling.of_table(run.test.score)[run.rank] for run in system.runs]
    return np.asarray(np.mean(scores, axis=0))


MANY = 20
"""Independent items from which their skewness is known well enough for limits that follow it: with fewer, the
mean of skewed scores is held too seldom either way (``tests/research/studies/grades.md``)."""


def score_limits(scores: FloatArray, ranks: Ranks, units: Units, level: float) -> ModelInterval:
    """Return the limits of a mean score by Student's t over items, or over clusters.

    Of ``MANY`` independent items that weigh the same they are corrected for skewness. None, with the reason,
    where all scores are equal.
    """
    if np.ptp(scores) == 0:
        return ModelInterval(withheld="values_alike")
    if not units.clustered and ranks.weight is None and len(scores) >= MANY:
        limits = skewed_t([Costs(1.0, scores, np.ones(len(scores)))], level)
        return NO_INTERVAL if limits is None else ModelInterval(*limits, "skewed_t")
    mean = item_mean(scores, ranks, units)
    if not mean.se > 0:
        return NO_INTERVAL
    return ModelInterval(*normal(mean.value, mean.se, level, mean.df), "item_t", se=mean.se)
