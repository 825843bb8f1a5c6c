"""The ``decision`` frame: net benefit along the threshold probability."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from reporting.counts.cuts import Key
from reporting.curves.scores import Scaled, decision_curve
from reporting.frames.curve_schemas import DECISION
from reporting.frames.keyed import keyed, stacked


def decision_frame(probabilities: Mapping[Key, Scaled], prevalence: float | None = None) -> pl.DataFrame:
    """Return the decision curve of every key whose scores are probabilities.

    ``prevalence`` is the declared share of targets; None: each key's own.
    """
    return stacked(
        DECISION,
        (keyed(DECISION, key, vars(decision_curve(one, prevalence))) for key, one in probabilities.items()),
    )
