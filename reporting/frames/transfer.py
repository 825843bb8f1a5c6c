"""The frame ``transfer``: what it costs to judge one dataset at thresholds of another."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

from reporting.counts.ranks import Ranks
from reporting.curves.epc import Operation, errors_at
from reporting.engine.operations import JudgedModel
from reporting.engine.parts import Part
from reporting.engine.study import Study
from reporting.engine.values import defined, status_of, value_at
from reporting.frames.contract import Frame, FrameRow
from reporting.frames.epc_exact import ExactCurves
from reporting.frames.judged import JudgedRun
from reporting.measures.measure import Measure
from reporting.significance.estimate import NO_INTERVAL, ModelInterval, rate_interval
from reporting.stats.effective_size import EffectiveRate
from reporting.stats.staircase import cut_at

PAIR = ("model", "run", "dev_dataset", "test_dataset")
"""Whose thresholds, chosen on which dataset's dev, judged on which dataset's test."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TransferRow(FrameRow):
    """A row of ``transfer``."""

    model: Annotated[str, "key of the model in the trial table"]
    run: Annotated[str, "run of the model"]
    dev_dataset: Annotated[str, "dataset on whose dev the threshold was chosen"]
    test_dataset: Annotated[str, "dataset on whose test it is judged"]
    over: Annotated[str, "threshold, or area: a whole EPC"]
    criterion: Annotated[str, "what chose the threshold"]
    measure: Annotated[str, "name of the measure with its parameters"]
    threshold: Annotated[float | None, "threshold, on the scale of the trial table; null without one"] = None
    value: Annotated[float | None, "the measure, or the area; null where undefined"] = None
    value_own: Annotated[float | None, "the same at the judged dataset's threshold; null if undefined"] = None
    value_oracle: Annotated[float | None, "the same chosen on the judged test; null where undefined"] = None
    cost: Annotated[float | None, "value less value_own; null where undefined"] = None
    threshold_shift: Annotated[float | None, "value less value_oracle; null where undefined"] = None
    discrimination: Annotated[float | None, "value_oracle less that at home; null where undefined"] = None
    low: Annotated[float | None, "lower limit of value; null without a closed form"] = None
    high: Annotated[float | None, "upper limit of value; null without a closed form"] = None
    n_target: Annotated[int, "targets"]
    n_nontarget: Annotated[int, "non-targets"]
    misses: Annotated[int | None, "rejected targets; null where no single threshold holds"] = None
    false_alarms: Annotated[int | None, "accepted non-targets; null where no single threshold holds"] = None
    status: Annotated[str | None, "why the value is undefined; null where it is defined"] = None


TRANSFER = Frame("transfer", TransferRow, (*PAIR, "over", "criterion", "measure"))


Question = tuple[str, str, str, str, str]
"""Model, run, over what (a threshold, or the area of an EPC), criterion and measure."""


def transfer_of(run: JudgedRun) -> Iterator[TransferRow]:
    """Yield the rows of ``transfer`` once all datasets are judged."""
    return transfer_rows(run.parts, run.study.of_mix(None))


def transfer_rows(parts: Sequence[Part], study: Study) -> Iterator[TransferRow]:
    """Yield the rows of every ordered pair of datasets that each have a dev of their own and a test.

    ``cost`` = value - value_own, the own thresholds being those of the judged dataset's dev;
    ``threshold_shift`` = value - value_oracle; ``discrimination`` = value_oracle less that of the
    choosing dataset's own test. A dataset with itself is a pair too: its cost is 0, and its row holds the
    value_oracle from which the others' ``discrimination`` counts. For an area along the weighted error of
    that error itself, value_oracle is the refinement part, and threshold_shift >= 0 the calibration loss
    (methods 7.5, 7.6); other shifts may be negative. Undefined differences are None; ``status`` says why
    a value is. ``low`` and ``high`` are the interval of a rate given its threshold, None where none is
    known in closed form. Groups are left out; nothing where fewer than two datasets qualify.
    """
    wholes = [part for part in parts if not part.group and _chooses_itself(part)]
    if len(wholes) < 2:
        return
    own = {part.dataset: _judged(part, part, study) for part in wholes}
    for dev in wholes:
        for test in wholes:
            judged = own[test.dataset] if dev is test else _judged(dev, test, study)
            for question, row in judged.items():
                yield _compared(row, own[test.dataset][question], own[dev.dataset][question])


def _chooses_itself(part: Part) -> bool:
    """Return whether every model has its thresholds from the dev of the dataset on which it is judged."""
    return bool(part.models) and all(
        model.dev_key is not None and model.dev_key.dataset == part.dataset for model in part.models
    )


