"""The frames ``roc``, ``pr`` and ``histogram``: the corners of every staircase, and scores in bins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import polars as pl

from reporting.base.records import dataclass
from reporting.core.counts.cuts import Cuts, Key
from reporting.core.stats.staircase import ThresholdAt
from reporting.document.frames.contract import KEY, Frame, KeyRow
from reporting.document.frames.histogram import HISTOGRAM
from reporting.document.frames.recipe import curve_of, frame_of
from reporting.document.frames.roc import ROC
from reporting.features.curves.roc import histogram, pr_corners, roc_corners


def roc_frame(cuts: Mapping[Key, Cuts], at: ThresholdAt) -> pl.DataFrame:
    """Return the corners of every model, run, dataset and split, from accept all to reject all."""
    return ROC.of_columns(key._asdict() | roc_corners(cuts[key], at) for key in sorted(cuts))


@dataclass(frozen=True, kw_only=True, slots=True)
class PrRow(KeyRow):
    """A row of ``pr``."""

    threshold: Annotated[float, "threshold, on the scale of the trial table; infinite at the ends"]
    precision: Annotated[float | None, "targets over accepted trials; null where none is accepted"] = None
    recall: Annotated[float | None, "accepted targets over targets; null without targets"] = None
    true_positives: Annotated[int, "accepted targets; with weights, their weights as whole numbers"]
    false_alarms: Annotated[int, "accepted non-targets, likewise"]


PR = Frame("pr", PrRow, (*KEY, "threshold"))


def pr_frame(cuts: Mapping[Key, Cuts], at: ThresholdAt, prevalence: float | None = None) -> pl.DataFrame:
    """Return the corners of every model, run, dataset and split, from accept all to reject all.

    Precision is that at the declared share of targets, or of the sample; null where nothing is
    accepted, as recall is where there are no targets. Counts are weighted where strata are.
    """
    return PR.of_columns(key._asdict() | pr_corners(counted, at, prevalence) for key, counted in cuts.items())


def histogram_frame(cuts: Mapping[Key, Cuts]) -> pl.DataFrame:
    """Return the bins of every key; infinite scores are counted in the bin at their end."""
    return HISTOGRAM.of_columns(key._asdict() | vars(histogram(counted)) for key, counted in cuts.items())


RECIPES = (
    frame_of(ROC, lambda of: [roc_frame(of.cuts, of.study.threshold_at)], keeps_empty=True, under_noise=True),
    curve_of(
        PR,
        lambda of: [pr_frame(of.cuts, of.study.threshold_at, of.study.prevalence)],
        keeps_empty=True,
        under_noise=True,
    ),
    curve_of(HISTOGRAM, lambda of: [histogram_frame(of.cuts)], keeps_empty=True, under_noise=True),
)
