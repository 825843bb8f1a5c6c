"""What counts that pair models by clusters or blocks alone cannot show, kept out of the frames."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from reporting.engine.origin import PAIRED, without_pairs
from reporting.trials.table import TrialTable

PAIR_FLAG = "few_discordant"


def without_trial_pairs(table: TrialTable, frames: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Return frames without the numbers that rest on pairs of trials, where the table does not have them.

    Those are the design effect, whose denominator takes trials as pairs, the caution about few trials that
    two models decide differently, and all of ``agreement``. Counts by block have no design effect, and their
    caution about few trials comes rather too often than too seldom.
    """
    cleared = dict(frames)
    if without_pairs(table):
        cleared.pop(PAIRED, None)
    if table.pairing == "clusters":
        for name in ("comparisons", "tests"):
            if name in cleared:
                cleared[name] = _cleared(cleared[name])
    return cleared


def _cleared(frame: pl.DataFrame) -> pl.DataFrame:
    without_pairs = pl.col("flags").list.set_difference([PAIR_FLAG]).list.sort()
    frame = frame.with_columns(without_pairs)
    if "design_effect" not in frame.columns:
        return frame
    return frame.with_columns(pl.lit(None, dtype=pl.Float64).alias("design_effect"))
