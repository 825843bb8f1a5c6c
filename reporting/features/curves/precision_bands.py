"""The frame ``precision_bands``: the precision-recall curve of every model with its limits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from reporting.core.engine.operations import JudgedModel
from reporting.core.engine.resampling import PRECISIONS, Resampling
from reporting.core.engine.sample import Statistic, design_of
from reporting.core.engine.study import Study
from reporting.core.engine.values import empty_class
from reporting.core.stats.precision_bands import (
    RECALLS,
    PrecisionReader,
    far_at_recall,
    least_spread,
    precision_of,
)
from reporting.core.stats.roc_bands import UNBOUNDED
from reporting.core.stats.special import expit
from reporting.document.frames.contract import Columns
from reporting.document.frames.judged import JudgedPart
from reporting.document.frames.limits import LIMITS, limits_of
from reporting.document.frames.precision_bands import PRECISION_BANDS
from reporting.document.frames.recipe import curve_of
from reporting.features.curves.bands import expects_few_errors


def precision_bands_of(judged: JudgedPart) -> Iterator[pl.DataFrame]:
    """Yield the curves on test; a model without one has a row whose ``status`` has the reason."""
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


RECIPES = (curve_of(PRECISION_BANDS, precision_bands_of),)
