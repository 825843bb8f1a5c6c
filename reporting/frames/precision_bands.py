"""The frame ``precision_bands``: the precision-recall curve of every model with its limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import polars as pl

from reporting.engine.operations import JudgedModel
from reporting.engine.resampling import PRECISIONS, Resampling
from reporting.engine.sample import Statistic, design_of
from reporting.engine.study import Study
from reporting.engine.values import empty_class
from reporting.frames.bands import expects_few_errors
from reporting.frames.calibration import LIMITS, limits_of
from reporting.frames.contract import KEY, Columns, Frame, KeyRow
from reporting.frames.judged import JudgedPart
from reporting.stats.precision_bands import (
    RECALLS,
    PrecisionReader,
    far_at_recall,
    least_spread,
    precision_of,
)
from reporting.stats.roc_bands import UNBOUNDED
from reporting.stats.special import expit


@dataclass(frozen=True, kw_only=True, slots=True)
class PrecisionBandRow(KeyRow):
    """A row of ``precision_bands``."""

    recall: Annotated[float | None, "share of the targets accepted; null without a curve"] = None
    precision: Annotated[float | None, "share of targets among the accepted there; null without a curve"] = (
        None
    )
    ci_low: Annotated[float | None, "lower limit of precision at this recall; null without one"] = None
    ci_high: Annotated[float | None, "upper limit of precision at this recall; null without one"] = None
    band_low: Annotated[float | None, "lower limit for the whole curve; null without one"] = None
    band_high: Annotated[float | None, "upper limit for the whole curve; null without one"] = None
    level: Annotated[float | None, "confidence level; null without limits"] = None
    replicates: Annotated[int | None, "bootstrap resamples drawn; null without limits"] = None
    unit: Annotated[str | None, "what is resampled; null without limits"] = None
    status: Annotated[str | None, "why there is no curve, or no band of it; null where there are both"] = None


PRECISION_BANDS = Frame("precision_bands", PrecisionBandRow, (*KEY, "recall"))


def precision_bands_of(judged: JudgedPart) -> Iterator[pl.DataFrame]:
    """Yield the curves on test; a model without one has a row whose ``status`` says why."""
    yield PRECISION_BANDS.of_columns(_curve(model, judged.drawn, judged.study) for model in judged.models)


def _curve(model: JudgedModel, drawn: Resampling, study: Study) -> Columns:
    columns: Columns = model.key._asdict()
    n_target, n_nontarget = model.test.trials
    if why := empty_class(n_target, n_nontarget):
        return columns | {"status": why}
    staircase = model.test.staircase
    far = far_at_recall(staircase.misses, staircase.false_alarms, RECALLS)
    sample = staircase.n_target / (staircase.n_target + staircase.n_nontarget)
    precision = precision_of(far, RECALLS, sample if study.prevalence is None else study.prevalence)
    point = PrecisionReader(study.prevalence)(staircase.misses, staircase.false_alarms)
    of = Statistic(point, drawn.sweeps[model.id][PRECISIONS], design_of(drawn, study))
    limits = limits_of(of, of.limits(least_spread(far, RECALLS, n_target, n_nontarget), UNBOUNDED))
    curve: Columns = {"recall": RECALLS, "precision": precision}
    for name in limits.keys() & LIMITS:
        # Without the half trial that is added the curve may lie outside.
        outward = np.minimum if name.endswith("low") else np.maximum
        limits[name] = outward(expit(limits[name]), precision)
    if limits and expects_few_errors(model):
        limits |= {"band_low": None, "band_high": None, "status": "few_errors"}
    return columns | curve | limits
