"""The ``pr`` frame: precision and recall at the corners of every staircase."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from reporting.counts.cuts import Cuts, Key
from reporting.curves.roc import pr_curve
from reporting.frames.curve_schemas import PR
from reporting.frames.keyed import keyed, stacked
from reporting.stats.staircase import ThresholdAt


def pr_frame(cuts: Mapping[Key, Cuts], at: ThresholdAt, prevalence: float | None = None) -> pl.DataFrame:
    """Return the corners of every model, run, dataset and split, from accept all to reject all.

    Precision is that at the declared share of targets, or of the sample; null where nothing is
    accepted, as recall is where there are no targets. Counts are weighted where strata are.
    """
    curves = ((key, pr_curve(one, at, prevalence)) for key, one in cuts.items())
    return stacked(PR, (keyed(PR, key, vars(curve)) for key, curve in curves))
