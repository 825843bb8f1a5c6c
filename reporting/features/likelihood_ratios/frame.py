"""The frames ``cost`` and ``cross_entropy``: what log likelihood ratios cost along the prior."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated

import polars as pl

from reporting.base.records import dataclass
from reporting.core.counts.cuts import Cuts, Key
from reporting.core.curves.scores import Scaled
from reporting.core.engine.scales import CALIBRATIONS, Scaling
from reporting.document.frames.contract import KEY, Frame, KeyRow
from reporting.document.frames.judged import JudgedPart
from reporting.document.frames.recipe import curve_of
from reporting.features.likelihood_ratios.formulas import cost_curve, entropy_curve


@dataclass(frozen=True, kw_only=True, slots=True)
class CostRow(KeyRow):
    """A row of ``cost``."""

    calibration: Annotated[str, "none, affine or pav: how dev maps scores to log likelihood ratios"]
    prior_log_odds: Annotated[float, "natural log odds of the prior"]
    bayes_error: Annotated[float | None, "error rate at the Bayes threshold; null if undefined"] = None
    min_bayes_error: Annotated[float | None, "the same after ideal calibration; null where undefined"] = None
    trivial: Annotated[float, "error rate of ignoring the scores"]


COST = Frame("cost", CostRow, (*KEY, "calibration", "prior_log_odds"))


def cost_of(judged: JudgedPart) -> Iterator[pl.DataFrame]:
    """Yield the costs of every model on the development set and on the test set."""
    for key, cuts, scaling in judged.sets():
        yield cost_frame({key: cuts}, {key: _llrs(cuts, scaling)})


def _llrs(cuts: Cuts, scaling: Scaling) -> dict[str, Scaled] | None:
    """The scores as log likelihood ratios: unchanged, where they are some, and by the development maps."""
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
    none: Mapping[str, Scaled | None] = {"none": None}
    return COST.of_columns(
        key._asdict()
        | {"calibration": calibration, "bayes_error": curve.actual, "min_bayes_error": curve.minimum}
        | vars(curve)
        for key, counted in cuts.items()
        for calibration, scaled in (llr.get(key) or none).items()
        for curve in [cost_curve(counted, scaled)]
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class CrossEntropyRow(KeyRow):
    """A row of ``cross_entropy``."""

    calibration: Annotated[str, "none, affine or pav: how dev maps scores to log likelihood ratios"]
    prior_log10_odds: Annotated[float, "log10 odds of the prior"]
    cross_entropy: Annotated[float | None, "empirical cross-entropy, bits; null if undefined or infinite"] = (
        None
    )
    min_cross_entropy: Annotated[float | None, "the same after ideal calibration; null where undefined"] = (
        None
    )
    neutral: Annotated[float, "that of a likelihood ratio of 1 for every trial: the entropy of the prior"]


CROSS_ENTROPY = Frame("cross_entropy", CrossEntropyRow, (*KEY, "calibration", "prior_log10_odds"))


def cross_entropy_of(judged: JudgedPart) -> Iterator[pl.DataFrame]:
    """Yield the cross-entropies of every model on the development set and on the test set."""
    for key, cuts, scaling in judged.sets():
        yield cross_entropy_frame({key: cuts}, {key: _llrs(cuts, scaling)})


def cross_entropy_frame(
    cuts: Mapping[Key, Cuts], llr: Mapping[Key, Mapping[str, Scaled] | None]
) -> pl.DataFrame:
    """Return the rows of every key of ``cuts``, under its first calibration.

    ``llr`` holds the scores as log likelihood ratios as in ``cost_frame``: declared ones come before those
    that a map makes.
    """
    none: Mapping[str, Scaled | None] = {"none": None}
    return CROSS_ENTROPY.of_columns(
        key._asdict()
        | {"calibration": calibration, "cross_entropy": curve.actual, "min_cross_entropy": curve.minimum}
        | vars(curve)
        for key, counted in cuts.items()
        for calibration, scaled in [next(iter((llr.get(key) or none).items()))]
        for curve in [entropy_curve(counted, scaled)]
    )


RECIPES = (
    curve_of(COST, cost_of, keeps_empty=True, under_noise=True),
    curve_of(CROSS_ENTROPY, cross_entropy_of, keeps_empty=True, under_noise=True),
)
