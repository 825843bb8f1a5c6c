"""The ``pr`` frame: precision and recall at the corners of every staircase."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated

import polars as pl

from reporting.counts.cuts import Cuts, Key
from reporting.curves.roc import pr_curve
from reporting.frames.contract import KEY, Frame, KeyRow
from reporting.frames.judged import JudgedPart
from reporting.stats.staircase import ThresholdAt


@dataclass(frozen=True, kw_only=True, slots=True)
class PrRow(KeyRow):
    """A row of ``pr``."""

    threshold: Annotated[float, "threshold, on the scale of the trial table; infinite at the ends"]
    precision: Annotated[float | None, "targets over accepted trials; null where none is accepted"] = None
    recall: Annotated[float | None, "accepted targets over targets; null without targets"] = None
    true_positives: Annotated[int, "accepted targets"]
    false_alarms: Annotated[int, "accepted non-targets"]


PR = Frame("pr", PrRow, (*KEY, "threshold"))


def pr_of(judged: JudgedPart) -> Iterator[pl.DataFrame]:
    """Yield the corners of every model on dev and on test."""
    cuts = {key: counted for key, counted, _ in judged.sets()}
    yield pr_frame(cuts, judged.study.threshold_at, judged.study.prevalence)


def pr_frame(cuts: Mapping[Key, Cuts], at: ThresholdAt, prevalence: float | None = None) -> pl.DataFrame:
    """Return the corners of every model, run, dataset and split, from accept all to reject all.

    Precision is that at the declared share of targets, or of the sample; null where nothing is
    accepted, as recall is where there are no targets. Counts are weighted where strata are.
    """
    curves = ((key, pr_curve(counted, at, prevalence)) for key, counted in cuts.items())
    return PR.stacked((PR.of_arrays(key, vars(curve)) for key, curve in curves))