def _compared(row: TransferRow, own: TransferRow, at_home: TransferRow) -> TransferRow:
    """Compare a value with the judged dataset's own, and with that of the choosing dataset at home."""
    return replace(
        row,
        value_own=own.value,
        cost=_less(row.value, own.value),
        threshold_shift=_less(row.value, row.value_oracle),
        discrimination=_less(row.value_oracle, at_home.value_oracle),
    )


def _less(value: float | None, other: float | None) -> float | None:
    return None if value is None or other is None else value - other


def _judged(dev: Part, test: Part, study: Study) -> dict[Question, TransferRow]:
    """Judge the thresholds of one dataset on the test of another, for the models that both have."""
    chosen = {model.key[:2]: model for model in dev.models}
    pairs = [(chosen[model.key[:2]], model) for model in test.models if model.key[:2] in chosen]
    rows: dict[Question, TransferRow] = {}
    for source, model in pairs:
        n_target, n_nontarget = model.test.trials
        row_of = partial(
            TransferRow,
            model=model.key.model,
            run=model.key.run,
            dev_dataset=dev.dataset,
            test_dataset=test.dataset,
            n_target=n_target,
            n_nontarget=n_nontarget,
        )
        at_thresholds = _at_thresholds(row_of, source, model, test.ranks, study)
        for row in (*at_thresholds, *_areas(row_of, source, model, study)):
            rows[row.model, row.run, row.over, row.criterion, row.measure] = row
    return rows


def _at_thresholds(
    row_of: Callable[..., TransferRow], source: JudgedModel, model: JudgedModel, ranks: Ranks, study: Study
) -> Iterator[TransferRow]:
    """Every criterion that chose on dev, and every measure at its threshold."""
    for criterion in dict.fromkeys(study.criteria):
        chosen = source.single.get(criterion)
        if chosen is None or chosen.chosen.source != "dev":
            continue
        operation = _moved(chosen, model.single[criterion], model)
        for measure in study.measures:
            if measure.over == "threshold":
                at_it = partial(row_of, over="threshold", criterion=str(criterion), measure=str(measure))
                yield _row_at(at_it, measure, operation, model, ranks, study)


def _moved(chosen: Operation, own: Operation, model: JudgedModel) -> Operation:
    """Return the model's own operation with the thresholds of another in place of its own."""
    cut = cut_at(model.test.score, chosen.chosen.threshold)
    return replace(own, chosen=chosen.chosen, dev=None, test=errors_at(model.test, cut))


def _row_at(
    row_of: Callable[..., TransferRow],
    measure: Measure,
    operation: Operation,
    model: JudgedModel,
    ranks: Ranks,
    study: Study,
) -> TransferRow:
    number = value_at(measure, operation.test, 0, model.test)
    best = math.nan if operation.oracle is None else value_at(measure, operation.oracle, 0, model.test)
    limits = _interval(measure, operation, model, ranks, study)
    return row_of(
        threshold=float(operation.chosen.threshold[0]),
        value=defined(number),
        value_oracle=defined(best),
        low=limits.low,
        high=limits.high,
        misses=int(operation.test.missed_trials[0]),
        false_alarms=int(operation.test.false_alarm_trials[0]),
        status=status_of(number, *model.test.trials),
    )


def _interval(
    measure: Measure, operation: Operation, model: JudgedModel, ranks: Ranks, study: Study
) -> ModelInterval:
    """The interval in closed form, as in ``metrics``: of a share of trials that are independent."""
    independent = ranks.unit_a is None or study.inference.unit == "trial"
    if measure.counted is None or ranks.weight is not None or not independent:
        return NO_INTERVAL
    errors = int(operation.test.misses[0]), int(operation.test.false_alarms[0])
    part, whole = measure.counted.counts(*errors, *model.test.totals, **measure.arguments)
    return rate_interval(EffectiveRate(part / whole, whole), study.inference.level) if whole else NO_INTERVAL


def _areas(
    row_of: Callable[..., TransferRow], source: JudgedModel, model: JudgedModel, study: Study
) -> Iterator[TransferRow]:
    """The exact areas of the EPCs over all of [0, 1], as the frame ``areas`` has them."""
    if study.epc is None:
        return
    whole = replace(study, epc=replace(study.epc, bounds=(0.0, 1.0)))
    moved = replace(model, scaling=replace(model.scaling, dev=source.dev))
    for row in ExactCurves(moved, whole).area_rows():
        yield row_of(
            over="area",
            criterion=row.criterion,
            measure=row.measure,
            value=row.area,
            value_oracle=row.value_oracle,
            status=row.status,
        )
