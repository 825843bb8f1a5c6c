"""The frame ``mean_curves``: ROC curves of folds or trainings, averaged at equal FAR or thresholds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.base.records import dataclass
from reporting.core.engine.model_runs import models_with_runs
from reporting.core.engine.parts import Part
from reporting.core.engine.study import Study
from reporting.core.stats.roc_bands import tpr_at
from reporting.core.stats.staircase import cut_at
from reporting.document.frames.contract import Columns, Frame, PlaceRow, place_of
from reporting.document.frames.judged import JudgedRun
from reporting.document.frames.recipe import frame_of
from reporting.features.learning_procedures.estimates import Fold, OnFold
from reporting.features.learning_procedures.formulas import resampled_t
from reporting.features.learning_procedures.frame import folds_on
from reporting.features.learning_procedures.keys import has_folds

STEPS = 100
"""Steps of FPR, and of thresholds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MeanCurveRow(PlaceRow):
    """A row of ``mean_curves``."""

    model: Annotated[str, "key of the model in the trial table"]
    kind: Annotated[str, "vertical: means at equal p_fa; threshold: means at equal thresholds"]
    at: Annotated[int, "number of the point, from accept none"]
    threshold: Annotated[float | None, "scores from here on are accepted; null of vertical means"] = None
    p_fa: Annotated[float, "false acceptance rate, mean over folds or trainings"]
    p_miss: Annotated[float, "false rejection rate, mean over folds or trainings"]
    ci_low: Annotated[float | None, "lower pointwise limit of p_miss, by t; null without one"] = None
    ci_high: Annotated[float | None, "upper limit; null without one"] = None
    estimates: Annotated[int, "different test folds of all repeats, or trainings"]


MEAN_CURVES = Frame("mean_curves", MeanCurveRow, ("dataset", "split", "group", "model", "kind", "at"))


def mean_curves(run: JudgedRun) -> Iterator[Columns]:
    """Yield both means of every model; none of a model with a fold that lacks a class, or of one training."""
    for part, on, _ in folds_on(run) if has_folds(run.study) else _trainings(run):
        for team in models_with_runs(part.models):
            tested = on.get(team.key.model, [])
            if len(tested) > 1 and all(min(each.classes) for each in tested):
                place = {**place_of(team.key), "model": team.key.model}
                yield place | _vertical(tested, run.study)
                yield place | _at_thresholds(tested)


def _trainings(run: JudgedRun) -> Iterator[tuple[Part, dict[str, list[OnFold]], int]]:
    """Yield every whole dataset with the trainings of each model, which all test all trials; not readers."""
    for part in run.parts:
        if not part.group and run.study.runs != "reader":
            every = np.arange(part.ranks.n_trials)
            on: dict[str, list[OnFold]] = {}
            for model in part.models:
                training = Fold(model.key.run, "", every, training=0)
                on.setdefault(model.key.model, []).append(OnFold(model, training))
            yield part, on, 0


def _averaged(tested: Sequence[OnFold], curves: Sequence[FloatArray]) -> FloatArray:
    """Return curves (shape (J, ...)): of folds the means over the trainings that were tested there."""
    of: dict[object, list[FloatArray]] = {}
    for each, curve in zip(tested, curves, strict=True):
        of.setdefault(each.fold.trials if each.fold.name else each.fold.run, []).append(curve)
    return np.stack([np.mean(trained, axis=0) for trained in of.values()])


def _vertical(tested: Sequence[OnFold], study: Study) -> Columns:
    """Average FRR at every FAR, with pointwise limits. Fawcett 2006, algorithm 3.

    Over folds those of the corrected t; over trainings that test the same trials, of further ones on these.
    """
    far = np.arange(STEPS + 1) / STEPS
    stairs = [each.cuts.staircase for each in tested]
    misses = _averaged(tested, [1 - tpr_at(of.misses, of.false_alarms, far) for of in stairs])
    ratio = float(np.mean([each.fold.ratio for each in tested])) if has_folds(study) else 0.0
    limits = np.full((2, len(far)), np.nan)
    for at, column in enumerate(misses.T):
        if (mean := resampled_t(column, ratio, study.inference.level)) is not None:
            limits[:, at] = np.clip((mean.low, mean.high), 0.0, 1.0)
    # From accepting none straight up to the mean at no false acceptance.
    return {
        "kind": "vertical",
        "at": np.arange(len(far) + 1),
        "p_fa": np.append(0.0, far),
        "p_miss": np.append(1.0, misses.mean(axis=0)),
        "ci_low": np.append(np.nan, limits[0]),
        "ci_high": np.append(np.nan, limits[1]),
        "estimates": len(misses),
    }


def _at_thresholds(tested: Sequence[OnFold]) -> Columns:
    """Average both rates at the same thresholds, quantiles of all scores. Fawcett 2006, algorithm 4."""
    score = np.unique(np.concatenate([each.cuts.score for each in tested]))[::-1]
    places = np.unique(np.linspace(0, len(score) - 1, min(STEPS, len(score))).astype(int))
    thresholds = np.concatenate(([np.inf], score[places]))
    rates = []
    for each in tested:
        stairs = each.cuts.staircase
        cut = np.array([cut_at(each.cuts.score, threshold) for threshold in thresholds])
        rates.append(
            np.stack((stairs.false_alarms[cut] / stairs.n_nontarget, stairs.misses[cut] / stairs.n_target))
        )
    mean = _averaged(tested, rates)
    far, frr = mean.mean(axis=0)
    return {
        "kind": "threshold",
        "at": np.arange(len(thresholds)),
        "threshold": thresholds,
        "p_fa": far,
        "p_miss": frr,
        "estimates": len(mean),
    }


def frames(run: JudgedRun) -> Iterator[object]:
    """Yield the data frames of both means."""
    for columns in mean_curves(run):
        yield MEAN_CURVES.of_columns([columns])


RECIPES = (frame_of(MEAN_CURVES, run=frames, wanted=lambda study: MEAN_CURVES.name in study.curve_frames),)
