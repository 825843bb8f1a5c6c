"""The ``histogram`` frame: targets and non-targets by score, on each model's own scale."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from reporting.counts.cuts import Cuts, Key
from reporting.curves.scores import histogram
from reporting.frames.curve_schemas import HISTOGRAM
from reporting.frames.keyed import keyed, stacked


def histogram_frame(cuts: Mapping[Key, Cuts]) -> pl.DataFrame:
    """Return the bins of every key; infinite scores are counted in the bin at their end."""
    return stacked(HISTOGRAM, (keyed(HISTOGRAM, key, vars(histogram(one))) for key, one in cuts.items()))
