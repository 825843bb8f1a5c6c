"""The ``reliability`` frame: stated probabilities against observed frequencies."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from reporting.counts.cuts import Key
from reporting.curves.scores import BINS, Scaled, reliability_curve
from reporting.frames.curve_schemas import RELIABILITY
from reporting.frames.keyed import keyed, stacked


def reliability_frame(
    probabilities: Mapping[Key, Scaled], bins: int = BINS, level: float = 0.95
) -> pl.DataFrame:
    """Return the bins that hold a trial, for every key whose scores are probabilities."""
    return stacked(
        RELIABILITY, (_of_key(key, one, bins, level) for key, one in probabilities.items() if len(one.value))
    )


def _of_key(key: Key, probability: Scaled, bins: int, level: float) -> pl.DataFrame:
    columns = dict(vars(reliability_curve(probability, bins, level)))
    return keyed(RELIABILITY, key, columns | {"mean_probability": columns.pop("stated")})
