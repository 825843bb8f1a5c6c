"""The frames of several classes: measures, differences of models, confusion matrix, calibration."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import groupby
from typing import Annotated, Any

import numpy as np

from reporting.base.codes import Status
from reporting.base.records import dataclass, replace
from reporting.core.engine.pairing import compared_keys
from reporting.core.engine.study import Study
from reporting.core.engine.values import defined
from reporting.core.measures.calibration import CALIBRATION_ERROR
from reporting.core.measures.sweep import AP_STEP, AUC
from reporting.core.measures.threshold import ACCURACY, F1, RECALL
from reporting.core.resampling.estimate import NO_INTERVAL, rate_interval
from reporting.core.resampling.paired import PairedDifference
from reporting.document.frames.adjusted import AdjustedP, CorrectionOf, FamilySize, with_adjusted_pairs
from reporting.document.frames.contract import Frame, PlaceRow
from reporting.document.frames.judged import JudgedRun
from reporting.document.frames.recipe import Rows, frame_of
from reporting.features.classes import formulas
from reporting.features.classes.keys import CLASSES_KEY
from reporting.features.classes.measured import MICRO, ClassQuantity, Estimated, MeasuredClasses
from reporting.features.classes.read import ModelRun, class_trials


@dataclass(frozen=True, kw_only=True, slots=True)
class ClassRow(PlaceRow):
    """A row of ``classes``."""

    model: Annotated[str, "key of the model in the trial table"]
    measure: Annotated[str, "of a class against the rest; decisions are those of the top label"]
    average: Annotated[
        str,
        "class: of one class; macro: mean over classes; weighted: by their trials; micro: all pairs of trial"
        " and class together; top_label: of the highest probability",
    ]
    label: Annotated[str | None, "the class; null of all classes together"] = None
    value: Annotated[
        float | None, "the value on test, with several runs their mean; null where undefined"
    ] = None
    ci_low: Annotated[float | None, "lower limit; null without one"] = None
    ci_high: Annotated[float | None, "upper limit; null without one"] = None
    ci_method: Annotated[str | None, "how the interval is made; null without one"] = None
    trials: Annotated[int, "test trials of the class, or of all"]
    ties: Annotated[int, "trials, over all runs, whose highest score two or more classes share"]
    status: Annotated[str | None, "why the value is undefined; null where it is defined"] = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ClassDifferenceRow(PlaceRow):
    """A row of ``class_differences``."""

    model: Annotated[str, "key of the first model"]
    baseline: Annotated[str, "key of the model that it is compared with"]
    measure: Annotated[str, "as in classes"]
    average: Annotated[str, "as in classes"]
    difference: Annotated[
        float | None, "value of the model minus that of the baseline; null where undefined"
    ] = None
    ci_low: Annotated[float | None, "lower limit; null where undefined"] = None
    ci_high: Annotated[float | None, "upper limit; null where undefined"] = None
    p_value: Annotated[float | None, "two-sided, not adjusted; null where undefined"] = None
    p_adjusted: AdjustedP = None
    correction: CorrectionOf = None
    family_size: FamilySize = None
    status: Annotated[str | None, "why the interval is undefined; null where it is defined"] = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfusionRow(PlaceRow):
    """A row of ``confusion_matrix``."""

    model: Annotated[str, "key of the model in the trial table"]
    label: Annotated[str, "the class of the trials"]
    predicted: Annotated[str, "the class of their highest score"]
    trials: Annotated[int, "test trials of the class that the model takes for the other, over all runs"]
    share: Annotated[float, "share of the trials of the class, by their weights"]
    ci_low: Annotated[float | None, "lower limit; null with several runs"] = None
    ci_high: Annotated[float | None, "upper limit; null with several runs"] = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ClassCalibrationRow(PlaceRow):
    """A row of ``class_calibration``."""

    model: Annotated[str, "key of the model in the trial table"]
    label: Annotated[str | None, "the class; null of the highest probability"] = None
    low: Annotated[float, "lower end of the bin, which is in it"]
    high: Annotated[float, "upper end of the bin"]
    trials: Annotated[float, "trials in the bin by their weights, mean over runs"]
    probability: Annotated[float, "mean probability of the class there"]
    frequency: Annotated[
        float, "share of the trials there that are of the class, or whose top label is right"
    ]


PLACE = ("dataset", "split", "group")
CLASSES = Frame("classes", ClassRow, (*PLACE, "model", "measure", "average", "label"))
DIFFERENCES = Frame(
    "class_differences", ClassDifferenceRow, (*PLACE, "model", "baseline", "measure", "average")
)
CONFUSION = Frame("confusion_matrix", ConfusionRow, (*PLACE, "model", "label", "predicted"))
CALIBRATION = Frame("class_calibration", ClassCalibrationRow, (*PLACE, "model", "label", "low"))
COMPARED = (
    ClassQuantity(AUC, "macro"),
    ClassQuantity(AUC, "weighted"),
    ClassQuantity(AUC, MICRO),
    ClassQuantity(AP_STEP, "macro"),
    ClassQuantity(ACCURACY, MICRO),
    ClassQuantity(RECALL, "macro"),
    ClassQuantity(F1, "macro"),
)
"""What two models are compared in, and groups with the rest."""


def compared(measured: MeasuredClasses) -> list[ClassQuantity]:
    """Return what two models are compared in: of further measures the macro mean."""
    return list(dict.fromkeys((*COMPARED, *(ClassQuantity(of, "macro") for of in measured.further))))


Estimates = dict[str, dict[ClassQuantity, Estimated]]
"""By model."""


def measured_classes(run: JudgedRun) -> list[tuple[MeasuredClasses, Estimates]]:
    """Return every dataset, each before its groups, with the numbers of every model."""
    every = [MeasuredClasses(trials, run.study, run.pool, run.cache) for trials in class_trials(run)]
    return [
        (measured, {model: dict(measured.estimates(runs)) for model, runs in runs_by_model(measured)})
        for measured in every
    ]


def runs_by_model(measured: MeasuredClasses) -> Iterator[tuple[str, list[ModelRun]]]:
    """Yield the models, each with its runs."""
    for model, runs in groupby(measured.trials.scores, key=lambda run: run.model):
        yield model, list(runs)


def _place(measured: MeasuredClasses) -> dict[str, Any]:
    return {"dataset": measured.trials.dataset, "split": "test", "group": measured.trials.group}


def class_rows(run: JudgedRun) -> Rows:
    """Yield every measure of every model, by class and of all classes."""
    for measured, of_models in run.once(measured_classes, run):
        for model, runs in runs_by_model(measured):
            ties = sum(int(formulas.tied(measured.trials.scores[each]).sum()) for each in runs)
            for quantity, of in of_models[model].items():
                place = quantity.place
                yield ClassRow(
                    **_place(measured),
                    model=model,
                    measure=str(quantity.measure),
                    average=quantity.average,
                    label=None if place is None else measured.trials.labels[place],
                    value=defined(of.value),
                    ci_low=of.interval.low,
                    ci_high=of.interval.high,
                    ci_method=of.interval.method,
                    trials=int(measured.n.sum() if place is None else measured.n[place]),
                    ties=ties,
                    status=None if math.isfinite(of.value) else _why(measured, runs, quantity),
                )


def _why(measured: MeasuredClasses, runs: list[ModelRun], quantity: ClassQuantity) -> Status:
    measure, place = quantity.measure, quantity.place
    if place is not None and not measured.n[place]:
        return "no_targets"
    if measure == CALIBRATION_ERROR:
        return "not_probability"
    if measure.over == "scores":
        of = (measured.against[at] for at in (measured.present if place is None else [place]))
        statuses = (each.models[run].value(measure).status for each in of for run in runs)
        return next(filter(None, statuses), "degenerate")
    return "no_nontargets" if len(measured.present) == 1 else "degenerate"


def difference_rows(run: JudgedRun) -> Rows:
    """Yield the differences of models over the same trials, with limits and p by their resamples."""
    for measured, of_models in run.once(measured_classes, run):
        for model, baseline in compared_keys(list(of_models), run.study):
            if baseline not in of_models:  # it has no scores of every class
                continue
            for quantity in compared(measured):
                row = ClassDifferenceRow(
                    **_place(measured),
                    model=model,
                    baseline=baseline,
                    measure=str(quantity.measure),
                    average=quantity.average,
                    status="degenerate",
                )
                both = (of_models[name][quantity] for name in (model, baseline))
                yield _tested(row, measured.tested(quantity.measure, *both))


def _tested(row: ClassDifferenceRow, tested: PairedDifference | None) -> ClassDifferenceRow:
    if tested is None:
        return row
    return replace(
        row,
        difference=tested.difference,
        ci_low=tested.low,
        ci_high=tested.high,
        p_value=tested.p_value,
        status=tested.status,
    )


def with_adjusted(rows: list[ClassDifferenceRow], study: Study) -> list[ClassDifferenceRow]:
    """Return the rows with p adjusted over the pairs of a dataset, for each number."""
    return with_adjusted_pairs(rows, study, ("dataset", "group", "measure", "average"))


def confusion_rows(run: JudgedRun) -> Rows:
    """Yield for each class how its trials are taken, with Wilson's limits of a share."""
    level = run.study.inference.level
    for measured, _ in run.once(measured_classes, run):
        labels, truth = measured.trials.labels, measured.trials.truth
        for model, runs in runs_by_model(measured):
            for place in measured.present:
                members, few = truth == place, measured.against[place].units.too_few_clusters
                for predicted, name in enumerate(labels):
                    marked = [measured.top[each] == predicted for each in runs]
                    rates = [measured.rate(members, each) for each in marked]
                    interval = NO_INTERVAL if len(runs) > 1 or few else rate_interval(rates[0], level)
                    yield ConfusionRow(
                        **_place(measured),
                        model=model,
                        label=labels[place],
                        predicted=name,
                        trials=sum(int(each[members].sum()) for each in marked),
                        share=float(np.mean([rate.rate for rate in rates])),
                        ci_low=interval.low,
                        ci_high=interval.high,
                    )


