"""The ``histogram`` frame: targets and non-targets by score, on each model's own scale."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated

import polars as pl

from reporting.counts.cuts import Cuts, Key
from reporting.curves.scores import histogram
from reporting.frames.contract import KEY, Frame, KeyRow
from reporting.frames.judged import JudgedPart


@dataclass(frozen=True, kw_only=True, slots=True)
class HistogramRow(KeyRow):
    """A row of ``histogram``."""

    low: Annotated[float, "lower edge of the bin"]
    high: Annotated[float, "upper edge of the bin"]
    n_target: Annotated[int, "targets"]
    n_nontarget: Annotated[int, "non-targets"]


HISTOGRAM = Frame("histogram", HistogramRow, (*KEY, "low", "high"))


def histogram_of(judged: JudgedPart) -> Iterator[pl.DataFrame]:
    """Yield the bins of every model on dev and on test."""
    yield histogram_frame({key: cuts for key, cuts, _ in judged.sets()})


def histogram_frame(cuts: Mapping[Key, Cuts]) -> pl.DataFrame:
    """Return the bins of every key; infinite scores are counted in the bin at their end."""
    return HISTOGRAM.stacked(
        (HISTOGRAM.of_arrays(key, vars(histogram(counted))) for key, counted in cuts.items())
    )
