"""The frames ``fold_estimates`` and ``learning``: measures by fold, and means over trainings with limits.

Over folds the limits are those of ``formulas``. Where runs are trainings that test the same trials, trainings
are crossed with trials: what readers are to Obuchowski and Rockette (``core/stats/readers.py``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from reporting.base.codes import Status
from reporting.base.records import dataclass, replace
from reporting.core.engine.intervals import interval
from reporting.core.engine.model_runs import ModelRuns, models_with_runs
from reporting.core.engine.pairing import Pair, model_pairs
from reporting.core.engine.pairs import Difference, difference
from reporting.core.engine.parts import Part
from reporting.core.engine.sample import Question, Sample, sample
from reporting.core.engine.study import Study
from reporting.core.engine.values import Value, defined
from reporting.core.measures.measure import Measure
from reporting.core.stats.intervals import normal, normal_p
from reporting.core.stats.readers import ReaderVariances, reader_spread
from reporting.document.frames.adjusted import AdjustedP, CorrectionOf, FamilySize, with_adjusted_pairs
from reporting.document.frames.contract import KEY, Frame, KeyRow, PlaceRow, pair_of, place_of
from reporting.document.frames.judged import JudgedPart, JudgedRun
from reporting.document.frames.recipe import frame_of
from reporting.features.learning_procedures.estimates import OnFold, folds_of, questions, straddling
from reporting.features.learning_procedures.formulas import resampled_t
from reporting.features.learning_procedures.keys import LEARNING_KEY, has_folds

NAIVE, CORRECTED, THESE, NEW = "naive_t", "corrected_t", "these_trainings", "new_trainings"


@dataclass(frozen=True, kw_only=True, slots=True)
class FoldRow(KeyRow):
    """A row of ``fold_estimates``."""

    fold: Annotated[str, "fold whose trials were tested"]
    measure: Annotated[str, "name and parameters of the measure"]
    criterion: Annotated[str | None, "what chose the threshold; null without a threshold"] = None
    value: Annotated[float | None, "the measure on the trials of the fold; null where undefined"] = None
    targets: Annotated[int, "targets of the fold"]
    nontargets: Annotated[int, "non-targets of the fold"]
    training: Annotated[int, "trials that the training learnt from"]
    status: Annotated[str | None, "why the value is undefined; null where it is defined"] = None


@dataclass(frozen=True, kw_only=True, slots=True)
class LearningRow(PlaceRow):
    """A row of ``learning``."""

    model: Annotated[str, "key of the model in the trial table"]
    baseline: Annotated[str | None, "model that is subtracted; null in rows of a single model"] = None
    measure: Annotated[str, "name and parameters of the measure"]
    criterion: Annotated[str | None, "what chose the threshold; null without a threshold"] = None
    method: Annotated[
        str,
        "naive_t: folds taken as independent; corrected_t: Nadeau and Bengio; these_trainings: new trials;"
        " new_trainings: new trials and trainings",
    ]
    value: Annotated[float | None, "mean over folds or trainings, or difference of two; null: undefined"] = (
        None
    )
    se: Annotated[float | None, "standard error; null without one"] = None
    df: Annotated[float | None, "degrees of freedom of t; null: normal, or no standard error"] = None
    ci_low: Annotated[float | None, "lower limit; null where there is none"] = None
    ci_high: Annotated[float | None, "upper limit; null where there is none"] = None
    p_value: Annotated[float | None, "two-sided, of no difference, not adjusted; null without one"] = None
    p_adjusted: AdjustedP = None
    correction: CorrectionOf = None
    family_size: FamilySize = None
    estimates: Annotated[int, "different test folds of all repeats, or trainings"]
    repeats: Annotated[int, "different partitions into folds; 0 where trainings test all trials"]
    trainings: Annotated[int, "trainings of each fold, or of all trials"]
    ratio: Annotated[float | None, "test trials per training trial, mean over folds; null without folds"] = (
        None
    )
    sd: Annotated[float | None, "standard deviation of the estimates; null where undefined"] = None
    sd_between: Annotated[
        float | None,
        "SD of the means of repeats, or of trainings beyond the noise of trials; null where unknown",
    ] = None
    se_twice: Annotated[float | None, "SE with twice as many repeats or trainings; null without one"] = None
    se_limit: Annotated[float | None, "SE with any number of them on these trials; null without one"] = None
    torn_clusters: Annotated[int, "clusters with trials in several folds of one run"] = 0
    status: Annotated[str | None, "why the value or its limits are undefined; null where defined"] = None


PLACE = ("dataset", "split", "group")
FOLDS = Frame("fold_estimates", FoldRow, (*KEY, "fold", "measure", "criterion"))
LEARNING = Frame("learning", LearningRow, (*PLACE, "measure", "criterion", "model", "baseline", "method"))


class Folded(NamedTuple):
    """The folds of a dataset with the estimates of every model and question there."""

    part: Part
    on: Mapping[str, Sequence[OnFold]]
    """By model."""
    values: Mapping[tuple[str, Question], Sequence[Value]]
    """By model, in the order of ``on``."""
    torn: int


def folds_on(run: JudgedRun) -> Iterator[tuple[Part, dict[str, list[OnFold]], int]]:
    """Yield every whole dataset with its folds by model, and how many clusters are in several folds."""
    for part in run.parts:
        if part.group or not has_folds(run.study):
            continue
        folds, on = folds_of(part, run), dict[str, list[OnFold]]()
        for model in part.models:
            own = [OnFold(model, fold) for fold in folds if fold.run == model.key.run]
            on.setdefault(model.key.model, []).extend(own)
        yield part, on, straddling(part, folds)


def folded(run: JudgedRun) -> Iterator[Folded]:
    """Yield every whole dataset with its folds, and the measures there."""
    for part, on, torn in folds_on(run):
        values = {
            (key, question): [each.value(question) for each in own]
            for key, own in on.items()
            for question in questions(part.models, run.study)
        }
        yield Folded(part, on, values, torn)


def fold_rows(run: JudgedRun) -> Iterator[FoldRow]:
    """Yield a row per model, run, fold and measure."""
    for of in folded(run):
        for (model, question), values in of.values.items():
            for on, value in zip(of.on[model], values, strict=True):
                targets, nontargets = on.classes
                yield FoldRow(
                    **on.model.key._asdict(),
                    fold=on.fold.name,
                    **_of_question(question),
                    value=defined(value.number),
                    targets=targets,
                    nontargets=nontargets,
                    training=on.fold.training,
                    status=value.status,
                )


def rows_over_folds(run: JudgedRun) -> Iterator[LearningRow]:
    """Yield the means over folds of every model, and the differences of every pair."""
    for of in folded(run):
        of_models = list(dict.fromkeys(question for _, question in of.values))
        teams, pairs = models_with_runs(of.part.models), model_pairs(of.part.models, run.study)
        for question in of_models:
            for team in teams:
                place = {**place_of(team.key), "model": team.key.model}
                yield from _over_folds(of, question, place, (team.key.model,), run.study)
            for pair in pairs:
                names = pair.model.key.model, pair.baseline.key.model
                yield from _over_folds(of, question, pair_of(pair), names, run.study)


class Tested(NamedTuple):
    """The estimates of one set of test trials: a mean over the trainings that were tested there."""

    values: list[float]
    partitions: dict[frozenset[bytes], None]
    """Those that it belongs to, in the order of runs: a sum in the order of a set has other last digits."""
    ratio: float


def _over_folds(
    of: Folded, question: Question, place: Mapping[str, Any], models: tuple[str, ...], study: Study
) -> Iterator[LearningRow]:
    """Yield the naive and the corrected row of a model, or of a difference over the folds that both have."""
    each = [_by_trials(of.on[model], of.values[model, question]) for model in models]
    common = [trials for trials in each[0] if all(trials in other for other in each)]
    first = [each[0][trials] for trials in common]
    estimates = np.array(
        [
            float(np.mean(tested.values)) - sum(float(np.mean(other[trials].values)) for other in each[1:])
            for trials, tested in zip(common, first, strict=True)
        ]
    )
    at = {trials: number for number, trials in enumerate(common)}
    partitions = dict.fromkeys(p for tested in first for p in tested.partitions if p <= at.keys())
    means = [float(np.mean(estimates[sorted(at[trials] for trials in p)])) for p in partitions]
    row = LearningRow(
        **place,
        **_of_question(question),
        method=CORRECTED,
        value=defined(float(np.mean(estimates))) if len(estimates) else None,
        estimates=len(estimates),
        repeats=len(partitions),
        trainings=max((len(tested.values) for tested in first), default=0),
        ratio=float(np.mean([tested.ratio for tested in first])) if first else None,
        sd_between=defined(float(np.std(means, ddof=1))) if len(means) > 1 else None,
        torn_clusters=of.torn,
        status=_undefined(of, question, models),
    )
    for method in (NAIVE, CORRECTED):
        yield _limited(replace(row, method=method), estimates, question, study)


def _by_trials(on: Sequence[OnFold], values: Sequence[Value]) -> dict[bytes, Tested]:
    """Return the estimates of a model by the trials that were tested."""
    of_run: dict[str, set[bytes]] = {}
    for each in on:
        of_run.setdefault(each.fold.run, set()).add(each.fold.trials)
    tested: dict[bytes, Tested] = {}
    for each, value in zip(on, values, strict=True):
        of = tested.setdefault(each.fold.trials, Tested([], {}, each.fold.ratio))
        of.values.append(value.number)
        of.partitions[frozenset(of_run[each.fold.run])] = None
    return tested


def _undefined(of: Folded, question: Question, models: Sequence[str]) -> Status | None:
    return next((v.status for model in models for v in of.values[model, question] if v.status), None)


def _limited(row: LearningRow, estimates: Any, question: Question, study: Study) -> LearningRow:
    """Return a row with limits by t; none of undefined estimates, and of such as do not vary."""
    if row.value is None or row.ratio is None:
        return replace(row, status=row.status or "degenerate", sd_between=None)
    level, ratio = study.inference.level, 0.0 if row.method == NAIVE else row.ratio
    mean = resampled_t(estimates, ratio, level)
    if mean is None:
        alike = row.baseline is not None and not estimates.any()
        return replace(row, p_value=1.0 if alike else None, status="degenerate")
    low, high = _bounds(question.measure, row)
    return replace(
        row,
        se=mean.se,
        df=mean.df,
        ci_low=max(mean.low, low),
        ci_high=min(mean.high, high),
        p_value=None if row.baseline is None else mean.p_value,
        sd=mean.sd,
        se_twice=mean.sd * math.sqrt(1 / (2 * len(estimates)) + ratio),
        se_limit=mean.sd * math.sqrt(ratio),
    )


def _bounds(measure: Measure, row: LearningRow) -> tuple[float, float]:
    low, high = measure.bounds
    return (low, high) if row.baseline is None else (low - high, high - low)


def _of_question(question: Question) -> dict[str, Any]:
    criterion = None if question.criterion is None else str(question.criterion)
    return {"measure": str(question.measure), "criterion": criterion}


def rows_over_trainings(judged: JudgedPart) -> Iterator[LearningRow]:
    """Yield the means over trainings that test the same trials, and their differences."""
    study = judged.study
    if judged.part.group or has_folds(study):
        return
    crossed, of_models = replace(study, runs="reader"), list(questions(judged.models, study))
    pairs = [pair for pair in model_pairs(judged.models, study) if not pair.alone]
    for question in of_models:
        for team in models_with_runs(judged.models):
            if not team.alone:
                row = _trained(question, team, {**place_of(team.key), "model": team.key.model})
                these = sample(team, question, judged.drawn, study)
                yield _of_these(row, these)
                yield _of_new(row, sample(team, question, judged.drawn, crossed))
        for pair in pairs:
            row = _trained(question, pair.model, pair_of(pair), pair)
            yield _difference_of_these(row, difference(pair, question, judged.drawn, study))
            yield _difference_of_new(row, difference(pair, question, judged.drawn, crossed))


def _trained(
    question: Question, team: ModelRuns, place: Mapping[str, Any], pair: Pair | None = None
) -> LearningRow:
    runs = [len(team.runs)] if pair is None else [len(pair.model.runs), len(pair.baseline.runs)]
    n = min(runs)
    return LearningRow(**place, **_of_question(question), method=THESE, estimates=n, repeats=0, trainings=n)


def _of_these(row: LearningRow, of: Sample) -> LearningRow:
    value = defined(float(of.point[0]))
    if value is None:
        return replace(row, status=of.status() or "degenerate")
    limits = interval(of)
    return replace(
        row,
        value=value,
        se=limits.se,
        ci_low=limits.low,
        ci_high=limits.high,
        status=None if limits.low is not None else _why_without(of),
    )


def _why_without(of: Sample) -> Status:
    return "too_few_clusters" if of.design.too_few_clusters else "degenerate"


def _of_new(row: LearningRow, of: Sample) -> LearningRow:
    """Return the mean of a model with limits for new trainings and trials, and what its error is made of."""
    row = replace(_of_these(row, of), method=NEW)
    if row.value is None or row.ci_low is None or not of.measured:
        return row
    values, noise = of.by_run, of.noise
    spread = reader_spread(values, noise, of.variance)
    row = replace(row, se=defined(float(spread.se[0])), df=of.design.least_df(float(spread.df[0])))
    return _components(row, values, ReaderVariances.estimated(values, noise, of.variance))


def _components(row: LearningRow, values: Sequence[Any], of: ReaderVariances) -> LearningRow:
    """Return a row with its spread, and its error with more trainings: SE^2 = S^2 / R + c."""
    sd = float(np.std(values, axis=0, ddof=1)[0])
    return replace(
        row,
        sd=defined(sd),
        sd_between=defined(math.sqrt(of.between)),
        se_twice=defined(math.sqrt(sd**2 / (2 * len(values)) + of.shared)),
        se_limit=defined(math.sqrt(of.shared)),
    )


def _difference_of_these(row: LearningRow, of: Difference) -> LearningRow:
    tested = of.pair.turned(of.tested()).within(of.measure.bounds)
    unlimited: Status | None = "degenerate" if tested.low is None else None
    return replace(
        row,
        value=defined(tested.difference),
        se=defined(tested.se),
        df=tested.df,
        ci_low=tested.low,
        ci_high=tested.high,
        p_value=tested.p_value,
        status=tested.status or ("folds_held" if of.holds_folds else unlimited),
    )


def _difference_of_new(row: LearningRow, of: Difference) -> LearningRow:
    """Return a difference with limits for new trainings and trials."""
    row = replace(row, method=NEW)
    if status := of.status():
        return replace(row, status=status)
    sign = 1.0 if of.pair.forward else -1.0
    row = replace(row, value=defined(sign * float(of.point[0])), status=_why_not(of))
    if row.status is not None or row.value is None:
        return row
    spread = of.over_readers
    se, df = float(spread.se[0]), of.first.design.least_df(float(spread.df[0]))
    if not se > 0:
        return replace(row, p_value=1.0 if row.value == 0 else None, status="degenerate")
    level = of.first.level
    limits = normal(row.value, se, level, df)
    low, high = _bounds(of.measure, row)
    row = replace(
        row,
        se=se,
        df=df,
        ci_low=max(limits.low, low),
        ci_high=min(limits.high, high),
        p_value=normal_p(row.value, se, df),
    )
    if not of.pair.same_readers:
        return row
    values = [a - b for a, b in zip(of.first.by_run, of.second.by_run, strict=True)]
    return _components(row, values, of.reader_variances)


def _why_not(of: Difference) -> Status | None:
    if of.too_few_clusters:
        return "too_few_clusters"
    if of.holds_folds:
        return "folds_held"
    return None if of.measured else "not_measured"


def with_adjusted(rows: list[LearningRow], study: Study) -> list[LearningRow]:
    """Return the rows with p adjusted over the pairs of a dataset, for each measure and method."""
    return with_adjusted_pairs(rows, study, ("dataset", "group", "measure", "criterion", "method"))


def _wanted(study: Study) -> bool:
    return LEARNING_KEY.of(study) is not None


RECIPES = (
    frame_of(FOLDS, run=fold_rows, wanted=_wanted),
    frame_of(LEARNING, rows_over_trainings, run=rows_over_folds, finish=with_adjusted, wanted=_wanted),
)