def calibration_rows(run: JudgedRun) -> Rows:
    """Yield the bins of each class and of the top label, of models whose scores are probabilities."""
    edges = np.arange(formulas.BINS + 1) / formulas.BINS
    for measured, _ in run.once(measured_classes, run):
        for model, runs in runs_by_model(measured):
            if not all(formulas.are_probabilities(measured.trials.scores[each]) for each in runs):
                continue
            for place in (None, *measured.present):
                bins = formulas.together([measured.bins(each, place) for each in runs])
                for at in np.flatnonzero(bins.trials):
                    yield ClassCalibrationRow(
                        **_place(measured),
                        model=model,
                        label=None if place is None else measured.trials.labels[place],
                        low=float(edges[at]),
                        high=float(edges[at + 1]),
                        trials=float(bins.trials[at] / len(runs)),
                        probability=float(bins.probability[at]),
                        frequency=float(bins.frequency[at]),
                    )


def wanted(study: Study) -> bool:
    """Return whether a report is about several classes."""
    return CLASSES_KEY.of(study) is not None


RECIPES = (
    frame_of(CLASSES, run=class_rows, wanted=wanted),
    frame_of(DIFFERENCES, run=difference_rows, finish=with_adjusted, wanted=wanted),
    frame_of(CONFUSION, run=confusion_rows, wanted=wanted),
    frame_of(CALIBRATION, run=calibration_rows, wanted=wanted),
)
