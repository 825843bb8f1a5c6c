"""The frames ``bands`` and ``curve_differences``: limits of every model's ROC, and of paired differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any

import numpy as np
import polars as pl

from reporting.base.arrays import FloatArray
from reporting.base.codes import Status
from reporting.base.records import dataclass
from reporting.core.counts.cuts import Cuts
from reporting.core.engine.error_rates import FALSE_ALARMS, MISSES
from reporting.core.engine.model_runs import ModelRuns
from reporting.core.engine.operations import JudgedModel
from reporting.core.engine.pairing import Pair, model_pairs
from reporting.core.engine.parts import Part
from reporting.core.engine.resampling import Resampling
from reporting.core.engine.sample import Statistic, design_of
from reporting.core.engine.study import Study
from reporting.core.engine.values import empty_class
from reporting.core.measures.sweep import EER_INTERP
from reporting.core.resampling.design import Design
from reporting.core.stats.roc_bands import DIFFERENCE, Kind, fpr_grid, least_errors, threshold_cuts, tpr_at
from reporting.core.stats.staircase import threshold_of
from reporting.document.frames.contract import Columns, Frame, PlaceRow, pair_of
from reporting.document.frames.judged import JudgedPart
from reporting.document.frames.limits import resampled
from reporting.document.frames.recipe import frame_of
from reporting.document.frames.roc import BANDS
from reporting.features.curves.formulas import Band, fwb_band, sjr_band, sup_t_band

PLACE = ("dataset", "split", "group", "model", "baseline")


@dataclass(frozen=True, kw_only=True, slots=True)
class CurveDifferenceRow(PlaceRow):
    """A row of ``curve_differences``."""

    model: Annotated[str, "key of the model in the trial table"]
    baseline: Annotated[str, "key of the model it is compared with"]
    kind: Annotated[str, "kind of band"]
    simultaneous: Annotated[bool, "whether the limits hold simultaneously for the whole curve"]
    p_fa: Annotated[float | None, "false acceptance rate; null without a band"] = None
    difference: Annotated[float | None, "true positive rate, model less baseline; null without a band"] = None
    band_low: Annotated[float | None, "lower limit of difference; null without a band"] = None
    band_high: Annotated[float | None, "upper limit of difference; null without a band"] = None
    level: Annotated[float | None, "confidence level; null without a band"] = None
    replicates: Annotated[int | None, "bootstrap resamples drawn; null without any"] = None
    unit: Annotated[str | None, "unit of inference, trial or cluster; null without any"] = None
    status: Annotated[str | None, "why there is no band; null where there is one"] = None


CURVE_DIFFERENCES = Frame("curve_differences", CurveDifferenceRow, (*PLACE, "p_fa"))


LEAST_ERRORS = 5
"""Errors of the smaller class at the EER that bands need (tests/research/studies/along.md)."""

ROUNDS, RISE = 4, 0.02
"""How often a grid is made finer, and the rise of TPR from one FPR to the next that asks for it."""

SIMULTANEOUS = ("fixed_width", "sup_t", "sjr")


def bands_of(judged: JudgedPart) -> Iterator[pl.DataFrame]:
    """Yield the bands of a whole dataset, where curves are drawn that show them."""
    if judged.study.bands != "none" and not judged.part.group:
        yield band_frame(judged.part, judged.drawn, judged.study, judged.study.bands)


def curve_differences_of(judged: JudgedPart) -> Iterator[pl.DataFrame]:
    """Yield the bands of paired differences of a whole dataset, where they are simultaneous."""
    frame = difference_frame(judged.part, judged.drawn, judged.study, judged.study.bands)
    if len(frame):
        yield frame


def band_frame(part: Part, drawn: Resampling, study: Study, kind: Kind) -> pl.DataFrame:
    """Return the band of every model's ROC on test, from accept none to accept all.

    A band that cannot be had is one row without numbers, whose ``status`` has the reason: ``dependent`` where
    the Kolmogorov distances of ``sjr`` would need independent trials of one weight. ``p_miss`` is the curve.
    """
    if kind == "none" or part.group:
        return BANDS.build([])
    return BANDS.of_columns([_model_band(model, drawn, study, kind) for model in part.models])


def _model_band(model: JudgedModel, drawn: Resampling, study: Study, kind: Kind) -> Columns:
    keys = {**model.key._asdict(), "kind": kind, "simultaneous": kind in SIMULTANEOUS}
    status = _why_not(model, drawn, kind)
    if status is not None:
        return keys | {"status": status}
    limits = _boxes(model, drawn, study) if kind == "threshold" else _along(model, drawn, study, kind)
    if limits is None:
        return keys | {"status": "degenerate"}
    if kind in ("sjr", "threshold"):
        return keys | limits | {"level": study.inference.level, "unit": drawn.units.name}
    return keys | limits | resampled(study.inference.replicates, design_of(drawn, study))


def _why_not(model: JudgedModel, drawn: Resampling, kind: Kind | None = None) -> Status | None:
    """Return why there is no band of one kind, or of a difference; None where there is one."""
    if why := empty_class(*model.test.trials):
        return why
    independent = not drawn.clustered and drawn.ranks.weight is None
    if kind == "sjr":
        return None if independent else "dependent"
    if drawn.units.too_few_clusters:
        return "too_few_clusters"
    if drawn.units.n_units < 2:
        return "degenerate"
    return "few_errors" if kind == "sup_t" and expects_few_errors(model) else None


def expects_few_errors(model: JudgedModel) -> bool:
    """Return whether a band by standard errors would rest on too few errors of the smaller class."""
    return model.value(EER_INTERP).number * min(model.test.trials) < LEAST_ERRORS


def _along(model: JudgedModel, drawn: Resampling, study: Study, kind: Kind) -> Columns | None:
    """The limits over FPR; None where the resamples have none."""
    band = _band(model.test, drawn.sweeps[model.id], design_of(drawn, study), kind)
    if band is None:
        return None
    staircase = model.test.staircase
    return {
        "p_fa": band.fpr,
        "p_miss": 1 - tpr_at(staircase.misses, staircase.false_alarms, band.fpr),
        "p_miss_low": 1 - band.high,
        "p_miss_high": 1 - band.low,
    }


def _band(cuts: Cuts, read: Mapping[Any, FloatArray], design: Design, kind: Kind) -> Band | None:
    errors, level = (cuts.staircase.misses, cuts.staircase.false_alarms), design.level
    grid = fpr_grid(cuts.staircase.n_nontarget)
    if kind in ("sup_t", "vertical"):
        tpr, off = tpr_at(*errors, grid), 0.5 / cuts.trials[1]
        replicates, design = design.reduced(read["tpr"], tpr)
        given = grid, tpr, replicates, least_errors(tpr, cuts.trials[0]), level
        pointwise = kind == "vertical"
        return sup_t_band(*given, off=off, pointwise=pointwise, df=design.df, inflation=design.inflation)
    if kind == "sjr":
        return _refined(lambda fpr: sjr_band(*errors, fpr, level), grid)
    # The largest of many distances has no parts by pool: draws of both, which spread too much, hold it.
    farthest = design.factor * read["distance"][:: design.sets]
    return _refined(lambda fpr: fwb_band(*errors, farthest, fpr, level), grid)


def _refined(band_at: Callable[[FloatArray], Band | None], grid: FloatArray) -> Band | None:
    """A band over a grid that is made finer, in a few rounds, where a limit rises by more than ``RISE``."""
    band = band_at(grid)
    for _ in range(ROUNDS if band else 0):
        assert band is not None
        steep = np.maximum(np.diff(band.low), np.diff(band.high)) > RISE
        band = band_at(np.sort(np.append(band.fpr, ((band.fpr[1:] + band.fpr[:-1]) / 2)[steep])))
    return band


def _boxes(model: JudgedModel, drawn: Resampling, study: Study) -> Columns:
    """The limits of both rates at thresholds of the model: those of rates at fixed thresholds."""
    cuts, level, rates = model.test, study.inference.level, drawn.error_rates
    at = threshold_cuts(cuts.n_target, cuts.n_nontarget)
    columns: Columns = {"threshold": threshold_of(cuts.score, at, study.threshold_at)}
    for name, share in (("p_fa", FALSE_ALARMS), ("p_miss", MISSES)):
        of = [rates.at_cut(model, int(cut), share) for cut in at]
        low, high = np.array([rate.limits(level) for rate in of]).T
        columns |= {name: np.array([rate.rate for rate in of]), f"{name}_low": low, f"{name}_high": high}
    return columns


def difference_frame(part: Part, drawn: Resampling, study: Study, kind: Kind) -> pl.DataFrame:
    """Return TPR of the model less that of its baseline over FPR, paired, with a simultaneous band, by pair.

    Where the band leaves 0 the curves differ; no correction for several pairs. Of several runs the means are
    compared. A pair without shared trials is one row without numbers (``no_trial_key``).
    """
    if kind == "none" or part.group:
        return CURVE_DIFFERENCES.build([])
    pairs = model_pairs(part.models, study)
    return CURVE_DIFFERENCES.of_columns([_difference(pair, drawn, study) for pair in pairs])


def _difference(pair: Pair, drawn: Resampling, study: Study) -> Columns:
    test, keys = pair.model.first.test, {**pair_of(pair), "kind": "sup_t", "simultaneous": True}
    status = "no_trial_key" if not drawn.ranks.paired else _why_not(pair.model.first, drawn)
    if status is not None:
        return keys | {"status": status}
    fpr = fpr_grid(test.staircase.n_nontarget)
    first, second = (_curve(system, fpr, drawn, study) for system in (pair.model, pair.baseline))
    floor = np.hypot(*(least_errors(of.point, test.trials[0]) for of in (first, second)))
    of = first - second
    replicates, design = of.design.reduced(of.replicates, of.point)
    given = fpr, of.point, replicates, floor, design.level, DIFFERENCE
    band = sup_t_band(*given, centred=True, df=design.df, inflation=design.inflation)
    if band is None:
        return keys | {"status": "degenerate"}
    limits = {"p_fa": band.fpr, "band_low": band.low, "band_high": band.high}
    difference = of.point[np.isin(fpr, band.fpr)]
    return keys | resampled(len(replicates), design) | limits | {"difference": difference}


def _curve(system: ModelRuns, fpr: FloatArray, drawn: Resampling, study: Study) -> Statistic:
    """TPR over FPR, of the mean over runs."""
    stairs = ((run, run.test.staircase) for run in system.runs)
    curves = ((tpr_at(s.misses, s.false_alarms, fpr), drawn.sweeps[run.id]["tpr"]) for run, s in stairs)
    return Statistic.over_runs(system, curves, drawn, study)


RECIPES = (frame_of(BANDS, bands_of), frame_of(CURVE_DIFFERENCES, curve_differences_of))
