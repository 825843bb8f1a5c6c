"""The frame ``calibration``: the smooth calibration curve of every model with its limits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import polars as pl

from reporting.base.codes import Status
from reporting.base.records import dataclass
from reporting.core.engine.operations import JudgedModel
from reporting.core.engine.probability_cells import smooth_curve
from reporting.core.engine.resampling import Resampling
from reporting.core.engine.sample import Statistic, design_of
from reporting.core.engine.study import Study
from reporting.core.engine.values import empty_class
from reporting.core.measures.catalogue import MEASURES
from reporting.document.frames.contract import KEY, Columns, Frame, KeyRow
from reporting.document.frames.judged import JudgedPart
from reporting.document.frames.limits import limits_of
from reporting.document.frames.recipe import curve_of


@dataclass(frozen=True, kw_only=True, slots=True)
class CalibrationRow(KeyRow):
    """A row of ``calibration``."""

    probability: Annotated[float | None, "stated probability; null without a curve"] = None
    frequency: Annotated[float | None, "smoothed frequency of targets there; null without a curve"] = None
    ci_low: Annotated[float | None, "lower limit of frequency at this probability; null without one"] = None
    ci_high: Annotated[float | None, "upper limit of frequency at this probability; null without one"] = None
    band_low: Annotated[float | None, "lower limit for the whole curve; null without one"] = None
    band_high: Annotated[float | None, "upper limit for the whole curve; null without one"] = None
    level: Annotated[float | None, "confidence level; null without limits"] = None
    replicates: Annotated[int | None, "bootstrap resamples drawn; null without limits"] = None
    unit: Annotated[str | None, "what is resampled; null without limits"] = None
    status: Annotated[str | None, "why there is no curve; null where there is one"] = None


CALIBRATION = Frame("calibration", CalibrationRow, (*KEY, "probability"))


def calibration_of(judged: JudgedPart) -> Iterator[pl.DataFrame]:
    """Yield the curves on test; a model without one has a row whose ``status`` has the reason."""
    yield CALIBRATION.of_columns(_curve(model, judged.drawn, judged.study) for model in judged.models)


def _curve(model: JudgedModel, drawn: Resampling, study: Study) -> Columns:
    columns: Columns = model.key._asdict()
    stated = model.scaling.probability(model.test.score)
    if stated is None or not all(model.test.trials):
        return columns | {"status": why_no_curve(model)}
    curve = smooth_curve(model, "none", study.prevalence)
    of = Statistic(curve.frequency, drawn.sweeps[model.id][curve.name], design_of(drawn, study))
    limits = curve.limits(of.replicates, of.design, of.design.level)
    return columns | {"probability": curve.grid, "frequency": curve.frequency} | limits_of(of, limits)


def why_no_curve(model: JudgedModel) -> Status:
    """Return why there is nothing to draw of a model's probabilities."""
    return empty_class(*model.test.trials) or model.scaling.why_not(MEASURES["brier"])


RECIPES = (curve_of(CALIBRATION, calibration_of),)
