"""Thresholds and scores of the frames on the scale of the trial table.

Where lower scores speak for the target, the engine counts negated scores and accepts from a threshold on; a
frame holds the table's own scores, which are accepted up to a threshold.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import polars as pl

from reporting.frames.contract import Frame
from reporting.frames.scores import HISTOGRAM

ENDS = {"threshold": "threshold", "threshold_low": "threshold_high", "threshold_high": "threshold_low"}
"""What takes the place of what, with the other sign."""


def on_own_scale(contract: Frame[Any], frame: pl.DataFrame, negated: Collection[str]) -> pl.DataFrame:
    """Return a frame whose thresholds and bins are those of the table; ``negated`` are models."""
    ends = {"low": "high", "high": "low"} if contract is HISTOGRAM else ENDS
    turned = {name: other for name, other in ends.items() if name in frame.columns}
    if not negated or not turned:
        return frame
    is_negated = pl.col("model").is_in(sorted(negated))
    # 0 - x: no zero gets a minus sign.
    own = (
        pl.when(is_negated).then(0.0 - pl.col(other)).otherwise(pl.col(name)).alias(name)
        for name, other in turned.items()
    )
    return frame.with_columns(*own).sort(list(contract.sorted_by), nulls_last=False, maintain_order=True)
