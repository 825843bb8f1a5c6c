"""The ``cost`` frame: the Bayes error along the prior, before and after calibration on dev."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from reporting.counts.cuts import Cuts, Key
from reporting.curves.scores import Scaled, cost_curve
from reporting.frames.curve_schemas import COST
from reporting.frames.keyed import keyed, stacked


def cost_frame(cuts: Mapping[Key, Cuts], llr: Mapping[Key, Mapping[str, Scaled] | None]) -> pl.DataFrame:
    """Return APE rows of every key of ``cuts``.

    ``llr`` holds, by calibration (none, affine, pav), the scores as log likelihood ratios. A key that
    it lacks, or that has none, keeps the minimum alone under the calibration "none".
    """
    return stacked(COST, (part for key, one in cuts.items() for part in _of_key(key, one, llr.get(key))))


def _of_key(key: Key, cuts: Cuts, llr: Mapping[str, Scaled] | None) -> Iterator[pl.DataFrame]:
    by_calibration: Mapping[str, Scaled | None] = llr or {"none": None}
    for calibration, scaled in by_calibration.items():
        curve = cost_curve(cuts, scaled)
        yield keyed(
            COST,
            key,
            {
                "calibration": calibration,
                "prior_log_odds": curve.prior_log_odds,
                "bayes_error": curve.actual,
                "min_bayes_error": curve.minimum,
                "trivial": curve.trivial,
            },
        )
