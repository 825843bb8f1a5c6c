"""The ``pr`` frame: precision and recall at the corners of every staircase."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from reporting.counts.cuts import Cuts, Key
from reporting.curves.pr import pr_curve
from reporting.frames.curve_schemas import PR
from reporting.frames.keyed import keyed, stacked
from reporting.stats.staircase import ThresholdAt


def pr_frame(cuts: Mapping[Key, Cuts], at: ThresholdAt) -> pl.DataFrame:
    """Return the corners of every model, run, dataset and split, from accept all to reject all.

    Precision is null where nothing is accepted, recall where there are no targets.
    """
    return stacked(PR, (keyed(PR, key, vars(pr_curve(one, at))) for key, one in cuts.items()))
