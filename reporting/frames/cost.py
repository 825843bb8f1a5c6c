"""The ``cost`` frame: the Bayes error along the prior, before and after calibration on dev."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated

import polars as pl

from reporting.counts.cuts import Cuts, Key
from reporting.curves.scores import Scaled, cost_curve
from reporting.engine.scales import CALIBRATIONS, Scaling
from reporting.frames.contract import KEY, Frame, KeyRow
from reporting.frames.judged import JudgedPart


@dataclass(frozen=True, kw_only=True, slots=True)
class CostRow(KeyRow):
    """A row of ``cost``."""

    calibration: Annotated[str, "none, affine or pav: how dev maps scores to log likelihood ratios"]
    prior_log_odds: Annotated[float, "natural log odds of the prior"]
    bayes_error: Annotated[float | None, "error rate at the Bayes threshold; null if undefined"] = None
    min_bayes_error: Annotated[float | None, "the same after ideal calibration; null where undefined"] = None
    trivial: Annotated[float, "error rate of deciding without scores"]


COST = Frame("cost", CostRow, (*KEY, "calibration", "prior_log_odds"))


def cost_of(judged: JudgedPart) -> Iterator[pl.DataFrame]:
    """Yield the costs of every model on dev and on test."""
    sets = list(judged.sets())
    cuts = {key: counted for key, counted, _ in sets}
    yield cost_frame(cuts, {key: _llrs(counted, scaling) for key, counted, scaling in sets})


def _llrs(cuts: Cuts, scaling: Scaling) -> dict[str, Scaled] | None:
    """The scores as log likelihood ratios: as they are, where they are some, and as dev maps them."""
    llrs = {name: scaling.llr(cuts.score, name) for name in ("none", *CALIBRATIONS)}
    scaled = {
        name: Scaled(llr, cuts.n_target, cuts.n_nontarget) for name, llr in llrs.items() if llr is not None
    }
    return scaled or None


def cost_frame(cuts: Mapping[Key, Cuts], llr: Mapping[Key, Mapping[str, Scaled] | None]) -> pl.DataFrame:
    """Return APE rows of every key of ``cuts``.

    ``llr`` holds, by calibration (none, affine, pav), the scores as log likelihood ratios. A key that
    it lacks, or that has none, keeps the minimum alone under the calibration "none".
    """
    return COST.stacked(
        (part for key, counted in cuts.items() for part in _of_key(key, counted, llr.get(key)))
    )


def _of_key(key: Key, cuts: Cuts, llr: Mapping[str, Scaled] | None) -> Iterator[pl.DataFrame]:
    by_calibration: Mapping[str, Scaled | None] = llr or {"none": None}
    for calibration, scaled in by_calibration.items():
        curve = cost_curve(cuts, scaled)
        yield COST.of_arrays(
            key,
            {
                "calibration": calibration,
                "prior_log_odds": curve.prior_log_odds,
                "bayes_error": curve.actual,
                "min_bayes_error": curve.minimum,
                "trivial": curve.trivial,
            },
        )
