"""The frame ``histogram``: the scores of both classes."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from reporting.core.counts.cuts import Cuts, Key
from reporting.document.frames.histogram import HISTOGRAM
from reporting.document.frames.recipe import curve_of
from reporting.features.curves.roc import histogram


def histogram_frame(cuts: Mapping[Key, Cuts]) -> pl.DataFrame:
    """Return the bins of every key; infinite scores are counted in the bin at their end."""
    return HISTOGRAM.of_columns(key._asdict() | vars(histogram(counted)) for key, counted in cuts.items())


RECIPES = (curve_of(HISTOGRAM, lambda of: [histogram_frame(of.cuts)], keeps_empty=True, under_noise=True),)
