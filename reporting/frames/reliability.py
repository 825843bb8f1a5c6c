"""The ``reliability`` frame: stated probabilities against observed frequencies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated

import polars as pl

from reporting.counts.cuts import Key
from reporting.curves.scores import RELIABILITY_BINS, Scaled, reliability_curve
from reporting.frames.contract import KEY, Frame, KeyRow
from reporting.frames.judged import JudgedPart, probabilities_of


@dataclass(frozen=True, kw_only=True, slots=True)
class ReliabilityRow(KeyRow):
    """A row of ``reliability``."""

    low: Annotated[float, "lower edge of the bin"]
    high: Annotated[float, "upper edge of the bin"]
    mean_probability: Annotated[float, "mean stated probability in the bin"]
    observed: Annotated[float, "share of targets in the bin"]
    ci_low: Annotated[float | None, "lower limit of the interval; null without one"] = None
    ci_high: Annotated[float | None, "upper limit of the interval; null without one"] = None
    n_target: Annotated[int, "targets"]
    n_nontarget: Annotated[int, "non-targets"]


RELIABILITY = Frame("reliability", ReliabilityRow, (*KEY, "low"))


def reliability_of(judged: JudgedPart) -> Iterator[pl.DataFrame]:
    """Yield the bins of every model whose scores are probabilities, on dev and on test."""
    yield reliability_frame(judged.once(probabilities_of, judged), level=judged.study.inference.level)


def reliability_frame(
    probabilities: Mapping[Key, Scaled], bins: int = RELIABILITY_BINS, level: float = 0.95
) -> pl.DataFrame:
    """Return the bins that hold a trial, for every key whose scores are probabilities."""
    return RELIABILITY.stacked(
        (_of_key(key, scored, bins, level) for key, scored in probabilities.items() if len(scored.value))
    )


def _of_key(key: Key, probability: Scaled, bins: int, level: float) -> pl.DataFrame:
    columns = dict(vars(reliability_curve(probability, bins, level)))
    return RELIABILITY.of_arrays(key, columns | {"mean_probability": columns.pop("stated")})
